//! The view: how rows become the numbers that every method compares, by the type of the data.
//!
//! | columns | what becomes of them |
//! |---|---|
//! | numbers, dates, booleans | standardised; strongly skewed amounts first go through ln(1 + x / s) (`number.rs`) |
//! | categories | one-hot encoded; the block weighs as much as one column of numbers (`category.rs`) |
//! | columns of one scale, vectors | centred, and divided by one number for all, so that distances stay what they are |
//! | vectors of nearly equal length | scaled to the same length: compared by angle (`vector.rs`) |
//! | terms of texts, other sparse counts | truncated SVD (latent semantic analysis), then compared by angle (`terms.rs`, `svd.rs`) |
//!
//! Pixels stay pixels: a [`Preprocessor`](crate::Preprocessor) divides them by their largest value, and there is no view.
//!
//! A view is fitted once ([`View::fit`]), lives in the model file, and is applied to every row that a model sees. What
//! it makes of a row does not depend on the other rows of the call.

mod asked;
mod bounds;
mod category;
mod error;
mod fit;
mod number;
mod report;
mod rows;
mod sample;
mod svd;
mod terms;
mod vector;
mod watch;

use serde::{Deserialize, Serialize};

pub use self::asked::Asked;
pub use self::bounds::Unknown;
pub use self::category::Categories;
pub use self::error::ViewError;
pub use self::number::{Number, Numbers};
pub use self::rows::ViewedRows;
pub use self::terms::{TermArrays, Terms};
pub use self::vector::Directions;
pub use self::watch::Watch;
use crate::csr::CsrMatrix;
use crate::source::Batch;

/// By which distance the rows of a view are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// By the straight line between them.
    Euclidean,
    /// By the angle between them: all rows have the same length.
    Cosine,
}

/// What becomes of some neighbouring columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Numbers, each column on its own scale or all on one.
    Numbers(Numbers),
    /// One column of categories, one-hot encoded.
    Categories(Categories),
    /// Vectors that are compared by angle.
    Directions(Directions),
    /// Weights of terms.
    Terms(Terms),
}

impl Part {
    /// How many columns it reads.
    pub fn columns(&self) -> usize {
        match self {
            Part::Numbers(numbers) => numbers.columns.len(),
            Part::Categories(block) => block.width(),
            Part::Directions(vectors) => vectors.width(),
            Part::Terms(terms) => terms.columns(),
        }
    }

    /// How many columns it makes of them.
    pub fn width(&self) -> usize {
        match self {
            Part::Terms(terms) => terms.components(),
            _ => self.columns(),
        }
    }

    /// `row` holds its columns, all of them; only the terms are read as entries.
    fn apply(&self, row: &[f32], out: &mut [f32]) {
        match self {
            Part::Numbers(numbers) => numbers.apply(row, out),
            Part::Categories(block) => block.apply(row, out),
            Part::Directions(vectors) => vectors.apply(row, out),
            Part::Terms(terms) => {
                let entries = row.iter().enumerate().filter(|(_, x)| **x != 0.0);
                terms.apply(entries.map(|(j, x)| (j, *x)), out);
            }
        }
    }

    /// From the view back to the columns of the data, as far as that goes.
    fn invert(&self, seen: &[f32], out: &mut [f64]) {
        match self {
            Part::Numbers(numbers) => numbers.invert(seen, out),
            Part::Categories(block) => block.invert(seen, out),
            Part::Directions(vectors) => vectors.invert(seen, out),
            Part::Terms(terms) => terms.invert(seen, out),
        }
    }
}

/// A fitted view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct View {
    metric: Metric,
    parts: Vec<Part>,
}

impl View {
    /// The columns of the data.
    pub fn columns(&self) -> usize {
        self.parts.iter().fold(0, |sum: usize, part| sum.saturating_add(part.columns()))
    }

    /// The columns of the view.
    pub fn width(&self) -> usize {
        self.parts.iter().fold(0, |sum: usize, part| sum.saturating_add(part.width()))
    }

    /// By which distance its rows are compared.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// What becomes of the columns, in their order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The same, to be completed: the matrices of terms are not a part of the serialised view.
    pub fn parts_mut(&mut self) -> &mut [Part] {
        &mut self.parts
    }

    /// The first column of which rows must have digits that 32 bits do not hold.
    pub fn first_fine(&self) -> Option<usize> {
        self.fine().map(|(column, _)| column).next()
    }

    /// The columns whose origin is taken off before they are rounded.
    fn fine(&self) -> impl Iterator<Item = (usize, &Number)> {
        self.number_columns().filter(|(_, column)| column.is_fine())
    }

    /// Row `i` of a batch, as it is seen. `dense` is room for a row of the data.
    fn apply_row(&self, batch: &Batch, i: usize, dense: &mut Vec<f32>, out: &mut [f32]) {
        let (mut start, mut rest) = (0, out);
        for part in &self.parts {
            let end = start + part.columns();
            let (out, after) = rest.split_at_mut(part.width());
            rest = after;
            match (batch, part) {
                (Batch::Dense(rows), _) => part.apply(&rows.row(i)[start..end], out),
                (Batch::Sparse(rows), Part::Terms(terms)) => terms.apply(entries(rows, i, start..end), out),
                (Batch::Sparse(rows), _) => {
                    dense.clear();
                    dense.resize(end - start, 0.0);
                    entries(rows, i, start..end).for_each(|(j, x)| dense[j] = x);
                    part.apply(dense, out);
                }
            }
            start = end;
        }
    }

    /// Takes a row of the view back to the data's own columns and scale, as far as that goes: what was taken for unknown,
    /// and what the truncated SVD left out, does not come back.
    pub fn inverted(&self, seen: &[f32]) -> Vec<f64> {
        let mut row = vec![0.0; self.columns()];
        let (mut from, mut to) = (seen, row.as_mut_slice());
        for part in &self.parts {
            let (seen, later) = from.split_at(part.width());
            let (out, after) = to.split_at_mut(part.columns());
            (from, to) = (later, after);
            part.invert(seen, out);
        }
        row
    }

    /// What one unit of the view is in each column of the data, near its middle.
    pub fn units(&self) -> Vec<f64> {
        let unit = |factor: f64| if factor > 0.0 { 1.0 / factor } else { 0.0 };
        let of = |part: &Part| match part {
            Part::Numbers(numbers) => numbers.columns.iter().map(Number::unit).collect(),
            Part::Categories(block) => vec![unit(f64::from(block.factor)); block.width()],
            Part::Directions(vectors) => vec![vectors.mean_length * unit(vectors.length); vectors.width()],
            Part::Terms(terms) => vec![unit(terms.length()); terms.columns()],
        };
        self.parts.iter().flat_map(of).collect()
    }

    /// The column of the data that a column of the view is made of, or the first of several.
    pub fn column_of(&self, seen: usize) -> usize {
        let (mut start, mut first) = (0, 0);
        for part in &self.parts {
            if seen < first + part.width() {
                return start + if matches!(part, Part::Terms(_)) { 0 } else { seen - first };
            }
            (start, first) = (start + part.columns(), first + part.width());
        }
        start
    }

    /// Bytes that it takes in memory.
    pub fn memory(&self) -> usize {
        let of = |part: &Part| match part {
            Part::Numbers(numbers) => {
                let names: usize = numbers.columns.iter().map(|column| column.name.capacity()).sum();
                names + size_of_val(numbers.columns.as_slice())
            }
            Part::Categories(block) => size_of_val(block.shares.as_slice()),
            Part::Directions(_) => 0,
            Part::Terms(terms) => terms.memory(),
        };
        size_of_val(self.parts.as_slice()) + self.parts.iter().map(of).sum::<usize>()
    }

    /// Whether its numbers are finite and its parts fit together; a file may say anything.
    ///
    /// # Errors
    /// What does not fit.
    pub fn check(&self) -> Result<(), String> {
        if self.parts.is_empty() {
            return Err("the view has no columns".to_owned());
        }
        self.parts.iter().try_for_each(|part| match part {
            Part::Numbers(numbers) if numbers.is_finite() => Ok(()),
            Part::Categories(block) if block.is_finite() => Ok(()),
            Part::Directions(vectors) if vectors.is_finite() => Ok(()),
            Part::Terms(terms) => terms.check(),
            _ => Err("the view has a number that is not finite".to_owned()),
        })
    }
}

/// The entries of row `i` in some columns, of which the first counts as 0.
fn entries(
    rows: &CsrMatrix<f32>,
    i: usize,
    columns: std::ops::Range<usize>,
) -> impl Iterator<Item = (usize, f32)> + '_ {
    let (places, values) = rows.row(i);
    let first = places.partition_point(|&j| (j as usize) < columns.start);
    let both = places[first..].iter().zip(&values[first..]);
    let both = both.take_while(move |(j, _)| (**j as usize) < columns.end);
    both.map(move |(j, x)| (*j as usize - columns.start, *x))
}

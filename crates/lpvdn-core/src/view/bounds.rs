//! How far values go: which of them count as unknown, and how large the others become.

use serde::Serialize;

use super::report::listed;
use super::{Number, Part, View};
use crate::source::{RowSource, SourceError, for_each_block};
use crate::summary::Summary;

/// Rows read at a time.
const BLOCK: usize = 1024;

/// A column of which some values count as unknown, because they lie absurdly far from all others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unknown {
    /// Its number among the columns of the data, from 0.
    pub column: usize,
    /// What it is called; empty where it has no name.
    pub name: String,
    /// How many values.
    pub count: usize,
}

impl Unknown {
    /// `3 values of income`
    fn in_words(&self) -> String {
        let values = if self.count == 1 { "1 value".to_owned() } else { format!("{} values", self.count) };
        match self.name.as_str() {
            "" => format!("{values} of column {}", self.column),
            name => format!("{values} of {name}"),
        }
    }

    /// A line about all of them, if there are any.
    pub fn line(all: &[Unknown]) -> Option<String> {
        (!all.is_empty()).then(|| {
            let columns = listed(all.iter().map(Unknown::in_words).collect());
            format!(
                "taken for unknown, because they lie absurdly far from the others of their column: {columns}"
            )
        })
    }
}

impl View {
    /// The columns of numbers, each with its place among the columns of the data.
    pub(super) fn number_columns(&self) -> impl Iterator<Item = (usize, &Number)> {
        let mut start = 0;
        self.parts().iter().flat_map(move |part| {
            let first = start;
            start += part.columns();
            let columns = if let Part::Numbers(numbers) = part { numbers.columns.as_slice() } else { &[] };
            columns.iter().enumerate().map(move |(j, column)| (first + j, column))
        })
    }

    /// The values of rows that count as unknown, by their columns. All rows are read where there can be any.
    ///
    /// # Errors
    /// Rows that cannot be read.
    pub fn unknown(&self, rows: &dyn RowSource) -> Result<Vec<Unknown>, SourceError> {
        let bounded = self.number_columns().filter_map(|(j, column)| Some((j, column, column.bounds?)));
        self.unknown_among(rows, bounded.collect())
    }

    /// The same of rows whose summary is known: they are read again only if a value of them is beyond the bounds.
    ///
    /// # Errors
    /// Rows that cannot be read.
    pub fn unknown_of(&self, rows: &dyn RowSource, summary: &Summary) -> Result<Vec<Unknown>, SourceError> {
        let reaches = |(j, column): (usize, &'_ Number)| {
            let (least, most) = (*summary.column_min.get(j)?, *summary.column_max.get(j)?);
            let [low, high] = column.bounds?;
            (f64::from(least) < low || f64::from(most) > high).then_some([low, high])
        };
        let bounded = self.number_columns().filter_map(|found| Some((found.0, found.1, reaches(found)?)));
        self.unknown_among(rows, bounded.collect())
    }

    fn unknown_among(
        &self,
        rows: &dyn RowSource,
        bounded: Vec<(usize, &Number, [f64; 2])>,
    ) -> Result<Vec<Unknown>, SourceError> {
        if bounded.is_empty() {
            return Ok(Vec::new());
        }
        let mut bounds = vec![[f64::NEG_INFINITY, f64::INFINITY]; rows.cols()];
        bounded.iter().for_each(|(j, _, both)| bounds[*j] = *both);
        let outside = |j: usize, x: f64| x < bounds[j][0] || x > bounds[j][1];
        let (mut counts, mut stored) = (vec![0_usize; rows.cols()], vec![0_usize; rows.cols()]);
        for_each_block(rows, BLOCK, |_, batch| {
            (0..batch.rows()).for_each(|i| {
                batch.for_each_in_row(i, |j, x| {
                    stored[j] += 1;
                    counts[j] += usize::from(outside(j, f64::from(x)));
                });
            });
            Ok(())
        })?;
        let unknown = bounded.into_iter().map(|(column, number, _)| {
            // The zeros of sparse rows are not stored.
            let zeros = if outside(column, 0.0) { rows.rows() - stored[column] } else { 0 };
            Unknown { column, name: number.name.clone(), count: counts[column] + zeros }
        });
        Ok(unknown.filter(|unknown| unknown.count > 0).collect())
    }

    /// No value of the rows that this is a summary of becomes larger than this in magnitude. A scale that was found in
    /// some of the rows may be far too small for others.
    pub fn largest(&self, summary: &Summary) -> f64 {
        let numbers = self.number_columns().map(|(j, column)| match summary.deviations.get(j) {
            // The deviation of a fine column is that of all rows.
            Some(deviation) if column.is_fine() => {
                column.factor.abs() * deviation * (summary.rows as f64).sqrt()
            }
            _ => {
                // The transform is monotone, so that the ends go farthest.
                let ends = [summary.column_min.get(j), summary.column_max.get(j)];
                ends.into_iter().flatten().map(|x| column.known(*x).abs()).fold(0.0, f64::max)
            }
        });
        let parts = self.parts().iter().map(|part| match part {
            Part::Numbers(_) => 0.0,
            Part::Categories(block) => f64::from(block.factor),
            Part::Directions(vectors) => vectors.length,
            Part::Terms(terms) => terms.length(),
        });
        numbers.chain(parts).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsrMatrix, Dataset, Matrix, StreamKey};

    fn fitted(rows: &Matrix<f32>) -> (View, Summary) {
        let summary = Summary::of(rows).expect("a summary");
        let mut data = Dataset::from(rows.clone());
        data.columns = Some(vec!["age".to_owned(), "income".to_owned()]);
        (View::fit(&data, &summary, None, &mut ()).expect("rows").expect("a view"), summary)
    }

    fn normal(rows: usize, middle: f64) -> Matrix<f32> {
        let mut stream = StreamKey::new(6, "bounds").open();
        Matrix::from_fn(rows, 2, |_, _| (middle + stream.normal()) as f32)
    }

    #[test]
    fn values_that_are_taken_for_unknown_are_counted_by_their_columns() {
        let mut rows = normal(400, 0.0);
        assert_eq!(fitted(&rows).0.unknown(&rows).expect("rows"), []);
        [3, 77, 390].iter().for_each(|&i| rows.row_mut(i)[1] = 1e9);
        let (view, summary) = fitted(&rows);
        let expected = [Unknown { column: 1, name: "income".to_owned(), count: 3 }];
        assert_eq!(view.unknown(&rows).expect("rows"), expected);
        assert_eq!(view.unknown_of(&rows, &summary).expect("rows"), expected);
        let line = Unknown::line(&expected).expect("a line");
        assert!(line.contains("unknown") && line.ends_with("3 values of income"), "{line}");
        assert_eq!(Unknown::line(&[]), None);
    }

    #[test]
    fn zeros_that_are_not_stored_count_too() {
        let view = fitted(&normal(400, 1000.0)).0;
        let mut sparse = CsrMatrix::new(2);
        sparse.push_row([(0, 1000.0)]);
        sparse.push_row([(0, 1000.0), (1, 1001.0)]);
        let found = view.unknown(&sparse).expect("rows");
        assert_eq!(found.iter().map(|u| (u.column, u.count)).collect::<Vec<_>>(), [(1, 1)]);
    }

    #[test]
    fn no_value_becomes_larger_than_the_bound_says() {
        let mut rows = normal(400, 5.0);
        rows.row_mut(7)[0] = 40.0;
        rows.row_mut(8)[1] = 1e30;
        let (view, summary) = fitted(&rows);
        let largest = view.largest(&summary);
        let seen = |(j, x): (usize, f32)| f64::from(view.number_columns().nth(j).expect("one").1.value(x));
        let most = rows.iter_rows().flat_map(|row| row.iter().copied().enumerate());
        let most = most.map(|cell| seen(cell).abs()).fold(0.0, f64::max);
        assert!(largest >= most && largest < 100.0, "{largest} {most}");
    }

    #[test]
    fn a_scale_that_was_found_in_some_rows_may_be_too_small_for_others() {
        // Only every second row is looked at, and there the column hardly varies.
        let mut rows = normal(1 << 17, 0.0);
        for i in 0..rows.rows() {
            rows.row_mut(i)[0] *= if i.is_multiple_of(2) { 1e-12 } else { 1e12 };
        }
        let (mut view, summary) = fitted(&rows);
        if let Part::Numbers(numbers) = &mut view.parts_mut()[0] {
            assert!(numbers.columns[0].bounds.is_some(), "far values are unknown");
            numbers.columns[0].bounds = None;
        }
        assert!(view.largest(&summary) > 1e15);
    }
}

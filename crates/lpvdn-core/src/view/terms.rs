//! Weights of terms, or other sparse counts: projected onto the leading right singular vectors of the training rows
//! (latent semantic analysis), then scaled to one length.
//!
//! Texts of the same topic share few words, so that their rows are nearly orthogonal; in the space of the singular
//! vectors, words that occur together are alike. Counts are first weighed as words of texts are:
//! ln(1 + x) · (ln((1 + n) / (1 + n_j)) + 1), n_j being the rows that have term j.

use serde::{Deserialize, Serialize};

use super::svd::{TruncatedSvd, truncated_svd};
use super::vector::to_length;
use crate::csr::CsrMatrix;
use crate::math;

/// A fitted projection of terms. Its arrays are kept as tensors, not in the header of a model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Terms {
    columns: usize,
    components: usize,
    /// Of every row of the view.
    length: f64,
    /// Whether values are counts, which are weighed first.
    counts: bool,
    /// The share of the squared length of all rows that the components keep.
    explained: f64,
    /// The weight of each term, where values are counts.
    #[serde(skip)]
    weights: Vec<f32>,
    /// A row of components for each term.
    #[serde(skip)]
    vectors: Vec<f32>,
}

impl Terms {
    /// Fits `components` at most to sample rows; `total` of them is what the sample stands for.
    pub(super) fn fit(rows: CsrMatrix<f32>, components: usize, counts: bool) -> Terms {
        let weights = if counts { inverse_frequencies(&rows) } else { Vec::new() };
        let columns = rows.cols();
        let weighed = unit_rows(&rows, &weights);
        drop(rows);
        let TruncatedSvd { vectors, components, explained } = truncated_svd(&weighed, components);
        Terms { columns, components, length: 1.0, counts, explained, weights, vectors }
    }

    /// The same with rows of this length.
    pub(super) fn of_length(self, length: f64) -> Terms {
        Terms { length, ..self }
    }

    pub(super) fn length(&self) -> f64 {
        self.length
    }

    /// The terms.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The components.
    pub fn components(&self) -> usize {
        self.components
    }

    /// The share of the squared length of all rows that the components keep.
    pub fn explained(&self) -> f64 {
        self.explained
    }

    /// Whether values are counts, which are weighed first.
    pub fn of_counts(&self) -> bool {
        self.counts
    }

    /// The weight of each term, where values are counts, and the components of each: what a file keeps as arrays.
    pub fn arrays(&self) -> (&[f32], &[f32]) {
        (&self.weights, &self.vectors)
    }

    /// How many numbers these arrays have.
    pub fn array_sizes(&self) -> (usize, Option<usize>) {
        (if self.counts { self.columns } else { 0 }, self.columns.checked_mul(self.components))
    }

    /// Completes a view that was read without its arrays.
    pub fn set_arrays(&mut self, weights: Vec<f32>, vectors: Vec<f32>) {
        (self.weights, self.vectors) = (weights, vectors);
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let (weights, vectors) = self.array_sizes();
        if self.weights.len() != weights || Some(self.vectors.len()) != vectors {
            return Err("the components of the terms do not fit their number".to_owned());
        }
        let finite = self.weights.iter().chain(&self.vectors).all(|x| x.is_finite());
        let lengths = self.length.is_finite() && self.explained.is_finite();
        if finite && lengths { Ok(()) } else { Err("the view has a number that is not finite".to_owned()) }
    }

    /// The row with these entries. A row without known terms stays zero.
    pub(super) fn apply(&self, entries: impl Iterator<Item = (usize, f32)>, out: &mut [f32]) {
        out.fill(0.0);
        for (term, x) in entries {
            let x = weighed(x, term, &self.weights);
            let vector = &self.vectors[term * self.components..][..self.components];
            out.iter_mut().zip(vector).for_each(|(out, v)| *out += x * v);
        }
        to_length(out, self.length);
    }

    /// The terms that such a row would have: what is negative is none.
    pub(super) fn invert(&self, seen: &[f32], out: &mut [f64]) {
        for (term, out) in out.iter_mut().enumerate() {
            let vector = &self.vectors[term * self.components..][..self.components];
            let x: f32 = vector.iter().zip(seen).map(|(v, z)| v * z).sum();
            let weight = self.weights.get(term).copied().unwrap_or(1.0);
            *out = (f64::from(x) / (self.length * f64::from(weight))).max(0.0);
        }
    }
}

/// What an entry counts.
fn weighed(x: f32, term: usize, weights: &[f32]) -> f32 {
    match weights.get(term) {
        Some(weight) => (math::ln(1.0 + f64::from(x.max(0.0))) as f32) * weight,
        None => x,
    }
}

/// ln((1 + n) / (1 + n_j)) + 1 of each term j.
fn inverse_frequencies(rows: &CsrMatrix<f32>) -> Vec<f32> {
    let mut having = vec![0_usize; rows.cols()];
    for i in 0..rows.rows() {
        let (columns, values) = rows.row(i);
        columns.iter().zip(values).filter(|(_, x)| **x != 0.0).for_each(|(j, _)| having[*j as usize] += 1);
    }
    let n = rows.rows() as f64;
    having.iter().map(|&n_j| (math::ln((1.0 + n) / (1.0 + n_j as f64)) + 1.0) as f32).collect()
}

/// The rows, weighed, each of length 1: a long text counts no more than a short one.
fn unit_rows(rows: &CsrMatrix<f32>, weights: &[f32]) -> CsrMatrix<f32> {
    let mut unit = CsrMatrix::new(rows.cols());
    let mut row: Vec<f32> = Vec::new();
    for i in 0..rows.rows() {
        let (columns, values) = rows.row(i);
        row.clear();
        row.extend(columns.iter().zip(values).map(|(j, x)| weighed(*x, *j as usize, weights)));
        to_length(&mut row, 1.0);
        unit.push_row(columns.iter().copied().zip(row.iter().copied()));
    }
    unit
}

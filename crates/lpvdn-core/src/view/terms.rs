//! Weights of terms, or other sparse counts: projected onto the leading right singular vectors of the training rows
//! (latent semantic analysis), then scaled to one length.
//!
//! Texts of the same topic share few words, so that their rows are nearly orthogonal; in the space of the singular
//! vectors, words that occur together are alike. Counts are first weighed as words of texts are:
//! ln(1 + x) · (ln((1 + n) / (1 + n_j)) + 1), n_j being the rows that have term j.

use serde::{Deserialize, Serialize};

use super::asked::Asked;
use super::sample::Entries;
use super::svd::{TruncatedSvd, truncated_svd};
use super::vector::to_length;
use super::watch::Watch;
use crate::csr::CsrMatrix;
use crate::math;
use crate::subspace::Stopped;

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
    /// How many terms are known, where not all columns occurred in the rows that this was fitted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    known: Option<usize>,
    /// What was asked for.
    #[serde(default, skip_serializing_if = "Asked::is_nothing")]
    asked: Asked,
    /// The columns of the known terms, where these are not all.
    #[serde(skip)]
    places: Vec<u32>,
    /// The weight of each known term, where values are counts.
    #[serde(skip)]
    weights: Vec<f32>,
    /// A row of components for each known term.
    #[serde(skip)]
    vectors: Vec<f32>,
}

/// What a file keeps of terms as arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TermArrays<'a> {
    /// The columns of the known terms; none where all are known.
    pub places: &'a [u32],
    /// Their weights, where values are counts.
    pub weights: &'a [f32],
    /// Their components.
    pub vectors: &'a [f32],
}

impl Terms {
    /// Fits `components` at most to sample rows.
    pub(super) fn fit(
        entries: Entries,
        components: usize,
        counts: bool,
        watch: &mut dyn Watch,
    ) -> Result<Terms, Stopped> {
        let Entries { rows, places, columns } = entries;
        let weights = if counts { inverse_frequencies(&rows) } else { Vec::new() };
        let weighed = unit_rows(&rows, &weights);
        drop(rows);
        let TruncatedSvd { vectors, components, explained } = truncated_svd(&weighed, components, watch)?;
        let all = places.len() == columns;
        Ok(Terms {
            columns,
            components,
            length: 1.0,
            counts,
            explained,
            known: (!all).then_some(places.len()),
            asked: Asked::default(),
            places: if all { Vec::new() } else { places },
            weights,
            vectors,
        })
    }

    /// The same, and what was asked for.
    pub(super) fn asked_for(self, asked: Asked) -> Terms {
        Terms { asked, ..self }
    }

    pub(super) fn asked(&self) -> Asked {
        self.asked
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

    /// How many terms are known: the columns that occurred in the rows that this was fitted to. Others have no weight.
    pub fn known(&self) -> usize {
        self.known.unwrap_or(self.columns)
    }

    /// Whether some columns did not occur.
    pub fn has_unknown(&self) -> bool {
        self.known.is_some()
    }

    /// What a file keeps as arrays.
    pub fn arrays(&self) -> TermArrays<'_> {
        TermArrays { places: &self.places, weights: &self.weights, vectors: &self.vectors }
    }

    /// Completes a view that was read without its arrays.
    pub fn set_arrays(&mut self, places: Vec<u32>, weights: Vec<f32>, vectors: Vec<f32>) {
        (self.places, self.weights, self.vectors) = (places, weights, vectors);
    }

    pub(super) fn memory(&self) -> usize {
        let TermArrays { places, weights, vectors } = self.arrays();
        size_of_val(places) + size_of_val(weights) + size_of_val(vectors)
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let known = self.known();
        let weights = if self.counts { known } else { 0 };
        if self.weights.len() != weights || Some(self.vectors.len()) != known.checked_mul(self.components) {
            return Err("the components of the terms do not fit their number".to_owned());
        }
        let rising = self.places.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = self.places.last().is_none_or(|&last| (last as usize) < self.columns);
        if self.places.len() != self.known.unwrap_or(0) || !rising || !inside {
            return Err("the known terms are not among the columns".to_owned());
        }
        let finite = self.weights.iter().chain(&self.vectors).all(|x| x.is_finite());
        let lengths = self.length.is_finite() && self.explained.is_finite() && self.asked.is_finite();
        if finite && lengths { Ok(()) } else { Err("the view has a number that is not finite".to_owned()) }
    }

    /// The place of a column among the known terms.
    fn place(&self, column: usize) -> Option<usize> {
        match self.known {
            None => Some(column),
            Some(_) => self.places.binary_search(&(column as u32)).ok(),
        }
    }

    /// The row with these entries. A row without known terms stays zero.
    pub(super) fn apply(&self, entries: impl Iterator<Item = (usize, f32)>, out: &mut [f32]) {
        out.fill(0.0);
        for (column, x) in entries {
            // What is no number is reported, even where it has no weight.
            if !x.is_finite() {
                out.fill(f32::NAN);
                return;
            }
            let Some(term) = self.place(column) else { continue };
            let x = weighed(x, term, &self.weights);
            let vector = &self.vectors[term * self.components..][..self.components];
            out.iter_mut().zip(vector).for_each(|(out, v)| *out += x * v);
        }
        to_length(out, self.length);
    }

    /// The terms that such a row would have: what is negative is none.
    pub(super) fn invert(&self, seen: &[f32], out: &mut [f64]) {
        out.fill(0.0);
        for term in 0..self.known() {
            let column = self.places.get(term).map_or(term, |place| *place as usize);
            let vector = &self.vectors[term * self.components..][..self.components];
            let x: f32 = vector.iter().zip(seen).map(|(v, z)| v * z).sum();
            let weight = self.weights.get(term).copied().unwrap_or(1.0);
            out[column] = (f64::from(x) / (self.length * f64::from(weight))).max(0.0);
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
    unit.reserve(rows.rows(), rows.entries());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of ten terms, which stand among 3 million columns or next to each other.
    fn fitted(apart: bool, counts: bool) -> (Terms, Vec<u32>) {
        let place = |term: usize| if apart { 300_000 * term as u32 + 17 } else { term as u32 };
        let places: Vec<u32> = (0..10).map(place).collect();
        let mut rows = CsrMatrix::new(10);
        for i in 0..60_u32 {
            rows.push_row((0..10).filter(|j| (i + j) % 3 != 0).map(|j| (j, (1 + (i * j) % 4) as f32)));
        }
        let columns = if apart { 3_000_000 } else { 10 };
        let entries = Entries { rows, places: places.clone(), columns };
        (Terms::fit(entries, 4, counts, &mut ()).expect("nobody stops it"), places)
    }

    #[test]
    fn only_columns_that_occur_have_components() {
        for counts in [false, true] {
            let ((all, _), (some, places)) = (fitted(false, counts), fitted(true, counts));
            assert_eq!((all.has_unknown(), some.has_unknown(), some.known()), (false, true, 10));
            assert_eq!((all.check(), some.check()), (Ok(()), Ok(())));
            assert!(some.memory() < 10 * 6 * 4 + 1, "{}", some.memory());
            let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
            all.apply([(2, 1.0), (7, 3.0)].into_iter(), &mut a);
            let entries = [(5, 9.0), (places[2] as usize, 1.0), (places[7] as usize, 3.0), (2_999_999, 1.0)];
            some.apply(entries.into_iter(), &mut b);
            assert_eq!(a, b, "unknown terms have no weight");
            let mut row = vec![0.0; 3_000_000];
            some.invert(&b, &mut row);
            assert!(row.iter().enumerate().all(|(j, x)| *x == 0.0 || places.contains(&(j as u32))));
            assert!(row[places[7] as usize] > 0.0);
        }
    }

    #[test]
    fn what_is_no_number_is_reported_among_known_and_unknown_terms_and_counts() {
        for (column, counts) in [(5, false), (17, false), (5, true), (17, true)] {
            let mut out = [0.0; 4];
            fitted(true, counts).0.apply([(column, f32::NAN)].into_iter(), &mut out);
            assert!(out.iter().all(|x| x.is_nan()), "{column} {counts}");
        }
    }

    #[test]
    fn places_that_are_no_columns_are_refused() {
        let (terms, places) = fitted(true, false);
        let vectors = terms.arrays().vectors.to_vec();
        let with = |places: Vec<u32>| {
            let mut terms = terms.clone();
            terms.set_arrays(places, Vec::new(), vectors.clone());
            terms.check()
        };
        assert_eq!(with(places.clone()), Ok(()));
        let changed = |at: usize, place: u32| {
            let mut places = places.clone();
            places[at] = place;
            with(places)
        };
        assert!(changed(9, 3_000_000).is_err() && changed(3, places[2]).is_err());
        assert!(with(places[..9].to_vec()).is_err() && with(Vec::new()).is_err());
    }
}

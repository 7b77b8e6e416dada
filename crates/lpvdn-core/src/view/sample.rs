//! The rows that a view is fitted to.

use crate::csr::CsrMatrix;
use crate::source::{Batch, RowSource, SourceError};

/// Rows of a sample, at most and at least.
const MOST: usize = 1 << 16;
const LEAST: usize = 1 << 8;
/// Values of a sample of more rows than the least.
const VALUES: usize = 1 << 25;

/// Rows from everywhere in the data, at equal distances: all of them where there are few.
pub(super) struct Sample(Batch);

impl Sample {
    /// How many rows it has.
    pub(super) fn size(source: &dyn RowSource) -> usize {
        (VALUES / source.row_values().max(1)).clamp(LEAST, MOST).min(source.rows())
    }

    pub(super) fn of(source: &dyn RowSource) -> Result<Sample, SourceError> {
        let (rows, most) = (source.rows(), Sample::size(source));
        let places: Vec<u32> = (0..most).map(|i| (i as u64 * rows as u64 / most as u64) as u32).collect();
        let mut batch = Batch::for_source(source);
        source.gather(&places, &mut batch)?;
        Ok(Sample(batch))
    }

    pub(super) fn rows(&self) -> usize {
        self.0.rows()
    }

    /// The values of a column.
    pub(super) fn column(&self, j: usize) -> Vec<f32> {
        match &self.0 {
            Batch::Dense(rows) => rows.iter_rows().map(|row| row[j]).collect(),
            Batch::Sparse(rows) => (0..rows.rows()).map(|i| entry(rows.row(i), j)).collect(),
        }
    }

    /// Whether a value of the columns from `start` to `end` is negative.
    pub(super) fn has_negatives(&self, start: usize, end: usize) -> bool {
        let mut found = false;
        for i in 0..self.rows() {
            self.0.for_each_in_row(i, |j, x| found |= x < 0.0 && (start..end).contains(&j));
        }
        found
    }

    /// The length of each row, of the columns from `start` to `end`.
    pub(super) fn lengths(&self, start: usize, end: usize) -> Vec<f64> {
        let length = |i: usize| {
            let mut squares = 0.0;
            self.0.for_each_in_row(i, |j, x| {
                squares += if (start..end).contains(&j) { f64::from(x).powi(2) } else { 0.0 };
            });
            squares.sqrt()
        };
        (0..self.rows()).map(length).collect()
    }

    /// The columns from `start` to `end` as sparse rows.
    pub(super) fn entries(&self, start: usize, end: usize) -> Entries {
        let wanted = |j: usize, x: f32| (start..end).contains(&j) && x != 0.0;
        let (mut terms, mut count) = (vec![None; end - start], 0);
        for i in 0..self.rows() {
            self.0.for_each_in_row(i, |j, x| {
                if wanted(j, x) {
                    terms[j - start] = Some(0);
                    count += 1;
                }
            });
        }
        let mut places = Vec::new();
        for (place, term) in terms.iter_mut().enumerate().filter(|(_, term)| term.is_some()) {
            *term = Some(places.len() as u32);
            places.push(place as u32);
        }
        let mut rows = CsrMatrix::new(places.len());
        rows.reserve(self.rows(), count);
        for i in 0..self.rows() {
            let mut row = Vec::new();
            self.0.for_each_in_row(i, |j, x| {
                if wanted(j, x) {
                    row.extend(terms[j - start].map(|term| (term, x)));
                }
            });
            rows.push_row(row);
        }
        Entries { rows, places, columns: end - start }
    }
}

/// Sparse rows of the columns that occur in them.
pub(super) struct Entries {
    pub(super) rows: CsrMatrix<f32>,
    /// Which columns these are, in their order.
    pub(super) places: Vec<u32>,
    /// How many columns there are, with those that do not occur.
    pub(super) columns: usize,
}

fn entry((columns, values): (&[u32], &[f32]), j: usize) -> f32 {
    columns.binary_search(&(j as u32)).map_or(0.0, |place| values[place])
}

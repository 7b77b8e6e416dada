//! One pass over the data: what it contains and whether a model can use it.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::source::{RowSource, SourceError, for_each_block};

/// Rows read at a time.
const BLOCK: usize = 1024;

/// What one pass over the rows found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The smallest value.
    pub min: f32,
    /// The largest value.
    pub max: f32,
    /// The share of cells that are exactly zero.
    pub zeros: f64,
    /// Whether every value is a whole number.
    pub whole_numbers: bool,
    /// Whether all rows are equal.
    pub all_rows_equal: bool,
    /// The first cell, as (row, column, value), that is infinite or not a number.
    pub non_finite: Option<(usize, usize, String)>,
    /// The mean of each column.
    pub means: Vec<f64>,
    /// The standard deviation of each column.
    pub deviations: Vec<f64>,
    /// The largest value of each column.
    pub column_max: Vec<f32>,
    /// The mean of the squared length of a row.
    pub mean_squared_norm: f64,
    /// A hash of shape and values: two data sets with the same fingerprint are the same.
    pub fingerprint: u64,
}

/// Per-column running sums (Welford's update would be slower and is not needed: sums of squares are
/// taken around the first row, which removes the cancellation that matters).
struct Columns {
    shift: Vec<f64>,
    sum: Vec<f64>,
    squares: Vec<f64>,
    stored: Vec<u64>,
    max: Vec<f32>,
}

impl Columns {
    /// The means and the standard deviations of `n` rows. They take the place of the sums: there may be
    /// millions of columns.
    fn moments(&mut self, n: f64) -> (Vec<f64>, Vec<f64>) {
        let (mut means, mut deviations) =
            (std::mem::take(&mut self.shift), std::mem::take(&mut self.squares));
        for ((mean, deviation), sum) in means.iter_mut().zip(&mut deviations).zip(&self.sum) {
            *mean += sum / n;
            *deviation = (*deviation / n - (sum / n).powi(2)).max(0.0).sqrt();
        }
        (means, deviations)
    }
}

impl Summary {
    /// Reads all rows of `source` once.
    pub fn of(source: &dyn RowSource) -> Result<Summary, SourceError> {
        let (rows, cols) = (source.rows(), source.cols());
        let mut columns = Columns {
            shift: vec![0.0; cols],
            sum: vec![0.0; cols],
            squares: vec![0.0; cols],
            stored: vec![0; cols],
            max: vec![f32::NEG_INFINITY; cols],
        };
        let mut hash = Xxh3::new();
        hash.update(&(rows as u64).to_le_bytes());
        hash.update(&(cols as u64).to_le_bytes());
        let (mut min, mut max) = (f32::INFINITY, f32::NEG_INFINITY);
        let (mut zeros, mut norm) = (0_u64, 0.0_f64);
        let mut whole_numbers = true;
        let mut non_finite = None;
        let mut first_row: Vec<(usize, f32)> = Vec::new();
        let mut all_rows_equal = true;
        let mut row = Vec::new();
        for_each_block(source, BLOCK, |start, batch| {
            for i in 0..batch.rows() {
                row.clear();
                batch.for_each_in_row(i, |j, v| row.push((j, v)));
                if start + i == 0 {
                    if !source.is_sparse() {
                        row.iter()
                            .filter(|(_, v)| v.is_finite())
                            .for_each(|&(j, v)| columns.shift[j] = f64::from(v));
                    }
                    first_row.clone_from(&row);
                }
                all_rows_equal &= row == first_row;
                zeros += (cols - row.len()) as u64;
                for &(j, v) in &row {
                    // Position and value: a sparse row's hash must know where its values stand.
                    if source.is_sparse() {
                        hash.update(&(j as u32).to_le_bytes());
                    }
                    hash.update(&v.to_le_bytes());
                    if !v.is_finite() {
                        non_finite.get_or_insert((start + i, j, v.to_string()));
                        continue;
                    }
                    min = min.min(v);
                    max = max.max(v);
                    zeros += u64::from(v == 0.0);
                    whole_numbers &= v == v.trunc();
                    let wide = f64::from(v);
                    norm += wide * wide;
                    let d = wide - columns.shift[j];
                    columns.sum[j] += d;
                    columns.squares[j] += d * d;
                    columns.stored[j] += 1;
                    columns.max[j] = columns.max[j].max(v);
                }
                if source.is_sparse() {
                    hash.update(&u32::MAX.to_le_bytes());
                }
            }
            Ok(())
        })?;
        if source.is_sparse() && columns.stored.iter().any(|&s| s < rows as u64) {
            (min, max) = (min.min(0.0), max.max(0.0));
            columns.max.iter_mut().for_each(|m| *m = m.max(0.0));
        }
        let n = rows.max(1) as f64;
        let (means, deviations) = columns.moments(n);
        Ok(Summary {
            rows,
            cols,
            min,
            max,
            zeros: zeros as f64 / (rows.max(1) * cols.max(1)) as f64,
            whole_numbers,
            all_rows_equal,
            non_finite,
            means,
            deviations,
            column_max: columns.max,
            mean_squared_norm: norm / n,
            fingerprint: hash.digest(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsrMatrix, Matrix};

    #[test]
    fn dense_and_sparse_rows_are_summarised_alike() {
        let dense = Matrix::from_vec(vec![0.0, 2.0, 0.0, 4.0, 1.0, 0.0, 0.0, 6.0], 4, 2);
        let a = Summary::of(&dense).expect("a summary");
        let b = Summary::of(&CsrMatrix::from_dense(&dense)).expect("a summary");
        assert_eq!((a.min, a.max, a.zeros, a.whole_numbers), (0.0, 6.0, 0.5, true));
        assert_eq!(a.means, [0.25, 3.0]);
        assert!((a.deviations[1] - 5.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(Summary { fingerprint: 0, ..a }, Summary { fingerprint: 0, ..b });
    }

    #[test]
    fn the_first_non_finite_cell_is_named() {
        let mut m = Matrix::<f32>::zeros(3000, 2);
        m.row_mut(2100)[1] = f32::NAN;
        m.row_mut(2200)[0] = f32::INFINITY;
        let s = Summary::of(&m).expect("a summary");
        assert_eq!(s.non_finite, Some((2100, 1, "NaN".into())));
    }

    #[test]
    fn the_fingerprint_follows_every_value_and_the_shape() {
        let of = |values: Vec<f32>, rows, cols| {
            Summary::of(&Matrix::from_vec(values, rows, cols)).expect("a summary").fingerprint
        };
        let base = of(vec![1.0, 2.0, 3.0, 4.0], 2, 2);
        assert_eq!(base, of(vec![1.0, 2.0, 3.0, 4.0], 2, 2));
        assert_ne!(base, of(vec![1.0, 2.0, 3.0, 4.5], 2, 2));
        assert_ne!(base, of(vec![1.0, 2.0, 3.0, 4.0], 4, 1));
    }

    #[test]
    fn equal_rows_are_noticed() {
        let same = Matrix::from_fn(5, 3, |_, j| j as f32);
        assert!(Summary::of(&same).expect("a summary").all_rows_equal);
        let other = Matrix::from_fn(5, 3, |i, j| if i == 4 { 9.0 } else { j as f32 });
        assert!(!Summary::of(&other).expect("a summary").all_rows_equal);
    }
}

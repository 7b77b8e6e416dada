//! What every algorithm asks of its rows, and column moments.

use lpvdn_core::Matrix;
use rayon::prelude::*;

use crate::rows::PointRows;

/// The largest value accepted. Squared, and summed over a million columns, it still is an `f32`.
pub const LARGEST: f32 = 1e15;
/// Rows of a chunk in passes over all the data.
pub(crate) const CHUNK: usize = 1024;

/// The rows cannot be clustered.
///
/// ```
/// use lpvdn_cluster::{InputError, KMeans, k_means::KMeansError};
/// use lpvdn_core::Matrix;
/// let rows = Matrix::from_vec(vec![0.0, 1.0, f32::NAN, 3.0], 2, 2);
/// let error = KMeans::params(2).fit(&rows).unwrap_err();
/// assert!(matches!(error, KMeansError::Input(InputError::NonFinite { row: 1, column: 0, .. })));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// There are no rows.
    #[error("there are no rows")]
    NoRows,
    /// The rows have no columns.
    #[error("the rows have no columns")]
    NoColumns,
    /// More rows than a label or an index can number.
    #[error("{rows} rows, at most {} are possible", u32::MAX - 1)]
    TooManyRows {
        /// The rows given.
        rows: usize,
    },
    /// A value is infinite or not a number.
    #[error("row {row}, column {column} is {value}, expected a finite number")]
    NonFinite {
        /// The row, counted from 0.
        row: usize,
        /// The column, counted from 0.
        column: usize,
        /// The value.
        value: f32,
    },
    /// A value is so large that squared distances would overflow.
    #[error(
        "row {row}, column {column} is {value}, expected at most {LARGEST:e} in magnitude: scale the data"
    )]
    TooLarge {
        /// The row, counted from 0.
        row: usize,
        /// The column, counted from 0.
        column: usize,
        /// The value.
        value: f32,
    },
    /// The rows have another number of columns than the model.
    #[error("the rows have {found} columns, the model has {expected}")]
    Columns {
        /// The columns of the model.
        expected: usize,
        /// The columns of the rows.
        found: usize,
    },
}

/// Checks that there are rows and that all values can be worked with.
pub(crate) fn check_rows(data: &impl PointRows) -> Result<(), InputError> {
    if data.rows() == 0 {
        return Err(InputError::NoRows);
    }
    if data.cols() == 0 {
        return Err(InputError::NoColumns);
    }
    data.check_values()
}

/// Checks values and the number of columns; no rows at all are fine.
pub(crate) fn check_columns(data: &impl PointRows, expected: usize) -> Result<(), InputError> {
    if data.cols() != expected {
        return Err(InputError::Columns { expected, found: data.cols() });
    }
    data.check_values()
}

/// Finite and not too large: a comparison with NaN is false.
pub(crate) fn usable(x: f32) -> bool {
    x.abs() <= LARGEST
}

pub(crate) fn check_values(data: &Matrix<f32>) -> Result<(), InputError> {
    if data.rows() >= u32::MAX as usize {
        return Err(InputError::TooManyRows { rows: data.rows() });
    }
    // Without an early exit inside a chunk, the test vectorises.
    let bad_chunk = data
        .as_slice()
        .par_chunks(1 << 16)
        .position_first(|chunk| !chunk.iter().fold(true, |good, &x| good & usable(x)));
    let Some(chunk) = bad_chunk else { return Ok(()) };
    let first = chunk << 16;
    let offset = data.as_slice()[first..].iter().position(|&x| !usable(x)).unwrap_or(0);
    let cell = first + offset;
    let (row, column, value) = (cell / data.cols(), cell % data.cols(), data.as_slice()[cell]);
    Err(unusable(row, column, value))
}

/// What is wrong with a value that is not [`usable`].
pub(crate) fn unusable(row: usize, column: usize, value: f32) -> InputError {
    if value.is_finite() {
        InputError::TooLarge { row, column, value }
    } else {
        InputError::NonFinite { row, column, value }
    }
}

/// The ranges of rows of a pass in `chunk` rows at a time.
pub(crate) fn chunks(
    rows: usize,
    chunk: usize,
) -> impl IndexedParallelIterator<Item = std::ops::Range<usize>> {
    (0..rows.div_ceil(chunk)).into_par_iter().map(move |c| c * chunk..((c + 1) * chunk).min(rows))
}

/// Adds `parts` in their order, cell by cell.
pub(crate) fn add_in_order(parts: Vec<Vec<f64>>) -> Vec<f64> {
    let mut parts = parts.into_iter();
    let mut total = parts.next().unwrap_or_default();
    for part in parts {
        total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
    }
    total
}

/// The mean of each column.
pub(crate) fn column_means(data: &Matrix<f32>) -> Vec<f64> {
    let parts = chunks(data.rows(), CHUNK).map(|rows| {
        let mut sum = vec![0.0; data.cols()];
        for i in rows {
            sum.iter_mut().zip(data.row(i)).for_each(|(s, &x)| *s += f64::from(x));
        }
        sum
    });
    let mut means = add_in_order(parts.collect());
    means.iter_mut().for_each(|m| *m /= data.rows() as f64);
    means
}

/// The mean over all columns of their variances.
pub(crate) fn mean_variance(data: &Matrix<f32>) -> f64 {
    let means = column_means(data);
    let parts = chunks(data.rows(), CHUNK).map(|rows| {
        let mut sum = vec![0.0; data.cols()];
        for i in rows {
            for ((s, &x), m) in sum.iter_mut().zip(data.row(i)).zip(&means) {
                *s += (f64::from(x) - m) * (f64::from(x) - m);
            }
        }
        sum
    });
    add_in_order(parts.collect()).iter().sum::<f64>() / (data.rows() * data.cols()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bad_cell_is_named_wherever_it_stands() {
        let mut m = Matrix::<f32>::zeros(30_000, 7);
        assert_eq!(check_rows(&m), Ok(()));
        m.row_mut(29_999)[6] = f32::INFINITY;
        let infinite = InputError::NonFinite { row: 29_999, column: 6, value: f32::INFINITY };
        assert_eq!(check_rows(&m), Err(infinite));
        m.row_mut(12_345)[2] = -2e15;
        assert_eq!(check_rows(&m), Err(InputError::TooLarge { row: 12_345, column: 2, value: -2e15 }));
    }

    #[test]
    fn moments_do_not_lose_a_small_variance_on_a_large_mean() {
        let m = Matrix::from_fn(5000, 2, |i, j| if j == 0 { 1e6 + (i % 2) as f32 } else { 3.0 });
        assert!((column_means(&m)[0] - 1_000_000.5).abs() < 1e-9);
        assert!((mean_variance(&m) - 0.125).abs() < 1e-12);
    }
}

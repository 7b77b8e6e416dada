//! Rows that K-means can cluster: dense ones, and sparse ones without ever making them dense.

use std::ops::Range;

use lpvdn_core::{CsrMatrix, Matrix};

use crate::InputError;
use crate::distance::{LANES, Points};
use crate::input;

/// Rows of numbers, dense or sparse. Implemented for [`Matrix`] and [`CsrMatrix`] of `f32`.
pub trait PointRows: Sync + private::Sealed {
    /// The number of rows.
    fn rows(&self) -> usize;
    /// The number of columns.
    fn cols(&self) -> usize;
    /// Writes row `i`.
    fn copy_row(&self, i: usize, out: &mut [f32]);
}

pub(crate) mod private {
    use super::{InputError, Points, Range};

    /// What the algorithms need beyond what callers do.
    pub trait Sealed {
        /// Whether all values can be worked with.
        fn check_values(&self) -> Result<(), InputError>;
        /// Writes the squared distances from rows `indices` to all points; a row of them is
        /// [`Points::stride`] long. The bits of a distance do not depend on the other rows.
        fn distances_to(&self, points: &Points, indices: &[u32], out: &mut Vec<f32>);
        /// Adds `sign` times the columns `columns` of row `i` to `sums`.
        fn add_to(&self, i: usize, sign: f64, columns: Range<usize>, sums: &mut [f64]);
        /// The mean over all columns of their variances.
        fn mean_variance(&self) -> f64;
    }
}

pub(crate) use private::Sealed;

impl PointRows for Matrix<f32> {
    fn rows(&self) -> usize {
        Matrix::rows(self)
    }
    fn cols(&self) -> usize {
        Matrix::cols(self)
    }
    fn copy_row(&self, i: usize, out: &mut [f32]) {
        out.copy_from_slice(self.row(i));
    }
}

impl Sealed for Matrix<f32> {
    fn check_values(&self) -> Result<(), InputError> {
        input::check_values(self)
    }
    fn distances_to(&self, points: &Points, indices: &[u32], out: &mut Vec<f32>) {
        points.distances(self, indices, out);
    }
    fn add_to(&self, i: usize, sign: f64, columns: Range<usize>, sums: &mut [f64]) {
        sums.iter_mut().zip(&self.row(i)[columns]).for_each(|(s, &x)| *s += sign * f64::from(x));
    }
    fn mean_variance(&self) -> f64 {
        input::mean_variance(self)
    }
}

impl PointRows for CsrMatrix<f32> {
    fn rows(&self) -> usize {
        CsrMatrix::rows(self)
    }
    fn cols(&self) -> usize {
        CsrMatrix::cols(self)
    }
    fn copy_row(&self, i: usize, out: &mut [f32]) {
        out.fill(0.0);
        let (columns, values) = self.row(i);
        columns.iter().zip(values).for_each(|(&j, &v)| out[j as usize] = v);
    }
}

impl Sealed for CsrMatrix<f32> {
    fn check_values(&self) -> Result<(), InputError> {
        if CsrMatrix::rows(self) >= u32::MAX as usize {
            return Err(InputError::TooManyRows { rows: CsrMatrix::rows(self) });
        }
        let usable = self.values().iter().all(|&v| input::usable(v));
        let cells = || (0..CsrMatrix::rows(self)).flat_map(|i| cells_of(self, i));
        match cells().find(|&(_, _, value)| !usable && !input::usable(value)) {
            None => Ok(()),
            Some((row, column, value)) => Err(input::unusable(row, column, value)),
        }
    }

    /// $\|x-c\|^2 = \|c\|^2 + \sum_{x_j \ne 0} ((x_j - c_j)^2 - c_j^2)$, in double precision, in which the
    /// difference of large sums keeps its digits.
    fn distances_to(&self, points: &Points, indices: &[u32], out: &mut Vec<f32>) {
        let stride = points.stride();
        out.resize(indices.len() * stride, 0.0);
        for (&i, out) in indices.iter().zip(out.chunks_exact_mut(stride.max(1))) {
            let (columns, values) = self.row(i as usize);
            for (p, out) in out.chunks_exact_mut(LANES).enumerate() {
                let mut sums = *points.squares(p);
                for (&j, &x) in columns.iter().zip(values) {
                    for (sum, &c) in sums.iter_mut().zip(points.column(p, j as usize)) {
                        let (x, c) = (f64::from(x), f64::from(c));
                        *sum += (x - c) * (x - c) - c * c;
                    }
                }
                out.iter_mut().zip(sums).for_each(|(o, s)| *o = s.max(0.0) as f32);
            }
        }
    }

    fn add_to(&self, i: usize, sign: f64, columns: Range<usize>, sums: &mut [f64]) {
        let (places, values) = self.row(i);
        let first = places.partition_point(|&j| (j as usize) < columns.start);
        let inside = places[first..].iter().zip(&values[first..]);
        let inside = inside.take_while(|(j, _)| (**j as usize) < columns.end);
        inside.for_each(|(&j, &v)| sums[j as usize - columns.start] += sign * f64::from(v));
    }

    fn mean_variance(&self) -> f64 {
        let (rows, cols) = (CsrMatrix::rows(self), CsrMatrix::cols(self));
        let (mut first, mut second) = (vec![0.0; cols], vec![0.0; cols]);
        for (_, j, value) in (0..rows).flat_map(|i| cells_of(self, i)) {
            let value = f64::from(value);
            first[j] += value;
            second[j] += value * value;
        }
        let n = rows as f64;
        let variances = first.iter().zip(&second).map(|(s, q)| (q / n - (s / n) * (s / n)).max(0.0));
        variances.sum::<f64>() / cols as f64
    }
}

/// The stored cells of a row, as (row, column, value).
fn cells_of(rows: &CsrMatrix<f32>, i: usize) -> impl Iterator<Item = (usize, usize, f32)> {
    let (columns, values) = rows.row(i);
    columns.iter().zip(values).map(move |(&j, &v)| (i, j as usize, v))
}

//! Rows that K-means can cluster: dense ones, and sparse ones without ever making them dense.

use std::ops::Range;

use lpvdn_core::{CsrMatrix, Matrix};

use crate::InputError;
use crate::distance::{LANES, Points};
use crate::input;

/// Columns of dense rows that one task sums.
const STRIPE: usize = 128;
/// Into so many parts at most the columns of sparse rows are divided.
const SPARSE_STRIPES: usize = 16;
/// The relative rounding of a sum of squares in double precision, with room for millions of columns.
const ROUNDING: f64 = 1e-12;

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
        /// Columns that one task sums: wide rows with few clusters occupy every thread.
        fn stripe(&self) -> usize;
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
    fn stripe(&self) -> usize {
        STRIPE
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
        if self.values().iter().all(|&v| input::usable(v)) {
            return Ok(());
        }
        let mut cells = (0..CsrMatrix::rows(self)).flat_map(|i| cells_of(self, i));
        match cells.find(|&(_, _, value)| !input::usable(value)) {
            None => Ok(()),
            Some((row, column, value)) => Err(input::unusable(row, column, value)),
        }
    }

    /// $\|x-c\|^2 = \sum_{x_j \ne 0} (x_j - c_j)^2 + (\|c\|^2 - \sum_{x_j \ne 0} c_j^2)$: what the centre has where
    /// the row has nothing is the difference of two sums of squares, which never mixes with the first sum. It
    /// is taken for nothing where it is below the rounding of those.
    fn distances_to(&self, points: &Points, indices: &[u32], out: &mut Vec<f32>) {
        let stride = points.stride();
        out.resize(indices.len() * stride, 0.0);
        for (&i, out) in indices.iter().zip(out.chunks_exact_mut(stride.max(1))) {
            let (columns, values) = self.row(i as usize);
            for (p, out) in out.chunks_exact_mut(LANES).enumerate() {
                let (mut there, mut covered) = ([0.0_f64; LANES], [0.0_f64; LANES]);
                for (&j, &x) in columns.iter().zip(values) {
                    for (lane, &c) in points.column(p, j as usize).iter().enumerate() {
                        let (x, c) = (f64::from(x), f64::from(c));
                        there[lane] += (x - c) * (x - c);
                        covered[lane] += c * c;
                    }
                }
                for (lane, out) in out.iter_mut().enumerate() {
                    let all = points.squares(p)[lane];
                    let rest = all - covered[lane];
                    *out = (there[lane] + if rest > ROUNDING * all { rest } else { 0.0 }) as f32;
                }
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

    /// Every stripe searches every row for where it begins.
    fn stripe(&self) -> usize {
        CsrMatrix::cols(self).div_ceil(SPARSE_STRIPES).max(STRIPE)
    }

    fn mean_variance(&self) -> f64 {
        let (rows, cols) = (CsrMatrix::rows(self), CsrMatrix::cols(self));
        let (mut means, mut counts) = (vec![0.0_f64; cols], vec![0_usize; cols]);
        for (_, j, value) in (0..rows).flat_map(|i| cells_of(self, i)) {
            means[j] += f64::from(value) / rows as f64;
            counts[j] += 1;
        }
        // The zeros that are not stored lie as far from the mean as it is large.
        let unstored = means.iter().zip(&counts).map(|(mean, &count)| (rows - count) as f64 * mean * mean);
        let mut sum: f64 = unstored.sum();
        for (_, j, value) in (0..rows).flat_map(|i| cells_of(self, i)) {
            sum += (f64::from(value) - means[j]).powi(2);
        }
        sum / (rows * cols) as f64
    }
}

/// The stored cells of a row, as (row, column, value).
fn cells_of(rows: &CsrMatrix<f32>, i: usize) -> impl Iterator<Item = (usize, usize, f32)> {
    let (columns, values) = rows.row(i);
    columns.iter().zip(values).map(move |(&j, &v)| (i, j as usize, v))
}

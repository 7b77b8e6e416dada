//! The first layer on sparse rows: y = x·W without making x dense.

use lpvdn_core::{CsrMatrix, Matrix, MatrixView, Real, kernel};
use rayon::prelude::*;

/// Rows handled by one task.
const ROWS: usize = 16;
/// Features handled by one task.
const FEATURES: usize = 32;

/// The batch by columns, rebuilt in each backward pass into memory that is kept.
#[derive(Clone, Debug, Default)]
pub struct SparseScratch<T> {
    offsets: Vec<usize>,
    cursor: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<T>,
}

kernel! {
    /// y ← y + a·x
    fn axpy<T>(a: T, x: &[T], y: &mut [T]) {
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = a.fma::<FMA>(x, *y));
    }
}

/// out ← x·weight, then `finish` on each row.
pub(crate) fn forward<T: Real>(
    x: &CsrMatrix<T>,
    weight: &[T],
    out: &mut Matrix<T>,
    add: bool,
    finish: impl Fn(&mut [T]) + Sync,
) {
    let width = out.cols();
    out.as_mut_slice().par_chunks_mut(ROWS * width).enumerate().for_each(|(chunk, rows)| {
        for (i, y) in rows.chunks_mut(width).enumerate() {
            if !add {
                y.fill(T::ZERO);
            }
            let (indices, values) = x.row(chunk * ROWS + i);
            for (&j, &v) in indices.iter().zip(values) {
                axpy(v, &weight[j as usize * width..(j as usize + 1) * width], y);
            }
            finish(y);
        }
    });
}

/// gradient ← xᵀ·dy (or added to it): each feature sums over the rows that have it, in row order, so
/// the result does not depend on the number of threads.
pub(crate) fn weight_gradient<T: Real>(
    x: &CsrMatrix<T>,
    dy: MatrixView<'_, T>,
    gradient: &mut [T],
    add: bool,
    scratch: &mut SparseScratch<T>,
) {
    scratch.transpose(x);
    let width = dy.cols();
    let scratch = &*scratch;
    gradient.par_chunks_mut(FEATURES * width).enumerate().for_each(|(chunk, block)| {
        for (f, out) in block.chunks_mut(width).enumerate() {
            if !add {
                out.fill(T::ZERO);
            }
            let feature = chunk * FEATURES + f;
            for entry in scratch.offsets[feature]..scratch.offsets[feature + 1] {
                axpy(scratch.values[entry], dy.row(scratch.rows[entry] as usize), out);
            }
        }
    });
}

impl<T: Real> SparseScratch<T> {
    /// Counting sort of the entries by column.
    fn transpose(&mut self, x: &CsrMatrix<T>) {
        self.offsets.clear();
        self.offsets.resize(x.cols() + 1, 0);
        for i in 0..x.rows() {
            x.row(i).0.iter().for_each(|&j| self.offsets[j as usize + 1] += 1);
        }
        for j in 0..x.cols() {
            self.offsets[j + 1] += self.offsets[j];
        }
        self.cursor.clone_from(&self.offsets);
        self.rows.resize(x.entries(), 0);
        self.values.resize(x.entries(), T::ZERO);
        for i in 0..x.rows() {
            let (indices, values) = x.row(i);
            for (&j, &v) in indices.iter().zip(values) {
                let place = &mut self.cursor[j as usize];
                self.rows[*place] = i as u32;
                self.values[*place] = v;
                *place += 1;
            }
        }
    }
}

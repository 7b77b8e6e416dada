//! Matrix products with one result on any number of threads.
//!
//! The operands are packed once into panels, in parallel; then the tiles of the output are spread
//! over the threads of the pool. While a tile is still in cache, the caller's `finish` may add a bias
//! or apply an activation to it.
//!
//! An element of the output is always the same chain of multiply-adds: over l from 0 in
//! cuts that follow from the inner dimension, whatever the shape of the matrices, the tile it falls into or the number of threads. So
//! a row of a product has the same bits whichever rows stand beside it.

use std::ops::Range;

use rayon::prelude::*;

use crate::matrix::{MatrixView, MatrixViewMut};
use crate::real::Real;

mod kernel;
#[doc(hidden)]
pub mod pack;

use kernel::{MR, NR, Target};
use pack::Packed;

/// Rows of a tile: 24 panels of the left operand, 288 KiB at most for a cut, stay in the L2 cache.
const TILE_ROWS: usize = 24 * MR;
/// Columns of a tile.
const TILE_COLS: usize = 16 * NR;
/// The longest cut of the inner dimension: one panel of the right operand fills the L1 cache.
const DEPTH: usize = 512;
/// Below this many values, waking another thread costs more than it saves.
const SERIAL: usize = 1 << 14;

/// What happens to the values already in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// They are replaced.
    Replace,
    /// The product is added to them.
    Add,
}

/// A finished tile of the output, handed to `finish` while it is in cache.
#[derive(Debug)]
pub struct Tile<T> {
    rows: Range<usize>,
    cols: Range<usize>,
    first: *mut T,
    stride: usize,
}

impl<T> Tile<T> {
    /// The output rows it covers.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// The output columns it covers.
    pub fn cols(&self) -> Range<usize> {
        self.cols.clone()
    }

    /// The part of output row `i` (counted from the top of the output) that lies in the tile.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        assert!(self.rows.contains(&i));
        // SAFETY: the tile covers these cells of a live, exclusively borrowed output, and no other
        // tile does; `i` was checked.
        unsafe {
            let row = self.first.add((i - self.rows.start) * self.stride);
            std::slice::from_raw_parts_mut(row, self.cols.len())
        }
    }
}

/// `out ← a·b`, or `out ← out + a·b`.
///
/// # Panics
/// When the shapes do not fit together.
pub fn product<T: Real>(out: MatrixViewMut<'_, T>, a: MatrixView<'_, T>, b: MatrixView<'_, T>, store: Store) {
    product_then(out, a, b, store, |_| {});
}

/// Like [`product`], then calls `finish` on each tile.
///
/// # Panics
/// When the shapes do not fit together.
pub fn product_then<T: Real>(
    out: MatrixViewMut<'_, T>,
    a: MatrixView<'_, T>,
    b: MatrixView<'_, T>,
    store: Store,
    finish: impl Fn(&mut Tile<T>) + Sync,
) {
    assert_eq!(a.rows(), out.rows(), "left operand: {} rows for {} output rows", a.rows(), out.rows());
    padded_product(out, a, b, store, finish);
}

/// out ← [a; 1…1]·b: below the product stands the sum of the rows of `b`, which costs next to nothing
/// because the last rows of `a` seldom fill a block.
///
/// # Panics
/// When the shapes do not fit together: `out` has one row more than `a`.
pub fn product_and_sum<T: Real>(out: MatrixViewMut<'_, T>, a: MatrixView<'_, T>, b: MatrixView<'_, T>) {
    assert_eq!(a.rows() + 1, out.rows(), "left operand: {} rows for {} output rows", a.rows(), out.rows());
    padded_product(out, a, b, Store::Replace, |_| {});
}

/// The product of `a`, extended to the rows of `out` by ones, and `b`.
fn padded_product<T: Real>(
    out: MatrixViewMut<'_, T>,
    a: MatrixView<'_, T>,
    b: MatrixView<'_, T>,
    store: Store,
    finish: impl Fn(&mut Tile<T>) + Sync,
) {
    let (m, n, k) = (out.rows(), out.cols(), a.cols());
    assert_eq!(b.cols(), n, "right operand: {} columns for {n} output columns", b.cols());
    assert_eq!(b.rows(), k, "inner dimensions: {k} and {}", b.rows());
    if m == 0 || n == 0 {
        return;
    }
    if store == Store::Replace && k == 0 {
        out.data.fill(T::ZERO);
    }
    let (down, across) = (m.div_ceil(TILE_ROWS), n.div_ceil(TILE_COLS));
    let base = OutputPointer(out.data.as_mut_ptr());
    let packed = Packed::new(a, m, b);
    let one = |t: usize| {
        let rows = whole_panels(m, down, t / across, MR);
        let cols = whole_panels(n, across, t % across, NR);
        // SAFETY: (rows.start, cols.start) lies inside the output.
        let first = unsafe { base.get().add(rows.start * n + cols.start) };
        let mut tile = Tile { rows, cols, first, stride: n };
        multiply_tile(&mut tile, &packed, store);
        finish(&mut tile);
    };
    if m * n * k <= 4 * SERIAL || down * across == 1 {
        (0..down * across).for_each(one);
    } else {
        (0..down * across).into_par_iter().with_max_len(1).for_each(one);
    }
    packed.release();
}

/// The `i`-th of `parts` nearly equal parts of `0..n`.
pub fn part(n: usize, parts: usize, i: usize) -> Range<usize> {
    (n * i / parts)..(n * (i + 1) / parts)
}

/// Like [`part`], cut only between panels of `width`.
fn whole_panels(n: usize, parts: usize, i: usize, width: usize) -> Range<usize> {
    let panels = part(n.div_ceil(width), parts, i);
    (panels.start * width)..(panels.end * width).min(n)
}

/// The `cut`-th stretch of the inner dimension: nearly equal stretches of at most [`DEPTH`], so that
/// where they fall depends on nothing but `k`.
#[inline]
fn part_of_depth(k: usize, cut: usize) -> Range<usize> {
    part(k, k.div_ceil(DEPTH), cut)
}

/// Lets the tiles of one output be written from several threads.
struct OutputPointer<T>(*mut T);
impl<T> OutputPointer<T> {
    fn get(&self) -> *mut T {
        self.0
    }
}
// SAFETY: tiles are disjoint, and each is handled by one thread.
unsafe impl<T: Send> Sync for OutputPointer<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for OutputPointer<T> {}

fn multiply_tile<T: Real>(tile: &mut Tile<T>, packed: &Packed<'_, T>, store: Store) {
    for cut in 0..packed.cuts() {
        let add = cut > 0 || store == Store::Add;
        for j in panels_of(&tile.cols, NR) {
            let column = tile.column(j * NR, add);
            // SAFETY: the column lies inside the tile, which is exclusively ours.
            unsafe { packed.multiply(panels_of(&tile.rows, MR), j, cut, column) };
        }
    }
}

impl<T> Tile<T> {
    /// The cells of the column of blocks that starts at output column `col`.
    fn column(&mut self, col: usize, add: bool) -> Target<T> {
        let right = col - self.cols.start;
        debug_assert!(right < self.cols.len());
        Target {
            // SAFETY: the column lies inside the tile.
            first: unsafe { self.first.add(right) },
            stride: self.stride,
            rows: self.rows.len(),
            cols: NR.min(self.cols.len() - right),
            add,
        }
    }
}

fn panels_of(range: &Range<usize>, width: usize) -> Range<usize> {
    (range.start / width)..range.end.div_ceil(width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::pool::Pool;
    use crate::stream::StreamKey;

    fn random(rows: usize, cols: usize, step: u64) -> Matrix<f32> {
        let mut s = StreamKey::new(1, "product").at(0, 0, step).open();
        Matrix::from_fn(rows, cols, |_, _| s.normal() as f32)
    }

    fn exact(a: MatrixView<'_, f32>, b: MatrixView<'_, f32>) -> Vec<f64> {
        let at = |v: &MatrixView<'_, f32>, i, j| f64::from(v.data[i * v.row_stride + j * v.col_stride]);
        let mut out = Vec::new();
        for i in 0..a.rows() {
            for j in 0..b.cols() {
                out.push((0..a.cols()).map(|l| at(&a, i, l) * at(&b, l, j)).sum());
            }
        }
        out
    }

    #[test]
    fn all_forms_agree_with_plain_sums() {
        for (m, n, k) in [(1, 1, 1), (3, 5, 2), (17, 9, 33), (300, 10, 64), (70, 530, 1100), (513, 257, 3)] {
            let forms = [
                (random(m, k, 1), random(k, n, 2), false, false),
                (random(k, m, 3), random(k, n, 4), true, false),
                (random(m, k, 5), random(n, k, 6), false, true),
            ];
            for (a, b, ta, tb) in &forms {
                let a = if *ta { a.view().t() } else { a.view() };
                let b = if *tb { b.view().t() } else { b.view() };
                let want = exact(a, b);
                let mut out = Matrix::from_fn(m, n, |_, _| 1.0);
                product(out.view_mut(), a, b, Store::Replace);
                let mut added = Matrix::from_fn(m, n, |_, _| 1.0);
                product(added.view_mut(), a, b, Store::Add);
                let bound = 1e-5 * (k as f64).sqrt().max(1.0) * 3.0;
                for (i, want) in want.iter().enumerate() {
                    assert!((f64::from(out.as_slice()[i]) - want).abs() < bound, "{m} {n} {k}");
                    assert!((f64::from(added.as_slice()[i]) - want - 1.0).abs() < bound, "added {m} {n} {k}");
                }
            }
        }
    }

    #[test]
    fn a_row_of_ones_below_the_left_operand_sums_the_right_one() {
        for (m, n, k) in [(1, 1, 1), (6, 5, 3), (17, 33, 900), (784, 20, 40)] {
            for transposed in [false, true] {
                let (a, b) = (if transposed { random(k, m, 1) } else { random(m, k, 1) }, random(k, n, 2));
                let a = if transposed { a.view().t() } else { a.view() };
                let mut out = Matrix::from_fn(m + 1, n, |_, _| f32::NAN);
                product_and_sum(out.view_mut(), a, b.view());
                let mut want = exact(a, b.view());
                let ones = Matrix::from_fn(1, k, |_, _| 1.0);
                want.extend(exact(ones.view(), b.view()));
                for (got, want) in out.as_slice().iter().zip(want) {
                    assert!((f64::from(*got) - want).abs() < 1e-3, "{m} {n} {k}: {got} against {want}");
                }
            }
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let (a, b) = (random(801, 700, 7), random(700, 501, 8));
        let run = |threads| {
            let mut out = Matrix::zeros(801, 501);
            let pool = Pool::new(threads).expect("a pool");
            pool.run(|| product(out.view_mut(), a.view(), b.view(), Store::Replace));
            out
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(3));
    }

    #[test]
    fn each_cell_is_finished_exactly_once() {
        let (a, b) = (random(600, 8, 9), random(8, 300, 10));
        let mut out = Matrix::zeros(600, 300);
        product_then(out.view_mut(), a.view(), b.view(), Store::Replace, |tile| {
            for i in tile.rows() {
                tile.row_mut(i).iter_mut().for_each(|x| *x += 100.0);
            }
        });
        let want = exact(a.view(), b.view());
        assert!(out.as_slice().iter().zip(want).all(|(&x, w)| (f64::from(x) - w - 100.0).abs() < 1e-3));
    }

    #[test]
    fn a_row_has_the_same_bits_whichever_rows_stand_beside_it() {
        let (a, b) = (random(700, 300, 11), random(300, 70, 12));
        let mut whole = Matrix::zeros(700, 70);
        product(whole.view_mut(), a.view(), b.view(), Store::Replace);
        for (start, end) in [(0, 1), (5, 8), (699, 700), (100, 400)] {
            let mut some = Matrix::zeros(end - start, 70);
            product(some.view_mut(), a.rows_view(start, end), b.view(), Store::Replace);
            assert_eq!(some.as_slice(), &whole.as_slice()[start * 70..end * 70]);
        }
    }

    #[test]
    fn an_empty_inner_dimension_gives_zeros() {
        let (a, b) = (Matrix::<f32>::zeros(3, 0), Matrix::<f32>::zeros(0, 2));
        let mut out = Matrix::from_fn(3, 2, |_, _| 7.0);
        product(out.view_mut(), a.view(), b.view(), Store::Add);
        assert_eq!(out.as_slice(), [7.0; 6]);
        product(out.view_mut(), a.view(), b.view(), Store::Replace);
        assert_eq!(out.as_slice(), [0.0; 6]);
    }
}

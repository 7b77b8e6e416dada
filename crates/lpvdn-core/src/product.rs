//! Matrix products on a fixed grid of tiles.
//!
//! `gemm` is called single-threaded on each tile of the output, and the tiles are spread over the
//! threads of the pool. The grid depends on the shape alone, never on the number of threads, so a
//! product has the same bits on any of them. While a tile is still in cache, the caller's
//! `finish` may add a bias or apply an activation to it.

use std::ops::Range;

use rayon::prelude::*;

use crate::matrix::{MatrixView, MatrixViewMut};
use crate::real::Real;
use crate::simd::Level;

/// The largest tile: 256 × 256 keeps the output tile and its packed operands in a 512 KiB L2 cache.
const TILE: usize = 256;
/// The longest inner dimension handed to `gemm` at once. `gemm` cuts longer ones itself, but where
/// depends on the cache sizes of the machine, and so would the bits; up to 512 it never cuts.
const DEPTH: usize = 512;
/// Below this many multiplications, waking another thread costs more than it saves.
const SERIAL: usize = 1 << 16;

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
    /// The output rows it covers.
    pub rows: Range<usize>,
    /// The output columns it covers.
    pub cols: Range<usize>,
    first: *mut T,
    stride: usize,
}

impl<T> Tile<T> {
    /// The part of output row `i` (counted from the top of the output) that lies in the tile.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        assert!(self.rows.contains(&i));
        // SAFETY: the tile covers these cells of a live, exclusively borrowed output, and no other
        // tile does; `i` was checked.
        unsafe {
            std::slice::from_raw_parts_mut(
                self.first.add((i - self.rows.start) * self.stride),
                self.cols.len(),
            )
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
    let (m, n, k) = (out.rows(), out.cols(), a.cols());
    assert_eq!(a.rows(), m, "left operand: {} rows for {m} output rows", a.rows());
    assert_eq!(b.cols(), n, "right operand: {} columns for {n} output columns", b.cols());
    assert_eq!(b.rows(), k, "inner dimensions: {k} and {}", b.rows());
    if m == 0 || n == 0 {
        return;
    }
    let (down, across) = (m.div_ceil(TILE), n.div_ceil(TILE));
    let base = OutputPointer(out.data.as_mut_ptr());
    let one = |t: usize| {
        let (rows, cols) = (part(m, down, t / across), part(n, across, t % across));
        // SAFETY: (rows.start, cols.start) lies inside the output.
        let first = unsafe { base.get().add(rows.start * n + cols.start) };
        let mut tile = Tile { rows, cols, first, stride: n };
        multiply_tile(&mut tile, a, b, store);
        finish(&mut tile);
    };
    if m * n * k <= SERIAL || down * across == 1 {
        (0..down * across).for_each(one);
    } else {
        (0..down * across).into_par_iter().with_max_len(1).for_each(one);
    }
}

/// The `i`-th of `parts` nearly equal parts of `0..n`.
pub fn part(n: usize, parts: usize, i: usize) -> Range<usize> {
    (n * i / parts)..(n * (i + 1) / parts)
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

fn multiply_tile<T: Real>(tile: &mut Tile<T>, a: MatrixView<'_, T>, b: MatrixView<'_, T>, store: Store) {
    let k = a.cols();
    if k == 0 {
        if store == Store::Replace {
            tile.rows.clone().for_each(|i| tile.row_mut(i).fill(T::ZERO));
        }
        return;
    }
    let cuts = k.div_ceil(DEPTH);
    for cut in 0..cuts {
        let depth = part(k, cuts, cut);
        let add = cut > 0 || store == Store::Add;
        match Level::current() {
            Level::Scalar => multiply_plain(tile, a, b, depth, add),
            Level::Avx2 => multiply_gemm(tile, a, b, depth, add),
        }
    }
}

fn multiply_gemm<T: Real>(
    tile: &mut Tile<T>,
    a: MatrixView<'_, T>,
    b: MatrixView<'_, T>,
    depth: Range<usize>,
    add: bool,
) {
    let a_first = &a.data[tile.rows.start * a.row_stride + depth.start * a.col_stride];
    let b_first = &b.data[depth.start * b.row_stride + tile.cols.start * b.col_stride];
    // SAFETY: the shapes were checked against each other, a view's data holds rows · cols values,
    // and the tile is exclusively ours.
    unsafe {
        gemm::gemm(
            tile.rows.len(),
            tile.cols.len(),
            depth.len(),
            tile.first,
            1,
            tile.stride as isize,
            add,
            a_first,
            a.col_stride as isize,
            a.row_stride as isize,
            b_first,
            b.col_stride as isize,
            b.row_stride as isize,
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// The same without `gemm`, whose kernel is chosen by the processor and cannot be pinned: for
/// processors without AVX2, and for comparing levels.
fn multiply_plain<T: Real>(
    tile: &mut Tile<T>,
    a: MatrixView<'_, T>,
    b: MatrixView<'_, T>,
    depth: Range<usize>,
    add: bool,
) {
    let cols = tile.cols.clone();
    for i in tile.rows.clone() {
        let out = tile.row_mut(i);
        if !add {
            out.fill(T::ZERO);
        }
        for l in depth.clone() {
            let left = a.data[i * a.row_stride + l * a.col_stride];
            if b.col_stride == 1 {
                let right = &b.data[l * b.row_stride + cols.start..l * b.row_stride + cols.end];
                out.iter_mut().zip(right).for_each(|(o, &r)| *o += left * r);
            } else {
                for (o, j) in out.iter_mut().zip(cols.clone()) {
                    *o += left * b.data[l * b.row_stride + j * b.col_stride];
                }
            }
        }
    }
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
                let mut plain = Matrix::zeros(m, n);
                for i in (0..m).step_by(TILE) {
                    let rows = i..(i + TILE).min(m);
                    let first = plain.row_mut(i).as_mut_ptr();
                    let mut tile = Tile { rows, cols: 0..n, first, stride: n };
                    multiply_plain(&mut tile, a, b, 0..k, false);
                }
                let mut out = Matrix::from_fn(m, n, |_, _| 1.0);
                product(out.view_mut(), a, b, Store::Replace);
                let mut added = Matrix::from_fn(m, n, |_, _| 1.0);
                product(added.view_mut(), a, b, Store::Add);
                let bound = 1e-5 * (k as f64).sqrt().max(1.0) * 3.0;
                for (i, want) in want.iter().enumerate() {
                    assert!((f64::from(out.as_slice()[i]) - want).abs() < bound, "{m} {n} {k}");
                    assert!((f64::from(plain.as_slice()[i]) - want).abs() < bound, "plain {m} {n} {k}");
                    assert!((f64::from(added.as_slice()[i]) - want - 1.0).abs() < bound, "added {m} {n} {k}");
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
            for i in tile.rows.clone() {
                tile.row_mut(i).iter_mut().for_each(|x| *x += 100.0);
            }
        });
        let want = exact(a.view(), b.view());
        assert!(out.as_slice().iter().zip(want).all(|(&x, w)| (f64::from(x) - w - 100.0).abs() < 1e-3));
    }
}

//! Matrix products with one result on any number of threads.
//!
//! The operands are packed once into panels, in parallel; then the tiles of the output are spread
//! over the threads of the pool. While a tile is still in cache, the caller's `finish` may add a bias
//! or apply an activation to it.
//!
//! An element of the output is always the same chain of multiply-adds: over l from 0 in cuts that
//! follow from the inner dimension, whatever the shape of the matrices, the tile it falls into or the
//! number of threads. So a row of a product has the same bits whichever rows stand beside it, and
//! where a whole column of the left operand is zero, that l can be left out without changing a bit (for
//! a finite right operand, and but for the sign of a zero).

use std::ops::Range;

use rayon::prelude::*;

use crate::matrix::{MatrixView, MatrixViewMut};
use crate::real::Real;
use crate::select::{Select, Selected};

mod kernel;
#[doc(hidden)]
pub mod pack;

use kernel::{MR, NR, Target};
use pack::Packed;

/// Rows of a tile: 24 panels of the left operand, 288 KiB at most for a cut, stay in the L2 cache.
const TILE_ROWS: usize = 24 * MR;
/// Columns of a tile.
const TILE_COLS: usize = 16 * NR;
/// The longest cut of the inner dimension: one panel of the right operand fills an L1 cache of 32 KiB. The two
/// that AVX-512 reads at once come from L2, which keeps up; where cuts fall decides bits, so they are the same.
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
pub fn product<'a, T: Real>(
    out: MatrixViewMut<'_, T>,
    a: MatrixView<'a, T>,
    b: impl Into<Selected<'a, T>>,
    store: Store,
) {
    product_then(out, a, b, store, |_| {});
}

/// Like [`product`], then calls `finish` on each tile.
///
/// # Panics
/// When the shapes do not fit together.
pub fn product_then<'a, T: Real>(
    out: MatrixViewMut<'_, T>,
    a: MatrixView<'a, T>,
    b: impl Into<Selected<'a, T>>,
    store: Store,
    finish: impl Fn(&mut Tile<T>) + Sync,
) {
    let b = b.into();
    check_shapes((out.rows(), out.cols()), a, a.rows(), b);
    if out.rows() == 0 || out.cols() == 0 {
        return;
    }
    let stride = out.row_stride;
    if store == Store::Replace && b.matrix.rows() == 0 {
        let (rows, cols) = (out.rows(), out.cols());
        out.data.chunks_mut(stride).take(rows).for_each(|row| row[..cols].fill(T::ZERO));
    }
    let base = OutputPointer(out.data.as_mut_ptr());
    let packed = Packed::new(a, a.rows(), b);
    for_each_tile(a.rows(), b.cols(), a.cols(), |rows, cols| {
        // SAFETY: (rows.start, cols.start) lies inside the output.
        let first = unsafe { base.get().add(rows.start * stride + cols.start) };
        let mut tile = Tile { rows, cols, first, stride };
        multiply_tile(&mut tile, &packed, store);
        finish(&mut tile);
    });
    packed.release();
}

/// out ← [a; 1…1]·b in its selected rows and columns, and zero in all others. Below the product, in
/// the last row of `out`, stands the sum of the rows of `b`; it costs next to nothing because the last
/// rows of `a` seldom fill a block.
///
/// # Panics
/// When the shapes do not fit together: `out` is a whole matrix and has one row more than `rows` selects
/// from. When selected indices do not rise.
pub fn product_and_sum<T: Real>(
    out: MatrixViewMut<'_, T>,
    rows: Select<'_>,
    cols: Select<'_>,
    a: MatrixView<'_, T>,
    b: MatrixView<'_, T>,
) {
    let last = out.rows().checked_sub(1).expect("an output without rows has no place for the sum");
    assert_eq!(out.row_stride, out.cols(), "part of a wider output");
    rows.check(last);
    cols.check(out.cols());
    let (m, n) = (rows.below(last) + 1, cols.below(out.cols()));
    check_shapes((m, n), a, a.rows() + 1, b.into());
    if n == 0 || b.rows() == 0 {
        out.data.fill(T::ZERO);
        return;
    }
    let scatter = Scatter {
        base: OutputPointer(out.data.as_mut_ptr()),
        rows: Spread { select: rows, last: Some(last), len: m, of: last + 1 },
        cols: Spread { select: cols, last: None, len: n, of: out.cols() },
    };
    let packed = Packed::new(a, m, b.into());
    for_each_tile(m, n, a.cols(), |rows, cols| {
        let mut memory = pack::Aligned::from_store();
        let first = memory.resize(rows.len() * cols.len()).as_mut_ptr();
        let mut tile = Tile { stride: cols.len(), rows, cols, first };
        multiply_tile(&mut tile, &packed, Store::Replace);
        scatter.write(&mut tile);
        memory.into_store();
    });
    packed.release();
}

fn check_shapes<T>((m, n): (usize, usize), a: MatrixView<'_, T>, rows: usize, b: Selected<'_, T>) {
    assert_eq!(rows, m, "left operand: {rows} rows for {m} output rows");
    assert_eq!(b.cols(), n, "right operand: {} columns for {n} output columns", b.cols());
    assert_eq!(b.rows(), a.cols(), "inner dimensions: {} and {}", a.cols(), b.rows());
}

/// Calls `one` with the rows and columns of each tile of an m × n output, on the threads of the pool.
fn for_each_tile(m: usize, n: usize, k: usize, one: impl Fn(Range<usize>, Range<usize>) + Sync) {
    let (down, across) = (m.div_ceil(TILE_ROWS), n.div_ceil(TILE_COLS));
    // Pairs of panels stay together, for kernels that multiply two at once.
    let tile =
        |t: usize| one(whole_panels(m, down, t / across, MR), whole_panels(n, across, t % across, 2 * NR));
    if m * n * k <= 4 * SERIAL || down * across == 1 {
        (0..down * across).for_each(tile);
    } else {
        (0..down * across).into_par_iter().with_max_len(1).for_each(tile);
    }
}

/// An output of which a product fills selected rows and columns.
struct Scatter<'a, T> {
    base: OutputPointer<T>,
    rows: Spread<'a>,
    cols: Spread<'a>,
}

/// How the rows, or columns, of a product are spread over those of its output.
#[derive(Clone, Copy)]
struct Spread<'a> {
    select: Select<'a>,
    /// The place of one more, after the selected ones.
    last: Option<usize>,
    /// How many the product has.
    len: usize,
    /// How many the output has.
    of: usize,
}

impl Spread<'_> {
    fn place(self, i: usize) -> usize {
        match self.last {
            Some(last) if i + 1 == self.len => last,
            _ => self.select.at(i),
        }
    }

    /// From the place of `i` up to that of `i + 1`; those of the first and the last reach to the ends.
    fn stretch(self, i: usize) -> Range<usize> {
        let start = if i == 0 { 0 } else { self.place(i) };
        start..if i + 1 == self.len { self.of } else { self.place(i + 1) }
    }
}

impl<T: Real> Scatter<'_, T> {
    /// Writes a tile to its places, and zeros between them: all tiles together write each cell once.
    fn write(&self, tile: &mut Tile<T>) {
        let columns = self.cols.stretch(tile.cols.start).start..self.cols.stretch(tile.cols.end - 1).end;
        for i in tile.rows() {
            let chosen = tile.cols();
            let values = &*tile.row_mut(i);
            for r in self.rows.stretch(i) {
                // SAFETY: the row lies inside the output, and no other tile has this stretch of it.
                let out = unsafe {
                    let first = self.base.get().add(r * self.cols.of + columns.start);
                    std::slice::from_raw_parts_mut(first, columns.len())
                };
                match self.cols.select {
                    _ if r != self.rows.place(i) => out.fill(T::ZERO),
                    Select::All => out.copy_from_slice(values),
                    Select::Some(indices) => {
                        out.fill(T::ZERO);
                        for (&j, &v) in indices[chosen.clone()].iter().zip(values) {
                            out[j as usize - columns.start] = v;
                        }
                    }
                }
            }
        }
    }
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
        for j in panels_of(&tile.cols, NR).step_by(kernel::panels_at_once()) {
            let column = tile.column(j * NR, add);
            // SAFETY: the column lies inside the tile, which is exclusively ours.
            unsafe { packed.multiply(panels_of(&tile.rows, MR), j, cut, column) };
        }
    }
}

impl<T> Tile<T> {
    /// The cells of the column of blocks, as wide as is multiplied at once, that starts at output column `col`.
    fn column(&mut self, col: usize, add: bool) -> Target<T> {
        let right = col - self.cols.start;
        debug_assert!(right < self.cols.len());
        Target {
            // SAFETY: the column lies inside the tile.
            first: unsafe { self.first.add(right) },
            stride: self.stride,
            rows: self.rows.len(),
            cols: (kernel::panels_at_once() * NR).min(self.cols.len() - right),
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
                product_and_sum(out.view_mut(), Select::All, Select::All, a, b.view());
                let mut want = exact(a, b.view());
                let ones = Matrix::from_fn(1, k, |_, _| 1.0);
                want.extend(exact(ones.view(), b.view()));
                for (got, want) in out.as_slice().iter().zip(want) {
                    assert!((f64::from(*got) - want).abs() < 1e-3, "{m} {n} {k}: {got} against {want}");
                }
            }
        }
    }

    fn every(of: usize, step: usize) -> Vec<u32> {
        (0..of as u32).filter(|i| !(i / 3).is_multiple_of(step as u32)).collect()
    }

    /// The columns of `m` that are `chosen`, at the front; the others are set to zero in `m` itself.
    fn squeeze(m: &mut Matrix<f32>, chosen: &[u32]) -> Matrix<f32> {
        let mut squeezed = Matrix::zeros(m.rows(), m.cols());
        for i in 0..m.rows() {
            for (j, &c) in chosen.iter().enumerate() {
                squeezed.row_mut(i)[j] = m.row(i)[c as usize];
            }
            (0..m.cols()).filter(|&j| !chosen.contains(&(j as u32))).for_each(|j| m.row_mut(i)[j] = 0.0);
        }
        squeezed
    }

    #[test]
    fn leaving_out_columns_of_zeros_changes_no_bit() {
        for (m, n, k) in [(1, 1, 7), (9, 20, 40), (150, 300, 1300), (20, 17, 600)] {
            for step in [2, 3, 1] {
                let chosen = every(k, step);
                let mut a = random(m, k, 1);
                let squeezed = squeeze(&mut a, &chosen);
                let few = squeezed.view().first_columns(chosen.len());
                for transposed in [false, true] {
                    let b = if transposed { random(n, k, 2) } else { random(k, n, 2) };
                    let b = if transposed { b.view().t() } else { b.view() };
                    let (mut whole, mut some) = (Matrix::zeros(m, n), Matrix::zeros(m, n));
                    product(whole.view_mut(), a.view(), b, Store::Replace);
                    let rows = Select::Some(&chosen);
                    let selected = Selected { matrix: b, rows, cols: Select::All };
                    product(some.view_mut(), few, selected, Store::Replace);
                    let bits =
                        |m: &Matrix<f32>| m.as_slice().iter().map(|v| v.to_bits()).collect::<Vec<u32>>();
                    assert_eq!(bits(&whole), bits(&some), "{m} {n} {k} {step} {transposed}");
                    // Some columns of the result, into the front of a wider output.
                    let wanted = every(n, 2);
                    let selected = Selected { cols: Select::Some(&wanted), ..selected };
                    let mut front = Matrix::from_fn(m, n, |_, _| 7.0);
                    let out = front.view_mut().first_columns(wanted.len());
                    product(out, few, selected, Store::Replace);
                    for i in 0..m {
                        let want = wanted.iter().map(|&j| whole.row(i)[j as usize]);
                        assert!(want.eq(front.row(i)[..wanted.len()].iter().copied()));
                        assert!(front.row(i)[wanted.len()..].iter().all(|&v| v == 7.0));
                    }
                }
            }
        }
    }

    #[test]
    fn a_product_fills_selected_rows_and_columns_and_zeros_between_them() {
        for (m, n, k) in [(1, 1, 3), (10, 40, 6), (700, 600, 5), (14, 9, 0)] {
            for (row_step, col_step) in [(2, 3), (1, 2), (3, 1), (1, 1)] {
                let (rows, cols) = (every(m, row_step), every(n, col_step));
                let (mut a, mut b) = (random(k, m, 1), random(k, n, 2));
                let (few_a, few_b) = (squeeze(&mut a, &rows), squeeze(&mut b, &cols));
                let mut whole = Matrix::from_fn(m + 1, n, |_, _| f32::NAN);
                product_and_sum(whole.view_mut(), Select::All, Select::All, a.view().t(), b.view());
                let mut some = Matrix::from_fn(m + 1, n, |_, _| f32::NAN);
                let (few_a, few_b) =
                    (few_a.view().first_columns(rows.len()), few_b.view().first_columns(cols.len()));
                let (rows, cols) = (Select::Some(&rows), Select::Some(&cols));
                product_and_sum(some.view_mut(), rows, cols, few_a.t(), few_b);
                assert_eq!(whole, some, "{m} {n} {k}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "must rise")]
    fn indices_that_do_not_rise_are_refused() {
        let mut cols: Vec<u32> = (0..600).collect();
        cols[192] = 1_000_000;
        let (a, b) = (random(3, 1, 1), random(3, 600, 2));
        let mut out = Matrix::zeros(2, 600);
        product_and_sum(out.view_mut(), Select::All, Select::Some(&cols), a.view().t(), b.view());
    }

    #[test]
    #[should_panic(expected = "wider output")]
    fn a_part_of_an_output_is_refused_where_zeros_are_written_between() {
        let (a, b) = (random(3, 1, 1), random(3, 4, 2));
        let mut out = Matrix::zeros(2, 6);
        product_and_sum(out.view_mut().first_columns(4), Select::All, Select::All, a.view().t(), b.view());
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
        let chosen = every(700, 3);
        let few = random(801, chosen.len(), 9);
        let scattered = |threads| {
            let mut out = Matrix::zeros(701, 501);
            let pool = Pool::new(threads).expect("a pool");
            let dy = random(801, 501, 10);
            pool.run(|| {
                let rows = Select::Some(&chosen);
                product_and_sum(out.view_mut(), rows, Select::All, few.view().t(), dy.view());
            });
            out
        };
        assert_eq!(scattered(1), scattered(3));
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

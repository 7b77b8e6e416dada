//! The innermost loop: a 6 × 16 block of the output in registers, or with AVX-512 two of them side by side.

use std::ops::Range;

use crate::real::Real;
use crate::simd::{Level, wide};

/// Rows of a block: with 16 columns, twelve AVX2 registers of `f32` hold it, and three are left for
/// a row of `b` and one value of `a`. With AVX-512, twelve of 32 registers hold two such blocks.
pub(super) const MR: usize = 6;
/// Columns of a block.
pub(super) const NR: usize = 16;

/// Where a block goes, or a column of them.
#[derive(Clone, Copy)]
pub(super) struct Target<T> {
    /// Its first cell.
    pub(super) first: *mut T,
    /// From one row to the next.
    pub(super) stride: usize,
    /// Rows that exist: in a block at the edge of a matrix, fewer than [`MR`].
    pub(super) rows: usize,
    /// Columns that exist.
    pub(super) cols: usize,
    /// Whether to add to what is there.
    pub(super) add: bool,
}

/// The left operand's part of a block: its [`MR`] values for inner index l.
pub(super) trait Left<T>: Copy {
    /// # Safety
    /// l must be smaller than the depth.
    unsafe fn at(self, l: usize) -> [T; MR];
}

/// [`MR`] values side by side for each l.
#[derive(Clone, Copy)]
pub(super) struct Panel<T>(*const T);

/// [`MR`] rows as they lie in the matrix: reading them in step is as good as packing them.
#[derive(Clone, Copy)]
pub(super) struct Rows<T>([*const T; MR]);

impl<T: Real> Left<T> for Panel<T> {
    #[inline(always)]
    unsafe fn at(self, l: usize) -> [T; MR] {
        // SAFETY: the caller vouches for l.
        unsafe { *self.0.add(l * MR).cast() }
    }
}

impl<T: Real> Left<T> for Rows<T> {
    #[inline(always)]
    unsafe fn at(self, l: usize) -> [T; MR] {
        // Written out, so that the six pointers stay in registers.
        let [a, b, c, d, e, f] = self.0;
        // SAFETY: the caller vouches for l.
        unsafe { [*a.add(l), *b.add(l), *c.add(l), *d.add(l), *e.add(l), *f.add(l)] }
    }
}

/// One cut of the left operand, from which blocks take their parts.
pub(super) trait LeftCut<T>: Copy {
    type Part: Left<T>;
    /// The part of the `i`-th [`MR`] rows.
    fn part(self, i: usize) -> Self::Part;
}

/// Panels side by side, all as deep as the cut.
#[derive(Clone, Copy)]
pub(super) struct PanelCut<'a, T> {
    pub(super) panels: &'a [T],
    pub(super) depth: usize,
}

impl<T: Real> LeftCut<T> for PanelCut<'_, T> {
    type Part = Panel<T>;
    #[inline(always)]
    fn part(self, i: usize) -> Panel<T> {
        Panel(self.panels[i * MR * self.depth..][..MR * self.depth].as_ptr())
    }
}

/// Columns `depth` of a row-major matrix.
#[derive(Clone, Copy)]
pub(super) struct RowCut<'a, T> {
    pub(super) data: &'a [T],
    pub(super) stride: usize,
    pub(super) rows: usize,
    pub(super) first: usize,
    pub(super) depth: usize,
}

impl<T: Real> LeftCut<T> for RowCut<'_, T> {
    type Part = Rows<T>;
    #[inline(always)]
    fn part(self, i: usize) -> Rows<T> {
        // Below the last row it is read again; what comes of it is not written.
        let row = |r: usize| {
            let start = (i * MR + r).min(self.rows - 1) * self.stride + self.first;
            self.data[start..][..self.depth].as_ptr()
        };
        // Written out: `from_fn` is not inlined here.
        Rows([row(0), row(1), row(2), row(3), row(4), row(5)])
    }
}

/// Σ_l a_l ⊗ b_l, where `b` has `PANELS` packed panels of [`NR`] values for each l, of which the first `COLS`
/// columns of each are wanted, and `a` is as deep. Every element is one chain of multiply-adds in the order of
/// l, wherever in a matrix the block lies and however many panels are multiplied at once.
///
/// # Safety
/// `target` must describe cells that may be written, of more columns than all panels but the last have and no
/// more than all of them have; `a` must be as deep as a panel of `b`.
#[inline(always)]
unsafe fn block<T: Real, const FMA: bool, const PANELS: usize, const COLS: usize>(
    a: impl Left<T>,
    b: [&[T]; PANELS],
    target: Target<T>,
) {
    debug_assert!((PANELS - 1) * NR < target.cols && target.cols <= (PANELS - 1) * NR + COLS);
    for i in 0..target.rows {
        let row = target.first.wrapping_add(i * target.stride);
        prefetch(row);
        prefetch(row.wrapping_add(target.cols - 1));
    }
    // SAFETY: `a` is as deep as `b`.
    let sums = unsafe { accumulate::<T, FMA, PANELS, COLS>(a, b) };
    // Most blocks are whole: their loop has a length known at compile time.
    let rows = if target.rows == MR { MR } else { target.rows };
    for (i, sums) in sums.iter().enumerate().take(rows) {
        for (p, sums) in sums.iter().enumerate() {
            let cols = COLS.min(target.cols - p * NR);
            // SAFETY: the caller vouches for the target's rows and columns.
            let out =
                unsafe { std::slice::from_raw_parts_mut(target.first.add(i * target.stride + p * NR), cols) };
            match (target.add, <&mut [T; COLS]>::try_from(&mut *out)) {
                // A length known at compile time: a few vector instructions instead of a loop.
                (false, Ok(out)) => *out = *sums,
                (true, Ok(out)) => (0..COLS).for_each(|j| out[j] += sums[j]),
                (false, Err(_)) => out.copy_from_slice(&sums[..cols]),
                (true, Err(_)) => out.iter_mut().zip(sums).for_each(|(o, &v)| *o += v),
            }
        }
    }
}

/// # Safety
/// `a` must be as deep as a panel of `b`.
#[inline(always)]
unsafe fn accumulate<T: Real, const FMA: bool, const PANELS: usize, const COLS: usize>(
    a: impl Left<T>,
    b: [&[T]; PANELS],
) -> [[[T; COLS]; PANELS]; MR] {
    let [mut s0, mut s1, mut s2, mut s3, mut s4, mut s5] = [[[T::ZERO; COLS]; PANELS]; MR];
    let depth = b[0].len() / NR;
    let add = |s: &mut [[T; COLS]; PANELS], a: T, b: &[[T; COLS]; PANELS]| {
        for p in 0..PANELS {
            for j in 0..COLS {
                s[p][j] = a.fma::<FMA>(b[p][j], s[p][j]);
            }
        }
    };
    for l in 0..depth {
        // SAFETY: `a` is as deep as each panel of `b`, and a panel has NR ≥ COLS values for each l.
        let ([a0, a1, a2, a3, a4, a5], b) =
            unsafe { (a.at(l), b.map(|panel| *panel.as_ptr().add(l * NR).cast::<[T; COLS]>())) };
        // Written out, so that all six rows of sums stay in registers.
        add(&mut s0, a0, &b);
        add(&mut s1, a1, &b);
        add(&mut s2, a2, &b);
        add(&mut s3, a3, &b);
        add(&mut s4, a4, &b);
        add(&mut s5, a5, &b);
    }
    [s0, s1, s2, s3, s4, s5]
}

/// Asks for the cache line at `place` now, so that it is there when it is needed. Any address will do.
#[inline(always)]
fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of the architecture, and a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// A column of blocks, one below the other, from `PANELS` panels of the right operand that lie side by side.
///
/// # Safety
/// `first` must be the place of the first block in an output of that `stride`, of which `rows` rows
/// and `cols` columns may be written: more than all panels but the last have, and at most [`NR`] a panel;
/// `blocks` must not reach below these rows.
/// Every part of `left` must be as deep as a panel of `right`.
#[inline(always)]
unsafe fn column_of_blocks<T: Real, const FMA: bool, const PANELS: usize>(
    left: impl LeftCut<T>,
    blocks: Range<usize>,
    right: &[T],
    column: Target<T>,
) {
    let size = right.len() / PANELS;
    // Written out: `from_fn` is not inlined here.
    let mut panels = [&right[..size]; PANELS];
    (1..PANELS).for_each(|p| panels[p] = &right[p * size..][..size]);
    for (down, i) in blocks.enumerate() {
        let above = down * MR;
        debug_assert!(above < column.rows, "a block below the output");
        // SAFETY: the block lies inside the column; depths agree.
        unsafe {
            let first = column.first.add(above * column.stride);
            let target = Target { first, rows: MR.min(column.rows - above), ..column };
            // At the right edge of a matrix half a block may do.
            if PANELS == 1 && target.cols <= NR / 2 {
                block::<T, FMA, PANELS, { NR / 2 }>(left.part(i), panels, target);
            } else {
                block::<T, FMA, PANELS, NR>(left.part(i), panels, target);
            }
        }
    }
}

/// # Safety
/// As for `column_of_blocks`, and the processor must have AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn column_avx2<T: Real>(left: impl LeftCut<T>, blocks: Range<usize>, right: &[T], column: Target<T>) {
    // SAFETY: the caller's promise is passed on.
    unsafe { column_of_blocks::<T, true, 1>(left, blocks, right, column) }
}

/// # Safety
/// As for `column_of_blocks` with two panels, and the processor must have AVX2, FMA and AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f")]
unsafe fn columns_avx512<T: Real>(
    left: impl LeftCut<T>,
    blocks: Range<usize>,
    right: &[T],
    column: Target<T>,
) {
    // SAFETY: the caller's promise is passed on.
    unsafe { column_of_blocks::<T, true, 2>(left, blocks, right, column) }
}

/// How many panels of the right operand are best multiplied at once.
#[inline]
pub(super) fn panels_at_once() -> usize {
    if wide() { 2 } else { 1 }
}

/// The blocks of one panel of the right operand, or of [`panels_at_once`] that lie side by side, at this
/// process's instruction-set level.
///
/// # Safety
/// As for `column_of_blocks`: `column` must describe cells that may be written, `blocks` must not reach
/// below them, and the parts of `left` must be as deep as the panels of `right`, of which there are as many as
/// the columns need, at most [`panels_at_once`].
#[inline]
pub(super) unsafe fn multiply<T: Real>(
    left: impl LeftCut<T>,
    blocks: Range<usize>,
    right: &[T],
    column: Target<T>,
) {
    match Level::current() {
        // SAFETY: `wide` says that the processor has all three features; the caller's promise is passed on.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if column.cols > NR && wide() => unsafe { columns_avx512(left, blocks, right, column) },
        // SAFETY: `Level::Avx2` is only ever chosen where the processor has both features; the
        // caller's promise is passed on.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { column_avx2(left, blocks, right, column) },
        // SAFETY: the caller's promise is passed on.
        _ => unsafe { column_of_blocks::<T, false, 1>(left, blocks, right, column) },
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::stream::StreamKey;

    /// Cells beside the output that must stay as they are.
    const BESIDE: usize = 3;

    /// Both of two panels at once, or one after the other, into `rows` × `cols` cells of a wider output.
    fn multiplied<T: Real>(
        at_once: bool,
        packed: bool,
        (rows, cols, depth): (usize, usize, usize),
        add: bool,
    ) -> Vec<T> {
        let mut s = StreamKey::new(3, "kernel").open();
        let mut random = |n: usize| -> Vec<T> { (0..n).map(|_| T::of(s.normal())).collect() };
        let (a, b) = (random(rows.next_multiple_of(MR) * depth), random(2 * NR * depth));
        let stride = cols + BESIDE;
        let mut out = random(rows * stride);
        let before = out.clone();
        let column = Target { first: out.as_mut_ptr(), stride, rows, cols, add };
        if packed {
            both(at_once, PanelCut { panels: &a, depth }, depth, &b, column);
        } else {
            both(at_once, RowCut { data: &a, stride: depth, rows, first: 0, depth }, depth, &b, column);
        }
        for (out, before) in out.chunks(stride).zip(before.chunks(stride)) {
            assert!(out[cols..] == before[cols..], "a cell beside the output was written");
        }
        out
    }

    fn both<T: Real>(at_once: bool, left: impl LeftCut<T>, depth: usize, b: &[T], column: Target<T>) {
        let blocks = 0..column.rows.div_ceil(MR);
        // SAFETY: the output has these rows and columns, more than NR, both operands this depth, and the caller
        // has asked for the features.
        unsafe {
            if at_once {
                columns_avx512(left, blocks, b, column);
            } else {
                let (first, second) = b.split_at(NR * depth);
                column_avx2(left, blocks.clone(), first, Target { cols: NR, ..column });
                let right = Target { first: column.first.add(NR), cols: column.cols - NR, ..column };
                column_avx2(left, blocks, second, right);
            }
        }
    }

    fn compare<T: Real>(bits: impl Fn(T) -> u64) {
        for shape in [(1, 17, 1), (6, 32, 40), (13, 25, 512), (145, 31, 7), (8, 24, 0)] {
            for (add, packed) in [(false, false), (true, false), (false, true), (true, true)] {
                let all = |at_once| multiplied::<T>(at_once, packed, shape, add).into_iter().map(&bits);
                assert!(all(true).eq(all(false)), "{shape:?} {add} {packed}");
            }
        }
    }

    #[test]
    fn two_panels_at_once_give_the_bits_of_one_after_the_other() {
        let has = [
            std::is_x86_feature_detected!("avx2"),
            std::is_x86_feature_detected!("fma"),
            std::is_x86_feature_detected!("avx512f"),
        ];
        if has.contains(&false) {
            return lpvdn_testing::skip("this processor has no AVX-512");
        }
        compare::<f32>(|v| u64::from(v.to_bits()));
        compare::<f64>(f64::to_bits);
    }
}

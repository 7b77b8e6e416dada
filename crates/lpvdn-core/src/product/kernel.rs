//! The innermost loop: a 6 × 16 block of the output in registers.

use std::ops::Range;

use crate::real::Real;
use crate::simd::Level;

/// Rows of a block: with 16 columns, twelve AVX2 registers of `f32` hold it, and three are left for
/// a row of `b` and one value of `a`.
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

/// Σ_l a_l ⊗ b_l, where `b` is a packed panel of [`NR`] values for each l and `a` is as deep. Every
/// element is one chain of multiply-adds in the order of l, wherever in a matrix the block lies.
///
/// # Safety
/// `target` must describe cells that may be written, and `a` must be as deep as `b`.
#[inline(always)]
unsafe fn block<T: Real, const FMA: bool, const COLS: usize>(a: impl Left<T>, b: &[T], target: Target<T>) {
    for i in 0..target.rows {
        let row = target.first.wrapping_add(i * target.stride);
        prefetch(row);
        prefetch(row.wrapping_add(target.cols - 1));
    }
    // SAFETY: `a` is as deep as `b`.
    let sums = unsafe { accumulate::<T, FMA, COLS>(a, b) };
    let whole = target.rows == MR && target.cols == COLS;
    let (rows, cols) = if whole { (MR, COLS) } else { (target.rows, target.cols) };
    for (i, sums) in sums.iter().enumerate().take(rows) {
        // SAFETY: the caller vouches for the target's rows and columns.
        let out = unsafe { std::slice::from_raw_parts_mut(target.first.add(i * target.stride), cols) };
        match (target.add, <&mut [T; COLS]>::try_from(&mut *out)) {
            // A length known at compile time: two vector instructions instead of a loop.
            (false, Ok(out)) => *out = *sums,
            (true, Ok(out)) => (0..COLS).for_each(|j| out[j] += sums[j]),
            (false, Err(_)) => out.copy_from_slice(&sums[..cols]),
            (true, Err(_)) => out.iter_mut().zip(sums).for_each(|(o, &v)| *o += v),
        }
    }
}

/// # Safety
/// `a` must be as deep as `b`.
#[inline(always)]
unsafe fn accumulate<T: Real, const FMA: bool, const COLS: usize>(
    a: impl Left<T>,
    b: &[T],
) -> [[T; COLS]; MR] {
    let [mut s0, mut s1, mut s2, mut s3, mut s4, mut s5] = [[T::ZERO; COLS]; MR];
    let add = |s: &mut [T; COLS], a: T, b: &[T]| {
        for j in 0..COLS {
            s[j] = a.fma::<FMA>(b[j], s[j]);
        }
    };
    for (l, b) in b.chunks_exact(NR).enumerate() {
        // SAFETY: `a` is as deep as `b`.
        let [a0, a1, a2, a3, a4, a5] = unsafe { a.at(l) };
        // Written out, so that all six rows of sums stay in registers.
        add(&mut s0, a0, b);
        add(&mut s1, a1, b);
        add(&mut s2, a2, b);
        add(&mut s3, a3, b);
        add(&mut s4, a4, b);
        add(&mut s5, a5, b);
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

/// A column of blocks, one below the other, from one panel of the right operand.
///
/// # Safety
/// `first` must be the place of the first block in an output of that `stride`, of which `rows` rows
/// and `cols` columns, at most [`NR`], may be written; `blocks` must not reach below these rows.
/// Every part of `left` must be as deep as `right`.
#[inline(always)]
unsafe fn column_of_blocks<T: Real, const FMA: bool>(
    left: impl LeftCut<T>,
    blocks: Range<usize>,
    right: &[T],
    column: Target<T>,
) {
    for (down, i) in blocks.enumerate() {
        let above = down * MR;
        debug_assert!(above < column.rows, "a block below the output");
        // SAFETY: the block lies inside the column; depths agree.
        unsafe {
            let first = column.first.add(above * column.stride);
            let target = Target { first, rows: MR.min(column.rows - above), ..column };
            // At the right edge of a matrix half a block may do.
            if target.cols <= NR / 2 {
                block::<T, FMA, { NR / 2 }>(left.part(i), right, target);
            } else {
                block::<T, FMA, NR>(left.part(i), right, target);
            }
        }
    }
}

/// # Safety
/// As for `column_of_blocks`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn column_avx2<T: Real>(left: impl LeftCut<T>, blocks: Range<usize>, right: &[T], column: Target<T>) {
    // SAFETY: the caller's promise is passed on.
    unsafe { column_of_blocks::<T, true>(left, blocks, right, column) }
}

/// The blocks of one panel of the right operand, at this process's instruction-set level.
///
/// # Safety
/// As for `column_of_blocks`: `column` must describe cells that may be written, `blocks` must not reach
/// below them, and the parts of `left` must be as deep as `right`.
#[inline]
pub(super) unsafe fn multiply<T: Real>(
    left: impl LeftCut<T>,
    blocks: Range<usize>,
    right: &[T],
    column: Target<T>,
) {
    match Level::current() {
        // SAFETY: `Level::Avx2` is only ever chosen where the processor has both features; the
        // caller's promise is passed on.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { column_avx2(left, blocks, right, column) },
        // SAFETY: the caller's promise is passed on.
        _ => unsafe { column_of_blocks::<T, false>(left, blocks, right, column) },
    }
}

//! The innermost loop: a 6 × 16 block of the output in registers.

use crate::real::Real;
use crate::simd::Level;

/// Rows of a block: with 16 columns, twelve AVX2 registers of `f32` hold it, and three are left for
/// a row of `b` and one value of `a`.
pub(super) const MR: usize = 6;
/// Columns of a block.
pub(super) const NR: usize = 16;

/// Where a block goes.
#[derive(Clone, Copy)]
pub(super) struct Target<T> {
    /// Its first cell.
    pub(super) first: *mut T,
    /// From one row to the next.
    pub(super) stride: usize,
    /// Rows that exist: at the edge of a matrix, fewer than [`MR`].
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
pub(super) struct Panel<'a, T>(pub(super) &'a [T]);

/// [`MR`] rows as they lie in the matrix: reading them in step is as good as packing them.
#[derive(Clone, Copy)]
pub(super) struct Rows<T>(pub(super) [*const T; MR]);

impl<T: Real> Left<T> for Panel<'_, T> {
    #[inline(always)]
    unsafe fn at(self, l: usize) -> [T; MR] {
        // SAFETY: the caller vouches for l.
        unsafe { *self.0.as_ptr().add(l * MR).cast() }
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

/// Σ_l a_l ⊗ b_l, where `b` is a packed panel of [`NR`] values for each l and `a` is as deep. Every
/// element is one chain of multiply-adds in the order of l, wherever in a matrix the block lies.
///
/// # Safety
/// `target` must describe cells that may be written, and `a` must be as deep as `b`.
#[inline(always)]
unsafe fn block<T: Real, const FMA: bool, const COLS: usize>(a: impl Left<T>, b: &[T], target: Target<T>) {
    for i in 0..target.rows {
        // SAFETY: the caller vouches for these cells.
        prefetch(unsafe { std::slice::from_raw_parts(target.first.add(i * target.stride), target.cols) });
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

/// Asks for `values` now, so that they are in the cache when they are needed.
#[inline(always)]
fn prefetch<T>(values: &[T]) {
    const LINE: usize = 64;
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of_val(values)).step_by(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of the architecture, and a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().cast::<i8>().wrapping_add(line)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, LINE);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn block_avx2<T: Real>(a: impl Left<T>, b: &[T], target: Target<T>) {
    // SAFETY: the caller's promise is passed on.
    unsafe { narrow_or_wide::<T, true>(a, b, target) }
}

/// At the right edge of a matrix half a block may do.
///
/// # Safety
/// `target` must describe cells that may be written, and `a` must be as deep as `b`.
#[inline(always)]
unsafe fn narrow_or_wide<T: Real, const FMA: bool>(a: impl Left<T>, b: &[T], target: Target<T>) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        if target.cols <= NR / 2 {
            block::<T, FMA, { NR / 2 }>(a, b, target);
        } else {
            block::<T, FMA, NR>(a, b, target);
        }
    }
}

/// The block of two panels, at this process's instruction-set level.
///
/// # Safety
/// `target` must describe cells that may be written, and `a` must be as deep as `b`.
#[inline]
pub(super) unsafe fn multiply<T: Real>(level: Level, a: impl Left<T>, b: &[T], target: Target<T>) {
    match level {
        // SAFETY: `Level::Avx2` is only ever chosen where the processor has both features; the
        // caller's promise is passed on.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { block_avx2(a, b, target) },
        // SAFETY: the caller's promise is passed on.
        _ => unsafe { narrow_or_wide::<T, false>(a, b, target) },
    }
}

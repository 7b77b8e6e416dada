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

/// Σ_l a_l ⊗ b_l over packed panels: `a` holds [`MR`] values and `b` [`NR`] for each l. Every element
/// is one chain of multiply-adds in the order of l, wherever in a matrix the block lies.
///
/// # Safety
/// `target` must describe cells that may be written.
#[inline(always)]
unsafe fn block<T: Real, const FMA: bool, const COLS: usize>(a: &[T], b: &[T], target: Target<T>) {
    for i in 0..target.rows {
        // SAFETY: the caller vouches for these cells.
        prefetch(unsafe { std::slice::from_raw_parts(target.first.add(i * target.stride), target.cols) });
    }
    let mut sums = [[T::ZERO; COLS]; MR];
    for (a, b) in a.chunks_exact(MR).zip(b.chunks_exact(NR)) {
        for i in 0..MR {
            for j in 0..COLS {
                sums[i][j] = a[i].fma::<FMA>(b[j], sums[i][j]);
            }
        }
    }
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
unsafe fn block_avx2<T: Real>(a: &[T], b: &[T], target: Target<T>) {
    // SAFETY: the caller's promise is passed on.
    unsafe { narrow_or_wide::<T, true>(a, b, target) }
}

/// At the right edge of a matrix half a block may do.
///
/// # Safety
/// `target` must describe cells that may be written.
#[inline(always)]
unsafe fn narrow_or_wide<T: Real, const FMA: bool>(a: &[T], b: &[T], target: Target<T>) {
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
/// `target` must describe cells that may be written.
#[inline]
pub(super) unsafe fn multiply<T: Real>(level: Level, a: &[T], b: &[T], target: Target<T>) {
    match level {
        // SAFETY: `Level::Avx2` is only ever chosen where the processor has both features; the
        // caller's promise is passed on.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { block_avx2(a, b, target) },
        // SAFETY: the caller's promise is passed on.
        _ => unsafe { narrow_or_wide::<T, false>(a, b, target) },
    }
}

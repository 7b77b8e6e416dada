//! Sums that vectorise and whose rounding does not depend on the number of threads.

use lpvdn_core::Real;

/// Accumulators side by side: one AVX2 register of `f32`. The same at every instruction-set level.
pub(crate) const LANES: usize = 8;

/// Σ values, in eight interleaved partial sums that are added in a fixed order.
#[inline(always)]
pub(crate) fn lane_sum<T: Real>(values: &[T]) -> T {
    let mut lanes = [T::ZERO; LANES];
    let chunks = values.chunks_exact(LANES);
    let tail = chunks.remainder();
    for chunk in chunks {
        for (lane, &v) in lanes.iter_mut().zip(chunk) {
            *lane += v;
        }
    }
    for (lane, &v) in lanes.iter_mut().zip(tail) {
        *lane += v;
    }
    ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}

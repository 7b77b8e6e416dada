//! Sums over the points of a batch, one for each channel, with one result on any number of threads.

use lpvdn_core::kernel;
use rayon::prelude::*;

/// Points summed by one task. The sums of all tasks are added in their order.
const POINTS: usize = 128;

/// Memory for such sums.
#[derive(Clone, Debug, Default)]
pub(super) struct ChannelSums {
    partial: Vec<f64>,
    total: Vec<f64>,
}

impl ChannelSums {
    /// The sums over `points` points of what `add` adds for each.
    pub(super) fn over(
        &mut self,
        points: usize,
        channels: usize,
        add: impl Fn(usize, &mut [f64]) + Sync,
    ) -> &[f64] {
        self.partial.clear();
        self.partial.resize(points.div_ceil(POINTS) * channels, 0.0);
        self.partial.par_chunks_mut(channels).enumerate().for_each(|(task, sums)| {
            (task * POINTS..points.min((task + 1) * POINTS)).for_each(|i| add(i, sums));
        });
        self.total.clear();
        self.total.resize(channels, 0.0);
        for sums in self.partial.chunks(channels) {
            self.total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        &self.total
    }
}

kernel! {
    /// sums ← sums + values
    pub(super) fn add_values<T>(sums: &mut [f64], values: &[T]) {
        sums.iter_mut().zip(values).for_each(|(s, v)| *s += v.f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_hold_every_point_once_and_what_was_summed_before_is_gone() {
        let mut sums = ChannelSums::default();
        for points in [1, 127, 128, 129, 1000, 3] {
            let values: Vec<f32> = (0..points * 2).map(|i| i as f32).collect();
            let got = sums.over(points, 2, |i, sums| add_values(sums, &values[2 * i..2 * i + 2]));
            let n = points as f64;
            assert_eq!(got, [n * (n - 1.0), n * n], "{points}");
        }
    }
}

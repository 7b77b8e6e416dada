//! Batch normalisation (Ioffe and Szegedy 2015).
//!
//! For each channel c, over all N points of a batch:
//!
//! x̂ = (x − μ_c)/√(σ_c² + ε), y = γ_c·x̂ + β_c
//!
//! In training μ and σ² are those of the batch. A single row has none worth the name, so what is generated
//! after training takes running means of them. These are no parameters: no gradient moves them. They lie in
//! a slice of their own, with a layout of their own.

use lpvdn_core::{Matrix, Real, kernel};
use lpvdn_nn::activation::bias_then_activate;
use lpvdn_nn::{Activation, Layout, Span};
use rayon::prelude::*;

use super::sums::{ChannelSums, add_values};

/// ε, which keeps a channel without variance finite.
const EPSILON: f64 = 1e-5;
/// The share of a new batch in the running means.
const MOMENTUM: f64 = 0.1;
/// Values handled by one task.
pub(super) const TASK: usize = 1 << 14;

/// Where γ, β and the running means lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BatchNorm {
    channels: usize,
    /// γ, among the parameters.
    scale: Span,
    /// β, among the parameters.
    shift: Span,
    /// The running mean of μ, among the statistics.
    mean: Span,
    /// The running mean of σ², among the statistics.
    variance: Span,
}

/// Whose mean and variance normalise.
#[derive(Clone, Copy, Debug)]
pub(super) enum Normalize<'a, T> {
    /// Those of the batch.
    Batch,
    /// The running ones.
    Running(&'a [T]),
}

/// What a pass leaves for the pass back.
#[derive(Clone, Debug)]
pub(super) struct NormWorkspace<T> {
    /// x̂
    normalized: Matrix<T>,
    mean: Vec<f64>,
    variance: Vec<f64>,
    /// μ, and later the mean of dy
    offset: Vec<T>,
    /// 1/√(σ² + ε), and later that times γ
    rate: Vec<T>,
    /// The mean of dy·x̂
    slope: Vec<T>,
    sums: ChannelSums,
}

impl BatchNorm {
    pub(super) fn new(
        layout: &mut Layout,
        statistics: &mut Layout,
        name: &str,
        channels: usize,
    ) -> BatchNorm {
        BatchNorm {
            channels,
            scale: layout.add(format!("{name}.scale"), &[channels]),
            shift: layout.add(format!("{name}.shift"), &[channels]),
            mean: statistics.add(format!("{name}.mean"), &[channels]),
            variance: statistics.add(format!("{name}.variance"), &[channels]),
        }
    }

    /// γ = 1, β = 0.
    pub(super) fn init<T: Real>(&self, params: &mut [T]) {
        self.scale.of_mut(params).fill(T::ONE);
        self.shift.of_mut(params).fill(T::ZERO);
    }

    /// Mean 0, variance 1.
    pub(super) fn init_statistics<T: Real>(&self, statistics: &mut [T]) {
        self.mean.of_mut(statistics).fill(T::ZERO);
        self.variance.of_mut(statistics).fill(T::ONE);
    }

    /// Where its parameters end.
    pub(super) fn end(&self) -> usize {
        self.shift.range().end
    }

    pub(super) fn workspace<T: Real>(&self, outputs: usize) -> NormWorkspace<T> {
        NormWorkspace {
            normalized: Matrix::zeros(0, outputs),
            mean: vec![0.0; self.channels],
            variance: vec![0.0; self.channels],
            offset: vec![T::ZERO; self.channels],
            rate: vec![T::ZERO; self.channels],
            slope: vec![T::ZERO; self.channels],
            sums: ChannelSums::default(),
        }
    }

    /// x ← activation(γ·x̂ + β)
    pub(super) fn forward<T: Real>(
        &self,
        params: &[T],
        x: &mut Matrix<T>,
        ws: &mut NormWorkspace<T>,
        normalize: Normalize<'_, T>,
        activation: Activation,
    ) {
        match normalize {
            Normalize::Batch => self.measure(x, ws),
            Normalize::Running(statistics) => {
                let values = ws.mean.iter_mut().zip(self.mean.of(statistics));
                values.for_each(|(m, v)| *m = v.f64());
                let values = ws.variance.iter_mut().zip(self.variance.of(statistics));
                values.for_each(|(m, v)| *m = v.f64());
            }
        }
        self.set_rates(ws);
        ws.normalized.set_rows(x.rows());
        let (offset, rate) = (&ws.offset, &ws.rate);
        let (scale, shift) = (self.scale.of(params), self.shift.of(params));
        let task = self.channels * (TASK / self.channels).max(1);
        let both =
            x.as_mut_slice().par_chunks_mut(task).zip(ws.normalized.as_mut_slice().par_chunks_mut(task));
        both.for_each(|(x, normalized)| {
            for (x, n) in x.chunks_mut(self.channels).zip(normalized.chunks_mut(self.channels)) {
                normalize_point(x, n, offset, rate, scale);
                bias_then_activate(x, shift, activation);
            }
        });
    }

    /// μ = Σx/N, σ² = Σ(x − μ)²/N
    fn measure<T: Real>(&self, x: &Matrix<T>, ws: &mut NormWorkspace<T>) {
        let (c, values) = (self.channels, x.as_slice());
        let n = values.len() / c;
        let NormWorkspace { mean, variance, sums, .. } = ws;
        let of = |sum: &f64| sum / n as f64;
        let total = sums.over(n, c, |i, sums| add_values(sums, &values[i * c..(i + 1) * c]));
        mean.iter_mut().zip(total).for_each(|(m, sum)| *m = of(sum));
        let total = sums.over(n, c, |i, sums| add_squares(sums, &values[i * c..(i + 1) * c], mean));
        variance.iter_mut().zip(total).for_each(|(v, sum)| *v = of(sum));
    }

    fn set_rates<T: Real>(&self, ws: &mut NormWorkspace<T>) {
        for c in 0..self.channels {
            ws.offset[c] = T::of(ws.mean[c]);
            ws.rate[c] = T::of(1.0 / (ws.variance[c] + EPSILON).sqrt());
        }
    }

    /// Moves the running means a tenth of the way to the last batch. The variance of what the batch was
    /// drawn from is N/(N − 1) times its own.
    pub(super) fn track<T: Real>(&self, ws: &NormWorkspace<T>, statistics: &mut [T]) {
        let n = (ws.normalized.as_slice().len() / self.channels) as f64;
        let unbiased = n / (n - 1.0).max(1.0);
        let toward = |r: &mut T, to: f64| *r = T::of((1.0 - MOMENTUM) * r.f64() + MOMENTUM * to);
        let mean = self.mean.of_mut(statistics).iter_mut().zip(&ws.mean);
        mean.for_each(|(r, &to)| toward(r, to));
        let variance = self.variance.of_mut(statistics).iter_mut().zip(&ws.variance);
        variance.for_each(|(r, &to)| toward(r, unbiased * to));
    }

    /// Turns `g`, the gradient of y, into that of x, after a pass with the statistics of the batch:
    ///
    /// dβ = Σ dy, dγ = Σ dy·x̂, dx = γ/√(σ² + ε) · (dy − dβ/N − x̂·dγ/N)
    ///
    /// The last two parts come from μ and σ², which every x of the channel moves.
    pub(super) fn backward<T: Real>(
        &self,
        params: &[T],
        g: &mut Matrix<T>,
        ws: &mut NormWorkspace<T>,
        grads: Option<&mut [T]>,
    ) {
        self.sum_gradients(g, ws, grads);
        let task = self.channels * (TASK / self.channels).max(1);
        ws.rate.iter_mut().zip(self.scale.of(params)).for_each(|(r, &scale)| *r *= scale);
        let NormWorkspace { normalized, offset, rate, slope, .. } = &*ws;
        let both = g.as_mut_slice().par_chunks_mut(task).zip(normalized.as_slice().par_chunks(task));
        both.for_each(|(g, normalized)| {
            for (g, n) in g.chunks_mut(self.channels).zip(normalized.chunks(self.channels)) {
                gradient_of_point(g, n, offset, rate, slope);
            }
        });
    }

    /// dβ and dγ to their places, and their N-th parts to `offset` and `slope`.
    fn sum_gradients<T: Real>(&self, g: &Matrix<T>, ws: &mut NormWorkspace<T>, mut grads: Option<&mut [T]>) {
        let (c, values, normalized) = (self.channels, g.as_slice(), ws.normalized.as_slice());
        let n = values.len() / c;
        let mut keep = |sums: &[f64], span: Span, means: &mut [T]| {
            means.iter_mut().zip(sums).for_each(|(m, sum)| *m = T::of(sum / n as f64));
            if let Some(grads) = grads.as_deref_mut() {
                span.of_mut(grads).iter_mut().zip(sums).for_each(|(g, &sum)| *g = T::of(sum));
            }
        };
        let sums = ws.sums.over(n, c, |i, sums| add_values(sums, &values[i * c..(i + 1) * c]));
        keep(sums, self.shift, &mut ws.offset);
        let sums = ws.sums.over(n, c, |i, sums| {
            add_products(sums, &values[i * c..(i + 1) * c], &normalized[i * c..(i + 1) * c]);
        });
        keep(sums, self.scale, &mut ws.slope);
    }
}

kernel! {
    /// n ← (x − offset)·rate, x ← scale·n
    fn normalize_point<T>(x: &mut [T], n: &mut [T], offset: &[T], rate: &[T], scale: &[T]) {
        for c in 0..x.len().min(n.len()).min(offset.len()).min(rate.len()).min(scale.len()) {
            n[c] = (x[c] - offset[c]) * rate[c];
            x[c] = scale[c] * n[c];
        }
    }
}

kernel! {
    /// g ← rate·(g − offset − slope·n)
    fn gradient_of_point<T>(g: &mut [T], n: &[T], offset: &[T], rate: &[T], slope: &[T]) {
        for c in 0..g.len().min(n.len()).min(offset.len()).min(rate.len()).min(slope.len()) {
            g[c] = rate[c] * (g[c] - offset[c] - slope[c] * n[c]);
        }
    }
}

kernel! {
    /// sums ← sums + (x − mean)²
    fn add_squares<T>(sums: &mut [f64], x: &[T], mean: &[f64]) {
        for ((s, x), m) in sums.iter_mut().zip(x).zip(mean) {
            *s += (x.f64() - m) * (x.f64() - m);
        }
    }
}

kernel! {
    /// sums ← sums + a·b
    fn add_products<T>(sums: &mut [f64], a: &[T], b: &[T]) {
        sums.iter_mut().zip(a).zip(b).for_each(|((s, a), b)| *s += a.f64() * b.f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::finite_difference::assert_gradient;
    use lpvdn_core::StreamKey;

    const CHANNELS: usize = 3;
    const POINTS: usize = 8;
    const IDENTITY: Activation = Activation::Identity;

    struct Setup {
        norm: BatchNorm,
        params: Vec<f64>,
        statistics: Vec<f64>,
        x: Matrix<f64>,
        ws: NormWorkspace<f64>,
    }

    /// Four images of two points each.
    fn setup() -> Setup {
        let (mut layout, mut statistics) = (Layout::default(), Layout::default());
        let norm = BatchNorm::new(&mut layout, &mut statistics, "norm", CHANNELS);
        let mut s = StreamKey::new(5, "norm").open();
        let params = (0..layout.len()).map(|_| 1.0 + 0.5 * s.normal()).collect();
        let x = Matrix::from_fn(4, 2 * CHANNELS, |_, j| 3.0 * s.normal() + j as f64);
        let mut running = vec![0.0; statistics.len()];
        norm.init_statistics(&mut running);
        Setup { norm, params, statistics: running, x, ws: norm.workspace(2 * CHANNELS) }
    }

    fn channel(m: &Matrix<f64>, c: usize) -> Vec<f64> {
        m.as_slice().iter().skip(c).step_by(CHANNELS).copied().collect()
    }

    fn moments(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        (mean, values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n)
    }

    #[test]
    fn a_channel_has_the_mean_and_the_deviation_of_its_shift_and_scale() {
        let Setup { norm, params, mut x, mut ws, .. } = setup();
        let before: Vec<f64> = (0..CHANNELS).map(|c| moments(&channel(&x, c)).1).collect();
        norm.forward(&params, &mut x, &mut ws, Normalize::Batch, IDENTITY);
        for c in 0..CHANNELS {
            let (mean, variance) = moments(&channel(&x, c));
            let want = params[c] * params[c] * before[c] / (before[c] + EPSILON);
            assert!((mean - params[CHANNELS + c]).abs() < 1e-12);
            assert!((variance - want).abs() < 1e-12, "{variance} against {want}");
        }
    }

    #[test]
    fn gradients_equal_finite_differences() {
        let Setup { norm, params, x, .. } = setup();
        let weight = |i: usize| ((i * 7 + 3) % 11) as f64 / 5.0 - 1.0;
        let value = |params: &[f64], x: &[f64]| {
            let mut y = Matrix::from_vec(x.to_vec(), 4, 2 * CHANNELS);
            norm.forward(params, &mut y, &mut norm.workspace(2 * CHANNELS), Normalize::Batch, IDENTITY);
            // A square, so that the gradient of y is not the same whatever y is.
            y.as_slice().iter().enumerate().map(|(i, y)| weight(i) * y * y).sum::<f64>()
        };
        let (mut y, mut ws) = (x.clone(), norm.workspace(2 * CHANNELS));
        norm.forward(&params, &mut y, &mut ws, Normalize::Batch, IDENTITY);
        let mut g = Matrix::from_fn(4, 2 * CHANNELS, |i, j| 2.0 * weight(i * 2 * CHANNELS + j) * y.row(i)[j]);
        let mut grads = vec![f64::NAN; params.len()];
        norm.backward(&params, &mut g, &mut ws, Some(&mut grads));
        assert_gradient("scale and shift", &params, &grads, |params| value(params, x.as_slice()));
        assert_gradient("input", x.as_slice(), g.as_slice(), |x| value(&params, x));
    }

    #[test]
    fn running_means_approach_those_of_the_data_and_then_normalize_a_single_row() {
        let Setup { norm, params, mut statistics, x, mut ws } = setup();
        for _ in 0..400 {
            norm.forward(&params, &mut x.clone(), &mut ws, Normalize::Batch, IDENTITY);
            norm.track(&ws, &mut statistics);
        }
        for c in 0..CHANNELS {
            let (mean, variance) = moments(&channel(&x, c));
            let unbiased = variance * POINTS as f64 / (POINTS - 1) as f64;
            assert!((statistics[c] - mean).abs() < 1e-12);
            assert!((statistics[CHANNELS + c] - unbiased).abs() < 1e-12 * unbiased);
        }
        let mut row = Matrix::from_vec(x.row(2).to_vec(), 1, 2 * CHANNELS);
        norm.forward(&params, &mut row, &mut ws, Normalize::Running(&statistics), IDENTITY);
        for (j, y) in row.as_slice().iter().enumerate() {
            let c = j % CHANNELS;
            let n = (x.row(2)[j] - statistics[c]) / (statistics[CHANNELS + c] + EPSILON).sqrt();
            assert!((y - params[c] * n - params[CHANNELS + c]).abs() < 1e-12);
        }
    }

    #[test]
    fn a_channel_without_variance_becomes_its_shift_and_passes_no_infinite_gradient() {
        let Setup { norm, params, .. } = setup();
        let mut ws = norm.workspace(CHANNELS);
        let mut x = Matrix::from_fn(1, CHANNELS, |_, j| j as f64);
        norm.forward(&params, &mut x, &mut ws, Normalize::Batch, IDENTITY);
        assert_eq!(x.as_slice(), &params[CHANNELS..]);
        let mut g = Matrix::from_fn(1, CHANNELS, |_, _| 1.0);
        norm.backward(&params, &mut g, &mut ws, None);
        assert_eq!(g.as_slice(), [0.0; CHANNELS]);
    }
}

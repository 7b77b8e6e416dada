//! The prior part of L_G (Eqn. 4): how far the code of a row is from the Gaussian mixture.
//!
//! For one row with latent mean μ̃, latent variance σ̃² and a draw z:
//!
//! KL = ½ Σ_c γ_c Σ_j (log σ²_cj + σ̃²_j/σ²_cj + (μ̃_j − μ_cj)²/σ²_cj)
//!      − Σ_c γ_c log(π_c/γ_c) − ½ Σ_j (1 + log σ̃²_j)
//!
//! with the responsibilities γ_c ∝ π_c N(z; μ_c, σ²_c). (The paper prints the first sum without its ½;
//! the derivation in VaDE has it.) Everything stays in log space: in probability space with a floor
//! of 1e-10, γ turns uniform as soon as the latent variance passes about 3.7 in ten dimensions, and
//! the mixture stops learning.
//!
//! μ̃, log σ̃², μ_c, log σ²_c and π each get a direct gradient and one through γ(z). With
//! e_c = ½t_c − log π_c + log γ_c, where t_c is the inner sum over j, the gradient with respect to
//! the unnormalised log γ_c is g_c = γ_c (e_c − Σ_k γ_k e_k).

use lpvdn_core::math::{exp, ln};
use lpvdn_core::{Matrix, Real, kernel};
use rayon::prelude::*;

/// Rows handled by one task. Fixed, because partial sums over rows are added task by task.
const ROWS: usize = 64;

/// The mixture's parameters as slices of the model's.
#[derive(Clone, Copy, Debug)]
pub struct Mixture<'a, T> {
    /// K unnormalised log-weights; π is their softmax, so it can never leave (0, 1).
    pub log_weights: &'a [T],
    /// K × J means μ_c.
    pub means: &'a [T],
    /// K × J log-variances log σ²_c.
    pub log_variances: &'a [T],
}

/// Where the gradients of the mixture's parameters go.
#[derive(Debug)]
pub struct MixtureGradient<'a, T> {
    /// Of the log-weights.
    pub log_weights: &'a mut [T],
    /// Of the means.
    pub means: &'a mut [T],
    /// Of the log-variances.
    pub log_variances: &'a mut [T],
}

/// The code of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Code<'a, T> {
    /// μ̃
    pub mean: &'a Matrix<T>,
    /// log σ̃²
    pub log_variance: &'a Matrix<T>,
    /// z
    pub sample: &'a Matrix<T>,
}

/// Where the gradients of a batch's code are added.
#[derive(Debug)]
pub struct CodeGradient<'a, T> {
    /// Of μ̃, without the path through z.
    pub mean: &'a mut Matrix<T>,
    /// Of log σ̃², without the path through z.
    pub log_variance: &'a mut Matrix<T>,
    /// Of z.
    pub sample: &'a mut Matrix<T>,
}

/// What the term needs in memory: kept from step to step.
#[derive(Clone, Debug, Default)]
pub struct MixtureScratch<T> {
    constants: Constants<T>,
    /// For each task: its value, its share of each γ_c, and its part of the parameters' gradients.
    partial: Vec<T>,
    values: Vec<f64>,
    /// Σ_i γ_ic over the batch: how many rows each component holds.
    pub occupancy: Vec<f64>,
}

/// What is the same for all rows.
#[derive(Clone, Debug, Default)]
struct Constants<T> {
    /// log π_c
    log_pi: Vec<T>,
    /// 1/σ²_c
    precision: Vec<T>,
    /// log π_c − ½ Σ_j log σ²_cj
    offset: Vec<T>,
    /// Σ_j log σ²_cj
    log_determinant: Vec<T>,
}

impl<T: Real> Constants<T> {
    fn update(&mut self, mixture: Mixture<'_, T>, dimensions: usize) {
        let log_pi = log_softmax(mixture.log_weights);
        self.log_pi.clear();
        self.log_pi.extend(log_pi);
        self.precision.clear();
        self.precision.extend(mixture.log_variances.iter().map(|&v| (-v).exp::<false>()));
        self.log_determinant.clear();
        let rows = mixture.log_variances.chunks_exact(dimensions);
        self.log_determinant.extend(rows.map(|row| row.iter().copied().sum::<T>()));
        self.offset.clear();
        let half = T::of(0.5);
        self.offset.extend(self.log_pi.iter().zip(&self.log_determinant).map(|(&p, &d)| p - half * d));
    }
}

/// log softmax, by the largest entry.
pub fn log_softmax<T: Real>(logits: &[T]) -> impl Iterator<Item = T> + '_ {
    let largest = logits.iter().fold(T::of(f64::NEG_INFINITY), |m, &w| if w > m { w } else { m });
    let sum: f64 = logits.iter().map(|&w| exp((w - largest).f64())).sum();
    let norm = largest + T::of(ln(sum));
    logits.iter().map(move |&w| w - norm)
}

/// Shares out of their logarithms, which need not be normalised; they add up to 1 however large these are, where
/// [`log_softmax`] would lose its last digits.
pub(crate) fn softmax(scores: &[f64], shares: &mut [f32]) {
    let largest = scores.iter().fold(f64::NEG_INFINITY, |m, &w| if w > m { w } else { m });
    // Beyond all numbers nothing is told apart.
    let largest = if largest.is_finite() { largest } else { 0.0 };
    let share = |score: f64| if score.is_finite() { exp(score - largest) } else { 0.0 };
    let sum: f64 = scores.iter().map(|&score| share(score)).sum();
    for (out, &score) in shares.iter_mut().zip(scores) {
        *out = if sum > 0.0 { (share(score) / sum) as f32 } else { 1.0 / scores.len() as f32 };
    }
}

/// The value of the term; adds weight × its gradient to the code's gradients and writes weight × its
/// gradient for the mixture's parameters.
pub fn mixture_divergence<T: Real>(
    mixture: Mixture<'_, T>,
    code: Code<'_, T>,
    weight: f64,
    code_gradient: &mut CodeGradient<'_, T>,
    mixture_gradient: &mut MixtureGradient<'_, T>,
    scratch: &mut MixtureScratch<T>,
) -> f64 {
    let (rows, dimensions) = (code.mean.rows(), code.mean.cols());
    let components = mixture.log_weights.len();
    let step = T::of(weight / rows as f64);
    scratch.constants.update(mixture, dimensions);
    let constants = &scratch.constants;
    let tasks = rows.div_ceil(ROWS);
    // γ sums (K), gradients of log π (K), of the means (K·J) and of the log-variances (K·J).
    let width = 2 * components * (1 + dimensions);
    scratch.partial.resize(tasks * width, T::ZERO);
    scratch.partial.fill(T::ZERO);
    scratch.values.resize(tasks, 0.0);
    let block = ROWS * dimensions;
    scratch
        .partial
        .par_chunks_mut(width)
        .zip(scratch.values.par_iter_mut())
        .zip(code_gradient.mean.as_mut_slice().par_chunks_mut(block))
        .zip(code_gradient.log_variance.as_mut_slice().par_chunks_mut(block))
        .zip(code_gradient.sample.as_mut_slice().par_chunks_mut(block))
        .enumerate()
        .for_each(|(task, ((((partial, value), d_mean), d_log_variance), d_sample))| {
            *value = rows_of_task(
                mixture.means,
                constants,
                &code.mean.as_slice()[task * block..][..d_mean.len()],
                &code.log_variance.as_slice()[task * block..][..d_mean.len()],
                &code.sample.as_slice()[task * block..][..d_mean.len()],
                step,
                d_mean,
                d_log_variance,
                d_sample,
                partial,
            );
        });
    add_partials(scratch, width, components, step, mixture_gradient);
    scratch.values.iter().sum::<f64>() / rows as f64
}

/// The value of the term for each row.
pub fn mixture_divergences<T: Real>(mixture: Mixture<'_, T>, code: Code<'_, T>) -> Vec<f64> {
    let (components, dimensions) = (mixture.log_weights.len(), code.mean.cols());
    let mut constants = Constants::default();
    constants.update(mixture, dimensions);
    let mut buffer = vec![T::ZERO; 3 * components + dimensions];
    let value = |i: usize| {
        let row = Row {
            mean: code.mean.row(i),
            log_variance: code.log_variance.row(i),
            sample: code.sample.row(i),
        };
        responsibilities_and_value::<T, false>(mixture.means, &constants, row, &mut buffer)
    };
    (0..code.mean.rows()).map(value).collect()
}

/// Adds the tasks' parts in their order, and takes the gradient of log π through the softmax.
fn add_partials<T: Real>(
    scratch: &mut MixtureScratch<T>,
    width: usize,
    components: usize,
    step: T,
    gradient: &mut MixtureGradient<'_, T>,
) {
    let total = |at: usize| scratch.partial.chunks_exact(width).map(|p| p[at].f64()).sum::<f64>();
    scratch.occupancy.clear();
    scratch.occupancy.extend((0..components).map(total));
    let pulled: f64 = (components..2 * components).map(total).sum();
    for c in 0..components {
        let pi = exp(scratch.constants.log_pi[c].f64());
        gradient.log_weights[c] = T::of(step.f64() * (total(components + c) - pi * pulled));
    }
    let per = gradient.means.len();
    for i in 0..per {
        gradient.means[i] = T::of(step.f64() * total(2 * components + i));
        gradient.log_variances[i] = T::of(step.f64() * total(2 * components + per + i));
    }
}

/// A row's scratch (γ, g and e of each component, and σ̃²) lies on the stack up to this size: enough
/// for 80 components in 10 dimensions.
const STACK: usize = 256;

kernel! {
    fn rows_of_task<T>(
        means: &[T],
        constants: &Constants<T>,
        mean: &[T],
        log_variance: &[T],
        sample: &[T],
        step: T,
        d_mean: &mut [T],
        d_log_variance: &mut [T],
        d_sample: &mut [T],
        partial: &mut [T],
    ) -> f64 {
        let components = constants.log_pi.len();
        let dimensions = means.len() / components;
        let mut stack = [T::ZERO; STACK];
        let mut heap = Vec::new();
        let size = 3 * components + dimensions;
        let buffer = if size <= STACK {
            &mut stack[..size]
        } else {
            heap.resize(size, T::ZERO);
            &mut heap[..]
        };
        let mut value = 0.0;
        let codes = mean.chunks_exact(dimensions).zip(log_variance.chunks_exact(dimensions));
        let gradients = d_mean
            .chunks_exact_mut(dimensions)
            .zip(d_log_variance.chunks_exact_mut(dimensions))
            .zip(d_sample.chunks_exact_mut(dimensions));
        for (((mean, log_variance), sample), ((d_mean, d_log_variance), d_sample)) in
            codes.zip(sample.chunks_exact(dimensions)).zip(gradients)
        {
            let row = Row { mean, log_variance, sample };
            value += responsibilities_and_value::<T, FMA>(means, constants, row, buffer);
            row_gradient(means, constants, row, buffer, step, d_mean, d_log_variance, d_sample, partial);
        }
        value
    }
}

#[derive(Clone, Copy)]
struct Row<'a, T> {
    mean: &'a [T],
    log_variance: &'a [T],
    sample: &'a [T],
}

/// Fills `buffer` with γ_c, g_c, e_c and σ̃², and returns the row's value.
#[inline(always)]
fn responsibilities_and_value<T: Real, const FMA: bool>(
    means: &[T],
    constants: &Constants<T>,
    row: Row<'_, T>,
    buffer: &mut [T],
) -> f64 {
    let (components, dimensions) = (constants.log_pi.len(), row.mean.len());
    let (gamma, rest) = buffer.split_at_mut(components);
    let (pull, rest) = rest.split_at_mut(components);
    let (energy, variance) = rest.split_at_mut(components);
    variance.iter_mut().zip(row.log_variance).for_each(|(s, &v)| *s = v.exp::<FMA>());
    let half = T::of(0.5);
    let mut largest = T::of(f64::NEG_INFINITY);
    for c in 0..components {
        let at = c * dimensions..(c + 1) * dimensions;
        let (mu_c, precision) = (&means[at.clone()], &constants.precision[at]);
        let (mut distance, mut inner) = (T::ZERO, constants.log_determinant[c]);
        for j in 0..dimensions {
            let dz = row.sample[j] - mu_c[j];
            distance += dz * dz * precision[j];
            let dm = row.mean[j] - mu_c[j];
            inner += (variance[j] + dm * dm) * precision[j];
        }
        gamma[c] = constants.offset[c] - half * distance;
        energy[c] = half * inner - constants.log_pi[c];
        if gamma[c] > largest {
            largest = gamma[c];
        }
    }
    let sum = gamma.iter().map(|&l| (l - largest).exp::<FMA>()).sum::<T>();
    let norm = largest + sum.ln::<FMA>();
    let mut mean_energy = T::ZERO;
    for c in 0..components {
        let log_gamma = gamma[c] - norm;
        gamma[c] = log_gamma.exp::<FMA>();
        energy[c] += log_gamma;
        mean_energy += gamma[c] * energy[c];
    }
    for c in 0..components {
        pull[c] = gamma[c] * (energy[c] - mean_energy);
    }
    let entropy = row.log_variance.iter().map(|&v| T::ONE + v).sum::<T>();
    (mean_energy - half * entropy).f64()
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn row_gradient<T: Real>(
    means: &[T],
    constants: &Constants<T>,
    row: Row<'_, T>,
    buffer: &[T],
    step: T,
    d_mean: &mut [T],
    d_log_variance: &mut [T],
    d_sample: &mut [T],
    partial: &mut [T],
) {
    let (components, dimensions) = (constants.log_pi.len(), row.mean.len());
    let (gamma, pull) = (&buffer[..components], &buffer[components..2 * components]);
    let variance = &buffer[3 * components..];
    let (sums, rest) = partial.split_at_mut(components);
    let (d_log_pi, rest) = rest.split_at_mut(components);
    let (d_means, d_log_variances) = rest.split_at_mut(components * dimensions);
    let half = T::of(0.5);
    for v in d_log_variance.iter_mut() {
        *v -= step * half;
    }
    for c in 0..components {
        let (gamma, pull) = (gamma[c], pull[c]);
        sums[c] += gamma;
        d_log_pi[c] += pull - gamma;
        for j in 0..dimensions {
            let at = c * dimensions + j;
            let precision = constants.precision[at];
            let dz = row.sample[j] - means[at];
            let dm = row.mean[j] - means[at];
            d_sample[j] -= step * pull * dz * precision;
            d_mean[j] += step * gamma * dm * precision;
            d_log_variance[j] += step * half * gamma * variance[j] * precision;
            d_means[at] += (pull * dz - gamma * dm) * precision;
            d_log_variances[at] += half
                * (pull * (dz * dz * precision - T::ONE)
                    + gamma * (T::ONE - (variance[j] + dm * dm) * precision));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::finite_difference::assert_gradient;
    use lpvdn_core::StreamKey;

    const ROWS_IN_TEST: usize = 70; // more than one task
    const J: usize = 3;
    const K: usize = 4;

    /// All inputs of the term side by side, in the order mean, log σ̃², z, log-weights, means, log σ²_c.
    fn example() -> Vec<f64> {
        let mut s = StreamKey::new(31, "mixture").open();
        (0..3 * ROWS_IN_TEST * J + K + 2 * K * J).map(|_| 0.8 * s.normal()).collect()
    }

    fn evaluate(x: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
        let n = ROWS_IN_TEST * J;
        let matrix = |i: usize| Matrix::from_vec(x[i * n..(i + 1) * n].to_vec(), ROWS_IN_TEST, J);
        let (mean, log_variance, sample) = (matrix(0), matrix(1), matrix(2));
        let p = &x[3 * n..];
        let mixture =
            Mixture { log_weights: &p[..K], means: &p[K..K + K * J], log_variances: &p[K + K * J..] };
        let mut d =
            [Matrix::zeros(ROWS_IN_TEST, J), Matrix::zeros(ROWS_IN_TEST, J), Matrix::zeros(ROWS_IN_TEST, J)];
        let (mut dw, mut dm, mut dv) = (vec![0.0; K], vec![0.0; K * J], vec![0.0; K * J]);
        let mut scratch = MixtureScratch::default();
        let [d_mean, d_log_variance, d_sample] = &mut d;
        let value = mixture_divergence(
            mixture,
            Code { mean: &mean, log_variance: &log_variance, sample: &sample },
            1.3,
            &mut CodeGradient { mean: d_mean, log_variance: d_log_variance, sample: d_sample },
            &mut MixtureGradient { log_weights: &mut dw, means: &mut dm, log_variances: &mut dv },
            &mut scratch,
        );
        let mut gradient: Vec<f64> = d.iter().flat_map(|m| m.as_slice().to_vec()).collect();
        gradient.extend(dw.into_iter().chain(dm).chain(dv));
        (1.3 * value, gradient, scratch.occupancy)
    }

    /// Each input alone: the code's three parts and the mixture's three are separate coordinates
    /// here, so a missing path through γ would show.
    #[test]
    fn each_input_has_the_gradient_of_the_value() {
        let x = example();
        let (_, gradient, _) = evaluate(&x);
        assert_gradient("mixture", &x, &gradient, |x| evaluate(x).0);
    }

    #[test]
    fn the_value_is_the_mean_over_the_rows() {
        let x = example();
        let n = ROWS_IN_TEST * J;
        let matrix = |i: usize| Matrix::from_vec(x[i * n..(i + 1) * n].to_vec(), ROWS_IN_TEST, J);
        let (mean, log_variance, sample) = (matrix(0), matrix(1), matrix(2));
        let p = &x[3 * n..];
        let mixture =
            Mixture { log_weights: &p[..K], means: &p[K..K + K * J], log_variances: &p[K + K * J..] };
        let code = Code { mean: &mean, log_variance: &log_variance, sample: &sample };
        let rows = mixture_divergences(mixture, code);
        let mean = rows.iter().sum::<f64>() / ROWS_IN_TEST as f64;
        assert!((1.3 * mean - evaluate(&x).0).abs() < 1e-9);
    }

    #[test]
    fn a_code_that_is_the_prior_itself_has_divergence_zero() {
        // One component, μ̃ = μ_c and σ̃ = σ_c: q(z|x) is the prior.
        let (mean, log_variance) =
            (Matrix::from_vec(vec![1.0, -2.0], 1, 2), Matrix::from_vec(vec![0.3, -0.4], 1, 2));
        let mut d = [Matrix::zeros(1, 2), Matrix::zeros(1, 2), Matrix::zeros(1, 2)];
        let [d_mean, d_log_variance, d_sample] = &mut d;
        let value = mixture_divergence(
            Mixture { log_weights: &[0.0], means: mean.as_slice(), log_variances: log_variance.as_slice() },
            Code { mean: &mean, log_variance: &log_variance, sample: &mean },
            1.0,
            &mut CodeGradient { mean: d_mean, log_variance: d_log_variance, sample: d_sample },
            &mut MixtureGradient {
                log_weights: &mut [0.0],
                means: &mut [0.0; 2],
                log_variances: &mut [0.0; 2],
            },
            &mut MixtureScratch::default(),
        );
        assert!(f64::abs(value) < 1e-12, "{value}");
        assert!(d.iter().all(|m| m.as_slice().iter().all(|g: &f64| g.abs() < 1e-12)));
    }

    #[test]
    fn responsibilities_sum_to_the_number_of_rows() {
        let (_, _, occupancy) = evaluate(&example());
        assert!((occupancy.iter().sum::<f64>() - ROWS_IN_TEST as f64).abs() < 1e-9);
        assert!(occupancy.iter().all(|&n| n > 0.0));
    }

    #[test]
    fn a_code_far_from_every_component_stays_finite() {
        let mean = Matrix::from_vec(vec![1e4_f32; 10], 1, 10);
        let log_variance = Matrix::from_vec(vec![3.0; 10], 1, 10);
        let mut d = [Matrix::zeros(1, 10), Matrix::zeros(1, 10), Matrix::zeros(1, 10)];
        let [d_mean, d_log_variance, d_sample] = &mut d;
        let value = mixture_divergence(
            Mixture { log_weights: &[0.0, -30.0], means: &[0.0; 20], log_variances: &[0.5; 20] },
            Code { mean: &mean, log_variance: &log_variance, sample: &mean },
            1.0,
            &mut CodeGradient { mean: d_mean, log_variance: d_log_variance, sample: d_sample },
            &mut MixtureGradient {
                log_weights: &mut [0.0; 2],
                means: &mut [0.0; 20],
                log_variances: &mut [0.0; 20],
            },
            &mut MixtureScratch::default(),
        );
        assert!(value.is_finite());
        assert!(d.iter().all(|m| m.as_slice().iter().all(|g| g.is_finite())));
    }
}

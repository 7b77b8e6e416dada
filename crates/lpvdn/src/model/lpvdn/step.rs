//! One step of joint training: the value of each term and the gradient of their sum.
//!
//! After the encoder, the three terms need nothing of each other until their gradients meet at its
//! output. They run as three branches under one join, so that the small and bandwidth-bound work of
//! one fills the gaps of another; each has memory of its own, and what they leave is added in a fixed
//! order.

use lpvdn_core::source::Input;
use lpvdn_core::{Matrix, Real};
use lpvdn_nn::MlpWorkspace;

use super::discriminator::Negatives;
use super::network::Network;
use super::terms::{GlobalTerm, InformationTerm, LocalityPoints, LocalityTerm};
use crate::loss::affinities::AffinitySource;
use crate::loss::mixture::Code;
use crate::loss::reconstruction::Likelihood;

/// How much each term counts, and how its gradient is passed on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TermWeights {
    /// The weight of the divergence from the mixture prior; 1 in the paper.
    pub divergence: f64,
    /// α0, the weight of L_MI; 0 leaves the term out.
    pub alpha0: f64,
    /// α1, the weight of L_LP; 0 leaves the term out.
    pub alpha1: f64,
    /// P's perplexity as a share of the batch.
    pub perplexity: f64,
    /// Between which points P is measured.
    pub affinities: AffinitySource,
    /// Whether α1 scales the locality net's own gradient too (as in the paper), or only what flows
    /// on into the encoder. Adam ignores a constant scale but for its eps.
    pub scale_locality_net: bool,
    /// log σ̃² is kept within ± this.
    pub log_variance_bound: f64,
}

/// The value of each term for one batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TermValues {
    /// −log p(x|z)
    pub reconstruction: f64,
    /// The divergence from the mixture prior.
    pub divergence: f64,
    /// L_MI
    pub mutual_information: f64,
    /// L_LP
    pub locality: f64,
}

/// One batch on its way through a step.
#[derive(Clone, Copy, Debug)]
pub struct StepBatch<'a, T> {
    /// The rows.
    pub x: Input<'a, T>,
    /// The same rows, dense: what the decoder is compared with.
    pub target: &'a Matrix<T>,
    /// The false rows for L_MI.
    pub negatives: Negatives<'a, T>,
    /// ε of z = μ̃ + σ̃ ε.
    pub noise: &'a Matrix<T>,
    /// P, where it comes from a graph over all rows.
    pub joint: Option<&'a Matrix<T>>,
}

/// All memory of a step, allocated once.
#[derive(Clone, Debug)]
pub struct StepWorkspace<T> {
    pub(super) encoder: MlpWorkspace<T>,
    pub(super) codes: Codes<T>,
    pub(super) global: GlobalTerm<T>,
    information: InformationTerm<T>,
    locality: LocalityTerm<T>,
}

/// What the encoder makes of a batch.
#[derive(Clone, Debug)]
pub(super) struct Codes<T> {
    /// μ̃
    pub(super) mean: Matrix<T>,
    /// log σ̃²
    log_variance: Matrix<T>,
    /// z
    sample: Matrix<T>,
}

impl<T> Codes<T> {
    fn view(&self) -> Code<'_, T> {
        Code { mean: &self.mean, log_variance: &self.log_variance, sample: &self.sample }
    }
}

impl<T> StepWorkspace<T> {
    /// Σ_i γ_ic over the rows of the last batch.
    pub fn occupancy(&self) -> &[f64] {
        self.global.occupancy()
    }
}

impl Network {
    /// Memory for batches of up to `rows` rows.
    pub fn workspace<T: Real>(&self, rows: usize, weights: &TermWeights) -> StepWorkspace<T> {
        let code = || Matrix::zeros(rows, self.shape().latent);
        StepWorkspace {
            encoder: self.encoder().workspace(rows, true),
            codes: Codes { mean: code(), log_variance: code(), sample: code() },
            global: GlobalTerm::new(self, rows),
            information: InformationTerm::new(self, rows, weights),
            locality: LocalityTerm::new(self, rows, weights),
        }
    }

    /// One joint step (Eqn. 1): the value of each term, and in `grads` the gradient of
    /// L_G + α0·L_MI + α1·L_LP with respect to all parameters.
    ///
    /// # Panics
    /// When the affinities are those of a graph and the batch brings none.
    pub fn step<T: Real>(
        &self,
        params: &[T],
        batch: StepBatch<'_, T>,
        likelihood: Likelihood,
        weights: &TermWeights,
        ws: &mut StepWorkspace<T>,
        grads: &mut [T],
    ) -> TermValues {
        let mut grads = self.divide(grads);
        self.encode_and_sample(params, batch, weights, ws);
        let StepWorkspace { codes, global, information, locality, .. } = ws;
        let code = codes.view();
        let points = LocalityPoints { mean: code.mean, rows: batch.target, joint: batch.joint };
        let (decoder, mixture) = (grads.decoder, &mut grads.mixture);
        let (discriminator, locality_net) = (grads.discriminator, grads.locality);
        let ((reconstruction, divergence), (mutual_information, locality)) = rayon::join(
            || global.run(self, params, batch.target, code, likelihood, weights, decoder, mixture),
            || {
                rayon::join(
                    || information.run(self, params, batch, code.sample, weights, discriminator),
                    || locality.run(self, params, points, weights, locality_net),
                )
            },
        );
        self.gather_code_gradient(batch.noise, weights, ws);
        self.encoder().backward(params, batch.x, &mut ws.encoder, grads.encoder, None);
        TermValues { reconstruction, divergence, mutual_information, locality }
    }

    /// One step of the locality net alone: L_LP between fixed latent means, and its gradient in
    /// `grads`. The other gradients stay as they are.
    pub fn locality_step<T: Real>(
        &self,
        params: &[T],
        mean: &Matrix<T>,
        joint: &Matrix<T>,
        weights: &TermWeights,
        ws: &mut StepWorkspace<T>,
        grads: &mut [T],
    ) -> f64 {
        let points = LocalityPoints { mean, rows: mean, joint: Some(joint) };
        ws.locality.run(self, params, points, weights, self.divide(grads).locality)
    }

    /// [μ̃, log σ̃²] = g(x; φ) (Eqn. 5) and z = μ̃ + σ̃∘ε (Eqn. 6).
    fn encode_and_sample<T: Real>(
        &self,
        params: &[T],
        batch: StepBatch<'_, T>,
        weights: &TermWeights,
        ws: &mut StepWorkspace<T>,
    ) {
        let (n, j) = (batch.x.rows(), self.shape().latent);
        self.encoder().forward(params, batch.x, &mut ws.encoder);
        let Codes { mean, log_variance, sample } = &mut ws.codes;
        for m in [&mut *mean, &mut *log_variance, &mut *sample] {
            m.set_rows(n);
        }
        let bound = T::of(weights.log_variance_bound);
        for i in 0..n {
            let (from_mean, from_log_variance) = ws.encoder.output().row(i).split_at(j);
            mean.row_mut(i).copy_from_slice(from_mean);
            for c in 0..j {
                let v = from_log_variance[c].at_least(-bound).at_most(bound);
                log_variance.row_mut(i)[c] = v;
                sample.row_mut(i)[c] = from_mean[c] + deviation(v) * batch.noise.row(i)[c];
            }
        }
    }

    /// The gradient of the encoder's output from those of μ̃, log σ̃² and z:
    /// ∂μ̃ gets ∂z, and ∂log σ̃² gets ∂z·½σ̃ε.
    fn gather_code_gradient<T: Real>(
        &self,
        noise: &Matrix<T>,
        weights: &TermWeights,
        ws: &mut StepWorkspace<T>,
    ) {
        let (n, j) = (ws.codes.mean.rows(), self.shape().latent);
        let bound = T::of(weights.log_variance_bound);
        let half = T::of(0.5);
        let (global, information, locality) = (&ws.global, &ws.information, &ws.locality);
        let (output, head) = ws.encoder.output_and_gradient();
        for i in 0..n {
            let raw = &output.row(i)[j..];
            let (d_mean, d_log_variance) = head.row_mut(i).split_at_mut(j);
            for c in 0..j {
                let dz = global.d_sample(i, c) + information.d_sample(i, c);
                d_mean[c] = global.d_mean(i, c) + locality.d_mean(i, c) + dz;
                // z − μ̃ = σ̃ε
                let spread = deviation(ws.codes.log_variance.row(i)[c]) * noise.row(i)[c];
                let d = global.d_log_variance(i, c) + dz * half * spread;
                // Outside the bound, only a gradient that leads back inside passes.
                let outward = (raw[c] > bound && d < T::ZERO) || (raw[c] < -bound && d > T::ZERO);
                d_log_variance[c] = if outward { T::ZERO } else { d };
            }
        }
    }
}

/// σ̃ from log σ̃².
fn deviation<T: Real>(log_variance: T) -> T {
    (T::of(0.5) * log_variance).exp::<false>()
}

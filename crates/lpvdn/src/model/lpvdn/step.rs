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
use crate::loss::reconstruction::Likelihood;
use crate::model::autoencoder::codes::{CodeGradients, Codes};
use crate::model::autoencoder::pretrain::PretrainWorkspace;

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
    encoder: MlpWorkspace<T>,
    codes: Codes<T>,
    global: GlobalTerm<T>,
    information: InformationTerm<T>,
    locality: LocalityTerm<T>,
}

impl<T> StepWorkspace<T> {
    /// What of it pre-training uses.
    pub(super) fn of_pretraining(&mut self) -> PretrainWorkspace<'_, T> {
        let decoding = &mut self.global.decoding;
        PretrainWorkspace { encoder: &mut self.encoder, codes: &mut self.codes, decoding }
    }

    /// Σ_i γ_ic over the rows of the last batch.
    pub fn occupancy(&self) -> &[f64] {
        self.global.occupancy()
    }
}

impl Network {
    /// Memory for batches of up to `rows` rows.
    pub fn workspace<T: Real>(&self, rows: usize, weights: &TermWeights) -> StepWorkspace<T> {
        StepWorkspace {
            encoder: self.encoder().workspace(rows, true),
            codes: Codes::new(rows, self.shape().latent),
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
        self.encoder().forward(params, batch.x, &mut ws.encoder);
        ws.codes.read_and_sample(ws.encoder.output(), batch.noise, weights.log_variance_bound);
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
        let StepWorkspace { encoder, codes, global, information, locality: term } = ws;
        let left = LeftByTerms { global, information, locality: term };
        codes.write_gradient(encoder, batch.noise, weights.log_variance_bound, &left);
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
}

/// What the terms leave for the encoder.
struct LeftByTerms<'a, T> {
    global: &'a GlobalTerm<T>,
    information: &'a InformationTerm<T>,
    locality: &'a LocalityTerm<T>,
}

impl<T: Real> CodeGradients<T> for LeftByTerms<'_, T> {
    #[inline]
    fn mean(&self, i: usize, c: usize) -> T {
        self.global.d_mean(i, c) + self.locality.d_mean(i, c)
    }
    #[inline]
    fn log_variance(&self, i: usize, c: usize) -> T {
        self.global.d_log_variance(i, c)
    }
    #[inline]
    fn sample(&self, i: usize, c: usize) -> T {
        self.global.d_sample(i, c) + self.information.d_sample(i, c)
    }
}

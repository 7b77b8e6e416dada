//! The three terms of the loss as branches of a step: each with its networks' memory, and with the
//! gradient it leaves for the encoder.

use lpvdn_core::source::Input;
use lpvdn_core::{Matrix, Real};
use lpvdn_nn::MlpWorkspace;

use super::discriminator::DiscriminatorWorkspace;
use super::network::Network;
use super::step::{StepBatch, TermWeights};
use crate::loss::affinities::{Affinities, AffinitySource};
use crate::loss::locality::{LocalityScratch, locality};
use crate::loss::mixture::{Code, CodeGradient, MixtureGradient, MixtureScratch, mixture_divergence};
use crate::loss::reconstruction::{Likelihood, Objective};
use crate::model::autoencoder::network::{Comparison, Decoding};

/// Below this many rows a batch has no neighbourhoods worth keeping, and L_LP is left out.
pub(super) const SMALLEST_LOCALITY_BATCH: usize = 16;

/// L_G: reconstruction and divergence from the mixture prior.
#[derive(Clone, Debug)]
pub(super) struct GlobalTerm<T> {
    pub(super) decoding: Decoding<T>,
    mixture: MixtureScratch<T>,
    d_mean: Matrix<T>,
    d_log_variance: Matrix<T>,
    /// Of z, from the divergence alone.
    d_sample: Matrix<T>,
}

impl<T: Real> GlobalTerm<T> {
    pub(super) fn new(network: &Network, rows: usize) -> GlobalTerm<T> {
        let code = || Matrix::zeros(rows, network.shape().latent);
        GlobalTerm {
            decoding: Decoding::new(network.autoencoder(), rows),
            mixture: MixtureScratch::default(),
            d_mean: code(),
            d_log_variance: code(),
            d_sample: code(),
        }
    }

    /// Both parts' values.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn run(
        &mut self,
        network: &Network,
        params: &[T],
        target: &Matrix<T>,
        code: Code<'_, T>,
        likelihood: Likelihood,
        weights: &TermWeights,
        decoder: &mut [T],
        mixture: &mut MixtureGradient<'_, T>,
    ) -> (f64, f64) {
        let divergence = self.divergence(network, params, code, weights, mixture);
        let with = Comparison { target, likelihood, objective: Objective::LogLikelihood };
        let error = self.decoding.run(network.decoder(), params, code.sample, with, decoder);
        (error, divergence)
    }

    fn divergence(
        &mut self,
        network: &Network,
        params: &[T],
        code: Code<'_, T>,
        weights: &TermWeights,
        gradient: &mut MixtureGradient<'_, T>,
    ) -> f64 {
        for m in [&mut self.d_mean, &mut self.d_log_variance, &mut self.d_sample] {
            m.set_rows(code.mean.rows());
            m.fill(T::ZERO);
        }
        let mut code_gradient = CodeGradient {
            mean: &mut self.d_mean,
            log_variance: &mut self.d_log_variance,
            sample: &mut self.d_sample,
        };
        let (mixture, weight) = (network.mixture(params), weights.divergence);
        mixture_divergence(mixture, code, weight, &mut code_gradient, gradient, &mut self.mixture)
    }

    #[inline]
    pub(super) fn d_sample(&self, i: usize, c: usize) -> T {
        self.decoding.d_codes().row(i)[c] + self.d_sample.row(i)[c]
    }

    #[inline]
    pub(super) fn d_mean(&self, i: usize, c: usize) -> T {
        self.d_mean.row(i)[c]
    }

    #[inline]
    pub(super) fn d_log_variance(&self, i: usize, c: usize) -> T {
        self.d_log_variance.row(i)[c]
    }
}

impl<T> GlobalTerm<T> {
    pub(super) fn occupancy(&self) -> &[f64] {
        &self.mixture.occupancy
    }
}

/// L_MI.
#[derive(Clone, Debug)]
pub(super) struct InformationTerm<T> {
    discriminator: DiscriminatorWorkspace<T>,
    d_sample: Matrix<T>,
}

impl<T: Real> InformationTerm<T> {
    pub(super) fn new(network: &Network, rows: usize, weights: &TermWeights) -> InformationTerm<T> {
        // A term that is left out needs no memory.
        let discriminated = if weights.alpha0 > 0.0 { rows } else { 0 };
        InformationTerm {
            discriminator: network.discriminator().workspace(discriminated),
            d_sample: Matrix::zeros(rows, network.shape().latent),
        }
    }

    pub(super) fn run(
        &mut self,
        network: &Network,
        params: &[T],
        batch: StepBatch<'_, T>,
        sample: &Matrix<T>,
        weights: &TermWeights,
        grads: &mut [T],
    ) -> f64 {
        // A single row has no false partner.
        if weights.alpha0 <= 0.0 || sample.rows() < 2 {
            leave_nothing(grads, &mut self.d_sample, sample.rows());
            return 0.0;
        }
        let (x, negatives, alpha0) = (batch.x, batch.negatives, weights.alpha0);
        let (d_z, ws) = (&mut self.d_sample, &mut self.discriminator);
        network.discriminator().loss(params, x, sample, negatives, alpha0, grads, d_z, ws)
    }

    #[inline]
    pub(super) fn d_sample(&self, i: usize, c: usize) -> T {
        self.d_sample.row(i)[c]
    }
}

/// L_LP.
#[derive(Clone, Debug)]
pub(super) struct LocalityTerm<T> {
    net: MlpWorkspace<T>,
    latent_affinities: Affinities<T>,
    row_affinities: Affinities<T>,
    scratch: LocalityScratch<T>,
    d_mean: Matrix<T>,
    /// What α1 does to the gradient on its way to the encoder.
    onward: T,
}

/// What L_LP looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalityPoints<'a, T> {
    /// μ̃
    pub(super) mean: &'a Matrix<T>,
    /// The rows they belong to.
    pub(super) rows: &'a Matrix<T>,
    /// P, where it comes from a graph.
    pub(super) joint: Option<&'a Matrix<T>>,
}

impl<T: Real> LocalityTerm<T> {
    pub(super) fn new(network: &Network, rows: usize, weights: &TermWeights) -> LocalityTerm<T> {
        let (columns, latent) = (network.shape().columns, network.shape().latent);
        let pairs = if weights.alpha1 > 0.0 { rows } else { 0 };
        let (from_latent, from_rows) = match weights.affinities {
            AffinitySource::Latent => (pairs, 0),
            AffinitySource::Rows => (0, pairs),
            AffinitySource::Both => (pairs, pairs),
            AffinitySource::LatentGraph | AffinitySource::RowGraph | AffinitySource::BothGraphs => (0, 0),
        };
        LocalityTerm {
            net: network.locality().workspace(pairs, true),
            latent_affinities: Affinities::new(from_latent, latent),
            row_affinities: Affinities::new(from_rows, columns),
            scratch: LocalityScratch::new(pairs, network.shape().output),
            d_mean: Matrix::zeros(rows, latent),
            onward: T::ONE,
        }
    }

    pub(super) fn run(
        &mut self,
        network: &Network,
        params: &[T],
        points: LocalityPoints<'_, T>,
        weights: &TermWeights,
        grads: &mut [T],
    ) -> f64 {
        let LocalityPoints { mean, rows, joint: known } = points;
        let n = mean.rows();
        if weights.alpha1 <= 0.0 || n < SMALLEST_LOCALITY_BATCH {
            leave_nothing(grads, &mut self.d_mean, n);
            return 0.0;
        }
        let perplexity = (weights.perplexity * n as f64).clamp(2.0, (n - 1) as f64 / 3.0);
        let LocalityTerm { net, latent_affinities, row_affinities, scratch, d_mean, onward } = self;
        let codes = Input::Dense(mean);
        let (joint, ()) = rayon::join(
            || match known {
                Some(joint) => joint,
                None => {
                    let source = weights.affinities;
                    joint(source, mean, rows, perplexity, latent_affinities, row_affinities)
                }
            },
            || network.locality().forward(params, codes, net),
        );
        let (own, rest) =
            if weights.scale_locality_net { (weights.alpha1, 1.0) } else { (1.0, weights.alpha1) };
        *onward = T::of(rest);
        let (output, gradient) = net.output_and_gradient();
        let value = locality(joint, output, own, gradient, scratch);
        network.locality().backward(params, codes, net, grads, Some(d_mean));
        value
    }

    #[inline]
    pub(super) fn d_mean(&self, i: usize, c: usize) -> T {
        self.onward * self.d_mean.row(i)[c]
    }
}

/// P of a batch, measured between latent means, rows, or both.
fn joint<'a, T: Real>(
    source: AffinitySource,
    mean: &Matrix<T>,
    rows: &Matrix<T>,
    perplexity: f64,
    of_latent: &'a mut Affinities<T>,
    of_rows: &'a mut Affinities<T>,
) -> &'a Matrix<T> {
    match source {
        AffinitySource::Latent => {
            of_latent.update(mean, perplexity);
            of_latent.joint()
        }
        AffinitySource::Rows => {
            of_rows.update(rows, perplexity);
            of_rows.joint()
        }
        AffinitySource::Both => {
            of_latent.update(mean, perplexity);
            of_rows.update(rows, perplexity);
            of_latent.average_with(of_rows);
            of_latent.joint()
        }
        AffinitySource::LatentGraph | AffinitySource::RowGraph | AffinitySource::BothGraphs => {
            panic!("P of a graph comes with the batch")
        }
    }
}

/// The gradients of a term that is left out: what an earlier batch left must not be applied again.
fn leave_nothing<T: Real>(grads: &mut [T], d_code: &mut Matrix<T>, rows: usize) {
    grads.fill(T::ZERO);
    d_code.set_rows(rows);
    d_code.fill(T::ZERO);
}

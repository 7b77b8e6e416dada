//! The whole network: where its parameters lie, and one step's losses and gradients.
//!
//! ```text
//! x ─ encoder ─┬─ μ̃ ─────────────┬─ locality net ─ o' ─ L_LP
//!              └─ log σ̃² ─ z ─┬─ decoder ─ reconstruction ─┐
//!                             ├─ mixture prior ────────────┴─ L_G
//!                        x ───┴─ discriminator ─ L_MI
//! ```

use std::ops::Range;

use lpvdn_core::math::ln;
use lpvdn_core::source::Input;
use lpvdn_core::{Matrix, Real, StreamKey};
use lpvdn_nn::{Activation, Init, Layout, Mlp, MlpWorkspace, Span};

use super::discriminator::{Discriminator, DiscriminatorWorkspace, Negatives};
use crate::loss::affinities::{Affinities, AffinitySource};
use crate::loss::locality::{LocalityScratch, locality};
use crate::loss::mixture::{
    Code, CodeGradient, Mixture, MixtureGradient, MixtureScratch, mixture_divergence,
};
use crate::loss::reconstruction::{Likelihood, Objective, reconstruction};

/// Below this many rows a batch has no neighbourhoods worth keeping, and L_LP is left out.
pub const SMALLEST_LOCALITY_BATCH: usize = 16;

/// The sizes of all layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// D, the columns of the data.
    pub columns: usize,
    /// Hidden layers of the encoder; the decoder has them in reverse.
    pub layers: Vec<usize>,
    /// J, the size of the latent space.
    pub latent: usize,
    /// K, the components of the mixture.
    pub clusters: usize,
    /// Hidden layers of the discriminator.
    pub discriminator: Vec<usize>,
    /// Hidden layers of the locality net.
    pub locality: Vec<usize>,
    /// The size of o'.
    pub output: usize,
}

/// Where every parameter lies. The parameters themselves are one slice that is passed in.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    shape: Shape,
    layout: Layout,
    /// D → … → 2J: latent mean and log-variance side by side.
    encoder: Mlp,
    decoder: Mlp,
    mixture: MixtureSpans,
    discriminator: Discriminator,
    locality: Mlp,
    /// The parameters that pre-training moves: encoder and decoder.
    autoencoder: Range<usize>,
    /// The parameters of the discriminator and of the locality net.
    discriminator_range: Range<usize>,
    locality_range: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct MixtureSpans {
    log_weights: Span,
    means: Span,
    log_variances: Span,
}

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
}

/// All memory of a step, allocated once.
#[derive(Clone, Debug)]
pub struct StepWorkspace<T> {
    encoder: MlpWorkspace<T>,
    decoder: MlpWorkspace<T>,
    discriminator: DiscriminatorWorkspace<T>,
    locality: MlpWorkspace<T>,
    affinities: Affinities<T>,
    /// Of the rows, where they count too.
    row_affinities: Affinities<T>,
    locality_scratch: LocalityScratch<T>,
    mixture: MixtureScratch<T>,
    mean: Matrix<T>,
    log_variance: Matrix<T>,
    sample: Matrix<T>,
    d_mean: Matrix<T>,
    d_log_variance: Matrix<T>,
    d_sample: Matrix<T>,
    /// A term's own gradient of μ̃ or z before it is added.
    d_term: Matrix<T>,
    row_values: Vec<f64>,
}

impl<T> StepWorkspace<T> {
    /// Σ_i γ_ic over the rows of the last batch.
    pub fn occupancy(&self) -> &[f64] {
        &self.mixture.occupancy
    }
}

impl Network {
    /// Lays the parameters out.
    pub fn new(shape: Shape) -> Network {
        let mut layout = Layout::default();
        let (d, j, k) = (shape.columns, shape.latent, shape.clusters);
        let relu = Activation::Relu;
        let widths = |first: usize, hidden: &[usize], last: usize| {
            let mut widths = vec![first];
            widths.extend_from_slice(hidden);
            widths.push(last);
            widths
        };
        let reversed: Vec<usize> = shape.layers.iter().rev().copied().collect();
        let identity = Activation::Identity;
        let encoder = Mlp::new(&mut layout, "encoder", &widths(d, &shape.layers, 2 * j), relu, identity);
        let decoder = Mlp::new(&mut layout, "decoder", &widths(j, &reversed, d), relu, identity);
        let autoencoder = 0..layout.len();
        let mixture = MixtureSpans {
            log_weights: layout.add("mixture.log_weights", &[k]),
            means: layout.add("mixture.means", &[k, j]),
            log_variances: layout.add("mixture.log_variances", &[k, j]),
        };
        let start = layout.len();
        let discriminator = Discriminator::new(&mut layout, d, j, &shape.discriminator);
        let discriminator_range = start..layout.len();
        let locality =
            Mlp::new(&mut layout, "locality", &widths(j, &shape.locality, shape.output), relu, identity);
        let locality_range = discriminator_range.end..layout.len();
        Network {
            shape,
            layout,
            encoder,
            decoder,
            mixture,
            discriminator,
            locality,
            autoencoder,
            discriminator_range,
            locality_range,
        }
    }

    /// The sizes of all layers.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
    /// Names, shapes and places of all parameters.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
    /// The encoder.
    pub fn encoder(&self) -> &Mlp {
        &self.encoder
    }
    /// The decoder.
    pub fn decoder(&self) -> &Mlp {
        &self.decoder
    }
    /// The locality net.
    pub fn locality(&self) -> &Mlp {
        &self.locality
    }
    /// The parameters that pre-training moves.
    pub fn autoencoder(&self) -> Range<usize> {
        self.autoencoder.clone()
    }

    /// Draws all starting values; the mixture starts at zero and is set after pre-training.
    pub fn init<T: Real>(&self, seed: u64, init: Init) -> Vec<T> {
        let mut params = vec![T::ZERO; self.layout.len()];
        self.encoder.init(&mut params, init, StreamKey::new(seed, "init encoder"));
        self.decoder.init(&mut params, init, StreamKey::new(seed, "init decoder"));
        self.discriminator.init(&mut params, init, seed);
        self.locality.init(&mut params, init, StreamKey::new(seed, "init locality"));
        params
    }

    /// The mixture's parameters.
    pub fn mixture<'a, T>(&self, params: &'a [T]) -> Mixture<'a, T> {
        Mixture {
            log_weights: self.mixture.log_weights.of(params),
            means: self.mixture.means.of(params),
            log_variances: self.mixture.log_variances.of(params),
        }
    }

    /// Sets the mixture from fitted weights, means (K × J) and variances (K × J).
    pub fn set_mixture<T: Real>(&self, params: &mut [T], weights: &[f64], means: &[f64], variances: &[f64]) {
        let mut set = |span: Span, values: &mut dyn Iterator<Item = f64>| {
            span.of_mut(params).iter_mut().zip(values).for_each(|(p, v)| *p = T::of(v));
        };
        set(self.mixture.log_weights, &mut weights.iter().map(|w| ln(w.max(1e-10))));
        set(self.mixture.means, &mut means.iter().copied());
        set(self.mixture.log_variances, &mut variances.iter().map(|v| ln(v.max(1e-10))));
    }

    /// Multiply-adds of one row in a pre-training step and in a joint step.
    pub fn multiplications(&self, weights: &TermWeights, batch: usize, shifted: bool) -> (f64, f64) {
        let first = self.encoder.layers()[0];
        let unused = first.inputs() * first.outputs();
        let autoencoder = 3 * (self.encoder.multiplications() + self.decoder.multiplications()) - unused;
        let mut joint = autoencoder as f64;
        if weights.alpha0 > 0.0 {
            joint += (2 * self.discriminator.multiplications(shifted)) as f64;
        }
        if weights.alpha1 > 0.0 {
            let measured = match weights.affinities {
                AffinitySource::Latent => self.shape.latent,
                AffinitySource::Rows => self.shape.columns,
                AffinitySource::Both => self.shape.latent + self.shape.columns,
            };
            let pairs = batch * (measured + 2 * self.shape.output);
            joint += (3 * self.locality.multiplications() + pairs) as f64;
        }
        (autoencoder as f64, joint)
    }

    /// Memory for batches of up to `rows` rows.
    pub fn workspace<T: Real>(&self, rows: usize, weights: &TermWeights) -> StepWorkspace<T> {
        let j = self.shape.latent;
        let code = || Matrix::zeros(rows, j);
        // A term that is left out needs no memory.
        let pairs = if weights.alpha1 > 0.0 { rows } else { 0 };
        let discriminated = if weights.alpha0 > 0.0 { rows } else { 0 };
        StepWorkspace {
            encoder: self.encoder.workspace(rows, true),
            decoder: self.decoder.workspace(rows, true),
            discriminator: self.discriminator.workspace(discriminated),
            locality: self.locality.workspace(pairs, true),
            affinities: match weights.affinities {
                AffinitySource::Rows => Affinities::new(0, j),
                AffinitySource::Latent | AffinitySource::Both => Affinities::new(pairs, j),
            },
            row_affinities: match weights.affinities {
                AffinitySource::Latent => Affinities::new(0, self.shape.columns),
                AffinitySource::Rows | AffinitySource::Both => Affinities::new(pairs, self.shape.columns),
            },
            locality_scratch: LocalityScratch::new(pairs, self.shape.output),
            mixture: MixtureScratch::default(),
            mean: code(),
            log_variance: code(),
            sample: code(),
            d_mean: code(),
            d_log_variance: code(),
            d_sample: code(),
            d_term: code(),
            row_values: Vec::with_capacity(rows),
        }
    }

    /// One pre-training step: a plain autoencoder through the latent mean. Returns the mean squared
    /// error and writes the gradients of encoder and decoder.
    ///
    /// `latent_penalty` adds that weight times ½‖μ̃‖² a row, which keeps the latent scale bounded.
    #[allow(clippy::too_many_arguments)]
    pub fn autoencoder_step<T: Real>(
        &self,
        params: &[T],
        x: Input<'_, T>,
        target: &Matrix<T>,
        likelihood: Likelihood,
        latent_penalty: f64,
        ws: &mut StepWorkspace<T>,
        grads: &mut [T],
    ) -> f64 {
        let (n, j) = (x.rows(), self.shape.latent);
        self.encoder.forward(params, x, &mut ws.encoder);
        ws.mean.set_rows(n);
        for i in 0..n {
            ws.mean.row_mut(i).copy_from_slice(&ws.encoder.output().row(i)[..j]);
        }
        let mean = Input::Dense(&ws.mean);
        self.decoder.forward(params, mean, &mut ws.decoder);
        let (output, gradient) = ws.decoder.output_and_gradient();
        let objective = Objective::MeanSquare;
        let value = reconstruction(likelihood, objective, output, target, 1.0, gradient, &mut ws.row_values);
        self.decoder.backward(params, mean, &mut ws.decoder, grads, Some(&mut ws.d_mean));
        let pull = T::of(latent_penalty / n as f64);
        let head = ws.encoder.output_gradient();
        for i in 0..n {
            let (d_mean, d_log_variance) = head.row_mut(i).split_at_mut(j);
            let row = d_mean.iter_mut().zip(ws.d_mean.row(i)).zip(ws.mean.row(i));
            row.for_each(|((h, &d), &m)| *h = d + pull * m);
            // The variance head keeps its start: Adam does not move what has no gradient.
            d_log_variance.fill(T::ZERO);
        }
        self.encoder.backward(params, x, &mut ws.encoder, grads, None);
        value
    }

    /// One joint step (Eqn. 1): the value of each term, and in `grads` the gradient of
    /// L_G + α0·L_MI + α1·L_LP with respect to all parameters.
    pub fn step<T: Real>(
        &self,
        params: &[T],
        batch: StepBatch<'_, T>,
        likelihood: Likelihood,
        weights: &TermWeights,
        ws: &mut StepWorkspace<T>,
        grads: &mut [T],
    ) -> TermValues {
        self.encode_and_sample(params, batch, weights, ws);
        let reconstruction = self.reconstruction_term(params, batch.target, likelihood, ws, grads);
        let divergence = self.divergence_term(params, weights, ws, grads);
        let mutual_information = self.mutual_information_term(params, batch, weights, ws, grads);
        let locality = self.locality_term(params, batch.target, weights, ws, grads);
        self.gather_code_gradient(batch.noise, weights, ws);
        self.encoder.backward(params, batch.x, &mut ws.encoder, grads, None);
        TermValues { reconstruction, divergence, mutual_information, locality }
    }

    /// [μ̃, log σ̃²] = g(x; φ) (Eqn. 5) and z = μ̃ + σ̃∘ε (Eqn. 6).
    fn encode_and_sample<T: Real>(
        &self,
        params: &[T],
        batch: StepBatch<'_, T>,
        weights: &TermWeights,
        ws: &mut StepWorkspace<T>,
    ) {
        let (n, j) = (batch.x.rows(), self.shape.latent);
        self.encoder.forward(params, batch.x, &mut ws.encoder);
        for m in [&mut ws.mean, &mut ws.log_variance, &mut ws.sample, &mut ws.d_mean, &mut ws.d_log_variance]
        {
            m.set_rows(n);
        }
        ws.d_mean.fill(T::ZERO);
        ws.d_log_variance.fill(T::ZERO);
        let bound = T::of(weights.log_variance_bound);
        let half = T::of(0.5);
        for i in 0..n {
            let (mean, log_variance) = ws.encoder.output().row(i).split_at(j);
            ws.mean.row_mut(i).copy_from_slice(mean);
            for c in 0..j {
                let v = log_variance[c].at_least(-bound).at_most(bound);
                ws.log_variance.row_mut(i)[c] = v;
                ws.sample.row_mut(i)[c] = mean[c] + (half * v).exp::<false>() * batch.noise.row(i)[c];
            }
        }
    }

    fn reconstruction_term<T: Real>(
        &self,
        params: &[T],
        target: &Matrix<T>,
        likelihood: Likelihood,
        ws: &mut StepWorkspace<T>,
        grads: &mut [T],
    ) -> f64 {
        let sample = Input::Dense(&ws.sample);
        self.decoder.forward(params, sample, &mut ws.decoder);
        let (output, gradient) = ws.decoder.output_and_gradient();
        let objective = Objective::LogLikelihood;
        let value = reconstruction(likelihood, objective, output, target, 1.0, gradient, &mut ws.row_values);
        self.decoder.backward(params, sample, &mut ws.decoder, grads, Some(&mut ws.d_sample));
        value
    }

    fn divergence_term<T: Real>(
        &self,
        params: &[T],
        weights: &TermWeights,
        ws: &mut StepWorkspace<T>,
        grads: &mut [T],
    ) -> f64 {
        let spans = self.mixture;
        let block = &mut grads[spans.log_weights.range().start..spans.log_variances.range().end];
        let (log_weights, rest) = block.split_at_mut(self.shape.clusters);
        let (means, log_variances) = rest.split_at_mut(self.shape.clusters * self.shape.latent);
        let code = Code { mean: &ws.mean, log_variance: &ws.log_variance, sample: &ws.sample };
        let mut code_gradient = CodeGradient {
            mean: &mut ws.d_mean,
            log_variance: &mut ws.d_log_variance,
            sample: &mut ws.d_sample,
        };
        let mut gradient = MixtureGradient { log_weights, means, log_variances };
        let (mixture, weight) = (self.mixture(params), weights.divergence);
        mixture_divergence(mixture, code, weight, &mut code_gradient, &mut gradient, &mut ws.mixture)
    }

    fn mutual_information_term<T: Real>(
        &self,
        params: &[T],
        batch: StepBatch<'_, T>,
        weights: &TermWeights,
        ws: &mut StepWorkspace<T>,
        grads: &mut [T],
    ) -> f64 {
        // A single row has no false partner.
        if weights.alpha0 <= 0.0 || batch.x.rows() < 2 {
            // What an earlier batch left there must not be applied again.
            grads[self.discriminator_range.clone()].fill(T::ZERO);
            return 0.0;
        }
        let (x, z, d_term) = (batch.x, &ws.sample, &mut ws.d_term);
        let discriminator = &mut ws.discriminator;
        let alpha0 = weights.alpha0;
        let value =
            self.discriminator.loss(params, x, z, batch.negatives, alpha0, grads, d_term, discriminator);
        add_scaled(&mut ws.d_sample, &ws.d_term, T::ONE);
        value
    }

    fn locality_term<T: Real>(
        &self,
        params: &[T],
        rows: &Matrix<T>,
        weights: &TermWeights,
        ws: &mut StepWorkspace<T>,
        grads: &mut [T],
    ) -> f64 {
        let n = ws.mean.rows();
        if weights.alpha1 <= 0.0 || n < SMALLEST_LOCALITY_BATCH {
            grads[self.locality_range.clone()].fill(T::ZERO);
            return 0.0;
        }
        let perplexity = (weights.perplexity * n as f64).clamp(2.0, (n - 1) as f64 / 3.0);
        if weights.affinities != AffinitySource::Rows {
            ws.affinities.update(&ws.mean, perplexity);
        }
        if weights.affinities != AffinitySource::Latent {
            ws.row_affinities.update(rows, perplexity);
        }
        let joint = match weights.affinities {
            AffinitySource::Latent => ws.affinities.joint(),
            AffinitySource::Rows => ws.row_affinities.joint(),
            AffinitySource::Both => {
                ws.affinities.average_with(&ws.row_affinities);
                ws.affinities.joint()
            }
        };
        let mean = Input::Dense(&ws.mean);
        self.locality.forward(params, mean, &mut ws.locality);
        let (output, gradient) = ws.locality.output_and_gradient();
        let (own, onward) =
            if weights.scale_locality_net { (weights.alpha1, 1.0) } else { (1.0, weights.alpha1) };
        let value = locality(joint, output, own, gradient, &mut ws.locality_scratch);
        self.locality.backward(params, mean, &mut ws.locality, grads, Some(&mut ws.d_term));
        add_scaled(&mut ws.d_mean, &ws.d_term, T::of(onward));
        value
    }

    /// The gradient of the encoder's output from those of μ̃, log σ̃² and z:
    /// ∂μ̃ gets ∂z, and ∂log σ̃² gets ∂z·½σ̃ε.
    fn gather_code_gradient<T: Real>(
        &self,
        noise: &Matrix<T>,
        weights: &TermWeights,
        ws: &mut StepWorkspace<T>,
    ) {
        let (n, j) = (ws.mean.rows(), self.shape.latent);
        let bound = T::of(weights.log_variance_bound);
        let half = T::of(0.5);
        let (output, head) = ws.encoder.output_and_gradient();
        for i in 0..n {
            let raw = &output.row(i)[j..];
            let (d_mean, d_log_variance) = head.row_mut(i).split_at_mut(j);
            for c in 0..j {
                let dz = ws.d_sample.row(i)[c];
                d_mean[c] = ws.d_mean.row(i)[c] + dz;
                // z − μ̃ = σ̃ε
                let spread = (half * ws.log_variance.row(i)[c]).exp::<false>() * noise.row(i)[c];
                let d = ws.d_log_variance.row(i)[c] + dz * half * spread;
                // Outside the bound, only a gradient that leads back inside passes.
                let outward = (raw[c] > bound && d < T::ZERO) || (raw[c] < -bound && d > T::ZERO);
                d_log_variance[c] = if outward { T::ZERO } else { d };
            }
        }
    }
}

fn add_scaled<T: Real>(to: &mut Matrix<T>, from: &Matrix<T>, factor: T) {
    to.as_mut_slice().iter_mut().zip(from.as_slice()).for_each(|(t, &f)| *t += factor * f);
}

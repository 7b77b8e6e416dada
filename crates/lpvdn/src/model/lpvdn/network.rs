//! The whole network: its parts, and where their parameters lie.
//!
//! ```text
//! x ─ encoder ─┬─ μ̃ ─────────────┬─ locality net ─ o' ─ L_LP
//!              └─ log σ̃² ─ z ─┬─ decoder ─ reconstruction ─┐
//!                             ├─ mixture prior ────────────┴─ L_G
//!                        x ───┴─ discriminator ─ L_MI
//! ```

use lpvdn_core::math::ln;
use lpvdn_core::{Real, StreamKey};
use lpvdn_nn::{Activation, Init, Layout, Mlp, Span};

use super::discriminator::Discriminator;
use super::step::TermWeights;
use crate::loss::affinities::AffinitySource;
use crate::loss::mixture::{Mixture, MixtureGradient};
use crate::model::autoencoder::network::{Autoencoder, widths};

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
    autoencoder: Autoencoder,
    mixture: MixtureSpans,
    discriminator: Discriminator,
    locality: Mlp,
}

/// One slice for all gradients, divided among the parts of the network.
pub(super) struct Gradients<'a, T> {
    pub(super) encoder: &'a mut [T],
    pub(super) decoder: &'a mut [T],
    pub(super) mixture: MixtureGradient<'a, T>,
    pub(super) discriminator: &'a mut [T],
    pub(super) locality: &'a mut [T],
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct MixtureSpans {
    log_weights: Span,
    means: Span,
    log_variances: Span,
}

impl Network {
    /// Lays the parameters out.
    pub fn new(shape: Shape) -> Network {
        let mut layout = Layout::default();
        let (d, j, k) = (shape.columns, shape.latent, shape.clusters);
        let autoencoder = Autoencoder::new(&mut layout, d, &shape.layers, j);
        let mixture = MixtureSpans {
            log_weights: layout.add("mixture.log_weights", &[k]),
            means: layout.add("mixture.means", &[k, j]),
            log_variances: layout.add("mixture.log_variances", &[k, j]),
        };
        let discriminator = Discriminator::new(&mut layout, d, j, &shape.discriminator);
        let (relu, identity) = (Activation::Relu, Activation::Identity);
        let locality =
            Mlp::new(&mut layout, "locality", &widths(j, &shape.locality, shape.output), relu, identity);
        Network { shape, layout, autoencoder, mixture, discriminator, locality }
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
        self.autoencoder.encoder()
    }
    /// The decoder.
    pub fn decoder(&self) -> &Mlp {
        self.autoencoder.decoder()
    }
    /// The locality net.
    pub fn locality(&self) -> &Mlp {
        &self.locality
    }
    /// The discriminator.
    pub(super) fn discriminator(&self) -> &Discriminator {
        &self.discriminator
    }
    /// Encoder and decoder: what pre-training moves.
    pub fn autoencoder(&self) -> &Autoencoder {
        &self.autoencoder
    }

    /// Divides `grads`, one value for each parameter, among the parts: they lie one after the other.
    pub(super) fn divide<'a, T>(&self, grads: &'a mut [T]) -> Gradients<'a, T> {
        let (k, j) = (self.shape.clusters, self.shape.latent);
        let (encoder, rest) = grads.split_at_mut(self.encoder().range().len());
        let (decoder, rest) = rest.split_at_mut(self.decoder().range().len());
        let (log_weights, rest) = rest.split_at_mut(k);
        let (means, rest) = rest.split_at_mut(k * j);
        let (log_variances, rest) = rest.split_at_mut(k * j);
        let (discriminator, locality) = rest.split_at_mut(self.discriminator.range().len());
        let mixture = MixtureGradient { log_weights, means, log_variances };
        Gradients { encoder, decoder, mixture, discriminator, locality }
    }

    /// Draws all starting values; the mixture starts at zero and is set after pre-training.
    pub fn init<T: Real>(&self, seed: u64, init: Init) -> Vec<T> {
        let mut params = vec![T::ZERO; self.layout.len()];
        self.autoencoder.init(&mut params, seed, init);
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

    /// Multiply-adds of one row in a step of each phase, in their order.
    pub fn multiplications(&self, weights: &TermWeights, batch: usize, shifted: bool) -> [f64; 3] {
        let autoencoder = self.autoencoder.multiplications();
        let mut joint = autoencoder as f64;
        if weights.alpha0 > 0.0 {
            joint += (2 * self.discriminator.multiplications(shifted)) as f64;
        }
        let mut settle = 0.0;
        if weights.alpha1 > 0.0 {
            let measured = match weights.affinities {
                AffinitySource::Latent => self.shape.latent,
                AffinitySource::Rows => self.shape.columns,
                AffinitySource::Both => self.shape.latent + self.shape.columns,
                AffinitySource::LatentGraph | AffinitySource::RowGraph | AffinitySource::BothGraphs => 0,
            };
            let pairs = batch * (measured + 2 * self.shape.output);
            settle = (3 * self.locality.multiplications() + pairs) as f64;
            joint += settle;
        }
        [autoencoder as f64, joint, settle]
    }
}

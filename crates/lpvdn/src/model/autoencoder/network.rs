//! Encoder and decoder: what all methods with a latent space share, and where their parameters lie.

use std::ops::Range;

use lpvdn_core::source::Input;
use lpvdn_core::{Matrix, Real, StreamKey};
use lpvdn_nn::{Activation, Init, Layout, Mlp, MlpWorkspace, Span};

use crate::loss::reconstruction::{Likelihood, Objective, reconstruction};

/// An encoder to latent mean and log-variance, and a decoder that mirrors it. It holds no parameters, only
/// where they lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Autoencoder {
    latent: usize,
    /// D → … → 2J: latent mean and log-variance side by side.
    encoder: Mlp,
    decoder: Mlp,
}

/// `first`, then `hidden`, then `last`.
pub(crate) fn widths(first: usize, hidden: &[usize], last: usize) -> Vec<usize> {
    let mut widths = vec![first];
    widths.extend_from_slice(hidden);
    widths.push(last);
    widths
}

impl Autoencoder {
    /// Adds the parameters to `layout`, those of the encoder first.
    pub fn new(layout: &mut Layout, columns: usize, layers: &[usize], latent: usize) -> Autoencoder {
        let (relu, identity) = (Activation::Relu, Activation::Identity);
        let reversed: Vec<usize> = layers.iter().rev().copied().collect();
        let encoder = Mlp::new(layout, "encoder", &widths(columns, layers, 2 * latent), relu, identity);
        let decoder = Mlp::new(layout, "decoder", &widths(latent, &reversed, columns), relu, identity);
        Autoencoder { latent, encoder, decoder }
    }

    /// J, the size of the latent space.
    pub fn latent(&self) -> usize {
        self.latent
    }
    /// D, the columns of the data.
    pub fn columns(&self) -> usize {
        self.encoder.layers()[0].inputs()
    }
    /// The encoder.
    pub fn encoder(&self) -> &Mlp {
        &self.encoder
    }
    /// The decoder.
    pub fn decoder(&self) -> &Mlp {
        &self.decoder
    }
    /// Where all its parameters lie.
    pub fn range(&self) -> Range<usize> {
        self.encoder.range().start..self.decoder.range().end
    }

    /// Draws all starting values.
    pub fn init<T: Real>(&self, params: &mut [T], seed: u64, init: Init) {
        self.encoder.init(params, init, StreamKey::new(seed, "init encoder"));
        self.decoder.init(params, init, StreamKey::new(seed, "init decoder"));
    }

    /// Multiply-adds of one row in a step, forward and backward.
    pub fn multiplications(&self) -> usize {
        let first = self.encoder.layers()[0];
        // The gradient with respect to the rows is not needed.
        let unused = first.inputs() * first.outputs();
        3 * (self.encoder.multiplications() + self.decoder.multiplications()) - unused
    }
}

/// The way of a batch through the decoder and back.
#[derive(Clone, Debug)]
pub(crate) struct Decoding<T> {
    workspace: MlpWorkspace<T>,
    row_values: Vec<f64>,
    d_codes: Matrix<T>,
}

/// What the decoder's output is compared with, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison<'a, T> {
    pub(crate) target: &'a Matrix<T>,
    pub(crate) likelihood: Likelihood,
    pub(crate) objective: Objective,
}

impl<T: Real> Decoding<T> {
    pub(crate) fn new(autoencoder: &Autoencoder, rows: usize) -> Decoding<T> {
        Decoding {
            workspace: autoencoder.decoder.workspace(rows, true),
            row_values: Vec::with_capacity(rows),
            d_codes: Matrix::zeros(rows, autoencoder.latent),
        }
    }

    /// Decodes `codes` and compares the result; leaves the gradient of the codes in
    /// [`d_codes`](Decoding::d_codes), and that of the decoder in `grads`.
    pub(crate) fn run(
        &mut self,
        decoder: &Mlp,
        params: &[T],
        codes: &Matrix<T>,
        with: Comparison<'_, T>,
        grads: &mut [T],
    ) -> f64 {
        let codes = Input::Dense(codes);
        decoder.forward(params, codes, &mut self.workspace);
        let (output, gradient) = self.workspace.output_and_gradient();
        let values = &mut self.row_values;
        let error =
            reconstruction(with.likelihood, with.objective, output, with.target, 1.0, gradient, values);
        decoder.backward(params, codes, &mut self.workspace, grads, Some(&mut self.d_codes));
        error
    }

    /// The gradient with respect to the codes.
    pub(crate) fn d_codes(&self) -> &Matrix<T> {
        &self.d_codes
    }
}

/// An autoencoder, and a centre for each cluster among its codes.
#[derive(Clone, Debug, PartialEq)]
pub struct EncoderNetwork {
    layout: Layout,
    autoencoder: Autoencoder,
    centers: Span,
}

impl EncoderNetwork {
    /// Lays the parameters out.
    pub fn new(columns: usize, layers: &[usize], latent: usize, clusters: usize) -> EncoderNetwork {
        let mut layout = Layout::default();
        let autoencoder = Autoencoder::new(&mut layout, columns, layers, latent);
        let centers = layout.add("clusters.centers", &[clusters, latent]);
        EncoderNetwork { layout, autoencoder, centers }
    }

    /// Names, shapes and places of all parameters.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
    /// Encoder and decoder.
    pub fn autoencoder(&self) -> &Autoencoder {
        &self.autoencoder
    }
    /// The centres, one after the other.
    pub fn centers<'a, T>(&self, params: &'a [T]) -> &'a [T] {
        self.centers.of(params)
    }
    pub(crate) fn centers_range(&self) -> Range<usize> {
        self.centers.range()
    }

    /// Draws all starting values; the centres start at zero and are set later.
    pub fn init<T: Real>(&self, seed: u64, init: Init) -> Vec<T> {
        let mut params = vec![T::ZERO; self.layout.len()];
        self.autoencoder.init(&mut params, seed, init);
        params
    }

    /// Multiply-adds of one row in a step: of all, or of the encoder alone.
    pub(crate) fn multiplications(&self, encoder_alone: bool) -> f64 {
        let all = self.autoencoder.multiplications();
        let decoder = if encoder_alone { 3 * self.autoencoder.decoder().multiplications() } else { 0 };
        (all - decoder) as f64
    }
}

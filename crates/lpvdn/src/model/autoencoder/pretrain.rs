//! One step of pre-training.

use lpvdn_core::source::Input;
use lpvdn_core::{Matrix, Real};
use lpvdn_nn::MlpWorkspace;

use super::codes::Codes;
use super::network::{Autoencoder, Comparison, Decoding};
use crate::loss::reconstruction::{Likelihood, Objective};

/// The memory of a step.
#[derive(Debug)]
pub(crate) struct PretrainWorkspace<'a, T> {
    pub(crate) encoder: &'a mut MlpWorkspace<T>,
    pub(crate) codes: &'a mut Codes<T>,
    pub(crate) decoding: &'a mut Decoding<T>,
}

impl Autoencoder {
    /// One pre-training step: a plain autoencoder through the latent mean. Returns the mean squared
    /// error and writes the gradients of encoder and decoder.
    ///
    /// `latent_penalty` adds that weight times ½‖μ̃‖² a row, which keeps the latent scale bounded.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn pretrain_step<T: Real>(
        &self,
        params: &[T],
        x: Input<'_, T>,
        target: &Matrix<T>,
        likelihood: Likelihood,
        latent_penalty: f64,
        ws: PretrainWorkspace<'_, T>,
        grads: &mut [T],
    ) -> f64 {
        let (n, j) = (x.rows(), self.latent());
        let (d_encoder, d_decoder) = grads[self.range()].split_at_mut(self.encoder().range().len());
        self.encoder().forward(params, x, ws.encoder);
        ws.codes.read_means(ws.encoder.output());
        let mean = &ws.codes.mean;
        let with = Comparison { target, likelihood, objective: Objective::MeanSquare };
        let value = ws.decoding.run(self.decoder(), params, mean, with, d_decoder);
        let pull = T::of(latent_penalty / n as f64);
        let head = ws.encoder.output_gradient();
        for i in 0..n {
            let (d_mean, d_log_variance) = head.row_mut(i).split_at_mut(j);
            let row = d_mean.iter_mut().zip(ws.decoding.d_codes().row(i)).zip(mean.row(i));
            row.for_each(|((h, &d), &m)| *h = d + pull * m);
            // The variance head keeps its start: Adam does not move what has no gradient.
            d_log_variance.fill(T::ZERO);
        }
        self.encoder().backward(params, x, ws.encoder, d_encoder, None);
        value
    }
}

//! One step of pre-training.

use lpvdn_core::source::Input;
use lpvdn_core::{Matrix, Real};

use super::network::Network;
use super::step::StepWorkspace;
use crate::loss::reconstruction::{Likelihood, Objective};

impl Network {
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
        let (n, j) = (x.rows(), self.shape().latent);
        let grads = self.divide(grads);
        self.encoder().forward(params, x, &mut ws.encoder);
        let mean = &mut ws.codes.mean;
        mean.set_rows(n);
        for i in 0..n {
            mean.row_mut(i).copy_from_slice(&ws.encoder.output().row(i)[..j]);
        }
        let (mean, objective) = (&*mean, Objective::MeanSquare);
        let value = ws.global.decode(self, params, mean, target, likelihood, objective, grads.decoder);
        let pull = T::of(latent_penalty / n as f64);
        let head = ws.encoder.output_gradient();
        for i in 0..n {
            let (d_mean, d_log_variance) = head.row_mut(i).split_at_mut(j);
            let row = d_mean.iter_mut().zip(ws.global.d_input().row(i)).zip(mean.row(i));
            row.for_each(|((h, &d), &m)| *h = d + pull * m);
            // The variance head keeps its start: Adam does not move what has no gradient.
            d_log_variance.fill(T::ZERO);
        }
        self.encoder().backward(params, x, &mut ws.encoder, grads.encoder, None);
        value
    }
}

//! One step of pre-training.

use lpvdn_core::source::Input;
use lpvdn_core::{Matrix, Real};

use super::network::Network;
use super::step::StepWorkspace;
use crate::loss::reconstruction::Likelihood;

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
        let ws = ws.of_pretraining();
        self.autoencoder().pretrain_step(params, x, target, likelihood, latent_penalty, ws, grads)
    }
}

//! The evidence lower bound of rows under a variational model:
//! E[log p(x|z)] − KL(q(z|x) ‖ p(z)), of the values as they are scaled.
//!
//! The expectation is a mean over a few draws of ε that are the same for every row, so that a row has the
//! same bound whichever rows stand beside it.

use lpvdn_core::{Batch, Dataset, Matrix, StreamKey};

use super::codes::Codes;
use super::encoding::{BLOCK, Encoding, for_each_scaled_block};
use crate::error::ModelError;
use crate::loss::mixture::Code;
use crate::loss::reconstruction::{Likelihood, Objective, reconstruction};

/// Draws of ε: half of them, and the same mirrored.
const DRAWS: usize = 8;

/// A trained variational autoencoder and its prior.
pub(crate) struct Evidence<'a, F> {
    pub(crate) encoding: Encoding<'a>,
    pub(crate) likelihood: Likelihood,
    /// log σ̃² stays within ± this.
    pub(crate) bound: f64,
    /// KL(q(z|x) ‖ p(z)) of each code.
    pub(crate) divergence: F,
}

impl<F: Fn(Code<'_, f32>) -> Vec<f64>> Evidence<'_, F> {
    /// The bound of each row, on the threads of the pool that this runs in.
    pub(crate) fn of(&self, data: &Dataset) -> Result<Vec<f64>, ModelError> {
        let Encoding { autoencoder, params, preprocessor } = self.encoding;
        let (rows, latent, columns) = (data.rows(), autoencoder.latent(), autoencoder.columns());
        let draws = draws(latent);
        let mut encoder = autoencoder.encoder().workspace(BLOCK.min(rows), false);
        let mut decoder = autoencoder.decoder().workspace(BLOCK.min(rows), false);
        let mut codes = Codes::new(0, latent);
        let (mut noise, mut dense) = (Matrix::zeros(0, latent), Matrix::zeros(0, columns));
        let (mut slopes, mut errors) = (Matrix::zeros(0, columns), Vec::new());
        let mut all = vec![self.constant(columns); rows];
        for_each_scaled_block(data, columns, preprocessor, 0..rows, |start, batch| {
            let target = match batch {
                Batch::Dense(rows) => rows,
                Batch::Sparse(rows) => {
                    rows.to_dense_into(&mut dense);
                    &dense
                }
            };
            autoencoder.encoder().forward(params, batch.input(), &mut encoder);
            noise.set_rows(batch.rows());
            for draw in &draws {
                (0..batch.rows()).for_each(|i| noise.row_mut(i).copy_from_slice(draw));
                codes.read_and_sample(encoder.output(), &noise, self.bound);
                let code = codes.view();
                let z = lpvdn_core::source::Input::Dense(code.sample);
                autoencoder.decoder().forward(params, z, &mut decoder);
                let objective = Objective::LogLikelihood;
                let output = decoder.output();
                reconstruction(self.likelihood, objective, output, target, 0.0, &mut slopes, &mut errors);
                let divergences = (self.divergence)(code);
                for (i, (error, divergence)) in errors.iter().zip(divergences).enumerate() {
                    all[start + i] -= (error + divergence) / DRAWS as f64;
                }
            }
        })?;
        Ok(all)
    }

    /// What log p(x|z) has beside its terms: Σ (x − μ)² belongs to normal densities of variance ½.
    fn constant(&self, columns: usize) -> f64 {
        match self.likelihood {
            Likelihood::Bernoulli => 0.0,
            Likelihood::Gaussian => -0.5 * columns as f64 * lpvdn_core::math::ln(std::f64::consts::PI),
        }
    }
}

fn draws(latent: usize) -> Vec<Vec<f32>> {
    let mut stream = StreamKey::new(0, "evidence").open();
    let half: Vec<Vec<f32>> =
        (0..DRAWS / 2).map(|_| (0..latent).map(|_| stream.normal() as f32).collect()).collect();
    let mirrored = half.iter().map(|draw| draw.iter().map(|e| -e).collect());
    half.iter().cloned().chain(mirrored).collect()
}

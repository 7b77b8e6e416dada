//! What the trained discriminator says of rows and codes.

use std::sync::Arc;

use lpvdn_core::{Dataset, Matrix, StreamKey, Subset};

use super::fitted::LpvdnModel;
use super::inference::Inference;
use crate::error::ModelError;
use crate::model::autoencoder::codes::Codes;
use crate::model::autoencoder::encoding::{BLOCK, for_each_scaled_block};

/// D(x, z; ρ) of pairs: above 0 where the discriminator takes the code for the row's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Discrimination {
    /// Of each row with a code drawn from q(z|x).
    pub own: Vec<f32>,
    /// Of another row with the same code.
    pub other: Vec<f32>,
}

impl LpvdnModel {
    /// Draws a code for each row, and asks the discriminator of L_MI about it, with its row and with the
    /// next in a random order.
    ///
    /// # Errors
    /// A model that was fitted without L_MI, one row alone, rows of another width, or rows that cannot be read.
    pub fn discriminate(&self, data: &Dataset, seed: u64) -> Result<Discrimination, ModelError> {
        if self.params().alpha0 <= 0.0 {
            return Err(ModelError::NoDiscriminator);
        }
        if data.rows() < 2 {
            return Err(ModelError::RowAlone);
        }
        // Neighbours in a file are often alike; false partners should not be.
        let mut order: Vec<u32> = (0..data.rows() as u32).collect();
        StreamKey::new(seed, "discriminate order").open().shuffle(&mut order);
        // A last block of one row would have no other.
        let more = (order.len() % BLOCK == 1).then(|| order[0]);
        order.extend(more);
        let source = Arc::new(Subset::new(data.source.clone(), order.clone()));
        let shuffled = Dataset { source, labels: None, ids: None, lines: None, ..data.clone() };
        let shuffled = self.origin.seen(&shuffled)?;
        let bound = self.params().log_variance_bound;
        let said = self.run(|inference| inference.discriminate(&shuffled, seed, bound))?;
        let mut sorted = Discrimination { own: vec![0.0; data.rows()], other: vec![0.0; data.rows()] };
        for (i, &row) in order.iter().enumerate().take(data.rows()) {
            (sorted.own[row as usize], sorted.other[row as usize]) = (said.own[i], said.other[i]);
        }
        Ok(sorted)
    }
}

impl Inference<'_> {
    fn discriminate(&self, data: &Dataset, seed: u64, bound: f64) -> Result<Discrimination, ModelError> {
        let (network, latent) = (self.network, self.network.shape().latent);
        let block = BLOCK.min(data.rows());
        let mut encoder = network.encoder().workspace(block, false);
        let mut discriminator = network.discriminator().workspace(block);
        let (mut codes, mut noise) = (Codes::new(block, latent), Matrix::zeros(0, latent));
        let mut said = Discrimination::default();
        for_each_scaled_block(
            data,
            network.shape().columns,
            self.preprocessor,
            0..data.rows(),
            |start, x| {
                network.encoder().forward(self.params, x.input(), &mut encoder);
                noise.set_rows(x.rows());
                let mut stream = StreamKey::new(seed, "discriminate").at(0, 0, start as u64).open();
                noise.as_mut_slice().iter_mut().for_each(|v| *v = stream.normal() as f32);
                codes.read_and_sample(encoder.output(), &noise, bound);
                let z = codes.view().sample;
                let values = network.discriminator().values(self.params, x.input(), z, &mut discriminator);
                let (own, other) = values.as_slice().split_at(x.rows());
                said.own.extend_from_slice(own);
                said.other.extend_from_slice(other);
            },
        )?;
        Ok(said)
    }
}

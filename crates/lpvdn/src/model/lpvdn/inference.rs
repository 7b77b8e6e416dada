//! Rows through a trained network, block by block.
//!
//! A row of a product has the same bits whichever rows stand beside it
//! ([`lpvdn_core::product`]), so a row has the same code in every call.

use std::ops::Range;

use lpvdn_core::source::Input;
use lpvdn_core::{Dataset, Matrix, Preprocessor};

use super::network::Network;
use crate::error::ModelError;
use crate::loss::reconstruction::Likelihood;
use crate::model::autoencoder::encoding::{BLOCK, Encoding, by_blocks, copy_rows, decode};

/// A network with its parameters, ready to encode and decode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inference<'a> {
    pub(crate) network: &'a Network,
    pub(crate) params: &'a [f32],
    pub(crate) preprocessor: &'a Preprocessor,
}

impl Inference<'_> {
    /// Calls `visit(first_row, latent_means)` for `rows` of `data` in order, block by block; the first of
    /// them counts as 0.
    fn for_each_block(
        &self,
        data: &Dataset,
        rows: Range<usize>,
        visit: impl FnMut(usize, &Matrix<f32>),
    ) -> Result<(), ModelError> {
        let autoencoder = self.network.autoencoder();
        Encoding { autoencoder, params: self.params, preprocessor: self.preprocessor }
            .for_each_block(data, rows, visit)
    }

    /// μ̃ of all rows.
    pub(crate) fn latent_means(&self, data: &Dataset) -> Result<Matrix<f32>, ModelError> {
        self.latent_means_of(data, 0..data.rows())
    }

    /// μ̃ of some rows.
    pub(crate) fn latent_means_of(
        &self,
        data: &Dataset,
        rows: Range<usize>,
    ) -> Result<Matrix<f32>, ModelError> {
        let mut all = Matrix::zeros(rows.len(), self.network.shape().latent);
        self.for_each_block(data, rows, |start, means| copy_rows(means, &mut all, start))?;
        Ok(all)
    }

    /// o' of some rows.
    pub(crate) fn embedding_of(&self, data: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        let mut all = Matrix::zeros(rows.len(), self.network.shape().output);
        let mut ws = self.network.locality().workspace(BLOCK.min(rows.len()), false);
        self.for_each_block(data, rows, |start, means| {
            self.network.locality().forward(self.params, Input::Dense(means), &mut ws);
            copy_rows(ws.output(), &mut all, start);
        })?;
        Ok(all)
    }

    /// o' of latent means that are already there.
    pub(crate) fn embed_latent(&self, means: &Matrix<f32>) -> Matrix<f32> {
        by_blocks(self.network.locality(), self.params, means, self.network.shape().output)
    }

    /// Decodes latent vectors into rows on the data's own scale.
    pub(crate) fn decode(&self, latent: &Matrix<f32>, likelihood: Likelihood) -> Matrix<f32> {
        decode(self.network.decoder(), self.params, latent, likelihood, self.preprocessor)
    }
}

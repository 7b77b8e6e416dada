//! Rows through a trained network, block by block.
//!
//! A row of a product has the same bits whichever rows stand beside it
//! ([`lpvdn_core::product`]), so a row has the same code in every call.

use std::ops::Range;

use lpvdn_core::source::Input;
use lpvdn_core::{Batch, Dataset, Matrix, Preprocessor};

use super::network::Network;
use crate::error::{DataProblem, ModelError};
use crate::loss::reconstruction::Likelihood;

/// Rows of a forward pass outside training, at most.
const BLOCK: usize = 1024;

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
        range: Range<usize>,
        mut visit: impl FnMut(usize, &Matrix<f32>),
    ) -> Result<(), ModelError> {
        let source = data.source.as_ref();
        let wanted = self.network.shape().columns;
        if data.cols() != wanted {
            return Err(ModelError::Columns { name: data.name.clone(), found: data.cols(), wanted });
        }
        let latent = self.network.shape().latent;
        let mut batch = Batch::for_source(source);
        let mut ws = self.network.encoder().workspace(BLOCK.min(range.len()), false);
        let mut means = Matrix::zeros(0, latent);
        let mut indices = Vec::with_capacity(BLOCK);
        for start in range.clone().step_by(BLOCK) {
            let rows = BLOCK.min(range.end - start);
            indices.clear();
            indices.extend(start as u32..(start + rows) as u32);
            source.gather(&indices, &mut batch)?;
            if let Some((row, column, value)) = batch.non_finite() {
                return Err(non_finite(data, start + row, column, &value.to_string()).into());
            }
            self.preprocessor.apply(&mut batch);
            self.network.encoder().forward(self.params, batch.input(), &mut ws);
            means.set_rows(rows);
            for i in 0..rows {
                means.row_mut(i).copy_from_slice(&ws.output().row(i)[..latent]);
            }
            visit(start - range.start, &means);
        }
        Ok(())
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
    pub(crate) fn embedding_of(
        &self,
        data: &Dataset,
        rows: Range<usize>,
    ) -> Result<Matrix<f32>, ModelError> {
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
        self.by_blocks(means, self.network.locality(), self.network.shape().output)
    }

    /// Decodes latent vectors into rows on the data's own scale.
    pub(crate) fn decode(&self, latent: &Matrix<f32>, likelihood: Likelihood) -> Matrix<f32> {
        let mut rows = self.by_blocks(latent, self.network.decoder(), self.network.shape().columns);
        for i in 0..rows.rows() {
            likelihood.mean(rows.row_mut(i));
            self.preprocessor.invert(rows.row_mut(i));
        }
        rows
    }

    fn by_blocks(&self, input: &Matrix<f32>, net: &lpvdn_nn::Mlp, width: usize) -> Matrix<f32> {
        let mut all = Matrix::zeros(input.rows(), width);
        let mut ws = net.workspace(BLOCK.min(input.rows()), false);
        let mut block = Matrix::zeros(0, input.cols());
        for start in (0..input.rows()).step_by(BLOCK) {
            block.set_rows(BLOCK.min(input.rows() - start));
            (0..block.rows()).for_each(|i| block.row_mut(i).copy_from_slice(input.row(start + i)));
            net.forward(self.params, Input::Dense(&block), &mut ws);
            copy_rows(ws.output(), &mut all, start);
        }
        all
    }
}

fn copy_rows(from: &Matrix<f32>, to: &mut Matrix<f32>, start: usize) {
    (0..from.rows()).for_each(|i| to.row_mut(start + i).copy_from_slice(from.row(i)));
}

/// The error for a cell that is not a finite number; `row` and `column` count from 0.
pub(crate) fn non_finite(data: &Dataset, row: usize, column: usize, value: &str) -> DataProblem {
    let name = data.columns.as_ref().and_then(|c| c.get(column));
    let column = match name {
        Some(name) => format!("{column} ({name:?})"),
        None => format!("{column} (counted from 0)"),
    };
    DataProblem::NonFinite { name: data.name.clone(), row: row + 1, column, value: value.to_owned() }
}

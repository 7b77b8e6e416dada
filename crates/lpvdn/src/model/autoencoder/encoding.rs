//! Rows through a trained encoder, and codes through a decoder, block by block.
//!
//! A row of a product has the same bits whichever rows stand beside it
//! ([`lpvdn_core::product`]), so a row has the same code in every call.

use std::ops::Range;

use lpvdn_cluster::LARGEST;
use lpvdn_core::source::Input;
use lpvdn_core::{Batch, Dataset, Matrix, Preprocessor};
use lpvdn_nn::Mlp;

use super::network::Autoencoder;
use crate::error::{DataProblem, ModelError};
use crate::loss::reconstruction::Likelihood;

/// Rows of a forward pass outside training, at most.
pub(crate) const BLOCK: usize = 1024;

/// An encoder with its parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoding<'a> {
    pub(crate) autoencoder: &'a Autoencoder,
    pub(crate) params: &'a [f32],
    pub(crate) preprocessor: &'a Preprocessor,
}

impl Encoding<'_> {
    /// Calls `visit(first_row, latent_means)` for rows `range` of `data` in order, block by block; the
    /// first of them counts as 0.
    pub(crate) fn for_each_block(
        &self,
        data: &Dataset,
        range: Range<usize>,
        mut visit: impl FnMut(usize, &Matrix<f32>),
    ) -> Result<(), ModelError> {
        let (encoder, latent) = (self.autoencoder.encoder(), self.autoencoder.latent());
        let mut ws = encoder.workspace(BLOCK.min(range.len()), false);
        let mut means = Matrix::zeros(0, latent);
        for_each_scaled_block(data, self.autoencoder.columns(), self.preprocessor, range, |start, batch| {
            encoder.forward(self.params, batch.input(), &mut ws);
            means.set_rows(batch.rows());
            for i in 0..batch.rows() {
                means.row_mut(i).copy_from_slice(&ws.output().row(i)[..latent]);
            }
            visit(start, &means);
        })
    }

    /// μ̃ of some rows.
    pub(crate) fn latent_means(&self, data: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        let mut all = Matrix::zeros(rows.len(), self.autoencoder.latent());
        self.for_each_block(data, rows, |start, means| copy_rows(means, &mut all, start))?;
        Ok(all)
    }
}

/// Calls `visit(first_row, rows)` for rows `range` of `data`, scaled, in order; the first of them counts
/// as 0. They must have `wanted` columns, and all be numbers.
pub(crate) fn for_each_scaled_block(
    data: &Dataset,
    wanted: usize,
    preprocessor: &Preprocessor,
    range: Range<usize>,
    mut visit: impl FnMut(usize, &Batch),
) -> Result<(), ModelError> {
    let source = data.source.as_ref();
    if data.cols() != wanted {
        return Err(ModelError::Columns { name: data.name.clone(), found: data.cols(), wanted });
    }
    if let Some(column) = preprocessor.first_fine().filter(|_| !source.rounds()) {
        let column = column_name(data, column);
        return Err(ModelError::TooCoarse { name: data.name.clone(), column });
    }
    let mut batch = Batch::for_source(source);
    let mut indices = Vec::with_capacity(BLOCK);
    for start in range.clone().step_by(BLOCK) {
        let rows = BLOCK.min(range.end - start);
        indices.clear();
        indices.extend(start as u32..(start + rows) as u32);
        preprocessor.gather(source, &indices, &mut batch)?;
        if let Some((row, column, scaled)) = batch.beyond(LARGEST) {
            // Reported as it stands in the data.
            let viewed = source.viewed();
            let source = viewed.map_or(source, |viewed| viewed.source());
            let column = viewed.map_or(column, |viewed| viewed.view().column_of(column));
            batch = Batch::for_source(source);
            source.gather(&indices, &mut batch)?;
            return Err(unusable(data, start, &batch, (row, column, scaled)).into());
        }
        visit(start - range.start, &batch);
    }
    Ok(())
}

/// Decodes latent vectors into rows on the data's own scale.
pub(crate) fn decode(
    decoder: &Mlp,
    params: &[f32],
    latent: &Matrix<f32>,
    likelihood: Likelihood,
    preprocessor: &Preprocessor,
) -> Matrix<f32> {
    let columns = decoder.layers().last().map_or(0, |layer| layer.outputs());
    let mut rows = by_blocks(decoder, params, latent, columns);
    for i in 0..rows.rows() {
        likelihood.mean(rows.row_mut(i));
        preprocessor.invert(rows.row_mut(i));
    }
    rows
}

/// What a network of `width` outputs makes of all rows of `input`.
pub(crate) fn by_blocks(net: &Mlp, params: &[f32], input: &Matrix<f32>, width: usize) -> Matrix<f32> {
    let mut all = Matrix::zeros(input.rows(), width);
    let mut ws = net.workspace(BLOCK.min(input.rows()), false);
    let mut block = Matrix::zeros(0, input.cols());
    for start in (0..input.rows()).step_by(BLOCK) {
        block.set_rows(BLOCK.min(input.rows() - start));
        (0..block.rows()).for_each(|i| block.row_mut(i).copy_from_slice(input.row(start + i)));
        net.forward(params, Input::Dense(&block), &mut ws);
        copy_rows(ws.output(), &mut all, start);
    }
    all
}

pub(crate) fn copy_rows(from: &Matrix<f32>, to: &mut Matrix<f32>, start: usize) {
    (0..from.rows()).for_each(|i| to.row_mut(start + i).copy_from_slice(from.row(i)));
}

/// A column, counted from 0, as messages name it.
pub(crate) fn column_name(data: &Dataset, column: usize) -> String {
    match data.columns.as_ref().and_then(|names| names.get(column)) {
        // Its number among the values may differ from the one in the file: names of rows and classes are not counted.
        Some(name) => format!("{name:?}"),
        None => format!("{column} (counted from 0)"),
    }
}

/// The error for rows from `start` on of which a value is too large or no number when it is scaled.
fn unusable(data: &Dataset, start: usize, rows: &Batch, scaled: (usize, usize, f32)) -> DataProblem {
    if let Some((row, column, value)) = rows.non_finite() {
        return non_finite(data, start + row, column, &value.to_string());
    }
    let (row, column, becomes) = scaled;
    let mut value = 0.0;
    rows.for_each_in_row(row, |j, v| value = if j == column { v } else { value });
    let scaled = match becomes {
        _ if becomes == value => "is not scaled".to_owned(),
        _ if becomes.is_finite() => format!("{becomes:e} when it is scaled"),
        _ => "more than 32 bits hold when it is scaled".to_owned(),
    };
    let (name, place, column) = (data.name.clone(), data.place_of(start + row), column_name(data, column));
    DataProblem::TooLarge { name, place, column, value, scaled }
}

pub(crate) fn non_finite(data: &Dataset, row: usize, column: usize, value: &str) -> DataProblem {
    let column = column_name(data, column);
    let (name, place) = (data.name.clone(), data.place_of(row));
    DataProblem::NonFinite { name, place, column, value: value.to_owned() }
}

//! The rows as they are compared: their values in the view, or the principal components of these where they are many.

use std::ops::Range;

use lpvdn_core::principal::{Blocks, PrincipalComponents};
use lpvdn_core::{Batch, Dataset, Matrix, Preprocessor};

use super::initial::ensure_wanted;
use crate::error::{FitError, ModelError};
use crate::model::autoencoder::encoding::{copy_rows, for_each_scaled_block};
use crate::model::examine::Ready;
use crate::train::control::FitControl;
use crate::train::events::Event;

/// Rows of at most as many values are compared as they are.
pub(crate) const NARROW: usize = 64;

/// The numbers of a place of rows that are projected to `components` dimensions where they are not narrow.
pub(crate) fn width_of_places(data: &Dataset, components: usize) -> usize {
    let columns = data.source.cols();
    if columns > NARROW.max(components) { components } else { columns }
}

/// What makes rows comparable; nothing where they are narrow.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Projection(pub(crate) Option<PrincipalComponents>);

impl Projection {
    /// To `components` dimensions, by some of the rows; of narrow rows nothing is asked.
    pub(crate) fn fit(
        ready: &Ready<'_>,
        rows: &[u32],
        components: usize,
        control: &mut FitControl<'_>,
    ) -> Result<Projection, FitError> {
        let source = ready.data.source.as_ref();
        // Sparse rows, too: they are to be as near to each other as the same rows would be that are not.
        if source.cols() <= NARROW.max(components) {
            return Ok(Projection(None));
        }
        control.say(&Event::Working("principal components of the rows"));
        let blocks = Blocks { source, preprocessor: &ready.preprocessor, rows };
        let found = PrincipalComponents::fit(&blocks, components, &|| control.stopped())?;
        ensure_wanted(control)?;
        Ok(Projection(Some(found)))
    }

    /// Its dimensions, where there is one.
    pub(crate) fn components(&self) -> Option<usize> {
        self.0.as_ref().map(PrincipalComponents::components)
    }

    /// How many numbers a place has, for rows of `columns` values.
    pub(crate) fn width(&self, columns: usize) -> usize {
        self.0.as_ref().map_or(columns, PrincipalComponents::components)
    }

    /// The places of a batch.
    pub(super) fn of(&self, batch: &Batch) -> Matrix<f32> {
        match (&self.0, batch) {
            (Some(projection), _) => projection.of(batch),
            (None, Batch::Dense(rows)) => rows.clone(),
            (None, Batch::Sparse(rows)) => {
                let mut dense = Matrix::zeros(0, rows.cols());
                rows.to_dense_into(&mut dense);
                dense
            }
        }
    }

    /// The places of some of the rows that a training sees.
    pub(crate) fn places(
        &self,
        data: &Dataset,
        preprocessor: &Preprocessor,
        rows: &[u32],
    ) -> Result<Matrix<f32>, FitError> {
        let source = data.source.as_ref();
        let mut places = Matrix::zeros(rows.len(), self.width(source.cols()));
        let blocks = Blocks { source, preprocessor, rows };
        blocks.for_each(|start, batch| copy_rows(&self.of(batch), &mut places, start))?;
        Ok(places)
    }

    /// The places of successive rows, of `columns` values, that a model sees.
    pub(crate) fn places_seen(
        &self,
        data: &Dataset,
        (columns, preprocessor): (usize, &Preprocessor),
        rows: Range<usize>,
    ) -> Result<Matrix<f32>, ModelError> {
        let mut all = Matrix::zeros(rows.len(), self.width(columns));
        for_each_scaled_block(data, columns, preprocessor, rows, |start, batch| {
            copy_rows(&self.of(batch), &mut all, start);
        })?;
        Ok(all)
    }
}

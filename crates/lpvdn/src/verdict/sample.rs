//! The rows that a verdict looks at, and how they become places that are compared.

use std::collections::BTreeSet;
use std::sync::Arc;

use lpvdn_core::principal::{Blocks, PrincipalComponents};
use lpvdn_core::view::{Metric, Part, ViewError, ViewedRows};
use lpvdn_core::{Batch, Dataset, Matrix, Preprocessor, RowSource, StreamKey, Summary, View};

use super::blocks::{Block, BlockKind, of_groups, of_view};
use crate::error::FitError;
use crate::model::cluster_model::Origin;
use crate::model::graph::places::NARROW;
use crate::model::lpvdn::algorithm::as_fit_error;
use crate::model::seen::with_rows;

/// `wanted` numbers below `rows`, ascending, or all of them.
pub(super) fn drawn(rows: usize, wanted: usize, seed: u64) -> Vec<u32> {
    if rows <= wanted {
        return (0..rows as u32).collect();
    }
    // Floyd's algorithm takes as many draws as numbers are wanted, however many rows there are.
    let mut stream = StreamKey::new(seed, "verdict rows").open();
    let mut chosen = BTreeSet::new();
    for last in rows - wanted..rows {
        let draw = stream.below(last as u64 + 1) as u32;
        if !chosen.insert(draw) {
            chosen.insert(last as u32);
        }
    }
    chosen.into_iter().collect()
}

/// Some rows of the data, in a state in which the values of a column may be exchanged between them.
pub(super) struct Sample {
    pub(super) rows: Batch,
    /// Which columns stay together then.
    pub(super) blocks: Vec<Block>,
    /// Where the view looks at many columns at once, as latent semantic analysis does, rows are those before the view,
    /// and this is the data set without any: the view is fitted anew.
    unseen: Option<Dataset>,
    components: Option<usize>,
    /// Dimensions of wide rows.
    projection: usize,
    /// Whether rows that are not projected all have the same length.
    by_angle: bool,
}

impl Sample {
    /// The rows `rows` of the data that a model was fitted to.
    pub(super) fn of(
        origin: &Origin,
        data: &Dataset,
        rows: &[u32],
        (projection, components): (usize, Option<usize>),
    ) -> Result<Sample, FitError> {
        let view = origin.view.as_deref();
        let has_terms = view.is_some_and(|view| view.parts().iter().any(|p| matches!(p, Part::Terms(_))));
        let by_angle = view.is_some_and(|view| view.metric() == Metric::Cosine);
        let (source, preprocessor) = match has_terms {
            true => (data.source.clone(), &Preprocessor::None),
            false => (origin.seen(data).map_err(as_fit_error)?.source.clone(), &origin.preprocessor),
        };
        let mut batch = Batch::for_source(source.as_ref());
        preprocessor.gather(source.as_ref(), rows, &mut batch)?;
        let blocks = match view {
            Some(view) if !has_terms => of_view(view),
            _ => of_groups(data, batch.cols()),
        };
        let unseen = has_terms.then(|| Dataset {
            labels: None,
            ids: None,
            lines: None,
            source: Arc::new(Matrix::<f32>::zeros(0, 0)),
            ..data.clone()
        });
        Ok(Sample { rows: batch, blocks, unseen, components, projection, by_angle })
    }

    /// Whether all of a row is one column, or one column of categories: to permute it would change nothing.
    pub(super) fn is_one_column(&self) -> bool {
        let columns = |block: &Block| if block.kind == BlockKind::Together { 1 } else { block.columns.len() };
        self.blocks.iter().map(columns).sum::<usize>() < 2
    }

    /// Bytes that the rows with permuted columns take on their way to places.
    pub(super) fn bytes(&self) -> usize {
        let values = match &self.rows {
            Batch::Dense(rows) => rows.as_slice().len(),
            Batch::Sparse(rows) => 2 * rows.entries() + 8 * rows.cols(),
        };
        4 * (2 * values + 2 * self.rows.cols() * (self.projection + 10))
    }

    /// The length of rows that are compared by their angle.
    pub(super) fn length_of(&self, places: &Matrix<f32>) -> Option<f64> {
        let is_projected = self.by_angle && self.unseen.is_none() && places.cols() < self.rows.cols();
        if !self.by_angle || is_projected || places.rows() == 0 {
            return None;
        }
        let length = |row: &[f32]| row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        Some(places.iter_rows().map(length).sum::<f64>() / places.rows() as f64)
    }

    /// The places of rows in the state of the sample.
    pub(super) fn places(&self, rows: Batch, stopped: &dyn Fn() -> bool) -> Result<Matrix<f32>, FitError> {
        match &self.unseen {
            Some(unseen) => self.projected(seen_anew(unseen, rows, self.components)?, stopped),
            None => self.projected(rows, stopped),
        }
    }

    fn projected(&self, rows: Batch, stopped: &dyn Fn() -> bool) -> Result<Matrix<f32>, FitError> {
        let wide = rows.cols() > NARROW.max(self.projection);
        let all: Vec<u32> = (0..rows.rows() as u32).collect();
        let source: Box<dyn RowSource> = match rows {
            Batch::Dense(rows) if !wide => return Ok(rows),
            Batch::Dense(rows) => Box::new(rows),
            Batch::Sparse(rows) if !wide => {
                let mut dense = Matrix::zeros(0, rows.cols());
                rows.to_dense_into(&mut dense);
                return Ok(dense);
            }
            Batch::Sparse(rows) => Box::new(rows),
        };
        let blocks = Blocks { source: source.as_ref(), preprocessor: &Preprocessor::None, rows: &all };
        let found = PrincipalComponents::fit(&blocks, self.projection, stopped)?;
        if stopped() {
            return Err(FitError::Interrupted { checkpoint: None });
        }
        let mut places = Matrix::zeros(all.len(), found.components());
        blocks.for_each(|start, batch| {
            let of_block = found.of(batch);
            let first = start * of_block.cols();
            places.as_mut_slice()[first..][..of_block.as_slice().len()].copy_from_slice(of_block.as_slice());
        })?;
        Ok(places)
    }
}

/// Rows through a view that is fitted to them.
fn seen_anew(unseen: &Dataset, rows: Batch, components: Option<usize>) -> Result<Batch, FitError> {
    let source: Arc<dyn RowSource> = match rows {
        Batch::Dense(rows) => Arc::new(rows),
        Batch::Sparse(rows) => Arc::new(rows),
    };
    let data = with_rows(unseen, source.clone(), None);
    let data = Dataset { groups: unseen.groups.clone(), ..data };
    let summary = Summary::of(source.as_ref())?;
    // A sample may have fewer terms than components that somebody asked for.
    let most = data.rows().min(data.cols()).saturating_sub(1).max(1);
    let view = match View::fit(&data, &summary, components.map(|asked| asked.min(most)), &mut ()) {
        Ok(view) => view,
        Err(ViewError::Source(error)) => return Err(error.into()),
        Err(_) => None,
    };
    let all: Vec<u32> = (0..data.rows() as u32).collect();
    let source: Arc<dyn RowSource> = match view {
        Some(view) => Arc::new(ViewedRows::new(source, Arc::new(view))),
        None => source,
    };
    let mut seen = Batch::for_source(source.as_ref());
    source.gather(&all, &mut seen)?;
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_drawn_once_in_their_order_and_all_where_there_are_few() {
        assert_eq!(drawn(5, 9, 1), [0, 1, 2, 3, 4]);
        let some = drawn(100_000, 1_000, 1);
        assert_eq!(some.len(), 1_000);
        assert!(some.windows(2).all(|pair| pair[0] < pair[1]));
        let early = some.iter().filter(|row| **row < 50_000).count();
        assert!((400..600).contains(&early), "{early}");
        assert_ne!(some, drawn(100_000, 1_000, 2));
    }
}

//! Which rows a step sees, and getting them.

use std::ops::Range;

use lpvdn_core::product::part;
use lpvdn_core::source::Input;
use lpvdn_core::{Batch, Matrix, Preprocessor, RowSource, SourceError, StreamKey};

use super::events::Phase;

/// The order of the rows in one epoch, cut into nearly equal batches: of 5,620 rows, a fixed 800
/// would leave a last batch of 20, too small to have neighbourhoods.
#[derive(Clone, Debug)]
pub(crate) struct EpochOrder {
    order: Vec<u32>,
    steps: usize,
}

impl EpochOrder {
    pub(crate) fn new(rows: usize, steps: usize) -> EpochOrder {
        EpochOrder { order: (0..rows as u32).collect(), steps }
    }

    /// Shuffles for an epoch, starting from the rows' own order so that nothing carries over.
    pub(crate) fn shuffle(&mut self, seed: u64, name: &'static str, phase: Phase, epoch: usize) {
        self.order.iter_mut().enumerate().for_each(|(i, row)| *row = i as u32);
        StreamKey::new(seed, name).at(phase.number(), epoch as u32, 0).open().shuffle(&mut self.order);
    }

    pub(crate) fn batch(&self, step: usize) -> &[u32] {
        let range: Range<usize> = part(self.order.len(), self.steps, step);
        &self.order[range]
    }
}

/// Gathered and scaled rows, with a dense copy where they are sparse.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    batch: Batch,
    dense: Matrix<f32>,
}

impl Rows {
    pub(crate) fn new(source: &dyn RowSource) -> Rows {
        Rows { batch: Batch::for_source(source), dense: Matrix::zeros(0, source.cols()) }
    }

    /// Gets rows `indices`, scaled.
    pub(crate) fn gather(
        &mut self,
        source: &dyn RowSource,
        preprocessor: &Preprocessor,
        indices: &[u32],
    ) -> Result<(), SourceError> {
        source.gather(indices, &mut self.batch)?;
        preprocessor.apply(&mut self.batch);
        if let Batch::Sparse(sparse) = &self.batch {
            sparse.to_dense_into(&mut self.dense);
        }
        Ok(())
    }

    pub(crate) fn input(&self) -> Input<'_, f32> {
        self.batch.input()
    }

    /// The rows as the decoder is compared with them.
    pub(crate) fn dense(&self) -> &Matrix<f32> {
        match &self.batch {
            Batch::Dense(dense) => dense,
            Batch::Sparse(_) => &self.dense,
        }
    }
}

/// Fills `noise` with standard normal draws.
pub(crate) fn fill_normal(noise: &mut Matrix<f32>, rows: usize, key: StreamKey) {
    noise.set_rows(rows);
    let mut stream = key.open();
    noise.as_mut_slice().iter_mut().for_each(|e| *e = stream.normal() as f32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_sees_every_row_once_in_batches_of_nearly_equal_size() {
        let mut order = EpochOrder::new(5_620, 5_620_usize.div_ceil(800));
        order.shuffle(1, "shuffle", Phase::Joint, 3);
        let sizes: Vec<usize> = (0..8).map(|s| order.batch(s).len()).collect();
        assert!(sizes.iter().all(|s| (702..=703).contains(s)), "{sizes:?}");
        let mut seen: Vec<u32> = (0..8).flat_map(|s| order.batch(s).to_vec()).collect();
        assert_ne!(seen[..20], (0..20).collect::<Vec<u32>>());
        seen.sort_unstable();
        assert_eq!(seen, (0..5_620).collect::<Vec<u32>>());
    }

    #[test]
    fn the_order_of_an_epoch_does_not_depend_on_the_epochs_before() {
        let mut a = EpochOrder::new(100, 4);
        a.shuffle(1, "shuffle", Phase::Joint, 0);
        a.shuffle(1, "shuffle", Phase::Joint, 1);
        let mut b = EpochOrder::new(100, 4);
        b.shuffle(1, "shuffle", Phase::Joint, 1);
        assert_eq!(a.order, b.order);
    }
}

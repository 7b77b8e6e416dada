//! Which rows a step sees, and getting them.

use std::ops::Range;
use std::sync::Arc;

use lpvdn_core::product::part;
use lpvdn_core::source::Input;
use lpvdn_core::{Batch, Matrix, Preprocessor, RowSource, SourceError, StreamKey};

use super::districts::Districts;
use super::events::Phase;

/// The order of the rows in one epoch: district after district, each cut into nearly equal pieces. Of
/// 5,620 rows, a fixed 800 would leave a last batch of 20, too small to have neighbourhoods.
#[derive(Clone, Debug)]
pub(crate) struct EpochOrder {
    districts: Arc<Districts>,
    /// Which district comes when.
    visits: Vec<usize>,
    /// The places in its district, for each district.
    order: Vec<u32>,
    /// How many pieces a district is cut into.
    pieces: usize,
}

impl EpochOrder {
    pub(crate) fn new(districts: Arc<Districts>, pieces: usize) -> EpochOrder {
        let order = (0..districts.count()).flat_map(|d| 0..districts.rows(d).len() as u32).collect();
        EpochOrder { visits: (0..districts.count()).collect(), order, districts, pieces }
    }

    /// Shuffles for an epoch, starting from the rows' own order so that nothing carries over. Orders of
    /// the same phase and epoch visit the districts alike.
    pub(crate) fn shuffle(&mut self, seed: u64, name: &'static str, phase: Phase, epoch: usize) {
        let at = |name| StreamKey::new(seed, name).at(phase.number(), epoch as u32, 0).open();
        let mut stream = at(name);
        for district in 0..self.districts.count() {
            let range = self.range(district);
            let order = &mut self.order[range];
            order.iter_mut().enumerate().for_each(|(i, row)| *row = i as u32);
            stream.shuffle(order);
        }
        if self.visits.len() > 1 {
            self.visits.iter_mut().enumerate().for_each(|(i, district)| *district = i);
            at("visits").shuffle(&mut self.visits);
        }
    }

    /// The district that is visited as the `visit`-th.
    pub(crate) fn district(&self, visit: usize) -> usize {
        self.visits[visit]
    }

    /// A piece of the district that is visited as the `visit`-th: places in it.
    pub(crate) fn piece(&self, visit: usize, piece: usize) -> &[u32] {
        let order = &self.order[self.range(self.visits[visit])];
        &order[part(order.len(), self.pieces, piece)]
    }

    fn range(&self, district: usize) -> Range<usize> {
        part(self.order.len(), self.districts.count(), district)
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
        preprocessor.gather(source, indices, &mut self.batch)?;
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

    fn order(rows: usize, pieces: usize) -> EpochOrder {
        EpochOrder::new(Arc::new(Districts::new((rows, 200), 10_000, 1)), pieces)
    }

    #[test]
    fn an_epoch_sees_every_row_once_in_batches_of_nearly_equal_size() {
        let mut order = order(5_620, 5_620_usize.div_ceil(800));
        order.shuffle(1, "shuffle", Phase::Joint, 3);
        let sizes: Vec<usize> = (0..8).map(|s| order.piece(0, s).len()).collect();
        assert!(sizes.iter().all(|s| (702..=703).contains(s)), "{sizes:?}");
        let mut seen: Vec<u32> = (0..8).flat_map(|s| order.piece(0, s).to_vec()).collect();
        assert_ne!(seen[..20], (0..20).collect::<Vec<u32>>());
        seen.sort_unstable();
        assert_eq!(seen, (0..5_620).collect::<Vec<u32>>());
    }

    #[test]
    fn of_many_rows_an_epoch_sees_district_after_district_and_every_row_once() {
        let rows = 39_995;
        let mut epochs = Vec::new();
        for epoch in 0..2 {
            let mut order = order(rows, 9);
            order.shuffle(1, "shuffle", Phase::Joint, epoch);
            let mut negatives = order.clone();
            negatives.shuffle(1, "negatives", Phase::Joint, epoch);
            let mut seen = Vec::new();
            for visit in 0..4 {
                assert_eq!(order.district(visit), negatives.district(visit));
                assert_ne!(order.piece(visit, 0), negatives.piece(visit, 0));
                let members = order.districts.rows(order.district(visit));
                let places = (0..9).flat_map(|piece| order.piece(visit, piece).to_vec());
                seen.extend(places.map(|place| members[place as usize]));
            }
            epochs.push(seen.clone());
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..rows as u32));
        }
        assert_ne!(epochs[0], epochs[1]);
    }

    #[test]
    fn the_order_of_an_epoch_does_not_depend_on_the_epochs_before() {
        for rows in [100, 20_000] {
            let (mut a, mut b) = (order(rows, 4), order(rows, 4));
            a.shuffle(1, "shuffle", Phase::Joint, 0);
            a.shuffle(1, "shuffle", Phase::Joint, 1);
            b.shuffle(1, "shuffle", Phase::Joint, 1);
            assert_eq!((a.order, a.visits), (b.order, b.visits));
        }
    }
}

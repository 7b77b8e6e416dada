//! How many of the nearest neighbours are found.

use lpvdn_core::StreamKey;
use rayon::prelude::*;

use super::Hnsw;
use super::search::check_k;
use super::walk::Walks;
use crate::neighbors::NeighborsError;

impl Hnsw {
    /// The share of the true `k` nearest other points that is found, over `sample` points drawn with `seed`
    /// (1 at least, all at most). The truth takes a comparison with all points for each of the sample.
    ///
    /// A point found at the distance of the k-th nearest is right, whichever of several it is.
    ///
    /// # Errors
    /// Where `k` is 0 or there are fewer other points.
    pub fn recall(&self, k: usize, sample: usize, seed: u64) -> Result<f64, NeighborsError> {
        check_k(k, self.rows() - 1)?;
        let sample = sample.clamp(1, self.rows());
        let mut places: Vec<u32> = (0..self.rows() as u32).collect();
        StreamKey::new(seed, "hnsw-recall").open().shuffle(&mut places);
        let walks = Walks::new(&self.nodes);
        let right: usize = places[..sample]
            .par_iter()
            .with_max_len(1)
            .map(|&place| self.right(place as usize, k, &walks))
            .sum();
        Ok(right as f64 / (sample * k) as f64)
    }

    /// How many of the `k` neighbours found are true ones, for one point.
    fn right(&self, place: usize, k: usize, walks: &Walks) -> usize {
        let (row, query) = (self.nodes.all_rows()[place], self.nodes.values(self.nodes.at(place)));
        walks.lend(|walk| {
            let truth = self.answer_by_trying_all(query, k, Some(row), walk);
            let found = self.answer(query, k, Some(row), walk);
            found.iter().filter(|(square, _)| *square <= truth[k - 1].0).count()
        })
    }
}

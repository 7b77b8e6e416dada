//! The same rows divided again, from random halves of them.

use lpvdn_cluster::leiden::LeidenError;
use lpvdn_cluster::{KMeans, LeidenK, Neighbors, metrics};
use lpvdn_core::{Matrix, StreamKey};

use crate::error::FitError;
use crate::model::graph::GraphParams;
use crate::model::graph::landmarks::gathered;
use crate::model::graph::partitions::{self, Points, Way, clustering};

/// Neighbours that vote for the cluster of a row that a refit has not seen.
const VOTERS: usize = 5;
/// Resolutions that Leiden tries, at most. Without clusters none may give K communities, and a fit would go on looking for it.
const RESOLUTIONS: usize = 12;

/// How places are divided again.
#[derive(Clone)]
pub(super) struct Refit<'a> {
    pub(super) way: Way,
    pub(super) params: &'a GraphParams,
    pub(super) stopped: &'a (dyn Fn() -> bool + Sync),
}

/// The clusters of all rows by each of the two halves of a halving.
pub(super) type Halving = [Vec<u32>; 2];

impl Refit<'_> {
    /// The clusters of all rows by a random part of them.
    pub(super) fn subsample(
        &self,
        places: &Matrix<f32>,
        part: usize,
        stream: StreamKey,
    ) -> Result<Vec<u32>, FitError> {
        let rows = shuffled(places.rows(), stream);
        self.extended(places, &rows[..part], self.params.seed.wrapping_add(101 + stream.step))
    }

    /// Divides both halves of a random halving, and extends each partition to all rows.
    pub(super) fn halving(&self, places: &Matrix<f32>, stream: StreamKey) -> Result<Halving, FitError> {
        let order = shuffled(places.rows(), stream);
        let (first, second) = order.split_at(order.len() / 2);
        let seed = |half: u64| self.params.seed.wrapping_add(1 + 2 * stream.step + half);
        Ok([self.extended(places, first, seed(0))?, self.extended(places, second, seed(1))?])
    }

    /// Divides some of the rows, and extends their partition to all.
    pub(super) fn extended(
        &self,
        places: &Matrix<f32>,
        half: &[u32],
        seed: u64,
    ) -> Result<Vec<u32>, FitError> {
        let part = gathered(places, half);
        let found = self.divided(&part, seed)?;
        let mut is_in = vec![None; places.rows()];
        half.iter().zip(&found).for_each(|(&row, &label)| is_in[row as usize] = Some(label));
        let others: Vec<u32> =
            (0..places.rows() as u32).filter(|&row| is_in[row as usize].is_none()).collect();
        let voters = VOTERS.min(half.len());
        let nearest = Neighbors::of(&gathered(places, &others), &part, voters).map_err(clustering)?;
        for (&row, voters) in others.iter().zip(nearest.indices.iter_rows()) {
            is_in[row as usize] = Some(winner(voters.iter().map(|&at| found[at as usize])));
        }
        Ok(is_in.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// The partition of some places.
    fn divided(&self, places: &Matrix<f32>, seed: u64) -> Result<Vec<u32>, FitError> {
        let params = GraphParams { seed, ..self.params.clone() };
        match self.way {
            Way::KMeans | Way::Mixture => {
                let k_means = KMeans::params(params.clusters).n_init(params.starts).seed(seed);
                let found = k_means.fit(places).map_err(clustering)?.labels;
                match self.way {
                    Way::Mixture => Ok(partitions::mixture(places, &params, &found).unwrap_or(found)),
                    _ => Ok(found),
                }
            }
            Way::Leiden | Way::Modularity => {
                let points = Points::new(places.clone(), &params)?;
                let leiden = LeidenK::params(params.clusters).seed(seed).max_runs(RESOLUTIONS);
                match leiden.fit_unless(&points.graph, Some(&points.places), self.stopped) {
                    Ok(found) => Ok(found.labels),
                    Err(LeidenError::Interrupted) => Err(FitError::Interrupted { checkpoint: None }),
                    Err(error) => Err(clustering(error)),
                }
            }
        }
    }
}

/// The numbers below `rows` in a random order.
pub(super) fn shuffled(rows: usize, stream: StreamKey) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    stream.open().shuffle(&mut order);
    order
}

/// The label with the most votes; of equals the one of the nearest voter.
fn winner(votes: impl Iterator<Item = u32>) -> u32 {
    let votes: Vec<u32> = votes.collect();
    let count = |label: u32| votes.iter().filter(|vote| **vote == label).count();
    let mut best = votes[0];
    for &vote in &votes[1..] {
        if count(vote) > count(best) {
            best = vote;
        }
    }
    best
}

/// How much the two halves agree.
pub(super) fn agreement(halving: &Halving) -> f64 {
    metrics::ari(&halving[0], &halving[1]).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_equal_voters_wins() {
        assert_eq!(winner([4, 1, 1, 4, 2].into_iter()), 4);
        assert_eq!(winner([4, 1, 1, 2, 3].into_iter()), 1);
    }
}

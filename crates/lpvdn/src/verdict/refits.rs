//! The same rows divided again, from random halves of them.

use lpvdn_cluster::leiden::LeidenError;
use lpvdn_cluster::{Leiden, LeidenK, Neighbors, metrics};
use lpvdn_core::{Matrix, StreamKey};

use crate::error::FitError;
use crate::model::graph::GraphParams;
use crate::model::graph::landmarks::gathered;
use crate::model::graph::partitions::{self, Points, Way, clustering};
use crate::model::graph::whitening::Whitened;

/// Neighbours that vote for the cluster of a row that a refit has not seen.
const VOTERS: usize = 5;
/// Resolutions that Leiden tries, at most. Without clusters none may give K communities, and a fit would go on looking for it.
const RESOLUTIONS: usize = 10;

/// How places are divided again.
#[derive(Clone)]
pub(super) struct Refit<'a> {
    pub(super) way: Way,
    pub(super) params: &'a GraphParams,
    pub(super) stopped: &'a (dyn Fn() -> bool + Sync),
}

/// The clusters of all rows by each of the two halves of a halving.
pub(super) type Halving = [Vec<u32>; 2];

/// Some of the rows, ready to be divided in several ways, and the way from there to all rows.
struct Part {
    points: Points,
    /// For each of all rows its place in the part, or those of the rows of the part that vote for it.
    voters: Vec<Vec<u32>>,
}

impl Part {
    fn of(places: &Matrix<f32>, rows: &[u32], params: &GraphParams) -> Result<Part, FitError> {
        let points = Points::new(gathered(places, rows), params)?;
        let mut voters = vec![Vec::new(); places.rows()];
        rows.iter().zip(0..).for_each(|(&row, at)| voters[row as usize] = vec![at]);
        let others: Vec<u32> =
            (0..places.rows() as u32).filter(|&row| voters[row as usize].is_empty()).collect();
        let count = VOTERS.min(rows.len());
        let nearest = Neighbors::of(&gathered(places, &others), &points.places, count).map_err(clustering)?;
        for (&row, nearest) in others.iter().zip(nearest.indices.iter_rows()) {
            voters[row as usize] = nearest.to_vec();
        }
        Ok(Part { points, voters })
    }

    /// Its partition, extended to all rows.
    fn divided(&self, refit: &Refit<'_>, seed: u64) -> Result<Vec<u32>, FitError> {
        let found = refit.divided(&self.points, seed)?;
        let vote = |voters: &Vec<u32>| winner(voters.iter().map(|&at| found[at as usize]));
        Ok(self.voters.iter().map(vote).collect())
    }
}

/// The two halves of some rows.
pub(super) struct Halves {
    parts: [Part; 2],
    seed: u64,
}

impl Halves {
    /// Of a random halving.
    pub(super) fn of(
        places: &Matrix<f32>,
        params: &GraphParams,
        stream: StreamKey,
    ) -> Result<Halves, FitError> {
        let order = shuffled(places.rows(), stream);
        let (first, second) = order.split_at(order.len() / 2);
        let parts = [Part::of(places, first, params)?, Part::of(places, second, params)?];
        Ok(Halves { parts, seed: params.seed.wrapping_add(1 + 2 * stream.step) })
    }

    /// The clusters of all rows by each of the two.
    pub(super) fn divided(&self, refit: &Refit<'_>) -> Result<Halving, FitError> {
        let [first, second] = &self.parts;
        Ok([first.divided(refit, self.seed)?, second.divided(refit, self.seed.wrapping_add(1))?])
    }
}

impl Refit<'_> {
    /// The clusters of all rows by a random part of them.
    pub(super) fn subsample(
        &self,
        places: &Matrix<f32>,
        part: usize,
        stream: StreamKey,
    ) -> Result<Vec<u32>, FitError> {
        let rows = shuffled(places.rows(), stream);
        let part = Part::of(places, &rows[..part], self.params)?;
        part.divided(self, self.params.seed.wrapping_add(101 + stream.step))
    }

    /// Divides both halves of a random halving, and extends each partition to all rows.
    pub(super) fn halving(&self, places: &Matrix<f32>, stream: StreamKey) -> Result<Halving, FitError> {
        Halves::of(places, self.params, stream)?.divided(self)
    }

    /// The partition of some places.
    fn divided(&self, points: &Points, seed: u64) -> Result<Vec<u32>, FitError> {
        if (self.stopped)() {
            return Err(FitError::Interrupted { checkpoint: None });
        }
        let params = GraphParams { seed, ..self.params.clone() };
        match self.way {
            Way::KMeans => Ok(partitions::k_means(points, &params)?.labels),
            Way::Mixture => {
                let start = partitions::k_means(points, &params)?.labels;
                Ok(partitions::mixture(&points.places, &params, &start).unwrap_or(start))
            }
            Way::Leiden | Way::Modularity => Ok(self.leiden(points, &params)?.labels),
            Way::LeidenWhitened => {
                let LeidenK { labels, resolution, .. } = self.leiden(points, &params)?;
                let second = Whitened::of(points, (&labels, resolution), &params, self.stopped)?;
                Ok(second.map_or(labels, |second| second.labels))
            }
        }
    }

    fn leiden(&self, points: &Points, params: &GraphParams) -> Result<LeidenK, FitError> {
        // One start: the best of several is a little more stable, with and without clusters.
        let one = Leiden::params().n_init(1);
        let leiden = LeidenK::params(params.clusters).leiden(one).seed(params.seed).max_runs(RESOLUTIONS);
        leiden.fit_unless(&points.graph, Some(&points.places), self.stopped).map_err(|error| match error {
            LeidenError::Interrupted => FitError::Interrupted { checkpoint: None },
            error => clustering(error),
        })
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

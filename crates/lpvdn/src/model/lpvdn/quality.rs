//! How good a clustering is, as far as that can be said without labels.

use lpvdn_cluster::metrics::{calinski_harabasz, davies_bouldin, silhouette_sampled};
use lpvdn_core::Matrix;
use serde::{Deserialize, Serialize};

/// The most rows that the silhouette compares with each other.
pub const SILHOUETTE_ROWS: usize = 10_000;

/// Scores of clusters in the space where they were found. They say how well clusters are apart there, not
/// whether they are the classes that somebody has in mind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// The mean silhouette of at most [`SILHOUETTE_ROWS`] rows, from −1 to 1; higher is better.
    pub silhouette: Option<f64>,
    /// Calinski–Harabasz: between-cluster over within-cluster dispersion; higher is better.
    pub calinski_harabasz: Option<f64>,
    /// Davies–Bouldin: how near the nearest other cluster is; lower is better.
    pub davies_bouldin: Option<f64>,
}

impl Quality {
    /// Of `labels` in `space`. A score is absent where it is not defined: all rows in one cluster, for
    /// example.
    pub fn of(space: &Matrix<f32>, labels: &[u32]) -> Quality {
        Quality {
            silhouette: silhouette_sampled(space, labels, SILHOUETTE_ROWS, 0).ok(),
            calinski_harabasz: calinski_harabasz(space, labels).ok(),
            davies_bouldin: davies_bouldin(space, labels).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_that_are_apart_score_better_and_a_single_one_not_at_all() {
        let rows = Matrix::from_fn(60, 2, |i, j| (i % 3 * 10 + j) as f32 + (i / 3) as f32 * 0.01);
        let by = |f: fn(u32) -> u32| Quality::of(&rows, &(0..60).map(f).collect::<Vec<u32>>());
        let (good, bad) = (by(|i| i % 3), by(|i| i / 20));
        assert!(good.silhouette > Some(0.9) && bad.silhouette < Some(0.1));
        assert!(good.calinski_harabasz > bad.calinski_harabasz);
        assert!(good.davies_bouldin < bad.davies_bouldin);
        let none = Quality { silhouette: None, calinski_harabasz: None, davies_bouldin: None };
        assert_eq!(by(|_| 1), none);
    }
}

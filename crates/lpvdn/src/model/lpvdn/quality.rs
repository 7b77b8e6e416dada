//! How good a clustering is, as far as that can be said without labels.

use lpvdn_cluster::metrics::{calinski_harabasz, davies_bouldin, silhouette_sampled};
use lpvdn_core::Matrix;
use serde::{Deserialize, Serialize};

/// Rows that the silhouette compares with each other.
const SAMPLE: usize = 5_000;

/// Scores of clusters in the space where they were found. They say how well clusters are apart there, not
/// whether they are the classes that somebody has in mind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// The mean silhouette of a sample of rows, from −1 to 1; higher is better.
    pub silhouette: f64,
    /// Calinski–Harabasz: between-cluster over within-cluster dispersion; higher is better.
    pub calinski_harabasz: f64,
    /// Davies–Bouldin: how near the nearest other cluster is; lower is better.
    pub davies_bouldin: f64,
}

impl Quality {
    /// Of `labels` in `space`; `None` where there are fewer than two clusters, or as many as rows.
    pub(crate) fn of(space: &Matrix<f32>, labels: &[u32], seed: u64) -> Option<Quality> {
        Some(Quality {
            silhouette: silhouette_sampled(space, labels, SAMPLE, seed).ok()?,
            calinski_harabasz: calinski_harabasz(space, labels).ok()?,
            davies_bouldin: davies_bouldin(space, labels).ok()?,
        })
    }
}

//! Clusters around centres, and what a fit says about them.

use lpvdn_cluster::k_means::KMeans;
use lpvdn_core::Matrix;

use super::collapse::{Formed, collapse};
use super::fitted::Fitted;
use super::lpvdn::Quality;
use super::lpvdn::assignment::{Assignment, labels, probabilities};
use super::lpvdn::trainer::effective_clusters;
use crate::error::FitError;
use crate::loss::mixture::Mixture;

/// The number for the random stream of the clustering of codes, as in LPVDN.
const FINAL_PHASE: u32 = 11;

/// K-means of codes.
pub(crate) fn k_means(
    codes: &Matrix<f32>,
    (clusters, starts, seed): (usize, u32, u64),
) -> Result<KMeans, FitError> {
    KMeans::params(clusters)
        .n_init(starts)
        .seed(seed)
        .phase(FINAL_PHASE)
        .fit(codes)
        .map_err(|e| FitError::Clustering(e.to_string()))
}

/// The cluster of each code by K-means of the `sample` that speaks for all.
pub(crate) fn labels_by_k_means(
    codes: &Matrix<f32>,
    sample: &Matrix<f32>,
    settings: (usize, u32, u64),
) -> Result<Vec<u32>, FitError> {
    let found = k_means(sample, settings)?;
    found.predict(codes).map_err(|e| FitError::Clustering(e.to_string()))
}

/// The mean of the codes of each cluster; zero where it has none.
pub(crate) fn means_of(codes: &Matrix<f32>, labels: &[u32], clusters: usize) -> Matrix<f32> {
    let (mut sums, mut counts) = (Matrix::<f64>::zeros(clusters, codes.cols()), vec![0.0_f64; clusters]);
    for (row, &label) in codes.iter_rows().zip(labels) {
        counts[label as usize] += 1.0;
        sums.row_mut(label as usize).iter_mut().zip(row).for_each(|(sum, &v)| *sum += f64::from(v));
    }
    Matrix::from_fn(clusters, codes.cols(), |k, j| (sums.row(k)[j] / counts[k].max(1.0)) as f32)
}

/// The standard deviation of a coordinate around the centres, which probabilities are measured by. Rows
/// that all lie on their centres leave no spread.
pub(crate) fn scale_of(inertia: f64, rows: usize, coordinates: usize) -> f32 {
    ((inertia / (rows * coordinates) as f64).sqrt() as f32).max(1e-6)
}

/// Rows around centres: the nearest one, and a softmax of −‖code − c_k‖²/2s².
pub(crate) struct Centers {
    assignment: Assignment,
    none: Vec<f32>,
}

impl Centers {
    pub(crate) fn new(centers: Matrix<f32>, scale: f32) -> Centers {
        let none = vec![0.0; centers.rows()];
        Centers { assignment: Assignment::Centers { centers, scale }, none }
    }

    fn prior(&self) -> Mixture<'_, f32> {
        Mixture { log_weights: &self.none, means: &[], log_variances: &[] }
    }

    pub(crate) fn labels(&self, codes: &Matrix<f32>) -> Vec<u32> {
        labels(&self.assignment, self.prior(), codes)
    }

    pub(crate) fn probabilities(&self, codes: &Matrix<f32>) -> Matrix<f32> {
        probabilities(&self.assignment, self.prior(), codes)
    }
}

/// What is known about a fit when its labels are.
pub(crate) fn described<M>(
    model: M,
    labels: Vec<u32>,
    codes: Matrix<f32>,
    (clusters, formed): (usize, Formed),
) -> Fitted<M> {
    let effective_clusters = effective_clusters(&labels, clusters);
    let warnings = collapse(&labels, clusters, formed).into_iter().collect();
    Fitted {
        quality: Quality::of(&codes, &labels),
        model,
        labels,
        embedding: codes,
        latent_k_means: None,
        partitions: None,
        seconds: 0.0,
        history: Vec::new(),
        evaluations: Vec::new(),
        warnings,
        effective_clusters,
        verdict: None,
    }
}

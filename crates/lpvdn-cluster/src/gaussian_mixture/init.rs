//! The start of a mixture: the clusters of one K-means run, as scikit-learn does it.

use lpvdn_core::Matrix;

use super::errors::GaussianMixtureError;
use super::hyperparams::{GaussianMixtureValidParams, Start};
use super::maximisation::maximise;
use super::{GaussianMixture, Parts};
use crate::k_means::{KMeans, one_start};

/// The mixture that start number `start` begins with.
pub(super) fn begin(
    params: &GaussianMixtureValidParams,
    data: &Matrix<f32>,
    start: u32,
    fallback: &[f64],
) -> Result<GaussianMixture, GaussianMixtureError> {
    match params.start() {
        Start::Given(mixture) => Ok(GaussianMixture::clone(mixture)),
        Start::KMeans => Ok(GaussianMixture::from_fit(from_k_means(params, data, start, fallback)?)),
    }
}

fn from_k_means(
    params: &GaussianMixtureValidParams,
    data: &Matrix<f32>,
    start: u32,
    fallback: &[f64],
) -> Result<Parts, GaussianMixtureError> {
    let k = params.n_components();
    let checked = KMeans::params(k).seed(params.seed()).phase(params.phase()).check();
    let clusters = one_start(&checked.map_err(crate::k_means::KMeansError::from)?, data, start)?;
    Ok(from_labels(params, data, &clusters.labels, fallback))
}

/// Responsibilities of 1 for the cluster of each row and 0 for the others, then one M step.
pub(super) fn from_labels(
    params: &GaussianMixtureValidParams,
    data: &Matrix<f32>,
    labels: &[u32],
    fallback: &[f64],
) -> Parts {
    let mut responsibilities = Matrix::zeros(data.rows(), params.n_components());
    for (i, &label) in labels.iter().enumerate() {
        responsibilities.row_mut(i)[label as usize] = 1.0;
    }
    maximise(data, &responsibilities, params.covariance_type(), params.reg_covar(), fallback)
}

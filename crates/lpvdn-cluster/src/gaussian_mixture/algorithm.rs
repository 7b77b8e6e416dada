//! Expectation–maximisation in log space.

use std::sync::atomic::{AtomicBool, Ordering};

use lpvdn_core::Matrix;
use rayon::prelude::*;

use super::GaussianMixture;
use super::density::{Densities, Scratch, exp};
use super::errors::GaussianMixtureError;
use super::hyperparams::{GaussianMixtureValidParams, Start};
use super::init;
use super::maximisation::maximise;
use crate::input::{self, CHUNK};

/// What the E step leaves in its output.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Scale {
    /// ln γ.
    Log,
    /// γ.
    Linear,
}

/// The E step: writes γ (or its logarithm) for each row and component,
///
/// $$\gamma_{ic} = \frac{\pi_c N(x_i \mid c)}{\sum_k \pi_k N(x_i \mid k)},$$
///
/// and returns the logarithm of the denominator for each row. A row's numbers do not depend on the
/// other rows.
pub(super) fn expect(
    data: &Matrix<f32>,
    densities: &Densities,
    scale: Scale,
    out: &mut Matrix<f64>,
) -> Vec<f64> {
    let k = out.cols();
    let mut logs = vec![0.0; data.rows()];
    let chunks = out.as_mut_slice().par_chunks_mut(CHUNK * k).zip(logs.par_chunks_mut(CHUNK));
    chunks.enumerate().for_each(|(c, (out, logs))| {
        let mut scratch = Scratch::default();
        for ((i, out), log) in (c * CHUNK..).zip(out.chunks_exact_mut(k)).zip(logs) {
            *log = densities.log_responsibilities(data.row(i), &mut scratch, out);
            if scale == Scale::Linear {
                out.iter_mut().for_each(|o| *o = if *o < -700.0 { 0.0 } else { exp(*o) });
            }
        }
    });
    logs
}

/// The mean in a fixed order.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(super) fn fit(
    params: &GaussianMixtureValidParams,
    data: &Matrix<f32>,
    stop: &AtomicBool,
) -> Result<GaussianMixture, GaussianMixtureError> {
    input::check_rows(data)?;
    let (rows, components) = (data.rows(), params.n_components());
    if rows < components {
        return Err(GaussianMixtureError::TooFewRows { rows, components });
    }
    if let Start::Given(mixture) = params.start() {
        input::check_columns(data, mixture.means().cols())?;
    }
    let center = input::column_means(data);
    let starts = if matches!(params.start(), Start::KMeans) { params.n_init() } else { 1 };
    let (mut best, mut highest) = run(params, data, 0, &center, stop)?;
    for start in 1..starts {
        let (other, likelihood) = run(params, data, start, &center, stop)?;
        if likelihood > highest {
            (best, highest) = (other, likelihood);
        }
    }
    Ok(best)
}

pub(super) fn of_clusters(
    params: &GaussianMixtureValidParams,
    data: &Matrix<f32>,
    labels: &[u32],
) -> Result<GaussianMixture, GaussianMixtureError> {
    input::check_rows(data)?;
    let components = params.n_components();
    if labels.len() != data.rows() || labels.iter().any(|&label| label as usize >= components) {
        return Err(GaussianMixtureError::Labels { labels: labels.len(), rows: data.rows(), components });
    }
    let parts = init::from_labels(params, data, labels, &input::column_means(data));
    Ok(GaussianMixture::from_fit(parts))
}

/// One start: the fitted mixture and the mean log-likelihood of its last E step.
fn run(
    params: &GaussianMixtureValidParams,
    data: &Matrix<f32>,
    start: u32,
    center: &[f64],
    stop: &AtomicBool,
) -> Result<(GaussianMixture, f64), GaussianMixtureError> {
    let mut mixture = init::begin(params, data, start, center)?;
    let mut responsibilities = Matrix::zeros(data.rows(), params.n_components());
    let mut likelihood = f64::NEG_INFINITY;
    let (mut iterations, mut converged) = (0, false);
    while iterations < params.max_iter() && !converged {
        if stop.load(Ordering::Relaxed) {
            return Err(GaussianMixtureError::Stopped);
        }
        let logs = expect(data, &mixture.densities, Scale::Linear, &mut responsibilities);
        let parts = maximise(data, &responsibilities, params.covariance_type(), params.reg_covar(), center);
        mixture = GaussianMixture::from_fit(parts);
        let before = std::mem::replace(&mut likelihood, mean(&logs));
        iterations += 1;
        converged = (likelihood - before).abs() < params.tol();
    }
    (mixture.iterations, mixture.converged) = (iterations, converged);
    Ok((mixture, likelihood))
}

//! Gaussian mixtures with diagonal, full or shared covariances, by expectation–maximisation.
//!
//! $$p(x) = \sum_c \pi_c\, N(x \mid \mu_c, \Sigma_c)$$
//!
//! Everything is double precision and in log space: a row far from every component has a very
//! negative log density and proper responsibilities, not 0/0. A component that collapses onto one
//! point keeps the variance `reg_covar`; one that loses every row returns to the mean of all rows
//! with a weight near 0. No parameter ever becomes NaN.

mod algorithm;
mod cholesky;
mod density;
mod errors;
mod hyperparams;
mod init;
mod maximisation;
mod parts;

pub use errors::{GaussianMixtureError, GaussianMixtureParamsError};
pub use hyperparams::{CovarianceType, GaussianMixtureParams, GaussianMixtureValidParams, Start};
pub use parts::Covariances;

use algorithm::{Scale, expect, mean};
use density::Densities;
use lpvdn_core::Matrix;
use parts::Parts;

use crate::InputError;
use crate::input;

/// A Gaussian mixture.
///
/// ```
/// use lpvdn_cluster::GaussianMixture;
/// use lpvdn_core::Matrix;
///
/// let rows = Matrix::from_vec(vec![0.0, 0.1, 0.2, 5.0, 5.2, 5.4], 6, 1);
/// let mixture = GaussianMixture::params(2).seed(7).fit(&rows)?;
/// let labels = mixture.predict(&rows)?;
/// assert_ne!(labels[0], labels[5]);
/// assert!((mixture.weights()[0] - 0.5).abs() < 1e-6);
/// assert!((mixture.means().row(labels[0] as usize)[0] - 0.1).abs() < 1e-6);
/// # Ok::<(), lpvdn_cluster::gaussian_mixture::GaussianMixtureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GaussianMixture {
    parts: Parts,
    densities: Densities,
    iterations: usize,
    converged: bool,
}

impl GaussianMixture {
    /// Default parameters for `n_components` components.
    pub fn params(n_components: usize) -> GaussianMixtureParams {
        GaussianMixtureParams::new(n_components)
    }

    /// A mixture from weights π, means μ (a row for each component) and covariances Σ.
    pub fn from_parts(
        weights: Vec<f64>,
        means: Matrix<f64>,
        covariances: Covariances,
    ) -> Result<GaussianMixture, GaussianMixtureParamsError> {
        let parts = Parts { weights, means, covariances };
        parts.check()?;
        Ok(GaussianMixture::from_fit(parts))
    }

    fn from_fit(mut parts: Parts) -> GaussianMixture {
        let densities = Densities::new(&parts.weights, &parts.means, &mut parts.covariances);
        GaussianMixture { parts, densities, iterations: 0, converged: false }
    }

    /// The weight π of each component; they add up to 1.
    pub fn weights(&self) -> &[f64] {
        &self.parts.weights
    }
    /// The mean μ of each component, one a row.
    pub fn means(&self) -> &Matrix<f64> {
        &self.parts.means
    }
    /// The covariance Σ of each component.
    pub fn covariances(&self) -> &Covariances {
        &self.parts.covariances
    }
    /// The variances σ² of diagonal covariances, a row for each component.
    pub fn variances(&self) -> Option<&Matrix<f64>> {
        match &self.parts.covariances {
            Covariances::Diagonal(variances) => Some(variances),
            Covariances::Full(_) | Covariances::Tied(_) => None,
        }
    }
    /// The lower triangle P with $P^T P = \Sigma^{-1}$ of covariances that all components share: among P x, clusters are round.
    pub fn whitening(&self) -> Option<&Matrix<f64>> {
        self.densities.shared_factor()
    }
    /// The iterations of the start that won; 0 when it was not fitted.
    pub fn iterations(&self) -> usize {
        self.iterations
    }
    /// Whether that start came to rest before `max_iter`.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// ln p(x) of each row.
    pub fn log_densities(&self, data: &Matrix<f32>) -> Result<Vec<f64>, InputError> {
        Ok(self.expect(data, Scale::Log)?.1)
    }

    /// The mean over the rows of ln p(x).
    pub fn log_likelihood(&self, data: &Matrix<f32>) -> Result<f64, InputError> {
        input::check_rows(data)?;
        Ok(mean(&self.log_densities(data)?))
    }

    /// The Bayesian information criterion, −2 ln p(X) + m ln n for m free parameters: lower is
    /// better.
    pub fn bic(&self, data: &Matrix<f32>) -> Result<f64, InputError> {
        let n = data.rows() as f64;
        Ok(-2.0 * n * self.log_likelihood(data)? + self.free_parameters() as f64 * density::ln(n))
    }

    /// The number of free parameters.
    pub fn free_parameters(&self) -> usize {
        let (k, d) = (self.parts.means.rows(), self.parts.means.cols());
        let covariances = match self.parts.covariances.kind() {
            CovarianceType::Diagonal => k * d,
            CovarianceType::Full => k * d * (d + 1) / 2,
            CovarianceType::Tied => d * (d + 1) / 2,
        };
        k * d + covariances + k - 1
    }

    /// The component with the largest responsibility for each row; the first of equals.
    pub fn predict(&self, data: &Matrix<f32>) -> Result<Vec<u32>, InputError> {
        let logs = self.log_responsibilities(data)?;
        let largest =
            |row: &[f64]| (1..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best });
        Ok(logs.iter_rows().map(|row| largest(row) as u32).collect())
    }

    /// γ for each row (rows × components): each row adds up to 1.
    pub fn responsibilities(&self, data: &Matrix<f32>) -> Result<Matrix<f64>, InputError> {
        Ok(self.expect(data, Scale::Linear)?.0)
    }

    /// ln γ for each row (rows × components).
    pub fn log_responsibilities(&self, data: &Matrix<f32>) -> Result<Matrix<f64>, InputError> {
        Ok(self.expect(data, Scale::Log)?.0)
    }

    fn expect(&self, data: &Matrix<f32>, scale: Scale) -> Result<(Matrix<f64>, Vec<f64>), InputError> {
        input::check_columns(data, self.parts.means.cols())?;
        let mut out = Matrix::zeros(data.rows(), self.parts.means.rows());
        let logs = expect(data, &self.densities, scale, &mut out);
        Ok((out, logs))
    }
}

//! What can be wrong with the parameters of a mixture, or with the rows.

use crate::InputError;
use crate::k_means::KMeansError;

/// A bad hyper-parameter of a Gaussian mixture, or a part that makes no mixture.
///
/// ```
/// use lpvdn_cluster::{GaussianMixture, gaussian_mixture::GaussianMixtureParamsError};
/// let error = GaussianMixture::params(2).reg_covar(-1.0).check().unwrap_err();
/// assert_eq!(error, GaussianMixtureParamsError::Regularisation(-1.0));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GaussianMixtureParamsError {
    /// `n_components` is 0.
    #[error("n_components is 0, expected at least 1")]
    NoComponents,
    /// `n_init` is 0.
    #[error("n_init is 0, expected at least 1")]
    NoStarts,
    /// `max_iter` is 0.
    #[error("max_iter is 0, expected at least 1")]
    NoIterations,
    /// `tol` is negative, infinite or not a number.
    #[error("tol is {0}, expected a finite number of at least 0")]
    Tolerance(f64),
    /// `reg_covar` is negative, infinite or not a number.
    #[error("reg_covar is {0}, expected a finite number of at least 0")]
    Regularisation(f64),
    /// The starting mixture has another number of components.
    #[error("a starting mixture of {found} components for {expected}")]
    StartComponents {
        /// `n_components`.
        expected: usize,
        /// The components of the starting mixture.
        found: usize,
    },
    /// The starting mixture has the other kind of covariances.
    #[error("the starting mixture has the other kind of covariances")]
    StartCovariances,
    /// Weights, means and covariances do not fit together.
    #[error("{part} has shape {found:?}, expected {expected:?}")]
    Shape {
        /// `"weights"`, `"means"` or `"covariances"`.
        part: &'static str,
        /// What the other parts ask for.
        expected: (usize, usize),
        /// What was given.
        found: (usize, usize),
    },
    /// The weights are not positive numbers that add up to 1.
    #[error("the weights must be positive and add up to 1, but {0}")]
    Weights(String),
    /// A mean is infinite or not a number.
    #[error("the mean of component {component} is not finite")]
    Mean {
        /// The component.
        component: usize,
    },
    /// A variance is not positive, or a covariance matrix not symmetric and positive definite.
    #[error("the covariance of component {component} is not symmetric and positive definite")]
    Covariance {
        /// The component.
        component: usize,
    },
}

/// A fit or a prediction failed.
///
/// ```
/// use lpvdn_cluster::{GaussianMixture, gaussian_mixture::GaussianMixtureError};
/// use lpvdn_core::Matrix;
/// let error = GaussianMixture::params(3).fit(&Matrix::zeros(2, 1)).unwrap_err();
/// assert_eq!(error, GaussianMixtureError::TooFewRows { rows: 2, components: 3 });
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GaussianMixtureError {
    /// A hyper-parameter is bad.
    #[error(transparent)]
    Params(#[from] GaussianMixtureParamsError),
    /// The rows cannot be used.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The K-means that starts the mixture failed.
    #[error("K-means, which starts the mixture, failed: {0}")]
    KMeans(#[from] KMeansError),
    /// Labels that are not one below the number of components for each row.
    #[error("{labels} labels for {rows} rows: expected one for each, below {components}")]
    Labels {
        /// How many labels there are.
        labels: usize,
        /// How many rows there are.
        rows: usize,
        /// The number of components.
        components: usize,
    },
    /// It was asked to stop.
    #[error("the fit was stopped")]
    Stopped,
    /// Fewer rows than components.
    #[error("{rows} rows cannot make {components} components")]
    TooFewRows {
        /// The rows given.
        rows: usize,
        /// The components asked for.
        components: usize,
    },
}

//! What can be wrong with the parameters of K-means, or with the rows.

use crate::InputError;

/// A bad hyper-parameter of K-means.
///
/// ```
/// use lpvdn_cluster::{KMeans, k_means::KMeansParamsError};
/// assert_eq!(KMeans::params(0).check().unwrap_err(), KMeansParamsError::NoClusters);
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KMeansParamsError {
    /// `n_clusters` is 0.
    #[error("n_clusters is 0, expected at least 1")]
    NoClusters,
    /// `n_init` is 0.
    #[error("n_init is 0, expected at least 1")]
    NoStarts,
    /// `max_iter` is 0.
    #[error("max_iter is 0, expected at least 1")]
    NoIterations,
    /// `tol` is negative, infinite or not a number.
    #[error("tol is {0}, expected a finite number of at least 0")]
    Tolerance(f64),
    /// The given centres are not one for each cluster.
    #[error("{found} starting centres for {expected} clusters")]
    StartRows {
        /// `n_clusters`.
        expected: usize,
        /// The rows of the given matrix.
        found: usize,
    },
}

/// A fit or a prediction failed.
///
/// ```
/// use lpvdn_cluster::{KMeans, k_means::KMeansError};
/// use lpvdn_core::Matrix;
/// let two_rows = Matrix::<f32>::zeros(2, 1);
/// let error = KMeans::params(3).fit(&two_rows).unwrap_err();
/// assert_eq!(error, KMeansError::TooFewRows { rows: 2, clusters: 3 });
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KMeansError {
    /// A hyper-parameter is bad.
    #[error(transparent)]
    Params(#[from] KMeansParamsError),
    /// The rows cannot be clustered.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The starting centres cannot be used.
    #[error("starting centres: {0}")]
    Start(#[source] InputError),
    /// Fewer rows than clusters.
    #[error("{rows} rows cannot make {clusters} clusters")]
    TooFewRows {
        /// The rows given.
        rows: usize,
        /// The clusters asked for.
        clusters: usize,
    },
}

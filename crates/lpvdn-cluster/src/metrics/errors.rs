//! What can be wrong with labelings.

use crate::InputError;

/// A metric is not defined for what it was given.
///
/// ```
/// use lpvdn_cluster::metrics::{self, MetricsError};
/// let error = metrics::nmi(&[0, 1], &[0]).unwrap_err();
/// assert_eq!(error, MetricsError::Lengths { first: 2, second: 1 });
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricsError {
    /// There is nothing to compare.
    #[error("there are no labels")]
    Empty,
    /// Two things that belong together differ in length.
    #[error("{first} and {second} rows: labelings and data must have equally many")]
    Lengths {
        /// The rows of the first argument.
        first: usize,
        /// The rows of the second.
        second: usize,
    },
    /// The clusters cannot be compared with each other.
    #[error("{clusters} clusters of {rows} rows, expected from 2 to {rows} − 1")]
    Clusters {
        /// The distinct labels.
        clusters: usize,
        /// The rows.
        rows: usize,
    },
    /// The sample is too small.
    #[error("a sample of {0} rows, expected at least 3")]
    Sample(usize),
    /// The rows cannot be used.
    #[error(transparent)]
    Input(#[from] InputError),
}

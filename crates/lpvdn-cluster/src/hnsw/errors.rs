//! What can be wrong with the parameters of the index, or with the points.

use super::hyperparams::MOST_CONNECTIONS;
use crate::InputError;

/// A bad hyper-parameter of [`Hnsw`](super::Hnsw).
///
/// ```
/// use lpvdn_cluster::{HnswParams, hnsw::HnswParamsError};
/// assert_eq!(HnswParams::new().connections(1).check(), Err(HnswParamsError::Connections(1)));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HnswParamsError {
    /// `connections` is out of its range.
    #[error("connections is {0}, expected 2 to {MOST_CONNECTIONS}")]
    Connections(usize),
    /// `ef_construction` is 0.
    #[error("ef_construction is 0, expected at least 1")]
    NoConstruction,
    /// `ef_search` is 0.
    #[error("ef_search is 0, expected at least 1")]
    NoSearch,
}

/// An index could not be built.
///
/// ```
/// use lpvdn_cluster::{Hnsw, HnswParams, InputError, hnsw::HnswError};
/// use lpvdn_core::Matrix;
/// let error = Hnsw::new(&Matrix::zeros(0, 3), &HnswParams::new()).unwrap_err();
/// assert_eq!(error, HnswError::Input(InputError::NoRows));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HnswError {
    /// A hyper-parameter is bad.
    #[error(transparent)]
    Params(#[from] HnswParamsError),
    /// The points cannot be used.
    #[error(transparent)]
    Input(#[from] InputError),
}

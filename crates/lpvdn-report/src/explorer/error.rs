//! Why there is no page.

use lpvdn::ModelError;
use lpvdn_cluster::neighbors::NeighborsError;
use lpvdn_core::source::SourceError;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The rows cannot be encoded.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The rows cannot be read.
    #[error(transparent)]
    Rows(#[from] SourceError),
    /// The codes have no neighbours.
    #[error("the codes of the rows cannot be compared: {0}")]
    Codes(#[from] NeighborsError),
    /// The model has no map yet.
    #[error("the model has no map; draw one first")]
    NoMap,
    /// No threads can be had.
    #[error("no threads can be started: {0}")]
    Threads(#[source] std::io::Error),
}

//! Why there is no view.

use crate::source::SourceError;
use crate::subspace::Stopped;

/// Why there is no view.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// Rows could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Components were asked for, and no columns are terms.
    #[error("no column holds texts or sparse counts, which alone have components")]
    NoTerms,
    /// More components were asked for than there are.
    #[error("{asked} components were asked for, and there are at most {most}: {rows} rows of {terms} terms")]
    TooManyComponents {
        /// What was asked for.
        asked: usize,
        /// What there is.
        most: usize,
        /// Rows that the components are computed from.
        rows: usize,
        /// Terms that occur in them.
        terms: usize,
    },
    /// The work was stopped.
    #[error("interrupted")]
    Stopped,
}

impl From<Stopped> for ViewError {
    fn from(_: Stopped) -> ViewError {
        ViewError::Stopped
    }
}

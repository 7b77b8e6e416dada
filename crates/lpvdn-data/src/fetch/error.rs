//! Why a file could not be fetched.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file could not be fetched. What is there of it is continued by the next call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No address has the file as it should be.
    #[error("{file} could not be fetched: {problems}")]
    Nowhere {
        /// The file.
        file: String,
        /// What was wrong with each address.
        problems: String,
    },
    /// The file cannot be written.
    #[error("{}: cannot be written: {cause}; what is there of it stays and is continued by the next call", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// What was written cannot be read.
    #[error("{}: cannot be read: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Somebody else is at it.
    #[error("{}: another process is fetching this file; wait for it", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

impl FetchError {
    pub(super) fn writing(path: &Path, cause: io::Error) -> FetchError {
        FetchError::Write { path: path.to_owned(), cause }
    }

    pub(super) fn reading(path: &Path, cause: io::Error) -> FetchError {
        FetchError::Read { path: path.to_owned(), cause }
    }
}

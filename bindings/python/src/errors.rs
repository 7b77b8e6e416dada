//! Errors of the library as Python's exceptions, in Python's words.

use std::io;
use std::path::Path;

use lpvdn::FitError;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};

/// How the library's parameters are called in Python, where that is not the same with `_` for `-`.
const RENAMED: [(&str, &str); 7] = [
    ("--likelihood gaussian", "likelihood=\"gaussian\""),
    ("--scale max", "scale=\"max\""),
    ("in a --config file, affinities = \"latent-graph\"", "affinities=\"latent-graph\""),
    ("starts and mixture-starts", "n_init and mixture_starts"),
    ("clusters must be", "n_clusters must be"),
    ("clusters can be chosen", "n_clusters can be chosen"),
    ("batch must be", "batch_size must be"),
];

/// Parameters that are written with `-` in messages.
const DASHED: [&str; 13] = [
    "pretrain-lr",
    "pretrain-epochs",
    "settle-epochs",
    "latent-dim",
    "output-dim",
    "noise-dim",
    "discriminator-layers",
    "locality-layers",
    "latent-penalty",
    "log-variance-bound",
    "critic-steps",
    "guided-steps",
    "mixture-starts",
];

fn in_pythons_words(message: &str) -> String {
    let mut text = message.to_owned();
    for (theirs, ours) in RENAMED {
        text = text.replace(theirs, ours);
    }
    for name in DASHED {
        text = text.replace(name, &name.replace('-', "_"));
    }
    text.replace("(--", "(").replace(" --", " ")
}

pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(in_pythons_words(&error.to_string()))
}

pub(crate) fn of_fit(error: FitError) -> PyErr {
    match error {
        FitError::Memory { .. } => PyMemoryError::new_err(in_pythons_words(&error.to_string())),
        FitError::Threads(_) | FitError::Clustering(_) | FitError::Interrupted { .. } => {
            PyRuntimeError::new_err(error.to_string())
        }
        other => value_error(other),
    }
}

/// As Python's own functions tell of files: the number of the error decides the class, and the file is named.
pub(crate) fn of_file(error: &io::Error, path: &Path) -> PyErr {
    let message = error.to_string();
    match error.raw_os_error() {
        Some(number) => {
            let words = message.strip_suffix(&format!(" (os error {number})")).unwrap_or(&message);
            PyOSError::new_err((number, words.to_owned(), path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {message}", path.display())),
    }
}

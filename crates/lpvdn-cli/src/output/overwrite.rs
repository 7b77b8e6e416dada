//! What a command reads must not be replaced by what it writes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::console::shell;
use crate::failure::Failure;

/// Refuses an output that is one of the files that are read.
pub(crate) fn refuse(out: Option<&Path>, read: &[&Path]) -> Result<(), Failure> {
    let Some(out) = out else { return Ok(()) };
    match read.iter().find(|path| is_same(out, path)) {
        Some(path) => Err(Failure::Failed(format!(
            "--out {}: this is {}, which the command reads; give another name",
            shell(out),
            shell(path)
        ))),
        None => Ok(()),
    }
}

/// Whether two paths lead to one file. What is not there is none.
pub(super) fn is_same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| -> Option<PathBuf> { fs::canonicalize(path).ok() };
    // A pipe or a terminal may be read and written.
    a.is_file() && place(a).is_some_and(|a| place(b) == Some(a))
}

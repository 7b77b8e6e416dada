//! A folder of files that are a row each: a sub-folder is a class.

use std::io;
use std::path::{Path, PathBuf};

use lpvdn_core::Labels;

use crate::DataError;
use crate::input::read_error;

/// A file in a folder.
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// What the row is called: the path inside the folder.
    pub(crate) id: String,
    /// The sub-folder.
    class: Option<String>,
}

/// Whether a file that is wanted is in the folder, or in a folder in it.
pub(crate) fn has(folder: &Path, is_wanted: fn(&Path) -> bool) -> bool {
    let wanted = |folder: &Path| entries(folder).is_ok_and(|all| all.iter().any(|path| is_wanted(path)));
    wanted(folder) || entries(folder).is_ok_and(|all| all.iter().any(|path| path.is_dir() && wanted(path)))
}

/// All files that are wanted, in the order of their names.
pub(crate) fn files(folder: &Path, is_wanted: fn(&Path) -> bool) -> Result<Vec<Found>, DataError> {
    let listed = |folder: &Path| entries(folder).map_err(|cause| read_error(folder, cause));
    let found = |path: PathBuf, class| {
        let id = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        Found { path, id, class }
    };
    let mut files = Vec::new();
    for path in listed(folder)? {
        if path.is_dir() {
            let class = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let inner = listed(&path)?.into_iter().filter(|path| is_wanted(path));
            files.extend(inner.map(|path| found(path, Some(class.clone()))));
        } else if is_wanted(&path) {
            files.push(found(path, None));
        }
    }
    Ok(files)
}

/// The class of each file, where all of them are in sub-folders.
pub(crate) fn classes(files: &[Found]) -> Option<Labels> {
    files.iter().map(|file| file.class.as_deref()).collect()
}

/// In the order of their names, without those that are hidden: they are the system's.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            all.push(entry.path());
        }
    }
    all.sort_unstable();
    Ok(all)
}

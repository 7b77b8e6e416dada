//! A folder of files that are a row each: a sub-folder is a class.

use std::io;
use std::path::{Path, PathBuf};

use lpvdn_core::Labels;

use crate::input::read_error;
use crate::{DataError, Note};

/// A file in a folder.
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// What the row is called: the path inside the folder.
    pub(crate) id: String,
    /// The sub-folder.
    class: Option<String>,
}

/// What a folder holds.
pub(crate) struct Listing {
    /// The files that are wanted, in the order of their names.
    pub(crate) files: Vec<Found>,
    /// The class of each file, where all of them are in sub-folders.
    pub(crate) labels: Option<Labels>,
    /// What was left out, a sentence each.
    pub(crate) notes: Vec<Note>,
}

/// Whether a file that is wanted is in the folder, or in a folder in it.
pub(crate) fn has(folder: &Path, is_wanted: fn(&Path) -> bool) -> Result<bool, DataError> {
    let all = entries(folder)?;
    if all.iter().any(|path| is_wanted(path)) {
        return Ok(true);
    }
    // What lies beyond a link that leads back says nothing about what this folder holds.
    for inner in all.iter().filter(|path| path.is_dir() && !leads_back(folder, path)) {
        if entries(inner)?.iter().any(|path| is_wanted(path)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Looks through a folder and the folders in it.
pub(crate) fn list(folder: &Path, is_wanted: fn(&Path) -> bool) -> Result<Listing, DataError> {
    let mut search = Search { folder, is_wanted, files: Vec::new(), left: Left::default() };
    for path in entries(folder)? {
        if !path.is_dir() {
            search.take_file(path, None)?;
        } else if leads_back(folder, &path) {
            search.left.loops.push(search.id(&path));
        } else {
            search.take_class(&path)?;
        }
    }
    let Search { files, left, .. } = search;
    let labels = files.iter().map(|file| file.class.as_deref()).collect();
    Ok(Listing { notes: left.notes(&files), files, labels })
}

/// What was found so far.
struct Search<'a> {
    folder: &'a Path,
    is_wanted: fn(&Path) -> bool,
    files: Vec<Found>,
    left: Left,
}

impl Search<'_> {
    /// The path inside the folder.
    fn id(&self, path: &Path) -> String {
        path.strip_prefix(self.folder).unwrap_or(path).display().to_string()
    }

    fn take_class(&mut self, folder: &Path) -> Result<(), DataError> {
        let class = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for path in entries(folder)? {
            if path.is_dir() {
                self.left.folders.push(self.id(&path));
            } else {
                self.take_file(path, Some(&class))?;
            }
        }
        Ok(())
    }

    fn take_file(&mut self, path: PathBuf, class: Option<&String>) -> Result<(), DataError> {
        let id = self.id(&path);
        if (self.is_wanted)(&path) {
            self.files.push(Found { path, id, class: class.cloned() });
        } else if leads_nowhere(&path) {
            let problem = "this link leads to nothing; mend it, or remove it".to_owned();
            return Err(DataError::Folder { path, problem });
        } else {
            self.left.others.push(id);
        }
        Ok(())
    }
}

/// What a search does not take.
#[derive(Default)]
struct Left {
    /// Files that are not wanted.
    others: Vec<String>,
    /// Folders that lie too deep.
    folders: Vec<String>,
    /// Links to the folder itself, or to one around it.
    loops: Vec<String>,
}

impl Left {
    fn notes(&self, files: &[Found]) -> Vec<Note> {
        let others = told(&self.others, ["file of another kind is", "files of another kind are"]);
        let deeper = told(&self.folders, ["folder inside a sub-folder is", "folders inside sub-folders are"]);
        let loops = told(
            &self.loops,
            ["link that leads back to the folder is", "links that lead back to the folder are"],
        );
        let beside = files.iter().filter(|file| file.class.is_none()).count();
        let mixed = (beside > 0 && beside < files.len()).then(|| {
            format!(
                "{beside} of {} files lie beside the sub-folders, so that these are not taken for classes; \
                 move them into a sub-folder of their own",
                files.len()
            )
        });
        [others, deeper, loops, mixed].into_iter().flatten().map(Note::from).collect()
    }
}

/// `2 files of another kind are left out, the first of them notes.md`.
fn told(left: &[String], [one, more]: [&str; 2]) -> Option<String> {
    match left {
        [] => None,
        [only] => Some(format!("1 {one} left out: {only}")),
        [first, ..] => Some(format!("{} {more} left out, the first of them {first}", left.len())),
    }
}

/// Whether a path in a folder is a link to that folder, or to one that contains it.
fn leads_back(folder: &Path, path: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    path.is_symlink() && canonical(folder).zip(canonical(path)).is_some_and(|(at, to)| at.starts_with(to))
}

fn leads_nowhere(path: &Path) -> bool {
    path.is_symlink() && std::fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// In the order of their names, without those that are hidden: they are the system's.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let failed = |cause| read_error(folder, cause);
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            all.push(entry.path());
        }
    }
    all.sort_unstable();
    Ok(all)
}

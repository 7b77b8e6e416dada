//! Files that appear complete or not at all.
//!
//! **Links.** A path that the user named is written where its symbolic link points to, by [`atomic_write`]. At a name that
//! the program chose, in an output folder or a cache, a link may have been planted by somebody else to have another file
//! overwritten: [`atomic_replace`] replaces the link and never follows it.

mod temporary;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

pub use temporary::{can_write_in, is_temporary, remove_abandoned};

use temporary::Temporary;

/// As many links as a path may lead through, as on Linux.
const MOST_LINKS: usize = 40;

/// Writes a file that the user named, so that no one ever sees half of it.
///
/// The content goes to a temporary file in the same folder, which is synced and then renamed. When
/// `write` fails, the temporary file is removed and a file that was there before stays as it was.
/// A symbolic link keeps pointing where it did; what is not a file, such as `/dev/stdout` or a
/// pipe, is written to directly, for a rename would replace it. Temporary files that killed processes
/// left in the folder are removed.
pub fn atomic_write(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => write_directly(path, write),
        Ok(_) => atomic_replace(&fs::canonicalize(path)?, write),
        Err(e) if e.kind() == ErrorKind::NotFound => atomic_replace(&end_of_links(path)?, write),
        Err(e) => Err(e),
    }
}

/// Writes a file at a name that the program chose, as [`atomic_write`] does, but a symbolic link that is there, or
/// whatever else is not a file, is replaced.
///
/// The new file has the permissions of the one that it replaces, and at no time wider ones.
pub fn atomic_replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let existing = match fs::symlink_metadata(path) {
        Ok(found) => Some(found).filter(fs::Metadata::is_file),
        Err(e) if e.kind() == ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    let (file, temporary) = Temporary::next_to(path, existing.as_ref())?;
    let mut writer = BufWriter::new(file);
    write(&mut writer)?;
    let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Some(existing) = existing {
        file.set_permissions(existing.permissions())?;
    }
    file.sync_all()?;
    // The open file is locked, and has to be until it has its name.
    temporary.rename_to(path)
}

fn write_directly(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::new(OpenOptions::new().write(true).open(path)?);
    write(&mut writer)?;
    writer.flush()
}

/// Where a path leads at which there is no file yet: a link may point to a name that is free.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        path = folder_of(&path).join(target);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Makes renames in a folder survive a power cut. Some systems cannot open or sync a folder; the files are in
/// place all the same.
pub fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests;

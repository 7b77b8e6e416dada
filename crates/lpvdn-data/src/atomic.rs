//! Files that appear complete or not at all, with this crate's error.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use crate::DataError;

/// Writes a file that the user named, so that no one ever sees half of it.
///
/// The content goes to a temporary file in the same folder, which is synced and then renamed. When
/// `write` fails, the temporary file is removed and a file that was there before stays as it was.
/// A symbolic link keeps pointing where it did; what is not a file, such as `/dev/stdout` or a
/// pipe, is written to directly, for a rename would replace it.
///
/// ```
/// use std::io::Write;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("note.txt");
/// lpvdn_data::atomic_write(&path, |w| writeln!(w, "complete"))?;
/// assert_eq!(std::fs::read_to_string(&path)?, "complete\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DataError::Write`], naming the path, whatever failed.
pub fn atomic_write(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), DataError> {
    let path = path.as_ref();
    lpvdn_core::file::atomic_write(path, write)
        .map_err(|cause| DataError::Write { path: path.to_owned(), cause })
}

/// Writes a file at a name that the program chose, in an output folder or a cache: as [`atomic_write`], but a
/// symbolic link that is there is replaced and not followed.
///
/// # Errors
/// [`DataError::Write`], naming the path, whatever failed.
pub fn atomic_replace(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), DataError> {
    let path = path.as_ref();
    lpvdn_core::file::atomic_replace(path, write)
        .map_err(|cause| DataError::Write { path: path.to_owned(), cause })
}

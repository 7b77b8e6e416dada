//! Files that are gone when the process ends.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::SpooledTempFile;

use crate::DataError;
use crate::input::{Input, read_error};

/// Bytes of a file without places that are held in memory.
const HELD: usize = 64 << 20;
/// Bytes that are copied at a time.
const PIECE: usize = 1 << 16;

/// Where such files go: to the folder that `TMPDIR` names. Where it names none, `/var/tmp` is better than
/// `/tmp`, which on many systems lies in memory.
fn folder() -> PathBuf {
    let var_tmp = Path::new("/var/tmp");
    let named = std::env::var_os("TMPDIR").filter(|name| *name != OsString::new());
    match named {
        Some(named) => named.into(),
        None if cfg!(unix) && var_tmp.is_dir() => var_tmp.to_owned(),
        None => std::env::temp_dir(),
    }
}

/// An empty file without a name, for what comes from `path`.
pub(crate) fn create(path: &Path) -> Result<File, DataError> {
    tempfile::tempfile_in(folder()).map_err(|cause| cannot_keep(path, cause))
}

/// A copy of the `bytes` bytes that are left of `input`.
pub(crate) fn spool(mut input: Input<'_>, bytes: u64) -> Result<File, DataError> {
    let path = input.path().to_owned();
    let mut file = create(&path)?;
    input.take_pieces(bytes, PIECE, |piece| {
        file.write_all(piece).map_err(|cause| cannot_keep(&path, cause))
    })?;
    Ok(file)
}

/// A copy of all bytes of a stream, and how many there are: in memory if they are few.
pub(crate) fn spooled(path: &Path, mut from: impl Read) -> Result<(SpooledTempFile, u64), DataError> {
    let mut copy = tempfile::spooled_tempfile_in(HELD, folder());
    let mut piece = vec![0; PIECE];
    let mut length = 0;
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(read_error(path, cause)),
        };
        copy.write_all(&piece[..read]).map_err(|cause| cannot_keep(path, cause))?;
        length += read as u64;
    }
    copy.rewind().map_err(|cause| cannot_keep(path, cause))?;
    Ok((copy, length))
}

/// The error about a file that cannot be made or written.
pub(crate) fn cannot_keep(path: &Path, cause: io::Error) -> DataError {
    DataError::Temporary { path: path.to_owned(), folder: folder(), cause }
}

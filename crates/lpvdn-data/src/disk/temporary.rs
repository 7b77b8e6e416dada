//! Files that are gone when the process ends.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::SpooledTempFile;

use super::dense::{DenseRows, Layout};
use crate::budget::{Account, Budget};
use crate::input::{Input, read_error};
use crate::table::Rows;
use crate::{DataError, OpenOptions};

/// Bytes of a file without places that are held in memory.
const HELD: u64 = 64 << 20;
/// Bytes that are copied at a time.
const PIECE: usize = 1 << 16;
/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 20;
/// What a file is for, in messages.
const WHAT: &str = "what is unpacked or does not fit into memory";

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

/// A file without a name that is being written, for what comes from one path. It is gone when nobody has it any more.
pub(crate) struct TempFile {
    file: BufWriter<File>,
    path: PathBuf,
    account: Account,
}

impl TempFile {
    pub(crate) fn create(path: &Path, budget: &Budget) -> Result<TempFile, DataError> {
        let file = tempfile::tempfile_in(folder()).map_err(|cause| cannot_keep(path, cause))?;
        let (file, account) = (BufWriter::with_capacity(BUFFER, file), budget.disk_account(path));
        Ok(TempFile { file, path: path.to_owned(), account })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        self.account.add(bytes.len() as u64, WHAT)?;
        self.file.write_all(bytes).map_err(|cause| cannot_keep(&self.path, cause))
    }

    /// The whole file, to be read from its beginning. Its room stays taken.
    pub(crate) fn finish(self) -> Result<File, DataError> {
        let file = self.file.into_inner().map_err(std::io::IntoInnerError::into_error);
        let file = file.and_then(|mut file| file.rewind().map(|()| file));
        self.account.keep();
        file.map_err(|cause| cannot_keep(&self.path, cause))
    }
}

/// A copy of the `bytes` bytes that are left of `input`.
pub(crate) fn spool(mut input: Input<'_>, bytes: u64) -> Result<File, DataError> {
    let mut file = TempFile::create(input.path(), input.budget())?;
    input.take_pieces(bytes, PIECE, |piece| file.write(piece))?;
    file.finish()
}

/// Rows that stay where they lie in a plain file; else unpacked into a file of their own.
pub(crate) fn left_there(input: Input<'_>, layout: Layout, options: &OpenOptions) -> Result<Rows, DataError> {
    let (path, kept) = (input.path().to_owned(), options.held_bytes() / 2);
    let (file, layout) = match input.is_plain() {
        true => (input.into_plain_file(layout.bytes())?, layout),
        false => (spool(input, layout.bytes())?, Layout { start: 0, ..layout }),
    };
    Ok(Rows::Elsewhere(Arc::new(DenseRows::new(&path, file, layout, None, kept))))
}

/// A copy of all bytes of a stream, and how many there are: in memory if they are few.
pub(crate) fn spooled(
    path: &Path,
    mut from: impl Read,
    budget: &Budget,
) -> Result<(SpooledTempFile, u64), DataError> {
    let held = budget.memory().div_euclid(8).min(HELD);
    let mut memory = budget.account(path);
    memory.add(held, "an unpacked copy")?;
    let mut copy = tempfile::spooled_tempfile_in(held as usize, folder());
    let mut account = budget.disk_account(path);
    let mut piece = vec![0; PIECE];
    let mut length = 0;
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(read_error(path, cause)),
        };
        length += read as u64;
        if length > held {
            // All of it is in the file from here on.
            account.set(length, WHAT)?;
            memory.set(0, "")?;
        }
        copy.write_all(&piece[..read]).map_err(|cause| cannot_keep(path, cause))?;
    }
    copy.rewind().map_err(|cause| cannot_keep(path, cause))?;
    account.keep();
    memory.keep();
    Ok((copy, length))
}

/// The error about a file that cannot be made or written.
pub(crate) fn cannot_keep(path: &Path, cause: io::Error) -> DataError {
    DataError::Temporary { path: path.to_owned(), folder: folder(), cause }
}

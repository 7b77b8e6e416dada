//! A file that is not complete yet.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::FetchError;
use super::check::hex;
use super::download::Problem;
use crate::known::cache;

/// The beginning of a file, as far as it has come.
pub(super) struct Part {
    path: PathBuf,
    file: File,
    len: u64,
}

impl Part {
    /// Opens what is there of `target` from this address.
    pub(super) fn open(target: &Path, from: &str) -> Result<Part, Problem> {
        let path = part_path(target, from);
        let failed = |cause| Problem::Fatal(FetchError::writing(&path, cause));
        // Its name can be known beforehand: a link that somebody planted there is replaced, never followed.
        if path.is_symlink() {
            fs::remove_file(&path).map_err(failed)?;
        }
        let opened = OpenOptions::new().create(true).append(true).read(true).open(&path);
        let file = opened.map_err(failed)?;
        if path.is_symlink() {
            return Err(failed(cache::link()));
        }
        // A file system without locks is trusted to have one user.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Problem::Fatal(FetchError::Busy { path }));
        }
        let len = file.metadata().map_err(failed)?.len();
        Ok(Part { path, file, len })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        self.file.write_all(bytes).map_err(|cause| self.failed(cause))?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Throws away what is there.
    pub(super) fn clear(&mut self) -> Result<(), Problem> {
        let cleared = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
        cleared.map_err(|cause| self.failed(cause))?;
        self.len = 0;
        Ok(())
    }

    /// Makes it the file it is a part of.
    pub(super) fn finish(&mut self, target: &Path) -> Result<(), Problem> {
        self.file.sync_all().and_then(|()| fs::rename(&self.path, target)).map_err(|cause| self.failed(cause))
    }

    /// Leaves nothing behind where nothing has come.
    pub(super) fn remove_if_empty(&mut self) {
        if self.len == 0 {
            let _ = fs::remove_file(&self.path);
        }
    }

    fn failed(&self, cause: std::io::Error) -> Problem {
        Problem::Fatal(FetchError::writing(&self.path, cause))
    }
}

/// `NAME.0123abcd.part`: what comes from another address may be another file.
fn part_path(target: &Path, from: &str) -> PathBuf {
    let hash = hex(&Sha256::digest(from.as_bytes())[..4]);
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{hash}.part"));
    target.with_file_name(name)
}

/// Removes what other addresses left of a file that is complete now.
pub(super) fn remove_all(target: &Path) {
    let Some(name) = target.file_name().and_then(|name| name.to_str()) else { return };
    let Some(Ok(entries)) = target.parent().map(fs::read_dir) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let other = path.file_name().and_then(|other| other.to_str()).unwrap_or_default();
        let middle = other.strip_prefix(name).and_then(|rest| rest.strip_suffix(".part"));
        if middle.is_some_and(|hash| hash.len() == 9 && hash.starts_with('.')) {
            let _ = fs::remove_file(path);
        }
    }
}

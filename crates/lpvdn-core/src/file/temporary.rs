//! The temporary file that becomes a file, and what killed processes left of theirs.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Names are never used twice in a process, so that a name says whose file it is.
static NEXT: AtomicU32 = AtomicU32::new(0);
/// The folders in which this process has removed what others left.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary file that is removed unless it is renamed. It is locked while it is open, which tells it from one that
/// was abandoned.
pub(super) struct Temporary {
    path: PathBuf,
    folder: PathBuf,
    renamed: bool,
}

impl Temporary {
    /// A file that is to replace `existing` at `target`; nobody may open it who may not open that one.
    pub(super) fn next_to(target: &Path, existing: Option<&Metadata>) -> io::Result<(File, Temporary)> {
        let folder = super::folder_of(target);
        remove_abandoned_once(&folder);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".lpvdn-{}-{number}.tmp", std::process::id()));
            // `create_new` neither follows a planted link nor takes over another process's file.
            let file = match options(existing).open(&path) {
                Ok(file) => file,
                Err(e) if e.kind() == ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(e),
            };
            let temporary = Temporary { path, folder: folder.clone(), renamed: false };
            // Another process may have taken it for abandoned before it was locked. A file system without locks
            // never removes what is abandoned.
            let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if !taken && temporary.path.exists() {
                return Ok((file, temporary));
            }
        }
    }

    pub(super) fn rename_to(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.renamed = true;
        super::sync_folder(&self.folder);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn options(existing: Option<&Metadata>) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(existing) = existing {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
        // For the owner alone until it has the permissions of the file that it replaces.
        options.mode(existing.mode() & 0o700);
    }
    #[cfg(not(unix))]
    let _ = existing;
    options
}

/// Whether a file has the name of a temporary one: `.lpvdn-PROCESS-NUMBER.tmp`.
pub fn is_temporary(name: &OsStr) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let middle = name.to_str().and_then(|name| name.strip_prefix(".lpvdn-")?.strip_suffix(".tmp"));
    middle
        .and_then(|m| m.split_once('-'))
        .is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Removes the temporary files that killed processes left in a folder; one that is being written stays.
pub fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_temporary(&entry.file_name()) || !is_file() {
            continue;
        }
        // The lock goes with the process that holds it.
        let Ok(file) = File::open(entry.path()) else { continue };
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Once is enough: a process that is killed takes all its writing with it.
fn remove_abandoned_once(folder: &Path) {
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.insert(folder.to_owned()) {
        remove_abandoned(folder);
    }
}

/// Whether files can be written in a folder: tries it, and leaves nothing.
///
/// # Errors
/// Why not.
pub fn can_write_in(folder: &Path) -> io::Result<()> {
    let (mut file, _removed) = Temporary::next_to(&folder.join("any"), None)?;
    file.write_all(b"probe")
}

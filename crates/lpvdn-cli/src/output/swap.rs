//! How a new run takes the place of an old one.
//!
//! While a folder holds a run that is worth something, a new one is made in [`STAGE`] in it, and the old files stay as
//! they are. When the new run is complete, [`STAGE`] is renamed to [`READY`]: that one rename decides. Then its files
//! are moved over the old ones, one by one. Whoever finds [`READY`] goes on with that: a process that is killed
//! before the rename leaves the old run, one that is killed after it leaves the new one. All is in one folder, so
//! that no rename crosses a file system.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, Instant};

use lpvdn_core::file::sync_folder;

use super::{EMBEDDING, LABELS, LOG, METRICS, MODEL, PAGE, RUN, forget_state};
use crate::console::shell;
use crate::failure::Failure;

/// The run that is to replace the one in the folder, until it is complete.
pub(super) const STAGE: &str = ".lpvdn-new";
/// The complete one, until its files are in their places.
pub(super) const READY: &str = ".lpvdn-ready";

/// What is moved, in this order. A run has all of these but the page, which is therefore the last: while others are
/// left, a page that is missing was never there.
const MOVED: [&str; 7] = [RUN, LABELS, EMBEDDING, LOG, MODEL, METRICS, PAGE];

/// How long to wait for another process that is moving files.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether it is a folder of our own, and not a link to one that somebody else planted.
pub(super) fn is_own_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Makes an empty folder that nobody else can look into: what it holds gets the permissions of what it replaces.
pub(super) fn make_stage(folder: &Path) -> io::Result<()> {
    discard_stage(folder)?;
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder.join(STAGE))
}

/// Removes a run that was not completed.
pub(super) fn discard_stage(folder: &Path) -> io::Result<()> {
    remove(&folder.join(STAGE))
}

/// Removes a folder with what it holds, or what else stands there; of a link, the link.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => unless_missing(fs::remove_dir_all(path)),
        Ok(_) => unless_missing(fs::remove_file(path)),
        Err(e) => unless_missing(Err(e)),
    }
}

/// Puts the run in [`STAGE`], which is complete, in the place of the one in the folder.
pub(super) fn replace(folder: &Path) -> io::Result<()> {
    let (stage, ready) = (folder.join(STAGE), folder.join(READY));
    sync_folder(&stage);
    // Empty, or planted: a swap that was begun is completed before anything else.
    remove(&ready)?;
    fs::rename(&stage, &ready)?;
    sync_folder(folder);
    move_in(folder)
}

/// Completes a swap that was begun, if there is one. The caller keeps others out of the folder.
pub(super) fn complete(folder: &Path) -> io::Result<()> {
    if is_own_folder(&folder.join(READY)) { move_in(folder) } else { Ok(()) }
}

fn is_begun(folder: &Path) -> bool {
    let ready = folder.join(READY);
    is_own_folder(&ready) && MOVED.iter().any(|name| is_there(&ready.join(name)))
}

/// Every step can be done again after it was interrupted.
fn move_in(folder: &Path) -> io::Result<()> {
    let ready = folder.join(READY);
    if is_begun(folder) {
        forget_state(folder);
        if !is_there(&ready.join(PAGE)) {
            unless_missing(fs::remove_file(folder.join(PAGE)))?;
        }
        for name in MOVED {
            let (from, to) = (ready.join(name), folder.join(name));
            if is_there(&from) {
                keep_permissions(&from, &to)?;
                unless_missing(fs::rename(&from, &to))?;
            }
        }
        sync_folder(folder);
    }
    // Nothing in it matters any more.
    let _ = fs::remove_dir_all(&ready);
    Ok(())
}

/// A file that replaces a private one is private.
fn keep_permissions(new: &Path, old: &Path) -> io::Result<()> {
    match fs::symlink_metadata(old) {
        Ok(found) if found.is_file() => fs::set_permissions(new, found.permissions()),
        _ => Ok(()),
    }
}

/// Completes a swap before a folder is read. Another process that is about to do so is waited for.
pub(super) fn complete_for_reading(folder: &Path) -> Result<(), Failure> {
    let began = Instant::now();
    while is_begun(folder) {
        let lock = File::open(folder);
        let busy = lock.as_ref().is_ok_and(|f| matches!(f.try_lock(), Err(TryLockError::WouldBlock)));
        if !busy {
            return complete(folder).map_err(|cause| incomplete(folder, &cause));
        }
        if began.elapsed() > PATIENCE {
            let place = folder.display();
            return Err(Failure::Failed(format!(
                "{place}: another lpvdn is replacing the run there; try again when it has ended"
            )));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// The new run is complete, but its files are not in their places.
pub(super) fn incomplete(folder: &Path, cause: &io::Error) -> Failure {
    let (place, out) = (folder.display(), shell(folder));
    Failure::Failed(format!(
        "{place}: the new run is finished, but cannot be put in the place of the old one: {cause}; \
         remedy this, then run lpvdn fit --resume --out {out}, which completes it"
    ))
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

pub(super) fn unless_missing(outcome: io::Result<()>) -> io::Result<()> {
    match outcome {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

//! Fits that were asked to stop and have not done so yet. Their state is still to be written, and whoever wants to go on
//! from it waits for that.

use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

use pyo3::prelude::*;

/// How often it is looked whether a fit has ended.
const LOOK: Duration = Duration::from_millis(20);

static UNFINISHED: Mutex<Vec<Unfinished>> = Mutex::new(Vec::new());

struct Unfinished {
    checkpoint: PathBuf,
    thread: JoinHandle<()>,
    /// After a fork the threads of the parent are not there.
    process: u32,
}

/// Keeps a fit that was asked to stop, and forgets those that have.
pub(crate) fn remember(checkpoint: PathBuf, thread: JoinHandle<()>) {
    let mut all = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|other| other.process == process::id() && !other.thread.is_finished());
    all.push(Unfinished { checkpoint, thread, process: process::id() });
}

/// Waits for the fit that is to leave its state in this file. A signal ends the wait.
pub(crate) fn wait_for(py: Python<'_>, checkpoint: &Path) -> PyResult<()> {
    while is_unfinished(checkpoint) {
        py.detach(|| sleep(LOOK));
        py.check_signals()?;
    }
    Ok(())
}

fn is_unfinished(checkpoint: &Path) -> bool {
    let all = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter().any(|other| {
        other.checkpoint == checkpoint && other.process == process::id() && !other.thread.is_finished()
    })
}

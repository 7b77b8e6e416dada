//! Ctrl-C and its relatives: the first asks a fit to stop, the second ends the program.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::console;
use crate::failure::{Failure, INTERRUPTED};

/// Whether the fit should stop after its current step.
pub(crate) static STOP: AtomicBool = AtomicBool::new(false);

/// What wakes whoever waits for something else than [`STOP`]; whether it could be done.
type Wake = Box<dyn FnOnce() -> bool + Send>;
static WAKE: Mutex<Option<Wake>> = Mutex::new(None);

/// Has this done when a signal comes. If it fails, the program ends at once.
pub(crate) fn then(wake: impl FnOnce() -> bool + Send + 'static) {
    *WAKE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(wake));
}

/// Listens for SIGINT, SIGTERM and SIGHUP from now on, for the sake of a fit.
pub(crate) fn listen(quiet: bool) -> Result<(), Failure> {
    listen_for("writing a checkpoint, then stopping; once more stops at once", quiet)
}

/// Whether to go on.
pub(crate) fn check() -> Result<(), Failure> {
    match STOP.load(Ordering::SeqCst) {
        true => Err(Failure::Interrupted("interrupted".to_owned())),
        false => Ok(()),
    }
}

/// The same with other words for what happens then.
pub(crate) fn listen_for(words: &'static str, quiet: bool) -> Result<(), Failure> {
    ctrlc::set_handler(move || {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(INTERRUPTED.into());
        }
        if !quiet {
            // Below the bar and the terminal's own ^C.
            if stderr().is_terminal() {
                console::stderr_line("");
            }
            console::stderr_line(words);
        }
        let wake = WAKE.lock().unwrap_or_else(PoisonError::into_inner).take();
        if wake.is_some_and(|wake| !wake()) {
            std::process::exit(0);
        }
    })
    .map_err(|e| Failure::Failed(format!("signals cannot be caught: {e}")))
}

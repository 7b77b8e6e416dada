//! Ctrl-C and its relatives: the first asks a fit to stop, the second ends the program.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::console;
use crate::failure::{Failure, INTERRUPTED};

/// Whether the fit should stop after its current step.
pub(crate) static STOP: AtomicBool = AtomicBool::new(false);

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
            let below = if stderr().is_terminal() { "\n" } else { "" };
            console::stderr_line(&format!("{below}{words}"));
        }
    })
    .map_err(|e| Failure::Failed(format!("signals cannot be caught: {e}")))
}

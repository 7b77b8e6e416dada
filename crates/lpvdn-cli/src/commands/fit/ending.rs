//! What is left of a run that ended before its time, and what to do.

use lpvdn::FitError;
use lpvdn::train::checkpoint::CheckpointError;

use super::Shown;
use crate::console::shell;
use crate::failure::Failure;
use crate::output::Folder;

/// What is left of the training when its map could not be drawn.
pub(super) fn goes_on_with(failure: Failure, folder: &Folder, shown: Shown) -> Failure {
    match failure {
        Failure::Interrupted(sentence) if folder.holds_state() => {
            let out = shell(folder.path());
            let page = if shown.page { " --explore" } else { "" };
            let map = shown.axes.map_or(String::new(), |axes| format!(" --map {axes}"));
            Failure::Interrupted(format!("{sentence}; go on with: lpvdn fit --resume --out {out}{page}{map}"))
        }
        other if folder.holds_state() => other,
        other => {
            folder.discard();
            other
        }
    }
}

/// An error of the library, with what to do here. Of a run from which nothing can come, nothing is left: it would be in
/// the way of the corrected command.
pub(super) fn give_up(error: FitError, folder: &Folder, begun: bool, resumed: bool) -> Failure {
    let out = shell(folder.path());
    // What the folder holds may be of an older run, which is none of this one's.
    let kept = (begun || resumed) && folder.holds_state();
    match &error {
        FitError::Interrupted { checkpoint } if kept => {
            let place =
                checkpoint.as_ref().map_or(String::new(), |p| format!("the state is in {}; ", p.display()));
            Failure::Interrupted(format!("interrupted; {place}go on with: lpvdn fit --resume --out {out}"))
        }
        FitError::Interrupted { .. } => {
            discard_if(begun, folder);
            Failure::Interrupted("interrupted; there is no checkpoint to go on from".to_owned())
        }
        FitError::Checkpoint(CheckpointError::OtherRun { .. }) => Failure::Failed(format!(
            "{error}; repeat its options to resume it, or start the run anew with --force"
        )),
        FitError::Checkpoint(_) => Failure::Failed(format!("{error}; start the run anew with --force")),
        // Perhaps better the next time.
        FitError::Source(_) | FitError::Threads(_) if kept => {
            Failure::Failed(format!("{error}; go on with: lpvdn fit --resume --out {out}"))
        }
        // A run that goes on would come to the same end again.
        FitError::NonFinite { .. } => {
            folder.discard();
            error.into()
        }
        _ => {
            discard_if(begun, folder);
            error.into()
        }
    }
}

/// A run that was there before this process stays.
pub(super) fn discard_if(begun: bool, folder: &Folder) {
    if begun {
        folder.discard();
    }
}

/// The run is finished, and only its page is not there.
pub(super) fn without_page(failure: Failure, folder: &Folder) -> Failure {
    match failure {
        Failure::Failed(sentence) => {
            let out = shell(folder.path());
            Failure::Failed(format!(
                "{sentence}; the run is finished, and lpvdn explore {out} writes its page"
            ))
        }
        other => other,
    }
}

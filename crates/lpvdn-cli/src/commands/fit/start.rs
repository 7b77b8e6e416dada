//! What a folder holds decides what a fit does in it.

use super::{Shown, data_path};
use crate::config;
use crate::console::{shell, stderr_line};
use crate::failure::Failure;
use crate::metrics::{Report, next_command};
use crate::output::{Content, Folder};
use crate::settings::Settings;

/// What is to be done in a folder.
pub(super) enum Start {
    /// Nothing: here is what came of it.
    Finished(Box<Report>, Box<Settings>),
    /// A run with these settings.
    Run(Box<Settings>),
    /// The run that the folder holds, unfinished, if these settings turn out to be the same as those that are stored.
    Again(Box<Settings>, Box<Settings>),
}

pub(super) fn start(folder: &Folder, given: &Settings) -> Result<Start, Failure> {
    let fresh = || Ok(Start::Run(Box::new(given.clone())));
    if given.force && given.resume {
        return Err(Failure::Usage("force and resume exclude each other".to_owned()));
    }
    if given.force {
        return fresh();
    }
    let out = shell(folder.path());
    match folder.content()? {
        Content::Run(stored) if given.resume => {
            let settings = config::resumed(&stored, given, folder.path())?;
            match folder.finished()? {
                Some(report) => Ok(Start::Finished(Box::new(report), Box::new(settings))),
                None => Ok(Start::Run(Box::new(settings))),
            }
        }
        // The same command again goes on with a run that ended before it was finished.
        Content::Run(stored) if !folder.is_staged() && folder.finished()?.is_none() => {
            match config::resumed(&stored, given, folder.path()) {
                Ok(settings) => Ok(Start::Again(Box::new(Settings { resume: true, ..settings }), stored)),
                Err(_) => Err(holds_another(folder)),
            }
        }
        Content::Run(_) => Err(holds_another(folder)),
        Content::Other(name) if !given.resume || folder.holds_results() => Err(Failure::Failed(format!(
            "{out} is not empty (it holds {name}) and has no run to resume; give another folder with --out, or use this one with --force, which replaces only files of the same names"
        ))),
        // With data a script may say --resume always; without, a slip in --out would train on digits.
        Content::Nothing if given.resume && given.data.is_none() => Err(Failure::Failed(format!(
            "{out} holds no run to resume; check --out, or name the data to start a run there"
        ))),
        Content::Other(_) | Content::Nothing => fresh(),
    }
}

pub(super) fn holds_another(folder: &Folder) -> Failure {
    let out = shell(folder.path());
    Failure::Failed(match folder.is_staged() {
        true => format!(
            "{out} holds a run and another that was to replace it, which is not finished; go on with that one with --resume, start it anew with --force, or give another folder with --out"
        ),
        false => format!(
            "{out} holds another run; give another folder with --out, go on with that run with --resume, or replace it with --force"
        ),
    })
}

pub(super) fn show_finished(
    mut report: Report,
    folder: &Folder,
    settings: &Settings,
    shown: Shown,
) -> Result<(), Failure> {
    let out = shell(folder.path());
    if !settings.quiet {
        stderr_line(&format!("the run in {out} is already finished"));
    }
    if shown.page || shown.axes.is_some() {
        return Err(Failure::Usage(format!("its clusters are shown by: lpvdn explore {out}")));
    }
    report.metrics.out = folder.path().to_owned();
    let next = next_command(folder.path(), &data_path(settings), settings);
    // It may have been killed on its last step.
    folder.forget_state();
    report.print(settings.quiet, settings.json, &next, &[])
}

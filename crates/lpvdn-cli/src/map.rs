//! The map of a model, drawn when it is first wanted.

use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::atomic::Ordering;

use indicatif::{ProgressBar, ProgressStyle};
use lpvdn::Model;
use lpvdn::map::{MapError, MapParams};
use lpvdn_core::Dataset;

use crate::commands::subject::Subject;
use crate::console::{shell, stderr_line};
use crate::failure::Failure;
use crate::interrupt::STOP;
use crate::output::save_model;

/// The axes of a map where nobody says.
pub(crate) const AXES: u8 = 2;

/// Draws a map where there is none, or none of so many axes. The first one is kept in the model file, so that rows that
/// come later stand on the same one; unless it was drawn by other rows than the model was fitted to.
pub(crate) fn ensure(
    subject: &mut Subject,
    axes: Option<u8>,
    file: &Path,
    quiet: bool,
) -> Result<(), Failure> {
    let there = subject.model.map().map(|map| map.axes());
    if there.is_some_and(|there| axes.is_none_or(|axes| there == usize::from(axes))) {
        return Ok(());
    }
    let before = subject.model.clone();
    draw(&mut subject.model, &subject.data, axes.unwrap_or(AXES), quiet)?;
    if there.is_none() && subject.fitted {
        let save = |model: &Model| match subject.folder {
            // The name in the folder is ours; that of a file is the user's, who may have meant a link.
            Some(_) => save_model(model, file),
            None => Ok(model.save(file)?),
        };
        keep(&before, &subject.model, file, save, quiet);
    }
    Ok(())
}

/// A folder that cannot be written is no reason not to show the clusters; nor is another fit, which may have put its
/// model there in the meantime.
fn keep(
    before: &Model,
    with_map: &Model,
    file: &Path,
    save: impl FnOnce(&Model) -> Result<(), Failure>,
    quiet: bool,
) {
    let unchanged = Model::load(file).is_ok_and(|mut there| {
        there.set_threads(before.threads());
        there == *before
    });
    let kept = match unchanged {
        true => save(with_map).map_err(Failure::into_sentence),
        false => Err(format!("{}: another model is there now", shell(file))),
    };
    if let (Err(why), false) = (kept, quiet) {
        stderr_line(&format!("warning: the map is drawn, but not kept: {why}"));
    }
}

/// Draws a map by these rows.
pub(crate) fn draw(model: &mut Model, data: &Dataset, axes: u8, quiet: bool) -> Result<(), Failure> {
    let bar = bar(quiet);
    let params = MapParams::new(axes.into(), model.seed());
    let outcome = model.fit_map(data, &params, &mut |share| {
        bar.set_position((100.0 * share) as u64);
        !STOP.load(Ordering::SeqCst)
    });
    bar.finish_and_clear();
    outcome.map_err(|error| match error {
        MapError::Interrupted => Failure::Interrupted("interrupted while the map was drawn".to_owned()),
        MapError::Model(error) => error.into(),
        other => Failure::Failed(other.to_string()),
    })
}

/// A bar on a terminal, a line elsewhere.
fn bar(quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    if !stderr().is_terminal() {
        stderr_line("drawing the map …");
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("drawing the map {bar:30} {percent} %");
    let bar = ProgressBar::new(100);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

//! The map of a model, drawn when it is first wanted.

use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::atomic::Ordering;

use indicatif::{ProgressBar, ProgressStyle};
use lpvdn::Model;
use lpvdn::map::{MapError, MapParams};
use lpvdn_core::Dataset;

use crate::console::{shell, stderr_line};
use crate::failure::Failure;
use crate::interrupt::STOP;

/// The axes of a map where nobody says.
pub(crate) const AXES: u8 = 2;

/// Draws a map where there is none, or none of so many axes. The first one is kept in the model file, so that rows that
/// come later stand on the same one.
pub(crate) fn ensure(
    model: &mut Model,
    data: &Dataset,
    axes: Option<u8>,
    file: &Path,
    quiet: bool,
) -> Result<(), Failure> {
    let there = model.map().map(|map| map.axes());
    if there.is_some_and(|there| axes.is_none_or(|axes| there == usize::from(axes))) {
        return Ok(());
    }
    draw(model, data, axes.unwrap_or(AXES), quiet)?;
    // A folder that cannot be written is no reason not to show the clusters.
    if there.is_none()
        && let Err(error) = model.save(file)
        && !quiet
    {
        stderr_line(&format!("warning: the map could not be kept in {}: {error}", shell(file)));
    }
    Ok(())
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

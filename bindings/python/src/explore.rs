//! The page on which clusters are seen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lpvdn::Model;
use lpvdn::map::{MapError, MapParams};
use lpvdn_core::file::atomic_write;
use lpvdn_core::{Dataset, PictureShape};
use lpvdn_report::explorer::{ClusterVerdict, ExploreError, Explorer, Limits, Story, Training};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use crate::errors;
use crate::job::{Caller, Job};

/// What Python knows beside the model and its rows.
#[derive(Deserialize)]
pub(crate) struct Facts {
    title: String,
    axes: Option<usize>,
    most_rows: Option<usize>,
    columns: Option<Vec<String>>,
    labels: Option<Vec<String>>,
    ids: Option<Vec<String>>,
    texts: Option<Vec<String>>,
    /// Height, width and colours.
    picture: Option<(usize, usize, usize)>,
    history: Vec<BTreeMap<String, Value>>,
    warnings: Vec<String>,
    verdict: Option<ClusterVerdict>,
}

impl Facts {
    /// The rows with what is known about them.
    fn dataset(&self, rows: Dataset) -> Dataset {
        let picture = self.picture.map(|(height, width, channels)| PictureShape { height, width, channels });
        Dataset {
            name: self.title.clone(),
            labels: self.labels.as_ref().map(|labels| labels.iter().collect()),
            columns: self.columns.clone(),
            ids: self.ids.as_ref().map(|ids| ids.iter().collect()),
            picture,
            ..rows
        }
    }

    fn story(&self) -> Story {
        let epochs = self.history.clone();
        let training = (!epochs.is_empty()).then(|| Training { epochs, evaluations: Vec::new() }.thinned());
        let (texts, warnings, verdict) = (self.texts.clone(), self.warnings.clone(), self.verdict.clone());
        Story { texts, warnings, verdict, training, ..Story::default() }
    }
}

/// Writes a page, and gives the model with the map that it shows, where it had none and these are the rows that it was
/// fitted to. Ctrl-C stops it.
pub(crate) fn write(
    py: Python<'_>,
    model: &Model,
    rows: Dataset,
    path: PathBuf,
    facts: Facts,
    threads: usize,
) -> PyResult<Model> {
    let data = facts.dataset(rows);
    let mut model = model.clone();
    model.set_threads(threads);
    let place = path.clone();
    let job = Job::start(move |caller| page(model, &data, &place, &facts, caller))?;
    job.wait(py, None, None)?.map_err(|failure| failure.into_python(&path))
}

/// Why there is no page.
enum Failure {
    Map(MapError),
    Page(ExploreError),
    Write(std::io::Error),
}

impl Failure {
    fn into_python(self, path: &Path) -> PyErr {
        match self {
            Failure::Map(error) => errors::value_error(error),
            Failure::Page(error) => errors::value_error(error),
            Failure::Write(error) => errors::of_file(&error, path),
        }
    }
}

fn page(
    mut model: Model,
    data: &Dataset,
    path: &Path,
    facts: &Facts,
    caller: &Caller<Result<Model, Failure>>,
) -> Result<Model, Failure> {
    let there = model.map().map(|map| map.axes());
    let before = model.clone();
    if there.is_none_or(|there| facts.axes.is_some_and(|axes| axes != there)) {
        let params = MapParams::new(facts.axes.unwrap_or(2), model.seed());
        model.fit_map(data, &params, &mut |_| !caller.wants_no_more()).map_err(Failure::Map)?;
    }
    let mut limits = Limits::file();
    limits.rows = facts.most_rows.unwrap_or(limits.rows);
    let page = Explorer::new(&model, data, facts.story(), limits).map_err(Failure::Page)?;
    if caller.wants_no_more() {
        return Err(Failure::Map(MapError::Interrupted));
    }
    atomic_write(path, |out| page.write(out)).map_err(Failure::Write)?;
    // Another map is for its page alone.
    let kept = there.is_none() && before.was_fitted_to(data).map_err(|e| Failure::Page(e.into()))?;
    Ok(if kept { model } else { before })
}

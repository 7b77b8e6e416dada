//! A fit: settings and rows in, the model and what is known of its training out.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use lpvdn::model::lpvdn::{Choice, Found};
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::verdict::Verdict;
use lpvdn::{Event, FitControl, FitError, RunStore, ValidEstimator};
use lpvdn_core::Dataset;
use lpvdn_core::view::Unknown;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::arrays::{to_array, to_labels};
use crate::errors;
use crate::job::{Caller, Job};
use crate::model::Model;
use crate::params::Task;
use crate::{rows, unfinished};

/// How often the steps of an epoch are told of.
const TELL_STEPS: Duration = Duration::from_millis(200);

/// What a fit gives.
#[pyclass(frozen, get_all, module = "lpvdn._lpvdn")]
pub(crate) struct Fitted {
    model: Py<Model>,
    labels: Py<PyArray1<i32>>,
    embedding: Py<PyArray2<f32>>,
    /// JSON: the epochs, how well the clusters are apart, and what was chosen from.
    history: String,
    quality: String,
    choice: Option<String>,
    warnings: Vec<String>,
    effective_clusters: f64,
    seconds: f64,
    /// JSON: the verdict with its words, where one was asked for.
    verdict: Option<String>,
}

/// Where a fit keeps what it would be a pity to lose.
#[derive(Default)]
struct Places {
    checkpoint: Option<PathBuf>,
    store: Option<PathBuf>,
}

/// Fits a model. `observer` is called with a JSON object for each event. Where the fit is interrupted, by a signal or
/// by an exception of the observer, its state is left in the file `checkpoint`; a fit that finds that file goes on
/// from there. `columns` are the names of the columns, where they have any. With `judge` the clusters are judged after
/// the fit, in the same job.
#[pyfunction]
#[pyo3(signature = (settings, rows, threads=0, observer=None, checkpoint=None, store=None, columns=None, judge=false))]
#[allow(clippy::too_many_arguments, reason = "they are keyword arguments in Python")]
pub(crate) fn fit(
    py: Python<'_>,
    settings: &str,
    rows: &Bound<'_, PyAny>,
    threads: usize,
    observer: Option<Bound<'_, PyAny>>,
    checkpoint: Option<PathBuf>,
    store: Option<PathBuf>,
    columns: Option<Vec<String>>,
    judge: bool,
) -> PyResult<Fitted> {
    let task = Task::parse(settings)?;
    if let Some(path) = &checkpoint {
        unfinished::wait_for(py, path)?;
    }
    let data = rows::dataset(rows)?;
    let data = Dataset { columns: columns.or_else(|| data.columns.clone()), ..data };
    let tells = observer.is_some();
    let places = Places { checkpoint: checkpoint.clone(), store };
    let fit = Fit { task, data, threads, tells, places, judges: judge };
    let job = Job::start(move |caller| fit.run(caller))?;
    let outcome = job.wait(py, observer.as_ref(), checkpoint)?;
    let (fitted, choice) = outcome.map_err(errors::of_fit)?;
    Ok(Fitted {
        model: Py::new(py, Model::new(fitted.model))?,
        labels: to_labels(py, fitted.labels).unbind(),
        embedding: to_array(py, fitted.embedding)?.unbind(),
        history: written(&fitted.history)?,
        quality: written(&fitted.quality)?,
        choice: choice.map(|choice| written(&choice)).transpose()?,
        warnings: fitted.warnings,
        effective_clusters: fitted.effective_clusters,
        seconds: fitted.seconds,
        verdict: fitted.verdict.as_ref().map(in_words).transpose()?,
    })
}

/// A verdict with its words, which are those of the program.
fn in_words(verdict: &Verdict) -> PyResult<String> {
    let mut told = serde_json::to_value(verdict).map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
    told["sentence"] = verdict.sentence().into();
    told["figures"] = verdict.figures().into();
    told["unstable"] = verdict.unstable().into();
    written(&told)
}

fn written(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyRuntimeError::new_err(e.to_string()))
}

type Outcome = Result<(lpvdn::Fitted<lpvdn::Model>, Option<Choice>), FitError>;

/// What a fit needs, all of it its own.
struct Fit {
    task: Task,
    data: Dataset,
    threads: usize,
    tells: bool,
    places: Places,
    judges: bool,
}

impl Fit {
    /// A state that is not of these rows and settings is of no use, and is left behind.
    fn run(&self, caller: &Caller<Outcome>) -> Outcome {
        match (self.attempt(caller), &self.places.checkpoint) {
            (Err(FitError::Checkpoint(_)), Some(path)) => {
                let _ = std::fs::remove_file(path);
                self.attempt(caller)
            }
            (outcome, _) => outcome,
        }
    }

    fn attempt(&self, caller: &Caller<Outcome>) -> Outcome {
        let mut last_step = Instant::now();
        let mut observer = |event: &Event<'_>| {
            if let Some(told) = told(event, &mut last_step) {
                caller.tell(told.to_string());
            }
        };
        let observer: &mut (dyn FnMut(&Event<'_>) + Send) = &mut observer;
        let mut control = FitControl {
            threads: self.threads,
            observer: self.tells.then_some(observer),
            stop: Some(caller.stop()),
            checkpoint: self.places.checkpoint.as_ref().map(|path| CheckpointPolicy {
                // Only where it is interrupted, and between the phases.
                every: usize::MAX,
                resume: true,
                ..CheckpointPolicy::new(path)
            }),
            store: self.places.store.as_ref().map(RunStore::at),
            ..FitControl::default()
        };
        let (mut fitted, choice) = match (&self.task.search, &self.task.estimator) {
            (Some(search), ValidEstimator::Lpvdn(params)) => params
                .search(&self.data, search, &mut control)
                .map(|Found { fitted, choice }| (fitted.into_any(), Some(choice)))?,
            (_, params) => (params.fit(&self.data, &mut control)?, None),
        };
        if self.judges {
            fitted.judge(&self.data, &mut control)?;
        }
        Ok((fitted, choice))
    }
}

/// An event as Python hears of it, if it does.
fn told(event: &Event<'_>, last_step: &mut Instant) -> Option<Value> {
    Some(match event {
        Event::Planned(plan) => json!({ "event": "plan", "plan": plan }),
        Event::Phase { phase, epochs, steps } => {
            json!({ "event": "phase", "phase": phase, "epochs": epochs, "steps": steps })
        }
        Event::Step { phase, done } if last_step.elapsed() >= TELL_STEPS => {
            *last_step = Instant::now();
            json!({ "event": "step", "phase": phase, "done": done })
        }
        Event::Epoch(report) => {
            let mut told = json!({ "event": "epoch" });
            if let (Value::Object(told), Ok(Value::Object(report))) =
                (&mut told, serde_json::to_value(report))
            {
                told.extend(report);
            }
            told
        }
        Event::Viewed { view, unknown } => {
            json!({
                "event": "view",
                "lines": view.lines(),
                "unknown": unknown,
                "unknown_line": Unknown::line(unknown),
            })
        }
        Event::Initial { partitions, seconds } => {
            let kept = partitions.kept();
            json!({ "event": "initial", "partition": kept.way.name(), "labels": kept.labels, "seconds": seconds })
        }
        Event::Working(what) => json!({ "event": "working", "what": what }),
        Event::Warning(message) => json!({ "event": "warning", "message": message }),
        Event::Tried(candidate) => json!({ "event": "tried", "candidate": candidate }),
        Event::Trying { number, of, event } => {
            json!({ "event": "trying", "number": number, "of": of, "inner": told(event, last_step)? })
        }
        _ => return None,
    })
}

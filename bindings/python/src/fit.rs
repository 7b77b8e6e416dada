//! A fit on a thread of its own, while the thread that called listens: to the fit's events, which it hands to Python,
//! and to signals, so that Ctrl-C stops the fit.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use lpvdn::model::lpvdn::{Choice, Found};
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::{Event, FitControl, FitError, RunStore, ValidEstimator};
use lpvdn_core::Dataset;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::arrays::{to_array, to_labels};
use crate::errors;
use crate::model::Model;
use crate::params::Task;
use crate::{rows, unfinished};

/// How often signals are looked for.
const LISTEN: Duration = Duration::from_millis(50);
/// How often the steps of an epoch are told of.
const TELL_STEPS: Duration = Duration::from_millis(200);
/// A fit that is asked to stop does so after its step. What takes longer (the clustering of many codes, say) is not
/// waited for: it ends by itself, and nobody hears of it but a later fit that wants its state.
const PATIENCE: Duration = Duration::from_millis(700);

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
}

/// Where a fit keeps what it would be a pity to lose.
#[derive(Default)]
struct Places {
    checkpoint: Option<PathBuf>,
    store: Option<PathBuf>,
}

/// Fits a model. `observer` is called with a JSON object for each event. Where the fit is interrupted, by a signal or
/// by an exception of the observer, its state is left in the file `checkpoint`; a fit that finds that file goes on
/// from there.
#[pyfunction]
#[pyo3(signature = (settings, rows, threads=0, observer=None, checkpoint=None, store=None))]
pub(crate) fn fit(
    py: Python<'_>,
    settings: &str,
    rows: &Bound<'_, PyAny>,
    threads: usize,
    observer: Option<Bound<'_, PyAny>>,
    checkpoint: Option<PathBuf>,
    store: Option<PathBuf>,
) -> PyResult<Fitted> {
    let task = Task::parse(settings)?;
    if let Some(path) = &checkpoint {
        unfinished::wait_for(py, path)?;
    }
    let data = rows::dataset(rows)?;
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = channel();
    let job = Job {
        task,
        data,
        threads,
        stop: Arc::clone(&stop),
        tells: observer.is_some(),
        places: Places { checkpoint: checkpoint.clone(), store },
        sender,
    };
    let thread = std::thread::Builder::new().name("lpvdn-fit".to_owned()).spawn(move || job.run())?;
    let outcome = listen(py, receiver, observer.as_ref(), &stop).inspect_err(|_| {
        if let Some(path) = checkpoint {
            unfinished::remember(path, thread);
        }
    })?;
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
    })
}

fn written(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyRuntimeError::new_err(e.to_string()))
}

type Outcome = Result<(lpvdn::Fitted<lpvdn::Model>, Option<Choice>), FitError>;

enum Message {
    /// A JSON object.
    Told(String),
    Done(Box<Outcome>),
}

/// Waits for the outcome. An exception, of a signal or of the observer, ends the wait.
fn listen(
    py: Python<'_>,
    mut receiver: Receiver<Message>,
    observer: Option<&Bound<'_, PyAny>>,
    stop: &AtomicBool,
) -> PyResult<Outcome> {
    let mut exception: Option<(PyErr, Instant)> = None;
    loop {
        let receiver = &mut receiver;
        let happened = match py.detach(move || receiver.recv_timeout(LISTEN)) {
            Ok(Message::Done(outcome)) => {
                return match exception {
                    Some((exception, _)) => Err(exception),
                    None => Ok(*outcome),
                };
            }
            Ok(Message::Told(event)) if exception.is_none() => {
                observer.map_or(Ok(()), |observer| observer.call1((event,)).map(drop))
            }
            Ok(Message::Told(_)) | Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "the fit has ended without a result; this is a bug of lpvdn",
                ));
            }
        };
        match (&exception, happened.and_then(|()| py.check_signals())) {
            (Some((_, since)), _) if since.elapsed() > PATIENCE => {}
            (None, Err(error)) => {
                stop.store(true, Ordering::Relaxed);
                exception = Some((error, Instant::now()));
                continue;
            }
            _ => continue,
        }
        if let Some((exception, _)) = exception {
            return Err(exception);
        }
    }
}

/// What the thread of a fit needs, all of it its own.
struct Job {
    task: Task,
    data: Dataset,
    threads: usize,
    stop: Arc<AtomicBool>,
    tells: bool,
    places: Places,
    sender: Sender<Message>,
}

impl Job {
    /// Where nobody listens any more, nothing is told.
    fn run(self) {
        let outcome = self.fit();
        let _ = self.sender.send(Message::Done(Box::new(outcome)));
    }

    /// A state that is not of these rows and settings is of no use, and is left behind.
    fn fit(&self) -> Outcome {
        match (self.attempt(), &self.places.checkpoint) {
            (Err(FitError::Checkpoint(_)), Some(path)) => {
                let _ = std::fs::remove_file(path);
                self.attempt()
            }
            (outcome, _) => outcome,
        }
    }

    fn attempt(&self) -> Outcome {
        let mut last_step = Instant::now();
        let mut observer = |event: &Event<'_>| {
            if let Some(told) = told(event, &mut last_step) {
                let _ = self.sender.send(Message::Told(told.to_string()));
            }
        };
        let observer: &mut (dyn FnMut(&Event<'_>) + Send) = &mut observer;
        let mut control = FitControl {
            threads: self.threads,
            observer: self.tells.then_some(observer),
            stop: Some(&self.stop),
            checkpoint: self.places.checkpoint.as_ref().map(|path| CheckpointPolicy {
                // Only where it is interrupted, and between the phases.
                every: usize::MAX,
                resume: true,
                ..CheckpointPolicy::new(path)
            }),
            store: self.places.store.as_ref().map(RunStore::at),
            ..FitControl::default()
        };
        match (&self.task.search, &self.task.estimator) {
            (Some(search), ValidEstimator::Lpvdn(params)) => params
                .search(&self.data, search, &mut control)
                .map(|Found { fitted, choice }| (fitted.into_any(), Some(choice))),
            (_, params) => params.fit(&self.data, &mut control).map(|fitted| (fitted, None)),
        }
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
        Event::Working(what) => json!({ "event": "working", "what": what }),
        Event::Warning(message) => json!({ "event": "warning", "message": message }),
        Event::Tried(candidate) => json!({ "event": "tried", "candidate": candidate }),
        Event::Trying { number, of, event } => {
            json!({ "event": "trying", "number": number, "of": of, "inner": told(event, last_step)? })
        }
        _ => return None,
    })
}

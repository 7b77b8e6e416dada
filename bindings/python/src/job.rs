//! Work on a thread of its own, while the thread that called listens: to what the work tells, which it hands to Python,
//! and to signals, so that Ctrl-C stops the work.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::unfinished;

/// How often signals are looked for.
const LISTEN: Duration = Duration::from_millis(50);
/// Work that is asked to stop does so after its step. What takes longer (the clustering of many codes, say) is not
/// waited for: it ends by itself, and nobody hears of it but a later fit that wants its state.
const PATIENCE: Duration = Duration::from_millis(700);

enum Message<T> {
    /// A JSON object.
    Told(String),
    Done(T),
}

/// What the work has of the thread that waits for it.
pub(crate) struct Caller<T> {
    sender: Sender<Message<T>>,
    stop: Arc<AtomicBool>,
}

impl<T> Caller<T> {
    /// Set when nobody wants the outcome any more.
    pub(crate) fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    pub(crate) fn wants_no_more(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Tells of an event, a JSON object. Where nobody listens any more, nothing is told.
    pub(crate) fn tell(&self, event: String) {
        let _ = self.sender.send(Message::Told(event));
    }
}

/// Work that runs.
pub(crate) struct Job<T> {
    receiver: Receiver<Message<T>>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl<T: Send + 'static> Job<T> {
    /// Starts work, which owns all that it needs: it may outlive the call.
    pub(crate) fn start(work: impl FnOnce(&Caller<T>) -> T + Send + 'static) -> PyResult<Job<T>> {
        let stop = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = channel();
        let caller = Caller { sender, stop: Arc::clone(&stop) };
        let run = move || {
            let outcome = work(&caller);
            let _ = caller.sender.send(Message::Done(outcome));
        };
        let thread = std::thread::Builder::new().name("lpvdn".to_owned()).spawn(run)?;
        Ok(Job { receiver, stop, thread })
    }

    /// Waits for the outcome; `observer` is called with each event. An exception, of a signal or of the observer, ends
    /// the wait. Where the work leaves its state in a file then, whoever reads `state` waits for that.
    pub(crate) fn wait(
        self,
        py: Python<'_>,
        observer: Option<&Bound<'_, PyAny>>,
        state: Option<PathBuf>,
    ) -> PyResult<T> {
        let Job { receiver, stop, thread } = self;
        listen(py, receiver, observer, &stop).inspect_err(|_| {
            if let Some(state) = state {
                unfinished::remember(state, thread);
            }
        })
    }
}

fn listen<T: Send>(
    py: Python<'_>,
    mut receiver: Receiver<Message<T>>,
    observer: Option<&Bound<'_, PyAny>>,
    stop: &AtomicBool,
) -> PyResult<T> {
    let mut exception: Option<(PyErr, Instant)> = None;
    loop {
        let receiver = &mut receiver;
        let happened = match py.detach(move || receiver.recv_timeout(LISTEN)) {
            Ok(Message::Done(outcome)) => {
                return match exception {
                    Some((exception, _)) => Err(exception),
                    None => Ok(outcome),
                };
            }
            Ok(Message::Told(event)) if exception.is_none() => {
                observer.map_or(Ok(()), |observer| observer.call1((event,)).map(drop))
            }
            Ok(Message::Told(_)) | Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "the work has ended without a result; this is a bug of lpvdn",
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

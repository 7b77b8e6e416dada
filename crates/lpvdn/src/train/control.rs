//! What a caller can set about how a fit runs, beside what it computes.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lpvdn_core::view::Watch;

use super::checkpoint::{self, Expected, State};
use super::events::{Event, Plan};
use super::store::RunStore;
use crate::error::FitError;
use crate::model::examine::Ready;

/// How a fit runs: threads, progress, checkpoints, interruption. None of it changes the result.
#[derive(Default)]
pub struct FitControl<'a> {
    /// Threads; 0 means one for each core.
    pub threads: usize,
    /// Told of everything that happens.
    pub observer: Option<&'a mut (dyn FnMut(&Event<'_>) + Send)>,
    /// Set to true from elsewhere, it stops the fit after the current step.
    pub stop: Option<&'a AtomicBool>,
    /// The most memory to take, in bytes: a fit that is expected to need more is refused. Without it, as much as the
    /// machine has, where that is known.
    pub memory: Option<u64>,
    /// Where and when to write checkpoints.
    pub checkpoint: Option<CheckpointPolicy>,
    /// Where pre-trainings are shared with other runs.
    pub store: Option<RunStore>,
    /// Clusters and scores are computed after the first and after every so many epochs of training;
    /// 0 for never. Needs labels.
    pub evaluate_every: usize,
}

/// Where and when checkpoints are written.
#[derive(Clone, Debug)]
pub struct CheckpointPolicy {
    /// The file.
    pub path: PathBuf,
    /// After every so many epochs.
    pub every: usize,
    /// But not more often than this. A matter of disk, not of results.
    pub at_least_apart: Duration,
    /// Whether to go on from the file if it is there.
    pub resume: bool,
}

impl CheckpointPolicy {
    /// Every epoch, at most every ten seconds.
    pub fn new(path: impl Into<PathBuf>) -> CheckpointPolicy {
        CheckpointPolicy {
            path: path.into(),
            every: 1,
            at_least_apart: Duration::from_secs(10),
            resume: false,
        }
    }
}

impl FitControl<'_> {
    pub(crate) fn say(&mut self, event: &Event<'_>) {
        if let Some(observer) = &mut self.observer {
            observer(event);
        }
    }

    /// Says what is going to be done, unless it may not be: it would need too much memory, or is not wanted
    /// any more. Nothing has been done yet that could be lost.
    pub(crate) fn announce(&mut self, plan: &Plan, ready: &Ready<'_>) -> Result<(), FitError> {
        self.check_memory(plan.memory_bytes)?;
        self.say(&Event::Planned(plan));
        if let Some(view) = &ready.view {
            self.say(&Event::Viewed { view, unknown: &ready.unknown });
        }
        if self.stopped() { Err(FitError::Interrupted { checkpoint: None }) } else { Ok(()) }
    }

    /// Refuses what would take more memory than it may, before it is taken.
    pub(crate) fn check_memory(&self, needed: u64) -> Result<(), FitError> {
        match self.memory.or_else(machine_memory) {
            Some(allowed) if needed > allowed => Err(FitError::Memory { needed, allowed }),
            _ => Ok(()),
        }
    }

    /// The state to go on from, where that is wanted and there is one.
    pub(crate) fn resumed(&mut self, wanted: &Expected) -> Result<Option<State>, FitError> {
        let found = match &self.checkpoint {
            Some(policy) if policy.resume => checkpoint::load(&policy.path, wanted)?,
            _ => None,
        };
        if let Some(State { phase, epoch, step, .. }) = found {
            self.say(&Event::Resumed { phase, epoch, step });
        }
        Ok(found)
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.is_some_and(|s| s.load(Ordering::Relaxed))
    }
}

/// A view is part of a fit: it tells and stops as a fit does.
impl Watch for FitControl<'_> {
    fn working(&mut self, what: &str) {
        self.say(&Event::Working(what));
    }

    fn stopped(&self) -> bool {
        FitControl::stopped(self)
    }
}

/// What the machine has, or the container that this runs in, where the system says so. Only refusals follow from it.
fn machine_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let machine = line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.saturating_mul(1024);
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok());
    Some(container.map_or(machine, |container: u64| container.min(machine)))
}

impl std::fmt::Debug for FitControl<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FitControl")
            .field("threads", &self.threads)
            .field("checkpoint", &self.checkpoint)
            .field("store", &self.store)
            .field("evaluate_every", &self.evaluate_every)
            .finish_non_exhaustive()
    }
}

/// Decides when a checkpoint is due.
#[derive(Debug)]
pub(crate) struct CheckpointClock {
    last: Instant,
}

impl CheckpointClock {
    pub(crate) fn start() -> CheckpointClock {
        CheckpointClock { last: Instant::now() }
    }

    pub(crate) fn due(&mut self, policy: &CheckpointPolicy, epoch: usize) -> bool {
        let due = epoch.is_multiple_of(policy.every.max(1)) && self.last.elapsed() >= policy.at_least_apart;
        if due {
            self.last = Instant::now();
        }
        due
    }
}

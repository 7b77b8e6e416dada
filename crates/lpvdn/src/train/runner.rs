//! The loop over epochs and steps, whatever a step does.

use std::path::PathBuf;
use std::time::Instant;

use lpvdn_cluster::ExternalScores;
use lpvdn_core::Dataset;

use super::checkpoint::{self, EpochSums, State};
use super::control::{CheckpointClock, FitControl};
use super::events::{EpochReport, Evaluation, Event, Phase};
use crate::error::FitError;

/// What a method does in the loop. The state is apart, because it is what a checkpoint holds.
pub(crate) trait Training {
    /// Of data and settings: what a checkpoint must share with the run that resumes it.
    fn fingerprint(&self) -> u64;
    /// Epochs of a phase, at most.
    fn epochs(&self, phase: Phase) -> usize;
    /// Steps of an epoch; the last one may be shorter.
    fn steps(&self, phase: Phase, epoch: usize) -> usize;
    /// Makes ready for the steps of an epoch, or for those that are left of it. False where the phase is
    /// over before its last epoch.
    fn begin_epoch(&mut self, state: &mut State) -> Result<bool, FitError>;
    /// One step: moves the parameters and adds to the sums of the epoch.
    fn step(&mut self, state: &mut State) -> Result<(), FitError>;
    /// What the epoch that ends here was like.
    fn report(&self, state: &State, pace: Pace) -> EpochReport;
    /// The rows.
    fn data(&self) -> &Dataset;
    /// The clusters as they would be if training ended here, without settling.
    fn clusters(&self, state: &State) -> Result<Clustering, FitError>;
}

/// The cluster of each row in the middle of a training.
#[derive(Clone, Debug)]
pub(crate) struct Clustering {
    pub(crate) labels: Vec<u32>,
    /// By the mixture's own assignment, where the method has one.
    pub(crate) by_mixture: Option<Vec<u32>>,
}

/// How fast it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Seconds of a step of this phase, measured in this process.
    pub(crate) per_step: f64,
    /// Seconds spent on the fit, earlier processes included.
    pub(crate) seconds: f64,
}

/// Runs phases, and writes checkpoints on the way.
pub(crate) struct Runner {
    clock: CheckpointClock,
    started: Instant,
    /// Seconds and steps of this process in the current phase, for the time left.
    measured: (f64, usize),
}

impl Runner {
    pub(crate) fn start() -> Runner {
        Runner { clock: CheckpointClock::start(), started: Instant::now(), measured: (0.0, 0) }
    }

    /// Seconds spent on the fit, earlier processes included.
    pub(crate) fn seconds(&self, state: &State) -> f64 {
        state.record.seconds_before + self.started.elapsed().as_secs_f64()
    }

    /// Runs the state's phase to its end.
    pub(crate) fn run_phase(
        &mut self,
        training: &mut impl Training,
        state: &mut State,
        control: &mut FitControl<'_>,
    ) -> Result<(), FitError> {
        let (epochs, steps) = (training.epochs(state.phase), training.steps(state.phase, 0));
        control.say(&Event::Phase { phase: state.phase, epochs, steps });
        self.measured = (0.0, 0);
        while state.epoch < epochs {
            // Before an epoch is begun, and in it after a step: what is begun is not begun again.
            if state.step == 0 {
                self.stop_if_asked(training, state, control)?;
            }
            if !training.begin_epoch(state)? {
                control.say(&Event::Working("settled: hardly a row changes its cluster any more"));
                break;
            }
            self.run_steps(training, state, control, steps)?;
            let per_step = self.measured.0 / self.measured.1.max(1) as f64;
            let report = training.report(state, Pace { per_step, seconds: self.seconds(state) });
            state.epoch += 1;
            state.step = 0;
            state.sums = EpochSums::default();
            control.say(&Event::Epoch(&report));
            state.record.history.push(report);
            self.evaluate_when_due(training, state, control)?;
            let due = control.checkpoint.as_ref().is_some_and(|p| self.clock.due(p, state.epoch));
            if due && state.epoch < epochs {
                self.save(training, state, control);
            }
        }
        Ok(())
    }

    /// Scores the clusters after the first epoch of training and every so many that the control asks for, where
    /// labels are known.
    fn evaluate_when_due(
        &self,
        training: &impl Training,
        state: &mut State,
        control: &mut FitControl<'_>,
    ) -> Result<(), FitError> {
        let every = control.evaluate_every;
        let due = every > 0 && (state.epoch == 1 || state.epoch.is_multiple_of(every));
        let Some(truth) = training.data().labels.as_ref().filter(|_| due && state.phase == Phase::Joint)
        else {
            return Ok(());
        };
        let found = training.clusters(state)?;
        let score =
            |l: &[u32]| ExternalScores::new(&truth.codes, l).map_err(|e| FitError::Clustering(e.to_string()));
        let ExternalScores { acc, purity, nmi, ari, .. } = score(&found.labels)?;
        let mixture_acc = found.by_mixture.map(|l| score(&l)).transpose()?.map(|scores| scores.acc);
        let (epoch, seconds) = (state.epoch, self.seconds(state));
        let evaluation = Evaluation { epoch, acc, purity, nmi, ari, mixture_acc, seconds };
        control.say(&Event::Evaluated(&evaluation));
        state.record.evaluations.push(evaluation);
        Ok(())
    }

    fn run_steps(
        &mut self,
        training: &mut impl Training,
        state: &mut State,
        control: &mut FitControl<'_>,
        steps: usize,
    ) -> Result<(), FitError> {
        while state.step < training.steps(state.phase, state.epoch) {
            if state.step > 0 {
                self.stop_if_asked(training, state, control)?;
            }
            let before = Instant::now();
            training.step(state)?;
            self.measured.0 += before.elapsed().as_secs_f64();
            self.measured.1 += 1;
            state.step += 1;
            control.say(&Event::Step { phase: state.phase, done: state.epoch * steps + state.step });
        }
        Ok(())
    }

    fn stop_if_asked(
        &self,
        training: &impl Training,
        state: &State,
        control: &mut FitControl<'_>,
    ) -> Result<(), FitError> {
        if !control.stopped() {
            return Ok(());
        }
        let saved = self.save(training, state, control);
        Err(FitError::Interrupted { checkpoint: saved })
    }

    /// Writes a checkpoint. A failed write is a warning: training goes on.
    pub(crate) fn save(
        &self,
        training: &impl Training,
        state: &State,
        control: &mut FitControl<'_>,
    ) -> Option<PathBuf> {
        let path = control.checkpoint.as_ref()?.path.clone();
        match checkpoint::save(&path, state, self.seconds(state), training.fingerprint()) {
            Ok(()) => {
                control.say(&Event::Checkpoint);
                Some(path)
            }
            Err(e) => {
                let message = format!("the checkpoint {} could not be written: {e}", path.display());
                control.say(&Event::Warning(&message));
                None
            }
        }
    }
}

/// An error where a term is no longer a number.
pub(crate) fn check_terms(
    state: &State,
    terms: &[(&'static str, f64)],
    learning_rate: f64,
) -> Result<(), FitError> {
    let Some(&(term, value)) = terms.iter().find(|(_, v)| !v.is_finite()) else { return Ok(()) };
    Err(FitError::NonFinite {
        phase: state.phase,
        epoch: state.epoch + 1,
        step: state.step + 1,
        term,
        value,
        option: match state.phase {
            Phase::Pretrain => "--pretrain-lr",
            Phase::Joint | Phase::Settle => "--lr",
        },
        // Far above any rate that works, a quarter would not help.
        suggestion: (learning_rate / 4.0).min(1e-3),
    })
}

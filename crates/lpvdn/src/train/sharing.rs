//! What a fit takes from the store of runs, and leaves there.

use std::ops::Range;

use lpvdn_core::Preprocessor;
use lpvdn_nn::Init;

use super::checkpoint::State;
use super::control::FitControl;
use super::events::{Event, Phase};
use super::runner::{Runner, Training};
use super::store::{Kind, Made, RunStore, StoreKey};
use crate::error::FitError;
use crate::loss::reconstruction::Likelihood;
use crate::model::lpvdn::hyperparams::Budget;

/// All that the pre-training of an autoencoder depends on, whatever follows it.
pub(crate) struct PretrainingKey<'a> {
    /// A hash of the rows, and of how they are seen.
    pub(crate) data: u64,
    pub(crate) preprocessor: &'a Preprocessor,
    pub(crate) likelihood: Likelihood,
    pub(crate) layers: &'a [usize],
    pub(crate) latent_dim: usize,
    pub(crate) seed: u64,
    pub(crate) init: Init,
    pub(crate) learning_rate: f64,
    pub(crate) latent_penalty: f64,
    pub(crate) budget: Budget,
    /// How many groups the rows are divided into, which decides their order.
    pub(crate) districts: usize,
}

impl PretrainingKey<'_> {
    pub(crate) fn number(&self) -> StoreKey {
        // One is not written: earlier versions did not know of more.
        let districts =
            if self.districts > 1 { format!(" {} districts", self.districts) } else { String::new() };
        StoreKey::new(&format!(
            "{:016x} {:?} {:?} {:?} {} {} {:?} {} {} {} {}{districts}",
            self.data,
            self.preprocessor,
            self.likelihood,
            self.layers,
            self.latent_dim,
            self.seed,
            self.init,
            self.learning_rate,
            self.latent_penalty,
            self.budget.steps,
            self.budget.pretrain_epochs,
        ))
    }
}

/// Pre-trains, or takes the pre-training from the store: the numbers `part` of the parameters.
pub(crate) fn shared_pretraining(
    (key, part): (StoreKey, Range<usize>),
    training: &mut impl Training,
    runner: &mut Runner,
    state: &mut State,
    control: &mut FitControl<'_>,
) -> Result<(), FitError> {
    let Some(store) = control.store.clone() else {
        return runner.run_phase(training, state, control);
    };
    let untouched = state.epoch == 0 && state.step == 0;
    if untouched && take(&store, (Kind::Pretraining, key), part.clone(), state, control) {
        return Ok(());
    }
    runner.run_phase(training, state, control)?;
    keep(&store, (Kind::Pretraining, key), &state.params[part], runner.seconds(state), state, control);
    Ok(())
}

/// Takes parameters from the store, if they are there.
pub(crate) fn take(
    store: &RunStore,
    (kind, key): (Kind, StoreKey),
    part: Range<usize>,
    state: &mut State,
    control: &mut FitControl<'_>,
) -> bool {
    let Some((made, numbers)) = store.find::<Made>(kind, key, part.len()) else { return false };
    let phase = made.history.last().map_or(Phase::Pretrain, |report| report.phase);
    control.say(&Event::Found { phase, seconds: made.seconds, history: &made.history });
    state.params[part].copy_from_slice(&numbers);
    state.record.history = made.history;
    state.record.seconds_before += made.seconds;
    true
}

/// Keeps parameters in the store. If that fails, only time is lost, and only later.
pub(crate) fn keep(
    store: &RunStore,
    (kind, key): (Kind, StoreKey),
    params: &[f32],
    seconds: f64,
    state: &State,
    control: &mut FitControl<'_>,
) {
    let made = Made { seconds, history: state.record.history.clone() };
    if let Err(e) = store.keep(kind, key, made, params) {
        let place = store.folder().display();
        control.say(&Event::Warning(&format!("{place}: the training could not be kept: {e}")));
    }
}

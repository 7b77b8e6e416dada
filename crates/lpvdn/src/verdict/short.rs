//! Short trainings on parts of the rows, for clusters of codes.
//!
//! The codes of one training are the same whatever is drawn from them, so that dividing them again says nothing: only another training
//! shows what would have come of other rows. It has a quarter of the epochs that so many rows would be given.

use std::sync::atomic::AtomicBool;

use lpvdn_core::{Dataset, StreamKey};

use super::refits::shuffled;
use crate::error::FitError;
use crate::model::any::{Estimator, Model};
use crate::model::autoencoder::{AutoencoderParams, Refinement};
use crate::model::lpvdn::algorithm::as_fit_error;
use crate::model::lpvdn::hyperparams::Budget;
use crate::model::lpvdn::{LpvdnParams, Space};
use crate::train::control::FitControl;

/// A short training has this part of the epochs.
const SHORTENING: usize = 4;
/// The share of the work of the fit that short trainings may take together.
const SHARE: f64 = 0.3;
/// Rows of a training for each cluster, at least.
const LEAST_EACH: usize = 5;
/// How many there are, at least and at most.
const TRAININGS: [f64; 2] = [2.0, 6.0];

/// How the clusters of a model are made again.
pub(super) enum Repeat {
    /// They are those of the rows: by dividing these.
    OfRows,
    /// They are those of codes: by training.
    Training(Box<Short>),
    /// Not at all: no training would be short.
    Nothing,
}

/// A training that is repeated.
pub(super) struct Short {
    estimator: Estimator,
    /// How often.
    pub(super) trainings: u32,
}

impl Short {
    /// For the clusters of a model, and so many rows of which parts are trained on.
    pub(super) fn of(model: &Model, rows: usize, looked_at: usize) -> Repeat {
        let part = part_of(looked_at);
        let found = match model {
            Model::KMeans(_) | Model::Graph(_) => return Repeat::OfRows,
            Model::Lpvdn(model) if model.assignment().space() == Space::Rows => return Repeat::OfRows,
            Model::Lpvdn(model) => lpvdn(model.params(), rows, part),
            Model::Encoder(model) => encoder(model.params(), rows, part),
            Model::ClusterGan(_) => None,
        };
        let Some((estimator, short)) = found.filter(|_| part >= LEAST_EACH * model.clusters()) else {
            return Repeat::Nothing;
        };
        let work = |rows: usize, budget: Budget| {
            (rows * (budget.pretrain_epochs + budget.epochs + budget.settle_epochs)) as f64
        };
        let affordable = SHARE * work(rows, model.budget()) / work(part, short).max(1.0);
        let trainings = affordable.floor().clamp(TRAININGS[0], TRAININGS[1]) as u32;
        Repeat::Training(Box::new(Short { estimator, trainings }))
    }

    /// Trains on a random part of the rows of `data`, and gives the clusters of all of them.
    pub(super) fn subsample(
        &self,
        data: &Dataset,
        stream: StreamKey,
        (threads, stop): (usize, Option<&AtomicBool>),
    ) -> Result<Vec<u32>, FitError> {
        let mut rows = shuffled(data.rows(), stream);
        rows.truncate(part_of(data.rows()));
        rows.sort_unstable();
        let estimator = seeded(self.estimator.clone(), 101 + stream.step);
        let mut control = FitControl { threads, stop, ..FitControl::default() };
        let fitted = estimator.check()?.fit(&data.clone().of_rows(rows), &mut control)?;
        fitted.model.predict(data).map_err(as_fit_error)
    }
}

/// The rows of a short training, of so many.
fn part_of(rows: usize) -> usize {
    rows * 2 / 3
}

fn seeded(mut estimator: Estimator, more: u64) -> Estimator {
    match &mut estimator {
        Estimator::Lpvdn(params) => params.seed = params.seed.wrapping_add(more),
        Estimator::Encoder(params) => params.seed = params.seed.wrapping_add(more),
        _ => {}
    }
    estimator
}

/// What nobody asked for follows from the rows again, and the epochs are fewer.
fn lpvdn(full: &LpvdnParams, rows: usize, part: usize) -> Option<(Estimator, Budget)> {
    let open = LpvdnParams {
        layers: None,
        locality_layers: None,
        batch: None,
        pretrain_epochs: None,
        epochs: None,
        settle_epochs: None,
        ..full.clone()
    };
    let usual = open.clone().check().ok()?;
    let (by_rows, shape) = (usual.budget(rows), open.shape(rows, 1));
    let asked = |asked: Option<Vec<usize>>, usual: &[usize]| asked.filter(|sizes| sizes != usual);
    let batch = full.batch.filter(|batch| *batch != by_rows.batch);
    let (layers, locality) =
        (asked(full.layers.clone(), &shape.layers), asked(full.locality_layers.clone(), &shape.locality));
    let open = LpvdnParams { layers, locality_layers: locality, batch, ..open };
    let budget = open.clone().check().ok()?.budget(part);
    let fewer =
        |full: Option<usize>, usual: usize| Some(usual.div_ceil(SHORTENING).min(full.unwrap_or(usual)));
    let short = LpvdnParams {
        pretrain_epochs: fewer(full.pretrain_epochs, budget.pretrain_epochs),
        epochs: fewer(full.epochs, budget.epochs),
        settle_epochs: fewer(full.settle_epochs, budget.settle_epochs),
        ..open
    };
    let budget = short.clone().check().ok()?.budget(part);
    Some((Estimator::Lpvdn(Box::new(short)), budget))
}

fn encoder(full: &AutoencoderParams, rows: usize, part: usize) -> Option<(Estimator, Budget)> {
    let open = AutoencoderParams { layers: None, batch: None, pretrain_epochs: None, ..full.clone() };
    let batch =
        full.batch.filter(|batch| open.clone().check().is_ok_and(|usual| *batch != usual.budget(rows).batch));
    let layers = full.layers.clone().filter(|layers| *layers != open.layers_for(rows));
    let open = AutoencoderParams { layers, batch, ..open };
    let budget = open.clone().check().ok()?.budget(part);
    let fewer =
        |full: Option<usize>, usual: usize| Some(usual.div_ceil(SHORTENING).min(full.unwrap_or(usual)));
    let refinement = match full.refinement {
        Refinement::Variational { epochs, lr, schedule, divergence, log_variance_bound } => {
            let epochs = fewer(epochs, budget.epochs);
            Refinement::Variational { epochs, lr, schedule, divergence, log_variance_bound }
        }
        Refinement::SelfTraining { interval, tolerance, steps, lr, momentum, batch, center_start } => {
            let steps = steps.div_ceil(SHORTENING);
            Refinement::SelfTraining { interval, tolerance, steps, lr, momentum, batch, center_start }
        }
        Refinement::None => Refinement::None,
    };
    let pretrain_epochs = fewer(full.pretrain_epochs, budget.pretrain_epochs);
    let short = AutoencoderParams { pretrain_epochs, refinement, ..open };
    let budget = short.clone().check().ok()?.budget(part);
    Some((Estimator::Encoder(short), budget))
}

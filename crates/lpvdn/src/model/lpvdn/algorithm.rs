//! `fit`: pre-training, the mixture on its codes, joint training, the locality net alone, clusters.

use lpvdn_core::{Dataset, Matrix, Pool};

use super::assignment::{Assignment, Space, labels};
use super::candidates::{Sample, chosen, graph_params};
use super::clustering::{cluster, k_means_labels, starting_prior};
use super::fitted::{LpvdnModel, cluster_gaussians};
use super::hyperparams::{Budget, FinalClustering, LpvdnParams, LpvdnValidParams, NegativeRows, PriorStart};
use super::inference::Inference;
use super::network::Network;
use super::prepare::Prepared;
use super::quality::Quality;
use super::trainer::{Trainer, effective_clusters, term_weights};
use crate::error::{FitError, ModelError};
use crate::model::collapse::{Formed, collapse};
use crate::model::examine::Ready;
use crate::model::fitted::Fitted;
use crate::model::graph::initial::{Asked, Initial, Start};
use crate::train::checkpoint::{Expected, Record, State};
use crate::train::control::FitControl;
use crate::train::districts::districts_of;
use crate::train::events::{Event, Phase};
use crate::train::runner::{Clustering, Runner};
use crate::train::sharing::{PretrainingKey, keep, shared_pretraining, take};
use crate::train::store::{CLUSTERING, Kind, StoreKey};

const NEIGHBORS: &str = "finding the nearest neighbours of each row";

impl LpvdnParams {
    /// Fits a model with all cores and no progress.
    pub fn fit(self, data: &Dataset) -> Result<Fitted, FitError> {
        self.check()?.fit(data, &mut FitControl::default())
    }
}

impl LpvdnValidParams {
    /// Fits a model.
    pub fn fit(&self, data: &Dataset, control: &mut FitControl<'_>) -> Result<Fitted, FitError> {
        let pool = Pool::new(control.threads).map_err(FitError::Threads)?;
        pool.run(|| self.fit_in_pool(data, control, pool.threads()))
    }

    fn fit_in_pool(
        &self,
        data: &Dataset,
        control: &mut FitControl<'_>,
        threads: usize,
    ) -> Result<Fitted, FitError> {
        let prepared = Prepared::of(self, data, control)?;
        let plan = prepared.plan(threads);
        control.announce(&plan, &prepared.ready)?;
        let Prepared { params, budget, ready, likelihood, network, fingerprint, .. } = &prepared;
        let data = ready.data.as_ref();
        let (budget, likelihood, fingerprint) = (*budget, *likelihood, *fingerprint);
        let mut warnings = prepared.warnings.clone();
        let wanted = expected(params, budget, data.rows(), network, fingerprint);
        let found = control.resumed(&wanted)?;
        let resumed = found.is_some();
        let mut state = found.unwrap_or_else(|| State::new(network.init(params.seed, params.init)));
        let mut runner = Runner::start();
        let start = start(&prepared, resumed, control)?;
        let neighborhood = start.as_ref().map(|start| &start.neighborhood);
        let mut trainer = Trainer::new(&prepared, neighborhood);
        let initial = start.as_ref().and_then(|start| start.initial.as_ref());
        self.train(&prepared, initial, &mut trainer, &mut runner, &mut state, control)?;

        control.say(&Event::Working("clustering the codes"));
        let model = LpvdnModel {
            origin: ready.origin(control.threads),
            params: params.clone(),
            budget,
            likelihood,
            weights: std::mem::take(&mut state.params),
            network: network.clone(),
            assignment: Assignment::Prior,
            latent_clusters: (Matrix::zeros(0, 0), Matrix::zeros(0, 0)),
        };
        drop(trainer);
        let mut fitted = finish(model, data, start.as_ref(), ready.signals)?;
        fitted.seconds = runner.seconds(&state);
        let Record { history, evaluations, .. } = std::mem::take(&mut state.record);
        warnings.append(&mut fitted.warnings);
        fitted.warnings = warnings;
        fitted.history = history;
        fitted.evaluations = evaluations;
        fitted.warnings.iter().for_each(|w| control.say(&Event::Warning(w)));
        Ok(fitted)
    }

    /// All phases, or what the store has of them.
    fn train(
        &self,
        prepared: &Prepared<'_>,
        initial: Option<&Initial>,
        trainer: &mut Trainer<'_>,
        runner: &mut Runner,
        state: &mut State,
        control: &mut FitControl<'_>,
    ) -> Result<(), FitError> {
        let store = control.store.clone();
        let key = training_key(prepared);
        let untouched = state.phase == Phase::Pretrain && state.epoch == 0 && state.step == 0;
        // Who asks for scores on the way wants to see the way.
        if let (Some(store), true, 0) = (&store, untouched, control.evaluate_every)
            && take(store, (Kind::Training, key), 0..state.params.len(), state, control)
        {
            return Ok(());
        }
        if state.phase == Phase::Pretrain {
            pretrain(trainer, runner, state, prepared.ready.fingerprint, control)?;
            let by_rows = prepared.params.prior_start == PriorStart::Rows;
            control.say(&Event::Working(match by_rows {
                true => "starting the mixture from the initial clusters",
                false => "fitting the mixture to the pre-trained codes",
            }));
            state.enter(Phase::Joint);
            start_mixture(trainer, initial, state)?;
            runner.save(trainer, state, control);
        }
        if state.phase == Phase::Joint {
            if trainer.wants_graph() {
                control.say(&Event::Working(NEIGHBORS));
            }
            runner.run_phase(trainer, state, control)?;
            if prepared.budget.settle_epochs > 0 {
                state.enter(Phase::Settle);
                let saved = runner.save(trainer, state, control);
                if control.stopped() {
                    return Err(FitError::Interrupted { checkpoint: saved });
                }
            }
        }
        if state.phase == Phase::Settle {
            control.say(&Event::Working(NEIGHBORS));
            trainer.settle_on_codes(state)?;
            runner.run_phase(trainer, state, control)?;
        }
        if let Some(store) = store {
            keep(&store, (Kind::Training, key), &state.params, runner.seconds(state), state, control);
        }
        Ok(())
    }

    /// Multiply-adds of one row in a step of each phase, for data of so many rows and columns.
    pub fn multiplications(&self, rows: usize, columns: usize) -> [f64; 3] {
        let shifted = self.get().negatives == NegativeRows::Shift;
        let batch = self.budget(rows).batch;
        Network::new(self.get().shape(rows, columns)).multiplications(
            &term_weights(self.get()),
            batch,
            shifted,
        )
    }
}

/// Pre-trains, or takes the pre-training from the store.
fn pretrain(
    trainer: &mut Trainer<'_>,
    runner: &mut Runner,
    state: &mut State,
    data: u64,
    control: &mut FitControl<'_>,
) -> Result<(), FitError> {
    let p = trainer.params;
    let key = PretrainingKey {
        data,
        preprocessor: trainer.preprocessor,
        likelihood: trainer.likelihood,
        layers: &trainer.network.shape().layers,
        latent_dim: p.latent_dim,
        seed: p.seed,
        init: p.init,
        learning_rate: p.pretrain_lr,
        latent_penalty: p.latent_penalty,
        budget: trainer.budget,
        districts: districts_of(trainer.data.rows(), p.district),
    };
    let (key, part) = (key.number(), trainer.network.autoencoder().range());
    shared_pretraining((key, part), trainer, runner, state, control)
}

/// What a checkpoint of this run must look like.
fn expected(
    params: &LpvdnParams,
    budget: Budget,
    rows: usize,
    network: &Network,
    fingerprint: u64,
) -> Expected {
    let graph = params.alpha1 > 0.0 && params.affinities.is_latent_graph();
    Expected {
        fingerprint,
        parameters: [network.layout().len(); 3],
        steps: [budget.steps; 3],
        epochs: [budget.pretrain_epochs, budget.epochs, budget.settle_epochs],
        kept: graph.then_some([rows, params.latent_dim]),
    }
}

/// All that the training depends on: everything but how codes are clustered in the end. Parameters enter as they are
/// written, without those that a later version added and nobody changed.
fn training_key(prepared: &Prepared<'_>) -> StoreKey {
    let Prepared { params, ready: Ready { fingerprint, preprocessor, .. }, likelihood, .. } = prepared;
    let by_em = params.prior_start == PriorStart::Em;
    let starts = if by_em { 1 } else { params.starts };
    let any = LpvdnParams { clustering: FinalClustering::KMeans, starts, ..params.clone() };
    let any = serde_json::to_string(&any).unwrap_or_else(|_| format!("{any:?}"));
    // A prior that starts from clusters depends on how these are found.
    let found = if by_em { String::new() } else { format!(" {CLUSTERING}") };
    StoreKey::new(&format!("{:016x} {any} {preprocessor:?} {likelihood:?}{found}", fingerprint))
}

/// A diagonal mixture on the latent means gives π, μ_c and σ²_c their start.
fn start_mixture(
    trainer: &Trainer<'_>,
    initial: Option<&Initial>,
    state: &mut State,
) -> Result<(), FitError> {
    let params = trainer.params;
    let codes = trainer.codes(state)?;
    let sample = trainer.sample(&codes);
    let mixture =
        starting_prior(params, &sample, initial.and_then(|initial| initial.start(params.clusters)))?;
    let variances = mixture.variances().map(Matrix::as_slice).unwrap_or_default();
    trainer.network.set_mixture(&mut state.params, mixture.weights(), mixture.means().as_slice(), variances);
    if params.alpha1 > 0.0 && params.affinities.is_latent_graph() {
        state.kept = Some(codes);
    }
    Ok(())
}

/// What is found about the rows before the training, where the training asks for it or the recipe announces it.
fn start(
    prepared: &Prepared<'_>,
    resumed: bool,
    control: &mut FitControl<'_>,
) -> Result<Option<Start>, FitError> {
    let Prepared { params, ready, .. } = prepared;
    let divided = params.divides_rows();
    let joined = params.alpha1 > 0.0 && params.affinities.is_row_graph();
    if !divided && !joined {
        return Ok(None);
    }
    Start::of(&graph_params(params), ready, Asked { divided, resumed }, control).map(Some)
}

/// Clusters the codes of the training rows and completes the model.
fn finish(
    mut model: LpvdnModel,
    data: &Dataset,
    start: Option<&Start>,
    signals: bool,
) -> Result<Fitted, FitError> {
    let params = model.params.clone();
    let latent = model.inference().latent_means(data).map_err(as_fit_error)?;
    let districts = params.districts(data);
    let (mut partitions, mut latent_k_means) = (None, None);
    let mut embedding = latent.clone();
    if params.alpha1 > 0.0 {
        embedding = model.inference().embed_latent(&latent);
        let (o, means) = (districts.sample(&embedding), districts.sample(&latent));
        if let Some((start, initial)) = start.and_then(|start| Some((start, start.initial.as_ref()?))) {
            let sample = Sample { embedding: &o, latent: &means };
            let (assignment, found) = chosen(&params, start, initial, sample, signals)?;
            (model.assignment, partitions) = (assignment, Some(found));
        } else {
            model.assignment = cluster(&params, &o, &means)?;
        }
    } else {
        latent_k_means = Some(k_means_labels(&params, &latent, &districts)?);
    }
    if model.assignment.space() == Space::Rows {
        embedding = model.places(data, 0..data.rows()).map_err(as_fit_error)?;
    }
    let labels = labels(&model.assignment, model.network.mixture(&model.weights), &embedding);
    if let Some(found) = &mut partitions {
        found.compare(&labels);
    }
    model.latent_clusters = cluster_gaussians(&latent, &labels, params.clusters);
    let effective_clusters = effective_clusters(&labels, params.clusters);
    // Not of the prior: one with few components may stand beside good clusters of the codes.
    let formed = if model.assignment.space() == Space::Rows { Formed::AtOnce } else { Formed::BySteps };
    let warnings = collapse(&labels, params.clusters, formed).into_iter().collect();
    let quality = Quality::of(&embedding, &labels);
    Ok(Fitted {
        quality,
        model,
        labels,
        embedding,
        latent_k_means,
        partitions,
        seconds: 0.0,
        history: Vec::new(),
        evaluations: Vec::new(),
        warnings,
        effective_clusters,
        verdict: None,
    })
}

/// The clusters as they would be without settling.
pub(super) fn clusters_now(trainer: &Trainer<'_>, state: &State) -> Result<Clustering, FitError> {
    let Trainer { network, preprocessor, params, data, .. } = trainer;
    let inference = Inference { network, params: &state.params, preprocessor };
    let latent = inference.latent_means(data).map_err(as_fit_error)?;
    let prior = network.mixture(&state.params);
    let by_mixture = labels(&Assignment::Prior, prior, &latent);
    let labels = if params.alpha1 > 0.0 {
        let embedding = inference.embed_latent(&latent);
        let districts = params.districts(data);
        let assignment = cluster(params, &districts.sample(&embedding), &districts.sample(&latent))?;
        labels(&assignment, prior, &embedding)
    } else {
        by_mixture.clone()
    };
    Ok(Clustering { labels, by_mixture: Some(by_mixture) })
}

/// Inside a fit the data has been examined, so only reading can still fail.
pub(crate) fn as_fit_error(e: ModelError) -> FitError {
    match e {
        ModelError::Source(e) => FitError::Source(e),
        ModelError::Data(e) => FitError::Data(e),
        other => FitError::Clustering(other.to_string()),
    }
}

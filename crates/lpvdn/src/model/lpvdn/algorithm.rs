//! `fit`: pre-training, the mixture on its codes, joint training, the locality net alone, clusters.

use std::hash::Hasher;
use std::time::Instant;

use lpvdn_cluster::gaussian_mixture::{CovarianceType, GaussianMixture};
use lpvdn_cluster::k_means::KMeans;
use lpvdn_cluster::metrics::ExternalScores;
use lpvdn_core::product::{Store, product};
use lpvdn_core::{Dataset, Matrix, Pool, Preprocessor, Summary};
use xxhash_rust::xxh3::Xxh3;

use super::assignment::{Assignment, labels};
use super::fitted::{DataFacts, Fitted, LpvdnModel, cluster_gaussians};
use super::hyperparams::{Budget, FinalClustering, LpvdnParams, LpvdnValidParams, NegativeRows};
use super::inference::{Inference, non_finite};
use super::network::Network;
use super::quality::Quality;
use super::terms::SMALLEST_LOCALITY_BATCH;
use super::trainer::{Trainer, effective_number, term_weights};
use crate::error::{DataProblem, FitError, ModelError};
use crate::loss::affinities::AffinitySource;
use crate::loss::reconstruction::Likelihood;
use crate::train::checkpoint::{self, Expected, Record, State};
use crate::train::control::FitControl;
use crate::train::events::{EpochReport, Evaluation, Event, Phase, Plan};
use crate::train::store::{PretrainingKey, numerics};

/// Numbers for the random streams of the clusterings inside a fit.
const MIXTURE_PHASE: u32 = 10;
const FINAL_PHASE: u32 = 11;
const LATENT_PHASE: u32 = 12;

const NEIGHBORS: &str = "finding the nearest neighbours of each row";

/// Below this share of K, the effective number of clusters counts as a collapse.
const COLLAPSE: f64 = 0.5;

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
        let mut budget = self.budget(data.rows());
        let mut params = self.get().clone();
        let mut warnings = Vec::new();
        if params.alpha1 > 0.0 && data.rows() / budget.steps.max(1) < SMALLEST_LOCALITY_BATCH {
            // There would be no trained o' to cluster.
            params.alpha1 = 0.0;
            budget.settle_epochs = 0;
            warnings.push(format!(
                "L_LP is left out: a batch of fewer than {SMALLEST_LOCALITY_BATCH} rows has no neighbourhoods"
            ));
        }
        let summary = examine(data, params.clusters)?;
        let source = data.source.as_ref();
        let preprocessor = Preprocessor::fit(params.scale, &summary, source.is_bytes(), source.is_sparse());
        let likelihood = likelihood_for(&params, &preprocessor, &summary)?;
        let params = &params.resolved(data.rows(), budget, likelihood);
        let network = Network::new(params.shape(data.rows(), data.cols()));
        control.say(&Event::Planned(&plan(params, budget, data, &network, threads)));
        if control.stopped() {
            // Nothing has been done that could be lost.
            return Err(FitError::Interrupted { checkpoint: None });
        }

        let fingerprint = run_fingerprint(params, &summary, &preprocessor, likelihood);
        let mut state = match &control.checkpoint {
            Some(policy) if policy.resume => {
                let wanted = expected(params, budget, data.rows(), &network, fingerprint);
                checkpoint::load(&policy.path, &wanted)?
            }
            _ => None,
        };
        if let Some(State { phase, epoch, step, .. }) = state {
            control.say(&Event::Resumed { phase, epoch, step });
        }
        let mut state = state.take().unwrap_or_else(|| State::new(network.init(params.seed, params.init)));
        let mut trainer =
            Trainer::new(params, budget, &network, data, &preprocessor, likelihood, fingerprint);
        if state.phase == Phase::Pretrain {
            self.pretrain(&mut trainer, &mut state, &summary, control)?;
            control.say(&Event::Working("fitting the mixture to the pre-trained codes"));
            state.enter(Phase::Joint);
            start_mixture(params, &network, &preprocessor, data, &mut state)?;
            trainer.save(&state, control);
        }
        if state.phase == Phase::Joint {
            if trainer.wants_graph() {
                control.say(&Event::Working(NEIGHBORS));
                trainer.measure_graph(&state)?;
            }
            trainer.run_phase(&mut state, control, evaluate_when_due)?;
            if budget.settle_epochs > 0 {
                state.enter(Phase::Settle);
                let saved = trainer.save(&state, control);
                if control.stopped() {
                    return Err(FitError::Interrupted { checkpoint: saved });
                }
            }
        }
        if state.phase == Phase::Settle {
            control.say(&Event::Working(NEIGHBORS));
            trainer.settle_on_codes(&state)?;
            trainer.run_phase(&mut state, control, |_, _, _| Ok(()))?;
        }

        control.say(&Event::Working("clustering the codes"));
        let model = LpvdnModel {
            params: params.clone(),
            budget,
            data: DataFacts::of(&summary),
            likelihood,
            preprocessor: preprocessor.clone(),
            weights: std::mem::take(&mut state.params),
            network: network.clone(),
            assignment: Assignment::Prior,
            latent_clusters: (Matrix::zeros(0, 0), Matrix::zeros(0, 0)),
            written_by: env!("CARGO_PKG_VERSION").to_owned(),
            threads: control.threads,
        };
        let mut fitted = finish(model, data)?;
        fitted.seconds = trainer.seconds(&state);
        let Record { history, evaluations, .. } = std::mem::take(&mut state.record);
        warnings.append(&mut fitted.warnings);
        let trained = history.iter().rfind(|report| report.phase == Phase::Joint);
        warnings.extend(trained.and_then(|last| prior_collapse(last, params.clusters)));
        fitted.warnings = warnings;
        fitted.history = history;
        fitted.evaluations = evaluations;
        fitted.warnings.iter().for_each(|w| control.say(&Event::Warning(w)));
        Ok(fitted)
    }

    /// Pre-trains, or takes the pre-training from the store.
    fn pretrain(
        &self,
        trainer: &mut Trainer<'_>,
        state: &mut State,
        summary: &Summary,
        control: &mut FitControl<'_>,
    ) -> Result<(), FitError> {
        let Some(store) = control.store.clone() else {
            return trainer.run_phase(state, control, |_, _, _| Ok(()));
        };
        let key = pretraining_key(trainer, summary);
        let part = trainer.network.autoencoder();
        let untouched = state.epoch == 0 && state.step == 0;
        if untouched && let Some(found) = store.find(key, part.len()) {
            control.say(&Event::Found { seconds: found.seconds, history: &found.history });
            state.params[part].copy_from_slice(&found.params);
            state.record.history = found.history;
            state.record.seconds_before += found.seconds;
            return Ok(());
        }
        trainer.run_phase(state, control, |_, _, _| Ok(()))?;
        let (seconds, history) = (trainer.seconds(state), &state.record.history);
        if let Err(e) = store.keep(key, &state.params[part], history, seconds) {
            let place = store.folder().display();
            control.say(&Event::Warning(&format!("{place}: the pre-training could not be kept: {e}")));
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

/// What the fit is going to take.
fn plan(params: &LpvdnParams, budget: Budget, data: &Dataset, network: &Network, threads: usize) -> Plan {
    let shifted = params.negatives == NegativeRows::Shift;
    let cost = network.multiplications(&term_weights(params), budget.batch, shifted);
    let rows = data.rows() as f64;
    let epochs = [budget.pretrain_epochs, budget.epochs, budget.settle_epochs];
    let passes: f64 = cost.iter().zip(epochs).map(|(cost, epochs)| cost * epochs as f64).sum();
    let gflops = measure_gflops();
    // A step reaches about three quarters of the speed of its products, the rest being Adam, the
    // elementwise work and the affinities; silent units save about as much again.
    let seconds = 2e-9 * passes * rows / gflops;
    Plan {
        rows: data.rows(),
        columns: data.cols(),
        clusters: params.clusters,
        parameters: network.layout().len(),
        budget,
        threads,
        gflops,
        seconds,
        memory_bytes: memory_estimate(params, network, data, budget.batch),
    }
}

/// Values, gradients and two moments of every parameter; twice every activation of a batch; the
/// matrices of pairs; the codes of all rows; the data.
fn memory_estimate(params: &LpvdnParams, network: &Network, data: &Dataset, batch: usize) -> u64 {
    let layers = |net: &lpvdn_nn::Mlp| net.layers().iter().map(|l| l.outputs()).sum::<usize>();
    let widths = layers(network.encoder()) + layers(network.decoder()) + layers(network.locality());
    let discriminator: usize = params.discriminator_layers.iter().sum();
    let activations = batch * (2 * widths + 6 * discriminator + 2 * data.cols());
    // Of each kind of affinities three matrices of pairs and the centred points, of L_LP one.
    let (matrices, centred) = match params.affinities {
        AffinitySource::Latent => (4, 0),
        AffinitySource::Rows => (4, data.cols()),
        AffinitySource::Both => (7, data.cols()),
        AffinitySource::LatentGraph | AffinitySource::RowGraph => (2, 0),
    };
    let pairs = if params.alpha1 > 0.0 { batch * (matrices * batch + centred) } else { 0 };
    let codes = data.rows() * (3 * params.latent_dim + 3 * params.output_dim + 2 * params.clusters + 4);
    let edges = 3 * params.graph_neighbors(data.rows());
    let graph = match params.affinities {
        AffinitySource::LatentGraph if params.alpha1 > 0.0 => data.rows() * (params.latent_dim + edges),
        AffinitySource::RowGraph if params.alpha1 > 0.0 => data.rows() * (data.cols() + edges),
        _ => 0,
    };
    let numbers = graph + 5 * network.layout().len() + activations + pairs + codes;
    (4 * numbers + data.source.memory() + (16 << 20)) as u64
}

/// The speed of matrix products here and now, in 10⁹ operations a second.
fn measure_gflops() -> f64 {
    const SIZE: usize = 512;
    let a = Matrix::<f32>::from_fn(SIZE, SIZE, |i, j| ((i + j) % 7) as f32);
    let mut out = Matrix::zeros(SIZE, SIZE);
    let mut best = f64::INFINITY;
    for _ in 0..4 {
        let start = Instant::now();
        product(out.view_mut(), a.view(), a.view(), Store::Replace);
        best = best.min(start.elapsed().as_secs_f64());
    }
    2e-9 * (SIZE * SIZE * SIZE) as f64 / best
}

/// Reads the data once and refuses what cannot be clustered.
fn examine(data: &Dataset, clusters: usize) -> Result<Summary, FitError> {
    let (name, rows) = (data.name.clone(), data.rows());
    if rows == 0 {
        return Err(DataProblem::NoRows { name }.into());
    }
    if data.cols() == 0 {
        return Err(DataProblem::NoColumns { name }.into());
    }
    if rows < 2 || rows < clusters {
        return Err(DataProblem::TooFewRows { name, rows, clusters }.into());
    }
    if u32::try_from(rows).is_err() {
        return Err(DataProblem::TooManyRows { name, rows }.into());
    }
    let summary = Summary::of(data.source.as_ref())?;
    if let Some((row, column, value)) = &summary.non_finite {
        return Err(non_finite(data, *row, *column, value).into());
    }
    if summary.all_rows_equal {
        return Err(DataProblem::AllEqual { name, rows }.into());
    }
    Ok(summary)
}

fn likelihood_for(
    params: &LpvdnParams,
    preprocessor: &Preprocessor,
    summary: &Summary,
) -> Result<Likelihood, FitError> {
    let (min, max) = preprocessor.range(summary);
    let probabilities = min >= 0.0 && max <= 1.0 + 1e-6;
    match params.likelihood {
        Some(Likelihood::Bernoulli) if !probabilities => {
            Err(DataProblem::NotProbabilities { min, max }.into())
        }
        Some(likelihood) => Ok(likelihood),
        None if probabilities => Ok(Likelihood::Bernoulli),
        None => Ok(Likelihood::Gaussian),
    }
}

/// A hash of data and settings: what a checkpoint must share with the run that resumes it.
///
/// The version and the instruction-set level are in it because with another one the rest of the run
/// would not be what the whole run would have been.
fn run_fingerprint(
    params: &LpvdnParams,
    summary: &Summary,
    preprocessor: &Preprocessor,
    likelihood: Likelihood,
) -> u64 {
    let mut hash = Xxh3::new();
    hash.write_u64(summary.fingerprint);
    // The params are resolved, so that they hold the epochs and sizes that the rows decided.
    hash.write(format!("{params:?} {preprocessor:?} {likelihood:?}").as_bytes());
    hash.write(numerics().as_bytes());
    hash.digest()
}

/// What a checkpoint of this run must look like.
fn expected(
    params: &LpvdnParams,
    budget: Budget,
    rows: usize,
    network: &Network,
    fingerprint: u64,
) -> Expected {
    let graph = params.alpha1 > 0.0 && params.affinities == AffinitySource::LatentGraph;
    Expected {
        fingerprint,
        parameters: network.layout().len(),
        steps: budget.steps,
        epochs: [budget.pretrain_epochs, budget.epochs, budget.settle_epochs],
        graph_points: graph.then_some([rows, params.latent_dim]),
    }
}

/// All that the pre-training depends on.
fn pretraining_key(trainer: &Trainer<'_>, summary: &Summary) -> PretrainingKey {
    let p = trainer.params;
    PretrainingKey::new(&format!(
        "{:016x} {:?} {:?} {:?} {} {} {:?} {} {} {} {}",
        summary.fingerprint,
        trainer.preprocessor,
        trainer.likelihood,
        trainer.network.shape().layers,
        p.latent_dim,
        p.seed,
        p.init,
        p.pretrain_lr,
        p.latent_penalty,
        trainer.budget.steps,
        trainer.budget.pretrain_epochs,
    ))
}

/// A diagonal mixture on the latent means gives π, μ_c and σ²_c their start.
fn start_mixture(
    params: &LpvdnParams,
    network: &Network,
    preprocessor: &Preprocessor,
    data: &Dataset,
    state: &mut State,
) -> Result<(), FitError> {
    let inference = Inference { network, params: &state.params, preprocessor };
    let codes = inference.latent_means(data).map_err(as_fit_error)?;
    let mixture =
        diagonal_mixture(&codes, params.clusters, params.mixture_starts, params.seed, MIXTURE_PHASE)?;
    let variances = mixture.variances().map(Matrix::as_slice).unwrap_or_default();
    network.set_mixture(&mut state.params, mixture.weights(), mixture.means().as_slice(), variances);
    if params.alpha1 > 0.0 && params.affinities == AffinitySource::LatentGraph {
        state.graph_points = Some(codes);
    }
    Ok(())
}

fn diagonal_mixture(
    points: &Matrix<f32>,
    clusters: usize,
    starts: u32,
    seed: u64,
    phase: u32,
) -> Result<GaussianMixture, FitError> {
    GaussianMixture::params(clusters)
        .covariance_type(CovarianceType::Diagonal)
        .n_init(starts)
        .seed(seed)
        .phase(phase)
        .fit(points)
        .map_err(|e| FitError::Clustering(e.to_string()))
}

fn k_means(points: &Matrix<f32>, params: &LpvdnParams, phase: u32) -> Result<KMeans, FitError> {
    KMeans::params(params.clusters)
        .n_init(params.starts)
        .seed(params.seed)
        .phase(phase)
        .fit(points)
        .map_err(|e| FitError::Clustering(e.to_string()))
}

/// Turns o' into an assignment.
fn cluster(params: &LpvdnParams, embedding: &Matrix<f32>) -> Result<Assignment, FitError> {
    match params.clustering {
        FinalClustering::KMeans => {
            let fitted = k_means(embedding, params, FINAL_PHASE)?;
            let spread = fitted.inertia / (embedding.rows() * embedding.cols()) as f64;
            // Rows that all lie on their centres leave no spread to measure by.
            let scale = (spread.sqrt() as f32).max(1e-6);
            Ok(Assignment::Centers { centers: fitted.centers, scale })
        }
        FinalClustering::GaussianMixture => {
            let m = diagonal_mixture(embedding, params.clusters, params.starts, params.seed, FINAL_PHASE)?;
            let variances = m.variances().cloned().unwrap_or_default();
            Ok(Assignment::Mixture {
                weights: m.weights().iter().map(|w| *w as f32).collect(),
                means: m.means().cast(),
                variances: variances.cast(),
            })
        }
    }
}

/// Clusters the codes of the training rows and completes the model.
fn finish(mut model: LpvdnModel, data: &Dataset) -> Result<Fitted, FitError> {
    let params = model.params.clone();
    let latent = model.inference().latent_means(data).map_err(as_fit_error)?;
    let (embedding, latent_k_means) = if params.alpha1 > 0.0 {
        let embedding = model.inference().embed_latent(&latent);
        model.assignment = cluster(&params, &embedding)?;
        (embedding, None)
    } else {
        (latent.clone(), Some(k_means(&latent, &params, LATENT_PHASE)?.labels))
    };
    let labels = labels(&model.assignment, model.network.mixture(&model.weights), &embedding);
    model.latent_clusters = cluster_gaussians(&latent, &labels, params.clusters);
    let mut sizes = vec![0.0; params.clusters];
    labels.iter().for_each(|&l| sizes[l as usize] += 1.0);
    let effective_clusters = effective_number(&sizes);
    let mut warnings = Vec::new();
    if effective_clusters < COLLAPSE * params.clusters as f64 {
        warnings.push(format!(
            "the clusters have collapsed: {effective_clusters:.1} of {} are really in use; try another seed, fewer clusters or a smaller learning rate",
            params.clusters
        ));
    }
    let quality = Quality::of(&embedding, &labels);
    Ok(Fitted {
        quality,
        model,
        labels,
        embedding,
        latent_k_means,
        seconds: 0.0,
        history: Vec::new(),
        evaluations: Vec::new(),
        warnings,
        effective_clusters,
    })
}

/// A warning where the mixture prior has lost most of its components. K-means on o' would hide it: it
/// cuts even one blob into K parts of similar size.
fn prior_collapse(last: &EpochReport, clusters: usize) -> Option<String> {
    let in_use = last.effective_clusters?;
    (in_use < COLLAPSE * clusters as f64).then(|| {
        format!(
            "the mixture prior has collapsed: {in_use:.1} of its {clusters} components are really in use; try another seed, fewer clusters or a smaller learning rate"
        )
    })
}

/// After the first epoch and every so many that the control asks for.
fn evaluate_when_due(
    trainer: &Trainer<'_>,
    state: &mut State,
    control: &mut FitControl<'_>,
) -> Result<(), FitError> {
    let every = control.evaluate_every;
    if every == 0 || !(state.epoch == 1 || state.epoch.is_multiple_of(every)) {
        return Ok(());
    }
    let inference =
        Inference { network: trainer.network, params: &state.params, preprocessor: trainer.preprocessor };
    let seconds = trainer.seconds(state);
    if let Some(evaluation) = evaluate(trainer.params, inference, trainer.data, state.epoch, seconds)? {
        control.say(&Event::Evaluated(&evaluation));
        state.record.evaluations.push(evaluation);
    }
    Ok(())
}

/// Scores the clustering as it would be returned now, where labels are known.
fn evaluate(
    params: &LpvdnParams,
    inference: Inference<'_>,
    data: &Dataset,
    epoch: usize,
    seconds: f64,
) -> Result<Option<Evaluation>, FitError> {
    let Some(truth) = &data.labels else { return Ok(None) };
    let latent = inference.latent_means(data).map_err(as_fit_error)?;
    let prior = inference.network.mixture(inference.params);
    let mixture_labels = labels(&Assignment::Prior, prior, &latent);
    let predicted = if params.alpha1 > 0.0 {
        let embedding = inference.embed_latent(&latent);
        labels(&cluster(params, &embedding)?, prior, &embedding)
    } else {
        mixture_labels.clone()
    };
    let score =
        |l: &[u32]| ExternalScores::new(&truth.codes, l).map_err(|e| FitError::Clustering(e.to_string()));
    let scores = score(&predicted)?;
    Ok(Some(Evaluation {
        epoch,
        acc: scores.acc,
        purity: scores.purity,
        nmi: scores.nmi,
        ari: scores.ari,
        mixture_acc: score(&mixture_labels)?.acc,
        seconds,
    }))
}

/// Inside a fit the data has been examined, so only reading can still fail.
pub(super) fn as_fit_error(e: ModelError) -> FitError {
    match e {
        ModelError::Source(e) => FitError::Source(e),
        ModelError::Data(e) => FitError::Data(e),
        other => FitError::Clustering(other.to_string()),
    }
}

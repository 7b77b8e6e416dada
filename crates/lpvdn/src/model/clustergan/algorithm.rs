//! `fit`: the clusters that the classes start from, critic against generator and encoder, then K-means of the codes.

use lpvdn_core::{Dataset, Pool};

use super::fitted::{ClusterGanModel, IMAGES_AT_ONCE};
use super::guidance::{kept_parts, kept_with};
use super::hyperparams::{ClusterGanParams, ClusterGanValidParams};
use super::network::{Network, Output};
use super::trainer::{Basis, Trainer};
use crate::error::FitError;
use crate::loss::reconstruction::Likelihood;
use crate::model::autoencoder::guide::{Ground, Guide};
use crate::model::centers::{described, k_means, scale_of};
use crate::model::cluster_model::ClusterModel;
use crate::model::collapse::Formed;
use crate::model::examine::{Ready, likelihood_for, measure_gflops, run_fingerprint};
use crate::model::fitted::Fitted;
use crate::model::lpvdn::algorithm::as_fit_error;
use crate::model::lpvdn::errors::ParamsError;
use crate::model::lpvdn::hyperparams::Budget;
use crate::train::checkpoint::{CheckpointError, Expected, Record, State};
use crate::train::control::FitControl;
use crate::train::districts::districts_of;
use crate::train::events::{Event, Phase, Plan};
use crate::train::runner::Runner;

impl ClusterGanParams {
    /// Fits a model with all cores and no progress.
    ///
    /// # Errors
    /// As for [`ClusterGanValidParams::fit`].
    pub fn fit(self, data: &Dataset) -> Result<Fitted<ClusterGanModel>, FitError> {
        self.check()?.fit(data, &mut FitControl::default())
    }
}

impl ClusterGanValidParams {
    /// Fits a model.
    ///
    /// # Errors
    /// Data that cannot be clustered, a loss that is no longer a number, an interruption.
    pub fn fit(
        &self,
        data: &Dataset,
        control: &mut FitControl<'_>,
    ) -> Result<Fitted<ClusterGanModel>, FitError> {
        let pool = Pool::new(control.threads).map_err(FitError::Threads)?;
        pool.run(|| self.fit_in_pool(data, control, pool.threads()))
    }

    fn fit_in_pool(
        &self,
        data: &Dataset,
        control: &mut FitControl<'_>,
        threads: usize,
    ) -> Result<Fitted<ClusterGanModel>, FitError> {
        let params = self.get();
        let ready = Ready::of(data, params.wanted(), control)?;
        let (data, preprocessor) = (ready.data.as_ref(), &ready.preprocessor);
        let likelihood = likelihood_for(None, ready.range)?;
        let output = if likelihood == Likelihood::Bernoulli { Output::Sigmoid } else { Output::Identity };
        let network = params.network(data.cols(), output).map_err(ParamsError::from)?;
        let guide = self.guide().map(|autoencoder| Guide::new(autoencoder, data, likelihood)).transpose()?;
        let valid = &self.resolved(guide.as_ref())?;
        let params = valid.get();
        let fingerprint = run_fingerprint(valid, ready.fingerprint, preprocessor, likelihood);
        let basis = Basis { valid, network: &network, preprocessor, fingerprint };
        let plan = plan(valid, &network, guide.as_ref(), &ready, threads);
        control.announce(&plan, &ready)?;
        let mut state = start(&basis, guide.as_ref(), data.rows(), control)?;
        let (mut trainer, mut runner) = (Trainer::new(&basis, data), Runner::start());
        if let Some(guide) = guide.filter(|_| state.phase == Phase::Pretrain) {
            let later = work(valid, &network);
            let ground = Ground { data, rows: ready.fingerprint, preprocessor, fingerprint, later };
            let clusters = guide.clusters(ground, &mut runner, &mut state, control)?;
            let record = std::mem::take(&mut state.record);
            state = State { record, ..beginning(&basis, &clusters) };
            runner.save(&trainer, &state, control);
        }
        runner.run_phase(&mut trainer, &mut state, control)?;
        control.say(&Event::Working("clustering the codes"));
        let mut statistics = state.kept.take().map(lpvdn_core::Matrix::into_vec).unwrap_or_default();
        statistics.truncate(network.statistics().len());
        let model = ClusterGanModel {
            origin: ready.origin(control.threads),
            params: params.clone(),
            weights: std::mem::take(&mut state.params),
            statistics,
            centers: lpvdn_core::Matrix::zeros(params.clusters, network.shape().code()),
            scale: 1.0,
            network: network.clone(),
        };
        let mut fitted = finish(model, data)?;
        fitted.seconds = runner.seconds(&state);
        let Record { history, evaluations, .. } = std::mem::take(&mut state.record);
        (fitted.history, fitted.evaluations) = (history, evaluations);
        fitted.warnings.iter().for_each(|w| control.say(&Event::Warning(w)));
        Ok(fitted)
    }

    /// The parameters with nothing left to the data.
    fn resolved(&self, guide: Option<&Guide>) -> Result<ClusterGanValidParams, ParamsError> {
        let Some(guide) = guide else { return Ok(self.clone()) };
        let params = self.get();
        let pretrain_epochs = Some(guide.budget().pretrain_epochs);
        ClusterGanParams { pretrain_epochs, guided_steps: Some(params.guided()), ..params.clone() }.check()
    }
}

/// The beginning, or where a checkpoint goes on.
fn start(
    basis: &Basis<'_>,
    guide: Option<&Guide>,
    rows: usize,
    control: &mut FitControl<'_>,
) -> Result<State, FitError> {
    let budget = basis.valid.budget();
    let before = guide.map_or(Budget::NOTHING, Guide::budget);
    let kept = basis.network.statistics().len() + guide.map_or(0, |_| rows);
    let expected = Expected {
        fingerprint: basis.fingerprint,
        parameters: [guide.map_or(0, Guide::parameters), basis.network.layout().len(), 0],
        steps: [before.steps, budget.steps, 0],
        epochs: [before.pretrain_epochs, budget.epochs, 0],
        kept: (kept > 0).then_some([1, kept]),
    };
    let Some(mut found) = control.resumed(&expected)? else {
        return Ok(guide.map_or_else(|| beginning(basis, &[]), Guide::start));
    };
    let (_, clusters) = kept_parts(&mut found.kept, basis.network.statistics().len());
    let below = 0.0..basis.valid.get().clusters as f32;
    if clusters.iter().all(|cluster| below.contains(cluster)) {
        return Ok(found);
    }
    let path = control.checkpoint.as_ref().map(|policy| policy.path.display().to_string());
    Err(CheckpointError::OtherRun { path: path.unwrap_or_default() }.into())
}

/// Before the first step against the critic.
fn beginning(basis: &Basis<'_>, clusters: &[u32]) -> State {
    let state = State::new(basis.network.init(basis.valid.get().seed));
    State { phase: Phase::Joint, kept: kept_with(basis.network.init_statistics(), clusters), ..state }
}

/// Clusters the codes of the training rows and completes the model.
fn finish(mut model: ClusterGanModel, data: &Dataset) -> Result<Fitted<ClusterGanModel>, FitError> {
    let params = model.params.clone();
    let codes = model.encoding().codes(data, 0..data.rows()).map_err(as_fit_error)?;
    let districts = params.districts(data);
    let sample = districts.sample(&codes);
    let found = k_means(&sample, (params.clusters, params.starts, params.seed))?;
    model.scale = scale_of(found.inertia, sample.rows(), sample.cols());
    model.centers = found.centers;
    drop(sample);
    let labels = model.labels_of(&codes);
    Ok(described(model, labels, codes, (params.clusters, Formed::BySteps)))
}

/// Multiply-adds of the steps against the critic.
fn work(valid: &ClusterGanValidParams, network: &Network) -> f64 {
    let params = valid.get();
    // A row passes the critic three times, each forward and backward, and the generator as often; while it is guided,
    // the encoder once more.
    let passes =
        (8.0 * params.critic_steps as f64 + 9.0) * params.steps as f64 + 3.0 * params.guided() as f64;
    let networks = [network.generator_stack(), network.encoder_stack(), network.critic_stack()];
    let mean = networks.iter().map(|stack| stack.multiplications() as f64).sum::<f64>() / 3.0;
    passes * params.batch as f64 * mean
}

/// What the fit is going to take.
fn plan(
    valid: &ClusterGanValidParams,
    network: &Network,
    guide: Option<&Guide>,
    ready: &Ready<'_>,
    threads: usize,
) -> Plan {
    let data = ready.data.as_ref();
    let params = valid.get();
    let gflops = measure_gflops();
    let (rows, parameters) = (data.rows(), network.layout().len());
    let work = work(valid, network) + guide.map_or(0.0, |guide| guide.work(rows));
    // The patches of a convolution take hundreds of times the room of its image.
    let patches = params.image.map_or(0, |_| 3 * 256 * data.cols() * params.batch.max(IMAGES_AT_ONCE));
    let activations = 64 * params.batch * (data.cols() + 1024) + patches;
    let guided = guide.map_or(0, |_| rows + parameters);
    let own = 5 * parameters + guided + activations + rows * 3 * network.shape().code();
    // The autoencoder is gone when its clusters are known.
    let numbers = own.max(guide.map_or(0, |guide| guide.numbers(rows, data.cols())));
    let before = guide.map_or(Budget::NOTHING, Guide::budget);
    Plan {
        rows,
        columns: data.cols(),
        clusters: params.clusters,
        districts: districts_of(rows, params.district),
        parameters,
        budget: valid.budget().after(before.pretrain_epochs, before.steps),
        threads,
        gflops,
        seconds: 2e-9 * work / gflops,
        memory_bytes: ready.memory(4 * numbers),
    }
}

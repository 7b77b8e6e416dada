//! `fit`: the clusters that the classes start from, critic against generator and encoder, then K-means of the codes.

use lpvdn_core::{Dataset, Pool};

use super::fitted::{ClusterGanModel, IMAGES_AT_ONCE};
use super::guidance::{kept_parts, kept_with};
use super::hyperparams::{ClassStart, ClusterGanParams, ClusterGanValidParams};
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
use crate::model::graph::initial::{self, Asked, Start};
use crate::model::lpvdn::algorithm::as_fit_error;
use crate::model::lpvdn::effort::by_rows;
use crate::model::lpvdn::errors::ParamsError;
use crate::model::lpvdn::hyperparams::Budget;
use crate::model::start;
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
        let ready = Ready::of(data, self.get().wanted(), control)?;
        let by_codes = start::by_codes(&ready, (self.get().clusters, self.get().district));
        let started = self.started(by_codes)?;
        let params = started.get();
        let (data, preprocessor) = (ready.data.as_ref(), &ready.preprocessor);
        let likelihood = likelihood_for(None, ready.range)?;
        let output = if likelihood == Likelihood::Bernoulli { Output::Sigmoid } else { Output::Identity };
        let network = params.network(data.cols(), output).map_err(ParamsError::from)?;
        let guide =
            started.guide().map(|autoencoder| Guide::new(autoencoder, data, likelihood)).transpose()?;
        let valid = &started.resolved(guide.as_ref())?;
        let params = valid.get();
        let fingerprint = run_fingerprint(valid, ready.fingerprint, preprocessor, likelihood);
        let basis = Basis { valid, network: &network, preprocessor, fingerprint };
        let plan = plan(valid, &network, guide.as_ref(), &ready, threads);
        control.announce(&plan, &ready)?;
        let found = found(&basis, guide.as_ref(), data.rows(), control)?;
        let mut runner = Runner::start();
        let clusters = initial(params, &ready, found.is_some(), control)?;
        let mut state = found.unwrap_or_else(|| match &guide {
            Some(guide) => guide.start(),
            None => beginning(&basis, &clusters),
        });
        let mut trainer = Trainer::new(&basis, data);
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

    /// The parameters with a start that is not left to the data.
    fn started(&self, by_codes: bool) -> Result<ClusterGanValidParams, ParamsError> {
        let params = self.get();
        ClusterGanParams { class_start: params.class_start.resolved(by_codes), ..params.clone() }.check()
    }

    /// The parameters with nothing left to the data.
    fn resolved(&self, guide: Option<&Guide>) -> Result<ClusterGanValidParams, ParamsError> {
        let params = self.get();
        if params.guided() == 0 {
            return Ok(self.clone());
        }
        // Where there is no autoencoder, its epochs have no effect.
        let pretrain_epochs = guide.map(|guide| guide.budget().pretrain_epochs);
        ClusterGanParams { pretrain_epochs, guided_steps: Some(params.guided()), ..params.clone() }.check()
    }
}

/// Divides the rows, where that is asked for, and gives the initial cluster of each, where the classes start from it.
fn initial(
    params: &ClusterGanParams,
    ready: &Ready<'_>,
    resumed: bool,
    control: &mut FitControl<'_>,
) -> Result<Vec<u32>, FitError> {
    if !params.divides_rows() {
        return Ok(Vec::new());
    }
    let graph = params.graph();
    let start = Start::of(&graph, ready, Asked { divided: true, resumed }, control)?;
    // A checkpoint has them.
    match params.class_start == ClassStart::Rows && params.guided() > 0 && !resumed {
        true => start.labels(&graph, ready),
        false => Ok(Vec::new()),
    }
}

/// Where a checkpoint goes on.
fn found(
    basis: &Basis<'_>,
    guide: Option<&Guide>,
    rows: usize,
    control: &mut FitControl<'_>,
) -> Result<Option<State>, FitError> {
    let budget = basis.valid.budget();
    let before = guide.map_or(Budget::NOTHING, Guide::budget);
    let guided = basis.valid.get().guided() > 0;
    let kept = basis.network.statistics().len() + if guided { rows } else { 0 };
    let expected = Expected {
        fingerprint: basis.fingerprint,
        parameters: [guide.map_or(0, Guide::parameters), basis.network.layout().len(), 0],
        steps: [before.steps, budget.steps, 0],
        epochs: [before.pretrain_epochs, budget.epochs, 0],
        kept: (kept > 0).then_some([1, kept]),
    };
    let Some(mut found) = control.resumed(&expected)? else {
        return Ok(None);
    };
    let (_, clusters) = kept_parts(&mut found.kept, basis.network.statistics().len());
    let below = 0.0..basis.valid.get().clusters as f32;
    if clusters.iter().all(|cluster| below.contains(cluster)) {
        return Ok(Some(found));
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
    let (mut initial, mut of_rows) = (0.0, 0);
    if params.divides_rows() {
        let together = rows.div_ceil(districts_of(rows, params.district));
        initial = by_rows(params.clusters, together, params.starts, data.cols());
        of_rows = initial::numbers(&params.graph(), data);
    }
    let work = work(valid, network) + initial + guide.map_or(0.0, |guide| guide.work(rows));
    // The patches of a convolution take hundreds of times the room of its image.
    let patches = params.image.map_or(0, |_| 3 * 256 * data.cols() * params.batch.max(IMAGES_AT_ONCE));
    let activations = 64 * params.batch * (data.cols() + 1024) + patches;
    let guided = if params.guided() > 0 { rows + parameters } else { 0 };
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
        memory_bytes: ready.memory(4 * numbers.max(of_rows)),
    }
}

//! `fit`: the plain autoencoder, what follows it, clusters.

use lpvdn_core::{Dataset, Matrix, Pool};

use super::fitted::EncoderModel;
use super::hyperparams::{AutoencoderParams, AutoencoderValidParams, CenterStart, Refinement};
use super::network::EncoderNetwork;
use super::trainer::{Basis, Trainer};
use crate::error::FitError;
use crate::loss::reconstruction::Likelihood;
use crate::model::centers::{described, k_means, means_of, scale_of};
use crate::model::cluster_model::{ClusterModel, Origin};
use crate::model::collapse::Formed;
use crate::model::examine::{Ready, likelihood_for, measure_gflops, run_fingerprint};
use crate::model::fitted::Fitted;
use crate::model::graph::initial::{self, Asked, Start};
use crate::model::lpvdn::clustering::divided;
use crate::model::lpvdn::effort::{by_cells, by_k_means, by_rows};
use crate::model::lpvdn::errors::ParamsError;
use crate::model::lpvdn::hyperparams::Budget;
use crate::model::start;
use crate::train::checkpoint::{Expected, Record, State};
use crate::train::control::FitControl;
use crate::train::districts::districts_of;
use crate::train::events::{Event, Phase, Plan};
use crate::train::runner::{Runner, Training};
use crate::train::sharing::{PretrainingKey, shared_pretraining};

impl AutoencoderValidParams {
    /// Fits a model.
    ///
    /// # Errors
    /// Data that cannot be clustered, a loss that is no longer a number, an interruption.
    pub fn fit(
        &self,
        data: &Dataset,
        control: &mut FitControl<'_>,
    ) -> Result<Fitted<EncoderModel>, FitError> {
        let pool = Pool::new(control.threads).map_err(FitError::Threads)?;
        pool.run(|| self.fit_in_pool(data, control, pool.threads()))
    }

    fn fit_in_pool(
        &self,
        data: &Dataset,
        control: &mut FitControl<'_>,
        threads: usize,
    ) -> Result<Fitted<EncoderModel>, FitError> {
        let params = self.get();
        let ready = Ready::of(data, params.wanted(), control)?;
        let data = ready.data.as_ref();
        let likelihood = likelihood_for(params.likelihood, ready.range)?;
        let budget = self.budget(data.rows());
        let network = self.network(data.rows(), data.cols());
        let by_codes = start::by_codes(&ready, (params.clusters, params.district));
        let valid = &self.resolved(data.rows(), likelihood, by_codes)?;
        let fingerprint = run_fingerprint(valid.get(), ready.fingerprint, &ready.preprocessor, likelihood);
        let basis = Basis {
            valid,
            budget,
            network: &network,
            preprocessor: &ready.preprocessor,
            likelihood,
            fingerprint,
            later: 0.0,
        };
        let plan = plan(&basis, &ready, threads);
        control.announce(&plan, &ready)?;
        let found = found(&basis, data, control)?;
        let (resumed, mut runner) = (found.is_some(), Runner::start());
        let mut state = found.unwrap_or_else(|| State::new(network.init(params.seed, params.init)));
        let initial = initial(valid.get(), &ready, resumed, control)?;
        let mut trainer = Trainer::new(&basis, data);
        let known = Known { rows: ready.fingerprint, initial: initial.as_deref() };
        train(&basis, known, &mut trainer, &mut runner, &mut state, control)?;
        control.say(&Event::Working("clustering the codes"));
        let mut fitted = finish(&basis, &trainer, ready.origin(control.threads), &mut state)?;
        fitted.seconds = runner.seconds(&state);
        let Record { history, evaluations, .. } = std::mem::take(&mut state.record);
        (fitted.history, fitted.evaluations) = (history, evaluations);
        fitted.warnings.iter().for_each(|w| control.say(&Event::Warning(w)));
        Ok(fitted)
    }

    /// The parameters with nothing left to the data.
    pub(super) fn resolved(
        &self,
        rows: usize,
        likelihood: Likelihood,
        by_codes: bool,
    ) -> Result<AutoencoderValidParams, ParamsError> {
        let (params, budget) = (self.get(), self.budget(rows));
        let resolved = AutoencoderParams {
            layers: Some(params.layers_for(rows)),
            batch: Some(budget.batch),
            pretrain_epochs: Some(budget.pretrain_epochs),
            likelihood: Some(likelihood),
            refinement: self.resolved_refinement(rows, by_codes),
            ..params.clone()
        };
        resolved.check()
    }

    /// What follows the plain autoencoder, with nothing left to the data.
    fn resolved_refinement(&self, rows: usize, by_codes: bool) -> Refinement {
        match self.get().refinement {
            Refinement::None => Refinement::None,
            Refinement::Variational { lr, schedule, divergence, log_variance_bound, .. } => {
                let epochs = Some(self.budget(rows).epochs);
                Refinement::Variational { epochs, lr, schedule, divergence, log_variance_bound }
            }
            Refinement::SelfTraining { tolerance, steps, lr, momentum, batch, center_start, .. } => {
                let interval = Some(self.refining_steps(rows));
                let center_start = center_start.resolved(by_codes);
                Refinement::SelfTraining { interval, tolerance, steps, lr, momentum, batch, center_start }
            }
        }
    }
}

/// Where a checkpoint goes on.
fn found(basis: &Basis<'_>, data: &Dataset, control: &mut FitControl<'_>) -> Result<Option<State>, FitError> {
    let (params, budget) = (basis.valid.get(), basis.budget);
    let kept = matches!(params.refinement, Refinement::SelfTraining { .. });
    let expected = Expected {
        fingerprint: basis.fingerprint,
        parameters: [basis.network.layout().len(); 3],
        steps: [budget.steps, basis.valid.refining_steps(data.rows()), 0],
        epochs: [budget.pretrain_epochs, budget.epochs, 0],
        kept: kept.then_some([data.rows(), params.clusters]),
    };
    control.resumed(&expected)
}

/// The initial cluster of each row that speaks for all, where the rows are divided.
fn initial(
    params: &AutoencoderParams,
    ready: &Ready<'_>,
    resumed: bool,
    control: &mut FitControl<'_>,
) -> Result<Option<Vec<u32>>, FitError> {
    if !params.divides_rows() {
        return Ok(None);
    }
    let start = Start::of(&params.graph(), ready, Asked { divided: true, resumed }, control)?;
    Ok(start.initial.and_then(|initial| initial.start(params.clusters).map(<[u32]>::to_vec)))
}

/// What is known of the rows before the training.
#[derive(Clone, Copy)]
struct Known<'a> {
    /// A hash of them, and of how they are seen.
    rows: u64,
    /// The initial cluster of each that speaks for all.
    initial: Option<&'a [u32]>,
}

fn train(
    basis: &Basis<'_>,
    known: Known<'_>,
    trainer: &mut Trainer<'_>,
    runner: &mut Runner,
    state: &mut State,
    control: &mut FitControl<'_>,
) -> Result<(), FitError> {
    let params = basis.valid.get();
    if state.phase == Phase::Pretrain {
        pretrain(basis, known.rows, trainer, runner, state, control)?;
        if trainer.epochs(Phase::Joint) == 0 {
            return Ok(());
        }
        state.enter(Phase::Joint);
        if let Refinement::SelfTraining { center_start, .. } = params.refinement {
            control.say(&Event::Working(match center_start {
                CenterStart::Rows => "placing the centres in the middle of the initial clusters",
                _ => "placing the centres among the pre-trained codes",
            }));
            place_centers(basis, trainer, (center_start, known.initial), state)?;
        }
        runner.save(trainer, state, control);
    }
    runner.run_phase(trainer, state, control)
}

/// The plain autoencoder, or what the store has of it.
pub(super) fn pretrain(
    basis: &Basis<'_>,
    data: u64,
    trainer: &mut Trainer<'_>,
    runner: &mut Runner,
    state: &mut State,
    control: &mut FitControl<'_>,
) -> Result<(), FitError> {
    if basis.budget.pretrain_epochs == 0 {
        return Ok(());
    }
    let params = basis.valid.get();
    let key = PretrainingKey {
        data,
        preprocessor: basis.preprocessor,
        likelihood: basis.likelihood,
        layers: params.layers.as_deref().unwrap_or_default(),
        latent_dim: params.latent_dim,
        seed: params.seed,
        init: params.init,
        learning_rate: params.pretrain_lr,
        latent_penalty: params.latent_penalty,
        budget: basis.budget,
        districts: trainer.districts().count(),
    };
    let part = basis.network.autoencoder().range();
    shared_pretraining((key.number(), part), trainer, runner, state, control)
}

/// Puts the centres of DEC among the latent means, and looks at all rows for the first time.
fn place_centers(
    basis: &Basis<'_>,
    trainer: &Trainer<'_>,
    start: (CenterStart, Option<&[u32]>),
    state: &mut State,
) -> Result<(), FitError> {
    let codes = trainer.latent_means(state)?;
    let sample = trainer.districts().sample(&codes);
    let centers = starting_centers(basis.valid.get(), start, &sample)?;
    state.params[basis.network.centers_range()].copy_from_slice(centers.as_slice());
    state.kept = Some(trainer.assignments(state)?);
    Ok(())
}

/// The centres that DEC starts from, among codes of rows in these initial clusters.
fn starting_centers(
    params: &AutoencoderParams,
    (start, initial): (CenterStart, Option<&[u32]>),
    codes: &Matrix<f32>,
) -> Result<Matrix<f32>, FitError> {
    if let (CenterStart::Rows, Some(labels)) = (start, initial) {
        return Ok(means_of(codes, labels, params.clusters));
    }
    if start == CenterStart::Graph
        && let Some((found, _)) = divided(&params.shared(), codes, codes)?
    {
        return Ok(means_of(codes, &found.labels(), params.clusters));
    }
    k_means(codes, (params.clusters, params.starts, params.seed)).map(|found| found.centers)
}

/// Clusters the codes of the training rows and completes the model.
fn finish(
    basis: &Basis<'_>,
    trainer: &Trainer<'_>,
    origin: Origin,
    state: &mut State,
) -> Result<Fitted<EncoderModel>, FitError> {
    let params = basis.valid.get();
    let codes = trainer.latent_means(state)?;
    let mut scale = 1.0;
    if !matches!(params.refinement, Refinement::SelfTraining { .. }) {
        let sample = trainer.districts().sample(&codes);
        let found = k_means(&sample, (params.clusters, params.starts, params.seed))?;
        state.params[basis.network.centers_range()].copy_from_slice(found.centers.as_slice());
        scale = scale_of(found.inertia, sample.rows(), sample.cols());
    }
    let model = EncoderModel {
        origin,
        params: params.clone(),
        budget: basis.budget,
        likelihood: basis.likelihood,
        network: basis.network.clone(),
        weights: std::mem::take(&mut state.params),
        scale,
    };
    let labels = model.labels_of(&codes);
    let formed = match params.refinement {
        Refinement::None => Formed::AtOnce,
        Refinement::Variational { .. } | Refinement::SelfTraining { .. } => Formed::BySteps,
    };
    Ok(described(model, labels, codes, (params.clusters, formed)))
}

/// What the fit is going to take.
fn plan(basis: &Basis<'_>, ready: &Ready<'_>, threads: usize) -> Plan {
    let data = ready.data.as_ref();
    let (params, budget, network) = (basis.valid.get(), basis.budget, basis.network);
    let gflops = measure_gflops();
    let (rows, latent) = (data.rows(), params.latent_dim);
    let self_training = matches!(params.refinement, Refinement::SelfTraining { .. });
    let refined = match params.refinement {
        Refinement::SelfTraining { batch, .. } => {
            let looks = budget.epochs * rows / 3;
            budget.epochs * basis.valid.refining_steps(rows) * batch + looks
        }
        _ => budget.epochs * rows,
    } as f64;
    let together = rows.div_ceil(districts_of(rows, params.district));
    let clustering = by_k_means(params.clusters, together, params.starts, latent);
    let placing = match params.refinement {
        Refinement::SelfTraining { center_start: CenterStart::Graph, .. } => {
            by_cells(params.clusters, together, latent, latent).unwrap_or(clustering)
        }
        Refinement::SelfTraining { center_start: CenterStart::Rows, .. } => 0.0,
        _ => clustering,
    };
    let (mut initial, mut of_rows) = (0.0, 0);
    if params.divides_rows() {
        initial = by_rows(params.clusters, together, params.starts, data.cols());
        of_rows = initial::numbers(&params.graph(), data);
    }
    let work = initial
        + placing
        + network.multiplications(false) * (budget.pretrain_epochs * rows) as f64
        + network.multiplications(self_training) * refined;
    let numbers = numbers(network, budget, data.cols()) + rows * (3 * latent + 3 * params.clusters + 4);
    Plan {
        rows,
        columns: data.cols(),
        clusters: params.clusters,
        districts: districts_of(rows, params.district),
        parameters: network.layout().len(),
        budget: Budget { steps: basis.valid.refining_steps(rows), ..budget }
            .after(budget.pretrain_epochs, budget.steps),
        threads,
        gflops,
        seconds: 2e-9 * work / gflops,
        // The graph of the rows is gone when the training starts.
        memory_bytes: ready.memory(4 * numbers.max(of_rows)),
    }
}

/// Numbers that training such a network keeps in memory, beside what it keeps of each row.
pub(super) fn numbers(network: &EncoderNetwork, budget: Budget, columns: usize) -> usize {
    let widths: usize = [network.autoencoder().encoder(), network.autoencoder().decoder()]
        .iter()
        .flat_map(|net| net.layers())
        .map(|layer| layer.outputs())
        .sum();
    5 * network.layout().len() + budget.batch * (2 * widths + 2 * columns)
}

impl AutoencoderParams {
    /// Fits a model with all cores and no progress.
    ///
    /// # Errors
    /// As for [`AutoencoderValidParams::fit`].
    pub fn fit(self, data: &Dataset) -> Result<Fitted<EncoderModel>, FitError> {
        self.check()?.fit(data, &mut FitControl::default())
    }
}

#[cfg(test)]
mod tests {
    use lpvdn_core::StreamKey;

    use super::*;
    use crate::Recipe;

    #[test]
    fn centres_start_amid_the_clusters_of_neighbours_or_rows_or_where_k_means_puts_them() {
        // Two groups, eight times as long as they are apart: K-means cuts across both.
        let mut stream = StreamKey::new(4, "groups").open();
        let codes = Matrix::from_fn(1_200, 2, |i, j| {
            let place = [0.0, 4.0 * (i % 2) as f64][j];
            (place + [8.0, 0.5][j] * stream.normal()) as f32
        });
        let truth: Vec<u32> = (0..1_200).map(|i| i % 2).collect();
        let heights = |start, initial: Option<&[u32]>| {
            let params = AutoencoderParams::self_training(Recipe::Robust, 2);
            let centers = starting_centers(&params, (start, initial), &codes).expect("centres");
            let mut heights = [centers.row(0)[1], centers.row(1)[1]];
            heights.sort_by(f32::total_cmp);
            heights
        };
        for [low, high] in [heights(CenterStart::Graph, None), heights(CenterStart::Rows, Some(&truth))] {
            assert!(low.abs() < 0.1 && (high - 4.0).abs() < 0.1, "{low} {high}");
        }
        // Also where the initial clustering is no start, or nobody asks for it.
        for [low, high] in [heights(CenterStart::Rows, None), heights(CenterStart::KMeans, Some(&truth))] {
            assert!(low > 1.5 && high < 2.5, "{low} {high}");
        }
    }
}

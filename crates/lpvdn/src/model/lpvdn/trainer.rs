//! The steps of the phases, and the rows they see.

use std::borrow::Cow;
use std::sync::Arc;

use lpvdn_core::product::part;
use lpvdn_core::{Dataset, Matrix, Preprocessor, StreamKey};

use super::algorithm::{as_fit_error, clusters_now};
use super::discriminator::Negatives;
use super::hyperparams::{Budget, LpvdnParams, NegativeRows};
use super::inference::Inference;
use super::network::Network;
use super::prepare::Prepared;
use super::step::{StepBatch, StepWorkspace, TermWeights};
use super::terms::SMALLEST_LOCALITY_BATCH;
use crate::error::FitError;
use crate::loss::graph::{NeighborGraph, Neighborhoods};
use crate::loss::mutual_information::information_estimate;
use crate::loss::reconstruction::Likelihood;
use crate::model::graph::initial::Neighborhood;
use crate::train::batches::{EpochOrder, Rows, fill_normal};
use crate::train::checkpoint::State;
use crate::train::districts::Districts;
use crate::train::events::{EpochReport, Phase};
use crate::train::runner::{Clustering, Pace, Training, check_terms};

/// What all phases need; the state is apart, because it is what a checkpoint holds.
pub(crate) struct Trainer<'a> {
    pub(crate) params: &'a LpvdnParams,
    pub(crate) budget: Budget,
    pub(crate) network: &'a Network,
    pub(crate) data: &'a Dataset,
    pub(crate) preprocessor: &'a Preprocessor,
    pub(crate) likelihood: Likelihood,
    /// Of data and settings.
    pub(crate) fingerprint: u64,
    weights: TermWeights,
    workspace: StepWorkspace<f32>,
    gradients: Vec<f32>,
    rows: Rows,
    negative_rows: Rows,
    noise: Matrix<f32>,
    districts: Arc<Districts>,
    order: EpochOrder,
    /// With a graph: the rows that bring company.
    anchor_order: Option<EpochOrder>,
    negative_order: Option<EpochOrder>,
    /// How rows are compared, and what is known of those of the first district; none where P is not measured between rows.
    neighborhood: Option<&'a Neighborhood>,
    /// A district and the graph of its rows.
    graph: Option<(usize, NeighborGraph)>,
    /// The rows of the step, in the numbers of the data.
    indices: Vec<u32>,
    /// The final latent means, between which the locality net settles, and those of a batch.
    settled: Matrix<f32>,
    settled_batch: Matrix<f32>,
    neighborhoods: Neighborhoods,
}

impl<'a> Trainer<'a> {
    pub(crate) fn new(prepared: &'a Prepared<'_>, neighborhood: Option<&'a Neighborhood>) -> Trainer<'a> {
        let Prepared { params, ready, network, .. } = prepared;
        let Prepared { budget, likelihood, fingerprint, .. } = *prepared;
        let (data, preprocessor) = (ready.data.as_ref(), &ready.preprocessor);
        let weights = term_weights(params);
        let source = data.source.as_ref();
        let districts = Arc::new(params.districts(data));
        let steps = budget.steps / districts.count();
        let order = |pieces: usize| EpochOrder::new(Arc::clone(&districts), pieces);
        let largest = data.rows().div_ceil(districts.count());
        Trainer {
            params,
            budget,
            network,
            data,
            preprocessor,
            likelihood,
            fingerprint,
            weights,
            workspace: network.workspace(budget.batch, &weights),
            gradients: vec![0.0; network.layout().len()],
            rows: Rows::new(source),
            negative_rows: Rows::new(source),
            noise: Matrix::zeros(budget.batch, params.latent_dim),
            order: order(steps),
            anchor_order: params.affinities.is_graph().then(|| order(steps * (1 + params.company))),
            negative_order: (params.negatives == NegativeRows::Independent).then(|| order(steps)),
            neighborhood,
            graph: None,
            indices: Vec::new(),
            settled: Matrix::zeros(0, params.latent_dim),
            settled_batch: Matrix::zeros(0, params.latent_dim),
            neighborhoods: Neighborhoods::new(if params.affinities.is_graph() { largest } else { 0 }),
            districts,
        }
    }

    /// Whether L_LP wants a graph of nearest neighbours.
    pub(crate) fn wants_graph(&self) -> bool {
        self.params.affinities.is_graph() && self.weights.alpha1 > 0.0
    }

    /// The visit to a district that a step belongs to, and the step within it.
    fn place_of(&self, step: usize) -> (usize, usize) {
        let steps = self.budget.steps / self.districts.count();
        (step / steps, step % steps)
    }

    /// The encoder is final: its codes are what the locality net settles on, and the points of a new
    /// graph. A graph between rows stays as it is.
    pub(crate) fn settle_on_codes(&mut self, state: &State) -> Result<(), FitError> {
        self.settled = self.codes(state)?;
        if self.params.affinities.is_latent_graph() {
            self.graph = None;
        }
        Ok(())
    }

    /// The latent means of all rows.
    pub(crate) fn codes(&self, state: &State) -> Result<Matrix<f32>, FitError> {
        let inference =
            Inference { network: self.network, params: &state.params, preprocessor: self.preprocessor };
        inference.latent_means(self.data).map_err(as_fit_error)
    }

    /// Out of the codes of all rows, those of the rows that speak for all.
    pub(crate) fn sample<'c>(&self, codes: &'c Matrix<f32>) -> Cow<'c, Matrix<f32>> {
        self.districts.sample(codes)
    }

    /// Measures the graph between the rows of the district that the state's step is in, unless it is the
    /// one that is there: of the state's points, of the final codes, or of the rows themselves.
    fn measure_graph(&mut self, state: &State) -> Result<(), FitError> {
        let Some(anchors) = &self.anchor_order else { return Ok(()) };
        let district = anchors.district(self.place_of(state.step).0);
        if self.graph.as_ref().is_some_and(|(measured, _)| *measured == district) {
            return Ok(());
        }
        let affinities = self.params.affinities;
        let codes = if state.phase == Phase::Settle { Some(&self.settled) } else { state.kept.as_ref() };
        let of_codes = match codes.filter(|_| affinities.is_latent_graph()) {
            Some(codes) => Some(self.graph_of(&self.districts.codes(district, codes))?),
            None => None,
        };
        let of_rows = match self.neighborhood.filter(|_| affinities.is_row_graph()) {
            Some(known) => Some(self.graph_of_rows(known, district)?),
            None => None,
        };
        self.graph = match (of_rows, of_codes) {
            (Some(rows), Some(codes)) => Some(rows.and(&codes)),
            (rows, codes) => rows.or(codes),
        }
        .map(|graph| (district, graph));
        Ok(())
    }

    fn graph_of(&self, points: &Matrix<f32>) -> Result<NeighborGraph, FitError> {
        let k = self.params.graph_neighbors(points.rows());
        NeighborGraph::new(points, k).map_err(|e| FitError::Clustering(e.to_string()))
    }

    /// The graph of the rows of a district. What is known is of the first one.
    fn graph_of_rows(&self, known: &Neighborhood, district: usize) -> Result<NeighborGraph, FitError> {
        if district == 0 {
            return Ok(NeighborGraph::of(known.points.neighbors.clone()));
        }
        let rows = self.districts.rows(district);
        self.graph_of(&known.projection.places(self.data, self.preprocessor, rows)?)
    }

    /// Takes the points of a latent graph anew where it is due.
    fn refresh_graph(&mut self, state: &mut State) -> Result<(), FitError> {
        let every = self.params.refresh;
        let due = every > 0 && state.epoch > 0 && state.epoch.is_multiple_of(every) && state.step == 0;
        if due && state.phase == Phase::Joint && state.kept.is_some() {
            state.kept = Some(self.codes(state)?);
            self.graph = None;
        }
        Ok(())
    }

    /// The rows of the state's step in their district: with a graph, anchors and their company.
    fn compose_batch(&mut self, state: &State) -> Result<(), FitError> {
        let (visit, step) = self.place_of(state.step);
        if state.phase == Phase::Pretrain || !self.wants_graph() {
            let rows = self.districts.rows(self.order.district(visit));
            let places = self.order.piece(visit, step);
            self.indices.clear();
            self.indices.extend(places.iter().map(|&place| rows[place as usize]));
            return Ok(());
        }
        self.measure_graph(state)?;
        let (Some((district, graph)), Some(order)) = (&self.graph, &self.anchor_order) else { return Ok(()) };
        let key = StreamKey::new(self.params.seed, "neighborhoods").at(
            state.phase.number(),
            state.epoch as u32,
            state.step as u64,
        );
        // With its company, a row takes the place of several: it is an anchor once in so many epochs.
        let steps = self.budget.steps / self.districts.count();
        let turn = state.epoch % (1 + self.params.company);
        let anchors = order.piece(visit, turn * steps + step);
        let rows = self.districts.rows(*district);
        let (company, size) = (self.params.company, part(rows.len(), steps, step).len());
        let hoods = &mut self.neighborhoods;
        hoods.compose(graph, anchors, company, size, &mut key.open());
        hoods.measure(graph);
        self.indices.clear();
        self.indices.extend(hoods.batch().iter().map(|&place| rows[place as usize]));
        Ok(())
    }

    fn learning_rate(&self, phase: Phase, epoch: usize, step: usize) -> f64 {
        match phase {
            Phase::Pretrain => self.params.pretrain_lr,
            Phase::Joint | Phase::Settle => {
                let done = epoch * self.budget.steps + step;
                let progress = done as f64 / (self.epochs(phase) * self.budget.steps) as f64;
                self.params.lr * self.params.schedule.factor(epoch, progress)
            }
        }
    }

    fn pretrain_step(&mut self, state: &mut State) -> Result<(), FitError> {
        self.compose_batch(state)?;
        self.rows.gather(self.data.source.as_ref(), self.preprocessor, &self.indices)?;
        let value = self.network.autoencoder_step(
            &state.params,
            self.rows.input(),
            self.rows.dense(),
            self.likelihood,
            self.params.latent_penalty,
            &mut self.workspace,
            &mut self.gradients,
        );
        self.check(state, &[("the reconstruction error", value)])?;
        let rate = self.learning_rate(state.phase, state.epoch, state.step);
        state.adam.step(&mut state.params, &self.gradients, self.network.autoencoder().range(), rate);
        state.sums.rows += self.indices.len();
        state.sums.reconstruction += value * self.indices.len() as f64;
        Ok(())
    }

    fn joint_step(&mut self, state: &mut State) -> Result<(), FitError> {
        self.compose_batch(state)?;
        let source = self.data.source.as_ref();
        let indices = &self.indices;
        let joint = self.wants_graph().then(|| self.neighborhoods.joint());
        let key = StreamKey::new(self.params.seed, "noise").at(
            state.phase.number(),
            state.epoch as u32,
            state.step as u64,
        );
        let (rows, noise) = (&mut self.rows, &mut self.noise);
        let (gathered, ()) = rayon::join(
            || rows.gather(source, self.preprocessor, indices),
            || fill_normal(noise, indices.len(), key),
        );
        gathered?;
        let negatives = match self.params.negatives {
            NegativeRows::Shift => Negatives::Shift,
            NegativeRows::Independent if self.weights.alpha0 <= 0.0 => Negatives::Shift,
            NegativeRows::Independent => {
                let others = self.negative_indices(state.step);
                self.negative_rows.gather(source, self.preprocessor, &others)?;
                Negatives::Rows(self.negative_rows.input())
            }
        };
        let batch = StepBatch {
            x: self.rows.input(),
            target: self.rows.dense(),
            negatives,
            noise: &self.noise,
            joint,
        };
        let (params, weights) = (&state.params, &self.weights);
        let (ws, gradients) = (&mut self.workspace, &mut self.gradients);
        let values = self.network.step(params, batch, self.likelihood, weights, ws, gradients);
        self.check(
            state,
            &[
                ("the reconstruction error of L_G", values.reconstruction),
                ("the mixture divergence of L_G", values.divergence),
                ("L_MI", values.mutual_information),
                ("L_LP", values.locality),
            ],
        )?;
        let rate = self.learning_rate(state.phase, state.epoch, state.step);
        let all = 0..state.params.len();
        state.adam.step(&mut state.params, &self.gradients, all, rate);
        let n = indices.len() as f64;
        let sums = &mut state.sums;
        sums.rows += indices.len();
        sums.reconstruction += n * values.reconstruction;
        sums.divergence += n * values.divergence;
        if indices.len() >= 2 {
            sums.paired_rows += indices.len();
            sums.mutual_information += n * values.mutual_information;
        }
        if indices.len() >= SMALLEST_LOCALITY_BATCH {
            sums.local_rows += indices.len();
            sums.locality += n * values.locality;
        }
        sums.occupancy.resize(self.params.clusters, 0.0);
        sums.occupancy.iter_mut().zip(self.workspace.occupancy()).for_each(|(s, o)| *s += o);
        Ok(())
    }

    /// As many other rows as the step has. They are cut into steps as the rows are, but their district
    /// may be smaller by a row.
    fn negative_indices(&self, step: usize) -> Vec<u32> {
        let Some(order) = &self.negative_order else { return Vec::new() };
        let (visit, step) = self.place_of(step);
        let rows = self.districts.rows(order.district(visit));
        let places = order.piece(visit, step).iter().cycle().take(self.indices.len());
        places.map(|&place| rows[place as usize]).collect()
    }

    fn settle_step(&mut self, state: &mut State) -> Result<(), FitError> {
        self.compose_batch(state)?;
        let batch = &mut self.settled_batch;
        batch.set_rows(self.indices.len());
        for (i, &row) in self.indices.iter().enumerate() {
            batch.row_mut(i).copy_from_slice(self.settled.row(row as usize));
        }
        let (weights, ws, gradients) = (&self.weights, &mut self.workspace, &mut self.gradients);
        let joint = self.neighborhoods.joint();
        let value = self.network.locality_step(&state.params, batch, joint, weights, ws, gradients);
        self.check(state, &[("L_LP", value)])?;
        let rate = self.learning_rate(state.phase, state.epoch, state.step);
        state.adam.step(&mut state.params, &self.gradients, self.network.locality().range(), rate);
        let n = self.settled_batch.rows();
        state.sums.rows += n;
        if n >= SMALLEST_LOCALITY_BATCH {
            state.sums.local_rows += n;
            state.sums.locality += n as f64 * value;
        }
        Ok(())
    }

    fn check(&self, state: &State, terms: &[(&'static str, f64)]) -> Result<(), FitError> {
        check_terms(state, terms, self.learning_rate(state.phase, state.epoch, state.step))
    }

    /// From the speed measured in this phase; the steps of later ones take longer or shorter as their
    /// arithmetic does.
    fn seconds_left(&self, state: &State, per_step: f64) -> f64 {
        let shifted = self.params.negatives == NegativeRows::Shift;
        let cost = self.network.multiplications(&self.weights, self.budget.batch, shifted);
        let cost = |phase: Phase| cost[phase.number() as usize];
        let here = self.epochs(state.phase).saturating_sub(state.epoch + 1) as f64;
        let later = [Phase::Joint, Phase::Settle].into_iter().filter(|p| p.number() > state.phase.number());
        let later: f64 = later.map(|p| self.epochs(p) as f64 * cost(p) / cost(state.phase)).sum();
        per_step * self.budget.steps as f64 * (here + later)
    }
}

impl Training for Trainer<'_> {
    fn data(&self) -> &Dataset {
        self.data
    }

    fn clusters(&self, state: &State) -> Result<Clustering, FitError> {
        clusters_now(self, state)
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn epochs(&self, phase: Phase) -> usize {
        match phase {
            Phase::Pretrain => self.budget.pretrain_epochs,
            Phase::Joint => self.budget.epochs,
            Phase::Settle => self.budget.settle_epochs,
        }
    }

    fn steps(&self, _: Phase, _: usize) -> usize {
        self.budget.steps
    }

    fn begin_epoch(&mut self, state: &mut State) -> Result<bool, FitError> {
        self.order.shuffle(self.params.seed, "shuffle", state.phase, state.epoch);
        if let Some(order) = &mut self.negative_order {
            order.shuffle(self.params.seed, "negatives", state.phase, state.epoch);
        }
        if let Some(order) = &mut self.anchor_order {
            let cycle = state.epoch / (1 + self.params.company);
            order.shuffle(self.params.seed, "anchors", state.phase, cycle);
        }
        self.refresh_graph(state)?;
        if state.phase != Phase::Pretrain && self.wants_graph() {
            // Not as a part of the first step, whose time is measured.
            self.measure_graph(state)?;
        }
        Ok(true)
    }

    fn step(&mut self, state: &mut State) -> Result<(), FitError> {
        match state.phase {
            Phase::Pretrain => self.pretrain_step(state),
            Phase::Joint => self.joint_step(state),
            Phase::Settle => self.settle_step(state),
        }
    }

    fn report(&self, state: &State, pace: Pace) -> EpochReport {
        let sums = &state.sums;
        let n = sums.rows.max(1) as f64;
        let joint = state.phase == Phase::Joint;
        let settle = state.phase == Phase::Settle;
        let mean = |sum: f64, rows: usize, used: bool| used.then(|| sum / rows.max(1) as f64);
        let reconstruction = mean(sums.reconstruction, sums.rows, !settle);
        let divergence = mean(sums.divergence, sums.rows, joint);
        let mutual_information_loss =
            mean(sums.mutual_information, sums.paired_rows, joint && self.weights.alpha0 > 0.0);
        let locality = mean(sums.locality, sums.local_rows, (joint || settle) && self.weights.alpha1 > 0.0);
        let loss = reconstruction.unwrap_or(0.0)
            + self.weights.divergence * divergence.unwrap_or(0.0)
            + self.weights.alpha0 * mutual_information_loss.unwrap_or(0.0)
            + self.weights.alpha1 * locality.unwrap_or(0.0);
        let occupancy: Vec<f64> = sums.occupancy.iter().map(|o| o / n).collect();
        EpochReport {
            epoch: state.epoch + 1,
            epochs: self.epochs(state.phase),
            reconstruction,
            divergence,
            mutual_information_loss,
            information: mutual_information_loss.map(information_estimate),
            locality,
            loss,
            learning_rate: self.learning_rate(state.phase, state.epoch, self.budget.steps - 1),
            effective_clusters: joint.then(|| effective_number(&occupancy)),
            occupancy,
            rows_per_second: self.data.rows() as f64 / (pace.per_step * self.budget.steps as f64),
            seconds: pace.seconds,
            seconds_left: self.seconds_left(state, pace.per_step),
            ..EpochReport::empty(state.phase)
        }
    }
}

pub(crate) fn term_weights(params: &LpvdnParams) -> TermWeights {
    TermWeights {
        divergence: params.divergence,
        alpha0: params.alpha0,
        alpha1: params.alpha1,
        perplexity: params.perplexity,
        affinities: params.affinities,
        scale_locality_net: params.scale_locality_net,
        log_variance_bound: params.log_variance_bound,
    }
}

/// exp of the entropy of the cluster sizes: how many clusters are really in use.
pub(crate) fn effective_clusters(labels: &[u32], clusters: usize) -> f64 {
    let mut sizes = vec![0.0; clusters];
    labels.iter().for_each(|&l| sizes[l as usize] += 1.0);
    effective_number(&sizes)
}

/// exp of the entropy of shares: how many of them are really in use.
pub(crate) fn effective_number(shares: &[f64]) -> f64 {
    let total: f64 = shares.iter().sum();
    let terms = shares.iter().map(|s| s / total).filter(|p| *p > 0.0).map(|p| -p * p.ln());
    terms.sum::<f64>().exp()
}

//! The steps of training: some of the critic for each of generator and encoder.

use std::sync::Arc;

use lpvdn_core::{Dataset, Matrix, Preprocessor, StreamKey};
use lpvdn_nn::optimizer::AdamSettings;

use super::fitted::Encoding;
use super::generator::CycleWeights;
use super::guidance::kept_parts;
use super::hyperparams::{ClusterGanParams, ClusterGanValidParams};
use super::network::{Network, Workspace};
use crate::error::FitError;
use crate::model::centers::labels_by_k_means;
use crate::model::lpvdn::algorithm::as_fit_error;
use crate::model::lpvdn::hyperparams::Budget;
use crate::train::batches::{EpochOrder, Rows};
use crate::train::checkpoint::State;
use crate::train::districts::Districts;
use crate::train::events::{EpochReport, Phase};
use crate::train::runner::{Clustering, Pace, Training, check_terms};

/// As in the paper: a moving target wants a short memory.
const ADAM: AdamSettings = AdamSettings { beta1: 0.5, beta2: 0.9, eps: 1e-8 };

/// What training needs; the state is apart, because it is what a checkpoint holds.
pub(super) struct Trainer<'a> {
    valid: &'a ClusterGanValidParams,
    budget: Budget,
    network: &'a Network,
    data: &'a Dataset,
    preprocessor: &'a Preprocessor,
    fingerprint: u64,
    workspace: Workspace<f32>,
    gradients: Vec<f32>,
    /// Of what the encoder learns from true rows, while it is guided.
    guidance: Vec<f32>,
    /// The starting clusters of the rows of a step.
    clusters: Vec<u32>,
    rows: Rows,
    z: Matrix<f32>,
    epsilon: Vec<f32>,
    districts: Arc<Districts>,
    order: EpochOrder,
    /// The pass over the rows that the order is shuffled for.
    shuffled: Option<usize>,
    indices: Vec<u32>,
}

/// What is known about a fit before its first step.
pub(super) struct Basis<'a> {
    pub(super) valid: &'a ClusterGanValidParams,
    pub(super) network: &'a Network,
    pub(super) preprocessor: &'a Preprocessor,
    pub(super) fingerprint: u64,
}

impl<'a> Trainer<'a> {
    pub(super) fn new(basis: &Basis<'a>, data: &'a Dataset) -> Trainer<'a> {
        let Basis { valid, network, preprocessor, fingerprint } = *basis;
        let params = valid.get();
        let districts = Arc::new(params.districts(data));
        let pieces = valid.passing_batches(data.rows()) / districts.count();
        Trainer {
            valid,
            budget: valid.budget(),
            network,
            data,
            preprocessor,
            fingerprint,
            workspace: network.workspace(),
            gradients: vec![0.0; network.layout().len()],
            guidance: if params.guided() > 0 { vec![0.0; network.layout().len()] } else { Vec::new() },
            clusters: Vec::new(),
            rows: Rows::new(data.source.as_ref()),
            z: Matrix::zeros(params.batch, network.shape().code()),
            epsilon: Vec::new(),
            order: EpochOrder::new(Arc::clone(&districts), pieces),
            districts,
            shuffled: None,
            indices: Vec::new(),
        }
    }

    fn params(&self) -> &'a ClusterGanParams {
        self.valid.get()
    }

    /// The rate after so many steps of the generator.
    fn learning_rate(&self, done: usize) -> f64 {
        let ClusterGanParams { lr, schedule, steps, .. } = *self.params();
        lr * schedule.factor(done / self.budget.steps, done as f64 / steps as f64)
    }

    /// A random stream of one step of one network.
    fn key(&self, name: &'static str, done: usize, turn: usize) -> StreamKey {
        StreamKey::new(self.params().seed, name).at(Phase::Joint.number(), turn as u32, done as u64)
    }

    /// Gets the `count`-th batch of all.
    fn gather(&mut self, count: usize) -> Result<(), FitError> {
        let passing = self.valid.passing_batches(self.data.rows());
        let (pass, place) = (count / passing, count % passing);
        if self.shuffled != Some(pass) {
            self.order.shuffle(self.params().seed, "shuffle", Phase::Joint, pass);
            self.shuffled = Some(pass);
        }
        let per_district = passing / self.districts.count();
        let (visit, piece) = (place / per_district, place % per_district);
        let rows = self.districts.rows(self.order.district(visit));
        self.indices.clear();
        self.indices.extend(self.order.piece(visit, piece).iter().map(|&place| rows[place as usize]));
        Ok(self.rows.gather(self.data.source.as_ref(), self.preprocessor, &self.indices)?)
    }

    /// A step of the critic, the `turn`-th before the generator's.
    fn critic_step(&mut self, state: &mut State, done: usize, turn: usize) -> Result<(), FitError> {
        let (count, rate) = (done * self.params().critic_steps + turn, self.learning_rate(done));
        self.gather(count)?;
        let n = self.indices.len();
        self.z.set_rows(n);
        self.epsilon.resize(n, 0.0);
        self.network.latent(self.key("critic codes", done, turn), &mut self.z);
        self.network.shares(self.key("shares", done, turn), &mut self.epsilon);
        let values = self.network.critic_step(
            &state.params,
            self.rows.dense(),
            &self.z,
            &self.epsilon,
            &mut self.workspace,
            &mut self.gradients,
        );
        let terms = [("the distance of the critic", values.distance()), ("its penalty", values.penalty)];
        check_terms(state, &terms, rate)?;
        // Critic and generator take different numbers of steps, and share the memory for the moments.
        state.adam.steps = count as u64;
        state.adam.step(&mut state.params, &self.gradients, self.network.critic(), rate);
        state.sums.distance += values.distance() / self.params().critic_steps as f64;
        state.sums.penalty += values.penalty / self.params().critic_steps as f64;
        Ok(())
    }

    fn generator_step(&mut self, state: &mut State, done: usize) -> Result<(), FitError> {
        let rate = self.learning_rate(done);
        self.z.set_rows(self.params().batch);
        self.network.latent(self.key("codes", done, 0), &mut self.z);
        let weights = CycleWeights { noise: self.params().noise_weight, class: self.params().class_weight };
        let (statistics, _) = kept_parts(&mut state.kept, self.network.statistics().len());
        let values = self.network.generator_step(
            &state.params,
            &self.z,
            weights,
            statistics,
            &mut self.workspace,
            &mut self.gradients,
        );
        if done < self.params().guided() {
            self.be_guided(state, rate)?;
        }
        let terms = [
            ("the generator's loss", values.adversarial),
            ("the error of z_n", values.noise),
            ("the error of z_c", values.class),
        ];
        check_terms(state, &terms, rate)?;
        state.adam.steps = done as u64;
        let range = self.network.generator_and_encoder();
        state.adam.step(&mut state.params, &self.gradients, range, rate);
        state.sums.rows += 1;
        state.sums.noise += values.noise;
        state.sums.class += values.class;
        Ok(())
    }

    /// Adds what the encoder learns from the rows of the critic's last step, and from the clusters they started in.
    fn be_guided(&mut self, state: &mut State, rate: f64) -> Result<(), FitError> {
        let (_, start) = kept_parts(&mut state.kept, self.network.statistics().len());
        self.clusters.clear();
        self.clusters.extend(self.indices.iter().map(|&row| start[row as usize] as u32));
        let value = self.network.guided_step(
            &state.params,
            (self.rows.dense(), &self.clusters),
            self.params().class_weight,
            &mut self.z,
            &mut self.workspace,
            &mut self.guidance,
        );
        check_terms(state, &[("the error of the starting clusters", value)], rate)?;
        state.sums.guidance += value;
        let range = self.network.encoder();
        let added = self.gradients[range.clone()].iter_mut().zip(&self.guidance[range]);
        added.for_each(|(gradient, guidance)| *gradient += guidance);
        Ok(())
    }
}

impl Training for Trainer<'_> {
    fn data(&self) -> &Dataset {
        self.data
    }

    fn clusters(&self, state: &State) -> Result<Clustering, FitError> {
        let ClusterGanParams { clusters, starts, seed, .. } = *self.params();
        let encoding =
            Encoding { network: self.network, weights: &state.params, preprocessor: self.preprocessor };
        let codes = encoding.codes(self.data, 0..self.data.rows()).map_err(as_fit_error)?;
        let labels = labels_by_k_means(&codes, &self.districts.sample(&codes), (clusters, starts, seed))?;
        Ok(Clustering { labels, by_mixture: None })
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn epochs(&self, phase: Phase) -> usize {
        if phase == Phase::Joint { self.budget.epochs } else { 0 }
    }

    fn steps(&self, _: Phase, epoch: usize) -> usize {
        self.budget.steps.min(self.params().steps - epoch * self.budget.steps)
    }

    fn begin_epoch(&mut self, _: &mut State) -> Result<bool, FitError> {
        Ok(true)
    }

    fn step(&mut self, state: &mut State) -> Result<(), FitError> {
        state.adam.settings = ADAM;
        let done = state.epoch * self.budget.steps + state.step;
        (0..self.params().critic_steps).try_for_each(|turn| self.critic_step(state, done, turn))?;
        self.generator_step(state, done)
    }

    fn report(&self, state: &State, pace: Pace) -> EpochReport {
        let (sums, steps) = (&state.sums, self.budget.steps);
        let n = sums.rows.max(1) as f64;
        let (noise, class, guidance) = (sums.noise / n, sums.class / n, sums.guidance / n);
        let guided = state.epoch * steps < self.params().guided();
        let of_encoder = self.params().noise_weight * noise + self.params().class_weight * (class + guidance);
        let left = (self.budget.epochs.saturating_sub(state.epoch + 1) * steps) as f64;
        let rows = (self.params().batch * self.params().critic_steps) as f64;
        EpochReport {
            epoch: state.epoch + 1,
            epochs: self.budget.epochs,
            distance: Some(sums.distance / n),
            penalty: Some(sums.penalty / n),
            noise_error: Some(noise),
            class_error: Some(class),
            guidance_error: guided.then_some(guidance),
            loss: of_encoder + sums.distance / n,
            learning_rate: self.learning_rate((state.epoch * steps + state.step).saturating_sub(1)),
            rows_per_second: rows / pace.per_step,
            seconds: pace.seconds,
            seconds_left: pace.per_step * left,
            ..EpochReport::empty(state.phase)
        }
    }
}

//! The steps of the phases: the plain autoencoder, and what follows it.

use std::sync::Arc;

use lpvdn_core::{Dataset, Matrix, Preprocessor, StreamKey};
use lpvdn_nn::{MlpWorkspace, Sgd};
use rayon::prelude::*;

use super::codes::{CodeGradients, Codes};
use super::encoding::Encoding;
use super::hyperparams::{AutoencoderParams, AutoencoderValidParams, Refinement};
use super::network::{Comparison, Decoding, EncoderNetwork};
use super::pretrain::PretrainWorkspace;
use crate::error::FitError;
use crate::loss::reconstruction::{Likelihood, Objective};
use crate::loss::self_training::{self_training, soft_assignment, target};
use crate::loss::standard_normal::standard_normal_divergence;
use crate::model::centers::labels_by_k_means;
use crate::model::lpvdn::algorithm::as_fit_error;
use crate::model::lpvdn::hyperparams::Budget;
use crate::model::lpvdn::trainer::effective_number;
use crate::train::batches::{EpochOrder, Rows, fill_normal};
use crate::train::checkpoint::State;
use crate::train::districts::Districts;
use crate::train::events::{EpochReport, Phase};
use crate::train::runner::{Clustering, Pace, Training, check_terms};

/// Rows whose soft assignment one task computes.
const TASK_ROWS: usize = 256;

/// What all phases need; the state is apart, because it is what a checkpoint holds.
pub(super) struct Trainer<'a> {
    valid: &'a AutoencoderValidParams,
    budget: Budget,
    network: &'a EncoderNetwork,
    data: &'a Dataset,
    preprocessor: &'a Preprocessor,
    likelihood: Likelihood,
    fingerprint: u64,
    later: f64,
    encoder: MlpWorkspace<f32>,
    codes: Codes<f32>,
    decoding: Decoding<f32>,
    gradients: Vec<f32>,
    rows: Rows,
    noise: Matrix<f32>,
    /// Of latent mean and log-variance, from the divergence of a VAE or the loss of DEC.
    d_mean: Matrix<f32>,
    d_log_variance: Matrix<f32>,
    districts: Arc<Districts>,
    order: EpochOrder,
    /// The order of DEC, which goes through the rows whenever it looks at them all, and the pass that it is
    /// shuffled for.
    passing: (EpochOrder, Option<usize>),
    /// f of DEC: how much of all rows each cluster holds.
    frequencies: Vec<f64>,
    targets: Matrix<f64>,
    indices: Vec<u32>,
}

/// The gradients of the codes of a VAE.
struct ElboGradients<'a> {
    decoding: &'a Decoding<f32>,
    d_mean: &'a Matrix<f32>,
    d_log_variance: &'a Matrix<f32>,
}

impl CodeGradients<f32> for ElboGradients<'_> {
    #[inline]
    fn mean(&self, i: usize, c: usize) -> f32 {
        self.d_mean.row(i)[c]
    }
    #[inline]
    fn log_variance(&self, i: usize, c: usize) -> f32 {
        self.d_log_variance.row(i)[c]
    }
    #[inline]
    fn sample(&self, i: usize, c: usize) -> f32 {
        self.decoding.d_codes().row(i)[c]
    }
}

/// What is known about a fit before its first step.
pub(super) struct Basis<'a> {
    pub(super) valid: &'a AutoencoderValidParams,
    pub(super) budget: Budget,
    pub(super) network: &'a EncoderNetwork,
    pub(super) preprocessor: &'a Preprocessor,
    pub(super) likelihood: Likelihood,
    pub(super) fingerprint: u64,
    /// Multiply-adds of what follows that is not the autoencoder's own.
    pub(super) later: f64,
}

impl<'a> Trainer<'a> {
    pub(super) fn new(basis: &Basis<'a>, data: &'a Dataset) -> Trainer<'a> {
        let Basis { valid, budget, network, preprocessor, likelihood, fingerprint, later } = *basis;
        let params = valid.get();
        let districts = Arc::new(params.districts(data));
        let batch = match params.refinement {
            Refinement::SelfTraining { batch, .. } => budget.batch.max(batch.min(data.rows())),
            _ => budget.batch,
        };
        let (autoencoder, latent) = (network.autoencoder(), params.latent_dim);
        let passing = valid.passing_steps(data.rows());
        Trainer {
            encoder: autoencoder.encoder().workspace(batch, true),
            codes: Codes::new(batch, latent),
            decoding: Decoding::new(autoencoder, batch),
            gradients: vec![0.0; network.layout().len()],
            rows: Rows::new(data.source.as_ref()),
            noise: Matrix::zeros(batch, latent),
            d_mean: Matrix::zeros(batch, latent),
            d_log_variance: Matrix::zeros(batch, latent),
            order: EpochOrder::new(Arc::clone(&districts), budget.steps / districts.count()),
            passing: (EpochOrder::new(Arc::clone(&districts), passing / districts.count()), None),
            districts,
            frequencies: Vec::new(),
            targets: Matrix::zeros(0, params.clusters),
            indices: Vec::new(),
            valid,
            budget,
            network,
            data,
            preprocessor,
            likelihood,
            fingerprint,
            later,
        }
    }

    fn params(&self) -> &'a AutoencoderParams {
        self.valid.get()
    }

    /// The latent means of all rows.
    pub(super) fn latent_means(&self, state: &State) -> Result<Matrix<f32>, FitError> {
        let (autoencoder, preprocessor) = (self.network.autoencoder(), self.preprocessor);
        let encoding = Encoding { autoencoder, params: &state.params, preprocessor };
        encoding.latent_means(self.data, 0..self.data.rows()).map_err(as_fit_error)
    }

    pub(super) fn districts(&self) -> &Districts {
        &self.districts
    }

    /// Gets the rows of a step out of so many: a piece of the order.
    fn gather(&mut self, step: usize, steps: usize) -> Result<(), FitError> {
        let order = if self.passing.1.is_some() { &self.passing.0 } else { &self.order };
        let per_district = steps / self.districts.count();
        let (visit, piece) = (step / per_district, step % per_district);
        let rows = self.districts.rows(order.district(visit));
        self.indices.clear();
        self.indices.extend(order.piece(visit, piece).iter().map(|&place| rows[place as usize]));
        Ok(self.rows.gather(self.data.source.as_ref(), self.preprocessor, &self.indices)?)
    }

    fn learning_rate(&self, phase: Phase, epoch: usize, step: usize) -> f64 {
        match (phase, self.params().refinement) {
            (Phase::Pretrain, _) | (_, Refinement::None) => self.params().pretrain_lr,
            (_, Refinement::SelfTraining { lr, .. }) => lr,
            (_, Refinement::Variational { lr, schedule, .. }) => {
                let done = epoch * self.budget.steps + step;
                let progress = done as f64 / (self.budget.epochs * self.budget.steps) as f64;
                lr * schedule.factor(epoch, progress)
            }
        }
    }

    fn check(&self, state: &State, terms: &[(&'static str, f64)]) -> Result<(), FitError> {
        check_terms(state, terms, self.learning_rate(state.phase, state.epoch, state.step))
    }

    fn pretrain_step(&mut self, state: &mut State) -> Result<(), FitError> {
        self.gather(state.step, self.budget.steps)?;
        let Trainer { encoder, codes, decoding, gradients, .. } = self;
        let value = self.network.autoencoder().pretrain_step(
            &state.params,
            self.rows.input(),
            self.rows.dense(),
            self.likelihood,
            self.valid.get().latent_penalty,
            PretrainWorkspace { encoder, codes, decoding },
            gradients,
        );
        self.check(state, &[("the reconstruction error", value)])?;
        let rate = self.learning_rate(state.phase, state.epoch, state.step);
        state.adam.step(&mut state.params, &self.gradients, self.network.autoencoder().range(), rate);
        state.sums.rows += self.indices.len();
        state.sums.reconstruction += value * self.indices.len() as f64;
        Ok(())
    }

    /// One step on the evidence lower bound of a VAE.
    fn elbo_step(&mut self, state: &mut State, divergence: f64, bound: f64) -> Result<(), FitError> {
        self.gather(state.step, self.budget.steps)?;
        let (phase, epoch) = (state.phase.number(), state.epoch as u32);
        let key = StreamKey::new(self.params().seed, "noise").at(phase, epoch, state.step as u64);
        fill_normal(&mut self.noise, self.indices.len(), key);
        let autoencoder = self.network.autoencoder();
        let range = autoencoder.range();
        let (x, target) = (self.rows.input(), self.rows.dense());
        let (d_encoder, d_decoder) =
            self.gradients[range.clone()].split_at_mut(autoencoder.encoder().range().len());
        autoencoder.encoder().forward(&state.params, x, &mut self.encoder);
        self.codes.read_and_sample(self.encoder.output(), &self.noise, bound);
        let code = self.codes.view();
        let with = Comparison { target, likelihood: self.likelihood, objective: Objective::LogLikelihood };
        let error = self.decoding.run(autoencoder.decoder(), &state.params, code.sample, with, d_decoder);
        let distance =
            standard_normal_divergence(code, divergence, &mut self.d_mean, &mut self.d_log_variance);
        let gradients = ElboGradients {
            decoding: &self.decoding,
            d_mean: &self.d_mean,
            d_log_variance: &self.d_log_variance,
        };
        self.codes.write_gradient(&mut self.encoder, &self.noise, bound, &gradients);
        autoencoder.encoder().backward(&state.params, x, &mut self.encoder, d_encoder, None);
        let terms = [("the reconstruction error", error), ("the divergence from the prior", distance)];
        self.check(state, &terms)?;
        let rate = self.learning_rate(state.phase, state.epoch, state.step);
        state.adam.step(&mut state.params, &self.gradients, range, rate);
        let n = self.indices.len();
        state.sums.rows += n;
        state.sums.reconstruction += error * n as f64;
        state.sums.divergence += distance * n as f64;
        Ok(())
    }

    /// q of all rows.
    pub(super) fn assignments(&self, state: &State) -> Result<Matrix<f32>, FitError> {
        let codes = self.latent_means(state)?;
        let (clusters, centers) = (self.params().clusters, self.network.centers(&state.params));
        let mut all = Matrix::zeros(codes.rows(), clusters);
        let tasks = all.as_mut_slice().par_chunks_mut(TASK_ROWS * clusters).enumerate();
        tasks.for_each(|(task, out)| {
            let mut q = vec![0.0; clusters];
            for (i, out) in out.chunks_exact_mut(clusters).enumerate() {
                soft_assignment(codes.row(task * TASK_ROWS + i), centers, &mut q);
                out.iter_mut().zip(&q).for_each(|(o, &q)| *o = q as f32);
            }
        });
        Ok(all)
    }

    /// Looks at all rows. False where hardly any has changed its cluster since the last look.
    fn look(&mut self, state: &mut State, tolerance: f64) -> Result<bool, FitError> {
        if state.step == 0 {
            let now = self.assignments(state)?;
            let settled = state.epoch > 0
                && state.kept.as_ref().is_some_and(|before| changed_share(before, &now) < tolerance);
            if settled {
                return Ok(false);
            }
            state.kept = Some(now);
        }
        let clusters = self.params().clusters;
        self.frequencies = vec![0.0; clusters];
        for row in state.kept.iter().flat_map(Matrix::iter_rows) {
            self.frequencies.iter_mut().zip(row).for_each(|(f, &q)| *f += f64::from(q));
        }
        Ok(true)
    }

    /// One step of DEC: the encoder and the centres, towards the targets of the last look.
    fn self_training_step(&mut self, state: &mut State, momentum: f64) -> Result<(), FitError> {
        let passing = self.valid.passing_steps(self.data.rows());
        let done = state.epoch * self.steps_of(state.phase) + state.step;
        if self.passing.1 != Some(done / passing) {
            self.passing.0.shuffle(self.params().seed, "shuffle", state.phase, done / passing);
            self.passing.1 = Some(done / passing);
        }
        self.gather(done % passing, passing)?;
        self.targets.set_rows(self.indices.len());
        if let Some(kept) = &state.kept {
            for (i, &row) in self.indices.iter().enumerate() {
                target(kept.row(row as usize), &self.frequencies, self.targets.row_mut(i));
            }
        }
        let encoder = self.network.autoencoder().encoder();
        let centers = self.network.centers_range();
        encoder.forward(&state.params, self.rows.input(), &mut self.encoder);
        self.codes.read_means(self.encoder.output());
        let value = self_training(
            &self.codes.mean,
            self.network.centers(&state.params),
            &self.targets,
            &mut self.d_mean,
            &mut self.gradients[centers.clone()],
        );
        let latent = self.params().latent_dim;
        let head = self.encoder.output_gradient();
        for i in 0..self.indices.len() {
            let (d_mean, d_log_variance) = head.row_mut(i).split_at_mut(latent);
            d_mean.copy_from_slice(self.d_mean.row(i));
            d_log_variance.fill(0.0);
        }
        let d_encoder = &mut self.gradients[encoder.range()];
        encoder.backward(&state.params, self.rows.input(), &mut self.encoder, d_encoder, None);
        self.check(state, &[("the divergence from the targets", value)])?;
        let rate = self.learning_rate(state.phase, state.epoch, state.step);
        // The state has room for Adam's moments; the direction of SGD takes the place of the first.
        let mut sgd = Sgd { momentum, velocity: std::mem::take(&mut state.adam.first) };
        for range in [encoder.range(), centers] {
            sgd.step(&mut state.params, &self.gradients, range, rate);
        }
        state.adam.first = sgd.velocity;
        state.sums.rows += self.indices.len();
        state.sums.divergence += value * self.indices.len() as f64;
        Ok(())
    }

    /// Steps of an epoch that is not the last.
    fn steps_of(&self, phase: Phase) -> usize {
        match phase {
            Phase::Joint => self.valid.refining_steps(self.data.rows()),
            Phase::Pretrain | Phase::Settle => self.budget.steps,
        }
    }

    /// Multiply-adds of a row in a step of each phase.
    fn cost(&self, phase: Phase) -> f64 {
        self.network.multiplications(phase == Phase::Joint && self.params().method() == crate::Method::Dec)
    }
}

/// The share of rows whose most probable cluster is another.
fn changed_share(before: &Matrix<f32>, now: &Matrix<f32>) -> f64 {
    let changed = before.iter_rows().zip(now.iter_rows()).filter(|(a, b)| largest(a) != largest(b)).count();
    changed as f64 / now.rows().max(1) as f64
}

/// The place of the largest value; the first of equals.
pub(super) fn largest(row: &[f32]) -> usize {
    (1..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best })
}

impl Training for Trainer<'_> {
    fn data(&self) -> &Dataset {
        self.data
    }

    fn clusters(&self, state: &State) -> Result<Clustering, FitError> {
        let labels = if matches!(self.params().refinement, Refinement::SelfTraining { .. }) {
            self.assignments(state)?.iter_rows().map(|row| largest(row) as u32).collect()
        } else {
            let AutoencoderParams { clusters, starts, seed, .. } = *self.params();
            let codes = self.latent_means(state)?;
            labels_by_k_means(&codes, &self.districts.sample(&codes), (clusters, starts, seed))?
        };
        Ok(Clustering { labels, by_mixture: None })
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn epochs(&self, phase: Phase) -> usize {
        match phase {
            Phase::Pretrain => self.budget.pretrain_epochs,
            Phase::Joint => self.budget.epochs,
            Phase::Settle => 0,
        }
    }

    fn steps(&self, phase: Phase, epoch: usize) -> usize {
        let most = match (phase, self.params().refinement) {
            (Phase::Joint, Refinement::SelfTraining { steps, .. }) => steps,
            _ => usize::MAX,
        };
        let steps = self.steps_of(phase);
        steps.min(most - epoch * steps)
    }

    fn begin_epoch(&mut self, state: &mut State) -> Result<bool, FitError> {
        match (state.phase, self.params().refinement) {
            (Phase::Joint, Refinement::SelfTraining { tolerance, .. }) => self.look(state, tolerance),
            _ => {
                self.order.shuffle(self.params().seed, "shuffle", state.phase, state.epoch);
                Ok(true)
            }
        }
    }

    fn step(&mut self, state: &mut State) -> Result<(), FitError> {
        match (state.phase, self.params().refinement) {
            (Phase::Joint, Refinement::Variational { divergence, log_variance_bound, .. }) => {
                self.elbo_step(state, divergence, log_variance_bound)
            }
            (Phase::Joint, Refinement::SelfTraining { momentum, .. }) => {
                self.self_training_step(state, momentum)
            }
            _ => self.pretrain_step(state),
        }
    }

    fn report(&self, state: &State, pace: Pace) -> EpochReport {
        let (sums, phase) = (&state.sums, state.phase);
        let (n, steps) = (sums.rows.max(1) as f64, self.steps_of(phase));
        let joint = phase == Phase::Joint;
        let decodes = !joint || !matches!(self.params().refinement, Refinement::SelfTraining { .. });
        let reconstruction = decodes.then_some(sums.reconstruction / n);
        let divergence = joint.then_some(sums.divergence / n);
        let weight = match self.params().refinement {
            Refinement::Variational { divergence, .. } => divergence,
            _ => 1.0,
        };
        let all = self.data.rows() as f64;
        let occupancy: Vec<f64> = self.frequencies.iter().map(|f| f / all).collect();
        let left = self.epochs(phase).saturating_sub(state.epoch + 1) as f64 * steps as f64;
        let later = match phase {
            Phase::Pretrain => {
                let steps = (self.budget.epochs * self.steps_of(Phase::Joint)) as f64;
                let own = steps * self.cost(Phase::Joint);
                (own + self.later / self.budget.batch as f64) / self.cost(Phase::Pretrain)
            }
            _ => 0.0,
        };
        EpochReport {
            epoch: state.epoch + 1,
            epochs: self.epochs(phase),
            reconstruction,
            divergence,
            loss: reconstruction.unwrap_or(0.0) + weight * divergence.unwrap_or(0.0),
            learning_rate: self.learning_rate(phase, state.epoch, steps - 1),
            effective_clusters: (!occupancy.is_empty()).then(|| effective_number(&occupancy)),
            occupancy,
            rows_per_second: n / (pace.per_step * steps as f64),
            seconds: pace.seconds,
            seconds_left: pace.per_step * (left + later),
            ..EpochReport::empty(phase)
        }
    }
}

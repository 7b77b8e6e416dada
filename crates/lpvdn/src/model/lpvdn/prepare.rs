//! What is known about a fit before its first step: the data is looked at once, and decides what the
//! parameters leave to it.

use lpvdn_core::Dataset;

use super::candidates::graph_params;
use super::effort::beside_steps;
use super::hyperparams::{Budget, FinalClustering, LpvdnParams, LpvdnValidParams, NegativeRows};
use super::network::Network;
use super::terms::SMALLEST_LOCALITY_BATCH;
use super::trainer::term_weights;
use crate::error::FitError;
use crate::loss::affinities::AffinitySource;
use crate::loss::reconstruction::Likelihood;
use crate::model::examine::{Ready, likelihood_for, measure_gflops, run_fingerprint};
use crate::model::graph::initial;
use crate::model::graph::places::width_of_places;
use crate::model::start;
use crate::train::control::FitControl;
use crate::train::districts::districts_of;
use crate::train::events::Plan;

/// A fit that could start.
pub(crate) struct Prepared<'a> {
    /// With nothing left to the data.
    pub(crate) params: LpvdnParams,
    pub(crate) budget: Budget,
    /// The data, as the training sees it.
    pub(crate) ready: Ready<'a>,
    pub(crate) likelihood: Likelihood,
    pub(crate) network: Network,
    /// Of data and settings.
    pub(crate) fingerprint: u64,
    pub(crate) warnings: Vec<String>,
}

impl<'a> Prepared<'a> {
    pub(crate) fn of(
        valid: &LpvdnValidParams,
        data: &'a Dataset,
        control: &mut FitControl<'_>,
    ) -> Result<Prepared<'a>, FitError> {
        Prepared::with(valid, Ready::of(data, valid.get().wanted(), control)?)
    }

    /// The same of data that is ready: for as many clusters at most, and scaled alike.
    pub(crate) fn with(valid: &LpvdnValidParams, ready: Ready<'a>) -> Result<Prepared<'a>, FitError> {
        let data = ready.data.as_ref();
        let mut budget = valid.budget(data.rows());
        let mut params = valid.get().clone();
        let mut warnings = Vec::new();
        if params.alpha1 > 0.0 && data.rows() / budget.steps.max(1) < SMALLEST_LOCALITY_BATCH {
            // There would be no trained o' to cluster.
            params.alpha1 = 0.0;
            budget.settle_epochs = 0;
            warnings.push(format!(
                "L_LP is left out: a batch of fewer than {SMALLEST_LOCALITY_BATCH} rows has no neighbourhoods"
            ));
        }
        let likelihood = likelihood_for(params.likelihood, ready.range)?;
        let by_codes = start::by_codes(&ready, (params.clusters, params.district));
        let prior_start = params.prior_start.resolved(by_codes);
        let params = LpvdnParams { prior_start, ..params.resolved(data.rows(), budget, likelihood) };
        let network = Network::new(params.shape(data.rows(), data.cols()));
        let fingerprint = run_fingerprint(&params, ready.fingerprint, &ready.preprocessor, likelihood);
        Ok(Prepared { params, budget, ready, likelihood, network, fingerprint, warnings })
    }

    /// What the fit is going to take.
    pub(crate) fn plan(&self, threads: usize) -> Plan {
        let gflops = measure_gflops();
        let data = self.ready.data.as_ref();
        Plan {
            rows: data.rows(),
            columns: self.ready.facts.columns,
            clusters: self.params.clusters,
            districts: districts_of(data.rows(), self.params.district),
            parameters: self.network.layout().len(),
            budget: self.budget,
            threads,
            gflops,
            seconds: 2e-9 * self.effort() / gflops,
            memory_bytes: self.ready.memory(training_bytes(
                &self.params,
                &self.network,
                data,
                self.budget.batch,
            )),
        }
    }

    /// The whole fit, in multiply-adds of a product.
    ///
    /// A step reaches about three quarters of the speed of its products, the rest being Adam, the elementwise
    /// work and the affinities; silent units save about as much again.
    pub(crate) fn effort(&self) -> f64 {
        let data = self.ready.data.as_ref();
        let beside = beside_steps(&self.params, self.budget, data.rows(), data.cols());
        self.multiplications(data.rows()) + beside
    }

    /// Multiply-adds of all steps.
    fn multiplications(&self, rows: usize) -> f64 {
        let Prepared { params, budget, .. } = self;
        let shifted = params.negatives == NegativeRows::Shift;
        let cost = self.network.multiplications(&term_weights(params), budget.batch, shifted);
        let epochs = [budget.pretrain_epochs, budget.epochs, budget.settle_epochs];
        let passes: f64 = cost.iter().zip(epochs).map(|(cost, epochs)| cost * epochs as f64).sum();
        passes * rows as f64
    }
}

/// Of the rows as they are compared and of their codes, the places, neighbours and weighted edges; and the places of all rows, where
/// these are what is divided.
fn graph_numbers(params: &LpvdnParams, data: &Dataset, together: usize) -> usize {
    let graph = graph_params(params);
    let of_codes = together * params.output_dim;
    initial::numbers(&graph, data) + of_codes + data.rows() * width_of_places(data, graph.projection)
}

/// Values, gradients and two moments of every parameter; twice every activation of a batch; the
/// matrices of pairs; the codes of all rows.
fn training_bytes(params: &LpvdnParams, network: &Network, data: &Dataset, batch: usize) -> usize {
    let layers = |net: &lpvdn_nn::Mlp| net.layers().iter().map(|l| l.outputs()).sum::<usize>();
    let widths = layers(network.encoder()) + layers(network.decoder()) + layers(network.locality());
    let discriminator: usize = params.discriminator_layers.iter().sum();
    let activations = batch * (2 * widths + 6 * discriminator + 2 * data.cols());
    // Of each kind of affinities three matrices of pairs and the centred points, of L_LP one.
    let (matrices, centred) = match params.affinities {
        AffinitySource::Latent => (4, 0),
        AffinitySource::Rows => (4, data.cols()),
        AffinitySource::Both => (7, data.cols()),
        AffinitySource::LatentGraph | AffinitySource::RowGraph | AffinitySource::BothGraphs => (2, 0),
    };
    let pairs = if params.alpha1 > 0.0 { batch * (matrices * batch + centred) } else { 0 };
    let codes = data.rows() * (3 * params.latent_dim + 3 * params.output_dim + 2 * params.clusters + 4);
    let together = data.rows().div_ceil(districts_of(data.rows(), params.district));
    let edges = 3 * params.graph_neighbors(together);
    let orders = 4 * data.rows();
    let (mut graph, used) = (0, params.alpha1 > 0.0);
    if used && params.affinities.is_latent_graph() {
        graph += data.rows() * params.latent_dim + together * edges;
    }
    if used && params.affinities.is_row_graph() {
        graph += together * edges;
    }
    if used && (params.affinities.is_row_graph() || params.clustering == FinalClustering::Auto) {
        graph += graph_numbers(params, data, together);
    } else if params.divides_rows() {
        graph += initial::numbers(&graph_params(params), data);
    }
    let numbers = graph + orders + 5 * network.layout().len() + activations + pairs + codes;
    4 * numbers
}

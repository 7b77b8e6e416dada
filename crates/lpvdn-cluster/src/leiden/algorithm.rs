//! Passes of local moving, refinement and aggregation.

use lpvdn_core::StreamKey;
use rayon::prelude::*;

use super::errors::LeidenError;
use super::hyperparams::LeidenValidParams;
use super::moving::{Communities, Terms, move_nodes};
use super::network::Network;
use super::refinement::refine;
use super::{Leiden, labels};
use crate::NeighborGraph;
use crate::graph::split_into_components;

/// What a move has to gain, as a share of the weight of all edges: less is rounding.
const LEAST_GAIN: f64 = 1e-12;

/// A graph that is ready for runs with several resolutions.
pub(super) struct Prepared<'a> {
    pub(super) graph: &'a NeighborGraph,
    network: Network,
    total_weight: f64,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(
        graph: &'a NeighborGraph,
        params: &LeidenValidParams,
    ) -> Result<Prepared<'a>, LeidenError> {
        if graph.nodes() == 0 {
            return Err(LeidenError::NoNodes);
        }
        let network = Network::new(graph, params.objective());
        Ok(Prepared { graph, network, total_weight: graph.total_weight() })
    }

    /// The best of `n_init` starts.
    pub(super) fn fit(
        &self,
        params: &LeidenValidParams,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Leiden, LeidenError> {
        let first = self.start(params, 0, stopped)?;
        self.improved(first, (params, 1), stopped, |_| true)
    }

    /// The best of a first start and those from the number `from` on; of these only those that `counts` says to look at.
    pub(super) fn improved(
        &self,
        first: Leiden,
        (params, from): (&LeidenValidParams, u32),
        stopped: &(dyn Fn() -> bool + Sync),
        counts: impl Fn(&Leiden) -> bool,
    ) -> Result<Leiden, LeidenError> {
        let starts = (from..params.n_init()).into_par_iter().with_max_len(1);
        let others: Result<Vec<Leiden>, LeidenError> =
            starts.map(|start| self.start(params, start, stopped)).collect();
        let others = others?.into_iter().filter(counts);
        Ok(others.fold(first, |best, next| if next.quality > best.quality { next } else { best }))
    }

    /// Passes from communities of one node each, until one gains nothing.
    pub(super) fn start(
        &self,
        params: &LeidenValidParams,
        start: u32,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Leiden, LeidenError> {
        let quality = |labels: &[u32]| params.objective().quality(self.graph, labels, params.resolution());
        let mut found: Vec<u32> = (0..self.graph.nodes() as u32).collect();
        let mut reached = quality(&found);
        let (mut iterations, mut converged) = (0, false);
        while iterations < params.max_iter() && !converged {
            let passes = Passes { params, start, iteration: iterations as u32 };
            let next = self.pass(found.clone(), &passes, stopped)?;
            iterations += 1;
            let after = quality(&next);
            // Rounding may make the sum of improvements a loss.
            converged = after - reached <= self.smallest_step(params);
            if after > reached {
                (found, reached) = (next, after);
            }
        }
        let labels = labels::by_size(&found);
        let communities = labels::count(&labels);
        let resolution = params.resolution();
        Ok(Leiden { labels, communities, resolution, quality: reached, iterations, converged })
    }

    /// The improvement of the quality that counts as none.
    fn smallest_step(&self, params: &LeidenValidParams) -> f64 {
        match params.objective() {
            super::Objective::Modularity => LEAST_GAIN,
            super::Objective::ConstantPotts => LEAST_GAIN * self.total_weight,
        }
    }

    fn terms(&self, params: &LeidenValidParams) -> Terms {
        let edges = self.graph.edges().max(1) as f64;
        Terms {
            rate: params.objective().rate(params.resolution(), self.total_weight),
            least: LEAST_GAIN * self.total_weight,
            // In units of the mean weight of an edge: the unit of weights does not matter.
            temperature: params.theta() * self.total_weight / edges,
        }
    }

    /// One pass over all levels.
    fn pass(
        &self,
        labels: Vec<u32>,
        passes: &Passes<'_>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<u32>, LeidenError> {
        let terms = self.terms(passes.params);
        let mut higher: Option<Network> = None;
        let mut node_of: Vec<u32> = (0..self.graph.nodes() as u32).collect();
        let mut of = labels;
        for level in 0.. {
            if stopped() {
                return Err(LeidenError::Interrupted);
            }
            let network = higher.as_ref().unwrap_or(&self.network);
            let mut communities = Communities::new(network, of);
            move_nodes(network, &mut communities, terms, &mut passes.key("leiden order", level).open());
            let mut pieces =
                refine(network, &communities, terms, &mut passes.key("leiden refinement", level).open());
            let count = labels::compact(&mut pieces);
            // Where nothing can be merged, all levels have been seen.
            if communities.count() == network.nodes() || count == network.nodes() {
                node_of.iter_mut().for_each(|node| *node = communities.of[*node as usize]);
                break;
            }
            of = vec![0; count];
            pieces.iter().zip(&communities.of).for_each(|(&piece, &c)| of[piece as usize] = c);
            labels::compact(&mut of);
            node_of.iter_mut().for_each(|node| *node = pieces[*node as usize]);
            higher = Some(network.aggregated(&pieces, count));
        }
        // A community that is in pieces is worth less than its pieces.
        Ok(split_into_components(self.graph, &node_of))
    }
}

/// Which pass of a run this is.
struct Passes<'a> {
    params: &'a LeidenValidParams,
    start: u32,
    iteration: u32,
}

impl Passes<'_> {
    /// The random stream of a level.
    fn key(&self, name: &'static str, level: u64) -> StreamKey {
        let step = u64::from(self.start) << 32 | level;
        StreamKey::new(self.params.seed(), name).at(self.params.phase(), self.iteration, step)
    }
}

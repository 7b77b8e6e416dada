//! The resolution that gives a number of communities.

use std::cmp::Ordering;

use lpvdn_core::Matrix;
use rayon::prelude::*;

use super::algorithm::Prepared;
use super::errors::{LeidenError, LeidenParamsError};
use super::hyperparams::{LeidenParams, LeidenValidParams};
use super::merging::merge;
use super::profile::{Profile, Run};
use super::{Leiden, labels};
use crate::{NeighborGraph, input};

/// The first step of the resolution while all runs are on one side of the number wanted. It is squared at each further one.
const FIRST_STEP: f64 = 2.0;
const LARGEST_STEP: f64 = 1e6;
/// An interval of resolutions of which the ends have no larger ratio is not divided any more.
const NARROW: f64 = 1.0 + 1e-6;
/// The highest resolution that gives the number wanted is known up to this factor when the search ends.
const NEAR: f64 = 1.2;
/// Starts at the resolution that was found: on 19 sets, ten seeds each, four of them gave a mean ARI of .675, one .672.
const N_INIT: u32 = 4;
/// Passes of a run of the search. Further ones hardly change the number of communities; those at the resolution that is
/// found have as many as the parameters allow.
const PASSES: usize = 3;
/// Resolutions that are tried at a time, on as many threads.
const TOGETHER: usize = 2;
/// Runs without more communities than wanted, at most, beyond `max_runs`. Steps grow, and at the end of them every
/// node is alone.
const MORE_RUNS: usize = 60;

/// A graph in a given number of communities.
///
/// The search begins at resolution 1, or at that of the parameters, and at half of it. It then divides the interval (of the
/// logarithm) between a resolution that gives too few and one that gives too many in three, with one short start each. Of
/// the resolutions that give the number, the highest is looked for, up to a factor of 1.2: at low ones a small group
/// that hardly touches the rest counts more than the division of the rest. The starts of the parameters are made there,
/// and the best that has the number is taken. Where it is not met within `max_runs` runs, the run with the next larger
/// number is taken, and communities are merged:
///
/// 1. of pairs with edges between them, the one with the largest share w_ab / min(d_a, d_b) of the weaker one's weight that
///    leads to the other. (The weight relative to chance, w_ab · 2m / (d_a · d_b), would merge any two small communities
///    that an edge joins before two large ones that hang together: the resolution limit of modularity.)
/// 2. where no edge joins any two, the smallest with the one nearest to it, if it has less than a tenth of the mean number of
///    rows of a cluster, or else the pair that is nearest: by the mean squared distance between a row of one and a row of
///    the other. If no rows are given, the two smallest.
///
/// A graph in as many pieces as are wanted, or more, needs no run: its pieces are the communities, and pieces are
/// merged by the second rule. There are always exactly as many communities as wanted. Equal rows may be in different ones
/// if there are not enough distinct rows.
///
/// ```
/// use lpvdn_cluster::{GraphParams, LeidenK, NeighborGraph};
/// use lpvdn_core::Matrix;
/// // Three groups on a line, 20 rows each.
/// let rows = Matrix::from_fn(60, 1, |i, _| (i / 20 * 100 + i % 20) as f32);
/// let graph = NeighborGraph::of_rows(&rows, &GraphParams::new().neighbors(5))?;
/// let found = LeidenK::params(3).seed(7).fit(&graph, Some(&rows))?;
/// assert!((0..60).all(|i| found.labels[i] == i as u32 / 20));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LeidenK {
    /// The community of each node, as in [`Leiden`].
    pub labels: Vec<u32>,
    /// The resolution; 0 where the graph is in pieces enough.
    pub resolution: f64,
    /// What the objective says at this resolution of the communities before any were merged.
    pub quality: f64,
    /// How many communities there were before some were merged.
    pub found: usize,
    /// All runs of the search.
    pub profile: Profile,
}

impl LeidenK {
    /// Default parameters for `n_clusters` communities.
    pub fn params(n_clusters: usize) -> LeidenKParams {
        LeidenKParams { n_clusters, max_runs: 30, leiden: Leiden::params().n_init(N_INIT) }
    }
}

/// Parameters of [`LeidenK`], checked when a graph is divided.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `n_clusters` | — | the number of communities | ≥ 1, ≤ nodes |
/// | `max_runs` | 30 | resolutions tried at most, two at a time | ≥ 1 |
/// | `leiden` | [`Leiden::params`] with 4 starts | the parameters of the runs; their resolution is where the search begins | |
#[derive(Clone, Debug, PartialEq)]
pub struct LeidenKParams {
    n_clusters: usize,
    max_runs: usize,
    leiden: LeidenParams,
}

impl LeidenKParams {
    /// The largest number of runs.
    #[must_use]
    pub fn max_runs(mut self, max_runs: usize) -> LeidenKParams {
        self.max_runs = max_runs;
        self
    }

    /// The parameters of the runs.
    #[must_use]
    pub fn leiden(mut self, leiden: LeidenParams) -> LeidenKParams {
        self.leiden = leiden;
        self
    }

    /// The seed of the random streams.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> LeidenKParams {
        self.leiden = self.leiden.seed(seed);
        self
    }

    /// Divides a graph. `rows`, one for each node, say which pieces are near each other where no edge does.
    ///
    /// # Errors
    /// Where there are fewer nodes than clusters, not one row for each node, or a parameter is out of its range.
    pub fn fit(self, graph: &NeighborGraph, rows: Option<&Matrix<f32>>) -> Result<LeidenK, LeidenError> {
        self.fit_unless(graph, rows, &|| false)
    }

    /// Divides a graph unless `stopped` says to stop.
    ///
    /// # Errors
    /// As [`fit`](LeidenKParams::fit), and [`LeidenError::Interrupted`] where it was stopped.
    pub fn fit_unless(
        self,
        graph: &NeighborGraph,
        rows: Option<&Matrix<f32>>,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<LeidenK, LeidenError> {
        let leiden = self.leiden.check()?;
        check(self.n_clusters, self.max_runs, graph, rows)?;
        let (start, profile) = search(graph, self.n_clusters, self.max_runs, &leiden, stopped)?;
        let merged = merge(graph, &start.labels, self.n_clusters, rows);
        Ok(LeidenK {
            labels: labels::by_size(&merged),
            resolution: start.resolution,
            quality: start.quality,
            found: start.communities,
            profile,
        })
    }
}

fn check(
    clusters: usize,
    max_runs: usize,
    graph: &NeighborGraph,
    rows: Option<&Matrix<f32>>,
) -> Result<(), LeidenError> {
    let nodes = graph.nodes();
    match rows {
        _ if clusters == 0 => return Err(LeidenParamsError::NoClusters.into()),
        _ if max_runs == 0 => return Err(LeidenParamsError::NoRuns.into()),
        _ if nodes == 0 => return Err(LeidenError::NoNodes),
        _ if nodes < clusters => return Err(LeidenError::TooFewNodes { nodes, clusters }),
        Some(rows) if rows.rows() != nodes => {
            return Err(LeidenError::RowsOfNodes { rows: rows.rows(), nodes });
        }
        Some(rows) => input::check_rows(rows)?,
        None => {}
    }
    Ok(())
}

/// Communities, as many as wanted or the next larger number that a run gave, and all runs.
fn search(
    graph: &NeighborGraph,
    wanted: usize,
    max_runs: usize,
    params: &LeidenValidParams,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<(Leiden, Profile), LeidenError> {
    let pieces = labels::by_size(&graph.components());
    if labels::count(&pieces) >= wanted {
        return Ok((at_no_resolution(graph, pieces, params), Profile::default()));
    }
    let prepared = Prepared::new(graph, params)?;
    let short = params.with_max_iter(params.max_iter().min(PASSES));
    let mut interval = Interval::new(params.resolution());
    let (mut runs, mut above) = (Vec::new(), None::<Leiden>);
    while runs.len() < max_runs || above.is_none() && runs.len() < max_runs.saturating_add(MORE_RUNS) {
        let tried = interval.next();
        let run = |at: &f64| prepared.start(&short.at(*at), 0, stopped);
        let found: Result<Vec<Leiden>, LeidenError> = tried.par_iter().with_max_len(1).map(run).collect();
        let found = found?;
        runs.extend(found.iter().map(Run::of));
        let counts: Vec<usize> = found.iter().map(|found| found.communities).collect();
        let enough = above.into_iter().chain(found).filter(|found| found.communities >= wanted);
        above = enough.min_by(better);
        let met = above.as_ref().is_some_and(|best| best.communities == wanted);
        if !interval.narrow(&tried, &counts, wanted, if met { NEAR } else { NARROW }) {
            break;
        }
    }
    if let Some(first) = above.take() {
        let (count, params) = (first.communities, params.at(first.resolution));
        above = Some(prepared.improved(first, (&params, 0), stopped, |other| other.communities == count)?);
    }
    let alone = || at_no_resolution(graph, (0..graph.nodes() as u32).collect(), params);
    Ok((above.unwrap_or_else(alone), Profile::new(runs)))
}

/// Fewer communities first; of as many those at the higher resolution.
fn better(a: &Leiden, b: &Leiden) -> Ordering {
    a.communities.cmp(&b.communities).then(b.resolution.total_cmp(&a.resolution))
}

/// Communities that no run has given.
fn at_no_resolution(graph: &NeighborGraph, labels: Vec<u32>, params: &LeidenValidParams) -> Leiden {
    Leiden {
        communities: labels::count(&labels),
        resolution: 0.0,
        quality: params.objective().quality(graph, &labels, 0.0),
        iterations: 0,
        converged: true,
        labels,
    }
}

/// Where the resolution lies that is looked for.
struct Interval {
    /// Gives too few communities, or as many as wanted.
    low: Option<f64>,
    /// Gives too many.
    high: Option<f64>,
    /// Where the search begins.
    from: f64,
    step: f64,
}

impl Interval {
    fn new(from: f64) -> Interval {
        Interval { low: None, high: None, from, step: FIRST_STEP }
    }

    /// The resolutions to try, ascending.
    fn next(&self) -> [f64; TOGETHER] {
        match (self.low, self.high) {
            (None, None) => [self.from / self.step, self.from],
            (None, Some(high)) => [high / self.step / self.step, high / self.step],
            (Some(low), None) => [low * self.step, low * self.step * self.step],
            (Some(low), Some(high)) => {
                let third = (high / low).cbrt();
                [low * third, high / third]
            }
        }
    }

    /// Takes notice of what resolutions gave. Gives whether there are others to try: not if the ends have a ratio of `near`.
    fn narrow(&mut self, tried: &[f64], counts: &[usize], wanted: usize, near: f64) -> bool {
        let sided = self.low.is_some() && self.high.is_some();
        // More communities at a lower resolution are chance. The highest of those with too few is then the lower end.
        let above = tried.iter().zip(counts).rev().take_while(|(_, count)| **count > wanted).last();
        if let Some((&at, _)) = above {
            self.high = Some(at);
        }
        let below = tried.iter().zip(counts).rev().find(|(_, count)| **count <= wanted);
        if let Some((&at, _)) = below {
            self.low = Some(at);
        }
        if let (Some(low), Some(high)) = (self.low, self.high) {
            return high / low > near;
        }
        if !sided && (self.low.is_some() || self.high.is_some()) {
            self.step = (self.step * self.step).min(LARGEST_STEP);
        }
        self.next().iter().all(|at| at.is_normal())
    }
}

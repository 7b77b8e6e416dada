//! The parameters of Leiden, unchecked and checked.

use super::algorithm::Prepared;
use super::errors::{LeidenError, LeidenParamsError};
use super::{Leiden, Objective};
use crate::NeighborGraph;

/// Parameters of [`Leiden`], checked when a graph is divided.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `objective` | [`Objective::Modularity`] | what is made as large as possible | |
/// | `resolution` | 1 | γ: a larger one gives more and smaller communities | > 0 |
/// | `max_iter` | 10 | passes of one start at most; it ends before where a pass gains nothing | ≥ 1 |
/// | `n_init` | 1 | starts; the largest quality wins, then the earliest start | ≥ 1 |
/// | `theta` | 0.01 | how random the refinement is, in units of the mean weight of an edge | > 0 |
/// | `seed` | 0 | the seed of the random streams | any |
/// | `phase` | 0 | tells apart several fits of one run with one seed | any |
///
/// ```
/// use lpvdn_cluster::{Leiden, leiden::Objective};
/// let params = Leiden::params().objective(Objective::ConstantPotts).resolution(0.05).seed(7);
/// assert!(params.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LeidenParams(LeidenValidParams);

/// Parameters of [`Leiden`] that have been checked.
///
/// ```
/// use lpvdn_cluster::Leiden;
/// let checked = Leiden::params().check()?;
/// assert_eq!((checked.resolution(), checked.max_iter(), checked.n_init()), (1.0, 10, 1));
/// # Ok::<(), lpvdn_cluster::leiden::LeidenParamsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LeidenValidParams {
    objective: Objective,
    resolution: f64,
    max_iter: usize,
    n_init: u32,
    theta: f64,
    seed: u64,
    phase: u32,
}

impl LeidenParams {
    pub(super) fn new() -> LeidenParams {
        LeidenParams(LeidenValidParams {
            objective: Objective::default(),
            resolution: 1.0,
            max_iter: 10,
            n_init: 1,
            theta: 0.01,
            seed: 0,
            phase: 0,
        })
    }

    /// What is made as large as possible.
    #[must_use]
    pub fn objective(mut self, objective: Objective) -> LeidenParams {
        self.0.objective = objective;
        self
    }

    /// γ: a larger one gives more and smaller communities.
    #[must_use]
    pub fn resolution(mut self, resolution: f64) -> LeidenParams {
        self.0.resolution = resolution;
        self
    }

    /// The largest number of passes of one start.
    #[must_use]
    pub fn max_iter(mut self, max_iter: usize) -> LeidenParams {
        self.0.max_iter = max_iter;
        self
    }

    /// The number of starts.
    #[must_use]
    pub fn n_init(mut self, n_init: u32) -> LeidenParams {
        self.0.n_init = n_init;
        self
    }

    /// How random the refinement is.
    #[must_use]
    pub fn theta(mut self, theta: f64) -> LeidenParams {
        self.0.theta = theta;
        self
    }

    /// The seed of the random streams.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> LeidenParams {
        self.0.seed = seed;
        self
    }

    /// Which of several fits of one run this is.
    #[must_use]
    pub fn phase(mut self, phase: u32) -> LeidenParams {
        self.0.phase = phase;
        self
    }

    /// Checks the parameters.
    pub fn check(self) -> Result<LeidenValidParams, LeidenParamsError> {
        let p = self.0;
        let positive = |x: f64| x.is_finite() && x > 0.0;
        match p {
            _ if !positive(p.resolution) => Err(LeidenParamsError::Resolution(p.resolution)),
            _ if !positive(p.theta) => Err(LeidenParamsError::Theta(p.theta)),
            _ if p.max_iter == 0 => Err(LeidenParamsError::NoIterations),
            _ if p.n_init == 0 => Err(LeidenParamsError::NoStarts),
            _ => Ok(p),
        }
    }

    /// Checks the parameters and divides a graph.
    pub fn fit(self, graph: &NeighborGraph) -> Result<Leiden, LeidenError> {
        self.check()?.fit(graph)
    }
}

impl LeidenValidParams {
    /// What is made as large as possible.
    pub fn objective(&self) -> Objective {
        self.objective
    }
    /// The resolution.
    pub fn resolution(&self) -> f64 {
        self.resolution
    }
    /// The largest number of passes of one start.
    pub fn max_iter(&self) -> usize {
        self.max_iter
    }
    /// The number of starts.
    pub fn n_init(&self) -> u32 {
        self.n_init
    }
    /// How random the refinement is.
    pub fn theta(&self) -> f64 {
        self.theta
    }
    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }
    /// The phase.
    pub fn phase(&self) -> u32 {
        self.phase
    }

    /// The same parameters at another resolution, which must be positive and finite.
    pub(super) fn at(&self, resolution: f64) -> LeidenValidParams {
        LeidenValidParams { resolution, ..self.clone() }
    }

    /// The same parameters with other passes, at least one.
    pub(super) fn with_max_iter(&self, max_iter: usize) -> LeidenValidParams {
        LeidenValidParams { max_iter, ..self.clone() }
    }

    /// Divides a graph.
    pub fn fit(&self, graph: &NeighborGraph) -> Result<Leiden, LeidenError> {
        self.fit_unless(graph, &|| false)
    }

    /// Divides a graph unless `stopped` says to stop; it is asked before each level.
    ///
    /// # Errors
    /// [`LeidenError::Interrupted`] where it was stopped.
    pub fn fit_unless(
        &self,
        graph: &NeighborGraph,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Leiden, LeidenError> {
        Prepared::new(graph, self)?.fit(self, stopped)
    }
}

//! The parameters of K-means, unchecked and checked.

use lpvdn_core::Matrix;

use super::errors::{KMeansError, KMeansParamsError};
use super::{KMeans, algorithm};
use crate::rows::PointRows;

/// Where the centres start.
///
/// ```
/// use lpvdn_cluster::{KMeans, k_means::Start};
/// use lpvdn_core::Matrix;
/// let rows = Matrix::from_vec(vec![0.0, 1.0, 10.0, 11.0], 4, 1);
/// let centers = Matrix::from_vec(vec![2.0, 3.0], 2, 1);
/// let fitted = KMeans::params(2).start(Start::Given(centers)).fit(&rows)?;
/// assert_eq!(fitted.centers.as_slice(), [0.5, 10.5]);
/// # Ok::<(), lpvdn_cluster::k_means::KMeansError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Start {
    /// Greedy k-means++: rows far from the centres already chosen.
    #[default]
    PlusPlus,
    /// These centres, one a row. There is then only one start.
    Given(Matrix<f32>),
}

/// Parameters of [`KMeans`], checked when it is fitted.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `n_clusters` | — | the number of clusters | ≥ 1, ≤ rows |
/// | `n_init` | 10 | starts; the lowest inertia wins, then the earliest start | ≥ 1 |
/// | `max_iter` | 300 | Lloyd iterations of one start at most | ≥ 1 |
/// | `tol` | 1e-4 | stop when the centres' summed squared moves are at most `tol` times the mean variance of a column | ≥ 0 |
/// | `seed` | 0 | the seed of the random streams | any |
/// | `phase` | 0 | tells apart several fits of one run with one seed | any |
/// | `start` | [`Start::PlusPlus`] | where the centres start | `n_clusters` centres |
///
/// ```
/// use lpvdn_cluster::KMeans;
/// let params = KMeans::params(10).n_init(3).tol(0.0).seed(7);
/// assert!(params.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KMeansParams(KMeansValidParams);

/// Parameters of [`KMeans`] that have been checked.
///
/// ```
/// use lpvdn_cluster::KMeans;
/// let checked = KMeans::params(4).check()?;
/// assert_eq!((checked.n_clusters(), checked.n_init(), checked.max_iter()), (4, 10, 300));
/// # Ok::<(), lpvdn_cluster::k_means::KMeansParamsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KMeansValidParams {
    n_clusters: usize,
    n_init: u32,
    max_iter: usize,
    tol: f64,
    seed: u64,
    phase: u32,
    start: Start,
}

impl KMeansParams {
    pub(super) fn new(n_clusters: usize) -> KMeansParams {
        KMeansParams(KMeansValidParams {
            n_clusters,
            n_init: 10,
            max_iter: 300,
            tol: 1e-4,
            seed: 0,
            phase: 0,
            start: Start::default(),
        })
    }

    /// The number of starts.
    #[must_use]
    pub fn n_init(mut self, n_init: u32) -> KMeansParams {
        self.0.n_init = n_init;
        self
    }

    /// The largest number of iterations of one start.
    #[must_use]
    pub fn max_iter(mut self, max_iter: usize) -> KMeansParams {
        self.0.max_iter = max_iter;
        self
    }

    /// When the centres have come to rest, relative to the mean variance of a column.
    #[must_use]
    pub fn tol(mut self, tol: f64) -> KMeansParams {
        self.0.tol = tol;
        self
    }

    /// The seed of the random streams.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> KMeansParams {
        self.0.seed = seed;
        self
    }

    /// Which of several fits of one run this is.
    #[must_use]
    pub fn phase(mut self, phase: u32) -> KMeansParams {
        self.0.phase = phase;
        self
    }

    /// Where the centres start.
    #[must_use]
    pub fn start(mut self, start: Start) -> KMeansParams {
        self.0.start = start;
        self
    }

    /// Checks the parameters.
    pub fn check(self) -> Result<KMeansValidParams, KMeansParamsError> {
        let p = self.0;
        match &p.start {
            _ if p.n_clusters == 0 => Err(KMeansParamsError::NoClusters),
            _ if p.n_init == 0 => Err(KMeansParamsError::NoStarts),
            _ if p.max_iter == 0 => Err(KMeansParamsError::NoIterations),
            _ if !(p.tol.is_finite() && p.tol >= 0.0) => Err(KMeansParamsError::Tolerance(p.tol)),
            Start::Given(centers) if centers.rows() != p.n_clusters => {
                Err(KMeansParamsError::StartRows { expected: p.n_clusters, found: centers.rows() })
            }
            _ => Ok(p),
        }
    }

    /// Checks the parameters and clusters the rows of `data`.
    pub fn fit(self, data: &impl PointRows) -> Result<KMeans, KMeansError> {
        self.check()?.fit(data)
    }
}

impl KMeansValidParams {
    /// The number of clusters.
    pub fn n_clusters(&self) -> usize {
        self.n_clusters
    }
    /// The number of starts.
    pub fn n_init(&self) -> u32 {
        self.n_init
    }
    /// The largest number of iterations of one start.
    pub fn max_iter(&self) -> usize {
        self.max_iter
    }
    /// The tolerance.
    pub fn tol(&self) -> f64 {
        self.tol
    }
    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }
    /// The phase.
    pub fn phase(&self) -> u32 {
        self.phase
    }
    /// Where the centres start.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Clusters the rows of `data`.
    pub fn fit(&self, data: &impl PointRows) -> Result<KMeans, KMeansError> {
        algorithm::fit(self, data)
    }
}

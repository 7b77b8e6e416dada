//! The parameters of a Gaussian mixture, unchecked and checked.

use std::sync::atomic::AtomicBool;

use lpvdn_core::Matrix;

use super::errors::{GaussianMixtureError, GaussianMixtureParamsError};
use super::{GaussianMixture, algorithm};

/// The form of the covariance matrices.
///
/// ```
/// use lpvdn_cluster::{GaussianMixture, gaussian_mixture::CovarianceType};
/// let params = GaussianMixture::params(3).covariance_type(CovarianceType::Full).check()?;
/// assert_eq!(params.covariance_type(), CovarianceType::Full);
/// # Ok::<(), lpvdn_cluster::gaussian_mixture::GaussianMixtureParamsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CovarianceType {
    /// A variance for each column.
    #[default]
    Diagonal,
    /// A whole matrix.
    Full,
    /// One matrix for all components: clusters of one shape, whatever the scales and correlations of the columns.
    Tied,
}

/// Where the mixture starts.
///
/// ```
/// use lpvdn_cluster::{GaussianMixture, gaussian_mixture::{Covariances, Start}};
/// use lpvdn_core::Matrix;
/// let rows = Matrix::from_vec(vec![0.0, 0.2, 8.0, 8.2], 4, 1);
/// let means = Matrix::from_vec(vec![1.0, 7.0], 2, 1);
/// let variances = Covariances::Diagonal(Matrix::from_vec(vec![1.0, 1.0], 2, 1));
/// let mixture = GaussianMixture::from_parts(vec![0.5, 0.5], means, variances)?;
/// let fitted = GaussianMixture::params(2).start(Start::Given(Box::new(mixture))).fit(&rows)?;
/// assert!((fitted.means().row(0)[0] - 0.1).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Start {
    /// The clusters of one K-means run.
    #[default]
    KMeans,
    /// This mixture. There is then only one start.
    Given(Box<GaussianMixture>),
}

/// Parameters of [`GaussianMixture`], checked when it is fitted.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `n_components` | — | the number of components | ≥ 1, ≤ rows |
/// | `covariance_type` | [`Diagonal`](CovarianceType::Diagonal) | the form of the covariances | diagonal, full, tied |
/// | `n_init` | 1 | starts; the highest log-likelihood wins, then the earliest start | ≥ 1 |
/// | `max_iter` | 100 | iterations of one start at most | ≥ 1 |
/// | `tol` | 1e-3 | stop when the mean log-likelihood of a row changes by less | ≥ 0 |
/// | `reg_covar` | 1e-6 | added to every variance | ≥ 0 |
/// | `seed` | 0 | the seed of the random streams | any |
/// | `phase` | 0 | tells apart several fits of one run with one seed | any |
/// | `start` | [`Start::KMeans`] | where the mixture starts | `n_components` components |
///
/// ```
/// use lpvdn_cluster::GaussianMixture;
/// let params = GaussianMixture::params(10).n_init(5).reg_covar(1e-5).seed(7);
/// assert!(params.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GaussianMixtureParams(GaussianMixtureValidParams);

/// Parameters of [`GaussianMixture`] that have been checked.
///
/// ```
/// use lpvdn_cluster::GaussianMixture;
/// let checked = GaussianMixture::params(4).check()?;
/// assert_eq!((checked.n_components(), checked.n_init(), checked.max_iter()), (4, 1, 100));
/// # Ok::<(), lpvdn_cluster::gaussian_mixture::GaussianMixtureParamsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GaussianMixtureValidParams {
    n_components: usize,
    covariance_type: CovarianceType,
    n_init: u32,
    max_iter: usize,
    tol: f64,
    reg_covar: f64,
    seed: u64,
    phase: u32,
    start: Start,
}

impl GaussianMixtureParams {
    pub(super) fn new(n_components: usize) -> GaussianMixtureParams {
        GaussianMixtureParams(GaussianMixtureValidParams {
            n_components,
            covariance_type: CovarianceType::default(),
            n_init: 1,
            max_iter: 100,
            tol: 1e-3,
            reg_covar: 1e-6,
            seed: 0,
            phase: 0,
            start: Start::default(),
        })
    }

    /// The form of the covariances.
    #[must_use]
    pub fn covariance_type(mut self, covariance_type: CovarianceType) -> GaussianMixtureParams {
        self.0.covariance_type = covariance_type;
        self
    }

    /// The number of starts.
    #[must_use]
    pub fn n_init(mut self, n_init: u32) -> GaussianMixtureParams {
        self.0.n_init = n_init;
        self
    }

    /// The largest number of iterations of one start.
    #[must_use]
    pub fn max_iter(mut self, max_iter: usize) -> GaussianMixtureParams {
        self.0.max_iter = max_iter;
        self
    }

    /// The change of the mean log-likelihood at which to stop.
    #[must_use]
    pub fn tol(mut self, tol: f64) -> GaussianMixtureParams {
        self.0.tol = tol;
        self
    }

    /// What is added to every variance.
    #[must_use]
    pub fn reg_covar(mut self, reg_covar: f64) -> GaussianMixtureParams {
        self.0.reg_covar = reg_covar;
        self
    }

    /// The seed of the random streams.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> GaussianMixtureParams {
        self.0.seed = seed;
        self
    }

    /// Which of several fits of one run this is.
    #[must_use]
    pub fn phase(mut self, phase: u32) -> GaussianMixtureParams {
        self.0.phase = phase;
        self
    }

    /// Where the mixture starts.
    #[must_use]
    pub fn start(mut self, start: Start) -> GaussianMixtureParams {
        self.0.start = start;
        self
    }

    /// Checks the parameters.
    pub fn check(self) -> Result<GaussianMixtureValidParams, GaussianMixtureParamsError> {
        use GaussianMixtureParamsError as Error;
        let p = self.0;
        let good = |x: f64| x.is_finite() && x >= 0.0;
        match &p.start {
            _ if p.n_components == 0 => Err(Error::NoComponents),
            _ if p.n_init == 0 => Err(Error::NoStarts),
            _ if p.max_iter == 0 => Err(Error::NoIterations),
            _ if !good(p.tol) => Err(Error::Tolerance(p.tol)),
            _ if !good(p.reg_covar) => Err(Error::Regularisation(p.reg_covar)),
            Start::Given(given) if given.weights().len() != p.n_components => {
                Err(Error::StartComponents { expected: p.n_components, found: given.weights().len() })
            }
            Start::Given(given) if given.covariances().kind() != p.covariance_type => {
                Err(Error::StartCovariances)
            }
            _ => Ok(p),
        }
    }

    /// Checks the parameters and fits a mixture to the rows of `data`.
    pub fn fit(self, data: &Matrix<f32>) -> Result<GaussianMixture, GaussianMixtureError> {
        self.check()?.fit(data)
    }

    /// Checks the parameters and gives the mixture of the clusters `labels` of the rows of `data`.
    pub fn of_clusters(
        self,
        data: &Matrix<f32>,
        labels: &[u32],
    ) -> Result<GaussianMixture, GaussianMixtureError> {
        self.check()?.of_clusters(data, labels)
    }
}

impl GaussianMixtureValidParams {
    /// The number of components.
    pub fn n_components(&self) -> usize {
        self.n_components
    }
    /// The form of the covariances.
    pub fn covariance_type(&self) -> CovarianceType {
        self.covariance_type
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
    /// What is added to every variance.
    pub fn reg_covar(&self) -> f64 {
        self.reg_covar
    }
    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }
    /// The phase.
    pub fn phase(&self) -> u32 {
        self.phase
    }
    /// Where the mixture starts.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Fits a mixture to the rows of `data`.
    pub fn fit(&self, data: &Matrix<f32>) -> Result<GaussianMixture, GaussianMixtureError> {
        algorithm::fit(self, data, &AtomicBool::new(false))
    }

    /// The same, until `stop` is set: then it ends after its iteration, with
    /// [`Stopped`](GaussianMixtureError::Stopped).
    ///
    /// # Errors
    /// As for [`fit`](GaussianMixtureValidParams::fit), and where it was stopped.
    pub fn fit_until(
        &self,
        data: &Matrix<f32>,
        stop: &AtomicBool,
    ) -> Result<GaussianMixture, GaussianMixtureError> {
        algorithm::fit(self, data, stop)
    }

    /// The mixture whose components are clusters that are known: weights, means and covariances of the rows with
    /// each label (one M step), and no more.
    ///
    /// ```
    /// use lpvdn_cluster::GaussianMixture;
    /// use lpvdn_core::Matrix;
    /// let rows = Matrix::from_vec(vec![0.0, 2.0, 8.0], 3, 1);
    /// let mixture = GaussianMixture::params(2).of_clusters(&rows, &[0, 0, 1])?;
    /// assert_eq!((mixture.means().row(0)[0], mixture.means().row(1)[0]), (1.0, 8.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Rows that are no numbers, and labels that are not one below `n_components` for each row.
    pub fn of_clusters(
        &self,
        data: &Matrix<f32>,
        labels: &[u32],
    ) -> Result<GaussianMixture, GaussianMixtureError> {
        algorithm::of_clusters(self, data, labels)
    }
}

//! All external metrics, one by one and together.

use super::contingency::Contingency;
use super::errors::MetricsError;

/// The external metrics of one clustering.
///
/// ```
/// use lpvdn_cluster::ExternalScores;
/// // The same partition under other names.
/// let scores = ExternalScores::new(&[0, 0, 1, 2], &[7, 7, 3, 5])?;
/// assert_eq!((scores.acc, scores.purity, scores.ari), (1.0, 1.0, 1.0));
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExternalScores {
    /// [`Contingency::accuracy`].
    pub acc: f64,
    /// [`Contingency::purity`].
    pub purity: f64,
    /// [`Contingency::nmi`].
    pub nmi: f64,
    /// [`Contingency::ari`].
    pub ari: f64,
    /// [`Contingency::ami`].
    pub ami: f64,
}

impl ExternalScores {
    /// Compares clusters with true classes.
    pub fn new(truth: &[u32], clusters: &[u32]) -> Result<ExternalScores, MetricsError> {
        Ok(ExternalScores::from(&Contingency::new(truth, clusters)?))
    }
}

impl From<&Contingency> for ExternalScores {
    fn from(table: &Contingency) -> ExternalScores {
        ExternalScores {
            acc: table.accuracy(),
            purity: table.purity(),
            nmi: table.nmi(),
            ari: table.ari(),
            ami: table.ami(),
        }
    }
}

/// The share of rows that agree under the best one-to-one matching of clusters and classes; see
/// [`Contingency::accuracy`].
///
/// ```
/// use lpvdn_cluster::metrics::accuracy;
/// assert_eq!(accuracy(&[0, 0, 1, 1], &[1, 1, 0, 2])?, 0.75);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
pub fn accuracy(truth: &[u32], clusters: &[u32]) -> Result<f64, MetricsError> {
    Ok(Contingency::new(truth, clusters)?.accuracy())
}

/// The share of rows in the largest class of their cluster; see [`Contingency::purity`].
///
/// ```
/// use lpvdn_cluster::metrics::purity;
/// assert_eq!(purity(&[0, 0, 1, 1], &[1, 1, 0, 2])?, 1.0);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
pub fn purity(truth: &[u32], clusters: &[u32]) -> Result<f64, MetricsError> {
    Ok(Contingency::new(truth, clusters)?.purity())
}

/// Normalised mutual information; see [`Contingency::nmi`].
///
/// ```
/// use lpvdn_cluster::metrics::nmi;
/// assert_eq!(nmi(&[0, 0, 1, 1], &[0, 1, 0, 1])?, 0.0);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
pub fn nmi(truth: &[u32], clusters: &[u32]) -> Result<f64, MetricsError> {
    Ok(Contingency::new(truth, clusters)?.nmi())
}

/// The adjusted Rand index; see [`Contingency::ari`].
///
/// ```
/// use lpvdn_cluster::metrics::ari;
/// assert_eq!(ari(&[0, 0, 1, 1], &[0, 1, 0, 1])?, -0.5);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
pub fn ari(truth: &[u32], clusters: &[u32]) -> Result<f64, MetricsError> {
    Ok(Contingency::new(truth, clusters)?.ari())
}

/// Adjusted mutual information; see [`Contingency::ami`].
///
/// ```
/// use lpvdn_cluster::metrics::ami;
/// assert!((ami(&[0, 0, 1, 1], &[4, 4, 2, 2])? - 1.0).abs() < 1e-12);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
pub fn ami(truth: &[u32], clusters: &[u32]) -> Result<f64, MetricsError> {
    Ok(Contingency::new(truth, clusters)?.ami())
}

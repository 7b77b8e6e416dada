//! K-means: Lloyd's algorithm from greedy k-means++ starts.
//!
//! It looks for the centres $c_1 \dots c_k$ of the smallest inertia
//!
//! $$\sum_i \min_k \|x_i - c_k\|^2$$
//!
//! by assigning each row to its nearest centre and moving each centre to the mean of its rows, in
//! turn. Of several starts the one with the lowest inertia is kept.
//!
//! * **Empty clusters** move to the rows farthest from their centres.
//! * **Fewer distinct rows than clusters** is no error: every distinct row becomes a centre, the
//!   centres left over repeat one of them, and their clusters stay empty. Inertia is then 0.
//! * **Ties** go to the centre with the lowest index.
//! * **Precision**: distances are single precision, from differences; means and inertia are double.
//!   Differences between rows below 1e-19 square to 0.

mod algorithm;
mod bounds;
mod errors;
mod hyperparams;
mod init;
mod lloyd;

pub use algorithm::{Assignment, nearest_centers};
pub use errors::{KMeansError, KMeansParamsError};
pub use hyperparams::{KMeansParams, KMeansValidParams, Start};

use lpvdn_core::Matrix;

use crate::rows::PointRows;

pub(crate) use algorithm::one_start;

/// Fitted K-means.
///
/// ```
/// use lpvdn_cluster::KMeans;
/// use lpvdn_core::Matrix;
///
/// // Two groups on a line.
/// let rows = Matrix::from_vec(vec![0.0, 0.1, 0.2, 5.0, 5.1, 5.2], 6, 1);
/// let fitted = KMeans::params(2).n_init(10).seed(7).fit(&rows)?;
/// assert_eq!(fitted.labels[0], fitted.labels[2]);
/// assert_ne!(fitted.labels[0], fitted.labels[5]);
/// assert!((fitted.inertia - 0.04).abs() < 1e-6);
/// assert_eq!(fitted.predict(&rows)?, fitted.labels);
/// # Ok::<(), lpvdn_cluster::k_means::KMeansError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KMeans {
    /// The centres, one a row.
    pub centers: Matrix<f32>,
    /// The nearest centre of each row of the fit: what [`predict`](KMeans::predict) gives for them.
    pub labels: Vec<u32>,
    /// The sum over the rows of the squared distance to the nearest centre.
    pub inertia: f64,
    /// The iterations of the start that won.
    pub iterations: usize,
    /// Whether that start came to rest before `max_iter`.
    pub converged: bool,
}

impl KMeans {
    /// Default parameters for `n_clusters` clusters.
    pub fn params(n_clusters: usize) -> KMeansParams {
        KMeansParams::new(n_clusters)
    }

    /// The nearest centre of each row. A row's label does not depend on the other rows.
    pub fn predict(&self, data: &impl PointRows) -> Result<Vec<u32>, KMeansError> {
        Ok(nearest_centers(data, &self.centers)?.labels)
    }
}

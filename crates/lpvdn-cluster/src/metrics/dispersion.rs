//! How tight and how far apart clusters are: Calinski–Harabasz and Davies–Bouldin.

use lpvdn_core::Matrix;
use rayon::prelude::*;

use super::errors::MetricsError;
use super::groups::Groups;
use crate::input;

/// The Calinski–Harabasz index: dispersion between over dispersion within the clusters, each over
/// its degrees of freedom. Higher is better; 1 when every row lies on the mean of its cluster.
///
/// $$\frac{\sum_c n_c \|m_c - m\|^2 / (k - 1)}{\sum_c \sum_{i \in c} \|x_i - m_c\|^2 / (n - k)}$$
///
/// ```
/// use lpvdn_cluster::metrics::calinski_harabasz;
/// use lpvdn_core::Matrix;
/// let rows = Matrix::from_vec(vec![0.0, 2.0, 10.0, 12.0], 4, 1);
/// assert_eq!(calinski_harabasz(&rows, &[0, 0, 1, 1])?, 50.0);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
pub fn calinski_harabasz(data: &Matrix<f32>, labels: &[u32]) -> Result<f64, MetricsError> {
    let groups = Groups::new(data, labels)?;
    let (n, k) = (labels.len() as f64, groups.len() as f64);
    let means = groups.means(data);
    let center = input::column_means(data);
    let between: f64 =
        means.iter().enumerate().map(|(c, m)| groups.members(c).len() as f64 * squared(m, &center)).sum();
    let within: f64 = per_cluster(data, &groups, &means, |square| square).iter().sum();
    Ok(if within == 0.0 { 1.0 } else { between * (n - k) / (within * (k - 1.0)) })
}

/// The Davies–Bouldin index: how much each cluster overlaps with the one it overlaps most with, on
/// average. Lower is better, 0 is best.
///
/// $$\frac1k \sum_c \max_{c' \ne c} \frac{s_c + s_{c'}}{\|m_c - m_{c'}\|}, \qquad
/// s_c = \frac{1}{n_c} \sum_{i \in c} \|x_i - m_c\|$$
///
/// Clusters with the same mean are not compared.
///
/// ```
/// use lpvdn_cluster::metrics::davies_bouldin;
/// use lpvdn_core::Matrix;
/// let rows = Matrix::from_vec(vec![0.0, 2.0, 10.0, 12.0], 4, 1);
/// assert_eq!(davies_bouldin(&rows, &[0, 0, 1, 1])?, 0.2);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
pub fn davies_bouldin(data: &Matrix<f32>, labels: &[u32]) -> Result<f64, MetricsError> {
    let groups = Groups::new(data, labels)?;
    let means = groups.means(data);
    let mut spread = per_cluster(data, &groups, &means, f64::sqrt);
    spread.iter_mut().enumerate().for_each(|(c, s)| *s /= groups.members(c).len() as f64);
    let k = groups.len();
    let worst = |c: usize| {
        let (mut overlap, mut farthest) = (0.0_f64, 0.0_f64);
        for other in 0..k {
            let distance = squared(&means[c], &means[other]).sqrt();
            farthest = farthest.max(distance);
            if distance > 0.0 {
                overlap = overlap.max((spread[c] + spread[other]) / distance);
            }
        }
        (overlap, farthest)
    };
    let worst: Vec<(f64, f64)> = (0..k).into_par_iter().map(worst).collect();
    // What scikit-learn takes for 0.
    let nothing = |x: f64| x <= 1e-8;
    if spread.iter().all(|&s| nothing(s)) || worst.iter().all(|w| nothing(w.1)) {
        return Ok(0.0);
    }
    Ok(worst.iter().map(|w| w.0).sum::<f64>() / k as f64)
}

/// The sum over each cluster of `of` the squared distance of its rows to its mean.
fn per_cluster(
    data: &Matrix<f32>,
    groups: &Groups,
    means: &[Vec<f64>],
    of: impl Fn(f64) -> f64 + Sync,
) -> Vec<f64> {
    let square = |i: u32, mean: &[f64]| {
        data.row(i as usize).iter().zip(mean).map(|(&x, m)| (f64::from(x) - m).powi(2)).sum::<f64>()
    };
    let sum = |c: usize| groups.members(c).iter().map(|&i| of(square(i, &means[c]))).sum();
    (0..groups.len()).into_par_iter().map(sum).collect()
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum()
}

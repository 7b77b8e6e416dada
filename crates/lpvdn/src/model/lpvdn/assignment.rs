//! From a code to a cluster: labels and probabilities in one space.

use lpvdn_core::Matrix;
use lpvdn_core::math::{exp, ln};
use rayon::prelude::*;

use crate::loss::mixture::{Mixture, log_softmax, softmax};
use crate::model::centers::means_of;
use crate::model::graph::landmarks::Landmarks;
use crate::model::graph::places::Projection;

/// How a model turns codes into clusters.
#[derive(Clone, Debug, PartialEq)]
pub enum Assignment {
    /// The nearest centre in o'. Probabilities are a softmax of −‖o' − c_k‖²/2s² with one shared s,
    /// so the most probable cluster is the nearest.
    Centers {
        /// K × O
        centers: Matrix<f32>,
        /// s
        scale: f32,
    },
    /// The cluster whose cells are nearest in o': every cell is a blob of equal weight with one shared s,
    /// and a cluster is the sum of its cells.
    Cells {
        /// M × O
        cells: Matrix<f32>,
        /// The cluster of each cell.
        clusters: Vec<u32>,
        /// s
        scale: f32,
    },
    /// The most probable component of a diagonal Gaussian mixture in o'.
    Mixture {
        /// K
        weights: Vec<f32>,
        /// K × O
        means: Matrix<f32>,
        /// K × O
        variances: Matrix<f32>,
    },
    /// Landmarks among the rows as they are compared without any training, for the partition of them that was chosen (`candidates`).
    Rows(Box<RowAssignment>),
    /// The most probable component of the model's own prior at μ̃: without L_LP there is no
    /// trained o'.
    Prior,
}

/// Landmarks, and the space that they are in.
#[derive(Clone, Debug, PartialEq)]
pub struct RowAssignment {
    pub(crate) projection: Projection,
    pub(crate) landmarks: Landmarks,
}

impl RowAssignment {
    /// The middle of each cluster: the mean of its landmarks.
    pub(crate) fn centers(&self, clusters: usize) -> Matrix<f32> {
        means_of(&self.landmarks.places, &self.landmarks.clusters, clusters)
    }
}

/// The space in which an assignment measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// o', the output of the locality net.
    Embedding,
    /// μ̃, the latent mean.
    Latent,
    /// The rows as they are compared without any training: their values in the view, or principal components of these.
    Rows,
}

impl Assignment {
    /// The space it measures in.
    pub fn space(&self) -> Space {
        match self {
            Assignment::Prior => Space::Latent,
            Assignment::Rows(_) => Space::Rows,
            Assignment::Centers { .. } | Assignment::Cells { .. } | Assignment::Mixture { .. } => {
                Space::Embedding
            }
        }
    }

    /// Unnormalised log-probabilities of each cluster for one point. Plain sums in double precision:
    /// the bits do not depend on which other points are asked for.
    fn scores(&self, prior: Mixture<'_, f32>, point: &[f32], out: &mut [f64]) {
        match self {
            Assignment::Centers { centers, scale } => {
                let factor = -0.5 / f64::from(*scale).powi(2);
                for (k, out) in out.iter_mut().enumerate() {
                    *out = factor * squared_distance(point, centers.row(k));
                }
            }
            Assignment::Cells { cells, clusters, scale } => {
                cell_scores(cells, clusters, -0.5 / f64::from(*scale).powi(2), point, out);
            }
            Assignment::Mixture { weights, means, variances } => {
                for (k, out) in out.iter_mut().enumerate() {
                    *out = f64::from(weights[k]).ln()
                        + log_normal(point, means.row(k), |j| variances.row(k)[j].into());
                }
            }
            // Landmarks are searched for many points at a time: see `labels` and `probabilities`.
            Assignment::Rows(_) => out.fill(0.0),
            Assignment::Prior => prior_scores(prior, point, out),
        }
    }
}

/// log π_c + log N(point; μ_c, σ²_c) for each component of the prior.
fn prior_scores(prior: Mixture<'_, f32>, point: &[f32], out: &mut [f64]) {
    let size = point.len();
    for (c, (log_pi, out)) in log_softmax(prior.log_weights).zip(out).enumerate() {
        let row = c * size..(c + 1) * size;
        let log_variances = &prior.log_variances[row.clone()];
        *out = f64::from(log_pi) + log_normal(point, &prior.means[row], |j| exp(f64::from(log_variances[j])));
    }
}

/// log Σ exp(factor · ‖point − cell‖²) over the cells of each cluster.
fn cell_scores(cells: &Matrix<f32>, clusters: &[u32], factor: f64, point: &[f32], out: &mut [f64]) {
    let cells = || cells.iter_rows().map(|cell| factor * squared_distance(point, cell)).zip(clusters);
    out.fill(f64::NEG_INFINITY);
    cells().for_each(|(value, &k)| out[k as usize] = out[k as usize].max(value));
    let largest = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // What is e⁻⁴⁰ of the nearest changes no sum that is kept in single precision.
    let mut sums = vec![0.0; out.len()];
    for (value, &k) in cells().filter(|(value, _)| *value > largest - 40.0) {
        sums[k as usize] += exp(value - out[k as usize]);
    }
    out.iter_mut().zip(sums).filter(|(_, sum)| *sum > 0.0).for_each(|(out, sum)| *out += ln(sum));
}

fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum()
}

fn log_normal(point: &[f32], mean: &[f32], variance: impl Fn(usize) -> f64) -> f64 {
    let terms = point.iter().zip(mean).enumerate().map(|(j, (x, m))| {
        let (d, v) = (f64::from(*x) - f64::from(*m), variance(j));
        ln(std::f64::consts::TAU * v) + d * d / v
    });
    -0.5 * terms.sum::<f64>()
}

/// The most probable cluster of each point; the lowest of equals.
pub(crate) fn labels(assignment: &Assignment, prior: Mixture<'_, f32>, points: &Matrix<f32>) -> Vec<u32> {
    let clusters = prior.log_weights.len();
    if let Assignment::Rows(rows) = assignment {
        return rows.landmarks.labels(points, clusters);
    }
    let label = |scores: &mut Vec<f64>, i: usize| {
        assignment.scores(prior, points.row(i), scores);
        let mut best = 0;
        for (k, score) in scores.iter().enumerate() {
            if *score > scores[best] {
                best = k;
            }
        }
        best as u32
    };
    (0..points.rows()).into_par_iter().map_init(|| vec![0.0; clusters], label).collect()
}

/// The probability of each cluster for each point.
pub(crate) fn probabilities(
    assignment: &Assignment,
    prior: Mixture<'_, f32>,
    points: &Matrix<f32>,
) -> Matrix<f32> {
    let clusters = prior.log_weights.len();
    if let Assignment::Rows(rows) = assignment {
        return rows.landmarks.shares(points, clusters);
    }
    let mut all = Matrix::zeros(points.rows(), clusters);
    let rows = all.as_mut_slice().par_chunks_mut(clusters.max(1)).enumerate();
    rows.for_each_init(
        || vec![0.0; clusters],
        |scores, (i, row)| {
            assignment.scores(prior, points.row(i), scores);
            softmax(scores, row);
        },
    );
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_the_sum_of_its_cells() {
        let cells = Matrix::from_vec(vec![0.0, 1.0, 5.0], 3, 1);
        let assignment = Assignment::Cells { cells, clusters: vec![0, 0, 1], scale: 0.7 };
        let prior = Mixture { log_weights: &[0.0_f32; 2], means: &[], log_variances: &[] };
        let points = Matrix::from_vec(vec![0.2, 2.9, 4.0, 1e4], 4, 1);
        assert_eq!(labels(&assignment, prior, &points), [0, 0, 1, 1]);
        let found = probabilities(&assignment, prior, &points);
        for (i, x) in points.as_slice().iter().enumerate().take(3) {
            let blob = |c: f32| (-0.5 * f64::from((x - c) / 0.7).powi(2)).exp();
            let wanted = (blob(0.0) + blob(1.0)) / (blob(0.0) + blob(1.0) + blob(5.0));
            assert!((f64::from(found.row(i)[0]) - wanted).abs() < 1e-6, "point {x}");
        }
        assert_eq!(found.row(3), [0.0, 1.0]);
        for far in [1e15, 1e30, f32::MAX] {
            let found = probabilities(&assignment, prior, &Matrix::from_vec(vec![far], 1, 1));
            assert!((found.row(0).iter().sum::<f32>() - 1.0).abs() < 1e-6, "{far}: {found:?}");
        }
    }
}

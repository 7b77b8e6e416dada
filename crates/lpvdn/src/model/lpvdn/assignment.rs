//! From a code to a cluster: labels and probabilities in one space.

use lpvdn_core::Matrix;
use lpvdn_core::math::{exp, ln};

use crate::loss::mixture::{Mixture, log_softmax};

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
    /// The most probable component of a diagonal Gaussian mixture in o'.
    Mixture {
        /// K
        weights: Vec<f32>,
        /// K × O
        means: Matrix<f32>,
        /// K × O
        variances: Matrix<f32>,
    },
    /// The most probable component of the model's own prior at μ̃: without L_LP there is no
    /// trained o'.
    Prior,
}

/// The space in which an assignment measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// o', the output of the locality net.
    Embedding,
    /// μ̃, the latent mean.
    Latent,
}

impl Assignment {
    /// The space it measures in.
    pub fn space(&self) -> Space {
        match self {
            Assignment::Prior => Space::Latent,
            Assignment::Centers { .. } | Assignment::Mixture { .. } => Space::Embedding,
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
            Assignment::Mixture { weights, means, variances } => {
                for (k, out) in out.iter_mut().enumerate() {
                    *out = f64::from(weights[k]).ln()
                        + log_normal(point, means.row(k), |j| variances.row(k)[j].into());
                }
            }
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
    let mut scores = vec![0.0; prior.log_weights.len()];
    let label = |point: &[f32]| {
        assignment.scores(prior, point, &mut scores);
        let mut best = 0;
        for (k, score) in scores.iter().enumerate() {
            if *score > scores[best] {
                best = k;
            }
        }
        best as u32
    };
    points.iter_rows().map(label).collect()
}

/// The probability of each cluster for each point.
pub(crate) fn probabilities(
    assignment: &Assignment,
    prior: Mixture<'_, f32>,
    points: &Matrix<f32>,
) -> Matrix<f32> {
    let clusters = prior.log_weights.len();
    let mut all = Matrix::zeros(points.rows(), clusters);
    let mut scores = vec![0.0; clusters];
    for (i, point) in points.iter_rows().enumerate() {
        assignment.scores(prior, point, &mut scores);
        let row = all.row_mut(i).iter_mut().zip(log_softmax(&scores));
        row.for_each(|(p, log_p)| *p = exp(log_p) as f32);
    }
    all
}

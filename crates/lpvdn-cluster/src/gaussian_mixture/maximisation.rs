//! The M step: weights, means and covariances from responsibilities.
//!
//! $$N_c = \sum_i \gamma_{ic}, \quad \pi_c = \frac{N_c}{n}, \quad \mu_c = \frac{1}{N_c}\sum_i \gamma_{ic} x_i,
//! \quad \Sigma_c = \frac{1}{N_c}\sum_i \gamma_{ic}(x_i - \mu_c)(x_i - \mu_c)^T + \epsilon I$$
//!
//! One covariance for all components is the mean of these, $\Sigma = \sum_c \pi_c \Sigma_c$. The responsibilities of a row add up to 1,
//! so that it is the scatter of all rows around their mean less that of the means of the components: a product for each row, instead of one
//! for each row and component.
//!
//! The covariance takes a second pass, around the new means: a mean of squares minus the square of a
//! mean would cancel.

use lpvdn_core::{Matrix, kernel};
use rayon::prelude::*;

use super::hyperparams::CovarianceType;
use super::{Covariances, Parts};
use crate::input::{CHUNK, add_in_order, chunks};

/// A component with less than this many rows in all keeps a weight that is positive.
const LEAST_ROWS: f64 = 10.0 * f64::EPSILON;
/// The smallest variance when `reg_covar` is 0: its inverse, and the square of any accepted value
/// over it, are finite.
const LEAST_VARIANCE: f64 = 1e-150;
/// At most this many cells of partial sums over all chunks.
const MOST_CELLS: usize = 1 << 24;

/// The mixture that maximises the expected likelihood under `responsibilities` (rows × components).
/// A component that lost every row has its mean at `fallback`, the mean of all rows.
pub(super) fn maximise(
    data: &Matrix<f32>,
    responsibilities: &Matrix<f64>,
    kind: CovarianceType,
    reg_covar: f64,
    fallback: &[f64],
) -> Parts {
    let (n, k, cols) = (data.rows(), responsibilities.cols(), data.cols());
    let (counts, means) = weighted_means(data, responsibilities, fallback);
    let total: f64 = counts.iter().sum();
    let weights = counts.iter().map(|c| c / total).collect();
    let cells = match kind {
        CovarianceType::Diagonal => k * cols,
        CovarianceType::Full => k * cols * cols,
        CovarianceType::Tied => cols * cols,
    };
    let mut sums = pass(n, cells, |sums, scratch, i| {
        let gammas = responsibilities.row(i);
        scratch.clear();
        scratch.extend(data.row(i).iter().map(|&x| f64::from(x)));
        match kind {
            CovarianceType::Diagonal => add_squares(gammas, scratch, means.as_slice(), sums),
            CovarianceType::Full => add_outer_products(gammas, scratch, means.as_slice(), sums),
            CovarianceType::Tied => add_outer_product(scratch, fallback, sums),
        }
    });
    let variance = |mean_square: f64| (mean_square + reg_covar).max(LEAST_VARIANCE);
    // Of a lower triangle.
    let symmetric = |cells: &[f64], rows: f64| {
        Matrix::from_fn(cols, cols, |i, j| match i == j {
            true => variance(cells[i * cols + i] / rows),
            false => cells[i.max(j) * cols + i.min(j)] / rows,
        })
    };
    let covariances = match kind {
        CovarianceType::Diagonal => {
            Covariances::Diagonal(Matrix::from_fn(k, cols, |c, j| variance(sums[c * cols + j] / counts[c])))
        }
        CovarianceType::Full => {
            let each = sums.chunks_exact(cols * cols).zip(&counts);
            Covariances::Full(each.map(|(cells, &rows)| symmetric(cells, rows)).collect())
        }
        CovarianceType::Tied => {
            let between = between(&counts, &means, fallback);
            sums.iter_mut().zip(between.as_slice()).for_each(|(sum, b)| *sum -= b);
            Covariances::Tied(symmetric(&sums, total))
        }
    };
    Parts { weights, means, covariances }
}

/// The scatter of the means around the middle of all rows: Σ_c N_c (μ_c − m)(μ_c − m)ᵀ.
fn between(counts: &[f64], means: &Matrix<f64>, middle: &[f64]) -> Matrix<f64> {
    let mut sums = Matrix::zeros(middle.len(), middle.len());
    for (&rows, mean) in counts.iter().zip(means.iter_rows()) {
        let d: Vec<f64> = mean.iter().zip(middle).map(|(mean, m)| mean - m).collect();
        for (i, left) in d.iter().enumerate() {
            sums.row_mut(i).iter_mut().zip(&d).for_each(|(sum, right)| *sum += rows * left * right);
        }
    }
    sums
}

fn weighted_means(data: &Matrix<f32>, gammas: &Matrix<f64>, fallback: &[f64]) -> (Vec<f64>, Matrix<f64>) {
    let (k, cols) = (gammas.cols(), data.cols());
    let sums = pass(data.rows(), k * (cols + 1), |sums, scratch, i| {
        scratch.clear();
        scratch.push(1.0);
        scratch.extend(data.row(i).iter().map(|&x| f64::from(x)));
        add_weighted(gammas.row(i), scratch, sums);
    });
    let at = |c: usize, j: usize| sums[c * (cols + 1) + j];
    let counts: Vec<f64> = (0..k).map(|c| at(c, 0).max(LEAST_ROWS)).collect();
    let means =
        Matrix::from_fn(
            k,
            cols,
            |c, j| {
                if at(c, 0) > LEAST_ROWS { at(c, j + 1) / counts[c] } else { fallback[j] }
            },
        );
    (counts, means)
}

/// Calls `add(sums, scratch, row)` for all rows, each chunk of rows with sums of its own, and adds
/// those in the order of the chunks. The chunks follow from the shape.
fn pass(rows: usize, cells: usize, add: impl Fn(&mut [f64], &mut Vec<f64>, usize) + Sync) -> Vec<f64> {
    let most = (MOST_CELLS / cells).clamp(1, 64);
    let chunk = rows.div_ceil(most).max(CHUNK);
    let parts = chunks(rows, chunk).map(|range| {
        let (mut sums, mut scratch) = (vec![0.0; cells], Vec::new());
        range.for_each(|i| add(&mut sums, &mut scratch, i));
        sums
    });
    add_in_order(parts.collect())
}

kernel! {
    /// sums_c ← sums_c + γ_c x
    fn add_weighted<T>(gammas: &[T], x: &[T], sums: &mut [T]) {
        for (&gamma, sums) in gammas.iter().zip(sums.chunks_exact_mut(x.len())) {
            if gamma > T::ZERO {
                for (s, &x) in sums.iter_mut().zip(x) {
                    *s = gamma.fma::<FMA>(x, *s);
                }
            }
        }
    }
}

kernel! {
    /// sums_c ← sums_c + γ_c (x − μ_c)²
    fn add_squares<T>(gammas: &[T], x: &[T], means: &[T], sums: &mut [T]) {
        let components = means.chunks_exact(x.len()).zip(sums.chunks_exact_mut(x.len()));
        for (&gamma, (means, sums)) in gammas.iter().zip(components) {
            if gamma > T::ZERO {
                for ((s, &x), &m) in sums.iter_mut().zip(x).zip(means) {
                    *s = (gamma * (x - m)).fma::<FMA>(x - m, *s);
                }
            }
        }
    }
}

kernel! {
    /// The lower triangle of sums ← sums + (x − m)(x − m)ᵀ
    fn add_outer_product<T>(x: &[T], middle: &[T], sums: &mut [T]) {
        let d = x.len();
        for (i, sums) in sums.chunks_exact_mut(d).enumerate() {
            let left = x[i] - middle[i];
            for ((s, &x), &m) in sums[..=i].iter_mut().zip(x).zip(middle) {
                *s = left.fma::<FMA>(x - m, *s);
            }
        }
    }
}

kernel! {
    /// The lower triangle of sums_c ← sums_c + γ_c (x − μ_c)(x − μ_c)ᵀ
    fn add_outer_products<T>(gammas: &[T], x: &[T], means: &[T], sums: &mut [T]) {
        let d = x.len();
        let components = means.chunks_exact(d).zip(sums.chunks_exact_mut(d * d));
        for (&gamma, (means, sums)) in gammas.iter().zip(components) {
            if gamma > T::ZERO {
                for (i, sums) in sums.chunks_exact_mut(d).enumerate() {
                    let left = gamma * (x[i] - means[i]);
                    for ((s, &x), &m) in sums[..=i].iter_mut().zip(x).zip(means) {
                        *s = left.fma::<FMA>(x - m, *s);
                    }
                }
            }
        }
    }
}

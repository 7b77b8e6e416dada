//! L_LP (Eqns. 12–14): the locality net must keep the neighbourhoods of the latent means.
//!
//! With w_ij = 1/(1 + ‖o'_i − o'_j‖²) and q_ij = w_ij / Σ_{k≠l} w_kl,
//! L_LP = Σ_{i≠j} p_ij log(p_ij / q_ij). With M = (P − Q)∘W its gradient is
//! ∂L/∂O = 4 (diag(M·1) − M)·O, one product.

use lpvdn_core::product::{Store, product};
use lpvdn_core::{Matrix, Real, kernel};
use rayon::prelude::*;

use super::affinities::squared_distances;
use super::sums::lane_sum;

/// Probabilities below this count as this in logarithms.
const FLOOR: f64 = 1e-20;
/// Elements whose values are kept before they are summed.
const BLOCK: usize = 64;

/// What the term needs in memory.
#[derive(Clone, Debug)]
pub struct LocalityScratch<T> {
    centred: Matrix<T>,
    norms: Vec<T>,
    /// Squared distances, then W, then M.
    pairs: Matrix<T>,
    /// One value a row: Σ_j w_ij, then Σ_j p log(p/q).
    row_values: Vec<f64>,
    /// Σ_j M_ij
    row_pull: Vec<T>,
}

impl<T: Real> LocalityScratch<T> {
    /// Memory for batches of up to `rows` rows.
    pub fn new(rows: usize, dimensions: usize) -> LocalityScratch<T> {
        LocalityScratch {
            centred: Matrix::zeros(rows, dimensions),
            norms: vec![T::ZERO; rows],
            pairs: Matrix::zeros(rows, rows),
            row_values: vec![0.0; rows],
            row_pull: vec![T::ZERO; rows],
        }
    }
}

/// The value of the term for affinities `p` and mapped rows `o`; writes weight × its gradient with
/// respect to `o`.
pub fn locality<T: Real>(
    p: &Matrix<T>,
    o: &Matrix<T>,
    weight: f64,
    gradient: &mut Matrix<T>,
    scratch: &mut LocalityScratch<T>,
) -> f64 {
    let n = o.rows();
    assert_eq!((p.rows(), p.cols()), (n, n));
    let LocalityScratch { centred, norms, pairs, row_values, row_pull } = scratch;
    squared_distances(o, centred, norms, pairs);
    row_values.resize(n, 0.0);
    row_pull.resize(n, T::ZERO);
    let rows = pairs.as_mut_slice().par_chunks_mut(n).zip(row_values.par_iter_mut());
    rows.enumerate().for_each(|(i, (row, total))| {
        *total = student_weights(row, i);
    });
    let norm = T::of(1.0 / row_values.iter().sum::<f64>());
    pairs
        .as_mut_slice()
        .par_chunks_mut(n)
        .zip(row_values.par_iter_mut().zip(row_pull.par_iter_mut()))
        .enumerate()
        .for_each(|(i, (row, (value, pull)))| {
            (*value, *pull) = divergence_row(p.row(i), row, norm);
        });
    // 4(diag(M1) − M)·O of the centred rows: a shift of O changes nothing, and small numbers cancel less.
    gradient.set_rows(n);
    product(gradient.view_mut(), pairs.view(), centred.view(), Store::Replace);
    let step = T::of(4.0 * weight);
    for (i, &pull) in row_pull.iter().enumerate() {
        let row = gradient.row_mut(i).iter_mut().zip(centred.row(i));
        row.for_each(|(g, &o)| *g = step * (pull * o - *g));
    }
    row_values.iter().sum()
}

kernel! {
    /// d ← 1/(1 + d), 0 at `itself`; returns the sum.
    fn student_weights<T>(d: &mut [T], itself: usize) -> f64 {
        d.iter_mut().for_each(|d| *d = T::ONE / (T::ONE + *d));
        d[itself] = T::ZERO;
        lane_sum(d).f64()
    }
}

kernel! {
    /// w ← (p − q)·w; returns Σ p log(p/q) and the sum of the new values.
    fn divergence_row<T>(p: &[T], w: &mut [T], norm: T) -> (f64, T) {
        let floor = T::of(FLOOR);
        let mut total = 0.0;
        let mut values = [T::ZERO; BLOCK];
        for (p, w) in p.chunks(BLOCK).zip(w.chunks_mut(BLOCK)) {
            let values = &mut values[..p.len()];
            for ((&p, w), value) in p.iter().zip(w).zip(values.iter_mut()) {
                let q = *w * norm;
                *value = p * (p.at_least(floor) / q.at_least(floor)).ln::<FMA>();
                *w = (p - q) * *w;
            }
            total += lane_sum(values).f64();
        }
        (total, lane_sum(w))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::affinities::Affinities;
    use crate::loss::finite_difference::assert_gradient;
    use lpvdn_core::StreamKey;

    fn example(n: usize) -> (Matrix<f64>, Matrix<f64>) {
        let mut s = StreamKey::new(61, "locality").open();
        let latent = Matrix::from_fn(n, 4, |_, _| s.normal());
        let mut affinities = Affinities::new(n, 4);
        affinities.update(&latent, 5.0);
        (affinities.joint().clone(), Matrix::from_fn(n, 3, |_, _| 1.5 * s.normal() + 2.0))
    }

    fn evaluate(p: &Matrix<f64>, o: &Matrix<f64>, weight: f64) -> (f64, Matrix<f64>) {
        let mut gradient = Matrix::zeros(o.rows(), o.cols());
        let mut scratch = LocalityScratch::new(o.rows(), o.cols());
        (weight * locality(p, o, weight, &mut gradient, &mut scratch), gradient)
    }

    #[test]
    fn the_gradient_is_that_of_the_value() {
        let (p, o) = example(70);
        let (_, gradient) = evaluate(&p, &o, 0.3);
        assert_gradient("locality", o.as_slice(), gradient.as_slice(), |x| {
            evaluate(&p, &Matrix::from_vec(x.to_vec(), 70, 3), 0.3).0
        });
    }

    #[test]
    fn the_value_is_the_divergence_written_out() {
        let (p, o) = example(30);
        let w = |i: usize, j: usize| {
            1.0 / (1.0 + o.row(i).iter().zip(o.row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>())
        };
        let pairs = || (0..30).flat_map(|i| (0..30).map(move |j| (i, j))).filter(|(i, j)| i != j);
        let total: f64 = pairs().map(|(i, j)| w(i, j)).sum();
        let want: f64 = pairs().map(|(i, j)| p.row(i)[j] * (p.row(i)[j] / (w(i, j) / total)).ln()).sum();
        let (value, _) = evaluate(&p, &o, 1.0);
        assert!((value - want).abs() < 1e-10, "{value} against {want}");
        assert!(value > 0.0);
    }

    #[test]
    fn single_precision_agrees_with_double() {
        let (p, o) = example(70);
        let (wide, wide_gradient) = evaluate(&p, &o, 1.0);
        let mut gradient = Matrix::<f32>::zeros(70, 3);
        let mut scratch = LocalityScratch::new(70, 3);
        let narrow = locality(&p.cast(), &o.cast(), 1.0, &mut gradient, &mut scratch);
        assert!((wide - narrow).abs() < 1e-5, "{wide} against {narrow}");
        for (a, b) in wide_gradient.as_slice().iter().zip(gradient.as_slice()) {
            assert!((a - f64::from(*b)).abs() < 1e-6);
        }
    }
}

//! What the encoder makes of a row that was made from z, against z: the two cycle terms.
//!
//! noise = mean_i ‖z_n − ẑ_n‖²/d_n, class = mean_i −log softmax(ẑ_c)·z_c
//!
//! Both are means over rows; the square is also a mean over the d_n values of z_n, so that its weight
//! means the same whatever d_n is.

use lpvdn_core::math::ln;
use lpvdn_core::{Matrix, Real};

use super::generator::CycleWeights;

/// The values of both terms; writes weights × their gradients with respect to `output`, [ẑ_n, ẑ_c].
pub(super) fn cycle_terms<T: Real>(
    z: &Matrix<T>,
    output: &Matrix<T>,
    noise: usize,
    weights: CycleWeights,
    gradient: &mut Matrix<T>,
) -> (f64, f64) {
    let rows = z.rows() as f64;
    let square_step = T::of(2.0 * weights.noise / (rows * noise as f64));
    let class_step = T::of(weights.class / rows);
    let (mut squares, mut entropy) = (0.0, 0.0);
    for i in 0..z.rows() {
        let (z_n, z_c) = z.row(i).split_at(noise);
        let (to_n, to_c) = output.row(i).split_at(noise);
        let (d_n, d_c) = gradient.row_mut(i).split_at_mut(noise);
        for ((d, &to), &z) in d_n.iter_mut().zip(to_n).zip(z_n) {
            let difference = to - z;
            squares += difference.f64() * difference.f64();
            *d = square_step * difference;
        }
        d_c.copy_from_slice(to_c);
        let log_total = softmax(d_c);
        for ((d, &to), &z) in d_c.iter_mut().zip(to_c).zip(z_c) {
            entropy += z.f64() * (log_total - to.f64());
            *d = class_step * (*d - z);
        }
    }
    (squares / (rows * noise as f64), entropy / rows)
}

/// logits ← softmax(logits); returns log Σ e^logit.
pub(super) fn softmax<T: Real>(logits: &mut [T]) -> f64 {
    let largest = logits.iter().fold(T::of(f64::NEG_INFINITY), |m, &v| m.at_least(v));
    let mut total = 0.0;
    for v in logits.iter_mut() {
        *v = (*v - largest).exp::<false>();
        total += v.f64();
    }
    let scale = T::of(1.0 / total);
    logits.iter_mut().for_each(|v| *v *= scale);
    largest.f64() + ln(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::finite_difference::assert_gradient;
    use lpvdn_core::StreamKey;

    #[test]
    fn the_gradient_is_that_of_the_weighted_values() {
        let mut s = StreamKey::new(7, "cycle").open();
        let output = Matrix::from_fn(5, 6, |_, _| 2.0 * s.normal());
        let z = Matrix::from_fn(5, 6, |i, j| if j < 2 { s.normal() } else { f64::from(j - 2 == i % 4) });
        let weights = CycleWeights { noise: 3.0, class: 0.7 };
        let evaluate = |output: &[f64]| {
            let mut gradient = Matrix::zeros(5, 6);
            let output = Matrix::from_vec(output.to_vec(), 5, 6);
            let (noise, class) = cycle_terms(&z, &output, 2, weights, &mut gradient);
            (3.0 * noise + 0.7 * class, gradient)
        };
        let gradient = evaluate(output.as_slice()).1;
        assert_gradient("cycle", output.as_slice(), gradient.as_slice(), |output| evaluate(output).0);
    }

    #[test]
    fn an_encoder_that_knows_z_pays_nothing_and_a_blind_one_pays_chance() {
        let mut gradient = Matrix::zeros(1, 6);
        let z = Matrix::from_vec(vec![0.3, -0.4, 0.0, 1.0, 0.0, 0.0], 1, 6);
        let weights = CycleWeights { noise: 1.0, class: 1.0 };
        let blind = Matrix::zeros(1, 6);
        let (noise, class) = cycle_terms(&z, &blind, 2, weights, &mut gradient);
        assert!((noise - 0.125).abs() < 1e-12 && (class - ln(4.0)).abs() < 1e-12);
        let knows = Matrix::from_vec(vec![0.3, -0.4, -900.0, 900.0, -900.0, -900.0], 1, 6);
        assert_eq!(cycle_terms(&z, &knows, 2, weights, &mut gradient), (0.0, 0.0));
        assert!(gradient.as_slice().iter().all(|&g| g == 0.0));
    }
}

//! L_MI (Eqn. 8): the discriminator's cross-entropy on true and false pairs of row and code.
//!
//! L_MI = ½ [mean_i −log σ(D(x_i, z_i)) + mean_i −log(1 − σ(D(x_j, z_i)))]
//!
//! The paper adds its two halves (chance value 2 log 2); the released code averages them, and so do
//! we: chance is log 2 = 0.693, and log 2 − L_MI estimates the mutual information (Eqn. 7).

use lpvdn_core::{Matrix, Real, kernel};

/// The value of the term; writes weight × its gradient with respect to the discriminator's outputs.
///
/// `output` has one column; its first half are true pairs, its second half false ones.
pub fn mutual_information<T: Real>(output: &Matrix<T>, weight: f64, gradient: &mut Matrix<T>) -> f64 {
    let pairs = output.rows() / 2;
    assert_eq!((output.rows(), output.cols()), (2 * pairs, 1));
    gradient.set_rows(output.rows());
    let step = T::of(weight / (2 * pairs) as f64);
    let (d_true, d_false) = gradient.as_mut_slice().split_at_mut(pairs);
    let (is_true, is_false) = output.as_slice().split_at(pairs);
    let value =
        cross_entropy(is_true, T::ONE, step, d_true) + cross_entropy(is_false, -T::ONE, step, d_false);
    value / (2 * pairs) as f64
}

/// An estimate of I(X, Z) in nats from the value of the term: log 2 − L_MI.
pub fn information_estimate(value: f64) -> f64 {
    std::f64::consts::LN_2 - value
}

kernel! {
    /// Σ log(1 + e^(−sign·d)); gradient −sign·σ(−sign·d).
    fn cross_entropy<T>(outputs: &[T], sign: T, step: T, gradient: &mut [T]) -> f64 {
        let mut total = 0.0;
        for (&d, g) in outputs.iter().zip(gradient) {
            let m = sign * d;
            let e = (-m.abs()).exp::<FMA>();
            let sum = T::ONE + e;
            let sigma = (if m > T::ZERO { e } else { T::ONE }) / sum;
            *g = -(sign * step * sigma);
            total += ((-m).at_least(T::ZERO) + sum.ln::<FMA>()).f64();
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::finite_difference::assert_gradient;
    use lpvdn_core::StreamKey;

    #[test]
    fn the_gradient_is_that_of_the_value() {
        let mut s = StreamKey::new(41, "mi").open();
        let x: Vec<f64> = (0..14).map(|_| 2.0 * s.normal()).collect();
        let evaluate = |x: &[f64]| {
            let mut g = Matrix::zeros(14, 1);
            (0.4 * mutual_information(&Matrix::from_vec(x.to_vec(), 14, 1), 0.4, &mut g), g)
        };
        assert_gradient("mutual information", &x, evaluate(&x).1.as_slice(), |x| evaluate(x).0);
    }

    #[test]
    fn a_discriminator_that_knows_nothing_is_at_chance_and_a_perfect_one_at_zero() {
        let mut g = Matrix::zeros(4, 1);
        let blind = mutual_information(&Matrix::<f64>::zeros(4, 1), 1.0, &mut g);
        assert!((blind - std::f64::consts::LN_2).abs() < 1e-12);
        assert!(information_estimate(blind).abs() < 1e-12);
        let perfect = Matrix::from_vec(vec![50.0, 50.0, -50.0, -50.0], 4, 1);
        assert!(mutual_information(&perfect, 1.0, &mut g) < 1e-12);
        let fooled = Matrix::from_vec(vec![-1e4_f32, 1e4], 2, 1);
        assert_eq!(mutual_information(&fooled, 1.0, &mut Matrix::zeros(2, 1)), 1e4);
    }
}

//! The reconstruction part of L_G (Eqn. 4): −E[log p(x|z)] with one draw of z.
//!
//! * Bernoulli, for values in [0, 1]: −Σ_d x_d log μ_d + (1 − x_d) log(1 − μ_d), with μ = sigmoid of
//!   the decoder's output, computed from the output itself so that no logarithm of 0 can occur.
//! * Gaussian, for everything else: Σ_d (x_d − μ_d)², that is D times the mean squared error.
//!
//! Pre-training uses the mean squared error over everything, (1/D) Σ_d (x_d − μ_d)².

use lpvdn_core::{Matrix, Real, kernel};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::sums::lane_sum;

/// Rows handled by one task.
const ROWS: usize = 32;
/// Elements whose values are kept before they are summed.
const BLOCK: usize = 64;

/// What the decoder's output means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likelihood {
    /// Log-odds of values in [0, 1].
    Bernoulli,
    /// Means of values on any scale.
    Gaussian,
}

impl Likelihood {
    /// Turns decoder outputs into reconstructed values.
    pub fn mean(self, outputs: &mut [f32]) {
        if self == Likelihood::Bernoulli {
            logistic(outputs);
        }
    }
}

/// Which value compares the decoder's output with the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// −log p(x|z), summed over columns.
    LogLikelihood,
    /// The mean squared error over columns, as the pre-training of the paper uses.
    MeanSquare,
}

/// The value of the term; writes weight × its gradient with respect to the decoder's output.
///
/// `row_values` is scratch of one value a row, so that the sum has a fixed order.
pub fn reconstruction<T: Real>(
    likelihood: Likelihood,
    objective: Objective,
    output: &Matrix<T>,
    target: &Matrix<T>,
    weight: f64,
    gradient: &mut Matrix<T>,
    row_values: &mut Vec<f64>,
) -> f64 {
    let (rows, cols) = (output.rows(), output.cols());
    assert_eq!((rows, cols), (target.rows(), target.cols()));
    gradient.set_rows(rows);
    row_values.resize(rows, 0.0);
    let scale = match objective {
        Objective::LogLikelihood => 1.0,
        Objective::MeanSquare => 1.0 / cols as f64,
    };
    let step = T::of(weight * scale / rows as f64);
    let kernel: fn(&[T], &[T], &mut [T], T) -> f64 = match (likelihood, objective) {
        (Likelihood::Bernoulli, Objective::LogLikelihood) => cross_entropy,
        (Likelihood::Bernoulli, Objective::MeanSquare) => square_of_logistic,
        (Likelihood::Gaussian, _) => square,
    };
    gradient
        .as_mut_slice()
        .par_chunks_mut(ROWS * cols)
        .zip(row_values.par_chunks_mut(ROWS))
        .enumerate()
        .for_each(|(chunk, (gradient, values))| {
            for (i, (g, value)) in gradient.chunks_mut(cols).zip(values).enumerate() {
                let row = chunk * ROWS + i;
                *value = kernel(output.row(row), target.row(row), g, step);
            }
        });
    scale * row_values.iter().sum::<f64>() / rows as f64
}

/// Σ value over a row, and its gradient times `step`, where `cell` gives both for one output and target.
#[inline(always)]
fn sum_row<T: Real>(
    output: &[T],
    target: &[T],
    gradient: &mut [T],
    step: T,
    cell: impl Fn(T, T) -> (T, T),
) -> f64 {
    let mut total = 0.0;
    let mut values = [T::ZERO; BLOCK];
    for ((o, x), g) in output.chunks(BLOCK).zip(target.chunks(BLOCK)).zip(gradient.chunks_mut(BLOCK)) {
        let values = &mut values[..o.len()];
        for (((&o, &x), g), value) in o.iter().zip(x).zip(g).zip(values.iter_mut()) {
            let (v, slope) = cell(o, x);
            *value = v;
            // Of a pixel that is always black, μ shrinks as long as training lasts.
            *g = (step * slope.unless_tiny()).unless_tiny();
        }
        total += lane_sum(values).f64();
    }
    total
}

kernel! {
    /// max(l, 0) − l·x + log(1 + e^−|l|); gradient sigmoid(l) − x.
    fn cross_entropy<T>(output: &[T], target: &[T], gradient: &mut [T], step: T) -> f64 {
        sum_row(output, target, gradient, step, |l, x| {
            let e = (-l.abs()).exp::<FMA>();
            let sum = T::ONE + e;
            let mu = (if l > T::ZERO { T::ONE } else { e }) / sum;
            (l.at_least(T::ZERO) - l * x + sum.ln::<FMA>(), mu - x)
        })
    }
}

kernel! {
    /// (sigmoid(l) − x)²; gradient 2(μ − x)·μ(1 − μ).
    fn square_of_logistic<T>(output: &[T], target: &[T], gradient: &mut [T], step: T) -> f64 {
        sum_row(output, target, gradient, step, |l, x| {
            let e = (-l.abs()).exp::<FMA>();
            let mu = (if l > T::ZERO { T::ONE } else { e }) / (T::ONE + e);
            // Their squares would be subnormal.
            let (d, mu) = ((mu - x).unless_square_tiny(), mu.unless_square_tiny());
            (d * d, (d + d) * mu * (T::ONE - mu))
        })
    }
}

kernel! {
    /// (μ − x)²; gradient 2(μ − x).
    fn square<T>(output: &[T], target: &[T], gradient: &mut [T], step: T) -> f64 {
        sum_row(output, target, gradient, step, |m, x| {
            let d = m - x;
            (d * d, d + d)
        })
    }
}

kernel! {
    /// x ← sigmoid(x)
    fn logistic<T>(x: &mut [T]) {
        x.iter_mut().for_each(|x| *x = T::ONE / (T::ONE + (-*x).exp::<FMA>()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::finite_difference::assert_gradient;
    use lpvdn_core::StreamKey;

    const ALL: [(Likelihood, Objective); 4] = [
        (Likelihood::Bernoulli, Objective::LogLikelihood),
        (Likelihood::Bernoulli, Objective::MeanSquare),
        (Likelihood::Gaussian, Objective::LogLikelihood),
        (Likelihood::Gaussian, Objective::MeanSquare),
    ];

    fn example(rows: usize, cols: usize) -> (Matrix<f64>, Matrix<f64>) {
        let mut s = StreamKey::new(21, "reconstruction").open();
        let output = Matrix::from_fn(rows, cols, |_, _| 3.0 * s.normal());
        (output, Matrix::from_fn(rows, cols, |_, _| s.uniform()))
    }

    #[test]
    fn every_form_has_the_gradient_of_its_value() {
        let (output, target) = example(5, 70);
        for (likelihood, objective) in ALL {
            let value = |o: &Matrix<f64>, g: &mut Matrix<f64>| {
                0.7 * reconstruction(likelihood, objective, o, &target, 0.7, g, &mut Vec::new())
            };
            let mut gradient = Matrix::zeros(5, 70);
            value(&output, &mut gradient);
            let what = format!("{likelihood:?} {objective:?}");
            assert_gradient(&what, output.as_slice(), gradient.as_slice(), |o| {
                value(&Matrix::from_vec(o.to_vec(), 5, 70), &mut Matrix::zeros(5, 70))
            });
        }
    }

    #[test]
    fn single_precision_agrees_with_double() {
        let (output, target) = example(9, 784);
        for (likelihood, objective) in ALL {
            let mut wide = Matrix::zeros(9, 784);
            let a = reconstruction(likelihood, objective, &output, &target, 1.0, &mut wide, &mut Vec::new());
            let mut narrow = Matrix::<f32>::zeros(9, 784);
            let (o, t) = (output.cast::<f32>(), target.cast::<f32>());
            let b = reconstruction(likelihood, objective, &o, &t, 1.0, &mut narrow, &mut Vec::new());
            assert!((a - b).abs() / a < 1e-5, "{likelihood:?} {objective:?}: {a} against {b}");
            for (w, n) in wide.as_slice().iter().zip(narrow.as_slice()) {
                assert!((w - f64::from(*n)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn extreme_outputs_stay_finite() {
        let output = Matrix::from_vec(vec![-1e4_f32, 1e4, -1e4, 1e4], 1, 4);
        let target = Matrix::from_vec(vec![0.0, 1.0, 1.0, 0.0], 1, 4);
        let mut g = Matrix::zeros(1, 4);
        let (likelihood, objective) = ALL[0];
        let value = reconstruction(likelihood, objective, &output, &target, 1.0, &mut g, &mut Vec::new());
        assert_eq!(value, 2e4);
        assert_eq!(g.as_slice(), [0.0, 0.0, -1.0, 1.0]);
    }
}

//! The divergence of a variational autoencoder from a standard normal prior (Kingma and Welling 2014):
//! KL(q(z|x) ‖ N(0, I)) = ½ Σ_j (μ̃² + σ̃² − 1 − log σ̃²).

use lpvdn_core::{Matrix, Real};

use super::mixture::Code;

/// The mean over the rows; writes weight × its gradient with respect to μ̃ and log σ̃².
pub fn standard_normal_divergence<T: Real>(
    code: Code<'_, T>,
    weight: f64,
    d_mean: &mut Matrix<T>,
    d_log_variance: &mut Matrix<T>,
) -> f64 {
    let rows = code.mean.rows();
    d_mean.set_rows(rows);
    d_log_variance.set_rows(rows);
    let (step, half) = (T::of(weight / rows as f64), T::of(0.5));
    let mut sum = 0.0;
    for i in 0..rows {
        let cells = code.mean.row(i).iter().zip(code.log_variance.row(i));
        let slopes = d_mean.row_mut(i).iter_mut().zip(d_log_variance.row_mut(i));
        for ((&mean, &log_variance), (d_mean, d_log_variance)) in cells.zip(slopes) {
            let variance = log_variance.exp::<false>();
            sum += 0.5 * (mean * mean + variance - T::ONE - log_variance).f64();
            *d_mean = step * mean;
            *d_log_variance = step * half * (variance - T::ONE);
        }
    }
    sum / rows as f64
}

/// The divergence of each row.
pub fn standard_normal_divergences<T: Real>(code: Code<'_, T>) -> Vec<f64> {
    let cell = |(&mean, &log_variance): (&T, &T)| {
        0.5 * (mean * mean + log_variance.exp::<false>() - T::ONE - log_variance).f64()
    };
    let row = |i| code.mean.row(i).iter().zip(code.log_variance.row(i)).map(cell).sum();
    (0..code.mean.rows()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use lpvdn_core::StreamKey;

    use super::*;
    use crate::loss::finite_difference::assert_gradient;

    fn draw(step: u64) -> Matrix<f64> {
        let mut stream = StreamKey::new(3, "codes").at(0, 0, step).open();
        Matrix::from_fn(5, 3, |_, _| stream.normal())
    }

    fn value(mean: &Matrix<f64>, log_variance: &Matrix<f64>) -> (f64, Matrix<f64>, Matrix<f64>) {
        let (mut a, mut b) = (Matrix::zeros(0, 3), Matrix::zeros(0, 3));
        let value =
            standard_normal_divergence(Code { mean, log_variance, sample: mean }, 1.0, &mut a, &mut b);
        (value, a, b)
    }

    #[test]
    fn the_prior_itself_is_at_no_distance() {
        let zero = Matrix::zeros(4, 3);
        assert_eq!(value(&zero, &zero).0, 0.0);
    }

    #[test]
    fn the_value_is_the_mean_over_the_rows() {
        let (mean, log_variance) = (draw(1), draw(2));
        let rows =
            standard_normal_divergences(Code { mean: &mean, log_variance: &log_variance, sample: &mean });
        let (value, _, _) = value(&mean, &log_variance);
        assert!((rows.iter().sum::<f64>() / 5.0 - value).abs() < 1e-12);
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let (mean, log_variance) = (draw(1), draw(2));
        let (_, d_mean, d_log_variance) = value(&mean, &log_variance);
        let with = |cells: &[f64]| Matrix::from_vec(cells.to_vec(), 5, 3);
        assert_gradient("mean", mean.as_slice(), d_mean.as_slice(), |m| value(&with(m), &log_variance).0);
        assert_gradient("log variance", log_variance.as_slice(), d_log_variance.as_slice(), |v| {
            value(&mean, &with(v)).0
        });
    }
}

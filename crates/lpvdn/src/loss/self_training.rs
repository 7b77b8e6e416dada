//! The loss of DEC (Xie, Girshick and Farhadi 2016): assignments are pulled to a sharper version of
//! themselves.
//!
//! * Soft assignment, a Student-t kernel: q_ij = (1 + ‖z_i − μ_j‖²)⁻¹ / Σ_j' (1 + ‖z_i − μ_j'‖²)⁻¹.
//! * Target: p_ij = (q_ij²/f_j) / Σ_j' (q_ij'²/f_j') with f_j = Σ_i q_ij over all rows.
//! * Loss: KL(P ‖ Q) = Σ_ij p_ij log(p_ij/q_ij), here the mean over the rows of a batch.
//!
//! With w_ij = (1 + ‖z_i − μ_j‖²)⁻¹ its gradient is ∂z_i = 2 Σ_j w_ij (p_ij − q_ij)(z_i − μ_j), and
//! ∂μ_j is the same sum over i with the opposite sign. P has no gradient.

use lpvdn_core::math::ln;
use lpvdn_core::{Matrix, Real};

/// w of one code to each of the centres, which lie one after the other, and their sum.
fn kernels<T: Real>(code: &[T], centers: &[T], w: &mut [f64]) -> f64 {
    for (w, center) in w.iter_mut().zip(centers.chunks_exact(code.len())) {
        let square: f64 = code.iter().zip(center).map(|(&z, &m)| (z - m).f64() * (z - m).f64()).sum();
        *w = 1.0 / (1.0 + square);
    }
    w.iter().sum()
}

/// q of one code.
pub fn soft_assignment<T: Real>(code: &[T], centers: &[T], q: &mut [f64]) {
    let sum = kernels(code, centers, q);
    q.iter_mut().for_each(|q| *q /= sum);
}

/// p of one row from its q and f.
pub fn target(q: &[f32], frequencies: &[f64], p: &mut [f64]) {
    for ((p, &q), f) in p.iter_mut().zip(q).zip(frequencies) {
        *p = f64::from(q).powi(2) / f.max(f64::MIN_POSITIVE);
    }
    let sum: f64 = p.iter().sum();
    p.iter_mut().for_each(|p| *p /= sum.max(f64::MIN_POSITIVE));
}

/// KL(P ‖ Q), the mean over the rows; writes its gradients with respect to codes and centres.
pub fn self_training<T: Real>(
    codes: &Matrix<T>,
    centers: &[T],
    targets: &Matrix<f64>,
    d_codes: &mut Matrix<T>,
    d_centers: &mut [T],
) -> f64 {
    let (rows, size, clusters) = (codes.rows(), codes.cols(), targets.cols());
    d_codes.set_rows(rows);
    let mut of_centers = vec![0.0_f64; centers.len()];
    let (mut w, mut value) = (vec![0.0; clusters], 0.0);
    let mut of_code = vec![0.0_f64; size];
    let step = 1.0 / rows as f64;
    for i in 0..rows {
        let (code, p) = (codes.row(i), targets.row(i));
        let sum = kernels(code, centers, &mut w);
        of_code.fill(0.0);
        for (j, (&w, &p)) in w.iter().zip(p).enumerate() {
            let q = w / sum;
            if p > 0.0 {
                value += p * ln(p / q);
            }
            let slope = 2.0 * step * w * (p - q);
            let center = &centers[j * size..(j + 1) * size];
            for c in 0..size {
                let d = slope * (code[c] - center[c]).f64();
                of_code[c] += d;
                of_centers[j * size + c] -= d;
            }
        }
        d_codes.row_mut(i).iter_mut().zip(&of_code).for_each(|(d, &v)| *d = T::of(v));
    }
    d_centers.iter_mut().zip(of_centers).for_each(|(d, v)| *d = T::of(v));
    value * step
}

#[cfg(test)]
mod tests {
    use lpvdn_core::StreamKey;

    use super::*;
    use crate::loss::finite_difference::assert_gradient;

    fn draw(rows: usize, name: &'static str) -> Matrix<f64> {
        let mut stream = StreamKey::new(3, name).open();
        Matrix::from_fn(rows, 3, |_, _| stream.normal())
    }

    fn targets(codes: &Matrix<f64>, centers: &[f64]) -> Matrix<f64> {
        let mut q = Matrix::<f32>::zeros(codes.rows(), 4);
        let mut row = [0.0; 4];
        for i in 0..codes.rows() {
            soft_assignment(codes.row(i), centers, &mut row);
            q.row_mut(i).iter_mut().zip(row).for_each(|(q, r)| *q = r as f32);
        }
        let f: Vec<f64> = (0..4).map(|j| q.iter_rows().map(|r| f64::from(r[j])).sum()).collect();
        let mut p = Matrix::zeros(codes.rows(), 4);
        (0..codes.rows()).for_each(|i| target(q.row(i), &f, p.row_mut(i)));
        p
    }

    #[test]
    fn assignments_and_targets_are_probabilities() {
        let (codes, centers) = (draw(9, "codes"), draw(4, "centers"));
        let p = targets(&codes, centers.as_slice());
        let mut q = [0.0; 4];
        for i in 0..9 {
            soft_assignment(codes.row(i), centers.as_slice(), &mut q);
            assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!((p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn targets_are_sharper_than_assignments_and_weigh_small_clusters_up() {
        let mut p = [0.0; 2];
        // 0.8² : 0.2² where both clusters hold as much.
        target(&[0.8, 0.2], &[5.0, 5.0], &mut p);
        assert!((p[0] - 0.64 / 0.68).abs() < 1e-7, "{p:?}");
        // 0.6²/9 : 0.4²/1 where the first holds nine times as much.
        target(&[0.6, 0.4], &[9.0, 1.0], &mut p);
        assert!((p[0] - 0.04 / 0.20).abs() < 1e-7, "{p:?}");
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let (codes, centers) = (draw(9, "codes"), draw(4, "centers"));
        let p = targets(&codes, centers.as_slice());
        let run = |codes: &[f64], centers: &[f64]| {
            let (mut a, mut b) = (Matrix::zeros(0, 3), vec![0.0; 12]);
            let codes = Matrix::from_vec(codes.to_vec(), 9, 3);
            let value = self_training(&codes, centers, &p, &mut a, &mut b);
            (value, a, b)
        };
        let (_, d_codes, d_centers) = run(codes.as_slice(), centers.as_slice());
        assert_gradient("codes", codes.as_slice(), d_codes.as_slice(), |c| run(c, centers.as_slice()).0);
        assert_gradient("centers", centers.as_slice(), &d_centers, |c| run(codes.as_slice(), c).0);
    }
}

//! Log densities of the components, one row at a time.
//!
//! $$\ln N(x \mid \mu, \Sigma) = -\tfrac12\left(d \ln 2\pi + \|P(x - \mu)\|^2\right) + \sum_j \ln P_{jj},
//! \qquad P = L^{-1},\; \Sigma = LL^T$$

use lpvdn_core::{Matrix, Real, kernel};

use super::{Covariances, cholesky};

const LN_2_PI: f64 = 1.837_877_066_409_345_3;

/// Components prepared for evaluation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Densities {
    /// ln π − ½ d ln 2π + Σ ln P_jj of each component.
    constants: Vec<f64>,
    form: Form,
}

#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// Means and 1/σ as columns × components: the loop over components vectorises.
    Diagonal { means: Matrix<f64>, scales: Matrix<f64> },
    /// Means as they are, and the lower triangle P of each component.
    Full { means: Matrix<f64>, factors: Vec<Matrix<f64>> },
    /// Pμ of each component as columns × components, and the lower triangle P.
    Tied { means: Matrix<f64>, factor: Matrix<f64> },
}

/// ln x by the same code on every platform.
pub(super) fn ln(x: f64) -> f64 {
    Real::ln::<false>(x)
}

/// eˣ by the same code on every platform.
pub(super) fn exp(x: f64) -> f64 {
    Real::exp::<false>(x)
}

impl Densities {
    /// Prepares the components; a covariance that is not positive definite gets a ridge.
    pub(super) fn new(weights: &[f64], means: &Matrix<f64>, covariances: &mut Covariances) -> Densities {
        let (k, cols) = (means.rows(), means.cols());
        let mut constants: Vec<f64> = weights.iter().map(|&w| ln(w) - 0.5 * cols as f64 * LN_2_PI).collect();
        let form = match covariances {
            Covariances::Diagonal(variances) => {
                let scales = Matrix::from_fn(cols, k, |j, c| 1.0 / variances.row(c)[j].sqrt());
                for row in scales.iter_rows() {
                    constants.iter_mut().zip(row).for_each(|(constant, &s)| *constant += ln(s));
                }
                Form::Diagonal { means: Matrix::from_fn(cols, k, |j, c| means.row(c)[j]), scales }
            }
            Covariances::Full(matrices) => {
                let invert = |a: &mut Matrix<f64>| cholesky::invert(&cholesky::factor_with_ridge(a));
                let factors: Vec<_> = matrices.iter_mut().map(invert).collect();
                for (constant, p) in constants.iter_mut().zip(&factors) {
                    *constant += (0..cols).map(|j| ln(p.row(j)[j])).sum::<f64>();
                }
                Form::Full { means: means.clone(), factors }
            }
            Covariances::Tied(matrix) => {
                let factor = cholesky::invert(&cholesky::factor_with_ridge(matrix));
                let logs: f64 = (0..cols).map(|j| ln(factor.row(j)[j])).sum();
                constants.iter_mut().for_each(|constant| *constant += logs);
                let mut places = Matrix::zeros(k, cols);
                (0..k).for_each(|c| whitened(factor.as_slice(), means.row(c), places.row_mut(c)));
                Form::Tied { means: Matrix::from_fn(cols, k, |j, c| places.row(c)[j]), factor }
            }
        };
        Densities { constants, form }
    }

    /// P, where all components share it.
    pub(super) fn shared_factor(&self) -> Option<&Matrix<f64>> {
        match &self.form {
            Form::Tied { factor, .. } => Some(factor),
            Form::Diagonal { .. } | Form::Full { .. } => None,
        }
    }

    /// Writes ln γ_c for each component and returns ln p(x) = ln Σ_c π_c N(x | c).
    pub(super) fn log_responsibilities(&self, row: &[f32], scratch: &mut Scratch, out: &mut [f64]) -> f64 {
        scratch.row.clear();
        scratch.row.extend(row.iter().map(|&x| f64::from(x)));
        out.fill(0.0);
        match &self.form {
            Form::Diagonal { means, scales } => {
                diagonal_squares(&scratch.row, means.as_slice(), scales.as_slice(), out);
            }
            Form::Full { means, factors } => {
                scratch.difference.resize(row.len(), 0.0);
                for (c, (square, p)) in out.iter_mut().zip(factors).enumerate() {
                    let pairs = scratch.row.iter().zip(means.row(c));
                    scratch.difference.iter_mut().zip(pairs).for_each(|(d, (x, m))| *d = x - m);
                    *square = full_square(p.as_slice(), &scratch.difference);
                }
            }
            Form::Tied { means, factor } => {
                scratch.difference.resize(row.len(), 0.0);
                whitened(factor.as_slice(), &scratch.row, &mut scratch.difference);
                squares(&scratch.difference, means.as_slice(), out);
            }
        }
        // A density too small for its logarithm to be finite is as good as this; NaN never leaves.
        out.iter_mut().zip(&self.constants).for_each(|(o, c)| *o = (c - 0.5 * *o).max(-1e300));
        normalise(out)
    }
}

/// Buffers of [`Densities::log_responsibilities`].
#[derive(Default)]
pub(super) struct Scratch {
    row: Vec<f64>,
    difference: Vec<f64>,
}

/// Subtracts ln Σ eˣ from each value and returns it. The largest goes first: next to −1e20, the ln 2
/// of two equal components would be lost. A term e⁻⁷⁰⁰ times the largest is nothing.
fn normalise(values: &mut [f64]) -> f64 {
    let largest = values.iter().fold(f64::NEG_INFINITY, |m, &x| if x > m { x } else { m });
    values.iter_mut().for_each(|x| *x -= largest);
    let log_sum = ln(values.iter().map(|&x| if x < -700.0 { 0.0 } else { exp(x) }).sum());
    values.iter_mut().for_each(|x| *x -= log_sum);
    largest + log_sum
}

kernel! {
    /// out_c ← out_c + Σ_j ((x_j − μ_cj)/σ_cj)²
    fn diagonal_squares<T>(row: &[T], means: &[T], scales: &[T], out: &mut [T]) {
        let k = out.len();
        let columns = means.chunks_exact(k).zip(scales.chunks_exact(k));
        for (&x, (means, scales)) in row.iter().zip(columns) {
            for ((o, &m), &s) in out.iter_mut().zip(means).zip(scales) {
                let d = (x - m) * s;
                *o = d.fma::<FMA>(d, *o);
            }
        }
    }
}

kernel! {
    /// out_c ← out_c + Σ_j (x_j − μ_cj)²
    fn squares<T>(row: &[T], means: &[T], out: &mut [T]) {
        let k = out.len();
        for (&x, means) in row.iter().zip(means.chunks_exact(k)) {
            for (o, &m) in out.iter_mut().zip(means) {
                *o = (x - m).fma::<FMA>(x - m, *o);
            }
        }
    }
}

kernel! {
    /// out = P x of a lower triangle P, four sums at a time so that they vectorise.
    fn whitened<T>(p: &[T], x: &[T], out: &mut [T]) {
        for (i, (row, out)) in p.chunks_exact(x.len()).zip(out).enumerate() {
            let (row_four, row_rest) = row[..=i].as_chunks::<4>();
            let (x_four, x_rest) = x[..=i].as_chunks::<4>();
            let mut sums = [T::ZERO; 4];
            for (r, x) in row_four.iter().zip(x_four) {
                for l in 0..4 {
                    sums[l] = r[l].fma::<FMA>(x[l], sums[l]);
                }
            }
            let mut y = (sums[0] + sums[2]) + (sums[1] + sums[3]);
            for (&r, &x) in row_rest.iter().zip(x_rest) {
                y = r.fma::<FMA>(x, y);
            }
            *out = y;
        }
    }
}

kernel! {
    /// ‖P d‖² of a lower triangle P, four sums at a time so that they vectorise.
    fn full_square<T>(p: &[T], d: &[T]) -> T {
        let mut square = T::ZERO;
        for (i, row) in p.chunks_exact(d.len()).enumerate() {
            let (row_four, row_rest) = row[..=i].as_chunks::<4>();
            let (d_four, d_rest) = d[..=i].as_chunks::<4>();
            let mut sums = [T::ZERO; 4];
            for (r, d) in row_four.iter().zip(d_four) {
                for l in 0..4 {
                    sums[l] = r[l].fma::<FMA>(d[l], sums[l]);
                }
            }
            let mut y = (sums[0] + sums[2]) + (sums[1] + sums[3]);
            for (&r, &d) in row_rest.iter().zip(d_rest) {
                y = r.fma::<FMA>(d, y);
            }
            square = y.fma::<FMA>(y, square);
        }
        square
    }
}

//! What the encoder makes of a batch: μ̃, log σ̃², and z = μ̃ + σ̃∘ε.

use lpvdn_core::{Matrix, Real};
use lpvdn_nn::MlpWorkspace;

use crate::loss::mixture::Code;

/// The codes of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Codes<T> {
    /// μ̃
    pub(crate) mean: Matrix<T>,
    /// log σ̃²
    log_variance: Matrix<T>,
    /// z
    sample: Matrix<T>,
}

/// The gradients of the codes of a batch, cell by cell.
pub(crate) trait CodeGradients<T> {
    /// ∂μ̃, but for what comes through z.
    fn mean(&self, i: usize, c: usize) -> T;
    /// ∂log σ̃², but for what comes through z.
    fn log_variance(&self, i: usize, c: usize) -> T;
    /// ∂z
    fn sample(&self, i: usize, c: usize) -> T;
}

impl<T: Real> Codes<T> {
    pub(crate) fn new(rows: usize, latent: usize) -> Codes<T> {
        let code = || Matrix::zeros(rows, latent);
        Codes { mean: code(), log_variance: code(), sample: code() }
    }

    pub(crate) fn view(&self) -> Code<'_, T> {
        Code { mean: &self.mean, log_variance: &self.log_variance, sample: &self.sample }
    }

    /// Takes the means alone from the encoder's output.
    pub(crate) fn read_means(&mut self, output: &Matrix<T>) {
        let latent = self.mean.cols();
        self.mean.set_rows(output.rows());
        for i in 0..output.rows() {
            self.mean.row_mut(i).copy_from_slice(&output.row(i)[..latent]);
        }
    }

    /// [μ̃, log σ̃²] = g(x; φ) (Eqn. 5), log σ̃² within ± `bound`, and z = μ̃ + σ̃∘ε (Eqn. 6).
    pub(crate) fn read_and_sample(&mut self, output: &Matrix<T>, noise: &Matrix<T>, bound: f64) {
        let (n, j) = (output.rows(), self.mean.cols());
        let Codes { mean, log_variance, sample } = self;
        for m in [&mut *mean, &mut *log_variance, &mut *sample] {
            m.set_rows(n);
        }
        let bound = T::of(bound);
        for i in 0..n {
            let (from_mean, from_log_variance) = output.row(i).split_at(j);
            mean.row_mut(i).copy_from_slice(from_mean);
            for c in 0..j {
                let v = from_log_variance[c].at_least(-bound).at_most(bound);
                log_variance.row_mut(i)[c] = v;
                sample.row_mut(i)[c] = from_mean[c] + deviation(v) * noise.row(i)[c];
            }
        }
    }

    /// Writes the gradient of the encoder's output from those of μ̃, log σ̃² and z:
    /// ∂μ̃ gets ∂z, and ∂log σ̃² gets ∂z·½σ̃ε.
    pub(crate) fn write_gradient(
        &self,
        encoder: &mut MlpWorkspace<T>,
        noise: &Matrix<T>,
        bound: f64,
        of: &impl CodeGradients<T>,
    ) {
        let (n, j) = (self.mean.rows(), self.mean.cols());
        let (bound, half) = (T::of(bound), T::of(0.5));
        let (output, head) = encoder.output_and_gradient();
        for i in 0..n {
            let raw = &output.row(i)[j..];
            let (d_mean, d_log_variance) = head.row_mut(i).split_at_mut(j);
            for c in 0..j {
                let dz = of.sample(i, c);
                d_mean[c] = of.mean(i, c) + dz;
                // z − μ̃ = σ̃ε
                let spread = deviation(self.log_variance.row(i)[c]) * noise.row(i)[c];
                let d = of.log_variance(i, c) + dz * half * spread;
                // Outside the bound, only a gradient that leads back inside passes.
                let outward = (raw[c] > bound && d < T::ZERO) || (raw[c] < -bound && d > T::ZERO);
                d_log_variance[c] = if outward { T::ZERO } else { d };
            }
        }
    }
}

/// σ̃ from log σ̃².
fn deviation<T: Real>(log_variance: T) -> T {
    (T::of(0.5) * log_variance).exp::<false>()
}

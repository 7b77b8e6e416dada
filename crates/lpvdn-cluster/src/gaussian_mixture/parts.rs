//! Weights, means and covariances.

use lpvdn_core::Matrix;

use super::cholesky;
use super::errors::GaussianMixtureParamsError as Error;
use super::hyperparams::CovarianceType;

/// The covariance Σ of each component.
///
/// ```
/// use lpvdn_cluster::gaussian_mixture::{CovarianceType, Covariances};
/// use lpvdn_core::Matrix;
/// let variances = Covariances::Diagonal(Matrix::from_vec(vec![1.0, 2.0], 1, 2));
/// assert_eq!(variances.kind(), CovarianceType::Diagonal);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Covariances {
    /// The variances σ², a row for each component.
    Diagonal(Matrix<f64>),
    /// A square matrix for each component.
    Full(Vec<Matrix<f64>>),
    /// The square matrix of all components.
    Tied(Matrix<f64>),
}

impl Covariances {
    /// The form of these covariances.
    pub fn kind(&self) -> CovarianceType {
        match self {
            Covariances::Diagonal(_) => CovarianceType::Diagonal,
            Covariances::Full(_) => CovarianceType::Full,
            Covariances::Tied(_) => CovarianceType::Tied,
        }
    }
}

/// What makes a mixture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parts {
    pub(super) weights: Vec<f64>,
    pub(super) means: Matrix<f64>,
    pub(super) covariances: Covariances,
}

impl Parts {
    pub(super) fn check(&self) -> Result<(), Error> {
        let (k, cols) = (self.means.rows(), self.means.cols());
        if k == 0 || cols == 0 {
            return Err(Error::NoComponents);
        }
        shape("weights", (k, 1), (self.weights.len(), 1))?;
        self.check_weights()?;
        if let Some(component) = self.means.iter_rows().position(|m| !m.iter().all(|x| x.is_finite())) {
            return Err(Error::Mean { component });
        }
        let bad = match &self.covariances {
            Covariances::Diagonal(variances) => {
                shape("covariances", (k, cols), (variances.rows(), variances.cols()))?;
                let good = |v: &f64| v.is_finite() && *v > 0.0;
                variances.iter_rows().position(|row| !row.iter().all(good))
            }
            Covariances::Full(matrices) => {
                shape("covariances", (k, 1), (matrices.len(), 1))?;
                for m in matrices {
                    shape("covariances", (cols, cols), (m.rows(), m.cols()))?;
                }
                matrices.iter().position(is_no_covariance)
            }
            Covariances::Tied(matrix) => {
                shape("covariances", (cols, cols), (matrix.rows(), matrix.cols()))?;
                is_no_covariance(matrix).then_some(0)
            }
        };
        bad.map_or(Ok(()), |component| Err(Error::Covariance { component }))
    }

    fn check_weights(&self) -> Result<(), Error> {
        if let Some((c, w)) = self.weights.iter().enumerate().find(|(_, w)| !(w.is_finite() && **w > 0.0)) {
            return Err(Error::Weights(format!("weight {c} is {w}")));
        }
        let sum: f64 = self.weights.iter().sum();
        if (sum - 1.0).abs() > 1e-6 {
            return Err(Error::Weights(format!("they add up to {sum}")));
        }
        Ok(())
    }
}

fn shape(part: &'static str, expected: (usize, usize), found: (usize, usize)) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Shape { part, expected, found }) }
}

fn is_no_covariance(m: &Matrix<f64>) -> bool {
    !is_symmetric(m) || cholesky::factor(m).is_none()
}

fn is_symmetric(m: &Matrix<f64>) -> bool {
    let scale = (0..m.rows()).fold(0.0, |s: f64, i| s.max(m.row(i)[i].abs()));
    (0..m.rows()).all(|i| (0..i).all(|j| (m.row(i)[j] - m.row(j)[i]).abs() <= 1e-9 * scale))
}

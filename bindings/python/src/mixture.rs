//! Gaussian mixtures of rows. Python keeps the parts of a mixture as arrays, and hands them in again.

use lpvdn_cluster::GaussianMixture;
use lpvdn_cluster::gaussian_mixture::{CovarianceType, Covariances};
use lpvdn_core::Matrix;
use numpy::{
    PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
};
use pyo3::prelude::*;

use crate::arrays::{in_own_pool, in_pool, to_array, to_matrix};
use crate::errors::value_error;
use crate::job::Job;

/// Weights, means, covariances, iterations, whether it came to rest, and the mean log-likelihood of a row.
type Fit<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyAny>, usize, bool, f64);

/// Fits a mixture. Ctrl-C ends the wait for it.
#[pyfunction]
#[pyo3(signature = (rows, components, full, n_init, max_iter, tol, reg_covar, seed, threads))]
#[allow(clippy::too_many_arguments)] // Python names them.
pub(crate) fn mixture_fit<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, f32>,
    components: usize,
    full: bool,
    n_init: u32,
    max_iter: usize,
    tol: f64,
    reg_covar: f64,
    seed: u64,
    threads: usize,
) -> PyResult<Fit<'py>> {
    let rows = to_matrix(&rows);
    let kind = if full { CovarianceType::Full } else { CovarianceType::Diagonal };
    let params = GaussianMixture::params(components)
        .covariance_type(kind)
        .n_init(n_init)
        .max_iter(max_iter)
        .tol(tol)
        .reg_covar(reg_covar)
        .seed(seed);
    let columns = rows.cols();
    let params = params.check().map_err(value_error)?;
    let job = Job::start(move |caller| {
        in_own_pool(threads, || {
            let mixture = params.fit_until(&rows, caller.stop()).map_err(|e| e.to_string())?;
            let likelihood = mixture.log_likelihood(&rows).map_err(|e| e.to_string())?;
            Ok((mixture, likelihood))
        })
    })?;
    let (mixture, likelihood) = job.wait(py, None, None)?.map_err(|e: String| value_error(e))?;
    let covariances = match mixture.covariances() {
        // One matrix for all components is not asked for from Python.
        Covariances::Diagonal(values) | Covariances::Tied(values) => to_array(py, values.clone())?.into_any(),
        Covariances::Full(matrices) => {
            let values = matrices.iter().flat_map(|m| m.as_slice().to_vec()).collect();
            PyArray1::from_vec(py, values).reshape([components, columns, columns])?.into_any()
        }
    };
    let weights = PyArray1::from_slice(py, mixture.weights());
    let means = to_array(py, mixture.means().clone())?;
    Ok((weights, means, covariances, mixture.iterations(), mixture.converged(), likelihood))
}

/// ln γ of each component (rows × components), and ln p(x), of each row.
type Densities<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// The densities of rows under a mixture.
#[pyfunction]
pub(crate) fn mixture_densities<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, f32>,
    weights: PyReadonlyArray1<'py, f64>,
    means: PyReadonlyArray2<'py, f64>,
    covariances: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Densities<'py>> {
    let covariances = match covariances.cast::<PyArray2<f64>>() {
        Ok(variances) => Covariances::Diagonal(to_matrix(&variances.readonly())),
        Err(_) => Covariances::Full(matrices(&covariances.cast::<PyArray3<f64>>()?.readonly())),
    };
    let weights = weights.as_array().to_vec();
    let mixture =
        GaussianMixture::from_parts(weights, to_matrix(&means), covariances).map_err(value_error)?;
    let rows = to_matrix(&rows);
    let found = in_pool(py, threads, || {
        mixture.log_responsibilities(&rows).and_then(|logs| Ok((logs, mixture.log_densities(&rows)?)))
    });
    let (logs, densities) = found.map_err(value_error)?;
    Ok((to_array(py, logs)?, PyArray1::from_vec(py, densities)))
}

fn matrices(array: &PyReadonlyArray3<'_, f64>) -> Vec<Matrix<f64>> {
    let matrix = |m: numpy::ndarray::ArrayView2<'_, f64>| {
        Matrix::from_vec(m.iter().copied().collect(), m.nrows(), m.ncols())
    };
    array.as_array().outer_iter().map(matrix).collect()
}

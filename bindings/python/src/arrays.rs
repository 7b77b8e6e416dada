//! Between NumPy's arrays and our matrices.

use lpvdn_core::{Matrix, Pool};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// The matrix as an array, which takes over its memory.
pub(crate) fn to_array<T: Element>(py: Python<'_>, matrix: Matrix<T>) -> PyResult<Bound<'_, PyArray2<T>>> {
    let shape = [matrix.rows(), matrix.cols()];
    PyArray1::from_vec(py, matrix.into_vec()).reshape(shape)
}

/// A copy of an array as a matrix.
pub(crate) fn to_matrix<T: Element + Copy + Default>(array: &PyReadonlyArray2<'_, T>) -> Matrix<T> {
    let (rows, cols) = (array.shape()[0], array.shape()[1]);
    let values = array.as_array().iter().copied().collect();
    Matrix::from_vec(values, rows, cols)
}

/// Labels as scikit-learn has them.
pub(crate) fn to_labels(py: Python<'_>, labels: Vec<u32>) -> Bound<'_, PyArray1<i32>> {
    PyArray1::from_vec(py, labels.into_iter().map(|label| label as i32).collect())
}

/// Runs `job` without the interpreter, on so many threads of its own; 0 for one each core.
pub(crate) fn in_pool<R: Send>(py: Python<'_>, threads: usize, job: impl FnOnce() -> R + Send) -> R {
    py.detach(|| in_own_pool(threads, job))
}

/// Runs `job`, which has nothing to do with the interpreter, on so many threads of its own. Every call has a pool of its
/// own, so that nothing of it is left behind where a process forks.
pub(crate) fn in_own_pool<R: Send>(threads: usize, job: impl FnOnce() -> R + Send) -> R {
    match Pool::new(threads) {
        Ok(pool) => pool.run(job),
        // No thread to be had: this one will do.
        Err(_) => job(),
    }
}

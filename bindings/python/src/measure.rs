//! Metrics of clusterings, and nearest neighbours.

use lpvdn_cluster::metrics::{Contingency, calinski_harabasz, davies_bouldin};
use lpvdn_cluster::{Neighbors, metrics};
use lpvdn_core::Matrix;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::{in_pool, to_array, to_matrix};
use crate::errors::value_error;

/// Accuracy, purity, NMI, ARI and AMI of clusters against known classes.
#[pyfunction]
pub(crate) fn external_scores(
    truth: PyReadonlyArray1<'_, u32>,
    clusters: PyReadonlyArray1<'_, u32>,
) -> PyResult<(f64, f64, f64, f64, f64)> {
    let table = Contingency::new(&truth.as_array().to_vec(), &clusters.as_array().to_vec());
    let table = table.map_err(value_error)?;
    Ok((table.accuracy(), table.purity(), table.nmi(), table.ari(), table.ami()))
}

/// Calinski–Harabasz and Davies–Bouldin.
#[pyfunction]
pub(crate) fn internal_scores(
    py: Python<'_>,
    rows: PyReadonlyArray2<'_, f32>,
    labels: PyReadonlyArray1<'_, u32>,
) -> PyResult<(f64, f64)> {
    let (rows, labels) = (to_matrix(&rows), labels.as_array().to_vec());
    in_pool(py, 0, || Ok((calinski_harabasz(&rows, &labels)?, davies_bouldin(&rows, &labels)?)))
        .map_err(|e: metrics::MetricsError| value_error(e))
}

/// The silhouette of each row.
#[pyfunction]
pub(crate) fn silhouettes<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, f32>,
    labels: PyReadonlyArray1<'py, u32>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (rows, labels) = (to_matrix(&rows), labels.as_array().to_vec());
    let found = in_pool(py, 0, || metrics::silhouettes(&rows, &labels)).map_err(value_error)?;
    Ok(PyArray1::from_vec(py, found))
}

/// Distances and indices.
type Found<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<i64>>);

/// The nearest points of each query; without queries the nearest others of each point.
#[pyfunction]
#[pyo3(signature = (points, queries, count, threads=0))]
pub(crate) fn neighbors<'py>(
    py: Python<'py>,
    points: PyReadonlyArray2<'py, f32>,
    queries: Option<PyReadonlyArray2<'py, f32>>,
    count: usize,
    threads: usize,
) -> PyResult<Found<'py>> {
    let (points, queries) = (to_matrix(&points), queries.as_ref().map(to_matrix));
    let found = in_pool(py, threads, || match &queries {
        Some(queries) => Neighbors::of(queries, &points, count),
        None => Neighbors::among(&points, count),
    });
    let Neighbors { indices, distances } = found.map_err(value_error)?;
    let (rows, cols) = (indices.rows(), indices.cols());
    let indices = indices.into_vec().into_iter().map(i64::from).collect();
    Ok((to_array(py, distances)?, to_array(py, Matrix::from_vec(indices, rows, cols))?))
}

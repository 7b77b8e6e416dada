//! A fitted model: arrays in, arrays out, without the interpreter in between.

use std::path::PathBuf;

use lpvdn::{ModelError, Space, TensorFileError};
use lpvdn_core::{Dataset, Matrix};
use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};
use serde_json::json;

use crate::arrays::{in_pool, to_array, to_labels, to_matrix};
use crate::{errors, explore, rows};

/// A fitted model of any method.
#[pyclass(frozen, module = "lpvdn._lpvdn")]
pub(crate) struct Model(lpvdn::Model);

impl Model {
    pub(crate) fn new(model: lpvdn::Model) -> Model {
        Model(model)
    }

    /// What `job` makes of the codes of rows.
    fn of_codes<R: Send>(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, PyAny>,
        threads: usize,
        job: impl FnOnce(Matrix<f32>) -> R + Send,
    ) -> PyResult<R> {
        let data = rows::dataset(rows)?;
        in_pool(py, threads, || self.0.encode(&data, 0..data.rows()).map(job)).map_err(errors::value_error)
    }

    fn without(&self, what: &str) -> PyErr {
        PyValueError::new_err(format!("{} has no {what}", self.0.method().title()))
    }
}

#[pymethods]
impl Model {
    /// Reads a model file.
    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Model> {
        lpvdn::Model::load(&path).map(Model).map_err(|error| match error {
            ModelError::File { cause: TensorFileError::Io(cause), .. } => errors::of_file(&cause, &path),
            other => errors::value_error(other),
        })
    }

    /// Reads the bytes of a model file.
    #[staticmethod]
    fn from_bytes(content: &[u8]) -> PyResult<Model> {
        lpvdn::Model::from_bytes(content, "the model").map(Model).map_err(errors::value_error)
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_bytes()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let read = py.get_type::<Model>().getattr("from_bytes")?;
        Ok((read, PyTuple::new(py, [self.to_bytes(py)?])?))
    }

    /// Writes the model file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(&path).map_err(|error| match error {
            ModelError::Write { cause, .. } => errors::of_file(&cause, &path),
            other => errors::value_error(other),
        })
    }

    /// The same model, with how its rows were made; `reading` is JSON, which means nothing to the model itself.
    fn with_reading(&self, reading: &str) -> PyResult<Model> {
        let mut model = self.0.clone();
        model.set_reading(serde_json::from_str(reading).map_err(errors::value_error)?);
        Ok(Model(model))
    }

    /// JSON: method, version, settings, data, and how its rows were made where that is known.
    fn describe(&self) -> String {
        let (data, model) = (self.0.data(), &self.0);
        json!({
            "method": model.method(),
            "clusters": model.clusters(),
            "seed": model.seed(),
            "recipe": model.recipe(),
            "parameters": model.parameters(),
            "code_size": self.learnt_size(),
            "divides_rows": self.divides_rows(),
            "rows": data.rows,
            "columns": data.columns,
            "fitted_by": model.fitted_by(),
            "settings": model.settings(),
            "reading": model.reading(),
            "notices": model.notices(),
        })
        .to_string()
    }

    /// The cluster of each row.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let labels = self.of_codes(py, rows, threads, |codes| self.0.labels_of(&codes))?;
        Ok(to_labels(py, labels))
    }

    /// The probability of each cluster for each row.
    fn predict_proba<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        to_array(py, self.of_codes(py, rows, threads, |codes| self.0.probabilities_of(&codes))?)
    }

    /// The codes that decide the clusters of rows.
    fn codes<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        to_array(py, self.of_codes(py, rows, threads, |codes| codes)?)
    }

    /// The codes of rows: o' or those that decide their cluster, or with `latent` the latent means.
    #[pyo3(signature = (rows, threads, latent=false))]
    fn transform<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        threads: usize,
        latent: bool,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let space = if latent { Space::Latent } else { Space::Embedding };
        match &self.0 {
            lpvdn::Model::Lpvdn(model) if latent || self.divides_rows() => {
                let data = rows::dataset(rows)?;
                let codes = in_pool(py, threads, || model.transform(&data, space));
                to_array(py, codes.map_err(errors::value_error)?)
            }
            _ => self.codes(py, rows, threads),
        }
    }

    /// γ at the latent mean: the responsibilities of the mixture prior for each row.
    fn responsibilities<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let lpvdn::Model::Lpvdn(model) = &self.0 else { return Err(self.without("mixture prior")) };
        let data = rows::dataset(rows)?;
        let found = in_pool(py, threads, || model.responsibilities(&data));
        to_array(py, found.map_err(errors::value_error)?)
    }

    /// How well the model knows each row: the evidence lower bound, or of a model that is not variational the squared
    /// distance of its code to the nearest centre, with a minus.
    fn score_rows<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let data = rows::dataset(rows)?;
        let scores = in_pool(py, threads, || score_rows(&self.0, &data)).map_err(errors::value_error)?;
        Ok(PyArray1::from_vec(py, scores))
    }

    /// Latent vectors through the decoder.
    fn decode<'py>(
        &self,
        py: Python<'py>,
        latent: PyReadonlyArray2<'py, f32>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let latent = to_matrix(&latent);
        let decoded = in_pool(py, threads, || match &self.0 {
            lpvdn::Model::Lpvdn(model) => Some(model.decode(&latent)),
            lpvdn::Model::Encoder(model) => Some(model.decode(&latent)),
            lpvdn::Model::ClusterGan(model) => Some(model.decode(&latent)),
            lpvdn::Model::KMeans(_) | lpvdn::Model::Graph(_) => None,
        });
        let decoded = decoded.ok_or_else(|| self.without("decoder"))?;
        to_array(py, decoded.map_err(errors::value_error)?)
    }

    /// Writes a page that shows the clusters of rows; `facts` is JSON. Gives the model with its map.
    fn explore(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, PyAny>,
        path: PathBuf,
        facts: &str,
        threads: usize,
    ) -> PyResult<Model> {
        let facts: explore::Facts = serde_json::from_str(facts).map_err(errors::value_error)?;
        let data = rows::dataset(rows)?;
        explore::write(py, &self.0, data, path, facts, threads).map(Model)
    }

    /// New rows of one cluster.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        cluster: usize,
        rows: usize,
        seed: u64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let made = in_pool(py, threads, || match &self.0 {
            lpvdn::Model::Lpvdn(model) => Some(model.sample(cluster, rows, seed)),
            lpvdn::Model::Encoder(model) => Some(model.sample(cluster, rows, seed)),
            lpvdn::Model::ClusterGan(model) => Some(model.sample(cluster, rows, seed)),
            lpvdn::Model::KMeans(_) | lpvdn::Model::Graph(_) => None,
        });
        let made = made.ok_or_else(|| self.without("samples"))?;
        to_array(py, made.map_err(errors::value_error)?)
    }

    /// The middle of each cluster: among the codes, of K-means among the rows, and then in double precision.
    fn centers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let among_codes = match &self.0 {
            lpvdn::Model::Lpvdn(model) => model.centers(),
            lpvdn::Model::Encoder(model) => model.centers(),
            lpvdn::Model::ClusterGan(model) => model.centers().clone(),
            lpvdn::Model::Graph(model) => model.centers(),
            lpvdn::Model::KMeans(model) => return Ok(to_array(py, model.centers())?.into_any()),
        };
        Ok(to_array(py, among_codes)?.into_any())
    }

    fn __repr__(&self) -> PyResult<String> {
        let data = self.0.data();
        let (method, clusters) = (self.0.method(), self.0.clusters());
        if data.columns == 0 {
            return Err(PyRuntimeError::new_err("a model without columns"));
        }
        Ok(format!("<Model {method}: {clusters} clusters, {} columns>", data.columns))
    }
}

impl Model {
    /// Whether rows are divided as they are, though the model has learnt codes.
    fn divides_rows(&self) -> bool {
        matches!(&self.0, lpvdn::Model::Lpvdn(model) if model.assignment().space() == Space::Rows)
    }

    /// The numbers of a code that the model has learnt.
    fn learnt_size(&self) -> usize {
        match &self.0 {
            lpvdn::Model::Lpvdn(model) if self.divides_rows() => model.network().shape().output,
            model => model.code_size(),
        }
    }
}

fn score_rows(model: &lpvdn::Model, data: &Dataset) -> Result<Vec<f64>, ModelError> {
    // Nothing where the codes are distances already.
    let centers = match model {
        lpvdn::Model::Lpvdn(model) => return model.evidence(data),
        lpvdn::Model::Encoder(model) => match model.evidence(data) {
            Some(evidence) => return evidence,
            None => Some(model.centers()),
        },
        lpvdn::Model::ClusterGan(model) => Some(model.centers().clone()),
        lpvdn::Model::Graph(model) => Some(model.landmarks().0.clone()),
        lpvdn::Model::KMeans(_) => None,
    };
    let codes = model.encode(data, 0..data.rows())?;
    let squared = |code: &[f32], center: &[f32]| -> f64 {
        code.iter().zip(center).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum()
    };
    let nearest = |code: &[f32]| match &centers {
        None => code.iter().map(|d| f64::from(*d).powi(2)).fold(f64::INFINITY, f64::min),
        Some(centers) => centers.iter_rows().map(|c| squared(code, c)).fold(f64::INFINITY, f64::min),
    };
    Ok(codes.iter_rows().map(|code| -nearest(code)).collect())
}

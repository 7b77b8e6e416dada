//! Data frames, column by column, as sources of rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use lpvdn_core::table::{
    ColumnType, Frame as Columns, FrameCells, FrameColumn, FrameError, FrameTable, FrameValue, Missing,
    TableReading, Wanted,
};
use lpvdn_core::{ColumnGroup, Dataset, RowSource};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyTuple};
use serde::Deserialize;
use serde_json::Value;

use crate::arrays::to_matrix;
use crate::errors;

/// A column: its name, how its cells come, and the cells.
type Given<'py> = (Option<String>, String, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

/// A data frame as rows of values.
#[pyclass(frozen, module = "lpvdn._lpvdn")]
pub(crate) struct Frame {
    rows: Arc<dyn RowSource>,
    groups: Vec<ColumnGroup>,
    reading: TableReading,
    /// The values of a row.
    #[pyo3(get)]
    names: Vec<String>,
    /// What is to be said about the columns.
    #[pyo3(get)]
    notes: Vec<String>,
    /// Columns with missing values, and how many.
    #[pyo3(get)]
    missing: Vec<(String, usize)>,
    /// Columns that became no values.
    #[pyo3(get)]
    left_out: Vec<String>,
}

/// What the user says, as JSON.
#[derive(Deserialize)]
struct Said {
    missing: Missing,
    kinds: BTreeMap<String, ColumnType>,
    weights: BTreeMap<String, f32>,
    keep_all: bool,
}

#[pymethods]
impl Frame {
    /// Reads columns as what they hold; `said` is JSON: `missing`, and by the names of columns `kinds` and `weights`.
    #[staticmethod]
    fn read(columns: Vec<Given<'_>>, said: &str) -> PyResult<Frame> {
        let Said { missing, kinds, weights, keep_all } =
            serde_json::from_str(said).map_err(errors::value_error)?;
        let wanted = Wanted {
            missing,
            kinds: kinds.into_iter().collect(),
            weights: weights.into_iter().collect(),
            keep_all,
        };
        let table = frame(columns)?.read(&wanted).map_err(|error| refused(&error))?;
        Ok(Frame::of(table))
    }

    /// Reads columns as a model knows them; `reading` is JSON.
    #[staticmethod]
    fn read_like(columns: Vec<Given<'_>>, reading: &str) -> PyResult<Frame> {
        let reading: TableReading = serde_json::from_str(reading).map_err(errors::value_error)?;
        let table = frame(columns)?.read_like(&reading).map_err(errors::value_error)?;
        Ok(Frame::of(table))
    }

    /// Rows and values.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.rows.rows(), self.rows.cols())
    }

    /// JSON: how columns became values, as a model file keeps it.
    #[getter]
    fn reading(&self) -> PyResult<String> {
        let mut reading = serde_json::to_value(&self.reading).map_err(errors::value_error)?;
        reading["kind"] = Value::from("table");
        Ok(reading.to_string())
    }
}

impl Frame {
    fn of(table: FrameTable) -> Frame {
        Frame {
            groups: table.groups(),
            names: table.names(),
            rows: table.rows,
            reading: table.reading,
            notes: table.notes,
            missing: table.missing,
            left_out: table.left_out,
        }
    }

    /// The rows, under this name.
    pub(crate) fn dataset(&self, name: &str) -> Dataset {
        let named = self.reading.columns.iter().all(|column| column.name.is_some());
        Dataset {
            columns: named.then(|| self.names.clone()),
            groups: Some(self.groups.clone()),
            ..Dataset::shared(name, self.rows.clone())
        }
    }
}

fn frame(columns: Vec<Given<'_>>) -> PyResult<Columns> {
    let columns: PyResult<Vec<FrameColumn>> = columns.into_iter().map(column).collect();
    Columns::new(columns?).map_err(|error| refused(&error))
}

fn column((name, kind, cells, values): Given<'_>) -> PyResult<FrameColumn> {
    let numbers = |cells: &Bound<'_, PyAny>| -> PyResult<Vec<f64>> {
        let array: PyReadonlyArray1<'_, f64> = cells.extract()?;
        Ok(array.as_array().iter().copied().collect())
    };
    let cells = match (kind.as_str(), values) {
        ("numbers", _) => FrameCells::Numbers(numbers(&cells)?),
        ("dates", _) => FrameCells::Dates(numbers(&cells)?),
        ("vectors", _) => {
            let rows: PyReadonlyArray2<'_, f32> = cells.extract()?;
            FrameCells::Vectors(to_matrix(&rows))
        }
        ("values", Some(values)) => {
            let places: PyReadonlyArray1<'_, i32> = cells.extract()?;
            let values: PyResult<Vec<FrameValue>> = values.try_iter()?.map(|each| value(&each?)).collect();
            FrameCells::Values { places: places.as_array().iter().copied().collect(), values: values? }
        }
        _ => return Err(PyTypeError::new_err(format!("there are no columns of the kind {kind:?}"))),
    };
    Ok(FrameColumn { name, cells })
}

/// A word, a number, a truth, or in a tuple the days of a date.
fn value(value: &Bound<'_, PyAny>) -> PyResult<FrameValue> {
    if let Ok(word) = value.cast::<PyString>() {
        return Ok(FrameValue::Word(word.to_string_lossy().into_owned()));
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(FrameValue::Truth(truth.is_true()));
    }
    if let Ok((days,)) =
        value.cast::<PyTuple>().map_err(PyErr::from).and_then(|days| days.extract::<(f64,)>())
    {
        return Ok(FrameValue::Date(days));
    }
    if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
        return Ok(FrameValue::Number(value.extract()?));
    }
    Err(PyTypeError::new_err(format!("a cell cannot be a {}", value.get_type().name()?)))
}

/// The error, and what an estimator has against it.
fn refused(error: &FrameError) -> PyErr {
    let remedy = match error {
        FrameError::Missing { .. } => {
            "; fill it in, or pass missing='mean', 'median', 'most-frequent' or 'category'"
        }
        FrameError::Cell { .. } => "; correct it, or say in kinds what the column is to be read as",
        FrameError::TooManyWords { .. } | FrameError::NoTruth { .. } | FrameError::Vectors { .. } => {
            "; name another kind in kinds"
        }
        _ => "",
    };
    PyValueError::new_err(format!("{error}{remedy}"))
}

/// Whether a column is called an id, a key, a UUID or an index.
#[pyfunction]
pub(crate) fn is_id_name(name: &str) -> bool {
    lpvdn_core::table::is_id_name(name)
}

/// The names of the values that the columns of a table become; `reading` is JSON.
#[pyfunction]
pub(crate) fn value_names(reading: &str) -> PyResult<Vec<String>> {
    let reading: TableReading = serde_json::from_str(reading).map_err(errors::value_error)?;
    Ok(lpvdn_core::table::value_names(&reading.columns))
}

/// A number as a word.
#[pyfunction]
pub(crate) fn written_number(number: f64) -> String {
    lpvdn_core::table::cells::written_number(number)
}

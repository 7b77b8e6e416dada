//! SciPy's compressed sparse rows as sources of rows.

use lpvdn_core::{Batch, Dataset, RowSource, SourceError};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::rows::Value;

/// Rows from the parts (data, indices, indptr, columns) of a matrix in canonical form; `None` if it is something else.
pub(crate) fn dataset(name: &str, rows: &Bound<'_, PyAny>) -> PyResult<Option<Dataset>> {
    let Ok((data, indices, offsets, cols)) =
        rows.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>, usize)>()
    else {
        return Ok(None);
    };
    let parts = Parts { indices: &indices, offsets: &offsets, cols };
    if let Ok(data) = data.cast::<PyArray1<f32>>() {
        return parts.with_values(name, data).map(Some);
    }
    if let Ok(data) = data.cast::<PyArray1<f64>>() {
        return parts.with_values(name, data).map(Some);
    }
    Ok(None)
}

struct Parts<'a, 'py> {
    indices: &'a Bound<'py, PyAny>,
    offsets: &'a Bound<'py, PyAny>,
    cols: usize,
}

impl Parts<'_, '_> {
    fn with_values<V: Value>(&self, name: &str, data: &Bound<'_, PyArray1<V>>) -> PyResult<Dataset> {
        if let (Ok(indices), Ok(offsets)) =
            (self.indices.cast::<PyArray1<i32>>(), self.offsets.cast::<PyArray1<i32>>())
        {
            return CsrRows::new(data, indices, offsets, self.cols).map(|rows| Dataset::new(name, rows));
        }
        if let (Ok(indices), Ok(offsets)) =
            (self.indices.cast::<PyArray1<i64>>(), self.offsets.cast::<PyArray1<i64>>())
        {
            return CsrRows::new(data, indices, offsets, self.cols).map(|rows| Dataset::new(name, rows));
        }
        Err(PyValueError::new_err("indices and indptr of sparse rows must both be int32 or both int64"))
    }
}

/// A number of a column, or of an entry.
trait Index: Element + Copy + Send + Sync + 'static {
    fn number(self) -> Option<usize>;
}

impl Index for i32 {
    fn number(self) -> Option<usize> {
        usize::try_from(self).ok()
    }
}

impl Index for i64 {
    fn number(self) -> Option<usize> {
        usize::try_from(self).ok()
    }
}

/// An array that stays where it is.
struct Held<T> {
    /// Keeps the memory alive.
    _array: Py<PyArray1<T>>,
    first: *const T,
    len: usize,
}

// SAFETY: the memory is only read, and lives as long as the array that is held; see `ArrayRows`.
unsafe impl<T: Send + Sync> Send for Held<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Held<T> {}

impl<T: Element + Copy> Held<T> {
    fn new(array: &Bound<'_, PyArray1<T>>) -> PyResult<Held<T>> {
        let slice = array.try_readonly()?;
        let slice = slice.as_slice()?;
        Ok(Held { first: slice.as_ptr(), len: slice.len(), _array: array.clone().unbind() })
    }

    /// What stands there at this moment, read once: another thread of Python's may write to it meanwhile, so what was
    /// looked at before says nothing about it.
    fn read(&self, entry: usize) -> T {
        assert!(entry < self.len, "an entry that is not there");
        // SAFETY: the entry is inside the array, whose memory NumPy never moves while others refer to it, and any bits
        // are a number.
        unsafe { self.first.add(entry).read_volatile() }
    }

    fn memory(&self) -> usize {
        self.len * size_of::<T>()
    }
}

/// Sparse rows, which stay where they are.
struct CsrRows<V, I> {
    values: Held<V>,
    indices: Held<I>,
    /// Copied: what is checked here must not change.
    offsets: Vec<usize>,
    cols: usize,
}

impl<V: Value, I: Index> CsrRows<V, I> {
    fn new(
        data: &Bound<'_, PyArray1<V>>,
        indices: &Bound<'_, PyArray1<I>>,
        offsets: &Bound<'_, PyArray1<I>>,
        cols: usize,
    ) -> PyResult<CsrRows<V, I>> {
        let (values, indices) = (Held::new(data)?, Held::new(indices)?);
        let offsets = Held::new(offsets)?;
        let numbers: Option<Vec<usize>> = (0..offsets.len).map(|row| offsets.read(row).number()).collect();
        let offsets = numbers.filter(|offsets| {
            offsets.first() == Some(&0)
                && offsets.windows(2).all(|pair| pair[0] <= pair[1])
                && offsets.last().is_some_and(|&last| last <= values.len.min(indices.len))
        });
        let Some(offsets) = offsets else {
            return Err(PyValueError::new_err(
                "indptr must start at 0, never fall and end at the number of entries",
            ));
        };
        let rows = CsrRows { values, indices, offsets, cols };
        rows.check()?;
        Ok(rows)
    }

    fn check(&self) -> PyResult<()> {
        (0..self.rows()).try_for_each(|row| self.read_row(row, |_, _| ())).map_err(PyValueError::new_err)
    }

    /// Hands the entries of a row over, column and value. Columns rise and lie inside the matrix, or there is an error:
    /// this is looked at whenever a row is read, for whoever multiplies by it relies on it.
    fn read_row(&self, row: usize, mut take: impl FnMut(u32, f32)) -> Result<(), String> {
        let mut least = 0;
        for entry in self.offsets[row]..self.offsets[row + 1] {
            let column = self.indices.read(entry).number();
            let Some(column) = column.filter(|&column| column >= least && column < self.cols) else {
                return Err(format!(
                    "row {row}: column indices must rise, without repeats, and lie below {}",
                    self.cols
                ));
            };
            take(column as u32, self.values.read(entry).to_f32());
            least = column + 1;
        }
        Ok(())
    }
}

impl<V: Value, I: Index> RowSource for CsrRows<V, I> {
    fn rows(&self) -> usize {
        self.offsets.len() - 1
    }
    fn cols(&self) -> usize {
        self.cols
    }
    fn is_sparse(&self) -> bool {
        true
    }
    fn row_values(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0) / self.rows().max(1)
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let Batch::Sparse(out) = batch else { unreachable!("a sparse source got a dense batch") };
        out.clear();
        let mut entries = Vec::with_capacity(self.row_values());
        for &index in indices {
            entries.clear();
            let read = self.read_row(index as usize, |column, value| entries.push((column, value)));
            read.map_err(|message| SourceError {
                message: format!("X has changed: {message}"),
                cause: None,
            })?;
            out.push_row(entries.iter().copied());
        }
        Ok(())
    }
    fn memory(&self) -> usize {
        self.values.memory() + self.indices.memory() + size_of_val(self.offsets.as_slice())
    }
}

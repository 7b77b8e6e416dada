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

    fn get(&self) -> &[T] {
        // SAFETY: it was a slice of this length when it was taken, and NumPy never moves the memory of an array
        // that others refer to.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
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
        let numbers: Option<Vec<usize>> = Held::new(offsets)?.get().iter().map(|i| i.number()).collect();
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

    /// Whether the columns of each row rise and lie inside the matrix.
    fn check(&self) -> PyResult<()> {
        for row in 0..self.rows() {
            let mut least = 0;
            for column in &self.indices.get()[self.offsets[row]..self.offsets[row + 1]] {
                let column = column.number().filter(|&column| column >= least && column < self.cols);
                let Some(column) = column else {
                    return Err(PyValueError::new_err(format!(
                        "row {row}: column indices must rise, without repeats, and lie below {}",
                        self.cols
                    )));
                };
                least = column + 1;
            }
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
        for &index in indices {
            let entries = self.offsets[index as usize]..self.offsets[index as usize + 1];
            let columns = self.indices.get()[entries.clone()].iter().map(|i| i.number().unwrap_or(0) as u32);
            let values = self.values.get()[entries].iter().map(|value| value.to_f32());
            out.push_row(columns.zip(values));
        }
        Ok(())
    }
    fn memory(&self) -> usize {
        size_of_val(self.values.get())
            + size_of_val(self.indices.get())
            + size_of_val(self.offsets.as_slice())
    }
}

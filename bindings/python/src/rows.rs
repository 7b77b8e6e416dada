//! NumPy arrays as sources of rows: of any strides, as they lie in memory.

use lpvdn_core::source::{Stored, fill_rows};
use lpvdn_core::{Batch, Dataset, RowSource, SourceError};
use numpy::{Element, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::frame::Frame;
use crate::sparse;

/// What the rows are called in messages.
const NAME: &str = "X";

/// Rows from a 2-D array of `float32`, `float64` or `uint8`, from the parts of a sparse matrix, or from a data frame.
pub(crate) fn dataset(rows: &Bound<'_, PyAny>) -> PyResult<Dataset> {
    if let Ok(array) = rows.cast::<PyArray2<f32>>() {
        return Ok(Dataset::new(NAME, ArrayRows::new(array)));
    }
    if let Ok(array) = rows.cast::<PyArray2<f64>>() {
        return Ok(Dataset::new(NAME, ArrayRows::new(array)));
    }
    if let Ok(array) = rows.cast::<PyArray2<u8>>() {
        return Ok(Dataset::new(NAME, ArrayRows::new(array)));
    }
    if let Ok(frame) = rows.cast::<Frame>() {
        return Ok(frame.get().dataset(NAME));
    }
    if let Some(dataset) = sparse::dataset(NAME, rows)? {
        return Ok(dataset);
    }
    Err(PyTypeError::new_err(
        "rows must be a 2-D array of float32, float64 or uint8, the parts (data, indices, indptr, columns) of \
         sparse rows, or a Frame",
    ))
}

/// A number in an array.
pub(crate) trait Value: Element + Stored {}

impl<T: Element + Stored> Value for T {}

/// The rows of an array, which stays where it is; numbers are converted as they are gathered.
struct ArrayRows<S> {
    /// Keeps the memory alive.
    _array: Py<PyArray2<S>>,
    first: *const S,
    rows: usize,
    cols: usize,
    /// Bytes from a row to the next, and from a column to the next.
    strides: [isize; 2],
}

// SAFETY: the memory is only read, and lives as long as the array that is held. Whoever writes to an array while it is
// fitted gets numbers from before and after, as with every other library that releases the interpreter.
unsafe impl<S: Value> Send for ArrayRows<S> {}
// SAFETY: as above.
unsafe impl<S: Value> Sync for ArrayRows<S> {}

impl<S: Value> ArrayRows<S> {
    fn new(array: &Bound<'_, PyArray2<S>>) -> ArrayRows<S> {
        let (shape, strides) = (array.shape(), array.strides());
        ArrayRows {
            first: array.data().cast_const(),
            rows: shape[0],
            cols: shape[1],
            strides: [strides[0], strides[1]],
            _array: array.clone().unbind(),
        }
    }

    /// Writes `convert(cell, column)` of each cell of a row to `out`.
    fn copy_row(&self, row: usize, out: &mut [f32], convert: impl Fn(S, usize) -> f32) {
        assert!(row < self.rows && out.len() == self.cols, "a row that is not there");
        let start = self.first.wrapping_byte_offset(row as isize * self.strides[0]);
        if self.strides[1] == size_of::<S>() as isize && start.is_aligned() {
            // SAFETY: the row is inside the array, and its cells lie side by side.
            let cells = unsafe { std::slice::from_raw_parts(start, self.cols) };
            return out
                .iter_mut()
                .zip(cells)
                .enumerate()
                .for_each(|(j, (out, cell))| *out = convert(*cell, j));
        }
        for (j, out) in out.iter_mut().enumerate() {
            let cell = start.wrapping_byte_offset(j as isize * self.strides[1]);
            // SAFETY: row and column are inside the array, whose cells lie at multiples of its strides from its
            // first one. They need not be aligned.
            *out = convert(unsafe { cell.read_unaligned() }, j);
        }
    }
}

impl<S: Value> RowSource for ArrayRows<S> {
    fn rows(&self) -> usize {
        self.rows
    }
    fn cols(&self) -> usize {
        self.cols
    }
    fn is_bytes(&self) -> bool {
        S::BYTES
    }
    fn rounds(&self) -> bool {
        S::ROUNDS
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        fill_rows(batch, indices, |row, out| self.copy_row(row as usize, out, |cell, _| cell.to_f32()));
        Ok(())
    }
    fn gather_from(&self, origin: &[f64], indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        assert_eq!(origin.len(), self.cols, "an origin of other columns");
        fill_rows(batch, indices, |row, out| {
            self.copy_row(row as usize, out, |cell, j| cell.minus(origin[j]));
        });
        Ok(())
    }
    fn memory(&self) -> usize {
        self.rows * self.cols * size_of::<S>()
    }
}

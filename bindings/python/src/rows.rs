//! NumPy arrays as sources of rows: of any strides, as they lie in memory.

use lpvdn_core::{Batch, Dataset, RowSource, SourceError};
use numpy::{Element, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::sparse;

/// What the rows are called in messages.
const NAME: &str = "X";
/// Rows copied by one task.
const TASK_ROWS: usize = 64;

/// Rows from a 2-D array of `float32`, `float64` or `uint8`, or from the parts of a sparse matrix.
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
    if let Some(dataset) = sparse::dataset(NAME, rows)? {
        return Ok(dataset);
    }
    Err(PyTypeError::new_err(
        "rows must be a 2-D array of float32, float64 or uint8, or the parts (data, indices, indptr, columns) of \
         sparse rows",
    ))
}

/// A number in an array.
pub(crate) trait Value: Element + Copy + Send + Sync + 'static {
    const BYTES: bool = false;
    fn to_f32(self) -> f32;
}

impl Value for f32 {
    fn to_f32(self) -> f32 {
        self
    }
}

impl Value for f64 {
    fn to_f32(self) -> f32 {
        self as f32
    }
}

impl Value for u8 {
    const BYTES: bool = true;
    fn to_f32(self) -> f32 {
        f32::from(self)
    }
}

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

    fn copy_row(&self, row: usize, out: &mut [f32]) {
        assert!(row < self.rows && out.len() == self.cols, "a row that is not there");
        let start = self.first.wrapping_byte_offset(row as isize * self.strides[0]);
        if self.strides[1] == size_of::<S>() as isize && start.is_aligned() {
            // SAFETY: the row is inside the array, and its cells lie side by side.
            let cells = unsafe { std::slice::from_raw_parts(start, self.cols) };
            return out.iter_mut().zip(cells).for_each(|(out, cell)| *out = cell.to_f32());
        }
        for (j, out) in out.iter_mut().enumerate() {
            let cell = start.wrapping_byte_offset(j as isize * self.strides[1]);
            // SAFETY: row and column are inside the array, whose cells lie at multiples of its strides from its
            // first one. They need not be aligned.
            *out = unsafe { cell.read_unaligned() }.to_f32();
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
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let Batch::Dense(out) = batch else { unreachable!("a dense source got a sparse batch") };
        out.set_rows(indices.len());
        let width = self.cols.max(1);
        let tasks = out.as_mut_slice().par_chunks_mut(TASK_ROWS * width).zip(indices.par_chunks(TASK_ROWS));
        tasks.for_each(|(out, indices)| {
            for (out, &index) in out.chunks_exact_mut(width).zip(indices) {
                self.copy_row(index as usize, out);
            }
        });
        Ok(())
    }
    fn memory(&self) -> usize {
        self.rows * self.cols * size_of::<S>()
    }
}

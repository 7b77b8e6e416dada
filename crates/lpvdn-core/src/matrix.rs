//! Dense row-major matrices and strided views of them.

use crate::real::Real;

/// rows · cols. Unsafe code relies on it: a product that wrapped would make an empty slice pass for a
/// large matrix.
fn cells(rows: usize, cols: usize) -> usize {
    rows.checked_mul(cols).unwrap_or_else(|| panic!("a {rows} × {cols} matrix is larger than any memory"))
}

/// A dense row-major matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix<T> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
}

impl<T: Copy + Default> Matrix<T> {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Matrix<T> {
        Matrix { data: vec![T::default(); cells(rows, cols)], rows, cols }
    }

    /// Takes over row-major values.
    ///
    /// # Panics
    /// When `data` does not hold `rows · cols` values.
    pub fn from_vec(data: Vec<T>, rows: usize, cols: usize) -> Matrix<T> {
        assert_eq!(data.len(), cells(rows, cols), "a {rows} × {cols} matrix needs {} values", rows * cols);
        Matrix { data, rows, cols }
    }

    /// Builds a matrix from the value of each cell.
    pub fn from_fn(rows: usize, cols: usize, mut cell: impl FnMut(usize, usize) -> T) -> Matrix<T> {
        let mut data = Vec::with_capacity(cells(rows, cols));
        for i in 0..rows {
            data.extend((0..cols).map(|j| cell(i, j)));
        }
        Matrix { data, rows, cols }
    }

    /// Changes the number of rows, keeping the leading ones; new rows are zero. Allocates only when
    /// it grows beyond the largest size it ever had.
    pub fn set_rows(&mut self, rows: usize) {
        self.data.resize(cells(rows, self.cols), T::default());
        self.rows = rows;
    }

    /// Sets every cell.
    pub fn fill(&mut self, value: T) {
        self.data.fill(value);
    }
}

impl<T> Matrix<T> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// All values, row after row.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }
    /// All values, row after row.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }
    /// The values themselves.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }
    /// One row.
    pub fn row(&self, i: usize) -> &[T] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }
    /// One row.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }
    /// The rows in order.
    pub fn iter_rows(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.rows).map(|i| self.row(i))
    }
    /// A view of the whole matrix.
    pub fn view(&self) -> MatrixView<'_, T> {
        MatrixView::new(&self.data, self.rows, self.cols)
    }
    /// A view of rows `start..end`.
    pub fn rows_view(&self, start: usize, end: usize) -> MatrixView<'_, T> {
        MatrixView::new(&self.data[start * self.cols..end * self.cols], end - start, self.cols)
    }
    /// A mutable view of the whole matrix.
    pub fn view_mut(&mut self) -> MatrixViewMut<'_, T> {
        MatrixViewMut::new(&mut self.data, self.rows, self.cols)
    }
}

impl<T: Real> Matrix<T> {
    /// The same values in another precision.
    pub fn cast<U: Real>(&self) -> Matrix<U> {
        let data = self.data.iter().map(|x| U::of(x.f64())).collect();
        Matrix { data, rows: self.rows, cols: self.cols }
    }
}

/// A read-only view with strides, so that a transpose costs nothing.
#[derive(Clone, Copy, Debug)]
pub struct MatrixView<'a, T> {
    pub(crate) data: &'a [T],
    rows: usize,
    cols: usize,
    pub(crate) row_stride: usize,
    pub(crate) col_stride: usize,
}

impl<'a, T> MatrixView<'a, T> {
    /// Views row-major values.
    ///
    /// # Panics
    /// When `data` does not hold `rows · cols` values.
    pub fn new(data: &'a [T], rows: usize, cols: usize) -> MatrixView<'a, T> {
        assert_eq!(data.len(), cells(rows, cols), "a {rows} × {cols} view needs {} values", rows * cols);
        MatrixView { data, rows, cols, row_stride: cols, col_stride: 1 }
    }

    /// The transpose.
    pub fn t(self) -> MatrixView<'a, T> {
        MatrixView {
            data: self.data,
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
        }
    }

    /// One row of a row-major view.
    ///
    /// # Panics
    /// When the view is a transpose.
    pub fn row(&self, i: usize) -> &'a [T] {
        assert_eq!(self.col_stride, 1, "a row of a transpose");
        &self.data[i * self.row_stride..][..self.cols]
    }

    /// Its first `cols` columns.
    ///
    /// # Panics
    /// When it has fewer.
    pub fn first_columns(self, cols: usize) -> MatrixView<'a, T> {
        assert!(cols <= self.cols, "{cols} of {} columns", self.cols);
        MatrixView { cols, ..self }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
}

/// A mutable row-major view: where a product is written to.
#[derive(Debug)]
pub struct MatrixViewMut<'a, T> {
    pub(crate) data: &'a mut [T],
    rows: usize,
    cols: usize,
    pub(crate) row_stride: usize,
}

impl<'a, T> MatrixViewMut<'a, T> {
    /// Views row-major values.
    ///
    /// # Panics
    /// When `data` does not hold `rows · cols` values.
    pub fn new(data: &'a mut [T], rows: usize, cols: usize) -> MatrixViewMut<'a, T> {
        assert_eq!(data.len(), cells(rows, cols), "a {rows} × {cols} view needs {} values", rows * cols);
        MatrixViewMut { data, rows, cols, row_stride: cols }
    }

    /// Its first `cols` columns.
    ///
    /// # Panics
    /// When it has fewer.
    pub fn first_columns(self, cols: usize) -> MatrixViewMut<'a, T> {
        assert!(cols <= self.cols, "{cols} of {} columns", self.cols);
        MatrixViewMut { cols, ..self }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
}

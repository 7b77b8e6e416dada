//! Compressed sparse rows.

use crate::matrix::Matrix;
use crate::real::Real;

/// A matrix in compressed sparse row form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CsrMatrix<T> {
    cols: usize,
    /// `offsets[i]..offsets[i + 1]` are the entries of row i.
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

/// Why three arrays are not a sparse matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CsrError {
    /// The offsets do not start at 0, fall somewhere, or do not end at the number of entries.
    #[error("row offsets must start at 0, never fall and end at {entries}; offset {at} does not fit")]
    Offsets {
        /// Which offset is wrong.
        at: usize,
        /// The number of entries.
        entries: usize,
    },
    /// There are not as many column indices as values.
    #[error("{indices} column indices, but {values} values")]
    Lengths {
        /// How many indices there are.
        indices: usize,
        /// How many values there are.
        values: usize,
    },
    /// A column index is too large.
    #[error("row {row}: column {column} is outside the {cols} columns")]
    Column {
        /// The row.
        row: usize,
        /// The column index found.
        column: u32,
        /// The number of columns.
        cols: usize,
    },
    /// The columns of a row do not rise.
    #[error("row {row}: column indices must rise, without repeats")]
    Order {
        /// The row.
        row: usize,
    },
}

impl<T: Real> CsrMatrix<T> {
    /// An empty matrix to which rows are pushed.
    pub fn new(cols: usize) -> CsrMatrix<T> {
        CsrMatrix { cols, offsets: vec![0], indices: Vec::new(), values: Vec::new() }
    }

    /// Room for more rows with so many entries together, and not for others.
    pub fn reserve(&mut self, rows: usize, entries: usize) {
        self.offsets.reserve_exact(rows);
        self.indices.reserve_exact(entries);
        self.values.reserve_exact(entries);
    }

    /// Takes over the three arrays after checking them.
    pub fn from_parts(
        cols: usize,
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<T>,
    ) -> Result<CsrMatrix<T>, CsrError> {
        let entries = values.len();
        if indices.len() != entries {
            return Err(CsrError::Lengths { indices: indices.len(), values: entries });
        }
        if offsets.first() != Some(&0) || offsets.last() != Some(&entries) {
            return Err(CsrError::Offsets { at: offsets.len().saturating_sub(1), entries });
        }
        for (row, pair) in offsets.windows(2).enumerate() {
            if pair[0] > pair[1] || pair[1] > entries {
                return Err(CsrError::Offsets { at: row + 1, entries });
            }
            let columns = &indices[pair[0]..pair[1]];
            if columns.windows(2).any(|c| c[0] >= c[1]) {
                return Err(CsrError::Order { row });
            }
            if let Some(&column) = columns.last().filter(|&&c| c as usize >= cols) {
                return Err(CsrError::Column { row, column, cols });
            }
        }
        Ok(CsrMatrix { cols, offsets, indices, values })
    }

    /// The non-zero cells of a dense matrix.
    pub fn from_dense(dense: &Matrix<T>) -> CsrMatrix<T> {
        let mut csr = CsrMatrix::new(dense.cols());
        for row in dense.iter_rows() {
            let entries = row.iter().enumerate().filter(|(_, v)| **v != T::ZERO);
            csr.push_row(entries.map(|(j, &v)| (j as u32, v)));
        }
        csr
    }

    /// Appends a row; its columns must rise and lie inside the matrix.
    pub fn push_row(&mut self, entries: impl IntoIterator<Item = (u32, T)>) {
        let start = self.indices.len();
        for (column, value) in entries {
            debug_assert!((column as usize) < self.cols);
            debug_assert!(self.indices[start..].last().is_none_or(|&last| last < column));
            self.indices.push(column);
            self.values.push(value);
        }
        self.offsets.push(self.indices.len());
    }

    /// Removes all rows, keeping the memory.
    pub fn clear(&mut self) {
        self.offsets.truncate(1);
        self.indices.clear();
        self.values.clear();
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }
    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// The number of stored entries.
    pub fn entries(&self) -> usize {
        self.values.len()
    }
    /// The stored values.
    pub fn values(&self) -> &[T] {
        &self.values
    }
    /// The stored values.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Multiplies each column by its factor.
    pub fn scale_columns(&mut self, factors: &[T]) {
        self.values.iter_mut().zip(&self.indices).for_each(|(v, &j)| *v *= factors[j as usize]);
    }

    /// Column indices and values of one row.
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        let range = self.offsets[i]..self.offsets[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// Writes all rows into `dense`, which gets their number of rows.
    pub fn to_dense_into(&self, dense: &mut Matrix<T>) {
        assert_eq!(dense.cols(), self.cols);
        dense.set_rows(self.rows());
        dense.fill(T::ZERO);
        for i in 0..self.rows() {
            let (indices, values) = self.row(i);
            let out = dense.row_mut(i);
            for (&j, &v) in indices.iter().zip(values) {
                out[j as usize] = v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_back() {
        let dense = Matrix::from_vec(vec![0.0_f32, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 0.0, 0.0], 3, 3);
        let csr = CsrMatrix::from_dense(&dense);
        assert_eq!((csr.rows(), csr.cols(), csr.entries()), (3, 3, 3));
        let mut back = Matrix::zeros(0, 3);
        csr.to_dense_into(&mut back);
        assert_eq!(back, dense);
    }

    #[test]
    fn arrays_that_are_no_matrix_are_refused() {
        let make = |offsets: &[usize], indices: &[u32]| {
            CsrMatrix::from_parts(3, offsets.to_vec(), indices.to_vec(), vec![1.0_f32; 2])
        };
        assert!(make(&[0, 1, 2], &[0, 2]).is_ok());
        assert_eq!(make(&[0, 2], &[0]), Err(CsrError::Lengths { indices: 1, values: 2 }));
        assert!(matches!(make(&[0, 3], &[0, 1]), Err(CsrError::Offsets { .. })));
        assert!(matches!(make(&[], &[0, 1]), Err(CsrError::Offsets { .. })));
        assert!(matches!(make(&[0, 9, 2], &[0, 1]), Err(CsrError::Offsets { at: 1, .. })));
        assert!(matches!(make(&[0, 2], &[1, 1]), Err(CsrError::Order { row: 0 })));
        assert!(matches!(make(&[0, 2], &[1, 3]), Err(CsrError::Column { row: 0, column: 3, cols: 3 })));
    }
}

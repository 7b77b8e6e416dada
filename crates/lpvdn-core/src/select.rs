//! Some of the rows or columns of a matrix.

use crate::matrix::MatrixView;

/// All indices below a bound, or some of them.
#[derive(Clone, Copy, Debug)]
pub enum Select<'a> {
    /// Every index.
    All,
    /// These, in rising order.
    Some(&'a [u32]),
}

impl Select<'_> {
    /// How many of the indices below `bound` are selected.
    pub fn below(self, bound: usize) -> usize {
        match self {
            Select::All => bound,
            Select::Some(indices) => indices.partition_point(|&i| (i as usize) < bound),
        }
    }

    /// Panics unless the indices rise and are below `bound`: unsafe code relies on it.
    pub(crate) fn check(self, bound: usize) {
        if let Select::Some(indices) = self {
            assert!(indices.is_sorted_by(|a, b| a < b), "selected indices must rise");
            assert!(indices.last().is_none_or(|&i| (i as usize) < bound), "selected beyond {bound}");
        }
    }

    /// The `i`-th selected index.
    #[inline(always)]
    pub fn at(self, i: usize) -> usize {
        match self {
            Select::All => i,
            Select::Some(indices) => indices[i] as usize,
        }
    }
}

/// The cells of a matrix that lie in selected rows and selected columns.
#[derive(Clone, Copy, Debug)]
pub struct Selected<'a, T> {
    /// The whole matrix.
    pub matrix: MatrixView<'a, T>,
    /// Which of its rows.
    pub rows: Select<'a>,
    /// Which of its columns.
    pub cols: Select<'a>,
}

impl<'a, T> From<MatrixView<'a, T>> for Selected<'a, T> {
    fn from(matrix: MatrixView<'a, T>) -> Selected<'a, T> {
        Selected { matrix, rows: Select::All, cols: Select::All }
    }
}

impl<'a, T> Selected<'a, T> {
    /// The transpose.
    pub fn t(self) -> Selected<'a, T> {
        Selected { matrix: self.matrix.t(), rows: self.cols, cols: self.rows }
    }

    /// The number of selected rows.
    pub fn rows(&self) -> usize {
        self.rows.below(self.matrix.rows())
    }

    /// The number of selected columns.
    pub fn cols(&self) -> usize {
        self.cols.below(self.matrix.cols())
    }
}

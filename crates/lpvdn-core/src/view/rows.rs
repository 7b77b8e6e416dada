//! Rows as a view shows them.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Part, View};
use crate::matrix::Matrix;
use crate::source::{Batch, RowSource, SourceError, for_each_block};

/// Rows that one task makes.
const TASK_ROWS: usize = 16;
/// Rows that are made at a time when all are.
const BLOCK: usize = 4096;
/// A view of at most this many bytes is kept whole, whatever it is a view of.
const SMALL: usize = 64 << 20;

/// The rows of a source, seen through a view when they are asked for.
pub struct ViewedRows {
    source: Arc<dyn RowSource>,
    view: Arc<View>,
}

impl ViewedRows {
    /// The rows of `source`, which has the columns of the view.
    ///
    /// # Panics
    /// If it has other columns.
    pub fn new(source: Arc<dyn RowSource>, view: Arc<View>) -> ViewedRows {
        assert_eq!(source.cols(), view.columns(), "the view is of other columns");
        ViewedRows { source, view }
    }

    /// The same rows for a training, which asks for each of them again and again: kept whole where they take little
    /// memory. Terms, whose components are the most work, are kept up to twice the memory of the rows themselves.
    ///
    /// # Errors
    /// Rows that cannot be read.
    pub fn for_training(self) -> Result<Arc<dyn RowSource>, SourceError> {
        let bytes = self.rows().saturating_mul(self.cols()).saturating_mul(size_of::<f32>());
        let has_terms = self.view.parts().iter().any(|part| matches!(part, Part::Terms(_)));
        let most = if has_terms { SMALL.max(2 * self.source.memory()) } else { SMALL };
        if bytes > most {
            return Ok(Arc::new(self));
        }
        let mut all = Matrix::zeros(self.rows(), self.cols());
        for_each_block(&self, BLOCK, |start, batch| {
            if let Batch::Dense(rows) = batch {
                let first = start * rows.cols();
                all.as_mut_slice()[first..][..rows.as_slice().len()].copy_from_slice(rows.as_slice());
            }
            Ok(())
        })?;
        Ok(Arc::new(all))
    }

    /// The rows themselves.
    pub fn source(&self) -> &dyn RowSource {
        self.source.as_ref()
    }

    /// How they are seen.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The columns that an `f32` says too little about, as distances from their means.
    fn put_fine(&self, indices: &[u32], rows: &mut Batch) -> Result<(), SourceError> {
        let Batch::Dense(rows) = rows else { return Ok(()) };
        let mut origin = vec![0.0; self.source.cols()];
        self.view.fine().for_each(|(j, column)| origin[j] = column.origin());
        let mut exact = Batch::for_source(self.source.as_ref());
        self.source.gather_from(&origin, indices, &mut exact)?;
        if let Batch::Dense(exact) = exact {
            for i in 0..rows.rows() {
                self.view.fine().for_each(|(j, _)| rows.row_mut(i)[j] = exact.row(i)[j]);
            }
        }
        Ok(())
    }
}

impl RowSource for ViewedRows {
    fn rows(&self) -> usize {
        self.source.rows()
    }
    fn cols(&self) -> usize {
        self.view.width()
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let Batch::Dense(out) = batch else { unreachable!("a dense source got a sparse batch") };
        let mut rows = Batch::for_source(self.source.as_ref());
        self.source.gather(indices, &mut rows)?;
        if self.view.first_fine().is_some() {
            self.put_fine(indices, &mut rows)?;
        }
        out.set_rows(indices.len());
        let width = out.cols().max(1);
        out.as_mut_slice().par_chunks_mut(TASK_ROWS * width).enumerate().for_each(|(task, out)| {
            let mut dense = Vec::new();
            for (i, out) in out.chunks_exact_mut(width).enumerate() {
                self.view.apply_row(&rows, task * TASK_ROWS + i, &mut dense, out);
            }
        });
        Ok(())
    }
    fn viewed(&self) -> Option<&ViewedRows> {
        Some(self)
    }
    fn memory(&self) -> usize {
        self.source.memory()
    }
}

//! Rows of as many numbers each.

use std::fs::File;
use std::path::Path;

use lpvdn_core::{Batch, GrowingLabels, Labels, RowSource, SourceError};
use rayon::prelude::*;

use super::blocks::{Blocks, Places};
use crate::element::{Element, Endian};

/// Rows that one task decodes.
const TASK_ROWS: usize = 64;

/// Where and how values lie in a file: row after row.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The first byte of the first row.
    pub(crate) start: u64,
    pub(crate) rows: usize,
    /// Values of a row in the file.
    pub(crate) width: usize,
    pub(crate) element: Element,
    pub(crate) endian: Endian,
}

impl Layout {
    /// All rows.
    pub(crate) fn bytes(&self) -> u64 {
        Places::bytes(self)
    }
}

impl Places for Layout {
    fn rows(&self) -> usize {
        self.rows
    }
    fn start(&self, row: usize) -> u64 {
        self.start + row as u64 * (self.width * self.element.size()) as u64
    }
}

/// The rows of a file.
pub(crate) struct DenseRows {
    blocks: Blocks<Layout>,
    /// A column that is no value.
    left_out: Option<usize>,
}

impl DenseRows {
    /// `kept` is how many bytes may be kept.
    pub(crate) fn new(
        path: &Path,
        file: File,
        layout: Layout,
        left_out: Option<usize>,
        kept: u64,
    ) -> DenseRows {
        let values = layout.width - usize::from(left_out.is_some());
        DenseRows { blocks: Blocks::new(path, file, layout, values, kept), left_out }
    }

    /// The same, of rows that become rows of `values` values each.
    pub(super) fn becoming(values: usize, path: &Path, file: File, layout: Layout, kept: u64) -> DenseRows {
        DenseRows { blocks: Blocks::new(path, file, layout, values, kept), left_out: None }
    }

    fn layout(&self) -> &Layout {
        self.blocks.places()
    }

    /// The numbers of column `column` as classes.
    pub(crate) fn labels(&self, column: usize) -> Result<Labels, SourceError> {
        let Layout { element, endian, .. } = *self.layout();
        let size = element.size();
        let mut labels = GrowingLabels::default();
        self.blocks.for_each_row(|row| {
            labels.push(&element.written(endian, &row[column * size..(column + 1) * size]));
        })?;
        Ok(labels.finish())
    }

    fn decode(&self, bytes: &[u8], out: &mut [f32]) {
        let size = self.layout().element.size();
        let value = self.layout().element.decoder(self.layout().endian);
        let (before, after) = match self.left_out {
            None => (bytes, &[][..]),
            Some(column) => (&bytes[..column * size], &bytes[(column + 1) * size..]),
        };
        let values = before.chunks_exact(size).chain(after.chunks_exact(size));
        out.iter_mut().zip(values).for_each(|(out, bytes)| *out = value(bytes));
    }
}

impl RowSource for DenseRows {
    fn rows(&self) -> usize {
        self.layout().rows
    }
    fn cols(&self) -> usize {
        self.layout().width - usize::from(self.left_out.is_some())
    }
    fn is_bytes(&self) -> bool {
        matches!(self.layout().element, Element::U8 | Element::Bool)
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let Batch::Dense(out) = batch else { unreachable!("a dense source got a sparse batch") };
        let found = self.blocks.find(indices)?;
        out.set_rows(indices.len());
        let width = self.cols();
        let tasks = out.as_mut_slice().par_chunks_mut(TASK_ROWS * width).zip(indices.par_chunks(TASK_ROWS));
        tasks.for_each(|(out, indices)| {
            let rows = out.chunks_exact_mut(width).zip(indices);
            rows.for_each(|(out, &row)| self.decode(found.row(row), out));
        });
        Ok(())
    }
    fn memory(&self) -> usize {
        self.blocks.memory()
    }
}

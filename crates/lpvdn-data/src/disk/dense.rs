//! Rows of as many numbers each.

use std::fs::File;
use std::path::Path;

use lpvdn_core::source::{Stored, fill_rows};
use lpvdn_core::{Batch, Labels, RowSource, SourceError};

use super::blocks::{Blocks, Places};
use crate::DataError;
use crate::budget::Budget;
use crate::described::ChargedLabels;
use crate::element::{Element, Endian};

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

    /// All rows, in memory.
    pub(crate) fn held_bytes(&self) -> u64 {
        (self.rows as u64).saturating_mul((self.width * self.element.held_size()) as u64)
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
    pub(crate) fn labels(&self, column: usize, path: &Path, budget: &Budget) -> Result<Labels, DataError> {
        let Layout { element, endian, .. } = *self.layout();
        let size = element.size();
        let (mut labels, mut refused) = (ChargedLabels::new(path, budget), Ok(()));
        let read = self.blocks.for_each_row(|row| {
            if refused.is_ok() {
                refused = labels.push(&element.written(endian, &row[column * size..(column + 1) * size]));
            }
        });
        read.map_err(|cause| DataError::Rows { path: path.to_owned(), cause })?;
        refused?;
        Ok(labels.finish())
    }

    /// The values of a row: its bytes without those of the column that is none.
    fn values<'a>(&self, row: &'a [u8]) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let size = self.layout().element.size();
        let (before, after) = match self.left_out {
            None => (row, &[][..]),
            Some(column) => (&row[..column * size], &row[(column + 1) * size..]),
        };
        before.chunks_exact(size).chain(after.chunks_exact(size))
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
    fn rounds(&self) -> bool {
        self.layout().element.double(self.layout().endian).is_some()
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let (found, value) =
            (self.blocks.find(indices)?, self.layout().element.decoder(self.layout().endian));
        fill_rows(batch, indices, |row, out| {
            out.iter_mut().zip(self.values(found.row(row))).for_each(|(out, bytes)| *out = value(bytes));
        });
        Ok(())
    }
    fn gather_from(&self, origin: &[f64], indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let (narrow, wide) = (
            self.layout().element.decoder(self.layout().endian),
            self.layout().element.double(self.layout().endian),
        );
        let value = |bytes: &[u8]| wide.map_or_else(|| f64::from(narrow(bytes)), |wide| wide(bytes));
        let found = self.blocks.find(indices)?;
        fill_rows(batch, indices, |row, out| {
            let values = self.values(found.row(row)).zip(origin);
            out.iter_mut().zip(values).for_each(|(out, (bytes, o))| *out = value(bytes).minus(*o));
        });
        Ok(())
    }
    fn memory(&self) -> usize {
        self.blocks.memory()
    }
}

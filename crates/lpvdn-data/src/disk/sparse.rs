//! Rows of the entries that are not zero.

use std::fs::File;
use std::path::Path;

use lpvdn_core::{Batch, RowSource, SourceError};

use super::blocks::{Blocks, Places};

/// An entry: its column and its value, four bytes each, the lowest first.
pub(super) const ENTRY: usize = 8;

pub(super) fn entry_bytes(column: u32, value: f32) -> [u8; ENTRY] {
    let mut bytes = [0; ENTRY];
    bytes[..4].copy_from_slice(&column.to_le_bytes());
    bytes[4..].copy_from_slice(&value.to_le_bytes());
    bytes
}

fn entry(bytes: &[u8]) -> (u32, f32) {
    let half = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    (u32::from_le_bytes(half(0)), f32::from_le_bytes(half(4)))
}

/// How many entries stand before each row, and at last how many there are.
pub(super) struct Offsets(pub(super) Vec<u64>);

impl Places for Offsets {
    fn rows(&self) -> usize {
        self.0.len() - 1
    }
    fn start(&self, row: usize) -> u64 {
        self.0[row] * ENTRY as u64
    }
}

/// The sparse rows of a file. Its columns rise in each row, and are inside the shape.
pub(crate) struct SparseRows {
    blocks: Blocks<Offsets>,
    cols: usize,
    /// What the file calls the first column.
    base: u32,
}

impl SparseRows {
    pub(super) fn new(
        path: &Path,
        file: File,
        offsets: Offsets,
        (cols, base): (usize, u32),
        kept: u64,
    ) -> SparseRows {
        let values = row_values(&offsets);
        SparseRows { blocks: Blocks::new(path, file, offsets, values, kept), cols, base }
    }
}

fn row_values(offsets: &Offsets) -> usize {
    (offsets.bytes() / ENTRY as u64 / offsets.rows().max(1) as u64) as usize
}

impl RowSource for SparseRows {
    fn rows(&self) -> usize {
        self.blocks.places().rows()
    }
    fn cols(&self) -> usize {
        self.cols
    }
    fn is_sparse(&self) -> bool {
        true
    }
    fn row_values(&self) -> usize {
        row_values(self.blocks.places())
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let Batch::Sparse(out) = batch else { unreachable!("a sparse source got a dense batch") };
        let found = self.blocks.find(indices)?;
        out.clear();
        for &row in indices {
            let entries = found.row(row).chunks_exact(ENTRY).map(entry);
            out.push_row(entries.map(|(column, value)| (column - self.base, value)));
        }
        Ok(())
    }
    fn memory(&self) -> usize {
        self.blocks.memory() + size_of_val(self.blocks.places().0.as_slice())
    }
}

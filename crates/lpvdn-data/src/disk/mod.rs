//! Rows that stay on the disk and are read as they are asked for.
//!
//! They are read by position, not through a mapping: mapped pages count as memory of the process until
//! the system takes them back. What is kept are blocks of successive rows, as many as the cache has room
//! for. The order in which training asks for rows goes by the same blocks, so that each is read about
//! once an epoch; whatever order is asked for, the rows are the same.

mod cache;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lpvdn_core::source::block_rows;
use lpvdn_core::{Batch, RowSource, SourceError};
use rayon::prelude::*;

use self::cache::Cache;
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
    fn row_bytes(&self) -> usize {
        self.width * self.element.size()
    }

    /// All rows.
    pub(crate) fn bytes(&self) -> u64 {
        self.rows as u64 * self.row_bytes() as u64
    }
}

/// The rows of a file.
pub(crate) struct DiskRows {
    path: PathBuf,
    file: File,
    layout: Layout,
    /// A column that is no value.
    left_out: Option<usize>,
    /// Rows of a block.
    block: usize,
    cache: Mutex<Cache>,
}

impl DiskRows {
    /// `cache` is how many bytes may be kept.
    pub(crate) fn new(
        path: &Path,
        file: File,
        layout: Layout,
        left_out: Option<usize>,
        cache: u64,
    ) -> DiskRows {
        let block = block_rows(layout.width - usize::from(left_out.is_some()));
        let blocks = cache / (block * layout.row_bytes()).max(1) as u64;
        let capacity = usize::try_from(blocks).unwrap_or(usize::MAX).clamp(1, layout.rows.div_ceil(block));
        let cache = Mutex::new(Cache::new(capacity));
        DiskRows { path: path.to_owned(), file, layout, left_out, block, cache }
    }

    /// Column `column` as the text of its numbers.
    pub(crate) fn column(&self, column: usize) -> Result<Vec<String>, SourceError> {
        let size = self.layout.element.size();
        let value = self.layout.element.decoder(self.layout.endian);
        let mut names = Vec::with_capacity(self.layout.rows);
        for block in 0..self.layout.rows.div_ceil(self.block) {
            let bytes = self.read(block)?;
            let rows = bytes.chunks_exact(self.layout.row_bytes());
            names.extend(rows.map(|row| value(&row[column * size..(column + 1) * size]).to_string()));
        }
        Ok(names)
    }

    /// The blocks `wanted`, from the cache or from the disk.
    fn blocks(&self, wanted: &[usize]) -> Result<Vec<Arc<Vec<u8>>>, SourceError> {
        let lock = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found: Vec<Option<Arc<Vec<u8>>>> = lock().find(wanted);
        let missing: Vec<usize> = (0..wanted.len()).filter(|&i| found[i].is_none()).collect();
        let read: Vec<Arc<Vec<u8>>> =
            missing.par_iter().map(|&i| self.read(wanted[i]).map(Arc::new)).collect::<Result<_, _>>()?;
        let mut cache = lock();
        for (i, bytes) in missing.into_iter().zip(read) {
            cache.keep(wanted[i], Arc::clone(&bytes));
            found[i] = Some(bytes);
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn read(&self, block: usize) -> Result<Vec<u8>, SourceError> {
        let first = block * self.block;
        let rows = self.block.min(self.layout.rows - first);
        let mut bytes = vec![0; rows * self.layout.row_bytes()];
        let place = self.layout.start + first as u64 * self.layout.row_bytes() as u64;
        read_at(&self.file, &mut bytes, place).map_err(|cause| SourceError {
            message: format!(
                "{}, rows {} to {}: {cause}; the file must stay as it is while it is being used",
                self.path.display(),
                first + 1,
                first + rows
            ),
            cause: Some(cause),
        })?;
        Ok(bytes)
    }

    fn decode(&self, bytes: &[u8], out: &mut [f32]) {
        let size = self.layout.element.size();
        let value = self.layout.element.decoder(self.layout.endian);
        let (before, after) = match self.left_out {
            None => (bytes, &[][..]),
            Some(column) => (&bytes[..column * size], &bytes[(column + 1) * size..]),
        };
        let values = before.chunks_exact(size).chain(after.chunks_exact(size));
        out.iter_mut().zip(values).for_each(|(out, bytes)| *out = value(bytes));
    }
}

impl RowSource for DiskRows {
    fn rows(&self) -> usize {
        self.layout.rows
    }
    fn cols(&self) -> usize {
        self.layout.width - usize::from(self.left_out.is_some())
    }
    fn is_bytes(&self) -> bool {
        matches!(self.layout.element, Element::U8 | Element::Bool)
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let Batch::Dense(out) = batch else { unreachable!("a dense source got a sparse batch") };
        let mut wanted: Vec<usize> = indices.iter().map(|&row| row as usize / self.block).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let blocks = self.blocks(&wanted)?;
        out.set_rows(indices.len());
        let (width, row_bytes) = (self.cols(), self.layout.row_bytes());
        let tasks = out.as_mut_slice().par_chunks_mut(TASK_ROWS * width).zip(indices.par_chunks(TASK_ROWS));
        tasks.for_each(|(out, indices)| {
            for (out, &row) in out.chunks_exact_mut(width).zip(indices) {
                let (block, place) = (row as usize / self.block, row as usize % self.block);
                let bytes = &blocks[wanted.partition_point(|&b| b < block)];
                self.decode(&bytes[place * row_bytes..(place + 1) * row_bytes], out);
            }
        });
        Ok(())
    }
    /// What the cache grows to.
    fn memory(&self) -> usize {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.capacity() * self.block * self.layout.row_bytes()
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, place) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                bytes = &mut bytes[n..];
                place += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

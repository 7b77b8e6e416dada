//! A file whose rows are read in blocks of successive ones.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lpvdn_core::SourceError;
use lpvdn_core::source::block_rows;
use rayon::prelude::*;

use super::cache::Cache;

/// Where in a file each row lies: one after the other.
pub(super) trait Places: Send + Sync {
    /// The number of rows.
    fn rows(&self) -> usize;
    /// The first byte of a row; for the row after the last one, where the file's rows end.
    fn start(&self, row: usize) -> u64;
    /// Bytes of all rows.
    fn bytes(&self) -> u64 {
        self.start(self.rows()) - self.start(0)
    }
}

/// The rows of a file, as bytes.
pub(super) struct Blocks<P> {
    /// What messages call the file.
    path: PathBuf,
    file: File,
    places: P,
    /// Rows of a block.
    block: usize,
    /// What may be kept, in bytes.
    kept: u64,
    cache: Mutex<Cache>,
}

impl<P: Places> Blocks<P> {
    /// `values` is how many a row has, which decides how many rows are a block; `kept`, how many bytes may
    /// be kept.
    pub(super) fn new(path: &Path, file: File, places: P, values: usize, kept: u64) -> Blocks<P> {
        let block = block_rows(values);
        let one = places.bytes() / places.rows().div_ceil(block).max(1) as u64;
        let kept = kept.clamp(one.min(places.bytes()), places.bytes().max(one));
        Blocks { path: path.to_owned(), file, places, block, kept, cache: Mutex::new(Cache::new(kept)) }
    }

    pub(super) fn places(&self) -> &P {
        &self.places
    }

    /// What the cache grows to.
    pub(super) fn memory(&self) -> usize {
        // A block of long rows may be larger than all that would be kept of others.
        let blocks = 0..self.places.rows().div_ceil(self.block);
        let bytes =
            |rows: std::ops::Range<usize>| self.places.start(rows.end) - self.places.start(rows.start);
        let largest = blocks.map(|block| bytes(self.rows_of(block))).max().unwrap_or(0);
        usize::try_from(self.kept.max(largest)).unwrap_or(usize::MAX)
    }

    /// The blocks that the rows `indices` are in.
    pub(super) fn find(&self, indices: &[u32]) -> Result<Found<'_, P>, SourceError> {
        let mut numbers: Vec<usize> = indices.iter().map(|&row| row as usize / self.block).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let lock = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found: Vec<Option<Arc<Vec<u8>>>> = lock().find(&numbers);
        let missing: Vec<usize> = (0..numbers.len()).filter(|&i| found[i].is_none()).collect();
        let read: Vec<Arc<Vec<u8>>> =
            missing.par_iter().map(|&i| self.read(numbers[i]).map(Arc::new)).collect::<Result<_, _>>()?;
        let mut cache = lock();
        for (i, bytes) in missing.into_iter().zip(read) {
            cache.keep(numbers[i], Arc::clone(&bytes));
            found[i] = Some(bytes);
        }
        drop(cache);
        Ok(Found { blocks: self, numbers, bytes: found.into_iter().flatten().collect() })
    }

    /// Calls `visit` with the bytes of every row in order, past the cache.
    pub(super) fn for_each_row(&self, mut visit: impl FnMut(&[u8])) -> Result<(), SourceError> {
        for block in 0..self.places.rows().div_ceil(self.block) {
            let (bytes, rows) = (self.read(block)?, self.rows_of(block));
            let start = self.places.start(rows.start);
            rows.for_each(|row| visit(&bytes[self.range(row, start)]));
        }
        Ok(())
    }

    fn rows_of(&self, block: usize) -> std::ops::Range<usize> {
        let first = block * self.block;
        first..(first + self.block).min(self.places.rows())
    }

    /// Where row `row` is in bytes that begin at `start`.
    fn range(&self, row: usize, start: u64) -> std::ops::Range<usize> {
        (self.places.start(row) - start) as usize..(self.places.start(row + 1) - start) as usize
    }

    fn read(&self, block: usize) -> Result<Vec<u8>, SourceError> {
        let rows = self.rows_of(block);
        let start = self.places.start(rows.start);
        let mut bytes = vec![0; (self.places.start(rows.end) - start) as usize];
        read_at(&self.file, &mut bytes, start).map_err(|cause| SourceError {
            message: format!(
                "{}, rows {} to {}: {cause}; the file, or the temporary one it was unpacked into, must stay as it is while it is being used",
                self.path.display(),
                rows.start + 1,
                rows.end
            ),
            cause: Some(cause),
        })?;
        Ok(bytes)
    }
}

/// Some blocks.
pub(super) struct Found<'a, P> {
    blocks: &'a Blocks<P>,
    numbers: Vec<usize>,
    bytes: Vec<Arc<Vec<u8>>>,
}

impl<P: Places> Found<'_, P> {
    /// The bytes of a row that was asked for.
    pub(super) fn row(&self, row: u32) -> &[u8] {
        let row = row as usize;
        let block = row / self.blocks.block;
        let bytes = &self.bytes[self.numbers.partition_point(|&number| number < block)];
        &bytes[self.blocks.range(row, self.blocks.places.start(block * self.blocks.block))]
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

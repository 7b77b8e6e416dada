//! The file that the pages of Parquet are read from. Before the decoder takes memory for a page, what the page claims
//! to unpack to is checked here.
//!
//! The decoder asks for a reader where the header of a page begins, and again behind the header when it had looked at
//! it before. Then it asks for the bytes of the page. So every header is read along with the decoder, and the bytes of
//! a page are given only if the header that lies before them was understood: whoever reads a header in another way
//! than the decoder gets no page, rather than an unchecked one.

use std::collections::HashMap;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};

use super::page::Claim;
use crate::DataError;
use crate::budget::Account;
use crate::input::Seekable;

/// What a value takes at most while it is decoded: itself, its levels, and as a number.
const VALUE: u64 = 32;
/// How many times its bytes LZ4 or Snappy make at most.
const BEST_LZ4: u64 = 256;

/// A file that several columns are read from. What lies outside of it is refused before memory is taken.
#[derive(Clone)]
pub(super) struct Pages {
    state: Arc<Mutex<State>>,
    length: u64,
}

struct State {
    stream: Box<dyn Seekable>,
    /// The columns of the row group that is being read; none before the footer has been read.
    columns: Option<Vec<Column>>,
    /// By where its bytes begin, what a page claims whose header has been read.
    claims: HashMap<u64, Claim>,
    /// Rows that are decoded together.
    batch: u64,
    /// What the pages take of memory.
    account: Account,
    /// Why a page was refused, where that is no fault of the file.
    refused: Option<DataError>,
}

/// A column of a row group, and what its pages take of memory.
pub(super) struct Column {
    /// Where its pages lie.
    range: Range<u64>,
    /// How many times its bytes a page may unpack to, where it is compressed.
    best_compression: Option<u64>,
    /// Whether the decoder unpacks as many bytes as there are, whatever the page claims.
    endless: bool,
    /// The same, of a codec that does not make very many.
    frames: bool,
    /// Whether a row may have any number of values.
    repeated: bool,
    dictionary: u64,
    /// The page that is being decoded.
    current: u64,
    /// Those before it, of which rows of this batch may be views.
    earlier: u64,
}

impl Column {
    pub(super) fn new(chunk: &ColumnChunkMetaData) -> Column {
        let (start, length) = chunk.byte_range();
        Column {
            range: start..start.saturating_add(length),
            best_compression: best_compression(chunk.compression()),
            endless: matches!(chunk.compression(), Compression::GZIP(_)),
            frames: chunk.compression() == Compression::LZ4,
            repeated: chunk.column_descr().max_rep_level() > 0,
            dictionary: 0,
            current: 0,
            earlier: 0,
        }
    }

    /// What a page takes, from its bytes to the numbers of its rows.
    fn needs(&self, page: &Claim, batch: u64) -> u64 {
        // What is not compressed is used as it lies there. What is unpacked grows in a buffer, which is copied as it
        // doubles.
        let unpacked = self.best_compression.map_or(0, |_| page.unpacked.saturating_mul(2));
        let unpacked =
            if self.frames { unpacked.max(page.packed.saturating_mul(2 * BEST_LZ4)) } else { unpacked };
        let decoded = if self.repeated { page.values } else { page.values.min(batch) };
        // None of the values is longer than the page.
        let prefixes = if page.shares_prefixes { decoded.saturating_mul(page.unpacked) } else { 0 };
        // The others have 31 bits at most.
        prefixes.saturating_add(page.packed + unpacked + (decoded + page.entries) * VALUE)
    }

    /// Counts a page that is about to be decoded.
    fn hold(&mut self, page: &Claim, bytes: u64) {
        if page.entries > 0 {
            self.dictionary = self.dictionary.saturating_add(bytes);
        } else {
            self.earlier = self.earlier.saturating_add(std::mem::replace(&mut self.current, bytes));
        }
    }

    /// Says what cannot be true of a page.
    fn doubt(&self, page: &Claim) -> Option<String> {
        let Claim { mut unpacked, packed, entries, .. } = *page;
        match self.best_compression {
            Some(best) if unpacked > packed.saturating_mul(best) => {
                return Some(format!("a page of {packed} bytes claims to unpack to {unpacked}"));
            }
            Some(_) => {}
            None => unpacked = packed,
        }
        // None of them takes less than a byte.
        (entries > unpacked).then(|| format!("a dictionary of {unpacked} bytes claims {entries} values"))
    }
}

/// No page unpacks to more than this many times its bytes, where it is unpacked at all.
fn best_compression(how: Compression) -> Option<u64> {
    match how {
        Compression::UNCOMPRESSED => None,
        Compression::GZIP(_) => Some(1032),
        // Four bytes are a block of 128 KiB.
        Compression::ZSTD(_) => Some(32 * 1024),
        _ => Some(BEST_LZ4),
    }
}

/// Whether gzip makes no more bytes of a page than the page claims.
fn is_within(page: &Claim, bytes: &[u8]) -> bool {
    let (levels, claimed) = (page.levels as usize, page.unpacked.saturating_sub(page.levels));
    let Some(packed) = bytes.get(levels..) else { return true };
    let mut unpacked = MultiGzDecoder::new(packed).take(claimed.saturating_add(1));
    // What is damaged, or not packed at all, is for the decoder to report.
    io::copy(&mut unpacked, &mut io::sink()).map_or(true, |count| count <= claimed)
}

impl Pages {
    pub(super) fn new(stream: Box<dyn Seekable>, length: u64, account: Account) -> Pages {
        let state = State { stream, columns: None, claims: HashMap::new(), batch: 0, account, refused: None };
        Pages { state: Arc::new(Mutex::new(state)), length }
    }

    /// Begins a row group, of which `batch` rows are decoded together. The pages of the last one are gone. False where
    /// columns overlap: a page could pass for one of a column that is not compressed.
    pub(super) fn begin(&self, mut columns: Vec<Column>, batch: usize) -> Result<bool, DataError> {
        columns.sort_by_key(|column| (column.range.start, column.range.end));
        let overlap = columns.windows(2).any(|pair| pair[0].range.end > pair[1].range.start);
        let mut state = self.state();
        state.columns = Some(columns);
        state.claims.clear();
        state.batch = batch as u64;
        state.account.set(0, "")?;
        Ok(!overlap)
    }

    /// Forgets the pages that only rows of the last batch came from.
    pub(super) fn next_batch(&self) -> Result<(), DataError> {
        let mut state = self.state();
        let columns = state.columns.iter_mut().flatten();
        let held = columns.map(|column| {
            column.earlier = 0;
            column.dictionary + column.current
        });
        let held = held.sum();
        state.account.set(held, "")
    }

    /// Why the last page was refused, where that is no fault of the file.
    pub(super) fn refused(&self) -> Option<DataError> {
        self.state().refused.take()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enough at a time for the header of a page.
    fn reader(&self, start: u64) -> BufReader<From> {
        BufReader::with_capacity(512, From { file: self.clone(), at: start })
    }

    /// Reads the header that may begin here along with the decoder. One that cannot be read is none, or the decoder
    /// says what is wrong with it.
    fn look(&self, start: u64) {
        let state = self.state();
        // The decoder is behind a header that it had looked at before.
        let behind = state.claims.get(&start).is_some_and(|claim| claim.packed > 0);
        let pages_follow = state.columns.is_some();
        drop(state);
        if !pages_follow || behind {
            return;
        }
        if let Ok((claim, length)) = Claim::read(self.reader(start)) {
            self.state().claims.insert(start.saturating_add(length), claim);
        }
    }
}

impl State {
    /// Refuses the bytes of a page that claims more than can be, or needs more memory than may be taken.
    /// Gives the claim of a page whose bytes are to be counted.
    fn admit(&mut self, start: u64, length: u64) -> Result<Option<Claim>, ParquetError> {
        let Some(columns) = &mut self.columns else { return Ok(None) };
        let page = self.claims.remove(&start).filter(|claim| claim.packed == length);
        let next = columns.partition_point(|column| column.range.start <= start);
        // The bytes of an empty page may begin where its column ends.
        let column = columns[..next].last_mut().filter(|column| start <= column.range.end);
        let (Some(page), Some(column)) = (page, column) else {
            return Err(ParquetError::General("the header of a page cannot be read".to_owned()));
        };
        if let Some(problem) = column.doubt(&page) {
            return Err(ParquetError::General(problem));
        }
        let bytes = column.needs(&page, self.batch);
        let what = format_args!("a page of {} bytes, which unpacks to {}", page.packed, page.unpacked);
        if let Err(error) = self.account.add(bytes, what) {
            let problem = error.to_string();
            self.refused = Some(error);
            return Err(ParquetError::General(problem));
        }
        column.hold(&page, bytes);
        Ok(column.endless.then_some(page))
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Pages {
    type T = BufReader<From>;

    fn get_read(&self, start: u64) -> Result<BufReader<From>, ParquetError> {
        self.look(start);
        Ok(self.reader(start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.length) {
            let there = self.length;
            return Err(ParquetError::EOF(format!(
                "{length} bytes from {start} on, where {there} are in all"
            )));
        }
        let counted = self.state().admit(start, length as u64)?;
        let mut bytes = vec![0; length];
        From { file: self.clone(), at: start }.read_exact(&mut bytes)?;
        if let Some(page) = counted.filter(|page| !is_within(page, &bytes)) {
            let problem = format!("a page unpacks to more than the {} bytes that it claims", page.unpacked);
            return Err(ParquetError::General(problem));
        }
        Ok(bytes.into())
    }
}

/// The file from a place on.
pub(super) struct From {
    file: Pages,
    at: u64,
}

impl Read for From {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut state = self.file.state();
        state.stream.seek(SeekFrom::Start(self.at))?;
        let read = state.stream.read(bytes)?;
        drop(state);
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn gzip_that_makes_more_than_the_page_claims_is_noticed() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(&vec![7; 100_000]).expect("memory");
        let packed = packed.finish().expect("memory");
        let page =
            |unpacked, levels| Claim { unpacked, levels, packed: packed.len() as u64, ..Claim::default() };
        assert!(is_within(&page(100_000, 0), &packed));
        assert!(!is_within(&page(1_000, 0), &packed));
        // Levels lie before what is packed, and are counted.
        let behind = [&[1, 2, 3][..], &packed].concat();
        assert!(is_within(&page(100_003, 3), &behind));
        assert!(!is_within(&page(100_002, 3), &behind));
        assert!(is_within(&page(5, 0), b"plain"), "what is not packed is for the decoder");
    }
}

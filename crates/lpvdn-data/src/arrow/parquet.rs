//! Parquet. Row groups are read one after another, a few rows at a time, so that nothing but the pages
//! these need is in memory beside the rows.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, Length};

use super::page::Claim;
use super::rows::Rows;
use super::{decoded, footer};
use crate::input::{Input, Seekable};
use crate::table::Table;
use crate::{DataError, OpenOptions};

/// Rows at a time.
const BATCH: usize = 1024;
const FORMAT: &str = "Parquet";

/// Reads a table.
pub(crate) fn read(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    let (path, stream, length) = input.into_seekable()?;
    let mut file = Shared { stream: Arc::new(Mutex::new(stream)), length, most: None };
    decoded(&path, FORMAT, || footer::check(&file).map_err(ParquetError::from))?;
    let metadata = decoded(&path, FORMAT, || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))?;
    file.most = Some(best_compression(metadata.metadata()));
    let announced = metadata.metadata().file_metadata().num_rows();
    let mut rows = Rows::new(&path, metadata.schema(), options)?;
    let needed = ProjectionMask::roots(metadata.parquet_schema(), rows.places());
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
    let mut batches =
        decoded(&path, FORMAT, || builder.with_projection(needed).with_batch_size(BATCH).build())?;
    let mut found = 0;
    while let Some(batch) = decoded(&path, FORMAT, || batches.next().transpose())? {
        found += batch.num_rows() as i64;
        rows.push(batch)?;
    }
    if found != announced {
        let problem =
            format!("{announced} rows are announced, but {found} are there; write or copy it again");
        return Err(DataError::Malformed { path, format: FORMAT, problem });
    }
    rows.finish()
}

/// No page unpacks to more than this many times its bytes.
fn best_compression(file: &ParquetMetaData) -> u64 {
    let columns = file.row_groups().iter().flat_map(|group| group.columns());
    let best = columns.map(|column| match column.compression() {
        Compression::GZIP(_) => 1032,
        // Four bytes are a block of 128 KiB.
        Compression::ZSTD(_) => 32 * 1024,
        _ => 256,
    });
    best.max().unwrap_or(1)
}

/// A file that several columns are read from. What lies outside of it is refused before memory is taken.
#[derive(Clone)]
struct Shared {
    stream: Arc<Mutex<Box<dyn Seekable>>>,
    length: u64,
    /// How many times its bytes a page may unpack to; not known before the directory has been read.
    most: Option<u64>,
}

impl Shared {
    /// Refuses a page for which the decoder would take more memory than it can need.
    fn check_page(&self, start: u64) -> Result<(), ParquetError> {
        let Some(most) = self.most else { return Ok(()) };
        let Claim { unpacked, packed, entries } = Claim::read(self.reader(start))?;
        let problem = match () {
            () if unpacked > packed.saturating_mul(most) => {
                format!("a page of {packed} bytes claims to unpack to {unpacked}")
            }
            // None of them takes less than a byte.
            () if entries > unpacked => format!("a dictionary of {unpacked} bytes claims {entries} values"),
            () => return Ok(()),
        };
        Err(ParquetError::General(problem))
    }

    /// Enough at a time for the header of a page.
    fn reader(&self, start: u64) -> BufReader<From> {
        BufReader::with_capacity(512, From { file: self.clone(), at: start })
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.seek(SeekFrom::Start(at))?;
        stream.read(bytes)
    }
}

impl Length for Shared {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Shared {
    type T = BufReader<From>;

    fn get_read(&self, start: u64) -> Result<BufReader<From>, ParquetError> {
        // Beyond the directory it is used for the headers of pages alone.
        self.check_page(start)?;
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
        let mut bytes = vec![0; length];
        From { file: self.clone(), at: start }.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// The file from a place on.
struct From {
    file: Shared,
    at: u64,
}

impl Read for From {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(self.at, bytes)?;
        self.at += read as u64;
        Ok(read)
    }
}

//! Parquet. Row groups are read one after another, a few rows at a time, so that nothing but the pages
//! these need is in memory beside the rows.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use super::decoded;
use super::rows::Rows;
use crate::input::{Input, Seekable};
use crate::table::Table;
use crate::{DataError, OpenOptions};

/// Rows at a time.
const BATCH: usize = 1024;
const FORMAT: &str = "Parquet";

/// Reads a table.
pub(crate) fn read(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    let (path, stream, length) = input.into_seekable()?;
    let file = Shared { stream: Arc::new(Mutex::new(stream)), length };
    let metadata = decoded(&path, FORMAT, || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))?;
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

/// A file that several columns are read from. What lies outside of it is refused before memory is taken.
#[derive(Clone)]
struct Shared {
    stream: Arc<Mutex<Box<dyn Seekable>>>,
    length: u64,
}

impl Shared {
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
        // Enough for the header of a page, for which it is used.
        Ok(BufReader::with_capacity(512, From { file: self.clone(), at: start }))
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

//! Parquet. Row groups are read one after another, a few rows at a time, so that nothing but the pages
//! these need is in memory next to the rows.

use std::path::Path;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;

use super::pages::{Column, Pages};
use super::rows::Rows;
use super::{decoded, footer};
use crate::input::Input;
use crate::table::Table;
use crate::{DataError, OpenOptions};

/// Rows at a time.
const BATCH: usize = 1024;
/// Rows at a time where words share their beginnings: each of them may become as long as its page.
const PREFIX_BATCH: usize = 16;
/// Cells at a time, of tables with very many columns.
const BATCH_CELLS: usize = 4 << 20;
/// What a byte of the footer takes at most when it is decoded: a column is described by some hundred of them.
const DECODED_FOOTER: u64 = 8;
const FORMAT: &str = "Parquet";
/// What a file begins with whose footer is encrypted.
const ENCRYPTED: &[u8; 4] = b"PARE";

/// Reads a table.
pub(crate) fn read(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    if input.sample().starts_with(ENCRYPTED) {
        return Err(encrypted(input.path()));
    }
    let (path, stream, length) = input.into_seekable()?;
    let file = Pages::new(stream, length, options.budget.account(&path));
    let mut account = options.budget.account(&path);
    account.add(footer::length(&file).saturating_mul(DECODED_FOOTER), "its footer")?;
    if decoded(&path, FORMAT, || footer::check(&file).map_err(ParquetError::from))?.encrypted {
        return Err(encrypted(&path));
    }
    let metadata = decoded(&path, FORMAT, || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))?;
    let metadata = with_text_in_place(metadata);
    let announced = metadata.metadata().file_metadata().num_rows();
    let mut rows = Rows::new(&path, metadata.schema(), options)?;
    let needed = ProjectionMask::roots(metadata.parquet_schema(), rows.places());
    let mut found = 0;
    for group in 0..metadata.metadata().num_row_groups() {
        found += read_group(&path, &file, &metadata, group, &needed, &mut rows)?;
    }
    if found != announced {
        let problem =
            format!("{announced} rows are announced, but {found} are there; write or copy it again");
        return Err(DataError::Malformed { path, format: FORMAT, problem });
    }
    rows.finish(options)
}

fn encrypted(path: &Path) -> DataError {
    let remedy = "write it again without encryption, with a program that has its keys";
    DataError::Unsupported { path: path.to_owned(), format: "encrypted Parquet", remedy }
}

/// Appends the rows of a row group, and counts them.
fn read_group(
    path: &Path,
    file: &Pages,
    metadata: &ArrowReaderMetadata,
    number: usize,
    needed: &ProjectionMask,
    rows: &mut Rows,
) -> Result<i64, DataError> {
    let group = metadata.metadata().row_group(number);
    let columns: Vec<Column> = decoded(path, FORMAT, || {
        let chunks = group.columns().iter().enumerate();
        let needed = chunks.filter(|(leaf, _)| needed.leaf_included(*leaf));
        Ok::<_, ParquetError>(needed.map(|(_, chunk)| Column::new(chunk)).collect())
    })?;
    let shares_prefixes =
        |chunk: &ColumnChunkMetaData| chunk.encodings().any(|e| e == Encoding::DELTA_BYTE_ARRAY);
    let most = if group.columns().iter().any(shares_prefixes) { PREFIX_BATCH } else { BATCH };
    let batch = (BATCH_CELLS / columns.len().max(1)).clamp(1, most);
    if !file.begin(columns, batch)? {
        let problem = "two columns lie in the same bytes; write or copy it again".to_owned();
        return Err(DataError::Malformed { path: path.to_owned(), format: FORMAT, problem });
    }
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file.clone(), metadata.clone());
    let builder =
        builder.with_row_groups(vec![number]).with_projection(needed.clone()).with_batch_size(batch);
    let mut batches = decoded(path, FORMAT, || builder.build())?;
    let mut found = 0;
    let mut next = || {
        let next = decoded(path, FORMAT, || batches.next().transpose());
        next.map_err(|damaged| file.refused().unwrap_or(damaged))
    };
    while let Some(batch) = next()? {
        found += batch.num_rows() as i64;
        rows.push(batch)?;
        file.next_batch()?;
    }
    Ok(found)
}

/// The same table, with text that stays where its page lies. Copied, a word of the dictionary that stands in many rows
/// would take its length in each of them.
fn with_text_in_place(metadata: ArrowReaderMetadata) -> ArrowReaderMetadata {
    let view = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => {
            Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View))
        }
        _ => Arc::clone(field),
    };
    let fields: Vec<Arc<Field>> = metadata.schema().fields().iter().map(view).collect();
    let schema = Schema::new_with_metadata(fields, metadata.schema().metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options).unwrap_or(metadata)
}

//! Parquet and Arrow IPC: tables whose columns have names and types.
//!
//! Both come as record batches, and one conversion makes rows of them (`rows`). Numbers and truth values
//! are values, text and dictionaries of text are words, lists of numbers are vectors.

#[cfg(feature = "parquet")]
mod array;
#[cfg(feature = "parquet")]
mod buffers;
#[cfg(feature = "parquet")]
mod footer;
#[cfg(feature = "parquet")]
mod ipc;
#[cfg(feature = "parquet")]
mod ipc_file;
#[cfg(feature = "parquet")]
mod page;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod rows;
#[cfg(feature = "parquet")]
mod thrift;

#[cfg(feature = "parquet")]
pub(crate) use self::ipc::read as read_ipc;
#[cfg(feature = "parquet")]
pub(crate) use self::parquet::read as read_parquet;
use crate::DataError;
#[cfg(feature = "parquet")]
use crate::contained::contained;
#[cfg(not(feature = "parquet"))]
use crate::{OpenOptions, input::Input, table::Table};

/// What an Arrow file begins and ends with.
const MAGIC: &[u8; 6] = b"ARROW1";
/// What stands before the length of a message.
const CONTINUES: [u8; 4] = [0xff; 4];

/// Whether a file that begins so is Parquet, encrypted or not.
pub(crate) fn recognises_parquet(sample: &[u8]) -> bool {
    sample.starts_with(b"PAR1") || sample.starts_with(b"PARE")
}

/// Whether a file or stream of Arrow begins so.
pub(crate) fn recognises_ipc(sample: &[u8]) -> bool {
    sample.starts_with(MAGIC) || is_stream(sample)
}

fn is_stream(sample: &[u8]) -> bool {
    let Some((length, message)) = sample.strip_prefix(&CONTINUES).and_then(<[u8]>::split_first_chunk) else {
        return false;
    };
    let length = u32::from_le_bytes(*length);
    length > 0 && length % 8 == 0 && message.len() >= 8
}

/// Runs the decoder, and says which file it refuses.
#[cfg(feature = "parquet")]
fn decoded<T, E: ToString>(
    path: &std::path::Path,
    format: &'static str,
    decode: impl FnOnce() -> Result<T, E>,
) -> Result<T, DataError> {
    contained(decode).map_err(|problem| {
        let problem =
            format!("it is damaged, cut short or of an unknown kind ({problem}); write or copy it again");
        DataError::Malformed { path: path.to_owned(), format, problem }
    })
}

#[cfg(not(feature = "parquet"))]
pub(crate) fn read_ipc(input: Input<'static>, _: &OpenOptions) -> Result<Table, DataError> {
    Err(DataError::NotBuilt { path: input.path().to_owned(), format: "Arrow", feature: "parquet" })
}

#[cfg(not(feature = "parquet"))]
pub(crate) fn read_parquet(input: Input<'static>, _: &OpenOptions) -> Result<Table, DataError> {
    Err(DataError::NotBuilt { path: input.path().to_owned(), format: "Parquet", feature: "parquet" })
}

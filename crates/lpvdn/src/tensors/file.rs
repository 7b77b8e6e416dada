//! A file is looked at before it is read: what is not ours is refused after a few bytes, whatever its size.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use safetensors::tensor::Metadata;

use super::{BEFORE_CHECKSUM, DIGITS_END, LENGTH_BYTES, TensorFileError};

/// Of safetensors: longer headers are refused.
const LONGEST_HEADER: u64 = 100_000_000;

/// The bytes of a file. First its beginning is checked, then that its header describes a file of its size.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, TensorFileError> {
    // Before it is opened: to open a pipe that nobody writes to would wait for ever.
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(TensorFileError::NotRegular);
    }
    let mut file = File::open(path)?;
    let size = metadata.len();
    let mut bytes = Vec::new();
    read_more(&mut file, &mut bytes, DIGITS_END as u64)?;
    let header = check_beginning(&bytes, size)?;
    let rest_of_header = header - (bytes.len() - LENGTH_BYTES) as u64;
    read_more(&mut file, &mut bytes, rest_of_header)?;
    let described: Metadata = serde_json::from_slice(&bytes[LENGTH_BYTES..])?;
    let tensors = described.data_len() as u64;
    if tensors != size.saturating_sub(bytes.len() as u64) {
        return Err(TensorFileError::Beginning("it is longer or shorter than its header says"));
    }
    // One byte more: a file that grows meanwhile is not what its header describes.
    read_more(&mut file, &mut bytes, tensors + 1)?;
    Ok(bytes)
}

/// Appends up to `count` bytes. An error, not an abort, where there is no memory for them.
fn read_more(file: &mut File, bytes: &mut Vec<u8>, count: u64) -> Result<(), TensorFileError> {
    let room = usize::try_from(count).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(room).map_err(|_| std::io::Error::from(ErrorKind::OutOfMemory))?;
    file.take(count).read_to_end(bytes)?;
    Ok(())
}

/// Whether a file of `size` bytes that begins so can be ours; gives the length of its header.
pub(super) fn check_beginning(bytes: &[u8], size: u64) -> Result<u64, TensorFileError> {
    let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else {
        return Err(TensorFileError::Beginning(if bytes.is_empty() {
            "it is empty"
        } else {
            "it is too short"
        }));
    };
    let length = u64::from_le_bytes(*length);
    let most = size.saturating_sub(LENGTH_BYTES as u64).min(LONGEST_HEADER);
    if !rest.starts_with(b"{") || length > most {
        return Err(TensorFileError::Beginning("it does not begin as one"));
    }
    if !rest.starts_with(BEFORE_CHECKSUM) || length < (DIGITS_END - LENGTH_BYTES) as u64 {
        // As far as it goes: half of a file of ours is not foreign.
        let ours = rest.len() < BEFORE_CHECKSUM.len() && BEFORE_CHECKSUM.starts_with(rest);
        return Err(if ours {
            TensorFileError::Beginning("it is too short")
        } else {
            TensorFileError::Foreign
        });
    }
    if bytes.len() < DIGITS_END {
        return Err(TensorFileError::Beginning("it is too short"));
    }
    Ok(length)
}

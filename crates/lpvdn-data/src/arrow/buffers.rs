//! The buffers of an Arrow message, looked at before the decoder takes memory for them.

use std::collections::HashMap;
use std::io::{self, Read};

use arrow_ipc::{Buffer as IpcBuffer, CompressionType, root_as_message};

use crate::DataError;
use crate::budget::Account;

/// No buffer of LZ4 unpacks to more than this many times its length.
const BEST_LZ4: u64 = 256;
/// Nor one of zstd: four bytes are a block of 128 KiB.
const BEST_ZSTD: u64 = 32 * 1024;

/// What the decoder holds, beyond the bytes of the message that it decodes.
pub(super) struct Decoding {
    account: Account,
    /// By its number, what a dictionary takes. It is kept for the batches that follow.
    dictionaries: HashMap<i64, u64>,
}

impl Decoding {
    pub(super) fn new(account: Account) -> Decoding {
        Decoding { account, dictionaries: HashMap::new() }
    }

    /// Enters what the decoder will take for a message, of which the buffers unpack to so many bytes. What is not
    /// compressed is used as it lies there.
    pub(super) fn charge(&mut self, description: &[u8], body: u64, unpacked: u64) -> Result<(), DataError> {
        let dictionary = root_as_message(description).ok().and_then(|m| m.header_as_dictionary_batch());
        let batch = match dictionary {
            Some(dictionary) => {
                let (kept, bytes) =
                    (self.dictionaries.entry(dictionary.id()).or_default(), body.max(unpacked));
                *kept = if dictionary.isDelta() { kept.saturating_add(bytes) } else { bytes };
                0
            }
            None => unpacked,
        };
        let all = self.dictionaries.values().fold(batch, |sum, kept| sum.saturating_add(*kept));
        self.account.set(all, "a record batch and its dictionaries")
    }
}

/// Doubts where buffers lie and how long compressed ones say that they are, before the decoder takes memory
/// for it. Gives how many bytes those unpack to.
pub(super) fn check_buffers(description: &[u8], body: &[u8]) -> Result<u64, String> {
    let message = root_as_message(description).map_err(|e| e.to_string())?;
    let of_dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    let Some(batch) = message.header_as_record_batch().or(of_dictionary) else { return Ok(0) };
    let Some(compression) = batch.compression() else {
        batch.buffers().into_iter().flatten().try_for_each(|buffer| part(buffer, body).map(drop))?;
        return Ok(0);
    };
    let may_be_zstd = compression.codec() != CompressionType::LZ4_FRAME;
    let mut sum = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        sum = sum.saturating_add(claim(part(buffer, body)?, may_be_zstd)?);
    }
    let most = (body.len() as u64).saturating_mul(BEST_ZSTD);
    if sum <= most { Ok(sum) } else { Err(format!("{} bytes claim to unpack to {sum}", body.len())) }
}

/// The bytes of a buffer.
fn part<'a>(buffer: &IpcBuffer, body: &'a [u8]) -> Result<&'a [u8], String> {
    let (start, length) = (usize::try_from(buffer.offset()).ok(), usize::try_from(buffer.length()).ok());
    let range = start.zip(length).and_then(|(start, length)| Some(start..start.checked_add(length)?));
    let bytes = range.and_then(|range| body.get(range));
    bytes.ok_or_else(|| "a buffer lies outside of its message".to_owned())
}

/// How many bytes a buffer says that it unpacks to, as far as that can be. What is not there, such as the
/// places of nulls where there are none, claims nothing.
fn claim(bytes: &[u8], may_be_zstd: bool) -> Result<u64, String> {
    let length = bytes.len();
    // What is damaged beyond that, the decoder says.
    let Some((claim, packed)) = bytes.split_first_chunk() else { return Ok(0) };
    // Below zero it is not compressed.
    let claim = u64::try_from(i64::from_le_bytes(*claim)).unwrap_or(0);
    let usual = claim <= length as u64 * BEST_LZ4;
    let possible = may_be_zstd && claim <= length as u64 * BEST_ZSTD;
    if usual || possible && unpacks_to(packed, claim) {
        return Ok(claim);
    }
    Err(format!("{length} bytes claim to unpack to {claim}"))
}

/// Whether zstd makes so many bytes of these. It may make very many, so that they are counted.
fn unpacks_to(packed: &[u8], claim: u64) -> bool {
    let unpacked = zstd::stream::read::Decoder::with_buffer(packed);
    let count =
        unpacked.and_then(|bytes| io::copy(&mut bytes.take(claim.saturating_add(1)), &mut io::sink()));
    count.is_ok_and(|count| count == claim)
}

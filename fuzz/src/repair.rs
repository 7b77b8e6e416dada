//! A mutated file made consistent again, so that mutations reach what lies behind the checks: a parser that only ever
//! sees damaged files is not tested.

use serde_json::Value;
use xxhash_rust::xxh3::Xxh3;

/// Where the checksum of a file stands: behind the length of the header and these words.
const BEFORE_CHECKSUM: &[u8] = br#"{"__metadata__":{"lpvdn":"{\"checksum\":\""#;
const CHECKSUM_DIGITS: usize = 16;
/// Tensors are not made longer than this.
const MOST_BYTES: u64 = 1 << 20;

/// The file with the length of its header, the bytes of its tensors and its checksum made right. Nothing where its
/// header is not JSON.
pub(crate) fn repaired(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = bytes.get(8..)?;
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<Value>();
    let header = values.next()?.ok()?;
    let (json, tensors) = text.split_at(values.byte_offset());
    // What follows is padding, as far as it looks like it.
    let padding = tensors.iter().take_while(|byte| **byte == b' ').count().min(7);
    let ends = header.as_object()?.values().filter_map(|tensor| tensor["data_offsets"][1].as_u64());
    let wanted = ends.max().unwrap_or(0).min(MOST_BYTES) as usize;
    let mut tensors = tensors[padding..].to_vec();
    tensors.resize(wanted, 0);
    let mut file = (json.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(json);
    file.extend_from_slice(&tensors);
    seal(&mut file);
    Some(file)
}

/// Writes the checksum: of all bytes but its own digits.
fn seal(file: &mut [u8]) {
    let start = 8 + BEFORE_CHECKSUM.len();
    let end = start + CHECKSUM_DIGITS;
    if file.len() < end || &file[8..start] != BEFORE_CHECKSUM {
        return;
    }
    let mut hash = Xxh3::new();
    hash.update(&file[..start]);
    hash.update(&file[end..]);
    file[start..end].copy_from_slice(format!("{:016x}", hash.digest()).as_bytes());
}

//! A changed file with a right checksum, so that it is refused for what it says.

use xxhash_rust::xxh3::Xxh3;

/// Writes the checksum of a file, of all bytes but its own 16 digits.
pub(crate) fn seal(file: &mut [u8]) {
    let start = 8 + r#"{"__metadata__":{"lpvdn":"{\"checksum\":\""#.len();
    let (before, rest) = file.split_at_mut(start);
    let (digits, after) = rest.split_at_mut(16);
    let mut hash = Xxh3::new();
    hash.update(before);
    hash.update(after);
    digits.copy_from_slice(format!("{:016x}", hash.digest()).as_bytes());
}

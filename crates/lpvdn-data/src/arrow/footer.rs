//! The footer of a Parquet file, looked at before it is decoded.
//!
//! A list says how many elements follow. The decoder believes it, and passes over a list of truth values without reading any:
//! a few bytes keep it busy for minutes.

use std::io;

use parquet::file::reader::ChunkReader;

use super::thrift::Compact;

/// Structures within structures: more are no footer.
const DEEPEST: u32 = 64;
/// What a file ends with: the length of the footer, and who made it.
const END: u64 = 8;

/// The field that names how columns are encrypted.
const ENCRYPTION: u64 = 8;

/// What a look at the footer has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Looked {
    /// Whether columns are encrypted.
    pub(super) encrypted: bool,
}

/// Passes over the footer of a file. Where it is not whole, the decoder says that better.
pub(super) fn check(file: &impl ChunkReader) -> io::Result<Looked> {
    let Some(footer) = footer(file) else { return Ok(Looked::default()) };
    let mut footer = Compact::new(footer.as_ref());
    let (mut looked, mut field) = (Looked::default(), 0);
    while let Some((id, kind)) = footer.field(field)? {
        footer.skip(kind, DEEPEST)?;
        looked.encrypted |= id == ENCRYPTION;
        field = id;
    }
    Ok(looked)
}

/// How many bytes the footer has; none where it does not lie in the file.
pub(super) fn length(file: &impl ChunkReader) -> u64 {
    place(file).map_or(0, |(_, length)| length as u64)
}

fn footer(file: &impl ChunkReader) -> Option<bytes::Bytes> {
    place(file).and_then(|(start, length)| file.get_bytes(start, length).ok())
}

/// Where the footer begins, and how many bytes it has.
fn place(file: &impl ChunkReader) -> Option<(u64, usize)> {
    let end = file.len().checked_sub(END)?;
    let length = file.get_bytes(end, 4).ok()?;
    let length = u32::from_le_bytes(length.as_ref().try_into().ok()?);
    Some((end.checked_sub(length.into())?, length as usize))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    /// A file that ends with this footer.
    fn file(footer: &[u8]) -> Bytes {
        [b"PAR1", footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat().into()
    }

    #[test]
    fn a_list_that_claims_more_than_there_is_is_found_at_once() {
        // A field of a list of booleans, 2^31 − 1 of them.
        let claim = [0x19, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00];
        for hostile in [&claim[..], &[0x1c; 200], &[0x18, 0x7f, b'a'], &[0x1d, 0]] {
            assert!(check(&file(hostile)).is_err(), "{hostile:?}");
        }
        for fine in [&[0x19, 0x21, 1, 2, 0x00][..], &[0x15, 0x80, 0x01, 0x00]] {
            assert_eq!(check(&file(fine)).ok(), Some(Looked::default()), "{fine:?}");
        }
        assert!(check(&Bytes::from_static(b"PAR1")).is_ok());
    }

    #[test]
    fn what_random_files_found_is_refused() {
        let found = include_bytes!("../../tests/fixtures/hostile/endless_list.parquet");
        assert!(check(&Bytes::from_static(found)).is_err());
    }

    #[test]
    fn true_footers_have_nothing_wrong() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
        let mut seen = 0;
        let mut folders = vec![std::path::PathBuf::from(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "parquet")
                    && !path.to_string_lossy().contains("hostile")
                {
                    let bytes = Bytes::from(std::fs::read(&path).expect("bytes"));
                    assert!(check(&bytes).is_ok(), "{}", path.display());
                    seen += 1;
                }
            }
        }
        assert!(seen > 0);
    }
}

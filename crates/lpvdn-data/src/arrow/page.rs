//! The header of a page of Parquet: just as much of it as the page claims about its size. The decoder takes
//! memory for the claim, so that it must be doubted before.

use std::io::{self, Read};

use super::thrift::{Compact, INT, STRUCT};

/// No header is longer. It may hold the smallest and the largest value of a column of text.
const LONGEST: u64 = 16 << 20;
/// Structures inside of each other; a header has three.
const DEEPEST: u32 = 8;

/// What a page says that it has.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Claim {
    /// Bytes.
    pub(super) unpacked: u64,
    pub(super) packed: u64,
    /// Values, where it is a dictionary: memory is taken for all of them at once.
    pub(super) entries: u64,
}

impl Claim {
    /// Reads the header that begins here, in Thrift's compact protocol. As for the decoder, the last of several
    /// claims counts.
    pub(super) fn read(from: impl Read) -> io::Result<Claim> {
        let mut header = Compact(from.take(LONGEST));
        let (mut claim, mut field) = (Claim::default(), 0);
        while let Some((id, kind)) = header.field(field)? {
            match (id, kind) {
                (2, INT) => claim.unpacked = header.size()?,
                (3, INT) => claim.packed = header.size()?,
                (7, STRUCT) => claim.entries = first_number(&mut header)?,
                _ => header.skip(kind, DEEPEST)?,
            }
            field = id;
        }
        Ok(claim)
    }
}

/// The first field of a structure, which is passed over as a whole.
fn first_number(header: &mut Compact<impl Read>) -> io::Result<u64> {
    let (mut number, mut field) = (0, 0);
    while let Some((id, kind)) = header.field(field)? {
        match (id, kind) {
            (1, INT) => number = header.size()?,
            _ => header.skip(kind, DEEPEST)?,
        }
        field = id;
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of data: type 0, 300 bytes from 200, a checksum, a structure with statistics inside.
    const HEADER: [u8; 24] = [
        0x15, 0x00, 0x15, 0xd8, 0x04, 0x15, 0x90, 0x03, 0x15, 0x0d, 0x1c, 0x15, 0x08, 0x15, 0x00, 0x3c, 0x18,
        0x02, b'a', b'b', 0x00, 0x11, 0x00, 0x00,
    ];

    #[test]
    fn a_claim_is_found_before_and_behind_what_is_skipped() {
        assert_eq!(
            Claim::read(&HEADER[..]).expect("a header"),
            Claim { unpacked: 300, packed: 200, entries: 0 }
        );
        // Field 2 once more at the end, by its number.
        let again = [&HEADER[..23], &[0x05, 0x04, 0xd0, 0x0f, 0x00]].concat();
        assert_eq!(
            Claim::read(&again[..]).expect("a header"),
            Claim { unpacked: 1000, packed: 200, entries: 0 }
        );
    }

    #[test]
    fn the_entries_of_a_dictionary_are_found() {
        // Type 2, 16 bytes, 16 bytes, and field 7: two values, their encoding.
        let header = [0x15, 0x04, 0x15, 0x20, 0x15, 0x20, 0x4c, 0x15, 0x04, 0x15, 0x00, 0x00, 0x00];
        let claim = Claim { unpacked: 16, packed: 16, entries: 2 };
        assert_eq!(Claim::read(&header[..]).expect("a header"), claim);
    }

    #[test]
    fn a_header_that_is_cut_or_endless_is_refused() {
        for length in 0..HEADER.len() {
            assert!(Claim::read(&HEADER[..length]).is_err(), "{length} bytes");
        }
        // Structures in structures, and a list of more values than there are bytes.
        assert!(Claim::read(&[0x1c; 64][..]).is_err());
        assert!(Claim::read(&[0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x00][..]).is_err());
    }
}

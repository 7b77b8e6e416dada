//! The header of a page of Parquet: just as much of it as the page claims about its size. The decoder takes
//! memory for the claim, so that it must be doubted before.
//!
//! The decoder goes by the number of a field and ignores its type. Here a field of another type than the format
//! gives it, or a number that does not fit, is an error, so that both read the same claim or none.

use std::io::{self, Read};

use super::thrift::{Compact, INT, STRUCT, unreadable};

/// Structures inside of each other; a header has three.
const DEEPEST: u32 = 8;

/// What a page says that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Claim {
    /// Bytes.
    pub(super) unpacked: u64,
    pub(super) packed: u64,
    /// Values, where it is a dictionary: memory is taken for all of them at once.
    pub(super) entries: u64,
    /// Values, where it is data. In a list column they may all belong to one row.
    pub(super) values: u64,
    /// Whether a value may repeat the beginning of the one before it, so that all of them together may be far longer
    /// than the page.
    pub(super) shares_prefixes: bool,
    /// Bytes before what is compressed.
    pub(super) levels: u64,
}

/// The encoding DELTA_BYTE_ARRAY.
const SHARED_PREFIXES: u64 = 7;

impl Claim {
    /// Reads the header that begins here, in Thrift's compact protocol, and counts its bytes. As for the decoder,
    /// the last of several claims counts.
    pub(super) fn read(from: impl Read) -> io::Result<(Claim, u64)> {
        let mut header = Compact::new(from);
        let (mut claim, mut field) = (Claim::default(), 0);
        while let Some((id, kind)) = header.field(field)? {
            match (id, kind) {
                (2, INT) => claim.unpacked = header.size()?,
                (3, INT) => claim.packed = header.size()?,
                (7, STRUCT) => [claim.entries] = numbers(&mut header, [1])?,
                (5, STRUCT) => {
                    let [values, encoding] = numbers(&mut header, [1, 2])?;
                    (claim.values, claim.shares_prefixes) = (values, encoding == SHARED_PREFIXES);
                }
                (8, STRUCT) => {
                    let [values, encoding, definitions, repetitions] = numbers(&mut header, [1, 4, 5, 6])?;
                    (claim.values, claim.shares_prefixes) = (values, encoding == SHARED_PREFIXES);
                    claim.levels = definitions.saturating_add(repetitions);
                }
                (2 | 3 | 5 | 7 | 8, _) => return Err(unreadable()),
                _ => header.skip(kind, DEEPEST)?,
            }
            field = id;
        }
        Ok((claim, header.taken()))
    }
}

/// Fields of a structure that are numbers. The structure is passed over as a whole.
fn numbers<const N: usize>(header: &mut Compact<impl Read>, wanted: [u64; N]) -> io::Result<[u64; N]> {
    let (mut numbers, mut field) = ([0; N], 0);
    while let Some((id, kind)) = header.field(field)? {
        match (wanted.iter().position(|wanted| *wanted == id), kind) {
            (Some(at), INT) => numbers[at] = header.size()?,
            (Some(_), _) => return Err(unreadable()),
            (None, _) => header.skip(kind, DEEPEST)?,
        }
        field = id;
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of data: type 0, 300 bytes from 200, a checksum, a structure with four values and statistics inside.
    const HEADER: [u8; 24] = [
        0x15, 0x00, 0x15, 0xd8, 0x04, 0x15, 0x90, 0x03, 0x15, 0x0d, 0x1c, 0x15, 0x08, 0x15, 0x00, 0x3c, 0x18,
        0x02, b'a', b'b', 0x00, 0x11, 0x00, 0x00,
    ];

    #[test]
    fn a_claim_is_found_before_and_behind_what_is_skipped() {
        let claim = Claim { unpacked: 300, packed: 200, values: 4, ..Claim::default() };
        assert_eq!(Claim::read(&HEADER[..]).expect("a header"), (claim, 24));
        // What follows the header is not looked at.
        assert_eq!(Claim::read(&[&HEADER[..], b"body"].concat()[..]).expect("a header"), (claim, 24));
        // Field 2 once more at the end, by its number.
        let again = [&HEADER[..23], &[0x05, 0x04, 0xd0, 0x0f, 0x00]].concat();
        assert_eq!(Claim::read(&again[..]).expect("a header"), (Claim { unpacked: 1000, ..claim }, 28));
    }

    #[test]
    fn the_entries_of_a_dictionary_are_found() {
        // Type 2, 16 bytes, 16 bytes, and field 7: two values, their encoding.
        let header = [0x15, 0x04, 0x15, 0x20, 0x15, 0x20, 0x4c, 0x15, 0x04, 0x15, 0x00, 0x00, 0x00];
        let claim = Claim { unpacked: 16, packed: 16, entries: 2, ..Claim::default() };
        assert_eq!(Claim::read(&header[..]).expect("a header"), (claim, 13));
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

    #[test]
    fn a_header_that_the_decoder_would_read_in_another_way_is_refused() {
        // Field 2 as a long number, by a number that wraps to 2 in 16 bits, and a size above 31 bits.
        for header in [
            &[0x26, 0x04, 0x00][..],
            &[0x05, 0x84, 0x80, 0x08, 0x04, 0x00],
            &[0x25, 0x80, 0x80, 0x80, 0x80, 0x10, 0x00],
        ] {
            assert!(Claim::read(header).is_err(), "{header:?}");
        }
    }
}

//! The header of a page of Parquet: just as much of it as the page claims about its size. The decoder takes
//! memory for the claim, so that it must be doubted before.

use std::io::{self, Read};

/// No header is longer. It may hold the smallest and the largest value of a column of text.
const LONGEST: u64 = 16 << 20;
/// Structures inside of each other; a header has three.
const DEEPEST: u32 = 8;

/// How many bytes a page says that it has.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) unpacked: u64,
    pub(super) packed: u64,
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
                _ => header.skip(kind, DEEPEST)?,
            }
            field = id;
        }
        Ok(claim)
    }
}

const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const SHORT: u8 = 4;
const INT: u8 = 5;
const LONG: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// Values in Thrift's compact protocol.
struct Compact<R>(R);

impl<R: Read> Compact<R> {
    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.0.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    /// Seven bits a byte, the lowest first.
    fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(unreadable())
    }

    /// A signed number that counts bytes: positive ones are the even numbers.
    fn size(&mut self) -> io::Result<u64> {
        let number = self.number()?;
        if number % 2 == 0 { Ok(number / 2) } else { Err(unreadable()) }
    }

    /// The number and the type of the next field, after field `last`; nothing at the end.
    fn field(&mut self, last: u64) -> io::Result<Option<(u64, u8)>> {
        let byte = self.byte()?;
        let (step, kind) = (u64::from(byte >> 4), byte & 0x0f);
        match (kind, step) {
            (STOP, _) => Ok(None),
            (_, 0) => Ok(Some((self.size()?, kind))),
            _ => Ok(Some((last.saturating_add(step), kind))),
        }
    }

    fn skip(&mut self, kind: u8, depth: u32) -> io::Result<()> {
        let Some(inside) = depth.checked_sub(1) else { return Err(unreadable()) };
        match kind {
            TRUE | FALSE => Ok(()),
            BYTE => self.byte().map(drop),
            SHORT | INT | LONG => self.number().map(drop),
            DOUBLE => self.skip_bytes(8),
            BINARY => self.number().and_then(|length| self.skip_bytes(length)),
            LIST | SET => self.skip_list(inside),
            STRUCT => {
                let mut field = 0;
                while let Some((id, kind)) = self.field(field)? {
                    self.skip(kind, inside)?;
                    field = id;
                }
                Ok(())
            }
            _ => Err(unreadable()),
        }
    }

    fn skip_list(&mut self, depth: u32) -> io::Result<()> {
        let byte = self.byte()?;
        let (short, kind) = (u64::from(byte >> 4), byte & 0x0f);
        let count = if short == 15 { self.number()? } else { short };
        // In a list a truth value is a byte. So every value has one, and the end of the header ends the loop.
        let kind = if kind == TRUE || kind == FALSE { BYTE } else { kind };
        (0..count).try_for_each(|_| self.skip(kind, depth))
    }

    fn skip_bytes(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.0.by_ref().take(count), &mut io::sink())?;
        if skipped == count { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

fn unreadable() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the header of a page cannot be read")
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
        assert_eq!(Claim::read(&HEADER[..]).expect("a header"), Claim { unpacked: 300, packed: 200 });
        // Field 2 once more at the end, by its number.
        let again = [&HEADER[..23], &[0x05, 0x04, 0xd0, 0x0f, 0x00]].concat();
        assert_eq!(Claim::read(&again[..]).expect("a header"), Claim { unpacked: 1000, packed: 200 });
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

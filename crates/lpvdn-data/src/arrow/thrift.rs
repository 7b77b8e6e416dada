//! What Parquet says about itself, in Thrift's compact protocol: as much as is needed to doubt it.

use std::io::{self, Read};

const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const SHORT: u8 = 4;
pub(super) const INT: u8 = 5;
const LONG: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
pub(super) const STRUCT: u8 = 12;
/// Fields have numbers of 16 bits.
const LAST_FIELD: u64 = i16::MAX as u64;

/// Values in Thrift's compact protocol.
pub(super) struct Compact<R> {
    from: R,
    /// Bytes.
    taken: u64,
}

impl<R: Read> Compact<R> {
    pub(super) fn new(from: R) -> Compact<R> {
        Compact { from, taken: 0 }
    }

    /// How many bytes have been taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.from.read_exact(&mut byte)?;
        self.taken += 1;
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

    /// A signed number of 32 bits that counts something: positive ones are the even numbers.
    pub(super) fn size(&mut self) -> io::Result<u64> {
        self.positive(i32::MAX as u64)
    }

    fn positive(&mut self, most: u64) -> io::Result<u64> {
        let number = self.number()?;
        if number % 2 == 0 && number / 2 <= most { Ok(number / 2) } else { Err(unreadable()) }
    }

    /// The number and the type of the next field, after field `last`; nothing at the end.
    pub(super) fn field(&mut self, last: u64) -> io::Result<Option<(u64, u8)>> {
        let byte = self.byte()?;
        let (step, kind) = (u64::from(byte >> 4), byte & 0x0f);
        match (kind, step) {
            (STOP, _) => Ok(None),
            (_, 0) => Ok(Some((self.positive(LAST_FIELD)?, kind))),
            _ if last + step > LAST_FIELD => Err(unreadable()),
            _ => Ok(Some((last + step, kind))),
        }
    }

    /// Passes over a value. None takes longer than its bytes, whatever it claims.
    pub(super) fn skip(&mut self, kind: u8, depth: u32) -> io::Result<()> {
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
        let skipped = io::copy(&mut self.from.by_ref().take(count), &mut io::sink())?;
        self.taken += skipped;
        if skipped == count { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

pub(super) fn unreadable() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "its own description cannot be read")
}

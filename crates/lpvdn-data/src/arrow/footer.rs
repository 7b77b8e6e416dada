//! The footer of a Parquet file, looked at before it is decoded.
//!
//! A list in Thrift's compact protocol says how many elements follow. The decoder believes it, and where elements take no
//! bytes (it passes over a list of booleans so) a few bytes keep it busy for minutes. Here every element must be there.

use parquet::file::reader::ChunkReader;

/// Structures within structures: more are no metadata.
const DEEPEST: usize = 64;
/// What a file ends with: the length of the footer, and who made it.
const END: u64 = 8;

/// What is wrong with the footer of a file; `None` where nothing is, or where it is not whole, which the decoder tells
/// better.
pub(super) fn problem(file: &impl ChunkReader) -> Option<&'static str> {
    let end = file.len().checked_sub(END)?;
    let length = file.get_bytes(end, 4).ok()?;
    let length = u32::from_le_bytes(length.as_ref().try_into().ok()?);
    let start = end.checked_sub(length.into())?;
    let footer = file.get_bytes(start, length as usize).ok()?;
    Walk { rest: &footer }.structure(0).err()
}

/// What of the footer is still to be passed over.
struct Walk<'a> {
    rest: &'a [u8],
}

type Passed = Result<(), &'static str>;

const SHORT: &str = "its footer ends in the middle of a value";
const LONG: &str = "its footer claims a list that is longer than the footer itself";
const DEEP: &str = "its footer has structures within structures without end";
const STRANGE: &str = "its footer holds a value of a kind that is not known";

impl Walk<'_> {
    fn byte(&mut self) -> Result<u8, &'static str> {
        let (&first, rest) = self.rest.split_first().ok_or(SHORT)?;
        self.rest = rest;
        Ok(first)
    }

    fn skip(&mut self, bytes: usize) -> Passed {
        self.rest = self.rest.get(bytes..).ok_or(SHORT)?;
        Ok(())
    }

    /// A number of seven bits a byte.
    fn number(&mut self) -> Result<u64, &'static str> {
        let mut value = 0_u64;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(STRANGE)
    }

    fn structure(&mut self, depth: usize) -> Passed {
        if depth > DEEPEST {
            return Err(DEEP);
        }
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            // A field that does not follow on the one before says its number.
            if head >> 4 == 0 {
                self.number()?;
            }
            // A field that is true or false is that by its kind.
            if !matches!(head & 0xf, 1 | 2) {
                self.value(head & 0xf, depth)?;
            }
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Passed {
        match kind {
            1..=3 => self.skip(1),
            4..=6 => self.number().map(|_| ()),
            7 => self.skip(8),
            8 => {
                let length = self.number()?;
                self.skip(usize::try_from(length).map_err(|_| SHORT)?)
            }
            9 | 10 => self.list(depth + 1),
            11 => self.map(depth + 1),
            12 => self.structure(depth + 1),
            _ => Err(STRANGE),
        }
    }

    fn list(&mut self, depth: usize) -> Passed {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
        self.elements(count, depth, &[head & 0xf])
    }

    fn map(&mut self, depth: usize) -> Passed {
        let count = self.number()?;
        if count == 0 {
            return Ok(());
        }
        let kinds = self.byte()?;
        self.elements(count, depth, &[kinds >> 4, kinds & 0xf])
    }

    /// No element takes less than a byte.
    fn elements(&mut self, count: u64, depth: usize, kinds: &[u8]) -> Passed {
        if depth > DEEPEST {
            return Err(DEEP);
        }
        if count > self.rest.len() as u64 {
            return Err(LONG);
        }
        for _ in 0..count {
            kinds.iter().try_for_each(|&kind| self.value(kind, depth))?;
        }
        Ok(())
    }
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
        assert_eq!(problem(&file(&claim)), Some(LONG));
        assert_eq!(problem(&file(&[0x19, 0x21, 1, 2, 0x00])), None);
        assert_eq!(problem(&file(&[0x1c; 200])), Some(DEEP));
        assert_eq!(problem(&file(&[0x18, 0x7f, b'a'])), Some(SHORT));
        assert_eq!(problem(&file(&[0x1d, 0])), Some(STRANGE));
        assert_eq!(problem(&file(&[0x15, 0x80, 0x01, 0x00])), None);
        assert_eq!(problem(&Bytes::from_static(b"PAR1")), None);
    }

    #[test]
    fn what_random_files_found_is_refused() {
        let found = include_bytes!("../../tests/fixtures/hostile/endless_list.parquet");
        assert_eq!(problem(&Bytes::from_static(found)), Some(LONG));
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
                    assert_eq!(problem(&bytes), None, "{}", path.display());
                    seen += 1;
                }
            }
        }
        assert!(seen > 0);
    }
}

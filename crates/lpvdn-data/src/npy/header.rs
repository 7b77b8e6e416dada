//! The header of an NPY file: a Python dictionary, of which only the words that NumPy writes are read.

use crate::element::{Element, Endian};
use crate::error::quoted;

/// What the header says.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    pub(super) element: Element,
    pub(super) big_endian: bool,
    pub(super) fortran: bool,
    pub(super) shape: Vec<u64>,
}

impl Header {
    pub(super) fn endian(&self) -> Endian {
        if self.big_endian { Endian::Big } else { Endian::Little }
    }

    /// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`, or says what is wrong.
    pub(super) fn parse(text: &str) -> Result<Header, String> {
        let mut cursor = Cursor { rest: text };
        let (mut kind, mut fortran, mut shape) = (None, None, None);
        cursor.expect('{')?;
        while !cursor.accept('}') {
            let key = cursor.string()?;
            cursor.expect(':')?;
            match key {
                "descr" => kind = Some(cursor.kind()?),
                "fortran_order" => fortran = Some(cursor.boolean()?),
                "shape" => shape = Some(cursor.tuple()?),
                other => return Err(format!("its header has an unknown entry {}", quoted(other.as_bytes()))),
            }
            if !cursor.accept(',') {
                cursor.expect('}')?;
                break;
            }
        }
        if !cursor.rest.trim().is_empty() {
            return Err(format!("its header goes on after its end: {}", quoted(cursor.rest.as_bytes())));
        }
        let missing = |entry: &str| format!("its header has no entry '{entry}'");
        let (element, big_endian) = kind.ok_or_else(|| missing("descr"))?;
        Ok(Header {
            element,
            big_endian,
            fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }
}

/// What is left of the text.
struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn accept(&mut self, wanted: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.accept(wanted) { Ok(()) } else { Err(self.unexpected(&format!("'{wanted}'"))) }
    }

    fn unexpected(&self, wanted: &str) -> String {
        format!("its header is damaged: {wanted} is expected before {}", quoted(self.rest.as_bytes()))
    }

    fn string(&mut self) -> Result<&'a str, String> {
        let quote = if self.accept('\'') {
            '\''
        } else if self.accept('"') {
            '"'
        } else {
            return Err(self.unexpected("a quoted word"));
        };
        let (word, rest) = self.rest.split_once(quote).ok_or_else(|| self.unexpected("a closing quote"))?;
        self.rest = rest;
        Ok(word)
    }

    fn boolean(&mut self) -> Result<bool, String> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(self.unexpected("True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<u64>, String> {
        let mut numbers = Vec::new();
        self.expect('(')?;
        while !self.accept(')') {
            numbers.push(self.number()?);
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(numbers)
    }

    fn number(&mut self) -> Result<u64, String> {
        self.rest = self.rest.trim_start();
        let digits = self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = self.rest[..digits].parse().map_err(|_| self.unexpected("a whole number from 0"))?;
        // Python 2 wrote long integers with an L.
        self.rest = self.rest[digits..].strip_prefix('L').unwrap_or(&self.rest[digits..]);
        Ok(number)
    }

    /// The element type, and whether it is big-endian.
    fn kind(&mut self) -> Result<(Element, bool), String> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('[') {
            return Err("it is an array of records; save its fields as one array of numbers, in Python: \
                        numpy.lib.recfunctions.structured_to_unstructured(array)"
                .into());
        }
        let name = self.string()?;
        element(name).ok_or_else(|| {
            format!(
                "its element type is {}; accepted are booleans, whole numbers of 1 to 8 bytes and floats of 2, 4 or \
                 8: save array.astype('float32')",
                quoted(name.as_bytes())
            )
        })
    }
}

fn element(name: &str) -> Option<(Element, bool)> {
    let big_endian = name.starts_with('>');
    let element = match name.strip_prefix(['<', '>', '|', '=']).unwrap_or(name) {
        "b1" => Element::Bool,
        "u1" => Element::U8,
        "i1" => Element::I8,
        "u2" => Element::U16,
        "i2" => Element::I16,
        "u4" => Element::U32,
        "i4" => Element::I32,
        "u8" => Element::U64,
        "i8" => Element::I64,
        "f2" => Element::F16,
        "f4" => Element::F32,
        "f8" => Element::F64,
        _ => return None,
    };
    Some((element, big_endian))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_numpy_writes_is_understood() {
        let header = Header::parse("{'descr': '>i2', 'fortran_order': True, 'shape': (3, 4L), }   \n");
        let expected = Header { element: Element::I16, big_endian: true, fortran: true, shape: vec![3, 4] };
        assert_eq!(header, Ok(expected));
        let tight = Header::parse(r#"{"shape":(5,),"descr":"|b1","fortran_order":False}"#).expect("a header");
        assert_eq!((tight.element, tight.shape), (Element::Bool, vec![5]));
    }

    #[test]
    fn anything_else_is_named() {
        let problem = |text: &str| Header::parse(text).expect_err("a damaged header");
        let full = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }";
        for end in 0..full.len() {
            assert!(Header::parse(&full[..end]).is_err(), "{}", &full[..end]);
        }
        assert!(problem(&full.replace("<f4", "<c8")).contains("astype('float32')"));
        assert!(problem(&full.replace("<f4", "|O")).contains("|O"));
        assert!(problem(&full.replace("'<f4'", "[('a', '<f4')]")).contains("records"));
        assert!(problem(&full.replace('3', "-3")).contains("whole number"));
        assert!(problem(&full.replace('3', "99999999999999999999")).contains("whole number"));
        assert!(problem("{'fortran_order': False, 'shape': (3, 4)}").contains("'descr'"));
        assert!(problem(&format!("{full} x")).contains("after its end"));
        assert!(problem(&full.replace("shape", "shäpe")).contains("shäpe"));
    }
}

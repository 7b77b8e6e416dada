//! Lines of cells, each with its true line number.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use csv::ByteRecord;

use crate::DataError;
use crate::input::{Input, read_error};

/// No row is longer than this: an unclosed quote must not swallow all memory.
const LONGEST_RECORD: u64 = 256 << 20;

/// One row of text.
pub(super) struct Record {
    /// The line on which it begins, counted from 1.
    pub(super) line: u64,
    /// How many blank lines are before it.
    pub(super) blank_before: u64,
    /// Its cells.
    pub(super) cells: ByteRecord,
}

/// A file's text, with an end to its last line.
type Text = Unified<io::Chain<Box<dyn Read>, &'static [u8]>>;

/// The rows of a file.
pub(super) struct Records {
    path: PathBuf,
    reader: csv::Reader<Text>,
}

impl Records {
    pub(super) fn new(input: Input<'static>, delimiter: u8) -> Records {
        let (path, stream) = input.into_stream();
        // The last line ends as all others do: `line_of` counts on it.
        let ended = stream.chain(&b"\n"[..]);
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).buffer_capacity(64 * 1024);
        let unified = Unified { inner: ended, after_return: false, left: LONGEST_RECORD, at_end: false };
        Records { path, reader: builder.from_reader(unified) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> Result<Option<Record>, DataError> {
        self.reader.get_mut().left = LONGEST_RECORD;
        let before = self.reader.position().line();
        let mut cells = ByteRecord::new();
        loop {
            let found = self.reader.read_byte_record(&mut cells).map_err(|e| self.failed(e, before))?;
            if !found {
                return Ok(None);
            }
            if self.reader.get_ref().at_end {
                return Err(self.unclosed(&cells));
            }
            // A line of blanks is as empty as a line of nothing.
            if cells.len() > 1 || !cells[0].trim_ascii().is_empty() {
                break;
            }
        }
        let line = self.line_of(&cells, before);
        Ok(Some(Record { line, blank_before: line - before, cells }))
    }

    /// The error for a record that only the end of the file ends, though the last line has an end: its last
    /// cell is in quotes, and goes on from where they open to there.
    fn unclosed(&self, cells: &ByteRecord) -> DataError {
        let column = cells.len().saturating_sub(1);
        let inside = cells.get(column).unwrap_or_default().iter().filter(|&&b| b == b'\n').count();
        let line = self.reader.position().line().saturating_sub(inside as u64).max(1);
        DataError::Quote { path: self.path.clone(), line, column }
    }

    /// The line on which the record just read begins. The parser's own count points to the blank
    /// lines before it, so it is counted back from the end.
    fn line_of(&self, cells: &ByteRecord, before: u64) -> u64 {
        let inside = cells.as_slice().iter().filter(|&&b| b == b'\n').count();
        self.reader.position().line().saturating_sub(1 + inside as u64).max(before)
    }

    fn failed(&self, error: csv::Error, line: u64) -> DataError {
        match error.into_kind() {
            csv::ErrorKind::Io(cause) if cause.kind() == io::ErrorKind::FileTooLarge => DataError::TooLarge {
                path: self.path.clone(),
                what: format!("the row that begins at line {line}, with more than {LONGEST_RECORD} bytes,"),
            },
            csv::ErrorKind::Io(cause) => read_error(&self.path, cause),
            other => DataError::Malformed {
                path: self.path.clone(),
                format: "CSV",
                problem: format!("near line {line}: {other:?}"),
            },
        }
    }
}

/// Text in which every kind of line end (`\r\n`, `\r`, `\n`) has become `\n`, because the parser
/// counts lines by that alone. It also keeps a record from growing without bound.
struct Unified<R> {
    inner: R,
    after_return: bool,
    /// Bytes that may still be read for this record.
    left: u64,
    /// Whether there is no more.
    at_end: bool,
}

impl<R: Read> Read for Unified<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.left == 0 {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            let read = self.inner.read(buffer)?;
            self.left = self.left.saturating_sub(read as u64);
            self.at_end |= read == 0 && !buffer.is_empty();
            let kept = self.unify(&mut buffer[..read]);
            // Zero means the end, so a lone `\n` that was dropped must not look like it.
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
    }
}

impl<R> Unified<R> {
    fn unify(&mut self, bytes: &mut [u8]) -> usize {
        let mut kept = 0;
        for at in 0..bytes.len() {
            let byte = bytes[at];
            let second_half = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            if !second_half {
                bytes[kept] = if byte == b'\r' { b'\n' } else { byte };
                kept += 1;
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_becomes_a_line_feed_whatever_the_buffer() {
        for size in 1..8 {
            let inner = &b"a\r\nb\rc\n\n\r\n\r\rd\r\n"[..];
            let mut unified = Unified { inner, after_return: false, left: 1000, at_end: false };
            let mut all = Vec::new();
            let mut buffer = vec![0; size];
            loop {
                match unified.read(&mut buffer).expect("bytes") {
                    0 => break,
                    n => all.extend_from_slice(&buffer[..n]),
                }
            }
            assert_eq!(all, b"a\nb\nc\n\n\n\n\nd\n", "buffer of {size}");
        }
    }

    #[test]
    fn a_record_without_end_is_cut_off() {
        let inner = io::repeat(b'x');
        let mut unified = Unified { inner, after_return: false, left: 100, at_end: false };
        let error = unified.read_to_end(&mut Vec::new()).expect_err("too long");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}

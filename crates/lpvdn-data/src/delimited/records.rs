//! Lines of cells, each with its true line number.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use csv::ByteRecord;

use crate::DataError;
use crate::budget::{Account, Budget};
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
    /// For the cells.
    _account: Account,
}

#[cfg(test)]
impl Record {
    /// The first line of a file.
    pub(super) fn of(cells: ByteRecord) -> Record {
        let account = Budget::default().account(Path::new("a.csv"));
        Record { line: 1, blank_before: 0, cells, _account: account }
    }
}

/// A file's text, with an end to its last line.
type Text = Unified<io::Chain<Box<dyn Read>, &'static [u8]>>;

/// The rows of a file.
pub(super) struct Records {
    path: PathBuf,
    reader: csv::Reader<Text>,
    budget: Budget,
}

impl Records {
    pub(super) fn new(input: Input<'static>, delimiter: u8) -> Records {
        let budget = input.budget().clone();
        let (path, stream) = input.into_stream();
        // The last line ends as all others do: `line_of` counts on it.
        let ended = stream.chain(&b"\n"[..]);
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).buffer_capacity(64 * 1024);
        let unified = Unified::new(ended, delimiter, budget.account(&path));
        Records { path, reader: builder.from_reader(unified), budget }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> Result<Option<Record>, DataError> {
        self.reader.get_mut().left = LONGEST_RECORD;
        // The account of the record before goes with it.
        self.reader.get_mut().account = self.budget.account(&self.path);
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
        let account = std::mem::replace(&mut self.reader.get_mut().account, self.budget.account(&self.path));
        Ok(Some(Record { line, blank_before: line - before, cells, _account: account }))
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
    delimiter: u8,
    /// For the record.
    account: Account,
}

/// What the parser keeps for each byte of a record and for each of its cells, both in vectors that double.
const PER_BYTE: u64 = 2;
const PER_CELL: u64 = 2 * size_of::<usize>() as u64;

impl<R> Unified<R> {
    fn new(inner: R, delimiter: u8, account: Account) -> Unified<R> {
        Unified { inner, after_return: false, left: LONGEST_RECORD, at_end: false, delimiter, account }
    }

    /// Enters what the parser keeps of these bytes.
    fn charge(&mut self, bytes: &[u8]) -> io::Result<()> {
        let cells = bytes.iter().filter(|&&byte| byte == self.delimiter).count() as u64;
        self.account.add_io(PER_BYTE * bytes.len() as u64 + PER_CELL * cells, "a row of the table")
    }
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
            self.charge(&buffer[..read])?;
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
            let mut unified = Unified::new(inner, b',', Budget::default().account(Path::new("t")));
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
        let account = Budget::default().account(Path::new("t"));
        let mut unified = Unified::new(io::repeat(b'x'), b',', account);
        unified.left = 100;
        let error = unified.read_to_end(&mut Vec::new()).expect_err("too long");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}

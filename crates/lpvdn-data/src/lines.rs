//! Text read line by line, for formats in which a line is a thing of its own.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::DataError;
use crate::input::{Input, read_error};

/// No line is longer than this: a file without line ends must not swallow all memory.
const LONGEST_LINE: u64 = 256 << 20;

/// The lines of a file.
pub(crate) struct Lines {
    path: PathBuf,
    reader: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    pub(crate) fn new(input: Input<'static>) -> Lines {
        let (path, stream) = input.into_stream();
        Lines { path, reader: BufReader::with_capacity(64 * 1024, stream), line: Vec::new(), number: 0 }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the line read last, counted from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Reads the next line; false at the end of the file.
    pub(crate) fn advance(&mut self) -> Result<bool, DataError> {
        self.line.clear();
        self.number += 1;
        let read = (&mut self.reader).take(LONGEST_LINE).read_until(b'\n', &mut self.line);
        let read = read.map_err(|cause| self.failed(cause))?;
        if read as u64 == LONGEST_LINE && self.line.last() != Some(&b'\n') {
            let what = format!("line {}, with more than {LONGEST_LINE} bytes,", self.number);
            return Err(DataError::TooLarge { path: self.path.clone(), what });
        }
        // The mark that Windows puts before UTF-8.
        if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
            self.line.drain(..3);
        }
        Ok(read > 0)
    }

    /// The line read last, without the blanks around it.
    pub(crate) fn line(&self) -> &[u8] {
        self.line.trim_ascii()
    }

    /// What is wrong with the line read last.
    pub(crate) fn wrong(&self, problem: impl Into<String>) -> DataError {
        DataError::Line { path: self.path.clone(), line: self.number, problem: problem.into() }
    }

    fn failed(&self, cause: io::Error) -> DataError {
        read_error(&self.path, cause)
    }
}

/// The words of a line, without the blanks between them.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The number that a word is, if it is one.
pub(crate) fn number<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

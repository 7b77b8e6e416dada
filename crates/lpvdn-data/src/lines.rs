//! Text read line by line, for formats in which a line is a thing of its own.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::DataError;
use crate::budget::{Account, Budget};
use crate::input::{Input, read_error};

/// No line is longer than this: a file without line ends must not swallow all memory.
const LONGEST_LINE: u64 = 256 << 20;

/// The lines of a file.
pub(crate) struct Lines {
    path: PathBuf,
    reader: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    number: u64,
    /// For the line.
    account: Account,
    budget: Budget,
}

impl Lines {
    pub(crate) fn new(input: Input<'static>) -> Lines {
        let budget = input.budget().clone();
        let (path, stream) = input.into_stream();
        let (reader, account) = (BufReader::with_capacity(64 * 1024, stream), budget.account(&path));
        Lines { path, reader, line: Vec::new(), number: 0, account, budget }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What reading may take.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The number of the line read last, counted from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Reads the next line; false at the end of the file.
    pub(crate) fn advance(&mut self) -> Result<bool, DataError> {
        self.line.clear();
        self.number += 1;
        while !self.line.ends_with(b"\n") && self.extend()? {}
        let read = self.line.len();
        // The mark that Windows puts before UTF-8.
        if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
            self.line.drain(..3);
        }
        Ok(read > 0)
    }

    /// Appends to the line what has arrived of it; false at the end of the file.
    fn extend(&mut self) -> Result<bool, DataError> {
        let arrived = match self.reader.fill_buf() {
            Ok(arrived) => arrived,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => return Ok(true),
            Err(cause) => return Err(read_error(&self.path, cause)),
        };
        let end = arrived.iter().position(|&byte| byte == b'\n').map_or(arrived.len(), |at| at + 1);
        if (self.line.len() + end) as u64 > LONGEST_LINE {
            let what = format!("line {}, with more than {LONGEST_LINE} bytes,", self.number);
            return Err(DataError::TooLarge { path: self.path.clone(), what });
        }
        let what = format_args!("line {}", self.number);
        self.account.reserve(&mut self.line, end, LONGEST_LINE as usize, what)?;
        self.line.extend_from_slice(&arrived[..end]);
        self.reader.consume(end);
        Ok(end > 0)
    }

    /// The line read last, without the blanks around it.
    pub(crate) fn line(&self) -> &[u8] {
        self.line.trim_ascii()
    }

    /// What is wrong with the line read last.
    pub(crate) fn wrong(&self, problem: impl Into<String>) -> DataError {
        DataError::Line { path: self.path.clone(), line: self.number, problem: problem.into() }
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

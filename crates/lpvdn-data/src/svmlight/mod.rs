//! svmlight, the text format of LibSVM: a line a row, `label index:value index:value …`.
//!
//! Cells that are not named are zero. Indices count from 1, unless some index is 0; that is how
//! scikit-learn decides, too. The label may be missing on all lines. `#` begins a comment, and
//! `qid:…`, which groups rows for ranking, is skipped.

mod rows;
mod sniff;

use self::rows::Rows;
use crate::disk::Limit;
use crate::input::Input;
use crate::lines::{Lines, words};
use crate::reading::Reading;
use crate::table::Table;
use crate::{DataError, OpenOptions};

pub(crate) use rows::entry;
pub(crate) use sniff::recognises;

/// Reads sparse rows and, where lines begin with labels, their classes.
///
/// Another file than the model's has the model's columns, whichever of them it names.
pub(crate) fn read(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    let known = match &options.reading {
        Some(Reading::Pairs(pairs)) => Some(*pairs),
        _ => None,
    };
    let mut lines = Lines::new(input);
    let mut rows = Rows::new(Limit::of(lines.path(), options), &options.budget);
    while lines.advance()? {
        rows.push(&lines)?;
    }
    rows.finish(lines.path(), known)
}

/// A line without its comment.
fn uncommented(line: &[u8]) -> &[u8] {
    line.split(|&byte| byte == b'#').next().unwrap_or_default()
}

/// The label of a line, if its first word is one, and the words that follow.
pub(crate) fn split_label(line: &[u8]) -> (Option<&[u8]>, impl Iterator<Item = &[u8]>) {
    let mut rest = words(line).peekable();
    let label = rest.next_if(|word| !word.contains(&b':'));
    (label, rest)
}

/// The two halves of `index:value`, whatever they are.
fn split_pair(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = word.iter().position(|&byte| byte == b':')?;
    Some((&word[..colon], &word[colon + 1..]))
}

/// The index that a word is: digits alone, not `+1`.
fn index(word: &[u8]) -> Option<u64> {
    let digits = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    // More digits than a number can hold are an index nevertheless: one that is too large.
    digits.then(|| crate::lines::number(word).unwrap_or(u64::MAX))
}

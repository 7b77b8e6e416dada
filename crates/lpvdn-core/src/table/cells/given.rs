//! A cell as its file gives it.

use std::borrow::Cow;
use std::str::Utf8Error;

use super::dates;
use super::numbers::written;

/// A cell as its file gives it.
#[derive(Debug)]
pub enum Given<'a> {
    /// Text, which may be a number.
    Text(&'a [u8]),
    /// Text that its file declares to be text: a word, even where it looks like a number.
    Word(&'a str),
    /// A number.
    Number(f64),
    /// A point in time, in days since 1970-01-01.
    Date(f64),
    /// True or false.
    Truth(bool),
    /// Several numbers. What is not known among them is no number.
    Vector {
        /// The numbers.
        numbers: &'a [f32],
        /// Whether one of them is missing.
        gaps: bool,
    },
    /// Nothing.
    Nothing,
}

impl Given<'_> {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        match self {
            Given::Text(text) => text.is_empty(),
            Given::Word(word) => word.is_empty(),
            Given::Nothing => true,
            Given::Number(_) | Given::Date(_) | Given::Truth(_) | Given::Vector { .. } => false,
        }
    }

    /// As a class or a name. Who has a number asks for no such thing: it is exact only as text.
    /// Text that is not UTF-8 is refused: put right by force, different words would become one.
    pub fn text(&self) -> Result<Cow<'_, str>, Utf8Error> {
        Ok(match self {
            Given::Text(text) => Cow::Borrowed(std::str::from_utf8(text)?),
            Given::Word(word) => Cow::Borrowed(*word),
            Given::Number(number) => Cow::Owned(written(*number)),
            Given::Date(days) => Cow::Owned(dates::written(*days)),
            Given::Truth(truth) => Cow::Borrowed(if *truth { "true" } else { "false" }),
            Given::Vector { .. } | Given::Nothing => Cow::Borrowed(""),
        })
    }

    /// As messages show it.
    pub fn shown(&self) -> String {
        match self {
            Given::Text(text) => quoted(text),
            Given::Word(word) => quoted(word.as_bytes()),
            Given::Number(number) => format!("the number {}", written(*number)),
            Given::Date(days) => format!("the date {}", dates::written(*days)),
            Given::Truth(truth) => truth.to_string(),
            Given::Vector { numbers, gaps: false } => format!("a vector of {}", numbers.len()),
            Given::Vector { .. } => "a vector with nothing in the place of a number".to_owned(),
            Given::Nothing => "nothing".to_owned(),
        }
    }

    /// The text, if it is one, and whether it cannot be a number.
    pub fn as_text(&self) -> Result<Option<(&str, bool)>, Utf8Error> {
        Ok(match self {
            Given::Text(text) => Some((std::str::from_utf8(text)?, false)),
            Given::Word(word) => Some((*word, true)),
            _ => None,
        })
    }
}

/// Text from a table as it may appear in a message: quoted, escaped, and not longer than a line.
pub fn quoted(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    // Four bytes a character are enough to know whether the rest must be left out.
    let start = String::from_utf8_lossy(&text[..text.len().min(4 * LONGEST + 4)]);
    let mut shown: String = start.chars().take(LONGEST).collect();
    if shown.len() < text.len() && start.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    format!("{shown:?}")
}

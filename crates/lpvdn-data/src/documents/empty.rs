//! Rows without a text.

use std::path::{Path, PathBuf};

use lpvdn_core::RowNames;
use serde::{Deserialize, Serialize};

use crate::budget::{Account, Budget};
use crate::described::ChargedNames;
use crate::{DataError, Note, OpenOptions};

/// What is done about a row whose text is missing or has no letters but blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyText {
    /// It is an error, which names the place.
    Error,
    /// The row is left out, and a note counts such rows.
    Skip,
    /// It is a row without words.
    Keep,
}

impl EmptyText {
    /// What is asked for; else a fit refuses such rows, and a model, which must answer for every row, keeps them.
    pub(crate) fn of(options: &OpenOptions) -> EmptyText {
        let usual = if options.reading.is_some() { EmptyText::Keep } else { EmptyText::Error };
        options.empty_text.unwrap_or(usual)
    }
}

/// The rows without a text among those that have arrived.
pub(crate) struct EmptyTexts {
    path: PathBuf,
    what: EmptyText,
    /// How many rows have arrived.
    rows: u32,
    count: usize,
    /// Where the first one is.
    first: String,
    /// The numbers of those that are left out, from 0.
    left_out: Vec<u32>,
    /// For these.
    account: Account,
    budget: Budget,
}

impl EmptyTexts {
    pub(crate) fn new(path: &Path, options: &OpenOptions) -> EmptyTexts {
        EmptyTexts {
            path: path.to_owned(),
            what: EmptyText::of(options),
            rows: 0,
            count: 0,
            first: String::new(),
            left_out: Vec::new(),
            account: options.budget.account(path),
            budget: options.budget.clone(),
        }
    }

    /// Whether the next row is to be read. `place` says where its text would be.
    pub(crate) fn admit(
        &mut self,
        is_empty: bool,
        place: impl FnOnce() -> String,
    ) -> Result<bool, DataError> {
        let row = self.rows;
        self.rows = self.rows.saturating_add(1);
        if !is_empty {
            return Ok(true);
        }
        if self.what == EmptyText::Error {
            return Err(DataError::EmptyText { path: self.path.clone(), place: place() });
        }
        if self.count == 0 {
            self.first = place();
        }
        self.count += 1;
        if self.what == EmptyText::Keep {
            return Ok(true);
        }
        self.account.reserve(&mut self.left_out, 1, usize::MAX, "the rows that are left out")?;
        self.left_out.push(row);
        Ok(false)
    }

    /// What is to be said about them.
    pub(crate) fn note(&self) -> Option<Note> {
        let (count, rows, first) = (self.count, self.rows, &self.first);
        let done = match self.what {
            EmptyText::Skip => "are left out",
            EmptyText::Keep | EmptyText::Error => "are rows without words",
        };
        (count > 0).then(|| {
            Note::from(format!("{count} of {rows} rows have no text and {done} (the first: {first})"))
        })
    }

    /// What the rows are called: where some are left out and nobody named the others, by their number in the file,
    /// from 0. Else nobody could tell which of them is which.
    pub(crate) fn names(&self, known: Option<RowNames>) -> Result<Option<RowNames>, DataError> {
        if known.is_some() || self.left_out.is_empty() {
            return Ok(known);
        }
        let mut names = ChargedNames::new(&self.path, &self.budget);
        let mut left_out = self.left_out.iter().copied().peekable();
        for row in 0..self.rows {
            if left_out.next_if_eq(&row).is_none() {
                names.push(&row.to_string())?;
            }
        }
        Ok(Some(names.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(what: Option<EmptyText>, empty: &[bool]) -> (EmptyTexts, Result<Vec<bool>, DataError>) {
        let options = OpenOptions { empty_text: what, ..OpenOptions::default() };
        let mut all = EmptyTexts::new(Path::new("t.csv"), &options);
        let admitted =
            (1..).zip(empty).map(|(line, empty)| all.admit(*empty, || format!("line {line}"))).collect();
        (all, admitted)
    }

    #[test]
    fn rows_that_are_left_out_leave_the_others_their_numbers() {
        let (all, admitted) = rows(Some(EmptyText::Skip), &[true, false, false, true, false]);
        assert_eq!(admitted.expect("rows"), [false, true, true, false, true]);
        assert!(all.names(None).expect("room").expect("names").iter().eq(["1", "2", "4"]));
        let known: RowNames = ["a", "b", "c"].iter().collect();
        assert_eq!(all.names(Some(known.clone())).expect("room"), Some(known));
        let note = all.note().expect("a note").text;
        assert!(
            note.contains("2 of 5 rows") && note.contains("line 1") && note.contains("left out"),
            "{note}"
        );
    }

    #[test]
    fn rows_that_are_kept_need_no_names_and_others_end_the_reading() {
        let (all, admitted) = rows(Some(EmptyText::Keep), &[true, false]);
        assert_eq!(admitted.expect("rows"), [true, true]);
        assert_eq!(all.names(None).expect("room"), None);
        assert!(all.note().is_some_and(|note| note.text.contains("without words")));
        let (_, refused) = rows(None, &[false, true]);
        assert!(matches!(refused, Err(DataError::EmptyText { place, .. }) if place == "line 2"));
        assert!(rows(None, &[false]).0.note().is_none());
    }
}

//! Documents: a line each in a `.txt`, an object each in a `.jsonl`, a file each in a folder.
//!
//! Their tf-idf weights are the rows ([`text`](crate::text)); the vocabulary is kept, so that other
//! documents can be read alike.

mod folder;
mod jsonl;

use std::path::Path;

use lpvdn_core::{Labels, RowNames};

use crate::budget::{Account, Budget, PER_STRING};
use crate::classes;
use crate::disk::{GrowingSparse, Limit};
use crate::error::NOT_UTF8;
use crate::input::Input;
use crate::lines::Lines;
use crate::reading::{Reading, TextReading};
use crate::table::Table;
use crate::text::{NGrams, TermCounts, TextError, Vectorizer};
use crate::{DataError, Note, OpenOptions, format};

pub(crate) use folder::{has_texts, read_folder};
pub(crate) use jsonl::{read as read_jsonl, recognises as recognises_jsonl};

/// Texts, entered into the budget.
#[derive(Debug)]
struct Texts {
    texts: Vec<String>,
    account: Account,
}

impl Texts {
    fn new(path: &Path, budget: &Budget) -> Texts {
        Texts { texts: Vec::new(), account: budget.account(path) }
    }

    /// Keeps a copy of a text.
    fn push(&mut self, text: &str) -> Result<(), DataError> {
        self.enter(text)?;
        self.texts.push(text.to_owned());
        Ok(())
    }

    /// Keeps a text.
    fn keep(&mut self, text: String) -> Result<(), DataError> {
        self.enter(&text)?;
        self.texts.push(text);
        Ok(())
    }

    fn enter(&mut self, text: &str) -> Result<(), DataError> {
        let what = format_args!("the texts of {} documents", self.texts.len() + 1);
        self.account.add(text.len() as u64 + PER_STRING, what)
    }

    /// What analysing takes beside what it counts: a few documents are in pieces at a time.
    fn analysing(&self, ngrams: NGrams) -> u64 {
        let largest = self.texts.iter().map(String::len).max().unwrap_or(0) as u64;
        let together = largest.saturating_mul(rayon::current_num_threads() as u64);
        let all: u64 = self.texts.iter().map(|text| text.len() as u64).sum();
        // A copy in small letters and the numbers of the terms; for n-grams the pieces, too.
        let per_byte =
            if ngrams == NGrams::default() { 6 } else { 24 + 4 * (ngrams.max - ngrams.min) as u64 };
        together.min(all).saturating_mul(per_byte)
    }
}

/// Texts, and what is known about them.
struct Documents {
    texts: Texts,
    /// As many as texts, where they are known.
    labels: Option<Labels>,
    ids: Option<RowNames>,
    /// Where the texts stand, in JSON objects.
    field: Option<String>,
}

/// Reads a document a line.
pub(crate) fn read_lines(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    refuse_binary(input.path(), input.sample())?;
    let mut lines = Lines::new(input);
    let mut texts = Texts::new(lines.path(), &options.budget);
    while lines.advance()? {
        if !lines.line().is_empty() {
            let text = std::str::from_utf8(lines.line()).map_err(|_| lines.wrong(NOT_UTF8))?;
            texts.push(text)?;
        }
    }
    Documents { texts, labels: None, ids: None, field: None }.into_table(lines.path(), options)
}

/// What is not text has no words.
fn refuse_binary(path: &Path, sample: &[u8]) -> Result<(), DataError> {
    if format::looks_like_text(sample) {
        return Ok(());
    }
    Err(DataError::Malformed {
        path: path.to_owned(),
        format: "TXT",
        problem: "it contains control characters, so that it is not text; accepted is text in UTF-8".into(),
    })
}

impl Documents {
    fn into_table(self, path: &Path, options: &OpenOptions) -> Result<Table, DataError> {
        // Before words are counted: those of other classes are none of the vocabulary.
        match classes::rows_of(path, self.labels.as_ref(), &options.classes)? {
            None => self.vectorize(path, options),
            Some(rows) => self.only(&rows)?.vectorize(path, options),
        }
    }

    fn only(self, rows: &[u32]) -> Result<Documents, DataError> {
        let Texts { mut texts, mut account } = self.texts;
        // Every row is wanted once, so that its text can be moved.
        let kept: Vec<String> =
            rows.iter().filter_map(|&row| texts.get_mut(row as usize).map(std::mem::take)).collect();
        let bytes = kept.iter().map(|text| text.len() as u64 + PER_STRING).sum();
        account.set(bytes, "the texts of some classes")?;
        let texts = Texts { texts: kept, account };
        let labels = self.labels.map(|labels| labels.of_rows(rows));
        let ids = self.ids.map(|ids| ids.of_rows(rows));
        Ok(Documents { texts, labels, ids, field: self.field })
    }

    fn vectorize(self, path: &Path, options: &OpenOptions) -> Result<Table, DataError> {
        let Texts { texts, .. } = &self.texts;
        if texts.is_empty() {
            return Err(DataError::Nothing { path: path.to_owned(), what: "documents", hint: "" });
        }
        let mut analysing = options.budget.account(path);
        analysing.add(self.texts.analysing(options.text.ngrams), "the words of the longest documents")?;
        let vectorizer = match &options.reading {
            Some(Reading::Text(known)) => known.vectorizer.clone(),
            Some(_) => return Err(DataError::OtherKind { path: path.to_owned(), found: "documents" }),
            None => learnt(texts, path, options)?,
        };
        let mut rows = GrowingSparse::new(Limit::of(path, options));
        let mut empty = 0;
        vectorizer.for_each_row(texts, |row| {
            empty += usize::from(row.is_empty());
            rows.push(row)
        })?;
        let count = rows.rows();
        let unknown = Note::from(format!("{empty} of {count} documents have no word that the model knows"));
        let notes = (empty > 0 && options.reading.is_some()).then_some(unknown).into_iter().collect();
        let rows = rows.finish(vectorizer.terms().len(), 0)?.into_rows();
        let snippet = |length: usize| texts.iter().map(|text| beginning(text, length)).collect();
        Ok(Table {
            texts: options.snippets.map(snippet),
            labels: self.labels,
            ids: self.ids,
            columns: Some(vectorizer.terms().to_vec()),
            reading: Some(Reading::Text(Box::new(TextReading { field: self.field, vectorizer }))),
            notes,
            ..rows.into()
        })
    }
}

/// The vocabulary of the texts. Its counts may take half of what is left, for the terms that are chosen of them
/// take as much again.
fn learnt(texts: &[String], path: &Path, options: &OpenOptions) -> Result<Vectorizer, DataError> {
    let failed = |cause| text_error(path, &options.budget, cause);
    let mut counts = TermCounts::new(&options.text).map_err(failed)?.within(options.budget.left() / 2);
    counts.add(texts);
    counts.check_memory().map_err(failed)?;
    let mut counted = options.budget.account(path);
    counted.add(2 * counts.bytes(), "the counts of the terms")?;
    let vectorizer = counts.into_vectorizer().map_err(failed)?;
    drop(counted);
    charge_vocabulary(&vectorizer, path, &options.budget)?;
    Ok(vectorizer)
}

/// The terms are kept as columns, as names of columns, and in what is remembered of the reading.
pub(crate) fn charge_vocabulary(
    vectorizer: &Vectorizer,
    path: &Path,
    budget: &Budget,
) -> Result<(), DataError> {
    let terms = vectorizer.terms().iter().map(|term| term.len() as u64 + PER_STRING);
    budget.charge(path, 3 * terms.sum::<u64>(), "the vocabulary")
}

/// What is wrong with documents, which may be that they take too much memory.
pub(crate) fn text_error(path: &Path, budget: &Budget, cause: TextError) -> DataError {
    match cause {
        TextError::Memory { terms, needed, .. } => {
            let allowed = budget.memory();
            let needed = (allowed - budget.left()).saturating_add(needed.saturating_mul(2));
            let what = format!("the counts of more than {terms} terms");
            DataError::Memory { path: path.to_owned(), what, needed, allowed }
        }
        cause => DataError::Text { path: path.to_owned(), cause },
    }
}

/// The first characters of a text, each stretch of white space being one space; an ellipsis says that there is more.
fn beginning(text: &str, length: usize) -> String {
    let mut kept = String::new();
    let mut left = length;
    for word in text.split_whitespace() {
        let space = usize::from(!kept.is_empty());
        let size = word.chars().count() + space;
        if size > left {
            kept.extend(" ".chars().take(space).chain(word.chars()).take(left));
            kept.push('…');
            return kept;
        }
        kept.extend(" ".chars().take(space));
        kept.push_str(word);
        left -= size;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::beginning;

    #[test]
    fn a_beginning_is_of_so_many_characters_with_single_spaces() {
        assert_eq!(beginning("  one\n\ttwo ", 20), "one two");
        assert_eq!(beginning("one two", 7), "one two");
        assert_eq!(beginning("one two", 5), "one t…");
        assert_eq!(beginning("ééééé", 3), "ééé…");
        assert_eq!(beginning("", 3), "");
    }
}

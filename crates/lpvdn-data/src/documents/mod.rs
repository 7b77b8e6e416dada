//! Documents: a line each in a `.txt`, an object each in a `.jsonl`, a file each in a folder.
//!
//! Their tf-idf weights are the rows ([`text`](crate::text)); the vocabulary is kept, so that other
//! documents can be read alike.

mod folder;
mod jsonl;

use std::path::Path;

use lpvdn_core::{CsrMatrix, Labels, RowNames};

use crate::classes;
use crate::error::NOT_UTF8;
use crate::input::Input;
use crate::lines::Lines;
use crate::reading::{Reading, TextReading};
use crate::table::{Table, Values};
use crate::text::Vectorizer;
use crate::{DataError, Note, OpenOptions, format};

pub(crate) use folder::{has_texts, read_folder};
pub(crate) use jsonl::{read as read_jsonl, recognises as recognises_jsonl};

/// Texts, and what is known about them.
#[derive(Debug, Default)]
struct Documents {
    texts: Vec<String>,
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
    let mut documents = Documents::default();
    while lines.advance()? {
        if !lines.line().is_empty() {
            let text = std::str::from_utf8(lines.line()).map_err(|_| lines.wrong(NOT_UTF8))?;
            documents.texts.push(text.to_owned());
        }
    }
    documents.into_table(lines.path(), options)
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
            Some(rows) => self.only(&rows).vectorize(path, options),
        }
    }

    fn only(self, rows: &[u32]) -> Documents {
        let texts = rows.iter().filter_map(|&row| self.texts.get(row as usize).cloned()).collect();
        let labels = self.labels.map(|labels| labels.of_rows(rows));
        let ids = self.ids.map(|ids| ids.of_rows(rows));
        Documents { texts, labels, ids, field: self.field }
    }

    fn vectorize(self, path: &Path, options: &OpenOptions) -> Result<Table, DataError> {
        let failed = |cause| DataError::Text { path: path.to_owned(), cause };
        if self.texts.is_empty() {
            return Err(DataError::Nothing { path: path.to_owned(), what: "documents", hint: "" });
        }
        let (vectorizer, rows) = match &options.reading {
            Some(Reading::Text(known)) => (known.vectorizer.clone(), known.vectorizer.transform(&self.texts)),
            Some(_) => return Err(DataError::OtherKind { path: path.to_owned(), found: "documents" }),
            None => Vectorizer::fit_transform(&options.text, &self.texts).map_err(failed)?,
        };
        let notes = if options.reading.is_some() { unknown_words(&rows) } else { Vec::new() };
        let texts =
            options.snippets.map(|length| self.texts.iter().map(|text| beginning(text, length)).collect());
        Ok(Table {
            texts,
            labels: self.labels,
            ids: self.ids,
            columns: Some(vectorizer.terms().to_vec()),
            reading: Some(Reading::Text(Box::new(TextReading { field: self.field, vectorizer }))),
            notes,
            ..Values::Sparse(rows).into()
        })
    }
}

/// What is to be said about documents of which a model knows nothing.
fn unknown_words(rows: &CsrMatrix<f32>) -> Vec<Note> {
    let (all, empty) = (rows.rows(), (0..rows.rows()).filter(|&i| rows.row(i).0.is_empty()).count());
    let note = || format!("{empty} of {all} documents have no word that the model knows");
    (empty > 0).then(note).into_iter().map(Note::from).collect()
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

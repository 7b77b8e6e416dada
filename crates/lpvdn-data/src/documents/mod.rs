//! Documents: a line each in a `.txt`, an object each in a `.jsonl`, a file each in a folder, a cell each in a column of a
//! table.
//!
//! Their tf-idf weights are the rows ([`text`](crate::text)); the vocabulary is kept, so that other
//! documents can be read alike.

mod empty;
mod folder;
mod jsonl;
mod others;
mod texts;

use std::path::Path;

use lpvdn_core::{Labels, RowNames};

use self::others::Others;
use self::texts::AllTexts;
use crate::budget::{Budget, PER_STRING};
use crate::classes;
use crate::disk::{GrowingSparse, Limit};
use crate::error::NOT_UTF8;
use crate::input::Input;
use crate::lines::Lines;
use crate::reading::{Reading, TextReading};
use crate::table::{Rows, Table};
use crate::text::{Recogniser, StopWords, TermCounts, TextError, TextOptions, Vectorizer};
use crate::{DataError, Note, OpenOptions, Remedy, format};

pub use empty::EmptyText;
pub(crate) use empty::EmptyTexts;
pub(crate) use folder::{has_texts, read_folder};
pub(crate) use jsonl::{read as read_jsonl, recognises as recognises_jsonl};
pub(crate) use others::read_column;
pub(crate) use texts::Texts;

/// As many texts, at equal distances, tell the language.
const RECOGNISED: usize = 2_000;

/// Texts, and what is known about them.
struct Documents {
    texts: Texts,
    /// As many as texts, where they are known.
    labels: Option<Labels>,
    ids: Option<RowNames>,
    /// Where the texts stand, in JSON objects or in a table.
    field: Option<String>,
    /// The other columns of a table.
    others: Option<Others>,
}

/// Reads a document a line.
pub(crate) fn read_lines(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    refuse_binary(input.path(), input.sample())?;
    let mut lines = Lines::new(input);
    let mut texts = Texts::new(lines.path(), options);
    while lines.advance()? {
        if !lines.line().is_empty() {
            let text = std::str::from_utf8(lines.line()).map_err(|_| lines.wrong(NOT_UTF8))?;
            texts.push(text)?;
        }
    }
    Documents { texts, labels: None, ids: None, field: None, others: None }.into_table(lines.path(), options)
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
        let Documents { texts, mut labels, mut ids, field, mut others } = self;
        let mut texts = texts.finish()?;
        // Before words are counted: those of other classes are none of the vocabulary.
        if let Some(rows) = classes::rows_of(path, labels.as_ref(), &options.classes)? {
            texts = texts.only(&rows)?;
            labels = labels.map(|labels| labels.of_rows(&rows));
            ids = ids.map(|ids| ids.of_rows(&rows));
            others = others.map(|others| others.only(&rows));
        }
        if texts.count() == 0 {
            return Err(DataError::Nothing { path: path.to_owned(), what: "documents", hint: "" });
        }
        let mut analysing = options.budget.account(path);
        analysing.add(texts.analysing(options.text.ngrams), "the words of the longest documents")?;
        let (vectorizer, common) = vectorizer(&mut texts, others.as_ref(), path, options)?;
        let rows = vectorized(&mut texts, &vectorizer, others.as_ref(), path, options)?;
        let (names, groups) =
            others::described(others.as_ref(), field.as_deref(), &vectorizer, path, options)?;
        let (table, lines, missing, mut notes) = match others {
            Some(Others { table, lines, missing, notes, .. }) => (Some(table), lines, missing, notes),
            None => (None, None, Vec::new(), Vec::new()),
        };
        notes.extend(rows.note(options));
        notes.extend(common);
        Ok(Table {
            texts: rows.snippets,
            labels,
            ids,
            lines,
            missing,
            columns: Some(names),
            groups: Some(groups),
            reading: Some(Reading::Text(Box::new(TextReading { field, vectorizer, table }))),
            notes,
            ..rows.rows.into()
        })
    }
}

/// The vocabulary of a model, or that of these texts, and what is to be said about it.
fn vectorizer(
    texts: &mut AllTexts,
    others: Option<&Others>,
    path: &Path,
    options: &OpenOptions,
) -> Result<(Vectorizer, Option<Note>), DataError> {
    let other = |found| Err(DataError::OtherKind { path: path.to_owned(), found });
    match &options.reading {
        Some(Reading::Text(known)) => {
            let needs_columns = known.table.as_ref().is_some_and(|table| !table.others.columns.is_empty());
            if needs_columns && others.is_none() {
                return other("texts without the columns of a table");
            }
            Ok((known.vectorizer.clone(), None))
        }
        Some(_) => other("documents"),
        None => {
            let (text, note) = with_stop_words(texts, options)?;
            match learnt(texts, path, options, &text) {
                // Nothing but common words: then they are what there is to compare.
                Err(DataError::Text { cause: TextError::NoTerms { .. }, .. }) if note.is_some() => {
                    Ok((learnt(texts, path, options, &options.text)?, None))
                }
                learnt => Ok((learnt?, note)),
            }
        }
    }
}

/// The rows of texts.
struct Vectorized {
    rows: Rows,
    /// How many have no term.
    empty: usize,
    /// The beginnings of the texts, where they are asked for.
    snippets: Option<Vec<String>>,
}

impl Vectorized {
    /// What is to be said about rows that a model sees nothing in.
    fn note(&self, options: &OpenOptions) -> Option<Note> {
        let (empty, count) = (self.empty, self.rows.count());
        let unknown =
            || Note::from(format!("{empty} of {count} documents have no word that the model knows"));
        (empty > 0 && options.reading.is_some()).then(unknown)
    }
}

fn vectorized(
    texts: &mut AllTexts,
    vectorizer: &Vectorizer,
    others: Option<&Others>,
    path: &Path,
    options: &OpenOptions,
) -> Result<Vectorized, DataError> {
    let mut rows = GrowingSparse::new(Limit::of(path, options));
    let mut ahead = others.filter(|others| others.width() > 0).map(|others| others.rows(path));
    let (mut empty, mut snippets) = (0, options.snippets.map(|_| Vec::new()));
    texts.for_each_block(|block| {
        if let (Some(snippets), Some(length)) = (&mut snippets, options.snippets) {
            snippets.extend(block.iter().map(|text| beginning(text, length)));
        }
        vectorizer.for_each_row(block, |terms| {
            empty += usize::from(terms.is_empty());
            match &mut ahead {
                Some(ahead) => rows.push(ahead.joined(terms)?),
                None => rows.push(terms),
            }
        })
    })?;
    let width = others.map_or(0, Others::width) + vectorizer.terms().len();
    Ok(Vectorized { rows: rows.finish(width, 0)?.into_rows(), empty, snippets })
}

/// How texts are read: without the common words of their language, where these are asked for and it is recognised.
fn with_stop_words(
    texts: &mut AllTexts,
    options: &OpenOptions,
) -> Result<(TextOptions, Option<Note>), DataError> {
    let text = options.text.clone();
    if !options.recognise_stop_words || text.stop_words != StopWords::None {
        return Ok((text, None));
    }
    let mut recogniser = Recogniser::new(text.shortest_token);
    let stride = texts.count().div_ceil(RECOGNISED);
    let mut row = 0;
    texts.for_each_block(|block| {
        for document in block {
            if row % stride == 0 {
                recogniser.add(document);
            }
            row += 1;
        }
        Ok(())
    })?;
    let Some((language, stop_words)) = recogniser.language() else { return Ok((text, None)) };
    let sentence = format!("the texts are {language}: the most common words of the language are left out");
    let note = Note::new(sentence, &[Remedy::KeepCommonWords]);
    Ok((TextOptions { stop_words, ..text }, Some(note)))
}

/// The vocabulary of the texts. Its counts may take half of what is left, for the terms that are chosen of them
/// take as much again.
fn learnt(
    texts: &mut AllTexts,
    path: &Path,
    options: &OpenOptions,
    text: &TextOptions,
) -> Result<Vectorizer, DataError> {
    let failed = |cause| text_error(path, &options.budget, cause);
    let mut counts = TermCounts::new(text).map_err(failed)?.within(options.budget.left() / 2);
    texts.for_each_block(|block| {
        counts.add(block);
        counts.check_memory().map_err(failed)
    })?;
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

//! Token files: `.I <document>`, `.W`, lines of stemmed tokens, an empty line.

use std::path::Path;

use lpvdn_core::CsrMatrix;

use super::files::{Content, Files};
use super::topics::Topics;
use super::{Choice, Kept, document_number};
use crate::budget::PER_STRING;
use crate::error::quoted;
use crate::input::Input;
use crate::lines::Lines;
use crate::reading::{Reading, TextReading};
use crate::table::{Table, Values};
use crate::text::{TermCounts, Vectorizer};
use crate::{DataError, OpenOptions, documents};

/// So many documents are in memory at a time.
const BATCH: usize = 8192;
/// Bytes of an entry of a sparse row, and of the place of a row.
const ENTRY: u64 = 8;
const OFFSET: u64 = 8;
/// A document is not longer than this.
const LONGEST: usize = 64 << 20;

/// Reads the documents of a folder.
pub(crate) fn read(folder: &Path, options: &OpenOptions, choice: Choice) -> Result<Table, DataError> {
    let files = Files::find(folder, Content::Tokens, options)?;
    let mut topics = Topics::read(&files.topics, &files.budget)?;
    let failed = |cause| documents::text_error(folder, &options.budget, cause);
    let known = match &options.reading {
        None => None,
        Some(Reading::Text(known)) => Some(known.vectorizer.clone()),
        Some(_) => return Err(DataError::OtherKind { path: folder.to_owned(), found: "documents" }),
    };
    let mut counts = match &known {
        None => Some(TermCounts::new(&options.text).map_err(failed)?.within(options.budget.left() / 2)),
        Some(_) => None,
    };
    let mut kept = Kept::default();
    let mut batch = Vec::new();
    let (mut held, mut known_ids) = (options.budget.account(folder), options.budget.account(folder));
    for_each_story(&files, |story, lines| {
        known_ids.set(10 * kept.ids.len() as u64, "the numbers of the documents")?;
        if kept.take(story.id, &mut topics).map_err(|problem| lines.wrong(problem))?
            && let Some(counts) = &mut counts
        {
            held.add(2 * story.text.len() as u64 + PER_STRING, "the tokens of some documents")?;
            batch.push(std::mem::take(&mut story.text));
            if batch.len() == BATCH {
                counts.add(&batch);
                counts.check_memory().map_err(failed)?;
                batch.clear();
                held.set(0, "")?;
            }
        }
        Ok(())
    })?;
    kept.check(&files)?;
    let vectorizer = match (known, counts) {
        (Some(known), _) => known,
        (None, Some(mut counts)) => {
            counts.add(&batch);
            counts.into_vectorizer().map_err(failed)?
        }
        (None, None) => return Err(DataError::OtherKind { path: folder.to_owned(), found: "documents" }),
    };
    drop((batch, held));
    documents::charge_vocabulary(&vectorizer, folder, &options.budget)?;
    let chosen = choice.of(kept.ids.len());
    let rows = rows_of(&files, &kept, &chosen, &vectorizer)?;
    let table = Table {
        columns: Some(vectorizer.terms().to_vec()),
        notes: kept.notes(&topics),
        reading: Some(Reading::Text(Box::new(TextReading { field: None, vectorizer, table: None }))),
        ..Values::Sparse(rows).into()
    };
    Ok(kept.describe(table, &chosen))
}

/// The second pass: the chosen documents as rows, in the order of the choice.
fn rows_of(
    files: &Files,
    kept: &Kept,
    chosen: &[u32],
    vectorizer: &Vectorizer,
) -> Result<CsrMatrix<f32>, DataError> {
    let mut is_chosen = vec![false; kept.ids.len()];
    chosen.iter().for_each(|&place| is_chosen[place as usize] = true);
    let mut rows = CsrMatrix::new(vectorizer.terms().len());
    let mut batch = Vec::new();
    let (mut texts, mut held) = (files.budget.account(&files.folder), files.budget.account(&files.folder));
    let mut append = |batch: &mut Vec<String>| {
        vectorizer.for_each_row(batch, |row| {
            // Once as they arrive and once in the order of the choice, each in vectors that double.
            held.add(4 * (ENTRY * row.len() as u64 + OFFSET), "the rows of the documents")?;
            rows.push_row(row.iter().copied());
            Ok::<(), DataError>(())
        })?;
        batch.clear();
        Ok::<(), DataError>(())
    };
    let mut place = 0;
    for_each_story(files, |story, _| {
        if kept.ids.get(place) == Some(&story.id) {
            if is_chosen[place] {
                texts.add(2 * story.text.len() as u64 + PER_STRING, "the tokens of some documents")?;
                batch.push(std::mem::take(&mut story.text));
            }
            place += 1;
        }
        if batch.len() == BATCH {
            append(&mut batch)?;
            texts.set(0, "")?;
        }
        Ok(())
    })?;
    append(&mut batch)?;
    held.keep();
    if rows.rows() != chosen.len() {
        let problem = "its files have changed while they were read; read them again".to_owned();
        return Err(DataError::Folder { path: files.folder.clone(), problem });
    }
    Ok(if chosen.is_sorted() { rows } else { reordered(&rows, chosen) })
}

/// Rows that are in the order of the files, in the order of the choice.
fn reordered(rows: &CsrMatrix<f32>, chosen: &[u32]) -> CsrMatrix<f32> {
    let mut sorted = chosen.to_vec();
    sorted.sort_unstable();
    let mut out = CsrMatrix::new(rows.cols());
    for place in chosen {
        let at = sorted.partition_point(|other| other < place);
        push(&mut out, rows.row(at));
    }
    out
}

fn push(to: &mut CsrMatrix<f32>, (columns, values): (&[u32], &[f32])) {
    to.push_row(columns.iter().copied().zip(values.iter().copied()));
}

/// A document.
#[derive(Debug, Default)]
struct Story {
    id: u32,
    text: String,
}

/// Calls `visit` with every document of every file. The lines are for messages.
fn for_each_story(
    files: &Files,
    mut visit: impl FnMut(&mut Story, &Lines) -> Result<(), DataError>,
) -> Result<(), DataError> {
    for path in &files.documents {
        let mut lines = Lines::new(Input::open(path, &files.budget)?);
        let mut story = Story::default();
        let mut part = Part::Outside;
        while lines.advance()? {
            if let Some(id) = beginning(&lines)? {
                part.finish(&mut story, &lines, &mut visit)?;
                (story.id, part) = (id, Part::Head);
                story.text.clear();
            } else if !lines.line().is_empty() {
                part.add(&mut story, &lines)?;
            }
        }
        part.finish(&mut story, &lines, &mut visit)?;
    }
    Ok(())
}

/// Where in a document a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Before the first one.
    Outside,
    /// After its number.
    Head,
    /// Among its tokens.
    Words,
}

impl Part {
    /// Takes in a line that begins no document.
    fn add(&mut self, story: &mut Story, lines: &Lines) -> Result<(), DataError> {
        match self {
            Part::Head if lines.line() == b".W" => *self = Part::Words,
            Part::Words => {
                story.text.push_str(&String::from_utf8_lossy(lines.line()));
                story.text.push(' ');
                if story.text.len() > LONGEST {
                    let what = format!("document {}, with more than {LONGEST} bytes,", story.id);
                    return Err(DataError::TooLarge { path: lines.path().to_owned(), what });
                }
            }
            Part::Outside | Part::Head => {
                let wanted = if *self == Part::Head { "a line .W" } else { "a line .I and a number" };
                return Err(
                    lines.wrong(format!("{} stands where {wanted} is expected", quoted(lines.line())))
                );
            }
        }
        Ok(())
    }

    /// Hands over the document that ends here.
    fn finish(
        self,
        story: &mut Story,
        lines: &Lines,
        visit: &mut impl FnMut(&mut Story, &Lines) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        match self {
            Part::Outside => Ok(()),
            Part::Head => Err(lines.wrong(format!("document {} has no line .W before this", story.id))),
            Part::Words => visit(story, lines),
        }
    }
}

/// The number of the document that begins in this line, if one does.
fn beginning(lines: &Lines) -> Result<Option<u32>, DataError> {
    let Some(rest) = lines.line().strip_prefix(b".I") else { return Ok(None) };
    match document_number(rest.trim_ascii()) {
        Some(id) => Ok(Some(id)),
        None => Err(lines.wrong(format!("{} is not .I and the number of a document", quoted(lines.line())))),
    }
}

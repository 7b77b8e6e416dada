//! Vector files: `<document> column:weight …`, as scikit-learn distributes them.

use std::collections::HashMap;
use std::path::Path;

use lpvdn_core::CsrMatrix;

use super::files::{Content, Files};
use super::topics::Topics;
use super::{Kept, document_number};
use crate::error::quoted;
use crate::input::Input;
use crate::lines::{Lines, words};
use crate::reading::{Reading, SelectedReading};
use crate::svmlight::{entry, split_label};
use crate::table::{Table, Values};
use crate::{DataError, OpenOptions};

/// Bytes of a number in the map of columns, which doubles.
const PER_COUNT: u64 = 32;
/// Bytes of an entry of a sparse row, and of the place of a row, in vectors that double.
const ENTRY: u64 = 16;
const OFFSET: u64 = 16;

/// Reads the documents of a folder, with the columns that are in most of them.
pub(crate) fn read(folder: &Path, options: &OpenOptions) -> Result<Table, DataError> {
    let files = Files::find(folder, Content::Vectors, options)?;
    let mut topics = Topics::read(&files.topics, &files.budget)?;
    let known = match &options.reading {
        None => None,
        Some(Reading::Selected(known)) => Some(known.columns.clone()),
        Some(_) => return Err(DataError::OtherKind { path: folder.to_owned(), found: "documents" }),
    };
    let mut kept = Kept::default();
    let mut documents: HashMap<u32, u32> = HashMap::new();
    let mut account = options.budget.account(folder);
    for_each_row(&files, |id, row, lines| {
        let counted = (kept.ids.len() + documents.len() + row.len()) as u64;
        account.set(PER_COUNT * counted, "the columns of the documents")?;
        if kept.take(id, &mut topics).map_err(|problem| lines.wrong(problem))? {
            row.iter().for_each(|(column, _)| *documents.entry(*column).or_default() += 1);
        }
        Ok(())
    })?;
    kept.check(&files)?;
    let most = options.text.max_features.unwrap_or(usize::MAX);
    let columns = known.unwrap_or_else(|| most_frequent(documents, most));
    if columns.is_empty() {
        return Err(DataError::Nothing { path: folder.to_owned(), what: "columns of values", hint: "" });
    }
    let rows = rows_of(&files, &kept, &columns)?;
    let all: Vec<u32> = (0..kept.ids.len() as u32).collect();
    let table = Table {
        columns: Some(columns.iter().map(u32::to_string).collect()),
        notes: kept.notes(&topics),
        reading: Some(Reading::Selected(SelectedReading { columns })),
        ..Values::Sparse(rows).into()
    };
    Ok(kept.describe(table, &all))
}

/// The columns that are in most documents, rising.
fn most_frequent(documents: HashMap<u32, u32>, most: usize) -> Vec<u32> {
    let mut columns: Vec<(u32, u32)> = documents.into_iter().collect();
    columns.sort_unstable_by_key(|&(column, count)| (std::cmp::Reverse(count), column));
    columns.truncate(most);
    let mut columns: Vec<u32> = columns.into_iter().map(|(column, _)| column).collect();
    columns.sort_unstable();
    columns
}

/// The second pass: the kept documents, reduced to the columns, each of length 1 again.
fn rows_of(files: &Files, kept: &Kept, columns: &[u32]) -> Result<CsrMatrix<f32>, DataError> {
    let place: HashMap<u32, u32> = columns.iter().copied().zip(0..).collect();
    let mut rows = CsrMatrix::new(columns.len());
    let mut reduced: Vec<(u32, f32)> = Vec::new();
    let mut account = files.budget.account(&files.folder);
    for_each_row(files, |id, row, _| {
        if kept.ids.get(rows.rows()) == Some(&id) {
            reduced.clear();
            reduced.extend(row.iter().filter_map(|(column, value)| Some((*place.get(column)?, *value))));
            account.add(ENTRY * reduced.len() as u64 + OFFSET, "the rows of the documents")?;
            let length = reduced.iter().map(|(_, v)| f64::from(*v).powi(2)).sum::<f64>().sqrt();
            let scale = if length > 0.0 { 1.0 / length } else { 1.0 };
            rows.push_row(reduced.iter().map(|&(column, v)| (column, (f64::from(v) * scale) as f32)));
        }
        Ok(())
    })?;
    if rows.rows() != kept.ids.len() {
        let problem = "its files have changed while they were read; read them again".to_owned();
        return Err(DataError::Folder { path: files.folder.clone(), problem });
    }
    account.keep();
    Ok(rows)
}

/// Calls `visit` with the number and the rising entries of every document of every file.
fn for_each_row(
    files: &Files,
    mut visit: impl FnMut(u32, &[(u32, f32)], &Lines) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let mut row: Vec<(u32, f32)> = Vec::new();
    for path in &files.documents {
        let mut lines = Lines::new(Input::open(path, &files.budget)?);
        while lines.advance()? {
            if words(lines.line()).next().is_none() {
                continue;
            }
            let (label, pairs) = split_label(lines.line());
            let Some(id) = label.and_then(document_number) else {
                let found = quoted(lines.line());
                return Err(lines.wrong(format!("{found} does not begin with the number of a document")));
            };
            row.clear();
            for word in pairs {
                row.extend(entry(word).map_err(|problem| lines.wrong(problem))?);
            }
            row.sort_unstable_by_key(|(column, _)| *column);
            if let Some(same) = row.windows(2).find(|two| two[0].0 == two[1].0) {
                return Err(lines.wrong(format!("column {} stands twice in document {id}", same[0].0)));
            }
            visit(id, &row, &lines)?;
        }
    }
    Ok(())
}

//! Texts with the other columns of their table.

use std::path::Path;
use std::sync::Arc;

use lpvdn_core::source::block_rows;
use lpvdn_core::{Batch, ColumnGroup, ColumnKind, RowLines, RowSource};

use super::{Documents, Texts};
use crate::budget::PER_STRING;
use crate::reading::{Reading, TextTable};
use crate::table::Table;
use crate::text::Vectorizer;
use crate::{DataError, Filled, Note, OpenOptions};

/// What the rest of the table gives to the rows. It may have no column at all.
pub(super) struct Others {
    source: Arc<dyn RowSource>,
    /// The rows that are wanted; all where there are none.
    chosen: Option<Vec<u32>>,
    names: Vec<String>,
    groups: Vec<ColumnGroup>,
    pub(super) table: TextTable,
    pub(super) lines: Option<RowLines>,
    pub(super) missing: Vec<Filled>,
    pub(super) notes: Vec<Note>,
}

/// Makes rows of the texts of a column, after those of the other columns, which `table` has. They have as many rows.
pub(crate) fn read_column(
    texts: Texts,
    (place, name): (usize, Option<String>),
    table: Table,
    path: &Path,
    options: &OpenOptions,
) -> Result<Table, DataError> {
    let Table { rows, labels, columns, groups, ids, lines, reading, notes, missing, .. } = table;
    let Some(Reading::Table(known)) = reading else {
        return Err(DataError::OtherKind { path: path.to_owned(), found: "rows of a table" });
    };
    let source = rows.into_source();
    let names = columns.filter(|names| names.len() == source.cols());
    let names = names.unwrap_or_else(|| (0..source.cols()).map(|at| at.to_string()).collect());
    let groups = groups.unwrap_or_else(|| lpvdn_core::table::groups(&known.columns));
    let table = TextTable { place, others: known };
    let others = Some(Others { source, chosen: None, names, groups, table, lines, missing, notes });
    Documents { texts, labels, ids, field: name, others }.into_table(path, options)
}

impl Others {
    /// How many columns stand before the terms.
    pub(super) fn width(&self) -> usize {
        self.source.cols()
    }

    pub(super) fn only(mut self, rows: &[u32]) -> Others {
        self.lines = self.lines.map(|lines| lines.of_rows(rows));
        self.chosen = Some(rows.to_vec());
        self
    }

    /// The rows, one after the other.
    pub(super) fn rows<'a>(&'a self, path: &'a Path) -> Ahead<'a> {
        let together = block_rows(self.width());
        Ahead {
            of: self,
            path,
            batch: Batch::for_source(self.source.as_ref()),
            together,
            next: 0,
            row: Vec::new(),
        }
    }
}

/// Reads rows of the table, a few at a time, as the terms of their texts are known.
pub(super) struct Ahead<'a> {
    of: &'a Others,
    path: &'a Path,
    /// The last rows that were read.
    batch: Batch,
    together: usize,
    next: usize,
    /// The last row that was put together.
    row: Vec<(u32, f32)>,
}

impl Ahead<'_> {
    /// The next row: the values of the columns, then the terms.
    pub(super) fn joined(&mut self, terms: &[(u32, f32)]) -> Result<&[(u32, f32)], DataError> {
        let (at, width) = (self.next % self.together, self.of.width() as u32);
        if at == 0 {
            self.read()?;
        }
        self.next += 1;
        let row = &mut self.row;
        row.clear();
        self.batch.for_each_in_row(at, |column, value| {
            if value != 0.0 {
                row.push((column as u32, value));
            }
        });
        row.extend(terms.iter().map(|(term, weight)| (term + width, *weight)));
        Ok(&self.row)
    }

    fn read(&mut self) -> Result<(), DataError> {
        let count = self.of.chosen.as_ref().map_or(self.of.source.rows(), Vec::len);
        let range = self.next..(self.next + self.together).min(count);
        let indices: Vec<u32> = match &self.of.chosen {
            Some(chosen) => chosen[range].to_vec(),
            None => range.map(|row| row as u32).collect(),
        };
        let failed = |cause| DataError::Rows { path: self.path.to_owned(), cause };
        self.of.source.gather(&indices, &mut self.batch).map_err(failed)
    }
}

/// The names of the columns and what they stand for: those of the table, then the terms. After other columns, a term is
/// called by the column of the texts, too, as the words of other columns are.
pub(super) fn described(
    others: Option<&Others>,
    field: Option<&str>,
    vectorizer: &Vectorizer,
    path: &Path,
    options: &OpenOptions,
) -> Result<(Vec<String>, Vec<ColumnGroup>), DataError> {
    let terms = vectorizer.terms();
    let text = ColumnGroup::new(field.unwrap_or_default(), ColumnKind::Text, terms.len());
    let Some(others) = others.filter(|others| others.width() > 0) else {
        return Ok((terms.to_vec(), vec![text]));
    };
    let place = others.table.place.to_string();
    let column = field.unwrap_or(&place);
    let bytes = (terms.len() as u64).saturating_mul(column.len() as u64 + PER_STRING);
    options.budget.charge(path, bytes, "the names of the values")?;
    let names = others.names.iter().cloned().chain(terms.iter().map(|term| format!("{column}={term}")));
    Ok((names.collect(), others.groups.iter().cloned().chain([text]).collect()))
}

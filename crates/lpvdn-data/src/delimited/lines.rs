//! From lines of text to the cells of a table.

use std::path::PathBuf;

use lpvdn_core::RowLines;

use super::records::Record;
use crate::budget::Account;
use crate::columns::{Given, Layout, Sheet};
use crate::error::{Place, quoted};
use crate::table::Table;
use crate::{DataError, OpenOptions, Remedy};

/// The lines read so far.
pub(super) struct Lines {
    path: PathBuf,
    sheet: Sheet,
    /// The first line that is not blank, which decides how many cells a line has.
    first_line: u64,
    /// Of each row.
    lines: RowLines,
    /// For the lines.
    account: Account,
}

impl Lines {
    pub(super) fn new(path: PathBuf, first_line: u64, layout: Layout, options: &OpenOptions) -> Lines {
        let sheet = Sheet::new(&path, layout, options);
        let account = options.budget.account(&path);
        Lines { path, sheet, first_line, lines: RowLines::default(), account }
    }

    /// Appends a row.
    pub(super) fn push(&mut self, record: &Record) -> Result<(), DataError> {
        let (found, expected) = (record.cells.len(), self.sheet.layout().roles.len());
        if found != expected {
            return Err(DataError::ColumnCount {
                path: self.path.clone(),
                line: record.line,
                found,
                first_line: self.first_line,
                expected,
            });
        }
        // Where there is one column, a blank line is a row whose cell is empty.
        let blank = if expected == 1 { record.blank_before } else { 0 };
        for line in record.line - blank..record.line {
            self.push_cells(line, [&b""[..]].into_iter())?;
        }
        self.push_cells(record.line, record.cells.iter())
    }

    fn push_cells<'a>(
        &mut self,
        line: u64,
        cells: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Result<(), DataError> {
        if let Some(place) = self.sheet.text_place() {
            let text = cells.clone().nth(place).unwrap_or_default().trim_ascii();
            if !self.sheet.admits(&Given::Text(text), Place::Line(line))? {
                return Ok(());
            }
        }
        let row = self.sheet.add_rows(1)?;
        self.lines.push(line);
        self.account.set(2 * self.lines.memory() as u64, "on which line each row stands")?;
        for (place, cell) in cells.enumerate() {
            let cell = cell.trim_ascii();
            let set = self.sheet.set(row, place, &Given::Text(cell), Place::Line(line));
            set.map_err(|error| self.advised(error, line, cell))?;
        }
        Ok(())
    }

    /// The whole table.
    pub(super) fn finish(self, options: &OpenOptions) -> Result<Table, DataError> {
        self.sheet.finish(" after the header line", Some(self.lines), options)
    }

    /// The error, with what would be accepted instead of `cell`, by what it looks like.
    fn advised(&self, error: DataError, line: u64, cell: &[u8]) -> DataError {
        let may_be_names = line == self.first_line && self.sheet.layout().names.is_none();
        match error {
            DataError::Cell { path, at, column, .. } => {
                let (remedy, remedies) = self.remedy(may_be_names, cell);
                DataError::Cell { path, at, column, found: quoted(cell), remedy: remedy.into(), remedies }
            }
            DataError::MissingValue { path, at, column, found, .. } if may_be_names => {
                DataError::MissingValue { path, at, column, found, may_be_names }
            }
            other => other,
        }
    }

    fn remedy(&self, may_be_names: bool, cell: &[u8]) -> (&'static str, &'static [Remedy]) {
        if cell.contains(&b'\n') {
            return ("it spans several lines: a double quote is missing, or one too many", &[]);
        }
        if self.sheet.layout().roles.len() == 1 && cell.contains(&b' ') {
            let remedy = "cells must be separated by commas, semicolons, tabs or bars (|), not by blanks";
            return (remedy, &[]);
        }
        let text = String::from_utf8_lossy(cell);
        if text.replacen(',', ".", 1).parse::<f32>().is_ok() {
            return ("accepted is a decimal point, not a decimal comma", &[]);
        }
        let remedy = "accepted are numbers such as -1.5 or 2e-3, as on the lines before; correct the cell";
        match may_be_names {
            true => (remedy, &[Remedy::LeaveColumnOut, Remedy::FirstLineIsNames]),
            false => (remedy, &[Remedy::LeaveColumnOut]),
        }
    }
}

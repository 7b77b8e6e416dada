//! From lines of text to the cells of a table.

use std::path::PathBuf;

use lpvdn_core::RowLines;

use super::records::Record;
use crate::budget::Account;
use crate::columns::{Given, Layout, Sheet, TextTable};
use crate::error::Place;
use crate::table::Table;
use crate::{DataError, OpenOptions};

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
    pub(super) fn new(
        path: PathBuf,
        first_line: u64,
        layout: Layout,
        options: &OpenOptions,
    ) -> Result<Lines, DataError> {
        let sheet = Sheet::new(&path, layout, options, Some(TextTable { first_line }))?;
        let account = options.budget.account(&path);
        Ok(Lines { path, sheet, first_line, lines: RowLines::default(), account })
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
            self.sheet.set(row, place, &Given::Text(cell.trim_ascii()), Place::Line(line))?;
        }
        Ok(())
    }

    /// The whole table.
    pub(super) fn finish(self, options: &OpenOptions) -> Result<Table, DataError> {
        self.sheet.finish(" after the header line", Some(self.lines), options)
    }
}

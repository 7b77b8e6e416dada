//! From cells of text to values.

use std::path::PathBuf;

use lpvdn_core::{Labels, Matrix};

use super::records::Record;
use crate::DataError;
use crate::error::quoted;
use crate::table::{Table, Values};

/// The rows read so far.
pub(super) struct Cells {
    path: PathBuf,
    names: Option<Vec<String>>,
    width: usize,
    first_line: u64,
    label: Option<usize>,
    values: Vec<f32>,
    labels: Vec<String>,
    rows: usize,
}

impl Cells {
    pub(super) fn new(
        path: PathBuf,
        names: Option<Vec<String>>,
        width: usize,
        first_line: u64,
        label: Option<usize>,
    ) -> Cells {
        Cells { path, names, width, first_line, label, values: Vec::new(), labels: Vec::new(), rows: 0 }
    }

    /// Appends a row.
    pub(super) fn push(&mut self, record: &Record) -> Result<(), DataError> {
        if record.cells.len() != self.width {
            return Err(DataError::ColumnCount {
                path: self.path.clone(),
                line: record.line,
                found: record.cells.len(),
                first_line: self.first_line,
                expected: self.width,
            });
        }
        if self.rows == u32::MAX as usize || self.values.try_reserve(self.width).is_err() {
            let what = format!("more than {} rows of {} columns", self.rows, self.width);
            return Err(DataError::TooLarge { path: self.path.clone(), what });
        }
        for (j, cell) in record.cells.iter().enumerate() {
            let cell = cell.trim_ascii();
            if cell.is_empty() {
                return Err(self.empty_cell(record.line, j));
            }
            if self.label == Some(j) {
                self.labels.push(String::from_utf8_lossy(cell).into_owned());
            } else {
                let value = std::str::from_utf8(cell).ok().and_then(|text| text.parse().ok());
                self.values.push(value.ok_or_else(|| self.not_a_number(record.line, j, cell))?);
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// The whole table.
    pub(super) fn finish(mut self) -> Result<Table, DataError> {
        if self.rows == 0 {
            let hint = " after the header line";
            return Err(DataError::Nothing { path: self.path, what: "rows", hint });
        }
        let cols = self.width - usize::from(self.label.is_some());
        let values = Values::Floats(Matrix::from_vec(self.values, self.rows, cols));
        if let (Some(names), Some(label)) = (&mut self.names, self.label) {
            names.remove(label);
        }
        let labels = self.label.map(|_| Labels::from_names(&self.labels));
        Ok(without_row_numbers(Table { values, labels, columns: self.names }))
    }

    fn column(&self, j: usize) -> String {
        match self.names.as_ref().map(|names| &names[j]) {
            Some(name) => format!("{j} ({})", quoted(name.as_bytes())),
            None => format!("{j} (counted from 0)"),
        }
    }

    fn empty_cell(&self, line: u64, j: usize) -> DataError {
        let on_first = line == self.first_line && self.names.is_none();
        let hint = if on_first { "; if the line holds column names, say that there is a header" } else { "" };
        DataError::EmptyCell { path: self.path.clone(), line, column: self.column(j), hint }
    }

    fn not_a_number(&self, line: u64, j: usize, cell: &[u8]) -> DataError {
        DataError::Cell {
            path: self.path.clone(),
            line,
            column: self.column(j),
            found: quoted(cell),
            remedy: self.remedy(line, j, cell),
        }
    }

    /// What would be accepted instead of `cell`, by what it looks like.
    fn remedy(&self, line: u64, j: usize, cell: &[u8]) -> String {
        if cell.contains(&b'\n') {
            return "it spans several lines: a double quote is not closed".into();
        }
        if self.width == 1 && cell.contains(&b' ') {
            return "cells must be separated by commas, semicolons or tabs, not by blanks".into();
        }
        let text = String::from_utf8_lossy(cell);
        if text.replacen(',', ".", 1).parse::<f32>().is_ok() {
            return "accepted is a decimal point, not a decimal comma".into();
        }
        let column = self.names.as_ref().and_then(|n| n.get(j)).cloned().unwrap_or_else(|| j.to_string());
        let mut remedy = format!(
            "accepted are numbers such as -1.5 or 2e-3; if these are the true classes, give {column} as the \
             label column (--label-column), else remove or encode the column"
        );
        if line == self.first_line && self.names.is_none() {
            remedy.push_str("; if the line holds column names, say that there is a header");
        }
        remedy
    }
}

/// Leaves out an unnamed first column that counts rows from 0 or 1, as pandas and R write it: it
/// says nothing about a row, but would outweigh everything that does.
fn without_row_numbers(table: Table) -> Table {
    let unnamed = table.columns.as_ref().is_some_and(|names| names.len() > 1 && names[0].is_empty());
    let Values::Floats(values) = &table.values else { return table };
    let start = values.row(0)[0];
    let counts = values.iter_rows().enumerate().all(|(i, row)| row[0] == start + i as f32);
    if !unnamed || !counts || !(start == 0.0 || start == 1.0) {
        return table;
    }
    let (values, _) = table.values.split_column(0);
    let columns = table.columns.map(|names| names[1..].to_vec());
    Table { values, labels: table.labels, columns }
}

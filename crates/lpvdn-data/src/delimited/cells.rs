//! From cells of text to values.

use std::path::PathBuf;

use lpvdn_core::{Labels, Matrix};

use super::column::{Cell, Column, MOST_WORDS};
use super::layout::{Layout, Role};
use super::records::Record;
use crate::DataError;
use crate::error::quoted;
use crate::reading::{Content, Missing, Reading, TableColumn, TableReading};
use crate::table::{Table, Values};

/// The rows read so far.
pub(super) struct Cells {
    path: PathBuf,
    layout: Layout,
    missing: Missing,
    columns: Vec<Column>,
    /// A number for each column and row; for a word its code, for what is missing no number.
    values: Vec<f32>,
    labels: Vec<String>,
    ids: Vec<String>,
    rows: usize,
    /// How many values are missing.
    holes: usize,
    /// Whether the columns are those of a model.
    known: bool,
}

impl Cells {
    pub(super) fn new(path: PathBuf, layout: Layout, missing: Missing, reading: Option<&Reading>) -> Cells {
        let values = layout.roles.iter().filter(|role| matches!(role, Role::Value(_))).count();
        let (columns, missing): (Vec<Column>, Missing) = match reading {
            Some(Reading::Table(reading)) => {
                let known = reading.columns.iter().map(|c| Column::Known(c.content.clone()));
                // What a model fills in, it fills in everywhere.
                (known.collect(), if reading.missing == Missing::Mean { Missing::Mean } else { missing })
            }
            _ => ((0..values).map(|_| Column::Undecided).collect(), missing),
        };
        let known = reading.is_some();
        let (values, labels, ids) = (Vec::new(), Vec::new(), Vec::new());
        Cells { path, layout, missing, columns, values, labels, ids, rows: 0, holes: 0, known }
    }

    /// Appends a row.
    pub(super) fn push(&mut self, record: &Record) -> Result<(), DataError> {
        let width = self.layout.roles.len();
        if record.cells.len() != width {
            return Err(DataError::ColumnCount {
                path: self.path.clone(),
                line: record.line,
                found: record.cells.len(),
                first_line: self.layout.first_line,
                expected: width,
            });
        }
        if self.rows == u32::MAX as usize || self.values.try_reserve(self.columns.len()).is_err() {
            let what = format!("more than {} rows of {width} columns", self.rows);
            return Err(DataError::TooLarge { path: self.path.clone(), what });
        }
        let start = self.values.len();
        self.values.resize(start + self.columns.len(), f32::NAN);
        for (place, cell) in record.cells.iter().enumerate() {
            let cell = cell.trim_ascii();
            match self.layout.roles[place] {
                Role::Ignored => {}
                Role::Id => self.ids.push(String::from_utf8_lossy(cell).into_owned()),
                Role::Label if cell.is_empty() && !self.layout.labels_may_be_missing => {
                    return Err(self.missing_value(record.line, place, cell));
                }
                Role::Label => self.labels.push(String::from_utf8_lossy(cell).into_owned()),
                Role::Value(value) => {
                    self.values[start + value] = self.value(record.line, place, value, cell)?;
                }
            }
        }
        self.rows += 1;
        Ok(())
    }

    fn value(&mut self, line: u64, place: usize, value: usize, cell: &[u8]) -> Result<f32, DataError> {
        match self.columns[value].push(cell, self.missing) {
            Cell::Value(number) => Ok(number),
            Cell::Missing if self.missing == Missing::Mean => {
                self.holes += 1;
                Ok(f32::NAN)
            }
            // A word that the model has not seen.
            Cell::Missing if self.known && !cell.is_empty() && self.holds_words(value) => Ok(f32::NAN),
            Cell::Missing => Err(self.missing_value(line, place, cell)),
            Cell::NotANumber => Err(self.not_a_number(line, place, cell)),
            Cell::TooManyWords => Err(DataError::TooManyWords {
                path: self.path.clone(),
                column: self.layout.show(place),
                most: MOST_WORDS,
            }),
        }
    }

    fn holds_words(&self, value: usize) -> bool {
        matches!(self.columns[value], Column::Words { .. } | Column::Known(Content::Words { .. }))
    }

    /// The whole table.
    pub(super) fn finish(mut self) -> Result<Table, DataError> {
        if self.rows == 0 {
            let hint = if self.layout.names.is_some() { " after the header line" } else { "" };
            return Err(DataError::Nothing { path: self.path, what: "rows", hint });
        }
        let raw = Matrix::from_vec(std::mem::take(&mut self.values), self.rows, self.columns.len());
        let mut columns = Vec::new();
        let mut codes = Vec::new();
        for (value, column) in std::mem::take(&mut self.columns).into_iter().enumerate() {
            let place = self.place_of(value);
            let Some((content, places)) = column.finish() else {
                return Err(DataError::NoValues { path: self.path, column: self.layout.show(place) });
            };
            columns.push(TableColumn { place, name: self.layout.name(place), content });
            codes.push(places);
        }
        let kept = if self.known { 0 } else { usize::from(counts_rows(&raw, &columns)) };
        let values = Values::Floats(expanded(raw, &columns[kept..], &codes[kept..], kept, self.missing));
        columns.drain(..kept);
        let label = self.layout.roles.iter().position(|role| *role == Role::Label);
        let known_labels = !self.layout.labels_may_be_missing || self.labels.iter().all(|l| !l.is_empty());
        let names = self.layout.names.is_some().then(|| value_names(&columns));
        let reading = TableReading {
            width: self.layout.roles.len(),
            columns,
            label: label.and_then(|place| self.layout.name(place)),
            missing: self.missing,
        };
        Ok(Table {
            values,
            labels: label.filter(|_| known_labels).map(|_| Labels::from_names(&self.labels)),
            columns: names,
            ids: self.layout.roles.contains(&Role::Id).then_some(self.ids),
            reading: Some(Reading::Table(reading)),
            notes: Vec::new(),
            missing: self.holes,
        })
    }

    fn place_of(&self, value: usize) -> usize {
        self.layout.roles.iter().position(|role| *role == Role::Value(value)).unwrap_or(value)
    }

    fn missing_value(&self, line: u64, place: usize, cell: &[u8]) -> DataError {
        let on_first = line == self.layout.first_line && self.layout.names.is_none();
        let hint = if on_first { "; if the line holds column names, say that there is a header" } else { "" };
        let found = if cell.is_empty() { "the cell is empty".to_owned() } else { quoted(cell) };
        DataError::MissingValue {
            path: self.path.clone(),
            line,
            column: self.layout.show(place),
            found,
            hint,
        }
    }

    fn not_a_number(&self, line: u64, place: usize, cell: &[u8]) -> DataError {
        DataError::Cell {
            path: self.path.clone(),
            line,
            column: self.layout.show(place),
            found: quoted(cell),
            remedy: self.remedy(line, cell),
        }
    }

    /// What would be accepted instead of `cell`, by what it looks like.
    fn remedy(&self, line: u64, cell: &[u8]) -> String {
        if cell.contains(&b'\n') {
            return "it spans several lines: a double quote is not closed".into();
        }
        if self.layout.roles.len() == 1 && cell.contains(&b' ') {
            return "cells must be separated by commas, semicolons or tabs, not by blanks".into();
        }
        let text = String::from_utf8_lossy(cell);
        if text.replacen(',', ".", 1).parse::<f32>().is_ok() {
            return "accepted is a decimal point, not a decimal comma".into();
        }
        let mut remedy = "accepted are numbers such as -1.5 or 2e-3, as on the lines before; correct the \
                          cell, or leave the column out (--ignore)"
            .to_owned();
        if line == self.layout.first_line && self.layout.names.is_none() {
            remedy.push_str("; if the line holds column names, say that there is a header");
        }
        remedy
    }
}

/// The names of the values: those of the columns, and `column=word` for words.
fn value_names(columns: &[TableColumn]) -> Vec<String> {
    let mut names = Vec::new();
    for column in columns {
        let name = column.name.clone().unwrap_or_default();
        match &column.content {
            Content::Numbers { .. } => names.push(name),
            Content::Words { words } => names.extend(words.iter().map(|word| format!("{name}={word}"))),
        }
    }
    names
}

/// Means in the place of missing numbers, and a 1 in the place of each word; the first `skipped` columns
/// are left out.
fn expanded(
    raw: Matrix<f32>,
    columns: &[TableColumn],
    codes: &[Vec<usize>],
    skipped: usize,
    missing: Missing,
) -> Matrix<f32> {
    let plain = columns.iter().all(|c| matches!(c.content, Content::Numbers { .. }));
    if plain && skipped == 0 && missing == Missing::Error {
        return raw;
    }
    let width = columns.iter().map(|c| c.content.width()).sum();
    let mut values = Matrix::zeros(raw.rows(), width);
    for i in 0..raw.rows() {
        let (mut at, out) = (0, values.row_mut(i));
        for ((column, codes), &cell) in columns.iter().zip(codes).zip(&raw.row(i)[skipped..]) {
            match column.content {
                Content::Numbers { mean } if cell.is_nan() && missing == Missing::Mean => out[at] = mean,
                Content::Numbers { .. } => out[at] = cell,
                Content::Words { .. } if cell.is_nan() => {}
                Content::Words { .. } => out[at + codes[cell as usize]] = 1.0,
            }
            at += column.content.width();
        }
    }
    values
}

/// Whether the first column is unnamed and counts rows from 0 or 1, as pandas and R write it: it
/// says nothing about a row, but would outweigh everything that does.
fn counts_rows(values: &Matrix<f32>, columns: &[TableColumn]) -> bool {
    let unnamed = columns.len() > 1 && columns[0].place == 0 && columns[0].name.as_deref() == Some("");
    let numbers = matches!(columns[0].content, Content::Numbers { .. });
    let start = values.row(0)[0];
    let counts = || values.iter_rows().enumerate().all(|(i, row)| row[0] == start + i as f32);
    unnamed && numbers && (start == 0.0 || start == 1.0) && counts()
}

//! From cells to values.

use std::path::PathBuf;

use lpvdn_core::{Labels, Matrix};

use super::column::{Cell, Column, Given, MOST_WORDS};
use super::expand::{counts_rows, expanded, value_names};
use super::layout::{Layout, Role};
use crate::DataError;
use crate::error::Place;
use crate::reading::{Content, Missing, Reading, TableColumn, TableReading};
use crate::table::{Table, Values};

/// The rows read so far.
pub(crate) struct Cells {
    path: PathBuf,
    layout: Layout,
    missing: Missing,
    columns: Vec<Column>,
    /// Where in a raw row each column begins, and at last where the row ends.
    starts: Vec<usize>,
    /// A number for each column and row, for a vector several; for a word its code, for what is missing no
    /// number.
    values: Vec<f32>,
    labels: Vec<String>,
    ids: Vec<String>,
    rows: usize,
    /// How many values are missing.
    holes: usize,
    /// Whether the columns are those of a model.
    known: bool,
}

/// What a column is ready to take.
#[cfg(feature = "parquet")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Whatever comes first.
    Anything,
    Numbers,
    Words,
    /// Of this length.
    Vectors(usize),
}

impl Cells {
    pub(crate) fn new(path: PathBuf, layout: Layout, missing: Missing, reading: Option<&Reading>) -> Cells {
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
        let mut cells = Cells {
            path,
            layout,
            missing,
            columns,
            starts: Vec::new(),
            values,
            labels,
            ids,
            rows: 0,
            holes: 0,
            known,
        };
        cells.find_starts();
        cells
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    fn find_starts(&mut self) {
        let ends = self.columns.iter().scan(0, |end, column| {
            *end += column.raw_width();
            Some(*end)
        });
        self.starts = std::iter::once(0).chain(ends).collect();
    }

    /// What the column at `place` is ready to take, if its values are wanted at all.
    #[cfg(feature = "parquet")]
    pub(crate) fn wanted(&self, place: usize) -> Option<Wanted> {
        let Role::Value(value) = self.layout.roles[place] else { return None };
        Some(match &self.columns[value] {
            Column::Undecided => Wanted::Anything,
            Column::Numbers { .. } | Column::Known(Content::Numbers { .. }) => Wanted::Numbers,
            Column::Words { .. } | Column::Known(Content::Words { .. }) => Wanted::Words,
            Column::Vectors { sums } => Wanted::Vectors(sums.len()),
            Column::Known(Content::Vectors { means }) => Wanted::Vectors(means.len()),
        })
    }

    /// Says before the first row that the cells of a column are vectors of `width` numbers.
    #[cfg(feature = "parquet")]
    pub(crate) fn expect_vectors(&mut self, place: usize, width: usize) {
        debug_assert_eq!(self.rows, 0, "rows have their length from the first one on");
        if let Role::Value(value) = self.layout.roles[place] {
            self.columns[value] = Column::Vectors { sums: vec![(0.0, 0); width] };
            self.find_starts();
        }
    }

    /// Room for `more` rows, which are to be filled with [`Cells::set`]. Gives the number of the first one.
    pub(crate) fn add_rows(&mut self, more: usize) -> Result<usize, DataError> {
        let stride = self.starts[self.columns.len()];
        let rows = self.rows.checked_add(more).filter(|rows| u32::try_from(*rows).is_ok());
        let room = more.checked_mul(stride).is_some_and(|values| self.values.try_reserve(values).is_ok());
        let (Some(rows), true) = (rows, room) else {
            let what = format!("more than {} rows of {stride} values", self.rows);
            return Err(DataError::TooLarge { path: self.path.clone(), what });
        };
        self.values.resize(self.values.len() + more * stride, f32::NAN);
        Ok(std::mem::replace(&mut self.rows, rows))
    }

    /// Puts a cell to where its column belongs. Messages name it by `at`.
    pub(crate) fn set(
        &mut self,
        row: usize,
        place: usize,
        given: &Given<'_>,
        at: Place,
    ) -> Result<(), DataError> {
        match self.layout.roles[place] {
            Role::Ignored => {}
            Role::Id => self.ids.push(given.text()),
            Role::Label => {
                let label = given.text();
                if label.is_empty() && !self.layout.labels_may_be_missing {
                    return Err(self.missing_value(at, place, given));
                }
                self.labels.push(label);
            }
            Role::Value(value) => self.set_value(row, place, value, given, at)?,
        }
        Ok(())
    }

    fn set_value(
        &mut self,
        row: usize,
        place: usize,
        value: usize,
        given: &Given<'_>,
        at: Place,
    ) -> Result<(), DataError> {
        let start = row * self.starts[self.columns.len()];
        let out = &mut self.values[start + self.starts[value]..start + self.starts[value + 1]];
        match self.columns[value].push(given, self.missing, out) {
            Cell::Taken => Ok(()),
            Cell::Missing if self.missing == Missing::Mean => {
                self.holes += 1;
                Ok(())
            }
            // A word that the model has not seen.
            Cell::Missing if self.known && !given.is_empty() && self.holds_words(value) => Ok(()),
            Cell::Missing => Err(self.missing_value(at, place, given)),
            Cell::NotANumber => Err(DataError::Cell {
                path: self.path.clone(),
                at,
                column: self.layout.show(place),
                found: given.shown(),
                remedy:
                    "accepted are numbers such as -1.5 or 2e-3; correct the cell, or leave the column out \
                         (--ignore)"
                        .to_owned(),
            }),
            Cell::NotAVector { width } => {
                let problem = format!(
                    "{at} has {}, but vectors of {width} numbers are expected; make them all of one length, or leave \
                     the column out (--ignore)",
                    given.shown()
                );
                Err(DataError::Column { path: self.path.clone(), column: self.layout.show(place), problem })
            }
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

    /// The whole table. Where it has names but no rows, `after_names` says so.
    pub(crate) fn finish(mut self, after_names: &'static str) -> Result<Table, DataError> {
        if self.rows == 0 {
            let hint = if self.layout.names.is_some() { after_names } else { "" };
            return Err(DataError::Nothing { path: self.path, what: "rows", hint });
        }
        let stride = self.starts[self.columns.len()];
        let raw = Matrix::from_vec(std::mem::take(&mut self.values), self.rows, stride);
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

    pub(crate) fn missing_value(&self, at: Place, place: usize, given: &Given<'_>) -> DataError {
        let found = if given.is_empty() { "the cell is empty".to_owned() } else { given.shown() };
        let (path, column) = (self.path.clone(), self.layout.show(place));
        DataError::MissingValue { path, at, column, found, hint: "" }
    }
}

//! From cells to values.

use std::path::PathBuf;

use super::column::{Cell, Column, Given, MOST_WORDS};
use super::expand::{Counter, Expansion, value_names};
use super::layout::{Layout, Role};
#[cfg(feature = "parquet")]
use super::numbers::Tally;
use crate::budget::{Account, Budget, PER_STRING};
use crate::described::{ChargedLabels, ChargedNames};
use crate::disk::{GrowingRows, Limit};
use crate::error::{Place, quoted};
use crate::reading::{Content, Missing, Reading, TableColumn, TableReading};
use crate::table::Table;
use crate::{DataError, Filled, Note, OpenOptions, Remedy};

/// In a table of fewer rows, words may all be different by chance.
const FEWEST_NAMES: usize = 20;

/// What the names of all values take: each has the name of its column in it.
fn names_bytes(columns: &[TableColumn]) -> u64 {
    let name = |column: &TableColumn| column.name.as_ref().map_or(0, String::len) as u64 + PER_STRING;
    let width = |column: &TableColumn| column.content.width() as u64;
    columns.iter().fold(0, |sum, column| width(column).saturating_mul(name(column)).saturating_add(sum))
}

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
    raw: GrowingRows,
    /// What the first column counts.
    counter: Counter,
    labels: ChargedLabels,
    ids: ChargedNames,
    /// For the words of columns.
    account: Account,
    /// Of each column, how many values are missing.
    holes: Vec<usize>,
    /// Of each column, the words that the model does not know.
    unseen: Vec<Noticed>,
    /// Of each column, the numbers that 32 bits do not hold.
    beyond: Vec<Noticed>,
    /// Whether the columns are those of a model.
    known: bool,
    budget: Budget,
}

/// Cells of a column that a note is about.
#[derive(Clone, Debug, Default)]
struct Noticed {
    count: usize,
    /// As messages show it.
    first: String,
}

impl Noticed {
    fn push(&mut self, shown: impl FnOnce() -> String) {
        if self.count == 0 {
            self.first = shown();
        }
        self.count += 1;
    }
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
    pub(crate) fn new(path: PathBuf, layout: Layout, options: &OpenOptions) -> Cells {
        let (missing, reading) = (options.missing, options.reading.as_ref());
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
        let raw = GrowingRows::new(Limit::of(&path, options), 0);
        let (starts, budget) = (Vec::new(), &options.budget);
        let (labels, ids) = (ChargedLabels::new(&path, budget), ChargedNames::new(&path, budget));
        let account = budget.account(&path);
        let counter = Counter::default();
        let (unseen, beyond) =
            (vec![Noticed::default(); columns.len()], vec![Noticed::default(); columns.len()]);
        let holes = vec![0; columns.len()];
        let mut cells = Cells {
            path,
            layout,
            missing,
            columns,
            starts,
            raw,
            counter,
            labels,
            ids,
            account,
            holes,
            unseen,
            beyond,
            known,
            budget: budget.clone(),
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
        self.raw.set_width(self.starts[self.columns.len()]);
    }

    /// What the column at `place` is ready to take, if its values are wanted at all.
    #[cfg(feature = "parquet")]
    pub(crate) fn wanted(&self, place: usize) -> Option<Wanted> {
        let Role::Value(value) = self.layout.roles[place] else { return None };
        Some(match &self.columns[value] {
            Column::Undecided => Wanted::Anything,
            Column::Numbers(_) | Column::Known(Content::Numbers { .. }) => Wanted::Numbers,
            Column::Words { .. } | Column::Known(Content::Words { .. }) => Wanted::Words,
            Column::Vectors { tallies } => Wanted::Vectors(tallies.len()),
            Column::Known(Content::Vectors { means }) => Wanted::Vectors(means.len()),
        })
    }

    /// Says before the first row that the cells of a column are vectors of `width` numbers.
    #[cfg(feature = "parquet")]
    pub(crate) fn expect_vectors(&mut self, place: usize, width: usize) {
        if let Role::Value(value) = self.layout.roles[place] {
            self.columns[value] = Column::Vectors { tallies: vec![Tally::default(); width] };
            self.find_starts();
        }
    }

    /// Room for `more` rows, which are to be filled with [`Cells::set`]. Gives the number of the first one.
    pub(crate) fn add_rows(&mut self, more: usize) -> Result<usize, DataError> {
        let first = self.raw.rows();
        self.raw.add(more, f32::NAN)?;
        Ok(first)
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
            // Texts go elsewhere.
            Role::Ignored | Role::Text => {}
            Role::Id => {
                let id = given.text().map_err(|_| self.not_utf8(at, place))?;
                self.ids.push(&id)?;
            }
            Role::Label => {
                let label = given.text().map_err(|_| self.not_utf8(at, place))?;
                if label.is_empty() && !self.layout.labels_may_be_missing {
                    return Err(self.missing_value(at, place, given));
                }
                self.labels.push(&label)?;
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
        let out = self.raw.cells(row, self.starts[value]..self.starts[value + 1]);
        let words = self.columns[value].words();
        let cell = self.columns[value].push(given, self.missing, out);
        if self.columns[value].words() > words {
            // A word is kept by the column, by its reading, by the expansion, and in the name of a value.
            let bytes = 4 * (PER_STRING + given.text().map_or(0, |word| word.len() as u64));
            self.account.add(bytes, format_args!("the words of column {}", self.layout.show(place)))?;
        }
        if let (0, false, Some(&first)) = (value, self.known, out.first()) {
            self.counter.push(row, first);
        }
        match cell {
            Cell::Taken => Ok(()),
            Cell::Missing if self.missing == Missing::Mean => {
                self.holes[value] += 1;
                Ok(())
            }
            Cell::Beyond => {
                self.beyond[value].push(|| format!("{} at {at}", given.shown()));
                Ok(())
            }
            // A mark for a missing word is no word of the model either.
            Cell::Missing if self.known && !given.is_empty() && self.holds_words(value) => {
                self.unseen[value].push(|| given.shown());
                Ok(())
            }
            Cell::Unseen => {
                self.unseen[value].push(|| given.shown());
                Ok(())
            }
            Cell::NotUtf8 => Err(self.not_utf8(at, place)),
            Cell::Missing => Err(self.missing_value(at, place, given)),
            Cell::NotANumber => Err(DataError::Cell {
                path: self.path.clone(),
                at,
                column: self.layout.show(place),
                found: given.shown(),
                remedy: "accepted are numbers such as -1.5 or 2e-3; correct the cell".into(),
                remedies: &[Remedy::LeaveColumnOut],
            }),
            Cell::NotAVector { width } => {
                let problem = format!(
                    "{at} has {}, but vectors of {width} numbers are expected; make them all of one length",
                    given.shown()
                );
                Err(DataError::Column {
                    path: self.path.clone(),
                    column: self.layout.show(place),
                    problem,
                    remedies: &[Remedy::LeaveColumnOut],
                })
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
        if self.raw.rows() == 0 {
            let hint = if self.layout.names.is_some() { after_names } else { "" };
            return Err(DataError::Nothing { path: self.path, what: "rows", hint });
        }
        let places = self.places();
        let mut columns = Vec::new();
        let mut codes = Vec::new();
        let mut notes = self.remarks(&places);
        for (value, column) in std::mem::take(&mut self.columns).into_iter().enumerate() {
            let place = places[value];
            let Some((content, order)) = column.finish() else {
                return Err(DataError::NoValues { path: self.path, column: self.layout.show(place) });
            };
            columns.push(TableColumn { place, name: self.layout.name(place), content });
            codes.push(order);
        }
        let skipped = if self.known { 0 } else { usize::from(self.counter.is_first_of(&columns)) };
        columns.drain(..skipped);
        let expansion = Expansion::new(&columns, codes.split_off(skipped), skipped, self.missing);
        if !self.known {
            notes.extend(self.doubts(&columns));
        }
        let missing = self.filled(&places);
        self.account.keep();
        let raw = self.raw.finish(expansion.width())?;
        let rows = expansion.of(raw, &self.path, &self.budget)?;
        let label = self.layout.roles.iter().position(|role| *role == Role::Label);
        let known_labels =
            !self.layout.labels_may_be_missing || self.labels.names().all(|name| !name.is_empty());
        if self.layout.names.is_some() {
            self.budget.charge(&self.path, names_bytes(&columns), "the names of the values")?;
        }
        let names = self.layout.names.is_some().then(|| value_names(&columns));
        let reading = TableReading {
            width: self.layout.roles.len(),
            columns,
            label: label.and_then(|place| self.layout.name(place)),
            label_place: label.filter(|place| self.layout.shares_its_name(*place)),
            missing: self.missing,
        };
        Ok(Table {
            labels: label.filter(|_| known_labels).map(|_| self.labels.finish()),
            columns: names,
            ids: self.layout.roles.contains(&Role::Id).then(|| self.ids.finish()),
            reading: Some(Reading::Table(reading)),
            notes,
            missing,
            ..rows.into()
        })
    }

    /// What is missing in the columns, whose places these are.
    fn filled(&self, places: &[usize]) -> Vec<Filled> {
        let columns = places.iter().zip(&self.holes).filter(|(_, count)| **count > 0);
        columns.map(|(&place, &count)| Filled { column: self.layout.show(place), count }).collect()
    }

    /// What is to be said about the cells of columns, whose places these are.
    fn remarks(&self, places: &[usize]) -> Vec<Note> {
        let rows = self.raw.rows();
        let mut remarks = Vec::new();
        for (value, &place) in places.iter().enumerate() {
            let column = self.layout.show(place);
            if let Some(doubt) = self.columns[value].doubt() {
                remarks.push(Note::new(format!("column {column}: {doubt}"), &[Remedy::LeaveColumnOut]));
            }
            let Noticed { count, first } = &self.beyond[value];
            if *count > 0 {
                let text = format!(
                    "{count} of {rows} cells of column {column} are beyond what 32-bit numbers hold (the first: {first}); \
                     write them in another unit"
                );
                remarks.push(Note::new(text, &[Remedy::LeaveColumnOut]));
            }
            let Noticed { count, first } = &self.unseen[value];
            if *count > 0 {
                remarks.push(Note::from(format!(
                    "{count} of {rows} cells of column {column} hold words that the model has not seen (the first: {first})"
                )));
            }
        }
        remarks
    }

    /// Columns of words that may be meant as numbers, their first cell having decided otherwise, or as the
    /// names of rows.
    fn doubts(&self, columns: &[TableColumn]) -> Vec<Note> {
        let doubt = |column: &TableColumn| {
            let Content::Words { words } = &column.content else { return None };
            if words.len() == self.raw.rows() && words.len() >= FEWEST_NAMES {
                let text = format!(
                    "column {} has another word in every row, and becomes {} columns",
                    self.layout.show(column.place),
                    words.len()
                );
                return Some(Note::new(text, &[Remedy::NameIds, Remedy::LeaveColumnOut]));
            }
            let (numbers, others): (Vec<_>, Vec<_>) =
                words.iter().partition(|word| word.parse::<f32>().is_ok());
            let first = others.first().filter(|_| numbers.len() > others.len().max(2))?;
            Some(Note::from(format!(
                "column {} is read as words, a value for each of its {}: {} is no number; if numbers are meant, \
                 correct it",
                self.layout.show(column.place),
                words.len(),
                quoted(first.as_bytes())
            )))
        };
        columns.iter().filter_map(doubt).collect()
    }

    /// The place of each value's column.
    fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.columns.len()];
        for (place, role) in self.layout.roles.iter().enumerate() {
            if let Role::Value(value) = role {
                places[*value] = place;
            }
        }
        places
    }

    fn not_utf8(&self, at: Place, place: usize) -> DataError {
        let at = format!(", {at}, column {}", self.layout.show(place));
        DataError::Encoding { path: self.path.clone(), at }
    }

    pub(crate) fn missing_value(&self, at: Place, place: usize, given: &Given<'_>) -> DataError {
        let found = if given.is_empty() { "the cell is empty".to_owned() } else { given.shown() };
        let (path, column) = (self.path.clone(), self.layout.show(place));
        DataError::MissingValue { path, at, column, found, may_be_names: false }
    }
}

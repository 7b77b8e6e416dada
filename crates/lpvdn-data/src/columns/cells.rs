//! From cells to values.

use std::path::PathBuf;

#[cfg(feature = "parquet")]
use lpvdn_core::table::Tally;
use lpvdn_core::table::cells::{Cell, Column, Given, Profile, Remark, Rules, decimal_of};
use lpvdn_core::table::{Choice, Content, Decimal, TableColumn, Verdict, is_id_name};

use super::advice::TextTable;
use super::choices;
use super::held::Held;
use super::layout::{Layout, Role};
use crate::budget::{Account, Budget, PER_STRING};
use crate::described::{ChargedLabels, ChargedNames};
use crate::disk::{GrowingRows, Limit};
use crate::error::Place;
use crate::reading::Reading;
use crate::{DataError, OpenOptions};

/// Of as many columns it is remembered whether their whole numbers differ: each takes memory for it.
const MOST_IDS: usize = 16;

/// The rows read so far.
pub(crate) struct Cells {
    pub(super) path: PathBuf,
    pub(super) layout: Layout,
    pub(super) rules: Rules,
    pub(super) columns: Vec<Column>,
    /// What the user says about each column.
    pub(super) choices: Vec<Choice>,
    /// Where in a raw row each column begins, and at last where the row ends.
    pub(super) starts: Vec<usize>,
    /// A number for each column and row, for a vector several; for a word its code, for what is missing no
    /// number.
    pub(super) raw: GrowingRows,
    /// The first rows, until it is known what the columns hold.
    held: Option<Held>,
    /// For those.
    holding: Account,
    pub(super) labels: ChargedLabels,
    pub(super) ids: ChargedNames,
    /// For the words of columns.
    pub(super) account: Account,
    /// Of each column, how many values are missing.
    pub(super) holes: Vec<usize>,
    /// Of each column of which nothing is known, the first missing value.
    first_hole: Vec<Option<Place>>,
    /// Of each column, the words that the model does not know.
    pub(super) unseen: Vec<Noticed>,
    /// Of each column, the numbers that 32 bits do not hold.
    pub(super) beyond: Vec<Noticed>,
    /// Of each column, what is said about how it was decided.
    pub(super) remarks: Vec<Option<Remark>>,
    /// The columns of a model, if they are that.
    pub(super) known: Option<Vec<TableColumn>>,
    /// How fractions are written, if the user says so.
    pub(super) decimal: Option<Decimal>,
    pub(super) text: Option<TextTable>,
    pub(super) budget: Budget,
}

/// Cells of a column that a note is about.
#[derive(Clone, Debug, Default)]
pub(super) struct Noticed {
    pub(super) count: usize,
    /// As messages show it.
    pub(super) first: String,
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
    pub(crate) fn new(
        path: PathBuf,
        layout: Layout,
        options: &OpenOptions,
        text: Option<TextTable>,
    ) -> Result<Cells, DataError> {
        let reading = match &options.reading {
            Some(Reading::Table(reading)) => Some(reading),
            _ => None,
        };
        let (columns, choices): (Vec<Column>, Vec<Choice>) = match reading {
            Some(reading) => {
                let known = reading.columns.iter().map(|column| Column::Known(column.content.clone()));
                (known.collect(), vec![Choice::default(); reading.columns.len()])
            }
            None => {
                let choices = choices::of(&path, &layout, options)?;
                (choices.iter().map(|choice| Column::chosen(*choice)).collect(), choices)
            }
        };
        // What a model fills in, it fills in everywhere.
        let filling = reading.map(|reading| reading.missing).filter(|missing| missing.fills());
        let missing = filling.unwrap_or(options.missing);
        let asked = options.columns.decimal;
        let decimal = reading.map_or_else(|| asked.unwrap_or_default(), |reading| reading.decimal);
        let (budget, count) = (&options.budget, columns.len());
        let mut cells = Cells {
            rules: Rules { missing, decimal },
            choices,
            starts: Vec::new(),
            raw: GrowingRows::new(Limit::of(&path, options), 0),
            // A table of texts may have no other column to decide about.
            held: (reading.is_none() && count > 0).then(|| Held::new(count)),
            holding: budget.account(&path),
            labels: ChargedLabels::new(&path, budget),
            ids: ChargedNames::new(&path, budget),
            account: budget.account(&path),
            holes: vec![0; count],
            first_hole: vec![None; count],
            unseen: vec![Noticed::default(); count],
            beyond: vec![Noticed::default(); count],
            remarks: (0..count).map(|_| None).collect(),
            known: reading.map(|reading| reading.columns.clone()),
            decimal: asked,
            text,
            budget: budget.clone(),
            path,
            layout,
            columns,
        };
        cells.find_starts();
        Ok(cells)
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
            Column::Numbers(_)
            | Column::Known(Content::Numbers { .. } | Content::Dates { .. } | Content::Booleans { .. }) => {
                Wanted::Numbers
            }
            Column::Words(_) | Column::Known(Content::Words { .. }) => Wanted::Words,
            Column::Vectors { tallies } => Wanted::Vectors(tallies.len()),
            Column::Known(Content::Vectors { means }) => Wanted::Vectors(means.len()),
            _ => Wanted::Anything,
        })
    }

    /// Says before the first row that the cells of a column are vectors of `width` numbers, or all missing.
    #[cfg(feature = "parquet")]
    pub(crate) fn expect_vectors(&mut self, place: usize, width: Option<usize>) {
        if let Role::Value(value) = self.layout.roles[place] {
            self.columns[value] = match width {
                Some(width) => Column::Vectors { tallies: vec![Tally::default(); width] },
                None => Column::Left(Verdict::Empty),
            };
            self.find_starts();
        }
    }

    /// How many rows there are.
    fn rows(&self) -> usize {
        self.held.as_ref().map_or_else(|| self.raw.rows(), Held::rows)
    }

    /// Room for `more` rows, which are to be filled with [`Cells::set`]. Gives the number of the first one.
    pub(crate) fn add_rows(&mut self, more: usize) -> Result<usize, DataError> {
        if self.held.as_ref().is_some_and(Held::is_full) {
            self.decide()?;
        }
        let first = self.rows();
        if self.held.is_none() {
            self.raw.add(more, f32::NAN)?;
        }
        Ok(first)
    }

    /// Decides what the columns hold, and reads the rows that waited for it.
    pub(super) fn decide(&mut self) -> Result<(), DataError> {
        let Some(held) = self.held.take() else { return Ok(()) };
        let open =
            |value: &usize| matches!(self.columns[*value], Column::Undecided { .. } | Column::Numbers(_));
        let open: Vec<usize> = (0..self.columns.len()).filter(open).collect();
        let profile = |value: &usize| Profile::of(held.column(*value), self.rules.missing);
        let profiles: Vec<Profile> = open.iter().map(profile).collect();
        // A comma in the only column may have been meant to separate cells.
        let seen = decimal_of(&profiles).filter(|_| self.layout.roles.len() > 1);
        let decimal = self.decimal.or(seen);
        self.rules.decimal = decimal.unwrap_or_default();
        let (places, mut remembering) = (self.places(), 0);
        for (value, profile) in open.into_iter().zip(profiles) {
            if !matches!(self.columns[value], Column::Undecided { .. }) {
                continue;
            }
            let may_be_ids = remembering < MOST_IDS && self.is_called_id(places[value]);
            remembering += usize::from(may_be_ids);
            let (column, remark) = profile.decide(self.choices[value], self.rules, may_be_ids);
            self.columns[value] = column;
            self.remarks[value] =
                remark.filter(|remark| matches!(remark, Remark::Order(_)) || decimal.is_none());
        }
        for row in 0..held.rows() {
            self.raw.add(1, f32::NAN)?;
            for (value, &place) in places.iter().enumerate() {
                self.set_value(row, place, value, &held.get(row, value), held.at(row))?;
            }
        }
        drop(held);
        self.holding.set(0, "")
    }

    fn is_called_id(&self, place: usize) -> bool {
        self.layout.name(place).is_some_and(|name| is_id_name(&name))
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
                    return Err(self.missing_class(at, place));
                }
                self.labels.push(&label)?;
            }
            Role::Value(value) => {
                if let Some(held) = &mut self.held {
                    held.push(value, given, at);
                    return self.holding.set(held.bytes() as u64, "the first rows");
                }
                self.set_value(row, place, value, given, at)?;
            }
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
        if self.columns[value].takes_number(given, self.rules, out) {
            return Ok(());
        }
        let words = self.columns[value].words();
        let cell = self.columns[value].push(given, self.rules, out);
        if cell == Cell::Taken && self.first_hole[value].is_none() && self.columns[value].words() == words {
            return Ok(());
        }
        if self.columns[value].words() > words {
            // A word is kept by the column, and once more when they are put in order.
            let bytes = 2 * (PER_STRING + given.text().map_or(0, |word| word.len() as u64));
            self.account.add(bytes, format_args!("the words of column {}", self.layout.show(place)))?;
        }
        if let Some(hole) = self.first_hole[value].take_if(|_| !self.columns[value].is_blank()) {
            return Err(self.missing_value(hole, place, &Given::Nothing));
        }
        self.judge(cell, place, value, given, at)
    }

    /// What follows from a cell that is not simply taken.
    fn judge(
        &mut self,
        cell: Cell,
        place: usize,
        value: usize,
        given: &Given<'_>,
        at: Place,
    ) -> Result<(), DataError> {
        match cell {
            Cell::Taken => Ok(()),
            Cell::Missing if self.rules.missing.fills() => {
                self.holes[value] += 1;
                Ok(())
            }
            // Where every value is missing, the column is left out.
            Cell::Missing if !matches!(given, Given::Vector { .. }) && self.columns[value].is_blank() => {
                self.first_hole[value].get_or_insert(at);
                Ok(())
            }
            Cell::Beyond => {
                self.beyond[value].push(|| format!("{} at {at}", given.shown()));
                Ok(())
            }
            // A mark for a missing word is no word of the model either.
            Cell::Missing if !given.is_empty() && self.knows_words(value) => {
                self.unseen[value].push(|| given.shown());
                Ok(())
            }
            Cell::Unseen => {
                self.unseen[value].push(|| given.shown());
                Ok(())
            }
            Cell::TooManyWords if self.choices[value].kind.is_none() => {
                let Column::Words(column) = &self.columns[value] else { return Ok(()) };
                let verdict = if column.all_differ() { Verdict::Ids } else { Verdict::ManyWords };
                self.columns[value] = Column::Left(verdict);
                Ok(())
            }
            refused => Err(self.refused(refused, place, given, at)),
        }
    }

    fn knows_words(&self, value: usize) -> bool {
        let known = &self.columns[value];
        matches!(known, Column::Known(Content::Words { .. } | Content::Booleans { .. }))
    }

    /// The place of each value's column.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.columns.len()];
        for (place, role) in self.layout.roles.iter().enumerate() {
            if let Role::Value(value) = role {
                places[*value] = place;
            }
        }
        places
    }
}

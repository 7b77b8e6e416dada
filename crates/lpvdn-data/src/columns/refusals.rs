//! Why cells are refused.

use lpvdn_core::table::MOST_WORDS;
use lpvdn_core::table::cells::{Cell, Given};

use super::advice;
use super::cells::Cells;
use crate::error::Place;
use crate::{DataError, Remedy};

impl Cells {
    /// The error for a cell that its column cannot take.
    pub(super) fn refused(&self, cell: Cell, place: usize, given: &Given<'_>, at: Place) -> DataError {
        let (path, column) = (self.path.clone(), self.layout.show(place));
        match cell {
            Cell::NotUtf8 => self.not_utf8(at, place),
            Cell::TooManyWords => DataError::TooManyWords { path, column, most: MOST_WORDS },
            Cell::NotAVector { width } => {
                let problem = format!(
                    "{at} has {}, but vectors of {width} numbers are expected; make them all of one length",
                    given.shown()
                );
                DataError::Column { path, column, problem, remedies: &[Remedy::LeaveColumnOut] }
            }
            Cell::NotADate => DataError::NotADate { path, at, column, found: given.shown() },
            Cell::NotANumber => {
                let (remedy, remedies) = self.remedy(given, at);
                DataError::Cell { path, at, column, found: given.shown(), remedy: remedy.into(), remedies }
            }
            _ => self.missing_value(at, place, given),
        }
    }

    fn remedy(&self, given: &Given<'_>, at: Place) -> (&'static str, &'static [Remedy]) {
        match (given, self.text) {
            (Given::Text(cell), Some(_)) => {
                let single = self.layout.roles.len() == 1;
                advice::of_number(cell, self.rules.decimal, self.may_be_names(at), single)
            }
            _ => {
                let remedy = "accepted are numbers such as -1.5 or 2e-3; correct the cell";
                (remedy, &[Remedy::LeaveColumnOut, Remedy::SayKind])
            }
        }
    }

    /// Whether what stands there may be the names of the columns.
    fn may_be_names(&self, at: Place) -> bool {
        let first = self.text.map(|text| Place::Line(text.first_line));
        first == Some(at) && self.layout.names.is_none()
    }

    pub(super) fn not_utf8(&self, at: Place, place: usize) -> DataError {
        let at = format!(", {at}, column {}", self.layout.show(place));
        DataError::Encoding { path: self.path.clone(), at }
    }

    /// Nothing stands for a missing class.
    pub(super) fn missing_class(&self, at: Place, place: usize) -> DataError {
        let (path, column) = (self.path.clone(), self.layout.show(place));
        let problem = format!(
            "{at}: the class of the row is missing (the cell is empty); fill it in, or remove the row"
        );
        DataError::Column { path, column, problem, remedies: &[] }
    }

    pub(super) fn missing_value(&self, at: Place, place: usize, given: &Given<'_>) -> DataError {
        let found = if given.is_empty() { "the cell is empty".to_owned() } else { given.shown() };
        let (path, column) = (self.path.clone(), self.layout.show(place));
        DataError::MissingValue { path, at, column, found, may_be_names: self.may_be_names(at) }
    }
}

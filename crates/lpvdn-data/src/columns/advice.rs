//! What would be accepted instead of a cell, by what it looks like.

use lpvdn_core::table::Decimal;

use crate::Remedy;

/// What a table of text is like, for the advice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextTable {
    /// The first line that is not blank.
    pub(crate) first_line: u64,
}

/// What to do about a cell that is no number. It may be the name of a column, and it may be the only one.
pub(super) fn of_number(
    cell: &[u8],
    decimal: Decimal,
    may_be_names: bool,
    single: bool,
) -> (&'static str, &'static [Remedy]) {
    if cell.contains(&b'\n') {
        return ("it spans several lines: a double quote is missing, or one too many", &[]);
    }
    if single && cell.contains(&b' ') {
        let remedy = "cells must be separated by commas, semicolons, tabs or bars (|), not by blanks";
        return (remedy, &[]);
    }
    let text = String::from_utf8_lossy(cell);
    let is_number = text.replacen(',', ".", 1).parse::<f32>().is_ok();
    if is_number && decimal == Decimal::Comma {
        return ("accepted is a decimal comma, not a decimal point", &[Remedy::NameDecimal]);
    }
    if is_number {
        return ("accepted is a decimal point, not a decimal comma", &[Remedy::NameDecimal]);
    }
    let remedy = "accepted are numbers such as -1.5 or 2e-3, as on the lines before; correct the cell";
    match may_be_names {
        true => (remedy, &[Remedy::LeaveColumnOut, Remedy::SayKind, Remedy::FirstLineIsNames]),
        false => (remedy, &[Remedy::LeaveColumnOut, Remedy::SayKind]),
    }
}

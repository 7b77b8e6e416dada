//! A cell, read as what its column holds.

use crate::table::{DateOrder, Missing, Number, is_truth, truth_of};

use super::column::{Cell, Rules};
use super::given::Given;
use super::{dates, numbers};

/// What stands where a number is missing, apart from nothing.
const MARKS: [&str; 7] = ["na", "n/a", "#n/a", "null", "none", "missing", "?"];

pub(super) fn number(given: &Given<'_>, rules: Rules) -> Result<Number, Cell> {
    match given {
        Given::Number(value) => Ok(Number::from(*value)),
        Given::Truth(truth) => Ok(Number::from(f32::from(u8::from(*truth)))),
        Given::Nothing => Err(Cell::Missing),
        Given::Vector { .. } | Given::Date(_) => Err(Cell::NotANumber),
        Given::Text(_) | Given::Word(_) => {
            let (text, _) = given.as_text()?.unwrap_or_default();
            let no_number = || if is_missing(text, rules.missing) { Cell::Missing } else { Cell::NotANumber };
            numbers::parse(text, rules.decimal).ok_or_else(no_number)
        }
    }
}

pub(super) fn date(given: &Given<'_>, order: Option<DateOrder>, rules: Rules) -> Result<f64, Cell> {
    match given {
        Given::Date(days) => Ok(*days),
        Given::Nothing => Err(Cell::Missing),
        Given::Number(number) if number.is_nan() && rules.missing.fills() => Err(Cell::Missing),
        Given::Number(_) | Given::Truth(_) | Given::Vector { .. } => Err(Cell::NotADate),
        Given::Text(_) | Given::Word(_) => {
            let (text, _) = given.as_text()?.unwrap_or_default();
            let no_date = || if is_missing(text, rules.missing) { Cell::Missing } else { Cell::NotADate };
            let moment = dates::parse(text, order).filter(|moment| order.is_some() || !moment.needs_order);
            moment.map(|moment| moment.days).ok_or_else(no_date)
        }
    }
}

/// A truth for a model that was fitted to truths as numbers. The mean of those is from 0 to 1.
pub(super) fn truth(given: &Given<'_>, mean: f32) -> Result<Option<Number>, Cell> {
    let text = given.as_text()?.map(|(text, _)| text).filter(|_| (0.0..=1.0).contains(&mean));
    Ok(text.and_then(numbers::of_truth))
}

pub(super) fn put_number(number: Number, missing: Missing, out: &mut [f32]) -> Cell {
    out[0] = number.kept;
    match number.kept {
        kept if kept.is_nan() && missing.fills() => Cell::Missing,
        _ if number.is_beyond() => Cell::Beyond,
        _ => Cell::Taken,
    }
}

/// The place of a word among those of a model.
pub(super) fn known_word(words: &[String], text: &str) -> Option<usize> {
    let same = words.iter().position(|word| word == text);
    let alike = || words.iter().position(|word| is_truth(text) && word.eq_ignore_ascii_case(text));
    same.or_else(alike)
}

/// What a word means to a model that was fitted to truths: its own two words, other usual ones, or 0 and 1.
pub(super) fn known_truth(text: &str, no: &str, yes: &str) -> Option<bool> {
    match text {
        _ if text.eq_ignore_ascii_case(yes) => Some(true),
        _ if text.eq_ignore_ascii_case(no) => Some(false),
        "1" | "1.0" => Some(true),
        "0" | "0.0" => Some(false),
        _ => truth_of(text).filter(|_| truth_of(yes) == Some(true) && truth_of(no) == Some(false)),
    }
}

pub(super) fn vector(given: &Given<'_>, missing: Missing, out: &mut [f32]) -> Result<Cell, Cell> {
    match given {
        Given::Nothing => Err(Cell::Missing),
        Given::Vector { numbers, gaps } if numbers.len() == out.len() => {
            out.copy_from_slice(numbers);
            if *gaps && missing == Missing::Error { Err(Cell::Missing) } else { Ok(Cell::Taken) }
        }
        _ => Err(Cell::NotAVector { width: out.len() }),
    }
}

/// Whether this is a number written in another way, several of them, or what follows a quote that was not
/// closed: a mistake, which must not pass for a category.
pub(super) fn is_no_word(text: &str) -> bool {
    let numbers = |text: &str| text.split_whitespace().all(|part| part.parse::<f32>().is_ok());
    text.contains('\n') || numbers(&text.replacen(',', ".", 1))
}

/// Not a number is a value of its own as long as nobody asked to fill it in.
pub(super) fn is_missing(text: &str, missing: Missing) -> bool {
    let is_mark = |mark: &str| text.eq_ignore_ascii_case(mark);
    text.is_empty() || MARKS.into_iter().any(is_mark) || missing.fills() && is_mark("nan")
}

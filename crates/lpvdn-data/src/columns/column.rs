//! The cells of one column, as they arrive.

use std::borrow::Cow;
use std::collections::HashMap;
use std::str::Utf8Error;

use super::expand::raw_width;
use super::numbers::{Number, Tally, is_truth};
use crate::element::written;
use crate::error::quoted;
use crate::reading::{Content, Missing};

/// More different words than this are text, or names of the rows, and no categories.
pub(super) const MOST_WORDS: usize = 1_000;

/// What stands where a number is missing, beside nothing.
const MARKS: [&str; 7] = ["na", "n/a", "#n/a", "null", "none", "missing", "?"];

/// A cell as its file gives it.
#[derive(Debug)]
pub(crate) enum Given<'a> {
    /// Text, which may be a number.
    Text(&'a [u8]),
    /// Text that its file declares to be text: a word, even where it looks like a number.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    Word(&'a str),
    /// A number.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    Number(f64),
    /// Several numbers. What is not known among them is no number.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    Vector {
        numbers: &'a [f32],
        /// Whether one of them is missing.
        gaps: bool,
    },
    /// Nothing.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    Nothing,
}

impl Given<'_> {
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Given::Text(text) => text.is_empty(),
            Given::Word(word) => word.is_empty(),
            Given::Nothing => true,
            Given::Number(_) | Given::Vector { .. } => false,
        }
    }

    /// As a class or a name. Who has a number asks for no such thing: it is exact only as text.
    /// Text that is not UTF-8 is refused: put right by force, different words would become one.
    pub(super) fn text(&self) -> Result<Cow<'_, str>, Utf8Error> {
        Ok(match self {
            Given::Text(text) => Cow::Borrowed(std::str::from_utf8(text)?),
            Given::Word(word) => Cow::Borrowed(*word),
            Given::Number(number) => Cow::Owned(written(*number)),
            Given::Vector { .. } | Given::Nothing => Cow::Borrowed(""),
        })
    }

    /// As messages show it.
    pub(super) fn shown(&self) -> String {
        match self {
            Given::Text(text) => quoted(text),
            Given::Word(word) => quoted(word.as_bytes()),
            Given::Number(number) => format!("the number {}", written(*number)),
            Given::Vector { numbers, gaps: false } => format!("a vector of {}", numbers.len()),
            Given::Vector { .. } => "a vector with nothing in the place of a number".to_owned(),
            Given::Nothing => "nothing".to_owned(),
        }
    }

    /// The text, if it is one, and whether it cannot be a number.
    fn as_text(&self) -> Result<Option<(&str, bool)>, Utf8Error> {
        Ok(match self {
            Given::Text(text) => Some((std::str::from_utf8(text)?, false)),
            Given::Word(word) => Some((*word, true)),
            Given::Number(_) | Given::Vector { .. } | Given::Nothing => None,
        })
    }
}

/// A column while it is read. Its first cell that is not missing decides what it holds: a later word
/// among numbers is a mistake to be reported, not a category.
#[derive(Debug)]
pub(super) enum Column {
    Undecided,
    Numbers(Tally),
    Words {
        codes: HashMap<String, usize>,
    },
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    Vectors {
        /// Of each number.
        tallies: Vec<Tally>,
    },
    /// As a model knows it.
    Known(Content),
}

/// What a cell is to its column.
#[derive(Debug, PartialEq)]
pub(super) enum Cell {
    Taken,
    Missing,
    /// A word that the model does not know.
    Unseen,
    /// A number that became infinite in 32 bits.
    Beyond,
    NotANumber,
    NotUtf8,
    NotAVector {
        width: usize,
    },
    TooManyWords,
}

impl From<Utf8Error> for Cell {
    fn from(_: Utf8Error) -> Cell {
        Cell::NotUtf8
    }
}

impl Column {
    /// Puts a number, the code of a word, or all of a vector to `out`, which holds no numbers before.
    pub(super) fn push(&mut self, given: &Given<'_>, missing: Missing, out: &mut [f32]) -> Cell {
        self.put(given, missing, out).unwrap_or_else(|cell| cell)
    }

    fn put(&mut self, given: &Given<'_>, missing: Missing, out: &mut [f32]) -> Result<Cell, Cell> {
        if matches!(self, Column::Undecided) {
            *self = decided(given, missing)?;
        }
        match self {
            Column::Undecided => Ok(Cell::Missing),
            Column::Numbers(tally) => {
                let number = number(given, missing)?;
                tally.add(number);
                Ok(put_number(number, missing, out))
            }
            Column::Known(Content::Numbers { mean }) => {
                let number = truth(given, *mean)?.map_or_else(|| number(given, missing), Ok)?;
                Ok(put_number(number, missing, out))
            }
            Column::Words { codes } => word(given, missing, out, |text| {
                let next = codes.len();
                match codes.get(text) {
                    Some(&code) => Ok(code),
                    None if next == MOST_WORDS => Err(Cell::TooManyWords),
                    None => {
                        codes.insert(text.to_owned(), next);
                        Ok(next)
                    }
                }
            }),
            Column::Known(Content::Words { words }) => {
                word(given, missing, out, |text| known_word(words, text).ok_or(Cell::Unseen))
            }
            Column::Known(Content::Vectors { .. }) => vector(given, missing, out),
            Column::Vectors { tallies } => {
                let cell = vector(given, missing, out);
                tallies.iter_mut().zip(out).for_each(|(tally, value)| tally.add(Number::from(*value)));
                cell
            }
        }
    }

    /// How many different words have come.
    pub(super) fn words(&self) -> usize {
        match self {
            Column::Words { codes } => codes.len(),
            _ => 0,
        }
    }

    /// How many numbers stand for a cell.
    pub(super) fn raw_width(&self) -> usize {
        match self {
            Column::Undecided | Column::Numbers(_) | Column::Words { .. } => 1,
            Column::Vectors { tallies } => tallies.len(),
            Column::Known(content) => raw_width(content),
        }
    }

    /// What is wrong with its numbers, if something is.
    pub(super) fn doubt(&self) -> Option<String> {
        match self {
            Column::Numbers(tally) => tally.doubt(),
            _ => None,
        }
    }

    /// What the column holds, and for words the place of each code among them. `None` where every cell
    /// was missing.
    pub(super) fn finish(self) -> Option<(Content, Vec<usize>)> {
        match self {
            Column::Undecided => None,
            Column::Vectors { tallies } if tallies.iter().all(Tally::is_empty) => None,
            Column::Numbers(tally) => Some((Content::Numbers { mean: tally.mean() }, Vec::new())),
            Column::Words { codes } => {
                let mut words: Vec<(String, usize)> = codes.into_iter().collect();
                words.sort_unstable();
                let mut places = vec![0; words.len()];
                words.iter().enumerate().for_each(|(place, (_, code))| places[*code] = place);
                Some((Content::Words { words: words.into_iter().map(|(word, _)| word).collect() }, places))
            }
            Column::Vectors { tallies } => {
                let means = tallies.iter().map(Tally::mean).collect();
                Some((Content::Vectors { means }, Vec::new()))
            }
            Column::Known(content) => {
                let places = (0..content.width()).collect();
                Some((content, places))
            }
        }
    }
}

/// What a column holds, by its first cell that is not missing.
fn decided(given: &Given<'_>, missing: Missing) -> Result<Column, Cell> {
    let words = || Column::Words { codes: HashMap::new() };
    match given.as_text()? {
        Some((text, _)) if is_missing(text, missing) => Err(Cell::Missing),
        Some((_, true)) => Ok(words()),
        Some((text, false)) if text.parse::<f32>().is_ok() => Ok(Column::Numbers(Tally::default())),
        Some((text, false)) if is_no_word(text) => Err(Cell::NotANumber),
        Some((_, false)) => Ok(words()),
        None if matches!(given, Given::Number(_)) => Ok(Column::Numbers(Tally::default())),
        None => Err(Cell::Missing),
    }
}

fn number(given: &Given<'_>, missing: Missing) -> Result<Number, Cell> {
    match given {
        Given::Number(value) => Ok(Number::from(*value)),
        Given::Nothing => Err(Cell::Missing),
        Given::Vector { .. } => Err(Cell::NotANumber),
        Given::Text(_) | Given::Word(_) => {
            let (text, _) = given.as_text()?.unwrap_or_default();
            let no_number = || if is_missing(text, missing) { Cell::Missing } else { Cell::NotANumber };
            Number::parse(text).ok_or_else(no_number)
        }
    }
}

/// A truth for a model that was fitted to truths as numbers. The mean of those is from 0 to 1.
fn truth(given: &Given<'_>, mean: f32) -> Result<Option<Number>, Cell> {
    let text = given.as_text()?.map(|(text, _)| text).filter(|_| (0.0..=1.0).contains(&mean));
    Ok(text.and_then(Number::of_truth))
}

fn put_number(number: Number, missing: Missing, out: &mut [f32]) -> Cell {
    out[0] = number.kept;
    match number.kept {
        kept if kept.is_nan() && missing == Missing::Mean => Cell::Missing,
        _ if number.is_beyond() => Cell::Beyond,
        _ => Cell::Taken,
    }
}

fn word(
    given: &Given<'_>,
    missing: Missing,
    out: &mut [f32],
    code: impl FnOnce(&str) -> Result<usize, Cell>,
) -> Result<Cell, Cell> {
    let text = given.text()?;
    if is_missing(&text, missing) {
        return Err(Cell::Missing);
    }
    out[0] = code(&text)? as f32;
    Ok(Cell::Taken)
}

/// The place of a word among those of a model.
fn known_word(words: &[String], text: &str) -> Option<usize> {
    let same = words.iter().position(|word| word == text);
    let alike = || words.iter().position(|word| is_truth(text) && word.eq_ignore_ascii_case(text));
    same.or_else(alike)
}

fn vector(given: &Given<'_>, missing: Missing, out: &mut [f32]) -> Result<Cell, Cell> {
    match given {
        Given::Nothing => Err(Cell::Missing),
        Given::Vector { numbers, gaps } if numbers.len() == out.len() => {
            out.copy_from_slice(numbers);
            if *gaps && missing == Missing::Error { Err(Cell::Missing) } else { Ok(Cell::Taken) }
        }
        Given::Text(_) | Given::Word(_) | Given::Number(_) | Given::Vector { .. } => {
            Err(Cell::NotAVector { width: out.len() })
        }
    }
}

/// Whether this is a number written in another way, several of them, or what follows a quote that was not
/// closed: a mistake, which must not pass for a category.
fn is_no_word(text: &str) -> bool {
    let numbers = |text: &str| text.split_whitespace().all(|part| part.parse::<f32>().is_ok());
    text.contains('\n') || numbers(&text.replacen(',', ".", 1))
}

/// Not a number is a value of its own as long as nobody asked to fill it in.
fn is_missing(text: &str, missing: Missing) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.is_empty() || MARKS.contains(&lower.as_str()) || missing == Missing::Mean && lower == "nan"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each cell is, and what it puts there.
    fn push_all(cells: &[Given<'_>], missing: Missing) -> (Vec<(Cell, f32)>, Column) {
        let mut column = Column::Undecided;
        let push = |cell| {
            let mut out = [f32::NAN];
            (column.push(cell, missing, &mut out), out[0])
        };
        (cells.iter().map(push).collect(), column)
    }

    fn texts<const N: usize>(cells: [&str; N]) -> [Given<'_>; N] {
        cells.map(|cell| Given::Text(cell.as_bytes()))
    }

    fn taken(cells: &[(Cell, f32)]) -> Vec<Option<f32>> {
        cells.iter().map(|(cell, value)| (*cell == Cell::Taken).then_some(*value)).collect()
    }

    #[test]
    fn the_first_cell_that_is_there_decides() {
        let (cells, column) = push_all(&texts(["", "2", "x", "NA", "4"]), Missing::Mean);
        assert_eq!(taken(&cells), [None, Some(2.0), None, None, Some(4.0)]);
        assert_eq!((&cells[2].0, &cells[3].0), (&Cell::NotANumber, &Cell::Missing));
        assert_eq!(column.finish(), Some((Content::Numbers { mean: 3.0 }, Vec::new())));
        let (cells, column) = push_all(&texts(["b", "7", "a", "b", ""]), Missing::Error);
        assert_eq!(taken(&cells), [Some(0.0), Some(1.0), Some(2.0), Some(0.0), None]);
        let words = ["7", "a", "b"].map(str::to_owned).to_vec();
        assert_eq!(column.finish(), Some((Content::Words { words }, vec![2, 0, 1])));
        assert_eq!(push_all(&texts(["", "?"]), Missing::Mean).1.finish(), None);
    }

    #[test]
    fn what_is_declared_a_word_is_none_of_the_numbers() {
        let (cells, column) = push_all(&["7", "5", "7", ""].map(Given::Word), Missing::Mean);
        assert_eq!(taken(&cells), [Some(0.0), Some(1.0), Some(0.0), None]);
        assert!(matches!(column, Column::Words { .. }));
        let mut numbers = Column::Known(Content::Numbers { mean: 0.0 });
        let mut out = [f32::NAN];
        assert_eq!(numbers.push(&Given::Word("7"), Missing::Error, &mut out), Cell::Taken);
        assert_eq!(out, [7.0], "a model of numbers can read them from text");
    }

    #[test]
    fn a_known_column_takes_new_words_for_none() {
        let words = vec!["a".to_owned(), "b".to_owned()];
        let mut column = Column::Known(Content::Words { words });
        let mut out = [f32::NAN];
        assert_eq!(column.push(&Given::Text(b"c"), Missing::Error, &mut out), Cell::Unseen);
        assert_eq!(column.push(&Given::Text(b"b"), Missing::Error, &mut out), Cell::Taken);
        assert_eq!(out, [1.0]);
    }

    #[test]
    fn truths_are_known_however_they_are_written() {
        let words = ["False", "True"].map(str::to_owned).to_vec();
        let mut column = Column::Known(Content::Words { words });
        for (text, code) in [("true", 1.0), ("FALSE", 0.0), ("True", 1.0)] {
            let mut out = [f32::NAN];
            assert_eq!(column.push(&Given::Word(text), Missing::Error, &mut out), Cell::Taken, "{text}");
            assert_eq!(out, [code], "{text}");
        }
        let red = vec!["Red".to_owned()];
        let mut colours = Column::Known(Content::Words { words: red });
        assert_eq!(colours.push(&Given::Word("red"), Missing::Error, &mut [0.0]), Cell::Unseen);
        let mut numbers = Column::Known(Content::Numbers { mean: 0.5 });
        for (text, value) in [(&b"True"[..], 1.0), (b"false", 0.0), (b"0.25", 0.25)] {
            let mut out = [f32::NAN];
            assert_eq!(numbers.push(&Given::Text(text), Missing::Error, &mut out), Cell::Taken);
            assert_eq!(out, [value]);
        }
        let mut ages = Column::Known(Content::Numbers { mean: 40.0 });
        assert_eq!(ages.push(&Given::Text(b"True"), Missing::Error, &mut [0.0]), Cell::NotANumber);
    }

    #[test]
    fn not_a_number_is_missing_only_where_it_is_filled_in() {
        let kept = push_all(&texts(["1", "nan"]), Missing::Error).0;
        assert!(kept[1].0 == Cell::Taken && kept[1].1.is_nan());
        assert_eq!(push_all(&texts(["1", "nan"]), Missing::Mean).0[1].0, Cell::Missing);
        let numbers = [Given::Number(1.0), Given::Number(f64::NAN)];
        assert_eq!(push_all(&numbers, Missing::Mean).0[1].0, Cell::Missing);
    }

    #[test]
    fn a_vector_has_the_length_of_its_column() {
        let mut column = Column::Vectors { tallies: vec![Tally::default(); 2] };
        let whole = |numbers| Given::Vector { numbers, gaps: false };
        let mut out = [f32::NAN; 2];
        assert_eq!(column.push(&whole(&[1.0, 2.0]), Missing::Error, &mut out), Cell::Taken);
        assert_eq!(out, [1.0, 2.0]);
        let mut out = [f32::NAN; 2];
        assert_eq!(column.push(&whole(&[1.0]), Missing::Error, &mut out), Cell::NotAVector { width: 2 });
        assert_eq!(column.push(&Given::Nothing, Missing::Error, &mut out), Cell::Missing);
        let gap = Given::Vector { numbers: &[f32::NAN, 4.0], gaps: true };
        assert_eq!(column.push(&gap, Missing::Error, &mut [f32::NAN; 2]), Cell::Missing);
        assert_eq!(column.push(&gap, Missing::Mean, &mut [f32::NAN; 2]), Cell::Taken);
        let means = vec![1.0, 10.0 / 3.0];
        assert_eq!(column.finish(), Some((Content::Vectors { means }, Vec::new())));
    }
}

//! The cells of one column, as they arrive.

use std::borrow::Cow;
use std::collections::HashMap;

use super::expand::raw_width;
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
    Number(f32),
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
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Given::Text(text) => String::from_utf8_lossy(text),
            Given::Word(word) => Cow::Borrowed(*word),
            Given::Number(number) => Cow::Owned(number.to_string()),
            Given::Vector { .. } | Given::Nothing => Cow::Borrowed(""),
        }
    }

    /// As messages show it.
    pub(super) fn shown(&self) -> String {
        match self {
            Given::Text(text) => quoted(text),
            Given::Word(word) => quoted(word.as_bytes()),
            Given::Number(number) => format!("the number {number}"),
            Given::Vector { numbers, gaps: false } => format!("a vector of {}", numbers.len()),
            Given::Vector { .. } => "a vector with nothing in the place of a number".to_owned(),
            Given::Nothing => "nothing".to_owned(),
        }
    }

    /// The text, if it is one, and whether it cannot be a number.
    fn as_text(&self) -> Option<(Cow<'_, str>, bool)> {
        match self {
            Given::Text(text) => Some((String::from_utf8_lossy(text), false)),
            Given::Word(word) => Some((Cow::Borrowed(*word), true)),
            Given::Number(_) | Given::Vector { .. } | Given::Nothing => None,
        }
    }
}

/// A column while it is read. Its first cell that is not missing decides what it holds: a later word
/// among numbers is a mistake to be reported, not a category.
#[derive(Debug)]
pub(super) enum Column {
    Undecided,
    Numbers {
        sum: f64,
        count: usize,
    },
    Words {
        codes: HashMap<String, usize>,
    },
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    Vectors {
        /// The sum of each number, and how many there were.
        sums: Vec<(f64, usize)>,
    },
    /// As a model knows it.
    Known(Content),
}

/// What a cell is to its column.
#[derive(Debug, PartialEq)]
pub(super) enum Cell {
    Taken,
    Missing,
    NotANumber,
    NotAVector { width: usize },
    TooManyWords,
}

impl Column {
    /// Puts a number, the code of a word, or all of a vector to `out`, which holds no numbers before.
    pub(super) fn push(&mut self, given: &Given<'_>, missing: Missing, out: &mut [f32]) -> Cell {
        if matches!(self, Column::Undecided) {
            match self.decide(given, missing) {
                Cell::Taken => {}
                other => return other,
            }
        }
        let cell = match self {
            Column::Numbers { .. } | Column::Known(Content::Numbers { .. }) => number(given, missing, out),
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
            Column::Known(Content::Words { words }) => word(given, missing, out, |text| {
                words.iter().position(|word| word == text).ok_or(Cell::Missing)
            }),
            Column::Vectors { .. } | Column::Known(Content::Vectors { .. }) => vector(given, missing, out),
            Column::Undecided => Cell::Missing,
        };
        self.count(out);
        cell
    }

    /// The first cell that is not missing says what the column holds.
    fn decide(&mut self, given: &Given<'_>, missing: Missing) -> Cell {
        *self = match given.as_text() {
            Some((text, _)) if is_missing(&text, missing) => return Cell::Missing,
            Some((_, true)) => Column::Words { codes: HashMap::new() },
            Some((text, _)) => match text.parse::<f32>() {
                Ok(_) => Column::Numbers { sum: 0.0, count: 0 },
                Err(_) if is_no_word(&text) => return Cell::NotANumber,
                Err(_) => Column::Words { codes: HashMap::new() },
            },
            None if matches!(given, Given::Number(_)) => Column::Numbers { sum: 0.0, count: 0 },
            None => return Cell::Missing,
        };
        Cell::Taken
    }

    /// Adds what was put to `out` to the sums. What is missing adds nothing.
    fn count(&mut self, out: &[f32]) {
        let there = |value: &f32| !value.is_nan();
        match self {
            Column::Numbers { sum, count } => {
                for value in out.iter().filter(|v| there(v)) {
                    *sum += f64::from(*value);
                    *count += 1;
                }
            }
            Column::Vectors { sums } => {
                for ((sum, count), value) in sums.iter_mut().zip(out).filter(|(_, v)| there(v)) {
                    *sum += f64::from(*value);
                    *count += 1;
                }
            }
            Column::Undecided | Column::Words { .. } | Column::Known(_) => {}
        }
    }

    /// How many numbers stand for a cell.
    pub(super) fn raw_width(&self) -> usize {
        match self {
            Column::Undecided | Column::Numbers { .. } | Column::Words { .. } => 1,
            Column::Vectors { sums } => sums.len(),
            Column::Known(content) => raw_width(content),
        }
    }

    /// What the column holds, and for words the place of each code among them. `None` where every cell
    /// was missing.
    pub(super) fn finish(self) -> Option<(Content, Vec<usize>)> {
        let mean = |sum: f64, count: usize| if count == 0 { 0.0 } else { (sum / count as f64) as f32 };
        match self {
            Column::Undecided => None,
            Column::Vectors { sums } if sums.iter().all(|(_, count)| *count == 0) => None,
            Column::Numbers { sum, count } => Some((Content::Numbers { mean: mean(sum, count) }, Vec::new())),
            Column::Words { codes } => {
                let mut words: Vec<(String, usize)> = codes.into_iter().collect();
                words.sort_unstable();
                let mut places = vec![0; words.len()];
                words.iter().enumerate().for_each(|(place, (_, code))| places[*code] = place);
                Some((Content::Words { words: words.into_iter().map(|(word, _)| word).collect() }, places))
            }
            Column::Vectors { sums } => {
                let means = sums.into_iter().map(|(sum, count)| mean(sum, count)).collect();
                Some((Content::Vectors { means }, Vec::new()))
            }
            Column::Known(content) => {
                let places = (0..content.width()).collect();
                Some((content, places))
            }
        }
    }
}

fn number(given: &Given<'_>, missing: Missing, out: &mut [f32]) -> Cell {
    let value = match given {
        Given::Number(value) => *value,
        Given::Nothing => return Cell::Missing,
        Given::Vector { .. } => return Cell::NotANumber,
        Given::Text(_) | Given::Word(_) => {
            let (text, _) = given.as_text().unwrap_or_default();
            match text.parse() {
                _ if is_missing(&text, missing) => return Cell::Missing,
                Ok(value) => value,
                Err(_) => return Cell::NotANumber,
            }
        }
    };
    out[0] = value;
    if value.is_nan() && missing == Missing::Mean { Cell::Missing } else { Cell::Taken }
}

fn word(
    given: &Given<'_>,
    missing: Missing,
    out: &mut [f32],
    code: impl FnOnce(&str) -> Result<usize, Cell>,
) -> Cell {
    let text = given.as_text().map_or_else(|| given.text(), |(text, _)| text);
    if is_missing(&text, missing) {
        return Cell::Missing;
    }
    match code(&text) {
        Ok(code) => {
            out[0] = code as f32;
            Cell::Taken
        }
        Err(cell) => cell,
    }
}

fn vector(given: &Given<'_>, missing: Missing, out: &mut [f32]) -> Cell {
    match given {
        Given::Nothing => Cell::Missing,
        Given::Vector { numbers, gaps } if numbers.len() == out.len() => {
            out.copy_from_slice(numbers);
            if *gaps && missing == Missing::Error { Cell::Missing } else { Cell::Taken }
        }
        Given::Text(_) | Given::Word(_) | Given::Number(_) | Given::Vector { .. } => {
            Cell::NotAVector { width: out.len() }
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
        assert_eq!(column.push(&Given::Text(b"c"), Missing::Error, &mut out), Cell::Missing);
        assert_eq!(column.push(&Given::Text(b"b"), Missing::Error, &mut out), Cell::Taken);
        assert_eq!(out, [1.0]);
    }

    #[test]
    fn not_a_number_is_missing_only_where_it_is_filled_in() {
        let kept = push_all(&texts(["1", "nan"]), Missing::Error).0;
        assert!(kept[1].0 == Cell::Taken && kept[1].1.is_nan());
        assert_eq!(push_all(&texts(["1", "nan"]), Missing::Mean).0[1].0, Cell::Missing);
        let numbers = [Given::Number(1.0), Given::Number(f32::NAN)];
        assert_eq!(push_all(&numbers, Missing::Mean).0[1].0, Cell::Missing);
    }

    #[test]
    fn a_vector_has_the_length_of_its_column() {
        let mut column = Column::Vectors { sums: vec![(0.0, 0); 2] };
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

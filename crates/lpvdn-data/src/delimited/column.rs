//! The cells of one column, as they arrive.

use std::collections::HashMap;

use crate::reading::{Content, Missing};

/// More different words than this are text, or names of the rows, and no categories.
pub(super) const MOST_WORDS: usize = 1_000;

/// What stands where a number is missing, beside nothing.
const MARKS: [&str; 7] = ["na", "n/a", "#n/a", "null", "none", "missing", "?"];

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
    /// As a model knows it.
    Known(Content),
}

/// What a cell is to its column.
#[derive(Debug, PartialEq)]
pub(super) enum Cell {
    /// A number, or the code of a word.
    Value(f32),
    Missing,
    NotANumber,
    TooManyWords,
}

impl Column {
    pub(super) fn push(&mut self, cell: &[u8], missing: Missing) -> Cell {
        let text = String::from_utf8_lossy(cell);
        if matches!(self, Column::Undecided) {
            if is_missing(&text, missing) {
                return Cell::Missing;
            }
            *self = match text.parse::<f32>() {
                Ok(_) => Column::Numbers { sum: 0.0, count: 0 },
                Err(_) if is_no_word(&text) => return Cell::NotANumber,
                Err(_) => Column::Words { codes: HashMap::new() },
            };
        }
        match self {
            Column::Numbers { sum, count } => match number(&text, missing) {
                Cell::Value(value) => {
                    *sum += f64::from(value);
                    *count += 1;
                    Cell::Value(value)
                }
                other => other,
            },
            Column::Known(Content::Numbers { .. }) => number(&text, missing),
            Column::Words { .. } | Column::Known(_) if is_missing(&text, missing) => Cell::Missing,
            Column::Words { codes } => {
                let next = codes.len();
                match codes.get(text.as_ref()) {
                    Some(&code) => Cell::Value(code as f32),
                    None if next == MOST_WORDS => Cell::TooManyWords,
                    None => {
                        codes.insert(text.into_owned(), next);
                        Cell::Value(next as f32)
                    }
                }
            }
            Column::Known(Content::Words { words }) => {
                let place = words.iter().position(|word| *word == text);
                place.map_or(Cell::Missing, |place| Cell::Value(place as f32))
            }
            Column::Undecided => Cell::Missing,
        }
    }

    /// What the column holds, and for words the place of each code among them. `None` where every cell
    /// was missing.
    pub(super) fn finish(self) -> Option<(Content, Vec<usize>)> {
        match self {
            Column::Undecided => None,
            Column::Numbers { sum, count } => {
                let mean = if count == 0 { 0.0 } else { (sum / count as f64) as f32 };
                Some((Content::Numbers { mean }, Vec::new()))
            }
            Column::Words { codes } => {
                let mut words: Vec<(String, usize)> = codes.into_iter().collect();
                words.sort_unstable();
                let mut places = vec![0; words.len()];
                words.iter().enumerate().for_each(|(place, (_, code))| places[*code] = place);
                Some((Content::Words { words: words.into_iter().map(|(word, _)| word).collect() }, places))
            }
            Column::Known(content) => {
                let places = (0..content.width()).collect();
                Some((content, places))
            }
        }
    }
}

/// Whether this is a number written in another way, several of them, or what follows a quote that was not
/// closed: a mistake, which must not pass for a category.
fn is_no_word(text: &str) -> bool {
    let numbers = |text: &str| text.split_whitespace().all(|part| part.parse::<f32>().is_ok());
    text.contains('\n') || numbers(&text.replacen(',', ".", 1))
}

fn number(text: &str, missing: Missing) -> Cell {
    match text.parse() {
        _ if is_missing(text, missing) => Cell::Missing,
        Ok(value) => Cell::Value(value),
        Err(_) => Cell::NotANumber,
    }
}

/// Not a number is a value of its own as long as nobody asked to fill it in.
fn is_missing(text: &str, missing: Missing) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.is_empty() || MARKS.contains(&lower.as_str()) || missing == Missing::Mean && lower == "nan"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push_all(cells: &[&str], missing: Missing) -> (Vec<Cell>, Column) {
        let mut column = Column::Undecided;
        let pushed = cells.iter().map(|cell| column.push(cell.as_bytes(), missing)).collect();
        (pushed, column)
    }

    #[test]
    fn the_first_cell_that_is_there_decides() {
        let (cells, column) = push_all(&["", "2", "x", "NA", "4"], Missing::Mean);
        use Cell::{Missing as Gone, NotANumber, Value};
        assert_eq!(cells, [Gone, Value(2.0), NotANumber, Gone, Value(4.0)]);
        assert_eq!(column.finish(), Some((Content::Numbers { mean: 3.0 }, Vec::new())));
        let (cells, column) = push_all(&["b", "7", "a", "b", ""], Missing::Error);
        assert_eq!(cells, [Value(0.0), Value(1.0), Value(2.0), Value(0.0), Gone]);
        let words = ["7", "a", "b"].map(str::to_owned).to_vec();
        assert_eq!(column.finish(), Some((Content::Words { words }, vec![2, 0, 1])));
        assert_eq!(push_all(&["", "?"], Missing::Mean).1.finish(), None);
    }

    #[test]
    fn a_known_column_takes_new_words_for_none() {
        let words = vec!["a".to_owned(), "b".to_owned()];
        let mut column = Column::Known(Content::Words { words });
        assert_eq!(column.push(b"b", Missing::Error), Cell::Value(1.0));
        assert_eq!(column.push(b"c", Missing::Error), Cell::Missing);
    }

    #[test]
    fn not_a_number_is_missing_only_where_it_is_filled_in() {
        assert!(matches!(push_all(&["1", "nan"], Missing::Error).0[1], Cell::Value(v) if v.is_nan()));
        assert_eq!(push_all(&["1", "nan"], Missing::Mean).0[1], Cell::Missing);
    }
}

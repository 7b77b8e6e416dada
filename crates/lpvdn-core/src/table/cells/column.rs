//! The cells of one column, as they arrive.

use std::str::Utf8Error;

use crate::table::{
    Choice, ColumnType, Content, DateOrder, Decimal, Missing, Number, NumberColumn, Tally, Verdict,
    WordColumn, WordKind,
};

use super::given::Given;
use super::read::{date, is_missing, is_no_word, known_truth, known_word, number, put_number, truth, vector};
use super::{dates, numbers};

/// The raw cell of a word that is none of a model's.
const NO_WORD: f32 = -1.0;

/// A column while it is read. Its first rows decide what it holds: a later word among numbers is a mistake to be
/// reported, not a category.
#[derive(Debug)]
pub enum Column {
    /// Nothing but missing cells has come.
    Undecided {
        /// How many of them, while the column was read.
        missing: usize,
    },
    /// Numbers.
    Numbers(NumberColumn),
    /// Words: categories, or one of two that deny each other.
    Words(WordColumn),
    /// Points in time.
    Dates {
        /// In which order day, month and year are written, where the year is not the first.
        order: Option<DateOrder>,
        /// Day 0, in days since 1970-01-01.
        from: i32,
        /// The days that have come.
        days: NumberColumn,
    },
    /// Vectors of one length.
    Vectors {
        /// Of each number.
        tallies: Vec<Tally>,
    },
    /// Not read any further.
    Left(Verdict),
    /// As a model knows it.
    Known(Content),
}

/// What a cell is to its column.
#[derive(Debug, PartialEq)]
pub enum Cell {
    /// It is what its column holds.
    Taken,
    /// There is nothing in it, or a mark for nothing.
    Missing,
    /// A word that the model does not know.
    Unseen,
    /// A number that became infinite in 32 bits.
    Beyond,
    /// Something else in a column of numbers.
    NotANumber,
    /// Something else in a column of dates.
    NotADate,
    /// Text in another encoding.
    NotUtf8,
    /// Something else in a column of vectors.
    NotAVector {
        /// Their length.
        width: usize,
    },
    /// One word more than a column of categories may have.
    TooManyWords,
}

impl From<Utf8Error> for Cell {
    fn from(_: Utf8Error) -> Cell {
        Cell::NotUtf8
    }
}

/// How cells are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// What is done about missing values.
    pub missing: Missing,
    /// How fractions are written.
    pub decimal: Decimal,
}

impl Column {
    /// A column as the user says that it is.
    pub fn chosen(choice: Choice) -> Column {
        match choice.kind {
            Some(ColumnType::Number | ColumnType::Linear | ColumnType::Log) => {
                Column::Numbers(NumberColumn::new(false))
            }
            Some(ColumnType::Category | ColumnType::Boolean) => Column::Words(WordColumn::default()),
            // In which order dates are written is seen in the first rows.
            Some(ColumnType::Date | ColumnType::Ignore) | None => Column::Undecided { missing: 0 },
        }
    }

    /// Puts a number, the code of a word, or all of a vector to `out`, which holds no numbers before.
    pub fn push(&mut self, given: &Given<'_>, rules: Rules, out: &mut [f32]) -> Cell {
        self.put(given, rules, out).unwrap_or_else(|cell| cell)
    }

    /// Takes a finite number in a column of numbers, which most cells are. Everything else is for [`Column::push`].
    pub fn takes_number(&mut self, given: &Given<'_>, rules: Rules, out: &mut [f32]) -> bool {
        let (Column::Numbers(column), Given::Text(text)) = (self, given) else { return false };
        let number = std::str::from_utf8(text).ok().and_then(|text| numbers::parse(text, rules.decimal));
        let Some(number) = number.filter(|number| number.kept.is_finite()) else { return false };
        column.push(number);
        out[0] = number.kept;
        true
    }

    fn put(&mut self, given: &Given<'_>, rules: Rules, out: &mut [f32]) -> Result<Cell, Cell> {
        match self {
            Column::Undecided { missing } => {
                let holes = *missing;
                *self = by_first(given, rules).inspect_err(|cell| {
                    *missing += usize::from(*cell == Cell::Missing);
                })?;
                self.push_missing(holes);
                self.put(given, rules, out)
            }
            Column::Left(_) => Ok(Cell::Taken),
            Column::Numbers(column) => {
                let number = number(given, rules).inspect_err(|_| column.push_missing())?;
                let cell = put_number(number, rules.missing, out);
                if cell == Cell::Missing {
                    column.push_missing()
                } else {
                    column.push(number)
                }
                Ok(cell)
            }
            Column::Known(Content::Numbers { mean, .. }) => {
                let number = truth(given, *mean)?.map_or_else(|| number(given, rules), Ok)?;
                Ok(put_number(number, rules.missing, out))
            }
            Column::Dates { order, from, days } => {
                let day = date(given, *order, rules).inspect_err(|_| days.push_missing())?;
                let number = Number::from(day - f64::from(*from));
                days.push(number);
                out[0] = number.kept;
                Ok(Cell::Taken)
            }
            Column::Known(Content::Dates { from, order, .. }) => {
                out[0] = (date(given, *order, rules)? - f64::from(*from)) as f32;
                Ok(Cell::Taken)
            }
            Column::Words(column) => {
                let text = given.text()?;
                if is_missing(&text, rules.missing) {
                    column.push_missing();
                    return Err(Cell::Missing);
                }
                out[0] = column.push(&text).ok_or(Cell::TooManyWords)? as f32;
                Ok(Cell::Taken)
            }
            Column::Known(Content::Words { words, other, .. }) => {
                let text = given.text()?;
                if is_missing(&text, rules.missing) {
                    return Err(Cell::Missing);
                }
                let known = known_word(words, &text);
                let code = known.or_else(|| other.as_ref().map(|_| words.len()));
                out[0] = code.map_or(NO_WORD, |code| code as f32);
                Ok(if known.is_some() { Cell::Taken } else { Cell::Unseen })
            }
            Column::Known(Content::Booleans { no, yes, .. }) => {
                let text = given.text()?;
                if is_missing(&text, rules.missing) {
                    return Err(Cell::Missing);
                }
                let known = known_truth(&text, no, yes);
                out[0] = known.map_or(NO_WORD, |truth| f32::from(u8::from(truth)));
                Ok(if known.is_some() { Cell::Taken } else { Cell::Unseen })
            }
            Column::Known(Content::Vectors { .. }) => vector(given, rules.missing, out),
            Column::Vectors { tallies } => {
                let cell = vector(given, rules.missing, out);
                tallies.iter_mut().zip(out).for_each(|(tally, value)| tally.add(Number::from(*value)));
                cell
            }
        }
    }

    /// Cells that were missing before it was known what the column holds.
    fn push_missing(&mut self, count: usize) {
        for _ in 0..count {
            match self {
                Column::Numbers(column) => column.push_missing(),
                Column::Dates { days, .. } => days.push_missing(),
                Column::Words(column) => column.push_missing(),
                _ => {}
            }
        }
    }

    /// How many different words have come.
    pub fn words(&self) -> usize {
        match self {
            Column::Words(column) => column.len(),
            _ => 0,
        }
    }

    /// How many numbers stand for a cell.
    pub fn raw_width(&self) -> usize {
        match self {
            Column::Vectors { tallies } => tallies.len(),
            Column::Known(content) => content.raw_width(),
            _ => 1,
        }
    }

    /// Whether nothing but missing cells has come.
    pub fn is_blank(&self) -> bool {
        match self {
            Column::Undecided { .. } => true,
            Column::Vectors { tallies } => tallies.iter().all(Tally::is_empty),
            _ => false,
        }
    }

    /// Why it is left out, if it is. What the user speaks of is not, unless there is nothing.
    pub fn verdict(&self, choice: Choice, missing: Missing) -> Option<Verdict> {
        let verdict = match self {
            Column::Undecided { .. } => Some(Verdict::Empty),
            Column::Left(verdict) => Some(verdict.clone()),
            Column::Numbers(column) => column.verdict(),
            Column::Words(column) => column.verdict(missing),
            // A date for each day, one after the other, is no number of a row.
            Column::Dates { days, .. } => {
                days.verdict().filter(|verdict| matches!(verdict, Verdict::Constant(_) | Verdict::Empty))
            }
            Column::Vectors { tallies } => tallies.iter().all(Tally::is_empty).then_some(Verdict::Empty),
            Column::Known(_) => None,
        };
        let certain = |verdict: &Verdict| *verdict == Verdict::Empty || matches!(self, Column::Left(_));
        verdict.filter(|verdict| !choice.speaks() || certain(verdict))
    }

    /// What it holds, and for words the value of each code. `None` where nothing is known of it, or where truths are
    /// asked for and there are not two words.
    pub fn finish(self, choice: Choice, missing: Missing) -> Option<(Content, Vec<usize>)> {
        let kind = match choice.kind {
            Some(ColumnType::Category) => WordKind::Category,
            Some(ColumnType::Boolean) => WordKind::Boolean,
            _ => WordKind::Any,
        };
        match self {
            Column::Undecided { .. } | Column::Left(_) => None,
            Column::Numbers(column) => Some((column.content(), Vec::new())),
            Column::Words(column) => column.finish(kind, missing),
            Column::Dates { order, from, days } => {
                let mean = days.tally().mean();
                Some((Content::Dates { from, order, mean, fill: None }, Vec::new()))
            }
            Column::Vectors { tallies } => {
                let means = tallies.iter().map(Tally::mean).collect();
                Some((Content::Vectors { means }, Vec::new()))
            }
            Column::Known(content) => {
                // The code of a word is its place, of a truth the value itself.
                let codes = (0..content.width().max(2)).collect();
                Some((content, codes))
            }
        }
    }

    /// What is wrong with its numbers, if something is.
    pub fn doubt(&self) -> Option<String> {
        match self {
            Column::Numbers(column) => column.tally().doubt(),
            _ => None,
        }
    }
}

/// What a column holds, by its first cell that is not missing: of columns whose first rows are empty.
fn by_first(given: &Given<'_>, rules: Rules) -> Result<Column, Cell> {
    let (words, numbers) = (Column::Words(WordColumn::default()), Column::Numbers(NumberColumn::new(false)));
    match given.as_text()? {
        Some((text, _)) if is_missing(text, rules.missing) => Err(Cell::Missing),
        Some((text, declared)) => {
            let moment = dates::parse(text, None).filter(|moment| !moment.needs_order);
            Ok(match moment {
                Some(moment) => dates_from(moment.days),
                None if declared => words,
                None if numbers::parse(text, rules.decimal).is_some() => numbers,
                None if is_no_word(text) => return Err(Cell::NotANumber),
                None => words,
            })
        }
        None => match given {
            Given::Number(_) => Ok(numbers),
            Given::Date(days) => Ok(dates_from(*days)),
            Given::Truth(_) => Ok(Column::Words(WordColumn::truths())),
            _ => Err(Cell::Missing),
        },
    }
}

/// A column of dates, of which this is one: where there are times, days are counted from that one.
fn dates_from(days: f64) -> Column {
    let from = if days.fract() == 0.0 { 0 } else { days.floor() as i32 };
    Column::Dates { order: None, from, days: NumberColumn::new(false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILL: Rules = Rules { missing: Missing::Mean, decimal: Decimal::Point };
    const STRICT: Rules = Rules { missing: Missing::Error, decimal: Decimal::Point };

    /// What each cell is, and what it puts there.
    fn push_all(cells: &[Given<'_>], rules: Rules) -> (Vec<(Cell, f32)>, Column) {
        let mut column = Column::Undecided { missing: 0 };
        let push = |cell| {
            let mut out = [f32::NAN];
            (column.push(cell, rules, &mut out), out[0])
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
    fn where_nothing_else_is_known_the_first_cell_that_is_there_decides() {
        let (cells, column) = push_all(&texts(["", "2", "x", "NA", "4"]), FILL);
        assert_eq!(taken(&cells), [None, Some(2.0), None, None, Some(4.0)]);
        assert_eq!((&cells[2].0, &cells[3].0), (&Cell::NotANumber, &Cell::Missing));
        assert!(matches!(column, Column::Numbers(column) if column.content() == Content::numbers(3.0)));
        let (cells, column) = push_all(&texts(["b", "7", "a", "b", ""]), STRICT);
        assert_eq!(taken(&cells), [Some(0.0), Some(1.0), Some(2.0), Some(0.0), None]);
        assert_eq!(column.words(), 3);
        assert!(matches!(push_all(&texts(["", "?"]), FILL).1, Column::Undecided { missing: 2 }));
        let (cells, column) = push_all(&texts(["2024-03-01", "x"]), STRICT);
        assert_eq!((&cells[0], &cells[1].0), (&(Cell::Taken, 19_783.0), &Cell::NotADate));
        assert!(matches!(column, Column::Dates { .. }));
    }

    #[test]
    fn what_is_declared_a_word_is_none_of_the_numbers() {
        let (cells, column) = push_all(&["7", "5", "7", ""].map(Given::Word), FILL);
        assert_eq!(taken(&cells), [Some(0.0), Some(1.0), Some(0.0), None]);
        assert!(matches!(column, Column::Words(_)));
        let mut numbers = Column::Known(Content::numbers(0.0));
        let mut out = [f32::NAN];
        assert_eq!(numbers.push(&Given::Word("7"), STRICT, &mut out), Cell::Taken);
        assert_eq!(out, [7.0], "a model of numbers can read them from text");
    }

    #[test]
    fn a_known_column_takes_new_words_for_none_or_for_rare_ones() {
        let words = vec!["a".to_owned(), "b".to_owned()];
        let mut column = Column::Known(Content::words(words.clone()));
        let mut out = [f32::NAN];
        assert_eq!(column.push(&Given::Text(b"c"), STRICT, &mut out), Cell::Unseen);
        assert_eq!(out, [NO_WORD]);
        assert_eq!(column.push(&Given::Text(b"b"), STRICT, &mut out), Cell::Taken);
        assert_eq!(out, [1.0]);
        let other = Some("other".to_owned());
        let mut pooled = Column::Known(Content::Words { words, other, missing: None, fill: None });
        assert_eq!(pooled.push(&Given::Text(b"c"), STRICT, &mut out), Cell::Unseen);
        assert_eq!(out, [2.0]);
    }

    #[test]
    fn truths_are_known_however_they_are_written() {
        let words = ["False", "True"].map(str::to_owned).to_vec();
        let mut column = Column::Known(Content::words(words));
        for (text, code) in [("true", 1.0), ("FALSE", 0.0), ("True", 1.0)] {
            let mut out = [f32::NAN];
            assert_eq!(column.push(&Given::Word(text), STRICT, &mut out), Cell::Taken, "{text}");
            assert_eq!(out, [code], "{text}");
        }
        let mut colours = Column::Known(Content::words(vec!["Red".to_owned()]));
        assert_eq!(colours.push(&Given::Word("red"), STRICT, &mut [0.0]), Cell::Unseen);
        let mut numbers = Column::Known(Content::numbers(0.5));
        for (text, value) in [(&b"True"[..], 1.0), (b"false", 0.0), (b"0.25", 0.25)] {
            let mut out = [f32::NAN];
            assert_eq!(numbers.push(&Given::Text(text), STRICT, &mut out), Cell::Taken);
            assert_eq!(out, [value]);
        }
        let mut ages = Column::Known(Content::numbers(40.0));
        assert_eq!(ages.push(&Given::Text(b"True"), STRICT, &mut [0.0]), Cell::NotANumber);
    }

    #[test]
    fn a_model_of_truths_knows_its_words_the_usual_ones_and_numbers() {
        let of = |no: &str, yes: &str, given: Given<'_>| {
            let mut column = Column::Known(Content::Booleans {
                no: no.to_owned(),
                yes: yes.to_owned(),
                mean: 0.5,
                fill: None,
            });
            let mut out = [f32::NAN];
            (column.push(&given, STRICT, &mut out), out[0])
        };
        for given in [Given::Text(b"YES"), Given::Truth(true), Given::Number(1.0), Given::Word("t")] {
            assert_eq!(of("no", "yes", given), (Cell::Taken, 1.0));
        }
        assert_eq!(of("no", "yes", Given::Text(b"0")), (Cell::Taken, 0.0));
        assert_eq!(of("no", "yes", Given::Text(b"maybe")), (Cell::Unseen, NO_WORD));
        // Of two words that are no usual pair, only these are known.
        assert_eq!(of("f", "m", Given::Text(b"F")), (Cell::Taken, 0.0));
        assert_eq!(of("f", "m", Given::Text(b"true")), (Cell::Unseen, NO_WORD));
    }

    #[test]
    fn dates_are_read_by_a_model_as_they_were_written() {
        let mut column = Column::Known(Content::Dates {
            from: 19_783,
            order: Some(DateOrder::DayFirst),
            mean: 0.0,
            fill: None,
        });
        for (given, value) in [
            (Given::Text(b"02/03/2024"), 1.0),
            (Given::Text(b"2024-03-01T12:00"), 0.5),
            (Given::Date(19_785.25), 2.25),
        ] {
            let mut out = [f32::NAN];
            assert_eq!(column.push(&given, STRICT, &mut out), Cell::Taken);
            assert_eq!(out, [value]);
        }
        assert_eq!(column.push(&Given::Number(3.0), STRICT, &mut [0.0]), Cell::NotADate);
        assert_eq!(column.push(&Given::Text(b"12/31/2024"), STRICT, &mut [0.0]), Cell::NotADate);
        assert_eq!(column.push(&Given::Text(b""), STRICT, &mut [0.0]), Cell::Missing);
    }

    #[test]
    fn not_a_number_is_missing_only_where_it_is_filled_in() {
        let kept = push_all(&texts(["1", "nan"]), STRICT).0;
        assert!(kept[1].0 == Cell::Taken && kept[1].1.is_nan());
        assert_eq!(push_all(&texts(["1", "nan"]), FILL).0[1].0, Cell::Missing);
        let numbers = [Given::Number(1.0), Given::Number(f64::NAN)];
        assert_eq!(push_all(&numbers, FILL).0[1].0, Cell::Missing);
    }

    #[test]
    fn a_vector_has_the_length_of_its_column() {
        let mut column = Column::Vectors { tallies: vec![Tally::default(); 2] };
        let whole = |numbers| Given::Vector { numbers, gaps: false };
        let mut out = [f32::NAN; 2];
        assert_eq!(column.push(&whole(&[1.0, 2.0]), STRICT, &mut out), Cell::Taken);
        assert_eq!(out, [1.0, 2.0]);
        let mut out = [f32::NAN; 2];
        assert_eq!(column.push(&whole(&[1.0]), STRICT, &mut out), Cell::NotAVector { width: 2 });
        assert_eq!(column.push(&Given::Nothing, STRICT, &mut out), Cell::Missing);
        let gap = Given::Vector { numbers: &[f32::NAN, 4.0], gaps: true };
        assert_eq!(column.push(&gap, STRICT, &mut [f32::NAN; 2]), Cell::Missing);
        assert_eq!(column.push(&gap, FILL, &mut [f32::NAN; 2]), Cell::Taken);
        let Column::Vectors { tallies } = column else { panic!("vectors") };
        assert_eq!(tallies.iter().map(Tally::mean).collect::<Vec<_>>(), [1.0, 10.0 / 3.0]);
    }
}

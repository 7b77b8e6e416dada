//! What columns hold, by the cells of the first rows.

use std::collections::HashSet;

use crate::table::{
    Choice, ColumnType, DateOrder, Decimal, FEWEST_ROWS, Missing, NumberColumn, Verdict, WordColumn,
};

use super::column::{Column, Rules};
use super::dates::{self, Moment};
use super::given::{Given, quoted};
use super::numbers::Both;
use super::read::{is_missing, is_no_word};

/// As many rows decide what a column holds.
pub const DECIDING: usize = 1_000;
/// Texts have at least as many letters on average, and as many words.
const TEXT_LETTERS: usize = 25;
const TEXT_WORDS: usize = 4;

/// What the first cells of a column are.
#[derive(Debug, Default)]
pub struct Profile {
    /// Those that are not missing.
    cells: usize,
    /// Numbers, by how fractions are written.
    points: usize,
    commas: usize,
    /// Numbers that can be read in one way only.
    only_point: usize,
    only_comma: usize,
    /// Numbers that mean something else in either way.
    ambiguous: usize,
    /// Numbers with a point that would separate thousands if a comma separated fractions, one of them, and whether there
    /// are numbers from 100 on without a point next to them, as there are hardly among fractions.
    grouped: usize,
    example: Option<String>,
    hundreds: bool,
    /// Whether the first cell is a number, by how fractions are written.
    first: [bool; 2],
    /// The first cell is a number, or a mistake rather than a word.
    no_word: bool,
    truths: usize,
    moments: Moments,
    /// Whether the first cell is a date.
    first_moment: bool,
    text: TextStats,
}

#[derive(Debug, Default)]
struct Moments {
    count: usize,
    day_first: bool,
    month_first: bool,
    needs_order: bool,
    /// The first of them that is written in either order.
    example: Option<String>,
    least: Option<f64>,
    with_time: bool,
}

#[derive(Debug, Default)]
struct TextStats {
    letters: usize,
    words: usize,
    different: usize,
}

/// What is said about a column that was decided.
#[derive(Debug, PartialEq)]
pub enum Remark {
    /// Dates whose day and month cannot be told apart.
    Order(String),
    /// Numbers with a comma that may mean either.
    Thousands,
    /// Numbers with a point that may mean either, one of which is this.
    Fractions(String),
}

impl Remark {
    /// What is said of this column.
    pub fn sentence(&self, column: &str) -> String {
        match self {
            Remark::Order(example) => format!(
                "column {column} holds dates such as {}, of which day and month cannot be told apart, and is read as \
                 words; write them as 2024-03-31",
                quoted(example.as_bytes())
            ),
            Remark::Fractions(example) => format!(
                "column {column}: numbers such as {example} are read as fractions, though all have three digits after the \
                 point and others have none"
            ),
            Remark::Thousands => {
                format!("column {column}: every comma in its numbers is taken to separate thousands")
            }
        }
    }
}

/// What is said of cells whose numbers 32 bits do not hold.
pub fn beyond(count: usize, rows: usize, column: &str, first: &str) -> String {
    format!(
        "{count} of {rows} cells of column {column} are beyond what 32-bit numbers hold (the first: {first}); \
         write them in another unit"
    )
}

/// What is said of cells with words that are not in the training rows.
pub fn unseen(count: usize, rows: usize, column: &str, first: &str) -> String {
    format!(
        "{count} of {rows} cells of column {column} hold words that the model has not seen (the first: {first})"
    )
}

impl Profile {
    /// Of the cells of a column.
    pub fn of<'a>(cells: impl Iterator<Item = Given<'a>>, missing: Missing) -> Profile {
        let mut profile = Profile::default();
        let mut different = HashSet::new();
        for given in cells {
            match &given {
                Given::Nothing | Given::Vector { .. } => continue,
                Given::Number(number) if number.is_nan() && missing.fills() => continue,
                Given::Number(_) => profile.count_number(),
                Given::Date(days) => {
                    profile.moments.add(Moment { days: *days, order: None, needs_order: false }, "");
                }
                Given::Truth(_) => profile.truths += 1,
                Given::Text(_) | Given::Word(_) => {
                    // What is not UTF-8 is reported when it is read.
                    let (text, declared) = given.as_text().ok().flatten().unwrap_or(("\u{fffd}", true));
                    if is_missing(text, missing) {
                        continue;
                    }
                    profile.add_text(text, declared, &mut different);
                }
            }
            profile.cells += 1;
        }
        profile.text.different = different.len();
        profile
    }

    fn count_number(&mut self) {
        self.points += 1;
        self.commas += 1;
        if self.cells == 0 {
            self.first = [true; 2];
        }
    }

    fn add_text(&mut self, text: &str, declared: bool, different: &mut HashSet<String>) {
        if let Some(moment) = dates::parse(text, None) {
            self.first_moment |= self.cells == 0;
            self.moments.add(moment, text);
        }
        let both = if declared { Both::default() } else { Both::of(text) };
        self.points += usize::from(both.point);
        self.commas += usize::from(both.comma);
        self.only_point += usize::from(both.says == Some(Decimal::Point));
        self.only_comma += usize::from(both.says == Some(Decimal::Comma));
        self.ambiguous += usize::from(both.ambiguous);
        if both.points {
            self.grouped += 1;
            self.example.get_or_insert_with(|| text.to_owned());
        }
        self.hundreds |= both.point && text.len() >= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        if self.cells == 0 {
            (self.first, self.no_word) = ([both.point, both.comma], !declared && is_no_word(text));
        }
        if !both.point {
            self.text.letters += text.chars().count();
            self.text.words += text.split_whitespace().count();
            different.insert(text.to_owned());
        }
    }

    /// Whether the first cell is a number, if fractions are written so.
    fn begins_with_number(&self, decimal: Decimal) -> bool {
        self.first[usize::from(decimal == Decimal::Comma)]
    }

    /// Whether the column holds numbers, if fractions are written so.
    fn holds_numbers(&self, decimal: Decimal) -> bool {
        let count = if decimal == Decimal::Comma { self.commas } else { self.points };
        nearly_all(count, self.cells, self.begins_with_number(decimal))
    }

    /// Whether the column holds dates, in which order, and from which day they are counted.
    fn dates(&self) -> Option<Result<(Option<DateOrder>, i32), Remark>> {
        let moments = &self.moments;
        let declared = moments.count == self.cells && moments.count > 0;
        if !(declared || nearly_all(moments.count, self.cells, self.first_moment)) {
            return None;
        }
        let order = match (moments.needs_order, moments.day_first, moments.month_first) {
            (false, ..) => None,
            (true, true, false) => Some(DateOrder::DayFirst),
            (true, false, true) => Some(DateOrder::MonthFirst),
            (true, true, true) => return None,
            (true, false, false) => {
                return Some(Err(Remark::Order(moments.example.clone().unwrap_or_default())));
            }
        };
        let first = moments.least.unwrap_or(0.0).floor() as i32;
        Some(Ok((order, if moments.with_time { first } else { 0 })))
    }

    /// What may have been meant otherwise about the signs in numbers.
    fn doubtful(&self, decimal: Decimal) -> Option<Remark> {
        // Enough to know that it is no chance that all have three digits after the point.
        const FEWEST: usize = 5;
        if self.ambiguous == self.cells {
            return Some(Remark::Thousands);
        }
        let fractions =
            decimal == Decimal::Point && self.only_point == 0 && self.grouped >= FEWEST && self.hundreds;
        self.example.clone().filter(|_| fractions).map(Remark::Fractions)
    }

    fn is_text(&self) -> bool {
        let TextStats { letters, words, different } = self.text;
        self.cells >= FEWEST_ROWS
            && 2 * different > self.cells
            && letters >= TEXT_LETTERS * self.cells
            && words >= TEXT_WORDS * self.cells
    }

    /// What the column holds, unless nothing is known of it; `ids` says whether its name is that of ids.
    pub fn decide(&self, choice: Choice, rules: Rules, ids: bool) -> (Column, Option<Remark>) {
        // What the user says holds even if the first rows say nothing.
        if self.cells == 0 && choice.kind != Some(ColumnType::Date) {
            return (Column::Undecided { missing: 0 }, None);
        }
        let numbers = || Column::Numbers(NumberColumn::new(ids));
        if let Some(dates) = self.dates() {
            match dates {
                Ok((order, from)) => {
                    return (Column::Dates { order, from, days: NumberColumn::new(false) }, None);
                }
                Err(_) if choice.kind == Some(ColumnType::Date) => {}
                Err(remark) => return (Column::Words(WordColumn::default()), Some(remark)),
            }
        }
        if choice.kind == Some(ColumnType::Date) {
            // Its first cell that is none is reported when it is read.
            return (Column::Dates { order: None, from: 0, days: NumberColumn::new(false) }, None);
        }
        if self.truths == self.cells {
            return (Column::Words(WordColumn::truths()), None);
        }
        if self.holds_numbers(rules.decimal) {
            return (numbers(), self.doubtful(rules.decimal));
        }
        match () {
            () if self.no_word && !self.begins_with_number(rules.decimal) => (numbers(), None),
            () if self.is_text() => (Column::Left(Verdict::Text), None),
            () => (Column::Words(WordColumn::default()), None),
        }
    }
}

impl Moments {
    fn add(&mut self, moment: Moment, text: &str) {
        self.count += 1;
        self.needs_order |= moment.needs_order;
        self.day_first |= moment.order == Some(DateOrder::DayFirst);
        self.month_first |= moment.order == Some(DateOrder::MonthFirst);
        if moment.needs_order && self.example.is_none() {
            self.example = Some(text.to_owned());
        }
        self.with_time |= moment.days.fract() != 0.0;
        self.least = Some(self.least.map_or(moment.days, |least| least.min(moment.days)));
    }
}

/// Of few cells, the first one decides, unless most are otherwise. Of many, four in five do: a column of numbers with
/// some other words has mistakes in it, one of words may begin with a number.
fn nearly_all(count: usize, cells: usize, first: bool) -> bool {
    if cells < FEWEST_ROWS { first && 2 * count >= cells } else { 5 * count >= 4 * cells }
}

/// How fractions are written in a table with such columns, if its numbers tell: with a point, if any says so.
pub fn decimal_of(profiles: &[Profile]) -> Option<Decimal> {
    let comma = |profile: &Profile| profile.only_comma > 0 && profile.holds_numbers(Decimal::Comma);
    let point = |profile: &Profile| profile.only_point > 0 && profile.holds_numbers(Decimal::Point);
    match () {
        () if profiles.iter().any(point) => Some(Decimal::Point),
        () if profiles.iter().any(comma) => Some(Decimal::Comma),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(cells: &[&str]) -> Profile {
        Profile::of(cells.iter().map(|cell| Given::Text(cell.as_bytes())), Missing::Mean)
    }

    fn decided(cells: &[&str]) -> Column {
        profile(cells).decide(Choice::default(), Rules::default(), false).0
    }

    fn repeated<'a>(cells: &[&'a str], times: usize) -> Vec<&'a str> {
        cells.iter().copied().cycle().take(cells.len() * times).collect()
    }

    #[test]
    fn four_cells_in_five_make_a_column_of_numbers_whatever_the_first_is() {
        assert!(matches!(decided(&["unknown", "1", "2", "3"]), Column::Words(_)), "few: the first decides");
        assert!(matches!(decided(&["2", "x"]), Column::Numbers(_)));
        assert!(matches!(decided(&["2", "x", "y"]), Column::Words(_)));
        let many = [&["unknown"][..], &repeated(&["1", "2.5"], 20)].concat();
        assert!(matches!(decided(&many), Column::Numbers(_)));
        assert!(matches!(decided(&repeated(&["12345", "1A2B"], 20)), Column::Words(_)));
        assert!(matches!(decided(&repeated(&["3", "3 rooms"], 20)), Column::Words(_)));
        assert!(matches!(decided(&["", "?", "NA"]), Column::Undecided { missing: 0 }));
    }

    #[test]
    fn dates_are_known_by_their_form_and_their_order_by_days_above_12() {
        let order = |cells: &[&str]| match decided(cells) {
            Column::Dates { order, .. } => Some(order),
            _ => None,
        };
        assert_eq!(order(&["2024-03-01", "2023-01-31"]), Some(None));
        assert_eq!(order(&["01/02/2024", "31/12/2024"]), Some(Some(DateOrder::DayFirst)));
        assert_eq!(order(&["01/02/2024", "12/31/2024"]), Some(Some(DateOrder::MonthFirst)));
        assert_eq!(order(&["31/12/2024", "12/31/2024"]), None, "either order");
        assert_eq!(order(&["01/02/2024", "03/04/2024"]), None, "no order");
        let (_, remark) = profile(&["01/02/2024"]).decide(Choice::default(), Rules::default(), false);
        assert_eq!(remark, Some(Remark::Order("01/02/2024".to_owned())));
    }

    #[test]
    fn days_are_counted_from_the_first_where_there_are_times() {
        let from = |cells: &[&str]| match decided(cells) {
            Column::Dates { from, .. } => Some(from),
            _ => None,
        };
        assert_eq!(from(&["2024-03-02", "2024-03-01"]), Some(0));
        assert_eq!(from(&["2024-03-02 10:00", "2024-03-01 23:00"]), Some(19_783));
    }

    #[test]
    fn sentences_are_text_and_short_words_are_not() {
        let sentences: Vec<String> =
            (0..30).map(|i| format!("the parcel number {i} came late and was damaged")).collect();
        let sentences: Vec<&str> = sentences.iter().map(String::as_str).collect();
        assert!(matches!(decided(&sentences), Column::Left(Verdict::Text)));
        assert!(matches!(decided(&repeated(&sentences[..3], 10)), Column::Words(_)), "a few that come again");
        assert!(matches!(decided(&sentences[..19]), Column::Words(_)), "too few to know");
    }

    #[test]
    fn a_comma_is_decimal_where_numbers_say_so_and_none_says_otherwise() {
        let decimal = |columns: &[&[&str]]| {
            let profiles: Vec<Profile> = columns.iter().map(|cells| profile(cells)).collect();
            decimal_of(&profiles)
        };
        assert_eq!(decimal(&[&["1,5", "2,25"], &["1.234", "7"]]), Some(Decimal::Comma));
        assert_eq!(decimal(&[&["1,5", "2,25"][..], &["1.5"]]), Some(Decimal::Point));
        assert_eq!(decimal(&[&["1,234", "5,678"]]), None);
        assert_eq!(decimal(&[&["a", "b", "1,5"][..], &["12"]]), None, "a column of words says nothing");
        let (column, remark) =
            profile(&["1,234", "5,678"]).decide(Choice::default(), Rules::default(), false);
        assert!(matches!(column, Column::Numbers(_)) && remark == Some(Remark::Thousands));
        let plain = profile(&["1,234", "999"]).decide(Choice::default(), Rules::default(), false);
        assert_eq!(plain.1, None);
    }

    #[test]
    fn a_point_may_separate_thousands_where_large_numbers_have_none() {
        let remark = |cells: &[&str]| {
            let profile = profile(cells);
            let decimal = decimal_of(std::slice::from_ref(&profile)).unwrap_or_default();
            profile.decide(Choice::default(), Rules { decimal, ..Rules::default() }, false).1
        };
        let german = ["17.811", "948", "3.204", "1.000", "12.500", "7.125"];
        assert_eq!(remark(&german), Some(Remark::Fractions("17.811".to_owned())));
        assert_eq!(remark(&["17.811", "948", "3.2", "1.000", "12.500", "7.125"]), None, "one has one digit");
        assert_eq!(remark(&["1.811", "3.204", "1.250", "2.500", "7.125"]), None, "none is large");
        assert_eq!(remark(&["0.811", "948", "0.204", "0.250", "0.500", "0.125"]), None, "below 1");
    }

    #[test]
    fn a_number_in_another_form_is_a_mistake_and_no_category() {
        assert!(matches!(decided(&["1.0 2.0", "3.0 4.0"]), Column::Numbers(_)), "whose cells are refused");
        assert!(matches!(decided(&["$5", "$1,200"]), Column::Numbers(_)));
    }
}

//! Columns whose first rows are empty, more of them than decide what a column holds.
#![allow(missing_docs)]

mod common;

use common::{Folder, says, values};
use lpvdn_data::{Missing, OpenOptions, Opened, Reading, read};

/// Rows without a value in the later columns, and all rows.
const EMPTY: usize = 1_500;
const ROWS: usize = 2_000;

/// A column of numbers, and one that begins late.
fn table(late: impl Fn(usize) -> String) -> String {
    let cell = |i: usize| if i < EMPTY { String::new() } else { late(i - EMPTY) };
    let rows: String = (0..ROWS).map(|i| format!("{},{}\n", i * 7 % 31, cell(i))).collect();
    format!("a,late\n{rows}")
}

fn opened(text: &str, missing: Missing) -> Opened {
    let mut options = OpenOptions::default();
    options.missing = missing;
    read(Folder::new().file("a.csv", text), &options).unwrap_or_else(|e| panic!("{e}"))
}

/// The second value of the first row and of the last.
fn ends(opened: &Opened) -> (f32, f32) {
    let all = values(&opened.data);
    (all.row(0)[1], all.row(ROWS - 1)[1])
}

#[test]
fn the_empty_cells_are_counted_and_filled_in() {
    // Numbers that rise by one, which without the empty cells would count the rows.
    let text = table(|i| (i + 1).to_string());
    for (missing, fill) in [(Missing::Mean, 250.5), (Missing::Median, 250.5), (Missing::MostFrequent, 1.0)] {
        let opened = opened(&text, missing);
        assert_eq!(opened.data.cols(), 2, "{missing:?}: {:?}", opened.notes);
        let holes: Vec<usize> = opened.missing.iter().map(|column| column.count).collect();
        assert_eq!(holes, [EMPTY], "{missing:?}");
        assert_eq!(ends(&opened), (fill, 500.0), "{missing:?}");
    }
}

#[test]
fn they_are_refused_where_nothing_is_filled_in() {
    for late in [|i: usize| (i + 1).to_string(), |i: usize| ["red", "blue", "green"][i % 3].to_owned()] {
        let message = Folder::new().refusal_with("a.csv", table(late), &OpenOptions::default());
        says(&message, &["line 2", "\"late\"", "the cell is empty"]);
    }
}

#[test]
fn empty_cells_of_words_become_a_category() {
    let text = table(|i| ["red", "blue", "green"][i % 3].to_owned());
    let opened = opened(&text, Missing::Category);
    assert_eq!(opened.data.cols(), 5, "a number, three words, and what is missing");
    assert_eq!(opened.missing.iter().map(|column| column.count).sum::<usize>(), EMPTY);
    assert_eq!(values(&opened.data).row(0)[4], 1.0, "the first row has none");
}

#[test]
fn a_single_word_says_something_where_it_can_be_missing() {
    let opened = opened(&table(|_| "late".to_owned()), Missing::Category);
    assert_eq!(opened.data.cols(), 3, "{:?}", opened.notes);
}

#[test]
fn a_column_that_is_said_to_hold_dates_does_so_however_late_they_come() {
    let text = table(|i| format!("2024-03-{:02}", 1 + i % 28));
    let mut options = OpenOptions::default();
    options.missing = Missing::Mean;
    options.columns.kinds = vec!["late=date".parse().expect("a kind")];
    let opened = read(Folder::new().file("a.csv", &text), &options).unwrap_or_else(|e| panic!("{e}"));
    let Some(Reading::Table(reading)) = &opened.reading else { panic!("a table") };
    assert_eq!(reading.columns.len(), 2);
    assert_eq!(opened.missing.iter().map(|column| column.count).sum::<usize>(), EMPTY);
    let message = Folder::new().refusal_with("a.csv", table(|_| "soon".to_owned()), &options);
    says(&message, &["soon", "line 1502", "date"]);
}

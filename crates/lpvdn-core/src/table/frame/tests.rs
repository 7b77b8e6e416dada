//! What becomes of frames.

use super::*;
use crate::source::Batch;
use crate::table::{ColumnType, Missing};
use crate::table::{FrameColumn, FrameValue};

fn numbers(name: &str, cells: impl IntoIterator<Item = f64>) -> FrameColumn {
    FrameColumn { name: Some(name.into()), cells: FrameCells::Numbers(cells.into_iter().collect()) }
}

fn words(name: &str, cells: &[&str]) -> FrameColumn {
    let values = cells.iter().map(|word| FrameValue::Word((*word).into())).collect();
    let places = (0..cells.len() as i32).map(|i| if cells[i as usize].is_empty() { -1 } else { i });
    let cells = FrameCells::Values { places: places.collect(), values };
    FrameColumn { name: Some(name.into()), cells }
}

fn frame(columns: Vec<FrameColumn>) -> Frame {
    Frame::new(columns).expect("columns of one length")
}

fn values(table: &FrameTable) -> Vec<Vec<f32>> {
    let mut batch = Batch::Dense(Matrix::zeros(0, table.rows.cols()));
    let indices: Vec<u32> = (0..table.rows.rows() as u32).collect();
    table.rows.gather(&indices, &mut batch).expect("rows in memory");
    let Batch::Dense(rows) = batch else { panic!("dense rows") };
    rows.iter_rows().map(<[f32]>::to_vec).collect()
}

fn filling(missing: Missing) -> Wanted {
    Wanted { missing, ..Wanted::default() }
}

#[test]
fn a_model_reads_another_frame_alike_wherever_its_columns_stand() {
    let first = frame(vec![
        numbers("n", [1.0, f64::NAN, 3.0]),
        words("city", &["Jena", "Ulm", ""]),
        words("news", &["yes", "no", "yes"]),
        words("day", &["2024-03-01", "2024-03-02", "2024-03-01"]),
    ]);
    let table = first.read(&filling(Missing::Mean)).expect("a table");
    assert_eq!(table.names(), ["n", "city=Jena", "city=Ulm", "news", "day"]);
    let rows =
        [[1.0, 1.0, 0.0, 1.0, 19_783.0], [2.0, 0.0, 1.0, 0.0, 19_784.0], [3.0, 0.0, 0.0, 1.0, 19_783.0]];
    assert_eq!(values(&table), rows.map(|row| row.to_vec()));
    assert_eq!(table.missing, [("n".to_owned(), 1), ("city".to_owned(), 1)]);
    let other = frame(vec![
        words("day", &["2024-03-02"]),
        words("x", &["?"]),
        words("news", &["No"]),
        words("city", &["Bonn"]),
        numbers("n", [f64::NAN]),
    ]);
    let like = other.read_like(&table.reading).expect("a table");
    assert_eq!(values(&like), [[2.0, 0.0, 0.0, 0.0, 19_784.0].to_vec()]);
    assert_eq!(like.notes.len(), 1);
    assert!(like.notes[0].contains("column \"city\" hold words that the model has not seen"));
    let without = frame(vec![words("city", &["Ulm"])]);
    let error = without.read_like(&table.reading).err();
    assert_eq!(error, Some(FrameError::Absent { column: "\"n\"".into() }));
}

#[test]
fn of_columns_with_one_name_the_place_decides() {
    let twice = |a: f64, b: f64| frame(vec![numbers("a", [a, a + 2.0]), numbers("a", [b, b + 1.0])]);
    let table = twice(1.0, 5.0).read(&Wanted::default()).expect("a table");
    let like = twice(2.0, 7.0).read_like(&table.reading).expect("a table");
    assert_eq!(values(&like), [vec![2.0, 7.0], vec![4.0, 8.0]]);
}

#[test]
fn columns_that_are_all_missing_are_left_out_and_others_are_refused() {
    let nothing = || numbers("none", [f64::NAN; 3]);
    let table = frame(vec![nothing(), numbers("a", [1.0, 2.0, 4.0])]).read(&Wanted::default());
    assert_eq!(table.expect("a table").left_out, ["none"]);
    let holes = frame(vec![nothing(), numbers("a", [1.0, f64::NAN, 4.0])]).read(&Wanted::default());
    assert_eq!(holes.err(), Some(FrameError::Missing { column: "\"a\"".into(), row: 1 }));
    let all = frame(vec![nothing()]).read(&Wanted::default()).err();
    assert!(matches!(all, Some(FrameError::NothingLeft { columns }) if columns.contains("no values at all")));
}

#[test]
fn numbers_keep_the_digits_that_32_bits_do_not_hold() {
    let far: Vec<f64> = (0..30).map(|i| 1e9 + f64::from(i % 7)).collect();
    let table = frame(vec![numbers("t", far)]).read(&Wanted::default()).expect("a table");
    let mut batch = Batch::Dense(Matrix::zeros(0, 1));
    table.rows.gather_from(&[1e9], &[3, 6], &mut batch).expect("rows");
    assert!(matches!(batch, Batch::Dense(rows) if rows.as_slice() == [3.0, 6.0]));
}

#[test]
fn what_stands_for_missing_numbers_keeps_these_digits() {
    let far = |i: u32| 1.7e9 + 70.0 + f64::from(i % 7) / 4.0;
    let cells = (0..40).map(|i| if i % 10 == 9 { f64::NAN } else { far(i) });
    let frame = frame(vec![numbers("t", cells)]);
    for missing in [Missing::Mean, Missing::Median, Missing::MostFrequent, Missing::Category] {
        let table = frame.read(&filling(missing)).expect("a table");
        let from = |table: &FrameTable| {
            let mut batch = Batch::Dense(Matrix::zeros(0, 1));
            table.rows.gather_from(&[1.7e9], &[9], &mut batch).expect("rows");
            let Batch::Dense(rows) = batch else { panic!("dense rows") };
            rows.as_slice()[0]
        };
        assert!((70.0..=71.5).contains(&from(&table)), "{missing:?}: {}", from(&table));
        assert_eq!(from(&frame.read_like(&table.reading).expect("a table")), from(&table));
    }
}

#[test]
fn rows_that_32_bits_hold_are_those_of_a_file() {
    let years = (0..30).map(|i| if i % 9 == 0 { 2023.0 } else { 2024.0 });
    let table = frame(vec![numbers("year", years)]).read(&Wanted::default()).expect("a table");
    assert!(!table.rows.rounds());
    let far = (0..30).map(|i| 1e9 + f64::from(i % 7) + 0.5);
    let table = frame(vec![numbers("t", far)]).read(&Wanted::default()).expect("a table");
    assert!(table.rows.rounds());
}

#[test]
fn columns_of_an_array_all_stay() {
    let columns = || {
        vec![
            numbers("counter", (0..30).map(f64::from)),
            numbers("constant", [5.0; 30]),
            numbers("none", [f64::NAN; 30]),
            numbers("x", (0..30).map(|i| f64::from(i * i % 11))),
        ]
    };
    let all = Wanted { keep_all: true, ..filling(Missing::Mean) };
    let table = frame(columns()).read(&all).expect("a table");
    assert_eq!(table.names(), ["counter", "constant", "none", "x"]);
    assert!(table.notes.is_empty() && table.left_out.is_empty());
    let said = Wanted { kinds: vec![("x".into(), ColumnType::Ignore)], ..filling(Missing::Mean) };
    let error = frame(columns()).read(&said).err();
    assert!(matches!(error, Some(FrameError::NothingLeft { .. })));
}

#[test]
fn vectors_are_vectors() {
    let cells = FrameCells::Vectors(Matrix::from_fn(30, 2, |i, j| (i * (j + 1)) as f32));
    let frame = frame(vec![FrameColumn { name: Some("v".into()), cells }]);
    let kinds = vec![("v".to_owned(), ColumnType::Log)];
    let error = frame.read(&Wanted { kinds, ..Wanted::default() }).err();
    assert_eq!(error, Some(FrameError::Vectors { column: "\"v\"".into(), kind: "log" }));
}

#[test]
fn what_the_user_says_decides() {
    let frame = frame(vec![numbers("zip", [1.0, 2.0, 1.0]), words("price", &["$5", "$1,200", "$7"])]);
    let wanted = Wanted {
        kinds: vec![("zip".into(), ColumnType::Category), ("price".into(), ColumnType::Log)],
        weights: vec![("price".into(), 2.0)],
        ..Wanted::default()
    };
    let table = frame.read(&wanted).expect("a table");
    assert_eq!(table.names(), ["zip=1", "zip=2", "price"]);
    assert_eq!(values(&table)[1], [0.0, 1.0, 1200.0]);
    assert_eq!(table.groups()[1].weight, 2.0);
    let kinds = vec![("prize".to_owned(), ColumnType::Log)];
    let error = frame.read(&Wanted { kinds, ..Wanted::default() }).err();
    assert!(matches!(error, Some(FrameError::NoColumn { known, .. }) if known == "\"zip\", \"price\""));
    let kinds = vec![("price".to_owned(), ColumnType::Boolean)];
    let error = frame.read(&Wanted { kinds, ..Wanted::default() }).err();
    assert_eq!(error, Some(FrameError::NoTruth { column: "\"price\"".into() }));
}

#[test]
fn columns_of_other_lengths_are_refused() {
    let error = Frame::new(vec![numbers("a", [1.0]), numbers("b", [])]).err();
    assert_eq!(error, Some(FrameError::Lengths { column: "\"b\"".into(), cells: 0, rows: 1 }));
}

//! Rows that stay on the disk are those that would have been read.
#![allow(missing_docs)]

mod common;

use std::path::PathBuf;

use common::{Folder, npy, says, values};
use lpvdn_core::{Batch, Dataset, Matrix};
use lpvdn_data::{Missing, OpenOptions, open, read};
use proptest::prelude::*;

/// Nothing is held in memory but a block.
fn on_disk() -> OpenOptions {
    let mut options = OpenOptions::default();
    options.memory = Some(0);
    options
}

/// 32-bit floats that tell where they are.
fn floats(rows: usize, cols: usize) -> Vec<u8> {
    let values = (0..rows * cols).flat_map(|i| (i as f32).to_le_bytes()).collect::<Vec<u8>>();
    npy("<f4", &format!("({rows}, {cols})"), &values)
}

#[test]
fn every_type_and_byte_order_is_read_alike() {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut streamed = 0;
    for entry in std::fs::read_dir(fixtures).expect("fixtures") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "npy") {
            continue;
        }
        let (held, there) = (open(&path, &OpenOptions::default()), open(&path, &on_disk()));
        match (held, there) {
            (Ok(held), Ok(there)) => {
                assert_eq!(values(&there), values(&held), "{}", path.display());
                assert_eq!(there.source.is_bytes(), held.source.is_bytes(), "{}", path.display());
                streamed += usize::from(there.source.memory() != held.source.memory());
            }
            (held, there) => assert_eq!(
                held.expect_err("refused").to_string(),
                there.expect_err("refused").to_string(),
                "{}",
                path.display()
            ),
        }
    }
    assert!(streamed > 5, "{streamed}");
}

#[test]
fn a_column_of_labels_is_taken_out() {
    let folder = Folder::new();
    let path = folder.file("a.npy", floats(700, 3));
    for column in ["0", "1", "-1"] {
        let held = open(&path, &OpenOptions::default().label_column(column)).expect("rows");
        let there = open(&path, &on_disk().label_column(column)).expect("rows");
        assert_eq!(values(&there), values(&held));
        assert_eq!(there.labels, held.labels);
    }
}

/// Seconds that 32 bits cannot tell apart are exact as seen from one of them, wherever the rows are.
#[test]
fn digits_beyond_32_bits_are_there_when_rows_are_seen_from_an_origin() {
    let folder = Folder::new();
    let seconds = |i: u32| 1_700_000_000 + i64::from(i);
    let bytes = |of: fn(i64) -> Vec<u8>| (0..700).flat_map(|i| of(seconds(i))).collect::<Vec<u8>>();
    let doubles = npy("<f8", "(350, 2)", &bytes(|s| (s as f64).to_le_bytes().to_vec()));
    let whole = npy(">i8", "(350, 2)", &bytes(|s| s.to_be_bytes().to_vec()));
    for (name, content) in [("doubles.npy", doubles), ("whole.npy", whole)] {
        let path = folder.file(name, content);
        for options in [OpenOptions::default(), on_disk()] {
            let data = open(&path, &options).expect("rows");
            let mut batch = Batch::for_source(data.source.as_ref());
            let origin = [1.7e9, 1.7e9 + 0.5];
            data.source.gather_from(&origin, &[349, 1], &mut batch).expect("rows");
            assert_eq!(batch, Batch::Dense(Matrix::from_vec(vec![698.0, 698.5, 2.0, 2.5], 2, 2)), "{name}");
            assert!(data.source.rounds());
        }
    }
}

#[test]
fn what_is_kept_is_bounded_and_stated() {
    let folder = Folder::new();
    let path = folder.file("a.npy", floats(100_000, 16));
    let mut options = OpenOptions::default();
    options.memory = Some(4 << 20);
    let data = open(&path, &options).expect("rows");
    assert!((500_000..=1 << 20).contains(&data.source.memory()), "{}", data.source.memory());
    assert_eq!(values(&data), values(&open(&path, &OpenOptions::default()).expect("rows")));
}

#[test]
fn sizes_that_do_not_fit_the_header_are_refused_before_any_row_is_read() {
    let folder = Folder::new();
    for (name, change) in [("short", -1_i64), ("long", 1)] {
        let mut bytes = floats(100, 7);
        bytes.resize((bytes.len() as i64 + change) as usize, 0);
        let path = folder.file(&format!("{name}.npy"), bytes);
        let message = |options: &OpenOptions| open(&path, options).expect_err("refused").to_string();
        assert_eq!(message(&on_disk()), message(&OpenOptions::default()));
    }
}

#[test]
fn a_file_that_is_cut_while_it_is_used_is_an_error_that_names_the_rows() {
    let folder = Folder::new();
    let path = folder.file("a.npy", floats(5_000, 64));
    let data = open(&path, &on_disk()).expect("rows");
    std::fs::OpenOptions::new().write(true).open(&path).and_then(|f| f.set_len(500_000)).expect("cut");
    let mut batch = Batch::for_source(data.source.as_ref());
    data.source.gather(&[0, 1023], &mut batch).expect("the first block is still there");
    let message = data.source.gather(&[0, 4_999], &mut batch).expect_err("gone").to_string();
    says(&message, &["a.npy", "rows 4097 to 5000", "must stay as it is"]);
}

fn gathered(data: &Dataset, indices: &[u32]) -> Batch {
    let mut batch = Batch::for_source(data.source.as_ref());
    data.source.gather(indices, &mut batch).expect("rows");
    batch
}

/// Every fixture of a format that can be kept on the disk is read alike from there.
#[test]
fn every_format_is_read_alike_with_and_without_memory() {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut away = std::collections::BTreeMap::<String, usize>::new();
    for folder in ["columns", "sparse"] {
        for entry in std::fs::read_dir(fixtures.join(folder)).expect("fixtures") {
            let path = entry.expect("an entry").path();
            for missing in [Missing::Error, Missing::Mean] {
                let mut held = OpenOptions::default();
                held.missing = missing;
                let mut there = held.clone();
                there.memory = Some(0);
                let shown = path.display();
                match (read(&path, &held), read(&path, &there)) {
                    (Ok(held), Ok(there)) => {
                        assert_eq!(gathered_all(&there.data), gathered_all(&held.data), "{shown}");
                        assert_eq!(there.data.labels, held.data.labels, "{shown}");
                        assert_eq!(there.data.ids, held.data.ids, "{shown}");
                        assert_eq!(there.data.columns, held.data.columns, "{shown}");
                        assert_eq!(there.reading, held.reading, "{shown}");
                        assert_eq!(there.missing, held.missing, "{shown}");
                        let format = path.extension().unwrap_or_default().to_string_lossy().into_owned();
                        let moved = there.data.source.memory() != held.data.source.memory();
                        *away.entry(format).or_default() += usize::from(moved);
                    }
                    (held, there) => {
                        let message =
                            |e: Result<_, lpvdn_data::DataError>| e.map(|_| ()).map_err(|e| e.to_string());
                        assert_eq!(message(held), message(there), "{shown}");
                    }
                }
            }
        }
    }
    let there = if cfg!(feature = "parquet") { &["npz", "parquet", "arrow"][..] } else { &["npz"] };
    for format in there {
        assert!(away.get(*format).is_some_and(|count| *count > 0), "{format}: {away:?}");
    }
}

fn gathered_all(data: &Dataset) -> String {
    // As text, for which what is not a number equals itself.
    format!("{:?}", gathered(data, &(0..data.rows() as u32).collect::<Vec<_>>()))
}

#[test]
fn a_packed_array_is_unpacked_onto_the_disk() {
    let folder = Folder::new();
    let plain = floats(3_000, 5);
    let held = open(folder.file("a.npy", &plain), &OpenOptions::default()).expect("rows");
    let there =
        open(folder.file("a.npy.gz", common::gzip(&plain)), &on_disk().label_column("2")).expect("rows");
    assert_eq!((there.rows(), there.cols()), (3_000, 4));
    assert_eq!(there.labels.as_ref().map(|l| l.names.len()), Some(3_000));
    assert_eq!(values(&there).row(7)[..2], values(&held).row(7)[..2]);
    let message = folder.refusal_with("cut.npy.gz", common::gzip(&plain[..plain.len() - 9]), &on_disk());
    says(&message, &["cut short"]);
}

/// A table with numbers, words, gaps, labels and names.
fn any_table() -> impl Strategy<Value = String> {
    let number = prop_oneof![4 => (-9_i32..9).prop_map(|n| n.to_string()), 1 => Just(String::new())];
    let word = prop_oneof!["[a-d]", Just(String::new())];
    let row = (number.clone(), word.clone(), number, word, 0_u8..3);
    prop::collection::vec(row, 1..400).prop_map(|rows| {
        let mut text = String::from("a,b,c,d,class,name\n1,x,2,y,0,first\n");
        for (i, (a, b, c, d, class)) in rows.into_iter().enumerate() {
            text.push_str(&format!("{a},{b},{c},{d},{class},row{i}\n"));
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_table_is_read_alike_with_little_memory(text in any_table(), memory in 0_u64..20_000) {
        let folder = Folder::new();
        let path = folder.file("a.csv", &text);
        let mut held = OpenOptions::default().label_column("class");
        held.id_column = Some("name".to_owned());
        held.missing = Missing::Mean;
        let mut there = held.clone();
        there.memory = Some(memory);
        let (held, there) = (read(&path, &held).expect("rows"), read(&path, &there).expect("rows"));
        prop_assert_eq!(gathered_all(&there.data), gathered_all(&held.data));
        prop_assert_eq!((there.data.labels, there.data.ids), (held.data.labels, held.data.ids));
        prop_assert_eq!((there.reading, there.missing), (held.reading, held.missing));
    }

    #[test]
    fn any_sparse_rows_are_read_alike_with_little_memory(
        rows in prop::collection::vec(prop::collection::btree_map(0_u32..40, -9_i32..9, 0..12), 1..300),
        memory in 0_u64..20_000,
        wanted in prop::collection::vec(0_usize..10_000, 0..50),
    ) {
        let folder = Folder::new();
        let line = |row: &std::collections::BTreeMap<u32, i32>| {
            let pairs: Vec<String> = row.iter().map(|(j, v)| format!("{}:{v}", j + 1)).collect();
            format!("1 {}\n", pairs.join(" "))
        };
        let text: String = ["2 1:1 40:1\n".to_owned()].into_iter().chain(rows.iter().map(line)).collect();
        let path = folder.file("a.svm", text);
        let mut options = OpenOptions::default();
        let held = open(&path, &options).expect("rows");
        options.memory = Some(memory);
        let there = open(&path, &options).expect("rows");
        let wanted: Vec<u32> = wanted.iter().map(|w| (w % held.rows()) as u32).collect();
        prop_assert_eq!(gathered(&there, &wanted), gathered(&held, &wanted));
        prop_assert_eq!(there.source.row_values(), held.source.row_values());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_rows_in_any_order_with_any_cache(
        cols in 1_usize..300,
        memory in 0_u64..3_000_000,
        wanted in prop::collection::vec(prop::collection::vec(0_u32..3_000, 0..200), 1..6),
    ) {
        let folder = Folder::new();
        let path = folder.file("a.npy", floats(3_000, cols));
        let mut options = OpenOptions::default();
        options.memory = Some(memory);
        let there = open(&path, &options).expect("rows");
        let held = open(&path, &OpenOptions::default()).expect("rows");
        for indices in wanted {
            prop_assert_eq!(gathered(&there, &indices), gathered(&held, &indices));
        }
    }
}

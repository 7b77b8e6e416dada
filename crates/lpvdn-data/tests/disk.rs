//! Rows that stay on the disk are those that would have been read.
#![allow(missing_docs)]

mod common;

use std::path::PathBuf;

use common::{Folder, npy, says, values};
use lpvdn_core::{Batch, Dataset};
use lpvdn_data::{OpenOptions, open};
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

//! IDX files and folders of them.
#![allow(missing_docs)]

mod common;

use common::{Folder, gzip, idx, large_data, says, values};
use lpvdn_data::{OpenOptions, open};

#[test]
fn images_become_rows_of_bytes() {
    let folder = Folder::new();
    let data =
        folder.open("images-idx3-ubyte", idx(8, &[2, 2, 2], &[1, 2, 3, 4, 5, 6, 7, 255])).expect("rows");
    assert_eq!((data.rows(), data.cols(), data.source.is_bytes()), (2, 4, true));
    assert_eq!(values(&data).row(1), [5.0, 6.0, 7.0, 255.0]);
}

#[test]
fn every_type_is_read_big_endian() {
    let folder = Folder::new();
    let numbers = [-2_i8, 3, 100, -100];
    let encoded: [(u8, Vec<u8>); 5] = [
        (0x09, numbers.iter().flat_map(|&n| n.to_be_bytes()).collect()),
        (0x0b, numbers.iter().flat_map(|&n| i16::from(n).to_be_bytes()).collect()),
        (0x0c, numbers.iter().flat_map(|&n| i32::from(n).to_be_bytes()).collect()),
        (0x0d, numbers.iter().flat_map(|&n| f32::from(n).to_be_bytes()).collect()),
        (0x0e, numbers.iter().flat_map(|&n| f64::from(n).to_be_bytes()).collect()),
    ];
    for (code, payload) in encoded {
        let data = folder.open("a.idx", idx(code, &[2, 2], &payload)).expect("rows");
        assert_eq!(values(&data).as_slice(), [-2.0, 3.0, 100.0, -100.0], "{code:#x}");
        assert!(!data.source.is_bytes());
    }
}

/// `rows` images of 2×1 pixels that begin at `start`, and their labels.
fn write_part(folder: &Folder, part: &str, start: u8, labels: &[u8], packed: bool) {
    let rows = labels.len() as u32;
    let pixels: Vec<u8> = (start..).take(2 * labels.len()).collect();
    let files = [
        (format!("{part}-images-idx3-ubyte"), idx(8, &[rows, 2, 1], &pixels)),
        (format!("{part}-labels-idx1-ubyte"), idx(8, &[rows], labels)),
    ];
    for (name, bytes) in files {
        match packed {
            true => folder.file(&format!("{name}.gz"), gzip(&bytes)),
            false => folder.file(&name, bytes),
        };
    }
}

#[test]
fn a_folder_gives_the_training_rows_then_the_test_rows_packed_or_not() {
    for packed in [false, true] {
        let folder = Folder::new();
        write_part(&folder, "t10k", 100, &[7], packed);
        write_part(&folder, "train", 0, &[10, 2, 2], packed);
        folder.file("README.md", "not data");
        let data = open(folder.path(), &OpenOptions::default()).expect("rows");
        assert_eq!(values(&data).as_slice(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 100.0, 101.0]);
        let labels = data.labels.expect("labels");
        assert_eq!(labels.names, ["2", "7", "10"]);
        assert_eq!(labels.codes, [2, 0, 0, 1]);
    }
}

#[test]
fn a_file_and_its_compressed_twin_are_read_once() {
    let folder = Folder::new();
    write_part(&folder, "train", 0, &[1, 2], true);
    write_part(&folder, "train", 0, &[1, 2], false);
    assert_eq!(open(folder.path(), &OpenOptions::default()).expect("rows").rows(), 2);
}

#[test]
fn labels_that_a_float_would_merge_stay_apart() {
    let folder = Folder::new();
    let labels: Vec<u8> = [16_777_216, 16_777_217_i32].iter().flat_map(|n| n.to_be_bytes()).collect();
    folder.file("train-images-idx3-ubyte", idx(8, &[2, 1, 1], &[1, 2]));
    folder.file("train-labels-idx1-int", idx(0x0c, &[2], &labels));
    let data = open(folder.path(), &OpenOptions::default()).expect("rows");
    assert_eq!(data.labels.expect("labels").names, ["16777216", "16777217"]);
}

#[test]
fn a_file_that_only_hints_at_idx_is_it_if_it_begins_so() {
    let folder = Folder::new();
    folder.file("idx0.txt", "some words");
    folder.file("idx1.txt", "some words more");
    let texts = open(folder.path(), &OpenOptions::default()).expect("texts");
    assert!(texts.source.is_sparse());
    folder.file("rows.idx", idx(8, &[2, 1], &[1, 2]));
    assert_eq!(values(&open(folder.path(), &OpenOptions::default()).expect("rows")).as_slice(), [1.0, 2.0]);
}

#[test]
fn images_without_labels_are_read_without() {
    let folder = Folder::new();
    folder.file("train-images.idx3-ubyte", idx(8, &[1, 1, 2], &[1, 2]));
    folder.file("test-images.idx3-ubyte", idx(0x0c, &[1, 2], &[0, 0, 1, 0, 255, 255, 255, 255]));
    let data = open(folder.path(), &OpenOptions::default()).expect("rows");
    assert!(data.labels.is_none());
    assert_eq!(values(&data).as_slice(), [1.0, 2.0, 256.0, -1.0]);
}

#[test]
fn files_that_do_not_belong_together_are_named() {
    let refusal = |prepare: &dyn Fn(&Folder)| {
        let folder = Folder::new();
        write_part(&folder, "train", 0, &[1, 2], false);
        prepare(&folder);
        let message = open(folder.path(), &OpenOptions::default()).expect_err("refused").to_string();
        says(&message, &[&folder.path().display().to_string()]);
        message
    };
    let images = |rows, cols| idx(8, &[rows, cols], &vec![0; (rows * cols) as usize]);
    let message = refusal(&|f| {
        f.file("train-labels-idx1-ubyte", idx(8, &[3], &[1, 2, 3]));
    });
    says(&message, &["train-labels-idx1-ubyte has 3 labels", "train-images-idx3-ubyte has 2 rows"]);
    let message = refusal(&|f| {
        f.file("t10k-images-idx2-ubyte", images(1, 2));
    });
    says(&message, &["t10k-images-idx2-ubyte has no labels file"]);
    let message = refusal(&|f| {
        f.file("t10k-images-idx2-ubyte", images(1, 5));
        f.file("t10k-labels-idx1-ubyte", idx(8, &[1], &[1]));
    });
    says(&message, &["rows of 2 values", "of 5"]);
    let message = refusal(&|f| {
        f.file("t10k-labels-idx1-ubyte", idx(8, &[1], &[1]));
    });
    says(&message, &["no images file for t10k-labels-idx1-ubyte"]);
    let message = refusal(&|f| write_part(f, "letters-train", 0, &[1], false));
    says(&message, &["more than one data set", "letters-train-images-idx3-ubyte", "a folder for each"]);
}

#[test]
fn folders_without_idx_files_are_refused() {
    let refusal = |name: &str| {
        let folder = Folder::new();
        folder.file(name, "x");
        open(folder.path(), &OpenOptions::default()).expect_err("refused").to_string()
    };
    says(&refusal("notes.md"), &["no IDX files", "train-images-idx3-ubyte"]);
    // A text beside them is a text about them.
    let folder = Folder::new();
    folder.file("a.idx", idx(8, &[2, 1], &[3, 4]));
    folder.file("README.txt", "About these images.");
    assert_eq!(open(folder.path(), &OpenOptions::default()).expect("rows").cols(), 1);
    let part = if cfg!(feature = "images") { "not a usable picture" } else { "no reader" };
    says(&refusal("a.png"), &[part]);
}

#[test]
fn damaged_files_are_named() {
    let folder = Folder::new();
    says(&folder.refusal("a.idx", idx(8, &[5], &[0; 5])), &["labels file", "images file"]);
    says(&folder.refusal("a.idx", idx(8, &[0, 5], &[])), &["no rows"]);
    says(&folder.refusal("a.idx", idx(8, &[5, 0], &[])), &["no columns"]);
    says(&folder.refusal("a.idx", idx(8, &[], &[])), &["no dimensions"]);
    says(&folder.refusal("a.idx", idx(0x0a, &[1, 1], &[0])), &["0x0a", "0x08 (u8)"]);
    says(&folder.refusal("a.idx", "text"), &["two zero bytes"]);
    says(&folder.refusal("a.idx", idx(8, &[2, 2], &[0; 5])), &["goes on"]);
    let asked = OpenOptions::default().label_column("0");
    says(&folder.refusal_with("a.idx", idx(8, &[2, 2], &[0; 4]), &asked), &["label column", "folder"]);
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let folder = Folder::new();
    for code in [0x08, 0x0e] {
        let whole = idx(code, &[2, 1, 2], &[0; 32][..if code == 8 { 4 } else { 32 }]);
        assert!(folder.open("whole.idx", &whole).is_ok());
        for end in 0..whole.len() {
            assert!(folder.open("cut.idx", &whole[..end]).is_err(), "{end} bytes");
        }
    }
}

#[test]
fn mnist_has_the_rows_and_classes_it_is_known_for() {
    let Some(folder) = large_data("mnist") else { return };
    let data = open(folder, &OpenOptions::default()).expect("MNIST");
    assert_eq!((data.rows(), data.cols(), data.source.is_bytes()), (70_000, 784, true));
    assert_eq!(data.source.memory(), 70_000 * 784);
    let labels = data.labels.expect("labels");
    assert_eq!(labels.names, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    let mut counts = [0; 10];
    labels.codes.iter().for_each(|&c| counts[c as usize] += 1);
    assert_eq!(counts, [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]);
    // The first training and the first test image are a five and a seven.
    assert_eq!((labels.codes[0], labels.codes[60_000]), (5, 7));
}

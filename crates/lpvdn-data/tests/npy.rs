//! NPY files: those NumPy wrote, those written here, and damaged ones.
#![allow(missing_docs)]

mod common;

use std::path::PathBuf;

use common::{Folder, gzip, npy, says, values};
use lpvdn_core::Matrix;
use lpvdn_data::{OpenOptions, open, write_npy};

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

#[test]
fn every_type_byte_order_layout_and_version_that_numpy_writes_gives_the_same_matrix() {
    let mut count = 0;
    for entry in std::fs::read_dir(fixtures()).expect("fixtures") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.extension().is_none_or(|e| e != "npy") || name.starts_with("refused") {
            continue;
        }
        let data = open(&path, &OpenOptions::default()).expect("a readable fixture");
        let expected = Matrix::from_fn(3, 4, |i, j| match &name {
            bool if bool.ends_with("_bool") => ((i + j) % 2) as f32,
            signed if signed.ends_with("_signed") => -((10 * i + j) as f32),
            _ => (10 * i + j) as f32,
        });
        assert_eq!(values(&data), expected, "{name}");
        let bytes = name.starts_with("u1") || name.ends_with("_bool");
        assert_eq!(data.source.is_bytes(), bytes, "{name}");
        count += 1;
    }
    assert_eq!(count, 53, "fixtures are missing: run make.py");
}

#[test]
fn arrays_that_are_no_table_are_refused_with_a_remedy() {
    for (name, parts) in [
        ("1d", &["1-dimensional", "5 values", "reshape(-1, 1)", "reshape(1, -1)"][..]),
        ("0d", &["single number", "rows × columns"]),
        ("no_rows", &["no rows"]),
        ("no_columns", &["no columns"]),
        ("complex", &["<c8", "astype('float32')"]),
        ("text", &["<U3", "astype('float32')"]),
        ("records", &["records", "structured_to_unstructured"]),
    ] {
        let path = fixtures().join(format!("refused_{name}.npy"));
        let message = open(path, &OpenOptions::default()).expect_err("no table").to_string();
        says(&message, parts);
        says(&message, &[name]);
    }
}

#[test]
fn a_written_matrix_is_read_back_bit_for_bit() {
    let folder = Folder::new();
    let path = folder.path().join("embedding.npy");
    let special = [f32::NAN, f32::INFINITY, -0.0, f32::MIN_POSITIVE / 2.0, 1.0 / 3.0];
    for (rows, cols) in [(1, 1), (3, 5), (20_000, 3), (7, 9_999)] {
        let matrix = Matrix::from_fn(rows, cols, |i, j| special[(i + 2 * j) % 5] + (i * j) as f32);
        write_npy(&path, &matrix).expect("written");
        let back = values(&open(&path, &OpenOptions::default()).expect("readable"));
        assert_eq!((back.rows(), back.cols()), (rows, cols));
        let bits = |m: &Matrix<f32>| m.as_slice().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back), bits(&matrix));
    }
}

#[test]
fn the_written_header_is_numpys_own() {
    let folder = Folder::new();
    let path = folder.path().join("a.npy");
    write_npy(&path, &Matrix::from_fn(3, 4, |i, j| (10 * i + j) as f32)).expect("written");
    let numpy = std::fs::read(fixtures().join("f4_little_C.npy")).expect("a fixture");
    assert_eq!(std::fs::read(&path).expect("readable"), numpy);
}

#[test]
fn a_label_column_is_split_off() {
    let folder = Folder::new();
    let file = npy("|u1", "(3, 3)", &[1, 2, 9, 3, 4, 10, 5, 6, 9]);
    let data = folder.open_with("a.npy", &file, &OpenOptions::default().label_column("-1")).expect("a table");
    assert_eq!(values(&data).as_slice(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert!(data.source.is_bytes());
    let labels = data.labels.expect("labels");
    assert_eq!((labels.names, labels.codes), (vec!["9".into(), "10".into()], vec![0, 1, 0]));
    let message = folder.refusal_with("a.npy", &file, &OpenOptions::default().label_column("class"));
    says(&message, &["\"class\"", "0 to 2"]);
    let single = npy("|u1", "(3, 1)", &[1, 2, 3]);
    says(
        &folder.refusal_with("b.npy", single, &OpenOptions::default().label_column("0")),
        &["no columns of values", "besides the labels"],
    );
}

#[test]
fn labels_that_a_float_would_merge_stay_apart_in_memory_in_any_order_and_on_the_disk() {
    let folder = Folder::new();
    // Three rows of a value, a class and a value.
    let rows = [[1, 16_777_216, 2], [3, 16_777_217, 4], [5, 16_777_216, 6_i64]];
    let by_rows: Vec<u8> = rows.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let by_columns: Vec<u8> = (0..9).flat_map(|i: usize| rows[i % 3][i / 3].to_le_bytes()).collect();
    let c_order = npy("<i8", "(3, 3)", &by_rows);
    let at = c_order.windows(5).position(|five| five == b"False").expect("the order of the dimensions");
    let fortran =
        [&c_order[..at], b"True ", &c_order[at + 5..c_order.len() - by_rows.len()], &by_columns].concat();
    let doubles: Vec<u8> = rows.iter().flatten().flat_map(|&v| (v as f64).to_le_bytes()).collect();
    let held = OpenOptions::default().label_column("1");
    let mut on_disk = held.clone();
    on_disk.memory = Some(0);
    for (file, options) in [
        (&c_order, &held),
        (&c_order, &on_disk),
        (&fortran, &held),
        (&npy("<f8", "(3, 3)", &doubles), &held),
        (&npy("<f8", "(3, 3)", &doubles), &on_disk),
    ] {
        let data = folder.open_with("a.npy", file, options).expect("a table");
        assert_eq!(values(&data).as_slice(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let labels = data.labels.expect("labels");
        assert_eq!((labels.names.join(" "), labels.codes), ("16777216 16777217".into(), vec![0, 1, 0]));
    }
}

#[test]
fn a_file_cut_anywhere_is_an_error_and_so_is_one_byte_more() {
    let folder = Folder::new();
    let whole = npy("<f4", "(2, 2)", &[0; 16]);
    assert!(folder.open("whole.npy", &whole).is_ok());
    for end in 0..whole.len() {
        assert!(folder.open("cut.npy", &whole[..end]).is_err(), "{end} bytes");
    }
    let message = folder.refusal("cut.npy", &whole[..whole.len() - 1]);
    says(&message, &["cut short", &whole.len().to_string(), &(whole.len() - 1).to_string()]);
    let longer = [&whole[..], b"x"].concat();
    says(&folder.refusal("long.npy", &longer), &["goes on"]);
    says(&folder.refusal("long.npy.gz", gzip(&longer)), &["goes on"]);
}

#[test]
fn a_compressed_file_cut_anywhere_or_damaged_is_an_error() {
    let folder = Folder::new();
    let whole = gzip(&npy("<f4", "(2, 2)", &[7; 16]));
    assert_eq!(folder.open("whole.npy.gz", &whole).expect("readable").rows(), 2);
    for end in 0..whole.len() {
        assert!(folder.open("cut.npy.gz", &whole[..end]).is_err(), "{end} bytes");
    }
    says(&folder.refusal("cut.npy.gz", &whole[..whole.len() - 3]), &["compressed data", "cut short"]);
    let mut damaged = whole.clone();
    let checksum = damaged.len() - 6;
    damaged[checksum] ^= 1;
    says(&folder.refusal("damaged.npy.gz", damaged), &["compressed data", "damaged"]);
}

#[test]
fn versions_and_beginnings_that_are_not_known_are_named() {
    let folder = Folder::new();
    let mut version = npy("<f4", "(2, 2)", &[0; 16]);
    version[6] = 4;
    says(&folder.refusal("version.npy", version), &["version 4.0", "1 to 3"]);
    says(&folder.refusal("text.npy", "1,2\n3,4\n"), &["NUMPY"]);
}

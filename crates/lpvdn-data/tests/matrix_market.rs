//! Matrix Market files: those SciPy wrote, those written here, and damaged ones.
#![allow(missing_docs)]

mod common;

use common::{Folder, any_sparse, entries, gzip, says, sparse_fixture, sparse_values, values, zstd};
use lpvdn_core::Matrix;
use lpvdn_data::{OpenOptions, open};
use proptest::prelude::*;

const REAL: &str = "%%MatrixMarket matrix coordinate real general\n";
const ARRAY: &str = "%%MatrixMarket matrix array real general\n";

/// What make_sparse.py puts into the fixture of this name.
fn expected(name: &str) -> Matrix<f32> {
    let base = sparse_values();
    let lower = |i: usize, j: usize| base.row(i.max(j))[i.min(j)];
    match name.split_once('_').expect("a kind").1 {
        "whole" => Matrix::from_fn(6, 9, |i, j| base.row(i)[j].floor()),
        "pattern" => Matrix::from_fn(6, 9, |i, j| f32::from(u8::from(base.row(i)[j] != 0.0))),
        "symmetric" => Matrix::from_fn(6, 6, lower),
        "skew" => Matrix::from_fn(6, 6, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => -lower(i, j),
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => lower(i, j),
        }),
        _ => base,
    }
}

#[test]
fn every_layout_type_and_symmetry_that_scipy_writes_gives_the_same_matrix() {
    for name in ["real", "whole", "pattern", "symmetric", "skew", "twice"] {
        let name = format!("coordinate_{name}");
        let data = open(sparse_fixture(&format!("{name}.mtx")), &OpenOptions::default()).expect("readable");
        let wanted = expected(&name);
        assert_eq!(values(&data), wanted, "{name}");
        assert_eq!(entries(&data), wanted.as_slice().iter().filter(|v| **v != 0.0).count(), "{name}");
    }
    for name in ["real", "whole", "symmetric", "skew"] {
        let name = format!("array_{name}");
        let data = open(sparse_fixture(&format!("{name}.mtx")), &OpenOptions::default()).expect("readable");
        assert_eq!((values(&data), data.source.is_sparse()), (expected(&name), false), "{name}");
    }
}

#[test]
fn complex_numbers_are_refused_with_a_remedy() {
    for (name, word) in [("refused_complex", "complex"), ("refused_hermitian", "complex")] {
        let path = sparse_fixture(&format!("{name}.mtx"));
        let message = open(path, &OpenOptions::default()).expect_err("complex").to_string();
        says(&message, &[name, "line 1", word, "abs(scipy.io.mmread('in.mtx'))"]);
    }
}

#[test]
fn entries_of_one_cell_are_added_and_zeros_are_not_stored() {
    let text = format!("{REAL}2 3 5\n2 1 1\n1 3 2\n2 1 0.5\n1 1 3\n1 1 -3\n");
    let data = Folder::new().open("a.mtx", text).expect("a matrix");
    assert_eq!(values(&data), Matrix::from_vec(vec![0.0, 0.0, 2.0, 1.5, 0.0, 0.0], 2, 3));
    assert_eq!(entries(&data), 2);
}

#[test]
fn the_size_is_that_of_the_header_and_empty_rows_are_rows() {
    let data = Folder::new().open("a.mtx", format!("{REAL}% none\n4 5 0\n")).expect("a matrix");
    assert_eq!((data.rows(), data.cols(), entries(&data)), (4, 5, 0));
}

#[test]
fn values_that_are_infinite_or_no_numbers_are_kept() {
    let data = Folder::new().open("a.mtx", format!("{REAL}1 2 2\n1 1 nan\n1 2 -inf\n")).expect("a matrix");
    let found = values(&data);
    assert!(found.as_slice()[0].is_nan() && found.as_slice()[1] == f32::NEG_INFINITY);
}

#[test]
fn a_file_is_recognised_by_its_first_words_under_any_name() {
    let folder = Folder::new();
    let text = "%%matrixmarket MATRIX Coordinate Integer General\r\n%\r\n\r\n1 1 1\r\n1 1 7\r\n";
    for name in ["a.csv", "a", "a.bin"] {
        assert_eq!(values(&folder.open(name, text).expect("a matrix")).as_slice(), [7.0]);
    }
    says(&folder.refusal("a.mtx", "1,2\n"), &["%%MatrixMarket"]);
}

#[test]
fn an_entry_that_cannot_be_read_is_named_with_its_line() {
    let folder = Folder::new();
    for (bad, parts) in [
        ("0 1 5", &["\"0\"", "row", "1 to 3"][..]),
        ("1 0 5", &["\"0\"", "column", "1 to 4"]),
        ("4 1 5", &["\"4\"", "row", "1 to 3"]),
        ("1 5 5", &["\"5\"", "column", "1 to 4"]),
        ("-1 1 5", &["\"-1\"", "row"]),
        ("4294967297 1 5", &["\"4294967297\"", "row"]),
        ("99999999999999999999 1 5", &["row"]),
        ("1.5 1 5", &["\"1.5\"", "row"]),
        ("1 1 x", &["\"x\"", "not a number"]),
        ("1 1", &["\"1 1\"", "row column value"]),
        ("1", &["\"1\"", "row column value"]),
        ("1 1 5 6", &["\"1 1 5 6\"", "row column value"]),
    ] {
        let message = folder.refusal("a.mtx", format!("{REAL}%\n3 4 2\n1 1 1\n{bad}\n"));
        says(&message, parts);
        says(&message, &["line 5"]);
    }
    let pattern = REAL.replace("real", "pattern");
    says(&folder.refusal("a.mtx", format!("{pattern}1 1 1\n1 1 1\n")), &["line 3", "row column"]);
    let skew = REAL.replace("general", "skew-symmetric");
    says(&folder.refusal("a.mtx", format!("{skew}2 2 1\n2 2 1\n")), &["line 3", "diagonal"]);
    says(&folder.refusal("a.mtx", format!("{ARRAY}1 2\n1\nx\n")), &["line 4", "\"x\""]);
}

#[test]
fn too_few_and_too_many_entries_are_refused() {
    let folder = Folder::new();
    says(&folder.refusal("a.mtx", format!("{REAL}2 2 3\n1 1 1\n2 2 1\n")), &["after 2 entries", "3 are"]);
    let more = folder.refusal("a.mtx", format!("{REAL}2 2 1\n1 1 1\n\n2 2 1\n"));
    says(&more, &["line 5", "more than the 1 entries"]);
    says(&folder.refusal("a.mtx", format!("{ARRAY}2 2\n1\n2\n3\n")), &["after 3 cells", "4 are"]);
    says(&folder.refusal("a.mtx", format!("{ARRAY}2 2\n1\n2\n3\n4\n5\n")), &["line 7", "4 cells"]);
}

#[test]
fn sizes_that_are_no_sizes_are_refused_on_their_line() {
    let folder = Folder::new();
    for (size, part) in [
        ("", "ends before"),
        ("2 2", "three whole numbers"),
        ("a b c", "three whole numbers"),
        ("2 -2 1", "three whole numbers"),
        ("0 2 0", "0 rows"),
        ("2 0 0", "0 columns"),
        ("4294967296 2 0", "4294967296 rows"),
        ("2 10000001 0", "at most 10000000 are"),
    ] {
        says(&folder.refusal("a.mtx", format!("{REAL}{size}\n")), &["line", part]);
    }
    says(&folder.refusal("a.mtx", REAL.replace("general", "symmetric") + "2 3 0\n"), &["symmetric"]);
    // As many rows as u32 counts, but nothing in them.
    says(
        &folder.refusal("a.mtx", format!("{REAL}4294967295 2 1\n1 1 1\n")),
        &["4294967295 rows", "1 entries"],
    );
    says(&folder.refusal("a.mtx", ""), &["empty"]);
}

#[test]
fn one_column_and_fifty_thousand_are_read() {
    let folder = Folder::new();
    let one = folder.open("a.mtx", format!("{ARRAY}3 1\n1\n2\n3\n")).expect("a matrix");
    assert_eq!(values(&one).as_slice(), [1.0, 2.0, 3.0]);
    let lines: String = (1..=50_000).map(|j| format!("{} {j} {j}\n", 1 + j % 2)).collect();
    let wide = folder.open("a.mtx", format!("{REAL}2 50000 50000\n{lines}")).expect("a matrix");
    assert_eq!((wide.rows(), wide.cols(), entries(&wide)), (2, 50_000, 50_000));
    assert_eq!(values(&wide).row(0)[49_999], 50_000.0);
}

#[test]
fn a_label_column_is_split_off_from_either_layout() {
    let folder = Folder::new();
    let options = OpenOptions::default().label_column("-1");
    let sparse = format!("{REAL}3 3 4\n1 1 5\n1 3 2\n2 3 1\n3 2 6\n");
    let array = format!("{ARRAY}3 3\n5\n0\n0\n0\n0\n6\n2\n1\n0\n");
    for text in [&sparse, &array] {
        let data = folder.open_with("a.mtx", text, &options).expect("a matrix");
        assert_eq!(values(&data), Matrix::from_vec(vec![5.0, 0.0, 0.0, 0.0, 0.0, 6.0], 3, 2));
        let labels = data.labels.expect("labels");
        assert_eq!((labels.names, labels.codes), (vec!["0".into(), "1".into(), "2".into()], vec![2, 1, 0]));
    }
    let wrong = OpenOptions::default().label_column("class");
    says(&folder.refusal_with("a.mtx", &sparse, &wrong), &["\"class\"", "0 to 2"]);
    let single = format!("{ARRAY}1 1\n1\n");
    says(&folder.refusal_with("a.mtx", single, &options), &["no columns of values"]);
}

#[test]
fn a_file_cut_before_its_last_entry_is_refused_compressed_or_not() {
    let folder = Folder::new();
    let text = std::fs::read(sparse_fixture("coordinate_real.mtx")).expect("a fixture");
    let last_line = text.trim_ascii_end().iter().rposition(|&b| b == b'\n').expect("a line");
    for end in 0..text.len() {
        // A number without its last digits is a number.
        let cut = folder.open("cut.mtx", &text[..end]);
        assert!(cut.is_err() || end > last_line, "{end} bytes");
    }
    for (name, packed) in [("a.mtx.gz", gzip(&text)), ("a.mtx.zst", zstd(&text))] {
        assert_eq!(values(&folder.open(name, &packed).expect("a matrix")), sparse_values());
        for end in 0..packed.len() {
            assert!(folder.open(name, &packed[..end]).is_err(), "{end} bytes of {name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn a_written_matrix_is_read_back(matrix in any_sparse(), backwards in any::<bool>()) {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let places = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
        let stored = places.filter(|&(i, j)| matrix.row(i)[j] != 0.0);
        let mut lines: Vec<String> =
            stored.map(|(i, j)| format!("{} {} {:e}\n", i + 1, j + 1, matrix.row(i)[j])).collect();
        if backwards {
            lines.reverse();
        }
        let folder = Folder::new();
        let sparse = format!("{REAL}{rows} {cols} {}\n{}", lines.len(), lines.concat());
        prop_assert_eq!(values(&folder.open("a.mtx", sparse).expect("sparse")), matrix.clone());
        let cells = (0..cols).flat_map(|j| (0..rows).map(move |i| (i, j)));
        let cells: String = cells.map(|(i, j)| format!("{}\n", matrix.row(i)[j])).collect();
        let array = format!("{ARRAY}{rows} {cols}\n{cells}");
        prop_assert_eq!(values(&folder.open("a.mtx", array).expect("dense")), matrix);
    }
}

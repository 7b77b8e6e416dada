//! svmlight files: those scikit-learn wrote, those written here, and damaged ones.
#![allow(missing_docs)]

mod common;

use common::{Folder, any_sparse, entries, gzip, says, sparse_fixture, sparse_values, values, zstd};
use lpvdn_core::Matrix;
use lpvdn_data::{Format, OpenOptions, open};
use proptest::prelude::*;

#[test]
fn everything_that_scikit_learn_writes_gives_the_same_matrix_and_labels() {
    for name in ["one_based", "zero_based", "with_comment", "with_queries", "several_labels"] {
        let path = sparse_fixture(&format!("{name}.svm"));
        let data = open(path, &OpenOptions::default()).expect("a readable fixture");
        assert_eq!(values(&data), sparse_values(), "{name}");
        assert_eq!(entries(&data), 12, "{name}");
        assert_eq!(data.name, name);
        let labels = data.labels.expect("labels");
        let (names, codes) = match name {
            "several_labels" => (vec!["", "0", "0,1", "2"], [1, 2, 3, 1, 0, 3]),
            _ => (vec!["0", "1", "2"], [0, 1, 2, 0, 1, 2]),
        };
        assert_eq!(
            (labels.names, &labels.codes[..]),
            (names.into_iter().map(String::from).collect(), &codes[..])
        );
    }
}

#[test]
fn indices_count_from_one_unless_a_zero_occurs_anywhere() {
    let folder = Folder::new();
    let one = folder.open("a.svm", "1 1:5 2:6\n2 3:7\n").expect("rows");
    assert_eq!(values(&one), Matrix::from_vec(vec![5.0, 6.0, 0.0, 0.0, 0.0, 7.0], 2, 3));
    let zero = folder.open("a.svm", "1 1:5 2:6\n2 0:7\n").expect("rows");
    assert_eq!(values(&zero), Matrix::from_vec(vec![0.0, 5.0, 6.0, 7.0, 0.0, 0.0], 2, 3));
}

#[test]
fn a_file_without_labels_has_none_and_a_line_that_differs_is_named() {
    let folder = Folder::new();
    let data = folder.open("a.svm", "1:5\nqid:4 2:6\n").expect("rows");
    assert_eq!((data.rows(), data.cols(), data.labels), (2, 2, None));
    says(&folder.refusal("a.svm", "1 1:5\n\n2:6\n"), &["line 3", "no label", "line 1 has"]);
    says(&folder.refusal("a.svm", "1:5\n7 2:6\n"), &["line 1", "no label", "line 2 has"]);
    let words = folder.open("a.svm", "spam 1:5\nham 1:6\n").expect("rows");
    assert_eq!(words.labels.expect("labels").names, ["ham", "spam"]);
}

#[test]
fn a_number_is_one_class_however_it_is_written() {
    let folder = Folder::new();
    let names = |text: &str| folder.open("a.svm", text).expect("rows").labels.expect("labels").names;
    assert_eq!(names("+1 1:1\n1 1:2\n1.0 1:3\n1e0 1:4\n-1 1:5\n-1.0 1:6\n"), ["-1", "1"]);
    assert_eq!(names("0 1:1\n-0 1:2\n-0.0 1:3\n1.50 1:4\n"), ["0", "1.5"]);
    assert_eq!(names("1,2 1:1\n1.0,+2 1:2\n"), ["1,2"]);
    // More digits than a float has.
    assert_eq!(names("9007199254740993 1:1\n9007199254740992 1:2\n").len(), 2);
}

#[test]
fn indices_may_come_in_any_order_but_not_twice() {
    let folder = Folder::new();
    let data = folder.open("a.svm", "1 3:3 1:1 2:2\n").expect("rows");
    assert_eq!(values(&data).as_slice(), [1.0, 2.0, 3.0]);
    says(&folder.refusal("a.svm", "1 1:1\n1 3:3 1:1 3:0\n"), &["line 2", "index 3 stands twice"]);
}

#[test]
fn zeros_that_are_written_out_widen_the_table_but_are_not_stored() {
    let data = Folder::new().open("a.svm", "1 1:0 2:-0 3:1 9:0\n").expect("rows");
    assert_eq!((data.rows(), data.cols(), entries(&data)), (1, 9, 1));
}

#[test]
fn values_that_are_infinite_or_no_numbers_are_kept() {
    let data = Folder::new().open("a.svm", "1 1:nan 2:-inf 3:1e-3\n").expect("rows");
    let found = values(&data);
    assert!(found.as_slice()[0].is_nan());
    assert_eq!(found.as_slice()[1..], [f32::NEG_INFINITY, 1e-3]);
}

#[test]
fn blank_lines_comments_line_ends_and_marks_are_passed_over() {
    let text = "\u{feff}# first\r\n\r\n1 1:1 # 7:7\r\n   \t\r\n2\t2:2  \r\n#3 3:3";
    let data = Folder::new().open("a.svm", text).expect("rows");
    assert_eq!(values(&data).as_slice(), [1.0, 0.0, 0.0, 2.0]);
    assert_eq!(data.labels.expect("labels").names, ["1", "2"]);
}

#[test]
fn content_is_recognised_under_any_name_that_promises_nothing_else() {
    let folder = Folder::new();
    for name in ["a9a", "a.dat", "a.t", "a.txt", "a.dat.gz"] {
        let data = folder.open(name, "+1 3:1 11:1\n-1 5:1\n").expect("rows");
        assert!(data.source.is_sparse(), "{name}");
    }
    let forced = OpenOptions::default().format(Format::Svmlight);
    assert!(folder.open_with("a.csv", "1 1:1\n", &forced).expect("rows").source.is_sparse());
}

#[test]
fn a_cell_that_cannot_be_read_is_named_with_its_line() {
    let folder = Folder::new();
    for (bad, parts) in [
        ("3", &["\"3\"", "index:value"][..]),
        ("a:2", &["\"a:2\"", "no index"]),
        (":2", &["\":2\"", "no index"]),
        ("-1:2", &["\"-1:2\"", "no index"]),
        ("+1:2", &["\"+1:2\"", "no index"]),
        ("3:x", &["\"x\"", "not a number"]),
        ("3:", &["\"\"", "not a number"]),
        ("3:1:2", &["\"1:2\"", "not a number"]),
        ("3:1,5", &["\"1,5\"", "not a number"]),
        ("100000000:1", &["index 100000000", "below 10000000"]),
        ("4294967296:1", &["index 4294967296", "too large"]),
        ("99999999999999999999999:1", &["index 99999999999999999999999", "too large"]),
    ] {
        let message = folder.refusal("a.svm", format!("1 1:1\n# a comment\n2 2:1 {bad}\n"));
        says(&message, parts);
        says(&message, &["line 3"]);
    }
    says(&folder.refusal("a.svm", b"1 1:1\n1 \xff\xfe\0\n"), &["line 2"]);
}

#[test]
fn nothing_is_refused() {
    let folder = Folder::new();
    says(&folder.refusal("a.svm", ""), &["empty"]);
    says(&folder.refusal("a.svm", "\n# only a comment\n \n"), &["no rows"]);
    says(&folder.refusal("a.svm", "1\n2\n"), &["no columns of values"]);
}

#[test]
fn one_column_and_fifty_thousand_are_read() {
    let folder = Folder::new();
    let one = folder.open("a.svm", "1 1:5\n2 1:6\n3\n").expect("rows");
    assert_eq!(values(&one).as_slice(), [5.0, 6.0, 0.0]);
    let pairs: Vec<String> = (1..=50_000).map(|j| format!("{j}:{j}")).collect();
    let wide = folder.open("a.svm", format!("1 {}\n2 50000:1\n", pairs.join(" "))).expect("rows");
    assert_eq!((wide.rows(), wide.cols(), entries(&wide)), (2, 50_000, 50_001));
    assert_eq!(values(&wide).row(0)[49_999], 50_000.0);
    // A line longer than what is looked at is recognised nevertheless.
    assert!(folder.open("a", format!("1 {}", pairs.join(" "))).expect("rows").source.is_sparse());
}

#[test]
fn a_label_column_is_refused_because_the_labels_are_known() {
    let options = OpenOptions::default().label_column("0");
    says(&Folder::new().refusal_with("a.svm", "1 1:5\n", &options), &["first field"]);
}

#[test]
fn compressed_files_are_read_and_refused_when_cut_anywhere() {
    let folder = Folder::new();
    let text = std::fs::read(sparse_fixture("one_based.svm")).expect("a fixture");
    for (name, packed) in [("a.svm.gz", gzip(&text)), ("a.svm.zst", zstd(&text))] {
        assert_eq!(values(&folder.open(name, &packed).expect("rows")), sparse_values());
        for end in 0..packed.len() {
            assert!(folder.open(name, &packed[..end]).is_err(), "{end} bytes of {name}");
        }
    }
}

#[test]
fn text_cut_anywhere_is_read_as_far_as_it_goes_or_refused() {
    let folder = Folder::new();
    let text = std::fs::read(sparse_fixture("one_based.svm")).expect("a fixture");
    for end in 0..text.len() {
        if let Ok(data) = folder.open("cut.svm", &text[..end]) {
            let lines = text[..end].split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty());
            assert_eq!(data.rows(), lines.count(), "{end} bytes");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn a_written_matrix_is_read_back(matrix in any_sparse(), base in 0_usize..2, backwards in any::<bool>()) {
        let mut text = String::new();
        for (i, row) in matrix.iter_rows().enumerate() {
            // The first and the last column are always written, so that width and base are known.
            let named = |j: usize| row[j] != 0.0 || j == 0 || j + 1 == row.len();
            let mut pairs: Vec<String> =
                (0..row.len()).filter(|&j| named(j)).map(|j| format!("{}:{}", j + base, row[j])).collect();
            if backwards {
                pairs.reverse();
            }
            text.push_str(&format!("{i} {}\n", pairs.join(" ")));
        }
        let data = Folder::new().open("a.svm", text).expect("rows");
        prop_assert_eq!(values(&data), matrix);
        prop_assert_eq!(data.labels.expect("labels").codes.len(), data.source.rows());
    }
}

#[test]
fn another_file_has_the_columns_of_the_model() {
    let folder = Folder::new();
    let first = lpvdn_data::read(folder.file("a.svm", "1 1:1 5:2\n0 3:1\n"), &OpenOptions::default());
    let mut options = OpenOptions::default();
    options.reading = first.expect("rows").reading;
    let second = folder.open_with("b.svm", "1 2:7\n", &options).expect("rows");
    assert_eq!(values(&second).as_slice(), [0.0, 7.0, 0.0, 0.0, 0.0]);
    says(&folder.refusal_with("b.svm", "1 6:7\n", &options), &["index 6", "columns 1 to 5 of the model"]);
    says(&folder.refusal_with("b.svm", "1 0:7\n", &options), &["index 0", "columns 1 to 5 of the model"]);
}

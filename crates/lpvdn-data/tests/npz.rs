//! NPZ files: those NumPy and SciPy wrote, those written here, and damaged ones.
#![allow(missing_docs)]

mod common;

use common::{
    Folder, any_sparse, entries, gzip, npy, says, sparse_fixture, sparse_values, values, zip, zstd,
};
use lpvdn_core::{CsrMatrix, Dataset, Matrix};
use lpvdn_data::{Format, OpenOptions, open, read};
use proptest::prelude::*;

fn fixture(name: &str) -> Dataset {
    open(sparse_fixture(&format!("{name}.npz")), &OpenOptions::default()).expect("a readable fixture")
}

fn floats(values: &[f32]) -> Vec<u8> {
    npy(
        "<f4",
        &format!("({},)", values.len()),
        &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>(),
    )
}

fn longs(values: &[i64]) -> Vec<u8> {
    npy(
        "<i8",
        &format!("({},)", values.len()),
        &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>(),
    )
}

/// A matrix of SciPy's in an archive; members are replaced or added by those in `other`.
fn scipy(format: &str, other: &[(&'static str, Vec<u8>)]) -> Vec<u8> {
    let mut members = vec![
        ("format.npy", npy("|S3", "()", format.as_bytes())),
        ("shape.npy", longs(&[2, 3])),
        ("data.npy", floats(&[1.0, 2.0, 3.0])),
        ("indptr.npy", longs(&[0, 2, 3])),
        ("indices.npy", longs(&[0, 2, 1])),
    ];
    for (name, content) in other {
        members.retain(|(found, _)| found != name);
        members.push((name, content.clone()));
    }
    zip(&members, true)
}

#[test]
fn every_dense_archive_that_numpy_writes_gives_the_same_matrix() {
    for name in ["stored", "deflated", "half", "fortran", "unnamed", "labelled", "large"] {
        let data = fixture(&format!("dense_{name}"));
        assert_eq!((values(&data), data.source.is_sparse()), (sparse_values(), false), "{name}");
        let codes = data.labels.map(|labels| labels.codes);
        assert_eq!(codes, (name == "labelled").then(|| vec![0, 1, 2, 0, 1, 2]), "{name}");
    }
}

#[test]
fn every_sparse_archive_that_scipy_writes_gives_the_same_matrix() {
    let names = [
        "csr",
        "csr_stored",
        "csr_array",
        "csr_long",
        "csr_unsorted",
        "csc",
        "coo",
        "coo_twice",
        "bsr",
        "dia",
    ];
    for name in names {
        let data = fixture(&format!("sparse_{name}"));
        assert_eq!((values(&data), entries(&data)), (sparse_values(), 12), "{name}");
    }
}

#[test]
fn archives_that_hold_no_table_are_refused_with_a_remedy() {
    for (name, parts) in [
        ("several", &["several arrays", "\"x_train\" (6 × 9)", "\"y_train\" (6)", "numpy.load"][..]),
        ("vectors", &["no array", "\"a\" (3)", "\"b\" (no numbers)", "numpy.load"]),
        ("flat", &["a.npy", "1-dimensional", "reshape(-1, 1)"]),
        ("empty", &["no arrays"]),
    ] {
        let path = sparse_fixture(&format!("refused_{name}.npz"));
        let message = open(path, &OpenOptions::default()).expect_err("no table").to_string();
        says(&message, parts);
        says(&message, &[name]);
    }
}

#[test]
fn labels_are_taken_by_name_and_only_if_there_is_one_for_every_row() {
    let folder = Folder::new();
    let rows = npy("|u1", "(3, 2)", &[1, 2, 3, 4, 5, 6]);
    let with = |name, labels| zip(&[("X.npy", rows.clone()), (name, labels)], false);
    // Exact, although no f32 tells these two from each other.
    let large = [9_007_199_254_740_993, -1, 9_007_199_254_740_992];
    let data = folder.open("a.npz", with("Labels.npy", longs(&large))).expect("rows");
    assert!(data.source.is_bytes());
    let labels = data.labels.expect("labels");
    assert_eq!(labels.names.len(), 3);
    assert!(labels.names.contains(&"9007199254740993".to_owned()));
    for name in ["y.npy", "label.npy", "target.npy"] {
        let data = folder.open("a.npz", with(name, floats(&[2.0, 1.0, 2.0]))).expect("rows");
        assert_eq!(data.labels.expect("labels").codes, [1, 0, 1], "{name}");
    }
    // Nothing but the name says that they are classes, so that they are no error.
    let words = npy("<U1", "(3,)", &[65, 0, 0, 0, 66, 0, 0, 0, 65, 0, 0, 0]);
    for (name, other, noted) in [
        ("y.npy", longs(&[1, 2]), Some("\"y\" (2)")),
        ("y.npy", words, Some("\"y\" (no numbers)")),
        ("other.npy", longs(&[1, 2, 3]), None),
    ] {
        let opened = read(folder.file("a.npz", with(name, other)), &OpenOptions::default()).expect("rows");
        assert_eq!(opened.data.labels, None, "{name}");
        assert_eq!(opened.notes.len(), usize::from(noted.is_some()), "{:?}", opened.notes);
        says(
            &common::told(&opened).concat(),
            &noted.into_iter().chain(noted.map(|_| "3 rows")).collect::<Vec<_>>(),
        );
    }
}

#[test]
fn a_label_column_is_split_off_from_dense_and_sparse_rows() {
    let folder = Folder::new();
    let options = OpenOptions::default().label_column("-1");
    let rows = npy("|u1", "(2, 3)", &[1, 0, 2, 0, 3, 0]);
    let dense = zip(&[("X.npy", rows), ("y.npy", longs(&[7, 8]))], true);
    let mut streamed = options.clone();
    streamed.memory = Some(0);
    for file in [dense, scipy("csr", &[])] {
        for options in [&options, &streamed] {
            let data = folder.open_with("a.npz", &file, options).expect("rows");
            assert_eq!(values(&data), Matrix::from_vec(vec![1.0, 0.0, 0.0, 3.0], 2, 2));
            assert_eq!(data.labels.expect("labels").names, ["0", "2"]);
        }
        let wrong = OpenOptions::default().label_column("y");
        says(&folder.refusal_with("a.npz", &file, &wrong), &["\"y\"", "0 to 2"]);
    }
}

#[test]
fn an_archive_of_arrays_is_recognised_under_any_name_and_in_any_wrapping() {
    let folder = Folder::new();
    let file = std::fs::read(sparse_fixture("sparse_csr.npz")).expect("a fixture");
    for (name, bytes) in
        [("a.zip", file.clone()), ("a", file.clone()), ("a.npz.gz", gzip(&file)), ("a.npz.zst", zstd(&file))]
    {
        assert_eq!(values(&folder.open(name, bytes).expect("a matrix")), sparse_values(), "{name}");
    }
    says(&folder.refusal("a.npz", "1,2\n3,4\n"), &["no directory"]);
    let forced = OpenOptions::default().format(Format::Npz);
    says(&folder.refusal_with("a.csv", "1,2\n", &forced), &["no directory"]);
    says(&folder.refusal("a.npz", ""), &["empty"]);
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let folder = Folder::new();
    for name in ["dense_labelled", "dense_large", "sparse_csr"] {
        let whole = std::fs::read(sparse_fixture(&format!("{name}.npz"))).expect("a fixture");
        for end in 0..whole.len() {
            assert!(folder.open("cut.npz", &whole[..end]).is_err(), "{end} bytes of {name}");
        }
    }
    let packed = gzip(&std::fs::read(sparse_fixture("sparse_csr.npz")).expect("a fixture"));
    for end in 0..packed.len() {
        assert!(folder.open("cut.npz.gz", &packed[..end]).is_err(), "{end} bytes");
    }
}

#[test]
fn a_damaged_value_is_found_by_its_checksum() {
    let folder = Folder::new();
    for deflate in [false, true] {
        let array = npy("<f4", "(2, 2)", &[7; 16]);
        let mut file = zip(&[("x.npy", array.clone())], deflate);
        assert!(folder.open("a.npz", &file).is_ok());
        // The checksum in the directory, 16 bytes into its only entry.
        let directory = file.windows(4).rposition(|w| w == b"PK\x01\x02").expect("a directory");
        file[directory + 16] ^= 1;
        says(&folder.refusal("a.npz", &file), &["x.npy", "checksum"]);
    }
}

#[test]
fn the_directory_of_a_large_archive_is_found() {
    let folder = Folder::new();
    let mut file = std::fs::read(sparse_fixture("dense_large.npz")).expect("a fixture");
    // As in a file of more than 4 GiB: the last record does not know where the directory is.
    let end = file.len() - 22;
    file[end + 8..end + 20].fill(0xff);
    assert_eq!(values(&folder.open("a.npz", &file).expect("rows")), sparse_values());
    // What stands before the last record says where to look; so it must be right.
    for at in [end - 20, end - 12, end - 5, end - 76, end - 28, end - 21] {
        let mut damaged = file.clone();
        damaged[at] ^= 0x80;
        says(&folder.refusal("a.npz", damaged), &["directory"]);
    }
}

#[test]
fn archives_that_numpy_does_not_write_are_refused() {
    let folder = Folder::new();
    let file = zip(&[("x.npy", npy("<f4", "(2, 2)", &[7; 16]))], false);
    let directory = file.windows(4).rposition(|w| w == b"PK\x01\x02").expect("a directory");
    for (at, to, part) in [
        (8, 1, "encrypted"),
        (10, 12, "method 12"),
        (42, 9, "place where it is not"),
        (20, 255, "place where it is not"),
        (0, 0, "directory is damaged"),
        (28, 255, "directory is damaged"),
    ] {
        let mut damaged = file.clone();
        damaged[directory + at] = to;
        says(&folder.refusal("a.npz", damaged), &[part]);
    }
    let comment = [&file[..file.len() - 2], b"\x05\x00hello"].concat();
    assert!(folder.open("a.npz", comment).is_ok());
}

#[test]
fn matrices_whose_parts_do_not_fit_are_refused_by_name() {
    let folder = Folder::new();
    assert!(folder.open("a.npz", scipy("csr", &[])).is_ok());
    for (format, part, content, words) in [
        ("csr", "shape.npy", longs(&[3, 3]), "3 rows"),
        ("csr", "shape.npy", longs(&[2]), "2 are needed"),
        ("csr", "shape.npy", longs(&[2, -3]), "at most 10000000 are"),
        ("csr", "shape.npy", longs(&[2, 0]), "0 columns"),
        ("csr", "shape.npy", longs(&[0, 2]), "0 rows"),
        ("csr", "shape.npy", floats(&[2.0, 3.0]), "whole numbers"),
        ("csr", "data.npy", floats(&[1.0, 2.0]), "3 indices, but 2 values"),
        ("csr", "data.npy", npy("<c8", "(1,)", &[0; 8]), "data.npy"),
        ("csr", "indices.npy", longs(&[0, 3, 1]), "entry 1 is outside"),
        ("csr", "indices.npy", longs(&[0, -1, 1]), "entry 1 is outside"),
        ("csr", "indices.npy", npy("<i8", "(3, 2)", &[0; 48]), "one dimension"),
        ("csr", "indptr.npy", longs(&[0, 3, 2]), "never fall"),
        ("csr", "indptr.npy", longs(&[1, 2, 3]), "begin with 0"),
        ("csr", "indptr.npy", longs(&[0, 2, 4]), "no more than 3"),
        ("csr", "indptr.npy", longs(&[0, -2, 3]), "never fall"),
        ("csc", "indptr.npy", longs(&[0, 2, 3]), "3 columns"),
        ("coo", "row.npy", longs(&[0, 1, 1]), "no col.npy"),
        ("lil", "row.npy", longs(&[0, 1, 1]), "tocsr()"),
    ] {
        says(&folder.refusal("a.npz", scipy(format, &[(part, content)])), &[words]);
    }
    let csc = scipy("csc", &[("indptr.npy", longs(&[0, 1, 2, 3])), ("indices.npy", longs(&[0, 2, 1]))]);
    says(&folder.refusal("a.npz", csc), &["entry 1 is outside", "row"]);
    let coo = scipy("coo", &[("row.npy", longs(&[0, 1, 1])), ("col.npy", longs(&[0, 1, 3]))]);
    says(&folder.refusal("a.npz", coo), &["entry 2 is outside", "column"]);
}

#[test]
fn one_column_and_fifty_thousand_are_read() {
    let folder = Folder::new();
    let one = zip(&[("x.npy", npy("|u1", "(3, 1)", &[1, 2, 3]))], true);
    assert_eq!(values(&folder.open("a.npz", one).expect("rows")).as_slice(), [1.0, 2.0, 3.0]);
    let wide = zip(&[("x.npy", npy("|u1", "(2, 50000)", &[7; 100_000]))], true);
    assert_eq!(folder.open("a.npz", wide).expect("rows").cols(), 50_000);
    let sparse = scipy("csr", &[("shape.npy", longs(&[2, 50_000])), ("indices.npy", longs(&[0, 49_999, 1]))]);
    assert_eq!(values(&folder.open("a.npz", sparse).expect("rows")).row(0)[49_999], 2.0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn a_written_matrix_is_read_back(matrix in any_sparse(), deflate in any::<bool>()) {
        let folder = Folder::new();
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let bytes: Vec<u8> = matrix.as_slice().iter().flat_map(|v| v.to_le_bytes()).collect();
        let dense = zip(&[("a.npy", npy("<f4", &format!("({rows}, {cols})"), &bytes))], deflate);
        prop_assert_eq!(values(&folder.open("a.npz", dense).expect("dense")), matrix.clone());

        let csr = CsrMatrix::from_dense(&matrix);
        let (mut indptr, mut indices, mut places) = (vec![0], Vec::new(), Vec::new());
        for i in 0..rows {
            indices.extend(csr.row(i).0.iter().map(|&j| i64::from(j)));
            places.resize(indices.len(), i as i64);
            indptr.push(indices.len() as i64);
        }
        let common = [("shape.npy", longs(&[rows as i64, cols as i64])), ("data.npy", floats(csr.values()))];
        let by_rows = [("indptr.npy", longs(&indptr)), ("indices.npy", longs(&indices))];
        let by_place = [("row.npy", longs(&places)), ("col.npy", longs(&indices))];
        for (format, parts) in [("csr", &by_rows), ("coo", &by_place)] {
            let file = scipy(format, &[&common[..], parts].concat());
            prop_assert_eq!(values(&folder.open("a.npz", file).expect("sparse")), matrix.clone());
        }
        // Rows of the transposed matrix are columns of this one.
        let turned = [("shape.npy", longs(&[cols as i64, rows as i64])), ("data.npy", floats(csr.values()))];
        let file = scipy("csc", &[&turned[..], &by_rows].concat());
        let transposed = Matrix::from_fn(cols, rows, |i, j| matrix.row(j)[i]);
        prop_assert_eq!(values(&folder.open("a.npz", file).expect("by columns")), transposed);
    }
}

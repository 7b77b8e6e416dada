//! Files that lie: no panic, and no memory for what is not there.
#![allow(missing_docs)]

mod common;
#[path = "common/watching.rs"]
mod watching;

use common::{Folder, gzip, idx, npy, says, sparse_fixture, zip, zstd};
use lpvdn_data::{Format, OpenOptions, open};
use proptest::prelude::*;
use watching::{LARGEST, modest_refusal};

#[test]
fn sizes_that_are_not_there_are_refused_before_any_memory_is_taken() {
    let folder = Folder::new();
    let shapes = [
        "(4294967295, 4294967295)",
        "(2147483648, 2147483648)",
        "(2147483648, 1073741825)",
        "(18446744073709551615, 2)",
        "(2, 18446744073709551615)",
        "(2, 4294967296, 4294967296)",
        "(3000000000, 2)",
        "(65536, 65536, 65536)",
        "(1000000, 1000)",
    ];
    for shape in shapes {
        for kind in ["|u1", "<f8"] {
            let file = npy(kind, shape, &[0; 64]);
            let message = modest_refusal(&folder, "huge.npy", &file);
            assert!(message.contains("cut short") || message.contains("memory"), "{message}");
            modest_refusal(&folder, "huge.npy.gz", &gzip(&file));
        }
    }
    for dims in [&[u32::MAX, u32::MAX][..], &[u32::MAX; 255], &[1_000_000, 1000], &[1, u32::MAX]] {
        for code in [0x08, 0x0e] {
            let file = idx(code, dims, &[0; 64]);
            modest_refusal(&folder, "huge.idx", &file);
            modest_refusal(&folder, "huge.idx.gz", &gzip(&file));
        }
    }
}

#[test]
fn a_zero_among_huge_dimensions_is_no_overflow() {
    let folder = Folder::new();
    let huge = "(18446744073709551615, 18446744073709551615, 0)";
    says(&modest_refusal(&folder, "a.npy", &npy("<f4", huge, &[])), &["no columns"]);
    let none = "(0, 18446744073709551615, 18446744073709551615)";
    says(&modest_refusal(&folder, "a.npy", &npy("<f4", none, &[])), &["no rows"]);
}

#[test]
fn a_header_longer_than_the_file_is_refused() {
    let folder = Folder::new();
    let mut file = b"\x93NUMPY\x02\x00".to_vec();
    file.extend_from_slice(&u32::MAX.to_le_bytes());
    says(&modest_refusal(&folder, "a.npy", &file), &["4294967295"]);
    file.truncate(8);
    file.extend_from_slice(&1_000_000_u32.to_le_bytes());
    says(&modest_refusal(&folder, "a.npy", &file), &["cut short"]);
}

#[test]
fn a_small_file_that_unpacks_to_much_takes_memory_only_for_what_arrives() {
    let folder = Folder::new();
    // 400 kB that hardly compress, under a header that announces 400 MB: no more than a file of this
    // length could unpack to, so that only reading shows the lie.
    let noise: Vec<u8> = (0..400_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let file = gzip(&npy("|u1", "(400000, 1000)", &noise));
    let message = modest_refusal(&folder, "bomb.npy.gz", &file);
    says(&message, &["cut short"]);
    let file = gzip(&npy("|u1", "(2, 2)", &vec![0; 50_000_000]));
    says(&modest_refusal(&folder, "more.npy.gz", &file), &["goes on"]);
}

#[test]
fn text_that_claims_a_huge_matrix_takes_no_memory_for_it() {
    let folder = Folder::new();
    for size in [
        "4294967295 100000000 4294967295",
        "4294967295 4294967295 1",
        "1 10000001 1",
        "4000000000 2 1",
        "2 2 18446744073709551615",
        "18446744073709551615 18446744073709551615 18446744073709551615",
    ] {
        let file = format!("%%MatrixMarket matrix coordinate real general\n{size}\n1 1 1\n");
        modest_refusal(&folder, "huge.mtx", file.as_bytes());
        modest_refusal(&folder, "huge.mtx.zst", &zstd(file.as_bytes()));
        let array = file.replace("coordinate", "array").replace(" 1\n1 1", "\n1 1");
        modest_refusal(&folder, "array.mtx", array.as_bytes());
    }
    for kind in ["general", "symmetric", "skew-symmetric"] {
        let file = format!("%%MatrixMarket matrix array real {kind}\n10000000 10000000\n1\n");
        says(&modest_refusal(&folder, "huge.mtx", file.as_bytes()), &["cells"]);
    }
    for index in ["4294967295", "4294967296", "18446744073709551616", "10000000"] {
        says(&modest_refusal(&folder, "huge.svm", format!("1 {index}:1\n").as_bytes()), &["line 1", index]);
    }
}

#[test]
fn a_wide_sparse_table_takes_no_memory_for_its_zeros() {
    let folder = Folder::new();
    let wide = "%%MatrixMarket matrix coordinate real general\n100000 10000000 1\n1 10000000 1\n";
    for (name, text) in [("a.svm", "1 9999999:1\n"), ("a.mtx", wide)] {
        let path = folder.file(name, text);
        LARGEST.set(0);
        let data = open(path, &OpenOptions::default()).expect("a table");
        assert!(data.cols() >= 9_999_999);
        assert!(LARGEST.get() <= 4 << 20, "{} bytes for {name}", LARGEST.get());
    }
}

#[test]
fn archives_that_claim_much_take_no_memory_for_it() {
    let folder = Folder::new();
    let whole = |values: &[i64]| {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        npy("<i8", &format!("({},)", values.len()), &bytes)
    };
    for deflate in [false, true] {
        for shape in ["(4294967295, 4294967295)", "(1000000, 1000)", "(2, 18446744073709551615)"] {
            let file = zip(&[("x.npy", npy("<f8", shape, &[0; 64]))], deflate);
            modest_refusal(&folder, "huge.npz", &file);
            modest_refusal(&folder, "huge.npz.gz", &gzip(&file));
        }
        // Rows and columns that no entry stands for, and vectors that are not there.
        let sparse = |format: &str, shape: &[i64], indices: Vec<u8>| {
            let layout = npy("|S3", "()", format.as_bytes());
            let (shape, one) = (whole(shape), npy("|u1", "(1,)", &[1]));
            let starts = [("indptr.npy", whole(&[0, 1])), ("row.npy", whole(&[0])), ("col.npy", whole(&[0]))];
            let members =
                [("format.npy", layout), ("shape.npy", shape), ("data.npy", one), ("indices.npy", indices)];
            zip(&[&members[..], &starts].concat(), deflate)
        };
        for format in ["csr", "csc", "coo"] {
            for shape in [[4_000_000_000, 1], [1 << 62, 1], [2, 1 << 40], [-1, -1]] {
                modest_refusal(&folder, "huge.npz", &sparse(format, &shape, whole(&[0])));
            }
        }
        let long = npy("<i8", "(1000000000,)", &[0; 8]);
        says(&modest_refusal(&folder, "huge.npz", &sparse("csr", &[1, 1], long)), &["indices.npy"]);
    }
}

#[test]
fn an_archive_that_unpacks_to_much_takes_memory_only_for_what_is_announced() {
    let folder = Folder::new();
    let zeros = vec![0; 50_000_000];
    let bomb = zip(&[("x.npy", npy("|u1", "(2, 2)", &zeros))], true);
    says(&modest_refusal(&folder, "bomb.npz", &bomb), &["x.npy", "goes on"]);
    let header = zip(&[("x.npy", zeros.clone())], true);
    says(&modest_refusal(&folder, "zeros.npz", &header), &["x.npy", "NUMPY"]);
    let word =
        zip(&[("format.npy", npy("|S3", "()", &zeros)), ("shape.npy", vec![]), ("data.npy", vec![])], true);
    says(&modest_refusal(&folder, "word.npz", &word), &["format.npy", "goes on"]);
}

#[test]
fn a_directory_that_claims_much_takes_no_memory_for_it() {
    let folder = Folder::new();
    let file = zip(&[("x.npy", npy("|u1", "(1, 1)", &[0]))], false);
    let end = file.len() - 22;
    for at in [8, 10, 12, 14, 16, 18] {
        let mut damaged = file.clone();
        damaged[end + at..end + at + 2].copy_from_slice(&[0xff, 0xff]);
        let path = folder.file("a.npz", damaged);
        LARGEST.set(0);
        let opened = open(path, &OpenOptions::default());
        // How many members this volume has makes no difference.
        assert_eq!(opened.is_ok(), at == 8, "{at}");
        assert!(LARGEST.get() <= 4 << 20, "{} bytes", LARGEST.get());
    }
}

/// Opening may fail, but neither panics nor gives an empty table.
fn survives(folder: &Folder, name: &str, content: &[u8]) -> Result<(), TestCaseError> {
    let path = folder.file(name, content);
    let mut formats = vec![None];
    formats.extend(Format::ALL.map(Some));
    for format in formats {
        let mut options = OpenOptions::default();
        options.format = format;
        for label in [None, Some("0"), Some("-1"), Some("a")] {
            options.label_column = label.map(str::to_owned);
            if let Ok(data) = open(&path, &options) {
                prop_assert!(data.rows() > 0 && data.cols() > 0);
                prop_assert!(data.labels.is_none_or(|l| l.codes.len() == data.source.rows()));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survives(&Folder::new(), "a.bin", &bytes)?;
    }

    #[test]
    fn random_bytes_after_a_true_beginning_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..100),
        beginning in prop::sample::select(vec![
            &b"\x93NUMPY\x01\x00"[..],
            b"\x93NUMPY\x01\x00\x40\x00{'descr': '<f4', ",
            b"\x93NUMPY\x03\x00",
            b"\x00\x00\x08\x02\x00\x00\x00",
            b"\x00\x00\x0d\x03",
            b"\x1f\x8b\x08\x00",
            b"a,b\n1,2\n",
            b"\xef\xbb\xbf\"",
            b"1 1:1\n",
            b"%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 ",
            b"%%MatrixMarket matrix array integer symmetric\n3 3\n1\n",
            b"PK\x03\x04",
            b"PK\x05\x06\x00\x00\x00\x00",
        ]),
    ) {
        survives(&Folder::new(), "a.bin", &[beginning, &bytes].concat())?;
    }

    #[test]
    fn random_text_never_panics(text in "[0-9a,;\t\"\r\n .eE+-]{0,120}") {
        survives(&Folder::new(), "a.csv", text.as_bytes())?;
    }

    #[test]
    fn random_pairs_never_panic(text in "[0-9 :,#q.i\n-]{0,120}") {
        survives(&Folder::new(), "a.svm", text.as_bytes())?;
    }

    #[test]
    fn random_sizes_and_entries_never_panic(
        kind in prop::sample::select(vec!["coordinate", "array"]),
        field in prop::sample::select(vec!["real", "pattern"]),
        symmetry in prop::sample::select(vec!["general", "symmetric", "skew-symmetric"]),
        text in "([0-4]{1,2}[ \n]){0,30}",
    ) {
        let file = format!("%%MatrixMarket matrix {kind} {field} {symmetry}\n{text}");
        survives(&Folder::new(), "a.mtx", file.as_bytes())?;
    }

    #[test]
    fn a_damaged_archive_never_panics(
        name in prop::sample::select(vec!["dense_labelled", "dense_large", "sparse_csr", "sparse_csc", "sparse_coo"]),
        at in any::<prop::sample::Index>(),
        to in any::<u8>(),
        packed in any::<bool>(),
    ) {
        let mut file = std::fs::read(sparse_fixture(&format!("{name}.npz"))).expect("a fixture");
        let at = at.index(file.len());
        file[at] = to;
        survives(&Folder::new(), "a.npz", &if packed { gzip(&file) } else { file })?;
    }

    #[test]
    fn one_damaged_byte_never_panics(at in 0_usize..110, to in any::<u8>(), packed in any::<bool>()) {
        for whole in [npy("<f4", "(2, 3)", &[1; 24]), idx(8, &[4, 2, 3], &[1; 24])] {
            let mut file = if packed { gzip(&whole) } else { whole };
            let at = at % file.len();
            file[at] = to;
            survives(&Folder::new(), "a.bin", &file)?;
        }
    }

    #[test]
    fn numbers_survive_the_way_through_text(
        numbers in prop::collection::vec(any::<f32>().prop_filter("finite", |v| v.is_finite()), 1..40),
        delimiter in prop::sample::select(vec![",", ";", "\t"]),
    ) {
        let folder = Folder::new();
        let lines: Vec<String> = numbers.iter().map(|v| format!("{v}{delimiter}{v:e}")).collect();
        let data = folder.open("a.csv", lines.join("\n")).expect("a table");
        let back = common::values(&data);
        for (row, number) in back.iter_rows().zip(&numbers) {
            prop_assert_eq!(row, [*number, *number]);
        }
    }
}

#[test]
fn classes_and_names_of_many_rows_are_no_text_each() {
    let folder = Folder::new();
    let line =
        |i: u32| format!("{},{i},{}\n", i % 7, ["a class with a long name", "another"][i as usize % 2]);
    let text: String = (0..100_000).map(line).collect();
    let path = folder.file("labelled.csv", text.as_bytes());
    LARGEST.set(0);
    let mut options = OpenOptions::default().label_column("2");
    options.id_column = Some("1".to_owned());
    let opened = open(path, &options).expect("a table");
    let labels = opened.labels.as_ref().expect("classes");
    assert_eq!((labels.names.len(), labels.codes.len()), (2, 100_000));
    // 24 bytes and more a row, were it a `String`.
    assert!(LARGEST.get() < 2_000_000, "{}", LARGEST.get());
    assert!(opened.memory() < 100_000 * (4 + 4 + 8 + 5) + 1_000, "{}", opened.memory());
}

//! The entry itself: names, unknown formats, the built-in set, and files written whole.
#![allow(missing_docs)]

mod common;

use std::io::{self, Write};

use common::{Folder, gzip, large_data, npy, says, values, zstd};
use lpvdn_data::{DataError, Format, Header, OpenOptions, atomic_write, digits, is_stream, open, read, what};

#[test]
fn the_digits_are_the_rows_of_the_original_file_in_their_order() {
    let data = digits();
    assert_eq!((data.rows(), data.cols(), data.source.is_bytes()), (5620, 64, true));
    let labels = data.labels.as_ref().expect("labels");
    assert_eq!(labels.names, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    let mut counts = [0; 10];
    labels.codes.iter().for_each(|&c| counts[c as usize] += 1);
    assert_eq!(counts, [554, 571, 557, 572, 568, 558, 558, 566, 554, 562]);
    assert_eq!(labels.codes[..8], [0, 0, 7, 4, 6, 2, 5, 5]);
    let pixels = values(&data);
    assert_eq!(pixels.row(0)[..8], [0.0, 1.0, 6.0, 15.0, 12.0, 1.0, 0.0, 0.0]);
    assert!(pixels.as_slice().iter().all(|v| (0.0..=16.0).contains(v)));
    // A hash over labels and pixels, computed from the original file, fixes everything else.
    let cells = pixels
        .iter_rows()
        .zip(&labels.codes)
        .flat_map(|(row, &label)| row.iter().map(|&v| v as u8).chain([label as u8]).collect::<Vec<u8>>());
    let hash =
        cells.fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    assert_eq!(hash, HASH);
}

/// FNV-1a of the 5,620 × 65 numbers of optdigits.csv, one byte each, in the order of the file.
const HASH: u64 = 0xd887_18f3_f53b_06be;

#[test]
fn the_digits_equal_the_original_file_where_it_is_at_hand() {
    let Some(path) = large_data("optdigits/optdigits.csv") else { return };
    let original = open(path, &OpenOptions::default().label_column("-1")).expect("the file");
    let built_in = open("digits", &OpenOptions::default()).expect("built in");
    assert_eq!(values(&original), values(&built_in));
    assert_eq!(original.labels, built_in.labels);
}

#[test]
fn a_bare_known_name_is_the_built_in_set_and_anything_else_a_path() {
    let folder = Folder::new();
    let path = folder.file("digits", "1,2\n");
    assert_eq!(open("digits", &OpenOptions::default()).expect("built in").rows(), 5620);
    assert_eq!(open(&path, &OpenOptions::default()).expect("the file").rows(), 1);
    for other in ["./digits", "digits/", "Digits"] {
        let error = open(other, &OpenOptions::default()).expect_err("no such file here");
        assert!(matches!(error, DataError::NotFound { .. }), "{other}: {error}");
        says(&error.to_string(), &[other, "built-in set: digits"]);
    }
}

#[test]
fn options_that_cannot_apply_to_the_built_in_set_are_refused() {
    for options in [OpenOptions::default().format(Format::Csv), OpenOptions::default().label_column("-1")] {
        let message = open("digits", &options).expect_err("refused").to_string();
        says(&message, &["built-in", "./digits"]);
    }
}

#[test]
fn known_formats_without_a_reader_are_named_with_a_way_to_convert_them() {
    let folder = Folder::new();
    for (name, content, parts) in [
        ("a.h5", &b"\x89HDF\r\n\x1a\n"[..], ["HDF5", "h5py"]),
        ("a.zip", b"PK\x03\x04....", ["ZIP", "unpack"]),
        ("a.pt", b"PK\x03\x04....", ["PyTorch", "torch.load"]),
        ("a.xlsx", b"PK\x03\x04....", ["spreadsheet", "CSV"]),
        ("a.pkl", b"\x80\x04\x95", ["pickle", "numpy.save"]),
        ("a.feather", b"FEA1....", ["version 1 of Feather", "to_feather"]),
        ("a.mat", b"MATLAB 5.0 MAT-file", ["MATLAB", "loadmat"]),
        ("a.json", b"{\"a\": 1}", ["JSON", "read_json"]),
        ("page.csv", b"<!DOCTYPE html>", ["HTML", "error page"]),
        ("a.gif", b"GIF89a", ["GIF", "PNG"]),
        ("a.csv.bz2", b"BZh91AY&SY", ["other than gzip and zstd", "unpack"]),
    ] {
        says(&folder.refusal(name, content), &parts);
    }
    says(
        &folder.refusal("a.bin", b"\x01\x02\x03\x04"),
        &["not known", "CSV, TSV, TXT, JSONL, NPY, NPZ, svmlight, Matrix Market, IDX, Parquet and Arrow"],
    );
    says(&folder.refusal("a.npy.gz", gzip(b"")), &["empty"]);
}

#[test]
#[cfg(not(any(feature = "parquet", feature = "images")))]
fn a_build_without_a_reader_says_which_feature_has_it() {
    let folder = Folder::new();
    says(&folder.refusal("a.csv", b"PAR1...."), &["no reader for Parquet", "--features parquet"]);
    says(&folder.refusal("a.bin", b"ARROW1\0\0"), &["no reader for Arrow", "--features parquet"]);
    says(&folder.refusal("a.png", b"\x89PNG\r\n\x1a\n"), &["no reader for pictures", "--features images"]);
}

#[test]
fn a_format_that_is_forced_wrongly_is_refused() {
    let folder = Folder::new();
    let array = npy("|u1", "(1, 1)", &[0]);
    for (format, part) in [(Format::Idx, "two zero bytes"), (Format::Csv, "control characters")] {
        let options = OpenOptions::default().format(format);
        says(&folder.refusal_with("a.npy", &array, &options), &[part]);
    }
}

#[test]
fn a_header_line_is_refused_where_there_are_no_lines_of_cells() {
    let folder = Folder::new();
    folder.file("word.txt", "a word");
    for header in [Header::Yes, Header::No] {
        let options = OpenOptions::default().header(header);
        for (name, content) in [
            ("a.npy", npy("|u1", "(1, 1)", &[1])),
            ("a.svm", b"1 1:2\n".to_vec()),
            ("a.jsonl", b"{\"x\": [1]}\n".to_vec()),
            ("a.mtx", b"%%MatrixMarket matrix array real general\n1 1\n1\n".to_vec()),
        ] {
            says(&folder.refusal_with(name, content, &options), &["--header", "CSV and TSV"]);
        }
        says(&open(folder.path(), &options).expect_err("a folder").to_string(), &["--header"]);
        assert!(folder.open_with("a.csv", "1,2\n3,4\n", &options).is_ok());
    }
}

#[test]
fn zeros_behind_a_gzip_file_are_padding_and_anything_else_is_damage() {
    let folder = Folder::new();
    let packed = gzip(b"1,2\n");
    let two = [&packed[..], &gzip(b"3,4\n")].concat();
    for (content, rows) in [
        ([&packed[..], &[0; 3]].concat(), 1),
        ([&packed[..], &[0; 200_000]].concat(), 1),
        (two.clone(), 2),
        ([&two[..], &[0; 512]].concat(), 2),
    ] {
        assert_eq!(folder.open("a.csv.gz", content).expect("rows").rows(), rows);
    }
    for wrong in [[&packed[..], b"oops"].concat(), [&packed[..], &[0; 512], b"oops"].concat()] {
        says(&folder.refusal("a.csv.gz", wrong), &["damaged"]);
    }
}

/// What is read from a pipe is gone: who asks what it is must not open it.
#[cfg(unix)]
#[test]
fn a_pipe_is_opened_once_and_tells_its_format() {
    let folder = Folder::new();
    let pipe = folder.path().join("rows.csv");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    assert!(is_stream(&pipe) && is_stream("-") && !is_stream(folder.path()));
    // Nobody has opened it for writing: to open it now would wait for ever.
    assert_eq!(what(&pipe, &OpenOptions::default()).expect("words"), "a pipe");
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::write(pipe, "1,2\n3,4\n")
    });
    let opened = read(&pipe, &OpenOptions::default()).expect("rows");
    writer.join().expect("a writer").expect("everything is taken");
    assert_eq!((opened.data.rows(), opened.format), (2, Some(Format::Csv)));
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new();
    let path = folder.file("a.txt", "old");
    let error = atomic_write(&path, |w| {
        w.write_all(b"half of the new")?;
        Err(io::Error::other("the disk is full"))
    })
    .expect_err("failed");
    says(&error.to_string(), &["a.txt", "the disk is full"]);
    assert_eq!(std::fs::read_to_string(&path).expect("still there"), "old");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
    atomic_write(&path, |w| w.write_all(b"new")).expect("written");
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "new");
    let nowhere = folder.path().join("missing").join("a.txt");
    says(&atomic_write(nowhere, |_| Ok(())).expect_err("no folder").to_string(), &["a.txt"]);
    assert!(atomic_write(folder.path(), |_| Ok(())).is_err(), "a folder is not a file");
}

#[cfg(unix)]
#[test]
fn links_permissions_and_devices_survive_a_write() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let target = folder.file("target", "old");
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    let link = folder.path().join("link");
    symlink("target", &link).expect("a link");
    atomic_write(&link, |w| w.write_all(b"new")).expect("written");
    assert!(std::fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert_eq!(std::fs::read(&target).expect("the target"), b"new");
    assert_eq!(std::fs::metadata(&target).expect("the target").permissions().mode() & 0o777, 0o640);
    let to_device = folder.path().join("null");
    symlink("/dev/null", &to_device).expect("a link");
    atomic_write(&to_device, |w| w.write_all(b"gone")).expect("written");
    assert!(!std::fs::metadata(&to_device).expect("the device").is_file());
}

#[test]
fn threads_that_write_to_one_folder_do_not_meet() {
    let folder = Folder::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = folder.path().join("shared.txt");
            scope.spawn(move || {
                for _ in 0..20 {
                    atomic_write(&path, |w| w.write_all(&[b'0' + thread; 1000])).expect("written");
                }
            });
        }
    });
    let text = std::fs::read(folder.path().join("shared.txt")).expect("there");
    assert!(text.len() == 1000 && text.iter().all(|b| *b == text[0]));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn rows_of_some_classes_are_read_whatever_the_format() {
    let folder = Folder::new();
    let mut options = OpenOptions::default().label_column("1");
    options.classes = vec!["x".to_owned(), "z".to_owned()];
    let table = "1,x\n2,y\n3,z\n4,x\n";
    let data = folder.open_with("a.csv", table, &options).expect("rows");
    assert_eq!(values(&data).as_slice(), [1.0, 3.0, 4.0]);
    let labels = data.labels.expect("labels");
    assert_eq!((labels.names, labels.codes), (vec!["x".to_owned(), "z".to_owned()], vec![0, 1, 0]));

    let mut digits = OpenOptions::default();
    digits.classes = vec!["8".to_owned(), "3".to_owned()];
    let few = open("digits", &digits).expect("digits");
    assert_eq!(few.labels.expect("labels").names, ["3", "8"]);
    assert_eq!(few.source.rows(), 572 + 554);

    options.classes.push("w".to_owned());
    says(
        &folder.open_with("a.csv", table, &options).expect_err("refused").to_string(),
        &["no row is of class \"w\"", "\"x\", \"y\", \"z\""],
    );
    options.label_column = None;
    says(&folder.refusal_with("a.csv", table, &options), &["NameLabels"]);
}

#[test]
fn a_frame_of_zstd_that_is_to_be_skipped_may_stand_anywhere() {
    let folder = Folder::new();
    let skipped = |kind: u8, content: &[u8]| {
        [&[0x50 | kind, 0x2a, 0x4d, 0x18][..], &(content.len() as u32).to_le_bytes(), content].concat()
    };
    let (first, second) = (zstd(b"1,2\n3,"), zstd(b"4\n"));
    let (note, none) = (skipped(0, b"what made it"), skipped(15, b""));
    for parts in
        [[&note, &first, &none, &second], [&none, &note, &first, &second], [&first, &second, &note, &none]]
    {
        let data = folder.open("a.csv.zst", parts.map(Vec::as_slice).concat()).expect("a table");
        assert_eq!(values(&data).as_slice(), [1.0, 2.0, 3.0, 4.0]);
    }
}

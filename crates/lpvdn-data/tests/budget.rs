//! What reading may take: small files that unpack to much are refused with the figures, before the memory is taken.
#![allow(missing_docs)]
// The allocator counts, and passes on what it is asked for.
#![allow(unsafe_code)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use common::{Folder, npy, zip};
use lpvdn_data::{DataError, OpenOptions, read};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn taken(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        taken(size.saturating_sub(layout.size()));
        LIVE.fetch_sub(layout.size().saturating_sub(size), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MB: usize = 1_000_000;
const MEMORY: usize = 64 * MB;

/// Tests that measure run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn little() -> OpenOptions {
    let mut options = OpenOptions::default();
    options.memory = Some(MEMORY as u64);
    options.temp_limit = Some(100 * MB as u64);
    options
}

/// `piece` again and again between a beginning and an end, packed.
fn bomb(before: &str, piece: &[u8], megabytes: usize, after: &str) -> Vec<u8> {
    let piece = piece.repeat((MB / piece.len()).max(1));
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("memory");
    encoder.write_all(before.as_bytes()).expect("memory");
    (0..megabytes).for_each(|_| encoder.write_all(&piece).expect("memory"));
    encoder.write_all(after.as_bytes()).expect("memory");
    encoder.finish().expect("memory")
}

/// Lines that follow from their number.
fn lines(before: &str, count: usize, line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("memory");
    encoder.write_all(before.as_bytes()).expect("memory");
    (0..count).for_each(|i| encoder.write_all(line(i).as_bytes()).expect("memory"));
    encoder.finish().expect("memory")
}

/// The error of reading, and by how much the memory rose meanwhile.
fn refused(path: &Path, options: &OpenOptions) -> (DataError, usize) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let error = match read(path, options) {
        Err(error) => error,
        Ok(opened) => panic!("{} was read: {:?}", path.display(), opened.data.rows()),
    };
    (error, PEAK.load(Relaxed) - before)
}

/// Refused because of memory, with the figures, and without having taken it.
fn over_memory(path: &Path, options: &OpenOptions) {
    let (error, peak) = refused(path, options);
    let DataError::Memory { needed, allowed, what, .. } = &error else { panic!("{error}") };
    assert!(needed > allowed && *allowed == MEMORY as u64 && !what.is_empty(), "{error}");
    let message = error.to_string();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    assert!(message.contains("64 MB are allowed"), "{message}");
    assert!(message.contains(&name), "{message}");
    assert!(peak as f64 <= 1.2 * MEMORY as f64, "{} MB: {message}", peak / MB);
}

/// Refused because of memory or of room on the disk, with the figures, and without having taken it.
fn over_limits(path: &Path, options: &OpenOptions) {
    let (error, peak) = refused(path, options);
    let (DataError::Memory { needed, allowed, .. } | DataError::TempLimit { needed, allowed, .. }) = &error
    else {
        panic!("{error}")
    };
    assert!(needed > allowed, "{error}");
    assert!(peak as f64 <= 1.2 * MEMORY as f64, "{} MB: {error}", peak / MB);
}

#[test]
fn texts_of_which_there_are_too_many_go_to_the_disk_and_are_refused_beyond_its_limit() {
    let (_alone, folder) = (alone(), Folder::new());
    for (name, bytes) in [
        ("lines.txt.zst", bomb("", b"a few words\n", 300, "")),
        ("short.txt.zst", bomb("", b"ab\n", 100, "")),
        ("lines.jsonl.zst", bomb("", b"{\"text\":\"some words\"}\n", 300, "")),
    ] {
        over_limits(&folder.file(name, bytes), &little());
    }
    let csv = folder.file("lines.csv.zst", bomb("n,body\n", b"1,some words\n", 300, ""));
    over_limits(&csv, &common::changed(little(), |options| options.text_column = Some("body".to_owned())));
}

#[test]
fn texts_that_unpack_to_much_are_refused() {
    let (_alone, folder) = (alone(), Folder::new());
    for (name, bytes) in [
        ("line.txt.zst", bomb("", b"a", 300, "")),
        ("words.txt.zst", lines("", 1_500_000, |i| format!("{i:x}q{i:x} "))),
        ("terms.txt.zst", lines("", 700_000, |i| format!("{i:x}q{i:x}\n"))),
        ("line.jsonl.zst", bomb("{\"text\":\"", b"a", 300, "\"}\n")),
        ("list.jsonl.zst", bomb("{\"x\":[0", b",0", 30, "]}\n")),
        ("objects.jsonl.zst", bomb("{\"text\":\"a\",\"y\":[{}", b",{\"\":0}", 10, "]}\n")),
    ] {
        over_memory(&folder.file(name, bytes), &little());
    }
}

#[test]
fn a_folder_of_texts_that_unpack_to_much_is_refused() {
    let (_alone, folder) = (alone(), Folder::new());
    let inner = folder.path().join("texts");
    std::fs::create_dir(&inner).expect("a folder");
    for i in 0..3 {
        std::fs::write(inner.join(format!("{i}.txt.zst")), bomb("", b"word ", 40, "")).expect("a file");
    }
    over_limits(&inner, &little());
}

#[test]
fn tables_of_text_that_unpack_to_much_are_refused() {
    let (_alone, folder) = (alone(), Folder::new());
    for (name, bytes) in [
        ("cell.csv.zst", bomb("a,b\n1,", b"2", 200, "\n")),
        ("header.csv.zst", bomb("a", b"b", 200, "\n1\n")),
        ("columns.csv.zst", bomb("a", b",b", 20, "\n")),
        ("values.csv.zst", bomb("1", b",1", 20, "\n")),
        ("quote.csv.zst", bomb("a,b\n1,\"", b"x", 200, "")),
        ("words.csv.zst", lines("a,b\n", 900, |i| format!("{i},w{i}{}\n", "x".repeat(100_000)))),
        ("names.csv.zst", {
            let long = "n".repeat(1_000_000);
            lines(&format!("a,{long}\n"), 900, |i| format!("{},w{}\n", i * 7 % 900, i % 100))
        }),
    ] {
        over_memory(&folder.file(name, bytes), &little());
    }
    let path =
        folder.file("labels.csv.zst", lines("a,b\n", 1_000_000, |i| format!("{i},class number {i}\n")));
    over_memory(&path, &little().label_column("b"));
    let mut named = little();
    named.id_column = Some("b".to_owned());
    let path = folder.file("ids.csv.zst", lines("a,b\n", 2_000_000, |i| format!("{i},row number {i}\n")));
    over_memory(&path, &named);
}

#[test]
fn sparse_matrices_that_unpack_to_much_are_refused() {
    let (_alone, folder) = (alone(), Folder::new());
    let banner = "%%MatrixMarket matrix coordinate real general\n9 9 100000000\n";
    let dense = "%%MatrixMarket matrix array real general\n10000 10000\n";
    for (name, bytes) in [
        ("entries.mtx.zst", bomb(banner, b"1 1 1\n", 100, "")),
        ("cells.mtx.zst", bomb(dense, b"1\n", 100, "")),
        ("row.svm.zst", bomb("1 ", b"1:1 ", 200, "\n")),
        ("labels.svm.zst", lines("", 1_000_000, |i| format!("{i} 1:1\n"))),
        ("empty.svm.zst", bomb("1 1:1\n", b"1\n", 40, "")),
    ] {
        over_memory(&folder.file(name, bytes), &little());
    }
    let vector =
        |kind: &str, count: usize, width: usize| npy(kind, &format!("({count},)"), &vec![0; count * width]);
    let shape: Vec<u8> = [1_i64, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
    for layout in ["coo", "csc"] {
        let count = 8 * MB;
        let members = [
            ("format.npy", npy("|S3", "()", layout.as_bytes())),
            ("shape.npy", npy("<i8", "(2,)", &shape)),
            ("data.npy", vector("|u1", count, 1)),
            ("row.npy", vector("<i4", count, 4)),
            ("col.npy", vector("<i4", count, 4)),
            ("indices.npy", vector("<i4", count, 4)),
            ("indptr.npy", npy("<i8", "(2,)", &[[0; 8], (count as u64).to_le_bytes()].concat())),
        ];
        over_memory(&folder.file(&format!("{layout}.npz"), zip(&members, true)), &little());
    }
}

#[test]
fn arrays_that_cannot_stay_on_the_disk_are_refused() {
    let (_alone, folder) = (alone(), Folder::new());
    let mut columns = npy("|u1", "(40000000, 2)", &[]);
    let order = columns.windows(5).position(|part| part == b"False").expect("an order");
    columns.splice(order..order + 5, *b"True ");
    columns.resize(columns.len() + 80_000_000, 0);
    over_memory(&folder.file("columns.npy.zst", common::zstd(&columns)), &little());
    let inner = folder.path().join("idx");
    std::fs::create_dir(&inner).expect("a folder");
    let images = common::idx(8, &[10_000_000, 8], &vec![0; 80_000_000]);
    std::fs::write(inner.join("train-images-idx2-ubyte.gz"), common::gzip(&images)).expect("a file");
    let (error, _) = refused(&inner, &little());
    assert!(matches!(error, DataError::Memory { .. }), "{error}");
}

#[cfg(feature = "images")]
#[test]
fn pictures_that_unpack_to_much_are_refused() {
    let (_alone, folder) = (alone(), Folder::new());
    let inner = folder.path().join("pictures");
    std::fs::create_dir(&inner).expect("a folder");
    image::GrayImage::new(6_000, 6_000).save(inner.join("large.png")).expect("a picture");
    let mut options = little();
    options.image_size = Some("8".parse().expect("a size"));
    let (error, peak) = refused(&inner, &options);
    assert!(matches!(error, DataError::Memory { .. }), "{error}");
    assert!(peak < MEMORY, "{peak}");
}

/// A row of svmlight with a hundred values.
fn long_row() -> String {
    let values: String = (1..=100).map(|i| format!(" {i}:1")).collect();
    format!("1{values}\n")
}

#[test]
fn temporary_files_take_no_more_than_they_may() {
    let (_alone, folder) = (alone(), Folder::new());
    for (name, bytes) in [
        ("rows.csv.zst", bomb("a,b\n", b"1,2\n", 200, "")),
        // Long rows: the classes of short ones would be the first to take too much.
        ("rows.svm.zst", bomb("", long_row().as_bytes(), 200, "")),
        ("vectors.jsonl.zst", bomb("", b"{\"x\":[1,2,3,4,5,6,7,8]}\n", 200, "")),
        ("array.npy.zst", {
            let mut array = npy("|u1", "(40000000, 4)", &[]);
            array.resize(array.len() + 160_000_000, 0);
            common::zstd(&array)
        }),
    ] {
        let path = folder.file(name, bytes);
        let (error, peak) = refused(&path, &little());
        let DataError::TempLimit { needed, allowed, .. } = &error else { panic!("{error}") };
        assert!(needed > allowed && *allowed == 100 * MB as u64, "{error}");
        assert!(error.to_string().contains("100 MB are allowed"), "{error}");
        assert!(peak as f64 <= 1.2 * MEMORY as f64, "{} MB: {error}", peak / MB);
    }
}

#[test]
fn a_window_that_zstd_claims_is_taken_only_where_there_is_memory_for_it() {
    let (_alone, folder) = (alone(), Folder::new());
    // A frame with a window of 2 GiB and a block of three letters.
    let frame = [&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8][..], &[0x19, 0, 0], b"1,2"].concat();
    over_memory(&folder.file("window.csv.zst", frame), &little());
}

#[test]
fn what_fits_is_read_and_the_same_as_with_all_memory() {
    let (_alone, folder) = (alone(), Folder::new());
    let texts = lines("", 100_000, |i| format!("word{} and word{} of {}\n", i % 97, i % 89, i % 83));
    let path = folder.file("texts.txt.zst", texts);
    let mut tight = little();
    tight.memory = Some(32 * MB as u64);
    let (there, held) =
        (read(&path, &tight).expect("texts"), read(&path, &OpenOptions::default()).expect("texts"));
    assert_eq!((there.data.rows(), &there.reading), (100_000, &held.reading));
    let gathered = |opened: &lpvdn_data::Opened| {
        let mut batch = lpvdn_core::Batch::for_source(opened.data.source.as_ref());
        opened.data.source.gather(&[0, 7, 99_999], &mut batch).expect("rows");
        format!("{batch:?}")
    };
    assert_eq!(gathered(&there), gathered(&held));
}

#[test]
fn very_many_columns_are_refused_before_anything_is_kept_of_each() {
    let (_alone, folder) = (alone(), Folder::new());
    let rows: String = (0..20).map(|i| format!("{} 1:{i} 9999999:1\n", i % 2)).collect();
    let path = folder.file("wide.svm", rows);
    over_memory(&path, &little());
}

//! Parquet, Arrow and pictures that lie: no panic, and no memory for what is not there.
#![cfg(all(feature = "parquet", feature = "images"))]
#![allow(missing_docs)]

mod common;
#[path = "common/watching.rs"]
mod watching;

use common::{Folder, fixture, says};
use lpvdn_data::reading::ImagesReading;
use lpvdn_data::{OpenOptions, Reading, open};
use proptest::prelude::*;
use watching::{LARGEST, modest_refusal};

const TABLES: [&str; 7] = [
    "columns/none.parquet",
    "columns/snappy.parquet",
    "columns/pages_2.parquet",
    "columns/uncompressed.feather",
    "columns/lz4.feather",
    "columns/zstd.feather",
    "columns/stream.arrows",
];
const PICTURES: [&str; 6] = [
    "images/mixed/color.png",
    "images/mixed/photo.jpg",
    "images/mixed/small.bmp",
    "images/mixed/lossy.webp",
    "images/mixed/palette.png",
    "images/grey/two/b.webp",
];

fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).expect("a fixture")
}

fn as_a_model_does() -> OpenOptions {
    let mut options = OpenOptions::default();
    options.reading = Some(Reading::Images(ImagesReading {
        width: 5,
        height: 5,
        channels: 3,
        fit: lpvdn_data::ImageFit::Pad,
        resized: None,
    }));
    options
}

/// Opening may fail, but does not panic, and takes no more memory in one piece than `most`.
fn survives(folder: &Folder, name: &str, bytes: &[u8], options: &OpenOptions, most: usize) -> bool {
    let path = folder.file(name.rsplit('/').next().unwrap_or(name), bytes);
    LARGEST.set(0);
    let opened = open(&path, options);
    assert!(LARGEST.get() <= most, "{} bytes for {name}: {opened:?}", LARGEST.get());
    match opened {
        Ok(data) => {
            assert!(data.rows() > 0 && data.cols() > 0);
            true
        }
        Err(error) => {
            says(&error.to_string(), &[&path.display().to_string()]);
            false
        }
    }
}

#[test]
fn a_table_that_is_cut_anywhere_is_refused() {
    let folder = Folder::new();
    for name in TABLES {
        let whole = bytes_of(name);
        assert!(survives(&folder, name, &whole, &OpenOptions::default(), 4 << 20));
        for length in 0..whole.len() {
            let read = survives(&folder, name, &whole[..length], &OpenOptions::default(), 4 << 20);
            assert!(!read, "{name} with {length} of {} bytes", whole.len());
        }
    }
}

#[test]
fn a_picture_that_is_cut_anywhere_does_no_harm() {
    let folder = Folder::new();
    for name in PICTURES {
        let whole = bytes_of(name);
        assert!(survives(&folder, name, &whole, &as_a_model_does(), 4 << 20));
        for length in 0..whole.len() {
            survives(&folder, name, &whole[..length], &as_a_model_does(), 4 << 20);
        }
    }
}

#[test]
fn pictures_that_claim_to_be_huge_take_no_memory() {
    let folder = Folder::new();
    let mut png = bytes_of("images/mixed/color.png");
    let mut bmp = bytes_of("images/mixed/small.bmp");
    png[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
    bmp[18..26].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f]);
    for (name, bytes) in [("a.png", &png), ("a.bmp", &bmp)] {
        assert!(!survives(&folder, name, bytes, &as_a_model_does(), 4 << 20));
    }
}

#[test]
fn lengths_that_are_not_there_take_no_memory() {
    let folder = Folder::new();
    for length in [1_u32, 8, 1 << 20, i32::MAX as u32, u32::MAX - 7] {
        let length = length.to_le_bytes();
        let stream = [&[0xff; 4][..], &length, &[0; 64]].concat();
        modest_refusal(&folder, "a.arrows", &stream);
        modest_refusal(&folder, "a.arrow", &[b"ARROW1\0\0", &stream[..]].concat());
        modest_refusal(&folder, "a.parquet", &[b"PAR1", &[0x15; 64][..], &length, b"PAR1"].concat());
    }
    modest_refusal(&folder, "a.parquet", b"PAR1");
    modest_refusal(&folder, "a.parquet", b"1,2\n");
    modest_refusal(&folder, "a.feather", b"1,2\n");
    // What a compressed buffer unpacks to stands before it.
    let whole = bytes_of("columns/zstd.feather");
    let frames: Vec<usize> =
        (8..whole.len() - 4).filter(|&i| whole[i..i + 4] == [0x28, 0xb5, 0x2f, 0xfd]).collect();
    assert!(!frames.is_empty());
    for at in frames {
        for claim in [i64::MAX, 1 << 50, 1 << 40, -2] {
            let mut damaged = whole.clone();
            damaged[at - 8..at].copy_from_slice(&claim.to_le_bytes());
            modest_refusal(&folder, "a.feather", &damaged);
        }
    }
}

#[test]
fn a_buffer_that_lies_outside_of_its_message_is_refused_though_it_is_not_packed() {
    let folder = Folder::new();
    let whole = bytes_of("columns/uncompressed.feather");
    let outside = |at: usize| {
        let mut damaged = whole.clone();
        damaged[at..at + 8].copy_from_slice(&(1_i64 << 40).to_le_bytes());
        let path = folder.file("a.feather", damaged);
        open(path, &OpenOptions::default()).is_err_and(|e| e.to_string().contains("a buffer lies outside"))
    };
    // Somewhere in it the places and the lengths of buffers stand.
    assert!((0..whole.len() - 8).step_by(8).filter(|&at| outside(at)).count() > 4);
}

/// Found by `cargo xtask fuzz`, or made in a review.
#[test]
fn files_that_once_did_harm_do_none() {
    let folder = Folder::new();
    for entry in std::fs::read_dir(fixture("hostile")).expect("fixtures") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        survives(&folder, &name, &std::fs::read(&path).expect("a file"), &OpenOptions::default(), 4 << 20);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn damaged_bytes_never_panic(
        name in prop::sample::select([&TABLES[..], &PICTURES].concat()),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = bytes_of(name);
        for (at, to) in damage {
            let at = at.index(bytes.len());
            bytes[at] = to;
        }
        let options = if TABLES.contains(&name) { OpenOptions::default() } else { as_a_model_does() };
        // A page or a picture may say that it unpacks to as much as its format allows.
        survives(&Folder::new(), name, &bytes, &options, 2 << 30);
    }

    #[test]
    fn random_bytes_after_a_true_beginning_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        beginning in prop::sample::select(vec![
            &b"PAR1"[..], b"ARROW1\0\0\xff\xff\xff\xff", b"\xff\xff\xff\xff\x40\0\0\0", b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR",
            b"\xff\xd8\xff\xe0", b"RIFF\xff\0\0\0WEBPVP8 ", b"RIFF\xff\0\0\0WEBPVP8L", b"BM\x46\0\0\0\0\0\0\0",
        ]),
        end in prop::sample::select(vec![&b""[..], b"\x20\0\0\0PAR1", b"ARROW1"]),
    ) {
        let content = [beginning, &bytes, end].concat();
        survives(&Folder::new(), "a.bin", &content, &OpenOptions::default(), 256 << 20);
        survives(&Folder::new(), "a.bin", &content, &as_a_model_does(), 256 << 20);
    }
}

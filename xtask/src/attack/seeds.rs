//! Valid files of every format.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

/// A file to begin with.
pub(super) struct Seed {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// Whether it is text, in which numbers are words.
    pub(super) text: bool,
    /// Whether it may be compressed by gzip or zstd.
    pub(super) packable: bool,
    /// Whether it is read as a file of a folder.
    pub(super) in_folder: bool,
}

const PICTURES: [&str; 6] = ["png", "jpg", "jpeg", "webp", "bmp", "gif"];
const TEXTS: [&str; 6] = ["csv", "tsv", "txt", "jsonl", "svm", "mtx"];

impl Seed {
    pub(super) fn new(name: impl Into<String>, bytes: Vec<u8>) -> Seed {
        let name = name.into();
        let ending = Path::new(&name).extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let in_folder = PICTURES.contains(&ending.as_str());
        Seed { text: TEXTS.contains(&ending.as_str()), packable: !in_folder, in_folder, name, bytes }
    }
}

/// The fixtures of the tests, and a small file of each format that has none there. Formats are equally many, however
/// many files one has.
pub(super) fn all(fixtures: &Path) -> Result<Vec<Seed>> {
    let mut found = Vec::new();
    collect(fixtures, &mut found)?;
    found.sort_by(|a, b| a.name.cmp(&b.name));
    let written = written();
    let times = found.len().div_ceil(2 * written.len()).max(1);
    for (name, bytes) in &written {
        found.extend((0..times).map(|_| Seed::new(*name, bytes.clone())));
    }
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<Seed>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let source = [".py", ".json", ".md"].iter().any(|ending| name.ends_with(ending));
        let bytes = fs::read(&path)?;
        if !source && !bytes.is_empty() {
            found.push(Seed::new(name, bytes));
        }
    }
    Ok(())
}

/// Files of the formats that are easily written.
fn written() -> Vec<(&'static str, Vec<u8>)> {
    let rows = || (0..40).map(|i| (i, (i * 7 % 11) as f64 / 3.0, ["red", "green", "blue"][i % 3]));
    let table = |delimiter: char| {
        let mut text = format!("id{delimiter}x{delimiter}colour\n");
        rows().for_each(|(i, x, word)| text += &format!("{i}{delimiter}{x}{delimiter}\"{word}\"\n"));
        text.into_bytes()
    };
    let lines = |line: &dyn Fn(usize, f64, &str) -> String| {
        rows().map(|(i, x, word)| line(i, x, word) + "\n").collect::<String>().into_bytes()
    };
    let idx = |dims: &[u32], values: &[u8]| {
        let mut bytes = vec![0, 0, 8, dims.len() as u8];
        dims.iter().for_each(|dim| bytes.extend(dim.to_be_bytes()));
        bytes.extend(values);
        bytes
    };
    let mut array = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (20, 4), }";
    array.extend(format!("{header:<117}\n").bytes());
    array.extend((0..80).flat_map(|i| (i as f32).to_le_bytes()));
    vec![
        ("table.csv", table(',')),
        ("table.tsv", table('\t')),
        ("texts.txt", lines(&|i, x, word| format!("the {word} document number {i} says {x} about {word}s"))),
        ("texts.jsonl", lines(&|i, x, word| format!(r#"{{"text":"a {word} text","id":{i},"score":{x}}}"#))),
        ("vectors.jsonl", lines(&|i, x, word| format!(r#"{{"embedding":[{i},{x},1.5],"class":"{word}"}}"#))),
        ("rows.svm", lines(&|i, x, _| format!("{} 1:{x} {}:1", i % 2, i + 2))),
        (
            "matrix.mtx",
            b"%%MatrixMarket matrix coordinate real general\n5 4 6\n1 1 1.5\n2 2 2\n3 4 1\n4 1 3\n5 2 1\n5 3 2\n"
                .to_vec(),
        ),
        ("dense.mtx", b"%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n".to_vec()),
        ("images.idx3-ubyte", idx(&[10, 3, 3], &(0..90).collect::<Vec<u8>>())),
        ("array.npy", array),
    ]
}

pub(super) fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(9));
    // Memory takes every byte.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Bytes in a frame of zstd, as they are.
pub(super) fn zstd_raw(bytes: &[u8]) -> Vec<u8> {
    let pieces: Vec<Block<'_>> = bytes.chunks(MOST_IN_BLOCK).map(Block::Raw).collect();
    zstd_frame(&pieces)
}

/// No block of zstd unpacks to more.
pub(super) const MOST_IN_BLOCK: usize = 128 << 10;

/// A block of a frame.
#[derive(Clone, Copy)]
pub(super) enum Block<'a> {
    Raw(&'a [u8]),
    /// One byte, as often.
    Repeated(u8, usize),
}

/// A frame of zstd, by RFC 8878: blocks that need no entropy coder.
pub(super) fn zstd_frame(blocks: &[Block<'_>]) -> Vec<u8> {
    // The magic number; no checksum, no size; a window of 1 MiB.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50];
    let header = |frame: &mut Vec<u8>, last: bool, kind: u32, size: usize| {
        let header = u32::from(last) | kind << 1 | (size as u32) << 3;
        frame.extend(&header.to_le_bytes()[..3]);
    };
    for block in blocks {
        match *block {
            Block::Raw(bytes) => {
                header(&mut frame, false, 0, bytes.len());
                frame.extend(bytes);
            }
            Block::Repeated(byte, times) => {
                header(&mut frame, false, 1, times);
                frame.push(byte);
            }
        }
    }
    header(&mut frame, true, 0, 0);
    frame
}

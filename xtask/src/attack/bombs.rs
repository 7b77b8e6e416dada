//! Small files that unpack to much.

use super::seeds::{Block, MOST_IN_BLOCK, Seed, gzipped, zstd_frame};

/// What is packed again and again into one gzip file.
const PIECE: usize = 8 << 20;

/// Bombs of every text format and of arrays, each of about `size` bytes when unpacked.
pub(super) fn all(size: usize) -> Vec<Seed> {
    let mut bombs = Vec::new();
    // One byte without end, between a beginning and an end.
    for (name, before, byte, after) in [
        ("one-line.txt", "", b'a', ""),
        ("spaces.txt", "a", b' ', "b\n"),
        ("empty-lines.txt", "a b\n", b'\n', "c d\n"),
        ("one-text.jsonl", "{\"text\":\"", b'a', "\"}\n"),
        ("one-list.jsonl", "{\"x\":[1", b',', "]}\n"),
        ("nested.jsonl", "{\"text\":\"a\",\"y\":", b'[', "\n"),
        ("one-cell.csv", "a,b\n1,", b'2', "\n"),
        ("one-word.csv", "a,b\n1,", b'x', "\n"),
        ("one-header.csv", "a", b'b', "\n1\n"),
        ("many-columns.csv", "a", b',', "\n"),
        ("quotes.csv", "a,b\n1,\"", b'x', ""),
        ("empty-lines.csv", "a\n1\n", b'\n', "2\n"),
        ("one-row.svm", "1 1:", b'1', "\n"),
        ("comment.svm", "1 1:1 #", b'x', "\n1 2:1\n"),
        ("comment.mtx", "%%MatrixMarket matrix coordinate real general\n%", b'x', "\n1 1 1\n1 1 1\n"),
        ("cell.mtx", "%%MatrixMarket matrix array real general\n2 1\n", b'1', "\n"),
    ] {
        let mut blocks = vec![Block::Raw(before.as_bytes())];
        blocks.extend((0..size / MOST_IN_BLOCK).map(|_| Block::Repeated(byte, MOST_IN_BLOCK)));
        blocks.push(Block::Raw(after.as_bytes()));
        bombs.push(Seed::new(format!("{name}.zst"), zstd_frame(&blocks)));
    }
    // The same lines without end.
    for (name, before, line) in [
        ("texts.txt", "", "a document of a few words\n"),
        ("short.txt", "", "ab\n"),
        ("texts.jsonl", "", "{\"text\":\"a document of a few words\",\"label\":\"x\"}\n"),
        ("vectors.jsonl", "", "{\"x\":[1,2,3]}\n"),
        ("rows.csv", "a,b,c\n", "1,2,red\n"),
        ("thin.csv", "a\n", "1\n"),
        ("rows.svm", "", "1 1:1 7:2\n"),
        ("labels.svm", "", "1\n"),
        ("rows.mtx", "%%MatrixMarket matrix coordinate real general\n9 9 900000000\n", "1 1 1\n"),
        ("cells.mtx", "%%MatrixMarket matrix array real general\n30000 30000\n", "1\n"),
    ] {
        bombs.push(Seed::new(format!("{name}.gz"), repeated(before.as_bytes(), line.as_bytes(), size)));
    }
    // Other words in every line.
    bombs.push(Seed::new("other-words.txt.gz", other_lines(size / 20, |i| format!("{:x}q {:x}z\n", i, !i))));
    bombs.push(Seed::new("other-names.csv.gz", other_lines(size / 20, |i| format!("{i},w{i:x}\n"))));
    // Arrays of zeros.
    let header = |text: String| {
        let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        bytes.extend(format!("{text:<117}\n").bytes());
        bytes
    };
    for (name, order) in [("rows.npy", "False"), ("columns.npy", "True")] {
        let shape = format!("{{'descr': '<f4', 'fortran_order': {order}, 'shape': ({}, 8), }}", size / 32);
        bombs.push(Seed::new(format!("{name}.gz"), repeated(&header(shape), &[0; 32], size)));
    }
    let mut idx = vec![0, 0, 8, 2];
    idx.extend((size as u32 / 8).to_be_bytes());
    idx.extend(8_u32.to_be_bytes());
    bombs.push(Seed::new("rows.idx2-ubyte.gz", repeated(&idx, &[0; 8], size)));
    bombs
}

/// Members of gzip, one after the other: what comes first, and `piece` until there are `size` bytes.
fn repeated(before: &[u8], piece: &[u8], size: usize) -> Vec<u8> {
    let times = (PIECE / piece.len()).max(1);
    let member = gzipped(&piece.repeat(times));
    let mut bytes = gzipped(before);
    let members = size / (times * piece.len());
    (0..members).for_each(|_| bytes.extend(&member));
    let rest = size / piece.len() - members * times;
    bytes.extend(gzipped(&piece.repeat(rest)));
    bytes
}

fn other_lines(size: usize, line: impl Fn(u64) -> String) -> Vec<u8> {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < size {
        text += &line(number);
        number += 1;
    }
    gzipped(text.as_bytes())
}

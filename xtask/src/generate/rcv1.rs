//! Sparse rows like the tf-idf weights of RCV1: words by Zipf's law, of which each topic prefers some.

use std::io::{Seek, Write};

use anyhow::Result;
use lpvdn_core::stream::{Stream, StreamKey};

use super::Request;
use super::npz::Archive;

/// The documents of each root in RCV1: CCAT, ECAT, GCAT, MCAT.
const SHARES: [u64; 4] = [299_612, 54_695, 163_135, 167_629];
/// A root is several topics, which share a part of their words.
const TOPICS: usize = 8;
/// How many words a topic, and a root, prefers.
const PREFERRED: usize = 120;
/// Of the words of a document, how many are its topic's, and how many its root's.
const OF_TOPIC: f64 = 0.25;
const OF_ROOT: f64 = 0.25;
/// Different words of a document: log-normal, 59 on average.
const MEDIAN_WORDS: f64 = 50.7;
const SPREAD: f64 = 0.55;

pub(super) fn write(request: &Request, out: &mut (impl Write + Seek)) -> Result<()> {
    let corpus = Corpus::new(request.seed, request.cols);
    let rows = request.rows;
    // A first pass knows how much there will be; rows are made again for each array.
    let heads: Vec<(u8, u16)> = (0..rows).map(|row| corpus.head(row)).collect();
    let entries: u64 = heads.iter().map(|(_, words)| u64::from(*words)).sum();
    let mut archive = Archive::new(out);
    let vector = |count: u64| format!("({count},)");
    archive.array("data", "<f4", &vector(entries), |write| {
        each_row(&corpus, rows, |row| write(&bytes(row.iter().map(|(_, v)| v.to_le_bytes()))))
    })?;
    archive.array("indices", "<i4", &vector(entries), |write| {
        each_row(&corpus, rows, |row| write(&bytes(row.iter().map(|(j, _)| j.to_le_bytes()))))
    })?;
    archive.array("indptr", "<i8", &vector(rows as u64 + 1), |write| {
        let mut at = 0_u64;
        write(&at.to_le_bytes())?;
        heads.iter().try_for_each(|(_, words)| {
            at += u64::from(*words);
            write(&at.to_le_bytes())
        })
    })?;
    archive.array("format", "|S3", "()", |write| write(b"csr"))?;
    archive.array("shape", "<i8", "(2,)", |write| {
        write(&bytes([rows as u64, request.cols as u64].map(u64::to_le_bytes).into_iter()))
    })?;
    archive.array("labels", "|u1", &vector(rows as u64), |write| {
        heads.iter().try_for_each(|(root, _)| write(&[*root]))
    })?;
    archive.finish()
}

fn bytes<const N: usize>(values: impl Iterator<Item = [u8; N]>) -> Vec<u8> {
    values.flatten().collect()
}

fn each_row(corpus: &Corpus, rows: usize, mut visit: impl FnMut(&[(u32, f32)]) -> Result<()>) -> Result<()> {
    let mut row = Vec::new();
    (0..rows).try_for_each(|i| {
        corpus.row(i, &mut row);
        visit(&row)
    })
}

/// What all documents have in common.
struct Corpus {
    key: StreamKey,
    cols: usize,
    /// Sums of the frequencies of all words, by rank; columns are words in another order.
    zipf: Vec<f64>,
    /// The same for the words that somebody prefers.
    zipf_of_preferred: Vec<f64>,
    /// The words in the order of their frequency, and their weight.
    by_rank: Vec<u32>,
    idf: Vec<f32>,
    /// The words that each root prefers, and each topic of each.
    of_roots: Vec<Vec<u32>>,
    of_topics: Vec<Vec<u32>>,
}

impl Corpus {
    fn new(seed: u64, cols: usize) -> Corpus {
        let key = StreamKey::new(seed, "rcv1");
        let mut stream = key.open();
        let mut by_rank: Vec<u32> = (0..cols as u32).collect();
        stream.shuffle(&mut by_rank);
        let mut idf = vec![0.0; cols];
        for (rank, &word) in by_rank.iter().enumerate() {
            // The most frequent word is in nearly every second document.
            let share = (0.45 * 4.0 / (rank as f64 + 4.0)).max(1e-4);
            idf[word as usize] = (1.0 - share.ln()) as f32;
        }
        let mut prefer = |count: usize| -> Vec<Vec<u32>> {
            let words = |_| {
                let mut all: Vec<u32> = (0..cols as u32).collect();
                stream.shuffle(&mut all);
                all.truncate(PREFERRED);
                all
            };
            (0..count).map(words).collect()
        };
        let (of_roots, of_topics) = (prefer(SHARES.len()), prefer(SHARES.len() * TOPICS));
        let (zipf, zipf_of_preferred) = (sums(cols), sums(cols.min(PREFERRED)));
        Corpus { key, cols, zipf, zipf_of_preferred, by_rank, idf, of_roots, of_topics }
    }

    /// The root of a document, and how many different words it has.
    fn head(&self, row: usize) -> (u8, u16) {
        self.begin(&mut self.stream(row))
    }

    fn stream(&self, row: usize) -> Stream {
        self.key.at(1, 0, row as u64).open()
    }

    fn begin(&self, stream: &mut Stream) -> (u8, u16) {
        let mut at = stream.below(SHARES.iter().sum());
        let mut root = 0;
        while at >= SHARES[root] {
            at -= SHARES[root];
            root += 1;
        }
        let words = (MEDIAN_WORDS.ln() + SPREAD * stream.normal()).exp().round();
        // Beyond half of all words, different ones would take long to draw.
        (root as u8, words.clamp(1.0, (self.cols as f64 / 2.0).clamp(1.0, 600.0)) as u16)
    }

    /// The rising columns of a document and their weights, of length 1.
    fn row(&self, row: usize, out: &mut Vec<(u32, f32)>) {
        let mut stream = self.stream(row);
        let (root, words) = self.begin(&mut stream);
        let topic = usize::from(root) * TOPICS + stream.below(TOPICS as u64) as usize;
        out.clear();
        while out.len() < usize::from(words) {
            let word = self.word(usize::from(root), topic, &mut stream);
            match out.binary_search_by_key(&word, |entry| entry.0) {
                // Said once more.
                Ok(at) => out[at].1 += 1.0,
                Err(at) => out.insert(at, (word, 1.0)),
            }
        }
        let mut squares = 0.0_f64;
        for (word, value) in out.iter_mut() {
            *value = (1.0 + value.ln()) * self.idf[*word as usize];
            squares += f64::from(*value).powi(2);
        }
        let length = squares.sqrt() as f32;
        out.iter_mut().for_each(|(_, value)| *value /= length);
    }

    fn word(&self, root: usize, topic: usize, stream: &mut Stream) -> u32 {
        let whose = stream.uniform();
        if whose < OF_TOPIC {
            self.of_topics[topic][drawn(&self.zipf_of_preferred, stream)]
        } else if whose < OF_TOPIC + OF_ROOT {
            self.of_roots[root][drawn(&self.zipf_of_preferred, stream)]
        } else {
            self.by_rank[drawn(&self.zipf, stream)]
        }
    }
}

/// Sums of frequencies that fall with the rank, the last of which is 1.
fn sums(count: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let mut sums: Vec<f64> = Vec::with_capacity(count);
    for rank in 0..count {
        sum += 1.0 / (rank as f64 + 4.0);
        sums.push(sum);
    }
    sums.iter_mut().for_each(|s| *s /= sum);
    sums
}

fn drawn(sums: &[f64], stream: &mut Stream) -> usize {
    let at = stream.uniform();
    sums.partition_point(|&sum| sum <= at).min(sums.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_like_those_of_the_real_set() {
        let corpus = Corpus::new(0, 2_000);
        let mut row = Vec::new();
        let (mut entries, mut roots) = (0, [0; 4]);
        for i in 0..4_000 {
            corpus.row(i, &mut row);
            let (root, words) = corpus.head(i);
            assert_eq!(row.len(), usize::from(words));
            assert!(row.windows(2).all(|two| two[0].0 < two[1].0));
            let length: f32 = row.iter().map(|(_, v)| v * v).sum();
            assert!((length - 1.0).abs() < 1e-4);
            entries += row.len();
            roots[usize::from(root)] += 1;
        }
        let mean = entries as f64 / 4_000.0;
        assert!((57.0..61.0).contains(&mean), "{mean}");
        assert!((1_600..1_900).contains(&roots[0]) && (250..400).contains(&roots[1]), "{roots:?}");
    }
}

//! Twenty data sets without clusters.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use lpvdn_core::stream::{Stream, StreamKey};

/// How the values of a set are drawn. Every column, or word, is independent of the others, but for `Long`.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Uniform,
    Normal,
    /// A Gaussian that is long in a few directions.
    Long,
    /// Most values small, a few large.
    Skewed,
    /// A few whole numbers.
    Levels(u64),
    /// Words of categories, of which each column has more.
    Categories,
    /// Texts of random words.
    Texts,
    /// Values of two normal heaps, in every column by itself: each has clusters, and the rows have none that they share.
    Permuted,
}

/// What a set is called, how its values are drawn, and its rows and columns.
const SETS: [(&str, Kind, usize, usize); 20] = [
    ("cube-500x10", Kind::Uniform, 500, 10),
    ("cube-200x5", Kind::Uniform, 200, 5),
    ("cube-3000x20", Kind::Uniform, 3_000, 20),
    ("square-1000", Kind::Uniform, 1_000, 2),
    ("square-300", Kind::Uniform, 300, 2),
    ("gauss-300x8", Kind::Normal, 300, 8),
    ("gauss-2000x16", Kind::Normal, 2_000, 16),
    ("gauss-5000x50", Kind::Normal, 5_000, 50),
    ("long-1500x10", Kind::Long, 1_500, 10),
    ("long-400x6", Kind::Long, 400, 6),
    ("long-800x40", Kind::Long, 800, 40),
    ("skewed-1000x6", Kind::Skewed, 1_000, 6),
    ("skewed-300x12", Kind::Skewed, 300, 12),
    ("levels-1000x6", Kind::Levels(4), 1_000, 6),
    ("binary-1000x20", Kind::Levels(2), 1_000, 20),
    ("categories-600", Kind::Categories, 600, 8),
    ("permuted-200x13", Kind::Permuted, 200, 13),
    ("permuted-1000x30", Kind::Permuted, 1_000, 30),
    ("texts-600", Kind::Texts, 600, 1_000),
    ("texts-1200", Kind::Texts, 1_200, 1_500),
];

/// The first `count` sets as files in `folder`.
pub(super) fn write(folder: &Path, count: usize) -> Result<Vec<(&'static str, PathBuf)>> {
    fs::create_dir_all(folder)?;
    let mut all = Vec::new();
    for (number, (name, kind, rows, columns)) in SETS.into_iter().take(count).enumerate() {
        let mut stream = StreamKey::new(number as u64, "noise of the verdict").open();
        let (ending, text) = match kind {
            Kind::Texts => ("txt", texts(rows, columns as u64, &mut stream)),
            _ => ("csv", table(kind, rows, columns, &mut stream)),
        };
        let path = folder.join(format!("{name}.{ending}"));
        fs::write(&path, text)?;
        all.push((name, path));
    }
    Ok(all)
}

fn table(kind: Kind, rows: usize, columns: usize, stream: &mut Stream) -> String {
    let names: Vec<String> = (0..columns).map(|j| format!("x{j}")).collect();
    let mut text = names.join(",") + "\n";
    // Directions of `Long`.
    let mixing: Vec<f64> = (0..3 * columns).map(|_| stream.normal()).collect();
    for _ in 0..rows {
        let base: [f64; 3] = [4.0, 2.0, 1.0].map(|length| length * stream.normal());
        let cells: Vec<String> = (0..columns)
            .map(|j| match kind {
                Kind::Uniform => format!("{:.5}", stream.uniform()),
                Kind::Normal => format!("{:.5}", stream.normal()),
                Kind::Long => {
                    let along: f64 = (0..3).map(|d| base[d] * mixing[3 * j + d]).sum();
                    format!("{:.5}", along + stream.normal())
                }
                Kind::Skewed => format!("{:.5}", -(1.0 - stream.uniform()).ln()),
                Kind::Levels(levels) => stream.below(levels).to_string(),
                Kind::Categories => format!("c{j}v{}", stream.below(2 + j as u64)),
                Kind::Permuted => {
                    let heap = if stream.uniform() < 0.5 { 0.0 } else { 2.0 };
                    format!("{:.5}", heap + stream.normal())
                }
                Kind::Texts => String::new(),
            })
            .collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

/// Words of letters, the first of which are the most frequent.
fn texts(rows: usize, words: u64, stream: &mut Stream) -> String {
    let word = |number: u64| -> String {
        number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).collect()
    };
    let mut text = String::new();
    for _ in 0..rows {
        let length = 30 + stream.below(60);
        let drawn: Vec<String> =
            (0..length).map(|_| word((words as f64 * stream.uniform().powi(2)) as u64)).collect();
        text += &(drawn.join(" ") + "\n");
    }
    text
}

//! What is told beside a model and its rows.

use super::manifest::{ClusterVerdict, Stability, Training};

/// What a model does not know about its own making.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// The beginning of each document, where rows are documents.
    pub texts: Option<Vec<String>>,
    /// What the reader should know, a sentence each.
    pub notes: Vec<String>,
    /// Warnings of the training.
    pub warnings: Vec<String>,
    /// What was judged after the fit.
    pub verdict: Option<ClusterVerdict>,
    /// How far candidates agreed.
    pub stability: Option<Stability>,
    /// The course of the training.
    pub training: Option<Training>,
    /// The command that repeats it; empty where there is none.
    pub command: String,
}

/// What a page may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rows: of more, so many are drawn by chance.
    pub rows: usize,
    /// Bytes of all pictures: of more, they are made smaller.
    pub picture_bytes: usize,
}

impl Limits {
    /// Of a file that is opened as a whole.
    pub fn file() -> Limits {
        Limits { rows: 100_000, picture_bytes: 64_000_000 }
    }

    /// Of a server, which sends pictures when they are asked for.
    pub fn served() -> Limits {
        Limits { rows: 1_000_000, picture_bytes: usize::MAX }
    }
}

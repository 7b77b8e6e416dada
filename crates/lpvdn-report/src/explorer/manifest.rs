//! What a page knows from its start. The names are those that the page's scripts use.

use std::collections::BTreeMap;

use lpvdn::verdict::{Structure, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Of the fields below and of the blobs.
pub const VERSION: u32 = 1;

/// Everything small.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    /// [`VERSION`].
    pub version: u32,
    /// Whether blobs are asked for from a server.
    pub served: bool,
    /// What the data is called.
    pub title: String,
    /// Which program made the page.
    pub program: String,
    /// The method of the model.
    pub method: String,
    /// What rows are.
    pub kind: Kind,
    /// Rows on the page.
    pub rows: usize,
    /// Rows of the data.
    pub rows_total: usize,
    /// What the reader should know, a sentence each.
    pub notes: Vec<String>,
    /// How pictures come, where rows are some.
    pub picture: Option<PictureChunks>,
    /// How texts come, where rows are some.
    pub text: Option<Chunked>,
    /// How names of rows come, where they have some.
    pub ids: Option<Chunked>,
    /// Columns that rows can be coloured by.
    pub columns: Vec<Column>,
    /// Columns of the data.
    pub columns_total: usize,
    /// About the map.
    pub map: MapFacts,
    /// The numbers of a code.
    pub code_size: usize,
    /// What codes are called.
    pub code_name: String,
    /// The names of the true classes, where they are known.
    pub labels: Option<Vec<String>>,
    /// A card for each cluster.
    pub clusters: Vec<ClusterCard>,
    /// Scores.
    pub metrics: Vec<Metric>,
    /// How many rows of each cluster (outer) are of each class (inner).
    pub confusion: Option<Vec<Vec<usize>>>,
    /// Whether the clusters are more than what data without any would give, where they were judged.
    pub verdict: Option<ClusterVerdict>,
    /// How far candidates agreed.
    pub stability: Option<Stability>,
    /// Warnings of the training.
    pub warnings: Vec<String>,
    /// The course of the training, where a log of it is there.
    pub training: Option<Training>,
    /// What the model is, pairs of a name and a value.
    pub facts: Vec<(String, String)>,
    /// What it was fitted with.
    pub settings: Vec<(String, String)>,
    /// The command that repeats it.
    pub command: String,
}

/// What rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Images.
    Pictures,
    /// Documents.
    Texts,
    /// Numbers.
    Table,
}

/// Pictures in blobs of so many rows each.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PictureChunks {
    /// Points from left to right.
    pub width: usize,
    /// Points from top to bottom.
    pub height: usize,
    /// Values of a point.
    pub channels: usize,
    /// Rows of a blob.
    pub chunk: usize,
}

/// Words in blobs of so many rows each.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Chunked {
    /// Rows of a blob.
    pub chunk: usize,
}

/// A column that rows can be coloured by.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
}

/// About the map.
#[derive(Clone, Debug, Serialize)]
pub struct MapFacts {
    /// 2 or 3.
    pub axes: usize,
    /// How it was made.
    pub about: String,
}

/// What is known of one cluster. Rows are counted from 0, as they are on the page.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterCard {
    /// Its rows.
    pub size: usize,
    /// Its name, until someone gives it another.
    pub name: String,
    /// Rows in its middle.
    pub typical: Vec<u32>,
    /// Rows that might have been elsewhere.
    pub boundary: Vec<u32>,
    /// What tells it from the others, the most telling first.
    pub features: Vec<Feature>,
    /// Generated rows, where they are no pictures.
    pub samples: Option<Samples>,
    /// How many rows are generated.
    pub sample_count: usize,
    /// Its most frequent class.
    pub label: Option<u32>,
    /// The share of that class.
    pub purity: Option<f64>,
    /// The mean silhouette of its rows.
    pub silhouette: Option<f64>,
    /// The mean probability of its rows being in it.
    pub confidence: Option<f64>,
}

/// A column, or a word, that tells a cluster from the others.
#[derive(Clone, Debug, Serialize)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Its mean in the cluster.
    pub here: f64,
    /// Its mean in the other clusters.
    pub elsewhere: f64,
    /// The difference in standard deviations.
    pub score: f64,
}

/// Generated rows.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Samples {
    /// A value for each of the page's columns.
    Values(Vec<Vec<f32>>),
    /// The heaviest words.
    Words(Vec<Vec<String>>),
}

/// A score.
#[derive(Clone, Debug, Serialize)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// What it measures.
    pub about: String,
}

/// What is shown of a [`Verdict`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterVerdict {
    /// In a word.
    pub structure: Structure,
    /// In a sentence.
    pub sentence: String,
    /// The figures behind it, in words.
    pub figures: Option<String>,
    /// The share of each cluster that refits find again.
    pub clusters: Vec<Option<f64>>,
    /// The clusters of which too little is found again.
    pub unstable: Vec<usize>,
}

impl From<&Verdict> for ClusterVerdict {
    fn from(verdict: &Verdict) -> ClusterVerdict {
        ClusterVerdict {
            structure: verdict.structure,
            sentence: verdict.sentence().to_owned(),
            figures: verdict.figures(),
            clusters: verdict.clusters.clone(),
            unstable: verdict.unstable(),
        }
    }
}

/// How far candidates agreed.
#[derive(Clone, Debug, Serialize)]
pub struct Stability {
    /// The mean ARI between two of them.
    pub agreement: Option<f64>,
    /// All of them.
    pub candidates: Vec<Candidate>,
}

/// One of several fits.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// Its seed.
    pub seed: u64,
    /// What it was judged by.
    pub score: Option<f64>,
    /// Whether it is this model.
    pub chosen: bool,
    /// Its mean ARI with the others.
    pub agreement: Option<f64>,
}

/// The course of a training, each epoch and each evaluation as it stands in the log.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Training {
    /// Epochs.
    pub epochs: Vec<BTreeMap<String, Value>>,
    /// Scores on the way.
    pub evaluations: Vec<BTreeMap<String, Value>>,
}

/// Epochs on a page, at most; of more, every so many.
const EPOCHS: usize = 1_000;

/// What an epoch says that is no part of its course: how many there will be, and how fast the machine was.
const UNTOLD: [&str; 4] = ["epochs", "rows_per_second", "seconds", "seconds_left"];

impl Training {
    /// Only what belongs to the course.
    #[must_use]
    pub fn timeless(mut self) -> Training {
        for epoch in &mut self.epochs {
            UNTOLD.iter().for_each(|key| drop(epoch.remove(*key)));
        }
        self
    }

    /// The same, and of many epochs every so many, with the last.
    #[must_use]
    pub fn thinned(mut self) -> Training {
        let step = self.epochs.len().div_ceil(EPOCHS).max(1);
        let last = self.epochs.len().saturating_sub(1);
        let kept = self.epochs.into_iter().enumerate().filter(|(i, _)| i % step == 0 || *i == last);
        self.epochs = kept.map(|(_, epoch)| epoch).collect();
        self.timeless()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_training_is_thinned_and_keeps_its_last_epoch() {
        let epoch =
            |i: usize| BTreeMap::from([("epoch".to_owned(), i.into()), ("seconds".to_owned(), 1.5.into())]);
        let training = Training { epochs: (1..=2_500).map(epoch).collect(), ..Training::default() }.thinned();
        assert!(training.epochs.len() <= EPOCHS && training.epochs.len() > 800);
        assert_eq!(training.epochs.last(), Some(&BTreeMap::from([("epoch".to_owned(), 2_500.into())])));
    }
}

//! From figures to words.

use serde::{Deserialize, Serialize};

use crate::model::graph::Way;
use crate::model::lpvdn::Quality;

/// The stability has to make up for this share of what the null leaves to perfect agreement, however certain a smaller one is.
const LEAST_EXCESS: f64 = 0.1;
/// The stability has to be larger than the mean of n replicates of a null by so many of their deviations: Student's t with n − 1 degrees of
/// freedom at .95, times √(1 + 1/n), so that one more replicate of a normal null is beyond in one case of twenty.
const DEVIATIONS: [(usize, f64); 2] = [(10, 1.92), (0, 2.34)];
/// A null whose stability happened to be always the same still has some spread.
const LEAST_DEVIATION: f64 = 0.02;
/// Halves that agree as much divide the rows alike.
const ALIKE: f64 = 0.97;
/// A null that agrees as much in the mean agrees nearly each time.
const MOSTLY: f64 = 0.9;
/// A cluster with a smaller mean Jaccard index is unstable. (After Hennig 2007, who would not trust one below .6. A cluster that is cut in two at
/// random has about .55.)
pub(super) const UNSTABLE: f64 = 0.6;

/// What halves of the rows say about the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// The halves agree more than those of data without clusters, and all clusters are found again.
    Clear,
    /// They agree more, but some clusters are not found again.
    Partial,
    /// They agree more, but most rows are in clusters that are not found again.
    Weak,
    /// They agree, and so do halves of rows with permuted columns: each cluster is a range of single columns.
    SingleColumns,
    /// They agree no more than those of data without clusters.
    None,
    /// There are too few rows, or nothing that could be compared.
    NotJudged,
}

impl Structure {
    /// The word, as it is written to files.
    pub fn name(self) -> &'static str {
        match self {
            Structure::Clear => "clear",
            Structure::Partial => "partial",
            Structure::Weak => "weak",
            Structure::SingleColumns => "single-columns",
            Structure::None => "none",
            Structure::NotJudged => "not-judged",
        }
    }
}

/// The stability of data without clusters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NullStability {
    /// The mean over its replicates.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// The largest.
    pub largest: f64,
    /// How many there were.
    pub replicates: usize,
}

impl NullStability {
    pub(super) fn of(values: &[f64]) -> NullStability {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        let largest = values.iter().copied().reduce(f64::max).unwrap_or(0.0);
        NullStability { mean, deviation: variance.sqrt(), largest, replicates: values.len() }
    }

    /// Whether halves agree more than those of this null.
    pub(super) fn is_exceeded_by(&self, stability: f64) -> bool {
        let deviations = DEVIATIONS.iter().find(|(least, _)| self.replicates >= *least).map_or(0.0, |d| d.1);
        let spread = deviations * self.deviation.max(LEAST_DEVIATION);
        let usual = self.mean + spread.max(LEAST_EXCESS * (1.0 - self.mean));
        // Some replicates of a null agree by chance. Rows that agree each time are more than that, unless the null mostly does.
        stability > if self.mean < MOSTLY { usual.min(ALIKE) } else { usual }
    }
}

/// Whether clusters are more than what any data of this shape would give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// In a word.
    pub structure: Structure,
    /// In a sentence, without figures.
    pub sentence: String,
    /// The mean ARI between partitions of disjoint halves of the rows.
    pub stability: f64,
    /// The same of rows with permuted columns; of a single column, of numbers anywhere in its range.
    pub permuted: NullStability,
    /// The same of a Gaussian with the covariance of the rows.
    pub gaussian: NullStability,
    /// How halves were divided.
    pub way: Way,
    /// The share of each cluster that refits find again (the Jaccard index, in the mean); none of a cluster without rows among
    /// those that were looked at.
    pub clusters: Vec<Option<f64>>,
    /// How many refits that is the mean of.
    pub refits: usize,
    /// Whether these were short trainings.
    pub trained: bool,
    /// The rows that were looked at: all, or a sample.
    pub rows: usize,
    /// How well the clusters are apart among these rows as they are compared before any training: the same space for every method.
    #[serde(default)]
    pub among_rows: Option<Quality>,
    /// What the verdict took.
    #[serde(default)]
    pub seconds: f64,
    /// For some rows, ascending, the share of the refits that keep the row in its cluster.
    #[serde(skip)]
    pub kept_rows: Vec<(u32, f32)>,
}

impl Verdict {
    /// Of clusters that could not be judged.
    pub(super) fn not_judged(way: Way, reason: impl Into<String>) -> Verdict {
        let nothing = NullStability { mean: 0.0, deviation: 0.0, largest: 0.0, replicates: 0 };
        let reason = reason.into();
        Verdict {
            structure: Structure::NotJudged,
            sentence: format!("not judged: {reason}"),
            stability: 0.0,
            permuted: nothing,
            gaussian: nothing,
            way,
            clusters: Vec::new(),
            refits: 0,
            trained: false,
            rows: 0,
            among_rows: None,
            seconds: 0.0,
            kept_rows: Vec::new(),
        }
    }

    /// The null that counts: the more stable one.
    pub fn null(&self) -> NullStability {
        if self.gaussian.mean > self.permuted.mean { self.gaussian } else { self.permuted }
    }

    /// The clusters that refits do not find again.
    pub fn unstable(&self) -> Vec<usize> {
        let of = |(cluster, found): (usize, &Option<f64>)| found.filter(|f| *f < UNSTABLE).map(|_| cluster);
        self.clusters.iter().enumerate().filter_map(of).collect()
    }

    /// Decides the word. `sizes` are the rows of each cluster.
    pub(super) fn decide(&mut self, sizes: &[usize]) {
        let (gaussian, permuted) =
            (self.gaussian.is_exceeded_by(self.stability), self.permuted.is_exceeded_by(self.stability));
        let unstable = self.unstable();
        let unknown = self.clusters.iter().zip(sizes).any(|(found, _)| found.is_none());
        let rows: usize = unstable.iter().map(|&cluster| sizes[cluster]).sum();
        let most = 2 * rows > sizes.iter().sum::<usize>();
        self.structure = match (gaussian, permuted) {
            (true, false) if self.stability >= ALIKE => Structure::SingleColumns,
            (true, true) if unstable.is_empty() => Structure::Clear,
            (true, true) if most => Structure::Weak,
            (true, true) => Structure::Partial,
            _ => Structure::None,
        };
        self.sentence = self.in_words();
        if unknown && matches!(self.structure, Structure::Clear | Structure::Partial | Structure::Weak) {
            self.sentence += "; some clusters have too few rows to look at";
        }
        if self.clusters.is_empty() && self.structure == Structure::Clear {
            self.sentence = "structure: halves of the rows are divided alike; whether these clusters are found again was not looked at".to_owned();
        }
    }

    /// The verdict in a sentence, without figures.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    fn in_words(&self) -> String {
        match self.structure {
            Structure::Clear => "clear structure: every cluster is found again in refits".to_owned(),
            Structure::Partial => {
                let unstable = self.unstable();
                format!("structure, but {} found again in refits", named(&unstable))
            }
            Structure::Weak => {
                "weak structure: the rows are not noise, but refits on parts of them put most rows into other clusters".to_owned()
            }
            Structure::SingleColumns => {
                "clusters of single columns: rows whose columns are permuted fall into clusters just as stable".to_owned()
            }
            Structure::None => {
                "no structure found with this number of clusters: halves of the rows agree on them no more than halves of data without any".to_owned()
            }
            Structure::NotJudged => self.sentence.clone(),
        }
    }

    /// The figures behind it.
    pub fn figures(&self) -> Option<String> {
        let Verdict { stability, permuted, gaussian, .. } = self;
        (self.structure != Structure::NotJudged).then(|| {
            format!(
                "agreement of halves of the rows (ARI) {stability:.2}; with permuted columns {:.2} ± {:.2}, of a Gaussian with the same covariance {:.2} ± {:.2}",
                permuted.mean, permuted.deviation, gaussian.mean, gaussian.deviation
            )
        })
    }
}

/// "cluster 3 is not", "clusters 3 and 7 are not", "5 clusters are not".
fn named(clusters: &[usize]) -> String {
    const SHOWN: usize = 6;
    let numbers: Vec<String> = clusters.iter().map(usize::to_string).collect();
    match numbers.as_slice() {
        [one] => format!("cluster {one} is not"),
        [first @ .., last] if first.len() < SHOWN => {
            format!("clusters {} and {last} are not", first.join(", "))
        }
        many => format!("{} clusters are not", many.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(stability: f64, permuted: &[f64], gaussian: &[f64], clusters: &[f64]) -> Verdict {
        let mut verdict = Verdict {
            stability,
            permuted: NullStability::of(permuted),
            gaussian: NullStability::of(gaussian),
            clusters: clusters.iter().copied().map(Some).collect(),
            ..Verdict::not_judged(Way::Leiden, "")
        };
        verdict.decide(&vec![10; clusters.len()]);
        verdict
    }

    #[test]
    fn the_more_stable_null_counts() {
        let low = [0.01, 0.02, 0.03].repeat(4);
        let high = [0.70, 0.75, 0.80].repeat(4);
        let (low, high) = (low.as_slice(), high.as_slice());
        let word = |stability, permuted: &[f64], gaussian: &[f64]| {
            verdict(stability, permuted, gaussian, &[0.9, 0.8]).structure
        };
        assert_eq!(word(0.9, low, high), Structure::Clear);
        assert_eq!(word(0.8, low, high), Structure::None);
        assert_eq!(word(0.8, high, low), Structure::None);
        // Certain, and next to nothing.
        assert_eq!(word(0.06, low, low), Structure::None);
        assert_eq!(word(0.30, low, low), Structure::Clear);
    }

    #[test]
    fn clusters_that_single_columns_make_are_told_apart_from_noise() {
        let alike = [1.0, 1.0, 0.99];
        assert_eq!(verdict(1.0, &alike, &[0.4, 0.5, 0.6], &[1.0, 1.0]).structure, Structure::SingleColumns);
        assert_eq!(verdict(1.0, &alike, &alike, &[1.0, 1.0]).structure, Structure::None);
    }

    #[test]
    fn perfect_agreement_is_more_than_a_null_that_agrees_now_and_then() {
        let now_and_then = [1.0, 0.4, 1.0, 0.5, 0.9, 0.6];
        let found = verdict(1.0, &now_and_then, &[0.4, 0.4, 0.5], &[1.0, 1.0]);
        assert_eq!(found.structure, Structure::Clear);
        assert_eq!(verdict(0.9, &now_and_then, &[0.4, 0.4, 0.5], &[1.0, 1.0]).structure, Structure::None);
    }

    #[test]
    fn unstable_clusters_are_named() {
        let null = [0.0, 0.1, 0.05];
        let partial = verdict(0.8, &null, &null, &[0.9, 0.2, 0.9, 0.9, 0.4]);
        assert_eq!(partial.structure, Structure::Partial);
        assert!(
            partial.sentence().contains("clusters 1 and 4 are not found again"),
            "{}",
            partial.sentence()
        );
        assert!(verdict(0.8, &null, &null, &[0.9, 0.2, 0.9]).sentence().contains("cluster 1 is not"));
        assert_eq!(verdict(0.8, &null, &null, &[0.9, 0.2, 0.3]).structure, Structure::Weak);
        let many: Vec<f64> = (0..30).map(|i| if i % 3 == 0 { 0.1 } else { 0.9 }).collect();
        assert!(verdict(0.8, &null, &null, &many).sentence().contains("10 clusters are not"));
    }
}

//! The cards of the clusters.

use lpvdn::Model;
use lpvdn_cluster::metrics::silhouettes;
use lpvdn_core::{Dataset, Matrix, StreamKey};

use super::error::ExploreError;
use super::features::ColumnMeans;
use super::manifest::{ClusterCard, Kind, Samples};
use super::rows::Rows;

/// Members of a kind on a card.
const MEMBERS: usize = 16;
/// Generated rows on a card.
const SAMPLES: usize = 8;
/// Words of a generated document.
const WORDS: usize = 10;
/// Rows by which silhouettes are measured.
const MEASURED: usize = 4_000;
/// What generated rows follow from.
const SEED: u64 = 0;

/// The cards, and the generated rows of all clusters, `SAMPLES` each, where the method generates.
pub(super) struct Cards {
    pub(super) cards: Vec<ClusterCard>,
    pub(super) generated: Option<Matrix<f32>>,
}

/// What cards are made from.
pub(super) struct Subjects<'a> {
    pub(super) model: &'a Model,
    pub(super) data: &'a Dataset,
    pub(super) rows: &'a Rows,
    pub(super) kind: Kind,
    pub(super) means: Option<&'a ColumnMeans>,
    /// The columns on the page.
    pub(super) columns: &'a [usize],
    pub(super) name: &'a dyn Fn(usize) -> String,
}

impl Subjects<'_> {
    pub(super) fn cards(&self) -> Result<Cards, ExploreError> {
        let count = self.model.clusters();
        let silhouettes = self.silhouettes();
        let generated = self.model.samples(SAMPLES, SEED)?;
        let members = members(&self.rows.clusters, count);
        let card = |k: usize| {
            let of: &[u32] = &members[k];
            let (label, purity) = self.commonest(of).unzip();
            ClusterCard {
                size: of.len(),
                name: k.to_string(),
                typical: self.typical(of),
                boundary: self.boundary(of),
                features: self
                    .means
                    .map_or(Vec::new(), |means| means.features(k, self.kind == Kind::Texts, self.name)),
                samples: generated.as_ref().and_then(|all| self.samples(all, k)),
                sample_count: if generated.is_some() { SAMPLES } else { 0 },
                label,
                purity,
                silhouette: silhouettes[k],
                confidence: mean(of.iter().map(|&i| f64::from(self.rows.confidence[i as usize]))),
            }
        };
        Ok(Cards { cards: (0..count).map(card).collect(), generated })
    }

    /// The rows nearest to the mean of their codes.
    fn typical(&self, members: &[u32]) -> Vec<u32> {
        let codes = &self.rows.codes;
        let mut middle = vec![0.0_f64; codes.cols()];
        for &i in members {
            let row = codes.row(i as usize);
            middle.iter_mut().zip(row).for_each(|(m, &x)| *m += f64::from(x) / members.len() as f64);
        }
        let distance = |i: u32| {
            codes.row(i as usize).iter().zip(&middle).map(|(&x, m)| (f64::from(x) - m).powi(2)).sum::<f64>()
        };
        first(members, distance)
    }

    /// The rows for which another cluster is nearly as near.
    fn boundary(&self, members: &[u32]) -> Vec<u32> {
        first(members, |i| f64::from(self.rows.margin[i as usize]))
    }

    /// The most frequent class, and its share.
    fn commonest(&self, members: &[u32]) -> Option<(u32, f64)> {
        let labels = self.data.labels.as_ref().filter(|_| !members.is_empty())?;
        let mut counts = vec![0_usize; labels.names.len()];
        members.iter().for_each(|&i| counts[labels.codes[i as usize] as usize] += 1);
        let most = (0..counts.len()).max_by_key(|&c| (counts[c], std::cmp::Reverse(c)))?;
        Some((most as u32, counts[most] as f64 / members.len() as f64))
    }

    /// The mean silhouette of each cluster, by rows drawn by chance.
    fn silhouettes(&self) -> Vec<Option<f64>> {
        let n = self.rows.clusters.len();
        let mut drawn: Vec<u32> = (0..n as u32).collect();
        StreamKey::new(SEED, "silhouettes").open().shuffle(&mut drawn);
        drawn.truncate(MEASURED);
        let codes = &self.rows.codes;
        let points = Matrix::from_fn(drawn.len(), codes.cols(), |i, j| codes.row(drawn[i] as usize)[j]);
        let clusters: Vec<u32> = drawn.iter().map(|&i| self.rows.clusters[i as usize]).collect();
        let count = self.model.clusters();
        // One cluster alone is apart from nothing.
        let Ok(values) = silhouettes(&points, &clusters) else { return vec![None; count] };
        let of =
            |k: usize| clusters.iter().zip(&values).filter(move |(c, _)| **c as usize == k).map(|(_, v)| *v);
        (0..count).map(|k| mean(of(k))).collect()
    }

    /// The generated rows of a cluster as the page's columns, or as words. Pictures come as a blob.
    fn samples(&self, all: &Matrix<f32>, cluster: usize) -> Option<Samples> {
        let rows = (cluster * SAMPLES..(cluster + 1) * SAMPLES).map(|i| all.row(i));
        match self.kind {
            Kind::Pictures => None,
            Kind::Table => Some(Samples::Values(
                rows.map(|row| self.columns.iter().map(|&j| row[j]).collect()).collect(),
            )),
            Kind::Texts => Some(Samples::Words(
                rows.map(|row| heaviest(row.iter().copied().enumerate(), WORDS))
                    .map(|words| words.into_iter().map(|(j, _)| (self.name)(j)).collect())
                    .collect(),
            )),
        }
    }
}

/// The columns of the largest values above 0, the largest first.
pub(super) fn heaviest(row: impl Iterator<Item = (usize, f32)>, most: usize) -> Vec<(usize, f32)> {
    let mut all: Vec<(usize, f32)> = row.filter(|(_, value)| *value > 0.0).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(most);
    all
}

/// The members of which `key` is smallest.
fn first(members: &[u32], key: impl Fn(u32) -> f64) -> Vec<u32> {
    let mut keyed: Vec<(f64, u32)> = members.iter().map(|&i| (key(i), i)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    keyed.into_iter().take(MEMBERS).map(|(_, i)| i).collect()
}

fn members(clusters: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); count];
    (0_u32..).zip(clusters).for_each(|(i, &k)| members[k as usize].push(i));
    members
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (n, sum) = values.fold((0_usize, 0.0), |(n, sum), v| (n + 1, sum + v));
    (n > 0).then(|| sum / n as f64)
}

//! The same rows, divided in several ways.

use std::fmt;

use lpvdn_cluster::gaussian_mixture::GaussianMixtureError;
use lpvdn_cluster::graph::Weighting;
use lpvdn_cluster::leiden::LeidenError;
use lpvdn_cluster::{GaussianMixture, KMeans, Leiden, LeidenK, NeighborGraph, Neighbors, metrics};
use lpvdn_core::Matrix;
use serde::{Deserialize, Serialize};

use super::hyperparams::GraphParams;
use crate::error::FitError;

/// A way to divide rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Leiden's communities of the neighbour graph.
    Leiden,
    /// Leiden's communities of the neighbour graph of a space in which those of [`Leiden`](Way::Leiden) are round.
    LeidenWhitened,
    /// K-means.
    #[serde(rename = "kmeans")]
    KMeans,
    /// A mixture of Gaussian distributions with diagonal covariances.
    Mixture,
    /// The clusters of the largest modularity among cells: [`lpvdn_cluster::spectral`].
    Modularity,
}

impl Way {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Way::Leiden => "leiden",
            Way::LeidenWhitened => "leiden-whitened",
            Way::KMeans => "kmeans",
            Way::Mixture => "mixture",
            Way::Modularity => "modularity",
        }
    }

    /// Its name in messages.
    pub fn title(self) -> &'static str {
        match self {
            Way::Leiden => "Leiden",
            Way::LeidenWhitened => "Leiden, whitened",
            Way::KMeans => "K-means",
            Way::Mixture => "mixture",
            Way::Modularity => "largest modularity",
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// What was divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartitionOf {
    /// The rows as they are compared without any training.
    Rows,
    /// The codes of a trained network.
    Codes,
}

impl PartitionOf {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            PartitionOf::Rows => "rows",
            PartitionOf::Codes => "codes",
        }
    }
}

/// The rows, divided in one way.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// What was divided.
    pub of: PartitionOf,
    /// How.
    pub way: Way,
    /// The cluster of each of the rows that were divided.
    pub labels: Vec<u32>,
    /// The mean ARI with the partitions of the other ways: 1 where all are the same.
    pub agreement: f64,
    /// Its modularity in the neighbour graph.
    pub modularity: f64,
    /// The mean ARI with the same way of dividing draws or halves of the rows, where the choice needed it.
    pub stability: Option<f64>,
}

/// What was found about the rows before one partition was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Partitions {
    /// The rows that were divided: all, or a sample of them.
    pub rows: Vec<u32>,
    /// All partitions.
    pub all: Vec<Partition>,
    /// The place of the one that is kept.
    pub kept: usize,
    /// The share of these rows whose cluster in the model is that of the partition that is kept.
    pub reproduced: f64,
}

impl Partitions {
    /// The partition that is kept.
    pub fn kept(&self) -> &Partition {
        &self.all[self.kept]
    }
}

/// The points that are divided, and how they hang together.
pub(crate) struct Points {
    pub(crate) places: Matrix<f32>,
    pub(crate) neighbors: Neighbors,
    pub(crate) graph: NeighborGraph,
}

impl Points {
    pub(crate) fn new(places: Matrix<f32>, params: &GraphParams) -> Result<Points, FitError> {
        let search = lpvdn_cluster::GraphParams::new().neighbors(params.neighbors).seed(params.seed);
        let neighbors = search.search_rows(&places).map_err(clustering)?;
        let graph = NeighborGraph::from_neighbors(&neighbors, Weighting::default()).map_err(clustering)?;
        Ok(Points { places, neighbors, graph })
    }
}

pub(crate) fn clustering(error: impl fmt::Display) -> FitError {
    FitError::Clustering(error.to_string())
}

/// How the resolution that gives K communities is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Search {
    /// With nothing known.
    Whole,
    /// From one that gave as many of nearly the same graph, with fewer runs, and with these starts.
    Again { resolution: f64, starts: u32 },
}

/// Runs of a search that begins near its end. More of them (12, 30) made no difference to the mean ARI on 66 sets.
const RUNS_AGAIN: usize = 10;

pub(crate) fn leiden(
    points: &Points,
    params: &GraphParams,
    search: Search,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<LeidenK, FitError> {
    let mut found = LeidenK::params(params.clusters);
    if let Search::Again { resolution, starts } = search {
        let leiden = Leiden::params().n_init(starts);
        // A graph in pieces enough was divided at no resolution.
        let leiden = if resolution > 0.0 { leiden.resolution(resolution) } else { leiden };
        found = found.max_runs(RUNS_AGAIN).leiden(leiden);
    }
    match found.seed(params.seed).fit_unless(&points.graph, Some(&points.places), stopped) {
        Ok(found) => Ok(found),
        Err(LeidenError::Interrupted) => Err(FitError::Interrupted { checkpoint: None }),
        Err(error) => Err(clustering(error)),
    }
}

pub(crate) fn k_means(points: &Points, params: &GraphParams) -> Result<KMeans, FitError> {
    KMeans::params(params.clusters)
        .n_init(params.starts)
        .seed(params.seed)
        .fit(&points.places)
        .map_err(clustering)
}

/// The mixture that starts from the clusters of K-means. None where it breaks down: fewer distinct rows than components.
pub(crate) fn mixture(places: &Matrix<f32>, params: &GraphParams, start: &[u32]) -> Option<Vec<u32>> {
    let settings = GaussianMixture::params(params.clusters).seed(params.seed);
    let begun = settings.clone().of_clusters(places, start);
    let found = begun.and_then(|mixture| {
        let start = lpvdn_cluster::gaussian_mixture::Start::Given(Box::new(mixture));
        settings.start(start).fit(places)
    });
    found.and_then(|mixture| mixture.predict(places).map_err(GaussianMixtureError::from)).ok()
}

/// The mean ARI of each partition with the others.
pub(crate) fn agreements(ways: &[(Way, Vec<u32>)]) -> Vec<f64> {
    let ari = |a: usize, b: usize| metrics::ari(&ways[a].1, &ways[b].1).unwrap_or(0.0);
    let others = ways.len().saturating_sub(1).max(1) as f64;
    let mean = |a: usize| (0..ways.len()).filter(|b| *b != a).map(|b| ari(a, b)).sum::<f64>() / others;
    (0..ways.len()).map(mean).collect()
}

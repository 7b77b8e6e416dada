//! The parameters of the clusters of the neighbour graph, unchecked and checked.

use lpvdn_core::preprocess::Scaling;
use serde::{Deserialize, Serialize};

use super::partitions::Way;
use crate::model::examine::Wanted;
use crate::model::lpvdn::errors::ParamsError;
use crate::model::lpvdn::{LpvdnParams, Recipe};

/// Neighbours that a row is joined to, at most.
const MOST_NEIGHBORS: usize = 1_000;
/// Landmarks and components, at most.
const MOST_LANDMARKS: usize = 1 << 20;

/// Which of the partitions of the rows becomes the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartitionChoice {
    /// The one that the rule of this method prefers, without labels.
    #[default]
    Auto,
    /// Leiden's communities of the neighbour graph.
    Leiden,
    /// Leiden's communities of the graph of a space in which these are round.
    LeidenWhitened,
    /// K-means.
    #[serde(rename = "kmeans")]
    KMeans,
    /// A Gaussian mixture.
    Mixture,
}

impl PartitionChoice {
    /// The partition that is asked for, where one is.
    pub(super) fn forced(self) -> Option<Way> {
        match self {
            PartitionChoice::Auto => None,
            PartitionChoice::Leiden => Some(Way::Leiden),
            PartitionChoice::LeidenWhitened => Some(Way::LeidenWhitened),
            PartitionChoice::KMeans => Some(Way::KMeans),
            PartitionChoice::Mixture => Some(Way::Mixture),
        }
    }
}

/// The parameters of the clusters of the neighbour graph.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `clusters` | – | K, how many clusters | 1 … rows |
/// | `seed` | 0 | decides every random draw | any |
/// | `neighbors` | 15 | nearest rows that each row is joined to | 1 … 1,000 |
/// | `projection` | 50 | principal components that rows of more than 64 values are projected to | ≥ 1 |
/// | `landmarks` | 4,096 | means of rows that stand for the clusters in the model, at most | ≥ 1 |
/// | `partition` | auto | which of the partitions becomes the result | auto, leiden, leiden-whitened, kmeans, mixture |
/// | `starts` | 10 | starts of K-means | ≥ 1 |
/// | `district` | 100,000 | rows that are joined and clustered together, at most; the others are assigned | ≥ 2 K |
/// | `scale` | by type | how values are scaled | – |
/// | `components` | by rows | components of the truncated SVD of texts and sparse counts | 1 … rows, terms |
///
/// ```
/// use lpvdn::model::graph::GraphParams;
/// use lpvdn_core::{Dataset, Matrix};
/// // Two groups on a line.
/// let data = Dataset::from(Matrix::from_fn(60, 1, |i, _| (i / 30 * 100 + i % 30) as f32));
/// let fitted = GraphParams::new(2).fit(&data)?;
/// assert_eq!(fitted.labels, fitted.predict(&data)?);
/// assert_ne!(fitted.labels[0], fitted.labels[59]);
/// # use lpvdn::ClusterModel;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs)] // The table above says what each is.
pub struct GraphParams {
    pub clusters: usize,
    pub seed: u64,
    pub neighbors: usize,
    pub projection: usize,
    pub landmarks: usize,
    pub partition: PartitionChoice,
    pub starts: u32,
    pub district: usize,
    pub scale: Scaling,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<usize>,
}

impl GraphParams {
    /// The defaults for `clusters` clusters.
    pub fn new(clusters: usize) -> GraphParams {
        GraphParams::of_recipe(Recipe::Robust, clusters)
    }

    /// The values of a recipe: the paper's takes rows without regard to the type of their columns.
    pub fn of_recipe(recipe: Recipe, clusters: usize) -> GraphParams {
        let lpvdn = LpvdnParams::of_recipe(recipe, clusters);
        GraphParams {
            clusters,
            seed: 0,
            neighbors: 15,
            projection: 50,
            landmarks: 4_096,
            partition: PartitionChoice::Auto,
            starts: lpvdn.starts,
            district: lpvdn.district,
            scale: lpvdn.scale,
            components: None,
        }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is outside its range.
    pub fn check(self) -> Result<GraphValidParams, ParamsError> {
        let GraphParams { clusters, seed, starts, district, scale, components, .. } = self;
        let GraphParams { neighbors, projection, landmarks, .. } = self;
        let shared = LpvdnParams::of_recipe(Recipe::Robust, clusters);
        LpvdnParams { seed, starts, district, scale, components, ..shared }.check()?;
        if !(1..=MOST_NEIGHBORS).contains(&neighbors) {
            return Err(ParamsError::BadNeighbors {
                name: "neighbors",
                value: neighbors,
                most: MOST_NEIGHBORS,
            });
        }
        for (name, count) in [("projection", projection), ("landmarks", landmarks)] {
            if !(1..=MOST_LANDMARKS).contains(&count) {
                return Err(ParamsError::BadCount { name, count, most: MOST_LANDMARKS });
            }
        }
        Ok(GraphValidParams(self))
    }

    /// What they ask of the data.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted { clusters: self.clusters, scale: self.scale, components: self.components }
    }
}

/// Parameters that have been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphValidParams(GraphParams);

impl GraphValidParams {
    /// The parameters.
    pub fn get(&self) -> &GraphParams {
        &self.0
    }
}

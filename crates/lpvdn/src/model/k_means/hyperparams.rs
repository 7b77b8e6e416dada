//! The parameters of K-means, unchecked and checked.

use lpvdn_core::preprocess::Scaling;
use serde::{Deserialize, Serialize};

use crate::model::examine::Wanted;
use crate::model::lpvdn::LpvdnParams;
use crate::model::lpvdn::Recipe;
use crate::model::lpvdn::errors::ParamsError;

/// The parameters of K-means.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `clusters` | – | K, how many clusters | 1 … rows |
/// | `seed` | 0 | decides every random draw | any |
/// | `starts` | 10 | k-means++ starts, of which the lowest inertia wins | ≥ 1 |
/// | `district` | 100,000 | rows that the centres are fitted to, at most | ≥ 2 K |
/// | `scale` | by type | how values are scaled | – |
/// | `components` | by rows | components of the truncated SVD of texts and sparse counts | 1 … rows, terms |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs)] // The table above says what each is.
pub struct KMeansParams {
    pub clusters: usize,
    pub seed: u64,
    pub starts: u32,
    pub district: usize,
    pub scale: Scaling,
    // Not written where nobody says: earlier files lack it, and are written as they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<usize>,
}

impl KMeansParams {
    /// The defaults for `clusters` clusters.
    pub fn new(clusters: usize) -> KMeansParams {
        KMeansParams::of_recipe(Recipe::Robust, clusters)
    }

    /// The values of a recipe: the paper's takes rows without regard to the type of their columns.
    pub fn of_recipe(recipe: Recipe, clusters: usize) -> KMeansParams {
        let lpvdn = LpvdnParams::of_recipe(recipe, clusters);
        let (starts, district, scale) = (lpvdn.starts, lpvdn.district, lpvdn.scale);
        KMeansParams { clusters, seed: 0, starts, district, scale, components: None }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is outside its range.
    pub fn check(self) -> Result<KMeansValidParams, ParamsError> {
        let KMeansParams { clusters, seed, starts, district, scale, components } = self.clone();
        let shared = LpvdnParams::of_recipe(Recipe::Robust, clusters);
        LpvdnParams { seed, starts, district, scale, components, ..shared }.check()?;
        Ok(KMeansValidParams(self))
    }

    /// What they ask of the data.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted { clusters: self.clusters, scale: self.scale, components: self.components }
    }
}

/// Parameters that have been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct KMeansValidParams(KMeansParams);

impl KMeansValidParams {
    /// The parameters.
    pub fn get(&self) -> &KMeansParams {
        &self.0
    }
}

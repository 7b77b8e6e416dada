//! The parameters of LPVDN, unchecked and checked.

use lpvdn_core::Dataset;
use lpvdn_core::preprocess::Scaling;
use lpvdn_nn::{Init, Schedule};
use serde::{Deserialize, Serialize};

use super::errors::ParamsError;
use super::network::Shape;
use crate::loss::affinities::AffinitySource;
use crate::loss::reconstruction::Likelihood;
use crate::model::examine::Wanted;
use crate::train::districts::{DISTRICT_ROWS, Districts, districts_of};

/// A named set of values for all parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recipe {
    /// What makes the result good for a seed nobody chose; epochs follow from the number of rows.
    #[default]
    Robust,
    /// The values of the paper and its released code for MNIST.
    Paper,
}

/// Where the false rows of L_MI come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NegativeRows {
    /// The next row of the shuffled batch: shares half of the discriminator's work.
    Shift,
    /// An independent draw from all rows, as in the paper.
    Independent,
}

/// What becomes the clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinalClustering {
    /// One of several partitions of the rows and of o', chosen without labels (`candidates`).
    Auto,
    /// Leiden's communities of the graph of the nearest neighbours in o'.
    Leiden,
    /// What keeps the nearest neighbours of the latent means together: [`lpvdn_cluster::spectral`]. K-means where
    /// that keeps more of them together, and where there are too few rows, or too many clusters, for it.
    Graph,
    /// K-means.
    KMeans,
    /// A Gaussian mixture with diagonal covariances.
    GaussianMixture,
}

/// Where the mixture prior starts, on the pre-trained codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriorStart {
    /// Expectation–maximisation from K-means.
    #[default]
    Em,
    /// The clusters that keep the nearest neighbours together: [`lpvdn_cluster::spectral`]. As
    /// [`Em`](PriorStart::Em) where there are too few rows, or too many clusters, for it.
    Graph,
    /// The initial clustering of the rows as they are. As [`Em`](PriorStart::Em) where one of its clusters is empty.
    Rows,
    /// [`Graph`](PriorStart::Graph) where the columns are samples of one signal, as pixels are, and there are rows enough for it, else
    /// [`Rows`](PriorStart::Rows). A fit says which of them it was.
    Auto,
}

impl PriorStart {
    /// With nothing left to the data.
    pub(super) fn resolved(self, by_codes: bool) -> PriorStart {
        match self {
            PriorStart::Auto if by_codes => PriorStart::Graph,
            PriorStart::Auto => PriorStart::Rows,
            given => given,
        }
    }
}

/// The parameters of LPVDN. Made by [`Lpvdn::params`](super::Lpvdn::params), checked by
/// [`check`](LpvdnParams::check).
///
/// | name | robust | paper | purpose | range |
/// |---|---|---|---|---|
/// | `clusters` | – | – | K, how many clusters | 1 … rows |
/// | `seed` | 0 | 0 | decides every random draw | any |
/// | `layers` | by rows: as in the paper from 20,000 on, else 256, 256, 512 | 500, 500, 2000 | hidden layers of the encoder; the decoder mirrors them | each ≥ 1 |
/// | `latent_dim` | 10 | 10 | J, size of the latent space | ≥ 1 |
/// | `output_dim` | 10 | 10 | size of o', which is clustered | ≥ 1 |
/// | `discriminator_layers` | 256 | 256 | hidden layers of D | each ≥ 1 |
/// | `locality_layers` | by rows: 512, 512, 512 from 20,000 on, else as in the paper | 256, 256, 256 | hidden layers of the locality net | each ≥ 1 |
/// | `pretrain_epochs` | by rows, at most 200 | 50 | epochs of the plain autoencoder | ≥ 0 |
/// | `pretrain_lr` | 1e-3 | 1e-3 | its learning rate | > 0 |
/// | `epochs` | by rows, at most 240 | 300 | epochs of joint training | ≥ 1 |
/// | `settle_epochs` | twice `epochs` | 0 | epochs of the locality net alone on the final codes; needs a graph | ≥ 0 |
/// | `lr` | 2e-3, VaDE 5e-4 | 2e-3 | learning rate of joint training and settling | > 0 |
/// | `schedule` | cosine to 0.02 | × 0.95 every 10 epochs | how the rate falls | – |
/// | `batch` | by rows, at most 800 | 800 | rows of a step | ≥ 2 |
/// | `district` | 100,000 | 100,000 | rows that are shuffled, searched for neighbours and clustered together, at most | ≥ 2 K |
/// | `alpha0` | 1 | 1 | weight of L_MI; 0 leaves it out | ≥ 0 |
/// | `alpha1` | 10 | 1e-4 | weight of L_LP; 0 leaves it out | ≥ 0 |
/// | `perplexity` | 0.03 | 0.01 | of P, as a share of the batch; with a graph it is `neighbors`/3 | 0 … 1/3 |
/// | `affinities` | both-graphs | latent | between which points P is measured | latent, rows, both, latent-graph, row-graph, both-graphs |
/// | `neighbors` | 15 | 15 | neighbours of a row in a graph of affinities | ≥ 1 |
/// | `company` | 3 | 3 | neighbours that a row brings into a batch, with a graph | ≥ 1 |
/// | `refresh` | 0 | 0 | epochs after which a latent graph is measured anew; 0 for never | ≥ 0 |
/// | `divergence` | 0.01 | 1 | weight of the mixture divergence in L_G | ≥ 0 |
/// | `latent_penalty` | 1e-4 | 0 | pulls latent means to 0 in pre-training | ≥ 0 |
/// | `negatives` | shift | independent | false rows of L_MI | – |
/// | `scale_locality_net` | false | true | whether α1 scales the locality net's own gradient | – |
/// | `log_variance_bound` | 8 | 20 | log σ̃² stays within ± this | > 0 |
/// | `init` | fan-in | fan-in | how weights start | – |
/// | `prior_start` | em, VaDE auto | em | where the mixture starts on the pre-trained codes; with auto from their neighbours where columns are samples of one signal and rows are enough, else from the initial clustering of the rows | em, graph, rows, auto |
/// | `mixture_starts` | 10 | 1 | starts of the mixture on the pre-trained codes | ≥ 1 |
/// | `starts` | 10 | 10 | starts of the final clustering | ≥ 1 |
/// | `clustering` | auto | k-means | what becomes the clusters: with auto a partition of o' or of the rows, chosen without labels | auto, leiden, graph, k-means, gaussian-mixture |
/// | `likelihood` | by data | by data | Bernoulli for [0, 1], else Gaussian | – |
/// | `scale` | by type | auto | how values are scaled | – |
/// | `components` | by rows: one for eight, 20 to 100 | – | components of the truncated SVD of texts and sparse counts; needs `scale` by type | 1 … rows, terms |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs)] // The table above says what each is.
pub struct LpvdnParams {
    pub recipe: Recipe,
    pub clusters: usize,
    pub seed: u64,
    pub layers: Option<Vec<usize>>,
    pub latent_dim: usize,
    pub output_dim: usize,
    pub discriminator_layers: Vec<usize>,
    pub locality_layers: Option<Vec<usize>>,
    pub pretrain_epochs: Option<usize>,
    pub pretrain_lr: f64,
    pub epochs: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle_epochs: Option<usize>,
    pub lr: f64,
    pub schedule: Schedule,
    pub batch: Option<usize>,
    pub alpha0: f64,
    pub alpha1: f64,
    pub perplexity: f64,
    pub affinities: AffinitySource,
    #[serde(default = "default_neighbors")]
    pub neighbors: usize,
    #[serde(default = "default_company")]
    pub company: usize,
    // Not written where nobody changed it: earlier files lack it, and are written as they were read.
    #[serde(default = "default_district", skip_serializing_if = "is_default_district")]
    pub district: usize,
    #[serde(default)]
    pub refresh: usize,
    pub divergence: f64,
    pub latent_penalty: f64,
    pub negatives: NegativeRows,
    pub scale_locality_net: bool,
    pub log_variance_bound: f64,
    pub init: Init,
    // Not written where it is what it was before there was a choice.
    #[serde(default, skip_serializing_if = "is_default_start")]
    pub prior_start: PriorStart,
    pub mixture_starts: u32,
    pub starts: u32,
    pub clustering: FinalClustering,
    pub likelihood: Option<Likelihood>,
    pub scale: Scaling,
    // Not written where nobody says: earlier files lack it, and are written as they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<usize>,
}

fn default_neighbors() -> usize {
    15
}

fn default_district() -> usize {
    DISTRICT_ROWS
}

fn is_default_district(rows: &usize) -> bool {
    *rows == default_district()
}

fn is_default_start(start: &PriorStart) -> bool {
    *start == PriorStart::default()
}

fn default_company() -> usize {
    3
}

impl LpvdnParams {
    /// The values of a recipe.
    pub fn of_recipe(recipe: Recipe, clusters: usize) -> LpvdnParams {
        let paper = LpvdnParams {
            recipe: Recipe::Paper,
            clusters,
            seed: 0,
            layers: Some(vec![500, 500, 2000]),
            latent_dim: 10,
            output_dim: 10,
            discriminator_layers: vec![256],
            locality_layers: Some(vec![256, 256, 256]),
            pretrain_epochs: Some(50),
            pretrain_lr: 1e-3,
            epochs: Some(300),
            settle_epochs: Some(0),
            lr: 2e-3,
            schedule: Schedule::Step { every: 10, factor: 0.95 },
            batch: Some(800),
            alpha0: 1.0,
            alpha1: 1e-4,
            perplexity: 0.01,
            affinities: AffinitySource::Latent,
            neighbors: default_neighbors(),
            company: default_company(),
            district: default_district(),
            refresh: 0,
            divergence: 1.0,
            latent_penalty: 0.0,
            negatives: NegativeRows::Independent,
            scale_locality_net: true,
            log_variance_bound: 20.0,
            init: Init::FanIn,
            prior_start: PriorStart::Em,
            mixture_starts: 1,
            starts: 10,
            clustering: FinalClustering::KMeans,
            likelihood: None,
            scale: Scaling::Auto,
            components: None,
        };
        match recipe {
            Recipe::Paper => paper,
            Recipe::Robust => LpvdnParams {
                recipe: Recipe::Robust,
                pretrain_epochs: None,
                epochs: None,
                settle_epochs: None,
                batch: None,
                layers: None,
                locality_layers: None,
                schedule: Schedule::Cosine { floor: 0.02 },
                alpha1: 10.0,
                perplexity: 0.03,
                affinities: AffinitySource::BothGraphs,
                divergence: 0.01,
                latent_penalty: 1e-4,
                negatives: NegativeRows::Shift,
                scale_locality_net: false,
                log_variance_bound: 8.0,
                mixture_starts: 10,
                clustering: FinalClustering::Auto,
                scale: Scaling::ByType,
                ..paper
            },
        }
    }
}

impl LpvdnParams {
    /// VaDE: L_G alone, with the whole weight of its divergence. Nothing but the prior forms its clusters, so in the
    /// robust recipe that starts from those that are already there: among the pre-trained codes of signals, among other rows as
    /// they are.
    pub fn vade(recipe: Recipe, clusters: usize) -> LpvdnParams {
        let usual = LpvdnParams::of_recipe(recipe, clusters);
        let (prior_start, lr) = match recipe {
            Recipe::Robust => (PriorStart::Auto, 5e-4),
            Recipe::Paper => (PriorStart::Em, usual.lr),
        };
        LpvdnParams {
            prior_start,
            // Larger steps would scatter them again before the mixture has learnt their shape.
            lr,
            alpha0: 0.0,
            alpha1: 0.0,
            settle_epochs: Some(0),
            divergence: 1.0,
            ..usual
        }
    }

    /// Whether these are the parameters of VaDE, without L_MI and L_LP.
    pub fn is_vade(&self) -> bool {
        self.alpha0 <= 0.0 && self.alpha1 <= 0.0
    }

    /// Whether the rows are divided before the training. The paper's recipe does not do it.
    pub(super) fn divides_rows(&self) -> bool {
        self.clustering == FinalClustering::Auto
            || matches!(self.prior_start, PriorStart::Rows | PriorStart::Auto)
    }

    /// What they ask of the data.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted { clusters: self.clusters, scale: self.scale, components: self.components }
    }

    /// How the rows of `data` are divided.
    pub(super) fn districts(&self, data: &Dataset) -> Districts {
        Districts::new((data.rows(), data.source.row_values()), self.district, self.seed)
    }

    /// The neighbours of a row in a graph of so many rows.
    pub(crate) fn graph_neighbors(&self, rows: usize) -> usize {
        self.neighbors.min(rows - 1)
    }

    /// The same with nothing left to the data: what a fit of so many rows came to. Fitting the same rows
    /// with it gives the same model.
    #[must_use]
    pub fn resolved(self, rows: usize, budget: Budget, likelihood: Likelihood) -> LpvdnParams {
        LpvdnParams {
            layers: Some(self.layers_for(rows)),
            locality_layers: Some(self.locality_layers_for(rows)),
            batch: Some(budget.batch),
            pretrain_epochs: Some(budget.pretrain_epochs),
            epochs: Some(budget.epochs),
            settle_epochs: Some(budget.settle_epochs),
            likelihood: Some(likelihood),
            ..self
        }
    }

    pub(crate) fn layers_for(&self, rows: usize) -> Vec<usize> {
        let by_rows = if rows >= LARGE { [500, 500, 2000] } else { [256, 256, 512] };
        self.layers.clone().unwrap_or(by_rows.to_vec())
    }

    fn locality_layers_for(&self, rows: usize) -> Vec<usize> {
        let by_rows = if rows >= LARGE { [512; 3] } else { [256; 3] };
        self.locality_layers.clone().unwrap_or(by_rows.to_vec())
    }

    /// The sizes of all layers for data of so many rows and columns.
    pub fn shape(&self, rows: usize, columns: usize) -> Shape {
        Shape {
            columns,
            layers: self.layers_for(rows),
            latent: self.latent_dim,
            clusters: self.clusters,
            discriminator: self.discriminator_layers.clone(),
            locality: self.locality_layers_for(rows),
            output: self.output_dim,
        }
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $ty:ty => $store:expr;)*) => {
        impl LpvdnParams {
            $($(#[$doc])* #[must_use] pub fn $name(mut self, $name: $ty) -> LpvdnParams {
                self.$name = $store;
                self
            })*
        }
    };
}

setters! {
    /// Sets the seed.
    seed: u64 => seed;
    /// Sets the hidden layers of the encoder.
    layers: Vec<usize> => Some(layers);
    /// Sets the size of the latent space.
    latent_dim: usize => latent_dim;
    /// Sets the size of o'.
    output_dim: usize => output_dim;
    /// Sets the epochs of pre-training.
    pretrain_epochs: usize => Some(pretrain_epochs);
    /// Sets the epochs of joint training.
    epochs: usize => Some(epochs);
    /// Sets the epochs of the locality net alone.
    settle_epochs: usize => Some(settle_epochs);
    /// Sets the learning rate of joint training and settling.
    lr: f64 => lr;
    /// Sets the rows of a step.
    batch: usize => Some(batch);
    /// Sets the weight of L_MI.
    alpha0: f64 => alpha0;
    /// Sets the weight of L_LP.
    alpha1: f64 => alpha1;
    /// Sets the perplexity, as a share of the batch.
    perplexity: f64 => perplexity;
    /// Sets what turns o' into clusters.
    clustering: FinalClustering => clustering;
    /// Sets how values are scaled.
    scale: Scaling => scale;
    /// Sets the number of components of texts and sparse counts.
    components: usize => Some(components);
}

/// More clusters than this are a slip of the hand, and sizes computed from them could overflow.
const MOST_CLUSTERS: usize = 1 << 24;

/// More steps than this would take years.
pub(crate) const MOST_STEPS: usize = 1_000_000_000;

/// As many rows as components are computed from.
const MOST_COMPONENTS: usize = 1 << 16;

/// More neighbours than this would not be a neighbourhood.
const MOST_NEIGHBORS: usize = 1000;

/// Parameters that have been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct LpvdnValidParams(LpvdnParams);

impl LpvdnValidParams {
    /// The parameters.
    pub fn get(&self) -> &LpvdnParams {
        &self.0
    }
}

impl LpvdnParams {
    /// Checks every parameter.
    pub fn check(self) -> Result<LpvdnValidParams, ParamsError> {
        let positive = |name: &'static str, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(ParamsError::NotPositive { name, value })
            }
        };
        let weight = |name: &'static str, value: f64| {
            if value >= 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(ParamsError::BadWeight { name, value })
            }
        };
        let size = |name: &'static str, sizes: &[usize]| {
            if sizes.iter().all(|&s| (1..=1 << 20).contains(&s)) {
                Ok(())
            } else {
                Err(ParamsError::BadSize { name, sizes: sizes.to_vec() })
            }
        };
        if !(1..=MOST_CLUSTERS).contains(&self.clusters) {
            return Err(ParamsError::BadClusters { clusters: self.clusters });
        }
        let layers = self.layers.as_deref();
        size("layers", layers.unwrap_or_default())?;
        size("latent-dim", &[self.latent_dim])?;
        size("output-dim", &[self.output_dim])?;
        size("discriminator-layers", &self.discriminator_layers)?;
        size("locality-layers", self.locality_layers.as_deref().unwrap_or_default())?;
        for (name, layers) in
            [("layers", layers), ("discriminator-layers", Some(self.discriminator_layers.as_slice()))]
        {
            if layers.is_some_and(<[usize]>::is_empty) {
                return Err(ParamsError::NoLayers { name });
            }
        }
        positive("pretrain-lr", self.pretrain_lr)?;
        positive("lr", self.lr)?;
        positive("log-variance-bound", self.log_variance_bound)?;
        for (name, value) in [
            ("alpha0", self.alpha0),
            ("alpha1", self.alpha1),
            ("divergence", self.divergence),
            ("latent-penalty", self.latent_penalty),
        ] {
            weight(name, value)?;
        }
        if !(self.perplexity > 0.0 && self.perplexity <= 1.0 / 3.0) {
            return Err(ParamsError::BadPerplexity { value: self.perplexity });
        }
        if self.epochs == Some(0) {
            return Err(ParamsError::NoEpochs);
        }
        if self.settle_epochs.is_some_and(|e| e > 0) && !(self.affinities.is_graph() && self.alpha1 > 0.0) {
            return Err(ParamsError::NothingToSettleOn);
        }
        if self.batch.is_some_and(|b| !(2..=1 << 20).contains(&b)) {
            return Err(ParamsError::BadBatch { value: self.batch.unwrap_or(0) });
        }
        for (name, value) in [("neighbors", self.neighbors), ("company", self.company)] {
            if !(1..=MOST_NEIGHBORS).contains(&value) {
                return Err(ParamsError::BadNeighbors { name, value, most: MOST_NEIGHBORS });
            }
        }
        let least = self.clusters.saturating_mul(2);
        if self.district < least && self.district == default_district() {
            return Err(ParamsError::TooManyClusters { value: self.clusters, most: self.district / 2 });
        }
        if self.district < least {
            return Err(ParamsError::BadDistrict { value: self.district, least });
        }
        if self.mixture_starts == 0 || self.starts == 0 {
            return Err(ParamsError::NoStarts);
        }
        check_schedule(self.schedule)?;
        self.check_components()?;
        Ok(LpvdnValidParams(self))
    }
}

impl LpvdnParams {
    /// Only a view has components; how many there can be, the data decides.
    fn check_components(&self) -> Result<(), ParamsError> {
        match self.components {
            None => Ok(()),
            Some(count) if !(1..=MOST_COMPONENTS).contains(&count) => {
                Err(ParamsError::BadCount { name: "components", count, most: MOST_COMPONENTS })
            }
            Some(_) if self.scale != Scaling::ByType => Err(ParamsError::NoComponents),
            Some(_) => Ok(()),
        }
    }
}

fn check_schedule(schedule: Schedule) -> Result<(), ParamsError> {
    let good = match schedule {
        Schedule::Constant => true,
        Schedule::Step { every, factor } => every >= 1 && factor > 0.0 && factor <= 1.0,
        Schedule::Cosine { floor } => (0.0..=1.0).contains(&floor),
    };
    if good { Ok(()) } else { Err(ParamsError::BadSchedule { schedule }) }
}

/// From this many rows on, the networks of the robust recipe are large. Measured at 5,620 rows, where
/// small ones are as good and take half the time, and at 70,000, where large ones are better
/// (ARCHITECTURE.md, Recipes).
const LARGE: usize = 20_000;
/// Joint epochs of the robust recipe when they are not given, and the fewest and most steps of them.
const JOINT_EPOCHS: usize = 60;
const JOINT_STEPS: [usize; 2] = [2_400, 4_800];
/// Pre-training steps of the robust recipe when the epochs are not given.
const PRETRAIN_STEPS: usize = 4_800;
/// The most epochs of pre-training and of joint training: with few rows, more of them would overfit.
const MOST_EPOCHS: [usize; 2] = [200, 240];

/// Epochs of settling for each of training. A row costs a small part of what it costs in training.
const SETTLING: usize = 2;

/// What the parameters come to for a data set of a known number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Budget {
    /// Rows of a step, at most.
    pub batch: usize,
    /// Steps of an epoch.
    pub steps: usize,
    /// Steps of an epoch of pre-training, where they are others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pretrain_steps: Option<usize>,
    /// Epochs of pre-training.
    pub pretrain_epochs: usize,
    /// Epochs of joint training.
    pub epochs: usize,
    /// Epochs of the locality net alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub settle_epochs: usize,
}

impl Budget {
    /// Nothing to do.
    pub const NOTHING: Budget =
        Budget { batch: 1, steps: 1, pretrain_steps: None, pretrain_epochs: 0, epochs: 0, settle_epochs: 0 };

    /// The same after a pre-training in epochs of so many steps.
    pub(crate) fn after(self, epochs: usize, steps: usize) -> Budget {
        let pretrain_steps = (steps != self.steps).then_some(steps);
        Budget { pretrain_epochs: epochs, pretrain_steps, ..self }
    }
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl LpvdnValidParams {
    /// Batch and epochs for `rows` rows: where they are not given, a budget of steps decides, because
    /// what a network learns follows from its steps more than from its epochs.
    pub fn budget(&self, rows: usize) -> Budget {
        let batch = self.0.batch.unwrap_or((rows / 20).clamp(128, 800)).min(rows).max(1);
        let districts = districts_of(rows, self.0.district);
        let steps = districts * rows.div_ceil(districts).div_ceil(batch).max(1);
        let by_steps = |budget: usize| budget.div_ceil(steps);
        let joint_steps = (JOINT_EPOCHS * steps).clamp(JOINT_STEPS[0], JOINT_STEPS[1]);
        let epochs = self.0.epochs.unwrap_or(by_steps(joint_steps).min(MOST_EPOCHS[1]));
        let settles = self.0.alpha1 > 0.0 && self.0.affinities.is_graph();
        Budget {
            batch,
            steps,
            pretrain_steps: None,
            pretrain_epochs: self.0.pretrain_epochs.unwrap_or(by_steps(PRETRAIN_STEPS).min(MOST_EPOCHS[0])),
            epochs,
            settle_epochs: if settles { self.0.settle_epochs.unwrap_or(SETTLING * epochs) } else { 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn robust() -> LpvdnParams {
        LpvdnParams::of_recipe(Recipe::Robust, 10)
    }

    #[test]
    fn the_number_of_rows_decides_what_is_not_given() {
        let small = robust().shape(LARGE - 1, 7);
        assert_eq!((small.layers, small.locality), (vec![256, 256, 512], vec![256; 3]));
        let large = robust().shape(LARGE, 7);
        assert_eq!((large.layers, large.locality), (vec![500, 500, 2000], vec![512; 3]));
        assert_eq!(robust().layers(vec![9]).shape(LARGE, 7).layers, [9]);
        let budget = |rows| robust().check().expect("good").budget(rows);
        let steps = |b: Budget| (b.steps * b.pretrain_epochs, b.steps * b.epochs, b.settle_epochs / b.epochs);
        assert_eq!(steps(budget(5_620)), (4_000, 2_400, 2));
        assert_eq!((budget(178).pretrain_epochs, budget(178).epochs), (200, 240));
        assert_eq!(steps(budget(70_000)), (88 * 55, 88 * 55, 2));
        // However many rows there are, the steps are few.
        assert_eq!(steps(budget(5_000_000)), (6_250, 6_250, 2));
    }

    #[test]
    fn what_a_fit_came_to_can_be_fitted_again() {
        for params in [robust(), LpvdnParams::of_recipe(Recipe::Paper, 10), robust().alpha1(0.0)] {
            let budget = params.clone().check().expect("good").budget(70_000);
            let resolved = params.clone().resolved(70_000, budget, Likelihood::Bernoulli);
            assert_eq!(resolved.shape(70_000, 7), params.shape(70_000, 7));
            assert_eq!(resolved.check().expect("good").budget(70_000), budget);
        }
    }

    #[test]
    fn settling_needs_a_graph_and_its_term() {
        let refused = |params: LpvdnParams| params.check() == Err(ParamsError::NothingToSettleOn);
        assert!(refused(LpvdnParams::of_recipe(Recipe::Paper, 3).settle_epochs(1)));
        assert!(refused(robust().alpha1(0.0).settle_epochs(1)));
        assert!(!refused(robust().settle_epochs(1)));
        assert_eq!(robust().alpha1(0.0).check().expect("good").budget(1_000).settle_epochs, 0);
    }
}

//! The parameters of ClusterGAN, unchecked and checked.

use lpvdn_core::Dataset;
use lpvdn_core::preprocess::Scaling;
use lpvdn_nn::Schedule;
use serde::{Deserialize, Serialize};

use super::network::{Form, Network, Output, Shape, ShapeError};
use crate::model::autoencoder::{AutoencoderParams, AutoencoderValidParams};
use crate::model::examine::Wanted;
use crate::model::graph::GraphParams;
use crate::model::lpvdn::errors::ParamsError;
use crate::model::lpvdn::hyperparams::{Budget, MOST_STEPS};
use crate::model::lpvdn::{LpvdnParams, Recipe};
use crate::train::districts::{Districts, districts_of};

/// Generator steps between two reports.
const EPOCH_STEPS: usize = 500;

/// What decides which rows a class of the generator stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassStart {
    /// Chance, as in the paper.
    #[default]
    Random,
    /// The clusters that keep the nearest neighbours together among the codes of a plain autoencoder, which is trained
    /// for that; see [`lpvdn_cluster::spectral`]. Those of K-means where that finds none, as among few rows.
    Graph,
    /// The initial clusters of the rows as they are. No autoencoder is trained.
    Rows,
    /// [`Graph`](ClassStart::Graph) where the columns are samples of one signal, as pixels are, and there are rows enough for it, else
    /// [`Rows`](ClassStart::Rows). A fit says which of them it was.
    Auto,
}

impl ClassStart {
    /// With nothing left to the data.
    pub(super) fn resolved(self, by_codes: bool) -> ClassStart {
        match self {
            ClassStart::Auto if by_codes => ClassStart::Graph,
            ClassStart::Auto => ClassStart::Rows,
            given => given,
        }
    }
}

/// The parameters of ClusterGAN.
///
/// | name | dense | images | purpose | range |
/// |---|---|---|---|---|
/// | `recipe` | robust | robust | whose values these are; the paper's starts classes by chance | – |
/// | `clusters` | – | – | K, how many clusters | 1 … rows |
/// | `seed` | 0 | 0 | decides every random draw | any |
/// | `class_start` | graph | graph | what the classes of the generator start from: with auto the neighbours among the codes of an autoencoder where columns are samples of one signal and rows are enough, else the initial clustering of the rows; graph always the former, rows the latter; random in the paper's recipe | random, graph, rows, auto |
/// | `guided_steps` | steps/4 | steps/4 | steps in which the encoder also learns what the classes start from | ≥ 0 |
/// | `pretrain_epochs`, `pretrain_lr` | by rows, 1e-3 | by rows, 1e-3 | the training of the autoencoder that classes start from; all else about it is as in AE + K-means | as there |
/// | `layers` | 256, 256 | – | hidden layers of the fully connected networks | each ≥ 1 |
/// | `normalized` | true | – | whether those of the generator are normalised over the batch | – |
/// | `image` | none | – | height, width and channels of a row; then the networks are convolutional | multiples of 4 |
/// | `noise_dim` | 30 | 30 | d_n, values of z_n | ≥ 1 |
/// | `steps` | 40,000 | 40,000 | steps of the generator | ≥ 1 |
/// | `critic_steps` | 1 | 5 | steps of the critic for each of the generator | ≥ 1 |
/// | `batch` | 128 | 64 | rows of a step | ≥ 2 |
/// | `lr` | 5e-4 | 1e-4 | learning rate of Adam | > 0 |
/// | `schedule` | constant | constant | how the rate falls; an epoch is 500 steps | – |
/// | `noise_weight`, `class_weight` | 10, 10 | 10, 10 | β_n and β_c, of the encoder's two terms; β_c is also the weight of the guidance | ≥ 0 |
/// | `starts` | 10 | 10 | starts of every clustering of codes | ≥ 1 |
/// | `district` | 100,000 | 100,000 | rows that are shuffled, searched for neighbours and clustered together, at most | ≥ 2 K |
/// | `scale` | by type | auto | how values are scaled | – |
/// | `components` | by rows | – | as LPVDN | as LPVDN |
///
/// Where chance decides what classes stand for, `guided_steps`, `pretrain_epochs` and `pretrain_lr` have no effect, and the latter
/// two have none where classes start from the rows. Nor
/// does the autoencoder where it is not trained, there is one cluster, β_c is 0 or no step is guided; then it is left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs)] // The table above says what each is.
pub struct ClusterGanParams {
    #[serde(default)]
    pub recipe: Recipe,
    pub clusters: usize,
    pub seed: u64,
    // Files from before it was there started by chance.
    #[serde(default)]
    pub class_start: ClassStart,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guided_steps: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pretrain_epochs: Option<usize>,
    #[serde(default = "pretrain_lr")]
    pub pretrain_lr: f64,
    pub layers: Vec<usize>,
    // Files from before it was there have no statistics.
    #[serde(default)]
    pub normalized: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<[usize; 3]>,
    pub noise_dim: usize,
    pub steps: usize,
    pub critic_steps: usize,
    pub batch: usize,
    pub lr: f64,
    // Files from before it was there had one rate all the time.
    #[serde(default = "constant")]
    pub schedule: Schedule,
    pub noise_weight: f64,
    pub class_weight: f64,
    pub starts: u32,
    pub district: usize,
    pub scale: Scaling,
    // Not written where nobody says: earlier files lack it, and are written as they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<usize>,
}

fn constant() -> Schedule {
    Schedule::Constant
}

fn pretrain_lr() -> f64 {
    LpvdnParams::of_recipe(Recipe::Robust, 1).pretrain_lr
}

impl ClusterGanParams {
    /// The defaults for `clusters` clusters and rows of any kind. On MNIST those of the paper, which are for
    /// convolutions, leave dense networks far from the data for hours (ARCHITECTURE.md, ClusterGAN).
    pub fn new(clusters: usize) -> ClusterGanParams {
        let lpvdn = LpvdnParams::of_recipe(Recipe::Robust, clusters);
        ClusterGanParams {
            recipe: Recipe::Robust,
            clusters,
            seed: 0,
            class_start: ClassStart::Graph,
            guided_steps: None,
            pretrain_epochs: None,
            pretrain_lr: pretrain_lr(),
            layers: vec![256, 256],
            normalized: true,
            image: None,
            noise_dim: 30,
            steps: 40_000,
            critic_steps: 1,
            batch: 128,
            lr: 5e-4,
            schedule: Schedule::Constant,
            noise_weight: 10.0,
            class_weight: 10.0,
            starts: lpvdn.starts,
            district: lpvdn.district,
            scale: lpvdn.scale,
            components: None,
        }
    }

    /// The values of a recipe: in the paper's, chance decides what the classes stand for.
    pub fn of_recipe(recipe: Recipe, clusters: usize) -> ClusterGanParams {
        let class_start = match recipe {
            Recipe::Robust => ClassStart::Graph,
            Recipe::Paper => ClassStart::Random,
        };
        let scale = LpvdnParams::of_recipe(recipe, clusters).scale;
        ClusterGanParams { recipe, class_start, scale, ..ClusterGanParams::new(clusters) }
    }

    /// The same for images of so many lines, points and channels, with the paper's values for the steps.
    #[must_use]
    pub fn for_images(self, image: [usize; 3]) -> ClusterGanParams {
        ClusterGanParams { image: Some(image), critic_steps: 5, batch: 64, lr: 1e-4, ..self }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is outside its range.
    pub fn check(self) -> Result<ClusterGanValidParams, ParamsError> {
        let shared = LpvdnParams::of_recipe(Recipe::Robust, self.clusters);
        let (starts, district) = (self.starts, self.district);
        let layers = Some(self.layers.clone());
        let schedule = self.schedule;
        LpvdnParams { layers, batch: Some(self.batch), lr: self.lr, schedule, starts, district, ..shared }
            .check()?;
        for (name, value) in [("noise-weight", self.noise_weight), ("class-weight", self.class_weight)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(ParamsError::BadWeight { name, value });
            }
        }
        if !(1..=1 << 20).contains(&self.noise_dim) {
            return Err(ParamsError::BadSize { name: "noise-dim", sizes: vec![self.noise_dim] });
        }
        for (name, count) in [("steps", self.steps), ("critic-steps", self.critic_steps)] {
            if !(1..=MOST_STEPS).contains(&count) {
                return Err(ParamsError::BadCount { name, count, most: MOST_STEPS });
            }
        }
        // As many as there are steps are enough; more are a slip of the hand.
        if let Some(count) = self.guided_steps.filter(|&count| count > MOST_STEPS) {
            return Err(ParamsError::BadCount { name: "guided-steps", count, most: MOST_STEPS });
        }
        let guide = self.autoencoder().check()?;
        let guide = (self.guided() > 0 && self.class_start != ClassStart::Rows).then(|| Box::new(guide));
        Ok(ClusterGanValidParams { params: self, guide })
    }

    /// Whether the rows are divided before the training. The paper's recipe does not do it.
    pub(super) fn divides_rows(&self) -> bool {
        let asked = matches!(self.class_start, ClassStart::Rows | ClassStart::Auto) && self.guided() > 0;
        self.recipe == Recipe::Robust || asked
    }

    /// Those of the clusters of the rows.
    pub(super) fn graph(&self) -> GraphParams {
        self.autoencoder().graph()
    }

    /// What they ask of the data.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted { clusters: self.clusters, scale: self.scale, components: self.components }
    }

    /// How the rows of `data` are divided.
    pub(super) fn districts(&self, data: &Dataset) -> Districts {
        Districts::new((data.rows(), data.source.row_values()), self.district, self.seed)
    }

    /// The autoencoder whose clusters the classes start from. It is that of AE + K-means, so both share a pre-training.
    fn autoencoder(&self) -> AutoencoderParams {
        AutoencoderParams {
            seed: self.seed,
            pretrain_epochs: self.pretrain_epochs,
            pretrain_lr: self.pretrain_lr,
            district: self.district,
            starts: self.starts,
            scale: self.scale,
            components: self.components,
            ..AutoencoderParams::plain(Recipe::Robust, self.clusters)
        }
    }

    /// Steps in which the encoder is guided: none where there is nothing to learn from.
    pub(super) fn guided(&self) -> usize {
        let known = match self.class_start {
            ClassStart::Random => false,
            ClassStart::Rows => true,
            ClassStart::Graph | ClassStart::Auto => self.pretrain_epochs != Some(0),
        };
        if !known || self.clusters == 1 || self.class_weight == 0.0 {
            return 0;
        }
        self.guided_steps.unwrap_or((self.steps / 4).max(1)).min(self.steps)
    }

    /// Steps of the generator between two reports, and how many reports there are.
    pub(super) fn budget(&self) -> Budget {
        let steps = EPOCH_STEPS.min(self.steps);
        Budget { batch: self.batch, steps, epochs: self.steps.div_ceil(steps), ..Budget::NOTHING }
    }

    /// The networks for rows of so many columns.
    ///
    /// # Errors
    /// An image that is no row of the data.
    pub fn network(&self, columns: usize, output: Output) -> Result<Network, ShapeError> {
        let form = match self.image {
            Some([height, width, channels]) => Form::convolutional(height, width, channels),
            None => Form::Dense { hidden: self.layers.clone(), normalized: self.normalized },
        };
        Network::new(Shape { columns, noise: self.noise_dim, clusters: self.clusters, form }, output)
    }
}

/// Parameters that have been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterGanValidParams {
    params: ClusterGanParams,
    /// The autoencoder whose clusters the classes start from, where they do.
    guide: Option<Box<AutoencoderValidParams>>,
}

impl ClusterGanValidParams {
    /// The parameters.
    pub fn get(&self) -> &ClusterGanParams {
        &self.params
    }

    pub(super) fn guide(&self) -> Option<&AutoencoderValidParams> {
        self.guide.as_deref()
    }

    /// Batches in which every row has its turn.
    pub(super) fn passing_batches(&self, rows: usize) -> usize {
        let districts = districts_of(rows, self.params.district);
        districts * rows.div_ceil(districts).div_ceil(self.params.batch).max(1)
    }

    /// Steps of the generator between two reports, and how many reports there are.
    pub fn budget(&self) -> Budget {
        self.params.budget()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_from_before_there_was_a_schedule_or_a_start_had_one_rate_and_chance() {
        let params = ClusterGanParams { class_start: ClassStart::Random, ..ClusterGanParams::new(3) };
        let mut file = serde_json::to_value(&params).expect("JSON");
        for name in ["schedule", "class-start", "recipe", "pretrain-lr"] {
            file.as_object_mut().expect("an object").remove(name).expect(name);
        }
        assert_eq!(serde_json::from_value::<ClusterGanParams>(file).expect("parameters"), params);
    }

    #[test]
    fn a_schedule_that_makes_no_sense_is_refused() {
        let schedule = Schedule::Cosine { floor: -1.0 };
        assert!(ClusterGanParams { schedule, ..ClusterGanParams::new(3) }.check().is_err());
    }

    #[test]
    fn nothing_is_trained_for_a_start_that_cannot_matter() {
        let guided = |params: ClusterGanParams| params.check().expect("good parameters").guide().is_some();
        let params = ClusterGanParams::new(3);
        assert!(guided(params.clone()));
        assert!(guided(ClusterGanParams { steps: 1, ..params.clone() }));
        assert!(!guided(ClusterGanParams::of_recipe(Recipe::Paper, 3)));
        assert!(!guided(ClusterGanParams { guided_steps: Some(0), ..params.clone() }));
        assert!(!guided(ClusterGanParams { pretrain_epochs: Some(0), ..params.clone() }));
        assert!(!guided(ClusterGanParams { class_weight: 0.0, ..params }));
        assert!(!guided(ClusterGanParams::new(1)));
    }

    #[test]
    fn what_guides_is_checked() {
        let refused = |params: ClusterGanParams| params.check().expect_err("refused").to_string();
        let params = ClusterGanParams::new(3);
        let many = ClusterGanParams { guided_steps: Some(MOST_STEPS + 1), ..params.clone() };
        assert!(refused(many).contains("guided-steps"));
        assert!(refused(ClusterGanParams { pretrain_lr: -1.0, ..params }).contains("pretrain-lr"));
    }
}

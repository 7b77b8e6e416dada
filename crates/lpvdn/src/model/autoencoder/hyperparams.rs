//! The parameters of the methods that cluster the codes of an autoencoder, unchecked and checked.

use lpvdn_core::Dataset;
use lpvdn_core::preprocess::Scaling;
use lpvdn_nn::{Init, Schedule};
use serde::{Deserialize, Serialize};

use super::network::EncoderNetwork;
use crate::loss::reconstruction::Likelihood;
use crate::model::examine::Wanted;
use crate::model::graph::GraphParams;
use crate::model::lpvdn::candidates::graph_params;
use crate::model::lpvdn::errors::ParamsError;
use crate::model::lpvdn::hyperparams::{Budget, MOST_STEPS};
use crate::model::lpvdn::{LpvdnParams, Recipe};
use crate::model::method::Method;
use crate::train::districts::{Districts, districts_of};

/// Where the centres of DEC start, among the pre-trained codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CenterStart {
    /// Where K-means puts them.
    #[default]
    KMeans,
    /// In the middle of the clusters that keep the nearest neighbours together: [`lpvdn_cluster::spectral`]. As
    /// [`KMeans`](CenterStart::KMeans) where there are too few rows, or too many clusters, for it.
    Graph,
    /// In the middle of the initial clusters of the rows as they are. As [`KMeans`](CenterStart::KMeans) where one of these is
    /// empty.
    Rows,
    /// [`Graph`](CenterStart::Graph) where the columns are samples of one signal, as pixels are, and there are rows enough for it, else
    /// [`Rows`](CenterStart::Rows). A fit says which of them it was.
    Auto,
}

impl CenterStart {
    /// With nothing left to the data.
    pub(super) fn resolved(self, by_codes: bool) -> CenterStart {
        match self {
            CenterStart::Auto if by_codes => CenterStart::Graph,
            CenterStart::Auto => CenterStart::Rows,
            given => given,
        }
    }
}

/// What follows the plain autoencoder.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Refinement {
    /// Nothing: AE + K-means.
    None,
    /// Training as a variational autoencoder with a standard normal prior: VAE + K-means.
    #[serde(rename_all = "kebab-case")]
    Variational {
        /// Epochs; by the number of rows if not given.
        epochs: Option<usize>,
        /// The learning rate, of Adam.
        lr: f64,
        /// How the rate falls.
        schedule: Schedule,
        /// The weight of the divergence from the prior: 0.5 in the robust recipe, 1 in the paper's.
        divergence: f64,
        /// log σ̃² stays within ± this.
        log_variance_bound: f64,
    },
    /// The encoder alone, to its own sharpened assignments: DEC.
    #[serde(rename_all = "kebab-case")]
    SelfTraining {
        /// Steps between two looks at all rows; if not given, half a pass over them, but at least 30.
        interval: Option<usize>,
        /// Ends where a smaller share of the rows changes its cluster between two looks.
        tolerance: f64,
        /// Steps, at most.
        steps: usize,
        /// The learning rate, of SGD.
        lr: f64,
        /// The momentum of SGD.
        momentum: f64,
        /// Rows of a step.
        batch: usize,
        /// Where the centres start. Files from before it was there started them by K-means.
        #[serde(default)]
        center_start: CenterStart,
    },
}

/// The parameters of AE + K-means, VAE + K-means and DEC.
///
/// | name | robust | paper | purpose | range |
/// |---|---|---|---|---|
/// | `clusters` | – | – | K, how many clusters | 1 … rows |
/// | `seed` | 0 | 0 | decides every random draw | any |
/// | `layers`, `latent_dim`, `pretrain_epochs`, `pretrain_lr`, `latent_penalty`, `batch`, `district`, `init`, `likelihood`, `scale`, `components` | as LPVDN | as LPVDN | the autoencoder and its training; a VAE has no plain training before its own | as LPVDN |
/// | `starts` | 10, DEC 20 | 10, DEC 20 | starts of K-means | ≥ 1 |
/// | `refinement` | – | – | what follows, and makes the method; `center_start` of DEC is auto, in the paper k-means: the centres start from the neighbours of the codes where columns are samples of one signal and rows are enough, else from the initial clustering of the rows | k-means, graph, rows, auto |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs)] // The table above says what each is.
pub struct AutoencoderParams {
    pub recipe: Recipe,
    pub clusters: usize,
    pub seed: u64,
    pub layers: Option<Vec<usize>>,
    pub latent_dim: usize,
    pub pretrain_epochs: Option<usize>,
    pub pretrain_lr: f64,
    pub latent_penalty: f64,
    pub batch: Option<usize>,
    pub district: usize,
    pub init: Init,
    pub starts: u32,
    pub likelihood: Option<Likelihood>,
    pub scale: Scaling,
    // Not written where nobody says: earlier files lack it, and are written as they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<usize>,
    pub refinement: Refinement,
}

/// Of so few rows that half a pass is fewer steps, hardly one changes its cluster in between, and DEC would
/// stop where it begins.
const SHORTEST_INTERVAL: usize = 30;
/// Rows of a step of DEC.
const SELF_TRAINING_BATCH: usize = 256;

impl AutoencoderParams {
    /// AE + K-means.
    pub fn plain(recipe: Recipe, clusters: usize) -> AutoencoderParams {
        let lpvdn = LpvdnParams::of_recipe(recipe, clusters);
        AutoencoderParams {
            recipe,
            clusters,
            seed: lpvdn.seed,
            layers: lpvdn.layers,
            latent_dim: lpvdn.latent_dim,
            pretrain_epochs: lpvdn.pretrain_epochs,
            pretrain_lr: lpvdn.pretrain_lr,
            latent_penalty: lpvdn.latent_penalty,
            batch: lpvdn.batch,
            district: lpvdn.district,
            init: lpvdn.init,
            starts: lpvdn.starts,
            likelihood: None,
            scale: lpvdn.scale,
            components: None,
            refinement: Refinement::None,
        }
    }

    /// VAE + K-means.
    pub fn variational(recipe: Recipe, clusters: usize) -> AutoencoderParams {
        let lpvdn = LpvdnParams::of_recipe(recipe, clusters);
        let divergence = match recipe {
            // The prior draws clusters into one heap: half of it leaves them further apart (ARCHITECTURE.md).
            Recipe::Robust => 0.5,
            Recipe::Paper => 1.0,
        };
        let refinement = Refinement::Variational {
            epochs: None,
            lr: 1e-3,
            schedule: lpvdn.schedule,
            divergence,
            log_variance_bound: lpvdn.log_variance_bound,
        };
        let plain = AutoencoderParams::plain(recipe, clusters);
        AutoencoderParams { pretrain_epochs: Some(0), refinement, ..plain }
    }

    /// DEC.
    pub fn self_training(recipe: Recipe, clusters: usize) -> AutoencoderParams {
        let center_start = match recipe {
            Recipe::Robust => CenterStart::Auto,
            Recipe::Paper => CenterStart::KMeans,
        };
        let refinement = Refinement::SelfTraining {
            interval: None,
            tolerance: 1e-3,
            steps: 20_000,
            lr: 0.01,
            momentum: 0.9,
            batch: SELF_TRAINING_BATCH,
            center_start,
        };
        AutoencoderParams { starts: 20, refinement, ..AutoencoderParams::plain(recipe, clusters) }
    }

    /// Which method these are the parameters of.
    pub fn method(&self) -> Method {
        match self.refinement {
            Refinement::None => Method::AutoencoderKMeans,
            Refinement::Variational { .. } => Method::VariationalKMeans,
            Refinement::SelfTraining { .. } => Method::Dec,
        }
    }

    /// Those of LPVDN that mean the same.
    pub(super) fn shared(&self) -> LpvdnParams {
        LpvdnParams {
            seed: self.seed,
            layers: self.layers.clone(),
            latent_dim: self.latent_dim,
            pretrain_epochs: self.pretrain_epochs,
            pretrain_lr: self.pretrain_lr,
            latent_penalty: self.latent_penalty,
            batch: self.batch,
            district: self.district,
            init: self.init,
            starts: self.starts,
            likelihood: self.likelihood,
            scale: self.scale,
            components: self.components,
            ..LpvdnParams::of_recipe(self.recipe, self.clusters)
        }
    }

    /// Whether the rows are divided before the training. The paper's recipe does not do it.
    pub(super) fn divides_rows(&self) -> bool {
        let asked = |start: CenterStart| matches!(start, CenterStart::Rows | CenterStart::Auto);
        self.recipe == Recipe::Robust
            || matches!(self.refinement, Refinement::SelfTraining { center_start, .. } if asked(center_start))
    }

    /// Those of the clusters of the rows.
    pub(crate) fn graph(&self) -> GraphParams {
        graph_params(&self.shared())
    }

    /// What they ask of the data.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted { clusters: self.clusters, scale: self.scale, components: self.components }
    }

    /// How the rows of `data` are divided.
    pub(crate) fn districts(&self, data: &Dataset) -> Districts {
        Districts::new((data.rows(), data.source.row_values()), self.district, self.seed)
    }

    /// Hidden layers of the encoder for so many rows.
    pub(crate) fn layers_for(&self, rows: usize) -> Vec<usize> {
        self.shared().layers_for(rows)
    }

    /// Checks every parameter.
    pub fn check(self) -> Result<AutoencoderValidParams, ParamsError> {
        self.shared().check()?;
        let positive = |name: &'static str, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(ParamsError::NotPositive { name, value }),
        };
        let weight = |name: &'static str, value: f64| match value >= 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(ParamsError::BadWeight { name, value }),
        };
        match self.refinement {
            Refinement::None => {}
            Refinement::Variational { epochs, lr, divergence, log_variance_bound, schedule } => {
                positive("lr", lr)?;
                positive("log-variance-bound", log_variance_bound)?;
                weight("divergence", divergence)?;
                LpvdnParams { schedule, ..self.shared() }.check()?;
                if epochs == Some(0) {
                    return Err(ParamsError::NoEpochs);
                }
            }
            Refinement::SelfTraining { interval, tolerance, steps, lr, momentum, batch, .. } => {
                positive("lr", lr)?;
                weight("tolerance", tolerance)?;
                weight("momentum", momentum)?;
                for (name, count) in [("interval", interval.unwrap_or(1)), ("steps", steps)] {
                    if !(1..=MOST_STEPS).contains(&count) {
                        return Err(ParamsError::BadCount { name, count, most: MOST_STEPS });
                    }
                }
                if momentum >= 1.0 {
                    return Err(ParamsError::BadWeight { name: "momentum (below 1)", value: momentum });
                }
                if !(2..=1 << 20).contains(&batch) {
                    return Err(ParamsError::BadBatch { value: batch });
                }
            }
        }
        Ok(AutoencoderValidParams(self))
    }
}

/// Parameters that have been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoencoderValidParams(AutoencoderParams);

impl AutoencoderValidParams {
    /// The parameters.
    pub fn get(&self) -> &AutoencoderParams {
        &self.0
    }

    /// The network for data of so many rows and columns.
    pub fn network(&self, rows: usize, columns: usize) -> EncoderNetwork {
        let AutoencoderParams { latent_dim, clusters, .. } = self.0;
        EncoderNetwork::new(columns, &self.0.layers_for(rows), latent_dim, clusters)
    }

    /// Batch and epochs for `rows` rows, as LPVDN has them. An epoch of DEC is what lies between two looks
    /// at all rows.
    pub fn budget(&self, rows: usize) -> Budget {
        let shared = self.0.shared();
        let epochs = match self.0.refinement {
            Refinement::Variational { epochs, .. } => epochs,
            Refinement::None | Refinement::SelfTraining { .. } => None,
        };
        let shared =
            LpvdnParams { epochs: epochs.or(shared.epochs), alpha1: 0.0, settle_epochs: None, ..shared };
        let budget = shared.check().map(|valid| valid.budget(rows)).unwrap_or(Budget::NOTHING);
        let epochs = match self.0.refinement {
            Refinement::None => 0,
            Refinement::Variational { .. } => budget.epochs,
            Refinement::SelfTraining { steps, .. } => steps.div_ceil(self.interval(rows)),
        };
        Budget { epochs, ..budget }
    }

    /// Steps of an epoch of what follows the plain autoencoder.
    pub(crate) fn refining_steps(&self, rows: usize) -> usize {
        match self.0.refinement {
            Refinement::SelfTraining { .. } => self.interval(rows),
            Refinement::None | Refinement::Variational { .. } => self.budget(rows).steps,
        }
    }

    fn interval(&self, rows: usize) -> usize {
        match self.0.refinement {
            Refinement::SelfTraining { interval, .. } => {
                interval.unwrap_or(self.passing_steps(rows).div_ceil(2).max(SHORTEST_INTERVAL))
            }
            Refinement::None | Refinement::Variational { .. } => 1,
        }
    }

    /// Steps of DEC in which every row has its turn.
    pub(crate) fn passing_steps(&self, rows: usize) -> usize {
        let Refinement::SelfTraining { batch, .. } = self.0.refinement else { return 1 };
        let districts = districts_of(rows, self.0.district);
        districts * rows.div_ceil(districts).div_ceil(batch).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_from_before_there_was_a_choice_started_centres_by_k_means() {
        let params = AutoencoderParams::self_training(Recipe::Paper, 3);
        let mut file = serde_json::to_value(&params).expect("JSON");
        let refinement = file["refinement"].as_object_mut().expect("an object");
        assert_eq!(refinement.remove("center-start").expect("a start"), "k-means");
        assert_eq!(serde_json::from_value::<AutoencoderParams>(file).expect("parameters"), params);
    }
}

//! The Locality Preserving Variational Discriminative Network (Luo et al., AAAI 2021).
//!
//! | file | what it holds |
//! |---|---|
//! | `hyperparams` | every number of the paper as a parameter, and the recipes |
//! | `network` | its parts, and where their parameters lie |
//! | `step`, `terms` | one step of joint training: losses and gradients |
//! | `pretrain` | one step of pre-training |
//! | `discriminator`, `discrimination` | the network D of L_MI, and what it says once it is trained |
//! | `trainer` | the loop over epochs and steps |
//! | `outlook` | what a fit would do, without doing it |
//! | `prepare` | what is known before the first step |
//! | `algorithm` | `fit` |
//! | `candidates` | which partition of the rows or of the codes becomes the clusters |
//! | `inference`, `assignment` | from a row to its code to its cluster |
//! | `fitted`, `file` | the model, in memory and on disk |
//! | `quality` | how good a clustering is, without labels |
//! | `search` | a choice between seeds, and between numbers of clusters, without labels |

pub mod algorithm;
pub mod assignment;
pub(crate) mod candidates;
pub(crate) mod clustering;
mod discrimination;
mod discriminator;
pub(crate) mod effort;
pub mod errors;
mod file;
pub mod fitted;
pub mod hyperparams;
mod inference;
pub mod network;
mod outlook;
mod prepare;
mod pretrain;
mod quality;
pub mod search;
pub mod step;
mod terms;
pub(crate) mod trainer;

pub use super::format::FORMAT_VERSION;
pub use assignment::{Assignment, Space};
pub use discrimination::Discrimination;
pub use discriminator::Negatives;
pub use errors::ParamsError;
pub use fitted::LpvdnModel;
pub use hyperparams::{FinalClustering, LpvdnParams, LpvdnValidParams, NegativeRows, PriorStart, Recipe};
pub use outlook::Outlook;
pub use quality::{Quality, SILHOUETTE_ROWS};
pub use search::{Candidate, Choice, CurvePoint, Found, Search, SearchPlan};

/// The method. [`Lpvdn::params`] is where everything starts.
#[derive(Clone, Copy, Debug)]
pub struct Lpvdn;

impl Lpvdn {
    /// The robust recipe for `clusters` clusters.
    pub fn params(clusters: usize) -> LpvdnParams {
        LpvdnParams::of_recipe(Recipe::Robust, clusters)
    }
}

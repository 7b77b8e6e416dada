//! What a fit tells its observer.

use lpvdn_core::View;
use lpvdn_core::view::Unknown;
use serde::Serialize;

use crate::model::graph::Partitions;
use crate::model::lpvdn::hyperparams::Budget;
use crate::model::lpvdn::search::{Candidate, Choice, SearchPlan};
use crate::verdict::NumberChoice;

/// The parts of a fit that take time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The plain autoencoder.
    Pretrain,
    /// All terms together.
    Joint,
    /// The locality net alone, on the codes of the finished encoder.
    Settle,
}

impl Phase {
    /// Its place among the phases, also in random stream keys.
    pub fn number(self) -> u32 {
        match self {
            Phase::Pretrain => 0,
            Phase::Joint => 1,
            Phase::Settle => 2,
        }
    }

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Pretrain => "pre-training",
            Phase::Joint => "training",
            Phase::Settle => "settling",
        }
    }
}

/// What a fit is going to do, said before it starts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Rows of the data.
    pub rows: usize,
    /// Columns of the data.
    pub columns: usize,
    /// K
    pub clusters: usize,
    /// Groups of rows that are shuffled, searched for neighbours and clustered together.
    pub districts: usize,
    /// Trainable numbers.
    pub parameters: usize,
    /// Batch, steps and epochs.
    pub budget: Budget,
    /// Threads used.
    pub threads: usize,
    /// Measured speed of matrix products, in 10⁹ operations a second.
    pub gflops: f64,
    /// Expected duration of the whole fit.
    pub seconds: f64,
    /// Expected peak of memory, data included.
    pub memory_bytes: u64,
}

/// The mean value of each term over an epoch, and how the epoch went.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
pub struct EpochReport {
    /// Which phase.
    pub phase: Phase,
    /// Which epoch, from 1.
    pub epoch: usize,
    /// Of how many.
    pub epochs: usize,
    /// In pre-training the mean squared error, in training −log p(x|z).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reconstruction: Option<f64>,
    /// The divergence from the mixture prior.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub divergence: Option<f64>,
    /// L_MI
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mutual_information_loss: Option<f64>,
    /// log 2 − L_MI, an estimate of I(X, Z) in nats.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub information: Option<f64>,
    /// L_LP
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub locality: Option<f64>,
    /// The critic's estimate of how far generated rows are from true ones.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub distance: Option<f64>,
    /// How far the critic's slope is from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub penalty: Option<f64>,
    /// How far the encoder is from the noise that a row was generated from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub noise_error: Option<f64>,
    /// How far the encoder is from the cluster that a row was generated from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub class_error: Option<f64>,
    /// The encoder's mistake about the clusters that its classes start from, among true rows: a cross-entropy. A step
    /// that is not guided any more counts as 0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub guidance_error: Option<f64>,
    /// The objective: all terms with their weights.
    pub loss: f64,
    /// The learning rate of the last step.
    pub learning_rate: f64,
    /// The share of rows that each mixture component holds.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub occupancy: Vec<f64>,
    /// exp of the occupancy's entropy: how many components are really in use.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub effective_clusters: Option<f64>,
    /// Speed.
    pub rows_per_second: f64,
    /// Seconds spent on the fit so far, earlier processes included.
    pub seconds: f64,
    /// Expected seconds until the fit ends.
    pub seconds_left: f64,
}

impl EpochReport {
    /// Of nothing yet.
    pub(crate) fn empty(phase: Phase) -> EpochReport {
        EpochReport {
            phase,
            epoch: 0,
            epochs: 0,
            reconstruction: None,
            divergence: None,
            mutual_information_loss: None,
            information: None,
            locality: None,
            distance: None,
            penalty: None,
            noise_error: None,
            class_error: None,
            guidance_error: None,
            loss: 0.0,
            learning_rate: 0.0,
            occupancy: Vec::new(),
            effective_clusters: None,
            rows_per_second: 0.0,
            seconds: 0.0,
            seconds_left: 0.0,
        }
    }
}

/// Clusters and, where labels are known, their scores in the middle of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
pub struct Evaluation {
    /// After which epoch of training.
    pub epoch: usize,
    /// Scores of the clustering as it would be without settling.
    pub acc: f64,
    /// Purity.
    pub purity: f64,
    /// Normalised mutual information.
    pub nmi: f64,
    /// Adjusted Rand index.
    pub ari: f64,
    /// Accuracy of the mixture's own assignment, where the method has a mixture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixture_acc: Option<f64>,
    /// Seconds spent on the fit so far, earlier processes included.
    pub seconds: f64,
}

/// Something happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// A search is about to start.
    Searching(&'a SearchPlan),
    /// Something happened in the fit of a candidate.
    Trying {
        /// Which candidate, from 1.
        number: usize,
        /// Of how many.
        of: usize,
        /// What happened.
        event: &'a Event<'a>,
    },
    /// A candidate is trained, or was found in the store.
    Tried(&'a Candidate),
    /// The candidates were compared.
    Chosen(&'a Choice),
    /// The number of clusters was chosen.
    NumberChosen(&'a NumberChoice),
    /// The fit is about to start.
    Planned(&'a Plan),
    /// How rows are seen, by the type of their columns.
    Viewed {
        /// What becomes of the columns.
        view: &'a View,
        /// The values that it takes for unknown.
        unknown: &'a [Unknown],
    },
    /// It goes on from a checkpoint: these epochs and steps are done.
    Resumed {
        /// The phase.
        phase: Phase,
        /// Whole epochs done in it.
        epoch: usize,
        /// Steps done of the next.
        step: usize,
    },
    /// The pre-training, or the whole training, was found in the store.
    Found {
        /// The last phase of what was found.
        phase: Phase,
        /// What it took when it was made. The seconds of this fit include it.
        seconds: f64,
        /// Its epochs.
        history: &'a [EpochReport],
    },
    /// A phase starts.
    Phase {
        /// Which.
        phase: Phase,
        /// Its epochs.
        epochs: usize,
        /// Steps of an epoch.
        steps: usize,
    },
    /// A step of training ended.
    Step {
        /// The phase.
        phase: Phase,
        /// Steps done in it.
        done: usize,
    },
    /// An epoch ended.
    Epoch(&'a EpochReport),
    /// The clustering was scored.
    Evaluated(&'a Evaluation),
    /// The rows are divided as they are, before any training.
    Initial {
        /// In several ways, of which one would be kept.
        partitions: &'a Partitions,
        /// What it took.
        seconds: f64,
    },
    /// What goes on between the phases.
    Working(&'a str),
    /// A checkpoint was written.
    Checkpoint,
    /// Something the user should know, though the fit goes on.
    Warning(&'a str),
}

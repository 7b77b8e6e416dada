//! What can be wrong with the parameters.

use lpvdn_nn::Schedule;

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamsError {
    /// K = 0, or beyond all reason.
    #[error("clusters must be between 1 and 16777216, not {clusters}")]
    BadClusters {
        /// Its value.
        clusters: usize,
    },
    /// A layer size of 0 or beyond 2²⁰.
    #[error("{name}: every size must be between 1 and 1048576, not {sizes:?}")]
    BadSize {
        /// The parameter.
        name: &'static str,
        /// Its value.
        sizes: Vec<usize>,
    },
    /// An empty list of layers.
    #[error("{name}: at least one hidden layer is needed")]
    NoLayers {
        /// The parameter.
        name: &'static str,
    },
    /// A rate or bound that is not a positive number.
    #[error("{name} must be a positive number, not {value}")]
    NotPositive {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A weight that is negative or not a number.
    #[error("{name} must be 0 or a positive number, not {value}")]
    BadWeight {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A perplexity outside (0, 1/3].
    #[error("perplexity is a share of the batch: more than 0 and at most 0.333, not {value}")]
    BadPerplexity {
        /// Its value.
        value: f64,
    },
    /// No neighbours, or more than a neighbourhood has.
    #[error("{name} must be between 1 and {most}, not {value}")]
    BadNeighbors {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: usize,
        /// The most it can be.
        most: usize,
    },
    /// Without L_LP, or without its graph of neighbours, there is nothing to learn after training.
    #[error(
        "settle-epochs needs L_LP with a graph of neighbours: alpha1 above 0 and, in a --config file, affinities = \"latent-graph\" (the default recipe has both; with the paper recipe leave settle-epochs out)"
    )]
    NothingToSettleOn,
    /// No joint training.
    #[error("epochs must be at least 1")]
    NoEpochs,
    /// More clusters than can be told apart.
    #[error("clusters must be at most {most}, not {value}; and no more than there are rows")]
    TooManyClusters {
        /// The value given.
        value: usize,
        /// The largest that is accepted.
        most: usize,
    },
    /// The rows that are clustered together are too few.
    #[error("district must be at least {least} rows, twice the clusters, not {value}")]
    BadDistrict {
        /// The value given.
        value: usize,
        /// The smallest that is accepted.
        least: usize,
    },
    /// A batch that is too small or too large.
    #[error("batch must be between 2 and 1048576 rows, not {value}")]
    BadBatch {
        /// Its value.
        value: usize,
    },
    /// No candidate, or more than anyone waits for.
    #[error("restarts must be between 1 and {most}, not {value}")]
    BadRestarts {
        /// Its value.
        value: usize,
        /// The most it can be.
        most: usize,
    },
    /// A range of clusters from which none can be chosen.
    #[error(
        "clusters can be chosen from a range within 2 and {most}, the smaller number first, as in 2-20; not from {from}-{to}"
    )]
    BadClusterRange {
        /// Its start.
        from: usize,
        /// Its end.
        to: usize,
        /// The most clusters.
        most: usize,
    },
    /// A number of steps that is 0 or beyond all reason.
    #[error("{name} must be between 1 and {most}, not {count}")]
    BadCount {
        /// The parameter.
        name: &'static str,
        /// Its value.
        count: usize,
        /// The largest accepted.
        most: usize,
    },
    /// Components of rows that are only scaled.
    #[error(
        "components are those of the truncated SVD that scale = \"by-type\" makes of texts and sparse counts; leave them \
         out, or scale by type (the paper recipe does not)"
    )]
    NoComponents,
    /// Networks that cannot be built.
    #[error(transparent)]
    Shape(#[from] crate::model::clustergan::ShapeError),
    /// No start.
    #[error("starts and mixture-starts must be at least 1")]
    NoStarts,
    /// A schedule that does not fall, or falls below 0.
    #[error(
        "schedule {schedule:?}: a step schedule needs every >= 1 and 0 < factor <= 1, a cosine 0 <= floor <= 1"
    )]
    BadSchedule {
        /// Its value.
        schedule: Schedule,
    },
}

//! Why a fit or a prediction failed. Each message names the place and the remedy.

use std::path::PathBuf;

use lpvdn_core::SourceError;

use crate::model::lpvdn::errors::ParamsError;
use crate::tensors::TensorFileError;
use crate::train::checkpoint::CheckpointError;
use crate::train::events::Phase;

/// Why a fit failed.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// A parameter is outside its range.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// The data cannot be clustered.
    #[error(transparent)]
    Data(#[from] DataProblem),
    /// Rows could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A loss is no longer a number.
    #[error("{phase} stopped in epoch {epoch}, step {step}: {term} is {value}; try a smaller learning rate ({option} {suggestion:.0e})", phase = phase.name())]
    NonFinite {
        /// The phase.
        phase: Phase,
        /// The epoch, from 1.
        epoch: usize,
        /// The step in it, from 1.
        step: usize,
        /// Which term.
        term: &'static str,
        /// Its value.
        value: f64,
        /// The option that sets the learning rate of this phase.
        option: &'static str,
        /// A learning rate to try.
        suggestion: f64,
    },
    /// More memory is needed than may be taken.
    #[error("about {} MB of memory are needed, and {} MB may be taken; allow as much, or use a smaller batch, smaller layers or fewer rows", needed.div_ceil(1_000_000), allowed / 1_000_000)]
    Memory {
        /// Bytes that the fit is expected to need.
        needed: u64,
        /// Bytes that the caller allows.
        allowed: u64,
    },
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The caller asked the fit to stop.
    #[error("interrupted{}", match checkpoint { Some(p) => format!("; the state is in {}", p.display()), None => String::new() })]
    Interrupted {
        /// Where the state was written.
        checkpoint: Option<PathBuf>,
    },
    /// The clustering of the codes failed.
    #[error("the codes could not be clustered: {0}")]
    Clustering(String),
    /// Threads could not be started.
    #[error("threads could not be started: {0}")]
    Threads(std::io::Error),
}

/// How many rows there are, and what would do. A single one is too few even for one cluster.
fn too_few_rows(rows: usize, clusters: usize) -> String {
    match rows {
        1 => "a single row, and at least 2 are needed; give more rows".to_owned(),
        _ => {
            format!("{rows} rows, too few for {clusters} clusters; give more rows or ask for fewer clusters")
        }
    }
}

/// What about the data keeps it from being clustered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DataProblem {
    /// No rows.
    #[error("{name} has no rows")]
    NoRows {
        /// The data set.
        name: String,
    },
    /// No columns.
    #[error("{name} has no columns")]
    NoColumns {
        /// The data set.
        name: String,
    },
    /// One row, or fewer than clusters.
    #[error("{name} has {}", too_few_rows(*rows, *clusters))]
    TooFewRows {
        /// The data set.
        name: String,
        /// Its rows.
        rows: usize,
        /// K
        clusters: usize,
    },
    /// More rows than 32-bit numbers.
    #[error("{name} has {rows} rows, more than the 4294967295 that fit can number")]
    TooManyRows {
        /// The data set.
        name: String,
        /// Its rows.
        rows: usize,
    },
    /// NaN or infinity.
    #[error("{name}: {place}, column {column} is {value}; remove the row or fill the value in")]
    NonFinite {
        /// The data set.
        name: String,
        /// The row: its line in the file, or counted from 1.
        place: String,
        /// The column by name, or counted from 0 as everywhere else.
        column: String,
        /// What stands there.
        value: String,
    },
    /// A finite value that is too large to be squared and summed once it is scaled.
    #[error(
        "{name}: {place}, column {column} is {value:e}, and {scaled}; values up to {:e} in magnitude can be clustered, so divide the \
         column by a constant, or leave it or the row out",
        lpvdn_cluster::LARGEST
    )]
    TooLarge {
        /// The data set.
        name: String,
        /// The row: its line in the file, or counted from 1.
        place: String,
        /// The column by name, or counted from 0 as everywhere else.
        column: String,
        /// What stands there.
        value: f32,
        /// What scaling makes of it, in words.
        scaled: String,
    },
    /// Values below zero in a column whose logarithm was asked for.
    #[error(
        "{name}: the logarithm of column {column} was asked for, and its smallest value is {least}; ln(1 + x / median) \
         needs values from 0 upward, so take it as a linear column, or add {} to each of its values",
        -least
    )]
    NegativeLogarithm {
        /// The data set.
        name: String,
        /// The column by name, or counted from 0 as everywhere else.
        column: String,
        /// Its smallest value.
        least: f32,
    },
    /// A number of components for data that has none.
    #[error(
        "{name}: {components} components were asked for, and only texts and sparse counts have components: no column of \
         it holds these"
    )]
    NoTerms {
        /// The data set.
        name: String,
        /// What was asked for.
        components: usize,
    },
    /// More components than rows or terms.
    #[error(
        "{name}: {asked} components were asked for, and there are at most {most}: they are computed from {rows} rows in \
         which {terms} terms occur"
    )]
    TooManyComponents {
        /// The data set.
        name: String,
        /// What was asked for.
        asked: usize,
        /// The most that there are.
        most: usize,
        /// Rows that they are computed from.
        rows: usize,
        /// Terms that occur in these.
        terms: usize,
    },
    /// All values, or all rows, are the same.
    #[error("{name}: all {rows} rows are equal, so there is nothing to cluster")]
    AllEqual {
        /// The data set.
        name: String,
        /// Its rows.
        rows: usize,
    },
    /// Values outside [0, 1] for a Bernoulli likelihood.
    #[error(
        "a Bernoulli likelihood needs values in [0, 1], but after scaling they lie {}; use --likelihood gaussian", range(*min, *max)
    )]
    NotProbabilities {
        /// The smallest.
        min: f32,
        /// The largest.
        max: f32,
    },
}

/// A scaling whose outcome is not known beforehand has no bounds.
fn range(min: f32, max: f32) -> String {
    if min.is_finite() && max.is_finite() {
        format!("in [{min}, {max}]")
    } else {
        "around 0 (standardised columns; --scale max keeps values of one sign in [0, 1])".to_owned()
    }
}

/// Why a model could not be loaded or used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file cannot be read or is damaged.
    #[error("{path}: {cause}")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        cause: TensorFileError,
    },
    /// The file is of a version this program does not know.
    #[error(
        "{path}: model format version {found}; this program reads up to version {known}: use a newer lpvdn"
    )]
    Version {
        /// The file.
        path: String,
        /// Its version.
        found: u32,
        /// The newest version known.
        known: u32,
    },
    /// Rows of 32 bits for a model that needs more digits of them.
    #[error(
        "{name}: column {column} of the model lies so far from zero that numbers of 32 bits do not tell its \
         values apart, and these rows have 32; give them as they were fitted, in double precision (.npy, or \
         float64 in Python)"
    )]
    TooCoarse {
        /// The data set.
        name: String,
        /// The column, by its name or number.
        column: String,
    },
    /// The file is of a method this program does not know.
    #[error("{path}: unknown method {found:?}; use a newer lpvdn")]
    Method {
        /// The file.
        path: String,
        /// What it names.
        found: String,
    },
    /// The file's parts contradict each other.
    #[error("{path}: the model is damaged: {reason}")]
    Inconsistent {
        /// The file.
        path: String,
        /// How.
        reason: String,
    },
    /// Rows of another width.
    #[error("{name} has {found} columns, but the model was fitted to {wanted}")]
    Columns {
        /// The data set.
        name: String,
        /// Its columns.
        found: usize,
        /// The model's.
        wanted: usize,
    },
    /// NaN or infinity.
    #[error(transparent)]
    Data(#[from] DataProblem),
    /// Rows could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// No such cluster.
    #[error("there is no cluster {cluster}: the model has {clusters}, numbered from 0")]
    NoSuchCluster {
        /// What was asked for.
        cluster: usize,
        /// K
        clusters: usize,
    },
    /// Latent vectors of another width.
    #[error("decoding takes latent vectors of {wanted} numbers, not {found}")]
    LatentSize {
        /// The width given.
        found: usize,
        /// J
        wanted: usize,
    },
    /// A discriminator that never was trained.
    #[error("the model was fitted without L_MI and has no discriminator; fit one with alpha0 above 0")]
    NoDiscriminator,
    /// A row without another to compare it with.
    #[error("the discriminator compares a row with others; give at least two")]
    RowAlone,
    /// Writing failed.
    #[error("{path}: the model could not be written: {cause}")]
    Write {
        /// The file.
        path: String,
        /// Why.
        cause: std::io::Error,
    },
}

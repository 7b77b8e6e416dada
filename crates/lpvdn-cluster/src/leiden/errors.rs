//! What can be wrong with the parameters of Leiden, or with the graph.

use crate::InputError;

/// A bad hyper-parameter of Leiden.
///
/// ```
/// use lpvdn_cluster::{Leiden, leiden::LeidenParamsError};
/// assert_eq!(Leiden::params().resolution(0.0).check().unwrap_err(), LeidenParamsError::Resolution(0.0));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LeidenParamsError {
    /// `resolution` is not a positive finite number.
    #[error("resolution is {0}, expected a positive finite number")]
    Resolution(f64),
    /// `theta` is not a positive finite number.
    #[error("theta is {0}, expected a positive finite number")]
    Theta(f64),
    /// `max_iter` is 0.
    #[error("max_iter is 0, expected at least 1")]
    NoIterations,
    /// `n_init` is 0.
    #[error("n_init is 0, expected at least 1")]
    NoStarts,
    /// `n_clusters` is 0.
    #[error("n_clusters is 0, expected at least 1")]
    NoClusters,
    /// `max_runs` is 0.
    #[error("max_runs is 0, expected at least 1")]
    NoRuns,
    /// The range of resolutions is empty, or reaches to 0 or beyond all numbers.
    #[error("resolutions from {from} to {to}, expected an ascending range of positive finite numbers")]
    Range {
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
}

/// A graph could not be divided.
///
/// ```
/// use lpvdn_cluster::{Leiden, NeighborGraph, leiden::LeidenError};
/// let nothing = NeighborGraph::from_edges(0, &[])?;
/// assert_eq!(Leiden::params().fit(&nothing).unwrap_err(), LeidenError::NoNodes);
/// # Ok::<(), lpvdn_cluster::graph::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LeidenError {
    /// A hyper-parameter is bad.
    #[error(transparent)]
    Params(#[from] LeidenParamsError),
    /// The rows of the nodes cannot be used.
    #[error(transparent)]
    Rows(#[from] InputError),
    /// The graph has no nodes.
    #[error("the graph has no nodes")]
    NoNodes,
    /// Fewer nodes than clusters.
    #[error("{nodes} nodes cannot make {clusters} clusters")]
    TooFewNodes {
        /// The nodes of the graph.
        nodes: usize,
        /// The clusters asked for.
        clusters: usize,
    },
    /// There is not one row for each node.
    #[error("{rows} rows for {nodes} nodes")]
    RowsOfNodes {
        /// The rows given.
        rows: usize,
        /// The nodes of the graph.
        nodes: usize,
    },
    /// A label that numbers no community.
    #[error("label {label} of a graph of {nodes} nodes")]
    Label {
        /// The label.
        label: u32,
        /// The nodes of the graph.
        nodes: usize,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

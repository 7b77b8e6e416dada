//! What can be wrong with neighbours or edges.

use crate::hnsw::HnswError;
use crate::neighbors::NeighborsError;

/// A graph could not be made.
///
/// ```
/// use lpvdn_cluster::{NeighborGraph, graph::GraphError};
/// let error = NeighborGraph::from_edges(2, &[(0, 2, 1.0)]).unwrap_err();
/// assert_eq!(error, GraphError::Node { node: 2, nodes: 2 });
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Neighbours could not be searched.
    #[error(transparent)]
    Neighbors(#[from] NeighborsError),
    /// The index of the rows could not be built.
    #[error(transparent)]
    Index(#[from] HnswError),
    /// A neighbour, or an end of an edge, is no node.
    #[error("node {node} of a graph of {nodes} nodes")]
    Node {
        /// The node named.
        node: u32,
        /// The number of nodes.
        nodes: usize,
    },
    /// An edge ends where it begins.
    #[error("an edge joins node {0} with itself")]
    SelfLoop(u32),
    /// A weight is not a positive finite number.
    #[error("the weight of an edge is {0}, expected a positive finite number")]
    Weight(f32),
    /// A distance is negative or not finite.
    #[error("the distance of a neighbour is {0}, expected a finite number of at least 0")]
    Distance(f32),
    /// There are not as many lists of distances as of neighbours, or not as long ones.
    #[error("neighbours and distances have different shapes")]
    Shapes,
    /// More nodes than an index can number.
    #[error("{nodes} nodes, at most {} are possible", u32::MAX - 1)]
    TooManyNodes {
        /// The number of nodes.
        nodes: usize,
    },
}

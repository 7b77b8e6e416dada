//! The graph of nearest neighbours: what Leiden divides.
//!
//! Rows are nodes. A row is joined to each of its k nearest rows, whichever of the two found the other, and
//! [`Weighting`] says how strong an edge is. Edges have no direction, and both of their ends are stored.
//!
//! * **Fewer rows than neighbours**: every row is joined to every other one. One row alone has no edge.
//! * **Equal rows** are at distance 0. Where a row has more copies than neighbours, its copies are joined
//!   to each other alone, and the graph falls into pieces ([`components`](NeighborGraph::components)).
//! * **One graph for one seed**, to the bit, on any number of threads: each row's edges are computed from the lists of
//!   neighbours alone.

mod build;
mod components;
mod errors;
mod symmetric;
mod weighting;

pub use build::{GraphParams, NeighborSearch};
pub use errors::GraphError;
pub use weighting::Weighting;

pub(crate) use components::split_into_components;

use crate::Neighbors;

/// An undirected weighted graph in compressed rows.
///
/// It takes 8 bytes for each end of an edge and 8 for each node.
///
/// ```
/// use lpvdn_cluster::{GraphParams, NeighborGraph};
/// use lpvdn_core::Matrix;
/// let rows = Matrix::from_vec(vec![0.0, 1.0, 3.0, 20.0, 21.0, 23.0], 6, 1);
/// let graph = NeighborGraph::of_rows(&rows, &GraphParams::new().neighbors(2))?;
/// assert_eq!(graph.links(0).0, [1, 2]);
/// assert_eq!(graph.components(), [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), lpvdn_cluster::graph::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NeighborGraph {
    /// Where the links of each node begin, and where the last ones end.
    offsets: Vec<usize>,
    /// The other ends, ascending for each node.
    targets: Vec<u32>,
    weights: Vec<f32>,
}

impl NeighborGraph {
    /// Joins each row to its nearest rows.
    ///
    /// # Errors
    /// Where there are no rows, a value is not finite or too large, or a parameter is out of its range.
    pub fn of_rows(
        rows: &lpvdn_core::Matrix<f32>,
        params: &GraphParams,
    ) -> Result<NeighborGraph, GraphError> {
        build::of_rows(rows, params)
    }

    /// Joins each row to the neighbours that were found for it: row i of `neighbors` has those of node i. A row
    /// that is named as its own neighbour, or twice, counts as if it were not.
    ///
    /// # Errors
    /// Where a neighbour is none of the rows, or a distance is negative or not finite.
    pub fn from_neighbors(neighbors: &Neighbors, weighting: Weighting) -> Result<NeighborGraph, GraphError> {
        symmetric::check(neighbors)?;
        Ok(symmetric::joined(&weighting.directed(neighbors), weighting))
    }

    /// A graph of edges, each named once, in any order. The weights of an edge that is named several times are added.
    ///
    /// # Errors
    /// Where an edge ends at no node or where it begins, or its weight is not a positive finite number.
    pub fn from_edges(nodes: usize, edges: &[(u32, u32, f32)]) -> Result<NeighborGraph, GraphError> {
        symmetric::of_edges(nodes, edges)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.targets.len() / 2
    }

    /// The nodes that `node` is joined to, ascending, and the weights of these edges.
    pub fn links(&self, node: usize) -> (&[u32], &[f32]) {
        let range = self.offsets[node]..self.offsets[node + 1];
        (&self.targets[range.clone()], &self.weights[range])
    }

    /// The sum of the weights of a node's edges.
    pub fn strength(&self, node: usize) -> f64 {
        self.links(node).1.iter().map(|&w| f64::from(w)).sum()
    }

    /// The sum of the weights of all edges.
    pub fn total_weight(&self) -> f64 {
        (0..self.nodes()).map(|node| self.strength(node)).sum::<f64>() / 2.0
    }

    /// The connected component of each node, numbered in the order of their first nodes.
    pub fn components(&self) -> Vec<u32> {
        split_into_components(self, &vec![0; self.nodes()])
    }
}

//! Approximate nearest neighbours: a hierarchical navigable small world (Malkov & Yashunin 2020).
//!
//! Each point is linked to a few near ones that lie in different directions. A search starts at the
//! entry, goes on to whichever linked point is nearest to the query, and ends when none of the `ef`
//! nearest points found so far has a link that leads nearer. Sparser layers above, each with a random
//! 1/M of the points of the one below, bring it close in few steps. Among a million points it takes
//! hundreds of distances where [`Neighbors`](crate::Neighbors) takes a million. It may miss some of
//! the neighbours: [`recall`](Hnsw::recall) measures how many.
//!
//! The crates on the registry link points in the order in which threads happen to come by; this is
//! our own code because here one seed gives one graph, to the bit, on any number of threads.
//!
//! * **Points enter in batches** whose sizes follow from how many are in already. Those of a batch
//!   search the graph as it was before the batch, all at once, and are compared with each other
//!   directly. Then each point that any of them chose merges its links once, from the set of those
//!   who chose it: a set has no order for threads to change.
//! * **Equal points are one node** of the graph: a point with more copies than links would otherwise
//!   have no link left that leads away from them.
//! * **Nodes are numbered along a k-d tree**, so that what a search touches lies close together in
//!   memory, and queries are answered in such an order.
//! * **Few points** are all compared, and so are all points where the graph leads to fewer than k.

mod build;
mod errors;
mod graph;
mod hyperparams;
mod nearest;
mod nodes;
mod order;
mod recall;
mod search;
mod select;
mod walk;

#[cfg(test)]
mod tests;

pub use errors::{HnswError, HnswParamsError};
pub use hyperparams::HnswParams;

use lpvdn_core::Matrix;

use self::graph::Graph;
use self::nodes::Nodes;
use crate::input;

/// An index of points that finds the nearest of them without comparing all.
///
/// It holds a copy of the points, and 4 (2 M + d + a few) bytes for each point of d columns.
///
/// ```
/// use lpvdn_cluster::{Hnsw, HnswParams};
/// use lpvdn_core::Matrix;
///
/// let points = Matrix::from_fn(3000, 2, |i, j| if j == 0 { (i % 60) as f32 } else { (i / 60) as f32 });
/// let index = Hnsw::new(&points, &HnswParams::new().seed(7))?;
///
/// let queries = Matrix::from_vec(vec![30.2, 20.0], 1, 2);
/// let found = index.search(&queries, 2)?;
/// assert_eq!(found.indices.row(0), [30 + 20 * 60, 31 + 20 * 60]);
/// assert!(index.recall(10, 100, 7)? > 0.95);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hnsw {
    nodes: Nodes,
    graph: Graph,
    cols: usize,
    ef_search: usize,
}

impl Hnsw {
    /// Builds the index of the rows of `points`.
    ///
    /// # Errors
    /// Where there are no points, a value is not finite or too large, or a parameter is out of its range.
    pub fn new(points: &Matrix<f32>, params: &HnswParams) -> Result<Hnsw, HnswError> {
        params.check()?;
        input::check_rows(points)?;
        let nodes = Nodes::new(points);
        let graph = build::build(&nodes, params);
        Ok(Hnsw { nodes, graph, cols: points.cols(), ef_search: params.ef_search })
    }

    /// The same index with another `ef_search`; see [`HnswParams`].
    ///
    /// # Errors
    /// Where it is 0.
    pub fn with_ef_search(self, ef_search: usize) -> Result<Hnsw, HnswParamsError> {
        HnswParams::new().ef_search(ef_search).check()?;
        Ok(Hnsw { ef_search, ..self })
    }

    /// How many points there are.
    pub fn rows(&self) -> usize {
        self.nodes.points()
    }

    /// How many columns they have.
    pub fn cols(&self) -> usize {
        self.cols
    }
}

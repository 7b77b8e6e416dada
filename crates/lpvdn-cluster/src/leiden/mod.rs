//! Leiden: communities of a graph that are connected, by local moving, refinement and aggregation
//! (Traag, Waltman and Van Eck 2019).
//!
//! It looks for the division of the nodes with the largest [`Objective`]. A pass
//!
//! 1. moves single nodes to the community where they add most, until none gains by it,
//! 2. takes each community apart into well connected pieces,
//! 3. makes each piece a node of a smaller graph, whose nodes start in the communities of step 1, and repeats there,
//!
//! until nothing can be merged. Further passes start from what the last one found. No pass makes the quality smaller.
//!
//! * **Communities are connected**, and labels are ordered by their size, the largest first.
//! * **Pieces of the graph** that no edge joins are never put together, and a node without an edge is
//!   a community: there are at least as many communities as [`components`](NeighborGraph::components).
//! * **A number of communities** is reached by a search for the resolution: [`LeidenK`].
//! * **One seed gives one result**, on any number of threads. Sums are taken in double precision.

mod algorithm;
mod by_count;
mod errors;
mod hyperparams;
mod labels;
mod merging;
mod moving;
mod network;
mod objective;
mod profile;
mod refinement;

pub use by_count::{LeidenK, LeidenKParams};
pub use errors::{LeidenError, LeidenParamsError};
pub use hyperparams::{LeidenParams, LeidenValidParams};
pub use objective::Objective;
pub use profile::{Plateau, Profile, Run};

use crate::NeighborGraph;

/// A divided graph.
///
/// ```
/// use lpvdn_cluster::{Leiden, NeighborGraph};
/// // Two triangles and an edge between them.
/// let edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)].map(|(a, b)| (a, b, 1.0));
/// let graph = NeighborGraph::from_edges(6, &edges)?;
/// let found = Leiden::params().seed(7).fit(&graph)?;
/// assert_eq!(found.labels, [0, 0, 0, 1, 1, 1]);
/// // 6 of 7 edges inside; each half has half of the ends.
/// assert!((found.quality - (6.0 / 7.0 - 0.5)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Leiden {
    /// The community of each node: the largest is 0, of equals the one with the first node.
    pub labels: Vec<u32>,
    /// The number of communities.
    pub communities: usize,
    /// The resolution γ.
    pub resolution: f64,
    /// What the objective says of them.
    pub quality: f64,
    /// The passes of the start that won.
    pub iterations: usize,
    /// Whether the last of them gained nothing.
    pub converged: bool,
}

impl Leiden {
    /// Default parameters.
    pub fn params() -> LeidenParams {
        LeidenParams::new()
    }

    /// What an objective says of any division of a graph, with a label for each node.
    ///
    /// # Errors
    /// Where there is not one label for each node, or a label is not below the number of nodes.
    pub fn quality_of(
        graph: &NeighborGraph,
        labels: &[u32],
        objective: Objective,
        resolution: f64,
    ) -> Result<f64, LeidenError> {
        if labels.len() != graph.nodes() {
            return Err(LeidenError::RowsOfNodes { rows: labels.len(), nodes: graph.nodes() });
        }
        if let Some(&label) = labels.iter().find(|&&label| label as usize >= graph.nodes()) {
            return Err(LeidenError::Label { label, nodes: graph.nodes() });
        }
        Ok(objective.quality(graph, labels, resolution))
    }
}

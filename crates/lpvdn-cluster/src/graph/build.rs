//! From rows to their graph.

use lpvdn_core::Matrix;

use super::{GraphError, NeighborGraph, Weighting};
use crate::{Hnsw, HnswParams, Neighbors, input};

/// Beyond as many rows an index is faster than comparing all. Two threads of a busy machine, exact and by index: 0.6 and 1.2 s
/// for 20,000 × 10, 4.6 and 6.4 s for 70,000 × 10, 27 and 28 s for 150,000 × 10; 29 and 36 s for 70,000 × 100, 90 and 98 s for
/// 70,000 × 784. The columns hardly matter: both measure whole rows.
const EXACT_ROWS: usize = 150_000;

/// How the nearest rows are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NeighborSearch {
    /// Whichever is expected to be faster.
    #[default]
    Fastest,
    /// All rows are compared.
    Exact,
    /// An index is built, which misses a few of the neighbours.
    Index,
}

/// Parameters of [`NeighborGraph::of_rows`].
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `neighbors` | 15 | the nearest rows that each row is joined to; all others where there are fewer | ≥ 1 |
/// | `weighting` | [`Weighting::Local`] | how strong an edge is | |
/// | `search` | [`NeighborSearch::Fastest`] | how neighbours are searched | |
/// | `seed` | 0 | the seed of the index | any |
///
/// ```
/// use lpvdn_cluster::{GraphParams, graph::Weighting};
/// let params = GraphParams::new().neighbors(30).weighting(Weighting::Uniform).seed(7);
/// # let _ = params;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphParams {
    neighbors: usize,
    weighting: Weighting,
    search: NeighborSearch,
    seed: u64,
}

impl Default for GraphParams {
    fn default() -> GraphParams {
        GraphParams::new()
    }
}

impl GraphParams {
    /// Default parameters.
    pub fn new() -> GraphParams {
        GraphParams {
            neighbors: 15,
            weighting: Weighting::default(),
            search: NeighborSearch::default(),
            seed: 0,
        }
    }

    /// The nearest rows that each row is joined to.
    #[must_use]
    pub fn neighbors(mut self, neighbors: usize) -> GraphParams {
        self.neighbors = neighbors;
        self
    }

    /// How strong an edge is.
    #[must_use]
    pub fn weighting(mut self, weighting: Weighting) -> GraphParams {
        self.weighting = weighting;
        self
    }

    /// How neighbours are searched.
    #[must_use]
    pub fn search(mut self, search: NeighborSearch) -> GraphParams {
        self.search = search;
        self
    }

    /// The seed of the index.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> GraphParams {
        self.seed = seed;
        self
    }

    /// The nearest rows of each row, as they become edges: fewer than [`neighbors`](GraphParams::neighbors) where there
    /// are not as many other rows.
    ///
    /// # Errors
    /// As [`NeighborGraph::of_rows`].
    pub fn search_rows(&self, rows: &Matrix<f32>) -> Result<Neighbors, GraphError> {
        input::check_rows(rows).map_err(crate::neighbors::NeighborsError::from)?;
        if self.neighbors == 0 {
            return Err(crate::neighbors::NeighborsError::NoNeighbors.into());
        }
        let k = self.neighbors.min(rows.rows() - 1);
        if k == 0 {
            return Ok(Neighbors { indices: Matrix::zeros(1, 0), distances: Matrix::zeros(1, 0) });
        }
        if self.by_index(rows) {
            let index = Hnsw::new(rows, &HnswParams::new().seed(self.seed))?;
            return Ok(index.among(k)?);
        }
        Ok(Neighbors::among(rows, k)?)
    }

    fn by_index(&self, rows: &Matrix<f32>) -> bool {
        match self.search {
            NeighborSearch::Fastest => rows.rows() > EXACT_ROWS,
            NeighborSearch::Exact => false,
            NeighborSearch::Index => true,
        }
    }
}

pub(super) fn of_rows(rows: &Matrix<f32>, params: &GraphParams) -> Result<NeighborGraph, GraphError> {
    NeighborGraph::from_neighbors(&params.search_rows(rows)?, params.weighting)
}

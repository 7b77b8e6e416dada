//! The parameters of the index.

use super::errors::HnswParamsError;

/// With more links a point's list alone would take half a page of memory.
pub(super) const MOST_CONNECTIONS: usize = 256;

/// Parameters of [`Hnsw`](super::Hnsw), checked when it is built.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `connections` | 16 | M, the links a new point chooses on each layer; it keeps at most as many of those that choose and are chosen, and twice as many on the lowest layer. More for many columns | 2 to 256 |
/// | `ef_construction` | 100 | the nearest points found, from which the links are chosen: better links for a longer build | ≥ 1 |
/// | `ef_search` | 64 | the nearest points kept in a search, at least k: higher recall for a longer search | ≥ 1 |
/// | `seed` | 0 | the seed of the layers and of the order in which points enter | any |
///
/// ```
/// use lpvdn_cluster::HnswParams;
/// let params = HnswParams::new().connections(24).ef_construction(200).seed(7);
/// assert!(params.check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HnswParams {
    pub(super) connections: usize,
    pub(super) ef_construction: usize,
    pub(super) ef_search: usize,
    pub(super) seed: u64,
}

impl Default for HnswParams {
    fn default() -> HnswParams {
        HnswParams::new()
    }
}

impl HnswParams {
    /// Default parameters.
    pub fn new() -> HnswParams {
        HnswParams { connections: 16, ef_construction: 100, ef_search: 64, seed: 0 }
    }

    /// M, the links a new point chooses on each layer.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> HnswParams {
        self.connections = connections;
        self
    }

    /// The nearest points from which links are chosen.
    #[must_use]
    pub fn ef_construction(mut self, ef_construction: usize) -> HnswParams {
        self.ef_construction = ef_construction;
        self
    }

    /// The nearest points kept in a search.
    #[must_use]
    pub fn ef_search(mut self, ef_search: usize) -> HnswParams {
        self.ef_search = ef_search;
        self
    }

    /// The seed of the layers and of the order in which points enter.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> HnswParams {
        self.seed = seed;
        self
    }

    /// Checks the parameters.
    pub fn check(&self) -> Result<(), HnswParamsError> {
        match self {
            p if !(2..=MOST_CONNECTIONS).contains(&p.connections) => {
                Err(HnswParamsError::Connections(p.connections))
            }
            p if p.ef_construction == 0 => Err(HnswParamsError::NoConstruction),
            p if p.ef_search == 0 => Err(HnswParamsError::NoSearch),
            _ => Ok(()),
        }
    }
}

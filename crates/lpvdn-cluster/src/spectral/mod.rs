//! Spectral clustering of cells that a graph of nearest neighbours joins.
//!
//! K-means cuts where centres are far apart; a layout that keeps neighbours together says little about
//! such distances. Here the graph decides: clusters are what a random walk from neighbour to neighbour
//! seldom leaves (Shi and Malik 2000; Ng, Jordan and Weiss 2002).
//!
//! 1. K-means cuts the points into many small cells.
//! 2. W_ab counts the neighbours that lie in cell b of the points in cell a, both ways; D are its row sums.
//! 3. The eigenvectors of D^(−½) W D^(−½) are the modes of the walk between cells, slowest first. Each cell is
//!    the direction of its entries in the first K modes, or a few more, and K-means of the directions divides
//!    the cells into clusters.
//! 4. Cells move to other clusters while that makes the modularity larger ([`modularity`](crate::metrics::modularity)):
//!    the share of neighbours that are kept together, less what chance would give.
//!
//! Steps 3 and 4 are done with many numbers of modes and many starts, and the division with the largest
//! modularity is kept. The usual choice of exactly K modes fits data that has K groups; where it has a few more, the
//! modes beyond K tell where they are, and how many help, nobody knows beforehand.

mod partition;

use lpvdn_core::Matrix;

use self::partition::{CellGraph, Partition};
use crate::KMeans;
use crate::k_means::KMeansError;
use lpvdn_core::eigen::Eigen;

/// Cells, or more where there are many clusters. Their modes take the cube of their number in time.
const CELLS: usize = 500;
const MOST_CELLS: usize = 1_000;
/// A cluster has so many cells on average, at least, and a cell so many points.
const CLUSTER_CELLS: usize = 10;
const CELL_POINTS: usize = 10;
/// Iterations of the K-means that makes cells; they need not be perfect.
const CELL_ITERATIONS: usize = 30;
/// At most twice as many modes as clusters are tried, and so many more.
const MORE_MODES: usize = 10;
/// So many numbers of modes are tried, or fewer.
const TRIES: usize = 11;

/// Parameters of the clustering.
#[derive(Clone, Copy, Debug)]
pub struct SpectralParams {
    n_clusters: usize,
    n_init: u32,
    seed: u64,
    phase: u32,
}

/// Cells and the cluster of each.
///
/// ```
/// use lpvdn_cluster::{Neighbors, Spectral};
/// use lpvdn_core::Matrix;
/// // Two discs side by side.
/// let discs = Matrix::from_fn(800, 2, |i, j| {
///     let (angle, radius) = (i as f32 * 2.4, (i as f32 / 800.0).sqrt());
///     let x = radius * if j == 0 { angle.cos() } else { angle.sin() };
///     if j == 0 && i % 2 == 0 { x + 3.0 } else { x }
/// });
/// let neighbors = Neighbors::among(&discs, 10)?;
/// let found = Spectral::params(2).fit(&discs, &neighbors.indices)?.expect("enough rows");
/// let labels = found.labels();
/// assert!((0..800).all(|i| (labels[i] == labels[0]) == (i % 2 == 0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Spectral {
    /// The centres of the cells, one a row.
    pub cells: Matrix<f32>,
    /// The cluster of each cell.
    pub clusters: Vec<u32>,
    /// The cell of each point.
    pub cell_of: Vec<u32>,
    /// The mean squared distance of a point to the centre of its cell.
    pub spread: f64,
    /// How many modes led to them.
    pub modes: usize,
    /// How well they keep neighbours together.
    pub modularity: f64,
}

impl Spectral {
    /// Default parameters for `n_clusters` clusters.
    pub fn params(n_clusters: usize) -> SpectralParams {
        SpectralParams { n_clusters, n_init: 10, seed: 0, phase: 0 }
    }

    /// The cluster of each point.
    pub fn labels(&self) -> Vec<u32> {
        self.cell_of.iter().map(|&cell| self.clusters[cell as usize]).collect()
    }
}

impl SpectralParams {
    /// Starts for each number of modes.
    #[must_use]
    pub fn n_init(mut self, n_init: u32) -> SpectralParams {
        self.n_init = n_init;
        self
    }

    /// The seed of all random draws.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> SpectralParams {
        self.seed = seed;
        self
    }

    /// Tells the draws of one clustering from those of another with the same seed; the next numbers, as many
    /// as there are starts, are used as well.
    #[must_use]
    pub fn phase(mut self, phase: u32) -> SpectralParams {
        self.phase = phase;
        self
    }

    /// How many cells so many points make; `None` where there are too few points, or too many clusters.
    pub fn cells_for(&self, points: usize) -> Option<usize> {
        let wanted = CLUSTER_CELLS.saturating_mul(self.n_clusters);
        let cells = CELLS.max(wanted).min(MOST_CELLS).min(points / CELL_POINTS);
        (cells >= wanted).then_some(cells)
    }

    /// Clusters `points`, whose nearest neighbours are `neighbors`, a row each. `None` where there are too
    /// few points for cells, more than a hundred clusters, a graph in more pieces than clusters, which
    /// says nothing about which pieces belong together, or more clusters than the modularity can tell apart.
    ///
    /// # Errors
    /// Where K-means cannot be fitted to the points.
    pub fn fit(
        &self,
        points: &Matrix<f32>,
        neighbors: &Matrix<u32>,
    ) -> Result<Option<Spectral>, KMeansError> {
        let Some(cells) = self.cells_for(points.rows()) else { return Ok(None) };
        let cells = KMeans::params(cells)
            .n_init(1)
            .max_iter(CELL_ITERATIONS)
            .seed(self.seed)
            .phase(self.phase)
            .fit(points)?;
        let graph = CellGraph::new(joined(&cells, neighbors));
        let walk = Eigen::of(graph.normalised());
        // A piece of the graph that nothing leaves has a mode that never fades.
        if walk.values.iter().filter(|value| **value >= 1.0 - 1e-9).count() > self.n_clusters {
            return Ok(None);
        }
        let mut best: Option<(f64, usize, Vec<u32>)> = None;
        for modes in self.numbers_of_modes(walk.values.len()) {
            let directions = directions(&walk, modes);
            for start in 0..self.n_init {
                let division = KMeans::params(self.n_clusters)
                    .n_init(1)
                    .seed(self.seed)
                    .phase(self.phase + 1 + start)
                    .fit(&directions)?;
                let found = Partition::new(&graph, division.labels, self.n_clusters).improve();
                if found.has_too_many() {
                    continue;
                }
                let modularity = found.modularity();
                if best.as_ref().is_none_or(|(most, ..)| modularity > *most) {
                    best = Some((modularity, modes, found.into_clusters()));
                }
            }
        }
        Ok(best.map(|(modularity, modes, clusters)| Spectral {
            clusters,
            spread: cells.inertia / points.rows() as f64,
            cells: cells.centers,
            cell_of: cells.labels,
            modes,
            modularity,
        }))
    }

    /// The numbers of modes to try, where there are `all`.
    fn numbers_of_modes(&self, all: usize) -> impl Iterator<Item = usize> {
        let (least, most) = (self.n_clusters.min(all), (2 * self.n_clusters + MORE_MODES).min(all));
        (least..=most).step_by((most - least).div_ceil(TRIES - 1).max(1))
    }
}

/// Each cell's direction in the first modes.
fn directions(walk: &Eigen, modes: usize) -> Matrix<f32> {
    let n = walk.values.len();
    let mut directions = Matrix::zeros(n, modes);
    for cell in 0..n {
        let length = walk.vectors[..modes].iter().map(|v| v[cell] * v[cell]).sum::<f64>().sqrt();
        // A cell without any part in the modes has no direction.
        let factor = if length > 0.0 { 1.0 / length } else { 0.0 };
        let row = directions.row_mut(cell).iter_mut().zip(&walk.vectors);
        row.for_each(|(out, vector)| *out = (vector[cell] * factor) as f32);
    }
    directions
}

/// W: between cells the number of neighbours, both ways.
fn joined(cells: &KMeans, neighbors: &Matrix<u32>) -> Vec<Vec<f64>> {
    let n = cells.centers.rows();
    let mut weights = vec![vec![0.0; n]; n];
    for (i, row) in neighbors.iter_rows().enumerate() {
        let a = cells.labels[i] as usize;
        for &j in row {
            let b = cells.labels[j as usize] as usize;
            weights[a][b] += 1.0;
            weights[b][a] += 1.0;
        }
    }
    weights
}

//! Spectral clustering of cells that a graph of nearest neighbours joins.
//!
//! K-means cuts where centres are far apart; a layout that keeps neighbours together says little about
//! such distances. Here the graph decides: clusters are what a random walk from neighbour to neighbour
//! seldom leaves (Shi and Malik 2000; Ng, Jordan and Weiss 2002).
//!
//! 1. K-means cuts the points into many small cells.
//! 2. W_ab counts the neighbours that lie in cell b of the points in cell a, both ways; D are its row sums.
//! 3. The eigenvectors of D^(−½) W D^(−½) are the modes of the walk between cells, its eigenvalues how much
//!    of a mode is left after a step. Those are kept that fade slowly, K at least and 2 K + 10 at most.
//! 4. Each cell is the direction of its entries in these modes, and K-means of the directions, each
//!    counting as often as its cell has points, gives the clusters.
//!
//! The usual choice of exactly K modes fits data that has K groups. Where it has a few more, the slow
//! modes beyond K tell where they are, and which of them belong together.

mod eigen;

use lpvdn_core::Matrix;

use self::eigen::Eigen;
use crate::KMeans;
use crate::k_means::KMeansError;

/// Cells, or more where there are many clusters. Their modes take the cube of their number in time.
const CELLS: usize = 500;
const MOST_CELLS: usize = 1_000;
/// A cluster has so many cells on average, at least, and a cell so many points.
const CLUSTER_CELLS: usize = 10;
const CELL_POINTS: usize = 10;
/// Iterations of the K-means that makes cells; they need not be perfect.
const CELL_ITERATIONS: usize = 30;
/// A mode is kept if so much of it is left after a step of the walk.
const SLOW: f64 = 0.97;

/// At most twice as many modes as clusters are kept, and so many more.
const MORE_MODES: usize = 10;

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
    /// How many modes were kept.
    pub modes: usize,
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
    /// Starts of the last K-means.
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

    /// Tells the draws of one clustering from those of another with the same seed; the next number is
    /// used as well.
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
    /// few points for cells, more than a hundred clusters, or a graph in more pieces than clusters, which
    /// says nothing about which pieces belong together.
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
        let Some((modes, directions)) = directions(&cells, neighbors, self.n_clusters) else {
            return Ok(None);
        };
        // Every point where its cell is: cells count as often as they have points.
        let placed =
            Matrix::from_fn(points.rows(), modes, |i, j| directions.row(cells.labels[i] as usize)[j]);
        let clusters = KMeans::params(self.n_clusters)
            .n_init(self.n_init)
            .seed(self.seed)
            .phase(self.phase + 1)
            .fit(&placed)?;
        Ok(Some(Spectral {
            clusters: clusters.predict(&directions)?,
            spread: cells.inertia / points.rows() as f64,
            cells: cells.centers,
            cell_of: cells.labels,
            modes,
        }))
    }
}

/// How many modes are kept, and each cell's direction in them.
fn directions(cells: &KMeans, neighbors: &Matrix<u32>, clusters: usize) -> Option<(usize, Matrix<f32>)> {
    let n = cells.centers.rows();
    let walk = Eigen::of(normalised(joined(cells, neighbors)));
    let lasting = |least: f64| walk.values.iter().filter(|value| **value >= least).count();
    // A piece of the graph that nothing leaves has a mode that never fades.
    if lasting(1.0 - 1e-9) > clusters {
        return None;
    }
    let modes = lasting(SLOW).clamp(clusters, 2 * clusters + MORE_MODES).min(n);
    let mut directions = Matrix::zeros(n, modes);
    for cell in 0..n {
        let length = walk.vectors[..modes].iter().map(|v| v[cell] * v[cell]).sum::<f64>().sqrt();
        // A cell without any part in the modes has no direction.
        let factor = if length > 0.0 { 1.0 / length } else { 0.0 };
        let row = directions.row_mut(cell).iter_mut().zip(&walk.vectors);
        row.for_each(|(out, vector)| *out = (vector[cell] * factor) as f32);
    }
    Some((modes, directions))
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

/// D^(−½) W D^(−½)
fn normalised(mut weights: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let factors: Vec<f64> =
        weights.iter().map(|row| row.iter().sum::<f64>().max(1.0).sqrt().recip()).collect();
    for (row, a) in weights.iter_mut().zip(&factors) {
        row.iter_mut().zip(&factors).for_each(|(w, b)| *w *= a * b);
    }
    weights
}

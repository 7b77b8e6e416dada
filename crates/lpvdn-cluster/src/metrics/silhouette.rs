//! The silhouette: is a row nearer to its own cluster than to the next one?
//!
//! $$s_i = \frac{b_i - a_i}{\max(a_i, b_i)}$$
//!
//! with $a_i$ the mean distance to the other rows of its cluster and $b_i$ the smallest mean distance
//! to the rows of another. A row alone in its cluster has $s_i = 0$.

use lpvdn_core::{Matrix, StreamKey, kernel};
use rayon::prelude::*;

use super::errors::MetricsError;
use super::groups::Groups;
use crate::distance::Points;

/// Rows compared with at a time.
const REFERENCES: usize = 512;
/// Rows that one task compares with them.
const QUERIES: usize = 64;

/// The mean silhouette of all rows, from −1 to 1; higher is better. It compares every row with every
/// other: for more than some ten thousand rows, use [`silhouette_sampled`].
///
/// ```
/// use lpvdn_cluster::metrics::silhouette;
/// use lpvdn_core::Matrix;
/// let rows = Matrix::from_vec(vec![0.0, 1.0, 10.0, 11.0], 4, 1);
/// assert!(silhouette(&rows, &[0, 0, 1, 1])? > 0.89);
/// assert!(silhouette(&rows, &[0, 1, 0, 1])? < 0.0);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
pub fn silhouette(data: &Matrix<f32>, labels: &[u32]) -> Result<f64, MetricsError> {
    let values = silhouettes(data, labels)?;
    Ok(values.iter().sum::<f64>() / values.len() as f64)
}

/// The mean silhouette of `sample` rows drawn without repetition, compared with each other only.
/// With at least as many as there are, it is [`silhouette`].
///
/// ```
/// use lpvdn_cluster::metrics::{silhouette, silhouette_sampled};
/// use lpvdn_core::Matrix;
/// let rows = Matrix::from_fn(100, 1, |i, _| (i % 2 * 10) as f32 + i as f32 * 0.01);
/// let labels: Vec<u32> = (0..100).map(|i| i % 2).collect();
/// let (all, some) = (silhouette(&rows, &labels)?, silhouette_sampled(&rows, &labels, 30, 7)?);
/// assert!((all - some).abs() < 0.05);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
pub fn silhouette_sampled(
    data: &Matrix<f32>,
    labels: &[u32],
    sample: usize,
    seed: u64,
) -> Result<f64, MetricsError> {
    if sample >= data.rows() || data.rows() != labels.len() {
        return silhouette(data, labels);
    }
    if sample < 3 {
        return Err(MetricsError::Sample(sample));
    }
    let mut drawn: Vec<u32> = (0..data.rows() as u32).collect();
    StreamKey::new(seed, "silhouette").open().shuffle(&mut drawn);
    drawn.truncate(sample);
    drawn.sort_unstable();
    let rows = Matrix::from_fn(sample, data.cols(), |i, j| data.row(drawn[i] as usize)[j]);
    let labels: Vec<u32> = drawn.iter().map(|&i| labels[i as usize]).collect();
    silhouette(&rows, &labels)
}

/// The silhouette of each row.
///
/// ```
/// use lpvdn_cluster::metrics::silhouettes;
/// use lpvdn_core::Matrix;
/// let rows = Matrix::from_vec(vec![0.0, 1.0, 10.0], 3, 1);
/// assert_eq!(silhouettes(&rows, &[0, 0, 1])?[2], 0.0);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
pub fn silhouettes(data: &Matrix<f32>, labels: &[u32]) -> Result<Vec<f64>, MetricsError> {
    let groups = Groups::new(data, labels)?;
    let mut states = vec![State { own: 0, sum: 0.0, within: 0.0, between: f64::INFINITY }; data.rows()];
    for c in 0..groups.len() {
        groups.members(c).iter().for_each(|&i| states[i as usize].own = c);
    }
    // Cluster after cluster: a row needs one running sum, not one for each cluster.
    for c in 0..groups.len() {
        for references in groups.members(c).chunks(REFERENCES) {
            add_distances(data, references, &mut states);
        }
        let size = groups.members(c).len() as f64;
        states.iter_mut().for_each(|s| s.finish(c, size));
    }
    Ok(states.iter().map(State::silhouette).collect())
}

/// What is known of a row so far.
#[derive(Clone)]
struct State {
    own: usize,
    sum: f64,
    within: f64,
    between: f64,
}

impl State {
    /// Takes in the sum of distances to the `size` rows of cluster `c`.
    fn finish(&mut self, c: usize, size: f64) {
        let sum = std::mem::take(&mut self.sum);
        if c != self.own {
            self.between = self.between.min(sum / size);
        } else if size > 1.0 {
            self.within = sum / (size - 1.0);
        } else {
            self.within = f64::NAN;
        }
    }

    fn silhouette(&self) -> f64 {
        let s = (self.between - self.within) / self.within.max(self.between);
        // A row alone, or on top of all others.
        if s.is_nan() { 0.0 } else { s }
    }
}

fn add_distances(data: &Matrix<f32>, references: &[u32], states: &mut [State]) {
    let points = Points::new(references.iter().map(|&i| data.row(i as usize)), data.cols());
    states.par_chunks_mut(QUERIES).enumerate().for_each(|(q, states)| {
        let queries: Vec<u32> = ((q * QUERIES) as u32..).take(states.len()).collect();
        let mut squares = Vec::new();
        points.distances(data, &queries, &mut squares);
        for (state, squares) in states.iter_mut().zip(squares.chunks_exact(points.stride())) {
            state.sum += sum_of_roots(&squares[..points.len()]);
        }
    });
}

kernel! {
    /// Σ √x in double precision, in eight sums that vectorise.
    fn sum_of_roots<T>(squares: &[T]) -> f64 {
        let (eights, rest) = squares.as_chunks::<8>();
        let mut sums = [0.0; 8];
        for eight in eights {
            for l in 0..8 {
                sums[l] += eight[l].sqrt().f64();
            }
        }
        for (x, sum) in rest.iter().zip(&mut sums) {
            *sum += x.sqrt().f64();
        }
        sums.into_iter().sum()
    }
}

//! P of L_LP from a graph of the nearest neighbours among all rows.
//!
//! The neighbours that a random batch happens to hold are far apart: of 800 rows out of 70,000, the
//! eighth nearest is the seven-hundredth nearest of all. A graph over all rows knows the true ones,
//! and batches that are put together from rows and their neighbours let L_LP see them.

use lpvdn_cluster::Neighbors;
use lpvdn_cluster::neighbors::NeighborsError;
use lpvdn_core::math::ln;
use lpvdn_core::{Matrix, Stream};
use rayon::prelude::*;

use super::affinities::conditional_row;

/// Neighbours for each unit of perplexity, as t-SNE takes them.
const NEIGHBORS_PER_PERPLEXITY: f64 = 3.0;
/// A row that is not in the batch.
const ABSENT: u32 = u32::MAX;
/// Rows whose weights are one task.
const ROWS: usize = 64;

/// For each row its nearest others, with p_{j|i} for each.
#[derive(Clone, Debug, PartialEq)]
pub struct NeighborGraph {
    neighbors: Matrix<u32>,
    weights: Matrix<f32>,
}

impl NeighborGraph {
    /// The graph of the `k` nearest others of each point; its weights are calibrated to a perplexity
    /// of a third of that.
    pub fn new(points: &Matrix<f32>, k: usize) -> Result<NeighborGraph, NeighborsError> {
        Neighbors::among(points, k).map(NeighborGraph::of)
    }

    /// The graph of neighbours that are already known.
    pub fn of(neighbors: Neighbors) -> NeighborGraph {
        let Neighbors { indices, distances } = neighbors;
        let k = indices.cols();
        let mut weights = Matrix::zeros(indices.rows(), k);
        let target = ln((k as f64 / NEIGHBORS_PER_PERPLEXITY).max(1.0)) as f32;
        weights.as_mut_slice().par_chunks_mut(ROWS * k.max(1)).enumerate().for_each(|(task, weights)| {
            let mut squares = vec![0.0; k];
            for (i, p) in weights.chunks_exact_mut(k.max(1)).enumerate() {
                let distances = distances.row(task * ROWS + i);
                squares.iter_mut().zip(distances).for_each(|(s, d)| *s = d * d);
                conditional_row(&mut squares, target, 0.0, p);
            }
        });
        NeighborGraph { neighbors: indices, weights }
    }

    /// Each row with its neighbours of both graphs; who is one in both counts twice. Of each graph a row has p in all, as in
    /// the other.
    ///
    /// # Panics
    /// If they are not graphs of as many rows.
    #[must_use]
    pub fn and(&self, other: &NeighborGraph) -> NeighborGraph {
        assert_eq!(self.rows(), other.rows(), "graphs of the same rows");
        NeighborGraph {
            neighbors: side_by_side(&self.neighbors, &other.neighbors),
            weights: side_by_side(&self.weights, &other.weights),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.neighbors.rows()
    }
}

/// The rows of one matrix, each followed by that of the other.
fn side_by_side<T: Copy + Default>(a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T> {
    let values = a.iter_rows().zip(b.iter_rows()).flat_map(|(a, b)| a.iter().chain(b).copied());
    Matrix::from_vec(values.collect(), a.rows(), a.cols() + b.cols())
}

/// Puts batches together and measures P in them.
#[derive(Clone, Debug)]
pub struct Neighborhoods {
    /// Where a row stands in the batch.
    place: Vec<u32>,
    batch: Vec<u32>,
    candidates: Vec<u32>,
    joint: Matrix<f32>,
}

impl Neighborhoods {
    /// For a graph of so many rows.
    pub fn new(rows: usize) -> Neighborhoods {
        Neighborhoods {
            place: vec![ABSENT; rows],
            batch: Vec::new(),
            candidates: Vec::new(),
            joint: Matrix::zeros(0, 0),
        }
    }

    /// Fills the batch with `anchors` and `company` neighbours of each, drawn by chance, up to `size`
    /// different rows; then shuffles it, so that a shifted batch pairs strangers. Every row is an
    /// anchor equally often, but who is near to many comes along more often.
    pub fn compose(
        &mut self,
        graph: &NeighborGraph,
        anchors: &[u32],
        company: usize,
        size: usize,
        stream: &mut Stream,
    ) {
        self.batch.iter().for_each(|&row| self.place[row as usize] = ABSENT);
        self.batch.clear();
        anchors.iter().for_each(|&anchor| self.add(anchor, size));
        for &anchor in anchors {
            self.candidates.clear();
            self.candidates.extend_from_slice(graph.neighbors.row(anchor as usize));
            for _ in 0..company.min(self.candidates.len()) {
                let i = stream.below(self.candidates.len() as u64) as usize;
                let row = self.candidates.swap_remove(i);
                self.add(row, size);
            }
        }
        stream.shuffle(&mut self.batch);
        self.batch.iter().enumerate().for_each(|(i, &row)| self.place[row as usize] = i as u32);
    }

    fn add(&mut self, row: u32, size: usize) {
        let place = &mut self.place[row as usize];
        if *place == ABSENT && self.batch.len() < size {
            *place = 0;
            self.batch.push(row);
        }
    }

    /// The rows of the batch.
    pub fn batch(&self) -> &[u32] {
        &self.batch
    }

    /// P of the batch: p_{j|i} + p_{i|j} between its rows, divided by the sum over all of them.
    pub fn joint(&self) -> &Matrix<f32> {
        &self.joint
    }

    /// Measures P.
    pub fn measure(&mut self, graph: &NeighborGraph) {
        let n = self.batch.len();
        let mut data = std::mem::take(&mut self.joint).into_vec();
        data.clear();
        data.resize(n * n, 0.0);
        let mut sum = 0.0_f64;
        for (i, &row) in self.batch.iter().enumerate() {
            let edges = graph.neighbors.row(row as usize).iter().zip(graph.weights.row(row as usize));
            for (&other, &p) in edges {
                let j = self.place[other as usize];
                if j != ABSENT {
                    data[i * n + j as usize] += p;
                    data[j as usize * n + i] += p;
                    sum += 2.0 * f64::from(p);
                }
            }
        }
        let scale = if sum > 0.0 { (1.0 / sum) as f32 } else { 0.0 };
        data.iter_mut().for_each(|p| *p *= scale);
        self.joint = Matrix::from_vec(data, n, n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lpvdn_core::StreamKey;

    fn points(rows: usize) -> Matrix<f32> {
        let mut s = StreamKey::new(71, "graph").open();
        Matrix::from_fn(rows, 3, |i, _| (s.normal() + 9.0 * (i % 4) as f64) as f32)
    }

    #[test]
    fn each_row_of_weights_is_a_distribution_of_the_wanted_perplexity() {
        let graph = NeighborGraph::new(&points(200), 30).expect("a graph");
        for p in graph.weights.iter_rows() {
            let entropy: f64 =
                p.iter().map(|&p| f64::from(p)).filter(|p| *p > 0.0).map(|p| -p * p.ln()).sum();
            assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!((entropy.exp() - 10.0).abs() < 1e-2, "{}", entropy.exp());
        }
    }

    #[test]
    fn a_batch_holds_different_rows_and_true_neighbours() {
        let graph = NeighborGraph::new(&points(400), 9).expect("a graph");
        let mut hoods = Neighborhoods::new(400);
        let anchors: Vec<u32> = (0..30).map(|i| 7 * i).collect();
        for step in 0..3 {
            let mut stream = StreamKey::new(1, "batch").at(0, 0, step).open();
            hoods.compose(&graph, &anchors, 3, 100, &mut stream);
            let n = hoods.batch().len();
            let mut rows = hoods.batch().to_vec();
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), n);
            assert!(n > 60 && n <= 100, "{n}");
            let guests = rows.iter().filter(|row| !anchors.contains(row));
            let near = |guest: &u32| anchors.iter().any(|&a| graph.neighbors.row(a as usize).contains(guest));
            assert!(anchors.iter().all(|a| rows.contains(a)) && guests.clone().all(near));
            hoods.measure(&graph);
            let p = hoods.joint();
            assert!((p.as_slice().iter().sum::<f32>() - 1.0).abs() < 1e-4);
            // Written out for every pair.
            let weight = |a: u32, b: u32| {
                let at = graph.neighbors.row(a as usize).iter().position(|&j| j == b);
                at.map_or(0.0, |at| graph.weights.row(a as usize)[at])
            };
            let rows = hoods.batch();
            let pairs = || (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            let total: f32 = pairs().map(|(i, j)| weight(rows[i], rows[j]) + weight(rows[j], rows[i])).sum();
            for (i, j) in pairs() {
                let want = (weight(rows[i], rows[j]) + weight(rows[j], rows[i])) / total;
                assert!((p.row(i)[j] - want).abs() < 1e-6);
            }
        }
    }
}

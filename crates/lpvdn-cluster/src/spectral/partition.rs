//! Cells divided into clusters, moved one by one while that keeps more neighbours together.

/// Sweeps over all cells, at most. A few are the rule: each move makes the modularity larger.
const MOST_SWEEPS: usize = 100;
/// What a move has to gain, as a share of all edges: less is rounding.
const LEAST_GAIN: f64 = 1e-12;

/// The graph of cells.
pub(super) struct CellGraph {
    /// W: the number of neighbours between two cells, both ways.
    weights: Vec<Vec<f64>>,
    /// The row sums of W: d.
    ends: Vec<f64>,
    /// The sum of these: m.
    all: f64,
}

impl CellGraph {
    pub(super) fn new(weights: Vec<Vec<f64>>) -> CellGraph {
        let ends: Vec<f64> = weights.iter().map(|row| row.iter().sum()).collect();
        let all = ends.iter().sum();
        CellGraph { weights, ends, all }
    }

    /// D^(−½) W D^(−½)
    pub(super) fn normalised(&self) -> Vec<Vec<f64>> {
        let factors: Vec<f64> = self.ends.iter().map(|d| d.max(1.0).sqrt().recip()).collect();
        let scaled = |(row, a): (&Vec<f64>, &f64)| row.iter().zip(&factors).map(|(w, b)| w * a * b).collect();
        self.weights.iter().zip(&factors).map(scaled).collect()
    }
}

/// The cluster of each cell.
pub(super) struct Partition<'a> {
    graph: &'a CellGraph,
    clusters: Vec<u32>,
    count: usize,
    /// Σ_(b in c) W_ab for each cell a and cluster c.
    to: Vec<f64>,
    /// Σ_(b in c) d_b for each cluster c.
    ends: Vec<f64>,
    /// The cells of each cluster.
    members: Vec<usize>,
}

impl<'a> Partition<'a> {
    pub(super) fn new(graph: &'a CellGraph, clusters: Vec<u32>, count: usize) -> Partition<'a> {
        let n = clusters.len();
        let (mut to, mut ends, mut members) = (vec![0.0; n * count], vec![0.0; count], vec![0; count]);
        for (cell, &cluster) in clusters.iter().enumerate() {
            let cluster = cluster as usize;
            ends[cluster] += graph.ends[cell];
            members[cluster] += 1;
            graph.weights[cell].iter().enumerate().for_each(|(a, w)| to[a * count + cluster] += w);
        }
        Partition { graph, clusters, count, to, ends, members }
    }

    /// Q = Σ_c (e_c / m − (d_c / m)²), as [`modularity`](crate::metrics::modularity) has it.
    pub(super) fn modularity(&self) -> f64 {
        let own = |(cell, &cluster): (usize, &u32)| self.to[cell * self.count + cluster as usize];
        let inside: f64 = self.clusters.iter().enumerate().map(own).sum();
        let all = self.graph.all.max(1.0);
        inside / all - self.ends.iter().map(|d| (d / all).powi(2)).sum::<f64>()
    }

    /// Whether Q would be larger with two of the clusters joined. Then there are more clusters than Q can tell
    /// apart, and what it says of where the surplus ones are means nothing.
    pub(super) fn has_too_many(&self) -> bool {
        let mut between = vec![0.0; self.count * self.count];
        for (sums, &cluster) in self.to.chunks_exact(self.count).zip(&self.clusters) {
            let row = &mut between[cluster as usize * self.count..][..self.count];
            row.iter_mut().zip(sums).for_each(|(all, w)| *all += w);
        }
        let all = self.graph.all.max(1.0);
        // ½ ΔQ of joining a and b.
        let gain = |a: usize, b: usize| {
            between[a * self.count + b] / all - self.ends[a] / all * (self.ends[b] / all)
        };
        (0..self.count).any(|a| (0..a).any(|b| gain(a, b) > LEAST_GAIN))
    }

    /// Moves cells, one after the other, to the cluster where they add most to Q, until none does. No cluster
    /// loses its last cell.
    pub(super) fn improve(mut self) -> Partition<'a> {
        for _ in 0..MOST_SWEEPS {
            let moves = (0..self.clusters.len()).filter(|&cell| self.improve_cell(cell)).count();
            if moves == 0 {
                break;
            }
        }
        self
    }

    fn improve_cell(&mut self, cell: usize) -> bool {
        let own = self.clusters[cell] as usize;
        if self.members[own] < 2 {
            return false;
        }
        // ½ m ΔQ of adding the cell, which is in none, to cluster c.
        let (d, all) = (self.graph.ends[cell], self.graph.all);
        let gain = |c: usize| {
            let (with, ends) = match c == own {
                true => (self.graph.weights[cell][cell], d),
                false => (0.0, 0.0),
            };
            self.to[cell * self.count + c] - with - d * (self.ends[c] - ends) / all
        };
        let stay = gain(own);
        let mut best = (own, stay + LEAST_GAIN * all);
        for c in 0..self.count {
            let gain = gain(c);
            if gain > best.1 {
                best = (c, gain);
            }
        }
        let moved = best.0 != own;
        if moved {
            self.move_cell(cell, best.0);
        }
        moved
    }

    fn move_cell(&mut self, cell: usize, to: usize) {
        let from = self.clusters[cell] as usize;
        self.clusters[cell] = to as u32;
        self.members[from] -= 1;
        self.members[to] += 1;
        self.ends[from] -= self.graph.ends[cell];
        self.ends[to] += self.graph.ends[cell];
        for (sums, w) in self.to.chunks_exact_mut(self.count).zip(&self.graph.weights[cell]) {
            sums[from] -= w;
            sums[to] += w;
        }
    }

    pub(super) fn into_clusters(self) -> Vec<u32> {
        self.clusters
    }
}

#[cfg(test)]
mod tests {
    use lpvdn_core::{Matrix, StreamKey};

    use super::*;
    use crate::metrics::modularity;

    /// Neighbours mostly within three groups of cells, and a start that mixes them.
    fn graph() -> (Matrix<u32>, Vec<u32>) {
        let mut stream = StreamKey::new(5, "cells").open();
        let neighbors = Matrix::from_fn(60, 4, |i, _| {
            let any = stream.below(60) as u32;
            if stream.uniform() < 0.85 { any / 3 * 3 + (i % 3) as u32 } else { any }
        });
        (neighbors, (0..60).map(|i| (i / 20) as u32).collect())
    }

    /// Every row a cell of its own.
    fn cells(neighbors: &Matrix<u32>) -> CellGraph {
        let mut weights = vec![vec![0.0; neighbors.rows()]; neighbors.rows()];
        for (i, row) in neighbors.iter_rows().enumerate() {
            for &j in row {
                weights[i][j as usize] += 1.0;
                weights[j as usize][i] += 1.0;
            }
        }
        CellGraph::new(weights)
    }

    #[test]
    fn its_modularity_is_that_of_the_rows_before_and_after_every_move() {
        let (neighbors, start) = graph();
        let graph = cells(&neighbors);
        let mut partition = Partition::new(&graph, start, 3);
        for cell in 0..60 {
            let of_rows = modularity(&neighbors, &partition.clusters).expect("a number");
            assert!((partition.modularity() - of_rows).abs() < 1e-12);
            let before = partition.modularity();
            if partition.improve_cell(cell) {
                assert!(partition.modularity() > before);
            }
        }
    }

    #[test]
    fn moves_find_the_groups_from_a_start_that_mixes_them() {
        let (neighbors, start) = graph();
        let graph = cells(&neighbors);
        let found = Partition::new(&graph, start, 3).improve();
        let groups = Partition::new(&graph, (0..60).map(|i| i % 3).collect(), 3);
        assert!(found.modularity() >= groups.modularity() - 1e-12);
        let clusters = found.into_clusters();
        assert!((0..60).filter(|&i| clusters[i] == clusters[i % 3]).count() >= 57, "{clusters:?}");
    }

    #[test]
    fn more_clusters_than_groups_are_too_many() {
        let (neighbors, _) = graph();
        let graph = cells(&neighbors);
        let of = |count: usize| {
            let start = (0..60).map(|i| ((i % 3) + 3 * (i / 30) * usize::from(count > 3)) as u32);
            Partition::new(&graph, start.collect(), count).improve().has_too_many()
        };
        assert!(!of(3) && of(6));
    }

    #[test]
    fn no_cluster_loses_its_last_cell() {
        // All are neighbours of all: one cluster would be as good as two.
        let graph = CellGraph::new(vec![vec![1.0; 4]; 4]);
        let clusters = Partition::new(&graph, vec![0, 1, 1, 1], 2).improve().into_clusters();
        assert!(clusters.contains(&0) && clusters.contains(&1), "{clusters:?}");
    }
}

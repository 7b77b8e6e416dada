//! How strong an edge is.

use lpvdn_core::math;
use rayon::prelude::*;

use crate::Neighbors;
use crate::input::CHUNK;

/// Halvings of the interval of a local scale at most, and how near the sum of the weights has to come.
const HALVINGS: usize = 64;
const NEAR: f64 = 1e-7;
/// A local scale is at least this share of the mean distance to the neighbours.
const LEAST_SCALE: f64 = 1e-3;
/// The weight of a neighbour is at least this: of rows of few distinct distances, all beyond the first would be cut off.
const LEAST_WEIGHT: f64 = 1e-3;

/// How strong the edge between two rows is, one of which at least is among the nearest of the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weighting {
    /// 1 for every edge.
    Uniform,
    /// 1, or 2 where each of the two rows is among the nearest of the other.
    Mutual,
    /// The neighbours that the two have in common, as a share of those that either has. Both rows count as
    /// their own neighbours, so that the share is never 0. As in PhenoGraph (Levine et al. 2015).
    Shared,
    /// The fuzzy union a + b − ab of what each of the two rows makes of the distance, on a scale of its own: 1 for
    /// its nearest row, less for those beyond, and log2(k + 1) in all. As in UMAP (McInnes et al. 2018).
    #[default]
    Local,
}

/// Neighbours with the weight that the row which found them gives them, ascending, without repetitions.
pub(super) struct Directed {
    pub(super) offsets: Vec<usize>,
    pub(super) entries: Vec<(u32, f32)>,
}

impl Directed {
    pub(super) fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn row(&self, i: usize) -> &[(u32, f32)] {
        &self.entries[self.offsets[i]..self.offsets[i + 1]]
    }

    /// Puts rows, made by chunks, into one list.
    pub(super) fn from_chunks(chunks: Vec<Vec<Vec<(u32, f32)>>>) -> Directed {
        let mut offsets = vec![0];
        let mut entries = Vec::with_capacity(chunks.iter().flatten().map(Vec::len).sum());
        for row in chunks.into_iter().flatten() {
            entries.extend_from_slice(&row);
            offsets.push(entries.len());
        }
        Directed { offsets, entries }
    }
}

impl Weighting {
    /// What each row makes of its neighbours.
    pub(super) fn directed(self, neighbors: &Neighbors) -> Directed {
        let rows = neighbors.indices.rows();
        let chunks = crate::input::chunks(rows, CHUNK);
        let chunks = chunks.map(|range| range.map(|i| self.row(neighbors, i)).collect()).collect();
        let directed = Directed::from_chunks(chunks);
        if self == Weighting::Shared { with_shares(directed) } else { directed }
    }

    /// The edges of row `i`; those of `Shared` have no weight yet.
    fn row(self, neighbors: &Neighbors, i: usize) -> Vec<(u32, f32)> {
        let indices = neighbors.indices.row(i);
        let mut row: Vec<(u32, f32)> = match self {
            Weighting::Local => indices.iter().copied().zip(local(neighbors.distances.row(i))).collect(),
            _ => indices.iter().map(|&j| (j, 1.0)).collect(),
        };
        row.retain(|&(j, _)| j as usize != i);
        row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        row.dedup_by_key(|entry| entry.0);
        row
    }

    /// The weight of an edge of which the two ends think `a` and `b`; 0 is that of an end that does not have
    /// the other among its nearest.
    pub(super) fn combined(self, a: f32, b: f32) -> f32 {
        match self {
            // Both ends know the same share.
            Weighting::Uniform | Weighting::Shared => a.max(b),
            Weighting::Mutual => a + b,
            Weighting::Local => a + b - a * b,
        }
    }
}

/// Weighs each edge by the neighbours that its ends have in common.
fn with_shares(directed: Directed) -> Directed {
    let chunks = crate::input::chunks(directed.nodes(), CHUNK).map(|range| {
        let of = |i: usize| {
            let row = directed.row(i);
            row.iter().map(|&(j, _)| (j, share(i as u32, row, j, directed.row(j as usize)))).collect()
        };
        range.map(of).collect()
    });
    Directed::from_chunks(chunks.collect())
}

/// |N(i) ∩ N(j)| / |N(i) ∪ N(j)|, where each row is in its own set too.
fn share(i: u32, of_i: &[(u32, f32)], j: u32, of_j: &[(u32, f32)]) -> f32 {
    let (mut a, mut b, mut common) = (0, 0, 0);
    while a < of_i.len() && b < of_j.len() {
        let (x, y) = (of_i[a].0, of_j[b].0);
        common += usize::from(x == y);
        a += usize::from(x <= y);
        b += usize::from(y <= x);
    }
    let has = |row: &[(u32, f32)], node: u32| usize::from(row.binary_search_by_key(&node, |e| e.0).is_ok());
    common += has(of_i, j) + has(of_j, i);
    common as f32 / (of_i.len() + of_j.len() + 2 - common) as f32
}

/// exp(−(d − ρ)/σ), where ρ is the smallest distance that is not 0 and σ makes the sum log2(k + 1).
fn local(distances: &[f32]) -> Vec<f32> {
    let distances: Vec<f64> = distances.iter().map(|&d| f64::from(d)).collect();
    let nearest = distances.iter().copied().filter(|&d| d > 0.0).fold(f64::INFINITY, f64::min);
    if nearest.is_infinite() {
        return vec![1.0; distances.len()];
    }
    let weight = |d: f64, scale: f64| if d <= nearest { 1.0 } else { math::exp((nearest - d) / scale) };
    let wanted = math::ln((distances.len() + 1) as f64) / std::f64::consts::LN_2;
    let (mut low, mut high, mut scale) = (0.0, f64::INFINITY, 1.0);
    for _ in 0..HALVINGS {
        let sum: f64 = distances.iter().map(|&d| weight(d, scale)).sum();
        if (sum - wanted).abs() < NEAR {
            break;
        }
        if sum > wanted {
            high = scale;
            scale = f64::midpoint(low, high);
        } else {
            low = scale;
            scale = if high.is_infinite() { scale * 2.0 } else { f64::midpoint(low, high) };
        }
    }
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    let scale = scale.max(LEAST_SCALE * mean);
    distances.iter().map(|&d| weight(d, scale).max(LEAST_WEIGHT) as f32).collect()
}

//! Fewer communities, pair by pair.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use lpvdn_core::Matrix;
use rayon::prelude::*;

use super::labels;
use crate::{NeighborGraph, input};

/// A piece with a smaller share of the mean number of rows of a cluster is a splinter. The distance alone would keep few
/// odd rows apart and merge everything else: of the 15 pieces of the mushrooms' graph, 18 rows against all others.
const SPLINTER: f64 = 0.1;

/// Merges communities until `wanted` are left: see [`LeidenK`](super::LeidenK) for the rules.
pub(super) fn merge(
    graph: &NeighborGraph,
    found: &[u32],
    wanted: usize,
    rows: Option<&Matrix<f32>>,
) -> Vec<u32> {
    let mut merged = found.to_vec();
    let count = labels::compact(&mut merged);
    if count > wanted {
        by_edges(graph, &mut merged, count, wanted);
    }
    let count = labels::compact(&mut merged);
    if count > wanted {
        match rows {
            Some(rows) => by_distance(rows, &mut merged, count, wanted),
            None => by_order(&mut merged, wanted),
        }
    }
    merged
}

/// Two communities, and which share of the weaker one's weight leads to the other. Pairs are ordered by that, then the
/// earlier communities first.
#[derive(PartialEq)]
struct Pair {
    share: f64,
    first: u32,
    second: u32,
}

impl Eq for Pair {}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Pair) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pair {
    fn cmp(&self, other: &Pair) -> Ordering {
        let earlier = (other.first, other.second).cmp(&(self.first, self.second));
        self.share.total_cmp(&other.share).then(earlier)
    }
}

/// Communities and the weights between them.
struct Joined {
    between: Vec<BTreeMap<u32, f64>>,
    /// The weight of all edges that end in each.
    strength: Vec<f64>,
}

impl Joined {
    fn new(graph: &NeighborGraph, of: &[u32], count: usize) -> Joined {
        let mut joined = Joined { between: vec![BTreeMap::new(); count], strength: vec![0.0; count] };
        for (node, &own) in of.iter().enumerate() {
            joined.strength[own as usize] += graph.strength(node);
            let (targets, weights) = graph.links(node);
            for (&target, &weight) in targets.iter().zip(weights) {
                let other = of[target as usize];
                if other != own {
                    *joined.between[own as usize].entry(other).or_default() += f64::from(weight);
                }
            }
        }
        joined
    }

    fn pair(&self, a: u32, b: u32) -> Option<Pair> {
        let (first, second) = (a.min(b), a.max(b));
        let weight = self.between[first as usize].get(&second)?;
        let share = weight / self.strength[first as usize].min(self.strength[second as usize]);
        Some(Pair { share, first, second })
    }

    /// Adds `b` to `a`.
    fn merge(&mut self, a: u32, b: u32) {
        self.strength[a as usize] += self.strength[b as usize];
        for (other, weight) in std::mem::take(&mut self.between[b as usize]) {
            self.between[other as usize].remove(&b);
            if other != a {
                *self.between[a as usize].entry(other).or_default() += weight;
                *self.between[other as usize].entry(a).or_default() += weight;
            }
        }
    }
}

fn by_edges(graph: &NeighborGraph, of: &mut [u32], count: usize, wanted: usize) {
    let mut joined = Joined::new(graph, of, count);
    let pairs =
        (0..count as u32).flat_map(|a| joined.between[a as usize].range(a + 1..).map(move |(&b, _)| (a, b)));
    let mut heap: BinaryHeap<Pair> = pairs.filter_map(|(a, b)| joined.pair(a, b)).collect();
    let mut into: Vec<u32> = (0..count as u32).collect();
    let mut left = count;
    while left > wanted {
        let Some(best) = heap.pop() else { break };
        // What was said of a pair before one of it grew does not count any more.
        if joined.pair(best.first, best.second).is_none_or(|now| now.share != best.share) {
            continue;
        }
        joined.merge(best.first, best.second);
        into[best.second as usize] = best.first;
        left -= 1;
        heap.extend(joined.between[best.first as usize].keys().filter_map(|&b| joined.pair(best.first, b)));
    }
    relabel(of, &into);
}

/// Follows each community to the one that it was merged into, which has a lower number.
fn relabel(of: &mut [u32], into: &[u32]) {
    let mut last: Vec<u32> = into.to_vec();
    for c in 0..last.len() {
        last[c] = last[last[c] as usize];
    }
    of.iter_mut().for_each(|c| *c = last[*c as usize]);
}

/// Merges pieces that no edge joins: a splinter with the piece nearest to it, or, where there is none, the pair whose rows
/// are nearest on average, again and again.
fn by_distance(rows: &Matrix<f32>, of: &mut [u32], count: usize, wanted: usize) {
    let splinter = SPLINTER * of.len() as f64 / wanted as f64;
    let mut pieces = Pieces::new(rows, of, count);
    let mut into: Vec<u32> = (0..count as u32).collect();
    for _ in wanted..count {
        let Some((a, b)) = pieces.splinter(splinter).or_else(|| pieces.closest()) else { break };
        let (first, second) = (a.min(b), a.max(b));
        into[second] = first as u32;
        pieces.merge(first, second);
    }
    relabel(of, &into);
}

/// Moments of pieces, and the nearest other one of each.
struct Pieces {
    sums: Vec<Vec<f64>>,
    /// The sum of the squared lengths of the rows.
    squares: Vec<f64>,
    /// The rows of each; 0 for those that are merged into another.
    sizes: Vec<f64>,
    nearest: Vec<Option<(f64, usize)>>,
}

impl Pieces {
    fn new(rows: &Matrix<f32>, of: &[u32], count: usize) -> Pieces {
        // Around the mean of all rows, so that little is lost when squares are subtracted.
        let center = input::column_means(rows);
        let (mut sums, mut squares) = (vec![vec![0.0; rows.cols()]; count], vec![0.0; count]);
        let mut sizes = vec![0.0; count];
        for (row, &piece) in rows.iter_rows().zip(of) {
            let piece = piece as usize;
            for ((sum, &x), c) in sums[piece].iter_mut().zip(row).zip(&center) {
                let x = f64::from(x) - c;
                *sum += x;
                squares[piece] += x * x;
            }
            sizes[piece] += 1.0;
        }
        let mut pieces = Pieces { sums, squares, sizes, nearest: Vec::new() };
        pieces.nearest = (0..count).into_par_iter().map(|piece| pieces.search(piece)).collect();
        pieces
    }

    /// The mean squared distance between a row of `a` and a row of `b`.
    fn distance(&self, a: usize, b: usize) -> f64 {
        let product: f64 = self.sums[a].iter().zip(&self.sums[b]).map(|(x, y)| x * y).sum();
        self.squares[a] / self.sizes[a] + self.squares[b] / self.sizes[b]
            - 2.0 * product / (self.sizes[a] * self.sizes[b])
    }

    /// The nearest other piece; of equals the first.
    fn search(&self, of: usize) -> Option<(f64, usize)> {
        let others = (0..self.sizes.len()).filter(|&c| c != of && self.sizes[c] > 0.0);
        let all = others.map(|c| (self.distance(of, c), c));
        all.reduce(|best, next| if next.0 < best.0 { next } else { best })
    }

    /// The smallest piece and the one nearest to it, if it has fewer rows than `size`; of equals the first.
    fn splinter(&self, size: f64) -> Option<(usize, usize)> {
        let all = (0..self.sizes.len()).filter(|&c| self.sizes[c] > 0.0 && self.sizes[c] < size);
        let smallest = all.reduce(|best, c| if self.sizes[c] < self.sizes[best] { c } else { best })?;
        self.nearest[smallest].map(|(_, near)| (smallest, near))
    }

    /// The two pieces that are nearest; of equals the first.
    fn closest(&self) -> Option<(usize, usize)> {
        let all = self.nearest.iter().enumerate().filter_map(|(a, near)| near.map(|(d, b)| (d, a, b)));
        let nearest = all.reduce(|best, next| if next.0 < best.0 { next } else { best });
        nearest.map(|(_, a, b)| (a, b))
    }

    /// Adds `second` to `first`.
    fn merge(&mut self, first: usize, second: usize) {
        let moved = std::mem::take(&mut self.sums[second]);
        self.sums[first].iter_mut().zip(moved).for_each(|(s, x)| *s += x);
        self.squares[first] += std::mem::take(&mut self.squares[second]);
        self.sizes[first] += std::mem::take(&mut self.sizes[second]);
        self.nearest =
            (0..self.sizes.len()).into_par_iter().map(|c| self.nearest_after(c, first, second)).collect();
    }

    /// The nearest piece of `c` after `second` was added to `first`.
    fn nearest_after(&self, c: usize, first: usize, second: usize) -> Option<(f64, usize)> {
        let before = self.nearest[c];
        if self.sizes[c] == 0.0 {
            None
        } else if c == first || before.is_some_and(|(_, near)| near == first || near == second) {
            self.search(c)
        } else {
            let now = self.distance(c, first);
            if before.is_none_or(|(best, _)| now < best) { Some((now, first)) } else { before }
        }
    }
}

/// Merges the two smallest, again and again: the last two of those ordered by size.
fn by_order(of: &mut [u32], wanted: usize) {
    loop {
        let ordered = labels::by_size(of);
        of.copy_from_slice(&ordered);
        let count = labels::count(of);
        if count <= wanted {
            return;
        }
        let last = count as u32 - 1;
        of.iter_mut().filter(|c| **c == last).for_each(|c| *c = last - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of communities, in descending order.
    fn sizes(of: &[u32]) -> Vec<usize> {
        let mut sizes = vec![0; 1 + *of.iter().max().expect("a row") as usize];
        of.iter().for_each(|&c| sizes[c as usize] += 1);
        sizes.retain(|&size| size > 0);
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }

    #[test]
    fn edges_do_not_prefer_equal_sizes() {
        // A large clique pair with many edges between its halves, and two small cliques that hardly touch.
        let mut edges = Vec::new();
        let mut clique = |nodes: std::ops::Range<u32>| {
            for a in nodes.clone() {
                edges.extend((a + 1..nodes.end).map(|b| (a, b, 1.0)));
            }
        };
        clique(0..30);
        clique(30..60);
        clique(60..65);
        clique(65..70);
        edges.extend((0..30).flat_map(|a| (0..9).map(move |i| (a, 30 + (a + i) % 30, 1.0))));
        edges.extend([(60, 65, 0.2), (0, 60, 0.2)]);
        let graph = NeighborGraph::from_edges(70, &edges).expect("a graph");
        let four: Vec<u32> =
            (0..70).map(|i| [i / 30, 2 + (i - i.min(60)) / 5][usize::from(i >= 60)]).collect();
        assert_eq!(sizes(&four), [30, 30, 5, 5]);
        assert_eq!(sizes(&merge(&graph, &four, 3, None)), [60, 5, 5]);
    }

    /// Pieces of equal rows at places on a line, without edges.
    fn pieces(at: &[(usize, f32)]) -> (NeighborGraph, Vec<u32>, Matrix<f32>) {
        let of: Vec<u32> = at.iter().enumerate().flat_map(|(i, p)| vec![i as u32; p.0]).collect();
        let values: Vec<f32> = at.iter().flat_map(|&(count, x)| vec![x; count]).collect();
        let graph = NeighborGraph::from_edges(of.len(), &[]).expect("a graph");
        let rows = Matrix::from_fn(of.len(), 1, |i, _| values[i]);
        (graph, of, rows)
    }

    #[test]
    fn distances_do_not_prefer_equal_sizes_beyond_splinters() {
        // The two large pieces are near each other, the smaller ones are not.
        let (graph, of, rows) = pieces(&[(500, 0.0), (400, 1.0), (100, 10.0), (60, 20.0)]);
        assert_eq!(sizes(&merge(&graph, &of, 3, Some(&rows))), [900, 100, 60]);
    }

    #[test]
    fn splinters_join_what_is_nearest_to_them() {
        let (graph, of, rows) = pieces(&[(500, 0.0), (400, 5.0), (3, 1000.0), (2, -900.0)]);
        let merged = merge(&graph, &of, 2, Some(&rows));
        assert_eq!(sizes(&merged), [502, 403]);
        assert_eq!((merged[0], merged[600]), (merged[904], merged[901]));
    }
}

//! What the graph links: distinct points, and which rows are copies of each.

use lpvdn_core::{Matrix, Real, kernel};

use super::order;
use crate::distance::LANES;

/// Distinct points, numbered so that near ones have near numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Nodes {
    /// Their values, filled up with zeros to whole registers.
    values: Vec<f32>,
    width: usize,
    /// The rows, those of a node side by side and in the order of their indices.
    rows: Vec<u32>,
    /// Where the rows of each node begin, and where those of the last end.
    starts: Vec<u32>,
}

impl Nodes {
    pub(super) fn new(points: &Matrix<f32>) -> Nodes {
        let by_value = order::by_value(points);
        let row = |i: u32| points.row(i as usize);
        // Of each node the first row, with all of them as they stand in `by_value`.
        let mut copies: Vec<&[u32]> = by_value.chunk_by(|&a, &b| row(a) == row(b)).collect();
        copies.sort_unstable_by_key(|copies| copies[0]);
        let mut order: Vec<u32> = copies.iter().map(|copies| copies[0]).collect();
        order::by_place(points, &mut order);
        let mut nodes = Nodes::empty(points.cols(), order.len(), points.rows());
        for &first in &order {
            let found = copies.binary_search_by_key(&first, |copies| copies[0]);
            nodes.push(row(first), found.map_or(&[], |place| copies[place]));
        }
        nodes
    }

    fn empty(cols: usize, count: usize, rows: usize) -> Nodes {
        let width = cols.next_multiple_of(LANES);
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0);
        Nodes { values: Vec::with_capacity(count * width), width, rows: Vec::with_capacity(rows), starts }
    }

    fn push(&mut self, values: &[f32], rows: &[u32]) {
        self.values.extend_from_slice(values);
        self.values.resize(self.starts.len() * self.width, 0.0);
        self.rows.extend_from_slice(rows);
        self.starts.push(self.rows.len() as u32);
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many rows there are, copies included.
    pub(super) fn points(&self) -> usize {
        self.rows.len()
    }

    /// The length of [`values`](Nodes::values), and that of a query.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The values of a node.
    pub(super) fn values(&self, node: u32) -> &[f32] {
        &self.values[node as usize * self.width..][..self.width]
    }

    /// The rows that are this node.
    pub(super) fn rows(&self, node: u32) -> &[u32] {
        &self.rows[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// All rows in the order of their nodes.
    pub(super) fn all_rows(&self) -> &[u32] {
        &self.rows
    }

    /// The node of the row that stands at `place` of [`all_rows`](Nodes::all_rows).
    pub(super) fn at(&self, place: usize) -> u32 {
        self.starts.partition_point(|&start| start as usize <= place) as u32 - 1
    }

    /// Writes the squared distances from `query` to `nodes`.
    pub(super) fn distances(&self, query: &[f32], nodes: &[u32], out: &mut Vec<f32>) {
        out.resize(nodes.len(), 0.0);
        squared_distances(&self.values, query, nodes, out);
    }

    /// Whether the squared distance from `node` to any of `others` is at most `limit`.
    pub(super) fn any_within(&self, node: u32, others: &[u32], limit: f32) -> bool {
        any_within(&self.values, self.values(node), others, limit)
    }
}

kernel! {
    // Many at a time: while one row comes from memory, the next are asked for.
    fn squared_distances<T>(values: &[T], query: &[T], nodes: &[u32], out: &mut [T]) {
        for (out, &node) in out.iter_mut().zip(nodes) {
            *out = squared_distance::<T, FMA>(query, &values[node as usize * query.len()..][..query.len()]);
        }
    }
}

kernel! {
    fn any_within<T>(values: &[T], point: &[T], others: &[u32], limit: T) -> bool {
        others.iter().any(|&other| {
            let row = &values[other as usize * point.len()..][..point.len()];
            squared_distance::<T, FMA>(point, row) <= limit
        })
    }
}

/// By differences, for rows of whole registers. The lanes are added in pairs: in a row of few columns, one
/// after the other would take longer than all the rest.
#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn squared_distance<T: Real, const FMA: bool>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::ZERO; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for l in 0..LANES {
            let d = a[l] - b[l];
            sums[l] = d.fma::<FMA>(d, sums[l]);
        }
    }
    let mut half = LANES / 2;
    while half > 0 {
        for l in 0..half {
            sums[l] += sums[l + half];
        }
        half /= 2;
    }
    sums[0]
}

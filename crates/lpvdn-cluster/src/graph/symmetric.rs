//! Both ends of every edge.

use rayon::prelude::*;

use super::weighting::Directed;
use super::{GraphError, NeighborGraph, Weighting};
use crate::Neighbors;
use crate::input::{self, CHUNK};

/// Whether neighbours can be the edges of a graph.
pub(super) fn check(neighbors: &Neighbors) -> Result<(), GraphError> {
    let (indices, distances) = (&neighbors.indices, &neighbors.distances);
    let nodes = indices.rows();
    check_nodes(nodes)?;
    if (distances.rows(), distances.cols()) != (nodes, indices.cols()) {
        return Err(GraphError::Shapes);
    }
    if let Some(&node) = indices.as_slice().par_iter().find_first(|&&j| j as usize >= nodes) {
        return Err(GraphError::Node { node, nodes });
    }
    let usable = |d: &f32| d.is_finite() && *d >= 0.0;
    match distances.as_slice().par_iter().find_first(|&d| !usable(d)) {
        Some(&distance) => Err(GraphError::Distance(distance)),
        None => Ok(()),
    }
}

fn check_nodes(nodes: usize) -> Result<(), GraphError> {
    if nodes >= u32::MAX as usize { Err(GraphError::TooManyNodes { nodes }) } else { Ok(()) }
}

/// Joins what either end has found.
pub(super) fn joined(directed: &Directed, weighting: Weighting) -> NeighborGraph {
    let reversed = reversed(directed);
    let merge = |i: usize| merged(directed.row(i), reversed.row(i), |a, b| weighting.combined(a, b));
    let chunks = input::chunks(directed.nodes(), CHUNK);
    let both = Directed::from_chunks(chunks.map(|range| range.map(merge).collect()).collect());
    let (targets, weights) = both.entries.into_iter().unzip();
    NeighborGraph { offsets: both.offsets, targets, weights }
}

/// The rows that have each row among their neighbours, ascending.
fn reversed(directed: &Directed) -> Directed {
    let mut offsets = vec![0; directed.nodes() + 1];
    directed.entries.iter().for_each(|&(j, _)| offsets[j as usize + 1] += 1);
    for i in 0..directed.nodes() {
        offsets[i + 1] += offsets[i];
    }
    let mut places = offsets.clone();
    let mut entries = vec![(0, 0.0); directed.entries.len()];
    for i in 0..directed.nodes() {
        for &(j, weight) in directed.row(i) {
            entries[places[j as usize]] = (i as u32, weight);
            places[j as usize] += 1;
        }
    }
    Directed { offsets, entries }
}

/// Two ascending lists in one; a target that only one of them has counts as 0 in the other.
fn merged(mut a: &[(u32, f32)], mut b: &[(u32, f32)], combined: impl Fn(f32, f32) -> f32) -> Vec<(u32, f32)> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    while let Some(&(target, _)) = match (a.first(), b.first()) {
        (Some(x), Some(y)) => Some(if x.0 <= y.0 { x } else { y }),
        (x, y) => x.or(y),
    } {
        let (x, y) = (take(&mut a, target), take(&mut b, target));
        out.push((target, combined(x, y)));
    }
    out
}

/// The weight at the front of a list if it is that of `target`, which is taken off it; else 0.
fn take(list: &mut &[(u32, f32)], target: u32) -> f32 {
    match list.split_first() {
        Some((&(first, weight), rest)) if first == target => {
            *list = rest;
            weight
        }
        _ => 0.0,
    }
}

/// A graph of edges that are each named once.
pub(super) fn of_edges(nodes: usize, edges: &[(u32, u32, f32)]) -> Result<NeighborGraph, GraphError> {
    check_nodes(nodes)?;
    let mut ends = Vec::with_capacity(2 * edges.len());
    for &(a, b, weight) in edges {
        if let Some(node) = [a, b].into_iter().find(|&node| node as usize >= nodes) {
            return Err(GraphError::Node { node, nodes });
        }
        if a == b {
            return Err(GraphError::SelfLoop(a));
        }
        if !(weight.is_finite() && weight > 0.0) {
            return Err(GraphError::Weight(weight));
        }
        ends.extend([(a, b, weight), (b, a, weight)]);
    }
    // Stable: the weights of a repeated edge are added in one order at both of its ends.
    ends.par_sort_by_key(|&(a, b, _)| (a, b));
    let mut graph = NeighborGraph { offsets: vec![0; nodes + 1], targets: Vec::new(), weights: Vec::new() };
    for (i, &(a, b, weight)) in ends.iter().enumerate() {
        match graph.weights.last_mut() {
            Some(last) if i > 0 && (ends[i - 1].0, ends[i - 1].1) == (a, b) => *last += weight,
            _ => {
                graph.targets.push(b);
                graph.weights.push(weight);
            }
        }
        graph.offsets[a as usize + 1] = graph.targets.len();
    }
    for i in 0..nodes {
        graph.offsets[i + 1] = graph.offsets[i + 1].max(graph.offsets[i]);
    }
    Ok(graph)
}

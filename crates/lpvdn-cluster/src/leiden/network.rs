//! The graph at one level: nodes are rows at first, then communities of them.

use crate::NeighborGraph;

use super::objective::Objective;

/// A graph whose nodes have a mass: what the quality charges for putting two nodes together is proportional to
/// the product of their masses. Edges inside a node need not be known: they stay inside.
#[derive(Clone, Debug)]
pub(super) struct Network {
    offsets: Vec<usize>,
    targets: Vec<u32>,
    weights: Vec<f64>,
    mass: Vec<f64>,
}

impl Network {
    pub(super) fn new(graph: &NeighborGraph, objective: Objective) -> Network {
        let (mut offsets, mut targets, mut weights) = (vec![0], Vec::new(), Vec::new());
        for node in 0..graph.nodes() {
            let (ends, strengths) = graph.links(node);
            targets.extend_from_slice(ends);
            weights.extend(strengths.iter().map(|&w| f64::from(w)));
            offsets.push(targets.len());
        }
        let mass = (0..graph.nodes()).map(|node| objective.mass(graph, node)).collect();
        Network { offsets, targets, weights, mass }
    }

    pub(super) fn nodes(&self) -> usize {
        self.mass.len()
    }

    pub(super) fn mass(&self, node: u32) -> f64 {
        self.mass[node as usize]
    }

    /// The other nodes that a node is joined to, and the weights.
    pub(super) fn links(&self, node: u32) -> impl Iterator<Item = (u32, f64)> {
        let range = self.offsets[node as usize]..self.offsets[node as usize + 1];
        self.targets[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// The network of groups of nodes, numbered 0 to `count`.
    pub(super) fn aggregated(&self, groups: &[u32], count: usize) -> Network {
        let members = Members::new(groups, count);
        let mut sums = Sums::new(count);
        let (mut offsets, mut targets, mut weights) = (vec![0], Vec::new(), Vec::new());
        let mut mass = vec![0.0; count];
        for group in 0..count as u32 {
            for &node in members.of(group) {
                mass[group as usize] += self.mass(node);
                for (other, weight) in self.links(node) {
                    if groups[other as usize] != group {
                        sums.add(groups[other as usize], weight);
                    }
                }
            }
            for &other in sums.groups() {
                targets.push(other);
                weights.push(sums.of(other));
            }
            offsets.push(targets.len());
            sums.clear();
        }
        Network { offsets, targets, weights, mass }
    }
}

/// The nodes of each group, ascending.
pub(super) struct Members {
    offsets: Vec<usize>,
    nodes: Vec<u32>,
}

impl Members {
    pub(super) fn new(groups: &[u32], count: usize) -> Members {
        let mut offsets = vec![0; count + 1];
        groups.iter().for_each(|&g| offsets[g as usize + 1] += 1);
        for g in 0..count {
            offsets[g + 1] += offsets[g];
        }
        let mut places = offsets.clone();
        let mut nodes = vec![0; groups.len()];
        for (node, &g) in groups.iter().enumerate() {
            nodes[places[g as usize]] = node as u32;
            places[g as usize] += 1;
        }
        Members { offsets, nodes }
    }

    pub(super) fn of(&self, group: u32) -> &[u32] {
        &self.nodes[self.offsets[group as usize]..self.offsets[group as usize + 1]]
    }
}

/// Weights summed by group. Only the groups that were added to are visited, in the order in which they were met.
pub(super) struct Sums {
    sums: Vec<f64>,
    groups: Vec<u32>,
}

impl Sums {
    pub(super) fn new(groups: usize) -> Sums {
        Sums { sums: vec![0.0; groups], groups: Vec::new() }
    }

    /// Adds a weight, which must be positive.
    #[inline]
    pub(super) fn add(&mut self, group: u32, weight: f64) {
        let sum = &mut self.sums[group as usize];
        if *sum == 0.0 {
            self.groups.push(group);
        }
        *sum += weight;
    }

    #[inline]
    pub(super) fn of(&self, group: u32) -> f64 {
        self.sums[group as usize]
    }

    pub(super) fn groups(&self) -> &[u32] {
        &self.groups
    }

    pub(super) fn clear(&mut self) {
        for &group in &self.groups {
            self.sums[group as usize] = 0.0;
        }
        self.groups.clear();
    }
}

//! The search of one layer (the paper's Algorithm 2), and the memory it needs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::graph::{Graph, Layer};
use super::nearest::Nearest;
use super::nodes::Nodes;

/// Nodes whose distances are taken in one go where all are.
const BLOCK: u32 = 1024;

/// One search, from the highest layer to the lowest.
#[derive(Debug)]
pub(super) struct Walk {
    /// What it has found.
    pub(super) nearest: Nearest,
    seen: Seen,
    fresh: Vec<u32>,
    squares: Vec<f32>,
}

impl Walk {
    fn new(nodes: usize) -> Walk {
        Walk { nearest: Nearest::default(), seen: Seen::new(nodes), fresh: Vec::new(), squares: Vec::new() }
    }

    /// Goes from the entry down to layer `layer`, and on each to the node nearest to `query`.
    pub(super) fn descend(&mut self, nodes: &Nodes, graph: &Graph, query: &[f32], layer: usize) {
        self.nearest.clear();
        self.nearest.restart(1);
        self.seen.clear();
        self.meet(nodes, query, [graph.entry].into_iter());
        for layer in graph.layers[layer..].iter().rev() {
            self.search(nodes, layer, query, 1);
        }
    }

    /// Finds the `ef` nodes of a layer nearest to `query`, from those found on the layer above.
    pub(super) fn search(&mut self, nodes: &Nodes, layer: &Layer, query: &[f32], ef: usize) {
        self.nearest.restart(ef);
        self.seen.clear();
        self.nearest.nodes().for_each(|node| _ = self.seen.add(node));
        while let Some(node) = self.nearest.follow() {
            self.meet(nodes, query, layer.links(node).iter().copied());
        }
    }

    /// Offers those of `others` that have not been seen on this layer.
    pub(super) fn meet(&mut self, nodes: &Nodes, query: &[f32], others: impl Iterator<Item = u32>) {
        self.fresh.clear();
        self.fresh.extend(others.filter(|&other| self.seen.add(other)));
        nodes.distances(query, &self.fresh, &mut self.squares);
        for (&square, &node) in self.squares.iter().zip(&self.fresh) {
            self.nearest.offer(square, node);
        }
    }

    /// Finds the `ef` nodes nearest to `query` by trying all.
    pub(super) fn try_all(&mut self, nodes: &Nodes, query: &[f32], ef: usize) {
        self.nearest.clear();
        self.nearest.restart(ef);
        self.seen.clear();
        let count = nodes.len() as u32;
        for start in (0..count).step_by(BLOCK as usize) {
            self.meet(nodes, query, start..count.min(start.saturating_add(BLOCK)));
        }
    }
}

/// The nodes a search has seen: those whose stamp is of this round. So forgetting them takes no time.
#[derive(Debug)]
struct Seen {
    stamps: Vec<u8>,
    round: u8,
}

impl Seen {
    fn new(nodes: usize) -> Seen {
        Seen { stamps: vec![0; nodes], round: 0 }
    }

    fn clear(&mut self) {
        if self.round == u8::MAX {
            self.stamps.fill(0);
            self.round = 0;
        }
        self.round += 1;
    }

    /// Whether `node` is new.
    fn add(&mut self, node: u32) -> bool {
        std::mem::replace(&mut self.stamps[node as usize], self.round) != self.round
    }
}

/// Walks that no thread is on at the moment.
#[derive(Debug)]
pub(super) struct Walks {
    free: Mutex<Vec<Walk>>,
    nodes: usize,
}

impl Walks {
    pub(super) fn new(nodes: &Nodes) -> Walks {
        Walks { free: Mutex::new(Vec::new()), nodes: nodes.len() }
    }

    /// Lends a walk to `job`. Which one makes no difference.
    pub(super) fn lend<R>(&self, job: impl FnOnce(&mut Walk) -> R) -> R {
        let free = self.free().pop();
        let mut walk = free.unwrap_or_else(|| Walk::new(self.nodes));
        let result = job(&mut walk);
        self.free().push(walk);
        result
    }

    fn free(&self) -> MutexGuard<'_, Vec<Walk>> {
        // A walk that a panic left behind never comes back, so the list is good.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Building the graph, batch by batch.

use std::cmp::Reverse;

use lpvdn_core::StreamKey;
use rayon::prelude::*;

use super::graph::{Graph, NONE};
use super::hyperparams::HnswParams;
use super::nodes::Nodes;
use super::select::diverse;
use super::walk::{Walk, Walks};

/// Nodes of a batch at most. They do not find each other in the graph, so that all pairs are compared; at this
/// size that is a small part of the build.
const BATCH: usize = 512;
/// Nodes of a task, and lists of a task.
const TASK: usize = 8;
/// The highest layer possible: with the fewest connections, there are a few in four thousand million nodes.
const HIGHEST: u8 = 31;

/// A link that a new node has chosen.
#[derive(Clone, Copy, Debug)]
struct Link {
    layer: u8,
    from: u32,
    to: u32,
}

/// The graph of all nodes.
pub(super) fn build(nodes: &Nodes, params: &HnswParams) -> Graph {
    let levels = levels(nodes.len(), params);
    let mut order = entering(&levels, params);
    let mut build = Build {
        nodes,
        params,
        graph: Graph::new(&levels, order[0], params.connections),
        levels,
        walks: Walks::new(nodes),
    };
    // The first is the entry. Then the nodes double until batches are full.
    let mut entered = 1;
    while entered < order.len() {
        let size = entered.min(BATCH).min(order.len() - entered);
        let batch = &mut order[entered..entered + size];
        // Near ones side by side, on one thread.
        batch.sort_unstable();
        build.enter(batch);
        entered += size;
    }
    build.graph
}

/// The highest layer of each node: M^−l of all nodes are on layer l.
fn levels(nodes: usize, params: &HnswParams) -> Vec<u8> {
    let mut stream = StreamKey::new(params.seed, "hnsw-levels").open();
    let share = 1.0 / params.connections as f64;
    // By comparisons, where the paper takes a logarithm: that is not the same on every machine.
    let level = |_| {
        let draw = stream.uniform();
        let mut bound = share;
        let mut level = 0;
        while draw < bound && level < HIGHEST {
            bound *= share;
            level += 1;
        }
        level
    };
    (0..nodes).map(level).collect()
}

/// The order in which nodes enter: at random, as rows may be sorted by class, but those of the highest layers
/// first. So the entry is the first, and stays it.
fn entering(levels: &[u8], params: &HnswParams) -> Vec<u32> {
    let mut order: Vec<u32> = (0..levels.len() as u32).collect();
    StreamKey::new(params.seed, "hnsw-order").open().shuffle(&mut order);
    order.sort_by_key(|&node| Reverse(levels[node as usize]));
    order
}

/// A graph and what it is built with.
struct Build<'a> {
    nodes: &'a Nodes,
    params: &'a HnswParams,
    graph: Graph,
    levels: Vec<u8>,
    walks: Walks,
}

impl Build<'_> {
    /// Links the nodes of a batch with those before, and with each other.
    fn enter(&mut self, batch: &[u32]) {
        let tasks = batch.par_chunks(TASK).map(|nodes| {
            self.walks.lend(|walk| nodes.iter().flat_map(|&node| self.choose(node, batch, walk)).collect())
        });
        let mut links: Vec<Link> = tasks.collect::<Vec<Vec<Link>>>().concat();
        for links in links.chunk_by(|a, b| (a.layer, a.from) == (b.layer, b.from)) {
            let to: Vec<u32> = links.iter().map(|link| link.to).collect();
            self.graph.layers[usize::from(links[0].layer)].set_links(links[0].from, &to);
        }
        links.par_sort_unstable_by_key(|link| (link.layer, link.to, link.from));
        self.link_back(&links);
    }

    /// The links of a new node: on each of its layers the most diverse of the nearest.
    fn choose(&self, node: u32, batch: &[u32], walk: &mut Walk) -> Vec<Link> {
        let (query, level) = (self.nodes.values(node), self.levels[node as usize]);
        walk.descend(self.nodes, &self.graph, query, usize::from(level) + 1);
        let mut links = Vec::new();
        for layer in (0..=level).rev() {
            let links_before = &self.graph.layers[usize::from(layer)];
            walk.search(self.nodes, links_before, query, self.params.ef_construction);
            let others = batch.iter().copied().filter(|&other| self.is_mate(node, other, layer));
            walk.meet(self.nodes, query, others);
            let chosen = diverse(self.nodes, walk.nearest.squares(), self.params.connections);
            links.extend(chosen.into_iter().map(|to| Link { layer, from: node, to }));
        }
        links
    }

    /// Whether another node of the batch is on this layer too.
    fn is_mate(&self, node: u32, other: u32, layer: u8) -> bool {
        other != node && self.levels[other as usize] >= layer
    }

    /// Links the chosen ones back to those that chose them. `links` are sorted by the chosen one.
    fn link_back(&mut self, links: &[Link]) {
        let chosen: Vec<&[Link]> = links.chunk_by(|a, b| (a.layer, a.to) == (b.layer, b.to)).collect();
        let lists: Vec<Vec<u32>> = chosen
            .par_chunks(TASK)
            .map(|chosen| {
                let mut lists = Vec::new();
                for links in chosen {
                    self.merge(links, &mut lists);
                    lists.push(NONE);
                }
                lists
            })
            .collect();
        let lists = lists.iter().flat_map(|lists| lists.split_inclusive(|&link| link == NONE));
        for (links, list) in chosen.iter().zip(lists) {
            let layer = &mut self.graph.layers[usize::from(links[0].layer)];
            layer.set_links(links[0].to, &list[..list.len() - 1]);
        }
    }

    /// Adds to `out` the links of a chosen node, with those that chose it: all of them where there is
    /// room, else the most diverse.
    fn merge(&self, choosing: &[Link], out: &mut Vec<u32>) {
        let layer = &self.graph.layers[usize::from(choosing[0].layer)];
        let (node, links) = (choosing[0].to, layer.links(choosing[0].to));
        let start = out.len();
        out.extend_from_slice(links);
        // Two of a batch may have chosen each other.
        out.extend(choosing.iter().map(|link| link.from).filter(|from| !links.contains(from)));
        if out.len() - start <= layer.width() {
            return;
        }
        let mut squares = Vec::new();
        self.nodes.distances(self.nodes.values(node), &out[start..], &mut squares);
        let mut candidates: Vec<(f32, u32)> = squares.into_iter().zip(out.drain(start..)).collect();
        candidates.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        out.extend(diverse(self.nodes, candidates.into_iter(), layer.width()));
    }
}

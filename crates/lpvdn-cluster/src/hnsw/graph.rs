//! The links of each node on each layer.

/// No node: the end of a list of links that is not full.
pub(super) const NONE: u32 = u32::MAX;

/// The layers, the lowest first. Each holds a part of the nodes of the one below it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Graph {
    pub(super) layers: Vec<Layer>,
    /// The node from which searches start: on the highest layer.
    pub(super) entry: u32,
}

/// One layer: for each of its nodes `width` places for links, in one piece of memory.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layer {
    /// The nodes of the layer in ascending order; none where these are all nodes.
    nodes: Option<Vec<u32>>,
    links: Vec<u32>,
    width: usize,
}

impl Graph {
    /// A graph without links. `levels` holds the highest layer of each node; that of `entry` is the highest.
    pub(super) fn new(levels: &[u8], entry: u32, connections: usize) -> Graph {
        let upper = (1..=levels[entry as usize]).map(|layer| {
            let nodes =
                (0..).zip(levels).filter(|(_, level)| **level >= layer).map(|(node, _)| node).collect();
            Layer::new(Some(nodes), 0, connections)
        });
        let layers = std::iter::once(Layer::new(None, levels.len(), 2 * connections)).chain(upper).collect();
        Graph { layers, entry }
    }
}

impl Layer {
    fn new(nodes: Option<Vec<u32>>, all: usize, width: usize) -> Layer {
        let count = nodes.as_ref().map_or(all, Vec::len);
        Layer { nodes, links: vec![NONE; count * width], width }
    }

    /// The most links a node has.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The nodes that `node` is linked to; none where it is not on this layer.
    pub(super) fn links(&self, node: u32) -> &[u32] {
        let Some(slot) = self.slot(node) else { return &[] };
        let list = &self.links[slot * self.width..][..self.width];
        &list[..list.iter().position(|&link| link == NONE).unwrap_or(self.width)]
    }

    /// Gives `node` these links, at most [`width`](Layer::width).
    pub(super) fn set_links(&mut self, node: u32, links: &[u32]) {
        let Some(slot) = self.slot(node) else { return };
        let (list, rest) = self.links[slot * self.width..][..self.width].split_at_mut(links.len());
        list.copy_from_slice(links);
        rest.fill(NONE);
    }

    fn slot(&self, node: u32) -> Option<usize> {
        self.nodes.as_ref().map_or(Some(node as usize), |nodes| nodes.binary_search(&node).ok())
    }
}

//! Refinement: what becomes a node of the next level.
//!
//! Each community is taken apart into its nodes, and nodes are merged again inside it, but only such as are well
//! connected to the rest of it, and not always with the best partner. So a node of the next level is connected, and
//! what local moving put together wrongly can come apart there (Traag, Waltman and Van Eck 2019, Algorithm A.2).

use lpvdn_core::{Stream, math};

use super::moving::{Communities, Terms};
use super::network::{Network, Sums};

/// A choice that is worse than the best by more temperatures than this is never taken.
const COLD: f64 = 40.0;

/// Pieces of communities. They are numbered like nodes; some are empty.
struct Pieces {
    of: Vec<u32>,
    mass: Vec<f64>,
    /// The weight between a piece and the rest of its community.
    cut: Vec<f64>,
    alone: Vec<bool>,
}

/// The piece of each node.
pub(super) fn refine(
    network: &Network,
    communities: &Communities,
    terms: Terms,
    stream: &mut Stream,
) -> Vec<u32> {
    let nodes = network.nodes();
    let same = |a: u32, b: u32| communities.of[a as usize] == communities.of[b as usize];
    let inside = |node: u32| network.links(node).filter(move |&(other, _)| same(node, other));
    let mut pieces = Pieces {
        of: (0..nodes as u32).collect(),
        mass: (0..nodes as u32).map(|node| network.mass(node)).collect(),
        cut: (0..nodes as u32).map(|node| inside(node).map(|(_, w)| w).sum()).collect(),
        alone: vec![true; nodes],
    };
    let mut order: Vec<u32> = (0..nodes as u32).collect();
    stream.shuffle(&mut order);
    let mut sums = Sums::new(nodes);
    for node in order {
        let whole = communities.mass[communities.of[node as usize] as usize];
        if !pieces.alone[node as usize] || !pieces.well_connected(node, whole, terms.rate) {
            continue;
        }
        inside(node).for_each(|(other, weight)| sums.add(pieces.of[other as usize], weight));
        if let Some(chosen) = draw(&pieces, node, whole, &sums, terms, stream) {
            pieces.merge(node, chosen, sums.of(chosen));
        }
        sums.clear();
    }
    pieces.of
}

impl Pieces {
    /// Whether the rest of the community holds a piece, more than chance would.
    fn well_connected(&self, piece: u32, whole: f64, rate: f64) -> bool {
        let mass = self.mass[piece as usize];
        self.cut[piece as usize] >= rate * mass * (whole - mass)
    }

    /// Adds a node that is a piece alone to another piece, `between` which the weight is given.
    fn merge(&mut self, node: u32, piece: u32, between: f64) {
        let (from, to) = (node as usize, piece as usize);
        self.of[from] = piece;
        self.mass[to] += self.mass[from];
        self.cut[to] += self.cut[from] - 2.0 * between;
        self.alone[to] = false;
        self.alone[from] = false;
    }
}

/// A piece that it does not harm to add the node to, with a probability proportional to exp(gain / temperature), or
/// none.
fn draw(
    pieces: &Pieces,
    node: u32,
    whole: f64,
    sums: &Sums,
    terms: Terms,
    stream: &mut Stream,
) -> Option<u32> {
    let rate = terms.rate * pieces.mass[node as usize];
    // To stay alone gains nothing.
    let mut choices = vec![(None, 0.0)];
    for &piece in sums.groups() {
        let gain = sums.of(piece) - rate * pieces.mass[piece as usize];
        if gain >= 0.0 && pieces.well_connected(piece, whole, terms.rate) {
            choices.push((Some(piece), gain));
        }
    }
    let most = choices.iter().fold(0.0_f64, |most, choice| most.max(choice.1));
    choices.retain(|choice| choice.1 >= most - COLD * terms.temperature);
    if let [only] = choices[..] {
        return only.0;
    }
    choices.iter_mut().for_each(|choice| choice.1 = math::exp((choice.1 - most) / terms.temperature));
    let all: f64 = choices.iter().map(|choice| choice.1).sum();
    let mut left = stream.uniform() * all;
    for &(piece, likelihood) in &choices {
        left -= likelihood;
        if left < 0.0 {
            return piece;
        }
    }
    choices.last().and_then(|choice| choice.0)
}

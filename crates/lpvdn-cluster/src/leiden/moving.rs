//! Local moving: each node joins the community where it adds most to the quality.

use std::collections::VecDeque;

use lpvdn_core::Stream;

use super::network::{Network, Sums};

/// What a pass over nodes needs to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// What putting two nodes together costs, for each product of their masses.
    pub(super) rate: f64,
    /// What a move has to gain: less is rounding.
    pub(super) least: f64,
    /// How much worse a choice of the refinement may be and still be likely.
    pub(super) temperature: f64,
}

/// Which community each node is in. Communities are numbered like nodes; some are empty.
#[derive(Clone, Debug)]
pub(super) struct Communities {
    pub(super) of: Vec<u32>,
    pub(super) mass: Vec<f64>,
    size: Vec<u32>,
    /// Communities without a node.
    empty: Vec<u32>,
}

impl Communities {
    pub(super) fn new(network: &Network, of: Vec<u32>) -> Communities {
        let (mut mass, mut size) = (vec![0.0; of.len()], vec![0_u32; of.len()]);
        for (node, &community) in of.iter().enumerate() {
            mass[community as usize] += network.mass(node as u32);
            size[community as usize] += 1;
        }
        let empty = (0..of.len() as u32).rev().filter(|&c| size[c as usize] == 0).collect();
        Communities { of, mass, size, empty }
    }

    /// How many communities have nodes.
    pub(super) fn count(&self) -> usize {
        self.of.len() - self.empty.len()
    }

    fn take_out(&mut self, node: u32, mass: f64) {
        let own = self.of[node as usize];
        self.size[own as usize] -= 1;
        if self.size[own as usize] == 0 {
            // Without a trace of rounding.
            self.mass[own as usize] = 0.0;
            self.empty.push(own);
        } else {
            self.mass[own as usize] -= mass;
        }
    }

    fn put(&mut self, node: u32, mass: f64, community: u32) {
        if self.size[community as usize] == 0 {
            // Who moves to an empty community leaves others behind: what is empty stays as it was.
            let taken = self.empty.pop();
            debug_assert_eq!(taken, Some(community));
        }
        self.of[node as usize] = community;
        self.mass[community as usize] += mass;
        self.size[community as usize] += 1;
    }
}

/// Moves nodes until none gains by moving alone. Nodes are visited in a random order; then those are
/// visited again whose neighbours have moved elsewhere. Gives the number of moves.
pub(super) fn move_nodes(
    network: &Network,
    communities: &mut Communities,
    terms: Terms,
    stream: &mut Stream,
) -> usize {
    let mut order: Vec<u32> = (0..network.nodes() as u32).collect();
    stream.shuffle(&mut order);
    let mut queue = VecDeque::from(order);
    let mut queued = vec![true; network.nodes()];
    let mut sums = Sums::new(network.nodes());
    let mut moves = 0;
    while let Some(node) = queue.pop_front() {
        queued[node as usize] = false;
        network.links(node).for_each(|(other, weight)| sums.add(communities.of[other as usize], weight));
        let chosen = choose(network.mass(node), communities.of[node as usize], communities, &sums, terms);
        sums.clear();
        let Some(chosen) = chosen else { continue };
        let mass = network.mass(node);
        communities.take_out(node, mass);
        communities.put(node, mass, chosen);
        moves += 1;
        for (other, _) in network.links(node) {
            if communities.of[other as usize] != chosen && !queued[other as usize] {
                queued[other as usize] = true;
                queue.push_back(other);
            }
        }
    }
    moves
}

/// The community in which a node of community `own` adds most, if that is another one. Of equals, the one that
/// was met first.
fn choose(mass: f64, own: u32, communities: &Communities, sums: &Sums, terms: Terms) -> Option<u32> {
    let rate = terms.rate * mass;
    let alone = communities.size[own as usize] == 1;
    let others = if alone { 0.0 } else { communities.mass[own as usize] - mass };
    let mut best = (None, sums.of(own) - rate * others);
    for &community in sums.groups() {
        let gain = sums.of(community) - rate * communities.mass[community as usize];
        if community != own && gain > best.1 + terms.least {
            best = (Some(community), gain);
        }
    }
    // A community of its own is worth 0.
    match communities.empty.last() {
        Some(&empty) if !alone && 0.0 > best.1 + terms.least => Some(empty),
        _ => best.0,
    }
}

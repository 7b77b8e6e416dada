//! Which candidates become links.

use super::nodes::Nodes;

/// Chooses at most `most` of `candidates`, which come nearest first, by the heuristic of the paper's
/// Algorithm 4: a candidate that is as near to one already chosen as to the point itself is reached through
/// that one, and the link is saved for another direction.
pub(super) fn diverse(nodes: &Nodes, candidates: impl Iterator<Item = (f32, u32)>, most: usize) -> Vec<u32> {
    let mut chosen = Vec::with_capacity(most);
    for (square, node) in candidates {
        if chosen.len() == most {
            break;
        }
        if !nodes.any_within(node, &chosen, square) {
            chosen.push(node);
        }
    }
    chosen
}

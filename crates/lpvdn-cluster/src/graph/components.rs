//! Connected pieces.

use super::NeighborGraph;

const UNSEEN: u32 = u32::MAX;

/// The connected pieces of groups of nodes: an edge counts only inside a group. Numbered in the order of their
/// first nodes.
pub(crate) fn split_into_components(graph: &NeighborGraph, groups: &[u32]) -> Vec<u32> {
    let mut pieces = vec![UNSEEN; graph.nodes()];
    let mut waiting = Vec::new();
    let mut count = 0;
    for first in 0..graph.nodes() {
        if pieces[first] != UNSEEN {
            continue;
        }
        pieces[first] = count;
        waiting.push(first as u32);
        while let Some(node) = waiting.pop() {
            for &next in graph.links(node as usize).0 {
                if pieces[next as usize] == UNSEEN && groups[next as usize] == groups[first] {
                    pieces[next as usize] = count;
                    waiting.push(next);
                }
            }
        }
        count += 1;
    }
    pieces
}

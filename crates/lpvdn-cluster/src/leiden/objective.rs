//! What a division into communities is worth.

use crate::NeighborGraph;

/// What is made as large as possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Objective {
    /// Modularity with a resolution γ (Reichardt and Bornholdt 2006): the share of the weight inside communities, less
    /// γ times what it would be if the edges were drawn by chance between nodes of the same strengths,
    ///
    /// $$\sum_c \frac{e_c}{m} - \gamma \left(\frac{d_c}{2m}\right)^2$$
    ///
    /// with m the weight of all edges, e_c of those inside c, and d_c the strength of its nodes.
    #[default]
    Modularity,
    /// The constant Potts model (Traag, Van Dooren and Nesterov 2011): a community has to be denser than γ inside,
    ///
    /// $$\sum_c e_c - \gamma \frac{n_c (n_c - 1)}{2}$$
    ConstantPotts,
}

impl Objective {
    /// What γ charges for a node.
    pub(super) fn mass(self, graph: &NeighborGraph, node: usize) -> f64 {
        match self {
            Objective::Modularity => graph.strength(node),
            Objective::ConstantPotts => 1.0,
        }
    }

    /// What putting two nodes together costs, for each product of their masses.
    pub(super) fn rate(self, resolution: f64, total_weight: f64) -> f64 {
        match self {
            // Without an edge all masses are 0.
            Objective::Modularity if total_weight == 0.0 => 0.0,
            Objective::Modularity => resolution / (2.0 * total_weight),
            Objective::ConstantPotts => resolution,
        }
    }

    /// The quality of a division.
    ///
    /// # Panics
    /// If there is not a label for each node.
    pub fn quality(self, graph: &NeighborGraph, labels: &[u32], resolution: f64) -> f64 {
        let count = labels.iter().max().map_or(0, |&last| last as usize + 1);
        let (mut inside, mut masses, mut sizes) = (0.0, vec![0.0; count], vec![0_u64; count]);
        for (node, &label) in labels.iter().enumerate() {
            let (targets, weights) = graph.links(node);
            let own = targets.iter().zip(weights).filter(|(t, _)| labels[**t as usize] == label);
            inside += own.map(|(_, &w)| f64::from(w)).sum::<f64>() / 2.0;
            masses[label as usize] += self.mass(graph, node);
            sizes[label as usize] += 1;
        }
        match self {
            Objective::Modularity => {
                let all: f64 = masses.iter().sum();
                if all == 0.0 {
                    return 0.0;
                }
                let by_chance: f64 = masses.iter().map(|m| (m / all).powi(2)).sum();
                inside / (all / 2.0) - resolution * by_chance
            }
            Objective::ConstantPotts => {
                let pairs = |n: u64| n as f64 * (n as f64 - 1.0) / 2.0;
                inside - resolution * sizes.iter().map(|&n| pairs(n)).sum::<f64>()
            }
        }
    }
}

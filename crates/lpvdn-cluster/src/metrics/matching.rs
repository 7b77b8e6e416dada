//! Accuracy and purity: clusters named after classes.

use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

use super::contingency::Contingency;

impl Contingency {
    /// The best one-to-one assignment of clusters to classes, as (cluster, class) in the order of
    /// the clusters: the one under which most rows agree. Where the numbers of clusters and classes
    /// differ some stay alone, as do clusters that share no row with the class left for them.
    pub fn matching(&self) -> Vec<(u32, u32)> {
        let mut pairs: Vec<(u32, u32)> =
            self.matched().into_iter().map(|(t, c, _)| (self.clusters()[c], self.classes()[t])).collect();
        pairs.sort_unstable();
        pairs
    }

    /// The share of rows that agree under the best [`matching`](Contingency::matching):
    ///
    /// $$\max_m \frac1n \sum_i \mathbb 1[t_i = m(c_i)]$$
    pub fn accuracy(&self) -> f64 {
        let agreeing: u64 = self.matched().iter().map(|(_, _, rows)| rows).sum();
        agreeing as f64 / self.rows() as f64
    }

    /// The share of rows in the largest class of their cluster:
    ///
    /// $$\frac1n \sum_c \max_t n_{tc}$$
    pub fn purity(&self) -> f64 {
        let mut largest = vec![0; self.cluster_sizes.len()];
        for &(_, cluster, rows) in &self.counts {
            largest[cluster] = rows.max(largest[cluster]);
        }
        largest.iter().sum::<u64>() as f64 / self.rows() as f64
    }

    /// (class, cluster, rows) of the matched pairs, by place.
    fn matched(&self) -> Vec<(usize, usize, u64)> {
        self.components().iter().flat_map(|cells| assign(cells)).collect()
    }

    /// The cells, grouped so that no class or cluster is in two groups. Pairs without a common row
    /// add nothing to an assignment, so each group can be solved alone: a perfect labeling of n
    /// clusters is n tables of one cell, not one table of n².
    fn components(&self) -> Vec<Vec<(usize, usize, u64)>> {
        let classes = self.class_sizes.len();
        let mut parent: Vec<usize> = (0..classes + self.cluster_sizes.len()).collect();
        for &(class, cluster, _) in &self.counts {
            let (a, b) = (root(&mut parent, class), root(&mut parent, classes + cluster));
            parent[a.max(b)] = a.min(b);
        }
        let mut groups = vec![Vec::new(); classes];
        for &cell in &self.counts {
            groups[root(&mut parent, cell.0)].push(cell);
        }
        groups.retain(|g| !g.is_empty());
        groups
    }
}

/// The representative of `node`, shortening the path to it.
fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// The Hungarian method on the table of one group.
fn assign(cells: &[(usize, usize, u64)]) -> Vec<(usize, usize, u64)> {
    let mut classes: Vec<usize> = cells.iter().map(|c| c.0).collect();
    let mut clusters: Vec<usize> = cells.iter().map(|c| c.1).collect();
    for side in [&mut classes, &mut clusters] {
        side.sort_unstable();
        side.dedup();
    }
    // The method wants at most as many rows as columns.
    let tall = classes.len() > clusters.len();
    let (rows, columns) = if tall { (&clusters, &classes) } else { (&classes, &clusters) };
    let mut weights = Matrix::new(rows.len(), columns.len(), 0_i64);
    for &(class, cluster, count) in cells {
        let (row, column) = if tall { (cluster, class) } else { (class, cluster) };
        let at = (rows.partition_point(|&r| r < row), columns.partition_point(|&c| c < column));
        weights[at] = count as i64;
    }
    let (_, chosen) = kuhn_munkres(&weights);
    let pairs = chosen.iter().enumerate().map(|(row, &column)| {
        let count = weights[(row, column)] as u64;
        if tall { (columns[column], rows[row], count) } else { (rows[row], columns[column], count) }
    });
    pairs.filter(|&(_, _, count)| count > 0).collect()
}

//! How often each class meets each cluster.

use super::errors::MetricsError;

/// The contingency table of two labelings. Only cells that are not 0 are stored, so that a cluster
/// for every row needs no n × n table.
///
/// ```
/// use lpvdn_cluster::metrics::Contingency;
/// let table = Contingency::new(&[5, 5, 9, 9], &[1, 1, 1, 0])?;
/// assert_eq!((table.classes(), table.clusters()), (&[5, 9][..], &[0, 1][..]));
/// assert_eq!(table.cells().collect::<Vec<_>>(), [(5, 1, 2), (9, 0, 1), (9, 1, 1)]);
/// # Ok::<(), lpvdn_cluster::metrics::MetricsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contingency {
    classes: Vec<u32>,
    clusters: Vec<u32>,
    pub(super) class_sizes: Vec<u64>,
    pub(super) cluster_sizes: Vec<u64>,
    /// (place of the class, place of the cluster, rows), ordered.
    pub(super) counts: Vec<(usize, usize, u64)>,
    rows: u64,
}

impl Contingency {
    /// Counts the rows of each class in each cluster. Any numbers may serve as labels.
    pub fn new(truth: &[u32], clusters: &[u32]) -> Result<Contingency, MetricsError> {
        if truth.len() != clusters.len() {
            return Err(MetricsError::Lengths { first: truth.len(), second: clusters.len() });
        }
        if truth.is_empty() {
            return Err(MetricsError::Empty);
        }
        let mut pairs: Vec<u64> =
            truth.iter().zip(clusters).map(|(&t, &c)| (u64::from(t) << 32) | u64::from(c)).collect();
        pairs.sort_unstable();
        let (classes, clusters) = (distinct(truth), distinct(clusters));
        let mut table = Contingency {
            class_sizes: vec![0; classes.len()],
            cluster_sizes: vec![0; clusters.len()],
            counts: Vec::new(),
            rows: truth.len() as u64,
            classes,
            clusters,
        };
        for run in pairs.chunk_by(|a, b| a == b) {
            let class = place(&table.classes, (run[0] >> 32) as u32);
            let cluster = place(&table.clusters, run[0] as u32);
            let rows = run.len() as u64;
            table.class_sizes[class] += rows;
            table.cluster_sizes[cluster] += rows;
            table.counts.push((class, cluster, rows));
        }
        Ok(table)
    }

    /// The distinct classes, ascending.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }
    /// The distinct clusters, ascending.
    pub fn clusters(&self) -> &[u32] {
        &self.clusters
    }
    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }
    /// (class, cluster, rows) for every pair that occurs, ordered.
    pub fn cells(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        self.counts.iter().map(|&(class, cluster, rows)| (self.classes[class], self.clusters[cluster], rows))
    }
}

/// The distinct labels, ascending.
pub(super) fn distinct(labels: &[u32]) -> Vec<u32> {
    let mut labels = labels.to_vec();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Where `label` stands among the distinct ones.
pub(super) fn place(distinct: &[u32], label: u32) -> usize {
    distinct.partition_point(|&l| l < label)
}

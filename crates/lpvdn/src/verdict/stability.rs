//! How much of each cluster, and of each row's company, is found again by refits.

use lpvdn_cluster::metrics::Contingency;

/// What refits say of the clusters of some rows.
#[derive(Debug)]
pub(super) struct Stability {
    /// For each cluster the mean over the refits of |A ∩ B| / |A ∪ B|, where B is the cluster of the refit that is matched with it
    /// one to one (Hennig 2007). None of a cluster without rows.
    pub(super) clusters: Vec<Option<f64>>,
    /// For each row the share of the refits that keep it in the cluster that is matched with its own.
    pub(super) rows: Vec<f32>,
}

impl Stability {
    /// Of `labels`, against those of each refit.
    pub(super) fn of(labels: &[u32], clusters: usize, refits: &[Vec<u32>]) -> Stability {
        let mut sizes = vec![0_usize; clusters];
        labels.iter().for_each(|&label| sizes[label as usize] += 1);
        let mut overlaps = vec![0.0; clusters];
        let mut keeping = vec![0_usize; labels.len()];
        let share = (refits.len().max(1) as f64).recip();
        for refit in refits {
            let matched = matched(labels, clusters, refit);
            let mut found = vec![0_usize; clusters];
            let mut both = vec![0_usize; clusters];
            for (i, (&label, &other)) in labels.iter().zip(refit).enumerate() {
                if let Some(own) = matched.iter().position(|m| *m == Some(other)) {
                    found[own] += 1;
                }
                if matched[label as usize] == Some(other) {
                    both[label as usize] += 1;
                    keeping[i] += 1;
                }
            }
            for cluster in 0..clusters {
                let either = sizes[cluster] + found[cluster] - both[cluster];
                overlaps[cluster] += share * both[cluster] as f64 / either.max(1) as f64;
            }
        }
        let of_all = |n: usize| (n as f64 * share).min(1.0) as f32;
        let rows = keeping.into_iter().map(of_all).collect();
        let clusters = overlaps.into_iter().zip(sizes).map(|(o, size)| (size > 0).then_some(o)).collect();
        Stability { clusters, rows }
    }
}

/// The cluster of a refit that is matched with each cluster.
fn matched(labels: &[u32], clusters: usize, refit: &[u32]) -> Vec<Option<u32>> {
    let mut all = vec![None; clusters];
    if let Ok(table) = Contingency::new(labels, refit) {
        table.matching().into_iter().for_each(|(found, own)| all[own as usize] = Some(found));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_that_is_found_again_under_another_name_is_stable() {
        let labels = [0, 0, 0, 1, 1, 1, 2, 2];
        let found = Stability::of(&labels, 4, &[vec![5, 5, 5, 7, 7, 9, 9, 9], vec![1, 1, 1, 0, 0, 0, 2, 2]]);
        assert_eq!(found.clusters[0], Some(1.0));
        assert_eq!(found.clusters[3], None, "a cluster without rows");
        let near = |x: Option<f64>, y: f64| (x.expect("a number") - y).abs() < 1e-12;
        // Two of three rows in the first refit, all in the second.
        assert!(near(found.clusters[1], 0.5 * (2.0 / 3.0 + 1.0)));
        assert!(near(found.clusters[2], 0.5 * (2.0 / 3.0 + 1.0)));
        assert_eq!(found.rows, [1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn a_cluster_that_refits_cut_into_pieces_is_not() {
        let labels: Vec<u32> = (0..90).map(|i| i / 45).collect();
        let cut: Vec<u32> = (0..90).map(|i| i / 15).collect();
        let found = Stability::of(&labels, 2, &[cut]);
        assert!(found.clusters.iter().all(|c| c.expect("a number") < 0.34), "{:?}", found.clusters);
    }
}

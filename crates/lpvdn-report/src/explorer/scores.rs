//! How good the clusters are.

use lpvdn::model::lpvdn::Quality;
use lpvdn_cluster::ExternalScores;
use lpvdn_core::Dataset;

use super::manifest::Metric;
use super::rows::Rows;

/// Scores against the classes where they are known, and those that need none.
pub(super) fn metrics(data: &Dataset, rows: &Rows) -> Vec<Metric> {
    let mut metrics = Vec::new();
    let mut tell = |name: &str, value: Option<f64>, about: &str| {
        if let Some(value) = value {
            metrics.push(Metric { name: name.to_owned(), value, about: about.to_owned() });
        }
    };
    let scores = data.labels.as_ref().and_then(|l| ExternalScores::new(&l.codes, &rows.clusters).ok());
    if let Some(s) = scores {
        tell(
            "ACC",
            Some(s.acc),
            "Share of rows whose class is that of their cluster, classes and clusters matched one to one",
        );
        tell("purity", Some(s.purity), "Share of rows whose class is the commonest of their cluster");
        tell("NMI", Some(s.nmi), "Information that clusters and classes share, from 0 to 1");
        tell(
            "ARI",
            Some(s.ari),
            "Agreement of clusters and classes on pairs of rows; 0 by chance, 1 at best",
        );
    }
    let quality = Quality::of(&rows.codes, &rows.clusters);
    tell(
        "silhouette",
        quality.silhouette,
        "How much nearer rows are to their own cluster than to the next, from −1 to 1; needs no labels",
    );
    tell(
        "Davies–Bouldin",
        quality.davies_bouldin,
        "How wide clusters are against their distances; lower is better",
    );
    tell(
        "Calinski–Harabasz",
        quality.calinski_harabasz,
        "Spread between clusters against that within; higher is better",
    );
    metrics
}

/// How many rows of each cluster (outer) are of each class (inner).
pub(super) fn confusion(data: &Dataset, clusters: &[u32], count: usize) -> Option<Vec<Vec<usize>>> {
    let labels = data.labels.as_ref()?;
    let mut counts = vec![vec![0; labels.names.len()]; count];
    clusters.iter().zip(&labels.codes).for_each(|(&k, &c)| counts[k as usize][c as usize] += 1);
    Some(counts)
}

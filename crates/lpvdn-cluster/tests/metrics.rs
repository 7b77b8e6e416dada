//! The metrics against scikit-learn, and what must hold for any labeling.

mod common;

use common::{blobs, close, fixture, matrix, reordered};
use lpvdn_cluster::ExternalScores;
use lpvdn_cluster::metrics::{
    Contingency, MetricsError, accuracy, calinski_harabasz, davies_bouldin, purity, silhouette,
    silhouette_sampled, silhouettes,
};
use lpvdn_core::{Matrix, Pool, StreamKey};
use proptest::prelude::*;

#[derive(serde::Deserialize)]
struct External {
    name: String,
    truth: Vec<u32>,
    clusters: Vec<u32>,
    acc: f64,
    purity: f64,
    nmi: f64,
    ari: f64,
    ami: f64,
}

#[derive(serde::Deserialize)]
struct Internal {
    name: String,
    rows: Vec<Vec<f32>>,
    labels: Vec<u32>,
    silhouette: f64,
    calinski_harabasz: f64,
    davies_bouldin: f64,
}

#[test]
fn external_metrics_are_those_of_scikit_learn() {
    for case in fixture::<Vec<External>>("external.json") {
        let got = ExternalScores::new(&case.truth, &case.clusters).expect("scores");
        close(got.acc, case.acc, &format!("accuracy, {}", case.name));
        close(got.purity, case.purity, &format!("purity, {}", case.name));
        close(got.nmi, case.nmi, &format!("nmi, {}", case.name));
        close(got.ari, case.ari, &format!("ari, {}", case.name));
        close(got.ami, case.ami, &format!("ami, {}", case.name));
    }
}

#[test]
fn internal_metrics_are_those_of_scikit_learn() {
    for case in fixture::<Vec<Internal>>("internal.json") {
        let rows = matrix(&case.rows);
        close(silhouette(&rows, &case.labels).expect("a score"), case.silhouette, &case.name);
        close(calinski_harabasz(&rows, &case.labels).expect("a score"), case.calinski_harabasz, &case.name);
        close(davies_bouldin(&rows, &case.labels).expect("a score"), case.davies_bouldin, &case.name);
    }
}

#[test]
fn labelings_that_cannot_be_compared_are_errors() {
    assert_eq!(ExternalScores::new(&[], &[]), Err(MetricsError::Empty));
    assert_eq!(ExternalScores::new(&[1], &[1, 2]), Err(MetricsError::Lengths { first: 1, second: 2 }));
    let rows = Matrix::<f32>::zeros(3, 2);
    for metric in [silhouette, calinski_harabasz, davies_bouldin] {
        assert_eq!(metric(&rows, &[0, 1]), Err(MetricsError::Lengths { first: 3, second: 2 }));
        assert_eq!(metric(&rows, &[5, 5, 5]), Err(MetricsError::Clusters { clusters: 1, rows: 3 }));
        assert_eq!(metric(&rows, &[0, 1, 2]), Err(MetricsError::Clusters { clusters: 3, rows: 3 }));
        assert_eq!(metric(&Matrix::zeros(0, 2), &[]), Err(MetricsError::Empty));
        let mut bad = rows.clone();
        bad.row_mut(1)[1] = f32::NAN;
        assert!(matches!(metric(&bad, &[0, 0, 1]), Err(MetricsError::Input(_))));
    }
    assert_eq!(silhouette_sampled(&rows, &[0, 0, 1], 2, 1), Err(MetricsError::Sample(2)));
}

#[test]
fn the_matching_names_the_pairs_that_make_the_accuracy() {
    // Cluster 1 prefers class 0 as well, but cluster 0 needs it more.
    let truth = [0, 0, 0, 0, 0, 1, 1, 2];
    let clusters = [0, 0, 0, 1, 1, 1, 2, 2];
    let table = Contingency::new(&truth, &clusters).expect("a table");
    let matching = table.matching();
    let agreeing = truth.iter().zip(clusters).filter(|(t, c)| matching.contains(&(*c, **t))).count();
    assert_eq!(matching, [(0, 0), (1, 1), (2, 2)]);
    assert_eq!(agreeing as f64 / 8.0, table.accuracy());
}

#[test]
fn a_cluster_for_each_of_many_rows_is_scored_without_a_square_table() {
    let rows: Vec<u32> = (0..200_000).collect();
    let scores = ExternalScores::new(&rows, &rows).expect("scores");
    assert_eq!((scores.acc, scores.purity, scores.ari), (1.0, 1.0, 1.0));
    close(scores.nmi, 1.0, "nmi");
}

#[test]
fn a_sample_of_every_row_is_the_exact_silhouette_and_a_smaller_one_is_near_and_follows_its_seed() {
    let rows = blobs(1500, 4, 3, 1);
    let labels: Vec<u32> = (0..1500).map(|i| i % 3).collect();
    let exact = silhouette(&rows, &labels).expect("a score");
    assert_eq!(silhouette_sampled(&rows, &labels, 1500, 9), Ok(exact));
    let sampled = silhouette_sampled(&rows, &labels, 400, 9).expect("a score");
    assert!((sampled - exact).abs() < 0.05, "{sampled} {exact}");
    assert_eq!(silhouette_sampled(&rows, &labels, 400, 9), Ok(sampled));
    assert_ne!(silhouette_sampled(&rows, &labels, 400, 10), Ok(sampled));
}

#[test]
fn internal_metrics_have_the_same_bits_on_any_number_of_threads() {
    let rows = blobs(1300, 7, 4, 2);
    let labels: Vec<u32> = (0..1300).map(|i| i % 5).collect();
    let run = |threads| {
        Pool::new(threads).expect("a pool").run(|| {
            (
                silhouettes(&rows, &labels).expect("scores"),
                calinski_harabasz(&rows, &labels).expect("a score"),
                davies_bouldin(&rows, &labels).expect("a score"),
            )
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

/// Every way to match clusters to classes.
fn accuracy_by_trying_all(truth: &[u32], clusters: &[u32], classes: u32, k: u32) -> f64 {
    fn best(cluster: u32, k: u32, free: &mut Vec<u32>, score: &dyn Fn(u32, u32) -> usize) -> usize {
        if cluster == k {
            return 0;
        }
        let mut most = best(cluster + 1, k, free, score);
        for i in 0..free.len() {
            let class = free.swap_remove(i);
            most = most.max(score(cluster, class) + best(cluster + 1, k, free, score));
            free.push(class);
            let last = free.len() - 1;
            free.swap(i, last);
        }
        most
    }
    let score = |c: u32, t: u32| truth.iter().zip(clusters).filter(|(x, y)| **x == t && **y == c).count();
    best(0, k, &mut (0..classes).collect(), &score) as f64 / truth.len() as f64
}

fn labelings() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    (1_u32..5, 1_u32..6, 1_usize..40).prop_flat_map(|(classes, k, n)| {
        (prop::collection::vec(0..classes, n), prop::collection::vec(0..k, n))
    })
}

fn all_close(a: ExternalScores, b: ExternalScores) {
    close(a.acc, b.acc, "accuracy");
    close(a.purity, b.purity, "purity");
    close(a.nmi, b.nmi, "nmi");
    close(a.ari, b.ari, "ari");
    close(a.ami, b.ami, "ami");
}

proptest! {
    #[test]
    fn accuracy_is_the_best_of_all_matchings((truth, clusters) in labelings()) {
        let want = accuracy_by_trying_all(&truth, &clusters, 4, 5);
        prop_assert!((accuracy(&truth, &clusters).unwrap() - want).abs() < 1e-12);
    }

    #[test]
    fn external_metrics_keep_their_bounds((truth, clusters) in labelings()) {
        let s = ExternalScores::new(&truth, &clusters).unwrap();
        prop_assert!(0.0 < s.acc && s.acc <= s.purity && s.purity <= 1.0);
        prop_assert!((-1e-12..=1.0 + 1e-12).contains(&s.nmi));
        prop_assert!((-0.5..=1.0).contains(&s.ari));
        prop_assert!(s.ami <= 1.0 + 1e-9);
    }

    #[test]
    fn external_metrics_ignore_names_and_the_order_of_rows((truth, clusters) in labelings(), seed: u64) {
        let plain = ExternalScores::new(&truth, &clusters).unwrap();
        let renamed = |l: &[u32], by: u32| l.iter().map(|x| (x ^ by).wrapping_mul(2_654_435_761)).collect::<Vec<_>>();
        all_close(plain, ExternalScores::new(&renamed(&truth, 3), &renamed(&clusters, 5)).unwrap());
        let mut order: Vec<usize> = (0..truth.len()).collect();
        StreamKey::new(seed, "order").open().shuffle(&mut order);
        let pick = |l: &[u32]| order.iter().map(|&i| l[i]).collect::<Vec<_>>();
        all_close(plain, ExternalScores::new(&pick(&truth), &pick(&clusters)).unwrap());
    }

    #[test]
    fn external_metrics_but_purity_are_symmetric((truth, clusters) in labelings()) {
        let (a, b) = (ExternalScores::new(&truth, &clusters).unwrap(), ExternalScores::new(&clusters, &truth).unwrap());
        all_close(ExternalScores { purity: 0.0, ..a }, ExternalScores { purity: 0.0, ..b });
    }

    #[test]
    fn the_same_partition_scores_1(truth in prop::collection::vec(0_u32..6, 1..60)) {
        let scores = ExternalScores::new(&truth, &truth.iter().map(|x| 77 - 9 * x).collect::<Vec<_>>()).unwrap();
        all_close(scores, ExternalScores { acc: 1.0, purity: 1.0, nmi: 1.0, ari: 1.0, ami: 1.0 });
    }

    #[test]
    fn one_cluster_is_as_pure_as_its_largest_class_and_tells_nothing(truth in prop::collection::vec(0_u32..4, 2..60)) {
        prop_assume!(truth.iter().any(|t| *t != truth[0]));
        let one = vec![3; truth.len()];
        let largest = (0..4).map(|c| truth.iter().filter(|t| **t == c).count()).max().unwrap();
        let scores = ExternalScores::new(&truth, &one).unwrap();
        close(scores.acc, largest as f64 / truth.len() as f64, "accuracy");
        close(purity(&truth, &one).unwrap(), scores.acc, "purity");
        prop_assert_eq!((scores.nmi, scores.ari, scores.ami), (0.0, 0.0, 0.0));
    }

    #[test]
    fn internal_metrics_ignore_names_and_the_order_of_rows(seed in 0_u64..1000, n in 5_usize..80) {
        let rows = blobs(n, 3, 2, seed);
        let labels: Vec<u32> = (0..n as u32).map(|i| i % 3).collect();
        let mut order: Vec<usize> = (0..n).collect();
        StreamKey::new(seed, "order").open().shuffle(&mut order);
        let other: Vec<u32> = order.iter().map(|&i| 40 - 7 * labels[i]).collect();
        let moved = reordered(&rows, &order);
        for metric in [silhouette, calinski_harabasz, davies_bouldin] {
            close(metric(&moved, &other).unwrap(), metric(&rows, &labels).unwrap(), "reordered");
        }
        let values = silhouettes(&rows, &labels).unwrap();
        prop_assert!(values.iter().all(|s| (-1.0..=1.0).contains(s)));
        prop_assert!(davies_bouldin(&rows, &labels).unwrap() > 0.0);
    }
}

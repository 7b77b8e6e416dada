//! The choice among partitions of rows and codes.

use lpvdn::model::graph::{GraphModel, GraphParams, PartitionChoice, PartitionOf, Way};
use lpvdn::model::lpvdn::{Assignment, FinalClustering};
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::{ClusterModel, FitControl, Fitted, Lpvdn, LpvdnModel, LpvdnParams, Model, Space};
use lpvdn_cluster::metrics;
use lpvdn_core::{Dataset, Matrix, StreamKey};

/// Round groups of these sizes, far apart, whose columns have scales of their own.
fn table(sizes: &[usize]) -> (Dataset, Vec<u32>) {
    let mut stream = StreamKey::new(3, "table").open();
    let centers = Matrix::from_fn(sizes.len(), 6, |_, j| (8.0 * stream.normal()) as f32 * (1 + j) as f32);
    let labels: Vec<u32> = sizes.iter().zip(0_u32..).flat_map(|(&n, k)| vec![k; n]).collect();
    let rows = Matrix::from_fn(labels.len(), 6, |i, j| {
        centers.row(labels[i] as usize)[j] + stream.normal() as f32 * (1 + j) as f32
    });
    (Dataset::from(rows), labels)
}

/// Pictures of 6 × 6 pixels, each with a bar at one of three places.
fn pictures(rows: usize) -> (Dataset, Vec<u32>) {
    let mut stream = StreamKey::new(4, "pictures").open();
    let labels: Vec<u32> = (0..rows as u32).map(|i| i % 3).collect();
    let rows = Matrix::from_fn(rows, 36, |i, j| {
        let bright = (j / 12) as u32 == labels[i];
        let ink = if bright { 200.0 } else { 20.0 };
        (ink + 25.0 * stream.uniform() as f32 + if j == i % 36 { 30.0 } else { 0.0 }).round()
    });
    (Dataset::from(rows), labels)
}

fn small(clusters: usize) -> LpvdnParams {
    Lpvdn::params(clusters)
        .seed(5)
        .layers(vec![24, 16])
        .latent_dim(4)
        .output_dim(3)
        .pretrain_epochs(10)
        .epochs(10)
}

fn kept(fitted: &Fitted) -> (PartitionOf, Way) {
    let kept = fitted.partitions.as_ref().expect("partitions").kept();
    (kept.of, kept.way)
}

#[test]
fn rows_of_a_table_are_divided_as_they_are_and_unequal_clusters_are_found() {
    let (data, truth) = table(&[400, 120, 40, 20]);
    let fitted = small(4).fit(&data).expect("a fit");
    assert_eq!(kept(&fitted).0, PartitionOf::Rows);
    assert_eq!(metrics::ari(&truth, &fitted.labels), Ok(1.0));
    assert!(matches!(fitted.assignment(), Assignment::Rows(_)));
    let quick = GraphParams { seed: 5, ..GraphParams::new(4) }.fit(&data).expect("a fit");
    assert_eq!(fitted.labels, quick.labels);
    let found = fitted.partitions.as_ref().expect("partitions");
    assert!((found.reproduced - 1.0).abs() < 1e-9 && found.all.iter().any(|p| p.of == PartitionOf::Codes));
    assert!(found.all.iter().all(|p| p.labels.len() == 580 && p.modularity.is_finite()));
    // The networks are there all the same.
    let codes = fitted.transform(&data, Space::Embedding).expect("codes");
    assert_eq!((codes.cols(), fitted.embedding.cols(), fitted.centers().cols()), (3, 6, 6));
    assert_eq!(fitted.transform(&data, Space::Rows).expect("places"), fitted.embedding);
}

#[test]
fn pictures_are_divided_by_their_codes() {
    let (data, truth) = pictures(360);
    let fitted = small(3).fit(&data).expect("a fit");
    // Halves of so few rows are too small for the largest modularity, all of them are not.
    assert_eq!(kept(&fitted), (PartitionOf::Codes, Way::Modularity));
    assert_eq!(fitted.embedding.cols(), 3);
    assert!(metrics::ari(&truth, &fitted.labels).expect("labels") > 0.99);
}

#[test]
fn what_was_chosen_is_kept_in_the_file_and_predicted_for_any_subset() {
    for (data, _) in [table(&[200, 60, 40]), pictures(300)] {
        let fitted = small(3).fit(&data).expect("a fit");
        assert_eq!(fitted.predict(&data).expect("labels"), fitted.labels);
        let bytes = fitted.to_bytes().expect("bytes");
        let loaded = LpvdnModel::from_bytes(&bytes, "model").expect("a model");
        assert_eq!(loaded.to_bytes().expect("bytes"), bytes);
        let probabilities = loaded.predict_proba(&data).expect("probabilities");
        assert_eq!(probabilities, fitted.predict_proba(&data).expect("probabilities"));
        for (row, &label) in probabilities.iter_rows().zip(&fitted.labels) {
            assert!(row.iter().all(|p| *p <= row[label as usize]));
        }
        for some in [0..7, 100..101, 150..300] {
            let codes = fitted.codes(&data).expect("codes");
            let part = Matrix::from_fn(some.len(), codes.cols(), |i, j| codes.row(some.start + i)[j]);
            assert_eq!(fitted.labels_of(&part), fitted.labels[some]);
        }
    }
}

#[test]
fn the_model_is_the_same_on_any_number_of_threads_and_after_a_checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, data) in [("table", table(&[150, 60, 40]).0), ("pictures", pictures(300).0)] {
        let whole = small(3).fit(&data).expect("a fit").to_bytes().expect("bytes");
        let valid = small(3).check().expect("good");
        for threads in 1..=3 {
            let mut control = FitControl { threads, ..FitControl::default() };
            let fitted = valid.fit(&data, &mut control).expect("a fit");
            assert!(fitted.to_bytes().expect("bytes") == whole, "{name}, {threads} threads");
        }
        // The last checkpoint before the end is that of settling: everything after it is made again.
        let path = folder.path().join(name);
        for resume in [false, true] {
            let policy = CheckpointPolicy {
                resume,
                at_least_apart: std::time::Duration::ZERO,
                ..CheckpointPolicy::new(&path)
            };
            let mut control = FitControl { checkpoint: Some(policy), ..FitControl::default() };
            let fitted = valid.fit(&data, &mut control).expect("a fit");
            assert!(fitted.to_bytes().expect("bytes") == whole, "{name}, resumed: {resume}");
        }
    }
}

#[test]
fn a_partition_that_is_asked_for_is_one_of_the_codes() {
    let (data, truth) = table(&[200, 60, 40]);
    for clustering in [FinalClustering::Leiden, FinalClustering::KMeans] {
        let fitted = small(3).clustering(clustering).fit(&data).expect("a fit");
        assert!(fitted.partitions.is_none() && fitted.embedding.cols() == 3, "{clustering:?}");
        assert_eq!(fitted.predict(&data).expect("labels"), fitted.labels);
        assert!(metrics::ari(&truth, &fitted.labels).expect("labels") > 0.9, "{clustering:?}");
    }
}

#[test]
fn few_rows_and_equal_rows_are_divided_too() {
    for (rows, clusters) in [(20, 1), (24, 3), (40, 2), (40, 40)] {
        let data = Dataset::from(Matrix::from_fn(rows, 3, |i, j| ((i / 4 * (j + 1)) % 11) as f32));
        let fitted = small(clusters).fit(&data).expect("a fit");
        assert_eq!(fitted.predict(&data).expect("labels"), fitted.labels, "{rows} rows, {clusters} clusters");
    }
}

/// Three lines side by side, each of 200 rows.
fn lines() -> (Dataset, Vec<u32>) {
    let mut stream = StreamKey::new(8, "lines").open();
    let labels: Vec<u32> = (0..600).map(|i| i % 3).collect();
    let mut rows = Matrix::zeros(600, 2);
    for (i, &label) in labels.iter().enumerate() {
        let (along, across) = (20.0 * stream.uniform() as f32, 0.2 * stream.normal() as f32);
        rows.row_mut(i).copy_from_slice(&[along, along + across + 6.0 * label as f32]);
    }
    (Dataset::from(rows), labels)
}

fn quick(data: &Dataset, clusters: usize, partition: PartitionChoice) -> Fitted<GraphModel> {
    GraphParams { seed: 5, partition, ..GraphParams::new(clusters) }.fit(data).expect("a fit")
}

fn agreement(truth: &[u32], fitted: &Fitted<GraphModel>) -> f64 {
    metrics::ari(truth, &fitted.labels).expect("labels")
}

#[test]
fn long_clusters_side_by_side_are_found_though_k_means_cuts_across_them() {
    let (data, truth) = lines();
    assert!(agreement(&truth, &quick(&data, 3, PartitionChoice::KMeans)) < 0.5);
    let fitted = quick(&data, 3, PartitionChoice::Auto);
    assert!(agreement(&truth, &fitted) > 0.98);
    assert!(matches!(fitted.way(), Way::Leiden | Way::LeidenWhitened), "{}", fitted.way());
}

#[test]
fn a_splinter_is_not_taken_for_a_cluster() {
    // Two groups that touch, and ten rows apart from both.
    let mut stream = StreamKey::new(9, "splinter").open();
    let truth: Vec<u32> = (0..600).map(|i| i % 2).collect();
    let rows = Matrix::from_fn(610, 4, |i, j| {
        let middle = match (i, j) {
            (600.., 3) => 7.0,
            (600.., _) => 0.0,
            (_, 0) => 3.5 * truth[i] as f32,
            _ => 0.0,
        };
        middle + stream.normal() as f32 * if i < 600 { 1.0 } else { 0.2 }
    });
    let data = Dataset::from(rows);
    let ari = |partition| {
        let labels = quick(&data, 2, partition).labels;
        metrics::ari(&truth, &labels[..600]).expect("labels")
    };
    // Leiden sets the ten rows apart.
    assert!(ari(PartitionChoice::Leiden) < 0.1, "{}", ari(PartitionChoice::Leiden));
    assert!(ari(PartitionChoice::Auto) > 0.6, "{}", ari(PartitionChoice::Auto));
}

#[test]
fn a_model_of_the_second_space_is_kept_in_its_file_and_is_the_same_on_any_number_of_threads() {
    let (data, truth) = lines();
    let fitted = quick(&data, 3, PartitionChoice::LeidenWhitened);
    assert_eq!(fitted.way(), Way::LeidenWhitened);
    assert!(agreement(&truth, &fitted) > 0.98);
    assert_eq!(fitted.predict(&data).expect("labels"), fitted.labels);
    let bytes = fitted.to_bytes().expect("bytes");
    let loaded = Model::from_bytes(&bytes, "model").expect("a model");
    assert_eq!(loaded.predict(&data).expect("labels"), fitted.labels);
    assert!(loaded.to_bytes().expect("bytes") == bytes);
    let params = fitted.params().clone().check().expect("good");
    for threads in 1..=3 {
        let mut control = FitControl { threads, ..FitControl::default() };
        assert!(
            params.fit(&data, &mut control).expect("a fit").to_bytes().expect("bytes") == bytes,
            "{threads}"
        );
    }
}

//! Whether clusters are more than chance, how sure they are, and how many there are.

use lpvdn::model::graph::{GraphParams, PartitionChoice};
use lpvdn::model::k_means::KMeansParams;
use lpvdn::verdict::{NumberChoice, Structure, Verdict};
use lpvdn::{Estimator, FitControl, Fitted, Lpvdn, LpvdnParams, Method, Model, Recipe};
use lpvdn_core::{ColumnGroup, ColumnKind, CsrMatrix, Dataset, Matrix, PictureShape, Stream, StreamKey};

fn stream(name: &'static str) -> Stream {
    StreamKey::new(8, name).open()
}

/// Round groups, with centres this far apart in units of their deviation.
fn blobs(sizes: &[usize], columns: usize, apart: f64) -> (Dataset, Vec<u32>) {
    let mut stream = stream("blobs");
    let spread = apart / (2.0 * columns as f64).sqrt();
    let centers = Matrix::from_fn(sizes.len(), columns, |_, _| (spread * stream.normal()) as f32);
    let labels: Vec<u32> = sizes.iter().zip(0_u32..).flat_map(|(&n, k)| vec![k; n]).collect();
    let rows = Matrix::from_fn(labels.len(), columns, |i, j| {
        centers.row(labels[i] as usize)[j] + stream.normal() as f32
    });
    (Dataset::from(rows), labels)
}

fn graph(clusters: usize) -> Estimator {
    Estimator::Graph(GraphParams { seed: 3, ..GraphParams::new(clusters) })
}

fn judged_on(estimator: Estimator, data: &Dataset, threads: usize) -> Fitted<Model> {
    let mut control = FitControl { threads, ..FitControl::default() };
    let mut fitted = estimator.check().expect("good").fit(data, &mut control).expect("a fit");
    fitted.judge(data, &mut control).expect("a verdict");
    fitted
}

fn verdict(estimator: Estimator, data: &Dataset) -> Verdict {
    judged_on(estimator, data, 2).verdict.expect("a verdict")
}

#[test]
fn groups_that_are_apart_are_clear_structure_by_every_way_to_divide_them() {
    let (data, _) = blobs(&[120, 80, 60], 5, 14.0);
    let of = |partition| GraphParams { partition, ..GraphParams::new(3) };
    for partition in [PartitionChoice::Leiden, PartitionChoice::KMeans, PartitionChoice::Mixture] {
        let found = verdict(Estimator::Graph(of(partition)), &data);
        assert_eq!(found.structure, Structure::Clear, "{partition:?}: {found:?}");
        assert!(found.clusters.iter().all(|c| c.expect("a share") > 0.9), "{found:?}");
        assert!(found.stability > 0.9 && found.null().mean < 0.7, "{found:?}");
    }
    let k_means = verdict(Estimator::KMeans(KMeansParams::new(3)), &data);
    assert_eq!(k_means.structure, Structure::Clear, "{k_means:?}");
}

/// Data without clusters of many kinds: none of it may pass for structure.
#[test]
fn data_without_clusters_has_no_structure() {
    let mut stream = stream("noise");
    let mut normal = |rows, columns| Matrix::from_fn(rows, columns, |_, _| stream.normal() as f32);
    let round = normal(400, 6);
    let thick = normal(500, 12);
    let long = {
        let base = normal(400, 8);
        Matrix::from_fn(400, 8, |i, j| 6.0 * base.row(i)[0] + [1.0, 2.0, 0.5, 1.5][j % 4] * base.row(i)[j])
    };
    let mut stream = self::stream("uniform");
    let cube = Matrix::from_fn(400, 5, |_, _| stream.uniform() as f32);
    let square = Matrix::from_fn(400, 2, |_, _| stream.uniform() as f32);
    let skewed = Matrix::from_fn(400, 5, |_, _| (-stream.uniform().ln()) as f32);
    let sets = [round, thick, long, cube, square, skewed].map(Dataset::from);
    for (number, data) in sets.iter().enumerate() {
        for clusters in [3, 5] {
            let found = verdict(graph(clusters), data);
            assert_eq!(found.structure, Structure::None, "set {number}, {clusters} clusters: {found:?}");
            assert!(found.sentence().contains("no structure"), "{}", found.sentence());
        }
    }
}

#[test]
fn texts_of_random_words_have_no_structure_and_texts_of_topics_have() {
    let mut stream = stream("texts");
    let mut texts = |topics: usize| {
        let mut rows = CsrMatrix::new(300);
        for i in 0..300 {
            let mut counts = std::collections::BTreeMap::<u32, f32>::new();
            for _ in 0..40 {
                // Half of the words are of the topic.
                let of_topic = topics > 1 && stream.uniform() < 0.5;
                let (first, many) = if of_topic { ((i % topics) * 60, 60) } else { (0, 300) };
                *counts.entry((first as u64 + stream.below(many)) as u32).or_default() += 1.0;
            }
            rows.push_row(counts);
        }
        let group = ColumnGroup::new("text", ColumnKind::Text, 300);
        Dataset { groups: Some(vec![group]), ..Dataset::new("texts", rows) }
    };
    assert_eq!(verdict(graph(4), &texts(1)).structure, Structure::None);
    let found = verdict(graph(4), &texts(4));
    assert_eq!(found.structure, Structure::Clear, "{found:?}");
}

/// Four groups at the corners of a square: either column alone tells as much as both.
#[test]
fn clusters_of_single_columns_are_called_so() {
    let mut stream = stream("corners");
    let corner = |i: usize, j: usize| if (i >> j) & 1 == 1 { 20.0 } else { 0.0 };
    let data = Dataset::from(Matrix::from_fn(400, 2, |i, j| (corner(i, j) + stream.normal()) as f32));
    let found = verdict(Estimator::KMeans(KMeansParams::new(4)), &data);
    assert_eq!(found.structure, Structure::SingleColumns, "{found:?}");
}

#[test]
fn the_cluster_that_is_cut_at_random_is_the_unstable_one() {
    // Two groups far from each other in three clusters: one of them is cut somewhere.
    let (data, truth) = blobs(&[300, 300], 6, 30.0);
    let fitted = judged_on(Estimator::KMeans(KMeansParams::new(3)), &data, 2);
    let found = fitted.verdict.as_ref().expect("a verdict");
    let whole =
        fitted.labels[if fitted.labels[..300].iter().all(|l| *l == fitted.labels[0]) { 0 } else { 599 }];
    assert!(!found.unstable().contains(&(whole as usize)), "{found:?} {truth:?}");
    assert!(found.clusters[whole as usize] > Some(0.5));
    let others = (0..3).filter(|k| *k != whole as usize).map(|k| found.clusters[k].expect("a share"));
    assert!(others.fold(0.0, f64::max) < found.clusters[whole as usize].expect("a share"), "{found:?}");
}

fn pictures() -> Dataset {
    let mut stream = stream("pictures");
    let rows = Matrix::from_fn(240, 36, |i, j| {
        let bright = j / 12 == i % 3;
        ((if bright { 190.0 } else { 30.0 }) + 50.0 * stream.uniform()).round() as f32
    });
    Dataset { picture: Some(PictureShape { height: 6, width: 6, channels: 1 }), ..Dataset::from(rows) }
}

fn small() -> LpvdnParams {
    Lpvdn::params(3).seed(5).layers(vec![24, 16]).latent_dim(4).output_dim(3).pretrain_epochs(12).epochs(12)
}

#[test]
fn clusters_of_codes_are_found_again_by_short_trainings() {
    let data = pictures();
    let found = judged_on(Estimator::Lpvdn(Box::new(small())), &data, 2);
    let verdict = found.verdict.as_ref().expect("a verdict");
    assert!(verdict.trained && verdict.refits >= 2, "{verdict:?}");
    assert_ne!(verdict.structure, Structure::None, "{verdict:?}");
    assert!(found.knows_confidence());
}

#[test]
fn a_verdict_is_the_same_on_any_number_of_threads() {
    let (table, _) = blobs(&[150, 60, 40], 5, 7.0);
    let pictures = pictures();
    let cases = [
        (graph(3), &table),
        (Estimator::KMeans(KMeansParams::new(4)), &table),
        (Estimator::Lpvdn(Box::new(small())), &pictures),
        (Estimator::of(Method::AutoencoderKMeans, Recipe::Paper, 3), &pictures),
    ];
    for (estimator, data) in cases {
        let estimator = match estimator {
            Estimator::Encoder(mut params) => {
                (params.layers, params.pretrain_epochs) = (Some(vec![16]), Some(8));
                Estimator::Encoder(params)
            }
            other => other,
        };
        let results = [1, 2, 3].map(|threads| {
            let mut fitted = judged_on(estimator.clone(), data, threads);
            let mut verdict = fitted.verdict.take().expect("a verdict");
            verdict.seconds = 0.0;
            (format!("{verdict:?}"), fitted.model.to_bytes().expect("bytes"))
        });
        assert!(results[0] == results[1] && results[1] == results[2], "{}", results[0].0);
    }
}

#[test]
fn what_cannot_be_halved_is_not_judged() {
    let (few, _) = blobs(&[8, 7], 3, 20.0);
    assert_eq!(verdict(graph(2), &few).structure, Structure::NotJudged);
    let (one, _) = blobs(&[100], 3, 20.0);
    let found = verdict(graph(1), &one);
    assert_eq!((found.structure, found.figures()), (Structure::NotJudged, None));
    assert!(found.sentence().contains("a single cluster"), "{}", found.sentence());
    let (many, _) = blobs(&[60], 3, 20.0);
    assert!(verdict(graph(40), &many).sentence().contains("too few"));
}

#[test]
fn degenerate_rows_get_a_verdict_or_a_reason() {
    let equal = |i: usize| if i < 5 { i as f32 } else { 0.0 };
    let sets = [
        Matrix::from_fn(120, 3, |i, _| equal(i)),
        Matrix::from_fn(120, 2, |i, j| if j == 0 { (i % 2) as f32 } else { 1.0 }),
        Matrix::from_fn(90, 1, |i, _| (i * i) as f32),
    ];
    for rows in sets {
        for clusters in [2, 4] {
            let found = verdict(graph(clusters), &Dataset::from(rows.clone()));
            assert!(found.stability.is_finite() && !found.sentence().is_empty(), "{found:?}");
        }
    }
}

#[test]
fn the_confidence_lies_in_the_model_and_is_the_same_for_old_and_new_rows() {
    let (data, truth) = blobs(&[200, 150, 150], 4, 3.0);
    for estimator in [graph(3), Estimator::KMeans(KMeansParams::new(3))] {
        let fitted = judged_on(estimator, &data, 2);
        let confidences = fitted.confidences_of(&fitted.embedding, &fitted.labels);
        assert!(confidences.iter().all(|c| (0.0..=1.0).contains(c)));
        let bytes = fitted.model.to_bytes().expect("bytes");
        let loaded = Model::from_bytes(&bytes, "model").expect("its own file");
        assert!(loaded.knows_confidence() && loaded.to_bytes().expect("bytes") == bytes);
        // Any subset, in any order.
        let rows: Vec<u32> = (0..500).rev().step_by(7).collect();
        let some = data.clone().of_rows(rows.clone());
        let codes = loaded.codes(&some).expect("codes");
        let again = loaded.confidences_of(&codes, &loaded.labels_of(&codes));
        for (found, &row) in again.iter().zip(&rows) {
            assert_eq!(*found, confidences[row as usize], "row {row}");
        }
        // Rows in the wrong cluster are less sure than the others.
        let table = lpvdn_cluster::metrics::Contingency::new(&truth, &fitted.labels).expect("a table");
        let right: std::collections::BTreeMap<u32, u32> = table.matching().into_iter().collect();
        let mean = |wanted: bool| {
            let of = (0..500).filter(|&i| (right[&fitted.labels[i]] == truth[i]) == wanted);
            let (sum, n) = of.fold((0.0, 0), |(sum, n), i| (sum + confidences[i], n + 1));
            assert!(n > 5, "{n} rows");
            sum / n as f32
        };
        assert!(mean(true) > mean(false) + 0.02, "{} {}", mean(true), mean(false));
    }
}

#[test]
fn a_model_that_was_not_judged_has_the_probability_for_confidence() {
    let (data, _) = blobs(&[60, 60], 3, 10.0);
    let fitted = graph(2).check().expect("good").fit(&data, &mut FitControl::default()).expect("a fit");
    assert!(!fitted.knows_confidence());
    let probabilities = fitted.probabilities_of(&fitted.embedding);
    let confidences = fitted.confidences_of(&fitted.embedding, &fitted.labels);
    assert!((0..120).all(|i| confidences[i] == probabilities.row(i)[fitted.labels[i] as usize]));
}

fn number(data: &Dataset, threads: usize) -> NumberChoice {
    let params = GraphParams { seed: 3, ..GraphParams::new(2) };
    let mut control = FitControl { threads, ..FitControl::default() };
    NumberChoice::choose(data, 2..=9, &params, &mut control).expect("a number")
}

#[test]
fn the_number_of_groups_is_found_and_noise_supports_none() {
    let (data, _) = blobs(&[120, 90, 70, 60, 50], 5, 16.0);
    let found = number(&data, 2);
    assert!(found.supported && found.clusters.abs_diff(5) <= 1, "{found:?}");
    let same = number(&data, 1);
    assert_eq!(found, same);
    let mut stream = stream("none");
    let noise = Dataset::from(Matrix::from_fn(300, 6, |_, _| stream.normal() as f32));
    let found = number(&noise, 2);
    assert!(!found.supported, "{found:?}");
}

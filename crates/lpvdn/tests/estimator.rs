//! The estimator as its users meet it: fit, predict, ablations, interruption, files.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use lpvdn::loss::affinities::AffinitySource;
use lpvdn::loss::reconstruction::Likelihood;
use lpvdn::model::k_means::KMeansParams;
use lpvdn::model::lpvdn::{Assignment, FinalClustering, NegativeRows};
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::{
    ClusterModel, DataProblem, Event, FitControl, FitError, Fitted, Lpvdn, LpvdnModel, LpvdnParams,
    ModelError, Phase, RunStore, Space,
};
use lpvdn_cluster::metrics::ExternalScores;
use lpvdn_core::preprocess::Scaling;
use lpvdn_core::{CsrMatrix, Dataset, Labels, Matrix, StreamKey};
use lpvdn_nn::Init;

#[path = "common/seal.rs"]
mod sealing;

use sealing::seal;

/// Three groups of rows, each bright in its own third of 12 columns.
fn groups(rows: usize) -> (Matrix<f32>, Vec<u32>) {
    let mut s = StreamKey::new(3, "groups").open();
    let truth: Vec<u32> = (0..rows).map(|i| (i % 3) as u32).collect();
    let values = Matrix::from_fn(rows, 12, |i, j| {
        let level: f64 = if j / 4 == i % 3 { 0.8 } else { 0.15 };
        (level + 0.08 * s.normal()).clamp(0.0, 1.0) as f32
    });
    (values, truth)
}

fn data(rows: usize) -> Dataset {
    Dataset::from(groups(rows).0)
}

fn small() -> LpvdnParams {
    Lpvdn::params(3)
        .seed(5)
        .layers(vec![24, 16])
        .latent_dim(4)
        .output_dim(3)
        .batch(60)
        .pretrain_epochs(15)
        .epochs(15)
        // `candidates.rs` has the choice among partitions.
        .clustering(FinalClustering::Graph)
}

fn fit(params: LpvdnParams, data: &Dataset) -> Fitted {
    params.fit(data).expect("a fit")
}

/// Rows `order` of `data`, as a data set of their own.
fn subset(rows: &Matrix<f32>, order: &[usize]) -> Dataset {
    Dataset::from(Matrix::from_fn(order.len(), rows.cols(), |i, j| rows.row(order[i])[j]))
}

#[test]
fn groups_are_found() {
    let (rows, truth) = groups(240);
    let fitted = fit(small(), &Dataset::from(rows));
    let scores = ExternalScores::new(&truth, &fitted.labels).expect("scores");
    assert!(scores.acc > 0.95, "accuracy {}", scores.acc);
    assert!(fitted.warnings.is_empty() && fitted.effective_clusters > 2.5);
    assert_eq!(fitted.history.len(), 60);
}

#[test]
fn predict_on_the_training_rows_gives_the_labels_of_fit() {
    let data = data(200);
    let fitted = fit(small(), &data);
    assert_eq!(fitted.predict(&data).expect("labels"), fitted.labels);
    let probabilities = fitted.predict_proba(&data).expect("probabilities");
    for (row, &label) in probabilities.iter_rows().zip(&fitted.labels) {
        let best = (0..3).max_by(|&a, &b| row[a].total_cmp(&row[b])).expect("a cluster");
        assert_eq!(best, label as usize);
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn any_subset_in_any_order_gets_the_same_bits() {
    let (rows, _) = groups(300);
    let whole = Dataset::from(rows.clone());
    let fitted = fit(small(), &whole);
    for space in [Space::Embedding, Space::Latent] {
        let all = fitted.transform(&whole, space).expect("codes");
        let backwards: Vec<usize> = (0..300).rev().collect();
        for order in [vec![17], vec![299, 3], backwards, (40..110).collect()] {
            let codes = fitted.transform(&subset(&rows, &order), space).expect("codes");
            for (i, &row) in order.iter().enumerate() {
                assert_eq!(codes.row(i), all.row(row), "row {row}");
            }
        }
    }
}

#[test]
fn one_seed_gives_one_model_and_another_seed_another() {
    let data = data(150);
    let bytes = |params: LpvdnParams, threads| {
        let mut control = FitControl { threads, ..FitControl::default() };
        let fitted = params.check().expect("good").fit(&data, &mut control).expect("a fit");
        fitted.to_bytes().expect("bytes")
    };
    let one = bytes(small(), 1);
    assert_eq!(one, bytes(small(), 2));
    assert_eq!(one, bytes(small(), 3));
    assert_ne!(one, bytes(small().seed(6), 1));
}

#[test]
fn sparse_rows_are_clustered_as_dense_ones() {
    let (rows, truth) = groups(240);
    let sparse = Matrix::from_fn(240, 12, |i, j| if rows.row(i)[j] < 0.4 { 0.0 } else { rows.row(i)[j] });
    let data = Dataset::new("sparse", CsrMatrix::from_dense(&sparse));
    let fitted = fit(small(), &data);
    let scores = ExternalScores::new(&truth, &fitted.labels).expect("scores");
    assert!(scores.acc > 0.95, "accuracy {}", scores.acc);
    assert_eq!(fitted.predict(&data).expect("labels"), fitted.labels);
}

#[test]
fn a_model_of_dense_rows_gives_sparse_ones_the_same_codes() {
    // More rows than a block, so that a batch is filled twice.
    let (rows, _) = groups(1100);
    let far = Matrix::from_fn(
        1100,
        12,
        |i, j| if rows.row(i)[j] < 0.4 { 0.0 } else { 30.0 * rows.row(i)[j] + 5.0 },
    );
    let dense = Dataset::new("dense", far.clone());
    let sparse = Dataset::new("sparse", CsrMatrix::from_dense(&far));
    let params = KMeansParams { scale: Scaling::Standard, ..KMeansParams::new(3) };
    let fitted = params.fit(&dense).expect("a fit");
    assert_eq!(fitted.codes(&sparse).expect("codes"), fitted.codes(&dense).expect("codes"));
}

#[test]
fn terms_can_be_left_out() {
    let data = data(150);
    let vade = fit(small().alpha0(0.0).alpha1(0.0), &data);
    assert_eq!(*vade.assignment(), Assignment::Prior);
    assert_eq!(vade.latent_k_means.as_ref().map(Vec::len), Some(150));
    // Labels are the most probable component at the latent mean.
    let gamma = vade.responsibilities(&data).expect("responsibilities");
    for (row, &label) in gamma.iter_rows().zip(&vade.labels) {
        assert!(row.iter().all(|p| *p <= row[label as usize]));
    }
    assert!(vade.history.iter().all(|e| e.locality.is_none() && e.mutual_information_loss.is_none()));
    let no_mi = fit(small().alpha0(0.0).clustering(FinalClustering::Graph), &data);
    assert!(matches!(no_mi.assignment(), Assignment::Centers { .. }));
    assert!(no_mi.history.last().expect("epochs").locality.is_some());
}

/// Rows enough for cells of o', and clusters that are not round, as most of eight in three groups are not:
/// what the graph makes of them is kept in the file, and predicted alike.
#[test]
fn the_graph_of_neighbours_makes_the_clusters_of_larger_sets() {
    let data = data(900);
    let small = || LpvdnParams { clusters: 8, clustering: FinalClustering::Graph, ..small() };
    let fits = (0..6).map(|seed| fit(small().seed(seed), &data));
    let mut by_cells = fits.filter(|fitted| matches!(fitted.assignment(), Assignment::Cells { .. }));
    let fitted = by_cells.next().expect("a fit whose clusters are not round");
    let small = || small().seed(fitted.params().seed);
    assert_eq!(fitted.predict(&data).expect("labels"), fitted.labels);
    let bytes = fitted.to_bytes().expect("bytes");
    let loaded = LpvdnModel::from_bytes(&bytes, "model").expect("a model");
    assert_eq!(loaded.predict_proba(&data).expect("a"), fitted.predict_proba(&data).expect("b"));
    let probabilities = fitted.probabilities_of(&fitted.embedding);
    for (row, &label) in probabilities.iter_rows().zip(&fitted.labels) {
        assert!(
            row.iter().all(|p| *p <= row[label as usize]) && (row.iter().sum::<f32>() - 1.0).abs() < 1e-5
        );
    }
    let by_centres = fit(LpvdnParams { clustering: FinalClustering::KMeans, ..small() }, &data);
    assert!(matches!(by_centres.assignment(), Assignment::Centers { .. }));
    assert_eq!(by_centres.embedding, fitted.embedding);
}

#[test]
fn a_mixture_can_cluster_the_codes() {
    let (rows, truth) = groups(240);
    let data = Dataset::from(rows);
    let fitted = fit(small().clustering(FinalClustering::GaussianMixture), &data);
    assert!(ExternalScores::new(&truth, &fitted.labels).expect("scores").acc > 0.9);
    assert_eq!(fitted.predict(&data).expect("labels"), fitted.labels);
}

#[test]
fn rows_and_samples_come_back_on_the_scale_of_the_data() {
    let (rows, _) = groups(240);
    // A table, not probabilities: it is standardised, and decoding must undo that.
    let table = Matrix::from_fn(240, 12, |i, j| 100.0 + 20.0 * rows.row(i)[j] * (j + 1) as f32);
    let data = Dataset::from(table.clone());
    let fitted = fit(small().pretrain_epochs(100).epochs(60), &data);
    let back = fitted.reconstruct(&data).expect("rows");
    let error = |m: &Matrix<f32>| {
        m.as_slice().iter().zip(table.as_slice()).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>()
    };
    let means = Matrix::from_fn(240, 12, |_, j| table.iter_rows().map(|r| r[j]).sum::<f32>() / 240.0);
    assert!(error(&back) < 0.5 * error(&means), "reconstructions are no better than the mean row");
    let samples = fitted.sample(1, 50, 9).expect("samples");
    assert_eq!((samples.rows(), samples.cols()), (50, 12));
    let labels = fitted.predict(&Dataset::from(samples)).expect("labels");
    assert!(labels.iter().filter(|&&l| l == 1).count() > 40, "{labels:?}");
    assert!(matches!(fitted.sample(3, 1, 0), Err(ModelError::NoSuchCluster { cluster: 3, clusters: 3 })));
    let wide = Matrix::zeros(1, 5);
    assert!(matches!(fitted.decode(&wide), Err(ModelError::LatentSize { found: 5, wanted: 4 })));
}

#[test]
fn a_model_file_gives_the_model_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.safetensors");
    let data = data(150);
    for params in [small(), small().alpha1(0.0), small().clustering(FinalClustering::GaussianMixture)] {
        let fitted = fit(params, &data);
        fitted.save(&path).expect("saved");
        let loaded = LpvdnModel::load(&path).expect("loaded");
        assert_eq!(loaded, fitted.model);
        assert_eq!(loaded.predict(&data).expect("labels"), fitted.labels);
    }
}

/// A fit that is stopped after `stop_at` steps, and the fit that goes on from its checkpoint.
fn stopped_and_resumed(params: LpvdnParams, data: &Dataset, path: &Path, stop_at: usize) -> Fitted {
    let params = params.check().expect("good");
    let stop = AtomicBool::new(false);
    let mut steps = 0;
    let mut observer = |event: &Event<'_>| {
        if matches!(event, Event::Step { .. }) {
            steps += 1;
            stop.store(steps >= stop_at, Ordering::Relaxed);
        }
    };
    let mut control = FitControl {
        observer: Some(&mut observer),
        stop: Some(&stop),
        checkpoint: Some(CheckpointPolicy::new(path)),
        ..FitControl::default()
    };
    let stopped = params.fit(data, &mut control);
    assert!(matches!(stopped, Err(FitError::Interrupted { checkpoint: Some(_) })));
    let policy = CheckpointPolicy { resume: true, ..CheckpointPolicy::new(path) };
    let mut control = FitControl { checkpoint: Some(policy), ..FitControl::default() };
    params.fit(data, &mut control).expect("a fit")
}

#[test]
fn an_interrupted_fit_resumes_to_the_same_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = data(150);
    let untouched = fit(small(), &data);
    let whole = untouched.to_bytes().expect("bytes");
    // All that a report says but how fast it went.
    let losses = |fitted: &Fitted| -> Vec<_> {
        fitted.history.iter().map(|e| (e.phase, e.epoch, e.loss.to_bits(), e.occupancy.clone())).collect()
    };
    for stop_at in [1, 7, 30, 50, 74, 90, 91, 140, 179] {
        let path = folder.path().join(format!("checkpoint-{stop_at}"));
        let resumed = stopped_and_resumed(small(), &data, &path, stop_at);
        assert_eq!(resumed.to_bytes().expect("bytes"), whole, "stopped after step {stop_at}");
        assert_eq!(losses(&resumed), losses(&untouched), "stopped after step {stop_at}");
        let policy = CheckpointPolicy { resume: true, ..CheckpointPolicy::new(&path) };
        let mut control = FitControl { checkpoint: Some(policy), ..FitControl::default() };
        let other = small().seed(99).check().expect("good");
        assert!(matches!(other.fit(&data, &mut control), Err(FitError::Checkpoint(_))));
    }
}

/// The graph is measured between codes of an earlier epoch: a resumed fit must not take today's.
#[test]
fn a_fit_with_a_graph_of_neighbours_resumes_to_the_same_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = data(150);
    let small = || small().clustering(FinalClustering::KMeans);
    for affinities in [AffinitySource::LatentGraph, AffinitySource::RowGraph, AffinitySource::BothGraphs] {
        let params = LpvdnParams { affinities, neighbors: 7, refresh: 2, ..small() };
        let whole = fit(params.clone(), &data);
        assert_ne!(whole.embedding, fit(small(), &data).embedding);
        for stop_at in [30, 46, 50, 57, 74, 90, 133] {
            let path = folder.path().join(format!("{affinities:?}-{stop_at}"));
            let resumed = stopped_and_resumed(params.clone(), &data, &path, stop_at);
            assert_eq!(resumed.model, whole.model, "stopped after step {stop_at}");
        }
    }
}

/// Each path that sums floats or draws rows in another way.
#[test]
fn every_way_to_train_gives_the_same_bits_on_any_number_of_threads() {
    let (rows, _) = groups(150);
    let dense = data(150);
    let sparse = Dataset::new("sparse", CsrMatrix::from_dense(&rows));
    let ways = [
        (&dense, LpvdnParams { affinities: AffinitySource::LatentGraph, refresh: 3, ..small() }),
        (&dense, LpvdnParams { affinities: AffinitySource::RowGraph, ..small() }),
        (&dense, LpvdnParams { affinities: AffinitySource::Both, ..small() }),
        (&dense, LpvdnParams { negatives: NegativeRows::Independent, ..small() }),
        (&sparse, small()),
    ];
    for (data, params) in ways {
        let fit = |threads| {
            let mut control = FitControl { threads, ..FitControl::default() };
            let fitted = params.clone().check().expect("good").fit(data, &mut control).expect("a fit");
            fitted.to_bytes().expect("bytes")
        };
        let one = fit(1);
        assert!(one == fit(2) && one == fit(3), "{params:?}");
    }
}

#[test]
fn a_damaged_or_older_checkpoint_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint");
    let data = data(150);
    let params = LpvdnParams { affinities: AffinitySource::LatentGraph, ..small() }.check().expect("good");
    let stop = AtomicBool::new(false);
    let mut observer = |event: &Event<'_>| {
        let joint = matches!(event, Event::Step { phase: Phase::Joint, done: 7 });
        stop.fetch_or(joint, Ordering::Relaxed);
    };
    let mut control = FitControl {
        observer: Some(&mut observer),
        stop: Some(&stop),
        checkpoint: Some(CheckpointPolicy::new(&path)),
        ..FitControl::default()
    };
    assert!(params.fit(&data, &mut control).is_err());
    let whole = std::fs::read(&path).expect("a checkpoint");
    let resume = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("written");
        let policy = CheckpointPolicy { resume: true, ..CheckpointPolicy::new(&path) };
        let mut control = FitControl { checkpoint: Some(policy), ..FitControl::default() };
        params.fit(&data, &mut control).map(|_| ()).map_err(|e| e.to_string())
    };
    let edited = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = whole.windows(from.len()).position(|w| w == from.as_bytes());
        let at = at.unwrap_or_else(|| panic!("{from} is not there"));
        let mut bytes = whole.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        seal(&mut bytes);
        resume(&bytes).expect_err("refused")
    };
    let version = edited(r#"checkpoint_version\":5"#, r#"checkpoint_version\":1"#);
    assert!(version.contains("checkpoint version 1"), "{version}");
    let position = edited(r#"\"step\":1"#, r#"\"step\":9"#);
    assert!(position.contains("another run") || position.contains("other data"), "{position}");
    for missing in ["kept", "adam.first", "record"] {
        let other: String = missing.chars().rev().collect();
        let error = edited(&format!("\"{missing}\""), &format!("\"{other}\""));
        assert!(error.contains("damaged"), "{error}");
    }
    for end in [0, 1, 100, whole.len() / 2, whole.len() - 1] {
        resume(&whole[..end]).expect_err("refused");
    }
    resume(&whole).expect("the whole one is taken");
}

#[test]
fn what_the_store_has_gives_the_same_model_and_serves_other_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = data(150);
    // Values from 0 to 1, of which the likelihood is a choice.
    let small = || LpvdnParams { scale: Scaling::Auto, ..small() };
    let found = |params: LpvdnParams| {
        let mut found = None;
        let mut observer = |event: &Event<'_>| {
            if let Event::Found { phase, .. } = event {
                found = Some(*phase);
            }
        };
        let store = Some(RunStore::at(folder.path()));
        let mut control = FitControl { observer: Some(&mut observer), store, ..FitControl::default() };
        let fitted = params.check().expect("good").fit(&data, &mut control).expect("a fit");
        (found, fitted)
    };
    let alone = fit(small(), &data);
    let (first, second) = (found(small()), found(small()));
    assert_eq!((first.0, second.0), (None, Some(Phase::Settle)));
    for fitted in [&first.1, &second.1] {
        assert_eq!(fitted.model, alone.model);
        assert_eq!(fitted.history.len(), alone.history.len());
    }
    // Another clustering of the same codes.
    let params = LpvdnParams { clustering: FinalClustering::GaussianMixture, starts: 3, ..small() };
    let (phase, fitted) = found(params.clone());
    assert_eq!((phase, fitted.model), (Some(Phase::Settle), fit(params, &data).model));
    assert_eq!(found(small().alpha1(0.5)).0, Some(Phase::Pretrain));
    let found = |params| found(params).0.is_some();
    assert!(!found(small().seed(8)));
    assert!(!found(small().pretrain_epochs(3)));
    // As many parameters, but other values.
    assert!(!found(LpvdnParams { pretrain_lr: 2e-3, ..small() }));
    assert!(!found(LpvdnParams { latent_penalty: 0.1, ..small() }));
    assert!(!found(LpvdnParams { likelihood: Some(Likelihood::Gaussian), ..small() }));
    assert!(!found(LpvdnParams { init: Init::Xavier, ..small() }));
    assert!(!found(small().batch(40)));
    let other = Dataset::from(Matrix::from_fn(150, 12, |i, j| if i % 3 == j % 3 { 0.75 } else { 0.25 }));
    let mut taken = false;
    let mut observer = |event: &Event<'_>| taken |= matches!(event, Event::Found { .. });
    let store = Some(RunStore::at(folder.path()));
    let mut control = FitControl { observer: Some(&mut observer), store, ..FitControl::default() };
    small().check().expect("good").fit(&other, &mut control).expect("a fit");
    assert!(!taken, "the pre-training of other data");
}

/// Batches of 15 and 16 rows: L_LP counts in the one and not in the other, and what one leaves behind must
/// not reach the next, interrupted or not.
#[test]
fn batches_on_the_edge_of_having_neighbourhoods_resume_to_the_same_model() {
    let data = data(131);
    let params = || small().batch(17).pretrain_epochs(1).epochs(4);
    let folder = tempfile::tempdir().expect("a folder");
    let resumed = stopped_and_resumed(params(), &data, &folder.path().join("checkpoint"), 19);
    let resumed = resumed.to_bytes().expect("bytes");
    assert_eq!(resumed, fit(params(), &data).to_bytes().expect("bytes"));
}

#[test]
fn too_few_rows_for_neighbourhoods_fall_back_to_the_mixture_with_a_warning() {
    let data = data(12);
    let fitted = fit(small(), &data);
    assert_eq!(*fitted.assignment(), Assignment::Prior);
    assert!(fitted.warnings.iter().any(|w| w.contains("L_LP is left out")), "{:?}", fitted.warnings);
    assert_eq!(fitted.predict(&data).expect("labels"), fitted.labels);
    // Its own settings lead to the same model again.
    let again = fit(fitted.params().clone(), &data);
    assert_eq!(again.to_bytes().expect("bytes"), fitted.to_bytes().expect("bytes"));
}

#[test]
fn data_that_cannot_be_clustered_is_refused_with_its_reason() {
    let problem = |rows: Matrix<f32>| match small().fit(&Dataset::from(rows)) {
        Err(FitError::Data(problem)) => problem,
        other => panic!("expected a data problem, got {other:?}"),
    };
    assert!(matches!(problem(Matrix::zeros(0, 3)), DataProblem::NoRows { .. }));
    assert!(matches!(problem(Matrix::zeros(5, 0)), DataProblem::NoColumns { .. }));
    assert!(matches!(
        problem(Matrix::from_fn(1, 3, |_, j| j as f32)),
        DataProblem::TooFewRows { rows: 1, .. }
    ));
    let single = problem(Matrix::from_fn(1, 3, |_, j| j as f32)).to_string();
    assert!(single.contains("a single row, and at least 2 are needed"), "{single}");
    assert!(matches!(
        problem(Matrix::from_fn(2, 3, |i, j| (i + j) as f32)),
        DataProblem::TooFewRows { rows: 2, .. }
    ));
    assert!(matches!(problem(Matrix::from_fn(50, 3, |_, _| 4.0)), DataProblem::AllEqual { .. }));
    assert!(matches!(problem(Matrix::from_fn(50, 3, |_, j| j as f32)), DataProblem::AllEqual { .. }));
    let mut holed = groups(60).0;
    holed.row_mut(41)[2] = f32::NAN;
    let message = problem(holed).to_string();
    assert!(
        message.contains("row 42")
            && message.contains("column 2 (counted from 0)")
            && message.contains("NaN"),
        "{message}"
    );
}

#[test]
fn a_learning_rate_that_explodes_is_an_error_that_names_the_term() {
    let error = small().lr(1e18).fit(&data(150)).expect_err("no number can survive this");
    let message = error.to_string();
    assert!(matches!(error, FitError::NonFinite { .. }), "{message}");
    assert!(message.contains("(--lr "), "{message}");
    let params = LpvdnParams { pretrain_lr: 1e30, ..small() };
    let message = params.fit(&data(150)).expect_err("nor this").to_string();
    assert!(message.contains("(--pretrain-lr "), "{message}");
}

#[test]
fn predict_refuses_rows_that_do_not_fit() {
    let fitted = fit(small(), &data(90));
    let narrow = Dataset::from(Matrix::<f32>::zeros(2, 5));
    assert!(matches!(fitted.predict(&narrow), Err(ModelError::Columns { found: 5, wanted: 12, .. })));
    let infinite = Dataset::from(Matrix::from_fn(2, 12, |i, _| if i == 1 { f32::INFINITY } else { 0.5 }));
    assert!(matches!(
        fitted.predict(&infinite),
        Err(ModelError::Data(DataProblem::NonFinite { place, .. })) if place.starts_with("row 2 ")
    ));
    let none = Dataset::from(Matrix::<f32>::zeros(0, 12));
    assert_eq!(fitted.predict(&none).expect("no labels"), Vec::<u32>::new());
}

#[test]
fn a_fit_tells_what_it_will_take_and_how_it_goes() {
    let (rows, truth) = groups(150);
    let names: Vec<String> = truth.iter().map(|t| format!("group {t}")).collect();
    let data = Dataset::from(rows).with_labels(Labels::from_names(&names));
    let (mut planned, mut epochs, mut scored) = (None, Vec::new(), Vec::new());
    let mut observer = |event: &Event<'_>| match event {
        Event::Planned(plan) => planned = Some((*plan).clone()),
        Event::Epoch(report) => epochs.push((*report).clone()),
        Event::Evaluated(e) => scored.push(e.epoch),
        _ => {}
    };
    let mut control =
        FitControl { observer: Some(&mut observer), evaluate_every: 5, ..FitControl::default() };
    small().check().expect("good").fit(&data, &mut control).expect("a fit");
    let plan = planned.expect("a plan");
    assert_eq!((plan.rows, plan.columns, plan.clusters), (150, 12, 3));
    assert!(plan.seconds > 0.0 && plan.memory_bytes > 1000 && plan.parameters > 1000);
    assert_eq!(epochs.len(), 15 + 15 + 30);
    assert_eq!(scored, [1, 5, 10, 15]);
    let settled = epochs.last().expect("epochs");
    assert_eq!((settled.phase, settled.seconds_left), (Phase::Settle, 0.0));
    assert!(settled.locality.expect("L_LP is on") < epochs[30].locality.expect("L_LP is on"));
    assert_eq!((settled.reconstruction, settled.effective_clusters), (None, None));
    let last = &epochs[29];
    assert!(last.phase == Phase::Joint && last.seconds_left > 0.0);
    assert!((last.occupancy.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    assert!(last.information.expect("L_MI is on") < std::f64::consts::LN_2);
    assert!(epochs[14].reconstruction < epochs[0].reconstruction, "pre-training learns");
}

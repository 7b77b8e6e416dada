//! What holds for every method.
#![allow(missing_docs)]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use lpvdn::ClusterModel;
use lpvdn::model::autoencoder::{AutoencoderParams, Refinement};
use lpvdn::model::clustergan::{ClassStart, ClusterGanParams};
use lpvdn::model::k_means::KMeansParams;
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::{
    DataProblem, Estimator, Event, FitControl, FitError, Fitted, Method, Model, ModelError, Phase, Recipe,
    RunStore,
};
use lpvdn_cluster::metrics::ExternalScores;
use lpvdn_core::preprocess::Scaling;
use lpvdn_core::{CsrMatrix, Dataset, Labels, Matrix, StreamKey};

const CLUSTERS: usize = 3;

/// Three groups in [0, 1], told apart by which third of the columns is bright.
fn rows(count: usize) -> (Matrix<f32>, Labels) {
    let mut stream = StreamKey::new(9, "rows").open();
    let codes: Vec<u32> = (0..count as u32).map(|i| i % 3).collect();
    let values = Matrix::from_fn(count, 12, |i, j| {
        let bright = j / 4 == codes[i] as usize;
        let noise = 0.15 * stream.normal();
        if bright { (0.7 + noise).clamp(0.0, 1.0) as f32 } else { (0.12 + noise).max(0.0) as f32 }
    });
    (values, Labels { codes, names: ["a", "b", "c"].map(str::to_owned).to_vec() })
}

fn dense() -> Dataset {
    let (values, labels) = rows(600);
    Dataset::new("rows", values).with_labels(labels)
}

fn sparse() -> Dataset {
    let (values, labels) = rows(600);
    Dataset::new("rows", CsrMatrix::from_dense(&values)).with_labels(labels)
}

/// A network so small that a fit takes no time.
fn small(method: Method) -> Estimator {
    small_of(method, Recipe::Robust)
}

fn small_of(method: Method, recipe: Recipe) -> Estimator {
    match Estimator::of(method, recipe, CLUSTERS) {
        Estimator::KMeans(params) => Estimator::KMeans(params),
        Estimator::Graph(params) => Estimator::Graph(params),
        Estimator::Encoder(mut params) => {
            params.layers = Some(vec![24]);
            params.latent_dim = 4;
            params.batch = Some(60);
            params.seed = 3;
            params.pretrain_epochs = params.pretrain_epochs.or(Some(40));
            match &mut params.refinement {
                Refinement::None => {}
                Refinement::Variational { epochs, lr, .. } => (*epochs, *lr) = (Some(60), 3e-3),
                Refinement::SelfTraining { interval, batch, steps, .. } => {
                    (*interval, *batch, *steps) = (Some(5), 50, 60);
                }
            }
            Estimator::Encoder(params)
        }
        Estimator::ClusterGan(mut params) => {
            params.layers = vec![32, 32];
            params.noise_dim = 3;
            params.steps = 1_000;
            params.critic_steps = 3;
            params.batch = 50;
            params.lr = 1e-3;
            params.seed = 3;
            params.pretrain_epochs = Some(3);
            Estimator::ClusterGan(params)
        }
        Estimator::Lpvdn(mut params) => {
            params.layers = Some(vec![24]);
            params.locality_layers = Some(vec![16]);
            params.discriminator_layers = vec![16];
            params.latent_dim = 4;
            params.batch = Some(60);
            params.seed = 3;
            params.pretrain_epochs = Some(40);
            params.epochs = Some(8);
            // So few columns reconstruct little: the whole divergence would outweigh it.
            params.divergence = 0.02;
            Estimator::Lpvdn(params)
        }
    }
}

fn fit(method: Method, data: &Dataset, control: &mut FitControl<'_>) -> Result<Fitted<Model>, FitError> {
    small(method).check().expect("good parameters").fit(data, control)
}

fn fitted(method: Method, data: &Dataset) -> Fitted<Model> {
    fit(method, data, &mut FitControl::default()).unwrap_or_else(|e| panic!("{method}: {e}"))
}

fn bytes(fitted: &Fitted<Model>) -> Vec<u8> {
    fitted.to_bytes().expect("bytes")
}

#[test]
fn every_method_finds_groups_that_are_apart() {
    for data in [dense(), sparse()] {
        for method in Method::ALL {
            let fitted = fitted(method, &data);
            let truth = &data.labels.as_ref().expect("labels").codes;
            let acc = ExternalScores::new(truth, &fitted.labels).expect("scores").acc;
            assert!(acc > 0.95, "{method}: {acc}");
            assert_eq!(fitted.model.method(), method);
            assert_eq!(
                (fitted.clusters(), fitted.embedding.cols()),
                (CLUSTERS, fitted.code_size()),
                "{method}"
            );
        }
    }
}

#[test]
fn every_method_that_trains_its_clusters_is_scored_on_the_way() {
    let data = dense();
    let truth = &data.labels.as_ref().expect("labels").codes;
    for method in [Method::VariationalKMeans, Method::Dec, Method::ClusterGan, Method::Vade] {
        let mut estimator = small(method);
        if let Estimator::Encoder(params) = &mut estimator
            && let Refinement::SelfTraining { tolerance, .. } = &mut params.refinement
        {
            // Or it would end at the second look.
            *tolerance = 0.0;
        }
        let estimator = estimator.check().expect("good parameters");
        let mut seen = Vec::new();
        let mut observer = |event: &Event<'_>| {
            if let Event::Evaluated(evaluation) = event {
                seen.push((*evaluation).clone());
            }
        };
        let mut control =
            FitControl { observer: Some(&mut observer), evaluate_every: 2, ..FitControl::default() };
        let fitted = estimator.fit(&data, &mut control).unwrap_or_else(|e| panic!("{method}: {e}"));
        assert_eq!(seen, fitted.evaluations, "{method}");
        assert_eq!((seen[0].epoch, seen[1].epoch), (1, 2), "{method}");
        let epochs = fitted.history.iter().filter(|report| report.phase == Phase::Joint).count();
        let last = seen.last().expect("an evaluation");
        assert_eq!(seen.len(), 1 + epochs / 2, "{method}");
        assert_eq!(last.mixture_acc.is_some(), method == Method::Vade, "{method}");
        // Scores on the way are those of a fit that ends there, and leave it as it is.
        let scores = ExternalScores::new(truth, &fitted.labels).expect("scores");
        assert_eq!((last.epoch, last.acc, last.nmi), (epochs, scores.acc, scores.nmi), "{method}");
        let unseen = estimator.fit(&data, &mut FitControl::default()).expect("a model");
        assert!(bytes(&fitted) == bytes(&unseen), "{method}");
    }
}

/// Far from zero, 32 bits cannot tell the groups apart; 64 can, and so can a model of them that is asked later.
#[test]
fn groups_far_from_zero_are_found_where_their_digits_are_there() {
    let (values, labels) = rows(600);
    let at = |offset: f64| Matrix::from_fn(600, 12, |i, j| offset + 3.0 * f64::from(values.row(i)[j]));
    for method in [Method::KMeans, Method::AutoencoderKMeans, Method::Lpvdn] {
        let far = Dataset::new("far", at(1.7e9)).with_labels(labels.clone());
        let fitted = fitted(method, &far);
        let acc = ExternalScores::new(&labels.codes, &fitted.labels).expect("scores").acc;
        assert!(acc > 0.95, "{method}: {acc}");
        let again = Model::from_bytes(&bytes(&fitted), "far").expect("a model");
        let some = Dataset::new("some", Matrix::from_vec(at(1.7e9).row(7).to_vec(), 1, 12));
        assert_eq!(again.predict(&some).expect("labels"), fitted.labels[7..8], "{method}");
        let rounded = Dataset::new("rounded", Matrix::from_fn(9, 12, |i, j| at(1.7e9).row(i)[j] as f32));
        assert!(matches!(again.predict(&rounded), Err(ModelError::TooCoarse { .. })), "{method}");
    }
    let equal = Dataset::new("far", at(1.7e9));
    for scale in [Scaling::None, Scaling::Max, Scaling::Norm] {
        let refused = KMeansParams { scale, ..KMeansParams::new(3) }.fit(&equal);
        assert!(matches!(refused, Err(FitError::Data(_))), "not scaled, they are all equal");
    }
}

#[test]
fn labels_probabilities_and_the_file_agree() {
    let data = dense();
    for method in Method::ALL {
        let fitted = fitted(method, &data);
        assert_eq!(fitted.predict(&data).expect("labels"), fitted.labels, "{method}");
        let probabilities = fitted.predict_proba(&data).expect("probabilities");
        for (i, &label) in fitted.labels.iter().enumerate() {
            let row = probabilities.row(i);
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{method}");
            assert!(row.iter().all(|p| *p <= row[label as usize]), "{method}, row {i}: {row:?}");
        }
        let some = fitted.codes_of_rows(&data, 100..130).expect("codes");
        assert_eq!(some.row(29), fitted.embedding.row(129), "{method}");
        let mut again =
            Model::from_bytes(&bytes(&fitted), "a file").unwrap_or_else(|e| panic!("{method}: {e}"));
        again.set_threads(fitted.threads());
        assert_eq!(again, fitted.model, "{method}");
        let other = Dataset::from(Matrix::<f32>::zeros(2, 5));
        assert!(matches!(again.predict(&other), Err(ModelError::Columns { found: 5, wanted: 12, .. })));
        again.set_reading(serde_json::json!({ "kind": "test" }));
        let kept = Model::from_bytes(&again.to_bytes().expect("bytes"), "a file").expect("a model");
        assert_eq!(kept.reading(), again.reading(), "{method}");
    }
}

#[test]
fn one_seed_gives_one_model_on_any_number_of_threads() {
    for data in [dense(), sparse()] {
        for method in Method::ALL {
            let with = |threads| {
                let mut control = FitControl { threads, ..FitControl::default() };
                bytes(&fit(method, &data, &mut control).expect("a model"))
            };
            assert!(with(1) == with(3), "{method}");
        }
    }
}

/// Stops a fit after so many steps, and lets it go on; `None` where it was done before.
fn stopped_and_resumed<M>(
    folder: &Path,
    stop_at: usize,
    fit: impl Fn(&mut FitControl<'_>) -> Result<Fitted<M>, FitError>,
) -> Option<Fitted<M>> {
    let policy = CheckpointPolicy::new(folder.join("stopped"));
    let stop = AtomicBool::new(false);
    let mut steps = 0;
    let mut observer = |event: &Event<'_>| {
        steps += usize::from(matches!(event, Event::Step { .. }));
        stop.store(steps >= stop_at, Ordering::Relaxed);
    };
    let mut control = FitControl {
        observer: Some(&mut observer),
        stop: Some(&stop),
        checkpoint: Some(policy.clone()),
        ..FitControl::default()
    };
    match fit(&mut control) {
        Err(FitError::Interrupted { checkpoint }) => assert!(checkpoint.is_some(), "after {stop_at}"),
        Ok(_) => return None,
        Err(e) => panic!("before {stop_at}: {e}"),
    }
    let resume = Some(CheckpointPolicy { resume: true, ..policy });
    let rest = fit(&mut FitControl { checkpoint: resume, ..FitControl::default() });
    Some(rest.unwrap_or_else(|e| panic!("after {stop_at}: {e}")))
}

/// Every method that trains for a while can be stopped at any step, and goes on to the same model.
#[test]
fn a_stopped_fit_goes_on_to_the_same_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = dense();
    for method in Method::ALL.into_iter().filter(|method| *method != Method::KMeans) {
        let whole = fitted(method, &data);
        let stops: &[usize] = match method {
            // 3 epochs of 5 steps of its autoencoder, then 250 that are guided: within each, at its end, and after.
            Method::ClusterGan => &[7, 15, 120, 265, 303],
            _ => &[7, 403, 420],
        };
        for &stop_at in stops {
            let Some(rest) = stopped_and_resumed(folder.path(), stop_at, |c| fit(method, &data, c)) else {
                continue;
            };
            assert!(bytes(&rest) == bytes(&whole), "{method} after {stop_at}");
            assert_eq!(rest.history.len(), whole.history.len(), "{method}");
        }
    }
}

/// Also where a look at all rows has just been taken, or is due.
#[test]
fn dec_can_be_stopped_at_every_step() {
    let folder = tempfile::tempdir().expect("a folder");
    // Nothing but noise: rows keep changing their clusters.
    let mut stream = StreamKey::new(2, "noise").open();
    let data = Dataset::new("noise", Matrix::from_fn(600, 12, |_, _| stream.uniform() as f32));
    let Estimator::Encoder(mut params) = small(Method::Dec) else { panic!("DEC") };
    params.pretrain_epochs = Some(1);
    params.scale = Scaling::None;
    if let Refinement::SelfTraining { interval, steps, tolerance, lr, .. } = &mut params.refinement {
        // The last epoch is shorter than the others.
        (*interval, *steps, *tolerance, *lr) = (Some(3), 8, 1e-9, 20.0);
    }
    let params = params.check().expect("good parameters");
    let whole = params.fit(&data, &mut FitControl::default()).expect("a model");
    let done = |fitted: &Fitted<_>| fitted.history.len();
    assert_eq!(done(&whole), 1 + 3, "it has settled: other data, or a larger rate");
    let (pretrained, all) = (10, 10 + 8);
    for stop_at in pretrained..all {
        let rest = stopped_and_resumed(folder.path(), stop_at, |control| params.fit(&data, control));
        let rest = rest.expect("a fit that was stopped");
        assert_eq!(done(&rest), done(&whole), "after {stop_at}");
        assert!(rest.to_bytes().ok() == whole.to_bytes().ok(), "after {stop_at}");
    }
}

#[test]
fn damaged_model_files_are_refused() {
    let data = dense();
    for method in Method::ALL {
        let whole = bytes(&fitted(method, &data));
        for length in (0..whole.len()).step_by(whole.len() / 97 + 1) {
            assert!(Model::from_bytes(&whole[..length], "a file").is_err(), "{method}");
        }
        for place in (0..whole.len()).step_by(whole.len() / 211 + 1) {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x15;
            // Not all of the header is guarded by a checksum; what is read must be usable.
            if let Ok(model) = Model::from_bytes(&damaged, "a file") {
                let _ = model.predict(&data);
            }
        }
        let name = br#"columns\":12"#;
        let start = whole.windows(name.len()).position(|window| window == name);
        let start = start.unwrap_or_else(|| panic!("{method}")) + name.len() - 2;
        for columns in [" 0", "99"] {
            let mut damaged = whole.clone();
            damaged[start..start + 2].copy_from_slice(columns.as_bytes());
            assert!(Model::from_bytes(&damaged, "a file").is_err(), "{method} with {columns} columns");
        }
    }
}

#[test]
fn methods_share_their_pre_training() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, store) = (dense(), RunStore::at(folder.path()));
    let run = |method| {
        let mut found = false;
        let mut observer =
            |event: &Event<'_>| found |= matches!(event, Event::Found { phase: Phase::Pretrain, .. });
        let mut control =
            FitControl { observer: Some(&mut observer), store: Some(store.clone()), ..FitControl::default() };
        let fitted = fit(method, &data, &mut control).expect("a model");
        (found, bytes(&fitted))
    };
    assert!(!run(Method::AutoencoderKMeans).0);
    for method in [Method::Dec, Method::Vade] {
        let (found, with_store) = run(method);
        assert!(found, "{method}");
        assert!(with_store == bytes(&fitted(method, &data)), "{method}");
    }
}

/// Its autoencoder is that of the others, and the clusters of that are what its classes start from.
#[test]
fn clustergan_starts_from_the_autoencoder_of_the_others_or_from_chance() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, store) = (dense(), RunStore::at(folder.path()));
    let Estimator::ClusterGan(mut params) = small(Method::ClusterGan) else { panic!("ClusterGAN") };
    params.pretrain_epochs = Some(20);
    params.class_start = ClassStart::Graph;
    let autoencoder = AutoencoderParams {
        seed: params.seed,
        pretrain_epochs: params.pretrain_epochs,
        ..AutoencoderParams::plain(Recipe::Robust, CLUSTERS)
    };
    let mut control = FitControl { store: Some(store.clone()), ..FitControl::default() };
    let plain = autoencoder.check().expect("good parameters").fit(&data, &mut control).expect("a model");
    let mut phases = Vec::new();
    let mut observer = |event: &Event<'_>| match event {
        Event::Found { phase, .. } => phases.push(("found", *phase)),
        Event::Phase { phase, .. } => phases.push(("run", *phase)),
        _ => {}
    };
    let mut control =
        FitControl { observer: Some(&mut observer), store: Some(store), ..FitControl::default() };
    // Guided to the end, it says what the autoencoder said.
    params.guided_steps = Some(params.steps);
    let guided = params.clone().check().expect("good parameters").fit(&data, &mut control).expect("a model");
    assert_eq!(phases, [("found", Phase::Pretrain), ("run", Phase::Joint)]);
    let scores = ExternalScores::new(&plain.labels, &guided.labels).expect("scores");
    assert!(scores.acc > 0.95, "{}", scores.acc);
    let errors: Vec<f64> = guided.history.iter().filter_map(|report| report.guidance_error).collect();
    assert!(errors.len() == 2 && errors[0] < 1.0 && errors[1] < 0.3 * errors[0], "{errors:?}");
    // What the store holds is what it would have made.
    let alone = params.clone().fit(&data).expect("a model");
    assert!(alone.to_bytes().ok() == guided.to_bytes().ok());
    params.class_start = ClassStart::Random;
    let free = params.fit(&data).expect("a model");
    assert!(
        free.history.iter().all(|report| report.phase == Phase::Joint && report.guidance_error.is_none())
    );
}

/// Convolutions have statistics beside what guides them; several districts have a sample that speaks for all rows; without
/// epochs of the autoencoder nothing is guided.
#[test]
fn a_guided_clustergan_of_images_can_be_stopped_at_every_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut stream = StreamKey::new(5, "images").open();
    let data = Dataset::new("images", Matrix::from_fn(120, 64, |_, _| stream.uniform() as f32));
    let (graph, rows) = (ClassStart::Graph, ClassStart::Rows);
    let cases =
        [(graph, 120, 1, 1), (graph, 60, 1, 4), (graph, 120, 0, 4), (rows, 120, 0, 1), (rows, 60, 0, 4)];
    for (class_start, district, pretrain_epochs, every) in cases {
        let params = ClusterGanParams {
            class_start,
            steps: 6,
            critic_steps: 2,
            batch: 20,
            guided_steps: Some(3),
            pretrain_epochs: Some(pretrain_epochs),
            district,
            ..ClusterGanParams::new(3).for_images([8, 8, 1])
        };
        let params = params.check().expect("good parameters");
        let mut all = 0;
        let mut observer = |event: &Event<'_>| all += usize::from(matches!(event, Event::Step { .. }));
        let mut control = FitControl { observer: Some(&mut observer), ..FitControl::default() };
        let whole = params.fit(&data, &mut control).expect("a model");
        assert!(all >= 6 + pretrain_epochs, "{all}");
        for stop_at in (1..all).step_by(every) {
            let rest = stopped_and_resumed(folder.path(), stop_at, |control| params.fit(&data, control));
            let rest = rest.expect("a fit that was stopped");
            assert!(rest.to_bytes().ok() == whole.to_bytes().ok(), "after {stop_at}");
        }
    }
}

/// Every initial clustering that a fit announces, and the model.
fn announced(estimator: Estimator, data: &Dataset) -> (Vec<Vec<u32>>, Fitted<Model>) {
    let mut initial = Vec::new();
    let mut observer = |event: &Event<'_>| {
        if let Event::Initial { partitions, .. } = event {
            initial.push(partitions.kept().labels.clone());
        }
    };
    let mut control = FitControl { observer: Some(&mut observer), ..FitControl::default() };
    let fitted = estimator.check().expect("good parameters").fit(data, &mut control).expect("a model");
    (initial, fitted)
}

#[test]
fn trained_methods_announce_an_initial_clustering_in_the_robust_recipe_alone() {
    let data = dense();
    let quick = fitted(Method::Graph, &data);
    for method in Method::PAPER {
        let (initial, fitted) = announced(small(method), &data);
        if method == Method::KMeans {
            assert_eq!(initial.len(), 0, "{method}");
            continue;
        }
        assert_eq!(initial.len(), 1, "{method}");
        let scores = ExternalScores::new(&quick.labels, &initial[0]).expect("scores");
        assert!(scores.ari > 0.99, "{method}: {}", scores.ari);
        assert!(!fitted.history.is_empty(), "{method}");
    }
}

#[test]
fn the_papers_recipe_announces_no_initial_clustering() {
    for method in Method::PAPER {
        let (initial, _) = announced(shortened(small_of(method, Recipe::Paper), Scaling::Auto), &dense());
        assert_eq!(initial.len(), 0, "{method}");
    }
}

/// Whatever stops a fit before its first step, a checkpoint that it came from is still there to go on from.
#[test]
fn a_fit_can_be_stopped_while_the_rows_are_divided_and_goes_on_to_the_same_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = long_groups();
    let trained = |method: &Method| !matches!(method, Method::KMeans | Method::Graph);
    for method in Method::ALL.into_iter().filter(trained) {
        let whole = fitted(method, &data);
        let policy = CheckpointPolicy::new(folder.path().join(method.name()));
        let again = CheckpointPolicy { resume: true, ..policy.clone() };
        let run = |policy: &CheckpointPolicy, until: fn(&Event<'_>) -> bool| {
            let stop = AtomicBool::new(false);
            let mut observer = |event: &Event<'_>| {
                stop.fetch_or(until(event), Ordering::Relaxed);
            };
            let (observer, checkpoint) = (Some(&mut observer as _), Some(policy.clone()));
            fit(
                method,
                &data,
                &mut FitControl { observer, stop: Some(&stop), checkpoint, ..FitControl::default() },
            )
        };
        let dividing: fn(&Event<'_>) -> bool =
            |event| matches!(event, Event::Working("communities of the neighbour graph"));
        let found = run(&policy, dividing).expect_err("stopped");
        assert!(matches!(found, FitError::Interrupted { checkpoint: None }), "{method}: {found}");
        let found = run(&policy, |event| matches!(event, Event::Step { done: 7, .. })).expect_err("stopped");
        assert!(matches!(found, FitError::Interrupted { checkpoint: Some(_) }), "{method}: {found}");
        let found = run(&again, dividing).expect_err("stopped");
        assert!(matches!(found, FitError::Interrupted { checkpoint: Some(_) }), "{method}: {found}");
        let rest = run(&again, |_| false).unwrap_or_else(|e| panic!("{method}: {e}"));
        assert!(bytes(&rest) == bytes(&whole), "{method}");
    }
}

/// Two long groups side by side, across which K-means cuts, in columns that are no signal.
fn long_groups() -> Dataset {
    let mut stream = StreamKey::new(8, "long").open();
    let values = Matrix::from_fn(600, 2, |i, j| {
        let place = [0.0, 7.0 * (i % 2) as f64][j];
        (place + [6.0, 1.0][j] * stream.normal()) as f32
    });
    Dataset::new("long", values)
}

/// The start that a model of one of three methods says it had.
fn start_of(fitted: &Fitted<Model>) -> String {
    let settings = fitted.settings();
    let start = match fitted.method() {
        Method::Dec => &settings["refinement"]["center-start"],
        Method::ClusterGan => &settings["class-start"],
        _ => &settings["prior-start"],
    };
    start.as_str().expect("a start").to_owned()
}

#[test]
fn clusters_start_from_codes_of_signals_and_from_other_rows_and_the_model_says_so() {
    let mut stream = StreamKey::new(5, "bytes").open();
    let levels: Vec<u8> = (0..600 * 16)
        .map(|i| (60.0 + 120.0 * f64::from(u8::from(i / 16 % 3 == i % 3)) + 12.0 * stream.normal()) as u8)
        .collect();
    let signals = Dataset::new("bytes", Matrix::from_vec(levels, 600, 16));
    for (data, expected) in [(&signals, "graph"), (&long_groups(), "rows")] {
        for method in [Method::Dec, Method::Vade, Method::ClusterGan] {
            let mut estimator = small(method);
            // Not the default of its recipe.
            if let Estimator::ClusterGan(params) = &mut estimator {
                params.class_start = ClassStart::Auto;
            }
            let (initial, fitted) = announced(estimator, data);
            assert_eq!((initial.len(), start_of(&fitted).as_str()), (1, expected), "{method}");
            // What it says is what it did: asked for by name, it gives the same bits, and the other start others.
            let named = |start: &str| {
                let mut estimator = small(method);
                match &mut estimator {
                    Estimator::Encoder(AutoencoderParams {
                        refinement: Refinement::SelfTraining { center_start, .. },
                        ..
                    }) => *center_start = serde_json::from_value(start.into()).expect("a start"),
                    Estimator::ClusterGan(params) => {
                        params.class_start = serde_json::from_value(start.into()).expect("a start");
                    }
                    Estimator::Lpvdn(params) => {
                        params.prior_start = serde_json::from_value(start.into()).expect("a start");
                    }
                    _ => panic!("{method}"),
                }
                announced(estimator, data).1
            };
            assert!(bytes(&named(expected)) == bytes(&fitted), "{method}: {expected}");
            let other = if expected == "rows" { "graph" } else { "rows" };
            assert_eq!(start_of(&named(other)), other, "{method}");
        }
    }
}

#[test]
fn dec_stops_where_hardly_a_row_changes_its_cluster() {
    let data = dense();
    let epochs = |tolerance: f64| {
        let Estimator::Encoder(mut params) = small(Method::Dec) else { panic!("DEC") };
        if let Refinement::SelfTraining { tolerance: t, .. } = &mut params.refinement {
            *t = tolerance;
        }
        let fitted = params.fit(&data).expect("a model");
        fitted.history.iter().filter(|report| report.phase == Phase::Joint).count()
    };
    // 60 steps, 5 between two looks; a share of 0 is never below 0.
    assert_eq!(epochs(0.0), 12);
    assert_eq!(epochs(1.0), 1);
}

#[test]
fn parameters_outside_their_range_are_refused() {
    let refused = |change: fn(&mut Refinement)| {
        let Estimator::Encoder(mut params) = small(Method::Dec) else { panic!("DEC") };
        change(&mut params.refinement);
        params.check().expect_err("refused").to_string()
    };
    let rate = refused(|r| {
        if let Refinement::SelfTraining { lr, .. } = r {
            *lr = -1.0;
        }
    });
    assert!(rate.contains("lr") && rate.contains("-1"), "{rate}");
    let Estimator::KMeans(mut params) = small(Method::KMeans) else { panic!("K-means") };
    params.clusters = 0;
    assert!(params.fit(&dense()).expect_err("refused").to_string().contains("clusters"));
}

/// A fit of hardly a step.
fn shortest(method: Method, scale: Scaling) -> Estimator {
    shortened(small(method), scale)
}

fn shortened(mut estimator: Estimator, scale: Scaling) -> Estimator {
    match &mut estimator {
        Estimator::KMeans(params) => params.scale = scale,
        Estimator::Graph(params) => params.scale = scale,
        Estimator::Encoder(params) => {
            (params.scale, params.pretrain_epochs) = (scale, Some(1));
            match &mut params.refinement {
                Refinement::None => {}
                Refinement::Variational { epochs, .. } => *epochs = Some(1),
                Refinement::SelfTraining { steps, .. } => *steps = 1,
            }
        }
        Estimator::ClusterGan(params) => (params.scale, params.steps) = (scale, 1),
        Estimator::Lpvdn(params) => {
            (params.scale, params.pretrain_epochs, params.epochs) = (scale, Some(1), Some(1));
        }
    }
    estimator
}

#[test]
fn finite_values_at_the_end_of_the_range_are_clustered_or_refused_as_what_they_are() {
    const END: f32 = 3.4e38;
    let with = |value: fn(usize) -> f32| {
        let mut values = rows(60).0;
        (0..60).for_each(|i| values.row_mut(i)[5] = value(i));
        Dataset::new("rows", values)
    };
    let turns = with(|i| if i % 2 == 0 { END } else { -END });
    let once = with(|i| if i == 7 { END } else { 0.5 });
    // Its distance from the mean is beyond 32 bits.
    let apart = with(|i| if i == 7 { END } else { -END });
    let near = with(|i| i as f32);
    for method in Method::ALL {
        let fit = |data: &Dataset, scale| {
            shortest(method, scale).check().expect("good").fit(data, &mut FitControl::default())
        };
        for data in [&turns, &once, &apart] {
            for scale in [Scaling::Auto, Scaling::Standard, Scaling::Norm, Scaling::Max, Scaling::None] {
                let Err(error) = fit(data, scale) else { continue };
                assert!(
                    matches!(error, FitError::Data(DataProblem::TooLarge { .. })),
                    "{method}, {scale:?}: {error}"
                );
                let message = error.to_string();
                for part in ["rows: row ", "column 5 ", "3.4e38", "1e15"] {
                    assert!(message.contains(part), "{method}, {scale:?}: {message}");
                }
            }
            assert!(fit(data, Scaling::None).is_err(), "{method}");
        }
        let model = fit(&near, Scaling::Standard).unwrap_or_else(|e| panic!("{method}: {e}")).model;
        let error = model.predict(&turns).expect_err("beyond 32 bits").to_string();
        assert!(error.contains("row 1 ") && error.contains("3.4e38") && !error.contains("inf"), "{error}");
    }
}

#[test]
fn a_network_that_no_machine_can_hold_is_refused_before_memory_is_taken() {
    let layers = vec![1 << 20, 1 << 20];
    for method in Method::ALL {
        let huge = match small(method) {
            Estimator::KMeans(_) | Estimator::Graph(_) => continue,
            Estimator::Encoder(params) => {
                Estimator::Encoder(AutoencoderParams { layers: Some(layers.clone()), ..params })
            }
            Estimator::ClusterGan(params) => {
                Estimator::ClusterGan(ClusterGanParams { layers: layers.clone(), ..params })
            }
            Estimator::Lpvdn(mut params) => {
                params.layers = Some(layers.clone());
                Estimator::Lpvdn(params)
            }
        };
        let error = huge.check().expect("parameters").fit(&dense(), &mut FitControl::default());
        let error = error.expect_err("too large");
        assert!(
            matches!(error, FitError::Memory { needed, allowed } if needed > 1 << 42 && allowed < needed),
            "{method:?}: {error}"
        );
    }
}

/// Rows of which a random part may be all equal: such a part cannot be trained on.
#[test]
fn clusters_that_cannot_be_found_again_leave_the_fit_and_what_is_known_of_the_rows() {
    let values = Matrix::from_fn(90, 4, |i, j| if i == 0 { j as f32 } else { 0.5 });
    let data = Dataset::from(values);
    let Estimator::Encoder(params) = small(Method::AutoencoderKMeans) else { panic!("an encoder") };
    let judged = |seed| {
        let params = AutoencoderParams { clusters: 2, seed, ..params.clone() };
        let estimator = Estimator::Encoder(params).check().expect("good parameters");
        let mut fitted = estimator.fit(&data, &mut FitControl::default()).expect("a fit");
        fitted.judge(&data, &mut FitControl::default()).expect("a verdict, whatever it is");
        fitted.verdict.expect("a verdict")
    };
    let verdicts: Vec<_> = (0..8).map(judged).collect();
    let without = verdicts.iter().filter(|verdict| verdict.clusters.is_empty() && verdict.refits == 0);
    assert!(without.count() > 0, "{verdicts:?}");
    assert!(verdicts.iter().all(|verdict| !verdict.sentence().is_empty() && verdict.stability.is_finite()));
}

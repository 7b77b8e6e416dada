//! A search without labels, as its users meet it.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use lpvdn::model::lpvdn::{Found, ParamsError, Search};
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::{DataProblem, Event, FitControl, FitError, Lpvdn, LpvdnParams, RunStore};
use lpvdn_core::{Dataset, Matrix, StreamKey};

/// As many groups of rows as asked for, each bright in its own three columns.
fn groups(rows: usize, groups: usize) -> Dataset {
    let mut s = StreamKey::new(3, "groups").open();
    Dataset::from(Matrix::from_fn(rows, 3 * groups, |i, j| {
        let level: f64 = if j / 3 == i % groups { 0.8 } else { 0.15 };
        (level + 0.08 * s.normal()).clamp(0.0, 1.0) as f32
    }))
}

fn small() -> LpvdnParams {
    Lpvdn::params(4)
        .seed(5)
        .layers(vec![24, 16])
        .latent_dim(4)
        .output_dim(3)
        .batch(40)
        .pretrain_epochs(250)
        .epochs(60)
}

fn search(restarts: usize, clusters: Option<RangeInclusive<usize>>) -> Search {
    Search { restarts, clusters }
}

fn run(params: LpvdnParams, data: &Dataset, search: &Search, threads: usize) -> Result<Found, FitError> {
    let mut control = FitControl { threads, ..FitControl::default() };
    params.check().expect("good").search(data, search, &mut control)
}

#[test]
fn the_chosen_one_is_the_ordinary_fit_of_its_seed_on_any_number_of_threads() {
    let data = groups(240, 4);
    let one = run(small(), &data, &search(3, None), 1).expect("a search");
    let two = run(small(), &data, &search(3, None), 2).expect("a search");
    assert_eq!(one.fitted.model, two.fitted.model.clone().with_threads(1));
    let ordinary = small().seed(one.choice.seed).fit(&data).expect("a fit");
    assert_eq!(ordinary.to_bytes().expect("bytes"), one.fitted.to_bytes().expect("bytes"));
    let seeds: Vec<u64> = one.choice.candidates.iter().map(|c| c.seed).collect();
    assert_eq!(seeds, [5, 6, 7]);
    let scores = |found: &Found| -> Vec<_> {
        found.choice.candidates.iter().map(|c| (c.quality, c.agreement, c.loss.to_bits())).collect()
    };
    assert_eq!(scores(&one), scores(&two));
    // The groups are plain: candidates find the same ones.
    assert!(one.choice.agreement > Some(0.9), "agreement {:?}", one.choice.agreement);
    assert!(one.choice.curve.is_empty() && one.choice.clusters == 4);
    assert!(one.fitted.seconds > one.choice.candidates.iter().map(|c| c.seconds).sum());
}

#[test]
fn the_number_of_clusters_is_found() {
    for truth in [3, 5] {
        let data = groups(300, truth);
        let found = run(small(), &data, &search(1, Some(2..=8)), 0).expect("a search");
        assert_eq!(found.choice.clusters, truth, "{:?}", found.choice.curve);
        assert_eq!(found.fitted.clusters(), truth);
        let tried: Vec<usize> = found.choice.curve.iter().map(|p| p.clusters).collect();
        assert_eq!(tried, (2..=8).collect::<Vec<_>>());
        // One candidate has nobody to agree with.
        assert_eq!((found.choice.agreement, found.choice.curve[0].agreement), (None, None));
    }
}

/// A search that is stopped after `steps` steps of training and goes on.
fn stopped_and_resumed(
    params: LpvdnParams,
    data: &Dataset,
    search: &Search,
    folder: &Path,
    steps: usize,
) -> Found {
    let params = params.check().expect("good");
    let stop = AtomicBool::new(false);
    let mut done = 0;
    let mut observer = |event: &Event<'_>| {
        if matches!(event, Event::Step { .. } | Event::Trying { event: Event::Step { .. }, .. }) {
            done += 1;
            stop.store(done >= steps, Ordering::Relaxed);
        }
    };
    let control = |resume| {
        let policy = CheckpointPolicy { resume, ..CheckpointPolicy::new(folder.join("checkpoint")) };
        let store = Some(RunStore::at(folder.join("store")));
        FitControl { checkpoint: Some(policy), store, ..FitControl::default() }
    };
    let mut first = FitControl { observer: Some(&mut observer), stop: Some(&stop), ..control(false) };
    let stopped = params.search(data, search, &mut first);
    assert!(matches!(stopped, Err(FitError::Interrupted { .. })), "after {steps} steps");
    params.search(data, search, &mut control(true)).expect("a search")
}

#[test]
fn a_search_that_is_stopped_resumes_to_the_same_model() {
    let data = groups(160, 4);
    let search = search(2, Some(3..=5));
    let params = small().batch(80).pretrain_epochs(40).epochs(40);
    let whole = run(params.clone(), &data, &search, 0).expect("a search");
    // A candidate has 8 + 8 + 16 epochs of two steps, the full fit five times as many.
    for steps in [1, 17, 63, 64, 65, 127, 128, 250] {
        let folder = tempfile::tempdir().expect("a folder");
        let resumed = stopped_and_resumed(params.clone(), &data, &search, folder.path(), steps);
        assert_eq!(resumed.fitted.model, whole.fitted.model, "stopped after step {steps}");
        assert_eq!(resumed.choice.curve, whole.choice.curve, "stopped after step {steps}");
        let mut left = std::fs::read_dir(folder.path()).expect("a folder").flatten();
        assert!(left.all(|e| !e.file_name().to_string_lossy().starts_with("candidate")));
    }
}

#[test]
fn a_search_that_is_stopped_while_candidates_are_compared_stops_there_and_keeps_them() {
    let data = groups(160, 4);
    let search = search(2, Some(3..=40));
    let params = small().batch(80).pretrain_epochs(40).epochs(40).check().expect("good");
    let folder = tempfile::tempdir().expect("a folder");
    let control = || {
        let store = Some(RunStore::at(folder.path().join("store")));
        FitControl { store, ..FitControl::default() }
    };
    let stop = AtomicBool::new(false);
    let mut chosen = false;
    let mut observer = |event: &Event<'_>| match event {
        Event::Working(_) => stop.store(true, Ordering::Relaxed),
        Event::Chosen(_) => chosen = true,
        _ => {}
    };
    let mut first = FitControl { observer: Some(&mut observer), stop: Some(&stop), ..control() };
    let stopped = params.search(&data, &search, &mut first);
    assert!(matches!(stopped, Err(FitError::Interrupted { checkpoint: None })));
    assert!(!chosen, "all numbers of clusters were compared before the stop was noticed");

    let mut trained = 0;
    let mut observer = |event: &Event<'_>| {
        trained += usize::from(matches!(event, Event::Trying { event: Event::Step { .. }, .. }))
    };
    let mut again = FitControl { observer: Some(&mut observer), ..control() };
    let resumed = params.search(&data, &search, &mut again).expect("a search");
    assert_eq!(trained, 0, "candidates were trained again");
    let whole = params.search(&data, &search, &mut FitControl::default()).expect("a search");
    assert_eq!(resumed.fitted.model, whole.fitted.model);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let data = groups(60, 3);
    let refused = |search: Search| run(small(), &data, &search, 0).expect_err("refused");
    assert!(matches!(refused(search(0, None)), FitError::Params(ParamsError::BadRestarts { value: 0, .. })));
    for (from, to) in [(1, 3), (5, 4), (2, 5_000)] {
        let error = refused(search(1, Some(from..=to)));
        assert!(matches!(error, FitError::Params(ParamsError::BadClusterRange { .. })), "{error}");
    }
    let error = refused(search(1, Some(2..=61)));
    assert!(matches!(error, FitError::Data(DataProblem::TooFewRows { clusters: 61, .. })), "{error}");
}

#[test]
fn a_candidate_that_explodes_is_left_out_and_all_of_them_are_an_error() {
    let data = groups(120, 4);
    let params = LpvdnParams { lr: 1e30, ..small() };
    let error = run(params, &data, &search(2, None), 0).expect_err("an explosion");
    assert!(matches!(error, FitError::NonFinite { .. }), "{error}");
}

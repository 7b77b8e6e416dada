//! Rows on the disk and rows in memory make the same model.
#![allow(missing_docs)]

mod common;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use common::Place;
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::{Event, FitControl, FitError, LpvdnParams, Recipe};
use lpvdn_core::{Dataset, Matrix, StreamKey};
use lpvdn_data::{OpenOptions, open, write_npy};

/// Three groups, one after the other: a shuffle that stayed within blocks would never mix them.
fn groups(folder: &Path, rows: usize) -> PathBuf {
    let mut stream = StreamKey::new(5, "groups").open();
    let values = Matrix::from_fn(rows, 4, |i, j| {
        (stream.normal() + 6.0 * f64::from(u8::from(3 * i / rows == j))) as f32
    });
    let path = folder.join("groups.npy");
    write_npy(&path, &values).expect("written");
    path
}

fn opened(path: &Path, memory: Option<u64>) -> Dataset {
    let mut options = OpenOptions::default();
    options.memory = memory;
    open(path, &options).expect("rows")
}

fn small() -> LpvdnParams {
    LpvdnParams {
        layers: Some(vec![16]),
        locality_layers: Some(vec![16]),
        discriminator_layers: vec![8],
        latent_dim: 3,
        neighbors: 9,
        batch: Some(150),
        district: 3_500,
        pretrain_epochs: Some(1),
        epochs: Some(2),
        settle_epochs: Some(1),
        seed: 2,
        ..LpvdnParams::of_recipe(Recipe::Robust, 3)
    }
}

fn fitted(data: &Dataset, control: &mut FitControl<'_>) -> Result<Vec<u8>, FitError> {
    small().check()?.fit(data, control).map(|fitted| fitted.to_bytes().expect("bytes"))
}

#[test]
fn more_rows_than_a_district_give_one_model_from_the_disk_resumed_or_not_on_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = groups(folder.path(), 6_030);
    let (held, there) = (opened(&path, None), opened(&path, Some(2_000)));
    assert!(there.source.memory() < held.source.memory() / 5);

    let mut planned = 0;
    let mut observer = |event: &Event<'_>| {
        if let Event::Planned(plan) = event {
            planned = plan.districts;
        }
    };
    let mut control = FitControl { threads: 1, observer: Some(&mut observer), ..FitControl::default() };
    let whole = fitted(&held, &mut control).expect("a fit");
    assert_eq!(planned, 2);
    assert!(whole == fitted(&there, &mut FitControl { threads: 3, ..FitControl::default() }).expect("a fit"));

    // In the second district of the second epoch of training.
    let stop = AtomicBool::new(false);
    let mut steps = 0;
    let mut observer = |event: &Event<'_>| {
        steps += usize::from(matches!(event, Event::Step { .. }));
        stop.store(steps >= 42 + 42 + 30, Ordering::Relaxed);
    };
    let policy = CheckpointPolicy::new(folder.path().join("checkpoint"));
    let mut control = FitControl {
        observer: Some(&mut observer),
        stop: Some(&stop),
        checkpoint: Some(policy.clone()),
        ..FitControl::default()
    };
    assert!(matches!(fitted(&there, &mut control), Err(FitError::Interrupted { checkpoint: Some(_) })));
    let resume = Some(CheckpointPolicy { resume: true, ..policy });
    assert!(
        whole
            == fitted(&there, &mut FitControl { checkpoint: resume, ..FitControl::default() })
                .expect("a fit")
    );
}

#[test]
fn a_fit_that_needs_more_memory_than_it_may_take_is_refused_with_the_figure() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = opened(&groups(folder.path(), 2_000), None);
    let mut control = FitControl { memory: Some(3_000_000), ..FitControl::default() };
    let message = fitted(&data, &mut control).expect_err("too little").to_string();
    assert!(message.contains("MB of memory are needed, and 3 MB may be taken"), "{message}");
}

/// A table with a column of words, and sparse rows: what must be parsed before it can lie on a disk.
fn parsed(place: &Place) -> [PathBuf; 2] {
    let mut stream = StreamKey::new(6, "parsed").open();
    let (mut table, mut pairs) = (String::from("a,b,word\n"), String::new());
    for i in 0..4_000 {
        let group = 3 * i / 4_000;
        let (a, b) = (stream.normal() + 5.0 * group as f64, stream.normal());
        writeln!(table, "{a:.4},{b:.4},{}", ["x", "y", "z"][group]).expect("memory");
        writeln!(pairs, "{group} {}:{a:.4} {}:{b:.4}", 1 + group, 4 + i % 2).expect("memory");
    }
    place.write("a.csv", table);
    place.write("a.svm", pairs);
    [place.path("a.csv"), place.path("a.svm")]
}

#[test]
fn what_is_parsed_first_gives_one_model_with_and_without_memory() {
    let place = Place::new();
    for path in parsed(&place) {
        let (held, there) = (opened(&path, None), opened(&path, Some(20_000)));
        assert!(there.source.memory() < held.source.memory(), "{}", path.display());
        let fit = |data: &Dataset| fitted(data, &mut FitControl::default()).expect("a fit");
        assert!(fit(&held) == fit(&there), "{}", path.display());
    }
}

#[test]
fn clusters_and_codes_are_written_part_by_part() {
    let place = Place::new();
    let rows = 140_000;
    let text = groups(&place.path("."), 1_000).display().to_string();
    place.fit(&["digits", "--out", "other", "--quiet"]);
    place.fit(&[&text, "--clusters", "3", "--out", "run", "--quiet"]);
    let data = groups(&place.path("."), rows);
    let model = lpvdn::LpvdnModel::load(place.path("run/model.safetensors")).expect("a model");
    let (labels, codes) = (
        model.predict(&opened(&data, None)).expect("labels"),
        model.codes(&opened(&data, None)).expect("codes"),
    );
    let told = place.run(&["predict", "run", &text, "--memory", "100KB"]).succeeded().stdout;
    let told: Vec<(usize, u32)> = told
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[0].parse().expect("a row"), cells[1].parse().expect("a cluster"))
        })
        .collect();
    assert_eq!(told.len(), rows);
    assert!(told.into_iter().eq(labels.into_iter().enumerate()));
    place.run(&["transform", "run", &text, "--out", "codes.npy"]).succeeded();
    let written = opened(&place.path("codes.npy"), None);
    let mut batch = lpvdn_core::Batch::for_source(written.source.as_ref());
    written.source.gather(&(0..rows as u32).collect::<Vec<_>>(), &mut batch).expect("rows");
    assert!(batch == lpvdn_core::Batch::Dense(codes));
    // A model for other rows leaves nothing behind.
    place.run(&["predict", "other", &text, "--out", "none.csv"]).failed(1, &["columns"]);
    assert!(!place.path("none.csv").exists());
}

//! The paper's experiments from the command line, on rows so few that each is done at once.
#![allow(missing_docs)]

mod common;

use common::{Outcome, Place, names_in};

/// Settings under which every method is done at once.
const SMALL: [&str; 12] = [
    "--layers",
    "16",
    "--discriminator-layers",
    "8",
    "--locality-layers",
    "8",
    "--pretrain-epochs",
    "2",
    "--epochs",
    "2",
    "--batch",
    "20",
];

/// 40 rows of 4 pixels in two groups, with their classes.
fn place() -> Place {
    let place = Place::new();
    place.csv("rows.csv", |i, line| format!("{line},{}", ["a", "b"][i % 2]));
    place
}

fn experiment(place: &Place, name: &str, more: &[&str]) -> Outcome {
    let fixed = ["experiment", name, "rows.csv", "--label-column", "-1", "--quick", "--out", "out"];
    place.run(&[&fixed[..], &SMALL, more].concat())
}

/// The rows of the table, after a look at every file.
#[track_caller]
fn rows(place: &Place, name: &str) -> Vec<serde_json::Value> {
    let file = |extension: &str| format!("out/{name}.{extension}");
    let svg = place.text(&file("svg"));
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{name}");
    for wrong in ["NaN", "inf", "=\"\""] {
        assert!(!svg.contains(wrong), "{name}: {wrong}");
    }
    let png = place.read(&file("png"));
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 1_000, "{name}");
    assert!(png.ends_with(b"IEND\xaeB`\x82"), "{name}: cut short");
    let text = place.text(&file("md"));
    assert!(text.starts_with("# ") && text.contains(&format!("({name}.svg)")), "{text}");
    assert!(text.contains("lpvdn experiment"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&place.text(&file("json"))).expect("JSON");
    let rows = json["rows"].as_array().expect("rows").clone();
    // A line for the names, and one for each row.
    assert_eq!(place.text(&file("csv")).lines().count(), 1 + rows.len(), "{name}");
    rows
}

#[test]
fn the_ablation_has_a_row_for_each_combination_and_goes_on_where_it_was() {
    let place = place();
    let told = experiment(&place, "ablation", &[]).succeeded();
    assert!(told.stdout.contains("| L_G + L_MI + L_LP |"), "{}", told.stdout);
    let first = rows(&place, "ablation-rows-quick");
    let names: Vec<&str> = first.iter().filter_map(|row| row["terms"].as_str()).collect();
    assert_eq!(names, ["L_G + L_MI + L_LP", "L_G + L_LP", "L_G + L_MI", "L_G"]);
    assert!(first.iter().all(|row| row["ACC"]["mean"].as_f64().is_some_and(|acc| acc >= 0.5)), "{first:?}");
    let again = experiment(&place, "ablation", &[]).succeeded();
    assert!(again.stderr.contains("4 of 4 runs are recorded already"), "{}", again.stderr);
    assert_eq!(rows(&place, "ablation-rows-quick"), first);
    // Another experiment in the same folder shares the runs: α0 1 and α1 10 is what LPVDN has anyway.
    let grid = experiment(&place, "hyperparameters", &[]).succeeded();
    assert!(grid.stderr.contains("1 of 4 runs are recorded already"), "{}", grid.stderr);
    assert_eq!(place.text("out/runs.jsonl").lines().count(), 7);
}

#[test]
fn noise_is_measured_for_every_model_and_kept() {
    let place = place();
    experiment(&place, "noise", &["--steps", "3"]).succeeded();
    let found = rows(&place, "noise-rows-quick");
    assert_eq!(found.len(), 6 * 11);
    assert_eq!((found[0]["σ"].as_f64(), found[10]["σ"].as_f64()), (Some(0.0), Some(1.0)));
    assert_eq!(found[0]["drop from σ = 0"]["mean"], 0.0);
    // At σ = 0 a model says what it said of the rows it was fitted to.
    let recorded = place.text("out/runs.jsonl");
    let lpvdn = recorded.lines().map(|line| serde_json::from_str(line).expect("a run"));
    let accs: Vec<serde_json::Value> = lpvdn.map(|run: serde_json::Value| run["acc"].clone()).collect();
    assert!(accs.contains(&found[0]["ACC"]["mean"]), "{accs:?}");
    assert_eq!(names_in(&place.path("out/measured")).len(), 6);
    let again = experiment(&place, "noise", &["--steps", "3"]).succeeded();
    assert!(!again.stderr.contains("measuring"), "{}", again.stderr);
    assert_eq!(rows(&place, "noise-rows-quick"), found);
}

#[test]
fn some_methods_or_sizes_will_do() {
    let place = place();
    experiment(&place, "noise", &["--methods", "vade,lpvdn"]).succeeded();
    let found = rows(&place, "noise-rows-vade-lpvdn-quick");
    let names: Vec<&str> = found.iter().step_by(11).filter_map(|row| row["method"].as_str()).collect();
    assert_eq!((found.len(), names), (22, vec!["LPVDN", "VaDE"]));
    let sizes = experiment(&place, "dimensions", &["--sizes", "10"]).succeeded();
    // The very run that noise was measured with.
    assert!(sizes.stderr.contains("1 of 1 runs are recorded already"), "{}", sizes.stderr);
    assert_eq!(rows(&place, "dimensions-rows-10-quick").len(), 2);
}

#[test]
fn every_other_experiment_leaves_files_that_open() {
    let place = place();
    for (name, count, more) in [
        ("imbalance", 9, &["--steps", "3"][..]),
        ("margin", 21, &[]),
        ("retrieval", 3, &["--query", "7"]),
        ("dimensions", 4, &[]),
        ("visualize", 1, &[]),
    ] {
        experiment(&place, name, more).succeeded();
        assert_eq!(rows(&place, &format!("{name}-rows-quick")).len(), count, "{name}");
    }
    experiment(&place, "tables", &["--steps", "3"]).succeeded();
    assert_eq!(rows(&place, "tables-rows-quick").len(), 7);
}

/// IDX files of 40 pictures in two classes, under the names of MNIST.
fn small_mnist(place: &Place) {
    std::fs::create_dir_all(place.path("sets/mnist")).expect("a folder");
    for part in ["train", "t10k"] {
        let pixels = (0..320_u32).map(|i| ((i / 16 % 2) * 200 + i % 7) as u8);
        let images = [0, 0, 8, 3, 0, 0, 0, 20, 0, 0, 0, 4, 0, 0, 0, 4].into_iter().chain(pixels);
        let labels = [0, 0, 8, 1, 0, 0, 0, 20].into_iter().chain((0..20).map(|i| i % 2));
        place.write(&format!("sets/mnist/{part}-images-idx3-ubyte"), images.collect::<Vec<u8>>());
        place.write(&format!("sets/mnist/{part}-labels-idx1-ubyte"), labels.collect::<Vec<u8>>());
    }
}

#[test]
fn sets_that_are_not_here_have_no_numbers_and_without_any_there_is_no_table() {
    let place = Place::new();
    let tables = |data: &str| {
        let args =
            ["experiment", "tables", "--out", "out", "--json", "--methods", "kmeans,lpvdn", "--seeds", "1"];
        let mut command = place.command(&[&args[..], &common::TINY[..]].concat());
        command.env("LPVDN_DATA", place.path(data)).env("LPVDN_CACHE", place.path("nothing"));
        Outcome::from(command.output().expect("the program runs"))
    };
    tables("nowhere").failed(1, &["none of the paper's sets", "lpvdn data fetch mnist", "--quick"]);
    assert!(!place.path("out/tables-kmeans-lpvdn.md").exists());
    small_mnist(&place);
    let told = tables("sets").succeeded();
    let found = rows(&place, "tables-kmeans-lpvdn");
    assert_eq!((found.len(), told.json().as_array().map(Vec::len)), (8, Some(8)));
    assert!(found[..2].iter().all(|row| row["ACC"]["mean"].as_f64().is_some()), "{found:?}");
    assert!(found[2..].iter().all(|row| row["ACC"].is_null() && row["paper ACC"].as_f64().is_some()));
    assert!(place.text("out/tables-kmeans-lpvdn.md").contains("no data"));
}

#[test]
fn what_an_experiment_cannot_use_is_refused() {
    let place = place();
    experiment(&place, "ablation", &["--alpha0", "2"]).failed(2, &["alpha0", "ablation"]);
    experiment(&place, "ablation", &["--steps", "2"]).failed(2, &["--steps"]);
    experiment(&place, "ablation", &["--method", "dec"]).failed(2, &["--method"]);
    experiment(&place, "ablation", &["--seed", "2"]).failed(2, &["--seeds"]);
    experiment(&place, "ablation", &["--query", "2"]).failed(2, &["--query", "retrieval"]);
    experiment(&place, "ablation", &["--methods", "vade"]).failed(2, &["--methods", "noise"]);
    experiment(&place, "noise", &["--methods", "dec"]).failed(2, &["dec", "lpvdn, vade, clustergan"]);
    experiment(&place, "noise", &["--sizes", "2"]).failed(2, &["--sizes", "dimensions"]);
    experiment(&place, "dimensions", &["--sizes", "0"]).failed(2, &["--sizes", "at least 1"]);
    experiment(&place, "tables", &["--rcv1", "."]).failed(2, &["--rcv1", "DATA"]);
    experiment(&place, "margin", &["--alpha0", "0"]).failed(2, &["alpha0"]);
    experiment(&place, "visualize", &["--alpha1", "0"]).failed(2, &["alpha1"]);
    experiment(&place, "margin", &["--seeds", "18446744073709551615"]).failed(2, &["1,2,3"]);
    experiment(&place, "margin", &["--rcv1", "."]).failed(2, &["--rcv1", "tables"]);
    experiment(&place, "retrieval", &["--query", "40"]).failed(2, &["row 40", "40, counted from 0"]);
    experiment(&place, "figures", &[]).failed(2, &["figures", "ablation"]);
    // Nothing of this is found out only after a fit.
    assert!(!place.path("out/runs.jsonl").exists());
    let unlabelled = ["experiment", "margin", "rows.csv", "-k", "2", "--quick"];
    place.run(&unlabelled).failed(2, &["rows.csv", "--label-column"]);
}

//! Every method from the command line, and their comparison.
#![allow(missing_docs)]

mod common;

use common::{Outcome, Place, names_in};

/// Settings under which every method is done at once.
const QUICK: [&str; 8] = ["--layers", "16", "--latent-dim", "3", "--pretrain-epochs", "2", "--batch", "20"];

fn fit(place: &Place, method: &str, more: &[&str]) -> Outcome {
    let quick = match method {
        "kmeans" => &[][..],
        "clustergan" => &["--layers", "8", "--steps", "4", "--batch", "20", "--pretrain-epochs", "1"],
        _ => &QUICK,
    };
    let out = format!("out-{method}");
    place.run(&[&["fit", "rows.csv", "--method", method, "-k", "2", "--out", &out], quick, more].concat())
}

#[test]
fn every_method_leaves_the_same_files_and_its_model_predicts_its_labels() {
    let place = Place::new();
    place.csv("rows.csv", |_, line| line);
    for method in ["kmeans", "ae-kmeans", "vae-kmeans", "dec", "clustergan", "vade"] {
        let told = fit(&place, method, &["--json"]).succeeded();
        assert_eq!(told.json()["method"], method);
        // What is trained tells of the clusters that are there before.
        assert_eq!(told.stderr.contains("initial clustering after"), method != "kmeans", "{method}");
        let out = format!("out-{method}");
        let files =
            ["embedding.npy", "labels.csv", "log.jsonl", "metrics.json", "model.safetensors", "run.toml"];
        assert_eq!(names_in(&place.path(&out)), files, "{method}");
        let predicted = place.run(&["predict", &out, "rows.csv"]).succeeded().stdout;
        assert_eq!(predicted, place.text(&format!("{out}/labels.csv")), "{method}");
        let codes = place.run(&["transform", &out, "rows.csv"]).succeeded().stdout;
        assert_eq!(codes.lines().count(), 41, "{method}");
        assert!(place.run(&["info", &out]).succeeded().stdout.contains(method));
        assert_eq!(place.run(&["info", &out, "--json"]).succeeded().json()["method"], method);
        // A finished run is told again, and not repeated.
        assert!(
            fit(&place, method, &["--resume"]).succeeded().stderr.contains("already finished"),
            "{method}"
        );
        fit(&place, method, &[]).failed(1, &["holds another run"]);
    }
}

#[test]
fn one_seed_gives_one_model_and_another_a_different_one() {
    let place = Place::new();
    place.csv("rows.csv", |_, line| line);
    for method in ["ae-kmeans", "dec"] {
        let model = |seed: &str| {
            fit(&place, method, &["--seed", seed, "--force"]).succeeded();
            place.read(&format!("out-{method}/model.safetensors"))
        };
        let (first, again, other) = (model("4"), model("4"), model("5"));
        assert!(first == again && first != other, "{method}");
    }
}

#[test]
fn what_a_method_does_not_have_is_refused() {
    let place = Place::new();
    place.csv("rows.csv", |_, line| line);
    fit(&place, "dec", &["--alpha0", "1"]).failed(2, &["dec has no alpha0"]);
    fit(&place, "kmeans", &["--layers", "3"]).failed(2, &["kmeans has no layers"]);
    fit(&place, "vade", &["--alpha1", "1"]).failed(2, &["alpha0 and alpha1 0"]);
    fit(&place, "ae-kmeans", &["--restarts", "3"]).failed(2, &["--restarts", "ae-kmeans"]);
    fit(&place, "ae-kmeans", &["--evaluate-every", "1"]).failed(2, &["--evaluate-every", "ae-kmeans"]);
    fit(&place, "kmeans", &["--evaluate-every", "1"]).failed(2, &["--evaluate-every", "kmeans"]);
    place.write("start.toml", "center-start = \"graph\"\n");
    for method in ["lpvdn", "vade", "ae-kmeans", "clustergan"] {
        let refused = format!("{method} has no center-start");
        fit(&place, method, &["--config", "start.toml"]).failed(2, &[&refused]);
    }
    place.write("class.toml", "class-start = \"random\"\nguided-steps = 3\n");
    for method in ["lpvdn", "vade", "dec"] {
        let refused = format!("{method} has no class-start");
        fit(&place, method, &["--config", "class.toml"]).failed(2, &[&refused]);
    }
    place.write("guided.toml", "guided-steps = 3\n");
    fit(&place, "lpvdn", &["--config", "guided.toml"]).failed(2, &["lpvdn has no guided-steps"]);
    place.write("many.toml", "guided-steps = 2000000000\n");
    fit(&place, "clustergan", &["--config", "many.toml"]).failed(2, &["guided-steps must be at most"]);
    fit(&place, "umap", &[]).failed(2, &["umap", "kmeans, graph, ae-kmeans"]);
    fit(&place, "kmeans", &[]).succeeded();
    place
        .run(&["transform", "out-kmeans", "rows.csv", "--space", "latent"])
        .failed(1, &["kmeans", "--space"]);
}

#[test]
fn what_the_classes_of_clustergan_start_from_can_be_chosen() {
    let place = Place::new();
    place.csv("rows.csv", |_, line| line);
    place.write("class.toml", "class-start = \"random\"\n");
    for start in ["graph", "rows", "auto"] {
        place.write(&format!("{start}.toml"), format!("class-start = \"{start}\"\nguided-steps = 3\n"));
    }
    let started = |more: &[&str]| {
        let few = [
            "fit",
            "rows.csv",
            "--method",
            "clustergan",
            "-k",
            "2",
            "--steps",
            "4",
            "--out",
            "out-clustergan",
        ];
        let told =
            place.run(&[&few[..], &["--force", "--layers", "8", "--batch", "20"], more].concat()).succeeded();
        let settings =
            place.run(&["info", "out-clustergan", "--json"]).succeeded().json()["settings"].clone();
        let pretrained = told.stderr.contains("1 epoch of pre-training, each of 1 step, 1 of training");
        (pretrained, settings["class-start"].clone(), settings["guided-steps"].clone())
    };
    let [graph, rows, random] = ["graph", "rows", "random"].map(|start| serde_json::json!(start));
    let short = ["--pretrain-epochs", "1"];
    assert_eq!(started(&short), (true, graph.clone(), 1.into()));
    assert_eq!(started(&[&short[..], &["--config", "graph.toml"]].concat()), (true, graph, 3.into()));
    // The columns of this table are no signal.
    assert_eq!(started(&["--config", "auto.toml"]), (false, rows.clone(), 3.into()));
    assert_eq!(started(&["--config", "rows.toml"]), (false, rows, 3.into()));
    assert_eq!(started(&["--config", "class.toml"]), (false, random.clone(), serde_json::Value::Null));
    assert_eq!(started(&["--recipe", "paper"]), (false, random, serde_json::Value::Null));
    for chance in [["--recipe", "paper"], ["--config", "class.toml"], ["--config", "rows.toml"]] {
        fit(&place, "clustergan", &[&["--force"], &chance[..]].concat())
            .failed(2, &["pretrain-epochs has no effect", "class-start"]);
    }
    let both = ["compare", "rows.csv", "-k", "2", "--methods", "clustergan,ae-kmeans", "--seeds", "1"];
    let paper =
        ["--steps", "4", "--pretrain-epochs", "1", "--recipe", "paper", "--batch", "20", "--layers", "8"];
    place.run(&[&both[..], &paper].concat()).succeeded();
}

/// What `info` prints for a config file gives the same model again.
#[test]
fn the_settings_of_a_model_give_it_again() {
    let place = Place::new();
    place.csv("rows.csv", |_, line| line);
    for (method, more) in [
        ("kmeans", &[][..]),
        ("ae-kmeans", &QUICK),
        ("vae-kmeans", &QUICK),
        ("dec", &QUICK),
        ("clustergan", &["--layers", "8", "--steps", "4", "--pretrain-epochs", "1"]),
        ("clustergan", &["--layers", "8", "--steps", "4", "--recipe", "paper"]),
    ] {
        let out = format!("out-{method}");
        let start =
            ["fit", "rows.csv", "--method", method, "-k", "2", "--seed", "7", "--force", "--out", &out];
        place.run(&[&start[..], more].concat()).succeeded();
        let settings = place.run(&["info", &out, "--toml"]).succeeded().stdout;
        assert!(!settings.contains('#'), "{method}: {settings}");
        place.write("again.toml", &settings);
        place.run(&["fit", "rows.csv", "--config", "again.toml", "--out", "again", "--force"]).succeeded();
        let model = |folder: &str| place.read(&format!("{folder}/model.safetensors"));
        assert!(model("again") == model(&out), "{method}: {settings}");
    }
}

fn compare(place: &Place, more: &[&str]) -> Outcome {
    let fixed =
        ["compare", "rows.csv", "--methods", "kmeans,ae-kmeans", "--seeds", "1-2", "--label-column", "-1"];
    place.run(&[&fixed[..], &QUICK, more].concat())
}

/// The recorded runs without what a clock decides.
fn recorded(place: &Place, folder: &str) -> Vec<serde_json::Value> {
    let text = place.text(&format!("{folder}/runs.jsonl"));
    let mut runs: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a run")).collect();
    for run in &mut runs {
        for key in ["seconds", "threads", "out"] {
            run.as_object_mut().expect("an object").remove(key);
        }
        run["verdict"].as_object_mut().expect("a verdict").remove("seconds");
    }
    runs.sort_by_key(|run| (run["method"].to_string(), run["seed"].to_string()));
    runs
}

#[test]
fn a_comparison_is_recorded_goes_on_and_does_not_depend_on_how_many_fits_run_at_once() {
    let place = Place::new();
    place.csv("rows.csv", |i, line| format!("{line},{}", ["a", "b"][i % 2]));
    let first = compare(&place, &["--out", "one", "--jobs", "1"]).succeeded();
    assert!(
        first.stdout.contains("| AE + K-means | 2 ") && first.stdout.contains("| ACC"),
        "{}",
        first.stdout
    );
    assert_eq!(first.stdout, place.text("one/compare.md"));
    assert!(place.text("one/compare.csv").starts_with("method,runs,acc,acc sd,"));
    let table: serde_json::Value = serde_json::from_str(&place.text("one/compare.json")).expect("a table");
    assert_eq!(table["rows"][0]["method"], "kmeans");

    compare(&place, &["--out", "two", "--jobs", "3"]).succeeded();
    assert_eq!(recorded(&place, "one"), recorded(&place, "two"));

    // A run is gone, and the last line was cut by a crash: only those are made again.
    let text = place.text("one/runs.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    place.write("one/runs.jsonl", format!("{}\n{}\n{}", lines[0], lines[1], &lines[2][..30]));
    let again = compare(&place, &["--out", "one"]).succeeded();
    assert!(again.stderr.contains("2 of 4 runs are recorded already"), "{}", again.stderr);
    assert_eq!(recorded(&place, "one"), recorded(&place, "two"));

    // Other settings are other runs.
    let other = compare(&place, &["--out", "one", "--pretrain-lr", "2e-3"]).succeeded();
    assert!(other.stderr.contains("2 of 4 runs are recorded already"), "{}", other.stderr);
}

#[test]
fn a_comparison_says_what_the_clusters_of_each_method_are_worth() {
    let place = Place::new();
    place.csv("rows.csv", |i, line| format!("{line},{}", ["a", "b"][i % 2]));
    let told = compare(&place, &["--out", "one"]).succeeded();
    assert!(told.stdout.contains("| structure") && told.stdout.contains("| stability"), "{}", told.stdout);
    let table: serde_json::Value = serde_json::from_str(&place.text("one/compare.json")).expect("a table");
    for run in recorded(&place, "one") {
        let of_method = |row: &&serde_json::Value| row["method"] == run["method"];
        let row = table["rows"].as_array().expect("rows").iter().find(of_method).expect("its row");
        assert!(
            row["structure"].as_array().is_some_and(|words| words.contains(&run["verdict"]["structure"]))
        );
    }
    // Runs that were recorded without a verdict have none, and nobody makes them again for it.
    let with = place.text("one/runs.jsonl");
    let without = with.lines().map(|line| {
        let mut run: serde_json::Value = serde_json::from_str(line).expect("a run");
        run.as_object_mut().expect("an object").remove("verdict");
        format!("{run}\n")
    });
    place.write("one/runs.jsonl", without.collect::<String>());
    let told = compare(&place, &["--out", "one"]).succeeded();
    assert!(told.stderr.contains("4 of 4 runs are recorded already"), "{}", told.stderr);
    assert!(!told.stdout.contains("structure"), "{}", told.stdout);
}

#[test]
fn a_comparison_without_classes_goes_by_scores_that_need_none() {
    let place = Place::new();
    place.csv("rows.csv", |_, line| line);
    let told =
        place.run(&["compare", "rows.csv", "-k", "2", "--methods", "kmeans", "--seeds", "7"]).succeeded();
    assert!(told.stdout.contains("silhouette") && !told.stdout.contains("ACC"), "{}", told.stdout);
    assert!(place.path("lpvdn-compare/compare.md").exists());
    let refused = |more: &[&str]| place.run(&[&["compare", "rows.csv"], more].concat());
    refused(&[]).failed(2, &["number of clusters", "--label-column"]);
    refused(&["-k", "auto"]).failed(2, &["one number of clusters"]);
    refused(&["-k", "2", "--seed", "1"]).failed(2, &["--seeds"]);
    refused(&["-k", "2", "--method", "dec"]).failed(2, &["--methods"]);
    refused(&["-k", "2", "--seeds", "5-1"]).failed(2, &["5-1", "1,2,3"]);
}

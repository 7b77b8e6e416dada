//! `lpvdn fit` and what the other commands make of its model.

mod common;

use common::{Outcome, Place, TINY, at_level, levels, names_in};

#[test]
fn a_fit_of_the_digits_leaves_all_files_and_the_other_commands_agree_with_them() {
    let place = Place::new();
    let fit = place.fit(&["--json", "--evaluate-every", "2"]);
    let files = ["embedding.npy", "labels.csv", "log.jsonl", "metrics.json", "model.safetensors", "run.toml"];
    assert_eq!(names_in(&place.path("lpvdn-out")), files);

    let json = fit.json();
    for (key, value) in [("rows", 5620), ("columns", 64), ("clusters", 10), ("seed", 0), ("epochs", 3)] {
        assert_eq!(json[key], value, "{json}");
    }
    assert_eq!((&json["method"], &json["recipe"]), (&"lpvdn".into(), &"robust".into()));
    for key in ["threads", "seconds", "acc", "purity", "nmi", "ari", "effective_clusters"] {
        assert!(json[key].is_number(), "{key}: {json}");
    }
    assert!(json["warnings"].is_array());
    assert_eq!(fit.stdout.lines().count(), 1, "nothing but the JSON on standard output");

    let metrics: serde_json::Value =
        serde_json::from_str(&place.text("lpvdn-out/metrics.json")).expect("JSON");
    assert_eq!(metrics["acc"], json["acc"]);
    assert!(metrics["losses"]["locality"].is_number());
    let epochs: Vec<_> =
        metrics["evaluations"].as_array().expect("a list").iter().map(|e| &e["epoch"]).collect();
    assert_eq!(epochs, [1, 2]);

    let labels = place.text("lpvdn-out/labels.csv");
    assert!(labels.starts_with("row,cluster,confidence,label\n0,"), "{}", &labels[..60]);
    let without_truth = |line: &str| line.rsplit_once(',').expect("columns").0.to_owned() + "\n";
    let expected: String = labels.lines().map(without_truth).collect();
    let predicted = place.run(&["predict", "lpvdn-out", "digits", "--threads", "1"]).succeeded();
    assert!(predicted.stdout == expected, "predict differs from labels.csv");

    place.run(&["transform", "lpvdn-out/model.safetensors", "digits", "--out", "codes.npy"]).succeeded();
    assert!(place.read("codes.npy") == place.read("lpvdn-out/embedding.npy"), "transform differs");

    let evaluation = place.run(&["evaluate", "lpvdn-out", "digits", "--json"]).succeeded().json();
    assert_eq!((&evaluation["acc"], &evaluation["nmi"]), (&json["acc"], &json["nmi"]));
    let counts = evaluation["confusion"]["counts"].as_array().expect("a table");
    let rows: u64 = counts.iter().flat_map(|r| r.as_array().expect("a row")).filter_map(|c| c.as_u64()).sum();
    assert_eq!(rows, 5620);
    assert!(place.run(&["evaluate", "lpvdn-out", "digits"]).succeeded().stdout.contains("ACC"));
}

#[test]
fn one_seed_gives_the_same_bytes_on_any_number_of_threads_at_every_level() {
    for level in levels() {
        let place = Place::new();
        let model = |threads: &str| {
            let args = [&["fit", "--quiet", "--out", threads, "--threads", threads], &TINY[..]].concat();
            Outcome::from(at_level(place.command(&args), level).output().expect("a run")).succeeded();
            place.read(&format!("{threads}/model.safetensors"))
        };
        let one = model("1");
        assert!(one == model("2"), "two threads differ from one at level {level}");
        assert!(one == model("3"), "three threads differ from one at level {level}");
        if level == "avx2" {
            // With nothing pinned, products may be wider, and the same.
            let args = [&["fit", "--quiet", "--out", "auto"], &TINY[..]].concat();
            Outcome::from(at_level(place.command(&args), "auto").output().expect("a run")).succeeded();
            assert!(one == place.read("auto/model.safetensors"), "wide products differ");
        }
    }
}

#[test]
fn all_levels_agree_in_the_final_loss_of_a_short_run() {
    let place = Place::new();
    // One cluster: which of several optima the mixture starts from is decided by the last bit, and
    // that is a decision, not a rounding error.
    let loss = |level: &str| {
        let args = [&["fit", "--quiet", "-k", "1", "--out", level], &TINY[..]].concat();
        Outcome::from(at_level(place.command(&args), level).output().expect("a run")).succeeded();
        let metrics = place.text(&format!("{level}/metrics.json"));
        let metrics: serde_json::Value = serde_json::from_str(&metrics).expect("JSON");
        assert_eq!(metrics["simd"], level);
        metrics["losses"]["loss"].as_f64().expect("a loss")
    };
    let losses: Vec<f64> = levels().into_iter().map(loss).collect();
    for other in &losses[1..] {
        assert!((other - losses[0]).abs() <= 1e-4 * losses[0].abs(), "{losses:?}");
    }
}

#[test]
fn a_model_without_the_locality_loss_clusters_in_the_latent_space() {
    let place = Place::new();
    place.fit(&["--alpha1", "0", "--alpha0", "0", "-k", "3"]);
    let metrics: serde_json::Value =
        serde_json::from_str(&place.text("lpvdn-out/metrics.json")).expect("JSON");
    assert!(metrics["latent_k_means"]["acc"].is_number(), "{metrics}");
    let refused = place.run(&["transform", "lpvdn-out", "digits", "--space", "embedding"]);
    refused.failed(1, &["alpha1 = 0", "--space latent"]);
    place.run(&["transform", "lpvdn-out", "digits", "--space", "latent", "-o", "z.npy"]).succeeded();
    assert!(place.read("z.npy") == place.read("lpvdn-out/embedding.npy"));
}

#[test]
fn a_table_with_named_classes_is_clustered_into_as_many_and_predicted_with_probabilities() {
    let place = Place::new();
    let class = |i: usize, line: String| line + if i.is_multiple_of(2) { ",\"a, b\"" } else { ",c" };
    place.csv("t.csv", class);
    let fit = place.fit(&["t.csv", "--label-column", "-1"]);
    assert!(fit.stderr.contains("as many as there are classes"), "{}", fit.stderr);
    assert!(
        fit.stdout.contains("\n          lpvdn predict lpvdn-out t.csv --label-column -1"),
        "{}",
        fit.stdout
    );
    assert!(place.text("lpvdn-out/labels.csv").contains(",\"a, b\"\n"));
    place
        .run(&["predict", "lpvdn-out", "t.csv", "--label-column", "-1", "--proba", "-o", "p.csv"])
        .succeeded();
    let text = place.text("p.csv");
    assert!(text.starts_with("row,cluster,confidence,p0,p1\n0,"), "{text}");
    assert_eq!(text.lines().count(), 41);
    let same = place.run(&["predict", "lpvdn-out", "t.csv", "--label-column", "-1", "--proba"]).succeeded();
    assert_eq!(same.stdout, text);
    // The model knows which columns it was fitted to.
    let unnamed = place.run(&["predict", "lpvdn-out", "t.csv", "--proba"]).succeeded();
    assert_eq!(unnamed.stdout, text);
    place.run(&["evaluate", "lpvdn-out", "lpvdn-out/embedding.npy"]).failed(1, &["--label-column"]);
}

#[test]
fn a_collapse_is_told_on_the_screen_in_the_json_and_in_the_metrics() {
    let place = Place::new();
    // All rows but five are the same, so that most clusters have next to nothing to hold.
    let rows = |i: usize| if i < 5 { format!("{i},9,{}\n", 20 * i) } else { "0,0,0\n".to_owned() };
    place.write("few.csv", (0..200).map(rows).collect::<String>());
    let fit = place.fit(&["few.csv", "-k", "6", "--json"]);
    let warnings = fit.json()["warnings"].to_string();
    assert!(warnings.contains("collapsed"), "{warnings}");
    let told = fit.stderr.matches("the clusters have collapsed").count();
    assert_eq!(told, 1, "{}", fit.stderr);
    assert!(place.text("lpvdn-out/metrics.json").contains("collapsed"));
    assert!(place.text("lpvdn-out/log.jsonl").contains("\"event\":\"warning\""));
}

#[test]
fn a_table_with_words_gaps_and_ids_is_fitted_and_another_is_read_alike() {
    let place = Place::new();
    let line = |i: usize| {
        let size = if i == 7 { "NA".to_owned() } else { (i % 2 * 5 + i % 3).to_string() };
        format!("r{i},{size},{},{}\n", if i.is_multiple_of(2) { "red" } else { "blue" }, i % 2)
    };
    place.write("a.csv", "id,size,colour,class\n".to_owned() + &(0..60).map(line).collect::<String>());
    let arguments = ["a.csv", "--label-column", "class", "--id-column", "id"];
    let mut refused = vec!["fit"];
    refused.extend(arguments);
    place.run(&refused).failed(1, &["a.csv, line 9, column 1", "\"NA\"", "--missing mean"]);
    let outcome = place.fit(&[&arguments[..], &["--missing", "mean", "--json"]].concat());
    assert_eq!(outcome.json()["columns"], 3);
    assert!(outcome.stderr.contains("column colour has 2 words, one-hot encoded"), "{}", outcome.stderr);
    let labels = place.text("lpvdn-out/labels.csv");
    assert!(labels.starts_with("row,id,cluster,confidence,label\n0,r0,"), "{labels}");
    // Other columns in another order, a gap, and a word that is new.
    place.write("b.csv", "colour,extra,size\nred,9,0\nblue,9,\ngreen,9,3\n");
    let predicted = place.run(&["predict", "lpvdn-out", "b.csv"]).succeeded().stdout;
    assert_eq!(predicted.lines().count(), 4, "{predicted}");
    // The same rows get the same clusters, and the classes are found by their name.
    let again = place.run(&["predict", "lpvdn-out", "a.csv", "--id-column", "id"]).succeeded().stdout;
    let cluster = |text: &str| -> Vec<String> {
        text.lines().skip(1).map(|l| l.split(',').nth(2).unwrap_or("").to_owned()).collect()
    };
    assert_eq!(cluster(&again), cluster(&labels));
    assert!(place.run(&["evaluate", "lpvdn-out", "a.csv"]).succeeded().stdout.contains("ACC"));
}

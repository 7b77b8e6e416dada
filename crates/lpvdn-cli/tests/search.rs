//! `--restarts` and `--clusters auto`.

mod common;

use common::{Place, TINY, names_in};

/// A search of two candidates among three numbers of clusters.
const SEARCH: [&str; 6] = ["--clusters", "2-4", "--restarts", "2", "--seed", "3"];

#[test]
fn a_search_shows_what_it_compared_and_leaves_an_ordinary_model() {
    let place = Place::new();
    let outcome = place.fit(&[&SEARCH[..], &["--out", "found", "--json"]].concat());
    let metrics = outcome.json();
    let search = &metrics["search"];
    let seeds: Vec<u64> = search["candidates"]
        .as_array()
        .expect("candidates")
        .iter()
        .filter_map(|c| c["seed"].as_u64())
        .collect();
    assert_eq!(seeds, [3, 4]);
    assert_eq!(search["curve"].as_array().map(Vec::len), Some(3));
    assert!(search["agreement"].is_f64());
    assert_eq!((&metrics["clusters"], &metrics["seed"]), (&search["clusters"], &search["seed"]));
    for part in ["to be chosen from 2 to 4", "2 candidates, each with 1 epoch", "Calinski–Harabasz", "chosen"]
    {
        assert!(outcome.stderr.contains(part), "{part} is not in {}", outcome.stderr);
    }
    let log = place.text("found/log.jsonl");
    let events = |name: &str| log.matches(&format!("\"event\":\"{name}\"")).count();
    assert_eq!([events("search"), events("candidate"), events("choice"), events("plan")], [1, 2, 1, 1]);
    let names = names_in(&place.path("found"));
    assert!(names.iter().all(|n| !n.contains("candidate") && !n.starts_with('.')), "{names:?}");

    let (clusters, seed) = (metrics["clusters"].to_string(), metrics["seed"].to_string());
    place.fit(&["--clusters", &clusters, "--seed", &seed, "--out", "plain"]);
    assert_eq!(place.read("found/model.safetensors"), place.read("plain/model.safetensors"));
}

#[cfg(unix)]
#[test]
fn a_search_that_is_killed_goes_on_where_it_was() {
    let place = Place::new();
    let tiny = TINY.iter().copied().filter(|a| !["--pretrain-epochs", "2", "--epochs", "3"].contains(a));
    let longer = ["--pretrain-epochs", "15", "--epochs", "20", "--checkpoint-every", "1", "--quiet"];
    let arguments: Vec<&str> = ["fit"].into_iter().chain(tiny).chain(longer).chain(SEARCH).collect();
    let began = std::time::Instant::now();
    place.run(&[&arguments[..], &["--out", "whole"]].concat()).succeeded();
    let length = began.elapsed();
    for share in [0.1, 0.25, 0.45, 0.75] {
        let out = format!("killed-{share}");
        let mut child =
            place.command(&[&arguments[..], &["--out", &out]].concat()).spawn().expect("a process");
        std::thread::sleep(length.mul_f64(share));
        child.kill().expect("killed");
        child.wait().expect("an end");
        place.run(&["fit", "digits", "--resume", "--out", &out, "--quiet"]).succeeded();
        let model = |out: &str| place.read(&format!("{out}/model.safetensors"));
        assert_eq!(model(&out), model("whole"), "killed after {share}");
        let log = place.text(&format!("{out}/log.jsonl"));
        assert_eq!(log.matches("\"event\":\"candidate\"").count(), 2, "{log}");
        assert_eq!(names_in(&place.path(&out)), names_in(&place.path("whole")));
    }
}

#[test]
fn a_warning_of_a_search_is_printed_once() {
    let place = Place::new();
    place.write("ten.csv", (0..10).map(|i| format!("{i},{}\n", i * i % 7)).collect::<String>());
    let outcome = place.fit(&["ten.csv", "-k", "2", "--restarts", "3"]);
    let all = outcome.stderr + &outcome.stdout;
    assert_eq!(all.matches("L_LP is left out").count(), 1, "{all}");
}

#[test]
fn few_rows_leave_few_clusters_to_choose_from() {
    let place = Place::new();
    place.csv("two.csv", |_, line| line);
    let outcome = place.fit(&["two.csv", "--clusters", "auto", "--json"]);
    assert!(outcome.stderr.contains("to be chosen from 2 to 20"), "{}", outcome.stderr);
    assert_eq!(outcome.json()["search"]["curve"].as_array().map(Vec::len), Some(19));
    place
        .run(&["fit", "two.csv", "--clusters", "2-41", "--out", "b"])
        .failed(1, &["40 rows, too few for 41 clusters"]);
    place.run(&["fit", "two.csv", "--out", "c"]).failed(2, &["--clusters auto", "--label-column"]);
}

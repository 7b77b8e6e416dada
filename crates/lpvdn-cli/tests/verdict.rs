//! What `fit` says about whether its clusters can be trusted, and how sure each row is.

mod common;

use common::Place;
use lpvdn_core::StreamKey;

/// A table of round groups; with centres 0 apart it is one heap.
fn table(place: &Place, name: &str, sizes: &[usize], apart: f64) {
    let mut stream = StreamKey::new(2, "table of the verdict").open();
    let mut text = "a,b,c,d\n".to_owned();
    for (group, &rows) in sizes.iter().enumerate() {
        let center: Vec<f64> = (0..4).map(|_| apart * stream.normal()).collect();
        for _ in 0..rows {
            let cells = center.iter().map(|c| format!("{:.4}", c + stream.normal()));
            text += &(cells.collect::<Vec<_>>().join(",") + "\n");
        }
        assert!(group < sizes.len());
    }
    place.write(name, text);
}

#[test]
fn noise_is_called_noise_and_groups_are_called_clear() {
    let place = Place::new();
    table(&place, "noise.csv", &[300], 0.0);
    table(&place, "groups.csv", &[120, 80, 60], 12.0);
    for method in ["graph", "kmeans"] {
        let noise = place.run(&["fit", "noise.csv", "-k", "3", "--method", method, "-o", method]).succeeded();
        assert!(noise.stdout.contains("verdict   no structure found"), "{}", noise.stdout);
        assert!(noise.stdout.contains("do not rely on these clusters"), "{}", noise.stdout);
        let metrics: serde_json::Value =
            serde_json::from_str(&place.text(&format!("{method}/metrics.json"))).expect("JSON");
        assert_eq!(metrics["verdict"]["structure"], "none", "{metrics}");
        assert_eq!(metrics["verdict"]["gaussian"]["replicates"], 10);
        let groups = ["fit", "groups.csv", "-k", "3", "--method", method, "-o", method, "--force"];
        let groups = place.run(&groups).succeeded();
        assert!(groups.stdout.contains("verdict   clear structure"), "{}", groups.stdout);
        assert!(!groups.stdout.contains("do not rely"), "{}", groups.stdout);
        // A finished run says it again.
        let again = place.run(&["fit", "--resume", "-o", method]).succeeded();
        assert!(again.stdout.contains("verdict   clear structure"), "{}", again.stdout);
    }
}

#[test]
fn a_verdict_can_be_left_out_and_is_remembered_as_such() {
    let place = Place::new();
    table(&place, "groups.csv", &[60, 60], 9.0);
    let fit = ["fit", "groups.csv", "-k", "2", "--effort", "quick", "--verdict", "none"];
    let out = place.run(&fit).succeeded();
    assert!(!out.stdout.contains("verdict"), "{}", out.stdout);
    assert!(!place.text("lpvdn-out/metrics.json").contains("\"verdict\""));
    assert!(place.text("lpvdn-out/run.toml").contains("verdict = \"none\""));
    let refused = place.run(&["fit", "groups.csv", "-k", "2", "--verdict", "maybe"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("auto") && refused.stderr.contains("none"), "{}", refused.stderr);
}

#[test]
fn the_confidence_of_fit_is_that_of_predict() {
    let place = Place::new();
    table(&place, "groups.csv", &[120, 90, 90], 1.6);
    for args in [
        &["--effort", "quick"][..],
        &["--method", "kmeans"],
        &["--method", "ae-kmeans", "--pretrain-epochs", "3", "--layers", "16"],
    ] {
        let fit = [&["fit", "groups.csv", "-k", "3", "-q", "--force"], args].concat();
        place.run(&fit).succeeded();
        let predicted = place.run(&["predict", "lpvdn-out", "groups.csv"]).succeeded().stdout;
        assert_eq!(predicted, place.text("lpvdn-out/labels.csv"), "{args:?}");
        let sure: Vec<f64> = predicted
            .lines()
            .skip(1)
            .map(|line| line.rsplit(',').next().expect("a cell").parse().expect("a number"))
            .collect();
        assert!(sure.iter().all(|c| (0.0..=1.0).contains(c)));
        let distinct = sure.iter().map(|c| (c * 1e6) as u64).collect::<std::collections::BTreeSet<_>>();
        assert!(distinct.len() > 10, "{args:?}: {} values", distinct.len());
    }
}

#[test]
fn the_number_of_clusters_is_chosen_without_a_training() {
    let place = Place::new();
    table(&place, "groups.csv", &[90, 80, 70, 60], 9.0);
    for method in ["graph", "kmeans"] {
        let fit = ["fit", "groups.csv", "-k", "2-8", "--method", method, "-o", method];
        let out = place.run(&fit).succeeded();
        assert!(out.stdout.contains("chosen    4 clusters of 2 to 8"), "{}", out.stdout);
        assert!(out.stderr.contains("its excess over data without clusters"), "{}", out.stderr);
        let metrics: serde_json::Value =
            serde_json::from_str(&place.text(&format!("{method}/metrics.json"))).expect("JSON");
        assert_eq!((&metrics["clusters"], &metrics["number"]["supported"]), (&4.into(), &true.into()));
        assert_eq!(metrics["number"]["curves"][0]["points"].as_array().map(Vec::len), Some(7));
    }
    table(&place, "noise.csv", &[200], 0.0);
    let out = place.run(&["fit", "noise.csv", "-k", "2-5", "--effort", "quick", "-o", "noise"]).succeeded();
    assert!(out.stdout.contains("no number of clusters from 2 to 5 is more stable"), "{}", out.stdout);
    let few = place.run(&["fit", "groups.csv", "-k", "200-220", "--effort", "quick", "-o", "few"]);
    assert_eq!(few.code, Some(1), "{few:?}");
    assert!(few.stderr.contains("too few for 200 clusters"), "{}", few.stderr);
}

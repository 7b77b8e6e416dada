//! What is said fits what was typed, and what the command can do.

mod common;

use common::{Outcome, Place, TINY};

/// The options that a command shows.
fn options_of(place: &Place, command: &[&str]) -> Vec<String> {
    let help = place.run(&[command, &["--help"]].concat()).succeeded().stdout;
    options_in(&help)
}

fn options_in(text: &str) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let after = text.split("--").skip(1).map(|rest| rest.chars().take_while(|c| is_name(*c)).collect());
    after.filter(|name: &String| !name.is_empty() && !name.starts_with('-')).collect()
}

/// Every option in its words is one of the command, unless another command is named before it.
#[track_caller]
fn advises_its_own(place: &Place, command: &[&str], outcome: &Outcome) {
    let own = options_of(place, command);
    for line in outcome.stderr.lines().filter(|line| !line.contains("lpvdn fit")) {
        for option in options_in(line) {
            assert!(own.contains(&option), "{command:?} advises --{option}: {line}");
        }
    }
}

/// Tables with everything that may be wrong with one.
fn damaged(place: &Place) -> Vec<&'static str> {
    let header = "a,b,c,d\n";
    place.csv("good.csv", |i, line| if i == 0 { format!("{header}{line}") } else { line });
    let with = |name: &str, row: &str| {
        place.csv(name, |i, line| match i {
            0 => format!("{header}{line}"),
            6 => row.to_owned(),
            _ => line,
        });
    };
    with("hole.csv", "1,2,,4");
    with("word.csv", "1,2,three,4");
    with("narrow.csv", "1,2,3");
    with("infinite.csv", "1,2,inf,4");
    with("huge.csv", "1,2,1e300,4");
    place.csv("wide.csv", |_, line| format!("{line},1"));
    place.csv("other.csv", |i, line| if i == 0 { format!("a,b,c,e\n{line}") } else { line });
    place.csv(
        "twice.csv",
        |i, line| if i == 0 { format!("a,b,c,d,d\n{line},1") } else { format!("{line},1") },
    );
    place.write("empty.csv", "a,b,c,d\n,,,\n,,,\n");
    place.write("unknown.bin", [0, 1, 2, 255, 0, 0, 7]);
    place.write("fields.jsonl", "{\"q\": 1}\n{\"q\": 2}\n");
    vec![
        "hole.csv",
        "word.csv",
        "narrow.csv",
        "infinite.csv",
        "huge.csv",
        "wide.csv",
        "other.csv",
        "twice.csv",
        "empty.csv",
        "unknown.bin",
        "fields.jsonl",
    ]
}

#[test]
fn no_command_advises_options_that_it_does_not_have() {
    let place = Place::new();
    let files = damaged(&place);
    place.run(&["fit", "good.csv", "-k", "2", "--method", "kmeans", "-q"]).succeeded();
    for file in files {
        for command in ["predict", "transform", "evaluate", "explore"] {
            let told = place.run(&[command, "lpvdn-out", file]);
            advises_its_own(&place, &[command], &told);
        }
        let told = place.run(&["neighbors", "lpvdn-out", file, "--query", "1"]);
        advises_its_own(&place, &["neighbors"], &told);
        let told = place.run(&["plot", "map", "lpvdn-out", file]);
        advises_its_own(&place, &["plot"], &told);
        let told = place.run(&["fit", file, "-k", "2", "--method", "kmeans", "--out", "o", "--force"]);
        advises_its_own(&place, &["fit"], &told);
        let told = place.run(&["compare", file, "-k", "2", "--methods", "kmeans", "--seeds", "1"]);
        advises_its_own(&place, &["compare"], &told);
        let told = place.run(&["data", "inspect", file, "-k", "2"]);
        advises_its_own(&place, &["data", "inspect"], &told);
    }
    let told =
        place.run(&["predict", "lpvdn-out", "hole.csv"]).failed(1, &["hole.csv, line 8", "fill it in"]);
    assert!(!told.stderr.contains("--ignore") && !told.stderr.contains("--missing"), "{}", told.stderr);
    place.run(&["fit", "hole.csv", "-k", "2", "--out", "p"]).failed(1, &["--missing mean", "--ignore"]);
}

#[test]
fn a_column_that_is_not_there_is_named_by_what_it_was_asked_for_as() {
    let place = Place::new();
    place.csv("t.csv", |i, line| if i == 0 { format!("Size,Weight,kind of thing,d\n{line}") } else { line });
    let fit = |args: &[&str]| place.run(&[&["fit", "t.csv", "-k", "2"], args].concat());
    fit(&["--ignore", "size"]).failed(1, &["column to leave out \"size\"", "did you mean \"Size\"?"]);
    fit(&["--id-column", "wieght"]).failed(1, &["id column \"wieght\"", "did you mean \"Weight\"?"]);
    fit(&["--label-column", "kind_of_thing"]).failed(1, &["label column", "did you mean \"kind of thing\"?"]);
    let told = fit(&["--ignore", "colour"]).failed(1, &["there is no such column; accepted are"]);
    assert!(!told.stderr.contains("label column"), "{}", told.stderr);
    place.csv("l.csv", |i, line| format!("{line},{}", ["Earn", "acq"][i % 2]));
    let classes = ["fit", "l.csv", "--label-column", "-1", "--classes"];
    place
        .run(&[&classes[..], &["earn"]].concat())
        .failed(1, &["no row is of class", "did you mean \"Earn\"?"]);
}

#[test]
fn lists_may_have_blanks_after_their_commas() {
    let place = Place::new();
    place.csv("t.csv", |i, line| if i == 0 { format!("a,b,c,d\n{line}") } else { line });
    let fit = ["fit", "t.csv", "-k", "2", "-q", "--force", "--method", "ae-kmeans", "--pretrain-epochs", "1"];
    for lists in [
        &["--ignore", "a, b", "--layers", "8, 4"][..],
        &["--ignore", "a,", "b", "--layers", "8,", "4"],
        &["--ignore", "a,b", "--layers=8, 4"],
    ] {
        place.run(&[&fit[..], lists].concat()).succeeded();
        let info = place.run(&["info", "lpvdn-out", "--json"]).succeeded().json();
        assert_eq!(info["columns"], 2, "{lists:?}");
        assert_eq!(info["settings"]["layers"], serde_json::json!([8, 4]), "{lists:?}");
    }
    let compare = ["compare", "t.csv", "-k", "2", "-q", "--methods", "kmeans, ae-kmeans", "--seeds", "1, 2"];
    let compare = [&compare[..], &["--layers", "8", "--pretrain-epochs", "1", "--json"]].concat();
    assert_eq!(place.run(&compare).succeeded().json()["rows"].as_array().map(Vec::len), Some(2));
    place.csv("l.csv", |i, line| format!("{line},{}", ["a", "b", "c"][i % 3]));
    let inspect = ["data", "inspect", "l.csv", "--label-column", "-1", "--classes", "a, b", "--json"];
    assert_eq!(place.run(&inspect).succeeded().json()["classes"].as_array().map(Vec::len), Some(2));
}

#[test]
fn an_option_by_another_name_is_recognised() {
    let place = Place::new();
    for (typed, meant) in [
        (&["fit", "--k", "4"][..], "did you mean -k?; see lpvdn fit --help"),
        (&["fit", "--n_clusters", "4"], "did you mean -k?"),
        (&["fit", "--num-clusters=4"], "did you mean -k?"),
        (&["fit", "--epoch", "4"], "did you mean --epochs?"),
        (&["fit", "--output", "a"], "did you mean --out?"),
        (
            &["data", "inspect", "--label_column", "a"],
            "did you mean --label-column?; see lpvdn data inspect --help",
        ),
        (&["compare", "--seed_", "1"], "see lpvdn compare --help"),
    ] {
        place.run(typed).failed(2, &[meant]);
    }
    let told =
        place.run(&["predict", "a", "b", "--ignore", "c"]).failed(2, &["unexpected argument '--ignore'"]);
    assert!(!told.stderr.contains("did you mean"), "{}", told.stderr);
}

#[test]
fn missing_values_are_counted_by_column() {
    let place = Place::new();
    place.csv("t.csv", |i, line| match i {
        0 => format!("a,b,c,d\n{line}"),
        3..6 => ",1,,2".to_owned(),
        8 => "1,,2,3".to_owned(),
        _ => line,
    });
    let inspect = ["data", "inspect", "t.csv", "-k", "2"];
    let told = place.run(&inspect).succeeded().stdout;
    let counts = "3 in column 0 (\"a\"), 1 in column 1 (\"b\"), 3 in column 2 (\"c\")";
    assert!(told.contains(&format!("missing   7 values: {counts}; the first: line 5, column 0")), "{told}");
    let told = place.run(&[&inspect[..], &["--missing", "mean"]].concat()).succeeded().stdout;
    let filled = format!("missing   7 values, filled in with the means of their columns: {counts}\n");
    assert!(told.contains(&filled), "{told}");
}

#[test]
fn unequal_clusters_are_not_called_a_collapse() {
    let place = Place::new();
    // A group of 30 among 1,000 rows is rare, but it is there.
    let row = |i: usize| {
        let at = if i < 30 {
            40.0
        } else if i < 60 {
            -40.0
        } else {
            0.0
        };
        let noise = |j: usize| ((i * 31 + j * 17) % 23) as f32 * 0.05;
        format!("{},{},{}\n", at + noise(0), at + noise(1), noise(2))
    };
    place.write("rare.csv", (0..1_000).map(row).collect::<String>());
    for method in ["kmeans", "ae-kmeans", "vade", "lpvdn"] {
        let own: &[&str] = match method {
            "kmeans" => &[],
            "ae-kmeans" => &["--layers", "16", "--pretrain-epochs", "10"],
            _ => &["--layers", "16", "--pretrain-epochs", "10", "--epochs", "3"],
        };
        let fit = ["fit", "rare.csv", "-k", "3", "--method", method, "--force", "-q", "--json"];
        let facts = place.run(&[&fit[..], own].concat()).succeeded().json();
        let mut sizes: Vec<u64> =
            facts["cluster_sizes"].as_array().expect("sizes").iter().filter_map(|s| s.as_u64()).collect();
        sizes.sort_unstable();
        let healthy = sizes[0] >= 20;
        let warned = facts["warnings"].to_string().contains("collapsed");
        assert!(!(healthy && warned), "{method}: {sizes:?} {}", facts["warnings"]);
        assert!(method != "kmeans" || healthy, "{sizes:?}");
    }
}

#[test]
fn too_many_clusters_are_refused_without_words_of_the_inside() {
    let place = Place::new();
    place.csv("t.csv", |_, line| line);
    let told = place.run(&["fit", "t.csv", "-k", "100000"]).failed(2, &["clusters must be at most 50000"]);
    assert!(!told.stderr.contains("district"), "{}", told.stderr);
    // An option that is not accepted is told before what the folder holds.
    place.run(&["fit", "t.csv", "-k", "2", "--method", "kmeans", "-q"]).succeeded();
    place.run(&["fit", "t.csv", "-k", "100000"]).failed(2, &["clusters must be at most 50000"]);
    place
        .run(&["fit", "t.csv", "-k", "2", "--method", "kmeans", "--lr", "1"])
        .failed(2, &["kmeans has no lr"]);
    place
        .run(&[&["fit", "t.csv", "-k", "41", "--out", "o"][..], &TINY[..]].concat())
        .failed(1, &["40 rows", "41 clusters"]);
}

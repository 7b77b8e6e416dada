//! `lpvdn data`: known sets, and a look at any data.

mod common;
#[path = "../../lpvdn-data/tests/server/mod.rs"]
mod server;

use std::process::Command;
use std::time::{Duration, Instant};

use common::{Outcome, Place, TINY, names_in};
use lpvdn_core::Batch;
use server::{Answer, Server};

/// The two files of optdigits as UCI has them: the built-in set holds the same rows.
fn optdigits() -> Vec<(String, Vec<u8>)> {
    let digits = lpvdn_data::digits();
    let mut batch = Batch::for_source(digits.source.as_ref());
    let rows: Vec<u32> = (0..digits.rows() as u32).collect();
    digits.source.gather(&rows, &mut batch).expect("rows");
    let labels = digits.labels.as_ref().expect("labels");
    let line = |i: usize| {
        let mut cells = Vec::new();
        batch.for_each_in_row(i, |_, v| cells.push(v.to_string()));
        cells.push(labels.names[labels.codes[i] as usize].clone());
        cells.join(",") + "\n"
    };
    let text = |rows: std::ops::Range<usize>| rows.map(line).collect::<String>().into_bytes();
    vec![("optdigits.tra".into(), text(0..3823)), ("optdigits.tes".into(), text(3823..5620))]
}

/// The program with a cache of its own.
fn command(place: &Place, args: &[&str]) -> Command {
    let mut command = place.command(args);
    command.env("LPVDN_CACHE", place.path("cache")).env_remove("LPVDN_DATA").env("NO_PROXY", "127.0.0.1");
    command
}

fn run(place: &Place, args: &[&str]) -> Outcome {
    Outcome::from(command(place, args).output().expect("the program runs"))
}

#[test]
#[cfg(feature = "fetch")]
fn a_killed_fetch_goes_on_and_the_set_is_then_known_by_its_name() {
    let place = Place::new();
    run(&place, &["fit", "optdigits"]).failed(1, &["2 of its 2 files", "lpvdn data fetch optdigits"]);
    let server = Server::with_files(optdigits(), vec![Answer::Dribble]);
    let from = server.url("");
    let mut child = command(&place, &["data", "fetch", "optdigits", "--from", &from])
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program runs");
    let folder = place.path("cache/optdigits");
    let part = || {
        let names = if folder.exists() { names_in(&folder) } else { Vec::new() };
        names.into_iter().find(|name| name.ends_with(".part")).map(|name| folder.join(name))
    };
    let size = || part().and_then(|path| path.metadata().ok()).map_or(0, |metadata| metadata.len());
    let start = Instant::now();
    while size() == 0 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("killed");
    child.wait().expect("dead");
    assert!(size() > 0, "nothing was there to be continued");
    assert!(!folder.join("optdigits.tra").exists());

    let outcome = run(&place, &["data", "fetch", "optdigits", "--from", &from]).succeeded();
    assert!(outcome.stderr.contains("its SHA-256 is right"), "{}", outcome.stderr);
    assert!(server.ranges().iter().any(Option::is_some), "it began anew");
    assert_eq!(names_in(&folder), ["optdigits.tes", "optdigits.tra"]);
    let again = run(&place, &["data", "fetch", "optdigits", "--from", &from]).succeeded();
    assert_eq!(again.stderr.matches("is already here").count(), 2, "{}", again.stderr);

    run(&place, &[&["fit", "optdigits", "--quiet"], &TINY[..]].concat()).succeeded();
    let scores = run(&place, &["evaluate", "lpvdn-out", "optdigits", "--json"]).succeeded().json();
    assert_eq!((scores["rows"].as_u64(), scores["classes"].as_u64()), (Some(5620), Some(10)));
    let rows = run(&place, &["predict", "lpvdn-out", "optdigits"]).succeeded();
    assert_eq!(rows.stdout.lines().count(), 5621);
    // The set is the built-in one.
    let same = run(&place, &["predict", "lpvdn-out", "digits"]).succeeded();
    assert_eq!(rows.stdout, same.stdout);
    let resumed = run(&place, &["fit", "optdigits", "--resume", "--json"]).succeeded();
    assert!(resumed.stderr.contains("already finished"), "{}", resumed.stderr);
}

#[test]
#[cfg(feature = "fetch")]
fn a_folder_can_take_the_place_of_the_internet() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("sets/optdigits")).expect("a folder");
    for (name, content) in optdigits() {
        place.write(&format!("sets/optdigits/{name}"), content);
    }
    // Read right there, without a copy.
    let inspected = command(&place, &["data", "inspect", "optdigits"]).env("LPVDN_DATA", "sets").output();
    let inspected = Outcome::from(inspected.expect("the program runs")).succeeded();
    assert!(inspected.stdout.contains("5,620 rows × 64 columns"), "{}", inspected.stdout);
    assert!(!place.path("cache").exists());
    run(&place, &["data", "fetch", "optdigits", "--from", "sets", "--quiet"]).succeeded();
    assert_eq!(names_in(&place.path("cache/optdigits")), ["optdigits.tes", "optdigits.tra"]);
    // Wrong bytes are not taken over.
    place.write("sets/optdigits/optdigits.tes", "1,2,3\n");
    std::fs::remove_dir_all(place.path("cache")).expect("removed");
    run(&place, &["data", "fetch", "optdigits", "--from", "sets"])
        .failed(1, &["optdigits.tes", "wrong bytes", "expected", "found", "6ebb3d2f"]);
    assert_eq!(names_in(&place.path("cache/optdigits")), ["optdigits.tra"]);
    run(&place, &["fit", "optdigits"]).failed(1, &["1 of its 2 files"]);
    run(&place, &["data", "fetch", "mnist", "--from", "nowhere"]).failed(1, &["nowhere", "mnist"]);
    run(&place, &["data", "fetch", "minst"]).failed(2, &["\"minst\"", "mnist, fashion-mnist"]);
}

#[test]
fn an_output_folder_with_the_name_of_a_set_is_not_taken_for_data() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("sets/optdigits")).expect("a folder");
    for (name, content) in optdigits() {
        place.write(&format!("sets/optdigits/{name}"), content);
    }
    let fit = ["fit", "optdigits", "--out", "optdigits", "--method", "kmeans"];
    for (more, told) in [("--quiet", ""), ("--resume", "already finished"), ("--force", "10 clusters")] {
        let output = command(&place, &[&fit[..], &[more]].concat()).env("LPVDN_DATA", "sets").output();
        let outcome = Outcome::from(output.expect("the program runs")).succeeded();
        assert!(format!("{}{}", outcome.stderr, outcome.stdout).contains(told), "{outcome:?}");
    }
    let explored =
        command(&place, &["explore", "optdigits", "--rows", "100"]).env("LPVDN_DATA", "sets").output();
    Outcome::from(explored.expect("the program runs")).succeeded();
}

#[test]
fn a_path_goes_before_a_name_and_the_list_says_what_is_here() {
    let place = Place::new();
    place.csv("mnist", |_, line| line);
    let inspected = run(&place, &["data", "inspect", "mnist", "-k", "2", "--json"]).succeeded().json();
    assert_eq!((inspected["rows"].as_u64(), inspected["columns"].as_u64()), (Some(40), Some(4)));
    let list = run(&place, &["data", "list"]).succeeded().stdout;
    assert!(list.contains("not here: lpvdn data fetch mnist"), "{list}");
    assert!(list.contains("checked by size: no checksum is known for 5 of 6 files"), "{list}");
    let list = run(&place, &["data", "list", "--json"]).succeeded().json();
    assert_eq!(list["sets"][0]["name"], "mnist");
    assert_eq!(list["sets"][0]["here"], false);
    run(&place, &["fit", "fashion-mnist", "--label-column", "3"]).failed(1, &["known set", "label column"]);
}

#[test]
fn inspecting_tells_of_holes_instead_of_failing() {
    let place = Place::new();
    place.csv("holes.csv", |i, line| if i == 6 || i == 9 { "1,2,,4".to_owned() } else { line });
    let text = run(&place, &["data", "inspect", "holes.csv", "-k", "2"]).succeeded().stdout;
    assert!(
        text.contains("missing   2 values: 2 in column 2 (counted from 0); the first: line 7, column 2"),
        "{text}"
    );
    assert!(text.contains("nothing: 2 values missing or no number"), "{text}");
    let text =
        run(&place, &["data", "inspect", "holes.csv", "-k", "2", "--missing", "mean"]).succeeded().stdout;
    assert!(text.contains("expected  about"), "{text}");
    place.csv("nan.csv", |i, line| if i == 6 { "1,2,nan,inf".to_owned() } else { line });
    let facts = run(&place, &["data", "inspect", "nan.csv", "-k", "2", "--json"]).succeeded().json();
    assert_eq!(facts["missing"]["count"], 2, "{facts}");
    assert_eq!(facts["missing"]["first"], "line 7, column 2: NaN");
    assert!(facts["fit"].is_null() && facts["fit_refuses"].is_string());
    assert!(!facts["fit_refuses"].to_string().contains("--missing"), "infinity stays: {facts}");
    place.csv("nan.csv", |i, line| if i == 6 { "1,2,nan,4".to_owned() } else { line });
    let facts = run(&place, &["data", "inspect", "nan.csv", "-k", "2", "--json"]).succeeded().json();
    assert!(facts["fit_refuses"].to_string().contains("--missing mean"), "{facts}");
    place.write("nan.svm", "1 1:2 2:nan\n2 1:1\n1 2:3\n");
    let facts = run(&place, &["data", "inspect", "nan.svm", "--json"]).succeeded().json();
    assert!(!facts["fit_refuses"].to_string().contains("--missing"), "no such option here: {facts}");
    run(&place, &["data", "inspect", "none.csv"]).failed(1, &["none.csv", "no such file"]);
    run(&place, &["data", "inspect", "nan.csv", "--out", "a"]).failed(2, &["--out"]);
}

#[test]
fn inspecting_shows_labels_or_what_may_be_labels() {
    let place = Place::new();
    let rows = |i: usize| format!("{}.5,{},{}\n", i * 7 % 13, i * 7 % 60, ["red", "green", "blue"][i % 3]);
    place.write("colours.csv", "size,number,colour\n".to_owned() + &(0..60).map(rows).collect::<String>());
    let text = run(&place, &["data", "inspect", "colours.csv"]).succeeded().stdout;
    assert!(text.contains("--label-column colour may be it: 3 different values, words"), "{text}");
    assert!(text.contains("the number of clusters is not known"), "{text}");
    let text =
        run(&place, &["data", "inspect", "colours.csv", "--label-column", "colour"]).succeeded().stdout;
    assert!(text.contains("3 classes: blue 20, green 20, red 20"), "{text}");
    assert!(text.contains("60 rows × 2 columns") && text.contains("clusters  3"), "{text}");
    let text = run(&place, &["data", "inspect"]).succeeded().stdout;
    for words in
        ["digits: 5,620 rows × 64 columns", "bytes from 0 to 16", "10 classes: 0 554", "encoder   64 →"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    let (_, tra) = optdigits().swap_remove(0);
    place.write("tra.csv", tra);
    let facts = run(&place, &["data", "inspect", "tra.csv", "--json"]).succeeded().json();
    let candidates = facts["label_column_candidates"].as_array().expect("a list");
    assert!(candidates.iter().any(|c| c["column"] == "64" && c["values"] == 10), "{facts}");
}

/// What is read from a pipe is gone: it must be opened once.
#[cfg(unix)]
#[test]
fn inspecting_a_pipe_shows_it_from_its_beginning() {
    let place = Place::new();
    let made = Command::new("mkfifo").arg(place.path("rows.csv")).status().expect("mkfifo");
    assert!(made.success());
    let pipe = place.path("rows.csv");
    // More than a pipe holds, so that a second opening would lose the beginning.
    let rows: String = (0..30_000).map(|i| format!("{}.5,{}\n", i % 13, i % 7)).collect();
    let writer = std::thread::spawn(move || std::fs::write(pipe, rows));
    let facts = run(&place, &["data", "inspect", "rows.csv", "-k", "2", "--json"]).succeeded().json();
    writer.join().expect("a writer").expect("everything is taken");
    assert_eq!(
        (facts["rows"].as_u64(), facts["format"].as_str()),
        (Some(30_000), Some("a pipe, csv")),
        "{facts}"
    );
}

#[test]
fn inspecting_texts_shows_their_terms() {
    let place = Place::new();
    let line = |i: usize| format!("{{\"text\":\"word{} common thing\",\"label\":\"{}\"}}\n", i % 7, i % 2);
    place.write("texts.jsonl", (0..50).map(line).collect::<String>());
    let text = run(&place, &["data", "inspect", "texts.jsonl", "--label-column", "label"]).succeeded().stdout;
    for words in ["terms     9: common, thing, word0", "sparse 32-bit floats", "a file, jsonl", "2 classes"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

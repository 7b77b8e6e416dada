//! Names in data that a terminal would obey never reach it.
#![cfg(unix)]

mod common;

use common::{Outcome, Place, TINY};

/// A title, a screen that is cleared, C1 controls, a deleted character, a reversed line, a hidden one, a new line that
/// looks like ours.
const EVIL: &str = "\u{1b}]0;t\u{7}\u{1b}[2J\u{9b}31m\u{7f}\u{202e}\u{2066}\u{200b}\u{feff}\r\nlpvdn: FORGED";

/// What people read has no such character, and no line that the data began.
#[track_caller]
fn is_clean(what: &str, text: &str) {
    let bad = |c: char| {
        c != '\n'
            && (c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{61c}'))
    };
    assert!(!text.contains(bad), "{what}: {text:?}");
    assert!(!text.lines().any(|line| line.starts_with("lpvdn: FORGED")), "{what}: {text:?}");
}

/// The same without the controls that a text file may not have.
const SOFT: &str = "\u{9b}31m\u{9d}0;t\u{9c}\u{202e}\u{2066}\u{200b}\u{feff}\nlpvdn: FORGED";

fn value(i: usize, j: usize) -> f32 {
    (5 * (i % 2)) as f32 + ((i * 7 + j * 3) % 11) as f32 * 0.1
}

/// A table in which everything has a hostile name.
fn table(ends: &str) -> String {
    let line = |i: usize| {
        // A word of several lines is taken for a quote that is not closed.
        let word = SOFT.replace('\n', "");
        let cells = format!("{},{},\"w{}{word}\"", value(i, 0), value(i, 1), i % 3);
        format!("\"r{i}{SOFT}\",{cells},\"k{}{SOFT}\"\n", i % 2)
    };
    let rows: String = (0..40).map(line).collect();
    format!("\"id{SOFT}\",\"a{SOFT}\",\"b{SOFT}\",\"words{SOFT}\",\"class{SOFT}\"\n{rows}{ends}")
}

/// Vectors whose names hold every control there is.
fn vectors() -> String {
    let line = |i: usize| {
        let (id, class) = (format!("r{i}{EVIL}"), format!("k{}{EVIL}", i % 2));
        let mut object = serde_json::json!({ "x": [value(i, 0), value(i, 1), value(i, 2)] });
        object[format!("id{EVIL}")] = id.into();
        object[format!("class{EVIL}")] = class.into();
        format!("{object}\n")
    };
    (0..40).map(line).collect()
}

/// Texts with words that hide something.
fn texts() -> String {
    let words = |i: usize| {
        let (first, second) = (["grain\u{200b}wheat", "ship\u{ad}ping"][i % 2], ["oil", "tin", "tea"][i % 3]);
        format!("{first} {second} corn\u{202e}trade \u{1b}[2Jmarket")
    };
    (0..40)
        .map(|i| {
            format!("{}\n", serde_json::json!({ "text": words(i), "label": format!("{EVIL}{}", i % 2) }))
        })
        .collect()
}

/// Runs the program, whose words must be clean.
struct Said(Place);

impl Said {
    fn run(&self, args: &[&str]) -> Outcome {
        let cache = self.0.path(&format!("cache{EVIL}"));
        let output = self.0.command(args).env("LPVDN_CACHE", cache).output().expect("a run");
        let outcome = Outcome::from(output);
        is_clean(&format!("{args:?}, standard error"), &outcome.stderr);
        outcome
    }

    /// Where standard output is for people, too.
    fn words(&self, args: &[&str]) -> Outcome {
        let outcome = self.run(args);
        is_clean(&format!("{args:?}, standard output"), &outcome.stdout);
        outcome
    }

    /// Every command on one file.
    fn about(&self, file: &str, named: &[&str], id: &str) {
        let (out, compared) = (format!("out{EVIL}{file}"), format!("c{file}"));
        let fit = [&["fit", file, "--out", &out], named, &TINY[..]].concat();
        self.words(&[&["data", "inspect", file], named].concat()).succeeded();
        self.words(&["data", "inspect", file]);
        let told = self.words(&fit).succeeded();
        let next = told.stdout.lines().find(|line| line.contains("lpvdn predict")).expect("a command");
        assert!(next.contains(r"$'out\x1b]0;t"), "{next}");
        self.words(&fit).failed(1, &["another run"]);
        self.words(&[&fit[..], &["--resume"]].concat()).succeeded();
        self.words(&[&["evaluate", &out, file], named].concat()).succeeded();
        self.words(&["neighbors", &out, "--query", "1"]).succeeded();
        self.words(&["neighbors", &out, "--query", id]);
        self.words(&["neighbors", &out, "--query", &format!("no{EVIL}")]).failed(2, &["--query"]);
        self.words(&["info", &out]).succeeded();
        self.words(&["explore", &out]).succeeded();
        self.words(&["plot", "confusion", &out]).succeeded();
        let compare = ["compare", file, "--methods", "kmeans", "--seeds", "1", "--out", &compared];
        self.words(&[&compare[..], named].concat()).succeeded();
    }
}

#[test]
fn no_command_prints_what_a_terminal_obeys() {
    let place = Place::new();
    let [csv, jsonl, texts_jsonl] = ["csv", "jsonl", "texts.jsonl"].map(|end| format!("rows{EVIL}.{end}"));
    place.write(&csv, table(""));
    place.write(&jsonl, vectors());
    place.write(&texts_jsonl, texts());
    let said = Said(place);
    let named = |name: &str| [format!("class{name}"), format!("id{name}")];
    let [label, id] = named(SOFT);
    said.about(&csv, &["--label-column", &label, "--id-column", &id], &format!("r1{SOFT}"));
    let [label, id] = named(EVIL);
    said.about(&jsonl, &["--label-column", &label, "--id-column", &id], &format!("r1{EVIL}"));
    said.about(&texts_jsonl, &["--label-column", "label"], "2");
    said.words(&["data", "list"]).succeeded();
    said.words(&["data", "fetch", EVIL]).failed(2, &["not a known set"]);
}

#[test]
fn results_for_programs_are_exact() {
    let place = Place::new();
    place.write("rows.jsonl", vectors());
    let said = Said(place);
    let (label, id) = (format!("class{EVIL}"), format!("id{EVIL}"));
    let named = ["--label-column", &label, "--id-column", &id];
    said.run(&[&["fit", "rows.jsonl", "--method", "kmeans", "-q"], &named[..]].concat()).succeeded();
    let predicted = said.run(&[&["predict", "lpvdn-out", "rows.jsonl"], &named[..]].concat()).succeeded();
    assert!(predicted.stdout.contains(&format!("r7{EVIL}")));
    let scores = ["evaluate", "lpvdn-out", "rows.jsonl", "--json"];
    let scores = said.run(&[&scores[..], &named[..]].concat()).succeeded();
    assert_eq!(scores.json()["confusion"]["classes"][0], format!("k0{EVIL}"));
}

#[test]
fn errors_do_not_repeat_what_a_terminal_obeys() {
    let place = Place::new();
    place.write("rows.csv", table(""));
    place.write("bad.csv", table(&format!("x,1,\"{SOFT}\",w,k\n")));
    place.write("short.csv", table("1,2\n"));
    place.write(&format!("noise{EVIL}.npy"), format!("{EVIL}{EVIL}"));
    place.write("settings.toml", "\"\\u001b[2J\\u202e\" = 1\n");
    let said = Said(place);
    for args in [
        &["fit", "rows.csv", "-k", "2", "--label-column", EVIL][..],
        &["fit", "rows.csv", "-k", "2", "--ignore", EVIL],
        &["fit", "rows.csv", "-k", "2", "--id-column", EVIL],
        &["fit", "rows.csv", "--label-column", "-1", "--classes", EVIL],
        &["fit", "bad.csv", "-k", "2"],
        &["fit", "short.csv", "-k", "2"],
        &["fit", EVIL, "-k", "2"],
        &["fit", &format!("noise{EVIL}.npy"), "-k", "2"],
        &["fit", "rows.csv", "-k", EVIL],
        &["fit", "--layers", EVIL],
        &["fit", "--recipe", EVIL],
        &["fit", &format!("--{EVIL}")],
        &["fit", "a", "b", EVIL],
        &["fit", "--config", EVIL],
        &["fit", "--config", "settings.toml"],
        &["compare", "--seeds", EVIL],
        &["compare", "--methods", EVIL],
        &["predict", EVIL, "rows.csv"],
        &["info", EVIL],
        &["explore", EVIL],
        &["explore", ".", &format!("--serve={EVIL}")],
        &["plot", EVIL, "."],
        &["experiment", EVIL],
        &["transform", ".", "rows.csv", "--out", EVIL],
        &[EVIL],
    ] {
        let outcome = said.words(args);
        assert!(matches!(outcome.code, Some(1 | 2)), "{args:?}: {outcome:?}");
        assert_eq!(
            outcome.stderr.lines().filter(|line| line.starts_with("lpvdn: ")).count(),
            1,
            "{outcome:?}"
        );
    }
}

//! What goes where: results, progress, silence, help.

mod common;

use std::io::Read;
use std::process::Stdio;

use common::{Place, at_level};

#[test]
fn without_a_terminal_progress_is_plain_lines_on_standard_error() {
    let place = Place::new();
    let fit = place.fit(&[]);
    assert!(!fit.stderr.contains(['\x1b', '\r']), "{:?}", fit.stderr);
    let plan = [
        "data      digits: 5,620 rows × 64 columns, labels known",
        "clusters  10",
        "expected  about",
        "parameters",
    ];
    let epochs =
        ["pre-training epoch 1/2: loss", "pre-training epoch 2/2", "training epoch 3/3", "rows/s", "left"];
    for part in plan.iter().chain(&epochs) {
        assert!(fit.stderr.contains(part), "{part}: {}", fit.stderr);
    }
    for part in [
        "scores    ACC 0.",
        "sizes ",
        "files     lpvdn-out:",
        "next      lpvdn explore lpvdn-out\n          lpvdn predict lpvdn-out digits",
    ] {
        assert!(fit.stdout.contains(part), "{part}: {}", fit.stdout);
    }
}

#[test]
fn quiet_prints_nothing_and_leaves_json_alone() {
    let place = Place::new();
    let fit = place.fit(&["--quiet"]);
    assert_eq!((fit.stderr.as_str(), fit.stdout.as_str()), ("", ""));
    let again = place.run(&["fit", "--resume", "--quiet", "--json"]).succeeded();
    assert_eq!(again.stderr, "");
    assert_eq!(again.json()["clusters"], 10);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    place.fit(&["--quiet"]);
    let mut command = place.command(&["transform", "lpvdn-out", "digits"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
    let mut first = [0; 5];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("some bytes");
    let outcome = child.wait_with_output().expect("an end");
    assert_eq!(outcome.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&outcome.stderr), "");
}

#[test]
fn every_command_has_help_with_examples() {
    let place = Place::new();
    assert!(place.run(&["--help"]).succeeded().stdout.contains("Examples:"));
    for command in ["fit", "predict", "transform", "evaluate", "info"] {
        let help = place.run(&[command, "--help"]).succeeded();
        assert!(help.stdout.contains("Examples"), "{command}");
        assert_eq!(help.stderr, "");
    }
    assert!(place.run(&["--version"]).succeeded().stdout.starts_with("lpvdn "));
    assert_eq!(place.run(&[]).code, Some(2));
}

#[test]
fn an_unknown_instruction_set_is_a_usage_error() {
    let place = Place::new();
    let output = at_level(place.command(&["fit"]), "sse9").output().expect("a run");
    common::Outcome::from(output).failed(2, &["LPVDN_SIMD=sse9", "auto, scalar or avx2"]);
}

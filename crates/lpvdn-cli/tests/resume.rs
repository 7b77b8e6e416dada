//! Killed and interrupted runs end in the model of a run that nobody touched.
#![cfg(unix)]

mod common;

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Outcome, Place, TINY, names_in};

/// Longer than the other tests' runs, with a checkpoint after every epoch.
const LONGER: [&str; 7] = ["--quiet", "--pretrain-epochs", "3", "--epochs", "9", "--checkpoint-every", "1"];

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let tiny = TINY.chunks(2).filter(|pair| !pair[0].ends_with("epochs")).flatten().copied();
    ["fit"].into_iter().chain(tiny).chain(LONGER).chain(more.iter().copied()).collect()
}

fn start(place: &Place, more: &[&str]) -> Child {
    spawn(place, &arguments(more))
}

fn spawn(place: &Place, arguments: &[&str]) -> Child {
    let mut command = place.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process")
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.expect("kill runs").success());
}

fn wait_for(what: &str, ready: impl Fn() -> bool) {
    let started = Instant::now();
    while !ready() {
        assert!(started.elapsed() < Duration::from_secs(60), "waited too long for {what}");
        sleep(Duration::from_millis(5));
    }
}

/// The (phase, epoch) of each line about an epoch.
fn epochs_in(log: &str) -> Vec<(String, u64)> {
    let lines = log.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).expect("whole lines"));
    let epochs = lines.filter(|l| l["event"] == "epoch");
    epochs.map(|l| (l["phase"].as_str().unwrap_or("").to_owned(), l["epoch"].as_u64().unwrap_or(0))).collect()
}

fn all_epochs() -> Vec<(String, u64)> {
    let phase = |name: &'static str, n: u64| (1..=n).map(move |e| (name.to_owned(), e));
    phase("pretrain", 3).chain(phase("joint", 9)).chain(phase("settle", 18)).collect()
}

#[test]
fn a_run_killed_at_any_of_ten_moments_resumes_to_the_same_model() {
    let place = Place::new();
    let began = Instant::now();
    place.run(&arguments(&["--out", "whole"])).succeeded();
    let length = began.elapsed();
    let whole = place.read("whole/model.safetensors");
    let mut hits = 0;
    let mut random: u32 = 20_210_202;
    for i in 0..10_u32 {
        // One moment in each tenth of the run, anywhere in it.
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let share = (f64::from(i) + f64::from(random >> 8) / f64::from(1 << 24)) / 10.0;
        let out = format!("killed-{i}");
        let mut child = start(&place, &["--out", &out]);
        sleep(length.mul_f64(share));
        hits += u32::from(child.try_wait().expect("a state").is_none());
        child.kill().expect("killed");
        child.wait().expect("an end");
        // Half of them without repeating the settings, where there are any to go by.
        let resumed = if i % 2 == 0 && place.path(&out).join("run.toml").exists() {
            place.run(&["fit", "--resume", "--out", &out])
        } else {
            place.run(&arguments(&["digits", "--out", &out, "--resume"]))
        };
        resumed.succeeded();
        assert!(
            whole == place.read(&format!("{out}/model.safetensors")),
            "killed after {share:.2} of the run"
        );
        assert_eq!(names_in(&place.path(&out)), names_in(&place.path("whole")), "killed after {share:.2}");
        assert_eq!(
            epochs_in(&place.text(&format!("{out}/log.jsonl"))),
            all_epochs(),
            "killed after {share:.2}"
        );
    }
    assert!(hits >= 5, "only {hits} of 10 runs were still running when they were killed");
}

#[test]
fn an_interrupted_run_says_how_to_go_on_and_does() {
    let place = Place::new();
    let evaluate = ["--evaluate-every", "2"];
    place.run(&arguments(&[&["--out", "whole"], &evaluate[..]].concat())).succeeded();
    for (out, name, again) in [("a", "-INT", false), ("b", "-TERM", false), ("c", "-INT", true)] {
        let child = start(&place, &[&["--out", out], &evaluate[..]].concat());
        let log = place.path(out).join("log.jsonl");
        let training = || std::fs::read_to_string(&log).is_ok_and(|l| l.contains("\"joint\",\"epoch\":2"));
        wait_for("the second epoch", training);
        signal(&child, name);
        if again {
            signal(&child, name);
        }
        let outcome = Outcome::from(child.wait_with_output().expect("an end"));
        if again {
            assert_eq!(outcome.code, Some(130), "{outcome:?}");
        } else {
            let outcome = outcome.failed(130, &["interrupted", &format!("lpvdn fit --resume --out {out}")]);
            assert_eq!(outcome.stdout, "");
        }
        place.run(&["predict", out, "digits"]).failed(1, &["not finished", "--resume"]);
        place.run(&["fit", "--out", out]).failed(1, &["holds another run", "--resume", "--force"]);
        let resumed = place.run(&["fit", "--resume", "--out", out, "--json"]).succeeded();
        assert!(resumed.stderr.contains("resumed   training after"), "{}", resumed.stderr);
        assert!(place.read("whole/model.safetensors") == place.read(&format!("{out}/model.safetensors")));
        assert!(place.read("whole/labels.csv") == place.read(&format!("{out}/labels.csv")));
        assert_eq!(epochs_in(&place.text(&format!("{out}/log.jsonl"))), all_epochs());
        assert_eq!(scores_in(&place, out), scores_in(&place, "whole"));
    }
}

#[test]
fn a_second_run_in_the_same_folder_is_refused_while_the_first_goes_on() {
    let place = Place::new();
    let tiny = TINY.chunks(2).filter(|pair| pair[0] != "--epochs").flatten().copied();
    let endless: Vec<&str> =
        ["fit", "--quiet", "--epochs", "1000000", "--out", "a"].into_iter().chain(tiny).collect();
    let child = spawn(&place, &endless);
    // What is stopped before the first step leaves nothing behind.
    let log = place.path("a/log.jsonl");
    let training = || std::fs::read_to_string(&log).is_ok_and(|log| log.contains("\"epoch\":1"));
    wait_for("the first epoch", training);
    for more in ["--force", "--resume", "--quiet"] {
        let outcome = place.run(&["fit", "--out", "a", more]);
        outcome.failed(1, &["another lpvdn is writing there", "--out"]);
    }
    signal(&child, "-INT");
    Outcome::from(child.wait_with_output().expect("an end")).failed(130, &["interrupted"]);
    place.run(&["fit", "--out", "a"]).failed(1, &["holds another run"]);
}

/// Epoch and accuracy of each evaluation in the metrics.
fn scores_in(place: &Place, out: &str) -> Vec<(u64, f64)> {
    let metrics = place.text(&format!("{out}/metrics.json"));
    let metrics: serde_json::Value = serde_json::from_str(&metrics).expect("JSON");
    let all = metrics["evaluations"].as_array().expect("a list");
    all.iter().filter_map(|e| Some((e["epoch"].as_u64()?, e["acc"].as_f64()?))).collect()
}

#[test]
fn resuming_without_a_checkpoint_starts_from_the_beginning_and_says_so() {
    let place = Place::new();
    place.run(&["fit", "--resume", "--out", "slip"]).failed(1, &["slip holds no run", "--out"]);
    assert!(!place.path("slip").exists());
    let first = place.fit(&["digits", "--resume"]);
    assert!(
        first.stderr.contains("no checkpoint in lpvdn-out, so the run starts from the beginning"),
        "{first:?}"
    );
    let model = place.read("lpvdn-out/model.safetensors");

    let finished = place.run(&["fit", "--resume"]).succeeded();
    assert!(finished.stderr.contains("already finished"), "{finished:?}");
    assert!(finished.stdout.contains("scores    ACC"), "{finished:?}");
    assert!(
        finished
            .stdout
            .contains("next      lpvdn explore lpvdn-out\n          lpvdn predict lpvdn-out digits"),
        "{finished:?}"
    );

    // As if it had been killed while it wrote its results.
    for name in ["metrics.json", "labels.csv"] {
        std::fs::remove_file(place.path("lpvdn-out").join(name)).expect("removed");
    }
    place.write("lpvdn-out/.lpvdn-1-0.tmp", "half of a file");
    place.write("lpvdn-out/notes.txt", "mine");
    place.run(&["fit", "--resume", "-q"]).succeeded();
    assert!(place.read("lpvdn-out/model.safetensors") == model);
    let names = names_in(&place.path("lpvdn-out"));
    assert!(names.contains(&"labels.csv".to_owned()) && names.contains(&"notes.txt".to_owned()), "{names:?}");
    assert!(!names.iter().any(|n| n.ends_with(".tmp")), "{names:?}");
}

#[test]
fn a_run_cannot_be_resumed_with_other_settings_or_other_data() {
    let place = Place::new();
    place.csv("t.csv", |_, line| line);
    place.fit(&["t.csv", "-k", "2", "-q"]);
    std::fs::remove_file(place.path("lpvdn-out/metrics.json")).expect("removed");
    let resume = |args: &[&str]| place.run(&[&["fit", "--resume"], args].concat());
    resume(&["--seed", "1"]).failed(2, &["lpvdn-out", "seed 0, not 1", "--force"]);
    resume(&["--lr", "0.5"]).failed(2, &["lr 0.002, not 0.5"]);
    resume(&["digits"]).failed(2, &["t.csv", "not \"digits\""]);
    resume(&["--likelihood", "gaussian"]).failed(2, &["likelihood not set"]);
    resume(&["--layers", "32"]).failed(2, &["layers [32, 32]"]);

    // A checkpoint of other data.
    place.write("lpvdn-out/checkpoint.safetensors", "not a checkpoint");
    resume(&[]).failed(1, &["checkpoint.safetensors", "--force"]);
    resume(&["t.csv", "--seed", "0", "--threads", "1", "--lr", "2e-3"])
        .failed(1, &["checkpoint.safetensors"]);
    std::fs::remove_file(place.path("lpvdn-out/checkpoint.safetensors")).expect("removed");
    resume(&["t.csv", "--seed", "0", "--threads", "1", "--lr", "2e-3"]).succeeded();
}

#[test]
fn a_resumed_run_notices_that_its_data_has_changed() {
    let place = Place::new();
    place.csv("t.csv", |_, line| line);
    // So long that it cannot end before it is interrupted.
    let endless: Vec<&str> = arguments(&["t.csv", "-k", "2", "--out", "o"])
        .iter()
        .map(|a| if *a == "9" { "1000000" } else { *a })
        .collect();
    let child = spawn(&place, &endless);
    wait_for("a checkpoint", || place.path("o/checkpoint.safetensors").exists());
    signal(&child, "-INT");
    Outcome::from(child.wait_with_output().expect("an end")).failed(130, &["--resume"]);
    place.csv("t.csv", |i, line| if i == 7 { "9,9,9,9".to_owned() } else { line });
    place
        .run(&["fit", "--resume", "--out", "o"])
        .failed(1, &["o/checkpoint.safetensors", "other data or settings"]);
}

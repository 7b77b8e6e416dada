//! The output folder: an old run stays until a new one is complete, and nothing blocks the corrected command.
#![cfg(unix)]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use common::{Outcome, Place, TINY, names_in};

const FILES: [&str; 6] =
    ["embedding.npy", "labels.csv", "log.jsonl", "metrics.json", "model.safetensors", "run.toml"];

fn fit(place: &Place, args: &[&str]) -> Outcome {
    place.run(&[&["fit"], &TINY[..], args].concat())
}

/// All files of a folder with what they hold.
fn snapshot(folder: &Path) -> Vec<(String, Vec<u8>)> {
    names_in(folder).into_iter().map(|n| (n.clone(), fs::read(folder.join(n)).unwrap_or_default())).collect()
}

/// A finished run of a small table in `o`.
fn finished() -> Place {
    let place = Place::new();
    place.csv("t.csv", |_, line| line);
    fit(&place, &["t.csv", "-k", "2", "-o", "o", "-q"]).succeeded();
    place
}

#[test]
fn a_forced_run_that_is_refused_or_diverges_leaves_the_old_one_untouched() {
    let place = finished();
    place.write("o/explore.html", "the old page");
    let before = snapshot(&place.path("o"));
    let refused: [(&[&str], &[&str]); 5] = [
        (&["digits", "--memory", "1MB"], &["MB of memory are needed"]),
        (&["digits", "--memory", "1MB", "--restarts", "2"], &["MB of memory are needed"]),
        (&["t.csv", "-k", "2", "--lr", "1e30"], &["smaller learning rate"]),
        (&["t.csv", "-k", "2", "--lr", "1e30", "--restarts", "2"], &["NaN"]),
        (&["t.csv", "-k", "41"], &["too few"]),
    ];
    for (args, words) in refused {
        fit(&place, &[args, &["-o", "o", "--force"]].concat()).failed(1, words);
        assert!(snapshot(&place.path("o")) == before, "{args:?} changed the folder");
        place.run(&["predict", "o", "t.csv"]).succeeded();
    }
}

#[test]
fn a_first_run_that_is_refused_or_diverges_does_not_block_the_corrected_command() {
    let place = finished();
    let refused: [&[&str]; 4] = [
        &["t.csv", "-k", "2", "--memory", "1MB"],
        &["t.csv", "-k", "2", "--memory", "1MB", "--clusters", "2-3"],
        &["t.csv", "-k", "2", "--lr", "1e30"],
        &["t.csv", "-k", "2", "--lr", "1e30", "--restarts", "2", "--checkpoint-every", "1"],
    ];
    for args in refused {
        let args: Vec<&str> = if args.contains(&"--clusters") {
            args.iter().copied().filter(|a| !["-k", "2"].contains(a)).collect()
        } else {
            args.to_vec()
        };
        let outcome = fit(&place, &[&args[..], &["-o", "p"]].concat());
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(!place.path("p").exists(), "{args:?} left a folder");
        // In a folder that was there, too.
        fs::create_dir(place.path("p")).expect("a folder");
        assert_eq!(fit(&place, &[&args[..], &["-o", "p"]].concat()).code, Some(1));
        assert_eq!(names_in(&place.path("p")), Vec::<String>::new(), "{args:?}");
        fit(&place, &["t.csv", "-k", "2", "-o", "p", "-q"]).succeeded();
        assert_eq!(names_in(&place.path("p")), FILES);
        fs::remove_dir_all(place.path("p")).expect("removed");
    }
}

#[test]
fn a_forced_run_that_is_stopped_is_resumed_and_then_replaces_the_old_one() {
    let place = finished();
    fit(&place, &["t.csv", "-k", "2", "--seed", "5", "-o", "whole", "-q", "--checkpoint-every", "1"])
        .succeeded();
    let old = place.read("o/model.safetensors");
    // As if it had been killed: the state of another run, begun in the old one's folder.
    let endless = fit_until_checkpoint(&place);
    assert!(place.path("o/.lpvdn-new/checkpoint.safetensors").exists());
    assert!(endless.stderr.contains("lpvdn fit --resume --out o"), "{endless:?}");
    assert!(place.read("o/model.safetensors") == old);
    place.run(&["predict", "o", "t.csv"]).succeeded();
    place.run(&["info", "o"]).succeeded();
    fit(&place, &["t.csv", "-k", "2", "-o", "o"])
        .failed(1, &["o holds a run and another that was to replace it", "--resume", "--force", "--out"]);
    place.run(&["fit", "--resume", "-o", "o", "--seed", "7"]).failed(2, &["seed 5, not 7"]);
    assert!(place.read("o/model.safetensors") == old);
    // Another forced run starts anew.
    fit(&place, &["t.csv", "-k", "2", "--seed", "5", "-o", "o", "--force", "-q"]).succeeded();
    assert_eq!(names_in(&place.path("o")), FILES);
    assert!(place.read("o/model.safetensors") == place.read("whole/model.safetensors"));
}

/// A long run of seed 5 that replaces the one in `o`, interrupted after its first checkpoint.
fn fit_until_checkpoint(place: &Place) -> Outcome {
    let long: Vec<&str> = TINY.iter().map(|a| if *a == "3" { "1000000" } else { *a }).collect();
    let args = ["t.csv", "-k", "2", "--seed", "5", "-o", "o", "--force", "-q", "--checkpoint-every", "1"];
    let mut command = place.command(&[&["fit"], &long[..], &args].concat());
    let child = command.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn();
    let child = child.expect("a process");
    let started = std::time::Instant::now();
    while !place.path("o/.lpvdn-new/checkpoint.safetensors").exists() {
        assert!(started.elapsed().as_secs() < 60, "no checkpoint");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let signalled = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signalled.expect("kill runs").success());
    let outcome = Outcome::from(child.wait_with_output().expect("an end"));
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    outcome
}

#[test]
fn the_same_command_goes_on_with_an_unfinished_run_and_another_is_refused() {
    let place = finished();
    let whole = place.read("o/model.safetensors");
    for name in ["metrics.json", "labels.csv", "model.safetensors", "embedding.npy"] {
        fs::remove_file(place.path("o").join(name)).expect("removed");
    }
    fit(&place, &["t.csv", "-k", "2", "-o", "o", "--seed", "1"]).failed(1, &["holds another run"]);
    place.run(&["fit", "t.csv", "-k", "2", "-o", "o"]).failed(1, &["holds another run"]);
    let again = fit(&place, &["t.csv", "-k", "2", "-o", "o"]).succeeded();
    assert!(again.stderr.contains("starts from the beginning"), "{again:?}");
    assert!(place.read("o/model.safetensors") == whole);
    fit(&place, &["t.csv", "-k", "2", "-o", "o"]).failed(1, &["holds another run"]);
}

#[test]
fn a_folder_where_a_file_is_to_be_is_told_before_training() {
    let place = finished();
    fs::create_dir(place.path("o/explore.html")).expect("a folder");
    let refused = fit(&place, &["t.csv", "-k", "2", "-o", "o", "--force"]);
    let refused = refused.failed(1, &["o/explore.html", "a folder stands where a file"]);
    assert!(!refused.stderr.contains("epoch"), "{refused:?}");
}

#[test]
fn planted_links_in_the_output_folder_are_replaced_and_their_targets_stay() {
    let place = finished();
    let victim = || {
        place.write("victim", "precious");
        place.path("victim")
    };
    let untouched = |what: &str| assert_eq!(place.text("victim"), "precious", "{what} was written through");
    fs::create_dir(place.path("elsewhere")).expect("a folder");
    for (out, force) in [("o", true), ("new", false)] {
        fs::create_dir_all(place.path(out)).expect("a folder");
        for name in FILES.into_iter().chain(["checkpoint.safetensors", "explore.html"]) {
            let path = place.path(out).join(name);
            let _ = fs::remove_file(&path);
            if force || name != "run.toml" {
                symlink(victim(), &path).expect("a link");
            }
        }
        for name in [".lpvdn-new", ".lpvdn-ready", ".lpvdn-search"] {
            symlink(place.path("elsewhere"), place.path(out).join(name)).expect("a link");
        }
        fit(&place, &["t.csv", "-k", "2", "-o", out, "--force", "--restarts", "2", "-q"]).succeeded();
        untouched(out);
        assert_eq!(names_in(&place.path("elsewhere")), Vec::<String>::new());
        let names = names_in(&place.path(out));
        let links: Vec<&String> = names.iter().filter(|n| place.path(out).join(n).is_symlink()).collect();
        assert!(links.iter().all(|n| n.starts_with(".lpvdn-")), "{links:?}");
        assert!(FILES.iter().all(|name| place.path(out).join(name).is_file()), "{names:?}");
    }
    // A link that the user names is followed.
    symlink(victim(), place.path("mine")).expect("a link");
    place.run(&["predict", "new", "t.csv", "-o", "mine"]).succeeded();
    assert!(place.text("victim").starts_with("row,cluster") && place.path("mine").is_symlink());
}

#[test]
fn a_run_that_replaces_private_files_is_private_itself() {
    let place = finished();
    for name in FILES {
        fs::set_permissions(place.path("o").join(name), fs::Permissions::from_mode(0o600)).expect("set");
    }
    fit(&place, &["t.csv", "-k", "2", "--seed", "2", "-o", "o", "--force", "-q"]).succeeded();
    for name in FILES {
        let mode = fs::metadata(place.path("o").join(name)).expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{name}");
    }
}

#[test]
fn predictions_remove_the_temporary_file_of_a_killed_run() {
    let place = finished();
    fs::create_dir(place.path("p")).expect("a folder");
    place.write("p/.lpvdn-4194303-0.tmp", "half of a file");
    place.run(&["predict", "o", "t.csv", "-o", "p/clusters.csv"]).succeeded();
    assert_eq!(names_in(&place.path("p")), ["clusters.csv"]);
}

#[test]
fn text_that_a_spreadsheet_would_run_is_guarded_in_every_table_and_numbers_stay() {
    let place = Place::new();
    let ids = ["=1+2", "-5", "+1.5e3", "@sum", "-2+3", "plain"];
    let line = |i: usize| {
        let class = if i.is_multiple_of(2) { "=cmd|' /C calc'!A0" } else { "+7" };
        format!("{},{},{},{class}\n", ids[i % 6], i % 2 * 5 + i % 3, i % 2)
    };
    place.write("a.csv", "id,x,y,class\n".to_owned() + &(0..60).map(line).collect::<String>());
    let columns = ["--id-column", "id", "--label-column", "class"];
    fit(&place, &[&["a.csv", "-o", "o", "-q"], &columns[..]].concat()).succeeded();
    let labels = place.text("o/labels.csv");
    let predicted = place.run(&[&["predict", "o", "a.csv"], &columns[..]].concat()).succeeded().stdout;
    for text in [&labels, &predicted] {
        let second: Vec<&str> = text.lines().skip(1).take(6).filter_map(|l| l.split(',').nth(1)).collect();
        assert_eq!(second, ["'=1+2", "-5", "+1.5e3", "'@sum", "'-2+3", "plain"]);
    }
    let classes: Vec<&str> = labels.lines().skip(1).take(2).filter_map(|l| l.rsplit(',').next()).collect();
    assert_eq!(classes, ["'=cmd|' /C calc'!A0", "+7"]);
}

#[test]
fn what_a_command_reads_is_not_replaced_by_what_it_writes() {
    let place = Place::new();
    let table: String = (0..40).map(|i| format!("{},{}\n", i % 2 * 9 + i % 5, i % 7)).collect();
    place.write("rows.csv", &table);
    place.run(&["fit", "rows.csv", "-k", "2", "--method", "kmeans", "--out", "out"]).succeeded();
    let model = place.read("out/model.safetensors");
    for command in ["predict", "transform"] {
        place
            .run(&[command, "out", "rows.csv", "--out", "./rows.csv"])
            .failed(1, &["rows.csv", "another name"]);
    }
    let onto_model = ["predict", "out", "rows.csv", "--out", "out/model.safetensors"];
    place.run(&onto_model).failed(1, &["model.safetensors"]);
    place.run(&["explore", "out", "--out", "out/model.safetensors"]).failed(1, &["model.safetensors"]);
    assert_eq!((place.text("rows.csv"), place.read("out/model.safetensors")), (table.clone(), model));
    std::fs::create_dir(place.path("own")).expect("a folder");
    place.write("own/labels.csv", &table);
    let own = ["fit", "own/labels.csv", "-k", "2", "--method", "kmeans", "--out", "own", "--force"];
    place.run(&own).failed(1, &["replace its own data", "--out"]);
    assert_eq!(place.text("own/labels.csv"), table);
}

//! Every write of `fit`, `predict -o` and `explore` fails once, in every way: afterwards the old output is there or the
//! new one is whole, and the same command works.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

mod common;
mod fault;

use std::path::Path;

use common::{Place, names_in};
use fault::{Fault, Kind, Lab, each};

const SMALL: [&str; 26] = [
    "fit",
    "--clusters",
    "2",
    "--layers",
    "4",
    "--discriminator-layers",
    "4",
    "--locality-layers",
    "4",
    "--latent-dim",
    "2",
    "--pretrain-epochs",
    "1",
    "--epochs",
    "1",
    "--batch",
    "30",
    "--starts",
    "1",
    "--threads",
    "1",
    "--checkpoint-every",
    "1",
    "--quiet",
    "--out",
    // The folder follows.
    "out",
];
const FILES: [&str; 6] =
    ["embedding.npy", "labels.csv", "log.jsonl", "metrics.json", "model.safetensors", "run.toml"];
/// Those that are the same whenever the same run is made.
const SAME: [&str; 4] = ["embedding.npy", "labels.csv", "model.safetensors", "run.toml"];

/// A fit into `out` below `work`.
fn fit(work: &Path, more: &[&str]) -> Vec<String> {
    let out = work.join("out").display().to_string();
    let data = work.with_file_name("rows.csv").display().to_string();
    let settings = SMALL[..SMALL.len() - 1].iter().map(|s| (*s).to_owned());
    settings.chain([out, data]).chain(more.iter().map(|s| (*s).to_owned())).collect()
}

fn resume(work: &Path) -> Vec<String> {
    ["fit", "--quiet", "--resume", "--out"]
        .map(str::to_owned)
        .into_iter()
        .chain([work.join("out").display().to_string()])
        .collect()
}

fn bytes_in(folder: &Path) -> Vec<Option<Vec<u8>>> {
    SAME.iter().map(|name| std::fs::read(folder.join(name)).ok()).collect()
}

/// A place with rows, where `predict` gives the clusters of the run in a folder below it.
fn rows() -> Place {
    let place = Place::new();
    place.csv("rows.csv", |_, line| line);
    place
}

#[test]
fn a_first_fit_that_fails_anywhere_is_not_in_the_way_of_the_same_command() {
    let (place, lab) = (rows(), Lab::new());
    let work = place.path("reference");
    lab.run(&fit(&work, &[]), None).succeeded();
    let whole = bytes_in(&work.join("out"));
    let calls = lab.calls(&place.path("count"), |work| fit(work, &[]));
    assert!(calls.iter().filter(|c| *c == "rename").count() >= 8, "{calls:?}");
    each(&Fault::at_every(&calls), |fault| {
        let work = place.path(&fault.to_string());
        std::fs::create_dir(&work).expect("a folder");
        let outcome = lab.run(&fit(&work, &[]), Some((fault, &work)));
        outcome.ended_well(fault);
        let out = work.join("out");
        if outcome.stderr.contains("kept up to its last checkpoint") {
            assert!(out.join("checkpoint.safetensors").exists(), "{fault}: {}", outcome.stderr);
        }
        if outcome.stderr.contains("lost") {
            assert!(!out.join("run.toml").exists(), "{fault}: {:?}", names_in(&out));
        }
        // What goes on ends in the same model as what starts anew.
        let again = match (out.join("metrics.json").exists(), fault.at % 2) {
            (true, _) => resume(&work),
            (false, 0) => fit(&work, &["--resume"]),
            (false, _) => fit(&work, &[]),
        };
        lab.run(&again, None).succeeded();
        assert_eq!(names_in(&out), FILES, "{fault}");
        assert!(bytes_in(&out) == whole, "{fault}");
        std::fs::remove_dir_all(&work).expect("removed");
    });
}

#[test]
fn a_fit_that_replaces_another_leaves_the_old_run_or_the_new_one_wherever_it_fails() {
    let (place, lab) = (rows(), Lab::new());
    let old_work = place.path("old");
    lab.run(&fit(&old_work, &[]), None).succeeded();
    std::fs::write(old_work.join("out/explore.html"), "the old page").expect("written");
    let force = |work: &Path| fit(work, &["--seed", "2", "--force"]);
    let new_work = place.path("new");
    lab.run(&force(&new_work), None).succeeded();
    let (old, new) = (bytes_in(&old_work.join("out")), bytes_in(&new_work.join("out")));
    assert!(old[2] != new[2], "both runs have one model");
    let prepare = |work: &Path| fault::copy(&old_work, work);
    let count = place.path("count");
    prepare(&count);
    let calls = lab.calls(&count, force);
    let mut faults = Fault::at_every(&calls);
    faults.extend(Fault::of_memory(lab.allocations(&count, force), 24));
    each(&faults, |fault| {
        let work = place.path(&fault.to_string());
        prepare(&work);
        let outcome = lab.run(&force(&work), Some((fault, &work)));
        outcome.ended_well(fault);
        let out = work.join("out");
        // Whatever happened, there is a model to use, and all files are of its run.
        let data = place.path("rows.csv").display().to_string();
        let predict = ["predict".to_owned(), out.display().to_string(), data];
        lab.run(&predict, None).succeeded();
        let is_new = bytes_in(&out) == new;
        assert!(is_new || bytes_in(&out) == old, "{fault}: a mixture of two runs");
        assert_eq!(out.join("explore.html").exists(), !is_new, "{fault}: the page of another run");
        assert!(is_new || outcome.code != Some(0), "{fault}: it claims to have succeeded");
        if outcome.stderr.contains("kept up to its last checkpoint") {
            assert!(out.join(".lpvdn-new/checkpoint.safetensors").exists(), "{fault}: {}", outcome.stderr);
        }
        if fault.at.is_multiple_of(2) {
            // Goes on with the new run, or says that the old one is finished.
            lab.run(&resume(&work), None).succeeded();
            let after = bytes_in(&out);
            assert!(after == new || !is_new && after == old, "{fault}: resumed to something else");
        }
        lab.run(&force(&work), None).succeeded();
        assert_eq!(names_in(&out), FILES, "{fault}");
        assert!(bytes_in(&out) == new, "{fault}");
        std::fs::remove_dir_all(&work).expect("removed");
    });
}

#[test]
fn predictions_are_the_old_file_or_the_new_one_wherever_they_fail() {
    let (place, lab) = (rows(), Lab::new());
    let model = place.path("model");
    lab.run(&fit(&model, &[]), None).succeeded();
    let predict = |work: &Path| {
        let paths = [model.join("out"), work.with_file_name("rows.csv"), work.join("clusters.csv")];
        let [model, data, out] = paths.map(|path| path.display().to_string());
        ["predict".to_owned(), model, data, "--out".to_owned(), out].to_vec()
    };
    let prepare = |work: &Path| {
        std::fs::create_dir(work).expect("a folder");
        std::fs::write(work.join("clusters.csv"), "old").expect("written");
    };
    replaces_a_file(&place, &lab, "clusters.csv", predict, prepare, |text| text.starts_with("row,cluster"));
}

#[test]
fn a_page_is_the_old_one_or_the_new_one_wherever_it_fails() {
    let (place, lab) = (rows(), Lab::new());
    let model = place.path("model");
    lab.run(&fit(&model, &[]), None).succeeded();
    let explore =
        |work: &Path| ["explore".to_owned(), work.display().to_string(), "--quiet".to_owned()].to_vec();
    let is_page = |text: &str| text.trim_end().ends_with("</html>");
    // The first time, a map is drawn and kept in the model: renaming the model is the fifth call.
    let first = place.path("first");
    fault::copy(&model.join("out"), &first);
    let calls = lab.calls(&first, explore);
    let rename = 1 + calls.iter().position(|call| call == "rename").expect("a rename") as u32;
    let drawn = std::fs::read(first.join("model.safetensors")).expect("a model");
    let undrawn = std::fs::read(model.join("out/model.safetensors")).expect("a model");
    each(&[Kind::Kill, Kind::Error].map(|kind| Fault { kind, at: rename }), |fault| {
        let work = place.path(&format!("drawn-{fault}"));
        fault::copy(&model.join("out"), &work);
        lab.run(&explore(&work), Some((fault, &work))).ended_well(fault);
        assert!(std::fs::read(work.join("model.safetensors")).expect("a model") == undrawn, "{fault}");
        lab.run(&explore(&work), None).succeeded();
        assert!(std::fs::read(work.join("model.safetensors")).expect("a model") == drawn, "{fault}");
        let page = std::fs::read_to_string(work.join("explore.html")).expect("a page");
        assert!(is_page(&page), "{fault}");
        assert!(names_in(&work).iter().all(|name| !name.starts_with('.')), "{fault}");
    });
    let prepare = |work: &Path| {
        fault::copy(&first, work);
        std::fs::write(work.join("explore.html"), "old").expect("written");
    };
    replaces_a_file(&place, &lab, "explore.html", explore, prepare, is_page);
}

/// A command that replaces a file that says "old".
fn replaces_a_file(
    place: &Place,
    lab: &Lab,
    name: &str,
    command: impl Fn(&Path) -> Vec<String> + Sync,
    prepare: impl Fn(&Path) + Sync,
    is_new: impl Fn(&str) -> bool + Sync,
) {
    let count = place.path("count");
    prepare(&count);
    let names = names_in(&count);
    let calls = lab.calls(&count, &command);
    assert!(calls.contains(&"rename".to_owned()), "{calls:?}");
    let mut faults = Fault::at_every(&calls);
    faults.extend(Fault::of_memory(lab.allocations(&count, &command), 12));
    each(&faults, |fault| {
        let work = place.path(&fault.to_string());
        prepare(&work);
        let outcome = lab.run(&command(&work), Some((fault, &work)));
        outcome.ended_well(fault);
        let text = std::fs::read_to_string(work.join(name)).expect("text");
        assert!(text == "old" || is_new(&text), "{fault}: half a file");
        assert!(outcome.code != Some(0) || is_new(&text), "{fault}: it claims to have succeeded");
        lab.run(&command(&work), None).succeeded();
        let text = std::fs::read_to_string(work.join(name)).expect("text");
        assert!(is_new(&text), "{fault}");
        assert_eq!(names_in(&work), names, "{fault}: something was left");
        std::fs::remove_dir_all(&work).expect("removed");
    });
}

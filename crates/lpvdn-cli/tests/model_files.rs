//! Model files as the program meets them: of an earlier format, or not models at all.

mod common;

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use common::Place;

/// The stored models of `crates/lpvdn`.
fn stored(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lpvdn/tests/fixtures/models");
    std::fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn a_model_of_format_1_is_used_with_one_note_and_a_model_of_format_2_with_none() {
    let place = Place::new();
    place.write("rows.csv", "1,2,3,4,5,6,7,8\n2,3,4,5,6,7,8,9\n");
    for method in ["kmeans", "lpvdn"] {
        place.write("old", stored(&format!("{method}-v1.safetensors")));
        place.write("new", stored(&format!("{method}-v2.safetensors")));
        let info = place.run(&["info", "old", "--json"]).succeeded();
        assert_eq!(info.stderr.matches("model format 1").count(), 1, "{}", info.stderr);
        assert!(info.stderr.starts_with("note: ") && info.stderr.contains(".save("), "{}", info.stderr);
        assert_eq!(info.json()["format_version"], 1);
        let info = place.run(&["info", "new", "--json"]).succeeded();
        assert_eq!((info.stderr.as_str(), &info.json()["format_version"]), ("", &2.into()));
    }
}

/// Asks every command that loads a model; each must answer at once.
#[track_caller]
fn refused_at_once(place: &Place, model: &str, parts: &[&str]) {
    for command in ["info", "predict", "transform", "evaluate", "explore"] {
        let data: &[&str] = if command == "info" { &[] } else { &["digits"] };
        let started = Instant::now();
        place.run(&[&[command, model], data].concat()).failed(1, &[&[model], parts].concat());
        assert!(started.elapsed() < Duration::from_secs(20), "{command} {model}");
    }
}

#[test]
fn what_is_not_a_model_is_refused_without_being_read() {
    let place = Place::new();
    // 50 GB that take no room on the disk; one of them begins as a model does.
    let huge = |name: &str, beginning: &[u8]| {
        place.write(name, beginning);
        let file = File::options().write(true).open(place.path(name)).expect("opened");
        file.set_len(50_000_000_000).expect("a sparse file");
    };
    huge("zeros", b"");
    refused_at_once(&place, "zeros", &["not a model file"]);
    huge("grown", &stored("kmeans-v2.safetensors"));
    refused_at_once(&place, "grown", &["not a model file, or damaged"]);
    place.write("empty", "");
    refused_at_once(&place, "empty", &["it is empty"]);
    place.write("text", "a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n11,12\n13,14\n15,16\n17,18\n19,20\n");
    refused_at_once(&place, "text", &["not a model file"]);
    // Another program's safetensors.
    let header = br#"{"weights":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"x":1}      "#;
    let foreign = [&(header.len() as u64).to_le_bytes()[..], header, &[0; 4]].concat();
    place.write("foreign", foreign);
    refused_at_once(&place, "foreign", &["not one written by lpvdn"]);
}

#[cfg(unix)]
#[test]
fn a_device_a_pipe_and_a_folder_in_the_place_of_a_model_are_refused_at_once() {
    let place = Place::new();
    refused_at_once(&place, "/dev/zero", &["not a regular file"]);
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    refused_at_once(&place, "pipe", &["not a regular file"]);
    std::fs::create_dir_all(place.path("out/model.safetensors")).expect("a folder");
    refused_at_once(&place, "out", &["model.safetensors"]);
}

#[test]
fn a_flipped_bit_in_the_scaling_is_noticed() {
    let place = Place::new();
    place.csv("t.csv", |_, line| line);
    place.run(&["fit", "t.csv", "-k", "2", "--method", "kmeans", "-q"]).succeeded();
    let good = place.read("lpvdn-out/model.safetensors");
    let name = br#"\"mean\":"#;
    let at = good.windows(name.len()).position(|part| part == name).expect("a scaling") + name.len();
    let mut bytes = good.clone();
    bytes[at] ^= 1;
    place.write("lpvdn-out/model.safetensors", bytes);
    place.run(&["predict", "lpvdn-out", "t.csv"]).failed(1, &["model.safetensors", "damaged"]);
    place.write("lpvdn-out/model.safetensors", good);
    place.run(&["predict", "lpvdn-out", "t.csv"]).succeeded();
}

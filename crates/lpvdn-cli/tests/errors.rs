//! Bad input gets a clear error, and nothing is lost.

mod common;

use common::{Outcome, Place, TINY, names_in};

fn fit(place: &Place, args: &[&str]) -> Outcome {
    place.run(&[&["fit"], &TINY[..], args].concat())
}

#[test]
fn data_that_cannot_be_clustered_is_refused_with_its_place_and_nothing_is_written() {
    let place = Place::new();
    let at = |row: usize, with: &'static str| {
        move |i: usize, line: String| if i == row { with.to_owned() } else { line }
    };
    place.csv("nan.csv", at(6, "1,2,nan,4"));
    fit(&place, &["nan.csv", "-k", "2"]).failed(1, &["line 7", "column 2", "NaN"]);
    // Lines are what an editor shows: with a header, a blank line and a cell of two lines.
    place.write("lines.csv", "name,a,b\n\n\"x\ny\",1,2\nz,3,4\nw,nan,6\n");
    fit(&place, &["lines.csv", "-k", "2", "--id-column", "name"])
        .failed(1, &["line 6", "column \"a\"", "NaN"]);
    place.write("pairs.svm", "1 1:2\n# a comment\n\n2 1:inf\n");
    fit(&place, &["pairs.svm", "-k", "2"]).failed(1, &["line 4", "column 0", "inf"]);
    place.write("vectors.jsonl", "{\"x\": [1, 2]}\n\n{\"x\": [3, 1e300]}\n");
    fit(&place, &["vectors.jsonl", "-k", "2"]).failed(1, &["line 3", "column 1", "inf"]);
    place.csv("inf.csv", at(0, "-inf,2,3,4"));
    fit(&place, &["inf.csv", "-k", "2"]).failed(1, &["line 1", "column 0", "inf"]);
    place.csv("ragged.csv", at(10, "1,2,3"));
    fit(&place, &["ragged.csv", "-k", "2"]).failed(1, &["ragged.csv, line 11", "3 columns"]);
    place.csv("word.csv", at(10, "1,2,three,4"));
    fit(&place, &["word.csv", "-k", "2"]).failed(1, &["word.csv, line 11", "three"]);
    place.csv("hole.csv", at(10, "1,2,,4"));
    fit(&place, &["hole.csv", "-k", "2"]).failed(1, &["hole.csv, line 11", "empty"]);
    place.write("none.csv", "");
    fit(&place, &["none.csv", "-k", "2"]).failed(1, &["none.csv", "empty"]);
    place.write("header.csv", "a,b,c\n");
    fit(&place, &["header.csv", "-k", "2"]).failed(1, &["header.csv", "no rows"]);
    place.write("one.csv", "1,2,3\n");
    fit(&place, &["one.csv", "-k", "1"]).failed(1, &["a single row", "more rows"]);
    place.csv("few.csv", |_, line| line);
    fit(&place, &["few.csv", "-k", "41"]).failed(1, &["40 rows", "41 clusters"]);
    place.csv("constant.csv", |_, _| "3,3,3,3".to_owned());
    let constant = ["constant.csv", "-k", "2"];
    fit(&place, &constant).failed(1, &["no column says anything", "holds \"3\" in every row", "--kind"]);
    let kept = ["--kind", "0=number,1=number,2=number,3=number"];
    fit(&place, &[&constant[..], &kept].concat()).failed(1, &["all 40 rows are equal"]);
    place.csv("equal.csv", |_, _| "1,2,3,4".to_owned());
    fit(&place, &["equal.csv", "-k", "2"]).failed(1, &["no column says anything about the rows"]);
    fit(&place, &["few.csv"]).failed(2, &["few.csv", "--clusters", "--label-column"]);
    fit(&place, &["few.csv", "--label-column", "kind"]).failed(1, &["few.csv", "kind"]);
    fit(&place, &["missing.csv", "-k", "2"]).failed(1, &["missing.csv", "no such file"]);
    fit(&place, &["few.csv", "-k", "2", "--likelihood", "bernoulli", "--scale", "none"])
        .failed(1, &["[0, 1]", "--likelihood gaussian"]);
    assert!(!place.path("lpvdn-out").exists(), "a folder was left behind");
}

#[test]
fn damaged_data_files_are_named() {
    let place = Place::new();
    let npy = |rows: &str| {
        let mut header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, 4), }}");
        header.push_str(&" ".repeat(117 - header.len()));
        [b"\x93NUMPY\x01\x00\x76\x00".as_slice(), header.as_bytes(), b"\n", &[7; 100]].concat()
    };
    place.write("short.npy", npy("40"));
    fit(&place, &["short.npy", "-k", "2"]).failed(1, &["short.npy", "cut short"]);
    place.write("long.npy", npy("4"));
    fit(&place, &["long.npy", "-k", "2"]).failed(1, &["long.npy", "goes on"]);
    // The beginning of a gzip file.
    place.write("cut.csv.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x33\xd4\x31");
    fit(&place, &["cut.csv.gz", "-k", "2"]).failed(1, &["cut.csv.gz", "cut short"]);
}

#[test]
fn an_output_folder_with_anything_in_it_is_refused_unless_forced() {
    let place = Place::new();
    place.csv("t.csv", |_, line| line);
    std::fs::create_dir(place.path("full")).expect("a folder");
    place.write("full/notes.txt", "mine");
    fit(&place, &["t.csv", "-k", "2", "--out", "full"]).failed(1, &["full", "notes.txt", "--force"]);
    fit(&place, &["t.csv", "-k", "2", "--out", "full", "--force"]).succeeded();
    let model = place.read("full/model.safetensors");
    fit(&place, &["t.csv", "-k", "3", "--out", "full"])
        .failed(1, &["full", "another run", "--resume", "--force"]);

    // Bad data must not cost the run that is there, not even with --force.
    place.csv("nan.csv", |i, line| if i == 6 { "1,nan,3,4".to_owned() } else { line });
    fit(&place, &["nan.csv", "-k", "2", "--out", "full", "--force"]).failed(1, &["line 7, column 1"]);
    assert!(model == place.read("full/model.safetensors"));
    fit(&place, &["t.csv", "-k", "3", "--out", "full", "--force"]).succeeded();
    assert!(model != place.read("full/model.safetensors"));
    assert_eq!(place.text("full/notes.txt"), "mine");

    // A model that lies somewhere alone is not a run to be resumed over.
    std::fs::create_dir(place.path("alone")).expect("a folder");
    place.write("alone/model.safetensors", &model);
    fit(&place, &["t.csv", "-k", "2", "--out", "alone", "--resume"])
        .failed(1, &["alone", "no run to resume"]);
    assert!(model == place.read("alone/model.safetensors"));
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_training() {
    let place = Place::new();
    place.csv("t.csv", |_, line| line);
    let refused = fit(&place, &["t.csv", "-k", "2", "--out", "t.csv/out"]).failed(1, &["t.csv/out"]);
    assert!(!refused.stderr.contains("epoch"), "{}", refused.stderr);
    fit(&place, &["t.csv", "-k", "2", "--out", "t.csv"]).failed(1, &["t.csv"]);
    #[cfg(target_os = "linux")]
    fit(&place, &["t.csv", "-k", "2", "--out", "/proc/lpvdn-out"]).failed(1, &["/proc/lpvdn-out", "--out"]);
}

#[test]
fn a_model_that_is_no_good_is_refused() {
    let place = Place::new();
    place.csv("t.csv", |_, line| line);
    fit(&place, &["t.csv", "-k", "2", "-q"]).succeeded();
    let good = place.read("lpvdn-out/model.safetensors");
    let predict = |name: &str| place.run(&["predict", name, "t.csv"]);
    let changed = |name: &str, from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = good.windows(from.len()).position(|w| w == from.as_bytes()).expect("to be there");
        let mut bytes = good.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        place.write(name, bytes);
    };
    for cut in [0, 5, 8, 300, good.len() / 2, good.len() - 1] {
        place.write("cut", &good[..cut]);
        predict("cut").failed(1, &["cut", "damaged"]);
    }
    let noise: Vec<u8> = (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    place.write("noise", &noise);
    predict("noise").failed(1, &["noise", "damaged"]);
    changed("newer", r#"format-version\":2"#, r#"format-version\":7"#);
    predict("newer").failed(1, &["newer", "version 7", "newer lpvdn"]);
    changed("foreign", r#"method\":\"lpvdn"#, r#"method\":\"vadex"#);
    predict("foreign").failed(1, &["foreign", "damaged"]);
    changed("wide", r#"columns\":4"#, r#"columns\":9"#);
    predict("wide").failed(1, &["wide", "damaged"]);
    changed("huge", r#"latent-dim\":5"#, r#"latent-dim\":0"#);
    predict("huge").failed(1, &["huge", "damaged"]);
    predict("missing").failed(1, &["missing", "no such file", "lpvdn fit"]);
    place.run(&["info", "noise"]).failed(1, &["noise"]);
    predict(".").failed(1, &["no model.safetensors"]);

    place.write("narrow.csv", "1,2,3\n4,5,6\n");
    place.run(&["predict", "lpvdn-out", "narrow.csv"]).failed(1, &["3 columns", "4"]);
    place.write("wide.csv", "1,2,3,4,0\n4,5,6,7,1\n");
    place.run(&["predict", "lpvdn-out", "wide.csv"]).failed(1, &["5 columns", "--label-column"]);
    place.write("nan.csv", "1,2,3,4\n4,inf,6,7\n");
    place.run(&["predict", "lpvdn-out", "nan.csv"]).failed(1, &["line 2", "column 1"]);
    assert!(good == place.read("lpvdn-out/model.safetensors"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_with_the_file() {
    let place = Place::new();
    place.csv("t.csv", |_, line| line);
    fit(&place, &["t.csv", "-k", "2", "-q"]).succeeded();
    for args in
        [&["predict", "lpvdn-out", "t.csv", "--out", "/dev/full"][..], &["transform", "lpvdn-out", "t.csv"]]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let output = place.command(args).stdout(full).output().expect("a run");
        let place = if args.len() > 4 { "/dev/full" } else { "standard output" };
        Outcome::from(output).failed(1, &[place, "No space left"]);
    }
}

/// A tiny file system of its own.
#[cfg(target_os = "linux")]
struct Disk(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl Disk {
    fn mount(at: std::path::PathBuf, options: &str) -> Option<Disk> {
        std::fs::create_dir_all(&at).ok()?;
        let mut command = std::process::Command::new("mount");
        let mounted = command.args(["-t", "tmpfs", "-o", options, "lpvdn-test"]).arg(&at).output().ok()?;
        mounted.status.success().then_some(Disk(at))
    }

    fn grow(&self) {
        let mut command = std::process::Command::new("mount");
        assert!(command.args(["-o", "remount,size=8m"]).arg(&self.0).status().expect("mount runs").success());
    }
}

#[cfg(target_os = "linux")]
impl Drop for Disk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_fills_the_disk_keeps_its_model_and_can_be_finished() {
    let place = Place::new();
    let Some(disk) = Disk::mount(place.path("disk"), "size=420k") else {
        return lpvdn_testing::skip("a small disk cannot be mounted here (it takes root)");
    };
    let failed =
        fit(&place, &["--out", "disk/out"]).failed(1, &["embedding.npy", "No space left", "--resume"]);
    assert_eq!(failed.stdout, "");
    let names = names_in(&place.path("disk/out"));
    assert!(names.contains(&"model.safetensors".to_owned()), "{names:?}");
    assert!(!names.iter().any(|n| n.ends_with(".tmp")), "{names:?}");
    let model = place.read("disk/out/model.safetensors");
    disk.grow();
    place.run(&["fit", "--resume", "--out", "disk/out", "-q"]).succeeded();
    assert!(model == place.read("disk/out/model.safetensors"));
    assert!(place.path("disk/out/embedding.npy").exists());
}

#[test]
fn layers_that_need_too_much_memory_are_refused_by_the_plan_with_the_figure_and_nothing_is_written() {
    let place = Place::new();
    for method in ["lpvdn", "dec", "vade"] {
        place
            .run(&["fit", "digits", "--method", method, "--layers", "25000,25000", "-o", "run"])
            .failed(1, &["MB of memory are needed", "may be taken", "--memory"]);
    }
}

#[test]
fn data_that_takes_more_than_the_memory_is_refused_with_the_figure_and_the_option() {
    let place = Place::new();
    place.write("long.txt", "the same few words ".repeat(3_000_000));
    place
        .run(&["data", "inspect", "long.txt", "--memory", "40MB"])
        .failed(1, &["long.txt", "line 1", "40 MB are allowed", "--memory"]);
    place.write("lines.txt", "the same few words\n".repeat(1_500_000));
    place
        .run(&["data", "inspect", "lines.txt", "--memory", "1MB", "--temp-limit", "10MB"])
        .failed(1, &["lines.txt", "10 MB are allowed", "--temp-limit"]);
    let table = format!("a,b\n{}", "1,2\n3,1\n".repeat(750_000));
    place.write("rows.csv", &table);
    place
        .run(&["data", "inspect", "rows.csv", "--memory", "1MB", "--temp-limit", "10MB"])
        .failed(1, &["rows.csv", "10 MB are allowed", "--temp-limit"]);
    place.run(&["data", "inspect", "rows.csv", "--memory", "1MB"]).succeeded();
}

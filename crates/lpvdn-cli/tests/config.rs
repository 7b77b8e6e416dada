//! Settings: flags, files, and the round trip through a model.

mod common;

use common::Place;

const TINY_FILE: &str = "layers = [32, 32]\ndiscriminator-layers = [32]\nlocality-layers = [32]\n\
latent-dim = 5\npretrain-epochs = 2\nepochs = 3\nbatch = 200\nstarts = 1\n";

#[test]
fn a_config_file_equals_the_same_flags_and_its_model_gives_it_back() {
    let place = Place::new();
    place.fit(&["--seed", "5", "--lr", "1e-3", "--perplexity", "0.02", "--out", "flags", "-q"]);
    place.write(
        "a.toml",
        format!("{TINY_FILE}seed = 9\nlr = 1e-3\nperplexity = 0.02\nout = \"file\"\nquiet = true\n"),
    );
    place.run(&["fit", "--config", "a.toml", "--seed", "5"]).succeeded();
    let model = place.read("flags/model.safetensors");
    assert!(model == place.read("file/model.safetensors"), "the file differs from the flags");

    let settings = place.run(&["info", "flags", "--toml"]).succeeded().stdout;
    place.write("again.toml", &settings);
    place.run(&["fit", "--config", "again.toml", "--out", "again", "-q"]).succeeded();
    assert!(model == place.read("again/model.safetensors"), "info --toml gives another model");
    assert_eq!(place.run(&["info", "again", "--toml"]).succeeded().stdout, settings);
}

#[test]
fn info_tells_what_a_model_is() {
    let place = Place::new();
    place.fit(&["-q", "--recipe", "paper", "--clustering", "gaussian-mixture", "--scale", "standard"]);
    let words = place.run(&["info", "lpvdn-out"]).succeeded().stdout;
    for part in [
        "method         lpvdn",
        "5,620 rows × 64 columns",
        "64 → 32 → 32 → 10",
        "recipe = \"paper\"",
        "gaussian",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let json = place.run(&["info", "lpvdn-out", "--json"]).succeeded().json();
    assert_eq!((&json["rows"], &json["format_version"]), (&5620.into(), &2.into()));
    assert_eq!(json["settings"]["clustering"], "gaussian-mixture");
}

#[test]
fn unknown_keys_and_bad_values_in_a_file_are_usage_errors_that_name_the_line() {
    let place = Place::new();
    place.write("a.toml", "seed = 1\nepoch = 3\n");
    place.run(&["fit", "--config", "a.toml"]).failed(2, &["a.toml, line 2", "`epoch`", "`pretrain-epochs`"]);
    place.write("b.toml", "\nseed = \"one\"\n");
    place.run(&["fit", "--config", "b.toml"]).failed(2, &["b.toml, line 2"]);
    place.write("c.toml", "recipe = \"best\"\n");
    place.run(&["fit", "--config", "c.toml"]).failed(2, &["c.toml, line 1", "robust"]);
    place.write("d.toml", "seed = = 1\n");
    place.run(&["fit", "--config", "d.toml"]).failed(2, &["d.toml, line 1"]);
    place.run(&["fit", "--config", "none.toml"]).failed(1, &["none.toml"]);
    assert!(!place.path("lpvdn-out").exists());
}

#[test]
fn bad_flag_values_are_usage_errors() {
    let place = Place::new();
    for (args, parts) in [
        (&["--lr", "fast"][..], &["--lr", "fast"][..]),
        (&["--lr", "-1"], &["lr must be a positive number"]),
        (&["--lr", "nan"], &["lr must be a positive number"]),
        (&["--alpha0", "-0.5"], &["alpha0"]),
        (&["--perplexity", "0.9"], &["perplexity"]),
        (&["--epochs", "0"], &["epochs must be at least 1"]),
        (&["--epochs", "99999999999999999999"], &["--epochs"]),
        (&["--clusters", "0"], &["clusters must be between 1 and"]),
        (&["--clusters", "-3"], &["-3", "2-20", "auto"]),
        (&["--clusters", "ten"], &["ten", "2-20", "auto"]),
        (&["--clusters", "1-5"], &["a range within 2 and 1000", "not from 1-5"]),
        (&["--clusters", "9-5"], &["the smaller number first", "not from 9-5"]),
        (&["--restarts", "0"], &["restarts must be between 1 and 1000"]),
        (&["--batch", "1"], &["batch"]),
        (&["--starts", "0"], &["starts"]),
        (&["--layers", "500,x"], &["--layers", "500,500,2000"]),
        (&["--layers", "0"], &["layers"]),
        (&["--layers", ""], &["layers"]),
        (&["--layers", "1000000,1000000"], &["parameters", "--layers"]),
        (&["--latent-dim", "0"], &["latent-dim"]),
        (&["--recipe", "best"], &["robust, paper"]),
        (&["--scale", "big"], &["auto, none, max, standard, norm"]),
        (&["--threads", "5000"], &["--threads"]),
        (&["--checkpoint-every", "0"], &["--checkpoint-every"]),
        (&["--force", "--resume"], &["--resume"]),
        (&["--no-such-flag"], &["--no-such-flag", "see lpvdn fit --help"]),
        (&["--header", "maybe"], &["auto, yes, no"]),
    ] {
        place.run(&[&["fit"], args].concat()).failed(2, parts);
    }
    place.run(&["transform", "m", "digits", "--out", "codes.txt"]).failed(2, &[".npy or .csv"]);
    place.run(&["predict", "m"]).failed(2, &["<DATA>", "see lpvdn predict --help"]);
    assert!(!place.path("lpvdn-out").exists());
}

#[test]
fn what_was_said_about_columns_is_in_the_settings_of_a_model() {
    let place = Place::new();
    let row = |i: usize| {
        let income = if i % 10 == 3 { String::new() } else { format!("{}", 100 + i * i % 97) };
        format!("{income},{},{}\n", 10_000 + i % 3, (i * 7) % 11)
    };
    let table: String = std::iter::once("income,zip,x\n".to_owned()).chain((0..60).map(row)).collect();
    place.write("t.csv", &table);
    let said = ["--missing", "median", "--kind", "zip=category,income=log", "--weight", "x=3"];
    let fit = ["fit", "t.csv", "-k", "2", "--method", "kmeans", "-q"];
    place.run(&[&fit[..], &said[..], &["--out", "one"]].concat()).succeeded();
    let settings = place.run(&["info", "one", "--toml"]).succeeded().stdout;
    place.write("again.toml", &settings);
    place.run(&["fit", "t.csv", "--config", "again.toml", "--out", "again", "-q"]).succeeded();
    assert!(place.read("one/model.safetensors") == place.read("again/model.safetensors"), "{settings}");
}

#[test]
fn a_fit_says_what_it_has_filled_in_and_a_prediction_too() {
    let place = Place::new();
    let row = |i: usize| format!("{},{}\n", if i == 3 { "" } else { "5.5" }, i * i % 13);
    let table: String = std::iter::once("a,b\n".to_owned()).chain((0..30).map(row)).collect();
    place.write("t.csv", table.replacen("5.5", "1.5", 9));
    let fit = ["fit", "t.csv", "-k", "2", "--method", "kmeans", "--missing", "mean", "--out", "o"];
    let said = place.run(&fit).succeeded();
    let line = "1 missing value is filled in: 1 in column 0 (\"a\")";
    assert!(format!("{}{}", said.stdout, said.stderr).contains(line), "{}", said.stderr);
    assert!(place.run(&["predict", "o", "t.csv"]).succeeded().stderr.contains(line));
    place.write("l.csv", "a,c\n1,x\n2,\n4,y\n");
    let missing = ["fit", "l.csv", "--label-column", "c", "--missing", "mean", "--method", "kmeans"];
    place.run(&missing).failed(1, &["the class of the row is missing", "remove the row"]);
}

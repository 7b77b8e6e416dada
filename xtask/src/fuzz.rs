//! Random files for every binary reader, with coverage to guide them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{output, run};

pub(crate) const HELP: &str = "
  fuzz     random files for the readers of binary formats, beginning with the tests' own files:
             cargo xtask fuzz [--minutes 10] [--targets npy,npz,idx,parquet,arrow,image,model]
           needs a nightly compiler and cargo-fuzz (rustup toolchain install nightly; cargo install cargo-fuzz)
";

const FIXTURES: &str = "crates/lpvdn-data/tests/fixtures";
const CORPUS: &str = "fuzz/corpus";

/// Each target, with the endings of the files it begins with.
const TARGETS: [(&str, &[&str]); 7] = [
    ("npy", &["npy"]),
    ("npz", &["npz"]),
    ("idx", &[]),
    ("parquet", &["parquet"]),
    ("arrow", &["arrow", "arrows", "feather"]),
    ("image", &["png", "jpg", "webp", "bmp"]),
    ("model", &[]),
];

/// What a reader may take for a small file, in MB: one allocation, and all together; and in seconds.
const LIMITS: [&str; 4] = ["-malloc_limit_mb=300", "-rss_limit_mb=2000", "-timeout=20", "-max_len=65536"];

/// A two-by-two-by-two array of bytes, which no fixture holds.
const IDX: &[u8] = &[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8];

/// A model with small networks, after little training.
const SMALL: [&str; 14] = [
    "--epochs",
    "1",
    "--pretrain-epochs",
    "1",
    "--layers",
    "4",
    "--latent-dim",
    "2",
    "--output-dim",
    "2",
    "--locality-layers",
    "3",
    "--discriminator-layers",
    "3",
];

pub(crate) fn run_fuzz(arguments: &[String]) -> Result<()> {
    let (mut minutes, mut targets) = (10.0, TARGETS.map(|(name, _)| name.to_owned()).to_vec());
    for pair in arguments.chunks(2) {
        match pair {
            [flag, value] if flag == "--minutes" => minutes = value.parse().context("--minutes")?,
            [flag, value] if flag == "--targets" => targets = value.split(',').map(str::to_owned).collect(),
            _ => bail!("{} is not known, or has no value:\n{HELP}", pair[0]),
        }
    }
    if output("cargo", &["+nightly", "fuzz", "--version"]).is_err() {
        bail!("a nightly compiler and cargo-fuzz are needed:\n{HELP}");
    }
    let seconds = format!("-max_total_time={}", ((60.0_f64 * minutes) as u64).max(1));
    let mut told = Vec::new();
    for name in &targets {
        let Some((name, endings)) = TARGETS.iter().find(|(known, _)| known == name) else {
            bail!("there is no target {name:?}:\n{HELP}");
        };
        seed(name, endings)?;
        told.push(format!("{name}: {}", fuzz(name, &seconds)?));
    }
    println!("{}", told.join("\n"));
    Ok(())
}

/// Puts the files a target begins with where it looks for them.
fn seed(name: &str, endings: &[&str]) -> Result<()> {
    let corpus = Path::new(CORPUS).join(name);
    fs::create_dir_all(&corpus).with_context(|| format!("{}", corpus.display()))?;
    match name {
        "idx" => fs::write(corpus.join("cube"), IDX)?,
        "model" => small_model(&corpus.join("small"))?,
        _ => {
            for (number, file) in files(Path::new(FIXTURES), endings)?.into_iter().enumerate() {
                fs::copy(&file, corpus.join(format!("fixture-{number}")))?;
            }
        }
    }
    Ok(())
}

fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let path = entry?.path();
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if path.is_dir() {
            found.extend(files(&path, endings)?);
        } else if endings.contains(&ending) {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn small_model(to: &Path) -> Result<()> {
    let folder = Path::new("target/tmp/fuzz-model");
    let out = folder.display().to_string();
    let mut arguments = vec!["run", "-q", "--", "fit", "digits", "--force", "--out", &out];
    arguments.extend(SMALL);
    run("cargo", &arguments)?;
    fs::copy(folder.join("model.safetensors"), to)?;
    Ok(())
}

/// What the fuzzer says at its end.
fn fuzz(name: &str, seconds: &str) -> Result<String> {
    let mut arguments = vec!["+nightly", "fuzz", "run", name, "--", seconds];
    arguments.extend(LIMITS);
    eprintln!("$ cargo {}", arguments.join(" "));
    let ended = Command::new("cargo").args(&arguments).output().context("cargo could not be started")?;
    let said = String::from_utf8_lossy(&ended.stderr);
    let tail: Vec<&str> = said.lines().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
    if !ended.status.success() {
        bail!("{name} found something; the file is in fuzz/artifacts/{name}:\n{}", tail.join("\n"));
    }
    let done = said.lines().rev().find(|line| line.starts_with("Done"));
    Ok(done.unwrap_or("it said nothing at its end").to_owned())
}

//! Random files for every reader, with coverage to guide them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::{output, run};

pub(crate) const HELP: &str = "
  fuzz     random files for every reader, beginning with the tests' own files:
             cargo xtask fuzz [--minutes 10 | --seconds 20] [--targets csv,jsonl,svmlight,mtx,packed,npy,npz,idx,
               parquet,arrow,image,toml,model,checkpoint] [--jobs 2]
           --smoke is what the test command runs: 20 seconds for each target.
           needs a nightly compiler and cargo-fuzz (rustup toolchain install nightly; cargo install cargo-fuzz)
";

const SEEDS: &str = "fuzz/seeds";
const FIXTURES: &str = "crates/lpvdn-data/tests/fixtures";
const MODELS: &str = "crates/lpvdn/tests/fixtures";
const CORPUS: &str = "fuzz/corpus";
const ARTIFACTS: &str = "fuzz/artifacts";

/// Seconds for each target in the test command.
const SMOKE_SECONDS: u64 = 20;
/// Targets that run at the same time, unless something else is asked for.
const JOBS: usize = 2;

/// What random files are made for.
struct Target {
    name: &'static str,
    /// The endings of the files it begins with, next to those that are stored for it.
    endings: &'static [&'static str],
    /// Where those files are.
    folder: &'static str,
    /// The longest file.
    longest: usize,
}

const fn target(name: &'static str, endings: &'static [&'static str]) -> Target {
    Target { name, endings, folder: FIXTURES, longest: 65_536 }
}

const TARGETS: [Target; 14] = [
    // Rows of text are parsed at every length: short files find more in the same time.
    Target { longest: 4_096, ..target("csv", &["csv"]) },
    Target { longest: 4_096, ..target("jsonl", &["jsonl"]) },
    Target { longest: 4_096, ..target("svmlight", &["svm"]) },
    Target { longest: 4_096, ..target("mtx", &["mtx"]) },
    Target { longest: 2_048, ..target("packed", &["gz", "zst"]) },
    target("npy", &["npy"]),
    target("npz", &["npz"]),
    target("idx", &[]),
    target("parquet", &["parquet"]),
    target("arrow", &["arrow", "arrows", "feather"]),
    target("image", &["png", "jpg", "webp", "bmp"]),
    Target { longest: 4_096, ..target("toml", &[]) },
    Target { folder: MODELS, ..target("model", &["safetensors"]) },
    // Begins with checkpoints that it writes itself.
    target("checkpoint", &[]),
];

/// What a reader may take for a small file, in MB: one allocation, and all together; and in seconds.
const LIMITS: [&str; 3] = ["-malloc_limit_mb=300", "-rss_limit_mb=2000", "-timeout=20"];

/// How a check ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing was found; what was done, in a line.
    Passed(String),
    /// It could not be run, and why.
    Skipped(String),
}

/// Every target for a short time: for the test command.
///
/// # Errors
/// What a target found, with the place of the file.
pub(crate) fn smoke() -> Result<Outcome> {
    if !installed() {
        return Ok(Outcome::Skipped("no nightly compiler or cargo-fuzz".to_owned()));
    }
    let started = Instant::now();
    let targets: Vec<&Target> = TARGETS.iter().collect();
    run_targets(&targets, SMOKE_SECONDS, JOBS)?;
    let (count, seconds) = (TARGETS.len(), started.elapsed().as_secs());
    Ok(Outcome::Passed(format!("{count} fuzz targets, {SMOKE_SECONDS} s for each, in {seconds} s")))
}

pub(crate) fn run_fuzz(arguments: &[String]) -> Result<()> {
    let (mut seconds, mut jobs, mut targets) = (600, JOBS, TARGETS.iter().collect::<Vec<_>>());
    for pair in arguments.chunks(2) {
        match pair {
            [flag, value] if flag == "--minutes" => {
                seconds = (60.0 * value.parse::<f64>().context("--minutes")?) as u64;
            }
            [flag, value] if flag == "--seconds" => seconds = value.parse().context("--seconds")?,
            [flag, value] if flag == "--jobs" => jobs = value.parse().context("--jobs")?,
            [flag, value] if flag == "--targets" => {
                targets = value.split(',').map(named).collect::<Result<_>>()?;
            }
            _ => bail!("{} is not known, or has no value:\n{HELP}", pair[0]),
        }
    }
    if !installed() {
        bail!("a nightly compiler and cargo-fuzz are needed:\n{HELP}");
    }
    run_targets(&targets, seconds.max(1), jobs.max(1))
}

fn named(name: &str) -> Result<&'static Target> {
    let found = TARGETS.iter().find(|target| target.name == name);
    found.with_context(|| format!("there is no target {name:?}:\n{HELP}"))
}

fn installed() -> bool {
    output("cargo", &["+nightly", "fuzz", "--version"]).is_ok()
}

/// Builds all targets at once, then runs `jobs` of them at a time. Each has its own process and folders.
fn run_targets(targets: &[&Target], seconds: u64, jobs: usize) -> Result<()> {
    // cargo-fuzz has no --locked of its own.
    run("cargo", &["fetch", "--locked", "--manifest-path", "fuzz/Cargo.toml"])?;
    run("cargo", &["+nightly", "fuzz", "build"])?;
    let programs = programs()?;
    let waiting = Mutex::new(targets.iter());
    let ended = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let next = || waiting.lock().ok()?.next();
                while let Some(target) = next() {
                    let result = seed(target).and_then(|()| fuzz(target, &programs, seconds));
                    match &result {
                        Ok(said) => println!("{}: {said}", target.name),
                        Err(problem) => println!("{problem:#}"),
                    }
                    if let Ok(mut ended) = ended.lock() {
                        ended.push((target.name, result.is_ok()));
                    }
                }
            });
        }
    });
    let ended = ended.into_inner().unwrap_or_default();
    let failed: Vec<&str> = ended.iter().filter(|(_, good)| !good).map(|(name, _)| *name).collect();
    match failed.is_empty() && ended.len() == targets.len() {
        true => Ok(()),
        false => bail!("the fuzzer found something in {}; see above", failed.join(", ")),
    }
}

/// The folder of the built targets.
fn programs() -> Result<PathBuf> {
    let version = output("rustc", &["+nightly", "--version", "--verbose"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("the nightly compiler does not name its host")?;
    Ok(Path::new("fuzz/target").join(host).join("release"))
}

/// Puts the files a target begins with where it looks for them.
fn seed(target: &Target) -> Result<()> {
    let corpus = Path::new(CORPUS).join(target.name);
    fs::create_dir_all(&corpus).with_context(|| format!("{}", corpus.display()))?;
    let stored = Path::new(SEEDS).join(target.name);
    let mut seeds = if stored.is_dir() { files(&stored, None)? } else { Vec::new() };
    if !target.endings.is_empty() {
        seeds.extend(files(Path::new(target.folder), Some(target.endings))?);
    }
    for (number, file) in seeds.into_iter().enumerate() {
        fs::copy(&file, corpus.join(format!("seed-{number}")))?;
    }
    Ok(())
}

/// The files under a folder with one of these endings, or all.
fn files(folder: &Path, endings: Option<&[&str]>) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let path = entry?.path();
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if path.is_dir() {
            found.extend(files(&path, endings)?);
        } else if endings.is_none_or(|endings| endings.contains(&ending)) {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// What the fuzzer says at its end.
fn fuzz(target: &Target, programs: &Path, seconds: u64) -> Result<String> {
    let name = target.name;
    let artifacts = Path::new(ARTIFACTS).join(name);
    fs::create_dir_all(&artifacts)?;
    let mut command = Command::new(programs.join(name));
    command.arg(Path::new(CORPUS).join(name));
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-max_len={}", target.longest));
    command.args(LIMITS);
    let ended = command.output().with_context(|| format!("{name} could not be started"))?;
    let said = String::from_utf8_lossy(&ended.stderr);
    if !ended.status.success() {
        let tail: Vec<&str> = said.lines().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
        bail!("{name} found something; the file is in {}:\n{}", artifacts.display(), tail.join("\n"));
    }
    let done = said.lines().rev().find(|line| line.starts_with("Done"));
    Ok(done.unwrap_or("it said nothing at its end").to_owned())
}

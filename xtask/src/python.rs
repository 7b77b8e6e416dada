//! The Python package: its lints, its wheel, and its tests against the wheel.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::chores::{Chore, Smoke};
use crate::environment::{self, Environment, OLDEST};
use crate::process::{program, run as command, run_with, target, text};
use crate::skips;

pub(crate) const CHORE: Chore = Chore {
    name: "python",
    about: "the part of test that is the Python package; leaves its wheel in target/wheels",
    help: "",
    run,
    smoke: Smoke::PartOfTest,
};

pub(crate) const BENCH: Chore = Chore {
    name: "python-bench",
    about: "K-means against scikit-learn's, and what Python adds to a fit, on MNIST",
    help: "\
Usage: cargo xtask python-bench FOLDER_OF_MNIST

Measures the package that `cargo xtask python` has installed last.
",
    run: bench,
    smoke: Smoke::Form(bench_smoke),
};

const PACKAGE: &str = "bindings/python";
const REQUIREMENTS: &str = "bindings/python/tests/requirements.txt";
/// A wheel is downloaded often.
const LARGEST_WHEEL: u64 = 10_000_000;

/// A fit by someone who has installed the wheel and nothing else.
const FIRST_USE: &str = "
import numpy as np
from lpvdn import LPVDN
rows = np.random.default_rng(0).random((200, 8))
model = LPVDN(3, layers=(8,), pretrain_epochs=2, epochs=2, random_state=0)
assert model.fit_predict(rows).shape == (200,)
";

fn run(arguments: &[String]) -> Result<()> {
    if let Some(first) = arguments.first() {
        bail!("python takes no options, and {first} was given");
    }
    test()
}

/// Checks the package, and runs its tests against a wheel of it.
pub(crate) fn test() -> Result<()> {
    let Some(python) = environment::python() else { return without_python("the Python package") };
    let target = target()?;
    let environment = environment(&python)?;
    lint(&environment, &target)?;
    let wheel = wheel(&environment, &target)?;
    environment.install(&wheel)?;
    compare_stub(&environment)?;
    first_use(&python, &wheel, &target)?;
    let (program, tests) = (text(&program()?), format!("{PACKAGE}/tests"));
    run_with(&environment.program("python"), &["-m", "pytest", "-q", &tests], &[("LPVDN_PROGRAM", &program)])
}

fn without_python(what: &str) -> Result<()> {
    skips::skip(what, &format!("there is no Python {OLDEST} or later"))
}

/// The environment of the tests.
pub(crate) fn environment(python: &str) -> Result<Environment> {
    Environment::with(python, &target()?.join("python-venv"), REQUIREMENTS, &[])
}

const BENCHES: [&str; 2] = ["kmeans.py", "overhead.py"];

/// Measures the package that is installed.
fn bench(arguments: &[String]) -> Result<()> {
    let [folder] = arguments else { bail!("where is MNIST? cargo xtask python-bench FOLDER") };
    if !Path::new(folder).is_dir() {
        bail!("{folder} is no folder");
    }
    let python = environment::python().with_context(|| format!("there is no Python {OLDEST} or later"))?;
    run_benches(&environment(&python)?, &[folder])
}

/// The same on scikit-learn's digits.
fn bench_smoke() -> Result<()> {
    let Some(python) = environment::python() else { return without_python("python-bench") };
    run_benches(&environment(&python)?, &["--smoke"])
}

fn run_benches(environment: &Environment, arguments: &[&str]) -> Result<()> {
    for script in BENCHES {
        let script = format!("{PACKAGE}/benches/{script}");
        command(&environment.program("python"), &[&[script.as_str()], arguments].concat())?;
    }
    Ok(())
}

/// The part of the package that is Rust is a workspace of its own, so its lints are asked for here. What Python there is
/// elsewhere in the repository has the same rules for its format.
fn lint(environment: &Environment, target: &Path) -> Result<()> {
    let manifest = format!("{PACKAGE}/Cargo.toml");
    command("cargo", &["fmt", "--manifest-path", &manifest, "--check"])?;
    let clippy = ["clippy", "--locked", "--manifest-path", &manifest, "--", "-D", "warnings"];
    run_with("cargo", &clippy, &[("CARGO_TARGET_DIR", &text(target))])?;
    let ruff = environment.program("ruff");
    let settings = format!("{PACKAGE}/pyproject.toml");
    let places = [PACKAGE, "xtask/peer", "xtask/rivals"];
    command(&ruff, &[&["check", "--quiet", "--config", &settings], &places[..]].concat())?;
    command(&ruff, &[&["format", "--quiet", "--check", "--config", &settings], &places[..]].concat())?;
    // Scripts that made fixtures, or measure what few have installed: that they still can be run at all.
    let broken = ["check", "--quiet", "--isolated", "--target-version", "py311", "--select", "E9,F63,F7,F82"];
    command(&ruff, &[&broken[..], &["crates", "xtask"]].concat())?;
    command(&environment.program("mypy"), &["--config-file", &settings])
}

/// Whether the stub says what the compiled module has.
fn compare_stub(environment: &Environment) -> Result<()> {
    let settings = format!("{PACKAGE}/pyproject.toml");
    let compare = ["-m", "mypy.stubtest", "--mypy-config-file", &settings, "lpvdn._lpvdn"];
    command(&environment.program("python"), &compare)
}

/// Builds the wheel.
fn wheel(environment: &Environment, target: &Path) -> Result<PathBuf> {
    let folder = target.join("wheels");
    // Wheels of other versions must not be taken for this one.
    let _ = fs::remove_dir_all(&folder);
    let (manifest, out) = (format!("{PACKAGE}/Cargo.toml"), text(&folder));
    let build = ["build", "--release", "--locked", "--quiet", "--manifest-path", &manifest, "--out", &out];
    run_with(&environment.program("maturin"), &build, &[("CARGO_TARGET_DIR", &text(target))])?;
    let mut wheels = fs::read_dir(&folder)?.filter_map(Result::ok).map(|entry| entry.path());
    let wheel = wheels.find(|path| path.extension().is_some_and(|e| e == "whl"));
    let wheel = wheel.context("maturin made no wheel")?;
    let size = fs::metadata(&wheel)?.len();
    if size > LARGEST_WHEEL {
        bail!("{} has {size} bytes, more than {LARGEST_WHEEL}", wheel.display());
    }
    eprintln!("{}: {:.1} MB", wheel.display(), size as f64 / 1e6);
    Ok(wheel)
}

/// Installs the wheel where nothing is but what it asks for, and uses it.
fn first_use(python: &str, wheel: &Path, target: &Path) -> Result<()> {
    let clean = Environment::at(python, &target.join("python-clean"))?;
    clean.pip(&["install", &text(wheel)])?;
    clean.install(wheel)?;
    command(&clean.program("python"), &["-c", FIRST_USE])
}

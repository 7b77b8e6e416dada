//! The Python package: its lints, its wheel, and its tests against the wheel.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{output, run as command, run_with};

const PACKAGE: &str = "bindings/python";
const REQUIREMENTS: &str = "bindings/python/tests/requirements.txt";
/// The oldest version that the wheel is for.
const OLDEST: &str = "3.11";
/// Names under which such a Python may be found.
const PYTHONS: [&str; 6] = ["python3", "python3.15", "python3.14", "python3.13", "python3.12", "python3.11"];
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

/// The same as a chore of its own, with the program that the tests compare with.
pub(crate) fn run() -> Result<()> {
    command("cargo", &["build", "--package", "lpvdn-cli"])?;
    test()
}

/// Checks the package, and runs its tests against a wheel of it. The program must have been built, as all tests have it.
pub(crate) fn test() -> Result<()> {
    let Some(python) = python() else {
        eprintln!("\n*** There is no Python {OLDEST} or later: the Python package is NOT TESTED. ***\n");
        return Ok(());
    };
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or("target".to_owned());
    let target = std::path::absolute(target)?;
    let environment = Environment::with_requirements(&python, &target.join("python-venv"))?;
    lint(&environment, &target)?;
    let wheel = wheel(&environment, &target)?;
    environment.install(&wheel)?;
    compare_stub(&environment)?;
    first_use(&python, &wheel, &target)?;
    let program = target.join("debug/lpvdn").display().to_string();
    let tests = format!("{PACKAGE}/tests");
    run_with(&environment.program("python"), &["-m", "pytest", "-q", &tests], &[("LPVDN_PROGRAM", &program)])
}

/// Measures the package that `cargo xtask python` has installed: K-means beside scikit-learn's, and what Python adds.
pub(crate) fn bench(arguments: &[String]) -> Result<()> {
    let folder = arguments.first().context("where is MNIST? cargo xtask python-bench FOLDER")?;
    let python = python().with_context(|| format!("there is no Python {OLDEST} or later"))?;
    let target = std::path::absolute(std::env::var("CARGO_TARGET_DIR").unwrap_or("target".to_owned()))?;
    let environment = Environment::with_requirements(&python, &target.join("python-venv"))?;
    for script in ["kmeans.py", "overhead.py"] {
        command(&environment.program("python"), &[&format!("{PACKAGE}/benches/{script}"), folder])?;
    }
    Ok(())
}

/// A Python that is new enough.
fn python() -> Option<String> {
    let enough = format!("import sys; assert sys.version_info >= ({})", OLDEST.replace('.', ", "));
    let found = PYTHONS.iter().find(|python| output(python, &["-c", &enough]).is_ok());
    found.map(|python| (*python).to_owned())
}

/// The part of the package that is Rust is a workspace of its own, so its lints are asked for here.
fn lint(environment: &Environment, target: &Path) -> Result<()> {
    let manifest = format!("{PACKAGE}/Cargo.toml");
    let target = target.display().to_string();
    command("cargo", &["fmt", "--manifest-path", &manifest, "--check"])?;
    let clippy = ["clippy", "--manifest-path", &manifest, "--", "-D", "warnings"];
    run_with("cargo", &clippy, &[("CARGO_TARGET_DIR", &target)])?;
    let ruff = environment.program("ruff");
    command(&ruff, &["check", "--quiet", PACKAGE])?;
    command(&ruff, &["format", "--quiet", "--check", PACKAGE])?;
    let settings = format!("{PACKAGE}/pyproject.toml");
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
    let (folder, target) = (target.join("wheels"), target.display().to_string());
    // Wheels of other versions must not be taken for this one.
    let _ = fs::remove_dir_all(&folder);
    let (manifest, out) = (format!("{PACKAGE}/Cargo.toml"), folder.display().to_string());
    let build = ["build", "--release", "--quiet", "--manifest-path", &manifest, "--out", &out];
    run_with(&environment.program("maturin"), &build, &[("CARGO_TARGET_DIR", &target)])?;
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
    clean.pip(&["install", &wheel.display().to_string()])?;
    clean.install(wheel)?;
    command(&clean.program("python"), &["-c", FIRST_USE])
}

/// A virtual environment.
struct Environment(PathBuf);

impl Environment {
    /// One with a Python in it, made where it is not there yet.
    fn at(python: &str, folder: &Path) -> Result<Environment> {
        let environment = Environment(folder.to_owned());
        if output(&environment.program("python"), &["-m", "pip", "--version"]).is_err() {
            command(python, &["-m", "venv", "--clear", &folder.display().to_string()])?;
        }
        Ok(environment)
    }

    /// One with what the tests need. It is made anew where that has changed.
    fn with_requirements(python: &str, folder: &Path) -> Result<Environment> {
        let (wanted, record) = (fs::read_to_string(REQUIREMENTS)?, folder.join("requirements.txt"));
        if fs::read_to_string(&record).is_ok_and(|made| made == wanted) {
            return Environment::at(python, folder);
        }
        let _ = fs::remove_dir_all(folder);
        let environment = Environment::at(python, folder)?;
        environment.pip(&["install", "--requirement", REQUIREMENTS])?;
        fs::write(record, wanted)?;
        Ok(environment)
    }

    /// The path of a program in it.
    fn program(&self, name: &str) -> String {
        self.0.join("bin").join(name).display().to_string()
    }

    fn pip(&self, arguments: &[&str]) -> Result<()> {
        let quietly = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
        command(&self.program("python"), &[&quietly[..], arguments].concat())
    }

    /// Installs this very wheel, whatever is there of the same version.
    fn install(&self, wheel: &Path) -> Result<()> {
        self.pip(&["install", "--force-reinstall", "--no-deps", &wheel.display().to_string()])
    }
}

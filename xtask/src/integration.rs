//! Checks that need large environments, so `test` does not contain them: other implementations answer again what the
//! tests' fixtures have stored of them. Each result is recorded.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::accuracy::commit;
use crate::chores::{Chore, Smoke};
use crate::environment::{self, Environment, OLDEST};
use crate::process::{output, scratch};
use crate::results::{INTEGRATION, Results};
use crate::{peer, python, skips};

pub(crate) const CHORE: Chore = Chore {
    name: "integration",
    about: "checks against PyTorch and scikit-learn, recorded in results/integration.jsonl",
    help: "\
Usage: cargo xtask integration [torch] [scikit-learn]

Makes the fixtures of the tests again with the libraries that they came from, and compares them with the stored ones.
The tests themselves read only what is stored. PyTorch is installed under target/peer-venv (about 2.5 GB).
",
    run,
    smoke: Smoke::Form(smoke),
};

/// Fixtures that one script writes.
struct Fixtures {
    folder: &'static str,
    script: &'static str,
    files: &'static [&'static str],
}

/// A library that is asked again.
struct Check {
    name: &'static str,
    /// The module whose version is recorded.
    module: &'static str,
    environment: fn() -> Result<Environment>,
    fixtures: &'static [Fixtures],
    /// The largest difference, relative to the larger number (or to 1).
    tolerance: f64,
}

const CHECKS: [Check; 2] = [
    Check {
        name: "torch",
        module: "torch",
        environment: peer::environment,
        fixtures: &[
            Fixtures { folder: "crates/lpvdn/tests/fixtures", script: "make.py", files: &["step.json"] },
            Fixtures {
                folder: "crates/lpvdn/tests/fixtures",
                script: "make_clustergan.py",
                files: &["clustergan.json"],
            },
        ],
        tolerance: 1e-9,
    },
    Check {
        name: "scikit-learn",
        module: "sklearn",
        environment: test_environment,
        fixtures: &[Fixtures {
            folder: "crates/lpvdn-cluster/tests/fixtures",
            script: "make.py",
            files: &["external.json", "internal.json", "k_means.json", "mixtures.json", "neighbors.json"],
        }],
        tolerance: 1e-6,
    },
];

fn test_environment() -> Result<Environment> {
    let python = environment::python().with_context(|| format!("there is no Python {OLDEST} or later"))?;
    python::environment(&python)
}

fn run(arguments: &[String]) -> Result<()> {
    if let Some(name) = arguments.iter().find(|name| CHECKS.iter().all(|check| check.name != **name)) {
        bail!("there is no check {name:?}; torch and scikit-learn are there");
    }
    let mut failed = Vec::new();
    for check in &CHECKS {
        let wanted = arguments.is_empty() || arguments.iter().any(|name| name == check.name);
        if wanted && !record(check, &Results::real())? {
            failed.push(check.name);
        }
    }
    if !failed.is_empty() {
        bail!("{} does not hold", failed.join(", "));
    }
    Ok(())
}

/// The check whose environment `test` has anyway, recorded where nobody keeps it.
fn smoke() -> Result<()> {
    if environment::python().is_none() {
        return skips::skip("integration", &format!("there is no Python {OLDEST} or later"));
    }
    let results = Results::at(&scratch("integration")?);
    let [_, scikit_learn] = &CHECKS;
    if !record(scikit_learn, &results)? || results.read(INTEGRATION)?.len() != 1 {
        bail!("the check of {} does not hold", scikit_learn.name);
    }
    Ok(())
}

/// Runs a check and records whether it holds.
fn record(check: &Check, results: &Results) -> Result<bool> {
    let start = Instant::now();
    let environment = (check.environment)()?;
    let version = format!("import {0}; print({0}.__version__)", check.module);
    let version = output(&environment.program("python"), &["-c", &version])?;
    let differences = check
        .fixtures
        .iter()
        .map(|fixtures| made_again(fixtures, check, &environment))
        .collect::<Result<Vec<_>>>()?;
    let differences: Vec<String> = differences.into_iter().flatten().collect();
    let (holds, seconds) = (differences.is_empty(), start.elapsed().as_secs_f64());
    println!("{} {}: {}", check.name, version.trim(), if holds { "holds" } else { "DIFFERS" });
    differences.iter().for_each(|difference| println!("  {difference}"));
    let line = json!({
        "check": check.name,
        "version": version.trim(),
        "holds": holds,
        "differences": differences,
        "seconds": (10.0 * seconds).round() / 10.0,
        "commit": commit()?,
    });
    results.append(INTEGRATION, &line)?;
    Ok(holds)
}

/// Runs a script in an empty folder; the first difference of each of its files from the stored one.
fn made_again(fixtures: &Fixtures, check: &Check, environment: &Environment) -> Result<Vec<String>> {
    let Fixtures { folder, script, files } = fixtures;
    let empty = scratch("fixtures")?;
    fs::copy(Path::new(folder).join(script), empty.join(script))?;
    eprintln!("$ python {folder}/{script}");
    let mut command = Command::new(environment.program("python"));
    let status = command.arg(script).current_dir(&empty).status()?;
    if !status.success() {
        bail!("{folder}/{script} failed ({status})");
    }
    let read = |folder: &Path, file: &str| -> Result<Value> {
        let path = folder.join(file);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok(serde_json::from_str(&text)?)
    };
    let mut differences = Vec::new();
    for file in *files {
        let (stored, made) = (read(Path::new(folder), file)?, read(&empty, file)?);
        differences
            .extend(difference(&stored, &made, check.tolerance).map(|d| format!("{folder}/{file}{d}")));
    }
    Ok(differences)
}

/// Where two documents differ first, as `.steps[0]: 1 and 2`.
fn difference(stored: &Value, made: &Value, tolerance: f64) -> Option<String> {
    match (stored, made) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64()?, b.as_f64()?);
            let near = (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0);
            (!near).then(|| format!(": {a} and {b}"))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(i, (a, b))| difference(a, b, tolerance).map(|d| format!("[{i}]{d}"))),
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => a
            .iter()
            .find_map(|(key, value)| difference(value, &b[key], tolerance).map(|d| format!(".{key}{d}"))),
        _ if stored == made => None,
        _ => Some(": of another kind or size".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_found_with_its_place_and_a_small_one_is_none() {
        let stored = json!({"a": [1.0, {"b": 200.0}], "c": "x"});
        let other = |b: f64| json!({"a": [1.0, {"b": b}], "c": "x"});
        assert_eq!(difference(&stored, &other(200.000_1), 1e-6), None);
        assert_eq!(difference(&stored, &other(201.0), 1e-6).as_deref(), Some(".a[1].b: 200 and 201"));
    }

    #[test]
    fn other_names_sizes_and_kinds_are_differences() {
        let stored = json!({"a": [1, 2]});
        for other in [json!({"b": [1, 2]}), json!({"a": [1]}), json!({"a": "1"}), json!(null)] {
            assert!(difference(&stored, &other, 1.0).is_some(), "{other}");
        }
    }

    #[test]
    fn every_fixture_and_its_script_are_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for Fixtures { folder, script, files } in CHECKS.iter().flat_map(|check| check.fixtures) {
            for name in files.iter().chain([script]) {
                assert!(root.join(folder).join(name).is_file(), "{folder}/{name}");
            }
        }
    }
}

//! Every chore of a contributor: `cargo xtask help` lists them.
#![allow(clippy::print_stdout, clippy::print_stderr)] // Talking is what a chore does.

mod accuracy;
mod attack;
mod bench;
mod browser;
mod fuzz;
mod generate;
mod peer;
mod python;
mod ranking;
mod results;
mod test;

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

const HELP: &str = "\
Usage: cargo xtask CHORE

  test     format, clippy with warnings denied, all tests, documentation, the explorer page in Chromium where that is or
           can be installed, and the Python package where there is Python 3.11 or later (its environment is made under
           target): what must pass before a commit
  python   the part of it that is the Python package
  python-bench  K-means beside scikit-learn's, and what Python adds to a fit, on MNIST; after python:
             cargo xtask python-bench FOLDER_OF_MNIST
  bench    the time of one training step, on the built-in digits enlarged to 28 × 28
  accuracy fits a set of (data, recipe, seed), a line for each in results/*.jsonl, and renders RESULTS.md:
             cargo xtask accuracy [--sets digits,mnist,fashion-mnist] [--data FOLDER_OF_SETS]
               [--recipes robust,paper] [--seeds 1,2,3,4,5] [--ablation | --methods kmeans,vade]
               [--render]
           skips what is recorded, goes on where it was stopped; --render only writes RESULTS.md.
           After a change of a recipe, remove its lines from results/*.jsonl to run it again
  ranking  how well the scores without labels rank candidates: a search over 20 seeds, a line in
           results/search.jsonl and a table in RESULTS.md:
             cargo xtask ranking [NAME DATA FLAG_OF_FIT ...]
  peer     the same step against PyTorch, side by side:
             cargo xtask peer [--script FILE] [--data MNIST] [--rounds N]
           sets up Python under target/peer-venv (about 2.5 GB) the first time
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some("test") => test::run(),
        Some("python") => python::run(),
        Some("python-bench") => python::bench(&arguments[1..]),
        Some("browser") => browser::run(),
        Some("screens") => browser::screens(&arguments[1..]),
        Some("bench") => bench::run(),
        Some("accuracy") => accuracy::run(&arguments[1..]),
        Some("ranking") => ranking::run(&arguments[1..]),
        Some("attack") => attack::run_attack(&arguments[1..]),
        Some("fuzz") => fuzz::run_fuzz(&arguments[1..]),
        Some("generate") => generate::run(&arguments[1..]),
        Some("peer") => peer::run(&arguments[1..]),
        Some("help" | "--help" | "-h") | None => {
            print!(
                "{HELP}{}{}{}{}",
                attack::HELP,
                browser::HELP,
                fuzz::HELP.trim_start_matches('\n'),
                generate::HELP
            );
            Ok(())
        }
        Some(other) => Err(anyhow::anyhow!("there is no chore {other:?}\n\n{HELP}{}", generate::HELP)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask: {e:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a command with its output shown; an error where it fails.
fn run(program: &str, arguments: &[&str]) -> Result<()> {
    run_with(program, arguments, &[])
}

/// The same with additions to the environment.
fn run_with(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    eprintln!("$ {program} {}", arguments.join(" "));
    let status = Command::new(program).args(arguments).envs(environment.iter().copied()).status();
    let status = status.with_context(|| format!("{program} could not be started"))?;
    if !status.success() {
        bail!("{program} {} failed ({status})", arguments.join(" "));
    }
    Ok(())
}

/// Runs a command and returns what it wrote to standard output.
fn output(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.with_context(|| format!("{program} could not be started"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("{program} {} failed ({}): {stderr}", arguments.join(" "), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

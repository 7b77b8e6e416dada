//! Our training step against the same step in PyTorch, alternately, so that a busy machine slows
//! both.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::bench::{small_step, step};
use crate::chores::{Chore, Smoke};
use crate::environment::{self, Environment, OLDEST};
use crate::process::{output, run as command, scratch, target, text};
use crate::skips;

pub(crate) const CHORE: Chore = Chore {
    name: "peer",
    about: "the time of one training step against PyTorch's, side by side",
    help: "\
Usage: cargo xtask peer [--data FOLDER] [--rounds N]

  --data FOLDER  MNIST, whose rows our step is timed on; else the built-in digits, enlarged, which flatters us
  --rounds N     measurements of each, of which the medians are compared (default: 5)

Makes a Python environment with PyTorch under target/peer-venv the first time (about 2.5 GB from PyPI).
",
    run,
    smoke: Smoke::Form(smoke),
};

const SCRIPT: &str = "xtask/peer/lpvdn_torch.py";
const REQUIREMENTS: &str = "xtask/peer/requirements.txt";

fn run(arguments: &[String]) -> Result<()> {
    let Options { data, rounds } = parse(arguments)?;
    let python = environment()?.program("python");
    // A benchmark runs in the folder of its package. The pre-training is kept from one round to the next.
    let store = text(&target()?.join("peer-store"));
    let mut rows = vec!["--store", store.as_str()];
    let data = data.map(|folder| std::path::absolute(folder).map(|path| text(&path))).transpose()?;
    rows.extend(data.iter().flat_map(|data| ["--data", data.as_str()]));
    println!("one training step, 784 columns, batch 800, two threads, alternately; rounds: {rounds}");
    match &data {
        Some(data) => println!("our rows: {data}"),
        None => println!(
            "our rows: the built-in digits, enlarged. THIS FLATTERS US: more of our units are silent than on \
             MNIST (--data), and our step is faster"
        ),
    }
    println!("the peer's rows: random numbers; its time does not depend on them\n");
    // The first run may have to pre-train, and warms the machine; it does not count.
    step(&rows)?;
    let all = measure(&python, &rows, rounds, None)?;
    println!();
    let without = measure(&python, &rows, rounds, Some("0"))?;
    println!("\nmedians: peer {:.1} ms, lpvdn {:.1} ms", all.peer, all.ours);
    println!("medians with alpha1 = 0: peer {:.1} ms, lpvdn {:.1} ms", without.peer, without.ours);
    println!(
        "our step does the work of {:.0} % of the machine's peak of {:.0} GFLOP/s, silent units counted; \
         a large product {:.0} GFLOP/s",
        100.0 * all.share_of_peak,
        all.peak,
        all.product
    );
    let flattering = if data.is_none() { " (flattering: not on MNIST)" } else { "" };
    println!("ratio with alpha1 = 0 {:.2}{flattering}", without.peer / without.ours);
    println!("ratio {:.2}{flattering}", all.peer / all.ours);
    Ok(())
}

struct Options {
    data: Option<PathBuf>,
    rounds: usize,
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options { data: None, rounds: 5 };
    let mut arguments = arguments.iter();
    while let Some(name) = arguments.next() {
        let value = arguments.next().with_context(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--data" if !Path::new(value).is_dir() => bail!("{value} is no folder"),
            "--data" => options.data = Some(value.into()),
            "--rounds" => options.rounds = value.parse().context("--rounds needs a whole number")?,
            other => bail!("unknown option {other}"),
        }
    }
    if options.rounds == 0 {
        bail!("--rounds must be at least 1");
    }
    Ok(options)
}

struct Medians {
    peer: f64,
    ours: f64,
    share_of_peak: f64,
    peak: f64,
    product: f64,
}

fn measure(python: &str, rows: &[&str], rounds: usize, alpha1: Option<&str>) -> Result<Medians> {
    let mut both = vec!["--threads", "2"];
    both.extend(alpha1.iter().flat_map(|value| ["--alpha1", value]));
    let ours_too = [&both[..], rows].concat();
    let (mut peer, mut ours, mut shares, mut peaks, mut products) = (vec![], vec![], vec![], vec![], vec![]);
    for round in 1..=rounds {
        let one = step(&ours_too)?;
        ours.push(one.milliseconds);
        shares.push(one.share_of_peak());
        peaks.push(one.peak_gflops);
        products.push(one.product_gflops);
        peer.push(peer_milliseconds(python, &both)?);
        println!(
            "round {round}: peer {:.1} ms, lpvdn {:.1} ms (alpha1 {}, product {:.0} GFLOP/s)",
            peer[round - 1],
            ours[round - 1],
            alpha1.unwrap_or("1e-4"),
            products[round - 1]
        );
    }
    Ok(Medians {
        peer: median(peer),
        ours: median(ours),
        share_of_peak: median(shares),
        peak: median(peaks),
        product: median(products),
    })
}

/// The peer's step.
fn peer_milliseconds(python: &str, arguments: &[&str]) -> Result<f64> {
    let line = output(python, &[&[SCRIPT], arguments].concat())?;
    let value: Value = serde_json::from_str(line.trim()).context("the peer printed no result")?;
    value["step_ms"].as_f64().context("the peer's result has no step_ms")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A Python with PyTorch under `target`, made where it is not there yet.
pub(crate) fn environment() -> Result<Environment> {
    let folder = target()?.join("peer-venv");
    let python = environment::python().with_context(|| format!("there is no Python {OLDEST} or later"))?;
    if Environment::made(&folder, REQUIREMENTS).is_none() {
        println!("setting up Python with PyTorch under {} (about 2.5 GB, once)", folder.display());
    }
    let options = ["--no-compile", "--only-binary=:all:", "--no-deps"];
    let environment = Environment::with(&python, &folder, REQUIREMENTS, &options)?;
    command(&environment.program("python"), &["-c", "import torch"])?;
    Ok(environment)
}

/// Our side, and of the peer's what can be tried without 2.5 GB of PyTorch.
fn smoke() -> Result<()> {
    let ours = small_step()?;
    println!("our step of a small batch: {:.1} ms", ours.milliseconds);
    let Some(python) = environment::python() else {
        return skips::skip("peer, its syntax", &format!("there is no Python {OLDEST} or later"));
    };
    let compiled = text(&scratch("peer")?.join("lpvdn_torch.pyc"));
    let compile = format!("import py_compile; py_compile.compile({SCRIPT:?}, {compiled:?}, doraise=True)");
    command(&python, &["-c", &compile])?;
    let Some(made) = Environment::made(&target()?.join("peer-venv"), REQUIREMENTS) else {
        return skips::skip("peer, a step of PyTorch", "`cargo xtask peer` has not installed PyTorch here");
    };
    let peer = peer_milliseconds(&made.program("python"), &["--batch", "20", "--steps", "1"])?;
    println!("the peer's: {peer:.1} ms");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Options> {
        parse(&arguments.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn nothing_outside_of_the_repository_is_read_unless_it_is_named() {
        assert!(parsed(&[]).expect("good").data.is_none());
        assert!(Path::new(SCRIPT).is_relative() && !SCRIPT.contains(".."));
        let here = env!("CARGO_MANIFEST_DIR");
        assert_eq!(parsed(&["--data", here]).expect("good").data.as_deref(), Some(Path::new(here)));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for bad in [&["--rounds", "0"][..], &["--rounds"], &["--data", "no/such/folder"], &["--script", "x"]]
        {
            assert!(parsed(bad).is_err(), "{bad:?}");
        }
    }
}

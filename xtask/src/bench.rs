//! The time of one training step.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::chores::{Chore, Smoke};
use crate::output;

pub(crate) const CHORE: Chore = Chore {
    name: "bench",
    about: "the time of one training step, on the built-in digits enlarged to 28 × 28",
    help: "",
    run,
    smoke: Smoke::Form(smoke),
};

/// One measurement of our step.
pub(crate) struct Step {
    pub(crate) milliseconds: f64,
    /// Multiply-adds in AVX2's registers on all threads: the best speed of a machine without AVX-512.
    pub(crate) peak_gflops: f64,
    /// The speed of one large product.
    pub(crate) product_gflops: f64,
    /// The arithmetic of a step, in 10⁹ operations.
    pub(crate) gflop: f64,
}

impl Step {
    /// The work of the whole step, silent units counted, as a share of what the machine's peak could do
    /// in the same time; so it can be above 1.
    pub(crate) fn share_of_peak(&self) -> f64 {
        self.gflop / (self.milliseconds / 1e3) / self.peak_gflops
    }
}

/// Runs the benchmark of one step with extra arguments.
pub(crate) fn step(arguments: &[&str]) -> Result<Step> {
    measured(&["--package", "lpvdn"], arguments)
}

/// A step of a small batch, built as the tests are: all of the workspace at once, so that nothing is built again.
pub(crate) fn small_step() -> Result<Step> {
    measured(&["--workspace", "--profile", "dev"], &["--smoke"])
}

fn measured(build: &[&str], arguments: &[&str]) -> Result<Step> {
    let all = [&["bench", "--locked", "--quiet", "--bench", "step"], build, &["--"], arguments].concat();
    let text = output("cargo", &all)?;
    let line = text.lines().rev().find(|l| l.starts_with('{')).context("the benchmark printed no result")?;
    let value: Value = serde_json::from_str(line)?;
    let number = |key: &str| value[key].as_f64().with_context(|| format!("no {key} in {line}"));
    Ok(Step {
        milliseconds: number("step_ms")?,
        peak_gflops: number("peak_gflops")?,
        product_gflops: number("product_gflops")?,
        gflop: number("step_gflop")?,
    })
}

fn run(arguments: &[String]) -> Result<()> {
    if let Some(first) = arguments.first() {
        bail!("bench takes no options, and {first} was given");
    }
    for (name, arguments) in
        [("all terms", &[][..]), ("without L_LP", &["--alpha1", "0"]), ("one thread", &["--threads", "1"])]
    {
        print(name, &step(arguments)?);
    }
    Ok(())
}

fn print(name: &str, step: &Step) {
    println!(
        "{name}: {:.1} ms a step, the work of {:.0} % of the peak of {:.0} GFLOP/s if silent units were \
         not left out (a large product: {:.0} GFLOP/s)",
        step.milliseconds,
        100.0 * step.share_of_peak(),
        step.peak_gflops,
        step.product_gflops
    );
}

fn smoke() -> Result<()> {
    print("a small batch", &small_step()?);
    Ok(())
}

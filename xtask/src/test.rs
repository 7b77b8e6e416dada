//! What must pass before a commit.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::chores::{CHORES, Chore, Smoke};
use crate::{browser, python, run as command, run_with, skips, supply};

pub(crate) const CHORE: Chore = Chore {
    name: "test",
    about: "what must pass before a commit",
    help: "\
Format, supply chain, clippy with warnings denied (also without default features), all tests, documentation, the
explorer page in Chromium, the Python package, and the smoke form of every chore. Ends with the seconds of each step
and a list of what was skipped and why. Where CI=true, a skip that xtask/skips.toml does not allow is a failure.
",
    run,
    smoke: Smoke::PartOfTest,
};

type Step = fn() -> Result<()>;

const STEPS: &[(&str, Step)] = &[
    ("format", format),
    ("supply chain", supply::check),
    ("clippy", clippy),
    ("clippy without default features", clippy_without_features),
    ("tests", tests),
    ("documentation", documentation),
    ("explorer page in Chromium", browser::test),
    ("Python package", python::test),
];

fn run(arguments: &[String]) -> Result<()> {
    if let Some(first) = arguments.first() {
        bail!("test takes no options, and {first} was given");
    }
    skips::start()?;
    let mut times = Vec::new();
    let result = steps().into_iter().try_for_each(|(name, step)| {
        let start = Instant::now();
        let result = step();
        times.push((name, start.elapsed().as_secs_f64()));
        result
    });
    let total: f64 = times.iter().map(|(_, seconds)| seconds).sum();
    eprintln!("\nSeconds of each step:");
    for (name, seconds) in times.iter().chain([&("all".to_owned(), total)]) {
        eprintln!("{seconds:8.1}  {name}");
    }
    // What was skipped is worth knowing of a failed run too, but the failure comes first.
    let skipped = skips::finish();
    result.and(skipped)
}

/// The steps, and after them what they have prepared: the smoke forms.
fn steps() -> Vec<(String, Step)> {
    let forms = CHORES.iter().filter_map(|chore| match chore.smoke {
        Smoke::Form(smoke) => Some((format!("{} --smoke", chore.name), smoke)),
        Smoke::PartOfTest => None,
    });
    STEPS.iter().map(|(name, step)| ((*name).to_owned(), *step)).chain(forms).collect()
}

fn format() -> Result<()> {
    command("cargo", &["fmt", "--all", "--check"])
}

fn clippy() -> Result<()> {
    command("cargo", &["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

/// What remains when everything optional is left out must build too.
fn clippy_without_features() -> Result<()> {
    let all = ["clippy", "--locked", "--workspace", "--no-default-features", "--", "-D", "warnings"];
    command("cargo", &all)
}

fn tests() -> Result<()> {
    command("cargo", &["test", "--locked", "--workspace"])
}

/// A broken link in the documentation is an error.
fn documentation() -> Result<()> {
    run_with("cargo", &["doc", "--locked", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])
}

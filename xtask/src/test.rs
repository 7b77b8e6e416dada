//! What must pass before a commit.

use anyhow::Result;

use crate::run as command;

pub(crate) fn run() -> Result<()> {
    run_all(&[
        &["fmt", "--all", "--check"],
        &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        &["test", "--workspace"],
        &["doc", "--workspace", "--no-deps"],
    ])
}

fn run_all(steps: &[&[&str]]) -> Result<()> {
    steps.iter().try_for_each(|step| command("cargo", step))
}

//! What must pass before a commit.

use anyhow::Result;

use crate::{browser, python, run as command, run_with};

pub(crate) fn run() -> Result<()> {
    command("cargo", &["fmt", "--all", "--check"])?;
    command("cargo", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    command("cargo", &["test", "--workspace"])?;
    // A broken link in the documentation is an error.
    run_with("cargo", &["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    browser::test()?;
    python::test()
}

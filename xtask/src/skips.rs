//! What was skipped, and why: collected from all steps of `test`, listed at its end.
//!
//! A test that cannot run here appends a line `SKIPPED: name: reason` to the file that [`VARIABLE`] names: Rust's by
//! `lpvdn_testing::skip`, Python's in `conftest.py`, the browser's in `skips.js`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use lpvdn_testing::VARIABLE;
use serde::Deserialize;

use crate::process::target;

/// What continuous integration may skip.
const ALLOWED: &str = "xtask/skips.toml";

/// The file, while `test` runs.
static FILE: OnceLock<PathBuf> = OnceLock::new();

/// Begins to collect.
pub(crate) fn start() -> Result<()> {
    let folder = target()?.join("tmp");
    fs::create_dir_all(&folder)?;
    let file = folder.join("skips.txt");
    fs::write(&file, "").with_context(|| file.display().to_string())?;
    FILE.get_or_init(|| file);
    Ok(())
}

/// Whether `test` runs.
pub(crate) fn collecting() -> bool {
    FILE.get().is_some()
}

/// Tells a program that is started where to report.
pub(crate) fn variable() -> Option<(&'static str, &'static Path)> {
    FILE.get().map(|file| (VARIABLE, file.as_path()))
}

/// Reports that a part of a chore was left out.
pub(crate) fn skip(name: &str, reason: &str) -> Result<()> {
    eprintln!("\n*** SKIPPED: {name}: {reason} ***\n");
    match FILE.get() {
        Some(file) => Ok(lpvdn_testing::append(file, name, reason)?),
        None => Ok(()),
    }
}

/// Lists what was skipped. In continuous integration, what is not allowed is an error.
pub(crate) fn finish() -> Result<()> {
    let file = FILE.get().context("nothing was collected")?;
    let skips = parse(&fs::read_to_string(file)?)?;
    if skips.is_empty() {
        eprintln!("\nNothing was skipped.");
        return Ok(());
    }
    let allowed = Allowed::read()?;
    eprintln!("\nSkipped:");
    for Skip { name, reason } in &skips {
        let known = if allowed.has(name) { "" } else { " (not in xtask/skips.toml)" };
        eprintln!("  {name}: {reason}{known}");
    }
    let ci = std::env::var("CI").is_ok_and(|ci| ci == "true" || ci == "1");
    verdict(&skips, &allowed, ci)
}

/// An error where continuous integration skipped what it may not.
fn verdict(skips: &BTreeSet<Skip>, allowed: &Allowed, ci: bool) -> Result<()> {
    let surprising: Vec<&str> = skips.iter().map(|s| s.name.as_str()).filter(|n| !allowed.has(n)).collect();
    if ci && !surprising.is_empty() {
        bail!("skipped, which {ALLOWED} does not allow where CI=true: {}", surprising.join(", "));
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Skip {
    name: String,
    reason: String,
}

/// The lines of the file, in order and once each: a test of several cases may report each.
fn parse(text: &str) -> Result<BTreeSet<Skip>> {
    let skip = |line: &str| {
        let parts = line.strip_prefix("SKIPPED: ").and_then(|rest| rest.split_once(": "));
        let (name, reason) = parts.with_context(|| format!("{line:?} is not `SKIPPED: name: reason`"))?;
        Ok(Skip { name: name.to_owned(), reason: reason.to_owned() })
    };
    text.lines().map(skip).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Allowed {
    skip: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    /// Why this may be skipped, for readers of the list.
    reason: String,
}

impl Allowed {
    fn read() -> Result<Allowed> {
        Allowed::parse(&fs::read_to_string(ALLOWED).context(ALLOWED)?)
    }

    fn parse(text: &str) -> Result<Allowed> {
        let allowed: Allowed = toml::from_str(text).context(ALLOWED)?;
        if let Some(entry) = allowed.skip.iter().find(|entry| entry.reason.trim().is_empty()) {
            bail!("{ALLOWED}: {} has no reason", entry.name);
        }
        Ok(allowed)
    }

    fn has(&self, name: &str) -> bool {
        self.skip.iter().any(|entry| entry.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_may_have_colons_and_a_name_may_be_a_path() {
        let found =
            parse("SKIPPED: tests::name: no disk: not root\nSKIPPED: a.py::b: x\nSKIPPED: a.py::b: x\n");
        let found: Vec<Skip> = found.expect("skips").into_iter().collect();
        assert_eq!(found.len(), 2);
        assert_eq!((&*found[1].name, &*found[1].reason), ("tests::name", "no disk: not root"));
    }

    #[test]
    fn a_line_that_is_no_skip_is_an_error() {
        assert!(parse("SKIPPED: no reason\n").is_err());
        assert!(parse("something else\n").is_err());
    }

    #[test]
    fn an_allowed_skip_needs_a_reason_and_its_exact_name() {
        let one = |reason: &str| format!("[[skip]]\nname = \"a\"\nreason = \"{reason}\"\n");
        assert!(Allowed::parse(&one(" ")).is_err());
        let allowed = Allowed::parse(&one("because")).expect("good");
        assert!(allowed.has("a") && !allowed.has("ab"));
    }

    #[test]
    fn only_in_continuous_integration_a_skip_that_is_not_allowed_fails() {
        let allowed = Allowed::parse("[[skip]]\nname = \"a\"\nreason = \"because\"\n").expect("good");
        let known = parse("SKIPPED: a: why\n").expect("skips");
        let unknown = parse("SKIPPED: a: why\nSKIPPED: b: why\n").expect("skips");
        assert!(verdict(&known, &allowed, true).is_ok() && verdict(&unknown, &allowed, false).is_ok());
        let error = verdict(&unknown, &allowed, true).expect_err("b may not be skipped").to_string();
        assert!(error.ends_with(": b"), "{error}");
    }

    #[test]
    fn the_committed_list_can_be_read() {
        Allowed::parse(include_str!("../skips.toml")).expect("a good list");
    }

    /// A test that only prints is silent: libtest hides what a passed test prints.
    #[test]
    fn tests_that_skip_themselves_report_it_and_none_is_ignored() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        let mut faults = Vec::new();
        visit(&root, &mut |path, text| {
            let reports = path.components().any(|part| part.as_os_str() == "lpvdn-testing");
            for line in text.lines().filter(|_| !reports) {
                if line.contains("SKIPPED") || line.trim_start().starts_with("#[ignore") {
                    faults.push(format!("{}: {}", path.display(), line.trim()));
                }
            }
        });
        assert!(faults.is_empty(), "use lpvdn_testing::skip:\n{}", faults.join("\n"));
    }

    fn visit(folder: &Path, each: &mut impl FnMut(&Path, &str)) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("node_modules") {
                visit(&path, each);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                each(&path, &fs::read_to_string(&path).expect("a text"));
            }
        }
    }
}

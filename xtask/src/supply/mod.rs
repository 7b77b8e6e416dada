//! Code of others: its licences, where it comes from, what is there twice, and which Rust it needs.
//!
//! cargo-deny checks it by `deny.toml`. It takes minutes to build, and some machines cannot get it; so the
//! essentials are checked here too, by the same file.

mod licence;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::chores::{Chore, Smoke};
use crate::process::{output, run as command, target, text};
use crate::skips;

pub(crate) const CHORE: Chore = Chore {
    name: "supply",
    about: "the part of test that is the supply chain: licences, sources, duplicates, the oldest Rust",
    help: "\
Checks the dependencies of all workspaces by deny.toml, and that none needs a newer Rust than ours. Runs cargo-deny
too; where it is not installed, it is built under target/tools.
",
    run,
    smoke: Smoke::PartOfTest,
};

/// Every workspace of the repository.
const WORKSPACES: [&str; 3] = ["Cargo.toml", "bindings/python/Cargo.toml", "fuzz/Cargo.toml"];
const DENY_VERSION: &str = "0.20.2";

fn run(arguments: &[String]) -> Result<()> {
    match arguments.first() {
        Some(first) => bail!("supply takes no options, and {first} was given"),
        None => check(),
    }
}

pub(crate) fn check() -> Result<()> {
    let rules: Rules = toml::from_str(&std::fs::read_to_string("deny.toml")?).context("deny.toml")?;
    let mut faults = Vec::new();
    for manifest in WORKSPACES {
        let of =
            ["metadata", "--locked", "--format-version", "1", "--all-features", "--manifest-path", manifest];
        let metadata: Metadata = serde_json::from_str(&output("cargo", &of)?)?;
        faults
            .extend(rules.faults(&metadata.packages).into_iter().map(|fault| format!("{manifest}: {fault}")));
    }
    if !faults.is_empty() {
        bail!("dependencies that deny.toml does not allow:\n  {}", faults.join("\n  "));
    }
    deny()
}

/// Runs cargo-deny.
fn deny() -> Result<()> {
    let tools = target()?.join("tools");
    let own = tools.join("bin/cargo-deny");
    if output("cargo-deny", &["--version"]).is_err() && !own.exists() {
        // Unoptimised: it is built in half the time, and has little to do.
        let (root, build) = (text(&tools), text(&tools.join("build")));
        let install = ["install", "cargo-deny", "--locked", "--debug", "--quiet", "--version", DENY_VERSION];
        let built = command("cargo", &[&install[..], &["--root", &root, "--target-dir", &build]].concat());
        let _ = std::fs::remove_dir_all(&build);
        if built.is_err() {
            return skips::skip("cargo deny", "it is not installed, and `cargo install cargo-deny` failed");
        }
    }
    let program = if own.exists() { text(&own) } else { "cargo-deny".to_owned() };
    let settings = text(&std::path::absolute("deny.toml")?);
    for manifest in WORKSPACES {
        let place = ["--locked", "--config", &settings, "--manifest-path", manifest];
        command(&program, &[&place[..], &DENY].concat())?;
    }
    Ok(())
}

/// What cargo-deny is asked. One file is for all workspaces, so that parts of it do not apply to each.
const DENY: [&str; 11] = [
    "check",
    "--hide-inclusion-graph",
    "--allow",
    "unmatched-skip",
    "--allow",
    "unnecessary-skip",
    "--allow",
    "license-exception-not-encountered",
    "bans",
    "licenses",
    "sources",
];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// Nothing for a package of this repository.
    source: Option<String>,
    rust_version: Option<String>,
}

/// The part of `deny.toml` that is checked here.
#[derive(Deserialize)]
struct Rules {
    licenses: Licenses,
    sources: Sources,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
    exceptions: Vec<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    skip: Vec<Ban>,
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    /// A name, or `name@version`.
    #[serde(rename = "crate")]
    spec: String,
}

impl Rules {
    /// A sentence for each thing that is not allowed.
    fn faults(&self, packages: &[Package]) -> Vec<String> {
        let ours = packages.iter().filter(|p| p.source.is_none());
        let rust = ours.filter_map(|p| p.rust_version.as_deref()).map(numbers).min();
        let mut faults = self.duplicates(packages);
        for package in packages.iter().filter(|p| p.source.is_some()) {
            let id = format!("{} {}", package.name, package.version);
            if !self.licence_allowed(package) {
                let licence = package.license.as_deref().unwrap_or("none");
                faults.push(format!("{id} has the licence {licence}"));
            }
            if !self.source_allowed(package) {
                faults.push(format!("{id} comes from {}", package.source.as_deref().unwrap_or("nowhere")));
            }
            if self.bans.deny.iter().any(|ban| ban.spec == package.name) {
                faults.push(format!("{id} is banned"));
            }
            let needed = package.rust_version.as_deref().map(numbers);
            if needed.zip(rust).is_some_and(|(needed, ours)| needed > ours) {
                let needed = package.rust_version.as_deref().unwrap_or_default();
                faults.push(format!("{id} needs Rust {needed}, which is newer than our rust-version"));
            }
        }
        faults
    }

    fn licence_allowed(&self, package: &Package) -> bool {
        let exceptions = self.licenses.exceptions.iter().filter(|exception| exception.name == package.name);
        let more: Vec<&String> = exceptions.flat_map(|exception| &exception.allow).collect();
        let allowed = |id: &str| self.licenses.allow.iter().chain(more.iter().copied()).any(|one| one == id);
        package.license.as_deref().is_some_and(|licence| licence::satisfied(licence, &allowed))
    }

    fn source_allowed(&self, package: &Package) -> bool {
        let registry = package.source.as_deref().and_then(|source| source.strip_prefix("registry+"));
        registry.is_some_and(|registry| self.sources.allow_registry.iter().any(|one| one == registry))
    }

    /// Names with several versions, of which not all but one are known.
    fn duplicates(&self, packages: &[Package]) -> Vec<String> {
        let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for package in packages {
            let known = self.bans.skip.iter().any(|skip| {
                skip.spec.split_once('@') == Some((package.name.as_str(), package.version.as_str()))
            });
            if !known {
                versions.entry(&package.name).or_default().insert(&package.version);
            }
        }
        let several = versions.into_iter().filter(|(_, versions)| versions.len() > 1);
        let list = |versions: BTreeSet<&str>| versions.into_iter().collect::<Vec<_>>().join(" and ");
        several.map(|(name, versions)| format!("{name} is there twice: {}", list(versions))).collect()
    }
}

/// The parts of a version of Rust: 1.89 is 1.89.0.
fn numbers(version: &str) -> [u32; 3] {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(u32::MAX));
    [(); 3].map(|()| parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests;

use std::path::Path;

use super::*;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn rules() -> Rules {
    toml::from_str(include_str!("../../../deny.toml")).expect("deny.toml")
}

fn package(name: &str, version: &str) -> Package {
    Package {
        name: name.to_owned(),
        version: version.to_owned(),
        license: Some("MIT".to_owned()),
        source: Some(CRATES_IO.to_owned()),
        rust_version: None,
    }
}

fn ours() -> Package {
    Package { source: None, rust_version: Some("1.89".to_owned()), ..package("lpvdn", "0.1.0") }
}

fn fault_of(package: Package) -> String {
    let faults = rules().faults(&[ours(), package]);
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults[0].clone()
}

#[test]
fn a_crate_of_the_registry_with_a_known_licence_is_fine() {
    assert!(rules().faults(&[ours(), package("a", "1.0.0")]).is_empty());
}

#[test]
fn an_unknown_licence_is_a_fault_and_so_is_none() {
    let gpl = Package { license: Some("GPL-3.0-only".to_owned()), ..package("a", "1.0.0") };
    assert!(fault_of(gpl).contains("GPL-3.0-only"));
    assert!(fault_of(Package { license: None, ..package("a", "1.0.0") }).contains("none"));
}

#[test]
fn an_exception_is_for_its_crate_alone() {
    let licence = Some("MIT AND NCSA".to_owned());
    let fuzzer = Package { license: licence.clone(), ..package("libfuzzer-sys", "0.4.0") };
    assert!(rules().faults(&[ours(), fuzzer]).is_empty());
    assert!(fault_of(Package { license: licence, ..package("another", "0.4.0") }).contains("NCSA"));
}

#[test]
fn code_from_elsewhere_is_a_fault() {
    for source in ["git+https://example.org/a#b", "registry+https://example.org/index"] {
        let strange = Package { source: Some(source.to_owned()), ..package("a", "1.0.0") };
        assert!(fault_of(strange).contains("example.org"));
    }
}

#[test]
fn a_banned_crate_is_a_fault() {
    assert!(fault_of(package("openssl-sys", "0.9.0")).contains("banned"));
}

#[test]
fn a_crate_that_needs_a_newer_rust_is_a_fault() {
    let needs = |version: &str| Package { rust_version: Some(version.to_owned()), ..package("a", "1.0.0") };
    for fine in ["1.89", "1.89.0", "1.9", "1.88.1"] {
        assert!(rules().faults(&[ours(), needs(fine)]).is_empty(), "{fine}");
    }
    for newer in ["1.89.1", "1.90", "2.0"] {
        assert!(fault_of(needs(newer)).contains(newer));
    }
}

#[test]
fn a_second_version_is_a_fault_unless_it_is_known() {
    let twice = [package("a", "1.0.0"), package("a", "2.0.0")];
    assert_eq!(rules().faults(&twice), ["a is there twice: 1.0.0 and 2.0.0"]);
    let known = [package("bitflags", "1.3.2"), package("bitflags", "2.0.0")];
    assert!(rules().faults(&known).is_empty());
    let third = [package("bitflags", "1.3.2"), package("bitflags", "2.0.0"), package("bitflags", "3.0.0")];
    assert_eq!(rules().faults(&third).len(), 1);
}

/// A newer version of a dependency must not be taken unnoticed, in any command that people copy.
#[test]
fn every_cargo_command_of_the_documentation_is_locked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut places: Vec<_> = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ".ci/run", ".cargo/config.toml"]
        .map(|name| root.join(name))
        .to_vec();
    places.push(root.join("bindings/python/README.md"));
    places.extend(std::fs::read_dir(root.join("docs")).expect("docs").flatten().map(|entry| entry.path()));
    let resolving = ["build", "run", "test", "install", "bench", "clippy", "check", "doc"];
    let mut faults = Vec::new();
    for place in places.iter().filter(|place| place.is_file()) {
        for line in std::fs::read_to_string(place).expect("a text").lines() {
            let after = line.split("cargo ").skip(1).map(|rest| rest.split('`').next().unwrap_or(rest));
            let alias = line.strip_prefix("xtask = \"");
            for command in after.chain(alias) {
                let first = command.split_whitespace().next().unwrap_or_default();
                if resolving.contains(&first) && !command.contains("--locked") {
                    faults.push(format!("{}: cargo {command}", place.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "without --locked:\n{}", faults.join("\n"));
}

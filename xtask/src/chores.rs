//! The table of all chores: what each is called, what it does, and how it is tried in seconds.

use std::fmt::Write;

use anyhow::{Context, Result, bail};

use crate::{
    accuracy, attack, bench, browser, fuzz, generate, integration, peer, python, ranking, rivals, screens,
    skips, supply, test, verdict,
};

/// One chore.
pub(crate) struct Chore {
    pub(crate) name: &'static str,
    /// A line for the list.
    pub(crate) about: &'static str,
    /// What `--help` adds to that line: the usage and each option.
    pub(crate) help: &'static str,
    pub(crate) run: fn(&[String]) -> Result<()>,
    /// How `test` makes sure that the chore still works. There is no chore without it.
    pub(crate) smoke: Smoke,
}

/// How a chore is tried by `test`.
pub(crate) enum Smoke {
    /// A form of seconds, or minutes for `fuzz`, which records nothing: `cargo xtask CHORE --smoke`.
    Form(fn() -> Result<()>),
    /// The chore is a part of `test`, in full.
    PartOfTest,
}

/// All of them, in the order of the list.
pub(crate) const CHORES: &[Chore] = &[
    test::CHORE,
    supply::CHORE,
    browser::CHORE,
    python::CHORE,
    integration::CHORE,
    bench::CHORE,
    peer::CHORE,
    python::BENCH,
    accuracy::CHORE,
    ranking::CHORE,
    rivals::CHORE,
    verdict::CHORE,
    generate::CHORE,
    screens::CHORE,
    ATTACK,
    FUZZ,
];

const ATTACK: Chore = Chore {
    name: "attack",
    about: "damaged and hostile files for the built program, under a limit of memory",
    help: attack::HELP,
    run: attack::run_attack,
    smoke: Smoke::Form(|| attack::run_attack(&["--smoke".to_owned()])),
};

const FUZZ: Chore = Chore {
    name: "fuzz",
    about: "random files for every reader, settings, models and checkpoints",
    help: fuzz::HELP,
    run: fuzz::run_fuzz,
    smoke: Smoke::Form(fuzz_for_seconds),
};

fn fuzz_for_seconds() -> Result<()> {
    match fuzz::smoke()? {
        fuzz::Outcome::Passed(done) => {
            println!("{done}");
            Ok(())
        }
        fuzz::Outcome::Skipped(reason) => skips::skip("fuzz", &reason),
    }
}

/// Runs what the arguments of `cargo xtask` ask for.
pub(crate) fn dispatch(arguments: &[String]) -> Result<()> {
    let Some((name, rest)) = arguments.split_first().filter(|(name, _)| !asks_for_help(name)) else {
        // `cargo xtask help CHORE` too.
        return match arguments.get(1) {
            Some(name) => found(name).map(explain),
            None => {
                print!("{}", list());
                Ok(())
            }
        };
    };
    let chore = found(name)?;
    if rest.iter().any(|argument| asks_for_help(argument)) {
        explain(chore);
        return Ok(());
    }
    if !rest.iter().any(|argument| argument == "--smoke") {
        return (chore.run)(rest);
    }
    match chore.smoke {
        _ if rest.len() > 1 => bail!("--smoke takes no other options"),
        Smoke::Form(smoke) => smoke(),
        Smoke::PartOfTest => bail!("{name} has no shorter form: `cargo xtask test` contains it in full"),
    }
}

fn asks_for_help(argument: &str) -> bool {
    ["help", "--help", "-h"].contains(&argument)
}

fn found(name: &str) -> Result<&'static Chore> {
    let chore = CHORES.iter().find(|chore| chore.name == name);
    chore.with_context(|| format!("there is no chore {name:?}\n\n{}", list()))
}

fn explain(chore: &Chore) {
    println!("cargo xtask {}: {}", chore.name, chore.about);
    if !chore.help.is_empty() {
        println!("\n{}", chore.help.trim_matches('\n'));
    }
    if matches!(chore.smoke, Smoke::Form(_)) {
        println!("\n  --smoke  a form of seconds, which only shows that the chore works; `test` runs it");
    }
}

/// All chores, a line for each.
fn list() -> String {
    let width = CHORES.iter().map(|chore| chore.name.len()).max().unwrap_or(0);
    let mut text = "Usage: cargo xtask CHORE\n\n".to_owned();
    for chore in CHORES {
        let _ = writeln!(text, "  {:width$}  {}", chore.name, chore.about);
    }
    text.push_str("\n`cargo xtask CHORE --help` has the options of each.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chore_is_listed_once_with_a_line_that_says_what_it_does() {
        let list = list();
        for chore in CHORES {
            assert_eq!(CHORES.iter().filter(|other| other.name == chore.name).count(), 1, "{}", chore.name);
            assert!(!chore.about.is_empty() && list.contains(chore.about), "{}", chore.name);
        }
    }

    #[test]
    fn an_unknown_chore_is_an_error_that_lists_the_known_ones() {
        let error = dispatch(&["nonesuch".to_owned()]).expect_err("unknown").to_string();
        assert!(error.contains("nonesuch") && error.contains("accuracy"), "{error}");
    }

    #[test]
    fn a_part_of_the_test_command_has_no_shorter_form_and_says_so() {
        let error = dispatch(&["python".to_owned(), "--smoke".to_owned()]).expect_err("none").to_string();
        assert!(error.contains("cargo xtask test"), "{error}");
    }
}

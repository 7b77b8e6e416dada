//! What the chore can be told.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::methods::names;
use super::sets::SETS;
use super::summary::NOW;

/// What was asked for.
#[derive(Debug)]
pub(super) struct Options {
    /// Sets by name; where none is, all that are there.
    pub(super) sets: Vec<String>,
    pub(super) rivals: Vec<String>,
    pub(super) methods: Vec<String>,
    pub(super) seeds: Vec<u64>,
    pub(super) data: Option<PathBuf>,
    pub(super) label: String,
    pub(super) again: bool,
    pub(super) limit: Duration,
    pub(super) threads: usize,
    pub(super) program: Option<PathBuf>,
    pub(super) commit: Option<String>,
    pub(super) render: bool,
}

pub(super) const HELP: &str = "\
Usage: cargo xtask rivals [--sets wine,isolet] [--rivals sk-kmeans,leiden] [--methods kmeans,lpvdn] [--seeds 1,2,3]
         [--data FOLDER] [--label NAME] [--again] [--limit 1800] [--threads 2] [--program FILE --commit NAME] [--render]

  --sets       the sets (default: all that are there)
  --rivals     sk-kmeans, lsa-kmeans, umap-mixture, umap-hdbscan, leiden, evoc, or none (default: all)
  --methods    ours: kmeans, graph (--effort quick), graph-leiden (the same with --partition leiden), ae-kmeans,
               vae-kmeans, dec, clustergan, vade, lpvdn, or none (default: kmeans,graph,lpvdn)
  --seeds      a run for each (default: 1,2,3)
  --data       the folder with suite, reuters-21578, mnist and fashion-mnist (default: what LPVDN_DATA names, or
               ../shared/data); without it, the built-in digits, sets of scikit-learn and generated ones are left
  --label      what this state of our methods is called (default: now); states with other labels are kept apart
  --again      repeats runs that failed, and runs of ours that another commit made under this label
  --limit      the seconds after which a run counts as failed (default: 1800)
  --threads    threads of every method (default: 2)
  --program    a built lpvdn to run in the place of this repository's, and the commit that it was built from
  --commit
  --render     only writes docs/rivals.md

Skips what is recorded in results/rivals.jsonl, records each run as it ends, and writes docs/rivals.md. Makes a Python
environment with the rivals under target/rivals-venv the first time (about 600 MB from PyPI).
";

impl Default for Options {
    fn default() -> Options {
        Options {
            sets: Vec::new(),
            rivals: names(false).into_iter().map(str::to_owned).collect(),
            methods: ["kmeans", "graph", "lpvdn"].map(str::to_owned).to_vec(),
            seeds: vec![1, 2, 3],
            data: None,
            label: NOW.to_owned(),
            again: false,
            limit: Duration::from_secs(1800),
            threads: 2,
            program: None,
            commit: None,
            render: false,
        }
    }
}

pub(super) fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut arguments = arguments.iter();
    while let Some(name) = arguments.next() {
        match name.as_str() {
            "--again" => options.again = true,
            "--render" => options.render = true,
            _ => {
                let value = arguments.next().with_context(|| format!("{name} needs a value"))?;
                options.set(name, value)?;
            }
        }
    }
    if options.commit.is_some() != options.program.is_some() {
        bail!("--program and --commit go together: a run is recorded with the commit of its program");
    }
    Ok(options)
}

impl Options {
    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let positive = || match value.parse::<usize>() {
            Ok(number) if number > 0 => Ok(number),
            _ => bail!("{name} needs a whole number above 0, and {value:?} was given"),
        };
        match name {
            "--sets" => {
                self.sets = chosen(name, value, &SETS.iter().map(|set| set.name).collect::<Vec<_>>())?
            }
            "--rivals" => self.rivals = some_or_none(name, value, &names(false))?,
            "--methods" => self.methods = some_or_none(name, value, &names(true))?,
            "--seeds" => {
                let seeds = value.split(',').map(str::parse).collect::<Result<_, _>>();
                self.seeds = seeds.context("--seeds needs whole numbers, as 1,2,3")?;
            }
            "--data" => self.data = Some(value.into()),
            "--label" if value.trim().is_empty() => bail!("--label needs a name"),
            "--label" => self.label = value.to_owned(),
            "--limit" => self.limit = Duration::from_secs(positive()? as u64),
            "--threads" => self.threads = positive()?,
            "--program" => self.program = Some(value.into()),
            "--commit" => self.commit = Some(value.to_owned()),
            other => bail!("unknown option {other}"),
        }
        Ok(())
    }
}

fn some_or_none(option: &str, value: &str, known: &[&str]) -> Result<Vec<String>> {
    if value == "none" { Ok(Vec::new()) } else { chosen(option, value, known) }
}

/// Names, separated by commas, all of which are known.
fn chosen(option: &str, value: &str, known: &[&str]) -> Result<Vec<String>> {
    let names: Vec<String> = value.split(',').map(str::to_owned).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => bail!("{option}: there is no {name:?}, but {}", known.join(", ")),
        None => Ok(names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Options> {
        parse(&arguments.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn without_options_all_rivals_meet_three_of_our_methods() {
        let options = parsed(&[]).expect("good");
        assert_eq!((options.rivals.len(), options.seeds.len()), (6, 3));
        assert_eq!(options.methods, ["kmeans", "graph", "lpvdn"]);
        assert_eq!(options.label, NOW);
    }

    #[test]
    fn one_side_can_be_left_out() {
        let options = parsed(&["--rivals", "none", "--methods", "dec"]).expect("good");
        assert!(options.rivals.is_empty() && options.methods == ["dec"]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for bad in [
            &["--sets", "nonesuch"][..],
            &["--rivals", "kmeans"],
            &["--methods", "leiden"],
            &["--seeds", "one"],
            &["--limit", "0"],
            &["--threads", "0"],
            &["--label", " "],
            &["--program", "lpvdn"],
            &["--sets"],
        ] {
            assert!(parsed(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_unknown_set_is_an_error_that_lists_the_known_ones() {
        let error = parsed(&["--sets", "nonesuch"]).expect_err("unknown").to_string();
        assert!(error.contains("nonesuch") && error.contains("isolet"), "{error}");
    }
}

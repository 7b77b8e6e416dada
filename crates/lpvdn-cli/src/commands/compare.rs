//! `lpvdn compare`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lpvdn::Method;
use lpvdn::verdict::{Structure, Verdict};
use lpvdn_core::Dataset;
use lpvdn_data::Opened;
use lpvdn_report::{Cell, Spread, Table};
use serde::Serialize;

use crate::advice;
use crate::args::CompareArgs;
use crate::clusters::Clusters;
use crate::config;
use crate::console::{self, Words, shell, stderr_line};
use crate::failure::Failure;
use crate::interrupt;
use crate::memory::Memory;
use crate::methods;
use crate::output::Folder;
use crate::runs::{self, Queue, RunRecord, Runs, Wanted, facts};
use crate::settings::{Settings, VerdictChoice};

pub(crate) fn run(args: &CompareArgs) -> Result<(), Failure> {
    let settings = checked(&args.settings, "name methods with --methods")?;
    let data_path = settings.data.clone().unwrap_or_else(|| PathBuf::from("digits"));
    let Opened { data, notes, .. } = lpvdn_data::read(&data_path, &settings.open_options())?;
    let clusters = clusters(settings, &data, &data_path)?;
    let out = settings.out.clone().unwrap_or_else(|| PathBuf::from("lpvdn-compare"));
    let methods =
        distinct(if args.methods.is_empty() { Method::PAPER.to_vec() } else { args.methods.clone() });
    let seeds = distinct(args.seeds.clone().map_or_else(|| vec![1, 2, 3], |seeds| seeds.0));
    config::check_taken(settings, |key| methods.iter().any(|&method| methods::takes(method, key)))?;
    let facts = facts(&data, clusters)?;
    let mut all = Vec::new();
    for &method in &methods {
        let with = (&data, facts.as_str());
        all.extend(Wanted::with_seeds(method.name(), method, settings, with, clusters, &seeds)?);
    }
    if !settings.quiet {
        advice::notes(&notes).iter().for_each(|note| stderr_line(&format!("note      {note}")));
    }
    // Held until the end: two comparisons in one folder would lose each other's runs.
    let mut folder = Folder::at(&out);
    folder.claim()?;
    folder.prepare()?;
    let runs = Mutex::new(Runs::open(&out)?);
    interrupt::listen(settings.quiet)?;
    let jobs = args.jobs.map_or_else(|| runs::jobs(&data, settings.memory.map(Memory::bytes)), usize::from);
    let mut queue = Queue::new(&data, &out, settings, &runs);
    queue.judges = settings.verdict != Some(VerdictChoice::None);
    let failed = queue.work(&all, jobs)?;
    let runs = runs.into_inner().unwrap_or_else(PoisonError::into_inner);
    let comparison = Comparison::of(&data.name, &methods, &all, &runs);
    comparison.save(&out)?;
    if settings.json {
        let line = serde_json::to_string(&comparison).map_err(|e| Failure::writing("the table", e.into()))?;
        console::stdout(|w| writeln!(w, "{line}"))?;
    } else {
        console::stdout_words(&Words::of(&comparison.table(false).markdown()))?;
    }
    if !settings.quiet {
        stderr_line(&format!("the table is in {}: compare.md, compare.csv, compare.json", shell(&out)));
    }
    all_made(&failed)
}

/// Says which runs failed, if any did.
pub(crate) fn all_made(failed: &[String]) -> Result<(), Failure> {
    match failed {
        [] => Ok(()),
        [first, ..] => {
            let count = console::plural(failed.len(), "run");
            Err(Failure::Failed(format!("{count} failed and are not in the table; the first: {first}")))
        }
    }
}

/// Each once, in their order.
pub(crate) fn distinct<T: PartialEq>(items: Vec<T>) -> Vec<T> {
    let mut once: Vec<T> = Vec::new();
    for item in items {
        if !once.contains(&item) {
            once.push(item);
        }
    }
    once
}

/// Settings that mean something where many fits are made; `methods` says how those are chosen.
pub(crate) fn checked<'a>(settings: &'a Settings, methods: &str) -> Result<&'a Settings, Failure> {
    let (option, remedy) = match settings {
        Settings { method: Some(_), .. } => ("--method", methods),
        Settings { seed: Some(_), .. } => ("--seed", "name seeds with --seeds"),
        Settings { evaluate_every: Some(_), .. } => ("--evaluate-every", "leave it out"),
        Settings { restarts: Some(_), .. } => ("--restarts", "--seeds compares several"),
        Settings { force: true, .. } => ("--force", "name another folder with --out to start anew"),
        Settings { resume: true, .. } => ("--resume", "this command always goes on where it was"),
        _ => return Ok(settings),
    };
    Err(Failure::Usage(format!("{option} is for fit; {remedy}")))
}

/// How many clusters: as many as are asked for, or as there are classes.
pub(crate) fn clusters(settings: &Settings, data: &Dataset, path: &Path) -> Result<usize, Failure> {
    let classes = data.labels.as_ref().map(|labels| labels.names.len());
    match settings.clusters {
        Some(Clusters::Number(n)) => Ok(n),
        Some(_) => Err(Failure::Usage("a comparison needs one number of clusters: -k 10".to_owned())),
        None => classes.ok_or_else(|| {
            Failure::Usage(format!(
                "{}: the number of clusters is not known: give it with --clusters, or name the column of the classes with --label-column",
                path.display()
            ))
        }),
    }
}

/// What a method reached.
#[derive(Debug, Serialize)]
struct Row {
    method: Method,
    runs: usize,
    acc: Option<Spread>,
    purity: Option<Spread>,
    nmi: Option<Spread>,
    ari: Option<Spread>,
    silhouette: Option<Spread>,
    davies_bouldin: Option<Spread>,
    /// The word of the verdict of each run that was judged.
    structure: Vec<Structure>,
    /// How much partitions of halves of the rows agree.
    stability: Option<Spread>,
    seconds: Option<Spread>,
}

impl Row {
    fn of(method: Method, runs: &[&RunRecord]) -> Row {
        let score = |pick| runs::spread(runs.iter().copied(), pick);
        Row {
            method,
            runs: runs.len(),
            acc: score(|s| s.acc),
            purity: score(|s| s.purity),
            nmi: score(|s| s.nmi),
            ari: score(|s| s.ari),
            silhouette: Spread::of(runs.iter().map(|run| run.among_rows?.silhouette)),
            davies_bouldin: Spread::of(runs.iter().map(|run| run.among_rows?.davies_bouldin)),
            structure: runs.iter().filter_map(|run| Some(run.metrics.verdict.as_ref()?.structure)).collect(),
            stability: Spread::of(runs.iter().filter_map(|run| judged(run)).map(|v| Some(v.stability))),
            seconds: Spread::of(runs.iter().map(|run| Some(run.metrics.seconds))),
        }
    }

    /// The columns: the scores against classes where they are known, else those without labels; verdicts, where there are any.
    fn cells(&self, Columns { labelled, judged }: Columns) -> Vec<(&'static str, Cell)> {
        let mut cells = match labelled {
            true => vec![
                ("ACC", Cell::spread(self.acc, 4)),
                ("purity", Cell::spread(self.purity, 4)),
                ("NMI", Cell::spread(self.nmi, 4)),
                ("ARI", Cell::spread(self.ari, 4)),
            ],
            false => vec![
                ("silhouette", Cell::spread(self.silhouette, 3)),
                ("Davies–Bouldin", Cell::spread(self.davies_bouldin, 3)),
            ],
        };
        if judged {
            cells.push(("structure", most_frequent(&self.structure)));
            cells.push(("stability", Cell::spread(self.stability, 2)));
        }
        cells.push(("seconds", Cell::spread(self.seconds, 1)));
        cells
    }
}

/// The verdict of a run, where it has figures.
fn judged(run: &RunRecord) -> Option<&Verdict> {
    run.metrics.verdict.as_ref().filter(|verdict| verdict.structure != Structure::NotJudged)
}

/// The word that most runs have, and how many have it where not all do. Of equals, that of the first run.
fn most_frequent(words: &[Structure]) -> Cell {
    let count = |word: &Structure| words.iter().filter(|other| *other == word).count();
    let mut best: Option<&Structure> = None;
    for word in words {
        if best.is_none_or(|best| count(word) > count(best)) {
            best = Some(word);
        }
    }
    match best {
        None => Cell::None("no verdict"),
        Some(best) if count(best) == words.len() => Cell::Text(best.name().to_owned()),
        Some(best) => Cell::Text(format!("{} ({} of {})", best.name(), count(best), words.len())),
    }
}

/// Which columns a table has.
#[derive(Clone, Copy)]
struct Columns {
    /// Classes are known.
    labelled: bool,
    /// There are verdicts.
    judged: bool,
}

/// What all methods reached on one data set.
#[derive(Debug, Serialize)]
struct Comparison {
    data: String,
    rows: Vec<Row>,
}

impl Comparison {
    fn of(data: &str, methods: &[Method], all: &[Wanted], runs: &Runs) -> Comparison {
        let row = |&method: &Method| {
            let own = all.iter().filter(|wanted| wanted.method == method);
            let found: Vec<_> = own.filter_map(|w| runs.find(method, &w.key, w.seed)).collect();
            Row::of(method, &found)
        };
        Comparison { data: data.to_owned(), rows: methods.iter().map(row).collect() }
    }

    /// For eyes, or with the names that commands take.
    fn table(&self, plain: bool) -> Table {
        let columns = Columns {
            labelled: self.rows.iter().any(|row| row.acc.is_some()),
            judged: self.rows.iter().any(|row| !row.structure.is_empty()),
        };
        let names = self.rows.first().map_or(Vec::new(), |row| row.cells(columns));
        let names = names.into_iter().map(|(name, _)| name.to_owned());
        let first = if plain { "method".to_owned() } else { self.data.clone() };
        let mut table = Table::new([first, "runs".to_owned()].into_iter().chain(names));
        for row in &self.rows {
            let name = if plain { row.method.name() } else { row.method.title() };
            let first = [Cell::Text(name.to_owned()), Cell::Count(row.runs)];
            table.row(first.into_iter().chain(row.cells(columns).into_iter().map(|(_, cell)| cell)));
        }
        table
    }

    /// `compare.md`, `compare.csv` and `compare.json`.
    fn save(&self, folder: &Path) -> Result<(), Failure> {
        let write = |name: &str, text: String| {
            lpvdn_data::atomic_replace(folder.join(name), |w| w.write_all(text.as_bytes()))
        };
        write("compare.md", self.table(false).markdown())?;
        write("compare.csv", self.table(true).csv())?;
        let json = serde_json::to_string_pretty(self).map_err(|e| Failure::writing("the table", e.into()))?;
        write("compare.json", json + "\n")?;
        Ok(())
    }
}

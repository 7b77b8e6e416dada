//! The recorded runs and the tables made of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::ranking;

/// The searches among them.
pub(crate) const SEARCHES: &str = "search";
/// What `cargo xtask integration` records: no runs of a data set.
pub(crate) const INTEGRATION: &str = "integration";

/// What `cargo xtask verdict` records: no runs of a data set either.
pub(crate) const VERDICTS: &str = "verdict";

/// What `cargo xtask rivals` records, which has a page of its own.
pub(crate) const RIVALS: &str = "rivals";

/// ACC, NMI and ARI of the paper's Tables 2 and 4.
const PAPER: [(&str, &str, [f64; 3]); 17] = [
    ("mnist", "all", [0.9716, 0.9276, 0.9385]),
    ("mnist", "G+LP", [0.9710, 0.9269, 0.9373]),
    ("mnist", "G+MI", [0.9477, 0.8910, 0.8888]),
    ("mnist", "G", [0.9446, 0.8761, 0.8822]),
    ("mnist", "kmeans", [0.5850, 0.4998, 0.3652]),
    ("mnist", "ae-kmeans", [0.7147, 0.6610, 0.5593]),
    ("mnist", "vae-kmeans", [0.8583, 0.7432, 0.7249]),
    ("mnist", "dec", [0.8971, 0.8631, 0.8322]),
    ("mnist", "clustergan", [0.9596, 0.9051, 0.9134]),
    ("mnist", "vade", [0.9446, 0.8761, 0.8822]),
    ("fashion-mnist", "all", [0.6837, 0.6912, 0.5151]),
    ("fashion-mnist", "kmeans", [0.5542, 0.5117, 0.3477]),
    ("fashion-mnist", "ae-kmeans", [0.6240, 0.6360, 0.4440]),
    ("fashion-mnist", "vae-kmeans", [0.6049, 0.5629, 0.4082]),
    ("fashion-mnist", "dec", [0.6303, 0.6560, 0.4987]),
    ("fashion-mnist", "clustergan", [0.6374, 0.6423, 0.5067]),
    ("fashion-mnist", "vade", [0.6383, 0.6434, 0.4955]),
];

/// A folder of recorded runs, a file for each data set, and the page that is made of them.
pub(crate) struct Results {
    folder: PathBuf,
    page: PathBuf,
}

impl Results {
    /// Those of this repository.
    pub(crate) fn real() -> Results {
        Results { folder: "results".into(), page: "RESULTS.md".into() }
    }

    /// Others, in a folder of their own.
    pub(crate) fn at(folder: &Path) -> Results {
        Results { folder: folder.join("results"), page: folder.join("RESULTS.md") }
    }

    fn file(&self, set: &str) -> PathBuf {
        self.folder.join(format!("{set}.jsonl"))
    }

    /// All recorded runs of a data set. A last line that was not written to its end is no run.
    pub(crate) fn read(&self, set: &str) -> Result<Vec<Value>> {
        let path = self.file(set);
        if !path.exists() {
            return Ok(Vec::new());
        }
        let text = fs::read_to_string(&path)?;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        if whole.len() + 1 < text.len() {
            // What is appended next must start a line of its own.
            fs::write(&path, format!("{whole}\n"))?;
        }
        let parse =
            |line: &str| serde_json::from_str(line).with_context(|| format!("{}: {line}", path.display()));
        whole.lines().filter(|line| !line.is_empty()).map(parse).collect()
    }

    /// Adds a line to a file.
    pub(crate) fn append(&self, set: &str, line: &Value) -> Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = OpenOptions::new().create(true).append(true).open(self.file(set))?;
        file.write_all(format!("{line}\n").as_bytes())?;
        Ok(file.sync_all()?)
    }

    /// Writes the page from what is recorded.
    pub(crate) fn render(&self) -> Result<()> {
        let mut sets: Vec<String> = Vec::new();
        if let Ok(folder) = fs::read_dir(&self.folder) {
            for entry in folder {
                let name = entry?.file_name().to_string_lossy().into_owned();
                sets.extend(name.strip_suffix(".jsonl").map(str::to_owned));
            }
        }
        sets.sort();
        let mut text = String::from(HEAD);
        for set in
            sets.iter().filter(|set| ![SEARCHES, INTEGRATION, RIVALS, VERDICTS].contains(&set.as_str()))
        {
            section(&mut text, set, &self.read(set)?)?;
        }
        ranking::section(&mut text, &self.read(SEARCHES)?)?;
        fs::write(&self.page, text)?;
        println!("{} is written", self.page.display());
        Ok(())
    }
}

const HEAD: &str = "\
# Results

Every number here comes from a finished run that is recorded in [results](results): one JSON line each, with
its settings, seed, scores, time and commit. No label was used in training. The settings of the robust recipe
were found with the labels of digits (seeds 1 to 3), MNIST (seeds 1 to 3) and Fashion-MNIST
(seeds 1 to 3) at hand.

ACC is the share of rows in the right cluster under the best one-to-one assignment of clusters to classes;
± is the standard deviation over seeds. The evaluation that was released with the paper computes purity, and its
table most likely does too: for K-means on MNIST it states .5850 / .4998 / .3652, and here purity, NMI and ARI of seed 1 are .5850, .4997 and
.3652, while ACC is .5324. `cargo xtask accuracy` repeats the runs that are missing and
writes this page.
";

fn section(text: &mut String, set: &str, runs: &[Value]) -> Result<()> {
    write!(text, "\n## {set}\n\n")?;
    let rows = runs.first().map_or(0, |r| r["rows"].as_u64().unwrap_or(0));
    let columns = runs.first().map_or(0, |r| r["columns"].as_u64().unwrap_or(0));
    writeln!(text, "{rows} rows, {columns} columns.\n")?;
    text.push_str(
        "| recipe | terms or method | seeds | ACC | worst | best | purity | NMI | ARI | silhouette | minutes |\n",
    );
    text.push_str("|---|---|---|---|---|---|---|---|---|---|---|\n");
    let recorded = |terms: &str| runs.iter().any(|run| run["terms"] == terms);
    for (_, terms, [acc, nmi, ari]) in PAPER.iter().filter(|(name, terms, _)| *name == set && recorded(terms))
    {
        writeln!(text, "| (the paper) | {terms} | | {acc:.4} | | | | {nmi:.4} | {ari:.4} | | |")?;
    }
    let mut groups: BTreeMap<[String; 3], Vec<&Value>> = BTreeMap::new();
    for run in runs {
        let key = |name: &str| run[name].as_str().unwrap_or("?").to_owned();
        // Runs with other settings are not the same thing, whatever their recipe is called.
        let mut settings = run["settings"].clone();
        settings.as_object_mut().map(|s| s.remove("seed"));
        groups.entry([key("recipe"), key("terms"), settings.to_string()]).or_default().push(run);
    }
    // The whole method before its parts.
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|([recipe, terms, _], _)| (recipe != "robust", terms != "all"));
    for ([recipe, terms, _], mut runs) in groups {
        runs.sort_by_key(|r| r["seed"].as_u64());
        let seeds: Vec<String> = runs.iter().map(|r| r["seed"].to_string()).collect();
        let all = |name: &str| runs.iter().filter_map(|r| r[name].as_f64()).collect::<Vec<f64>>();
        let (acc, minutes) = (all("acc"), mean(&all("seconds")) / 60.0);
        let worst = acc.iter().copied().fold(f64::INFINITY, f64::min);
        let best = acc.iter().copied().fold(0.0, f64::max);
        writeln!(
            text,
            "| {recipe} | {terms} | {} | {} | {worst:.4} | {best:.4} | {} | {} | {} | {} | {minutes:.1} |",
            seeds.join(", "),
            spread(&acc),
            spread(&all("purity")),
            spread(&all("nmi")),
            spread(&all("ari")),
            spread(&all("silhouette")),
        )?;
    }
    Ok(())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Mean ± standard deviation.
pub(crate) fn spread(values: &[f64]) -> String {
    let m = mean(values);
    match values.len() {
        0 => String::new(),
        1 => format!("{m:.4}"),
        n => {
            let variance = values.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (n - 1) as f64;
            format!("{m:.4} ± {:.4}", variance.sqrt())
        }
    }
}

//! The runs of a comparison on disk, and their table.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lpvdn::Method;
use lpvdn::model::lpvdn::Quality;
use lpvdn_data::atomic_write;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::metrics::Metrics;

/// A line for each finished run.
const RUNS: &str = "runs.jsonl";

/// A finished run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunRecord {
    /// What, beside method and seed, the result depends on.
    pub(crate) key: String,
    /// The method that was asked for: LPVDN without its two terms is VaDE, but not by that name.
    pub(crate) asked: Method,
    /// How well the clusters are apart among the rows, where no classes are known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) among_rows: Option<Quality>,
    #[serde(flatten)]
    pub(crate) metrics: Metrics,
}

impl RunRecord {
    /// A short name for data and settings (FNV-1a: it only tells them apart).
    pub(crate) fn key(description: &str) -> String {
        let hash = description
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        format!("{hash:016x}")
    }

    /// What was reached, in a few words.
    pub(crate) fn scores(&self) -> String {
        match (&self.metrics.scores, self.among_rows.and_then(|rows| rows.silhouette)) {
            (Some(scores), _) => {
                format!("ACC {:.4}, NMI {:.4}, ARI {:.4}", scores.acc, scores.nmi, scores.ari)
            }
            (None, Some(silhouette)) => format!("silhouette {silhouette:.3}"),
            (None, None) => "done".to_owned(),
        }
    }
}

/// The folder of a comparison.
#[derive(Debug)]
pub(crate) struct Comparison {
    file: PathBuf,
    data: String,
    runs: Vec<RunRecord>,
}

impl Comparison {
    /// Reads what is recorded in the folder. A last line that was cut short by a crash is no run.
    pub(crate) fn open(folder: &Path, data: &str) -> Result<Comparison, Failure> {
        fs::create_dir_all(folder).map_err(|e| Failure::writing(folder.display(), e))?;
        let file = folder.join(RUNS);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(Failure::reading(&file, e)),
        };
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let mut runs = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            match serde_json::from_str(line) {
                Ok(run) => runs.push(run),
                Err(_) if at + 1 == lines.len() && !text.ends_with('\n') => {}
                Err(e) => return Err(Failure::reading(&file, format!("line {}: {e}", at + 1))),
            }
        }
        Ok(Comparison { file, data: data.to_owned(), runs })
    }

    pub(crate) fn has(&self, method: Method, key: &str, seed: u64) -> bool {
        self.of(method, key).any(|run| run.metrics.seed == seed)
    }

    /// Records a run. All lines are written anew, so that none is ever cut.
    pub(crate) fn add(&mut self, run: RunRecord) -> Result<(), Failure> {
        self.runs.push(run);
        let runs = &self.runs;
        atomic_write(&self.file, |w| {
            runs.iter().try_for_each(|run| writeln!(w, "{}", serde_json::to_string(run)?))
        })?;
        Ok(())
    }

    fn of<'a>(&'a self, method: Method, key: &'a str) -> impl Iterator<Item = &'a RunRecord> {
        self.runs.iter().filter(move |run| run.key == key && run.asked == method)
    }

    /// A row for each method, of the runs that are wanted.
    pub(crate) fn table<'a>(&'a self, wanted: impl Iterator<Item = (Method, &'a str, u64)> + Clone) -> Table {
        let mut methods: Vec<Method> = Vec::new();
        for (method, _, _) in wanted.clone() {
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        let row = |method: Method| {
            let own = wanted.clone().filter(|(other, _, _)| *other == method);
            let found =
                own.filter_map(|(_, key, seed)| self.of(method, key).find(|run| run.metrics.seed == seed));
            Row::of(method, &found.collect::<Vec<_>>())
        };
        Table { data: self.data.clone(), rows: methods.into_iter().map(row).collect() }
    }
}

/// Mean and standard deviation over runs.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Spread {
    pub(crate) mean: f64,
    /// Of the runs themselves; 0 for one.
    pub(crate) sd: f64,
}

impl Spread {
    /// None where a run has no such value.
    pub(crate) fn of(values: impl Iterator<Item = Option<f64>>) -> Option<Spread> {
        let values: Vec<f64> = values.collect::<Option<_>>()?;
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        Some(Spread { mean, sd: if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 } })
    }
}

/// What a method reached.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    method: Method,
    runs: usize,
    acc: Option<Spread>,
    purity: Option<Spread>,
    nmi: Option<Spread>,
    ari: Option<Spread>,
    silhouette: Option<Spread>,
    davies_bouldin: Option<Spread>,
    seconds: Option<Spread>,
}

impl Row {
    fn of(method: Method, runs: &[&RunRecord]) -> Row {
        let score = |pick: fn(&crate::metrics::Scores) -> f64| {
            Spread::of(runs.iter().map(|run| run.metrics.scores.as_ref().map(pick)))
        };
        Row {
            method,
            runs: runs.len(),
            acc: score(|s| s.acc),
            purity: score(|s| s.purity),
            nmi: score(|s| s.nmi),
            ari: score(|s| s.ari),
            silhouette: Spread::of(runs.iter().map(|run| run.among_rows?.silhouette)),
            davies_bouldin: Spread::of(runs.iter().map(|run| run.among_rows?.davies_bouldin)),
            seconds: Spread::of(runs.iter().map(|run| Some(run.metrics.seconds))),
        }
    }

    /// The columns: the scores against classes where they are known, else those without labels.
    fn cells(&self, labelled: bool) -> Vec<(&'static str, Option<Spread>, usize)> {
        let mut cells = match labelled {
            true => vec![
                ("ACC", self.acc, 4),
                ("purity", self.purity, 4),
                ("NMI", self.nmi, 4),
                ("ARI", self.ari, 4),
            ],
            false => vec![("silhouette", self.silhouette, 3), ("Davies–Bouldin", self.davies_bouldin, 3)],
        };
        cells.push(("seconds", self.seconds, 1));
        cells
    }
}

/// The result of a comparison.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    data: String,
    rows: Vec<Row>,
}

impl Table {
    fn labelled(&self) -> bool {
        self.rows.iter().any(|row| row.acc.is_some())
    }

    /// For eyes, and as Markdown.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let labelled = self.labelled();
        let mut lines: Vec<Vec<String>> = Vec::new();
        if let Some(row) = self.rows.first() {
            let names = row.cells(labelled).into_iter().map(|(name, _, _)| name.to_owned());
            lines.push([self.data.clone(), "runs".to_owned()].into_iter().chain(names).collect());
        }
        for row in &self.rows {
            let shown = |(_, spread, digits): (_, Option<Spread>, usize)| match spread {
                Some(Spread { mean, sd }) => format!("{mean:.digits$} ± {sd:.digits$}"),
                None => "–".to_owned(),
            };
            let values = row.cells(labelled).into_iter().map(shown);
            let title = [row.method.title().to_owned(), row.runs.to_string()];
            lines.push(title.into_iter().chain(values).collect());
        }
        let columns = lines.first().map_or(0, Vec::len);
        let width = |c: usize| lines.iter().map(|line| line[c].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (i, line) in lines.iter().enumerate() {
            let cells = line.iter().zip(&widths).map(|(cell, &width)| format!(" {cell:<width$} "));
            writeln!(out, "|{}|", cells.collect::<Vec<_>>().join("|"))?;
            if i == 0 {
                let rules = widths.iter().map(|width| "-".repeat(width + 2));
                writeln!(out, "|{}|", rules.collect::<Vec<_>>().join("|"))?;
            }
        }
        Ok(())
    }

    fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let labelled = self.labelled();
        let Some(first) = self.rows.first() else { return Ok(()) };
        let plain = |name: &str| name.to_lowercase().replace('–', "-");
        let names = first.cells(labelled).into_iter();
        let names = names.map(|(name, _, _)| format!("{0},{0} sd", plain(name))).collect::<Vec<_>>();
        writeln!(out, "method,runs,{}", names.join(","))?;
        for row in &self.rows {
            let shown = |(_, spread, _): (_, Option<Spread>, _)| {
                spread.map_or(",".to_owned(), |s| format!("{},{}", s.mean, s.sd))
            };
            let values: Vec<String> = row.cells(labelled).into_iter().map(shown).collect();
            writeln!(out, "{},{},{}", row.method, row.runs, values.join(","))?;
        }
        Ok(())
    }

    /// `compare.md`, `compare.csv` and `compare.json`.
    pub(crate) fn save(&self, folder: &Path) -> Result<(), Failure> {
        atomic_write(folder.join("compare.md"), |w| self.write(w))?;
        atomic_write(folder.join("compare.csv"), |w| self.write_csv(w))?;
        atomic_write(folder.join("compare.json"), |w| {
            writeln!(w, "{}", serde_json::to_string_pretty(self)?)
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_that_of_a_sample_and_needs_every_value() {
        let spread = Spread::of([1.0, 2.0, 4.0].into_iter().map(Some)).expect("values");
        assert!(
            (spread.mean - 7.0 / 3.0).abs() < 1e-12 && (spread.sd - 1.527_525_231_651_946_6).abs() < 1e-12
        );
        assert!(Spread::of([Some(1.0), None].into_iter()).is_none());
        assert!(Spread::of(std::iter::empty()).is_none());
        assert!(Spread::of([Some(3.0)].into_iter()).expect("a value").sd.abs() < 1e-12);
    }
}

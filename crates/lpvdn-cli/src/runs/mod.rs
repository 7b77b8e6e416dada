//! The finished runs in a folder, and how more are made.

mod queue;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lpvdn::Method;
use lpvdn::model::lpvdn::Quality;
use lpvdn_data::atomic_replace;
use lpvdn_report::Spread;
use serde::{Deserialize, Serialize};

pub(crate) use queue::{Queue, Wanted, facts, interrupted, jobs};

use crate::failure::Failure;
use crate::metrics::{Metrics, Scores};

/// A line for each finished run.
const RUNS: &str = "runs.jsonl";

/// A finished run.
#[derive(Clone, Debug, Serialize, Deserialize)]
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

/// A score over runs.
pub(crate) fn spread<'a>(
    runs: impl IntoIterator<Item = &'a RunRecord>,
    pick: fn(&Scores) -> f64,
) -> Option<Spread> {
    Spread::of(runs.into_iter().map(|run| run.metrics.scores.as_ref().map(pick)))
}

/// The finished runs of a folder.
#[derive(Debug)]
pub(crate) struct Runs {
    file: PathBuf,
    runs: Vec<RunRecord>,
}

impl Runs {
    /// Reads what is recorded in the folder. A last line that was cut short by a crash is no run.
    pub(crate) fn open(folder: &Path) -> Result<Runs, Failure> {
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
        Ok(Runs { file, runs })
    }

    /// The run of this method, key and seed.
    pub(crate) fn find(&self, method: Method, key: &str, seed: u64) -> Option<&RunRecord> {
        self.runs.iter().find(|run| run.asked == method && run.key == key && run.metrics.seed == seed)
    }

    /// Records a run, in the place of one that is there. All lines are written anew, so that none is ever cut.
    pub(crate) fn add(&mut self, run: RunRecord) -> Result<(), Failure> {
        let same = |old: &RunRecord| {
            old.asked == run.asked && old.key == run.key && old.metrics.seed == run.metrics.seed
        };
        self.runs.retain(|old| !same(old));
        self.runs.push(run);
        let runs = &self.runs;
        atomic_replace(&self.file, |w| {
            runs.iter().try_for_each(|run| writeln!(w, "{}", serde_json::to_string(run)?))
        })?;
        Ok(())
    }
}

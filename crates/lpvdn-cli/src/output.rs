//! The output folder of a fit.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use lpvdn::{Fitted, Model};
use lpvdn_core::{Dataset, Labels, Matrix, RowNames};
use lpvdn_data::{atomic_write, write_npy};

use crate::commands::explore::PAGE;
use crate::config;
use crate::console::{csv_cell, shell};
use crate::failure::Failure;
use crate::metrics::Report;
use crate::settings::Settings;

pub(crate) const MODEL: &str = "model.safetensors";
const LABELS: &str = "labels.csv";
const EMBEDDING: &str = "embedding.npy";
pub(crate) const METRICS: &str = "metrics.json";
const LOG: &str = "log.jsonl";
const CHECKPOINT: &str = "checkpoint.safetensors";
pub(crate) const RUN: &str = "run.toml";

/// In the order in which `--force` removes them. The settings are not among them: they are replaced
/// in one go, so that whatever else there is, it lies beside the settings of some run.
const REMOVED: [&str; 7] = [CHECKPOINT, METRICS, MODEL, LABELS, EMBEDDING, LOG, PAGE];

/// What stands in the folder when a run is over.
pub(crate) const RESULTS: [&str; 5] = [MODEL, LABELS, EMBEDDING, METRICS, LOG];

/// Where a search keeps its finished candidates until it is over, unless the user names a place.
const STORE: &str = ".lpvdn-search";
/// How the names of the candidates' checkpoints begin.
const CANDIDATE: &str = "candidate-";

/// The folder.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    created: bool,
    /// Held until the process ends, however it ends: two runs in one folder would mix their files.
    #[allow(dead_code)] // It works by being there.
    lock: Option<File>,
}

/// What a folder holds before a run.
#[derive(Debug)]
pub(crate) enum Content {
    /// Nothing, or it does not exist yet.
    Nothing,
    /// A run, with its settings.
    Run(Box<Settings>),
    /// Files, the first of which is named, but no run.
    Other(String),
}

impl Folder {
    pub(crate) fn at(path: &Path) -> Folder {
        Folder { path: path.to_owned(), created: false, lock: None }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.file(CHECKPOINT)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.file(LOG)
    }

    /// Looks, and changes nothing.
    pub(crate) fn content(&self) -> Result<Content, Failure> {
        if self.file(RUN).exists() {
            return config::read(&self.file(RUN)).map(|s| Content::Run(Box::new(s)));
        }
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Content::Nothing),
            Err(e) if e.kind() == std::io::ErrorKind::NotADirectory => {
                let place = self.path.display();
                let why = "a file stands where a folder is needed; name another with --out";
                return Err(Failure::Failed(format!("{place}: {why}")));
            }
            Err(e) => return Err(Failure::Failed(format!("{}: cannot be used: {e}", self.path.display()))),
        };
        let names = entries.filter_map(|e| e.ok().map(|e| e.file_name().to_string_lossy().into_owned()));
        let mut names: Vec<String> = names.filter(|name| !is_temporary(name)).collect();
        names.sort_unstable();
        Ok(names.into_iter().next().map_or(Content::Nothing, Content::Other))
    }

    /// Files that a model of its own right may stand in: not to be overwritten unasked.
    pub(crate) fn holds_results(&self) -> bool {
        RESULTS.iter().any(|name| self.file(name).exists())
    }

    /// What a finished run wrote last.
    pub(crate) fn finished(&self) -> Result<Option<Report>, Failure> {
        let path = self.file(METRICS);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Failure::reading(&path, e)),
        };
        let report = serde_json::from_str(&text)
            .map_err(|e| Failure::reading(&path, format!("{e}; start anew with --force")))?;
        Ok(Some(report))
    }

    /// Creates the folder and keeps other processes out of it. Where folders cannot be locked, there
    /// is no protection; what else may be wrong with it shows when it is used.
    pub(crate) fn claim(&mut self) -> Result<(), Failure> {
        self.created = !self.path.exists() && fs::create_dir_all(&self.path).is_ok();
        let Ok(folder) = File::open(&self.path) else { return Ok(()) };
        if let Err(TryLockError::WouldBlock) = folder.try_lock() {
            let place = self.path.display();
            return Err(Failure::Failed(format!(
                "{place}: another lpvdn is writing there; wait until it ends, or give another folder with --out"
            )));
        }
        self.lock = Some(folder);
        Ok(())
    }

    /// Checks that files can be written, and removes what a killed run left.
    pub(crate) fn prepare(&self) -> Result<(), Failure> {
        let unusable = |e: std::io::Error| {
            let place = self.path.display();
            Failure::Failed(format!(
                "{place}: the output folder cannot be written: {e}; give another with --out"
            ))
        };
        fs::create_dir_all(&self.path).map_err(unusable)?;
        for entry in fs::read_dir(&self.path).map_err(unusable)?.flatten() {
            if is_temporary(&entry.file_name().to_string_lossy()) {
                let _ = fs::remove_file(entry.path());
            }
        }
        let probe = self.file(&format!(".lpvdn-{}-probe.tmp", std::process::id()));
        let written = fs::write(&probe, b"probe");
        let _ = fs::remove_file(&probe);
        written.map_err(unusable)
    }

    /// Where a search keeps what it has finished.
    pub(crate) fn store(&self) -> PathBuf {
        self.file(STORE)
    }

    /// Whether there is something from which a run can go on.
    pub(crate) fn holds_state(&self) -> bool {
        let search = self.store().exists() || !self.candidate_checkpoints().is_empty();
        self.file(RUN).exists() && (self.checkpoint().exists() || search)
    }

    fn candidate_checkpoints(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        // Nothing else: the folder may hold other files of the user.
        let of_candidate = |name: &str| {
            let number = name.strip_prefix(CANDIDATE).and_then(|n| n.strip_suffix(CHECKPOINT));
            let number = number.and_then(|n| n.strip_suffix('-')).unwrap_or("");
            !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        };
        entries.filter(|e| of_candidate(&e.file_name().to_string_lossy())).map(|e| e.path()).collect()
    }

    /// Removes what a search kept.
    pub(crate) fn forget_search(&self) {
        let _ = fs::remove_dir_all(self.store());
        self.candidate_checkpoints().iter().for_each(|path| drop(fs::remove_file(path)));
    }

    /// Removes the folder again if it is new and nothing came of the run.
    pub(crate) fn abandon(&self) {
        if self.created {
            // Only ever an empty one.
            let _ = fs::remove_dir(&self.path);
        }
    }

    /// Makes room for a new run and stores its settings.
    pub(crate) fn begin(&self, settings: &Settings) -> Result<(), Failure> {
        for name in REMOVED {
            match fs::remove_file(self.file(name)) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    let path = self.file(name);
                    return Err(Failure::Failed(format!("{}: cannot be removed: {e}", path.display())));
                }
                _ => {}
            }
        }
        self.forget_search();
        let text = config::to_toml(settings)?;
        let about = "# The settings of the run in this folder: `lpvdn fit --resume` reads them.\n";
        atomic_write(self.file(RUN), |w| write!(w, "{about}{text}"))?;
        Ok(())
    }

    /// Writes all results, the model first and the metrics last: they say that the run is finished.
    pub(crate) fn finish(
        &self,
        fitted: &Fitted<Model>,
        probabilities: &Matrix<f32>,
        data: &Dataset,
        report: &Report,
    ) -> Result<(), Failure> {
        self.write_results(fitted, probabilities, data, report).map_err(|failure| match failure {
            Failure::Failed(sentence) => Failure::Failed(format!(
                "{sentence}; nothing is lost: make room, then run lpvdn fit --resume --out {}",
                shell(&self.path)
            )),
            other => other,
        })?;
        let _ = fs::remove_file(self.checkpoint());
        self.forget_search();
        Ok(())
    }

    fn write_results(
        &self,
        fitted: &Fitted<Model>,
        probabilities: &Matrix<f32>,
        data: &Dataset,
        report: &Report,
    ) -> Result<(), Failure> {
        fitted.save(&self.file(MODEL))?;
        let columns = LabelColumns {
            clusters: fitted.clusters(),
            all: false,
            ids: data.ids.as_ref(),
            truth: data.labels.as_ref(),
        };
        let rows = LabelRows { first: 0, labels: &fitted.labels, probabilities };
        atomic_write(self.file(LABELS), |w| columns.write_header(w).and_then(|()| rows.write(&columns, w)))?;
        write_npy(self.file(EMBEDDING), &fitted.embedding)?;
        let json = serde_json::to_string_pretty(report)
            .map_err(|e| Failure::writing(self.file(METRICS).display(), e.into()))?;
        atomic_write(self.file(METRICS), |w| writeln!(w, "{json}"))?;
        Ok(())
    }
}

fn is_temporary(name: &str) -> bool {
    name.starts_with(".lpvdn-") && name.ends_with(".tmp")
}

/// Clusters as CSV: row from 0, what it is called, cluster, its probability, all probabilities and the
/// true class if asked for.
pub(crate) struct LabelColumns<'a> {
    pub(crate) clusters: usize,
    pub(crate) all: bool,
    pub(crate) ids: Option<&'a RowNames>,
    pub(crate) truth: Option<&'a Labels>,
}

impl LabelColumns<'_> {
    pub(crate) fn write_header(&self, out: &mut (impl Write + ?Sized)) -> std::io::Result<()> {
        write!(out, "row{},cluster,confidence", if self.ids.is_some() { ",id" } else { "" })?;
        if self.all {
            (0..self.clusters).try_for_each(|k| write!(out, ",p{k}"))?;
        }
        writeln!(out, "{}", if self.truth.is_some() { ",label" } else { "" })
    }
}

/// The clusters of successive rows.
pub(crate) struct LabelRows<'a> {
    /// The number of the first of them.
    pub(crate) first: usize,
    pub(crate) labels: &'a [u32],
    pub(crate) probabilities: &'a Matrix<f32>,
}

impl LabelRows<'_> {
    pub(crate) fn write(
        &self,
        columns: &LabelColumns<'_>,
        out: &mut (impl Write + ?Sized),
    ) -> std::io::Result<()> {
        for (at, (label, row)) in self.labels.iter().zip(self.probabilities.iter_rows()).enumerate() {
            let i = self.first + at;
            write!(out, "{i}")?;
            if let Some(ids) = columns.ids {
                write!(out, ",{}", csv_cell(ids.get(i).unwrap_or_default()))?;
            }
            write!(out, ",{label},{:.6}", row[*label as usize])?;
            if columns.all {
                row.iter().try_for_each(|p| write!(out, ",{p:.6}"))?;
            }
            if let Some(truth) = columns.truth {
                write!(out, ",{}", csv_cell(&truth.names[truth.codes[i] as usize]))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

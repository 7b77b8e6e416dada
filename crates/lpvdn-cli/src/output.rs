//! The output folder of a fit.
//!
//! | file | what it holds |
//! |---|---|
//! | `labels` | the table of clusters |
//! | `swap` | how a new run takes the place of an old one |
//!
//! A run is made in the folder itself where nothing is lost by that, and else in a hidden folder in it. Names in the
//! folder are chosen by this program: symbolic links at them are replaced, never followed.

mod labels;
pub(crate) mod overwrite;
mod swap;

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use lpvdn::{Fitted, Model};
use lpvdn_core::Dataset;
use lpvdn_core::file::{can_write_in, is_temporary, remove_abandoned};
use lpvdn_data::{atomic_replace, write_npy_header, write_npy_values};

pub(crate) use labels::{LabelColumns, LabelRows};

use crate::commands::explore::PAGE;
use crate::config;
use crate::console::shell;
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
    /// Where the run that is under way has its files: the folder, or one in it while the folder holds another run.
    run: PathBuf,
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
        Folder { path: path.to_owned(), run: path.to_owned(), created: false, lock: None }
    }

    /// The folder of a run that is to be read. A process that was killed while it put a new run in the place of
    /// an old one has left that to us.
    pub(crate) fn to_read(path: &Path) -> Result<Folder, Failure> {
        swap::complete_for_reading(path)?;
        Ok(Folder::at(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the files of the run under way are.
    pub(crate) fn run(&self) -> &Path {
        &self.run
    }

    /// Whether the run under way is to replace another one, which is there until it is complete.
    pub(crate) fn is_staged(&self) -> bool {
        self.run != self.path
    }

    fn file(&self, name: &str) -> PathBuf {
        self.run.join(name)
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.file(CHECKPOINT)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.file(LOG)
    }

    /// Where a search keeps what it has finished.
    pub(crate) fn store(&self) -> PathBuf {
        self.file(STORE)
    }

    /// Looks, and changes nothing. The run is the one that was begun last.
    pub(crate) fn content(&self) -> Result<Content, Failure> {
        if self.file(RUN).exists() {
            return config::read(&self.file(RUN)).map(|s| Content::Run(Box::new(s)));
        }
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Content::Nothing),
            Err(e) if e.kind() == ErrorKind::NotADirectory => {
                let place = self.path.display();
                let why = "a file stands where a folder is needed; name another with --out";
                return Err(Failure::Failed(format!("{place}: {why}")));
            }
            Err(e) => return Err(Failure::Failed(format!("{}: cannot be used: {e}", self.path.display()))),
        };
        let foreign = |e: &fs::DirEntry| {
            let name = e.file_name();
            !is_temporary(&name) && name != swap::STAGE && name != swap::READY
        };
        let names = entries.flatten().filter(foreign).map(|e| e.file_name().to_string_lossy().into_owned());
        Ok(names.min().map_or(Content::Nothing, Content::Other))
    }

    /// Files that a model of its own right may stand in: not to be overwritten unasked.
    pub(crate) fn holds_results(&self) -> bool {
        RESULTS.iter().any(|name| self.path.join(name).exists())
    }

    /// What a finished run wrote last.
    pub(crate) fn finished(&self) -> Result<Option<Report>, Failure> {
        let path = self.file(METRICS);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Failure::reading(&path, e)),
        };
        let report = serde_json::from_str(&text)
            .map_err(|e| Failure::reading(&path, format!("{e}; start anew with --force")))?;
        Ok(Some(report))
    }

    /// Creates the folder and keeps other processes out of it. Where folders cannot be locked, there
    /// is no protection; what else may be wrong with it shows when it is used. What a process that was killed has
    /// left to do with a finished run is done.
    pub(crate) fn claim(&mut self) -> Result<(), Failure> {
        self.created = !self.path.exists() && fs::create_dir_all(&self.path).is_ok();
        if let Ok(folder) = File::open(&self.path) {
            if let Err(TryLockError::WouldBlock) = folder.try_lock() {
                let place = self.path.display();
                return Err(Failure::Failed(format!(
                    "{place}: another lpvdn is writing there; wait until it ends, or give another folder with --out"
                )));
            }
            self.lock = Some(folder);
            remove_abandoned(&self.path);
        }
        let stage = self.path.join(swap::STAGE);
        let completed = match swap::is_own_folder(&stage) && stage.join(METRICS).exists() {
            true => swap::complete(&self.path).and_then(|()| swap::replace(&self.path)),
            false => swap::complete(&self.path),
        };
        completed.map_err(|cause| swap::incomplete(&self.path, &cause))?;
        if swap::is_own_folder(&stage) && stage.join(RUN).exists() {
            self.run = stage;
        }
        Ok(())
    }

    /// Decides where a new run is made: not over results, nor over a state from which another run can go on.
    pub(crate) fn place_new(&mut self) {
        let there = Folder::at(&self.path);
        let valuable = [MODEL, LABELS, EMBEDDING, METRICS].iter().any(|name| there.file(name).exists());
        let staged = valuable || there.holds_state();
        self.run = if staged { self.path.join(swap::STAGE) } else { self.path.clone() };
    }

    /// Checks that files can be written, and removes what killed processes left.
    pub(crate) fn prepare(&self) -> Result<(), Failure> {
        let unusable = |e: io::Error| {
            let place = self.path.display();
            Failure::Failed(format!(
                "{place}: the output folder cannot be written: {e}; give another with --out"
            ))
        };
        fs::create_dir_all(&self.path).map_err(unusable)?;
        remove_abandoned(&self.run);
        can_write_in(&self.path).map_err(unusable)
    }

    /// Checks that the files of a run can have their names, and that none of them is the data.
    pub(crate) fn check_names(&self, data: &Path) -> Result<(), Failure> {
        let names = || RESULTS.iter().chain(&[RUN, PAGE, CHECKPOINT]);
        if names().any(|name| overwrite::is_same(&self.path.join(name), data)) {
            return Err(Failure::Failed(format!(
                "{}: the run would replace its own data, which has the name of one of its files; give another folder with --out",
                shell(data)
            )));
        }
        match names().map(|name| self.path.join(name)).find(|path| swap::is_own_folder(path)) {
            Some(path) => Err(Failure::Failed(format!(
                "{}: a folder stands where a file of the run is to be; remove it, or give another folder with --out",
                path.display()
            ))),
            None => Ok(()),
        }
    }

    /// Whether there is something from which the run can go on.
    pub(crate) fn holds_state(&self) -> bool {
        let search = self.store().exists() || !candidate_checkpoints(&self.run).is_empty();
        self.file(RUN).exists() && (self.checkpoint().exists() || search)
    }

    /// Removes what is only needed to go on.
    pub(crate) fn forget_state(&self) {
        forget_state(&self.run);
    }

    /// Makes room for a new run and stores its settings.
    pub(crate) fn begin(&self, settings: &Settings) -> Result<(), Failure> {
        let failed = |e: io::Error| Failure::writing(self.run.display(), e);
        swap::discard_stage(&self.path).map_err(failed)?;
        if self.is_staged() {
            swap::make_stage(&self.path).map_err(failed)?;
        } else {
            forget_state(&self.path);
            for name in [METRICS, MODEL, LABELS, EMBEDDING, PAGE] {
                swap::unless_missing(fs::remove_file(self.file(name))).map_err(failed)?;
            }
        }
        let text = config::to_toml(settings)?;
        let about = "# The settings of the run in this folder: `lpvdn fit --resume` reads them.\n";
        // First of all: it says whose the other files are.
        atomic_replace(self.file(RUN), |w| write!(w, "{about}{text}"))?;
        // A method without epochs has an empty log.
        atomic_replace(self.log(), |_| Ok(()))?;
        Ok(())
    }

    /// Makes sure that a run that goes on writes in its own folder.
    pub(crate) fn go_on(&self) -> Result<(), Failure> {
        let planted = |path: &PathBuf| path.is_symlink();
        for path in [STORE, LOG].map(|name| self.file(name)).iter().filter(|path| planted(path)) {
            fs::remove_file(path).map_err(|e| Failure::writing(path.display(), e))?;
        }
        Ok(())
    }

    /// Removes a run from which nothing can come, so that it is in nobody's way. An older run stays as it is.
    pub(crate) fn discard(&self) {
        if self.is_staged() {
            let _ = swap::discard_stage(&self.path);
            return;
        }
        forget_state(&self.path);
        for name in [LOG, RUN] {
            let _ = fs::remove_file(self.file(name));
        }
    }

    /// Removes the folder again if it is new and nothing came of the run.
    pub(crate) fn abandon(&self) {
        if self.created {
            // Only ever an empty one.
            let _ = fs::remove_dir(&self.path);
        }
    }

    /// Writes all results, the model first and the metrics last: they say that the run is finished.
    pub(crate) fn finish(
        &self,
        fitted: &Fitted<Model>,
        confidences: &[f32],
        data: &Dataset,
        report: &Report,
    ) -> Result<(), Failure> {
        self.write_results(fitted, confidences, data, report).map_err(|failure| match failure {
            Failure::Failed(sentence) => Failure::Failed(format!("{sentence}; {}", self.what_is_left())),
            other => other,
        })?;
        self.forget_state();
        Ok(())
    }

    fn write_results(
        &self,
        fitted: &Fitted<Model>,
        confidences: &[f32],
        data: &Dataset,
        report: &Report,
    ) -> Result<(), Failure> {
        save_model(&fitted.model, &self.file(MODEL))?;
        let columns = LabelColumns {
            clusters: fitted.clusters(),
            all: false,
            ids: data.ids.as_ref(),
            truth: data.labels.as_ref(),
        };
        let rows = LabelRows { first: 0, labels: &fitted.labels, confidences, probabilities: None };
        atomic_replace(self.file(LABELS), |w| {
            columns.write_header(w).and_then(|()| rows.write(&columns, w))
        })?;
        let codes = &fitted.embedding;
        atomic_replace(self.file(EMBEDDING), |w| {
            write_npy_header(w, codes.rows(), codes.cols())?;
            write_npy_values(w, codes.as_slice())
        })?;
        if !self.log().exists() {
            atomic_replace(self.log(), |_| Ok(()))?;
        }
        let json = serde_json::to_string_pretty(report)
            .map_err(|e| Failure::writing(self.file(METRICS).display(), e.into()))?;
        atomic_replace(self.file(METRICS), |w| writeln!(w, "{json}"))?;
        Ok(())
    }

    /// What is left of a run whose results could not be written, and what to do. One that left nothing is removed.
    fn what_is_left(&self) -> String {
        let (out, model) = (shell(&self.path), self.file(MODEL));
        let old = if self.is_staged() { "; the run that was there before is unchanged" } else { "" };
        if self.holds_state() {
            return format!(
                "the training is kept up to its last checkpoint: remedy this, then run lpvdn fit --resume --out {out}{old}"
            );
        }
        if model.exists() {
            return format!(
                "the model itself is written ({}), but no checkpoint: remedy this, then repeat the command, which \
                 trains again{old}",
                shell(&model)
            );
        }
        self.discard();
        format!(
            "no checkpoint was written either, so the training is lost: remedy this, then repeat the command{old}"
        )
    }

    /// Puts a complete run in the place of the old one, where there is one.
    pub(crate) fn replace_old(&mut self) -> Result<(), Failure> {
        if self.is_staged() {
            swap::replace(&self.path).map_err(|cause| swap::incomplete(&self.path, &cause))?;
            self.run = self.path.clone();
        }
        Ok(())
    }
}

/// Writes a model at a name that the program chose.
pub(crate) fn save_model(model: &Model, path: &Path) -> Result<(), Failure> {
    let bytes = model.to_bytes().map_err(|e| Failure::writing(path.display(), e))?;
    Ok(atomic_replace(path, |w| w.write_all(&bytes))?)
}

fn candidate_checkpoints(run: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(run).into_iter().flatten().flatten();
    // Nothing else: the folder may hold other files of the user.
    let of_candidate = |name: &str| {
        let number = name.strip_prefix(CANDIDATE).and_then(|n| n.strip_suffix(CHECKPOINT));
        let number = number.and_then(|n| n.strip_suffix('-')).unwrap_or("");
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    };
    entries.filter(|e| of_candidate(&e.file_name().to_string_lossy())).map(|e| e.path()).collect()
}

/// Removes what a run needs only to go on. What cannot be removed is in nobody's way.
fn forget_state(run: &Path) {
    let _ = fs::remove_file(run.join(CHECKPOINT));
    let _ = fs::remove_dir_all(run.join(STORE));
    candidate_checkpoints(run).iter().for_each(|path| drop(fs::remove_file(path)));
}

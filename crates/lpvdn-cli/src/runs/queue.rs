//! Makes the runs that are not recorded yet, from their checkpoints where there are any.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lpvdn::model::lpvdn::Quality;
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::train::store::{CLUSTERING, NUMERICS};
use lpvdn::{Event, FitControl, FitError, Fitted, Method, Model, RunStore, ValidEstimator};
use lpvdn_core::{Batch, Dataset, Level, Matrix, Summary};

use super::{RunRecord, Runs};
use crate::config;
use crate::console::{duration, plural, stderr_line};
use crate::failure::Failure;
use crate::interrupt::STOP;
use crate::methods;
use crate::metrics::{Circumstances, Report};
use crate::output::save_model;
use crate::progress::{Headline, Progress};
use crate::settings::Settings;

/// Below this many rows a fit does not keep several cores busy, and several fits run at once.
const FEW_ROWS: usize = 20_000;
/// What a fit of few rows takes, and how much more for each column: weights, gradients, moments and batches.
const FIT_BYTES: u64 = 60_000_000;
const COLUMN_BYTES: u64 = 20_000;
/// What all that run at once may take, where nothing else is said.
const ALL_FITS: u64 = 2_000_000_000;
/// Rows that clusters are compared by where no classes are known, at most.
const COMPARED_ROWS: usize = 5_000;

/// How many fits run at once: one a core where a fit cannot use more, as far as there is memory for them.
pub(crate) fn jobs(data: &Dataset, memory: Option<u64>) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if data.rows() >= FEW_ROWS {
        return 1;
    }
    let each = FIT_BYTES + COLUMN_BYTES * data.cols() as u64;
    let room = memory.unwrap_or(ALL_FITS) / each;
    cores.min(usize::try_from(room).unwrap_or(cores)).max(1)
}

/// A run that has to be there.
pub(crate) struct Wanted {
    /// What it is called on the screen.
    pub(crate) name: String,
    pub(crate) method: Method,
    pub(crate) seed: u64,
    /// What, beside the seed, its result depends on.
    pub(crate) key: String,
    params: ValidEstimator,
}

impl Wanted {
    /// Runs of one method with these seeds. A setting that the method does not have is left out.
    pub(crate) fn with_seeds(
        name: &str,
        method: Method,
        settings: &Settings,
        (data, facts): (&Dataset, &str),
        clusters: usize,
        seeds: &[u64],
    ) -> Result<Vec<Wanted>, Failure> {
        let own = own_settings(settings, method)?;
        let params = |seed| config::estimator(&Settings { seed: Some(seed), ..own.clone() }, clusters);
        // By what the settings come to, not by how they were given: defaults change, too.
        let key = RunRecord::key(&format!("{facts} {:?}", params(0)?));
        let one = |&seed: &u64| {
            let params = params(seed)?;
            config::check_size(&params, data)?;
            Ok(Wanted { name: name.to_owned(), method, seed, key: key.clone(), params })
        };
        seeds.iter().map(one).collect()
    }
}

/// All that a result depends on beside settings and seed: the data with its classes, and this program.
pub(crate) fn facts(data: &Dataset, clusters: usize) -> Result<String, Failure> {
    let summary = Summary::of(data.source.as_ref()).map_err(|e| Failure::Failed(e.to_string()))?;
    let labels = data.labels.as_ref().map(|labels| RunRecord::key(&format!("{labels:?}")));
    let (version, level) = (env!("CARGO_PKG_VERSION"), Level::current().name());
    Ok(format!(
        "{:016x} {labels:?} {clusters} {version} {NUMERICS} {CLUSTERING} {level}",
        summary.fingerprint
    ))
}

/// A setting goes to the methods that have it.
fn own_settings(settings: &Settings, method: Method) -> Result<Settings, Failure> {
    let gan = method == Method::ClusterGan;
    let by_chance = gan && methods::starts_by_chance(settings);
    let own = config::without_foreign(settings, |key| {
        methods::takes(method, key) && !(by_chance && methods::OF_GUIDANCE.contains(&key))
    })?;
    let (steps, convolutional) = (own.steps.filter(|_| gan), own.convolutional.filter(|_| gan));
    Ok(Settings { method: Some(method), steps, convolutional, ..own })
}

/// Runs on one data set, and where they are kept.
pub(crate) struct Queue<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) out: &'a Path,
    pub(crate) settings: &'a Settings,
    pub(crate) runs: &'a Mutex<Runs>,
    /// Whether models are kept, beside what is recorded of them.
    pub(crate) keep_models: bool,
    /// Whether clusters are judged after each fit.
    pub(crate) judges: bool,
    /// How many of the runs that are wanted are there.
    done: AtomicUsize,
}

impl<'a> Queue<'a> {
    pub(crate) fn new(
        data: &'a Dataset,
        out: &'a Path,
        settings: &'a Settings,
        runs: &'a Mutex<Runs>,
    ) -> Self {
        Queue { data, out, settings, runs, keep_models: false, judges: false, done: AtomicUsize::new(0) }
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the model of a run is kept.
    pub(crate) fn model(&self, wanted: &Wanted) -> PathBuf {
        let Wanted { method, seed, key, .. } = wanted;
        self.out.join("models").join(format!("{method}-{seed}-{key}.safetensors"))
    }

    fn is_there(&self, wanted: &Wanted) -> bool {
        let recorded = self.runs().find(wanted.method, &wanted.key, wanted.seed).is_some();
        recorded && (!self.keep_models || self.model(wanted).exists())
    }

    /// Makes the runs that are not recorded, `jobs` at a time. Their results do not depend on it. A run that
    /// fails does not keep the others from being made; gives what the failed ones said.
    pub(crate) fn work(&self, all: &[Wanted], jobs: usize) -> Result<Vec<String>, Failure> {
        let open: Vec<&Wanted> = all.iter().filter(|wanted| !self.is_there(wanted)).collect();
        let (done, jobs) = (all.len() - open.len(), jobs.clamp(1, open.len().max(1)));
        self.done.store(done, Ordering::Relaxed);
        if done > 0 && !self.settings.quiet {
            stderr_line(&format!("{done} of {} runs are recorded already", all.len()));
        }
        if !open.is_empty() && !self.settings.quiet {
            let at_once = if jobs > 1 { format!(", {jobs} at once") } else { String::new() };
            stderr_line(&format!("{} to make{at_once}", plural(open.len(), "run")));
        }
        let next = AtomicUsize::new(0);
        let failed: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let ended: Mutex<Option<Failure>> = Mutex::new(None);
        let worker = || {
            while let Some(wanted) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                match self.one(wanted, jobs, all.len()) {
                    Ok(Ok(())) => {}
                    Ok(Err(sentence)) => {
                        let sentence = format!("{}, seed {}: {sentence}", wanted.name, wanted.seed);
                        if !self.settings.quiet {
                            stderr_line(&format!("warning: {sentence}"));
                        }
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(sentence);
                    }
                    Err(other) => {
                        ended.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(other);
                        return;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs {
                scope.spawn(worker);
            }
            worker();
        });
        match ended.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => Ok(failed.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// One run, from its checkpoint if there is one that fits; or why it cannot be. What keeps all runs from being
    /// recorded, as a full disk, is a failure of the whole.
    fn one(&self, wanted: &Wanted, jobs: usize, of: usize) -> Result<Result<(), String>, Failure> {
        let Wanted { name, method, seed, key, .. } = wanted;
        let checkpoint = self.out.join(format!("{method}-{seed}-{key}.checkpoint"));
        let mut made = self.fit(wanted, jobs, &checkpoint);
        if matches!(made, Err(FitError::Checkpoint(_))) {
            let _ = std::fs::remove_file(&checkpoint);
            made = self.fit(wanted, jobs, &checkpoint);
        }
        let (fitted, run) = match made {
            Ok(made) => made,
            Err(FitError::Interrupted { .. }) => return Err(interrupted()),
            // Wrong for this data, whatever the command line says of others.
            Err(other) => return Ok(Err(other.to_string())),
        };
        let report = Report::new(&fitted, self.data, run)?;
        let among_rows =
            self.data.labels.is_none().then(|| quality_of_rows(self.data, &fitted)).transpose()?;
        let record = RunRecord { key: key.clone(), asked: *method, among_rows, metrics: report.metrics };
        let scores = record.scores();
        if self.keep_models {
            // The model before the record: what is recorded is there.
            let path = self.model(wanted);
            let folder = path.parent().unwrap_or(self.out);
            std::fs::create_dir_all(folder).map_err(|e| Failure::writing(folder.display(), e))?;
            save_model(&fitted.model, &path)?;
        }
        self.runs().add(record)?;
        let _ = std::fs::remove_file(checkpoint);
        let count = 1 + self.done.fetch_add(1, Ordering::Relaxed);
        if !self.settings.quiet {
            let seconds = duration(fitted.seconds);
            stderr_line(&format!("{name}, seed {seed}: {scores} after {seconds} ({count} of {of})"));
        }
        Ok(Ok(()))
    }

    fn fit(
        &self,
        wanted: &Wanted,
        jobs: usize,
        checkpoint: &Path,
    ) -> Result<(Fitted<Model>, Circumstances), FitError> {
        let mut policy = CheckpointPolicy::new(checkpoint);
        policy.resume = true;
        if let Some(every) = self.settings.checkpoint_every {
            (policy.every, policy.at_least_apart) = (every as usize, Duration::ZERO);
        }
        let mut progress = Progress::new(self.settings.quiet || jobs > 1, self.headline(wanted));
        let (mut threads, mut warnings) = (0, Vec::new());
        let mut observer = |event: &Event<'_>| {
            match event {
                Event::Planned(plan) => threads = plan.threads,
                Event::Warning(warning) => warnings.push((*warning).to_owned()),
                _ => {}
            }
            progress.show(event);
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let each = match self.settings.threads {
            Some(threads) if threads > 0 => usize::from(threads),
            _ => (cores / jobs).max(1),
        };
        let store = self.settings.store.clone().unwrap_or_else(|| self.out.join("store"));
        let mut control = FitControl {
            threads: each,
            observer: Some(&mut observer),
            stop: Some(&STOP),
            // All that run at once have it together.
            memory: Some(match self.settings.memory {
                Some(memory) => memory.bytes() / jobs as u64,
                None => self.settings.fit_memory(self.data),
            }),
            checkpoint: Some(policy),
            store: Some(RunStore::at(store)),
            evaluate_every: 0,
        };
        let mut fitted = wanted.params.fit(self.data, &mut control);
        if let (true, Ok(found)) = (self.judges, &mut fitted)
            // A run that is finished is recorded, with a verdict or without one.
            && let Err(error @ FitError::Interrupted { .. }) = found.judge(self.data, &mut control)
        {
            fitted = Err(error);
        }
        progress.end();
        Ok((
            fitted?,
            Circumstances { threads, warnings, out: self.out.to_owned(), choice: None, number: None },
        ))
    }

    fn headline(&self, wanted: &Wanted) -> Headline {
        Headline {
            data: self.data.name.clone(),
            classes: self.data.labels.as_ref().map(|l| l.names.len()),
            clusters_by_classes: self.settings.clusters.is_none(),
            method: wanted.method,
            settings: format!("{}, seed {}", wanted.name, wanted.seed),
            out: self.out.display().to_string(),
        }
    }
}

/// Ctrl-C was pressed.
pub(crate) fn interrupted() -> Failure {
    let sentence = "interrupted; the same command goes on where it was: what is finished is recorded";
    Failure::Interrupted(sentence.to_owned())
}

/// How well clusters are apart among the rows themselves: the codes of different methods cannot be compared,
/// for some methods sharpen the very space that they are measured in.
fn quality_of_rows(data: &Dataset, fitted: &Fitted<Model>) -> Result<Quality, Failure> {
    let every = data.rows().div_ceil(COMPARED_ROWS).max(1);
    let rows: Vec<u32> = (0..data.rows() as u32).step_by(every).collect();
    let batch = fitted.model.scaled_rows(data, &rows)?;
    let labels: Vec<u32> = rows.iter().map(|&row| fitted.labels[row as usize]).collect();
    let dense = match batch {
        Batch::Dense(rows) => rows,
        Batch::Sparse(rows) => {
            let mut dense = Matrix::zeros(0, rows.cols());
            rows.to_dense_into(&mut dense);
            dense
        }
    };
    Ok(Quality::of(&dense, &labels))
}

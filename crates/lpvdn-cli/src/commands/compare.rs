//! `lpvdn compare`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lpvdn::model::lpvdn::Quality;
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::train::store::NUMERICS;
use lpvdn::{Event, FitControl, FitError, Fitted, Method, Model, RunStore, ValidEstimator};
use lpvdn_core::{Batch, Dataset, Level, Matrix, Summary};
use lpvdn_data::Opened;

use crate::args::CompareArgs;
use crate::clusters::Clusters;
use crate::comparison::{Comparison, RunRecord};
use crate::config;
use crate::console::{self, duration, shell, stderr_line};
use crate::failure::Failure;
use crate::interrupt::{self, STOP};
use crate::methods;
use crate::metrics::{Circumstances, Report};
use crate::output::Folder;
use crate::progress::{Headline, Progress};
use crate::settings::Settings;

/// Below this many rows a fit does not keep several cores busy, and several fits run at once.
const FEW_ROWS: usize = 20_000;
/// Rows that clusters are compared by where no classes are known, at most.
const COMPARED_ROWS: usize = 5_000;

pub(crate) fn run(args: &CompareArgs) -> Result<(), Failure> {
    let settings = checked(&args.settings)?;
    let data_path = settings.data.clone().unwrap_or_else(|| PathBuf::from("digits"));
    let Opened { data, notes, .. } = lpvdn_data::read(&data_path, &settings.open_options())?;
    let clusters = clusters(settings, &data, &data_path)?;
    let out = settings.out.clone().unwrap_or_else(|| PathBuf::from("lpvdn-compare"));
    let methods = distinct(if args.methods.is_empty() { Method::ALL.to_vec() } else { args.methods.clone() });
    let seeds = distinct(args.seeds.clone().map_or_else(|| vec![1, 2, 3], |seeds| seeds.0));
    config::check_taken(settings, |key| methods.iter().any(|&method| methods::takes(method, key)))?;
    let facts = facts(&data, clusters)?;
    let mut all = Vec::new();
    for &method in &methods {
        let own = own_settings(settings, method)?;
        let key = RunRecord::key(&format!("{facts} {}", config::to_toml(&own)?));
        for &seed in &seeds {
            let params = config::estimator(&Settings { seed: Some(seed), ..own.clone() }, clusters)?;
            config::check_size(&params, &data)?;
            all.push(Wanted { method, seed, key: key.clone(), params });
        }
    }
    let quiet = settings.quiet;
    if !quiet {
        notes.iter().for_each(|note| stderr_line(&format!("note      {note}")));
    }
    // Held until the end: two comparisons in one folder would lose each other's runs.
    let mut folder = Folder::at(&out);
    folder.claim()?;
    let comparison = Comparison::open(&out, &data.name)?;
    let done = AtomicUsize::new(0);
    let queue = Queue { data: &data, out: &out, settings, comparison: Mutex::new(comparison), quiet, done };
    interrupt::listen(quiet)?;
    let failed = queue.work(&all, args.jobs.map_or_else(|| jobs(&data), usize::from))?;
    let comparison = queue.comparison.into_inner().unwrap_or_else(PoisonError::into_inner);
    let table = comparison.table(all.iter().map(|wanted| (wanted.method, wanted.key.as_str(), wanted.seed)));
    table.save(&out)?;
    if settings.json {
        let line = serde_json::to_string(&table).map_err(|e| Failure::writing("the table", e.into()))?;
        console::stdout(|w| writeln!(w, "{line}"))?;
    } else {
        console::stdout(|w| table.write(w))?;
    }
    if !quiet {
        stderr_line(&format!("the table is in {}: compare.md, compare.csv, compare.json", shell(&out)));
    }
    match &failed[..] {
        [] => Ok(()),
        [first, ..] => {
            let count = console::plural(failed.len(), "run");
            Err(Failure::Failed(format!("{count} failed and are not in the table; the first: {first}")))
        }
    }
}

/// Each once, in their order.
fn distinct<T: PartialEq>(items: Vec<T>) -> Vec<T> {
    let mut once: Vec<T> = Vec::new();
    for item in items {
        if !once.contains(&item) {
            once.push(item);
        }
    }
    once
}

/// All that a result depends on beside settings and seed: the data with its classes, and this program.
fn facts(data: &Dataset, clusters: usize) -> Result<String, Failure> {
    let summary = Summary::of(data.source.as_ref()).map_err(|e| Failure::Failed(e.to_string()))?;
    let labels = data.labels.as_ref().map(|labels| RunRecord::key(&format!("{labels:?}")));
    let (version, level) = (env!("CARGO_PKG_VERSION"), Level::current().name());
    Ok(format!("{:016x} {labels:?} {clusters} {version} {NUMERICS} {level}", summary.fingerprint))
}

/// Settings that mean something here.
fn checked(settings: &Settings) -> Result<&Settings, Failure> {
    let misplaced = match settings {
        Settings { method: Some(_), .. } => Some("--method is for fit; name methods with --methods"),
        Settings { seed: Some(_), .. } => Some("--seed is for fit; name seeds with --seeds"),
        Settings { evaluate_every: Some(_), .. } => Some("--evaluate-every is for fit; leave it out"),
        Settings { restarts: Some(_), .. } => Some("--restarts is for fit; --seeds compares several"),
        Settings { force: true, .. } | Settings { resume: true, .. } => {
            Some("a comparison always goes on where it was; name another folder with --out to start anew")
        }
        _ => None,
    };
    misplaced.map_or(Ok(settings), |sentence| Err(Failure::Usage(sentence.to_owned())))
}

fn clusters(settings: &Settings, data: &Dataset, path: &Path) -> Result<usize, Failure> {
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

/// A setting goes to the methods that have it.
fn own_settings(settings: &Settings, method: Method) -> Result<Settings, Failure> {
    let own = config::without_foreign(settings, |key| methods::takes(method, key))?;
    let gan = method == Method::ClusterGan;
    let (steps, convolutional) = (own.steps.filter(|_| gan), own.convolutional.filter(|_| gan));
    Ok(Settings { method: Some(method), steps, convolutional, ..own })
}

/// How many fits run at once: one a core where a fit cannot use more.
fn jobs(data: &Dataset) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if data.rows() < FEW_ROWS { cores } else { 1 }
}

/// A run that is part of the comparison.
struct Wanted {
    method: Method,
    seed: u64,
    /// What, beside the seed, its result depends on.
    key: String,
    params: ValidEstimator,
}

struct Queue<'a> {
    data: &'a Dataset,
    out: &'a Path,
    settings: &'a Settings,
    comparison: Mutex<Comparison>,
    quiet: bool,
    /// How many of the runs that are wanted are there.
    done: AtomicUsize,
}

impl Queue<'_> {
    fn comparison(&self) -> std::sync::MutexGuard<'_, Comparison> {
        self.comparison.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the runs that are not recorded, `jobs` at a time. Their results do not depend on it. A run that
    /// fails does not keep the others from being made; gives what the failed ones said.
    fn work(&self, all: &[Wanted], jobs: usize) -> Result<Vec<String>, Failure> {
        let open: Vec<&Wanted> = all
            .iter()
            .filter(|wanted| !self.comparison().has(wanted.method, &wanted.key, wanted.seed))
            .collect();
        let (done, jobs) = (all.len() - open.len(), jobs.clamp(1, open.len().max(1)));
        self.done.store(done, Ordering::Relaxed);
        if done > 0 && !self.quiet {
            stderr_line(&format!("{done} of {} runs are recorded already", all.len()));
        }
        let next = AtomicUsize::new(0);
        let failed: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let ended: Mutex<Option<Failure>> = Mutex::new(None);
        let worker = || {
            while let Some(wanted) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                match self.one(wanted, jobs, all.len()) {
                    Ok(()) => {}
                    Err(Failure::Failed(sentence)) => {
                        let sentence = format!("{}, seed {}: {sentence}", wanted.method, wanted.seed);
                        if !self.quiet {
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

    /// One run, from its checkpoint if there is one that fits.
    fn one(&self, wanted: &Wanted, jobs: usize, of: usize) -> Result<(), Failure> {
        let Wanted { method, seed, key, .. } = wanted;
        let checkpoint = self.out.join(format!("{method}-{seed}-{key}.checkpoint"));
        let mut made = self.fit(wanted, jobs, &checkpoint);
        if matches!(made, Err(FitError::Checkpoint(_))) {
            let _ = std::fs::remove_file(&checkpoint);
            made = self.fit(wanted, jobs, &checkpoint);
        }
        let (fitted, run) = made.map_err(explain)?;
        let report = Report::new(&fitted, self.data, run)?;
        let among_rows =
            self.data.labels.is_none().then(|| quality_of_rows(self.data, &fitted)).transpose()?;
        let record = RunRecord { key: key.clone(), asked: *method, among_rows, metrics: report.metrics };
        let scores = record.scores();
        self.comparison().add(record)?;
        let _ = std::fs::remove_file(checkpoint);
        let count = 1 + self.done.fetch_add(1, Ordering::Relaxed);
        if !self.quiet {
            let seconds = duration(fitted.seconds);
            stderr_line(&format!("{method}, seed {seed}: {scores} after {seconds} ({count} of {of})"));
        }
        Ok(())
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
        let mut progress = Progress::new(self.quiet || jobs > 1, self.headline(wanted));
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
            memory: self.settings.memory.map(|memory| memory.bytes() / jobs as u64),
            checkpoint: Some(policy),
            store: Some(RunStore::at(store)),
            evaluate_every: 0,
        };
        let fitted = wanted.params.fit(self.data, &mut control);
        progress.end();
        Ok((fitted?, Circumstances { threads, warnings, out: self.out.to_owned(), choice: None }))
    }

    fn headline(&self, wanted: &Wanted) -> Headline {
        Headline {
            data: self.data.name.clone(),
            classes: self.data.labels.as_ref().map(|l| l.names.len()),
            clusters_by_classes: self.settings.clusters.is_none(),
            settings: format!("{}, seed {}", wanted.method, wanted.seed),
            out: self.out.display().to_string(),
        }
    }
}

fn explain(error: FitError) -> Failure {
    match error {
        FitError::Interrupted { .. } => Failure::Interrupted(
            "interrupted; the same command goes on where it was: what is finished is recorded".to_owned(),
        ),
        // Wrong for this data, whatever the command line says of others.
        other => Failure::Failed(other.to_string()),
    }
}

/// How well clusters are apart among the rows themselves: the codes of different methods cannot be compared,
/// for some methods sharpen the very space that they are measured in.
fn quality_of_rows(data: &Dataset, fitted: &Fitted<Model>) -> Result<Quality, Failure> {
    let every = data.rows().div_ceil(COMPARED_ROWS).max(1);
    let rows: Vec<u32> = (0..data.rows() as u32).step_by(every).collect();
    let mut batch = Batch::for_source(data.source.as_ref());
    data.source.gather(&rows, &mut batch).map_err(|e| Failure::Failed(e.to_string()))?;
    fitted.preprocessor().apply(&mut batch);
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

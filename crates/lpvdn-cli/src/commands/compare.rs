//! `lpvdn compare`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lpvdn::train::control::CheckpointPolicy;
use lpvdn::{Event, FitControl, FitError, Method, RunStore, ValidEstimator};
use lpvdn_core::{Dataset, Summary};
use lpvdn_data::Opened;

use crate::args::CompareArgs;
use crate::clusters::Clusters;
use crate::comparison::{Comparison, RunRecord};
use crate::config;
use crate::console::{self, duration, shell, stderr_line};
use crate::failure::Failure;
use crate::interrupt::{self, STOP};
use crate::memory::Memory;
use crate::methods;
use crate::metrics::{Circumstances, Report};
use crate::progress::{Headline, Progress};
use crate::settings::Settings;

/// Below this many rows a fit does not keep several cores busy, and several fits run at once.
const FEW_ROWS: usize = 20_000;

pub(crate) fn run(args: &CompareArgs) -> Result<(), Failure> {
    let settings = checked(&args.settings)?;
    let data_path = settings.data.clone().unwrap_or_else(|| PathBuf::from("digits"));
    let Opened { data, notes, .. } = lpvdn_data::read(&data_path, &settings.open_options())?;
    let clusters = clusters(settings, &data, &data_path)?;
    let out = settings.out.clone().unwrap_or_else(|| PathBuf::from("lpvdn-compare"));
    let methods = if args.methods.is_empty() { Method::ALL.to_vec() } else { args.methods.clone() };
    let seeds = args.seeds.clone().map_or_else(|| vec![1, 2, 3], |seeds| seeds.0);
    let summary = Summary::of(data.source.as_ref()).map_err(|e| Failure::Failed(e.to_string()))?;
    let mut all = Vec::new();
    for &method in &methods {
        let own = own_settings(settings, method)?;
        let valid = |seed| config::estimator(&Settings { seed: Some(seed), ..own.clone() }, clusters);
        for &seed in &seeds {
            let key = format!("{:016x} {}", summary.fingerprint, config::to_toml(&own)?);
            all.push(Wanted { method, seed, key: RunRecord::key(&key), params: valid(seed)? });
        }
    }
    let quiet = settings.quiet;
    if !quiet {
        notes.iter().for_each(|note| stderr_line(&format!("note      {note}")));
    }
    let comparison = Comparison::open(&out, &data.name)?;
    let queue = Queue { data: &data, out: &out, settings, comparison: Mutex::new(comparison), quiet };
    interrupt::listen(quiet)?;
    queue.work(&all, args.jobs.map_or_else(|| jobs(&data), usize::from))?;
    let comparison = queue.comparison.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let table = comparison.table(all.iter().map(|wanted| (wanted.method, wanted.key.as_str())));
    table.save(&out)?;
    if settings.json {
        let line = serde_json::to_string(&table).map_err(|e| Failure::writing("the table", e.into()))?;
        return console::stdout(|w| writeln!(w, "{line}"));
    }
    console::stdout(|w| table.write(w))?;
    if !quiet {
        stderr_line(&format!("the table is in {}: compare.md, compare.csv, compare.json", shell(&out)));
    }
    Ok(())
}

/// Settings that mean something here.
fn checked(settings: &Settings) -> Result<&Settings, Failure> {
    let misplaced = match settings {
        Settings { method: Some(_), .. } => Some("--method is for fit; name methods with --methods"),
        Settings { seed: Some(_), .. } => Some("--seed is for fit; name seeds with --seeds"),
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
}

impl Queue<'_> {
    fn comparison(&self) -> std::sync::MutexGuard<'_, Comparison> {
        self.comparison.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Makes the runs that are not recorded, `jobs` at a time. Their results do not depend on it.
    fn work(&self, all: &[Wanted], jobs: usize) -> Result<(), Failure> {
        let open: Vec<&Wanted> = all
            .iter()
            .filter(|wanted| !self.comparison().has(wanted.method, &wanted.key, wanted.seed))
            .collect();
        let (done, jobs) = (all.len() - open.len(), jobs.clamp(1, open.len().max(1)));
        if done > 0 && !self.quiet {
            stderr_line(&format!("{done} of {} runs are recorded already", all.len()));
        }
        let next = AtomicUsize::new(0);
        let failure: Mutex<Option<Failure>> = Mutex::new(None);
        let worker = || {
            while let Some(wanted) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(failed) = self.one(wanted, jobs, all.len()) {
                    // The others need not go on for nothing.
                    STOP.store(true, Ordering::SeqCst);
                    let mut first = failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    first.get_or_insert(failed);
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs {
                scope.spawn(worker);
            }
            worker();
        });
        failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// One run, from its checkpoint if there is one.
    fn one(&self, wanted: &Wanted, jobs: usize, of: usize) -> Result<(), Failure> {
        let Wanted { method, seed, key, params } = wanted;
        let checkpoint = self.out.join(format!("{method}-{seed}-{key}.checkpoint"));
        let mut policy = CheckpointPolicy::new(&checkpoint);
        policy.resume = true;
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
        let mut control = FitControl {
            threads: each,
            observer: Some(&mut observer),
            stop: Some(&STOP),
            memory: self.settings.memory.map(Memory::bytes),
            checkpoint: Some(policy),
            store: Some(RunStore::at(self.settings.store.clone().unwrap_or_else(|| self.out.join("store")))),
            evaluate_every: 0,
        };
        let fitted = params.fit(self.data, &mut control).map_err(|e| self.explain(e))?;
        progress.end();
        let run = Circumstances { threads, warnings, out: self.out.to_owned(), choice: None };
        let report = Report::new(&fitted, self.data, run)?;
        let record = RunRecord { key: key.clone(), metrics: report.metrics };
        let mut comparison = self.comparison();
        comparison.add(record)?;
        let _ = std::fs::remove_file(checkpoint);
        if !self.quiet {
            let scores = comparison.last_scores();
            let (count, seconds) = (comparison.len(), duration(fitted.seconds));
            stderr_line(&format!("{method}, seed {seed}: {scores} after {seconds} ({count} of {of})"));
        }
        Ok(())
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

    fn explain(&self, error: FitError) -> Failure {
        match error {
            FitError::Interrupted { .. } => Failure::Interrupted(
                "interrupted; the same command goes on where it was: what is finished is recorded".to_owned(),
            ),
            other => other.into(),
        }
    }
}

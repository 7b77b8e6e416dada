//! Where the runs of experiments are made and kept. All experiments of a folder share them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lpvdn::{LpvdnParams, Method, Model, Recipe};
use lpvdn_core::Dataset;
use lpvdn_data::atomic_replace;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::paper;
use crate::args::ExperimentArgs;
use crate::clusters::Clusters;
use crate::commands::compare::{clusters, distinct};
use crate::config;
use crate::console::stderr_line;
use crate::failure::Failure;
use crate::interrupt::STOP;
use crate::memory::Memory;
use crate::methods;
use crate::output::Folder;
use crate::runs::{self, Queue, RunRecord, Runs, Wanted, facts};
use crate::settings::Settings;

/// Where it has to be quick, the usual training is divided by this.
const QUICK: usize = 3;
/// And ClusterGAN takes so many steps.
const QUICK_STEPS: usize = 2_000;

/// A method with settings, under a name.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) method: Method,
    settings: Settings,
}

impl Variant {
    /// A method as it is.
    pub(super) fn of(method: Method) -> Variant {
        Variant::new(method.title(), method, Settings::default())
    }

    /// A method with some settings.
    pub(super) fn new(name: impl Into<String>, method: Method, settings: Settings) -> Variant {
        Variant { name: name.into(), method, settings }
    }
}

/// A finished run.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) record: RunRecord,
    model: PathBuf,
}

impl Run {
    /// Its model.
    pub(super) fn model(&self) -> Result<Model, Failure> {
        Ok(Model::load(&self.model)?)
    }
}

/// A folder of runs.
pub(super) struct Laboratory<'a> {
    pub(super) args: &'a ExperimentArgs,
    out: PathBuf,
    runs: Mutex<Runs>,
    failed: Mutex<Vec<String>>,
    /// Held until the end: two experiments in one folder would lose each other's runs.
    #[allow(dead_code)] // It works by being there.
    folder: Folder,
}

impl<'a> Laboratory<'a> {
    pub(super) fn open(args: &'a ExperimentArgs, out: &Path) -> Result<Laboratory<'a>, Failure> {
        let mut folder = Folder::at(out);
        folder.claim()?;
        folder.prepare()?;
        let runs = Mutex::new(Runs::open(out)?);
        Ok(Laboratory { args, out: out.to_owned(), runs, failed: Mutex::default(), folder })
    }

    pub(super) fn out(&self) -> &Path {
        &self.out
    }

    /// The paper's set that these rows are, where they are clustered as the paper does.
    pub(super) fn paper_set(&self, data: &Dataset) -> Option<&'static str> {
        let classes = data.labels.as_ref().map(|labels| Clusters::Number(labels.names.len()));
        let usual = self.args.settings.clusters.is_none() || self.args.settings.clusters == classes;
        paper::set_of(data).filter(|_| usual)
    }

    /// What the runs said that failed.
    pub(super) fn failed(&self) -> Vec<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The command that repeats the experiment.
    pub(super) fn command(&self) -> String {
        let words = std::env::args_os().skip(1).map(|word| crate::console::shell(Path::new(&word)));
        ["lpvdn".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }

    /// The seeds that are asked for, one where it has to be quick, else `usual` of them.
    pub(super) fn seeds(&self, usual: u64) -> Vec<u64> {
        let own = || (1..=if self.args.quick { 1 } else { usual }).collect();
        distinct(self.args.seeds.clone().map_or_else(own, |seeds| seeds.0))
    }

    /// Those of the experiment's methods that are asked for.
    pub(super) fn methods(&self, of: &[Method]) -> Result<Vec<Method>, Failure> {
        let asked = &self.args.methods;
        if let Some(other) = asked.iter().find(|method| !of.contains(method)) {
            let names: Vec<String> = of.iter().map(Method::to_string).collect();
            let (experiment, names) = (self.args.name.as_str(), names.join(", "));
            return Err(Failure::Usage(format!(
                "{other} has no part in {experiment}, which compares {names}"
            )));
        }
        Ok(of.iter().copied().filter(|method| asked.is_empty() || asked.contains(method)).collect())
    }

    /// The finished runs of each variant, made where they are not recorded, and kept with their models for other
    /// experiments. One that failed is not among them.
    pub(super) fn fit(
        &self,
        data: &Dataset,
        variants: &[Variant],
        seeds: &[u64],
    ) -> Result<Vec<Vec<Run>>, Failure> {
        let settings = &self.args.settings;
        let clusters = clusters(settings, data, Path::new(&data.name))?;
        let facts = facts(data, clusters)?;
        config::check_taken(settings, |key| variants.iter().any(|v| methods::takes(v.method, key)))?;
        if settings.steps.or(settings.convolutional.map(|_| 0)).is_some()
            && !variants.iter().any(|variant| variant.method == Method::ClusterGan)
        {
            let problem = "--steps and --convolutional are for clustergan, which is not in this experiment";
            return Err(Failure::Usage(format!("{problem}; leave them out")));
        }
        let base = self.base(data, clusters)?;
        let mut wanted = Vec::new();
        for Variant { name, method, settings: own } in variants {
            if let Some(key) = config::contested(settings, own)? {
                let experiment = self.args.name.as_str();
                let problem = format!("{experiment} tries values of {key} of its own; leave it out");
                return Err(Failure::Usage(problem));
            }
            let own = config::overlay(&base, own)?;
            wanted.extend(Wanted::with_seeds(name, *method, &own, (data, &facts), clusters, seeds)?);
        }
        let mut queue = Queue::new(data, &self.out, settings, &self.runs);
        queue.keep_models = true;
        let jobs =
            self.args.jobs.map_or_else(|| runs::jobs(data, settings.memory.map(Memory::bytes)), usize::from);
        let failed = queue.work(&wanted, jobs)?;
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).extend(failed);
        let recorded = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let found = |wanted: &Wanted| {
            let record = recorded.find(wanted.method, &wanted.key, wanted.seed)?.clone();
            Some(Run { record, model: queue.model(wanted) })
        };
        Ok(wanted.chunks(seeds.len().max(1)).map(|runs| runs.iter().filter_map(found).collect()).collect())
    }

    /// What is asked for on the command line, and a third of the usual training where it has to be quick.
    fn base(&self, data: &Dataset, clusters: usize) -> Result<Settings, Failure> {
        let settings = &self.args.settings;
        if !self.args.quick {
            return Ok(settings.clone());
        }
        let usual = LpvdnParams::of_recipe(settings.recipe.unwrap_or(Recipe::Robust), clusters).check();
        let usual = usual.map_err(|e| Failure::Usage(e.to_string()))?.budget(data.rows());
        let quick = Settings {
            pretrain_epochs: Some(usual.pretrain_epochs.div_ceil(QUICK)),
            epochs: Some(usual.epochs.div_ceil(QUICK)),
            steps: Some(QUICK_STEPS),
            ..Settings::default()
        };
        config::overlay(&quick, settings)
    }

    /// What `measure` finds out about a run, once: it is kept beside the run.
    pub(super) fn measured<T: Serialize + DeserializeOwned>(
        &self,
        what: &str,
        run: &Run,
        whole: impl Fn(&T) -> bool,
        measure: impl FnOnce(&Model) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let RunRecord { asked, key, metrics, .. } = &run.record;
        let name = format!("{asked}-{}-{key}", metrics.seed);
        self.kept(what, &name, whole, || measure(&run.model()?))
    }

    /// What `measure` finds out about the thing of this name, once. The number in `what` is raised with every
    /// change of how it is measured; what is not `whole` is measured again.
    pub(super) fn kept<T: Serialize + DeserializeOwned>(
        &self,
        what: &str,
        name: &str,
        whole: impl Fn(&T) -> bool,
        measure: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let folder = self.out.join("measured");
        let path = folder.join(format!("{what}-{name}.json"));
        let known = fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
        if let Some(known) = known.filter(whole) {
            return Ok(known);
        }
        self.check_stop()?;
        if !self.args.settings.quiet {
            stderr_line(&format!("measuring {what} of {name}"));
        }
        let found = measure()?;
        fs::create_dir_all(&folder).map_err(|e| Failure::writing(folder.display(), e))?;
        atomic_replace(&path, |w| Ok(serde_json::to_writer(w, &found)?))?;
        Ok(found)
    }

    /// Whether Ctrl-C was pressed outside of a fit.
    pub(super) fn check_stop(&self) -> Result<(), Failure> {
        if STOP.load(std::sync::atomic::Ordering::SeqCst) {
            return Err(runs::interrupted());
        }
        Ok(())
    }
}

/// The records of runs.
pub(super) fn records(runs: &[Run]) -> impl Iterator<Item = &RunRecord> {
    runs.iter().map(|run| &run.record)
}

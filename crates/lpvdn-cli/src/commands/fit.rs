//! `lpvdn fit`

mod ending;
mod start;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use lpvdn::model::graph::GraphParams;
use lpvdn::model::lpvdn::{Choice, Found, Search};
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::verdict::NumberChoice;
use lpvdn::{Event, FitControl, FitError, Fitted, Method, Model, Plan, RunStore, ValidEstimator};
use lpvdn_core::Dataset;
use lpvdn_data::reading::{Content as ColumnContent, TableColumn};
use lpvdn_data::{Filled, Opened, Reading};

use ending::{discard_if, give_up, goes_on_with, without_page};
use start::{Start, holds_another, show_finished, start};

use super::explore;
use super::subject::Subject;
use crate::advice;
use crate::args::FitArgs;
use crate::clusters::Clusters;
use crate::config;
use crate::console::{plural, shell, stderr_line};
use crate::failure::Failure;
use crate::interrupt::{self, STOP};
use crate::log::Log;
use crate::map;
use crate::metrics::{Circumstances, Report, next_command};
use crate::output::Folder;
use crate::progress::{Headline, Progress};
use crate::readings;
use crate::settings::{Settings, VerdictChoice};

pub(crate) fn run(args: FitArgs) -> Result<(), Failure> {
    let given = match &args.config {
        Some(path) => config::overlay(&config::read(path)?, &args.settings)?,
        None => args.settings,
    };
    let given = config::with_effort(given)?;
    let mut folder = Folder::at(given.out.as_deref().unwrap_or(Path::new("lpvdn-out")));
    let shown = Shown { page: args.explore, axes: args.map };
    let outcome = fit_into(&mut folder, &given, shown);
    if outcome.is_err() {
        folder.abandon();
    }
    outcome
}

/// What is wanted to look at the clusters.
#[derive(Clone, Copy, Debug)]
struct Shown {
    page: bool,
    /// Of the map.
    axes: Option<u8>,
}

fn fit_into(folder: &mut Folder, given: &Settings, shown: Shown) -> Result<(), Failure> {
    // A slip in its name is told before what the folder holds.
    if let Some(data) = given.data.as_deref().filter(|data| is_nowhere(data)) {
        lpvdn_data::read(data, &given.open_options())?;
    }
    // And a slip in an option; what is resumed has its settings in the folder.
    if !given.resume {
        config::estimator(given, known_number(given).unwrap_or(1))?;
    }
    // Before anything is decided by what the folder holds.
    folder.claim()?;
    let (settings, same_as) = match start(folder, given)? {
        Start::Finished(report, settings) => return show_finished(*report, folder, &settings, shown),
        Start::Run(settings) => (*settings, None),
        Start::Again(settings, stored) => (*settings, Some(stored)),
    };
    // Before the data, which may take long to read.
    config::estimator(&settings, known_number(&settings).unwrap_or(1))?;
    folder.check_names(&data_path(&settings))?;
    let run = Run::new(settings, folder, shown)?;
    if same_as.is_some_and(|stored| !run.is_what(given, &stored)) {
        return Err(holds_another(folder));
    }
    if !run.goes_on {
        folder.place_new();
    }
    folder.prepare()?;
    run.fit(folder)
}

/// Neither a path nor a name of something.
fn is_nowhere(data: &Path) -> bool {
    let named = lpvdn_data::BUILT_IN.iter().chain(&["-"]).any(|name| data.as_os_str() == *name);
    !named && !data.exists() && lpvdn_data::known::meant(data).is_none()
}

/// The number of clusters, where it is given as one.
fn known_number(settings: &Settings) -> Option<usize> {
    match settings.clusters {
        Some(Clusters::Number(n)) => Some(n),
        _ => None,
    }
}

fn data_path(settings: &Settings) -> PathBuf {
    settings.data.clone().unwrap_or_else(|| PathBuf::from("digits"))
}

/// The number of clusters that is given, the largest that is to be tried, or that of the classes.
fn most_clusters(settings: &Settings, data: &Dataset) -> Option<usize> {
    let range = settings.clusters.and_then(|clusters| clusters.range(data.rows()));
    let classes = data.labels.as_ref().map(|l| l.names.len());
    known_number(settings).or(range.map(|range| *range.end())).or(classes)
}

/// Everything about a run, checked.
struct Run {
    settings: Settings,
    /// What is stored beside the run.
    stored: Settings,
    params: ValidEstimator,
    data_path: PathBuf,
    data: Dataset,
    reading: Option<Reading>,
    notes: Vec<String>,
    clusters_by_classes: bool,
    search: Option<Search>,
    /// The numbers of clusters to choose from before the fit, of methods that are not searched.
    numbers: Option<RangeInclusive<usize>>,
    /// Whether there is something to go on from.
    goes_on: bool,
    shown: Shown,
    /// The beginnings of documents, for the page.
    texts: Option<Vec<String>>,
}

impl Run {
    fn new(settings: Settings, folder: &Folder, shown: Shown) -> Result<Run, Failure> {
        let data_path = data_path(&settings);
        let mut options = settings.open_options();
        options.snippets = shown.page.then_some(explore::SNIPPET);
        let Opened { data, reading, notes, missing, texts, .. } = lpvdn_data::read(&data_path, &options)?;
        let range = settings.clusters.and_then(|clusters| clusters.range(data.rows()));
        let Some(clusters) = most_clusters(&settings, &data) else {
            return Err(Failure::Usage(format!(
                "{}: the number of clusters is not known: give it with --clusters, have it chosen with --clusters auto, or name the column of the classes with --label-column",
                data_path.display()
            )));
        };
        let params = config::estimator(&settings, clusters)?;
        config::check_size(&params, &data)?;
        let stored = config::to_store(&settings, &params)?;
        let clusters_by_classes = settings.clusters.is_none();
        let restarts = settings.restarts.unwrap_or(1);
        let search = Search { restarts, clusters: range };
        search.check().map_err(|e| Failure::Usage(e.to_string()))?;
        let is_searched = matches!(params, ValidEstimator::Lpvdn(_));
        let numbers = search.clusters.clone().filter(|_| !is_searched);
        let search = Search { clusters: search.clusters.filter(|_| is_searched), ..search };
        let search = (restarts != 1 || search.clusters.is_some()).then_some(search);
        let goes_on = settings.resume && folder.holds_state();
        Ok(Run {
            settings,
            stored,
            params,
            data_path,
            data,
            reading,
            notes: advice::notes(&notes).into_iter().chain(Filled::line(&missing)).collect(),
            clusters_by_classes,
            search,
            numbers,
            goes_on,
            shown,
            texts,
        })
    }

    /// Whether these settings alone, on the same rows, are the run that is stored.
    fn is_what(&self, given: &Settings, stored: &Settings) -> bool {
        let alone = most_clusters(given, &self.data)
            .and_then(|clusters| config::estimator(given, clusters).ok())
            .and_then(|params| config::to_store(given, &params).ok());
        alone.is_some_and(|alone| config::is_same_run(stored, &alone))
    }

    fn headline(&self, folder: &Folder) -> Headline {
        let recipe = format!("{:?}", self.settings.recipe.unwrap_or_default()).to_lowercase();
        let (method, seed) = (self.settings.method.unwrap_or_default(), self.settings.seed.unwrap_or(0));
        let how = match &self.params {
            ValidEstimator::KMeans(_) | ValidEstimator::Graph(_) => format!("{method}, seed {seed}"),
            ValidEstimator::Lpvdn(params) if method == Method::Lpvdn => {
                format!("{recipe} recipe, seed {}", params.get().seed)
            }
            _ => format!("{method}, {recipe} recipe, seed {seed}"),
        };
        Headline {
            data: self.data.name.clone(),
            classes: self.data.labels.as_ref().map(|l| l.names.len()),
            clusters_by_classes: self.clusters_by_classes,
            method,
            settings: how,
            out: folder.path().display().to_string(),
        }
    }

    fn fit(&self, folder: &mut Folder) -> Result<(), Failure> {
        let (quiet, json) = (self.settings.quiet, self.settings.json);
        let mut session = Session {
            run: self,
            folder,
            progress: Progress::new(quiet, self.headline(folder)),
            log: Log::new(folder.log()),
            told: Vec::new(),
            threads: 0,
            begun: false,
            failure: None,
        };
        session.announce();
        interrupt::listen(quiet)?;
        let outcome = self.train(&mut session);
        session.progress.end();
        let Session { log, told, threads, begun, failure, .. } = session;
        if let Some(failure) = failure {
            discard_if(begun, folder);
            return Err(failure);
        }
        let Outcome { mut fitted, choice, number } =
            outcome.map_err(|e| give_up(e, folder, begun, self.goes_on))?;
        if let Some(reading) = &self.reading {
            let words = serde_json::to_value(reading);
            fitted.model.set_reading(words.map_err(|e| Failure::writing("the model", e.into()))?);
        }
        if self.shown.page || self.shown.axes.is_some() {
            map::draw(&mut fitted.model, &self.data, self.shown.axes.unwrap_or(map::AXES), quiet)
                .map_err(|failure| goes_on_with(failure, folder, self.shown))?;
        }
        let confidences = fitted.confidences_of(&fitted.embedding, &fitted.labels);
        let out = folder.path().to_owned();
        let run = Circumstances { threads, warnings: log.warnings, out, choice, number };
        let report = Report::new(&fitted, &self.data, run)?;
        folder.finish(&fitted, &confidences, &self.data, &report)?;
        // With the results in one step; without it, they are whole all the same.
        let page = self.shown.page.then(|| self.page(fitted.model, folder));
        folder.replace_old()?;
        let next = next_command(folder.path(), &self.data_path, &self.settings);
        report.print(quiet, json, &next, &told)?;
        match page {
            Some(Err(failure)) => Err(without_page(failure, folder)),
            Some(Ok(())) if !quiet => {
                let page = folder.path().join(explore::PAGE);
                stderr_line(&format!("page      open {} in a browser", shell(&page)));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Writes the page.
    fn page(&self, model: Model, folder: &Folder) -> Result<(), Failure> {
        let subject = Subject {
            model,
            data: self.data.clone(),
            texts: self.texts.clone(),
            folder: Some(folder.run().to_owned()),
            fitted: true,
            notes: self.notes.clone(),
        };
        explore::write_for(subject, folder.run(), folder.path())
    }

    fn train(&self, session: &mut Session<'_>) -> Result<Outcome, FitError> {
        let mut policy = CheckpointPolicy::new(session.folder.checkpoint());
        policy.resume = self.goes_on;
        if let Some(every) = self.settings.checkpoint_every {
            policy.every = every as usize;
            policy.at_least_apart = Duration::ZERO;
        }
        let store = self.store(session.folder);
        let mut observer = |event: &Event<'_>| session.observe(event);
        let mut control = FitControl {
            threads: self.settings.threads.unwrap_or(0).into(),
            observer: Some(&mut observer),
            stop: Some(&STOP),
            memory: Some(self.settings.fit_memory(&self.data)),
            checkpoint: Some(policy),
            store: store.map(RunStore::at),
            evaluate_every: self.settings.evaluate_every.unwrap_or(0),
        };
        let number = self.number(&mut control)?;
        let chosen = number.as_ref().map(|number| self.with_clusters(number.clusters)).transpose()?;
        let (mut fitted, choice) = match (&self.search, chosen.as_ref().unwrap_or(&self.params)) {
            (Some(search), ValidEstimator::Lpvdn(params)) => params
                .search(&self.data, search, &mut control)
                .map(|Found { fitted, choice }| (fitted.into_any(), Some(choice))),
            (_, params) => params.fit(&self.data, &mut control).map(|fitted| (fitted, None)),
        }?;
        if self.settings.verdict != Some(VerdictChoice::None) {
            judge(&mut fitted, &self.data, &mut control)?;
        }
        Ok(Outcome { fitted, choice, number })
    }

    /// The number of clusters, where one is to be chosen before the fit.
    fn number(&self, control: &mut FitControl<'_>) -> Result<Option<NumberChoice>, FitError> {
        let Some(range) = self.numbers.clone() else { return Ok(None) };
        let usual = GraphParams::of_recipe(self.settings.recipe.unwrap_or_default(), *range.end());
        let params = GraphParams {
            seed: self.settings.seed.unwrap_or(0),
            scale: self.settings.scale.unwrap_or(usual.scale),
            components: self.settings.components,
            ..usual
        };
        NumberChoice::choose(&self.data, range, &params, control).map(Some)
    }

    /// The parameters of the method with so many clusters.
    fn with_clusters(&self, clusters: usize) -> Result<ValidEstimator, FitError> {
        config::estimator(&self.settings, clusters)
            .map_err(|failure| FitError::Clustering(failure.into_sentence()))
    }

    /// A search that is stopped keeps its finished candidates, wherever the user keeps trainings or not.
    fn store(&self, folder: &Folder) -> Option<PathBuf> {
        self.settings.store.clone().or_else(|| self.search.is_some().then(|| folder.store()))
    }
}

/// Judges the clusters. A training that is complete is not thrown away where somebody does not want to wait for this.
fn judge(fitted: &mut Fitted<Model>, data: &Dataset, control: &mut FitControl<'_>) -> Result<(), FitError> {
    match fitted.judge(data, control) {
        Err(FitError::Interrupted { .. }) => {
            let why = "interrupted while the clusters were judged: they are complete, without a verdict; --force fits them anew with one";
            if let Some(observer) = &mut control.observer {
                observer(&Event::Warning(why));
            }
            fitted.warnings.push(why.to_owned());
            Ok(())
        }
        Err(error) => {
            let why = format!("there is no verdict on the clusters: {error}");
            if let Some(observer) = &mut control.observer {
                observer(&Event::Warning(&why));
            }
            fitted.warnings.push(why);
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// What came of a fit.
struct Outcome {
    fitted: Fitted<Model>,
    choice: Option<Choice>,
    number: Option<NumberChoice>,
}

/// A run while it happens.
struct Session<'a> {
    run: &'a Run,
    folder: &'a Folder,
    progress: Progress,
    log: Log,
    /// Warnings that are on the screen.
    told: Vec<String>,
    threads: usize,
    /// Whether the folder has been touched for a new run.
    begun: bool,
    failure: Option<Failure>,
}

impl Session<'_> {
    /// What the plan does not say.
    fn announce(&self) {
        let settings = &self.run.settings;
        self.run.notes.iter().for_each(|note| self.progress.line(&format!("note      {note}")));
        words_in(self.run.reading.as_ref()).iter().for_each(|line| self.progress.line(line));
        let pictures = readings::line(self.run.reading.as_ref(), self.run.data.rows());
        pictures.iter().for_each(|(what, line)| self.progress.line(&format!("{what:<9} {line}")));
        if settings.resume && !self.run.goes_on {
            let out = shell(self.folder.path());
            self.progress
                .line(&format!("there is no checkpoint in {out}, so the run starts from the beginning"));
        }
        if settings.evaluate_every.is_some_and(|n| n > 0) && self.run.data.labels.is_none() {
            self.progress
                .line("warning: --evaluate-every needs labels, and there are none; nothing is scored");
        }
    }

    fn observe(&mut self, event: &Event<'_>) {
        // Only now is the data known to be good: nothing is replaced for data that is not.
        match event {
            Event::Searching(search) => self.begin(&search.plan),
            Event::Planned(plan) if self.run.search.is_none() => self.begin(plan),
            _ => {}
        }
        if self.failure.is_none() {
            self.record(event);
        }
        if let Event::Warning(message) = event {
            self.told.push((*message).to_owned());
        }
        self.progress.show(event);
    }

    fn begin(&mut self, plan: &Plan) {
        self.threads = plan.threads;
        let made = match self.run.goes_on {
            true => self.folder.go_on(),
            false => self.folder.begin(&self.run.stored),
        };
        if self.folder.is_staged() {
            let (out, run) = (shell(self.folder.path()), shell(self.folder.run()));
            self.progress.line(&format!(
                "note      the run in {out} stays until this one is finished; until then, its files are in {run}"
            ));
        }
        self.begun = !self.run.goes_on;
        if let Err(failure) = made {
            self.failure = Some(failure);
            STOP.store(true, Ordering::SeqCst);
        }
    }

    /// A log that cannot be written is a pity, but not worth losing the model for.
    fn record(&mut self, event: &Event<'_>) {
        if let Err(e) = self.log.record(event) {
            let path = self.log.path().display();
            let message = format!("{path}: cannot be written: {e}; the run goes on without a log");
            self.progress.line(&format!("warning: {message}"));
            self.told.push(message.clone());
            self.log.warnings.push(message);
        }
    }
}

/// Columns of words are not what everybody expects: they are told.
fn words_in(reading: Option<&Reading>) -> Vec<String> {
    let Some(table) = reading.and_then(Reading::table) else { return Vec::new() };
    let line = |column: &TableColumn| match &column.content {
        ColumnContent::Words { words, other, .. } => {
            let name = column.name.clone().unwrap_or_else(|| column.place.to_string());
            let words = plural(words.len(), "word");
            let others = other.as_ref().map_or("", |_| " and others");
            Some(format!(
                "words     column {name} has {words}{others}, one-hot encoded (--ignore leaves it out, --label-column makes them classes)"
            ))
        }
        _ => None,
    };
    table.columns.iter().filter_map(line).collect()
}

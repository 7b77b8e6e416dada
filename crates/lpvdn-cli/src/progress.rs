//! A fit on the screen: a bar on a terminal, plain lines elsewhere, nothing when quiet.

use std::collections::{BTreeMap, HashSet};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lpvdn::model::graph::Partitions;
use lpvdn::model::lpvdn::hyperparams::Budget;
use lpvdn::model::lpvdn::{Candidate, Choice, CurvePoint, Quality, SearchPlan};
use lpvdn::verdict::{NumberChoice, NumberPoint};
use lpvdn::{EpochReport, Evaluation, Event, Method, Phase, Plan};
use lpvdn_core::view::Unknown;

use crate::console::{bytes, duration, grouped, plural, stderr_line};
use crate::metrics::{show_sizes, term_name};

/// Plain lines come at least so far apart, first and last epochs of a phase aside.
const LINES_APART: Duration = Duration::from_secs(5);

/// What the plan does not know about the run.
#[derive(Debug)]
pub(crate) struct Headline {
    pub(crate) data: String,
    /// How many classes are known.
    pub(crate) classes: Option<usize>,
    /// Why there are so many clusters, if nobody said.
    pub(crate) clusters_by_classes: bool,
    pub(crate) method: Method,
    pub(crate) settings: String,
    pub(crate) out: String,
}

/// The screen.
#[derive(Debug)]
pub(crate) struct Progress {
    screen: Screen,
    headline: Headline,
    /// The candidate that is being trained, and how many there are.
    candidate: Option<(usize, usize)>,
    /// Whether the headline has been shown.
    shown: bool,
    /// What candidates have been warned of: each says it again.
    warned: HashSet<String>,
}

#[derive(Debug)]
enum Screen {
    Silent,
    Lines { last: Option<Instant> },
    Bar { bar: ProgressBar },
}

impl Progress {
    pub(crate) fn new(quiet: bool, headline: Headline) -> Progress {
        let screen = if quiet {
            Screen::Silent
        } else if stderr().is_terminal() {
            Screen::Bar { bar: ProgressBar::hidden() }
        } else {
            Screen::Lines { last: None }
        };
        Progress { screen, headline, candidate: None, shown: false, warned: HashSet::new() }
    }

    /// A line above the bar, if there is one.
    pub(crate) fn line(&self, line: &str) {
        match &self.screen {
            Screen::Silent => {}
            Screen::Bar { bar } if !bar.is_hidden() => bar.suspend(|| stderr_line(line)),
            Screen::Bar { .. } | Screen::Lines { .. } => stderr_line(line),
        }
    }

    /// Shows what happened.
    pub(crate) fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::Searching(search) => self.search(search),
            Event::Trying {
                event:
                    Event::Planned(_)
                    | Event::Viewed { .. }
                    | Event::Initial { .. }
                    | Event::Resumed { .. }
                    | Event::Working(_),
                ..
            } => {}
            Event::Trying { number, of, event: Event::Warning(message) } => {
                if self.warned.insert((*message).to_owned()) {
                    self.line(&format!("candidate {number}/{of}: warning: {message}"));
                }
            }
            Event::Trying { number, of, event } => {
                self.candidate = Some((*number, *of));
                self.show(event);
                self.candidate = None;
            }
            Event::Tried(candidate) => {
                self.end();
                self.line(&candidate_line(candidate));
            }
            Event::Chosen(choice) => choice_lines(choice).iter().for_each(|line| self.line(line)),
            Event::NumberChosen(choice) => number_lines(choice).iter().for_each(|line| self.line(line)),
            Event::Planned(plan) if self.shown => self.training(&plan.budget, ""),
            Event::Planned(plan) => self.plan(plan),
            Event::Viewed { view, unknown } => {
                view.lines().into_iter().chain(Unknown::line(unknown)).for_each(|line| self.line(&line));
            }
            Event::Resumed { phase, epoch, step } => {
                let steps = if *step > 0 { format!(" and {}", plural(*step, "step")) } else { String::new() };
                self.line(&format!("resumed   {} after {}{steps}", phase.name(), plural(*epoch, "epoch")));
            }
            Event::Found { phase, seconds, .. } => {
                let what = if *phase == Phase::Pretrain { "pre-training" } else { "training" };
                let saved = duration(*seconds);
                self.line(&format!("found     the same {what} in the store, which saves {saved}"));
            }
            Event::Phase { phase, epochs, steps } => self.phase(*phase, epochs * steps),
            Event::Step { done, .. } => {
                if let Screen::Bar { bar } = &self.screen {
                    bar.set_position(*done as u64);
                }
            }
            Event::Epoch(report) => self.epoch(report),
            Event::Evaluated(evaluation) => self.line(&evaluation_line(evaluation)),
            Event::Initial { partitions, seconds } => self.line(&initial_line(partitions, *seconds)),
            Event::Working(what) => {
                self.end();
                self.line(&format!("{what} …"));
            }
            Event::Warning(message) => self.line(&format!("warning: {message}")),
            Event::Checkpoint => {}
        }
    }

    /// Leaves the bar as it is; what follows stands below it.
    pub(crate) fn end(&mut self) {
        if let Screen::Bar { bar } = &mut self.screen {
            bar.abandon();
            *bar = ProgressBar::hidden();
        }
    }

    fn plan(&mut self, plan: &Plan) {
        let why = if self.headline.clusters_by_classes {
            ", as many as there are classes (-k asks for others)"
        } else {
            ""
        };
        self.data(plan, &format!("{}{why}", grouped(plan.clusters)));
        self.training(&plan.budget, "");
        self.expected(plan);
    }

    fn search(&mut self, search: &SearchPlan) {
        let clusters = match &search.clusters {
            Some(range) => format!("to be chosen from {} to {}", range.start(), range.end()),
            None => grouped(search.plan.clusters),
        };
        self.data(&search.plan, &clusters);
        let candidates = format!("{}, each with ", plural(search.candidates, "candidate"));
        self.training(&search.short, &candidates);
        self.training(&search.plan.budget, "then in full ");
        self.expected(&search.plan);
    }

    fn data(&mut self, plan: &Plan, clusters: &str) {
        self.shown = true;
        let Headline { data, classes, settings, .. } = &self.headline;
        let labels = match classes {
            None => "labels not known".to_owned(),
            Some(1) => "labels known (1 class)".to_owned(),
            Some(n) => format!("labels known ({n} classes)"),
        };
        let (rows, columns) = (plural(plan.rows, "row"), plural(plan.columns, "column"));
        self.line(&format!("data      {data}: {rows} × {columns}, {labels}"));
        self.line(&format!("clusters  {clusters}"));
        let batch = plural(plan.budget.batch, "row");
        // K-means has neither steps nor a network.
        if plan.budget == Budget::NOTHING {
            return self.line(&format!("settings  {settings}"));
        }
        self.line(&format!("settings  {settings}, batches of at most {batch}"));
        self.line(&format!("network   {}", plural(plan.parameters, "parameter")));
    }

    fn training(&self, b: &Budget, what: &str) {
        let phases = [
            (b.pretrain_epochs, "pre-training", b.pretrain_steps),
            (b.epochs, "training", None),
            (b.settle_epochs, "settling", None),
        ];
        let mut parts = Vec::new();
        for (epochs, phase, own_steps) in phases.into_iter().filter(|(epochs, ..)| *epochs > 0) {
            let count = if parts.is_empty() { plural(epochs, "epoch") } else { grouped(epochs) };
            let own = own_steps.map(|steps| format!(", each of {}", plural(steps, "step")));
            parts.push(format!("{count} of {phase}{}", own.unwrap_or_default()));
        }
        if !parts.is_empty() {
            let steps = plural(b.steps, "step");
            self.line(&format!("training  {what}{}, each of {steps}", parts.join(", ")));
        }
    }

    fn expected(&self, plan: &Plan) {
        if plan.districts > 1 {
            let (count, rows) = (plan.districts, grouped(plan.rows.div_ceil(plan.districts)));
            self.line(&format!(
                "districts {count} of {rows} rows: each is shuffled and searched for neighbours on its own, and the first speaks for all where the mixture and the clusters are fitted"
            ));
        }
        let (time, memory) = (duration(plan.seconds), bytes(plan.memory_bytes));
        self.line(&format!(
            "expected  about {time} and {memory} of memory on {}",
            plural(plan.threads, "thread")
        ));
        self.line(&format!("output    {}", self.headline.out));
        if let Some(free) = free_memory().filter(|free| *free < plan.memory_bytes) {
            let (free, less) = (bytes(free), needs_less(self.headline.method));
            self.line(&format!("warning: only {free} of memory are free; {less}"));
        }
    }

    fn phase(&mut self, phase: Phase, steps: usize) {
        self.end();
        match &mut self.screen {
            Screen::Silent => {}
            Screen::Lines { last } => *last = None,
            Screen::Bar { bar } => {
                *bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
                let style =
                    ProgressStyle::with_template("{prefix:<15}{bar:20.cyan/dim} {percent:>3} %  {wide_msg}");
                // The template is a constant, and good.
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                bar.set_prefix(match self.candidate {
                    Some((number, of)) => format!("candidate {number}/{of}"),
                    None => phase.name().to_owned(),
                });
            }
        }
    }

    fn epoch(&mut self, report: &EpochReport) {
        match &mut self.screen {
            Screen::Silent => {}
            Screen::Bar { bar } => bar.set_message(bar_message(report)),
            Screen::Lines { last } => {
                let due = last.is_none_or(|last| last.elapsed() >= LINES_APART);
                if due || report.epoch == report.epochs {
                    *last = Some(Instant::now());
                    let of = self.candidate.map_or(String::new(), |(n, of)| format!("candidate {n}/{of}: "));
                    stderr_line(&format!("{of}{}", epoch_line(report)));
                }
            }
        }
    }
}

/// What makes a fit of a method smaller. The largest part of clustergan is the autoencoder that it starts from, which
/// has layers of its own.
fn needs_less(method: Method) -> &'static str {
    match method {
        Method::KMeans | Method::Graph => "fewer rows or columns need less",
        Method::ClusterGan => "a smaller --batch or fewer rows need less",
        _ => "a smaller --batch or smaller --layers need less",
    }
}

/// The time first: a narrow terminal cuts off the end.
fn bar_message(report: &EpochReport) -> String {
    let in_use = report.effective_clusters.map_or(String::new(), |n| format!(", {n:.1} in use"));
    let left = left(report);
    let left = left.trim_start_matches(", ");
    let comma = if left.is_empty() { "" } else { ", " };
    format!("{left}{comma}epoch {}/{}, loss {:.4}{in_use}", report.epoch, report.epochs, report.loss)
}

fn left(report: &EpochReport) -> String {
    if report.seconds_left <= 0.0 {
        String::new()
    } else {
        format!(", {} left", duration(report.seconds_left))
    }
}

fn epoch_line(report: &EpochReport) -> String {
    let mut line =
        format!("{} epoch {}/{}: loss {:.4}", report.phase.name(), report.epoch, report.epochs, report.loss);
    let terms = [
        ("reconstruction", report.divergence.and(report.reconstruction)),
        ("divergence", report.divergence),
        ("mutual_information_loss", report.mutual_information_loss),
        ("information", report.information),
        ("locality", report.locality),
        ("distance", report.distance),
        ("penalty", report.penalty),
        ("noise_error", report.noise_error),
        ("class_error", report.class_error),
        ("guidance_error", report.guidance_error),
        ("effective_clusters", report.effective_clusters),
    ];
    for (key, value) in terms {
        if let Some(value) = value {
            line.push_str(&format!(", {} {value:.4}", term_name(key)));
        }
    }
    line.push_str(&format!(
        ", rate {:.1e}, {} rows/s",
        report.learning_rate,
        grouped(report.rows_per_second as usize)
    ));
    line + &left(report)
}

fn evaluation_line(e: &Evaluation) -> String {
    let mixture = e.mixture_acc.map_or(String::new(), |acc| format!("; the mixture alone ACC {acc:.4}"));
    let Evaluation { epoch, acc, purity, nmi, ari, .. } = e;
    format!("after epoch {epoch}: ACC {acc:.4}, purity {purity:.4}, NMI {nmi:.4}, ARI {ari:.4}{mixture}")
}

fn score(name: &str, value: Option<f64>) -> String {
    value.map_or(String::new(), |v| format!(", {name} {v:.3}"))
}

fn candidate_line(c: &Candidate) -> String {
    let apart =
        score("silhouette", c.quality.silhouette) + &score("Davies–Bouldin", c.quality.davies_bouldin);
    format!("candidate seed {}: after {}{apart}", c.seed, duration(c.seconds))
}

/// What was compared: a table of the numbers of clusters, and one of the candidates.
fn choice_lines(choice: &Choice) -> Vec<String> {
    let cell =
        |value: Option<f64>, digits: usize| value.map_or("–".to_owned(), |v| format!("{v:.digits$}"));
    let row = |first: String, q: &Quality, agreement: Option<f64>, chosen: bool| {
        let mark = if chosen { "  chosen" } else { "" };
        let (s, c, d) = (q.silhouette, q.calinski_harabasz, q.davies_bouldin);
        let (s, c, d, a) = (cell(s, 3), cell(c, 0), cell(d, 3), cell(agreement, 3));
        format!("{first:>10} {s:>11} {c:>18} {d:>15} {a:>10}{mark}")
    };
    let head = |first: &str| {
        format!(
            "{first:>10} {:>11} {:>18} {:>15} {:>10}",
            "silhouette", "Calinski–Harabasz", "Davies–Bouldin", "agreement"
        )
    };
    let mut lines = Vec::new();
    if !choice.curve.is_empty() {
        lines.push(head("clusters"));
        let point = |p: &CurvePoint| {
            row(p.clusters.to_string(), &p.quality, p.agreement, p.clusters == choice.clusters)
        };
        lines.extend(choice.curve.iter().map(point));
    }
    if choice.candidates.len() > 1 {
        lines.push(head("seed"));
        let candidate =
            |c: &Candidate| row(c.seed.to_string(), &c.quality, c.agreement, c.seed == choice.seed);
        lines.extend(choice.candidates.iter().map(candidate));
    }
    lines
}

/// The stability of each number of clusters in each way, beyond that of data without clusters.
fn number_lines(choice: &NumberChoice) -> Vec<String> {
    let width = 24;
    let heads = choice.curves.iter().map(|curve| format!("{:>width$}", curve.way.title()));
    let mut lines = vec![
        "agreement s of halves of the rows (ARI), and its excess over data without clusters, (s − s₀) / (1 − s₀)".to_owned(),
        format!("{:>10}{}", "clusters", heads.collect::<String>()),
    ];
    let Some(first) = choice.curves.first() else { return lines };
    for (i, point) in first.points.iter().enumerate() {
        let cell = |p: &NumberPoint| {
            // How far it is below says nothing.
            let excess = match p.excess > 0.0 {
                true => format!("{:+.2} ± {:.2}", p.excess, p.error),
                false => "none".to_owned(),
            };
            format!("{:>width$}", format!("{:.2} {excess:>12}", p.stability))
        };
        let cells = choice.curves.iter().map(|curve| curve.points.get(i).map_or(String::new(), cell));
        let mark = match point.clusters == choice.clusters && choice.supported {
            true => format!("  chosen, by {}", choice.way.title()),
            false => String::new(),
        };
        lines.push(format!("{:>10}{}{mark}", point.clusters, cells.collect::<String>()));
    }
    lines
}

/// The clusters of the rows as they are.
fn initial_line(partitions: &Partitions, seconds: f64) -> String {
    let kept = partitions.kept();
    let mut sizes = BTreeMap::<u32, usize>::new();
    kept.labels.iter().for_each(|&label| *sizes.entry(label).or_default() += 1);
    let sizes: Vec<usize> = sizes.into_values().collect();
    let (way, clusters) = (kept.way.title(), plural(sizes.len(), "cluster"));
    format!("initial clustering after {}: {clusters} by {way}, {}", duration(seconds), show_sizes(&sizes))
}

/// Memory that programs can still get, where the system says so.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

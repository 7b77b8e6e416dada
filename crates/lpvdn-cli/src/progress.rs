//! A fit on the screen: a bar on a terminal, plain lines elsewhere, nothing when quiet.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lpvdn::{EpochReport, Evaluation, Event, Phase, Plan};

use crate::console::{bytes, duration, grouped, plural, stderr_line};

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
    pub(crate) settings: String,
    pub(crate) out: String,
}

/// The screen.
#[derive(Debug)]
pub(crate) struct Progress {
    screen: Screen,
    headline: Headline,
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
        Progress { screen, headline }
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
            Event::Planned(plan) => self.plan(plan),
            Event::Resumed { phase, epoch, step } => {
                let steps = if *step > 0 { format!(" and {}", plural(*step, "step")) } else { String::new() };
                self.line(&format!("resumed   {} after {}{steps}", phase.name(), plural(*epoch, "epoch")));
            }
            Event::Found { seconds, .. } => {
                let saved = duration(*seconds);
                self.line(&format!("found     the same pre-training in the store, which saves {saved}"));
            }
            Event::Phase { phase, epochs, steps } => self.phase(*phase, epochs * steps),
            Event::Step { done, .. } => {
                if let Screen::Bar { bar } = &self.screen {
                    bar.set_position(*done as u64);
                }
            }
            Event::Epoch(report) => self.epoch(report),
            Event::Evaluated(evaluation) => self.line(&evaluation_line(evaluation)),
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

    fn plan(&self, plan: &Plan) {
        let Headline { data, classes, clusters_by_classes, settings, out } = &self.headline;
        let labels = match classes {
            None => "labels not known".to_owned(),
            Some(1) => "labels known (1 class)".to_owned(),
            Some(n) => format!("labels known ({n} classes)"),
        };
        let why =
            if *clusters_by_classes { ", as many as there are classes (-k asks for others)" } else { "" };
        let b = plan.budget;
        let (rows, columns) = (plural(plan.rows, "row"), plural(plan.columns, "column"));
        self.line(&format!("data      {data}: {rows} × {columns}, {labels}"));
        self.line(&format!("clusters  {}{why}", grouped(plan.clusters)));
        self.line(&format!("settings  {settings}, batches of at most {}", plural(b.batch, "row")));
        self.line(&format!("network   {}", plural(plan.parameters, "parameter")));
        let (before, after) = (plural(b.pretrain_epochs, "epoch"), grouped(b.epochs));
        let settling = if b.settle_epochs > 0 {
            format!(", {} of settling", grouped(b.settle_epochs))
        } else {
            String::new()
        };
        let steps = plural(b.steps, "step");
        self.line(&format!(
            "training  {before} of pre-training, {after} of training{settling}, each of {steps}"
        ));
        let (time, memory) = (duration(plan.seconds), bytes(plan.memory_bytes));
        self.line(&format!(
            "expected  about {time} and {memory} of memory on {}",
            plural(plan.threads, "thread")
        ));
        self.line(&format!("output    {out}"));
        if let Some(free) = free_memory().filter(|free| *free < plan.memory_bytes) {
            let free = bytes(free);
            self.line(&format!(
                "warning: only {free} of memory are free; a smaller --batch or smaller --layers need less"
            ));
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
                    ProgressStyle::with_template("{prefix:<13}{bar:20.cyan/dim} {percent:>3} %  {wide_msg}");
                // The template is a constant, and good.
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                bar.set_prefix(phase.name());
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
                    stderr_line(&epoch_line(report));
                }
            }
        }
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
        ("L_MI", report.mutual_information_loss),
        ("I(x,z)", report.information),
        ("L_LP", report.locality),
        ("clusters in use", report.effective_clusters),
    ];
    for (name, value) in terms {
        if let Some(value) = value {
            line.push_str(&format!(", {name} {value:.4}"));
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
    format!(
        "after epoch {}: ACC {:.4}, purity {:.4}, NMI {:.4}, ARI {:.4}; the mixture alone ACC {:.4}",
        e.epoch, e.acc, e.purity, e.nmi, e.ari, e.mixture_acc
    )
}

/// Memory that programs can still get, where the system says so.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

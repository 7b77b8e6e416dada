//! Figures of rows, scores and losses.

use std::collections::BTreeMap;
use std::path::Path;

use lpvdn_core::{Dataset, StreamKey};
use lpvdn_report::Figure;
use lpvdn_report::explorer::Training;
use lpvdn_report::figure::{Heat, LineSeries, Lines, Scatter};
use serde_json::Value;

use crate::commands::evaluate::Confusion;
use crate::commands::explore::story;
use crate::commands::subject::Subject;
use crate::console::{grouped, plural};
use crate::failure::Failure;
use crate::metrics::term_name;
use crate::model_args::{ColorBy, PlotArgs};
use crate::output::Folder;

/// Rows on a figure, at most: more would only cover each other.
const ROWS: usize = 20_000;
/// Clusters, or classes, that a table shows.
const SHOWN: usize = 40;

pub(super) fn map(subject: &Subject, args: &PlotArgs) -> Result<Figure, Failure> {
    let rows = drawn(&subject.data, args.seed);
    let data = subject.data.clone().of_rows(rows);
    let clusters = subject.model.predict(&data)?;
    let Some(places) = subject.model.place(&data, 0..data.rows())? else {
        return Err(Failure::Failed("the model has no map".to_owned()));
    };
    let (by, of, names) = match (args.by, &data.labels) {
        (Some(ColorBy::Label), None) => {
            return Err(Failure::Usage(format!(
                "--by label: no classes are known for {}; name their column with --label-column",
                data.name
            )));
        }
        (None | Some(ColorBy::Label), Some(labels)) => {
            ("true class", labels.codes.clone(), labels.names.clone())
        }
        (None | Some(ColorBy::Cluster), _) => {
            let names = (0..subject.model.clusters()).map(|k| format!("cluster {k}")).collect();
            ("cluster", clusters, names)
        }
    };
    let points = places.iter_rows().map(|place| [place[0], place[1]]).collect();
    let title = match data.rows() == subject.data.rows() {
        true => plural(data.rows(), "row"),
        false => format!("{} of {}", grouped(data.rows()), plural(subject.data.rows(), "row")),
    };
    Ok(Figure::new(format!("Map: {}, coloured by {by}", data.name))
        .note("Neighbours mean something, distances between groups little.")
        .panel(Scatter::new(title, points, of, names)))
}

/// All rows, or so many of them drawn by chance.
fn drawn(data: &Dataset, seed: u64) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..data.rows() as u32).collect();
    if rows.len() > ROWS {
        StreamKey::new(seed, "plot").open().shuffle(&mut rows);
        rows.truncate(ROWS);
        rows.sort_unstable();
    }
    rows
}

pub(super) fn confusion(subject: &Subject) -> Result<Figure, Failure> {
    let data = &subject.data;
    let Some(labels) = &data.labels else {
        return Err(Failure::Failed(format!(
            "{}: no classes are known for its rows; name their column with --label-column",
            data.name
        )));
    };
    let (classes, clusters) = (labels.names.len(), subject.model.clusters());
    if classes > SHOWN || clusters > SHOWN {
        return Err(Failure::Failed(format!(
            "a table of {classes} classes and {clusters} clusters cannot be read; lpvdn evaluate --json prints it"
        )));
    }
    let found = subject.model.predict(data)?;
    let table = lpvdn_cluster::metrics::Contingency::new(&labels.codes, &found)
        .map_err(|e| Failure::Failed(e.to_string()))?;
    let confusion = Confusion::new(&table, labels, clusters);
    let counts = confusion.counts.iter().flatten().map(|&rows| Some(rows as f64)).collect();
    let scores = lpvdn_cluster::ExternalScores::from(&table);
    let names = confusion.clusters.iter().map(u32::to_string).collect();
    Ok(Figure::new(format!("Classes and clusters: {}", data.name))
        .note(format!("ACC {:.4}, NMI {:.4}, ARI {:.4}", scores.acc, scores.nmi, scores.ari))
        .panel(Heat::new("Rows", ("cluster", names), ("class", confusion.classes), counts).digits(0)))
}

/// A panel for each term, and one for the scores.
pub(super) fn training(model: &Path) -> Result<Figure, Failure> {
    let log = Folder::to_read(model)?.log();
    let text = std::fs::read_to_string(&log).map_err(|e| {
        Failure::reading(&log, format!("{e}; the log of a training is in the output folder of its fit"))
    })?;
    let training = story::training(&text).timeless();
    if training.epochs.is_empty() {
        return Err(Failure::Failed(format!("{}: it tells of no epoch", log.display())));
    }
    // In every panel, even where a phase has no such term: so a phase has one colour.
    let phases = phases(&training);
    let mut figure = Figure::new("Training").note("Phases follow each other; epochs are counted through.");
    for term in terms(&training) {
        let name = term_name(&term);
        // The heading says what it is.
        let mut panel = Lines::new(&name, "epoch", "");
        for phase in &phases {
            panel = panel.series(LineSeries::new(*phase, course(&training, phase, &term)));
        }
        figure = figure.panel(panel);
    }
    if !training.evaluations.is_empty() {
        let mut panel = Lines::new("scores", "epoch of training", "score");
        for score in ["acc", "nmi", "ari"] {
            let point =
                |e: &BTreeMap<String, Value>| Some((e.get("epoch")?.as_f64()?, e.get(score)?.as_f64()?, 0.0));
            let points = training.evaluations.iter().filter_map(point).collect();
            panel = panel.series(LineSeries::new(score.to_uppercase(), points));
        }
        figure = figure.panel(panel);
    }
    Ok(figure)
}

/// The names under which epochs have numbers, as they come up.
fn terms(training: &Training) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, value) in training.epochs.iter().flatten() {
        if value.is_number() && name != "epoch" && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn phase_of(epoch: &BTreeMap<String, Value>) -> &str {
    epoch.get("phase").and_then(Value::as_str).unwrap_or("training")
}

/// The phases, as they follow each other.
fn phases(training: &Training) -> Vec<&str> {
    let mut phases = Vec::new();
    for phase in training.epochs.iter().map(phase_of) {
        if !phases.contains(&phase) {
            phases.push(phase);
        }
    }
    phases
}

/// The values of a term in a phase, with epochs counted through all phases.
fn course(training: &Training, phase: &str, term: &str) -> Vec<(f64, f64, f64)> {
    let own = training.epochs.iter().enumerate().filter(|(_, epoch)| phase_of(epoch) == phase);
    own.filter_map(|(at, epoch)| Some((at as f64 + 1.0, epoch.get(term)?.as_f64()?, 0.0))).collect()
}

//! The ablation: what each term adds.

use lpvdn::Method;
use lpvdn_core::Dataset;
use lpvdn_report::figure::{BarSeries, Bars};
use lpvdn_report::{Cell, Figure, Table};

use super::laboratory::{Laboratory, Run, Variant, records};
use super::paper::{self, Reported};
use super::{Failure, Outcome};
use crate::metrics::Scores;
use crate::runs::spread;
use crate::settings::Settings;

/// A combination: whether it has L_MI, and L_LP.
pub(super) const COMBINATIONS: [(&str, bool, bool); 4] = [
    ("L_G + L_MI + L_LP", true, true),
    ("L_G + L_LP", false, true),
    ("L_G + L_MI", true, false),
    ("L_G", false, false),
];

/// A score and its name.
type Score = (&'static str, fn(&Scores) -> f64);

/// The three scores of the paper's tables.
pub(super) const SCORES: [Score; 3] = [("ACC", |s| s.acc), ("NMI", |s| s.nmi), ("ARI", |s| s.ari)];

/// LPVDN with these terms.
pub(super) fn variant(name: &str, information: bool, locality: bool) -> Variant {
    let without = |kept: bool| if kept { None } else { Some(0.0) };
    let settings =
        Settings { alpha0: without(information), alpha1: without(locality), ..Settings::default() };
    Variant::new(name, Method::Lpvdn, settings)
}

pub(super) fn run(laboratory: &Laboratory<'_>, data: &Dataset) -> Result<Outcome, Failure> {
    let variants = COMBINATIONS.map(|(name, information, locality)| variant(name, information, locality));
    let runs = laboratory.fit(data, &variants, &laboratory.seeds(3))?;
    let reported = COMBINATIONS
        .map(|(_, mi, lp)| laboratory.paper_set(data).and_then(|set| paper::ablation(set, mi, lp)));
    let rows: Vec<(&str, &[Run], Option<Reported>)> = variants
        .iter()
        .zip(&runs)
        .zip(reported)
        .map(|((v, runs), reported)| (v.name.as_str(), runs.as_slice(), reported))
        .collect();
    let mut table = Table::new(columns("terms"));
    rows.iter().for_each(|(name, runs, reported)| table.row(cells(name, runs, *reported)));
    let mut bars = Bars::new(&data.name, "score", SCORES.map(|(name, _)| name));
    for (name, runs, reported) in &rows {
        bars = bars.series(bar(name, runs, *reported));
    }
    Ok(Outcome {
        title: format!("What each term adds: {}", data.name),
        about:
            "LPVDN without one or both of its terms beside L_G, from shared pre-trainings. Without L_LP the \
                mixture's own assignment gives the clusters. The robust recipe weighs the divergence of L_G by 0.01, which \
                leaves the work to L_LP; `--method vade` has L_G alone with its whole weight, as the paper's L_G. Mean ± standard deviation over seeds."
                .to_owned(),
        table,
        figure: Figure::new("What each term adds").panel(bars),
    })
}

/// The columns of [`cells`].
pub(super) fn columns(first: &str) -> Vec<String> {
    let own = SCORES.map(|(name, _)| name.to_owned());
    let reported = SCORES.map(|(name, _)| format!("paper {name}"));
    let more = ["purity".to_owned(), "seconds".to_owned()];
    [first.to_owned(), "runs".to_owned()].into_iter().chain(own).chain(reported).chain(more).collect()
}

/// What some runs came to, beside the paper's scores.
pub(super) fn cells(name: &str, runs: &[Run], reported: Option<Reported>) -> Vec<Cell> {
    let score = |pick| Cell::spread(spread(records(runs), pick), 4);
    let mut cells = vec![Cell::Text(name.to_owned()), Cell::Count(runs.len())];
    cells.extend(SCORES.map(|(_, pick)| score(pick)));
    cells.extend((0..3).map(|i| Cell::number(reported.map(|r| r[i]), 4)));
    let seconds = lpvdn_report::Spread::of(records(runs).map(|run| Some(run.metrics.seconds)));
    cells.extend([score(|s| s.purity), Cell::spread(seconds, 1)]);
    cells
}

/// Bars of the three scores, with the paper's marked.
pub(super) fn bar(name: &str, runs: &[Run], reported: Option<Reported>) -> BarSeries {
    let values = SCORES.map(|(_, pick)| spread(records(runs), pick));
    let marks = (0..3).map(|i| reported.map(|r| r[i])).collect();
    BarSeries::new(name, values.to_vec()).marks(marks)
}

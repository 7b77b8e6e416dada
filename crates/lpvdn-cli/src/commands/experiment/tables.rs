//! The paper's result tables: every method on every data set.

use std::path::Path;

use lpvdn::Method;
use lpvdn_core::Dataset;
use lpvdn_data::known::{self, Place};
use lpvdn_report::figure::Bars;
use lpvdn_report::{Cell, Figure, Table};

use super::laboratory::{Laboratory, Variant};
use super::paper::{self, SETS};
use super::terms::{SCORES, bar, cells, columns};
use super::{Failure, Outcome};

pub(super) fn run(laboratory: &Laboratory<'_>) -> Result<Outcome, Failure> {
    let mut names = columns("data");
    names.insert(1, "method".to_owned());
    let mut table = Table::new(names);
    let mut figure = Figure::new("Methods and data sets").columns(2);
    let methods = laboratory.methods(&Method::PAPER)?;
    let mut found = false;
    for (name, title) in sets(laboratory) {
        let Some(data) = set(laboratory, name)? else {
            for &method in &methods {
                let reported = name.and_then(|name| paper::reported(method, name));
                let mut row = vec![Cell::Text(title.clone()), Cell::Text(method.title().to_owned())];
                row.extend([Cell::Count(0)].into_iter().chain(SCORES.map(|_| Cell::None("no data"))));
                row.extend((0..3).map(|i| Cell::number(reported.map(|r| r[i]), 4)));
                table.row(row);
            }
            continue;
        };
        found = true;
        let variants: Vec<Variant> = methods.iter().copied().map(Variant::of).collect();
        let set = laboratory.paper_set(&data);
        let runs = laboratory.fit(&data, &variants, &laboratory.seeds(3))?;
        let mut bars = Bars::new(&title, "score", SCORES.map(|(name, _)| name));
        for (variant, runs) in variants.iter().zip(&runs) {
            let reported = set.and_then(|set| paper::reported(variant.method, set));
            let mut row = cells(&title, runs, reported);
            row.insert(1, Cell::Text(variant.name.clone()));
            table.row(row);
            bars = bars.series(bar(&variant.name, runs, reported));
        }
        figure = figure.panel(bars);
    }
    if !found {
        let names: Vec<&str> = SETS.iter().map(|(name, _)| *name).collect();
        return Err(Failure::Failed(format!(
            "none of the paper's sets ({}) is here; fetch one with: lpvdn data fetch mnist, or name other data, or use \
             the built-in digits with --quick",
            names.join(", ")
        )));
    }
    Ok(Outcome {
        title: "Methods and data sets".to_owned(),
        about: "ACC is the share of rows in the right cluster under the best one-to-one assignment of clusters to \
                classes; mean ± standard deviation over seeds. The evaluation that was released with the paper \
                computes purity, so its ACC is most likely purity too. A set that is not here has no numbers: \
                `lpvdn data fetch` gets it, or `--rcv1 DIR` names the token files of RCV1."
            .to_owned(),
        table,
        figure,
    })
}

/// The paper's four sets, known by name, with their titles; or the one set that is named, or the built-in digits
/// where it has to be quick.
fn sets(laboratory: &Laboratory<'_>) -> Vec<(Option<&'static str>, String)> {
    let args = laboratory.args;
    if args.settings.data.is_some() || args.quick {
        return vec![(None, laboratory.data_name())];
    }
    SETS.iter().map(|(name, title)| (Some(*name), (*title).to_owned())).collect()
}

/// The rows of a set, if they are here; only one set is in memory at a time.
fn set(laboratory: &Laboratory<'_>, name: Option<&str>) -> Result<Option<Dataset>, Failure> {
    let Some(name) = name else { return laboratory.data().map(Some) };
    let Some(known) = known::find(name) else { return Ok(None) };
    let options = laboratory.args.settings.open_options();
    let opened = match (&laboratory.args.rcv1, name.starts_with("reuters")) {
        (Some(folder), true) => lpvdn_data::read_known(known, folder, &options)?,
        _ if matches!(known.place()?, Place::Here(_)) => lpvdn_data::read(Path::new(name), &options)?,
        _ => return Ok(None),
    };
    Ok(Some(laboratory.opened(opened)))
}

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
    let mut figure = Figure::new("Every method").columns(2);
    for (set, title) in sets(laboratory)? {
        let Some(data) = set else {
            for method in Method::ALL {
                let reported = paper::reported(method, set_name(&title));
                let mut row = vec![Cell::Text(title.clone()), Cell::Text(method.title().to_owned())];
                row.extend([Cell::Count(0)].into_iter().chain(SCORES.map(|_| Cell::None("no data"))));
                row.extend((0..3).map(|i| Cell::number(reported.map(|r| r[i]), 4)));
                table.row(row);
            }
            continue;
        };
        let variants = Method::ALL.map(Variant::of);
        let runs = laboratory.fit(&data, &variants, &laboratory.seeds(3))?;
        let mut bars = Bars::new(&title, "score", SCORES.map(|(name, _)| name));
        for (variant, runs) in variants.iter().zip(&runs) {
            let reported = paper::reported(variant.method, &data.name);
            let mut row = cells(&title, runs, reported);
            row.insert(1, Cell::Text(variant.name.clone()));
            table.row(row);
            bars = bars.series(bar(&variant.name, runs, reported));
        }
        figure = figure.panel(bars);
    }
    Ok(Outcome {
        title: "Every method on every data set".to_owned(),
        about: "ACC is the share of rows in the right cluster under the best one-to-one assignment of clusters to \
                classes; mean ± standard deviation over seeds. The evaluation that was released with the paper \
                computes purity, so its ACC may be purity too. A set that is not at hand has no numbers: \
                `lpvdn data fetch` gets it, or `--rcv1 DIR` names the token files of RCV1."
            .to_owned(),
        table,
        figure,
    })
}

/// The name by which a set is known here.
fn set_name(title: &str) -> &str {
    SETS.iter().find(|(_, paper)| *paper == title).map_or(title, |(name, _)| name)
}

/// The data that is named, or the built-in digits where it has to be quick, or the paper's four sets as far as
/// they are at hand, each with its title.
fn sets(laboratory: &Laboratory<'_>) -> Result<Vec<(Option<Dataset>, String)>, Failure> {
    let args = laboratory.args;
    if args.settings.data.is_some() || args.quick {
        let data = laboratory.data()?;
        let title = data.name.clone();
        return Ok(vec![(Some(data), title)]);
    }
    SETS.iter().map(|(name, title)| Ok((set(laboratory, name)?, (*title).to_owned()))).collect()
}

fn set(laboratory: &Laboratory<'_>, name: &str) -> Result<Option<Dataset>, Failure> {
    let Some(known) = known::find(name) else { return Ok(None) };
    let options = laboratory.args.settings.open_options();
    let opened = match (&laboratory.args.rcv1, name.starts_with("reuters")) {
        (Some(folder), true) => lpvdn_data::read_known(known, folder, &options)?,
        _ if matches!(known.place()?, Place::Here(_)) => lpvdn_data::read(Path::new(name), &options)?,
        _ => return Ok(None),
    };
    Ok(Some(opened.data))
}

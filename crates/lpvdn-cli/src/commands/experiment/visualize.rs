//! Codes of two numbers as points.

use std::sync::Arc;

use lpvdn::Method;
use lpvdn_cluster::metrics::accuracy;
use lpvdn_core::{Dataset, StreamKey, Subset};
use lpvdn_report::figure::Scatter;
use lpvdn_report::{Cell, Figure, Table};

use super::laboratory::{Laboratory, Variant};
use super::{Failure, Outcome};
use crate::settings::Settings;

/// Rows that are shown, at most.
const SHOWN: usize = 10_000;

/// The last rows of the paper's images, which are their test rows; of others a random draw, for they may be sorted.
fn shown_rows(laboratory: &Laboratory<'_>, data: &Dataset) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..data.rows() as u32).collect();
    if rows.len() > SHOWN {
        match laboratory.paper_set(data) {
            Some("mnist" | "fashion-mnist") => drop(rows.drain(..data.rows() - SHOWN)),
            _ => {
                StreamKey::new(0, "shown").open().shuffle(&mut rows);
                rows.truncate(SHOWN);
                rows.sort_unstable();
            }
        }
    }
    rows
}

pub(super) fn run(laboratory: &Laboratory<'_>, data: &Dataset) -> Result<Outcome, Failure> {
    let Some(labels) = &data.labels else { return Err(Failure::Failed("no classes".to_owned())) };
    // Without L_LP there is no o′, and codes are of the size of the latent space.
    if laboratory.args.settings.alpha1 == Some(0.0) {
        let problem = "visualize shows the o′ that L_LP learns; leave alpha1 0 out";
        return Err(Failure::Usage(problem.to_owned()));
    }
    let settings = Settings { output_dim: Some(2), ..Settings::default() };
    let variants = [Variant::new("LPVDN, o′ of 2", Method::Lpvdn, settings)];
    let seeds = laboratory.seeds(1);
    let runs = laboratory.fit(data, &variants, &seeds)?;
    let rows = shown_rows(laboratory, data);
    let truth: Vec<u32> = rows.iter().map(|&row| labels.codes[row as usize]).collect();
    let source = Arc::new(Subset::new(data.source.clone(), rows));
    let shown = Dataset { source, labels: None, ids: None, lines: None, ..data.clone() };
    let mut figure = Figure::new(format!("Codes of two numbers: {}", data.name))
        .note("o′ of LPVDN, fitted to all rows; colours and names are the true classes.");
    let mut table = Table::new(["seed", "rows shown", "ACC of all rows", "ACC of the rows shown"]);
    for run in runs.iter().flatten() {
        let model = run.model()?;
        let codes = model.codes(&shown)?;
        let clusters = model.labels_of(&codes);
        let acc = accuracy(&truth, &clusters).map_err(|e| Failure::Failed(e.to_string()))?;
        let seed = run.record.metrics.seed;
        table.row([
            Cell::Count(seed as usize),
            Cell::Count(shown.rows()),
            Cell::number(run.record.metrics.scores.map(|s| s.acc), 4),
            Cell::Number(acc, 4),
        ]);
        let points = codes.iter_rows().map(|row| [row[0], row[1]]).collect();
        let title = format!("{} rows, seed {seed}", shown.rows());
        figure = figure.panel(Scatter::new(title, points, truth.clone(), labels.names.clone()));
    }
    Ok(Outcome {
        title: format!("Codes of two numbers: {}", data.name),
        about: format!(
            "LPVDN with an output o′ of two numbers, fitted to all rows; shown are {} of them, {}, coloured by their \
             true classes.",
            shown.rows(),
            match (shown.rows() == data.rows(), laboratory.paper_set(data)) {
                (true, _) => "all that there are",
                (false, Some("mnist" | "fashion-mnist")) => "the test rows",
                (false, _) => "drawn at random",
            }
        ),
        table,
        figure,
    })
}

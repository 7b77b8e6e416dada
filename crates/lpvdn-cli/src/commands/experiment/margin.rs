//! The paper's appendix: how far the discriminator keeps true pairs from false ones, and how large a
//! perturbation of a row that margin bears.

use lpvdn::{Method, Model};
use lpvdn_core::Dataset;
use lpvdn_report::figure::{Histogram, LineSeries, Lines};
use lpvdn_report::{Cell, Figure, Spread, Table};
use serde::{Deserialize, Serialize};

use super::laboratory::{Laboratory, Run, Variant};
use super::noisy::noisy;
use super::{Failure, Outcome};

/// σ of the perturbation, in twentieths.
const TWENTIETHS: std::ops::RangeInclusive<u32> = 0..=20;
/// Values of D that are kept for the histogram, at most.
const SHOWN: usize = 10_000;

/// What was found out about one model.
#[derive(Debug, Serialize, Deserialize)]
struct Margin {
    /// D of true and of false pairs.
    own: Vec<f32>,
    other: Vec<f32>,
    /// α(x + Δx): the share of codes z drawn from q(z | x + Δx) with D(x + Δx, z) > 0, for each σ.
    rational: Vec<f64>,
}

pub(super) fn run(laboratory: &Laboratory<'_>, data: &Dataset) -> Result<Outcome, Failure> {
    if laboratory.args.settings.alpha0 == Some(0.0) {
        let problem = "the margin is that of the discriminator of L_MI, which alpha0 0 leaves out";
        return Err(Failure::Usage(problem.to_owned()));
    }
    let variants = [Variant::of(Method::Lpvdn)];
    let runs = laboratory.fit(data, &variants, &laboratory.seeds(1))?;
    let runs = runs.first().map_or(&[][..], Vec::as_slice);
    let found: Vec<Margin> =
        runs.iter().map(|run| margin(laboratory, run, data)).collect::<Result<_, _>>()?;
    let mut table = Table::new(["σ", "‖Δx‖", "runs", "share of codes with D > 0"]);
    let mut curve = Vec::new();
    for i in TWENTIETHS {
        let sigma = f64::from(i) / 20.0;
        let share = Spread::of(found.iter().map(|m| m.rational.get(i as usize).copied()));
        curve.extend(share.map(|share| (sigma, share.mean, share.sd.unwrap_or(0.0))));
        table.row([
            Cell::Number(sigma, 2),
            Cell::Number(sigma * (data.cols() as f64).sqrt(), 2),
            Cell::Count(found.len()),
            Cell::spread(share, 4),
        ]);
    }
    let all = |pick: fn(&Margin) -> &[f32]| -> Vec<f64> {
        found.iter().flat_map(|m| pick(m).iter().map(|v| f64::from(*v))).collect()
    };
    let (own, other) = (all(|m| &m.own), all(|m| &m.other));
    let share = |values: &[f64], is: fn(&f64) -> bool| {
        100.0 * values.iter().filter(|v| is(v)).count() as f64 / values.len().max(1) as f64
    };
    let curve_about = "The curve is α(x + Δx) of the appendix: the share of codes drawn from q(z | x + Δx) with \
                       D(x + Δx, z) > 0, where Δx is Gaussian noise of standard deviation σ on the scale on which \
                       pixels are 0 to 1.";
    let said = format!(
        "D is above 0 for {:.1} % of rows with codes of their own and above 3, the paper's example of a margin, \
         for {:.1} %; it is below 0 for {:.1} % of rows with codes of others, and below −3 for {:.1} %.",
        share(&own, |v| *v > 0.0),
        share(&own, |v| *v > 3.0),
        share(&other, |v| *v < 0.0),
        share(&other, |v| *v < -3.0),
    );
    let said = if found.is_empty() { "No run was finished." } else { &said };
    let about = format!("{said} {curve_about}");
    let histogram = Histogram::new("What the discriminator says", "D(x, z)", 60)
        .series("rows with their own codes", own)
        .series("rows with codes of others", other);
    let lines = Lines::new("Codes that stay rational", "σ of the perturbation", "share with D > 0")
        .series(LineSeries::new("LPVDN", curve));
    let figure = Figure::new(format!("The margin of the discriminator: {}", data.name)).columns(2);
    Ok(Outcome {
        title: format!("The margin of the discriminator: {}", data.name),
        about,
        table,
        figure: figure.panel(histogram).panel(lines),
    })
}

fn margin(laboratory: &Laboratory<'_>, run: &Run, data: &Dataset) -> Result<Margin, Failure> {
    let whole = |margin: &Margin| margin.rational.len() == TWENTIETHS.count();
    laboratory.measured("margin-1", run, whole, |model| {
        let Model::Lpvdn(lpvdn) = model else { return Err(Failure::Failed("no model of LPVDN".to_owned())) };
        let seed = run.record.metrics.seed;
        let said = lpvdn.discriminate(data, seed)?;
        let mut rational = Vec::new();
        for i in TWENTIETHS {
            laboratory.check_stop()?;
            let perturbed = noisy(data, &model.units(), f64::from(i) / 20.0, seed);
            let own = lpvdn.discriminate(&perturbed, seed)?.own;
            rational.push(own.iter().filter(|d| **d > 0.0).count() as f64 / own.len().max(1) as f64);
        }
        let shown = |values: Vec<f32>| {
            let every = values.len().div_ceil(SHOWN).max(1);
            values.into_iter().step_by(every).collect()
        };
        Ok(Margin { own: shown(said.own), other: shown(said.other), rational })
    })
}

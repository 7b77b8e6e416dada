//! Accuracy on rows with noise: trained once on clean rows, noise only where clusters are asked for.

use lpvdn::{Method, Model};
use lpvdn_cluster::KMeans;
use lpvdn_cluster::metrics::accuracy;
use lpvdn_core::{Dataset, Labels};
use lpvdn_report::figure::{LineSeries, Lines, PictureRow, Pictures, Shown};
use lpvdn_report::{Cell, Drawn, Figure, Spread, Table};
use serde::{Deserialize, Serialize};

use super::laboratory::{Laboratory, Run, Variant};
use super::noisy::noisy;
use super::terms::{COMBINATIONS, variant};
use super::{Failure, Outcome};

/// σ of the noise, in tenths.
const TENTHS: std::ops::RangeInclusive<u32> = 0..=10;
/// The images that are shown with noise.
const SAMPLES: u32 = 4;

/// ACC of a model at one σ.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Accuracy {
    /// With the centres that were fitted to clean rows.
    fitted: f64,
    /// With K-means on the codes of the noisy rows.
    refitted: f64,
}

pub(super) fn run(laboratory: &Laboratory<'_>, data: &Dataset) -> Result<Outcome, Failure> {
    let Some(labels) = &data.labels else { return Err(Failure::Failed("no classes".to_owned())) };
    let methods = laboratory.methods(&[Method::Lpvdn, Method::Vade, Method::ClusterGan])?;
    let mut variants: Vec<Variant> = methods.into_iter().map(Variant::of).collect();
    if laboratory.args.methods.is_empty() {
        let ablations = COMBINATIONS[1..].iter().map(|(name, mi, lp)| variant(name, *mi, *lp));
        variants.splice(1..1, ablations);
    }
    let runs = laboratory.fit(data, &variants, &laboratory.seeds(3))?;
    let (mut fitted, mut refitted) =
        (lines("centres of the clean rows"), lines("K-means on the noisy codes"));
    let mut table = Table::new(["method", "σ", "runs", "ACC", "drop from σ = 0", "ACC refitted"]);
    for (variant, runs) in variants.iter().zip(&runs) {
        let curves: Vec<Vec<Accuracy>> =
            runs.iter().map(|run| curve(laboratory, run, data, labels)).collect::<Result<_, _>>()?;
        let at = |i: usize, pick: &dyn Fn(&[Accuracy], usize) -> f64| {
            Spread::of(curves.iter().map(|curve| Some(pick(curve, i))))
        };
        let points = |pick: &dyn Fn(&[Accuracy], usize) -> f64| {
            let point =
                |i: u32| at(i as usize, pick).map(|s| (f64::from(i) / 10.0, s.mean, s.sd.unwrap_or(0.0)));
            TENTHS.filter_map(point).collect::<Vec<_>>()
        };
        fitted = fitted.series(LineSeries::new(&variant.name, points(&|c, i| c[i].fitted)));
        refitted = refitted.series(LineSeries::new(&variant.name, points(&|c, i| c[i].refitted)));
        for i in TENTHS {
            let index = i as usize;
            table.row([
                Cell::Text(variant.name.clone()),
                Cell::Number(f64::from(i) / 10.0, 1),
                Cell::Count(curves.len()),
                Cell::spread(at(index, &|c, i| c[i].fitted), 4),
                Cell::spread(at(index, &|c, i| c[0].fitted - c[i].fitted), 4),
                Cell::spread(at(index, &|c, i| c[i].refitted), 4),
            ]);
        }
    }
    let mut figure = Figure::new(format!("Accuracy under noise: {}", data.name)).columns(2);
    figure = figure.panel(fitted).panel(refitted);
    if let Some(samples) = runs.iter().flatten().next().map(|run| samples(run, data)).transpose()?.flatten() {
        figure = figure.panel(samples);
    }
    Ok(Outcome {
        title: format!("Accuracy under noise: {}", data.name),
        about: "Each model was trained once on clean rows. Gaussian noise of standard deviation σ, on the scale \
                on which pixels are 0 to 1, is added where clusters are asked for, and not clipped. ACC with the \
                centres of the clean rows, and with K-means fitted to the codes of the noisy rows."
            .to_owned(),
        table,
        figure,
    })
}

fn lines(title: &str) -> Lines {
    Lines::new(title, "σ of the noise", "ACC")
}

/// ACC for each σ.
fn curve(
    laboratory: &Laboratory<'_>,
    run: &Run,
    data: &Dataset,
    labels: &Labels,
) -> Result<Vec<Accuracy>, Failure> {
    let whole = |curve: &Vec<Accuracy>| curve.len() == TENTHS.count();
    laboratory.measured("noise-1", run, whole, |model| {
        TENTHS
            .map(|i| {
                laboratory.check_stop()?;
                let rows = noisy(data, &model.units(), f64::from(i) / 10.0, run.record.metrics.seed);
                accuracies(model, &rows, labels)
            })
            .collect()
    })
}

fn accuracies(model: &Model, data: &Dataset, labels: &Labels) -> Result<Accuracy, Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::Failed(e.to_string());
    let codes = model.codes(data)?;
    let fitted = accuracy(&labels.codes, &model.labels_of(&codes)).map_err(|e| failed(&e))?;
    let again =
        KMeans::params(model.clusters()).n_init(10).seed(model.seed()).fit(&codes).map_err(|e| failed(&e))?;
    let refitted = accuracy(&labels.codes, &again.labels).map_err(|e| failed(&e))?;
    Ok(Accuracy { fitted, refitted })
}

/// The first images at each σ.
fn samples(run: &Run, data: &Dataset) -> Result<Option<Pictures>, Failure> {
    let model = run.model()?;
    let Some(drawn) = Drawn::of(data, model.pixels()) else { return Ok(None) };
    let rows: Vec<u32> = (0..SAMPLES.min(data.rows() as u32)).collect();
    let mut lines: Vec<PictureRow> =
        rows.iter().map(|row| PictureRow { name: format!("row {row}"), pictures: Vec::new() }).collect();
    for i in TENTHS.step_by(2) {
        let rows_at = noisy(data, &model.units(), f64::from(i) / 10.0, run.record.metrics.seed);
        let shown = drawn.pictures(&rows_at, &rows)?;
        lines.iter_mut().zip(shown).for_each(|(line, picture)| line.pictures.push((picture, Shown::Plain)));
    }
    let columns = TENTHS.step_by(2).map(|i| format!("σ = {:.1}", f64::from(i) / 10.0)).collect();
    Ok(Some(Pictures::new("The first rows with noise", columns, lines)))
}

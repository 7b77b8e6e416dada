//! Accuracy where one class is rare.

use std::sync::Arc;

use lpvdn::Method;
use lpvdn_core::{Dataset, Labels, StreamKey, Subset};
use lpvdn_report::figure::{LineSeries, Lines};
use lpvdn_report::{Cell, Figure, Table};

use super::laboratory::{Laboratory, Variant, records};
use super::{Failure, Outcome};
use crate::runs::spread;

/// How much of the smallest class is kept.
const SHARES: [f64; 3] = [1.0, 0.5, 0.1];

pub(super) fn run(laboratory: &Laboratory<'_>, data: &Dataset) -> Result<Outcome, Failure> {
    let Some(labels) = &data.labels else { return Err(Failure::Failed("no classes".to_owned())) };
    let smallest = smallest(labels);
    let methods = laboratory.methods(&[Method::Lpvdn, Method::Vade, Method::ClusterGan])?;
    let variants: Vec<Variant> = methods.into_iter().map(Variant::of).collect();
    let mut table = Table::new(["method", "share kept", "rows", "runs", "ACC", "NMI", "ARI"]);
    let mut curves: Vec<Vec<(f64, f64, f64)>> = vec![Vec::new(); variants.len()];
    for share in SHARES {
        let rare = without(data, labels, smallest, share);
        let runs = laboratory.fit(&rare, &variants, &laboratory.seeds(3))?;
        for ((variant, runs), curve) in variants.iter().zip(&runs).zip(&mut curves) {
            let acc = spread(records(runs), |s| s.acc);
            curve.extend(acc.map(|acc| (share, acc.mean, acc.sd.unwrap_or(0.0))));
            table.row([
                Cell::Text(variant.name.clone()),
                Cell::Number(share, 1),
                Cell::Count(rare.rows()),
                Cell::Count(runs.len()),
                Cell::spread(acc, 4),
                Cell::spread(spread(records(runs), |s| s.nmi), 4),
                Cell::spread(spread(records(runs), |s| s.ari), 4),
            ]);
        }
    }
    let name = &labels.names[smallest as usize];
    let mut lines = Lines::new(&data.name, format!("share of class {name} that is kept"), "ACC");
    for (variant, curve) in variants.iter().zip(curves) {
        lines = lines.series(LineSeries::new(&variant.name, curve));
    }
    Ok(Outcome {
        title: format!("Where one class is rare: {}", data.name),
        about: format!(
            "Of the smallest class, {name}, only a share of the rows is kept, drawn once for all methods and \
             seeds; the models are fitted to what is left."
        ),
        table,
        figure: Figure::new("Where one class is rare").panel(lines),
    })
}

/// The class with the fewest rows; the first of several.
fn smallest(labels: &Labels) -> u32 {
    let mut counts = vec![0_usize; labels.names.len()];
    labels.codes.iter().for_each(|&code| counts[code as usize] += 1);
    (0..).zip(&counts).min_by_key(|(_, count)| **count).map_or(0, |(class, _)| class)
}

/// The rows without most of a class: a random share of it stays, at least one row.
fn without(data: &Dataset, labels: &Labels, class: u32, share: f64) -> Dataset {
    let mut own: Vec<u32> =
        (0_u32..).zip(&labels.codes).filter(|(_, c)| **c == class).map(|(i, _)| i).collect();
    StreamKey::new(0, "imbalance").open().shuffle(&mut own);
    let kept = ((own.len() as f64 * share).round() as usize).max(1);
    let mut gone = vec![false; labels.codes.len()];
    own.iter().skip(kept).for_each(|&row| gone[row as usize] = true);
    let rows: Vec<u32> = (0..labels.codes.len() as u32).filter(|&row| !gone[row as usize]).collect();
    let labels = labels.of_rows(&rows);
    let source = Arc::new(Subset::new(data.source.clone(), rows));
    Dataset { source, labels: Some(labels), ids: None, lines: None, ..data.clone() }
}

#[cfg(test)]
mod tests {
    use lpvdn_core::Matrix;

    use super::*;

    #[test]
    fn only_the_smallest_class_loses_rows_and_the_rest_keeps_its_order() {
        let names: Vec<&str> = (0..50).map(|i| if i % 5 == 0 { "b" } else { "a" }).collect();
        let labels = Labels::from_names(&names);
        assert_eq!(labels.names[smallest(&labels) as usize], "b");
        let data = Dataset::from(Matrix::<f32>::from_fn(50, 1, |i, _| i as f32)).with_labels(labels.clone());
        let rare = without(&data, &labels, 1, 0.1);
        let kept = rare.labels.as_ref().expect("labels");
        assert_eq!((rare.rows(), kept.codes.iter().filter(|c| **c == 1).count()), (41, 1));
        assert_eq!(without(&data, &labels, 1, 1.0).rows(), 50);
    }
}

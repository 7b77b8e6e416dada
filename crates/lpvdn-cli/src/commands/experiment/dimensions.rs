//! Accuracy against the size of the code.

use lpvdn::Method;
use lpvdn_core::Dataset;
use lpvdn_report::figure::{LineSeries, Lines};
use lpvdn_report::{Cell, Figure, Table};

use super::laboratory::{Laboratory, Run, Variant, records};
use super::{Failure, Outcome, paper};
use crate::runs::spread;
use crate::settings::Settings;

/// The size of the latent space where it stays as it is.
const LATENT: usize = 10;

/// The sizes that are asked for, each once and in order, or the usual ones.
fn sizes(asked: &[usize], quick: bool) -> Vec<usize> {
    let mut sizes = match asked {
        [] if quick => vec![2, 10],
        [] => vec![2, 3, 5, 10],
        asked => asked.to_vec(),
    };
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

pub(super) fn run(laboratory: &Laboratory<'_>, data: &Dataset) -> Result<Outcome, Failure> {
    let sizes = &sizes(&laboratory.args.sizes, laboratory.args.quick)[..];
    let variant = |size: usize, latent: usize| {
        let settings = Settings { output_dim: Some(size), latent_dim: Some(latent), ..Settings::default() };
        Variant::new(format!("o′ of {size}, latent space of {latent}"), Method::Lpvdn, settings)
    };
    let of_sizes = |latent: &dyn Fn(usize) -> usize| {
        let variants: Vec<Variant> = sizes.iter().map(|&size| variant(size, latent(size))).collect();
        laboratory.fit(data, &variants, &laboratory.seeds(3))
    };
    let (codes, both) = (of_sizes(&|_| LATENT)?, of_sizes(&|size| size)?);
    let mut table = Table::new(["size of o′", "latent size", "runs", "ACC", "NMI", "ARI"]);
    let mut add = |latent: &dyn Fn(usize) -> usize, runs: &[Vec<Run>]| {
        for (&size, runs) in sizes.iter().zip(runs) {
            let scores = super::terms::SCORES.map(|(_, pick)| Cell::spread(spread(records(runs), pick), 4));
            let first = [Cell::Count(size), Cell::Count(latent(size)), Cell::Count(runs.len())];
            table.row(first.into_iter().chain(scores));
        }
    };
    add(&|_| LATENT, &codes);
    add(&|size| size, &both);
    let curve = |runs: &[Vec<Run>]| {
        let point = |(&size, runs): (&usize, &Vec<Run>)| {
            spread(records(runs), |s| s.acc).map(|acc| (size as f64, acc.mean, acc.sd.unwrap_or(0.0)))
        };
        sizes.iter().zip(runs).filter_map(point).collect::<Vec<_>>()
    };
    let mut lines = Lines::new(&data.name, "size of o′", "ACC")
        .series(LineSeries::new("latent space of 10", curve(&codes)))
        .series(LineSeries::new("latent space of the same size", curve(&both)));
    if let Some([acc, ..]) = laboratory.paper_set(data).and_then(|set| paper::reported(Method::Lpvdn, set)) {
        lines = lines.level("the paper, size 10", acc);
    }
    Ok(Outcome {
        title: format!("Accuracy against the size of the code: {}", data.name),
        about:
            "ACC of LPVDN with an output o′ of so many numbers, from a latent space of 10, and from a latent \
                space that is as small. Mean ± standard deviation over seeds."
                .to_owned(),
        table,
        figure: Figure::new("The size of the code").panel(lines),
    })
}

#[cfg(test)]
mod tests {
    use super::sizes;

    #[test]
    fn sizes_are_tried_once_and_drawn_in_order() {
        assert_eq!(sizes(&[10, 2, 10], false), [2, 10]);
        assert_eq!((sizes(&[], true), sizes(&[], false)), (vec![2, 10], vec![2, 3, 5, 10]));
    }
}

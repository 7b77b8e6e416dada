//! Figures of rows that the model makes.

use lpvdn_core::{Matrix, StreamKey};
use lpvdn_report::figure::{Heat, Panel, PictureRow, Pictures, Shown};
use lpvdn_report::{Drawn, Figure};

use crate::commands::subject::Subject;
use crate::failure::Failure;
use crate::model_args::PlotArgs;

/// Columns of rows that are no pictures, at most.
const COLUMNS: usize = 16;
/// Clusters of a figure, at most.
const CLUSTERS: usize = 30;

pub(super) fn samples(subject: &Subject, args: &PlotArgs) -> Result<Figure, Failure> {
    let each =
        if Drawn::of(&subject.data, subject.model.pixels()).is_some() { args.pictures.into() } else { 1 };
    let made = subject.model.samples(each, args.seed)?.ok_or_else(|| no_decoder(subject))?;
    let clusters = subject.model.clusters().min(CLUSTERS);
    let lines = (0..clusters).map(|k| (format!("cluster {k}"), k * each..(k + 1) * each)).collect();
    let note = match clusters < subject.model.clusters() {
        true => format!("The first {clusters} clusters."),
        false => "Drawn around each cluster in the latent space, and decoded.".to_owned(),
    };
    Ok(Figure::new(format!("Generated: {}", subject.data.name))
        .note(note)
        .panel(panel(subject, &made, lines)))
}

pub(super) fn reconstructions(subject: &Subject, args: &PlotArgs) -> Result<Figure, Failure> {
    let count = usize::from(args.pictures).min(subject.data.rows());
    let mut rows: Vec<u32> = (0..subject.data.rows() as u32).collect();
    StreamKey::new(args.seed, "plot").open().shuffle(&mut rows);
    rows.truncate(count);
    let data = subject.data.clone().of_rows(rows.clone());
    let made = subject.model.reconstruct(&data)?.ok_or_else(|| no_decoder(subject))?;
    let own = lpvdn_report::dense_rows(&data, &(0..count as u32).collect::<Vec<_>>())?;
    let both = Matrix::from_vec([own.as_slice(), made.as_slice()].concat(), 2 * count, own.cols());
    let lines = match Drawn::of(&data, subject.model.pixels()) {
        Some(_) => vec![("rows".to_owned(), 0..count), ("decoded".to_owned(), count..2 * count)],
        None => (0..count)
            .flat_map(|i| {
                [(format!("row {}", rows[i]), i..i + 1), ("decoded".to_owned(), count + i..count + i + 1)]
            })
            .collect(),
    };
    Ok(Figure::new(format!("Reconstructions: {}", data.name))
        .note("Rows, and what the decoder makes of their codes.")
        .panel(panel(subject, &both, lines)))
}

pub(super) fn between(subject: &Subject, args: &PlotArgs) -> Result<Figure, Failure> {
    let (from, to) = args.clusters.map_or_else(|| largest(subject), Ok)?;
    let steps = usize::from(args.pictures);
    let made = subject.model.between(from, to, steps)?.ok_or_else(|| no_decoder(subject))?;
    let lines = match Drawn::of(&subject.data, subject.model.pixels()) {
        Some(_) => vec![(format!("cluster {from} to {to}"), 0..steps)],
        None => (0..steps).map(|i| (format!("{} %", 100 * i / (steps - 1).max(1)), i..i + 1)).collect(),
    };
    Ok(Figure::new(format!("From cluster {from} to cluster {to}: {}", subject.data.name))
        .note("Decoded from the straight line between their middles in the latent space.")
        .panel(panel(subject, &made, lines)))
}

/// The two largest clusters.
fn largest(subject: &Subject) -> Result<(usize, usize), Failure> {
    let clusters = subject.model.clusters();
    if clusters < 2 {
        return Err(Failure::Failed("there is only one cluster, and nothing between".to_owned()));
    }
    let mut sizes = vec![0_usize; clusters];
    subject.model.predict(&subject.data)?.iter().for_each(|&k| sizes[k as usize] += 1);
    let mut order: Vec<usize> = (0..clusters).collect();
    order.sort_by_key(|&k| (std::cmp::Reverse(sizes[k]), k));
    Ok((order[0], order[1]))
}

/// Lines of rows: as pictures where they are some, else the values of the first columns.
fn panel(subject: &Subject, rows: &Matrix<f32>, lines: Vec<(String, std::ops::Range<usize>)>) -> Panel {
    match Drawn::of(&subject.data, subject.model.pixels()) {
        Some(drawn) => {
            let all = drawn.pictures_of(rows);
            let line = |(name, range): (String, std::ops::Range<usize>)| PictureRow {
                name,
                pictures: all[range].iter().map(|picture| (picture.clone(), Shown::Plain)).collect(),
            };
            Pictures::new("", Vec::new(), lines.into_iter().map(line).collect()).into()
        }
        None => {
            let shown = rows.cols().min(COLUMNS);
            let name = |j: usize| match &subject.data.columns {
                Some(names) => names[j].clone(),
                None => j.to_string(),
            };
            let columns = (0..shown).map(name).collect();
            let values = lines.iter().flat_map(|(_, range)| {
                rows.row(range.start)[..shown].iter().map(|v| Some(f64::from(*v))).collect::<Vec<_>>()
            });
            let values = values.collect();
            let names = lines.into_iter().map(|(name, _)| name).collect();
            Heat::new("Values", ("column", columns), ("", names), values).digits(2).into()
        }
    }
}

fn no_decoder(subject: &Subject) -> Failure {
    Failure::Failed(format!("{} has no decoder, and makes no rows", subject.model.method()))
}

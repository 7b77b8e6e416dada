//! Nearest neighbours in the codes and among the rows.

use lpvdn::Method;
use lpvdn_cluster::Neighbors;
use lpvdn_core::{Dataset, Labels, Matrix, Preprocessor};
use lpvdn_report::figure::{BarSeries, Bars, PictureRow, Pictures, Shown};
use lpvdn_report::{Cell, Drawn, Figure, Spread, Table, dense_rows};
use serde::{Deserialize, Serialize};

use super::laboratory::{Laboratory, Run, Variant};
use super::{Failure, Outcome};
use crate::console::{self, grouped};
use crate::runs::{RunRecord, facts};

const NEIGHBORS: usize = 10;
/// Rows that are searched, and what they take in memory, at most.
const MOST_ROWS: usize = 200_000;
const MOST_BYTES: u64 = 2_000_000_000;

/// The neighbours in one space.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Found {
    /// The mean share of neighbours that have the row's class.
    precision: f64,
    /// The neighbours of every row, [`NEIGHBORS`] each.
    neighbors: Vec<u32>,
}

impl Found {
    fn of(points: &Matrix<f32>, labels: &Labels) -> Result<Found, Failure> {
        let found = Neighbors::among(points, NEIGHBORS).map_err(|e| Failure::Failed(e.to_string()))?;
        let neighbors = found.indices.as_slice().to_vec();
        let same = |(i, &j): (usize, &u32)| labels.codes[i / NEIGHBORS] == labels.codes[j as usize];
        let right = neighbors.iter().enumerate().filter(|pair| same(*pair)).count();
        Ok(Found { precision: right as f64 / neighbors.len().max(1) as f64, neighbors })
    }

    fn right(&self, row: usize, labels: &Labels) -> usize {
        self.of_row(row).iter().filter(|&&j| labels.codes[j as usize] == labels.codes[row]).count()
    }

    fn of_row(&self, row: usize) -> &[u32] {
        &self.neighbors[row * NEIGHBORS..][..NEIGHBORS]
    }
}

pub(super) fn run(laboratory: &Laboratory<'_>, data: &Dataset) -> Result<Outcome, Failure> {
    let Some(labels) = &data.labels else { return Err(Failure::Failed("no classes".to_owned())) };
    check(laboratory, data)?;
    let variants = [Method::Lpvdn, Method::Vade].map(Variant::of);
    let runs = laboratory.fit(data, &variants, &laboratory.seeds(1))?;
    let raw = raw(laboratory, data, labels)?;
    let query = match laboratory.args.query {
        Some(row) => row,
        // A row at a border, as the paper's; which one, no method has a say in.
        None => {
            (0..data.rows()).min_by_key(|&row| raw.right(row, labels).abs_diff(NEIGHBORS / 2)).unwrap_or(0)
        }
    };
    let mut spaces: Vec<(String, Vec<Found>)> = Vec::new();
    for (variant, runs) in variants.iter().zip(&runs) {
        let found: Vec<Found> =
            runs.iter().map(|run| of_run(laboratory, run, data, labels)).collect::<Result<_, _>>()?;
        spaces.push((format!("codes of {}", variant.name), found));
    }
    spaces.push(("raw rows".to_owned(), vec![raw]));
    let mut table = Table::new(["space", "runs", "precision@10 over all rows", "right for the query"]);
    let mut bars = Bars::new("Over all rows", "precision@10", ["precision@10"]);
    for (name, found) in &spaces {
        let precision = Spread::of(found.iter().map(|f| Some(f.precision)));
        let right = Spread::of(found.iter().map(|f| Some(f.right(query, labels) as f64)));
        table.row([
            Cell::Text(name.clone()),
            Cell::Count(found.len()),
            Cell::spread(precision, 4),
            Cell::spread(right, 1),
        ]);
        bars = bars.series(BarSeries::new(name, vec![precision]));
    }
    let mut figure = Figure::new(format!("Ten nearest neighbours: {}", data.name)).columns(1);
    let scaling = runs.iter().flatten().next().map(|run| run.model().map(|m| m.pixels().cloned()));
    if let Some(scaling) = scaling.transpose()? {
        figure =
            sheet(data, labels, scaling.as_ref(), query, &spaces)?.into_iter().fold(figure, Figure::panel);
    }
    Ok(Outcome {
        title: format!("Ten nearest neighbours: {}", data.name),
        about: format!(
            "precision@10 is the share of a row's ten nearest other rows (Euclidean) that have its class, over all \
             rows. The query is row {} (class {}): {}. Dashed frames are of another class.",
            query,
            labels.names[labels.codes[query] as usize],
            match laboratory.args.query {
                Some(_) => "the one that was asked for",
                None =>
                    "the first of those at a border, of whose neighbours among the raw rows half are of its class, \
                     which decides what stands in the line of the raw rows",
            }
        ),
        table,
        figure: figure.panel(bars),
    })
}

/// Refuses what would fail only after the fits.
fn check(laboratory: &Laboratory<'_>, data: &Dataset) -> Result<(), Failure> {
    let (rows, name) = (data.rows(), &data.name);
    if let Some(row) = laboratory.args.query.filter(|&row| row >= rows) {
        return Err(Failure::Usage(format!("there is no row {row}: {name} has {rows}, counted from 0")));
    }
    if rows <= NEIGHBORS {
        let problem = format!("{name} has {rows} rows, too few for {NEIGHBORS} neighbours of each");
        return Err(Failure::Usage(problem));
    }
    let bytes = 4 * rows as u64 * data.cols() as u64;
    if bytes > MOST_BYTES || rows > MOST_ROWS {
        let problem = format!(
            "the neighbours among all {} raw rows of {name} need {} of memory and a time that grows with the \
             square of the rows; give a set of at most {} rows and {}",
            grouped(rows),
            console::bytes(bytes),
            grouped(MOST_ROWS),
            console::bytes(MOST_BYTES)
        );
        return Err(Failure::Usage(problem));
    }
    Ok(())
}

/// The neighbours among the rows themselves: the longest search of all, and the same for every method.
fn raw(laboratory: &Laboratory<'_>, data: &Dataset, labels: &Labels) -> Result<Found, Failure> {
    let key = RunRecord::key(&facts(data, 0)?);
    laboratory.kept("neighbors-1", &format!("rows-{key}"), whole(data), || {
        let all: Vec<u32> = (0..data.rows() as u32).collect();
        Found::of(&dense_rows(data, &all)?, labels)
    })
}

fn whole(data: &Dataset) -> impl Fn(&Found) -> bool {
    let rows = data.rows();
    move |found| {
        found.neighbors.len() == rows * NEIGHBORS && found.neighbors.iter().all(|&j| (j as usize) < rows)
    }
}

fn of_run(laboratory: &Laboratory<'_>, run: &Run, data: &Dataset, labels: &Labels) -> Result<Found, Failure> {
    laboratory.measured("neighbors-1", run, whole(data), |model| Found::of(&model.codes(data)?, labels))
}

/// The query and its neighbours as pictures, where rows are images.
fn sheet(
    data: &Dataset,
    labels: &Labels,
    scaling: Option<&Preprocessor>,
    query: usize,
    spaces: &[(String, Vec<Found>)],
) -> Result<Option<Pictures>, Failure> {
    let Some(drawn) = Drawn::of(data, scaling) else { return Ok(None) };
    let plain =
        drawn.pictures(data, &[query as u32])?.into_iter().map(|picture| (picture, Shown::Plain)).collect();
    let mut lines = vec![PictureRow { name: format!("row {query}"), pictures: plain }];
    for (name, found) in spaces {
        let Some(found) = found.first() else { continue };
        let rows = found.of_row(query);
        let shown = drawn.pictures(data, rows)?;
        let frame = |&row: &u32| match labels.codes[row as usize] == labels.codes[query] {
            true => Shown::Right,
            false => Shown::Wrong,
        };
        let pictures = shown.into_iter().zip(rows.iter().map(frame)).collect();
        lines.push(PictureRow { name: name.clone(), pictures });
    }
    let columns = (1..=NEIGHBORS).map(|i| i.to_string()).collect();
    Ok(Some(Pictures::new("The query and its neighbours, nearest first", columns, lines)))
}

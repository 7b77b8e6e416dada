//! The first rows of a data set, as far as they fit on a screen.

use std::io;

use lpvdn_core::{Batch, Dataset, Matrix};
use lpvdn_data::text::TermWeights;

use crate::console::{Words, printable};

const ROWS: usize = 5;
const COLUMNS: usize = 8;
const TERMS: usize = 6;
/// Pictures side by side.
const PICTURES: usize = 3;
/// From dark to light.
const SHADES: &[u8] = b" .:-=+*#%@";

pub(super) fn write(out: &mut Words, data: &Dataset) -> io::Result<()> {
    let source = data.source.as_ref();
    let rows: Vec<u32> = (0..data.rows().min(ROWS) as u32).collect();
    let mut batch = Batch::for_source(source);
    source.gather(&rows, &mut batch).map_err(|e| io::Error::other(e.to_string()))?;
    match &batch {
        Batch::Sparse(_) => write_sparse(out, data, &batch),
        Batch::Dense(rows) => match side(data) {
            Some(side) => write_pictures(out, rows, side),
            None => write_table(out, data, rows),
        },
    }
}

/// The side of square pictures: bytes, or small whole numbers, as many as a square has.
fn side(data: &Dataset) -> Option<usize> {
    let side = data.cols().isqrt();
    (data.source.is_bytes() && side * side == data.cols() && (6..=48).contains(&side)).then_some(side)
}

fn write_pictures(out: &mut Words, rows: &Matrix<f32>, side: usize) -> io::Result<()> {
    let count = rows.rows().min(PICTURES).min(150 / (side + 2));
    let most = |i: usize| rows.row(i).iter().copied().fold(1.0_f32, f32::max);
    for y in 0..side {
        let line = |i: usize| -> String {
            let shade = |v: &f32| SHADES[(v / most(i) * (SHADES.len() - 1) as f32).round() as usize];
            rows.row(i)[y * side..(y + 1) * side].iter().map(|v| char::from(shade(v))).collect()
        };
        let lines: Vec<String> = (0..count.max(1)).map(line).collect();
        writeln!(out, "{}", lines.join("  ").trim_end())?;
    }
    Ok(())
}

fn write_table(out: &mut Words, data: &Dataset, rows: &Matrix<f32>) -> io::Result<()> {
    let more = if data.cols() > COLUMNS { " …" } else { "" };
    let shown = data.cols().min(COLUMNS);
    if let Some(names) = &data.columns {
        let short = |name: &String| printable(name).chars().take(11).collect::<String>();
        let cells: Vec<String> = names[..shown].iter().map(|n| format!("{:>11}", short(n))).collect();
        writeln!(out, "{}{more}", cells.join(" "))?;
    }
    for row in rows.iter_rows() {
        let cells: Vec<String> = row[..shown].iter().map(|v| format!("{v:>11}")).collect();
        writeln!(out, "{}{more}", cells.join(" "))?;
    }
    Ok(())
}

/// The heaviest entries of each row, by the names of their columns.
fn write_sparse(out: &mut Words, data: &Dataset, batch: &Batch) -> io::Result<()> {
    let numbers: Vec<String>;
    let names = match &data.columns {
        Some(names) => names,
        None => {
            numbers = (0..data.cols()).map(|j| j.to_string()).collect();
            &numbers
        }
    };
    for i in 0..batch.rows() {
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        batch.for_each_in_row(i, |j, v| {
            columns.push(j as u32);
            values.push(v);
        });
        let heaviest = TermWeights::new(names).heaviest((&columns, &values), TERMS);
        let words: Vec<String> =
            heaviest.iter().map(|(name, weight)| format!("{name} {weight:.3}")).collect();
        let more =
            if columns.len() > TERMS { format!(", … ({} in all)", columns.len()) } else { String::new() };
        let row = if words.is_empty() { "nothing".to_owned() } else { words.join(", ") };
        writeln!(out, "{row}{more}")?;
    }
    Ok(())
}

//! Columns that may hold the classes.

use lpvdn_core::Dataset;
use lpvdn_core::source::for_each_block;
use lpvdn_data::Reading;
use lpvdn_data::reading::{Content, TableReading};
use serde_json::{Value, json};

use crate::failure::Failure;

/// Rows looked at in one go.
const BLOCK: usize = 1024;
/// More values are hardly classes.
const MOST: usize = 50;
/// So many rows a class are there at least, on average.
const ROWS_A_CLASS: usize = 3;
/// What classes are usually called.
const USUAL: [&str; 9] =
    ["label", "labels", "class", "classes", "target", "category", "species", "type", "y"];

/// A column that may hold the classes.
pub(super) struct Candidate {
    /// As `--label-column` takes it.
    column: String,
    values: usize,
    why: &'static str,
}

impl Candidate {
    pub(super) fn described(&self) -> String {
        let Candidate { column, values, why } = self;
        format!(
            "--label-column {} may be it: {values} different values, {why}",
            crate::console::quoted(column)
        )
    }

    pub(super) fn facts(&self) -> Value {
        json!({ "column": self.column, "values": self.values, "why": self.why })
    }
}

/// The columns of a table that look like classes: words, or a few whole numbers at the edge of the
/// table or under a usual name.
pub(super) fn of(data: &Dataset, reading: Option<&Reading>) -> Result<Vec<Candidate>, Failure> {
    match reading {
        Some(Reading::Table(table)) => of_table(data, table),
        None if !data.source.is_sparse() => of_array(data),
        _ => Ok(Vec::new()),
    }
}

fn of_table(data: &Dataset, table: &TableReading) -> Result<Vec<Candidate>, Failure> {
    let few = few_values(data)?;
    let mut found = Vec::new();
    let mut at = 0;
    for column in &table.columns {
        let name = column.name.clone().unwrap_or_else(|| column.place.to_string());
        let usual = column.name.as_ref().is_some_and(|n| USUAL.contains(&n.trim().to_lowercase().as_str()));
        let edge = column.place == 0 || column.place + 1 == table.width;
        let candidate = match (&column.content, few[at]) {
            (Content::Words { words, other: None, .. }, _) if (2..=MOST).contains(&words.len()) => {
                Some((words.len(), "words"))
            }
            (Content::Booleans { .. }, _) => Some((2, "words")),
            (Content::Numbers { .. }, Some(values)) if usual => Some((values, "a usual name")),
            (Content::Numbers { .. }, Some(values)) if edge => {
                Some((values, "whole numbers at the edge of the table"))
            }
            _ => None,
        };
        found.extend(candidate.map(|(values, why)| Candidate { column: name, values, why }));
        at += column.content.width();
    }
    Ok(found)
}

fn of_array(data: &Dataset) -> Result<Vec<Candidate>, Failure> {
    // A picture's corner has few values, too.
    if data.source.is_bytes() || data.cols() < 2 {
        return Ok(Vec::new());
    }
    let few = few_values(data)?;
    let why = "whole numbers at the edge of the table";
    let candidate =
        |(at, name): (usize, &str)| few[at].map(|values| Candidate { column: name.into(), values, why });
    Ok([(0, "0"), (data.cols() - 1, "-1")].into_iter().filter_map(candidate).collect())
}

/// For every column the number of its different values, where these are few whole numbers.
fn few_values(data: &Dataset) -> Result<Vec<Option<usize>>, Failure> {
    let mut seen: Vec<Option<Vec<f32>>> = vec![Some(Vec::new()); data.cols()];
    let looked = for_each_block(data.source.as_ref(), BLOCK, |_, batch| {
        for i in 0..batch.rows() {
            batch.for_each_in_row(i, |j, value| {
                let Some(values) = &mut seen[j] else { return };
                if !values.contains(&value) {
                    values.push(value);
                }
                if values.len() > MOST || value != value.trunc() {
                    seen[j] = None;
                }
            });
        }
        Ok(())
    });
    looked.map_err(|e| Failure::Failed(e.to_string()))?;
    let most = data.rows() / ROWS_A_CLASS;
    let count = |values: Option<Vec<f32>>| values.map(|v| v.len()).filter(|&n| n >= 2 && n <= most);
    Ok(seen.into_iter().map(count).collect())
}

//! From lines of text to sparse rows.

use std::path::Path;

use lpvdn_core::RowLines;

use super::{index, split_label, split_pair, uncommented};
use crate::DataError;
use crate::budget::{Account, Budget};
use crate::described::ChargedLabels;
use crate::disk::{GrowingSparse, Limit};
use crate::error::quoted;
use crate::lines::{Lines, number, words};
use crate::reading::{PairsReading, Reading};
use crate::sparse::MOST_COLUMNS;
use crate::table::Table;

/// The rows read so far. Whether indices count from 0 or from 1 is known only after the last one, so
/// that they are kept as they stand.
pub(super) struct Rows {
    rows: GrowingSparse,
    labels: ChargedLabels,
    /// On which line each row stands.
    lines: RowLines,
    /// The first line with a label, and the first without one.
    labelled: Option<u64>,
    unlabelled: Option<u64>,
    smallest: Option<u32>,
    largest: u32,
    /// The row being read.
    row: Vec<(u32, f32)>,
    /// For the row being read, and for the lines.
    accounts: [Account; 2],
}

impl Rows {
    /// None yet.
    pub(super) fn new(limit: Limit, budget: &Budget) -> Rows {
        let labels = ChargedLabels::new(&limit.path, budget);
        let accounts = [(); 2].map(|()| budget.account(&limit.path));
        Rows {
            rows: GrowingSparse::new(limit),
            labels,
            lines: RowLines::default(),
            labelled: None,
            unlabelled: None,
            smallest: None,
            largest: 0,
            row: Vec::new(),
            accounts,
        }
    }

    /// Appends the row that the line holds, if it is not blank.
    pub(super) fn push(&mut self, lines: &Lines) -> Result<(), DataError> {
        let line = uncommented(lines.line());
        if words(line).next().is_none() {
            return Ok(());
        }
        let (label, pairs) = split_label(line);
        let first = if label.is_some() { &mut self.labelled } else { &mut self.unlabelled };
        first.get_or_insert(lines.number());
        self.labels.push(&class(&String::from_utf8_lossy(label.unwrap_or_default())))?;
        self.row.clear();
        for word in pairs {
            if let Some(entry) = entry(word).map_err(|problem| lines.wrong(problem))? {
                let what = format_args!("the entries of line {}", lines.number());
                self.accounts[0].reserve(&mut self.row, 1, usize::MAX, what)?;
                self.row.push(entry);
            }
        }
        self.check_row().map_err(|problem| lines.wrong(problem))?;
        self.lines.push(lines.number());
        self.accounts[1].set(2 * self.lines.memory() as u64, "on which line each row stands")?;
        self.rows.push(&self.row)
    }

    /// Sorts and checks the row being read.
    fn check_row(&mut self) -> Result<(), String> {
        self.row.sort_by_key(|entry| entry.0);
        if let Some(same) = self.row.windows(2).find(|two| two[0].0 == two[1].0) {
            return Err(format!("index {} stands twice; every index may stand once a line", same[0].0));
        }
        if let (Some(first), Some(last)) = (self.row.first(), self.row.last()) {
            self.smallest = Some(self.smallest.map_or(first.0, |smallest| smallest.min(first.0)));
            self.largest = self.largest.max(last.0);
        }
        Ok(())
    }

    /// The whole table.
    pub(super) fn finish(self, path: &Path, known: Option<PairsReading>) -> Result<Table, DataError> {
        let nothing = |what| DataError::Nothing { path: path.to_owned(), what, hint: "" };
        if self.rows.rows() == 0 {
            return Err(nothing("rows"));
        }
        let smallest = self.smallest.ok_or_else(|| nothing("columns of values"))?;
        let labelled = self.check_labels(path)?;
        // As in scikit-learn: an index 0 can only stand in a file that counts from 0.
        let found = PairsReading { columns: self.largest - smallest.min(1) + 1, base: smallest.min(1) };
        let reading = known.unwrap_or(found);
        if smallest < reading.base || self.largest - reading.base >= reading.columns {
            let wrong = if smallest < reading.base { smallest } else { self.largest };
            let (first, last) =
                (reading.base, reading.base.saturating_add(reading.columns.saturating_sub(1)));
            return Err(DataError::Malformed {
                path: path.to_owned(),
                format: "svmlight",
                problem: format!("index {wrong} is outside the columns {first} to {last} of the model"),
            });
        }
        let labels = labelled.then(|| self.labels.finish());
        let rows = self.rows.finish(reading.columns as usize, reading.base)?.into_rows();
        Ok(Table { labels, lines: Some(self.lines), reading: Some(Reading::Pairs(reading)), ..rows.into() })
    }

    /// Whether lines have labels: all of them, or, where a row may belong to several classes,
    /// any number, because it may also belong to none.
    fn check_labels(&self, path: &Path) -> Result<bool, DataError> {
        let Some(labelled) = self.labelled else { return Ok(false) };
        let several = self.labels.names().any(|label| label.contains(','));
        match self.unlabelled {
            Some(line) if !several => Err(DataError::Line {
                path: path.to_owned(),
                line,
                problem: format!(
                    "it has no label, but line {labelled} has; either all lines begin with one, or none"
                ),
            }),
            _ => Ok(true),
        }
    }
}

/// The name of the class, or of several with commas between them: numbers in one form, for `+1`, `1` and `1.0`
/// are one class.
fn class(label: &str) -> String {
    let part = |part: &str| match (part.parse::<i128>(), part.parse::<f64>()) {
        (Ok(whole), _) => whole.to_string(),
        // Beside 0.0 there is -0.0.
        (_, Ok(number)) => (number + 0.0).to_string(),
        _ => part.to_owned(),
    };
    label.split(',').map(part).collect::<Vec<_>>().join(",")
}

/// The index and the value that a word holds; nothing for the number of a query.
pub(crate) fn entry(word: &[u8]) -> Result<Option<(u32, f32)>, String> {
    let Some((place, text)) = split_pair(word) else {
        return Err(format!("{} is not a pair index:value such as 7:0.5", quoted(word)));
    };
    if place == b"qid" {
        return Ok(None);
    }
    let Some(index) = index(place) else {
        return Err(format!("{} has no index before the colon; accepted is such as 7:0.5", quoted(word)));
    };
    let Some(value) = number(text) else {
        return Err(format!("{} is not a number; accepted are such as -1.5 or 2e-3", quoted(text)));
    };
    match u32::try_from(index) {
        Ok(index) if index < MOST_COLUMNS => Ok(Some((index, value))),
        _ => Err(format!(
            "index {} is too large; indices must be below {MOST_COLUMNS}",
            String::from_utf8_lossy(&place[..place.len().min(40)])
        )),
    }
}

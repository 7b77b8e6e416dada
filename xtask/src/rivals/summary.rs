//! Means over runs, means and ranks over sets, and where we lose.

use std::collections::BTreeMap;

use super::methods::{OURS, RIVALS};
use super::records::{Record, latest};
use super::sets::Set;
use crate::ranking::ranks;

/// We lose a set where the best rival's mean ARI is ahead of ours by more than this.
pub(super) const MARGIN: f64 = 0.02;
/// The label of ours where none is given.
pub(super) const NOW: &str = "now";

/// A method of either side, ours with the label of their state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Column {
    pub(super) method: String,
    pub(super) label: Option<String>,
}

impl Column {
    pub(super) fn is_ours(&self) -> bool {
        self.label.is_some()
    }

    /// Whether it is a rival for texts alone.
    pub(super) fn for_texts(&self) -> bool {
        !self.is_ours() && RIVALS.iter().any(|rival| rival.name == self.method && rival.texts)
    }
}

/// A number of a run.
pub(super) type Figure = fn(&Record) -> Option<f64>;

/// All runs of one method on one set.
#[derive(Default)]
pub(super) struct Cell<'a> {
    pub(super) runs: Vec<&'a Record>,
}

impl Cell<'_> {
    /// The mean over the runs that ended; none where no run did.
    pub(super) fn mean(&self, figure: Figure) -> Option<f64> {
        mean(&self.runs.iter().filter_map(|run| figure(run)).collect::<Vec<_>>())
    }

    /// The ARI that counts: where no run ended there are no clusters, which is 0.
    pub(super) fn ari(&self) -> f64 {
        self.mean(|run| run.ari).unwrap_or(0.0)
    }

    pub(super) fn failures(&self) -> usize {
        self.runs.iter().filter(|run| run.failed.is_some()).count()
    }
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// All runs in their order on the page.
pub(super) struct Summary<'a> {
    pub(super) sets: &'a [Set],
    pub(super) columns: Vec<Column>,
    cells: BTreeMap<(Column, String), Cell<'a>>,
    /// The label of ours that is compared with the rivals.
    pub(super) label: String,
}

/// A set that a rival is better at.
#[derive(Debug, PartialEq)]
pub(super) struct Loss<'a> {
    pub(super) set: &'a str,
    pub(super) ours: f64,
    pub(super) rival: Column,
    pub(super) theirs: f64,
}

/// How a method does over all common sets.
#[derive(Debug, PartialEq)]
pub(super) struct Standing {
    pub(super) column: Column,
    pub(super) ari: f64,
    pub(super) rank: f64,
}

/// One method of ours over time.
pub(super) struct States {
    /// How many sets count and have all of the states.
    pub(super) sets: usize,
    /// Each state, and its mean ARI over them.
    pub(super) means: Vec<(Column, f64)>,
}

impl<'a> Summary<'a> {
    pub(super) fn new(records: &'a [Record], sets: &'a [Set]) -> Summary<'a> {
        let mut cells: BTreeMap<(Column, String), Cell<'a>> = BTreeMap::new();
        for (key, record) in latest(records) {
            let column = Column { method: key.method, label: key.label };
            cells.entry((column, key.set)).or_default().runs.push(record);
        }
        let mut columns: Vec<Column> = cells.keys().map(|(column, _)| column.clone()).collect();
        columns.dedup();
        let mut labels = records.iter().filter_map(|record| record.label.as_deref());
        let label = labels.clone().find(|label| *label == NOW).or_else(|| labels.next_back());
        let label = label.unwrap_or(NOW).to_owned();
        columns.sort_by_key(|column| place(column, &label));
        Summary { sets, columns, cells, label }
    }

    pub(super) fn cell(&self, column: &Column, set: &str) -> Option<&Cell<'a>> {
        self.cells.get(&(column.clone(), set.to_owned()))
    }

    /// The sets of which anything is recorded.
    pub(super) fn recorded_sets(&self) -> impl Iterator<Item = &'a Set> {
        self.sets.iter().filter(|set| self.columns.iter().any(|column| self.cell(column, set.name).is_some()))
    }

    /// Those that are compared: all rivals for every kind of set, and ours in their present state.
    fn compared(&self) -> Vec<&Column> {
        let present = |column: &&Column| column.label.as_ref().is_none_or(|label| *label == self.label);
        self.columns.iter().filter(present).filter(|column| !column.for_texts()).collect()
    }

    /// The sets that count on which all of these were run.
    fn common(&self, columns: &[&Column]) -> Vec<&'a str> {
        let all = |set: &&Set| columns.iter().all(|column| self.cell(column, set.name).is_some());
        self.sets.iter().filter(|set| set.counts).filter(all).map(|set| set.name).collect()
    }

    /// The sets that count for the means, and how each method does on them.
    pub(super) fn standings(&self) -> (Vec<&'a str>, Vec<Standing>) {
        let compared = self.compared();
        let sets = self.common(&compared);
        if sets.is_empty() {
            return (sets, Vec::new());
        }
        let of_set = |set: &str| -> Vec<f64> {
            compared.iter().map(|column| self.cell(column, set).map_or(0.0, Cell::ari)).collect()
        };
        let values: Vec<Vec<f64>> = sets.iter().map(|set| of_set(set)).collect();
        // The lowest has rank 0 there, and here the highest has rank 1.
        let best_first = |values: &Vec<f64>| -> Vec<f64> {
            ranks(values).iter().map(|rank| values.len() as f64 - rank).collect()
        };
        let places: Vec<Vec<f64>> = values.iter().map(best_first).collect();
        let over_sets = |table: &[Vec<f64>], at: usize| {
            mean(&table.iter().map(|row| row[at]).collect::<Vec<_>>()).unwrap_or(0.0)
        };
        let standing = |(at, column): (usize, &&Column)| Standing {
            column: (*column).clone(),
            ari: over_sets(&values, at),
            rank: over_sets(&places, at),
        };
        (sets, compared.iter().enumerate().map(standing).collect())
    }

    /// Where the best rival is ahead of one of ours by more than the margin.
    pub(super) fn losses(&self, ours: &Column) -> Vec<Loss<'a>> {
        let loss = |set: &'a Set| {
            let own = self.cell(ours, set.name)?.ari();
            let rivals = self.columns.iter().filter(|column| !column.is_ours());
            let scored = rivals.filter_map(|column| Some((column, self.cell(column, set.name)?.ari())));
            let (rival, theirs) = scored.max_by(|a, b| a.1.total_cmp(&b.1))?;
            let lost = theirs - own > MARGIN;
            lost.then(|| Loss { set: set.name, ours: own, rival: rival.clone(), theirs })
        };
        self.sets.iter().filter_map(loss).collect()
    }

    /// Ours in their present state, the one that the project is named after first.
    pub(super) fn ours(&self) -> Vec<&Column> {
        let present = |column: &&Column| column.label.as_ref() == Some(&self.label);
        let mut ours: Vec<&Column> = self.columns.iter().filter(present).collect();
        ours.sort_by_key(|column| column.method != "lpvdn");
        ours
    }

    /// Methods of ours that were recorded in several states.
    pub(super) fn states(&self) -> Vec<States> {
        let mut all = Vec::new();
        for (method, ..) in OURS {
            let of_method = |column: &&Column| column.is_ours() && column.method == method;
            let columns: Vec<&Column> = self.columns.iter().filter(of_method).collect();
            let sets = self.common(&columns);
            if columns.len() < 2 || sets.is_empty() {
                continue;
            }
            let ari = |column: &Column| {
                let values = sets.iter().filter_map(|set| self.cell(column, set).map(Cell::ari));
                mean(&values.collect::<Vec<_>>()).unwrap_or(0.0)
            };
            let means = columns.iter().map(|column| ((*column).clone(), ari(column))).collect();
            all.push(States { sets: sets.len(), means });
        }
        all
    }
}

/// Rivals in their order, then ours; of one method the present state last.
fn place(column: &Column, present: &str) -> (bool, usize, bool, Option<String>) {
    let at = match column.is_ours() {
        false => RIVALS.iter().position(|rival| rival.name == column.method),
        true => OURS.iter().position(|(name, ..)| *name == column.method),
    };
    let is_present = column.label.as_deref() == Some(present);
    (column.is_ours(), at.unwrap_or(usize::MAX), is_present, column.label.clone())
}

#[cfg(test)]
mod tests;

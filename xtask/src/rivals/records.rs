//! One line for each run, and which of them is counted.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One run of one method on one set, as `results/rivals.jsonl` has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    pub(super) set: String,
    pub(super) method: String,
    /// Of ours: which state of the program this was, as "before" and "now".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    pub(super) seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) acc: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) nmi: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ari: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<f64>,
    /// The most memory that the process had, in 10⁶ bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) memory_mb: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rows: Option<usize>,
    /// As the method sees them, encoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) columns: Option<usize>,
    pub(super) clusters: usize,
    /// How many clusters have rows, noise not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) found: Option<usize>,
    /// Rows that the method calls noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) noise: Option<usize>,
    /// Of the program, or of the packages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    /// Of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) commit: Option<String>,
    pub(super) threads: usize,
    /// Why there are no scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<String>,
}

/// What a run is known by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) set: String,
    pub(super) method: String,
    pub(super) label: Option<String>,
    pub(super) seed: u64,
}

impl Record {
    pub(super) fn key(&self) -> Key {
        let Record { set, method, label, seed, .. } = self;
        Key { set: set.clone(), method: method.clone(), label: label.clone(), seed: *seed }
    }
}

/// A run that gave no clusters.
pub(super) fn failure(key: &Key, clusters: usize, threads: usize, why: &str) -> Record {
    Record {
        set: key.set.clone(),
        method: key.method.clone(),
        label: key.label.clone(),
        seed: key.seed,
        acc: None,
        nmi: None,
        ari: None,
        seconds: None,
        memory_mb: None,
        rows: None,
        columns: None,
        clusters,
        found: None,
        noise: None,
        version: None,
        commit: None,
        threads,
        failed: Some(why.to_owned()),
    }
}

/// The lines of the file.
pub(super) fn parse(lines: Vec<Value>) -> Result<Vec<Record>> {
    lines
        .into_iter()
        .map(|line| {
            serde_json::from_value(line.clone()).with_context(|| format!("not a run of rivals: {line}"))
        })
        .collect()
}

/// Of the lines of each run, the last: a run that was repeated replaces the earlier one.
pub(super) fn latest(records: &[Record]) -> BTreeMap<Key, &Record> {
    records.iter().map(|record| (record.key(), record)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    /// A run that ended with this ARI.
    pub(crate) fn ended(set: &str, method: &str, label: Option<&str>, seed: u64, ari: f64) -> Record {
        let line = json!({"set": set, "method": method, "seed": seed, "acc": ari, "nmi": ari, "ari": ari,
            "seconds": 2.0, "memory_mb": 100.0, "rows": 10, "columns": 2, "clusters": 2, "threads": 2});
        let mut record: Record = serde_json::from_value(line).expect("a record");
        record.label = label.map(str::to_owned);
        record
    }

    /// One that failed.
    pub(crate) fn failed(set: &str, method: &str, seed: u64) -> Record {
        let key = Key { set: set.to_owned(), method: method.to_owned(), label: None, seed };
        failure(&key, 2, 2, "no memory")
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        for record in [ended("iris", "lpvdn", Some("now"), 3, 0.5), failed("iris", "leiden", 1)] {
            let line = serde_json::to_value(&record).expect("a line");
            assert_eq!(parse(vec![line]).expect("records"), [record]);
        }
    }

    #[test]
    fn a_line_with_a_field_that_is_not_known_is_an_error_that_shows_it() {
        let mut line = serde_json::to_value(ended("iris", "leiden", None, 1, 0.5)).expect("a line");
        line["arj"] = json!(1);
        let error = parse(vec![line]).expect_err("unknown").to_string();
        assert!(error.contains("arj"), "{error}");
    }

    #[test]
    fn the_last_line_of_a_run_counts_and_other_labels_are_other_runs() {
        let records = [
            ended("iris", "lpvdn", Some("now"), 1, 0.1),
            ended("iris", "lpvdn", Some("before"), 1, 0.2),
            ended("iris", "lpvdn", Some("now"), 1, 0.3),
        ];
        let latest = latest(&records);
        assert_eq!(latest.len(), 2);
        assert_eq!(latest[&records[0].key()].ari, Some(0.3));
    }
}

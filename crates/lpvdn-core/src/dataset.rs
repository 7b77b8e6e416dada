//! A data set: rows, and what is known about them.

use std::sync::Arc;

use crate::matrix::Matrix;
use crate::source::{RowSource, Stored};

/// True classes of the rows: used for evaluation only, never for training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The class of each row, an index into `names`.
    pub codes: Vec<u32>,
    /// The name of each class.
    pub names: Vec<String>,
}

impl Labels {
    /// Numbers the distinct names: as numbers where all of them are, else alphabetically.
    pub fn from_names<S: AsRef<str>>(rows: &[S]) -> Labels {
        let mut names: Vec<&str> = rows.iter().map(AsRef::as_ref).collect();
        names.sort_unstable();
        names.dedup();
        if let Ok(mut numbers) =
            names.iter().map(|n| n.parse().map(|x: f64| (x, *n))).collect::<Result<Vec<_>, _>>()
        {
            numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
            names = numbers.into_iter().map(|(_, n)| n).collect();
        }
        let code: std::collections::HashMap<&str, u32> =
            names.iter().enumerate().map(|(i, n)| (*n, i as u32)).collect();
        Labels {
            codes: rows.iter().map(|r| code[r.as_ref()]).collect(),
            names: names.iter().map(|n| (*n).to_owned()).collect(),
        }
    }

    /// The labels of rows `rows`; classes without any are gone.
    #[must_use]
    pub fn of_rows(&self, rows: &[u32]) -> Labels {
        let names = rows.iter().map(|&row| self.names[self.codes[row as usize] as usize].as_str());
        Labels::from_names(&names.collect::<Vec<_>>())
    }
}

/// Rows with their labels and column names, if any.
#[derive(Clone)]
pub struct Dataset {
    /// What the set is called in messages.
    pub name: String,
    /// The rows.
    pub source: Arc<dyn RowSource>,
    /// The true classes.
    pub labels: Option<Labels>,
    /// A name for each column.
    pub columns: Option<Vec<String>>,
    /// What each row is called.
    pub ids: Option<Vec<String>>,
}

impl Dataset {
    /// A data set without labels.
    pub fn new(name: impl Into<String>, source: impl RowSource + 'static) -> Dataset {
        Dataset { name: name.into(), source: Arc::new(source), labels: None, columns: None, ids: None }
    }

    /// The same rows with their true classes.
    #[must_use]
    pub fn with_labels(mut self, labels: Labels) -> Dataset {
        self.labels = Some(labels);
        self
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.source.rows()
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.source.cols()
    }
}

impl<S: Stored> From<Matrix<S>> for Dataset {
    fn from(rows: Matrix<S>) -> Dataset {
        Dataset::new("data", rows)
    }
}

impl std::fmt::Debug for Dataset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Dataset({}, {} × {}", self.name, self.rows(), self.cols())?;
        if let Some(labels) = &self.labels {
            write!(f, ", {} classes", labels.names.len())?;
        }
        write!(f, ")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_labels_are_ordered_as_numbers_and_others_by_name() {
        let numbers = Labels::from_names(&["10", "9", "2", "9"]);
        assert_eq!(numbers.names, ["2", "9", "10"]);
        assert_eq!(numbers.codes, [2, 1, 0, 1]);
        let words = Labels::from_names(&["b", "a", "10"]);
        assert_eq!(words.names, ["10", "a", "b"]);
    }
}

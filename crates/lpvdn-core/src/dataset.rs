//! A data set: rows, and what is known about them.

use std::sync::Arc;

use crate::columns::ColumnGroup;
use crate::labels::{Labels, RowNames};
use crate::lines::RowLines;
use crate::matrix::Matrix;
use crate::picture::PictureShape;
use crate::source::{RowSource, Stored, Subset};

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
    /// What the columns stand for, in their order, where that is known. Their widths add up to the number of columns.
    pub groups: Option<Vec<ColumnGroup>>,
    /// What each row is called.
    pub ids: Option<RowNames>,
    /// The line of its file on which each row begins, where the format has lines.
    pub lines: Option<RowLines>,
    /// How rows are images, where that is known.
    pub picture: Option<PictureShape>,
}

impl Dataset {
    /// A data set without labels.
    pub fn new(name: impl Into<String>, source: impl RowSource + 'static) -> Dataset {
        Dataset::shared(name, Arc::new(source))
    }

    /// A data set without labels, of rows that others may hold too.
    pub fn shared(name: impl Into<String>, source: Arc<dyn RowSource>) -> Dataset {
        Dataset {
            name: name.into(),
            source,
            labels: None,
            columns: None,
            groups: None,
            ids: None,
            lines: None,
            picture: None,
        }
    }

    /// The same rows with their true classes.
    #[must_use]
    pub fn with_labels(mut self, labels: Labels) -> Dataset {
        self.labels = Some(labels);
        self
    }

    /// Some of the rows, in that order, with what is known about them. Classes without any are gone.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn of_rows(self, rows: Vec<u32>) -> Dataset {
        let labels = self.labels.map(|labels| labels.of_rows(&rows));
        let ids = self.ids.map(|ids| ids.of_rows(&rows));
        let lines = self.lines.map(|lines| lines.of_rows(&rows));
        Dataset { source: Arc::new(Subset::new(self.source, rows)), labels, ids, lines, ..self }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.source.rows()
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.source.cols()
    }

    /// Where a row stands, for a message: by its line where it has one, else counted from 1.
    pub fn place_of(&self, row: usize) -> String {
        match self.lines.as_ref().and_then(|lines| lines.get(row)) {
            Some(line) => format!("line {line}"),
            None => format!("row {} (counted from 1)", row + 1),
        }
    }

    /// Bytes held in memory: the rows as far as they are, their classes, and what they are called.
    pub fn memory(&self) -> usize {
        let labels = self.labels.as_ref().map_or(0, Labels::memory);
        let ids = self.ids.as_ref().map_or(0, RowNames::memory);
        let lines = self.lines.as_ref().map_or(0, RowLines::memory);
        self.source.memory() + labels + ids + lines
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
    fn classes_and_names_of_rows_are_counted_as_memory() {
        let rows = || Matrix::<f32>::zeros(1_000, 1);
        let names = || (0..1_000).map(|i| i.to_string());
        let mut data = Dataset::from(rows()).with_labels(names().map(|n| n[..1].to_owned()).collect());
        assert!(data.memory() >= 4 * 1_000 + 4 * 1_000, "{}", data.memory());
        let before = data.memory();
        data.ids = Some(names().collect());
        assert!(data.memory() >= before + 2_890, "{} after {before}", data.memory());
    }
}

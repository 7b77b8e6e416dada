//! From a number a cell to the values of a row.

use std::path::Path;
use std::sync::Arc;

use lpvdn_core::{Batch, Matrix, RowSource, SourceError};
use rayon::prelude::*;

use crate::DataError;
use crate::budget::Budget;
use crate::disk::{DenseRows, Grown};
use crate::reading::{Content, Missing, TableColumn};
use crate::table::{Rows, Values};

/// How many numbers stand for a cell before it is expanded: a word is a single code.
pub(super) fn raw_width(content: &Content) -> usize {
    match content {
        Content::Numbers { .. } | Content::Words { .. } => 1,
        Content::Vectors { means } => means.len(),
    }
}

/// The names of the values: those of the columns, `column=word` for words, `column_0` … for vectors.
pub(super) fn value_names(columns: &[TableColumn]) -> Vec<String> {
    let mut names = Vec::new();
    for column in columns {
        let name = column.name.clone().unwrap_or_default();
        match &column.content {
            Content::Numbers { .. } => names.push(name),
            Content::Words { words } => names.extend(words.iter().map(|word| format!("{name}={word}"))),
            Content::Vectors { means } => names.extend((0..means.len()).map(|i| format!("{name}_{i}"))),
        }
    }
    names
}

/// What becomes of the numbers of a row: means in the place of missing ones, and a 1 in the place of each
/// word; the first `skipped` columns, of a number each, are left out.
pub(super) struct Expansion {
    contents: Vec<Content>,
    /// For words, the place of each code among them.
    codes: Vec<Vec<usize>>,
    skipped: usize,
    missing: Missing,
    width: usize,
}

impl Expansion {
    pub(super) fn new(
        columns: &[TableColumn],
        codes: Vec<Vec<usize>>,
        skipped: usize,
        missing: Missing,
    ) -> Expansion {
        let contents: Vec<Content> = columns.iter().map(|column| column.content.clone()).collect();
        let width = contents.iter().map(Content::width).sum();
        Expansion { contents, codes, skipped, missing, width }
    }

    /// How many values a row becomes.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Whether every number is the value itself.
    fn changes_nothing(&self) -> bool {
        let words = self.contents.iter().any(|content| matches!(content, Content::Words { .. }));
        !words && self.skipped == 0 && self.missing == Missing::Error
    }

    /// The rows of which these are the numbers: at once, as long as they may be held, and else as they are asked
    /// for.
    pub(super) fn of(
        self,
        raw: Grown<Matrix<f32>, DenseRows>,
        path: &Path,
        budget: &Budget,
    ) -> Result<Rows, DataError> {
        let bytes = |rows: usize| (rows as u64).saturating_mul(self.width as u64).saturating_mul(4);
        Ok(match raw {
            Grown::Memory(raw) if self.changes_nothing() => Rows::Held(Values::Floats(raw)),
            Grown::Disk(raw) if self.changes_nothing() => Rows::Elsewhere(Arc::new(raw)),
            Grown::Memory(raw) if bytes(raw.rows()) <= budget.held_rows().min(budget.left()) => {
                budget.charge(path, bytes(raw.rows()), "the values of the rows")?;
                let mut values = Matrix::zeros(raw.rows(), self.width);
                (0..raw.rows()).for_each(|i| self.row(raw.row(i), values.row_mut(i)));
                Rows::Held(Values::Floats(values))
            }
            Grown::Memory(raw) => {
                Rows::Elsewhere(Arc::new(ExpandedRows { raw: Box::new(raw), expansion: self }))
            }
            Grown::Disk(raw) => {
                Rows::Elsewhere(Arc::new(ExpandedRows { raw: Box::new(raw), expansion: self }))
            }
        })
    }

    /// `out` holds zeros before.
    fn row(&self, raw: &[f32], out: &mut [f32]) {
        let filled =
            |cell: f32, mean: f32| if cell.is_nan() && self.missing == Missing::Mean { mean } else { cell };
        let (mut from, mut rest) = (&raw[self.skipped..], out);
        for (content, codes) in self.contents.iter().zip(&self.codes) {
            let (cells, after) = from.split_at(raw_width(content));
            let (out, left) = rest.split_at_mut(content.width());
            (from, rest) = (after, left);
            match content {
                Content::Numbers { mean } => out[0] = filled(cells[0], *mean),
                Content::Words { .. } if cells[0].is_nan() => {}
                Content::Words { .. } => out[codes[cells[0] as usize]] = 1.0,
                Content::Vectors { means } => {
                    let both = cells.iter().zip(means).map(|(&cell, &mean)| filled(cell, mean));
                    out.iter_mut().zip(both).for_each(|(out, value)| *out = value);
                }
            }
        }
    }
}

/// Rows that are expanded when they are asked for.
struct ExpandedRows {
    raw: Box<dyn RowSource>,
    expansion: Expansion,
}

impl RowSource for ExpandedRows {
    fn rows(&self) -> usize {
        self.raw.rows()
    }
    fn cols(&self) -> usize {
        self.expansion.width
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let Batch::Dense(out) = batch else { unreachable!("a dense source got a sparse batch") };
        let mut raw = Batch::for_source(self.raw.as_ref());
        self.raw.gather(indices, &mut raw)?;
        let Batch::Dense(raw) = raw else { unreachable!("numbers of cells are dense") };
        out.set_rows(indices.len());
        out.fill(0.0);
        let rows = out.as_mut_slice().par_chunks_mut(self.expansion.width.max(1)).enumerate();
        rows.for_each(|(i, out)| self.expansion.row(raw.row(i), out));
        Ok(())
    }
    fn memory(&self) -> usize {
        self.raw.memory()
    }
}

/// Whether cells count rows from 0 or 1, as pandas and R write a column without a name: it says nothing
/// about a row, but would outweigh everything that does.
#[derive(Debug, Default)]
pub(super) struct Counter {
    start: usize,
    fails: bool,
}

impl Counter {
    /// The cell of the next row.
    pub(super) fn push(&mut self, row: usize, cell: f32) {
        if row == 0 {
            self.start = usize::from(cell == 1.0);
        }
        // Rounded once, as the cell is: beyond 2²⁴ not every number can be told from its neighbours.
        self.fails |= cell != (self.start + row) as f32;
    }

    /// Whether the first of these columns was what is called so above.
    pub(super) fn is_first_of(&self, columns: &[TableColumn]) -> bool {
        let unnamed = columns.len() > 1 && columns[0].place == 0 && columns[0].name.as_deref() == Some("");
        unnamed && matches!(columns[0].content, Content::Numbers { .. }) && !self.fails
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_from_either_number_and_beyond_what_a_float_can_tell_apart() {
        for start in [0_usize, 1] {
            let mut counter = Counter::default();
            (0..3).for_each(|row| counter.push(row, (start + row) as f32));
            for row in (1 << 24) - 2..(1 << 24) + 6 {
                let cell: f32 = (start + row).to_string().parse().expect("a number");
                counter.push(row, cell);
            }
            assert!(!counter.fails, "from {start}");
            counter.push(7, 9.0);
            assert!(counter.fails);
        }
        let mut other = Counter::default();
        other.push(0, 2.0);
        assert!(other.fails);
    }
}

//! The whole table, once all of its cells are there.

use std::path::Path;
use std::sync::Arc;

use lpvdn_core::table::cells::Column;
use lpvdn_core::table::{
    Choice, ColumnType, Expanded, Expansion, Fillable, GRID, Missing, TableColumn, TableReading, Verdict,
    fill_in, groups, value_names,
};
use lpvdn_core::{Matrix, RowSource};

use super::cells::Cells;
use super::layout::Role;
use crate::budget::{Budget, PER_STRING};
use crate::disk::{DenseRows, Grown};
use crate::reading::Reading;
use crate::table::{Rows, Table, Values};
use crate::{DataError, Filled};

/// A column that becomes values.
pub(super) struct Kept {
    pub(super) value: usize,
    pub(super) column: TableColumn,
    /// For words, the place of each code among the values.
    codes: Vec<usize>,
}

/// A column that is left out, and why.
pub(super) struct LeftOut {
    pub(super) place: usize,
    pub(super) verdict: Verdict,
}

/// What the names of all values take: each has the name of its column in it; and those of the columns.
fn names_bytes(kept: &[Kept]) -> u64 {
    let name = |column: &TableColumn| column.name.as_ref().map_or(0, String::len) as u64 + PER_STRING;
    let width = |column: &TableColumn| column.content.width() as u64 + 1;
    let columns = kept.iter().map(|kept| &kept.column);
    columns.fold(0, |sum, column| width(column).saturating_mul(name(column)).saturating_add(sum))
}

impl Cells {
    /// The whole table. Where it has names but no rows, `after_names` says so.
    pub(crate) fn finish(mut self, after_names: &'static str) -> Result<Table, DataError> {
        self.decide()?;
        if self.raw.rows() == 0 {
            let hint = if self.layout.names.is_some() { after_names } else { "" };
            return Err(DataError::Nothing { path: self.path, what: "rows", hint });
        }
        let places = self.places();
        let doubts: Vec<Option<String>> = self.columns.iter().map(Column::doubt).collect();
        let (mut kept, left_out) = self.judge_columns(&places)?;
        if kept.is_empty() && !self.layout.roles.contains(&Role::Text) {
            return Err(self.nothing_left(&left_out));
        }
        let mut notes = self.notes(&kept, &left_out, &doubts, &places);
        if self.known.is_none() {
            notes.extend(self.doubts(&kept));
        }
        let missing = self.filled(&kept);
        let label = self.layout.roles.iter().position(|role| *role == Role::Label);
        let known_labels =
            !self.layout.labels_may_be_missing || self.labels.names().all(|name| !name.is_empty());
        self.budget.charge(&self.path, names_bytes(&kept), "the names of the values")?;
        self.account.keep();
        let width = kept.iter().map(|kept| kept.column.content.width()).sum();
        let raw = self.raw.finish(width)?;
        if self.known.is_none() {
            fill(&raw, &mut kept, (&self.starts, &self.holes), self.rules.missing)
                .map_err(|cause| DataError::Rows { path: self.path.clone(), cause })?;
        }
        let parts = kept.iter_mut().map(|kept| {
            let codes = std::mem::take(&mut kept.codes);
            (self.starts[kept.value], kept.column.content.clone(), codes)
        });
        let rows = expand(
            raw,
            Expansion::new(parts, self.rules.missing),
            self.starts.last(),
            &self.path,
            &self.budget,
        )?;
        let columns: Vec<TableColumn> = kept.into_iter().map(|kept| kept.column).collect();
        let names = self.layout.names.is_some().then(|| value_names(&columns));
        let groups = groups(&columns);
        let reading = TableReading {
            width: self.layout.roles.len(),
            columns,
            label: label.and_then(|place| self.layout.name(place)),
            label_place: label.filter(|place| self.layout.shares_its_name(*place)),
            missing: self.rules.missing,
            decimal: self.rules.decimal,
        };
        Ok(Table {
            labels: label.filter(|_| known_labels).map(|_| self.labels.finish()),
            columns: names,
            groups: Some(groups),
            ids: self.layout.roles.contains(&Role::Id).then(|| self.ids.finish()),
            reading: Some(Reading::Table(reading)),
            notes,
            missing,
            ..rows.into()
        })
    }

    /// The columns that become values, and those that are left out.
    fn judge_columns(&mut self, places: &[usize]) -> Result<(Vec<Kept>, Vec<LeftOut>), DataError> {
        let is_grid =
            self.columns.len() >= GRID && self.columns.iter().all(|c| matches!(c, Column::Numbers(_)));
        let (mut kept, mut left_out) = (Vec::new(), Vec::new());
        for (value, column) in std::mem::take(&mut self.columns).into_iter().enumerate() {
            let (place, choice) = (places[value], self.choices[value]);
            if self.counts_rows(&column, place, choice, places.len()) {
                continue;
            }
            let verdict = column
                .verdict(choice, self.rules.missing)
                .filter(|verdict| !(is_grid && matches!(verdict, Verdict::Constant(_))));
            if let Some(verdict) = verdict {
                left_out.push(LeftOut { place, verdict });
                continue;
            }
            let Some((content, codes)) = column.finish(choice, self.rules.missing) else {
                return Err(self.no_truth(place));
            };
            let known = self.known.as_ref().map(|columns| &columns[value]);
            let asked = choice.kind.and_then(ColumnType::transform);
            let column = TableColumn {
                place,
                name: self.layout.name(place),
                content,
                transform: known.map_or(asked, |known| known.transform),
                weight: known.map_or(choice.weight, |known| known.weight),
            };
            kept.push(Kept { value, column, codes });
        }
        Ok((kept, left_out))
    }

    /// Whether this is the column of row numbers that pandas and R write, first and without a name.
    fn counts_rows(&self, column: &Column, place: usize, choice: Choice, columns: usize) -> bool {
        let unnamed = place == 0 && columns > 1 && self.layout.name(0).as_deref() == Some("");
        let counts = matches!(column, Column::Numbers(column) if column.counts_rows());
        unnamed && counts && choice.kind.is_none()
    }

    fn no_truth(&self, place: usize) -> DataError {
        let problem = "it is to be read as one of two words, and has not two different ones".to_owned();
        let (path, column) = (self.path.clone(), self.layout.show(place));
        DataError::Column { path, column, problem, remedies: &[] }
    }

    fn nothing_left(&self, left_out: &[LeftOut]) -> DataError {
        const SHOWN: usize = 8;
        let shown = |left: &LeftOut| format!("column {} {}", self.layout.show(left.place), left.verdict);
        let mut columns: Vec<String> = left_out.iter().take(SHOWN).map(shown).collect();
        if left_out.len() > SHOWN {
            columns.push("…".to_owned());
        }
        DataError::NothingLeft { path: self.path.clone(), columns: columns.join("; ") }
    }

    /// What is missing in the columns that became values.
    fn filled(&self, kept: &[Kept]) -> Vec<Filled> {
        let some = kept.iter().filter(|kept| self.holes[kept.value] > 0);
        let filled = |kept: &Kept| Filled {
            column: self.layout.show(kept.column.place),
            count: self.holes[kept.value],
        };
        some.map(filled).collect()
    }
}

/// Finds what stands for missing numbers, where that is not their mean.
fn fill(
    raw: &Grown<Matrix<f32>, DenseRows>,
    kept: &mut [Kept],
    (starts, holes): (&[usize], &[usize]),
    missing: Missing,
) -> Result<(), lpvdn_core::SourceError> {
    let raw: &dyn RowSource = match raw {
        Grown::Memory(raw) => raw,
        Grown::Disk(raw) => raw,
    };
    let columns = kept.iter_mut().map(|kept| Fillable {
        place: starts[kept.value],
        has_holes: holes[kept.value] > 0,
        content: &mut kept.column.content,
    });
    fill_in(raw, columns.collect(), missing)
}

/// The rows of which these are the numbers: at once, as long as they may be held, and else as they are asked for.
fn expand(
    raw: Grown<Matrix<f32>, DenseRows>,
    expansion: Expansion,
    width: Option<&usize>,
    path: &Path,
    budget: &Budget,
) -> Result<Rows, DataError> {
    let bytes = |rows: usize| (rows as u64).saturating_mul(expansion.width() as u64).saturating_mul(4);
    let same = expansion.changes_nothing(width.copied().unwrap_or(0));
    let later = |raw: Arc<dyn RowSource>, expansion| Rows::Elsewhere(Arc::new(Expanded::new(raw, expansion)));
    Ok(match raw {
        Grown::Memory(raw) if same => Rows::Held(Values::Floats(raw)),
        Grown::Disk(raw) if same => Rows::Elsewhere(Arc::new(raw)),
        Grown::Memory(raw) if bytes(raw.rows()) <= budget.held_rows().min(budget.left()) => {
            budget.charge(path, bytes(raw.rows()), "the values of the rows")?;
            Rows::Held(Values::Floats(expansion.matrix(&raw)))
        }
        Grown::Memory(raw) => later(Arc::new(raw), expansion),
        Grown::Disk(raw) => later(Arc::new(raw), expansion),
    })
}

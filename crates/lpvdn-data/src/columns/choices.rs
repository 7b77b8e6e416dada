//! What the user says about each column.

use std::path::Path;

use lpvdn_core::table::{Choice, ColumnType};

use super::layout::{Layout, Role};
use crate::{ColumnRole, DataError, OpenOptions, label_column};

/// What is said about the column of each value.
pub(super) fn of(path: &Path, layout: &Layout, options: &OpenOptions) -> Result<Vec<Choice>, DataError> {
    let values = layout.roles.iter().filter(|role| matches!(role, Role::Value(_))).count();
    let mut choices = vec![Choice::default(); values];
    let find = |column: &str, role| find(path, layout, column, role);
    for said in options.columns.kinds.iter().filter(|said| said.kind != ColumnType::Ignore) {
        let value = find(&said.column, ColumnRole::Kind)?;
        let before = choices[value].kind.replace(said.kind).filter(|before| *before != said.kind);
        if let Some(before) = before {
            let problem = format!("it is called both {} and {}; name one", before.name(), said.kind.name());
            return Err(refused(path, ColumnRole::Kind, &said.column, problem));
        }
    }
    for said in &options.columns.weights {
        let value = find(&said.column, ColumnRole::Weight)?;
        let before = choices[value].weight.replace(said.weight).filter(|before| *before != said.weight);
        if before.is_some() {
            let problem = "it has two weights; name one".to_owned();
            return Err(refused(path, ColumnRole::Weight, &said.column, problem));
        }
    }
    Ok(choices)
}

/// Which value the column is whose name is asked for.
fn find(path: &Path, layout: &Layout, column: &str, role: ColumnRole) -> Result<usize, DataError> {
    let width = layout.roles.len();
    let place = label_column::resolve(path, column, role, layout.names.as_deref(), width)?;
    match layout.roles[place] {
        Role::Value(value) => Ok(value),
        _ => {
            let problem = "it is no column of values: it is left out, or holds classes or ids".to_owned();
            Err(refused(path, role, column, problem))
        }
    }
}

fn refused(path: &Path, role: ColumnRole, asked: &str, problem: String) -> DataError {
    DataError::ChosenColumn { path: path.to_owned(), role, asked: asked.to_owned(), problem }
}

//! The rows whose neighbours are asked for.

use std::path::Path;

use lpvdn_core::{Dataset, Matrix};

use crate::commands::reading_of;
use crate::commands::subject::Subject;
use crate::failure::Failure;
use crate::model_args::NeighborsArgs;

/// Queries, one after the other.
pub(super) struct Queries {
    /// What each is called.
    pub(super) names: Vec<String>,
    /// Which row each is of those that are searched, where it is one.
    pub(super) rows: Vec<Option<u32>>,
    /// Their codes.
    pub(super) codes: Matrix<f32>,
    /// The rows of queries that came from files, in their order.
    pub(super) files: Vec<Dataset>,
}

/// Each is a number, an id, or a file of rows.
pub(super) fn read(subject: &Subject, known: &Matrix<f32>, args: &NeighborsArgs) -> Result<Queries, Failure> {
    let size = subject.model.code_size();
    let mut queries =
        Queries { names: Vec::new(), rows: Vec::new(), codes: Matrix::zeros(0, size), files: Vec::new() };
    let mut codes = Vec::new();
    for query in &args.query {
        match row_of(subject, query)? {
            Some(row) => {
                queries.names.push(format!("row {row}"));
                queries.rows.push(Some(row));
                codes.extend_from_slice(known.row(row as usize));
            }
            None => {
                let data = open(subject, args, Path::new(query))?;
                queries.names.extend((0..data.rows()).map(|row| format!("{} {row}", data.name)));
                queries.rows.extend(vec![None; data.rows()]);
                codes.extend_from_slice(subject.model.codes(&data)?.as_slice());
                queries.files.push(data);
            }
        }
    }
    queries.codes = Matrix::from_vec(codes, queries.names.len(), size);
    Ok(queries)
}

/// The row that a word names: by number or id; `None` where it may be a file.
fn row_of(subject: &Subject, query: &str) -> Result<Option<u32>, Failure> {
    let rows = subject.data.rows();
    let known = subject.data.ids.as_ref().and_then(|ids| ids.iter().position(|id| id == query));
    if let Some(row) = known {
        return Ok(Some(row as u32));
    }
    match query.parse::<usize>() {
        Ok(number) if number < rows => Ok(Some(number as u32)),
        Ok(_) if !Path::new(query).exists() => Err(Failure::Usage(format!(
            "--query {query}: rows are counted from 0, as in labels.csv, and there are {rows} of them"
        ))),
        _ => Ok(None),
    }
}

fn open(subject: &Subject, args: &NeighborsArgs, path: &Path) -> Result<Dataset, Failure> {
    if !path.exists() && lpvdn_data::known::meant(path).is_none() {
        let ids = if subject.data.ids.is_some() { ", an id" } else { "" };
        return Err(Failure::Usage(format!(
            "--query {}: neither the number of a row{ids} nor a file",
            path.display()
        )));
    }
    let reading = reading_of(&subject.model, &args.on.model)?;
    Ok(lpvdn_data::open(path, &args.on.how.open_options(reading))?)
}

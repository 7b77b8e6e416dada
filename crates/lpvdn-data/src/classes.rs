//! Rows of some classes only.

use std::path::Path;

use lpvdn_core::Labels;

use crate::error::quoted;
use crate::{DataError, Opened};

/// How many classes an error lists.
const LISTED: usize = 12;

/// The rows whose class is one of `wanted`, which may be none to mean all; `None` where that is every row.
pub(crate) fn rows_of(
    path: &Path,
    labels: Option<&Labels>,
    wanted: &[String],
) -> Result<Option<Vec<u32>>, DataError> {
    if wanted.is_empty() {
        return Ok(None);
    }
    let wrong = |problem| DataError::Classes { path: path.to_owned(), problem };
    let labels = labels.ok_or_else(|| {
        wrong("the classes of its rows are not known; name their column with --label-column".to_owned())
    })?;
    if let Some(class) = wanted.iter().find(|class| !labels.names.contains(class)) {
        let known: Vec<String> =
            labels.names.iter().take(LISTED).map(|name| quoted(name.as_bytes())).collect();
        let more = if labels.names.len() > LISTED { ", …" } else { "" };
        let class = quoted(class.as_bytes());
        return Err(wrong(format!("no row is of class {class}; its classes are {}{more}", known.join(", "))));
    }
    let kept: Vec<bool> = labels.names.iter().map(|name| wanted.contains(name)).collect();
    if kept.iter().all(|kept| *kept) {
        return Ok(None);
    }
    let rows = (0_u32..).zip(&labels.codes).filter(|(_, code)| kept[**code as usize]);
    Ok(Some(rows.map(|(row, _)| row).collect()))
}

/// Leaves only the rows whose class is one of `wanted`, where any is.
pub(crate) fn keep(path: &Path, opened: Opened, wanted: &[String]) -> Result<Opened, DataError> {
    let Some(rows) = rows_of(path, opened.data.labels.as_ref(), wanted)? else { return Ok(opened) };
    // Texts have been chosen by class before their words were counted.
    Ok(Opened { data: opened.data.of_rows(rows), ..opened })
}

//! Rows of some classes only.

use std::path::Path;

use lpvdn_core::Labels;

use crate::error::quoted;
use crate::reading::Reading;
use crate::similar::did_you_mean;
use crate::{DataError, Opened, Remedy};

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
    let wrong = |problem, remedies| DataError::Classes { path: path.to_owned(), problem, remedies };
    let labels = labels.ok_or_else(|| {
        wrong("the classes of its rows are not known".to_owned(), &[Remedy::NameLabels][..])
    })?;
    // A name as it stands goes before one with other blanks around it.
    let found = |class: &&String| labels.names.contains(class);
    let trimmed = |class: &&String| labels.names.iter().any(|name| name.trim() == class.trim());
    if let Some(class) = wanted.iter().find(|class| !found(class) && !trimmed(class)) {
        let known: Vec<String> =
            labels.names.iter().take(LISTED).map(|name| quoted(name.as_bytes())).collect();
        let more = if labels.names.len() > LISTED { ", …" } else { "" };
        let meant = did_you_mean(class, labels.names.iter().map(String::as_str));
        let (class, known) = (quoted(class.as_bytes()), known.join(", "));
        return Err(wrong(format!("no row is of class {class}{meant}its classes are {known}{more}"), &[]));
    }
    let is_meant = |class: &String, name: &String| match found(&class) {
        true => class == name,
        false => class.trim() == name.trim(),
    };
    let kept: Vec<bool> =
        labels.names.iter().map(|name| wanted.iter().any(|class| is_meant(class, name))).collect();
    if kept.iter().all(|kept| *kept) {
        return Ok(None);
    }
    let rows = (0_u32..).zip(&labels.codes).filter(|(_, code)| kept[**code as usize]);
    Ok(Some(rows.map(|(row, _)| row).collect()))
}

/// Leaves only the rows whose class is one of `wanted`, where any is.
pub(crate) fn keep(path: &Path, mut opened: Opened, wanted: &[String]) -> Result<Opened, DataError> {
    let Some(rows) = rows_of(path, opened.data.labels.as_ref(), wanted)? else { return Ok(opened) };
    // It was counted over the pictures of all classes.
    if let Some(Reading::Images(images)) = &mut opened.reading {
        images.resized = None;
    }
    // Texts have been chosen by class before their words were counted.
    Ok(Opened { data: opened.data.of_rows(rows), ..opened })
}

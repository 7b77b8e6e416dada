//! What a path or a name stands for, in words.

use std::path::Path;

use crate::budget::Budget;
use crate::input::{Input, STANDARD_INPUT};
use crate::{BUILT_IN, DataError, OpenOptions, documents, format, idx, images, known, reuters};

/// Says what [`read`](crate::read) would take this for, such as `CSV, gzip` or `a folder of IDX files`. A
/// [stream](is_stream) is not opened.
///
/// # Errors
/// Where it cannot be read, or its format is not known.
pub fn what(path: impl AsRef<Path>, options: &OpenOptions) -> Result<String, DataError> {
    let path = path.as_ref();
    if BUILT_IN.iter().any(|name| path.as_os_str() == *name) {
        return Ok("a built-in set".to_owned());
    }
    if let Some(set) = known::meant(path) {
        return Ok(match set.place()? {
            known::Place::Here(folder) => format!("a known set, in {}", folder.display()),
            known::Place::Missing { .. } => "a known set".to_owned(),
        });
    }
    if path.as_os_str() == STANDARD_INPUT {
        return Ok("standard input".to_owned());
    }
    if is_stream(path) {
        return Ok("a pipe".to_owned());
    }
    if path.is_dir() {
        return folder(path).map(str::to_owned);
    }
    let input = Input::open(path, &Budget::new(options.memory, options.temp_limit))?;
    let format = match options.format {
        Some(format) => format,
        None if input.sample().is_empty() => return Err(DataError::Empty { path: path.to_owned() }),
        None => format::recognise(path, input.sample())?,
    };
    Ok(format!("a file, {format}{}", input.compression()))
}

/// Whether this is standard input or a pipe: what is taken from it is gone, so that it can be opened only once.
pub fn is_stream(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    let is_neither = |found: std::fs::Metadata| !found.is_file() && !found.is_dir();
    path.as_os_str() == STANDARD_INPUT || std::fs::metadata(path).is_ok_and(is_neither)
}

/// In the order in which folders are recognised.
fn folder(path: &Path) -> Result<&'static str, DataError> {
    let idx_files = idx::has_files(path);
    Ok(if !idx_files && images::has_pictures(path)? {
        "a folder of pictures"
    } else if reuters::has_files(path) {
        "a folder of RCV1 files"
    } else if !idx_files && documents::has_texts(path)? {
        "a folder of texts"
    } else if idx_files {
        "a folder of IDX files"
    } else {
        "a folder"
    })
}

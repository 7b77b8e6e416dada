//! A folder of texts: a file a document, a sub-folder a class.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Documents;
use crate::input::{Input, read_error};
use crate::table::Table;
use crate::{DataError, OpenOptions};

/// A document is not longer than this.
const LONGEST: u64 = 64 << 20;

/// Whether there is a text in the folder, or in a folder in it.
pub(crate) fn has_texts(folder: &Path) -> bool {
    let texts = |folder: &Path| entries(folder).is_ok_and(|all| all.iter().any(|path| is_text(path)));
    texts(folder) || entries(folder).is_ok_and(|all| all.iter().any(|path| path.is_dir() && texts(path)))
}

/// Reads every text, in the order of their names. Where all of them are in sub-folders, these are the
/// classes.
pub(crate) fn read_folder(folder: &Path, options: &OpenOptions) -> Result<Table, DataError> {
    let failed = |cause| read_error(folder, cause);
    let mut files: Vec<(PathBuf, Option<String>)> = Vec::new();
    for path in entries(folder).map_err(failed)? {
        if path.is_dir() {
            let class = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let inner = entries(&path).map_err(|cause| read_error(&path, cause))?;
            files.extend(inner.into_iter().filter(|p| is_text(p)).map(|p| (p, Some(class.clone()))));
        } else if is_text(&path) {
            files.push((path, None));
        }
    }
    let classes = files.iter().all(|(_, class)| class.is_some());
    let mut documents = Documents::default();
    for (path, class) in files {
        documents.texts.push(text_of(&path)?);
        documents.ids.push(path.strip_prefix(folder).unwrap_or(&path).display().to_string());
        documents.labels.extend(class.filter(|_| classes));
    }
    documents.into_table(folder, options)
}

fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut all = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    all.sort_unstable();
    Ok(all)
}

fn is_text(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default().to_lowercase();
    crate::format::unpacked(&name).ends_with(".txt") && path.is_file()
}

fn text_of(path: &Path) -> Result<String, DataError> {
    let (_, stream) = Input::open(path)?.into_stream();
    let mut bytes = Vec::new();
    stream.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|cause| read_error(path, cause))?;
    if bytes.len() as u64 > LONGEST {
        let what = format!("a document of more than {LONGEST} bytes");
        return Err(DataError::TooLarge { path: path.to_owned(), what });
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

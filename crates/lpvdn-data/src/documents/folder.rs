//! A folder of texts: a file a document, a sub-folder a class.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

use super::Documents;
use crate::input::{Input, read_error};
use crate::table::Table;
use crate::{DataError, OpenOptions, folder};

/// A document is not longer than this.
const LONGEST: u64 = 64 << 20;

/// Whether there is a text in the folder, or in a folder in it.
pub(crate) fn has_texts(folder: &Path) -> bool {
    folder::has(folder, is_text)
}

/// Reads every text, in the order of their names. Where all of them are in sub-folders, these are the
/// classes.
pub(crate) fn read_folder(folder: &Path, options: &OpenOptions) -> Result<Table, DataError> {
    let files = folder::files(folder, is_text)?;
    let texts = files.iter().map(|file| text_of(&file.path)).collect::<Result<_, _>>()?;
    let ids = Some(files.iter().map(|file| &file.id).collect());
    Documents { texts, labels: folder::classes(&files), ids, field: None }.into_table(folder, options)
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

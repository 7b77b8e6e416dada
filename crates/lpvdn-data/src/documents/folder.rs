//! A folder of texts: a file a document, a sub-folder a class.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;

use super::{Documents, EmptyTexts, Texts, refuse_binary};
use crate::budget::{Account, Budget};
use crate::folder::{self, Listing};
use crate::input::{Input, read_error};
use crate::table::Table;
use crate::{DataError, OpenOptions, foreign};

/// A document is not longer than this.
const LONGEST: u64 = 64 << 20;
/// Bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// Whether there is a text in the folder, or in a folder in it.
pub(crate) fn has_texts(folder: &Path) -> Result<bool, DataError> {
    folder::has(folder, is_text)
}

/// Reads every text, in the order of their names. Where all of them are in sub-folders, these are the
/// classes.
pub(crate) fn read_folder(folder: &Path, options: &OpenOptions) -> Result<Table, DataError> {
    let Listing { files, labels, notes } = folder::list(folder, is_text)?;
    let mut texts = Texts::new(folder, options);
    let mut empty = EmptyTexts::new(folder, options);
    let mut rows = Vec::new();
    for (row, file) in (0_u32..).zip(&files) {
        let (bytes, reading) = text_bytes(&file.path, &options.budget)?;
        let text = text_of(bytes, &file.path)?;
        // An empty file is a document without words, unless somebody says otherwise.
        let is_empty = options.empty_text.is_some() && text.trim().is_empty();
        if empty.admit(is_empty, || file.id.clone())? {
            // From here on it is one of the texts.
            drop(reading);
            texts.keep(text)?;
            rows.push(row);
        }
    }
    let labels = labels.map(|labels| if rows.len() < files.len() { labels.of_rows(&rows) } else { labels });
    let ids = Some(rows.iter().map(|&row| &files[row as usize].id).collect());
    let mut table =
        Documents { texts, labels, ids, field: None, others: None }.into_table(folder, options)?;
    table.notes.extend(empty.note());
    table.notes.extend(notes);
    Ok(table)
}

fn is_text(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default().to_lowercase();
    crate::format::unpacked(&name).ends_with(".txt") && path.is_file()
}

/// The bytes of a document, with the account of them.
fn text_bytes(path: &Path, budget: &Budget) -> Result<(Vec<u8>, Account), DataError> {
    let input = Input::open(path, budget)?;
    refuse_utf16(path, input.sample())?;
    refuse_binary(path, input.sample())?;
    let (_, mut stream) = input.into_stream();
    let (mut bytes, mut piece, mut account) = (Vec::new(), vec![0; PIECE], budget.account(path));
    loop {
        let read = match stream.read(&mut piece) {
            Ok(0) => return Ok((bytes, account)),
            Ok(read) => read,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(read_error(path, cause)),
        };
        if (bytes.len() + read) as u64 > LONGEST {
            let what = format!("a document of more than {LONGEST} bytes");
            return Err(DataError::TooLarge { path: path.to_owned(), what });
        }
        account.reserve(&mut bytes, read, LONGEST as usize, "a document")?;
        bytes.extend_from_slice(&piece[..read]);
    }
}

/// The text itself, in the memory of its bytes.
fn text_of(mut bytes: Vec<u8>, path: &Path) -> Result<String, DataError> {
    // The mark that Windows puts before UTF-8 is none of the text.
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    bytes.shrink_to_fit();
    String::from_utf8(bytes).map_err(|_| DataError::Encoding { path: path.to_owned(), at: String::new() })
}

/// Of all that is no text by its beginning only this: what begins as JSON or XML does may be a document.
fn refuse_utf16(path: &Path, sample: &[u8]) -> Result<(), DataError> {
    let marked = sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff");
    match foreign::by_content(sample, "txt").filter(|_| marked) {
        Some(utf16) => Err(utf16.error(path)),
        None => Ok(()),
    }
}

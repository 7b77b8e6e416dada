//! The files of a folder that can be read as pictures.

use std::path::Path;

use rayon::prelude::*;

use super::options::OnError;
use crate::error::quoted;
use crate::folder::Found;
use crate::{DataError, Note};

/// How many of the files that are left out a note names.
const NAMED: usize = 5;

/// Files, of which those that cannot be read are left out as they are found, where that is asked for.
pub(super) struct Sieve<'a> {
    folder: &'a Path,
    files: &'a [Found],
    on_error: OnError,
    /// Those that are left, by their numbers, rising.
    rows: Vec<u32>,
    /// What the others are called.
    broken: Vec<&'a str>,
    /// What is wrong with the first that was found.
    first: Option<DataError>,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(folder: &'a Path, files: &'a [Found], on_error: OnError) -> Sieve<'a> {
        let rows = (0..).zip(files).map(|(row, _)| row).collect();
        Sieve { folder, files, on_error, rows, broken: Vec::new(), first: None }
    }

    pub(super) fn folder(&self) -> &'a Path {
        self.folder
    }

    /// The files that are left, by their numbers.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// What `read` makes of the files that are left, in their order whichever is done first. Of several that it refuses,
    /// the first is the error, unless they are to be left out.
    pub(super) fn sift<T: Send>(
        &mut self,
        read: impl Fn(&Found) -> Result<T, DataError> + Sync,
    ) -> Result<Vec<T>, DataError> {
        let files = self.files;
        let all: Vec<Result<T, DataError>> =
            self.rows.par_iter().map(|&row| read(&files[row as usize])).collect();
        let mut kept = Vec::with_capacity(all.len());
        for (row, result) in std::mem::take(&mut self.rows).into_iter().zip(all) {
            match result {
                Ok(read) => {
                    kept.push(read);
                    self.rows.push(row);
                }
                Err(error) if self.on_error == OnError::Skip && is_about_the_file(&error) => {
                    self.broken.push(&files[row as usize].id);
                    self.first.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        match &self.first {
            Some(first) if kept.is_empty() => {
                let problem = format!("none of its {} pictures can be read; the first: {first}", files.len());
                Err(DataError::Folder { path: self.folder.to_owned(), problem })
            }
            _ => Ok(kept),
        }
    }

    /// How many files are left out, and the first names.
    pub(super) fn note(mut self) -> Option<Note> {
        // Headers are read before points: not in the order of the folder.
        self.broken.sort_unstable();
        let (count, all) = (self.broken.len(), self.files.len());
        let named: Vec<String> = self.broken.iter().take(NAMED).map(|id| quoted(id.as_bytes())).collect();
        let more = if count > NAMED { ", …" } else { "" };
        let text = || {
            format!(
                "{count} of {all} files cannot be read as pictures and are left out: {}{more}",
                named.join(", ")
            )
        };
        (count > 0).then(|| Note::from(text()))
    }
}

/// Not so where memory is missing: whether a picture is left out must not depend on that.
fn is_about_the_file(error: &DataError) -> bool {
    matches!(error, DataError::Picture { .. } | DataError::Read { .. } | DataError::NotFound { .. })
}

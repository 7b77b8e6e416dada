//! RCV1-v2 as the papers on deep clustering use it, there called REUTERS: the documents with exactly
//! one of the four root topics, as tf-idf weights of the 2,000 most frequent tokens.
//!
//! A folder is read as such where it holds `lyrl2004_tokens_*.dat`, or `lyrl2004_vectors_*.dat`, and
//! the topics, `rcv1-v2.topics.qrels`, each of them plain or compressed. Tokens go before vectors.
//!
//! | | from tokens | from vectors |
//! |---|---|---|
//! | documents | in the order of the files, training before test | the same |
//! | columns | the tokens with the most occurrences in the documents kept; among equals the first in the alphabet | the columns in most documents kept; among equals the first |
//! | values | (1 + ln tf) · idf, rows of length 1 | as they stand, rows of length 1 again |
//!
//! Files are read twice and never held: once to count, once to make rows.

mod draw;
mod files;
mod tokens;
mod topics;
mod vectors;

use std::path::Path;

pub(crate) use draw::Choice;
pub(crate) use files::has_files;
pub(crate) use tokens::read as read_tokens;
pub(crate) use vectors::read as read_vectors;

use self::files::Files;
use self::topics::{ROOTS, Topics};
use crate::table::Table;
use crate::{DataError, Note, OpenOptions};

/// Reads a folder that [`has_files`].
pub(crate) fn read_folder(folder: &Path, options: &OpenOptions) -> Result<Table, DataError> {
    if files::has_tokens(folder) {
        read_tokens(folder, options, Choice::All)
    } else {
        read_vectors(folder, options)
    }
}

/// The documents that are kept, in their order, and how many are not.
#[derive(Debug, Default)]
struct Kept {
    ids: Vec<u32>,
    /// An index into the roots for each.
    roots: Vec<u8>,
    without_topics: usize,
    several_or_none: usize,
}

impl Kept {
    /// Whether the document of this number is kept. An error in words where it was there before.
    fn take(&mut self, id: u32, topics: &mut Topics) -> Result<bool, String> {
        match topics.root_of(id) {
            None => self.without_topics += 1,
            Some(None) => self.several_or_none += 1,
            Some(Some(root)) => {
                if !topics.first_time(id) {
                    return Err(format!("document {id} is there a second time; each may be there once"));
                }
                self.ids.push(id);
                self.roots.push(root);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn check(&self, files: &Files) -> Result<(), DataError> {
        if !self.ids.is_empty() {
            return Ok(());
        }
        let (none, other) = (self.without_topics, self.several_or_none);
        let problem = format!(
            "no document has exactly one of the topics {}: {none} have no topics in {}, {other} have none or several \
             of these; do the files belong together?",
            ROOTS.join(", "),
            files::name_of(&files.topics),
        );
        Err(DataError::Folder { path: files.folder.clone(), problem })
    }

    /// What a user should know.
    fn notes(&self, topics: &Topics) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.without_topics > 0 {
            notes.push(format!("documents without topics, which are left out: {}", self.without_topics));
        }
        if self.several_or_none > 0 {
            notes.push(format!(
                "documents with none or several of the topics {}, which are left out: {}",
                ROOTS.join(", "),
                self.several_or_none
            ));
        }
        let absent = topics.with_one_root() - self.ids.len();
        if absent > 0 {
            notes.push(format!(
                "documents with one of these topics: {}, of which the files lack {absent}; are all files there?",
                topics.with_one_root()
            ));
        }
        notes.into_iter().map(Note::from).collect()
    }

    /// The classes and names of the documents, or of some of them.
    fn describe(&self, table: Table, rows: &[u32]) -> Table {
        let root = |&row: &u32| ROOTS[usize::from(self.roots[row as usize])];
        Table {
            labels: Some(rows.iter().map(root).collect()),
            ids: Some(rows.iter().map(|&row| self.ids[row as usize].to_string()).collect()),
            ..table
        }
    }
}

/// The number of a document.
fn document_number(word: &[u8]) -> Option<u32> {
    word.iter().all(u8::is_ascii_digit).then(|| crate::lines::number(word)).flatten()
}

//! The topics of the documents: lines `<topic> <document> 1`.

use std::collections::HashMap;
use std::path::Path;

use super::document_number;
use crate::DataError;
use crate::budget::Budget;
use crate::error::quoted;
use crate::input::Input;
use crate::lines::{Lines, words};

/// The roots of the hierarchy of topics, which are the classes.
pub(super) const ROOTS: [&str; 4] = ["CCAT", "ECAT", "GCAT", "MCAT"];

/// The documents that have topics.
#[derive(Debug)]
pub(super) struct Topics {
    /// The roots of each document, a bit a root, and whether it was met.
    roots: HashMap<u32, u8>,
    with_one_root: usize,
}

/// Bytes of a document in the map of topics, which doubles.
const PER_TOPIC: u64 = 32;
/// Beside the bits of the roots.
const MET: u8 = 1 << 7;

impl Topics {
    pub(super) fn read(path: &Path, budget: &Budget) -> Result<Topics, DataError> {
        let mut lines = Lines::new(Input::open(path, budget)?);
        let mut roots = HashMap::new();
        let mut account = budget.account(path);
        while lines.advance()? {
            let mut words = words(lines.line());
            let Some(topic) = words.next() else { continue };
            let id = match (words.next().and_then(document_number), words.next(), words.next()) {
                (Some(id), Some(_), None) => id,
                _ => {
                    let found = quoted(lines.line());
                    return Err(
                        lines.wrong(format!("{found} is not a topic, a document and a 1: CCAT 2286 1"))
                    );
                }
            };
            let root = ROOTS.iter().position(|root| root.as_bytes() == topic);
            account.set(PER_TOPIC * roots.len() as u64, "the topics of the documents")?;
            *roots.entry(id).or_default() |= root.map_or(0, |at| 1 << at);
        }
        if roots.is_empty() {
            return Err(DataError::Nothing { path: path.to_owned(), what: "topics", hint: "" });
        }
        account.keep();
        let with_one_root = roots.values().filter(|bits| only(**bits).is_some()).count();
        Ok(Topics { roots, with_one_root })
    }

    /// Nothing for a document without topics; else its only root, if it has exactly one.
    pub(super) fn root_of(&self, id: u32) -> Option<Option<u8>> {
        self.roots.get(&id).map(|bits| only(*bits))
    }

    /// Whether a document with topics is met for the first time.
    pub(super) fn first_time(&mut self, id: u32) -> bool {
        let bits = self.roots.entry(id).or_default();
        let first = *bits & MET == 0;
        *bits |= MET;
        first
    }

    /// How many documents have exactly one root.
    pub(super) fn with_one_root(&self) -> usize {
        self.with_one_root
    }
}

/// The only root.
fn only(bits: u8) -> Option<u8> {
    let roots = bits & !MET;
    (roots.count_ones() == 1).then(|| roots.trailing_zeros() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The real file, where `LPVDN_TEST_RCV1` names the folder that has it.
    #[test]
    fn the_real_topics_have_the_documents_of_the_papers() {
        let Some(folder) = std::env::var_os("LPVDN_TEST_RCV1") else {
            return lpvdn_testing::skip(
                "LPVDN_TEST_RCV1 does not name a folder with rcv1-v2.topics.qrels.gz",
            );
        };
        let topics = Topics::read(&Path::new(&folder).join("rcv1-v2.topics.qrels.gz"), &Budget::default());
        let topics = topics.expect("topics");
        assert_eq!(topics.roots.len(), 804_414);
        assert_eq!(topics.with_one_root(), 685_071);
        let of = |at: u8| topics.roots.values().filter(|bits| only(**bits) == Some(at)).count();
        assert_eq!([0, 1, 2, 3].map(of), [299_612, 54_695, 163_135, 167_629]);
    }
}

//! How often terms occur, and in how many documents.

use std::collections::HashMap;

use rayon::prelude::*;

use super::analyzer::Analyzer;
use super::{TextError, TextOptions, Vectorizer, vocabulary};

/// So many documents are counted, in one map a thread, before the maps become one: more would hold
/// the common terms of all documents once a thread.
const BLOCK: usize = 1 << 15;
/// Fewer documents are not worth waking another thread.
const SMALLEST_PIECE: usize = 64;

/// What is known about a term.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// How many documents have it.
    pub(super) documents: u64,
    /// How often it occurs in them.
    pub(super) occurrences: u64,
    /// The number, from 1, of the last document that had it, so that the next occurrence there is
    /// not taken for another document.
    last: u64,
}

pub(super) type Tallies = HashMap<Box<str>, Tally>;

/// Counts the terms of documents that come in any number of batches, so that they need not all be
/// in memory.
///
/// What stays in memory is every different term with its two counts, of which the vocabulary is
/// cut at the end. Single words of a language number some hundred thousand, whatever the number of
/// documents; their n-grams go on growing.
///
/// ```
/// use lpvdn_data::text::{TermCounts, TextOptions};
/// let mut counts = TermCounts::new(&TextOptions::default())?;
/// counts.add(&["the first batch"]);
/// counts.add(&["the second", "and the last"]);
/// assert_eq!(counts.documents(), 3);
/// assert_eq!(counts.into_vectorizer()?.terms(), ["and", "batch", "first", "last", "second", "the"]);
/// # Ok::<(), lpvdn_data::text::TextError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TermCounts {
    options: TextOptions,
    analyzer: Analyzer,
    tallies: Tallies,
    documents: u64,
}

impl TermCounts {
    /// Nothing counted yet.
    ///
    /// # Errors
    /// Options that make no sense.
    pub fn new(options: &TextOptions) -> Result<TermCounts, TextError> {
        options.check()?;
        let analyzer = Analyzer::new(options);
        Ok(TermCounts { options: options.clone(), analyzer, tallies: Tallies::new(), documents: 0 })
    }

    /// Counts the terms of more documents, on the threads of the pool that this runs in.
    ///
    /// Whole numbers are added, so that neither batches nor threads change the result.
    pub fn add<D: AsRef<str> + Sync>(&mut self, documents: &[D]) {
        for block in documents.chunks(BLOCK) {
            let piece = block.len().div_ceil(rayon::current_num_threads()).max(SMALLEST_PIECE);
            let counted = block.par_chunks(piece).map(|piece| count(&self.analyzer, piece));
            let new = counted.reduce(Tallies::new, merged);
            self.tallies = merged(std::mem::take(&mut self.tallies), new);
        }
        self.documents += documents.len() as u64;
    }

    /// How many documents were counted.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Cuts the terms down to the vocabulary.
    ///
    /// # Errors
    /// No documents, or nothing left between the bounds: the message names the option to loosen.
    pub fn into_vectorizer(self) -> Result<Vectorizer, TextError> {
        let chosen = vocabulary::choose(self.tallies, self.documents, &self.options)?;
        Ok(Vectorizer::new(self.options, self.analyzer, self.documents, chosen))
    }
}

fn count<D: AsRef<str>>(analyzer: &Analyzer, documents: &[D]) -> Tallies {
    let mut tallies = Tallies::new();
    for (document, number) in documents.iter().zip(1..) {
        analyzer.for_each_term(document.as_ref(), |term| match tallies.get_mut(term) {
            Some(tally) => {
                tally.occurrences += 1;
                tally.documents += u64::from(tally.last != number);
                tally.last = number;
            }
            // Only here is the term copied.
            None => drop(tallies.insert(term.into(), Tally { documents: 1, occurrences: 1, last: number })),
        });
    }
    tallies
}

/// The sums of two counts of different documents.
fn merged(a: Tallies, b: Tallies) -> Tallies {
    let (mut sums, fewer) = if a.len() < b.len() { (b, a) } else { (a, b) };
    for (term, tally) in fewer {
        let sum = sums.entry(term).or_default();
        sum.documents += tally.documents;
        sum.occurrences += tally.occurrences;
    }
    sums
}

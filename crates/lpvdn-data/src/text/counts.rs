//! How often terms occur, and in how many documents.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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

/// What a term takes beside its letters: its place in a map that doubles, and what the allocator adds.
const PER_TERM: u64 = 3 * (size_of::<Box<str>>() + size_of::<Tally>()) as u64;

/// Terms with their counts, and what they take of memory.
#[derive(Clone, Debug, Default)]
struct Counted {
    tallies: Tallies,
    bytes: u64,
}

impl Counted {
    fn insert(&mut self, term: Box<str>, tally: Tally) {
        self.bytes += term.len() as u64 + PER_TERM;
        self.tallies.insert(term, tally);
    }
}

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
    counted: Counted,
    documents: u64,
    /// What the counts may take of memory, in bytes.
    allowed: u64,
}

impl TermCounts {
    /// Nothing counted yet.
    ///
    /// # Errors
    /// Options that make no sense.
    pub fn new(options: &TextOptions) -> Result<TermCounts, TextError> {
        options.check()?;
        let analyzer = Analyzer::new(options);
        let (options, counted) = (options.clone(), Counted::default());
        Ok(TermCounts { options, analyzer, counted, documents: 0, allowed: u64::MAX })
    }

    /// Lets the counts take no more than as many bytes of memory. Above it [`TermCounts::into_vectorizer`] fails.
    #[must_use]
    pub fn within(mut self, allowed: u64) -> TermCounts {
        self.allowed = allowed;
        self
    }

    /// The error, where the counts take more memory than they may: they are not complete then.
    pub(crate) fn check_memory(&self) -> Result<(), TextError> {
        let (terms, needed, allowed) = (self.counted.tallies.len(), self.counted.bytes, self.allowed);
        if needed > allowed { Err(TextError::Memory { terms, needed, allowed }) } else { Ok(()) }
    }

    /// What the counts take of memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.counted.bytes
    }

    /// Counts the terms of more documents, on the threads of the pool that this runs in.
    ///
    /// Whole numbers are added, so that neither batches nor threads change the result.
    pub fn add<D: AsRef<str> + Sync>(&mut self, documents: &[D]) {
        for block in documents.chunks(BLOCK) {
            let piece = block.len().div_ceil(rayon::current_num_threads()).max(SMALLEST_PIECE);
            // What is counted twice before the sums are made is counted within the same memory.
            let taken = AtomicU64::new(self.counted.bytes);
            let room = Room { taken: &taken, allowed: self.allowed };
            let counted = block.par_chunks(piece).map(|piece| count(&self.analyzer, piece, &room));
            let new = counted.reduce(Counted::default, merged);
            self.counted = merged(std::mem::take(&mut self.counted), new);
            // Threads that had to stop have not counted everything.
            self.counted.bytes = self.counted.bytes.max(room.over());
            if self.check_memory().is_err() {
                return;
            }
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
    /// No documents, nothing left between the bounds (the message names the option to loosen), or more memory than
    /// [allowed](TermCounts::within).
    pub fn into_vectorizer(self) -> Result<Vectorizer, TextError> {
        self.check_memory()?;
        let chosen = vocabulary::choose(self.counted.tallies, self.documents, &self.options)?;
        Ok(Vectorizer::new(self.options, self.analyzer, self.documents, chosen))
    }
}

/// What the threads that count may take together.
struct Room<'a> {
    taken: &'a AtomicU64,
    allowed: u64,
}

impl Room<'_> {
    fn take(&self, bytes: u64) -> bool {
        self.taken.fetch_add(bytes, Relaxed) + bytes <= self.allowed
    }

    /// What was asked for, if it was more than there is.
    fn over(&self) -> u64 {
        Some(self.taken.load(Relaxed)).filter(|taken| *taken > self.allowed).unwrap_or(0)
    }
}

/// Counts until there is no room for another term.
fn count<D: AsRef<str>>(analyzer: &Analyzer, documents: &[D], room: &Room<'_>) -> Counted {
    let mut counted = Counted::default();
    for (document, number) in documents.iter().zip(1..) {
        analyzer.for_each_term(document.as_ref(), |term| match counted.tallies.get_mut(term) {
            Some(tally) => {
                tally.occurrences += 1;
                tally.documents += u64::from(tally.last != number);
                tally.last = number;
            }
            // Only here is the term copied.
            None if room.take(term.len() as u64 + PER_TERM) => {
                counted.insert(term.into(), Tally { documents: 1, occurrences: 1, last: number });
            }
            None => {}
        });
        if room.over() > 0 {
            break;
        }
    }
    counted
}

/// The sums of two counts of different documents.
fn merged(a: Counted, b: Counted) -> Counted {
    let (mut sums, fewer) = if a.tallies.len() < b.tallies.len() { (b, a) } else { (a, b) };
    for (term, tally) in fewer.tallies {
        match sums.tallies.get_mut(&term) {
            Some(sum) => {
                sum.documents += tally.documents;
                sum.occurrences += tally.occurrences;
            }
            None => sums.insert(term, tally),
        }
    }
    sums
}

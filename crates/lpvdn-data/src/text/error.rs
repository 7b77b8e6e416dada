//! What can go wrong between documents and rows.

use super::DocumentBound;

/// Why documents give no rows. Each message names the option to change.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// A range of n-grams that holds none.
    #[error(
        "ngrams: {min} to {max} words are no range of n-grams; min must be at least 1, max at least min \
         and at most {longest}"
    )]
    NGrams {
        /// The smallest number of words.
        min: usize,
        /// The largest.
        max: usize,
        /// The largest that is accepted.
        longest: usize,
    },
    /// An option that counts something is 0.
    #[error("{option}: 0 leaves nothing; give at least 1")]
    Zero {
        /// The option.
        option: &'static str,
    },
    /// A bound that is no number of documents.
    #[error("{option}: {found} is not accepted; give a count of at least 1, or a share from 0 to 1")]
    Bound {
        /// The option.
        option: &'static str,
        /// What was given.
        found: DocumentBound,
    },
    /// No document satisfies both bounds.
    #[error(
        "min-df ({min}) asks for terms in more documents than max-df ({max}) allows, with {documents} \
         documents in all; lower min-df or raise max-df"
    )]
    BoundsCross {
        /// The lower bound.
        min: DocumentBound,
        /// The upper bound.
        max: DocumentBound,
        /// How many documents there are.
        documents: u64,
    },
    /// There are no documents.
    #[error("there are no documents; at least one is needed to learn a vocabulary")]
    NoDocuments,
    /// The documents have no terms.
    #[error(
        "none of the {documents} documents has a term; terms are made of words of at least shortest-token \
         ({shortest_token}) letters or digits, that stop-words does not exclude, at least ngrams min ({ngrams_min}) \
         of them: lower these numbers or exclude fewer words"
    )]
    NoTerms {
        /// How many documents there are.
        documents: u64,
        /// The option of that name.
        shortest_token: usize,
        /// How many tokens a term has at least.
        ngrams_min: usize,
    },
    /// The bounds leave no term.
    #[error(
        "none of the {terms} terms is left: {rare} are in too few of the {documents} documents for min-df \
         ({min}), {common} in too many for max-df ({max}); {remedy}"
    )]
    NothingLeft {
        /// How many terms there were.
        terms: usize,
        /// How many are below the lower bound.
        rare: usize,
        /// How many are above the upper bound.
        common: usize,
        /// How many documents there are.
        documents: u64,
        /// The lower bound.
        min: DocumentBound,
        /// The upper bound.
        max: DocumentBound,
        /// Which bound to loosen.
        remedy: &'static str,
    },
    /// More terms than columns can be numbered.
    #[error("{terms} terms are more than the {} columns that a row may have; lower max-features", u32::MAX)]
    TooManyTerms {
        /// How many terms there are.
        terms: usize,
    },
    /// The terms take more memory than they may.
    #[error("the counts of more than {terms} terms need {needed} bytes of memory, and {allowed} are allowed")]
    Memory {
        /// How many terms were counted.
        terms: usize,
        /// Bytes that they need.
        needed: u64,
        /// Bytes that they may take.
        allowed: u64,
    },
    /// A stored vectorizer contradicts itself.
    #[error("not a usable vocabulary: {problem}; fit the model again, or take an undamaged copy of it")]
    Stored {
        /// What is wrong.
        problem: String,
    },
}

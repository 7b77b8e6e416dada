//! What a term is, which terms count, and how much.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Language, StopWords, TextError};

/// Longer n-grams all but never repeat, and a text has as many of each length as words.
const LONGEST_NGRAM: usize = 16;

/// How documents become rows, in the words of scikit-learn's `TfidfVectorizer`.
///
/// | option | default | `TfidfVectorizer` |
/// |---|---|---|
/// | `lowercase` | yes | `lowercase` |
/// | `shortest_token` | 2 | `token_pattern`, by default `(?u)\b\w\w+\b` |
/// | `stop_words` | none | `stop_words` |
/// | `stemming` | none | has none |
/// | `ngrams` | 1 to 1 | `ngram_range` |
/// | `min_df`, `max_df` | 1, a share of 1 | the same |
/// | `max_features` | 2000 | the same, none by default |
/// | `sublinear_tf` | yes | the same, no by default |
/// | `use_idf`, `smooth_idf` | yes | the same |
/// | `norm` | l2 | the same |
/// | `binary` | no | the same |
///
/// ```
/// use lpvdn_data::text::{DocumentBound, StopWords, TextOptions};
/// let options = TextOptions {
///     stop_words: StopWords::English,
///     min_df: DocumentBound::Count(5),
///     max_df: DocumentBound::Share(0.5),
///     ..TextOptions::default()
/// };
/// assert!(options.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct TextOptions {
    /// Whether case is ignored.
    pub lowercase: bool,
    /// How many characters a token has at least. A token is a longest run of letters, digits and
    /// underscores. For languages that are written without spaces, 1 is worth a try.
    pub shortest_token: usize,
    /// The tokens to leave out.
    pub stop_words: StopWords,
    /// Whether tokens are cut to their stems, and in which language. Stemmers expect lower case.
    pub stemming: Option<Language>,
    /// How many consecutive tokens make a term.
    pub ngrams: NGrams,
    /// Terms in fewer documents are left out.
    pub min_df: DocumentBound,
    /// Terms in more documents are left out.
    pub max_df: DocumentBound,
    /// How many terms there are at most: the most frequent over all documents; among equally
    /// frequent ones the first in the alphabet.
    pub max_features: Option<usize>,
    /// Whether a term that occurs tf times in a document counts 1 + ln tf instead of tf.
    pub sublinear_tf: bool,
    /// Whether a term counts more the fewer documents have it: ln(n / df) + 1 times.
    pub use_idf: bool,
    /// Whether idf is computed as if one more document had every term: ln((1 + n) / (1 + df)) + 1.
    pub smooth_idf: bool,
    /// What the length of a row is made 1 by.
    pub norm: Norm,
    /// Whether a term counts once in a document, however often it occurs.
    pub binary: bool,
}

impl Default for TextOptions {
    fn default() -> TextOptions {
        TextOptions {
            lowercase: true,
            shortest_token: 2,
            stop_words: StopWords::None,
            stemming: None,
            ngrams: NGrams::default(),
            min_df: DocumentBound::Count(1),
            max_df: DocumentBound::Share(1.0),
            max_features: Some(2000),
            sublinear_tf: true,
            use_idf: true,
            smooth_idf: true,
            norm: Norm::L2,
            binary: false,
        }
    }
}

impl TextOptions {
    /// Whether the options make sense by themselves, without documents.
    ///
    /// # Errors
    /// A sentence that names the option and what would be accepted.
    pub fn check(&self) -> Result<(), TextError> {
        let NGrams { min, max } = self.ngrams;
        if min == 0 || max < min || max > LONGEST_NGRAM {
            return Err(TextError::NGrams { min, max, longest: LONGEST_NGRAM });
        }
        if self.shortest_token == 0 {
            return Err(TextError::Zero { option: "shortest-token" });
        }
        if self.max_features == Some(0) {
            return Err(TextError::Zero { option: "max-features" });
        }
        self.min_df.check("min-df")?;
        self.max_df.check("max-df")
    }
}

/// The numbers of consecutive tokens that make a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NGrams {
    /// The smallest number, at least 1.
    pub min: usize,
    /// The largest number, at most 16.
    pub max: usize,
}

impl Default for NGrams {
    /// Single tokens.
    fn default() -> NGrams {
        NGrams { min: 1, max: 1 }
    }
}

/// A number of documents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentBound {
    /// So many, at least 1.
    Count(u64),
    /// This share of all documents, from 0 to 1.
    Share(f64),
}

impl DocumentBound {
    fn check(self, option: &'static str) -> Result<(), TextError> {
        match self {
            DocumentBound::Count(1..) => Ok(()),
            DocumentBound::Share(share) if (0.0..=1.0).contains(&share) => Ok(()),
            found => Err(TextError::Bound { option, found }),
        }
    }

    /// The number of documents out of `all`. It need not be whole: scikit-learn does not round.
    pub(super) fn of(self, all: u64) -> f64 {
        match self {
            DocumentBound::Count(count) => count as f64,
            DocumentBound::Share(share) => share * all as f64,
        }
    }
}

impl fmt::Display for DocumentBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DocumentBound::Count(count) => write!(f, "a count of {count}"),
            DocumentBound::Share(share) => write!(f, "a share of {share}"),
        }
    }
}

/// What a row's weights are divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// The root of the sum of their squares: rows are then as similar as their cosine says.
    #[default]
    L2,
    /// Their sum.
    L1,
    /// Nothing.
    None,
}

//! Sparse rows from documents: the tf-idf weights that scikit-learn's `TfidfVectorizer` gives.
//!
//! A text is lower-cased, cut into tokens, freed of stop words, perhaps stemmed, and its tokens are
//! joined to n-grams: the terms. [`TermCounts`] counts the terms of all documents, [`Vectorizer`]
//! keeps the vocabulary that the bounds leave, and writes a document as one weight a term.
//!
//! With equal [`TextOptions`], vocabulary and weights are scikit-learn's. One thing there has no
//! fixed answer: which of several equally frequent terms [`TextOptions::max_features`] leaves out
//! depends, in NumPy's unstable sort, on the processor. Here the first in the alphabet stay, which
//! is what that sort gives where it happens to be stable.
//!
//! ```
//! use lpvdn_data::text::{TextOptions, Vectorizer};
//! let documents = ["the cat sat on the mat", "the dog sat on the log"];
//! let (vectorizer, rows) = Vectorizer::fit_transform(&TextOptions::default(), &documents)?;
//! assert_eq!(vectorizer.terms(), ["cat", "dog", "log", "mat", "on", "sat", "the"]);
//! assert_eq!((rows.rows(), rows.cols(), rows.entries()), (2, 7, 10));
//! # Ok::<(), lpvdn_data::text::TextError>(())
//! ```

mod analyzer;
mod counts;
mod error;
mod options;
mod recognise;
mod stemming;
mod stop_words;
mod stored;
mod term_weights;
mod vectorizer;
mod vocabulary;
mod word;

pub use counts::TermCounts;
pub use error::TextError;
pub use options::{DocumentBound, NGrams, Norm, TextOptions};
pub(crate) use recognise::Recogniser;
pub use stemming::Language;
pub use stop_words::StopWords;
pub use term_weights::TermWeights;
pub use vectorizer::Vectorizer;

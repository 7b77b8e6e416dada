//! Documents as rows of weights.

use std::collections::HashMap;

use lpvdn_core::CsrMatrix;
use lpvdn_core::math::ln;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::analyzer::Analyzer;
use super::counts::Tally;
use super::stored::Stored;
use super::{Norm, TermCounts, TermWeights, TextError, TextOptions};

/// So many documents become rows before the rows are put into the matrix.
const BLOCK: usize = 8192;
/// But only one that is longer than this.
const BLOCK_BYTES: usize = 4 << 20;

/// A learnt vocabulary, and the weight of each term in it.
///
/// It is stored with serde as options, terms and idf; what is loaded is checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", rename_all = "kebab-case")]
pub struct Vectorizer {
    options: TextOptions,
    terms: Vec<String>,
    idf: Vec<f64>,
    #[serde(skip)]
    analyzer: Analyzer,
    #[serde(skip)]
    columns: HashMap<String, u32>,
}

/// All else follows from these.
impl PartialEq for Vectorizer {
    fn eq(&self, other: &Vectorizer) -> bool {
        (self.options(), self.terms(), self.idf()) == (other.options(), other.terms(), other.idf())
    }
}

impl Vectorizer {
    pub(super) fn new(
        options: TextOptions,
        analyzer: Analyzer,
        documents: u64,
        chosen: Vec<(Box<str>, Tally)>,
    ) -> Vectorizer {
        let idf = chosen.iter().map(|(_, tally)| idf(&options, documents, tally.documents)).collect();
        let terms = chosen.into_iter().map(|(term, _)| term.into()).collect();
        Vectorizer::from_parts(options, analyzer, terms, idf)
    }

    /// The parts are known to fit together, and the terms to be no more than `u32::MAX`.
    pub(super) fn from_parts(
        options: TextOptions,
        analyzer: Analyzer,
        terms: Vec<String>,
        idf: Vec<f64>,
    ) -> Vectorizer {
        let columns = terms.iter().cloned().zip(0..).collect();
        Vectorizer { options, terms, idf, analyzer, columns }
    }

    /// Learns the vocabulary of documents. For more than fit into memory there is [`TermCounts`].
    ///
    /// # Errors
    /// Options that make no sense, no documents, or nothing left between the bounds.
    pub fn fit<D: AsRef<str> + Sync>(
        options: &TextOptions,
        documents: &[D],
    ) -> Result<Vectorizer, TextError> {
        let mut counts = TermCounts::new(options)?;
        counts.add(documents);
        counts.into_vectorizer()
    }

    /// Learns the vocabulary of documents and writes them as rows.
    ///
    /// The documents are analysed twice: keeping the counts of terms that the vocabulary then
    /// leaves out would cost far more memory than the rows.
    ///
    /// # Errors
    /// As [`Vectorizer::fit`].
    pub fn fit_transform<D: AsRef<str> + Sync>(
        options: &TextOptions,
        documents: &[D],
    ) -> Result<(Vectorizer, CsrMatrix<f32>), TextError> {
        let vectorizer = Vectorizer::fit(options, documents)?;
        let rows = vectorizer.transform(documents);
        Ok((vectorizer, rows))
    }

    /// Writes documents as rows, one column a term. A document without a known term is an empty row.
    ///
    /// It runs on the threads of the pool it is called in; the result does not depend on them.
    pub fn transform<D: AsRef<str> + Sync>(&self, documents: &[D]) -> CsrMatrix<f32> {
        let mut rows = CsrMatrix::new(self.terms.len());
        let pushed = self.for_each_row(documents, |row| {
            rows.push_row(row.iter().copied());
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = pushed;
        rows
    }

    /// Calls `visit` with the row of every document, in their order. Only a few rows are held at a time.
    pub(crate) fn for_each_row<D: AsRef<str> + Sync, E>(
        &self,
        documents: &[D],
        mut visit: impl FnMut(&[(u32, f32)]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = documents;
        while !rest.is_empty() {
            let lengths = rest.iter().scan(0, |sum, document| {
                *sum += document.as_ref().len();
                Some(*sum)
            });
            let block = lengths.take_while(|sum| *sum <= BLOCK_BYTES).take(BLOCK).count().max(1);
            let (block, after) = rest.split_at(block);
            let rows: Vec<_> = block.par_iter().map(|document| self.row(document.as_ref())).collect();
            rows.iter().try_for_each(|row| visit(row))?;
            rest = after;
        }
        Ok(())
    }

    /// How documents become rows.
    pub fn options(&self) -> &TextOptions {
        &self.options
    }

    /// The vocabulary, sorted by code points: the names of the columns.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// The inverse document frequency of each term; ones without [`TextOptions::use_idf`].
    pub fn idf(&self) -> &[f64] {
        &self.idf
    }

    /// Names the terms of a row.
    pub fn term_weights(&self) -> TermWeights<'_> {
        TermWeights::new(&self.terms)
    }

    fn row(&self, text: &str) -> Vec<(u32, f32)> {
        let mut columns = Vec::new();
        self.analyzer.for_each_term(text, |term| columns.extend(self.columns.get(term)));
        columns.sort_unstable();
        let weight = |run: &[u32]| (run[0], self.frequency(run.len()) * self.idf[run[0] as usize]);
        let weights: Vec<_> = columns.chunk_by(|a, b| a == b).map(weight).collect();
        let length = length(&weights, self.options.norm);
        weights.into_iter().map(|(column, weight)| (column, (weight / length) as f32)).collect()
    }

    /// tf: what a term counts that occurs so often in a document.
    fn frequency(&self, occurrences: usize) -> f64 {
        match &self.options {
            TextOptions { binary: true, .. } => 1.0,
            TextOptions { sublinear_tf: true, .. } => 1.0 + ln(occurrences as f64),
            _ => occurrences as f64,
        }
    }
}

/// What the weights of a row are divided by. They are positive, and so is their length.
fn length(weights: &[(u32, f64)], norm: Norm) -> f64 {
    match norm {
        Norm::L2 => weights.iter().map(|(_, w)| w * w).sum::<f64>().sqrt(),
        Norm::L1 => weights.iter().map(|(_, w)| w).sum(),
        Norm::None => 1.0,
    }
}

/// ln(n / df) + 1, where smoothing adds a document that has every term.
fn idf(options: &TextOptions, documents: u64, with_term: u64) -> f64 {
    if !options.use_idf {
        return 1.0;
    }
    let more = u64::from(options.smooth_idf);
    ln((documents + more) as f64 / (with_term + more) as f64) + 1.0
}

//! A vectorizer as it is loaded: nothing in it is believed.

use std::ops::RangeInclusive;

use serde::Deserialize;

use super::analyzer::Analyzer;
use super::{TextError, TextOptions, Vectorizer};
use crate::error::quoted;

/// ln(n / df) + 1 with 1 ≤ df ≤ n < 2⁶⁴. Other weights could give rows of length 0 or infinity.
const POSSIBLE_IDF: RangeInclusive<f64> = 1.0..=46.0;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Stored {
    options: TextOptions,
    terms: Vec<String>,
    idf: Vec<f64>,
}

impl TryFrom<Stored> for Vectorizer {
    type Error = TextError;

    fn try_from(stored: Stored) -> Result<Vectorizer, TextError> {
        stored.options.check()?;
        check_terms(&stored.terms)?;
        check_idf(&stored)?;
        let analyzer = Analyzer::new(&stored.options);
        Ok(Vectorizer::from_parts(stored.options, analyzer, stored.terms, stored.idf))
    }
}

fn check_terms(terms: &[String]) -> Result<(), TextError> {
    if terms.is_empty() {
        return Err(unusable("it has no terms"));
    }
    if u32::try_from(terms.len()).is_err() {
        return Err(TextError::TooManyTerms { terms: terms.len() });
    }
    match terms.windows(2).find(|pair| pair[0] >= pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let (first, second) = (quoted(pair[0].as_bytes()), quoted(pair[1].as_bytes()));
            Err(unusable(format!("terms must rise, without repeats, but {second} follows {first}")))
        }
    }
}

fn check_idf(Stored { options, terms, idf }: &Stored) -> Result<(), TextError> {
    if idf.len() != terms.len() {
        return Err(unusable(format!("{} terms, but {} idf weights", terms.len(), idf.len())));
    }
    let usable = |weight| if options.use_idf { POSSIBLE_IDF.contains(&weight) } else { weight == 1.0 };
    match idf.iter().position(|&weight| !usable(weight)) {
        None => Ok(()),
        Some(at) => {
            let accepted = if options.use_idf { "from 1 to 46" } else { "1, because use-idf is off" };
            let (term, found) = (quoted(terms[at].as_bytes()), idf[at]);
            Err(unusable(format!("the idf weight of {term} is {found}, but must be {accepted}")))
        }
    }
}

fn unusable(problem: impl Into<String>) -> TextError {
    TextError::Stored { problem: problem.into() }
}

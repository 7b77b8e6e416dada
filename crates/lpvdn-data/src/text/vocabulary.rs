//! Which terms become columns.

use super::counts::{Tallies, Tally};
use super::{TextError, TextOptions};

/// The terms of the vocabulary with their counts, sorted by code points.
pub(super) fn choose(
    tallies: Tallies,
    documents: u64,
    options: &TextOptions,
) -> Result<Vec<(Box<str>, Tally)>, TextError> {
    if documents == 0 {
        return Err(TextError::NoDocuments);
    }
    if tallies.is_empty() {
        let (shortest_token, ngrams_min) = (options.shortest_token, options.ngrams.min);
        return Err(TextError::NoTerms { documents, shortest_token, ngrams_min });
    }
    let mut terms = within_bounds(tallies, documents, options)?;
    if let Some(most) = options.max_features.filter(|&most| most < terms.len()) {
        keep_most_frequent(&mut terms, most, options.binary);
    }
    if u32::try_from(terms.len()).is_err() {
        return Err(TextError::TooManyTerms { terms: terms.len() });
    }
    // The order of UTF-8 bytes is that of code points.
    terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(terms)
}

fn within_bounds(
    tallies: Tallies,
    documents: u64,
    options: &TextOptions,
) -> Result<Vec<(Box<str>, Tally)>, TextError> {
    let (min, max) = (options.min_df, options.max_df);
    let (low, high) = (min.of(documents), max.of(documents));
    if high < low {
        return Err(TextError::BoundsCross { min, max, documents });
    }
    let terms = tallies.len();
    let (mut rare, mut common) = (0, 0);
    let is_within = |(_, tally): &(Box<str>, Tally)| {
        let found = tally.documents as f64;
        rare += usize::from(found < low);
        common += usize::from(found > high);
        (low..=high).contains(&found)
    };
    let left: Vec<_> = tallies.into_iter().filter(is_within).collect();
    if left.is_empty() {
        let remedy = remedy(rare, common);
        return Err(TextError::NothingLeft { terms, rare, common, documents, min, max, remedy });
    }
    Ok(left)
}

fn remedy(rare: usize, common: usize) -> &'static str {
    match (rare, common) {
        (_, 0) => "lower min-df",
        (0, _) => "raise max-df",
        _ => "lower min-df or raise max-df",
    }
}

/// Leaves the `most` most frequent of more terms, in any order. Their ranking is total, so that
/// neither hashing nor threads decide between equals.
fn keep_most_frequent(terms: &mut Vec<(Box<str>, Tally)>, most: usize, binary: bool) {
    let frequency = |tally: &Tally| if binary { tally.documents } else { tally.occurrences };
    terms.select_nth_unstable_by(most, |(a, of_a), (b, of_b)| {
        frequency(of_b).cmp(&frequency(of_a)).then_with(|| a.cmp(b))
    });
    terms.truncate(most);
}

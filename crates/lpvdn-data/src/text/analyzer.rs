//! From a text to its terms.

use std::borrow::Cow;
use std::collections::HashSet;

use super::stemming::stem;
use super::word::tokens;
use super::{Language, NGrams, TextOptions};

/// Finds the terms of a text, in the order of scikit-learn's analyzer: lower case, tokens, stop
/// words, n-grams. Stems are taken after the stop words, which are whole words.
#[derive(Clone, Debug)]
pub(super) struct Analyzer {
    lowercase: bool,
    shortest_token: usize,
    stop_words: HashSet<String>,
    stemming: Option<Language>,
    ngrams: NGrams,
}

impl Analyzer {
    pub(super) fn new(options: &TextOptions) -> Analyzer {
        Analyzer {
            lowercase: options.lowercase,
            shortest_token: options.shortest_token,
            stop_words: options.stop_words.to_set(),
            stemming: options.stemming,
            ngrams: options.ngrams,
        }
    }

    /// Calls `found` with every term, as often as it occurs.
    pub(super) fn for_each_term(&self, text: &str, mut found: impl FnMut(&str)) {
        let text = if self.lowercase { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) };
        let stemmer = self.stemming.map(Language::stemmer);
        let tokens = tokens(&text, self.shortest_token)
            .filter(|token| !self.stop_words.contains(*token))
            .map(|token| match &stemmer {
                Some(stemmer) => stem(stemmer, token),
                None => Cow::Borrowed(token),
            });
        if self.ngrams == NGrams::default() {
            tokens.for_each(|token| found(&token));
        } else {
            self.join(&tokens.collect::<Vec<_>>(), found);
        }
    }

    fn join(&self, tokens: &[Cow<'_, str>], mut found: impl FnMut(&str)) {
        let mut term = String::new();
        for n in self.ngrams.min..=self.ngrams.max.min(tokens.len()) {
            for run in tokens.windows(n) {
                term.clear();
                for (i, token) in run.iter().enumerate() {
                    term.push_str(if i == 0 { "" } else { " " });
                    term.push_str(token);
                }
                found(&term);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::StopWords;
    use super::*;

    fn terms(options: TextOptions, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        Analyzer::new(&options).for_each_term(text, |term| terms.push(term.to_owned()));
        terms
    }

    #[test]
    fn stop_words_go_before_stems_and_stems_before_n_grams() {
        let options = TextOptions {
            stop_words: StopWords::List(vec!["running".to_owned()]),
            stemming: Some(Language::English),
            ngrams: NGrams { min: 2, max: 2 },
            ..TextOptions::default()
        };
        assert_eq!(terms(options, "Running dogs jumped, runs"), ["dog jump", "jump run"]);
    }

    #[test]
    fn n_grams_longer_than_the_text_are_not_looked_for() {
        let options = TextOptions { ngrams: NGrams { min: 2, max: 9 }, ..TextOptions::default() };
        assert_eq!(terms(options.clone(), "one two three"), ["one two", "two three", "one two three"]);
        assert_eq!(terms(options, "one"), [""; 0]);
    }

    #[test]
    fn case_is_kept_on_request() {
        let options = TextOptions { lowercase: false, ..TextOptions::default() };
        assert_eq!(terms(options, "An ANT"), ["An", "ANT"]);
    }
}

//! Words so common that they say nothing about a document.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// The tokens to leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopWords {
    /// Every token counts.
    #[default]
    None,
    /// The 318 words of scikit-learn's English list.
    English,
    /// German function words.
    German,
    /// French function words.
    French,
    /// Spanish function words.
    Spanish,
    /// These tokens. As in scikit-learn they are compared as they stand, so that with
    /// [`lowercase`](super::TextOptions::lowercase) they must be lower-case themselves.
    List(Vec<String>),
}

impl StopWords {
    pub(super) fn to_set(&self) -> HashSet<String> {
        let text = match self {
            StopWords::None => return HashSet::new(),
            StopWords::List(words) => return words.iter().cloned().collect(),
            StopWords::English => include_str!("stop_words/english.txt"),
            StopWords::German => include_str!("stop_words/german.txt"),
            StopWords::French => include_str!("stop_words/french.txt"),
            StopWords::Spanish => include_str!("stop_words/spanish.txt"),
        };
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_whitespace).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::word::tokens;
    use super::*;

    #[test]
    fn a_built_in_stop_word_is_a_token_of_its_own_or_it_would_never_match() {
        for (list, at_least) in
            [(StopWords::German, 300), (StopWords::French, 200), (StopWords::Spanish, 300)]
        {
            let words = list.to_set();
            assert!(words.len() >= at_least, "{list:?}: {}", words.len());
            for word in &words {
                assert_eq!(tokens(&word.to_lowercase(), 2).collect::<Vec<_>>(), [word], "{list:?}");
            }
        }
    }

    #[test]
    fn comments_are_no_stop_words() {
        assert_eq!(StopWords::English.to_set().len(), 318);
        assert!(!StopWords::German.to_set().contains("lpvdn:"));
    }
}

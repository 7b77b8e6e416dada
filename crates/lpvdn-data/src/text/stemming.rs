//! Words without their endings.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use snowball_stemmers_rs::{Algorithm, Stemmer};

/// No inflected word is longer. Some of the algorithms take time quadratic in the length.
const LONGEST_WORD: usize = 256;

/// A language with a Snowball stemmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
#[non_exhaustive]
pub enum Language {
    Arabic,
    Danish,
    Dutch,
    English,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish,
}

impl Language {
    pub(super) fn stemmer(self) -> Stemmer {
        Stemmer::create(match self {
            Language::Arabic => Algorithm::Arabic,
            Language::Danish => Algorithm::Danish,
            Language::Dutch => Algorithm::Dutch,
            Language::English => Algorithm::English,
            Language::Finnish => Algorithm::Finnish,
            Language::French => Algorithm::French,
            Language::German => Algorithm::German,
            Language::Greek => Algorithm::Greek,
            Language::Hungarian => Algorithm::Hungarian,
            Language::Italian => Algorithm::Italian,
            Language::Norwegian => Algorithm::Norwegian,
            Language::Portuguese => Algorithm::Portuguese,
            Language::Romanian => Algorithm::Romanian,
            Language::Russian => Algorithm::Russian,
            Language::Spanish => Algorithm::Spanish,
            Language::Swedish => Algorithm::Swedish,
            Language::Tamil => Algorithm::Tamil,
            Language::Turkish => Algorithm::Turkish,
        })
    }
}

/// The token's stem, or the token itself where there is nothing to cut.
pub(super) fn stem<'a>(stemmer: &Stemmer, token: &'a str) -> Cow<'a, str> {
    if token.len() > LONGEST_WORD {
        return Cow::Borrowed(token);
    }
    let stem = stemmer.stem(token);
    // A stem of nothing would be a term without a name.
    if stem.is_empty() { Cow::Borrowed(token) } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_word_have_one_stem() {
        for (language, forms) in [
            (Language::English, &["connected", "connecting", "connection", "connections"][..]),
            (Language::German, &["häuser", "hauses", "häusern"]),
            (Language::French, &["continuer", "continuait", "continuera"]),
            (Language::Spanish, &["chicos", "chicas", "chico"]),
            (Language::Russian, &["важная", "важное", "важных"]),
        ] {
            let stemmer = language.stemmer();
            let first = stem(&stemmer, forms[0]);
            assert!(first.len() < forms[0].len(), "{first}");
            forms.iter().for_each(|form| assert_eq!(stem(&stemmer, form), first));
        }
    }

    #[test]
    fn greek_words_on_which_older_stemmers_panic_are_stemmed() {
        assert!(!stem(&Language::Greek.stemmer(), "ισαισα").is_empty());
    }
}

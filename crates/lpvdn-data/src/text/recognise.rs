//! In which language texts are, as far as their most common words tell.
//!
//! Of ordinary English, German, French or Spanish, a third to a half of all tokens are on the list of common words of that
//! language; of headlines a fifth. They say nothing about what a text is about, but are most of what texts share.

use std::collections::HashSet;

use super::StopWords;
use super::word::tokens;

/// The languages that have a list, and words of each that related languages do not have: Dutch shares half of the common
/// words of English and German, Portuguese and Catalan those of Spanish.
const LANGUAGES: [(&str, StopWords, &[&str]); 4] = [
    ("English", StopWords::English, &["the", "and", "with", "that", "this", "from", "for", "to"]),
    ("German", StopWords::German, &["und", "der", "das", "nicht", "auf", "für", "ist", "dem", "den"]),
    ("French", StopWords::French, &["les", "des", "est", "dans", "une", "qui", "pour", "du"]),
    ("Spanish", StopWords::Spanish, &["los", "las", "una", "por", "como"]),
];
/// At least this share of the tokens is among the words that only one language has.
const OWN_SHARE: f64 = 0.03;
/// Texts are in a language whose common words are at least this share of the tokens.
const SHARE: f64 = 0.15;
/// And by this factor more of them than those of the next language: the lists have words in common.
const AHEAD: f64 = 1.5;
/// Fewer tokens tell nothing.
const FEWEST: usize = 50;
/// A text is looked at to here: a long one is one text.
const TOKENS_OF_A_TEXT: usize = 200;

/// Counts the common words of each language.
pub(crate) struct Recogniser {
    lists: Vec<HashSet<String>>,
    found: Vec<usize>,
    /// Words that only the language has.
    own: Vec<usize>,
    tokens: usize,
    shortest: usize,
}

impl Recogniser {
    /// For tokens of at least this many characters.
    pub(crate) fn new(shortest: usize) -> Recogniser {
        let lists = LANGUAGES.iter().map(|(_, words, _)| words.to_set()).collect();
        Recogniser {
            lists,
            found: vec![0; LANGUAGES.len()],
            own: vec![0; LANGUAGES.len()],
            tokens: 0,
            shortest,
        }
    }

    /// Looks at another text.
    pub(crate) fn add(&mut self, text: &str) {
        // More than the tokens that count have; a text without spaces is not copied to its end.
        const LETTERS: usize = 64 * TOKENS_OF_A_TEXT;
        let end = text.char_indices().nth(LETTERS).map_or(text.len(), |(end, _)| end);
        let small = text[..end].to_lowercase();
        for token in tokens(&small, self.shortest).take(TOKENS_OF_A_TEXT) {
            self.tokens += 1;
            let found = self.found.iter_mut().zip(&self.lists);
            found.for_each(|(found, list)| *found += usize::from(list.contains(token)));
            let own = self.own.iter_mut().zip(&LANGUAGES);
            own.for_each(|(own, (_, _, words))| *own += usize::from(words.contains(&token)));
        }
    }

    /// The language of the texts, and its common words, if it is one of those that have a list.
    pub(crate) fn language(&self) -> Option<(&'static str, StopWords)> {
        let share = |found: usize| found as f64 / self.tokens.max(1) as f64;
        let best = (0..LANGUAGES.len()).max_by_key(|&at| (self.found[at], LANGUAGES.len() - at))?;
        let others = (0..LANGUAGES.len()).filter(|&at| at != best).map(|at| self.found[at]);
        let ahead = self.found[best] as f64 >= AHEAD * others.max().unwrap_or(0) as f64;
        let common = share(self.found[best]) >= SHARE && share(self.own[best]) >= OWN_SHARE;
        let (name, words, _) = &LANGUAGES[best];
        (self.tokens >= FEWEST && common && ahead).then(|| (*name, words.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(texts: &[&str]) -> Option<&'static str> {
        let mut recogniser = Recogniser::new(2);
        texts.iter().for_each(|text| recogniser.add(text));
        recogniser.language().map(|(name, _)| name)
    }

    #[test]
    fn ordinary_texts_and_headlines_are_known_by_their_common_words() {
        let english = "The price of oil has risen by a third since the beginning of the year, and most of the \
                       countries that import it are looking for other ways to heat their houses.";
        let german = "Der Preis für Öl ist seit dem Beginn des Jahres um ein Drittel gestiegen, und die meisten der \
                      Länder, die es einführen, suchen nach anderen Wegen, ihre Häuser zu heizen.";
        let french = "Le prix du pétrole a augmenté d'un tiers depuis le début de l'année, et la plupart des pays qui \
                      en importent cherchent d'autres moyens de chauffer leurs maisons.";
        let spanish = "El precio del petróleo ha subido un tercio desde el comienzo del año, y la mayoría de los países \
                       que lo importan buscan otras formas de calentar sus casas.";
        for (text, name) in
            [(english, "English"), (german, "German"), (french, "French"), (spanish, "Spanish")]
        {
            assert_eq!(language(&[text; 4]), Some(name), "{text}");
        }
        let headlines =
            ["Oil price rises to highest in three years", "Minister says no to tax cut for banks"];
        assert_eq!(language(&headlines.repeat(8)), Some("English"));
    }

    #[test]
    fn what_is_no_such_text_has_no_language() {
        let names =
            "oslo bergen trondheim stavanger drammen fredrikstad kristiansand sandnes tromsø sarpsborg";
        let dutch = "De prijs van olie is sinds het begin van het jaar met een derde gestegen";
        let dense =
            "De man was in de tuin en de hond is in het huis over de brug of in de boot met zijn been";
        let portuguese = "O preço do petróleo subiu um terço desde o início do ano e a maioria dos países que o \
                          importam procura outras formas de aquecer as suas casas";
        let catalan =
            "El preu del petroli ha pujat un terç des del començament de l'any i la majoria dels països";
        let afrikaans =
            "Die man was in die tuin en die hond is in die huis en die kat is op die dak van die kerk";
        let codes = "error 4711 worker node17 timeout retry queue flush commit abort shard";
        for text in [names, dutch, dense, portuguese, catalan, afrikaans, codes, "", "日本語の文章です"]
        {
            assert_eq!(language(&[text; 20]), None, "{text}");
        }
        assert_eq!(language(&["the price of oil"]), None, "too few to know");
    }

    #[test]
    fn a_long_text_is_one_text() {
        let long = "the of and to ".repeat(100_000);
        let names: Vec<String> = (0..2_000).map(|i| format!("name{i} other{i} third{i}")).collect();
        let mut texts: Vec<&str> = names.iter().map(String::as_str).collect();
        texts.push(&long);
        assert_eq!(language(&texts), None);
    }
}

//! Documents as rows: what holds for all texts, and texts made to do harm.
#![allow(missing_docs)]

use lpvdn_core::{CsrMatrix, Pool};
use lpvdn_data::text::{Language, NGrams, Norm, StopWords, TextOptions, Vectorizer};
use proptest::prelude::*;

const LANGUAGES: [Language; 18] = [
    Language::Arabic,
    Language::Danish,
    Language::Dutch,
    Language::English,
    Language::Finnish,
    Language::French,
    Language::German,
    Language::Greek,
    Language::Hungarian,
    Language::Italian,
    Language::Norwegian,
    Language::Portuguese,
    Language::Romanian,
    Language::Russian,
    Language::Spanish,
    Language::Swedish,
    Language::Tamil,
    Language::Turkish,
];

/// Few words, so that they repeat, among text of any kind.
fn documents() -> impl Strategy<Value = Vec<String>> {
    let word = prop_oneof![
        4 => prop::sample::select(vec!["ant", "Bee", "cat", "the", "größe", "ΣΑΣ", "x", "\0", "İİ", "_a1"])
            .prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ];
    let document = prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "));
    // Enough for several threads.
    prop::collection::vec(document, 1..200)
}

fn options() -> impl Strategy<Value = TextOptions> {
    let norm = prop::sample::select(vec![Norm::L2, Norm::L1, Norm::None]);
    let stop_words = prop::sample::select(vec![StopWords::None, StopWords::English]);
    let stemming = prop::option::of(prop::sample::select(LANGUAGES.to_vec()));
    let most = prop::option::of(1..40_usize);
    let flags = any::<(bool, bool, bool, bool, bool)>();
    (norm, stop_words, stemming, (1..3_usize, 0..2_usize), most, flags).prop_map(
        |(norm, stop_words, stemming, (min, more), max_features, flags)| {
            let (lowercase, sublinear_tf, use_idf, smooth_idf, binary) = flags;
            let ngrams = NGrams { min, max: min + more };
            TextOptions {
                lowercase,
                shortest_token: 3 - min,
                stop_words,
                stemming,
                ngrams,
                max_features,
                sublinear_tf,
                use_idf,
                smooth_idf,
                norm,
                binary,
                ..TextOptions::default()
            }
        },
    )
}

fn check(rows: &CsrMatrix<f32>, norm: Norm) -> Result<(), TestCaseError> {
    for i in 0..rows.rows() {
        let (columns, values) = rows.row(i);
        prop_assert!(columns.windows(2).all(|pair| pair[0] < pair[1]), "columns {columns:?}");
        prop_assert!(columns.iter().all(|&j| (j as usize) < rows.cols()));
        prop_assert!(values.iter().all(|&v| v > 0.0 && v.is_finite()), "values {values:?}");
        let length = match norm {
            Norm::L2 => values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt(),
            Norm::L1 => values.iter().map(|&v| f64::from(v)).sum(),
            Norm::None => continue,
        };
        prop_assert!(values.is_empty() || (length - 1.0).abs() < 1e-5, "length {length}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn rows_have_rising_columns_positive_weights_and_length_one_or_are_empty(
        documents in documents(),
        options in options(),
    ) {
        if let Ok((vectorizer, rows)) = Vectorizer::fit_transform(&options, &documents) {
            prop_assert_eq!((rows.rows(), rows.cols()), (documents.len(), vectorizer.terms().len()));
            prop_assert!(vectorizer.terms().windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(vectorizer.terms().len() <= options.max_features.unwrap_or(usize::MAX));
            check(&rows, options.norm)?;
        }
    }

    #[test]
    fn learning_and_writing_are_the_same_together_and_apart(documents in documents(), options in options()) {
        if let Ok((_, together)) = Vectorizer::fit_transform(&options, &documents) {
            let vectorizer = Vectorizer::fit(&options, &documents).expect("learnt before");
            prop_assert_eq!(&vectorizer.transform(&documents), &together);
            for (i, document) in documents.iter().enumerate() {
                let alone = vectorizer.transform(&[document]);
                prop_assert_eq!(alone.row(0), together.row(i));
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing(documents in documents(), options in options()) {
        let on = |threads| {
            let pool = Pool::new(threads).expect("a pool");
            let fitted = pool.run(|| Vectorizer::fit_transform(&options, &documents));
            fitted.map(|(v, rows)| (v.terms().to_vec(), v.idf().to_vec(), rows))
        };
        prop_assert_eq!(on(1), on(5));
    }

    #[test]
    fn no_text_makes_a_stemmer_panic(
        text in "(\\PC{1,12}|[a-zäöüßéèñçåøæőűășğışα-ωάέήίόύώςа-яءا-يஅ-ஹ]{2,16})( [a-zα-ωά-ώа-яا-ي]{2,12}){0,8}",
    ) {
        for language in LANGUAGES {
            let options = TextOptions { stemming: Some(language), ..TextOptions::default() };
            if let Ok(vectorizer) = Vectorizer::fit(&options, &[&text]) {
                prop_assert!(vectorizer.terms().iter().all(|term| !term.is_empty()));
            }
        }
    }
}

#[test]
fn ten_megabytes_without_a_space_are_one_term() {
    for letter in ["a", "é", "Σ"] {
        let text = letter.repeat(10_000_000 / letter.len());
        let options = TextOptions {
            stemming: Some(Language::English),
            ngrams: NGrams { min: 1, max: 3 },
            ..TextOptions::default()
        };
        let (vectorizer, rows) = Vectorizer::fit_transform(&options, &[text.as_str()]).expect("a term");
        assert_eq!((vectorizer.terms().len(), rows.entries()), (1, 1));
        assert_eq!(vectorizer.terms()[0].len(), text.len());
        assert_eq!(rows.row(0).1, [1.0]);
    }
}

#[test]
fn ten_megabytes_without_a_word_are_an_empty_row() {
    let nothing = "\u{301}".repeat(5_000_000);
    let documents = [nothing.as_str(), "a word"];
    let (_, rows) = Vectorizer::fit_transform(&TextOptions::default(), &documents).expect("a term");
    assert_eq!(rows.row(0), (&[][..], &[][..]));
}

#[test]
fn nul_characters_end_tokens_like_spaces() {
    let documents = ["\0ant\0bee\0\0", "ant bee"];
    let (vectorizer, rows) = Vectorizer::fit_transform(&TextOptions::default(), &documents).expect("terms");
    assert_eq!(vectorizer.terms(), ["ant", "bee"]);
    assert_eq!(rows.row(0), rows.row(1));
}

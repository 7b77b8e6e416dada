//! Documents as rows: what scikit-learn and Python made of the same texts, and what is refused.
#![allow(missing_docs)]

mod common;

use common::says;
use lpvdn_core::CsrMatrix;
use lpvdn_data::text::{
    DocumentBound, Language, NGrams, Norm, StopWords, TermCounts, TextError, TextOptions, Vectorizer,
};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Fixture {
    english: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Case {
    name: String,
    options: TextOptions,
    documents: Vec<String>,
    terms: Vec<String>,
    idf: Option<Vec<f64>>,
    rows: Vec<Vec<(u32, f64)>>,
    unseen: Vec<String>,
    unseen_rows: Vec<Vec<(u32, f64)>>,
}

#[derive(Deserialize)]
struct Unicode {
    assigned: Vec<(u32, u32)>,
    word: Vec<(u32, u32)>,
    lower: Vec<(u32, String)>,
    sentences: Vec<(String, String)>,
}

fn fixture() -> Fixture {
    serde_json::from_str(include_str!("fixtures/text.json")).expect("the fixture of make_text.py")
}

fn unicode() -> Unicode {
    serde_json::from_str(include_str!("fixtures/unicode.json")).expect("the fixture of make_text.py")
}

fn characters(ranges: &[(u32, u32)]) -> impl Iterator<Item = char> {
    ranges.iter().flat_map(|&(first, last)| first..=last).filter_map(char::from_u32)
}

fn assert_rows(found: &CsrMatrix<f32>, expected: &[Vec<(u32, f64)>], name: &str) {
    assert_eq!(found.rows(), expected.len(), "{name}");
    for (i, expected) in expected.iter().enumerate() {
        let (columns, values) = found.row(i);
        assert_eq!(columns, expected.iter().map(|e| e.0).collect::<Vec<_>>(), "{name}, row {i}");
        for (&value, &(column, expected)) in values.iter().zip(expected) {
            let error = (f64::from(value) - expected).abs();
            let place = format!("{name}, row {i}, column {column}");
            assert!(error <= 1e-6 * expected.max(1.0), "{place}: {value}, not {expected}");
        }
    }
}

fn refusal(options: &TextOptions, documents: &[&str]) -> String {
    Vectorizer::fit(options, documents).expect_err("must be refused").to_string()
}

#[test]
fn vocabulary_idf_and_every_weight_are_those_of_scikit_learn() {
    let cases = fixture().cases;
    assert_eq!(cases.len(), 34, "cases are missing: run make_text.py");
    for case in &cases {
        let name = &case.name;
        let (vectorizer, rows) = Vectorizer::fit_transform(&case.options, &case.documents).expect(name);
        assert_eq!(vectorizer.terms(), case.terms, "{name}");
        let idf = case.idf.clone().unwrap_or_else(|| vec![1.0; case.terms.len()]);
        assert_eq!(vectorizer.idf().len(), idf.len(), "{name}");
        for (found, expected) in vectorizer.idf().iter().zip(idf) {
            assert!((found - expected).abs() <= 1e-12, "{name}: idf {found}, not {expected}");
        }
        assert_rows(&rows, &case.rows, name);
        assert_rows(&vectorizer.transform(&case.unseen), &case.unseen_rows, name);
    }
}

#[test]
fn the_english_stop_words_are_those_of_scikit_learn() {
    let expected = fixture().english;
    assert_eq!(expected.len(), 318);
    // The list's own test counts its words: as many, so that it has no others.
    let options = TextOptions { stop_words: StopWords::English, shortest_token: 1, ..TextOptions::default() };
    let text = format!("{} remains", expected.join(" "));
    assert_eq!(Vectorizer::fit(&options, &[text]).expect("a word").terms(), ["remains"]);
}

#[test]
fn every_character_is_part_of_a_word_exactly_where_python_says_so() {
    let unicode = unicode();
    let word: std::collections::HashSet<char> = characters(&unicode.word).collect();
    let options = TextOptions {
        lowercase: false,
        shortest_token: 1,
        max_features: None,
        norm: Norm::None,
        ..TextOptions::default()
    };
    let alone: Vec<String> = characters(&unicode.assigned).map(String::from).collect();
    assert!(alone.len() > 140_000);
    let (vectorizer, rows) = Vectorizer::fit_transform(&options, &alone).expect("characters");
    for (i, text) in alone.iter().enumerate() {
        let expected = text.chars().all(|c| word.contains(&c));
        assert_eq!(rows.row(i).0.len(), usize::from(expected), "{}", text.escape_unicode());
    }
    assert_eq!(vectorizer.terms().len(), word.len());
}

#[test]
fn every_character_has_the_lower_case_that_python_gives_it() {
    let unicode = unicode();
    let lower: std::collections::HashMap<u32, String> = unicode.lower.into_iter().collect();
    for c in characters(&unicode.assigned) {
        let expected = lower.get(&u32::from(c)).cloned().unwrap_or_else(|| c.to_string());
        assert_eq!(c.to_string().to_lowercase(), expected, "{}", c.escape_unicode());
    }
    for (sentence, lower) in unicode.sentences {
        assert_eq!(sentence.to_lowercase(), lower);
    }
}

#[test]
fn batches_give_the_vocabulary_of_all_documents_at_once() {
    let case = &fixture().cases[2];
    let whole = Vectorizer::fit(&case.options, &case.documents).expect("terms");
    let mut counts = TermCounts::new(&case.options).expect("options");
    case.documents.chunks(3).for_each(|batch| counts.add(batch));
    counts.add(&[""; 0]);
    let batched = counts.into_vectorizer().expect("terms");
    assert_eq!((batched.terms(), batched.idf()), (whole.terms(), whole.idf()));
}

#[test]
fn among_many_equally_frequent_terms_the_first_in_the_alphabet_stay() {
    let words: Vec<String> = (0..500).rev().map(|i| format!("w{i:03}")).collect();
    let options = TextOptions { max_features: Some(40), ..TextOptions::default() };
    let vectorizer = Vectorizer::fit(&options, &[words.join(" ") + " w499"]).expect("terms");
    let expected: Vec<String> = (0..39).chain([499]).map(|i| format!("w{i:03}")).collect();
    assert_eq!(vectorizer.terms(), expected);
}

#[test]
fn stop_words_and_stems_of_other_languages_are_at_hand() {
    for (stop_words, language, text, terms) in [
        (StopWords::German, Language::German, "Die Katzen und das Haus der Katze", ["haus", "katz"]),
        (StopWords::French, Language::French, "Les chats et le cheval qu'ils ont", ["chat", "cheval"]),
        (StopWords::Spanish, Language::Spanish, "Los gatos y las casas que tenían", ["cas", "gat"]),
    ] {
        let options = TextOptions { stop_words, stemming: Some(language), ..TextOptions::default() };
        assert_eq!(Vectorizer::fit(&options, &[text]).expect("terms").terms(), terms);
    }
}

#[test]
fn the_heaviest_terms_come_first_and_equals_in_the_order_of_the_alphabet() {
    let documents = ["bee bee bee ant cat", "ant cat", "dog"];
    let options = TextOptions { sublinear_tf: false, ..TextOptions::default() };
    let (vectorizer, rows) = Vectorizer::fit_transform(&options, &documents).expect("terms");
    let names = |row, count| -> Vec<&str> {
        vectorizer.term_weights().heaviest(row, count).into_iter().map(|(term, _)| term).collect()
    };
    assert_eq!(names(rows.row(0), 9), ["bee", "ant", "cat"]);
    assert_eq!(names(rows.row(0), 2), ["bee", "ant"]);
    assert_eq!(names((&[], &[]), 2), [""; 0]);
    assert_eq!(names((&[7, 3], &[f32::NAN, 1.0]), 2), ["dog"]);
}

#[test]
fn a_stored_vectorizer_gives_the_same_rows() {
    for case in fixture().cases {
        let fitted = Vectorizer::fit(&case.options, &case.documents).expect("terms");
        let stored = serde_json::to_string(&fitted).expect("JSON");
        let loaded: Vectorizer = serde_json::from_str(&stored).expect("what was stored");
        assert_eq!(loaded.options(), fitted.options());
        assert_eq!((loaded.terms(), loaded.idf()), (fitted.terms(), fitted.idf()));
        assert_eq!(loaded.transform(&case.documents), fitted.transform(&case.documents));
    }
}

#[test]
fn a_stored_vectorizer_that_contradicts_itself_is_refused() {
    let good = json!({ "options": {}, "terms": ["ant", "bee"], "idf": [1.0, 1.5] });
    assert!(serde_json::from_value::<Vectorizer>(good.clone()).is_ok());
    for (key, value, parts) in [
        ("terms", json!(["bee", "ant"]), &["\"ant\" follows \"bee\"", "rise"][..]),
        ("terms", json!(["ant", "ant"]), &["without repeats"]),
        ("terms", json!(["ant"]), &["1 terms, but 2 idf"]),
        ("terms", json!([]), &["no terms"]),
        ("idf", json!([1.0]), &["2 terms, but 1 idf"]),
        ("idf", json!([1.0, 0.0]), &["\"bee\"", "0", "from 1 to 46"]),
        ("idf", json!([1.0, 1e300]), &["\"bee\"", "from 1 to 46"]),
        ("idf", json!([1.0, null]), &["null"]),
        ("options", json!({ "use-idf": false }), &["1.5", "use-idf is off"]),
        ("options", json!({ "ngrams": { "min": 0, "max": 1 } }), &["ngrams", "at least 1"]),
        ("options", json!({ "min-df": { "share": 2.0 } }), &["min-df", "from 0 to 1"]),
        ("options", json!({ "mindf": 1 }), &["unknown field", "mindf"]),
    ] {
        let mut stored = good.clone();
        stored[key] = value;
        let message = serde_json::from_value::<Vectorizer>(stored).expect_err("damaged").to_string();
        says(&message, parts);
    }
}

#[test]
fn options_are_stored_in_kebab_case_and_read_back() {
    let options = TextOptions {
        stop_words: StopWords::List(vec!["x".to_owned()]),
        stemming: Some(Language::Greek),
        max_df: DocumentBound::Share(1.0),
        ..TextOptions::default()
    };
    let stored = serde_json::to_value(&options).expect("JSON");
    assert_eq!(stored["max-df"], json!({ "share": 1.0 }));
    assert_eq!(stored["stop-words"], json!({ "list": ["x"] }));
    assert_eq!((&stored["stemming"], &stored["norm"]), (&json!("greek"), &json!("l2")));
    assert_eq!(serde_json::from_value::<TextOptions>(stored).expect("options"), options);
    assert_eq!(serde_json::from_str::<TextOptions>("{}").expect("defaults"), TextOptions::default());
}

#[test]
fn nonsense_options_are_refused_by_name() {
    let default = TextOptions::default;
    let ngrams = |min, max| TextOptions { ngrams: NGrams { min, max }, ..default() };
    let min_df = |min_df| TextOptions { min_df, ..default() };
    for (options, parts) in [
        (ngrams(0, 1), &["ngrams", "0 to 1", "at least 1"][..]),
        (ngrams(0, 0), &["ngrams"]),
        (ngrams(3, 2), &["ngrams", "3 to 2", "max at least min"]),
        (ngrams(1, usize::MAX), &["ngrams", "at most 16"]),
        (min_df(DocumentBound::Count(0)), &["min-df", "count of 0", "at least 1"]),
        (min_df(DocumentBound::Share(-0.1)), &["min-df", "share of -0.1", "from 0 to 1"]),
        (min_df(DocumentBound::Share(f64::NAN)), &["min-df", "NaN"]),
        (TextOptions { max_df: DocumentBound::Share(1.5), ..default() }, &["max-df", "1.5"]),
        (TextOptions { max_features: Some(0), ..default() }, &["max-features", "at least 1"]),
        (TextOptions { shortest_token: 0, ..default() }, &["shortest-token", "at least 1"]),
    ] {
        says(&refusal(&options, &["some text"]), parts);
    }
}

#[test]
fn where_no_term_is_left_the_message_names_the_option_to_loosen() {
    let default = TextOptions::default;
    let documents = ["ant bee", "ant cat", "ant dog"];
    assert_eq!(Vectorizer::fit(&default(), &[""; 0]).expect_err("nothing"), TextError::NoDocuments);

    let empty = refusal(&default(), &["", "a b c", "?!"]);
    says(&empty, &["none of the 3 documents", "shortest-token (2)", "stop-words", "ngrams min (1)"]);
    let stopped = TextOptions { stop_words: StopWords::English, ..default() };
    says(&refusal(&stopped, &["the of and"]), &["stop-words"]);

    let rare = TextOptions { min_df: DocumentBound::Count(2), ..default() };
    says(&refusal(&rare, &["ant", "bee"]), &["2 are in too few", "0 in too many", "; lower min-df"]);
    let common =
        TextOptions { max_df: DocumentBound::Count(2), min_df: DocumentBound::Count(2), ..default() };
    says(
        &refusal(&common, &documents),
        &["3 are in too few", "1 in too many", "lower min-df or raise max-df"],
    );
    let share = TextOptions { max_df: DocumentBound::Share(0.9), ..default() };
    says(&refusal(&share, &["ant", "ant"]), &["1 in too many", "share of 0.9", "; raise max-df"]);

    let crossed = TextOptions { min_df: DocumentBound::Count(4), ..default() };
    says(&refusal(&crossed, &documents), &["count of 4", "share of 1", "3 documents", "lower min-df"]);
}

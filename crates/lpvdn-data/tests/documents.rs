//! Texts: a line each, an object each, a file each.
#![allow(missing_docs)]

mod common;

use common::{Folder, gzip, says, values};
use lpvdn_data::{Format, OpenOptions, Opened, Reading, read};

const LINES: &str = "The cat sat.\n\nA dog sat down\r\nthe cat and the dog\n";

fn opened(folder: &Folder, name: &str, content: impl AsRef<[u8]>, options: &OpenOptions) -> Opened {
    read(folder.file(name, content), options).expect("documents")
}

fn terms(opened: &Opened) -> Vec<String> {
    opened.data.columns.clone().expect("terms")
}

#[test]
fn a_line_is_a_document_and_its_words_are_columns() {
    let folder = Folder::new();
    let all = opened(&folder, "a.txt", LINES, &OpenOptions::default());
    assert_eq!((all.data.rows(), all.data.name.as_str()), (3, "a"));
    assert_eq!(terms(&all), ["and", "cat", "dog", "down", "sat", "the"]);
    assert!(all.data.source.is_sparse());
    for row in values(&all.data).iter_rows() {
        assert!((row.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-6);
    }
    let packed = opened(&folder, "a.txt.gz", gzip(LINES.as_bytes()), &OpenOptions::default());
    assert_eq!(values(&packed.data), values(&all.data));
}

#[test]
fn numbers_in_a_txt_are_a_table_as_ever() {
    let folder = Folder::new();
    for text in ["1,2\n3,4\n", "a,b\n1,2\n", "1\t2\n"] {
        let data = folder.open("a.txt", text).expect("a table");
        assert_eq!((data.cols(), data.source.is_sparse()), (2, false), "{text:?}");
    }
    let mut forced = OpenOptions::default();
    forced.format = Some(Format::Txt);
    assert!(opened(&folder, "a.csv", "some words\nother words\n", &forced).data.source.is_sparse());
}

#[test]
fn other_documents_get_the_columns_of_the_first() {
    let folder = Folder::new();
    let first = opened(&folder, "a.txt", LINES, &OpenOptions::default());
    let text = serde_json::to_string(&first.reading).expect("text");
    let mut options = OpenOptions::default();
    options.reading = serde_json::from_str(&text).expect("a reading");
    assert!(matches!(options.reading, Some(Reading::Text(_))));
    let again = opened(&folder, "a.txt", LINES, &options);
    assert_eq!(values(&again.data), values(&first.data));
    let other = opened(&folder, "b.txt", "bird\nthe bird and the cat\n", &options);
    assert_eq!(terms(&other), terms(&first));
    assert!(values(&other.data).row(0).iter().all(|v| *v == 0.0));
}

#[test]
fn json_lines_hold_texts_or_vectors_with_classes_and_ids() {
    let folder = Folder::new();
    let mut options = OpenOptions::default().label_column("topic");
    options.id_column = Some("id".to_owned());
    let text = "{\"id\":7,\"topic\":\"b\",\"text\":\"red fish\"}\n\n{\"id\":\"x\",\"topic\":\"a\",\"text\":\"blue fish\"}\n";
    let texts = opened(&folder, "a.jsonl", text, &options);
    assert_eq!(terms(&texts), ["blue", "fish", "red"]);
    assert!(texts.data.ids.as_ref().expect("names").iter().eq(["7", "x"]));
    assert_eq!(texts.data.labels.expect("labels").codes, [1, 0]);
    let vectors = "{\"embedding\":[1,2.5],\"topic\":1}\n{\"topic\":2,\"embedding\":[3,-4e0]}\n";
    let data =
        folder.open_with("v.jsonl", vectors, &OpenOptions::default().label_column("topic")).expect("rows");
    assert_eq!(values(&data).as_slice(), [1.0, 2.5, 3.0, -4.0]);
    let mut named = OpenOptions::default();
    named.text_field = Some("note".to_owned());
    let notes = opened(&folder, "n.jsonl", "{\"text\":\"x y\",\"note\":\"some words\"}\n", &named);
    assert_eq!(terms(&notes), ["some", "words"]);
    // The model remembers the field.
    let mut options = OpenOptions::default();
    options.reading = notes.reading;
    let again = opened(&folder, "n.jsonl", "{\"text\":\"x y\",\"note\":\"words\"}\n", &options);
    assert_eq!(values(&again.data).as_slice(), [0.0, 1.0]);
}

#[test]
fn what_is_wrong_in_json_lines_is_named_by_its_line() {
    let folder = Folder::new();
    let refusal = |text: &str| folder.refusal("a.jsonl", text);
    says(&refusal("{\"text\":\"a b\"}\n{\"text\":3}\n"), &["line 2", "\"text\" is no text"]);
    says(&refusal("{\"text\":\"a b\"}\n\n{\"text\":\"a b\"\n"), &["line 3", "JSON"]);
    says(&refusal("[1,2]\n"), &["line 1", "no object"]);
    says(&refusal("{\"a\":1,\"b\":\"x\"}\n"), &["line 1", "NameTextField", "\"a\", \"b\""]);
    says(&refusal("{\"x\":[1,2]}\n{\"x\":[1]}\n"), &["line 2", "a vector of 1,", "first line of 2"]);
    says(&refusal("{\"x\":[1,2]}\n{\"x\":[1,\"b\"]}\n"), &["line 2", "[1]", "no number"]);
    says(&refusal("{\"text\":\"\"}\n"), &["a.jsonl", "none of the 1 documents has a term"]);
    says(&refusal("\n \n"), &["no objects"]);
    let message =
        folder.refusal_with("a.jsonl", "{\"text\":\"a\"}\n", &OpenOptions::default().label_column("y"));
    says(&message, &["line 1", "no \"y\""]);
    // Deep nesting ends in an error, not in an overflow of the stack.
    says(&refusal(&format!("{{\"text\":{}\n", "[".repeat(100_000))), &["line 1", "JSON"]);
}

#[test]
fn vectors_are_no_words() {
    let folder = Folder::new();
    let mut options = OpenOptions::default();
    options.text.max_features = Some(7);
    says(&folder.refusal_with("a.jsonl", "{\"x\":[1,2]}\n", &options), &["how words are counted"]);
    let mut little = OpenOptions::default();
    little.memory = Some(0);
    let text: String = (0..500).map(|i| format!("{{\"x\":[{i},-{i}]}}\n")).collect();
    let there = folder.open_with("b.jsonl", &text, &little).expect("vectors");
    assert_eq!(values(&there), values(&folder.open("c.jsonl", &text).expect("vectors")));
}

#[test]
fn a_table_without_a_column_of_texts_is_nothing_for_a_model_of_words() {
    let folder = Folder::new();
    let words = opened(&folder, "a.txt", "red fish\nblue fish\n", &OpenOptions::default());
    let mut options = OpenOptions::default();
    options.reading = words.reading;
    says(&folder.refusal_with("a.csv", "1,2\n3,4\n", &options), &["fitted to texts", "NameTextColumn"]);
}

#[test]
fn a_folder_of_texts_has_its_classes_in_sub_folders() {
    let folder = Folder::new();
    for (name, text) in [("pets/b.txt", "a cat"), ("pets/a.txt", "a dog"), ("cars/x.txt", "a wheel")] {
        let path = folder.path().join("texts").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let all = read(folder.path().join("texts"), &OpenOptions::default()).expect("documents");
    assert!(all.data.ids.as_ref().expect("names").iter().eq(["cars/x.txt", "pets/a.txt", "pets/b.txt"]));
    let labels = all.data.labels.clone().expect("labels");
    assert_eq!((labels.names, labels.codes), (vec!["cars".to_owned(), "pets".to_owned()], vec![0, 1, 1]));
    assert_eq!(terms(&all), ["cat", "dog", "wheel"]);
}

#[test]
fn documents_of_other_classes_leave_no_words() {
    let folder = Folder::new();
    let text = "{\"topic\":\"b\",\"text\":\"red fish\"}\n{\"topic\":\"a\",\"text\":\"blue fish\"}\n{\"topic\":\"c\",\"text\":\"old fish\"}\n";
    let mut options = OpenOptions::default().label_column("topic");
    options.classes = vec!["c".to_owned(), "a".to_owned()];
    let some = opened(&folder, "a.jsonl", text, &options);
    assert_eq!(terms(&some), ["blue", "fish", "old"]);
    let labels = some.data.labels.expect("labels");
    assert_eq!((labels.names, labels.codes), (vec!["a".to_owned(), "c".to_owned()], vec![0, 1]));
}

#[test]
fn bytes_that_are_called_txt_are_no_documents() {
    let path = Folder::new();
    let error = path.open("a.txt", b"\x01\x02 words\n\x03 more\n").expect_err("no text").to_string();
    assert!(error.contains("a.txt") && error.contains("control characters"), "{error}");
}

#[test]
fn documents_in_another_encoding_are_refused_with_the_remedy() {
    let folder = Folder::new();
    let latin = b"a plain line\nHerr M\xfcller\n";
    says(&folder.refusal("a.txt", latin), &["line 2", "iconv -f LATIN1 -t UTF-8"]);
    let json = b"{\"text\": \"plain\"}\n{\"text\": \"M\xfcller\"}\n";
    says(&folder.refusal("a.jsonl", json), &["line 2", "iconv -f LATIN1 -t UTF-8"]);
    let texts = folder.path().join("texts");
    std::fs::create_dir(&texts).expect("made");
    std::fs::write(texts.join("a.txt"), "\u{feff}[plain] words").expect("written");
    let plain = read(&texts, &OpenOptions::default()).expect("a document");
    assert_eq!(terms(&plain), ["plain", "words"]);
    for (bytes, parts) in [
        (&latin[..], ["b.txt", "iconv -f LATIN1"]),
        (b"\xff\xfea\0b\0", ["b.txt", "iconv -f UTF-16"]),
        (b"\x01\x02 words", ["b.txt", "control characters"]),
    ] {
        std::fs::write(texts.join("b.txt"), bytes).expect("written");
        says(&read(&texts, &OpenOptions::default()).expect_err("no text").to_string(), &parts);
    }
}

#[test]
fn documents_without_a_known_word_are_counted() {
    let folder = Folder::new();
    let mut options = OpenOptions::default();
    let first = opened(&folder, "a.txt", LINES, &options);
    assert!(first.notes.is_empty());
    options.reading = first.reading;
    let told = common::told(&opened(&folder, "b.txt", "bird\nthe cat\nfish\n", &options));
    assert_eq!(told, ["2 of 3 documents have no word that the model knows"]);
    assert!(opened(&folder, "b.txt", "the cat\n", &options).notes.is_empty());
}

#[test]
fn a_class_in_json_is_one_however_its_number_is_written() {
    let folder = Folder::new();
    let options = OpenOptions::default().label_column("y");
    let text = "{\"x\":[1],\"y\":1}\n{\"x\":[2],\"y\":\"1\"}\n{\"x\":[3],\"y\":1.0}\n{\"x\":[4],\"y\":1.5}\n{\"x\":[5],\"y\":1e300}\n";
    let labels = folder.open_with("a.jsonl", text, &options).expect("rows").labels.expect("classes");
    assert_eq!((labels.names.len(), labels.codes), (3, vec![0, 0, 0, 1, 2]), "{:?}", labels.names);
    for empty in ["", " "] {
        let text = format!("{{\"x\":[1],\"y\":1}}\n{{\"x\":[2],\"y\":\"{empty}\"}}\n");
        says(
            &folder.refusal_with("a.jsonl", text, &options),
            &["line 2", "\"y\" is empty", "remove the line"],
        );
    }
}

#[test]
fn a_field_that_stands_twice_in_an_object_is_refused() {
    let folder = Folder::new();
    let text = "{\"text\":\"the cat\"}\n{\"text\":\"a cat\",\"text\":\"dog eats\"}\n";
    says(&folder.refusal("a.jsonl", text), &["line 2", "\"text\" stands there twice"]);
}

#[test]
fn numbers_of_vectors_too_close_together_for_32_bits_are_told() {
    let folder = Folder::new();
    let text = "{\"x\":[0,16777217]}\n{\"x\":[1,16777218]}\n";
    let told = common::told(&opened(&folder, "a.jsonl", text, &OpenOptions::default()));
    assert_eq!(told.len(), 1, "{told:?}");
    says(&told[0], &["\"x\"[1]", "32-bit", "subtract 16777217"]);
}

#[test]
fn the_common_words_of_a_recognised_language_are_left_out_if_that_is_asked_for() {
    let folder = Folder::new();
    let text = "The price of oil has risen and the cat sat on the roof of the house\n".repeat(8);
    let all = opened(&folder, "a.txt", &text, &OpenOptions::default());
    assert!(terms(&all).contains(&"the".to_owned()) && all.notes.is_empty());
    let mut options = OpenOptions::default();
    options.recognise_stop_words = true;
    let few = opened(&folder, "a.txt", &text, &options);
    assert_eq!(terms(&few), ["cat", "house", "oil", "price", "risen", "roof", "sat"]);
    assert_eq!(few.notes.len(), 1);
    assert!(few.notes[0].text.contains("the texts are English"), "{:?}", few.notes);
    // A model reads other texts as those of its training, whatever their language.
    options.reading = few.reading;
    let other = opened(&folder, "b.txt", "der Preis und the oil\n", &options);
    assert_eq!(values(&other.data).as_slice().iter().filter(|v| **v > 0.0).count(), 1);
    let mut others = OpenOptions::default();
    others.recognise_stop_words = true;
    let names = opened(&folder, "c.txt", "oslo bergen hamar the narvik tromso voss\n".repeat(20), &others);
    assert!(terms(&names).contains(&"the".to_owned()), "one word in seven");
}

#[test]
fn texts_of_nothing_but_common_words_are_compared_by_these() {
    let folder = Folder::new();
    let mut options = OpenOptions::default();
    options.recognise_stop_words = true;
    let common = opened(&folder, "a.txt", "the of and to\nyou and me and them\n".repeat(20), &options);
    assert!(terms(&common).contains(&"them".to_owned()) && common.notes.is_empty());
}

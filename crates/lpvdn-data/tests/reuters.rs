//! RCV1 in small: the formats of the real files, with documents that are made up.

mod common;

use common::{Folder, gzip};
use lpvdn_core::Batch;
use lpvdn_data::text::TextOptions;
use lpvdn_data::{OpenOptions, Opened, Reading, read};

const TOPICS: &str = "\
C15 1 1\nCCAT 1 1\nGCAT 2 1\nMCAT 3 1\nM11 3 1\nECAT 4 1\nCCAT 5 1\nECAT 5 1\nC15 6 1\nCCAT 7 1\nGCAT 99 1\n";

/// Documents 1 to 4 and 7 have one root, 5 has two, 6 none, 8 no topics; 99 is nowhere.
fn tokens(folder: &Folder) {
    folder.file("rcv1-v2.topics.qrels", TOPICS);
    let train = ".I 1\n.W\nprofit profit sale\nmarket\n\n.I 5\n.W\nprofit\n\n.I 2\n.W\nelect vote vote\n\n";
    folder.file("lyrl2004_tokens_train.dat.gz", gzip(train.as_bytes()));
    folder.file("lyrl2004_tokens_test_pt1.dat", ".I 4\n.W\ntrade tariff\n\n.I 8\n.W\nprofit\n\n.I 7\n.W\n\n");
    folder.file("lyrl2004_tokens_test_pt0.dat", ".I 3\n.W\nmarket stock market\n\n.I 6\n.W\nprofit\n\n");
}

fn opened(folder: &Folder, options: &OpenOptions) -> Opened {
    read(folder.path(), options).unwrap_or_else(|e| panic!("{e}"))
}

/// The rows of a sparse set, as (column name, value).
fn rows(opened: &Opened) -> Vec<Vec<(String, f32)>> {
    let source = opened.data.source.as_ref();
    let mut batch = Batch::for_source(source);
    source.gather(&(0..source.rows() as u32).collect::<Vec<_>>(), &mut batch).expect("rows");
    let Batch::Sparse(csr) = batch else { panic!("sparse") };
    let names = opened.data.columns.as_ref().expect("names");
    let row = |i: usize| {
        let (columns, values) = csr.row(i);
        columns.iter().zip(values).map(|(&c, &v)| (names[c as usize].clone(), v)).collect()
    };
    (0..csr.rows()).map(row).collect()
}

#[test]
fn documents_with_one_root_become_rows_of_weights_training_first() {
    let folder = Folder::new();
    tokens(&folder);
    let opened = opened(&folder, &OpenOptions::default());
    assert!(opened.data.ids.as_ref().expect("ids").iter().eq(["1", "2", "3", "4", "7"]));
    let labels = opened.data.labels.as_ref().expect("labels");
    assert_eq!(labels.names, ["CCAT", "ECAT", "GCAT", "MCAT"]);
    assert_eq!(labels.codes, [0, 2, 3, 1, 0]);
    assert_eq!(
        common::told(&opened),
        [
            "documents without topics, which are left out: 1",
            "documents with none or several of the topics CCAT, ECAT, GCAT, MCAT, which are left out: 2",
            "documents with one of these topics: 6, of which the files lack 1; are all files there?",
        ]
    );
    let rows = rows(&opened);
    let (idf, common) = ((6.0_f64 / 2.0).ln() + 1.0, (6.0_f64 / 3.0).ln() + 1.0);
    let (market, profit, sale) = (common, (1.0 + 2.0_f64.ln()) * idf, idf);
    let length = (market * market + profit * profit + sale * sale).sqrt();
    for ((name, value), (wanted_name, wanted)) in
        rows[0].iter().zip([("market", market), ("profit", profit), ("sale", sale)])
    {
        assert_eq!(name, wanted_name);
        assert!((f64::from(*value) - wanted / length).abs() < 1e-6, "{name}: {value}");
    }
    assert!(rows[4].is_empty(), "a document without tokens is an empty row");
}

#[test]
fn only_the_most_frequent_tokens_of_kept_documents_are_columns() {
    let folder = Folder::new();
    tokens(&folder);
    let text = TextOptions { max_features: Some(4), ..TextOptions::default() };
    let mut options = OpenOptions::default();
    options.text = text;
    let opened = opened(&folder, &options);
    // market 3, profit 2 (in documents left out 3 more), vote 2, then elect, the first of those with 1.
    assert_eq!(opened.data.columns.as_deref().expect("names"), ["elect", "market", "profit", "vote"]);
}

#[test]
fn a_model_reads_other_files_with_its_own_tokens() {
    let (first, second) = (Folder::new(), Folder::new());
    tokens(&first);
    let model = opened(&first, &OpenOptions::default());
    second.file("rcv1-v2.topics.qrels", "CCAT 50 1\n");
    second.file("lyrl2004_tokens_train.dat", ".I 50\n.W\nunheard market\n");
    let mut options = OpenOptions::default();
    options.reading.clone_from(&model.reading);
    let other = opened(&second, &options);
    assert_eq!(other.data.columns, model.data.columns);
    assert_eq!(rows(&other), [[("market".to_owned(), 1.0)]]);
}

#[test]
fn damaged_token_files_are_refused_with_the_line() {
    for (content, words) in [
        ("profit\n", "line 1: \"profit\" stands where a line .I and a number is expected"),
        (".I 1\nprofit\n", "line 2: \"profit\" stands where a line .W is expected"),
        (".I one\n.W\n", "line 1: \".I one\" is not .I and the number"),
        (".I 99999999999\n.W\n", "line 1"),
        (".I -1\n.W\n", "line 1"),
        (".I 1\n", "document 1 has no line .W"),
        (".I 1\n.I 2\n.W\n", "line 2: document 1 has no line .W"),
        (".I 1\n.W\na1 b1\n\n.I 1\n.W\nc1\n", "document 1 is there a second time"),
        (".I 8\n.W\nprofit\n", "no document has exactly one of the topics"),
        ("", "no document has exactly one of the topics"),
        (".I 1\n.W\n\n", "none of the 1 documents has a term"),
    ] {
        let folder = Folder::new();
        folder.file("rcv1-v2.topics.qrels", TOPICS);
        folder.file("lyrl2004_tokens_train.dat", content);
        let message = read(folder.path(), &OpenOptions::default()).expect_err(content).to_string();
        assert!(message.contains(words), "{content:?}: {message}");
    }
}

#[test]
fn damaged_topics_are_refused_with_the_line() {
    for (content, words) in [
        ("CCAT 1 1\nCCAT 2\n", "line 2: \"CCAT 2\" is not a topic"),
        ("CCAT one 1\n", "line 1"),
        ("CCAT 1 1 1\n", "line 1"),
        ("", "no topics"),
    ] {
        let folder = Folder::new();
        folder.file("lyrl2004_tokens_train.dat", ".I 1\n.W\nprofit sale\n");
        folder.file("rcv1-v2.topics.qrels", content);
        let message = read(folder.path(), &OpenOptions::default()).expect_err(content).to_string();
        assert!(message.contains(words), "{content:?}: {message}");
    }
    let folder = Folder::new();
    folder.file("lyrl2004_tokens_train.dat", ".I 1\n.W\nprofit sale\n");
    let message = read(folder.path(), &OpenOptions::default()).expect_err("no topics").to_string();
    assert!(message.contains("rcv1-v2.topics.qrels"), "{message}");
    let cut = gzip(TOPICS.repeat(50).as_bytes());
    folder.file("rcv1-v2.topics.qrels.gz", &cut[..cut.len() / 2]);
    let message = read(folder.path(), &OpenOptions::default()).expect_err("cut").to_string();
    assert!(message.contains("cut short"), "{message}");
}

#[test]
fn vectors_are_cut_to_the_columns_in_most_documents() {
    let folder = Folder::new();
    folder.file("rcv1-v2.topics.qrels", TOPICS);
    folder.file("lyrl2004_vectors_train.dat", "1  3:0.6 7:0.8 20:0.1\n2  7:0.5 9:0.5\n");
    folder.file("lyrl2004_vectors_test_pt0.dat", "5  20:1 21:1\n3  9:3 3:4\n4 8:1\n");
    let mut options = OpenOptions::default();
    options.text.max_features = Some(3);
    let opened = opened(&folder, &options);
    assert_eq!(opened.data.columns.as_deref().expect("names"), ["3", "7", "9"]);
    let rows = rows(&opened);
    let near = |row: &[(String, f32)], wanted: &[(&str, f32)]| {
        row.len() == wanted.len()
            && row.iter().zip(wanted).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6)
    };
    assert!(near(&rows[0], &[("3", 0.6), ("7", 0.8)]), "{:?}", rows[0]);
    assert!(near(&rows[2], &[("3", 0.8), ("9", 0.6)]), "{:?}", rows[2]);
    assert!(rows[3].is_empty());
    assert!(matches!(opened.reading, Some(Reading::Selected(_))));
    // Another file is read with the same columns, whatever its own frequencies.
    let other = Folder::new();
    other.file("rcv1-v2.topics.qrels", TOPICS);
    other.file("lyrl2004_vectors_train.dat", "1 20:1 7:1\n");
    options.reading = opened.reading;
    let again = read(other.path(), &options).expect("rows");
    assert_eq!(again.data.cols(), 3);
    for (content, words) in [
        ("3:0.5\n", "does not begin with the number of a document"),
        ("1 3:0.5 3:0.6\n", "column 3 stands twice in document 1"),
        ("1 3\n", "line 1"),
        ("1 3:x\n", "line 1"),
        ("1 3:1\n1 4:1\n", "a second time"),
    ] {
        let folder = Folder::new();
        folder.file("rcv1-v2.topics.qrels", TOPICS);
        folder.file("lyrl2004_vectors_train.dat", content);
        let message = read(folder.path(), &OpenOptions::default()).expect_err(content).to_string();
        assert!(message.contains(words), "{content:?}: {message}");
    }
}

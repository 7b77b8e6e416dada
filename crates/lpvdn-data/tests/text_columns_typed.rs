//! Texts in a column of Parquet and Arrow.
#![cfg(feature = "parquet")]
#![allow(missing_docs)]

mod common;

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Int64Array, LargeStringArray, NullArray, RecordBatch, StringArray,
    StringViewArray,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;

use common::{Folder, as_read, changed, of_column, refused, says, values};
use lpvdn_data::{EmptyText, OpenOptions, open, read};

fn batch(texts: ArrayRef) -> RecordBatch {
    let rows = texts.len() as i64;
    let price: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    let topics: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows).map(|i| format!("t{}", i % 2))));
    let columns = [("price", price, true), ("body", texts, true), ("topic", topics, true)];
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

/// As Parquet, as a file of Arrow, and as a stream.
fn files(folder: &Folder, batch: &RecordBatch) -> Vec<std::path::PathBuf> {
    let (mut parquet, mut file, mut stream) = (Vec::new(), Vec::new(), Vec::new());
    let mut writer = ArrowWriter::try_new(&mut parquet, batch.schema(), None).expect("memory");
    writer.write(batch).expect("memory");
    writer.close().expect("memory");
    let mut writer = FileWriter::try_new(&mut file, &batch.schema()).expect("memory");
    writer.write(batch).expect("memory");
    writer.finish().expect("memory");
    let mut writer = StreamWriter::try_new(&mut stream, &batch.schema()).expect("memory");
    writer.write(batch).expect("memory");
    writer.finish().expect("memory");
    [("a.parquet", parquet), ("a.arrow", file), ("a.arrows", stream)]
        .into_iter()
        .map(|(name, bytes)| folder.file(name, bytes))
        .collect()
}

fn kinds(texts: &[Option<&str>]) -> Vec<ArrayRef> {
    vec![
        Arc::new(StringArray::from(texts.to_vec())),
        Arc::new(LargeStringArray::from(texts.to_vec())),
        Arc::new(StringViewArray::from(texts.to_vec())),
        Arc::new(texts.iter().copied().collect::<DictionaryArray<Int32Type>>()),
    ]
}

#[test]
fn every_format_gives_the_same_rows() {
    let folder = Folder::new();
    let texts: Vec<String> = (0..3_000).map(|i| format!("word{} and word{}", i % 97, i % 31)).collect();
    let given: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
    let line = |(i, text): (usize, &String)| format!("{i},{text},t{}\n", i % 2);
    let csv = format!("price,body,topic\n{}", texts.iter().enumerate().map(line).collect::<String>());
    let csv = folder.file("a.csv", csv);
    let object = |(i, text): (usize, &String)| format!("{{\"body\":{text:?},\"topic\":\"t{}\"}}\n", i % 2);
    let jsonl = folder.file("a.jsonl", texts.iter().enumerate().map(object).collect::<String>());
    let lines = open(folder.file("a.txt", texts.join("\n")), &OpenOptions::default()).expect("texts");
    let options = of_column("body").label_column("topic");
    let alone = open(&csv, &options).expect("texts");
    assert_eq!(values(&alone), values(&lines));
    let objects = open(&jsonl, &options).expect("texts");
    assert!(values(&objects) == values(&lines) && objects.labels == alone.labels);
    let kept = changed(options.clone(), |options| {
        options.keep_columns = true;
    });
    let mixed = read(&csv, &kept).expect("rows");
    for column in kinds(&given) {
        for path in files(&folder, &batch(Arc::clone(&column))) {
            let what = format!("{:?}, {}", column.data_type(), path.display());
            let found = open(&path, &options).expect(&what);
            assert!(values(&found) == values(&lines) && found.labels == alone.labels, "{what}");
            let found = read(&path, &kept).expect(&what);
            assert!(values(&found.data) == values(&mixed.data), "{what}");
            assert_eq!(found.data.columns, mixed.data.columns, "{what}");
            let known = open(&path, &as_read(&mixed)).expect(&what);
            assert!(values(&known) == values(&mixed.data), "{what}");
        }
    }
}

#[test]
fn nulls_are_rows_without_a_text() {
    let folder = Folder::new();
    let texts = [Some("red fish"), None, Some("blue fish"), Some(""), Some("old fish")];
    for column in kinds(&texts) {
        for path in files(&folder, &batch(column)) {
            let options = of_column("body").label_column("topic");
            let error = refused(&open(&path, &options).expect_err("a null"));
            says(&error, &["row 2 (counted from 1)", "(\"body\")", "SkipEmptyTexts"]);
            let skip = changed(options, |options| {
                options.empty_text = Some(EmptyText::Skip);
                options.keep_columns = true;
            });
            let some = read(&path, &skip).expect("texts");
            assert!(some.data.ids.as_ref().expect("ids").iter().eq(["0", "2", "4"]));
            let prices: Vec<f32> = values(&some.data).iter_rows().map(|row| row[0]).collect();
            assert_eq!(prices, [0.0, 2.0, 4.0]);
            assert_eq!(some.data.labels.as_ref().expect("labels").codes, [0, 0, 0]);
            assert_eq!(open(&path, &as_read(&some)).expect("texts").rows(), 5);
        }
    }
}

#[test]
fn what_is_no_text_is_none() {
    let folder = Folder::new();
    let [parquet, ..] = &files(&folder, &batch(Arc::new(StringArray::from(vec!["red fish"]))))[..] else {
        panic!("three files")
    };
    says(&refused(&open(parquet, &of_column("price")).expect_err("numbers")), &["price", "holds no text"]);
    for path in files(&folder, &batch(Arc::new(NullArray::new(3)))) {
        says(&refused(&open(&path, &of_column("body")).expect_err("nulls")), &["no text"]);
    }
}

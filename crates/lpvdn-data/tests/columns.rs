//! Parquet and Arrow IPC, against files that PyArrow wrote (make_columns.py).
#![cfg(feature = "parquet")]
#![allow(missing_docs)]

mod common;

use std::sync::Arc;

use arrow_array::types::Float32Type;
use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeListArray, Float32Array, Int64Array, ListArray, RecordBatch, StringArray,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use common::{Folder, fixture, gzip, says, values, zstd};
use lpvdn_core::Dataset;
use lpvdn_data::reading::Content;
use lpvdn_data::{Format, Header, Missing, OpenOptions, Opened, Reading, open, read};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;

const WHOLE: [&str; 11] = [
    "none.parquet",
    "snappy.parquet",
    "gzip.parquet",
    "zstd.parquet",
    "lz4.parquet",
    "pages_2.parquet",
    "plain.parquet",
    "uncompressed.feather",
    "lz4.feather",
    "zstd.feather",
    "stream.arrows",
];

fn opened(name: &str, options: &OpenOptions) -> Opened {
    read(fixture("columns").join(name), options).unwrap_or_else(|e| panic!("{e}"))
}

fn labelled() -> OpenOptions {
    OpenOptions::default().label_column("class")
}

fn refusal(name: &str, options: &OpenOptions) -> String {
    let message =
        common::refused(&open(fixture("columns").join(name), options).expect_err("must be refused"));
    says(&message, &[name]);
    message
}

/// Row `i` of the table that make_columns.py describes, without its class.
fn row(i: usize) -> Vec<f32> {
    let n = i as f32;
    let mut word = [0.0; 3];
    word[i % 3] = 1.0;
    let mut row = vec![1.5 * n, n - 4.0, (i % 2) as f32];
    row.extend(word.iter().chain(&word));
    row.extend([n, -n, n / 2.0, 10.0 * n, 10.0 * n + 1.0]);
    row
}

fn is_whole(data: &Dataset, name: &str) {
    assert_eq!(data.rows(), 10, "{name}");
    for (i, found) in values(data).iter_rows().enumerate() {
        assert_eq!(found, row(i), "row {i} of {name}");
    }
}

#[test]
fn every_way_to_write_a_table_gives_the_same_rows() {
    for name in WHOLE {
        let Opened { data, .. } = opened(name, &labelled());
        is_whole(&data, name);
        assert_eq!(data.labels.expect("classes").names, ["x", "y"]);
        let columns = data.columns.expect("names");
        assert_eq!(columns[..4], ["number", "whole", "truth", "word=a"]);
        assert_eq!(columns[9..], ["embedding_0", "embedding_1", "embedding_2", "fixed_0", "fixed_1"]);
    }
}

#[test]
fn points_in_time_that_32_bits_cannot_tell_apart_are_told_of() {
    let folder = Folder::new();
    let told = |step: i64| {
        let times: ArrayRef =
            Arc::new(Int64Array::from_iter_values((0..30).map(|i| 1_700_000_000 + step * (i * 7 % 30))));
        let batch = RecordBatch::try_from_iter([("t", times)]).expect("a batch");
        let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
        writer.write(&batch).and_then(|()| writer.finish()).expect("written");
        let path = folder.file("times.arrow", writer.into_inner().expect("bytes"));
        common::told(&read(path, &OpenOptions::default()).expect("rows"))
    };
    says(&told(1).concat(), &["\"t\"", "32-bit", "subtract 1700000000"]);
    assert_eq!(told(86_400), [""; 0], "days can be told apart");
}

#[test]
fn a_codec_without_a_decoder_is_named() {
    says(&refusal("brotli.parquet", &labelled()), &["brotli"]);
}

#[test]
fn compressed_files_and_forced_formats_are_read() {
    let folder = Folder::new();
    for (name, format) in
        [("plain.parquet", Format::Parquet), ("stream.arrows", Format::Arrow), ("lz4.feather", Format::Arrow)]
    {
        let bytes = std::fs::read(fixture("columns").join(name)).expect("a fixture");
        for (ending, packed) in [(".gz", gzip(&bytes)), (".zst", zstd(&bytes)), ("", bytes)] {
            is_whole(
                &folder.open_with(&format!("a.bin{ending}"), &packed, &labelled()).expect("a table"),
                name,
            );
            let options = labelled().format(format);
            is_whole(&folder.open_with(&format!("b{ending}"), &packed, &options).expect("a table"), name);
        }
    }
}

#[test]
fn a_model_finds_its_columns_by_name_in_any_format() {
    let mut options = labelled();
    options.reading = opened("plain.parquet", &options).reading;
    options.label_column = None;
    for name in WHOLE {
        let Opened { data, reading, .. } = opened(name, &options);
        is_whole(&data, name);
        assert!(data.labels.is_some(), "the classes of the model's own data are found again");
        assert_eq!(reading, options.reading);
    }
    // A table of text knows the same columns, and numbers are found in text and words in numbers.
    let folder = Folder::new();
    let mut options = OpenOptions::default();
    let text = "text,float64,extra\n2,1.5,9\n1,2.5,9\n";
    options.ignore = vec!["extra".to_owned()];
    options.reading = read(folder.file("a.csv", text), &options).expect("a table").reading;
    options.ignore.clear();
    let data = opened("types.parquet", &options).data;
    assert_eq!(values(&data).as_slice(), [1.0, 0.0, 2.0, 1.0, 2.0, 2.0, 1.0, 3.0]);
    says(&refusal("plain.parquet", &options), &["no column \"text\""]);
}

#[test]
fn every_type_of_number_is_read_and_long_names_are_exact() {
    for name in ["types.parquet", "types.arrow"] {
        let mut options = OpenOptions::default();
        options.id_column = Some("id".to_owned());
        let Opened { data, reading, .. } = opened(name, &options);
        for (i, row) in values(&data).iter_rows().enumerate() {
            assert_eq!(row[..13], [i as f32; 13], "{name}");
        }
        assert!(data.ids.expect("names").iter().take(2).eq(["9007199254740993", "9007199254740994"]));
        let Some(Reading::Table(table)) = reading else { panic!("a table") };
        let words = vec!["1".to_owned(), "2".to_owned()];
        assert_eq!(table.columns.last().map(|c| &c.content), Some(&Content::words(words)));
    }
}

#[test]
fn what_is_missing_is_named_or_filled_in() {
    for name in ["holes.parquet", "holes.arrow"] {
        let mut options = OpenOptions::default();
        for (column, row) in [("number", "row 2"), ("word", "row 2"), ("vector", "row 1")] {
            let others = ["class", "number", "word", "vector"].into_iter().filter(|other| *other != column);
            options.ignore = others.map(str::to_owned).collect();
            let quoted = format!("(\"{column}\")");
            says(&refusal(name, &options), &[row, &quoted, "FillIn", "LeaveColumnOut"]);
        }
        options.ignore = vec!["class".to_owned()];
        options.missing = Missing::Mean;
        let Opened { data, reading, .. } = opened(name, &options);
        let rows = [
            [1.0, 1.0, 0.0, 2.0, 8.0],
            [2.0, 0.0, 0.0, 2.0, 8.0],
            [3.0, 0.0, 1.0, 2.0, 8.0],
            [2.0, 0.0, 0.0, 1.0, 8.0],
            [2.0, 1.0, 0.0, 3.0, 8.0],
        ];
        assert_eq!(values(&data).as_slice(), rows.concat(), "{name}: and the index of pandas is left out");
        options.reading = reading;
        options.missing = Missing::Error;
        assert_eq!(
            values(&opened(name, &options).data).as_slice(),
            rows.concat(),
            "as the model fills it in"
        );
        let mut labels = OpenOptions::default().label_column("class");
        labels.missing = Missing::Mean;
        says(&refusal(name, &labels), &["row 3", "(\"class\")"]);
    }
}

#[test]
fn what_can_be_no_values_is_refused_with_the_column_and_the_remedy() {
    for (kind, parts) in [
        ("ragged", &["row 2", "a vector of 1", "vectors of 2"][..]),
        ("empty_vectors", &["empty"]),
        ("struct", &["structure"]),
        ("map", &["map"]),
        ("binary", &["binary"]),
        ("nested_list", &["a list of something else"]),
        ("list_of_text", &["a list of something else"]),
    ] {
        for ending in ["parquet", "feather"] {
            let name = format!("refused_{kind}.{ending}");
            let message = refusal(&name, &OpenOptions::default());
            says(&message, parts);
            says(&message, &["(\"odd\")", "LeaveColumnOut"]);
            let mut options = OpenOptions::default();
            options.ignore = vec!["odd".to_owned()];
            assert!(opened(&name, &options).data.rows() > 1, "{name} without the column");
        }
    }
    for name in ["refused_no_rows.parquet", "refused_no_rows.feather"] {
        says(&refusal(name, &OpenOptions::default()), &["no rows"]);
    }
    says(&refusal("refused_no_columns.parquet", &OpenOptions::default()), &["no columns"]);
    says(&refusal("not_closed.arrows", &labelled()), &["cut short", "not closed"]);
    says(
        &refusal("plain.parquet", &OpenOptions::default().label_column("embedding")),
        &["vectors", "name another"],
    );
    says(
        &refusal("plain.parquet", &OpenOptions::default().label_column("species")),
        &["no such column", "\"number\""],
    );
}

#[test]
fn columns_without_values_are_left_out() {
    for kind in ["null", "all_missing"] {
        for ending in ["parquet", "feather"] {
            for missing in [Missing::Error, Missing::Mean] {
                let mut options = OpenOptions::default();
                options.missing = missing;
                let opened = opened(&format!("refused_{kind}.{ending}"), &options);
                assert_eq!(opened.data.columns, Some(vec!["n".to_owned()]));
                says(&common::told(&opened).concat(), &["(\"odd\")", "no values at all", "left out"]);
            }
        }
    }
}

#[test]
fn points_in_time_are_days() {
    for (name, day) in [("timestamp", 18_262.0), ("date", 18_262.0)] {
        for ending in ["parquet", "feather"] {
            let opened = opened(&format!("refused_{name}.{ending}"), &OpenOptions::default());
            assert_eq!(values(&opened.data).row(0), [0.0, day]);
            let groups = opened.data.groups.expect("groups");
            assert_eq!(groups[1].kind, lpvdn_core::ColumnKind::Date);
        }
    }
}

#[test]
fn a_model_of_vectors_refuses_other_ones() {
    let mut options = OpenOptions::default();
    options.ignore =
        ["number", "whole", "truth", "word", "kind", "fixed", "class"].map(str::to_owned).to_vec();
    let reading = opened("plain.parquet", &options).reading;
    let folder = Folder::new();
    let mut options = OpenOptions::default();
    options.reading = reading;
    says(&folder.refusal_with("a.csv", "embedding\n7\n", &options), &["(\"embedding\")", "vectors of 3"]);
    options.header = Header::Yes;
    says(&folder.refusal_with("a.csv", "embedding_0\n7\n", &options), &["no column \"embedding\""]);
}

/// A row of a table: a number, a word and a vector, each of which may be missing.
type Row = (Option<f32>, Option<String>, Option<Vec<f32>>);

fn any_rows() -> impl Strategy<Value = (usize, Vec<Row>)> {
    let number = || any::<f32>().prop_filter("finite", |v| v.is_finite());
    (1_usize..4).prop_flat_map(move |width| {
        let vector = prop::collection::vec(number(), width);
        let word = prop::option::weighted(0.8, "[p-t]{1,2}");
        let row = (prop::option::weighted(0.8, number()), word, prop::option::weighted(0.7, vector));
        (Just(width), prop::collection::vec(row, 1..30))
    })
}

fn batch_of(rows: &[Row], fixed: Option<usize>) -> RecordBatch {
    let numbers: Float32Array = rows.iter().map(|row| row.0).collect();
    let words: StringArray = rows.iter().map(|row| row.1.as_deref()).collect();
    let cells = |row: &Row| row.2.clone().map(|v| v.into_iter().map(Some).collect::<Vec<_>>());
    let vectors: ArrayRef = match fixed {
        Some(width) => Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(
            rows.iter().map(cells),
            width as i32,
        )),
        None => Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows.iter().map(cells))),
    };
    let columns: [(&str, ArrayRef, bool); 3] =
        [("number", Arc::new(numbers), true), ("word", Arc::new(words), true), ("v", vectors, true)];
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

/// The same table as text, in which the numbers of a vector are columns.
fn text_of(width: usize, rows: &[Row]) -> String {
    let names: Vec<String> = (0..width).map(|i| format!("v_{i}")).collect();
    let mut text = format!("number,word,{}\n", names.join(","));
    for (number, word, vector) in rows {
        let shown = |v: &f32| v.to_string();
        let cells: Vec<String> = match vector {
            Some(vector) => vector.iter().map(shown).collect(),
            None => vec![String::new(); width],
        };
        let (number, word) = (number.as_ref().map(shown).unwrap_or_default(), word.as_deref().unwrap_or(""));
        text.push_str(&format!("{number},{word},{}\n", cells.join(",")));
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn a_table_is_the_same_in_every_format((width, rows) in any_rows(), fixed in any::<bool>(), chunk in 1_usize..9) {
        let batch = batch_of(&rows, fixed.then_some(width));
        let (mut parquet, mut stream, mut file) = (Vec::new(), Vec::new(), Vec::new());
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(chunk)).build();
        let mut writer = ArrowWriter::try_new(&mut parquet, batch.schema(), Some(properties)).expect("memory");
        let mut streamed = StreamWriter::try_new(&mut stream, &batch.schema()).expect("memory");
        let mut filed = FileWriter::try_new(&mut file, &batch.schema()).expect("memory");
        for start in (0..rows.len()).step_by(chunk) {
            let part = batch.slice(start, chunk.min(rows.len() - start));
            writer.write(&part).expect("memory");
            streamed.write(&part).expect("memory");
            filed.write(&part).expect("memory");
        }
        writer.close().expect("memory");
        streamed.finish().expect("memory");
        filed.finish().expect("memory");
        drop((streamed, filed));
        let folder = Folder::new();
        for missing in [Missing::Error, Missing::Mean] {
            let mut options = OpenOptions::default();
            options.missing = missing;
            let text = folder.open_with("a.csv", text_of(width, &rows), &options).ok();
            for (name, bytes) in [("a.parquet", &parquet), ("a.arrows", &stream), ("a.arrow", &file)] {
                let data = folder.open_with(name, bytes, &options);
                prop_assert_eq!(data.is_ok(), text.is_some(), "{}: {:?}", name, data.err());
                if let (Ok(data), Some(text)) = (data, &text) {
                    prop_assert_eq!(values(&data), values(text));
                    prop_assert_eq!(&data.columns, &text.columns);
                }
            }
        }
    }
}

#[test]
fn one_column_and_fifty_thousand() {
    for columns in [1, 50_000] {
        let names: Vec<String> = (0..columns).map(|j| format!("c{j}")).collect();
        let column = |j: usize| Arc::new(Float32Array::from(vec![j as f32, -1.0, 0.5])) as ArrayRef;
        let batch = RecordBatch::try_from_iter(names.iter().enumerate().map(|(j, name)| (name, column(j))));
        let batch = batch.expect("columns");
        let mut stream = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
        stream.write(&batch).expect("written");
        let mut rows = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a writer");
        rows.write(&batch).expect("written");
        let folder = Folder::new();
        for (name, bytes) in [
            ("a.arrows", stream.into_inner().expect("a stream")),
            ("a.parquet", rows.into_inner().expect("a file")),
        ] {
            let first = read(folder.file(name, bytes), &OpenOptions::default()).expect("rows");
            let found = values(&first.data);
            assert_eq!((found.rows(), found.cols()), (3, columns));
            assert_eq!(found.row(0)[columns - 1], (columns - 1) as f32);
            // Read like a model's own, by names.
            let mut options = OpenOptions::default();
            options.reading = first.reading;
            let again = open(folder.path().join(name), &options).expect("rows");
            assert_eq!(values(&again), found);
        }
    }
}

#[test]
fn a_single_batch_goes_to_the_disk_too() {
    let rows = 20_000;
    let number = |i: usize| (i * 7919 % 20_011) as f32;
    let column = Arc::new(Float32Array::from((0..rows).map(number).collect::<Vec<_>>())) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("a", column)]).expect("a column");
    let mut stream = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    stream.write(&batch).expect("written");
    let folder = Folder::new();
    let path = folder.file("a.arrows", stream.into_inner().expect("a stream"));
    let held = open(&path, &OpenOptions::default()).expect("rows");
    let mut little = OpenOptions::default();
    little.memory = Some(20_000);
    let there = open(&path, &little).expect("rows");
    assert!(there.source.memory() <= 10_000, "{}", there.source.memory());
    assert_eq!(values(&there), values(&held));
}

#[test]
fn truths_are_the_same_in_every_format() {
    let folder = Folder::new();
    let text = folder.file("a.csv", "x,flag\n1,True\n2,False\n3,True\n");
    let flags = Arc::new(BooleanArray::from(vec![true, false, true])) as ArrayRef;
    let numbers = Arc::new(Float32Array::from(vec![1.0, 2.0, 3.0])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("x", numbers), ("flag", flags)]).expect("columns");
    let mut stream = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    stream.write(&batch).expect("written");
    let arrow = folder.file("a.arrows", stream.into_inner().expect("a stream"));
    for (fitted, other) in [(&text, &arrow), (&arrow, &text)] {
        let first = read(fitted, &OpenOptions::default()).expect("rows");
        let mut options = OpenOptions::default();
        options.reading = first.reading;
        let again = read(other, &options).expect("rows");
        assert_eq!(values(&again.data), values(&first.data));
        assert_eq!(common::told(&again), [""; 0]);
    }
}

//! The pages of Parquet: whatever a writer makes of them is read, and nothing is unpacked that memory has no room for.
#![cfg(all(feature = "parquet", feature = "images"))]
#![allow(missing_docs)]

mod common;
#[path = "common/watching.rs"]
mod watching;

use std::sync::Arc;

use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{
    ArrayRef, DictionaryArray, FixedSizeListArray, Float32Array, LargeListArray, ListArray, RecordBatch,
    StringArray,
};
use common::{Folder, fixture, says, values};
use lpvdn_data::{DataError, Missing, OpenOptions, open};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use watching::LARGEST;

const ROWS: usize = 700;
const WIDTH: usize = 512;

fn cell(row: usize, column: usize) -> f32 {
    ((row * WIDTH + column) as u32).wrapping_mul(2_654_435_761) as f32 / 1e6
}

fn vectors() -> [(&'static str, ArrayRef); 3] {
    let rows = || (0..ROWS).map(|row| Some((0..WIDTH).map(move |column| Some(cell(row, column)))));
    [
        ("list", Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows()))),
        ("large list", Arc::new(LargeListArray::from_iter_primitive::<Float32Type, _, _>(rows()))),
        (
            "fixed-size list",
            Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(rows(), WIDTH as i32)),
        ),
    ]
}

fn parquet(columns: Vec<(&str, ArrayRef)>, properties: WriterPropertiesBuilder) -> Vec<u8> {
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length");
    let mut bytes = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).expect("memory");
    writer.write(&batch).expect("memory");
    writer.close().expect("memory");
    bytes
}

#[test]
fn vectors_of_more_than_one_page_are_read() {
    let folder = Folder::new();
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for (kind, column) in vectors() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for (codec, dictionary) in [
                (Compression::UNCOMPRESSED, true),
                (Compression::SNAPPY, false),
                (zstd, true),
                (Compression::LZ4_RAW, false),
            ] {
                let properties = WriterProperties::builder()
                    .set_writer_version(version)
                    .set_compression(codec)
                    .set_dictionary_enabled(dictionary);
                let bytes = parquet(vec![("vector", Arc::clone(&column))], properties);
                assert!(bytes.len() > 1 << 20, "more than a page");
                let data = open(folder.file("a.parquet", bytes), &OpenOptions::default())
                    .unwrap_or_else(|e| panic!("{kind}, {version:?}, {codec}: {e}"));
                let found = values(&data);
                assert_eq!((found.rows(), found.cols()), (ROWS, WIDTH));
                let right = (0..ROWS).all(|i| (0..WIDTH).all(|j| found.row(i)[j] == cell(i, j)));
                assert!(right, "{kind}, {version:?}, {codec}");
            }
        }
    }
}

#[test]
fn pages_of_nothing_are_read() {
    let folder = Folder::new();
    // No value in the first row group, so that its dictionary is empty and its page has nothing but levels.
    let numbers: Float32Array = (0..40).map(|i| (i >= 20).then_some(i as f32)).collect();
    let lists = (0..40).map(|i| (i >= 20).then(|| vec![Some(i as f32), Some(1.0)]));
    let lists = ListArray::from_iter_primitive::<Float32Type, _, _>(lists);
    let mut options = OpenOptions::default();
    options.missing = Missing::Mean;
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for codec in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_compression(codec)
                .set_max_row_group_row_count(Some(20));
            let columns: Vec<(&str, ArrayRef)> =
                vec![("number", Arc::new(numbers.clone())), ("list", Arc::new(lists.clone()))];
            let path = folder.file("a.parquet", parquet(columns, properties));
            let data = open(path, &options).unwrap_or_else(|e| panic!("{version:?}, {codec}: {e}"));
            let found = values(&data);
            assert_eq!((found.row(0), found.row(39)), (&[29.5, 29.5, 1.0][..], &[39.0, 39.0, 1.0][..]));
        }
    }
}

/// A table of which one word has as many letters.
fn long_word(letters: usize, dictionary: bool) -> Vec<u8> {
    let word = "a".repeat(letters);
    let rows = 40;
    let number: ArrayRef = Arc::new(Float32Array::from_iter_values((0..rows).map(|i| i as f32)));
    let words = (0..rows).map(|i| if i % 2 == 0 { word.as_str() } else { "b" });
    let words: ArrayRef = match dictionary {
        true => Arc::new(words.map(Some).collect::<DictionaryArray<Int32Type>>()),
        false => Arc::new(StringArray::from_iter_values(
            words.enumerate().map(|(i, w)| if i > 1 { "b" } else { w }),
        )),
    };
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(dictionary);
    parquet(vec![("number", number), ("word", words)], properties)
}

#[test]
fn a_page_that_memory_has_no_room_for_is_refused_with_the_figures_before_it_is_unpacked() {
    let folder = Folder::new();
    for dictionary in [true, false] {
        let path = folder.file("a.parquet", long_word(60_000_000, dictionary));
        let mut options = OpenOptions::default();
        options.memory = Some(40_000_000);
        LARGEST.set(0);
        let error = open(&path, &options).expect_err("no room");
        assert!(LARGEST.get() < 4 << 20, "{} bytes", LARGEST.get());
        assert!(
            matches!(error, DataError::Memory { needed, allowed: 40_000_000, .. } if needed > 60_000_000),
            "{error:?}"
        );
        says(&error.to_string(), &["a.parquet", "a page of", "unpacks to 600000", "40 MB"]);
    }
}

#[test]
fn words_that_share_their_beginning_do_not_take_their_length_in_every_row_at_once() {
    let folder = Folder::new();
    let word = "a".repeat(1 << 20);
    // 100 MB of text.
    let words = (0..100).map(|i| if i % 2 == 0 { word.as_str() } else { &word[1..] });
    let words: ArrayRef = Arc::new(StringArray::from_iter_values(words));
    let number: ArrayRef = Arc::new(Float32Array::from_iter_values((0..100).map(|i| (i * 7 % 100) as f32)));
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_column_encoding("word".into(), Encoding::DELTA_BYTE_ARRAY);
    let path = folder.file("a.parquet", parquet(vec![("number", number), ("word", words)], properties));
    let mut options = OpenOptions::default();
    options.memory = Some(60_000_000);
    LARGEST.set(0);
    let data = open(&path, &options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((data.rows(), data.cols()), (100, 3));
    assert!(LARGEST.get() < 40 << 20, "{} bytes", LARGEST.get());
}

#[test]
fn an_arrow_file_that_only_its_footer_describes_is_read() {
    for name in ["polars.arrow", "polars_zstd.arrow"] {
        let data =
            open(fixture("columns").join(name), &OpenOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(values(&data).as_slice(), [0.5, 0.0, 1.0, 1.5, 1.0, 2.0, 2.5, 2.0, 3.0], "{name}");
    }
}

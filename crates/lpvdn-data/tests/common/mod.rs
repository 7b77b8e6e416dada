//! What the tests share.
#![allow(dead_code, missing_docs)]

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use lpvdn_core::{Batch, Dataset, Matrix};
use lpvdn_data::{DataError, OpenOptions, open};
use proptest::prelude::*;
use tempfile::TempDir;

/// A folder that lives as long as the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).expect("a file");
        path
    }

    pub(crate) fn open(&self, name: &str, content: impl AsRef<[u8]>) -> Result<Dataset, DataError> {
        self.open_with(name, content, &OpenOptions::default())
    }

    pub(crate) fn open_with(
        &self,
        name: &str,
        content: impl AsRef<[u8]>,
        options: &OpenOptions,
    ) -> Result<Dataset, DataError> {
        open(self.file(name, content), options)
    }

    /// The sentence with which the content is refused. It must name the file.
    pub(crate) fn refusal(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        self.refusal_with(name, content, &OpenOptions::default())
    }

    pub(crate) fn refusal_with(
        &self,
        name: &str,
        content: impl AsRef<[u8]>,
        options: &OpenOptions,
    ) -> String {
        let message = refused(&self.open_with(name, content, options).expect_err("must be refused"));
        assert!(message.contains(name), "{message}");
        message
    }
}

/// All values of a data set.
pub(crate) fn values(data: &Dataset) -> Matrix<f32> {
    match all_rows(data) {
        Batch::Dense(m) => m,
        Batch::Sparse(m) => {
            let mut dense = Matrix::zeros(0, m.cols());
            m.to_dense_into(&mut dense);
            dense
        }
    }
}

/// How many values of a sparse data set are stored.
pub(crate) fn entries(data: &Dataset) -> usize {
    match all_rows(data) {
        Batch::Dense(_) => panic!("the rows should be sparse"),
        Batch::Sparse(m) => m.entries(),
    }
}

fn all_rows(data: &Dataset) -> Batch {
    let mut batch = Batch::for_source(&*data.source);
    let all: Vec<u32> = (0..data.rows() as u32).collect();
    data.source.gather(&all, &mut batch).expect("rows");
    batch
}

/// A fixture that make_sparse.py wrote.
pub(crate) fn sparse_fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sparse").join(name)
}

/// A fixture that make_columns.py or make_images.py wrote.
pub(crate) fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// The values that make_sparse.py puts into its fixtures.
pub(crate) fn sparse_values() -> Matrix<f32> {
    Matrix::from_fn(
        6,
        9,
        |i, j| {
            if (3 * i + j) % 4 == 0 && i != 2 { (10 * i + j) as f32 - 20.5 } else { 0.0 }
        },
    )
}

/// Small matrices in which most cells are zero.
pub(crate) fn any_sparse() -> impl Strategy<Value = Matrix<f32>> {
    let finite = any::<f32>().prop_filter("finite", |v| v.is_finite());
    let cell = prop_oneof![3 => Just(0.0), 2 => finite];
    (1_usize..8, 1_usize..12).prop_flat_map(move |(rows, cols)| {
        let cells = prop::collection::vec(cell.clone(), rows * cols);
        cells.prop_map(move |cells| Matrix::from_vec(cells, rows, cols))
    })
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("memory")
}

/// A ZIP archive.
pub(crate) fn zip(members: &[(&str, Vec<u8>)], deflate: bool) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let at = file.len() as u32;
        let mut crc = Crc::new();
        crc.update(content);
        let mut packed = content.clone();
        if deflate {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(content).expect("memory");
            packed = encoder.finish().expect("memory");
        }
        // Version, flags, method, time and date; then checksum and sizes; then lengths of names.
        let mut common = vec![20, 0, 0, 0, if deflate { 8 } else { 0 }, 0, 0, 0, 0, 0];
        for number in [crc.sum(), packed.len() as u32, content.len() as u32] {
            common.extend_from_slice(&number.to_le_bytes());
        }
        common.extend_from_slice(&(name.len() as u16).to_le_bytes());
        common.extend_from_slice(&[0, 0]);
        file.extend_from_slice(&[b"PK\x03\x04", &common[..], name.as_bytes(), &packed].concat());
        directory.extend_from_slice(&[b"PK\x01\x02\x14\x00", &common[..], &[0; 10]].concat());
        directory.extend_from_slice(&at.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let (start, size) = (file.len() as u32, directory.len() as u32);
    let count = (members.len() as u16).to_le_bytes();
    file.extend_from_slice(&directory);
    file.extend_from_slice(&[b"PK\x05\x06\0\0\0\0", &count[..], &count].concat());
    file.extend_from_slice(&[&size.to_le_bytes()[..], &start.to_le_bytes(), &[0, 0]].concat());
    file
}

/// An IDX file.
pub(crate) fn idx(code: u8, dims: &[u32], payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, code, dims.len() as u8];
    dims.iter().for_each(|d| bytes.extend_from_slice(&d.to_be_bytes()));
    bytes.extend_from_slice(payload);
    bytes
}

/// An NPY file of version 1.0.
pub(crate) fn npy(descr: &str, shape: &str, payload: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// Asserts that `message` holds all of `parts`.
pub(crate) fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is missing in: {message}");
    }
}

/// The folder of larger data sets, or a report that the test is skipped.
pub(crate) fn large_data(inside: &str) -> Option<PathBuf> {
    let path = std::env::var_os("LPVDN_DATA").map(|folder| PathBuf::from(folder).join(inside));
    let found = path.filter(|p| p.exists());
    if found.is_none() {
        lpvdn_testing::skip(&format!("{inside} is not in the folder that the variable LPVDN_DATA names"));
    }
    found
}

/// An error, and what may help.
pub(crate) fn refused(error: &lpvdn_data::DataError) -> String {
    format!("{error}; {:?}", error.remedies())
}

/// What is said about data, each with what may help.
pub(crate) fn told(opened: &lpvdn_data::Opened) -> Vec<String> {
    let shown = |note: &lpvdn_data::Note| match note.remedies {
        [] => note.text.clone(),
        remedies => format!("{note}; {remedies:?}"),
    };
    opened.notes.iter().map(shown).collect()
}

/// Options with a change.
pub(crate) fn changed(mut options: OpenOptions, change: impl FnOnce(&mut OpenOptions)) -> OpenOptions {
    change(&mut options);
    options
}

/// The words of a column of a table.
pub(crate) fn of_column(column: &str) -> OpenOptions {
    changed(OpenOptions::default(), |options| options.text_column = Some(column.to_owned()))
}

/// Reads other data as these were read, from what a model keeps.
pub(crate) fn as_read(opened: &lpvdn_data::Opened) -> OpenOptions {
    let text = serde_json::to_string(&opened.reading).expect("text");
    changed(OpenOptions::default(), |options| {
        options.reading = serde_json::from_str(&text).expect("a reading");
    })
}

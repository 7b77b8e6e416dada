//! What the tests share.
#![allow(dead_code, missing_docs)]

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use lpvdn_core::{Batch, Dataset, Matrix};
use lpvdn_data::{DataError, OpenOptions, open};
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
        let message = self.open_with(name, content, options).expect_err("must be refused").to_string();
        assert!(message.contains(name), "{message}");
        message
    }
}

/// All values of a data set.
pub(crate) fn values(data: &Dataset) -> Matrix<f32> {
    let mut batch = Batch::for_source(&*data.source);
    let all: Vec<u32> = (0..data.rows() as u32).collect();
    data.source.gather(&all, &mut batch).expect("rows");
    match batch {
        Batch::Dense(m) => m,
        Batch::Sparse(_) => panic!("the readers give dense rows"),
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
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

/// The folder of larger data sets, or a loud word that the test is skipped.
#[allow(clippy::print_stderr)]
pub(crate) fn large_data(inside: &str) -> Option<PathBuf> {
    let path = std::env::var_os("LPVDN_DATA").map(|folder| PathBuf::from(folder).join(inside));
    let found = path.filter(|p| p.exists());
    if found.is_none() {
        eprintln!("SKIPPED: {inside} is not in the folder that the variable LPVDN_DATA names");
    }
    found
}

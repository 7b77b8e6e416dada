//! Model files and checkpoints are safetensors: named arrays, and one JSON value as their header.
//!
//! The metadata map of the format has no order, so it holds exactly one key, and the bytes of a file
//! follow from its content alone. Reading checks every size before anything is allocated.

use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView, serialize};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// The one key of the metadata.
const HEADER_KEY: &str = "lpvdn";

/// The value of that key: what the file is about, and a hash of its tensors.
#[derive(Serialize, Deserialize)]
struct Envelope<H> {
    checksum: String,
    content: H,
}

/// Why a file is not what it should be.
#[derive(Debug, thiserror::Error)]
pub enum TensorFileError {
    /// It could not be read at all.
    #[error("the file could not be read: {0}")]
    Io(#[from] std::io::Error),
    /// It is not safetensors, or damaged.
    #[error("not a model file, or damaged ({0})")]
    Format(#[from] SafeTensorError),
    /// It is safetensors, but not ours.
    #[error("a safetensors file, but not one written by lpvdn")]
    Foreign,
    /// The header does not say what it must.
    #[error("the file's header is damaged or of another version ({0})")]
    Header(#[from] serde_json::Error),
    /// The tensors are not those that were written.
    #[error("the file is damaged: its numbers are not those that were written")]
    Checksum,
    /// A tensor has another type or shape than the header calls for.
    #[error("tensor {name} should be {wanted} but is {found}")]
    Tensor {
        /// Which.
        name: String,
        /// What the header calls for.
        wanted: String,
        /// What is there.
        found: String,
    },
}

/// Collects tensors for a file.
pub(crate) struct TensorWriter<H> {
    header: H,
    tensors: Vec<(String, Dtype, Vec<usize>, Vec<u8>)>,
}

impl<H: Serialize> TensorWriter<H> {
    pub(crate) fn new(header: H) -> TensorWriter<H> {
        TensorWriter { header, tensors: Vec::new() }
    }

    pub(crate) fn add_f32(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.tensors.push((name.to_owned(), Dtype::F32, shape.to_vec(), bytes));
    }

    pub(crate) fn add_bytes(&mut self, name: &str, bytes: Vec<u8>) {
        self.tensors.push((name.to_owned(), Dtype::U8, vec![bytes.len()], bytes));
    }

    pub(crate) fn finish(mut self) -> std::io::Result<Vec<u8>> {
        self.tensors.sort_by(|a, b| a.0.cmp(&b.0));
        let checksum =
            checksum(self.tensors.iter().map(|(name, _, _, bytes)| (name.as_str(), bytes.as_slice())));
        let envelope = serde_json::to_string(&Envelope { checksum, content: self.header })?;
        let metadata = HashMap::from([(HEADER_KEY.to_owned(), envelope)]);
        let views = self.tensors.iter().map(|(name, dtype, shape, bytes)| {
            TensorView::new(*dtype, shape.clone(), bytes).map(|view| (name.as_str(), view))
        });
        let views = views.collect::<Result<Vec<_>, _>>().map_err(std::io::Error::other)?;
        serialize(views, Some(metadata)).map_err(std::io::Error::other)
    }
}

/// A hash of all tensors, which must come in the order of their names.
fn checksum<'a>(tensors: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hash = Xxh3::new();
    for (name, bytes) in tensors {
        hash.update(name.as_bytes());
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    format!("{:016x}", hash.digest())
}

/// A parsed file.
pub(crate) struct TensorFile<'a> {
    tensors: SafeTensors<'a>,
    header: String,
}

impl<'a> TensorFile<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<TensorFile<'a>, TensorFileError> {
        let (_, metadata) = SafeTensors::read_metadata(bytes)?;
        let header = metadata.metadata().as_ref().and_then(|m| m.get(HEADER_KEY));
        let header = header.ok_or(TensorFileError::Foreign)?.clone();
        Ok(TensorFile { tensors: SafeTensors::deserialize(bytes)?, header })
    }

    /// What the file is about, whatever version wrote it: without a look at the tensors.
    pub(crate) fn preamble<H: DeserializeOwned>(&self) -> Result<H, TensorFileError> {
        Ok(serde_json::from_str::<Envelope<H>>(&self.header)?.content)
    }

    /// What the file is about, once its tensors have been found as they were written.
    pub(crate) fn header<H: DeserializeOwned>(&self) -> Result<H, TensorFileError> {
        let envelope: Envelope<H> = serde_json::from_str(&self.header)?;
        let mut names = self.tensors.names();
        names.sort_unstable();
        let views = names.into_iter().map(|n| self.tensors.tensor(n).map(|view| (n, view.data())));
        let views = views.collect::<Result<Vec<_>, _>>()?;
        if checksum(views.into_iter()) != envelope.checksum {
            return Err(TensorFileError::Checksum);
        }
        Ok(envelope.content)
    }

    /// The rows that a tensor really has: its first dimension.
    pub(crate) fn rows(&self, name: &str) -> Result<usize, TensorFileError> {
        Ok(self.tensors.tensor(name)?.shape().first().copied().unwrap_or(0))
    }

    pub(crate) fn bytes(&self, name: &str) -> Result<&[u8], TensorFileError> {
        let view = self.tensors.tensor(name)?;
        if view.dtype() != Dtype::U8 {
            return Err(TensorFileError::Tensor {
                name: name.to_owned(),
                wanted: "U8".to_owned(),
                found: format!("{:?}", view.dtype()),
            });
        }
        Ok(view.data())
    }

    pub(crate) fn f32(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, TensorFileError> {
        let view = self.tensors.tensor(name)?;
        if view.dtype() != Dtype::F32 || view.shape() != shape {
            return Err(TensorFileError::Tensor {
                name: name.to_owned(),
                wanted: format!("F32 {shape:?}"),
                found: format!("{:?} {:?}", view.dtype(), view.shape()),
            });
        }
        let four = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        Ok(view.data().chunks_exact(4).map(four).collect())
    }
}

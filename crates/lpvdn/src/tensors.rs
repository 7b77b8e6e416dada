//! Model files and checkpoints are safetensors: named arrays, and one JSON value as their header.
//!
//! The metadata map of the format has no order, so it holds exactly one key, and the bytes of a file
//! follow from its content alone. Reading checks every size before anything is allocated.

use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView, serialize};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The one key of the metadata.
const HEADER_KEY: &str = "lpvdn";

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
pub(crate) struct TensorWriter {
    header: String,
    tensors: Vec<(String, Vec<usize>, Vec<u8>)>,
}

impl TensorWriter {
    pub(crate) fn new(header: &impl Serialize) -> std::io::Result<TensorWriter> {
        let header = serde_json::to_string(header)?;
        Ok(TensorWriter { header, tensors: Vec::new() })
    }

    pub(crate) fn add_f32(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.tensors.push((name.to_owned(), shape.to_vec(), bytes));
    }

    pub(crate) fn finish(self) -> std::io::Result<Vec<u8>> {
        let metadata = HashMap::from([(HEADER_KEY.to_owned(), self.header)]);
        let views = self.tensors.iter().map(|(name, shape, bytes)| {
            TensorView::new(Dtype::F32, shape.clone(), bytes).map(|view| (name.as_str(), view))
        });
        let views = views.collect::<Result<Vec<_>, _>>().map_err(std::io::Error::other)?;
        serialize(views, Some(metadata)).map_err(std::io::Error::other)
    }
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

    pub(crate) fn header<H: DeserializeOwned>(&self) -> Result<H, TensorFileError> {
        Ok(serde_json::from_str(&self.header)?)
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

//! The formats of model files.
//!
//! | format | checksum |
//! |---|---|
//! | 1 | of the tensors: a flipped bit in the header, where the scaling is, can go unnoticed |
//! | 2 | of every byte of the file |

use serde::Deserialize;

use crate::error::ModelError;
use crate::tensors::{Coverage, TensorFile};

/// The newest format this program reads, and the one that it writes.
pub const FORMAT_VERSION: u32 = 2;

/// What the header of every format has.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Preamble {
    method: String,
    format_version: u32,
}

/// A model file of a format that this program knows, whose checksum is right, and the name of its method.
pub(crate) fn open<'a>(bytes: &'a [u8], path: &str) -> Result<(TensorFile<'a>, String), ModelError> {
    let wrong = |cause| ModelError::File { path: path.to_owned(), cause };
    let file = TensorFile::parse(bytes).map_err(wrong)?;
    let Preamble { method, format_version: found } = file.header().map_err(wrong)?;
    let coverage = match found {
        1 => Coverage::Tensors,
        _ if found <= FORMAT_VERSION => Coverage::File,
        _ => return Err(ModelError::Version { path: path.to_owned(), found, known: FORMAT_VERSION }),
    };
    file.verify(coverage).map_err(wrong)?;
    Ok((file, method))
}

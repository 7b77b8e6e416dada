//! Model files and checkpoints are safetensors: named arrays, and one JSON value as their header.
//!
//! The metadata map of the format has no order, so it holds exactly one key, and the bytes of a file
//! follow from its content alone. Reading checks every size before anything is allocated.
//!
//! A file begins with the length of its header, then [`BEFORE_CHECKSUM`], then the digits of a checksum: of every byte
//! of the file but those digits. So no bit can change without being noticed, be it a weight, the scaling in the header,
//! the shape of a tensor or a space.

mod file;

use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView, serialize};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

pub(crate) use file::read_file;

/// The one key of the metadata.
const HEADER_KEY: &str = "lpvdn";

/// What every file has behind the length of its header, up to the digits of the checksum: its magic number.
const BEFORE_CHECKSUM: &[u8] = br#"{"__metadata__":{"lpvdn":"{\"checksum\":\""#;
/// The bytes of the length of the header.
const LENGTH_BYTES: usize = 8;
/// Where the digits of the checksum start and end.
const DIGITS_START: usize = LENGTH_BYTES + BEFORE_CHECKSUM.len();
const DIGITS_END: usize = DIGITS_START + 16;
/// Takes the place of the digits until they are known.
const NO_DIGITS: &str = "0000000000000000";

/// The value of that key: what the file is about, and a hash.
#[derive(Serialize, Deserialize)]
struct Envelope<H> {
    checksum: String,
    content: H,
}

/// What the checksum of a file is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// Every byte of the file.
    File,
    /// The names and numbers of the tensors, but nothing of the header: as models of format 1 have it.
    Tensors,
}

/// Why a file is not what it should be.
#[derive(Debug, thiserror::Error)]
pub enum TensorFileError {
    /// It could not be read at all.
    #[error("the file could not be read: {0}")]
    Io(#[from] std::io::Error),
    /// A pipe, a device or the like.
    #[error("not a regular file; copy its content to a file first")]
    NotRegular,
    /// It does not begin as a file of ours.
    #[error("not a model file, or damaged ({0})")]
    Beginning(&'static str),
    /// It is not safetensors, or damaged.
    #[error("not a model file, or damaged ({0})")]
    Format(#[from] SafeTensorError),
    /// It is safetensors, but not ours.
    #[error("a safetensors file, but not one written by lpvdn")]
    Foreign,
    /// The header does not say what it must.
    #[error("the file's header is damaged or of another version ({0})")]
    Header(#[from] serde_json::Error),
    /// The content is not what was written.
    #[error("the file is damaged: its content is not what was written")]
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

    pub(crate) fn finish(self) -> std::io::Result<Vec<u8>> {
        let envelope = Envelope { checksum: NO_DIGITS.to_owned(), content: self.header };
        let envelope = serde_json::to_string(&envelope)?;
        let metadata = HashMap::from([(HEADER_KEY.to_owned(), envelope)]);
        let views = self.tensors.iter().map(|(name, dtype, shape, bytes)| {
            TensorView::new(*dtype, shape.clone(), bytes).map(|view| (name.as_str(), view))
        });
        let views = views.collect::<Result<Vec<_>, _>>().map_err(std::io::Error::other)?;
        let mut file = serialize(views, Some(metadata)).map_err(std::io::Error::other)?;
        if !file[LENGTH_BYTES..].starts_with(BEFORE_CHECKSUM) {
            return Err(std::io::Error::other("the checksum of the file has no place"));
        }
        let digits = file_checksum(&file);
        file[DIGITS_START..DIGITS_END].copy_from_slice(digits.as_bytes());
        Ok(file)
    }
}

/// A hash of all bytes of a file but the digits of the hash itself.
fn file_checksum(file: &[u8]) -> String {
    let mut hash = Xxh3::new();
    hash.update(&file[..DIGITS_START]);
    hash.update(&file[DIGITS_END..]);
    format!("{:016x}", hash.digest())
}

/// A hash of all tensors, which must come in the order of their names.
fn tensor_checksum<'a>(tensors: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
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
    bytes: &'a [u8],
    tensors: SafeTensors<'a>,
    header: String,
}

impl<'a> TensorFile<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<TensorFile<'a>, TensorFileError> {
        file::check_beginning(bytes, bytes.len() as u64)?;
        let (_, metadata) = SafeTensors::read_metadata(bytes)?;
        let header = metadata.metadata().as_ref().and_then(|m| m.get(HEADER_KEY));
        let header = header.ok_or(TensorFileError::Foreign)?.clone();
        Ok(TensorFile { bytes, tensors: SafeTensors::deserialize(bytes)?, header })
    }

    /// What the file is about, or a part of it. Before [`verify`](TensorFile::verify), only the version may be asked for:
    /// it decides what the checksum is of.
    pub(crate) fn header<H: DeserializeOwned>(&self) -> Result<H, TensorFileError> {
        Ok(serde_json::from_str::<Envelope<H>>(&self.header)?.content)
    }

    /// Whether what the checksum covers is as it was written.
    pub(crate) fn verify(&self, coverage: Coverage) -> Result<(), TensorFileError> {
        let found = match coverage {
            Coverage::File => file_checksum(self.bytes),
            Coverage::Tensors => self.tensor_checksum()?,
        };
        match found.as_bytes() == &self.bytes[DIGITS_START..DIGITS_END] {
            true => Ok(()),
            false => Err(TensorFileError::Checksum),
        }
    }

    fn tensor_checksum(&self) -> Result<String, TensorFileError> {
        let mut names = self.tensors.names();
        names.sort_unstable();
        let views = names.into_iter().map(|n| self.tensors.tensor(n).map(|view| (n, view.data())));
        Ok(tensor_checksum(views.collect::<Result<Vec<_>, _>>()?.into_iter()))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
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
        let numbers: Vec<f32> = view.data().chunks_exact(4).map(four).collect();
        // Whatever is computed from one of them would be no number either, and every row in one cluster.
        if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
            let (wanted, found) = ("finite numbers".to_owned(), number.to_string());
            return Err(TensorFileError::Tensor { name: name.to_owned(), wanted, found });
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Facts {
        scale: f64,
        note: String,
    }

    fn file() -> Vec<u8> {
        let mut file = TensorWriter::new(Facts { scale: 0.1, note: "a \"b\" ü".to_owned() });
        file.add_f32("weights", &[2, 3], &[1.0, -2.0, 0.0, 4.5, 1e-30, 7.0]);
        file.add_bytes("record", b"{}".to_vec());
        file.finish().expect("bytes")
    }

    fn read(bytes: &[u8]) -> Result<(Facts, Vec<f32>), TensorFileError> {
        let file = TensorFile::parse(bytes)?;
        file.verify(Coverage::File)?;
        Ok((file.header()?, file.f32("weights", &[2, 3])?))
    }

    #[test]
    fn what_was_written_is_read() {
        let (facts, weights) = read(&file()).expect("its own file");
        assert_eq!(facts, Facts { scale: 0.1, note: "a \"b\" ü".to_owned() });
        assert_eq!(weights[3].to_bits(), 4.5_f32.to_bits());
    }

    #[test]
    fn a_file_with_any_bit_flipped_is_refused() {
        let good = file();
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bytes = good.clone();
                bytes[at] ^= 1 << bit;
                assert!(read(&bytes).is_err(), "bit {bit} of byte {at}");
            }
        }
    }

    #[test]
    fn a_file_that_is_longer_or_shorter_is_refused() {
        let good = file();
        for length in 0..good.len() {
            assert!(read(&good[..length]).is_err(), "{length} bytes");
        }
        assert!(read(&[good, vec![0]].concat()).is_err());
    }

    #[test]
    fn a_file_that_says_the_same_in_other_bytes_is_refused() {
        let good = file();
        let length = u64::from_le_bytes(good[..8].try_into().expect("eight bytes")) as usize;
        let mut padded = (length as u64 + 8).to_le_bytes().to_vec();
        padded.extend_from_slice(&good[8..8 + length]);
        padded.extend_from_slice(b"        ");
        padded.extend_from_slice(&good[8 + length..]);
        assert!(matches!(read(&padded), Err(TensorFileError::Checksum)));
    }

    #[test]
    fn a_checksum_of_the_tensors_alone_is_not_taken_for_one_of_the_file() {
        let mut bytes = file();
        let digits = TensorFile::parse(&bytes).expect("parsed").tensor_checksum().expect("a checksum");
        bytes[DIGITS_START..DIGITS_END].copy_from_slice(digits.as_bytes());
        assert!(matches!(read(&bytes), Err(TensorFileError::Checksum)));
        TensorFile::parse(&bytes).expect("parsed").verify(Coverage::Tensors).expect("as format 1");
    }
}

//! Writing NPY.

use std::io::{self, Write};
use std::path::Path;

use lpvdn_core::Matrix;

use super::MAGIC;
use crate::{DataError, atomic_write};

/// Values begin at a multiple of this, so that the file can be mapped into memory.
const ALIGNMENT: usize = 64;
/// Values converted at a time.
const CHUNK: usize = 16 * 1024;

/// Writes a matrix as an NPY file (version 1.0, little-endian `f4`, C order), atomically: see
/// [`atomic_write`].
///
/// ```
/// use lpvdn_core::Matrix;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("embedding.npy");
/// lpvdn_data::write_npy(&path, &Matrix::from_vec(vec![1.0, 2.0, 3.0, 4.0], 2, 2))?;
/// let back = lpvdn_data::open(&path, &lpvdn_data::OpenOptions::default())?;
/// assert_eq!((back.rows(), back.cols()), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DataError::Write`], naming the path.
pub fn write_npy(path: impl AsRef<Path>, matrix: &Matrix<f32>) -> Result<(), DataError> {
    atomic_write(path, |writer| {
        write_npy_header(writer, matrix.rows(), matrix.cols())?;
        write_npy_values(writer, matrix.as_slice())
    })
}

/// Writes the beginning of an NPY file of so many rows and columns, after which its values follow.
///
/// # Errors
/// What the writer says.
pub fn write_npy_header(writer: &mut (impl Write + ?Sized), rows: usize, cols: usize) -> io::Result<()> {
    writer.write_all(&header(rows, cols))
}

fn header(rows: usize, cols: usize) -> Vec<u8> {
    let mut text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {cols}), }}");
    // Magic, version and length take 10 bytes; a line feed ends the header.
    let before = MAGIC.len() + 4;
    let used = before + text.len() + 1;
    text.push_str(&" ".repeat(used.next_multiple_of(ALIGNMENT) - used));
    text.push('\n');
    let mut bytes = Vec::with_capacity(before + text.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[1, 0]);
    // Two numbers of at most 20 digits: far below 65,536.
    bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

/// Writes values of an NPY file, row after row.
///
/// # Errors
/// What the writer says.
pub fn write_npy_values(writer: &mut (impl Write + ?Sized), values: &[f32]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(4 * CHUNK.min(values.len()));
    for chunk in values.chunks(CHUNK) {
        bytes.clear();
        bytes.extend(chunk.iter().flat_map(|v| v.to_le_bytes()));
        writer.write_all(&bytes)?;
    }
    Ok(())
}

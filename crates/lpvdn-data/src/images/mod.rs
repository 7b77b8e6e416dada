//! Pictures: a file a row, all brought to one shape.
//!
//! A row is the picture line by line, in grey or with red, green and blue side by side; bytes, as those of
//! MNIST are. Without being told, the shape is that of the pictures if all have the same and no side is
//! longer than 64 points, else 32 × 32; and they are grey if every one of them is. Pictures of other proportions keep
//! theirs ([`ImageFit`]).

#[cfg(feature = "images")]
mod fit;
mod options;
#[cfg(feature = "images")]
mod picture;
#[cfg(feature = "images")]
mod rows;
#[cfg(feature = "images")]
mod sieve;

use std::path::Path;

use crate::{DataError, folder};
#[cfg(not(feature = "images"))]
use crate::{OpenOptions, input::Input, table::Table};

pub use self::options::{ImageColor, ImageFit, ImageSize, OnError};
#[cfg(feature = "images")]
pub(crate) use self::rows::{read_folder, read_one};

/// What a picture begins with.
const MAGICS: [&[u8]; 3] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM"];
/// What the files are called.
const EXTENSIONS: [&str; 5] = ["png", "jpg", "jpeg", "webp", "bmp"];

/// Whether a file that begins so is a picture. Two letters are too little to know a bitmap by: it also has
/// its own length, and four bytes of zero.
pub(crate) fn recognises(sample: &[u8]) -> bool {
    let bitmap = |sample: &[u8]| sample.get(6..10) == Some(&[0; 4]);
    let known = MAGICS.iter().any(|m| sample.starts_with(m) && (m.len() > 2 || bitmap(sample)));
    known || sample.starts_with(b"RIFF") && sample.get(8..12) == Some(b"WEBP")
}

/// Whether files with this extension are pictures.
pub(crate) fn has_extension(extension: &str) -> bool {
    EXTENSIONS.contains(&extension)
}

/// Whether there is a picture in the folder, or in a folder in it.
pub(crate) fn has_pictures(folder: &Path) -> Result<bool, DataError> {
    folder::has(folder, is_picture)
}

/// Whether a file is called as pictures are.
pub(crate) fn is_called_so(path: &Path) -> bool {
    has_extension(&path.extension().unwrap_or_default().to_string_lossy().to_lowercase())
}

fn is_picture(path: &Path) -> bool {
    is_called_so(path) && path.is_file()
}

#[cfg(not(feature = "images"))]
pub(crate) fn read_folder(folder: &Path, _: &OpenOptions) -> Result<Table, DataError> {
    Err(not_built(folder))
}

#[cfg(not(feature = "images"))]
pub(crate) fn read_one(input: Input<'static>, _: &OpenOptions) -> Result<Table, DataError> {
    Err(not_built(input.path()))
}

#[cfg(not(feature = "images"))]
fn not_built(path: &Path) -> DataError {
    DataError::NotBuilt { path: path.to_owned(), format: "pictures", feature: "images" }
}

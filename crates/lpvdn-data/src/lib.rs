//! Rows from files: one reader a format, behind one entry, [`open()`].
//!
//! | what | how it is recognised | stored as |
//! |---|---|---|
//! | `digits` | the bare name; `./digits` is a path | bytes |
//! | [known sets](known) such as `mnist` | the bare name, where no such path exists | as their files |
//! | RCV1 (REUTERS) | a folder with `lyrl2004_tokens_*.dat` and the topics | sparse rows, labels |
//! | IDX file, or a folder of them | two zero bytes, a known type | bytes; other types as `f32` |
//! | `.npy` | `\x93NUMPY` | `u8` and `bool` as bytes; other types as `f32` |
//! | `.npz` | a ZIP archive, a member `.npy` or the extension | as `.npy`; SciPy's matrices as sparse rows |
//! | svmlight (LibSVM) | `.svm`, `.svmlight`, `.libsvm`; `label index:value …` | sparse rows, labels |
//! | Matrix Market, `.mtx` | `%%MatrixMarket` | `coordinate` as sparse rows, `array` as `f32` |
//! | `.parquet` | `PAR1` | `f32`; lists of numbers are several columns |
//! | Arrow IPC: `.arrow`, `.feather`, `.arrows` | `ARROW1`, or the beginning of a stream | as `.parquet` |
//! | a folder of pictures | `.png`, `.jpg`, `.jpeg`, `.webp`, `.bmp` in it or in its folders | bytes, labels |
//! | `.csv`, `.tsv`, other text | the extension, or no binary bytes in it | `f32` |
//!
//! Parquet and Arrow need the feature `parquet`, pictures the feature `images`.
//!
//! Any of the files may be compressed with gzip or zstd. The content decides, then the extension;
//! [`OpenOptions::format`] overrides both. Formats that are known but not yet readable give an error
//! that tells how to convert them.
//!
//! A reader believes nothing that a file says about itself: sizes are checked against the real
//! length before memory is taken, and a damaged file gives an error that names the place.
//!
//! Documents become rows in [`text`], also those in a column of a table ([`OpenOptions::text_column`]).
//!
//! ```
//! use lpvdn_data::{OpenOptions, open};
//! let digits = open("digits", &OpenOptions::default())?;
//! assert_eq!((digits.rows(), digits.cols()), (5620, 64));
//! # Ok::<(), lpvdn_data::DataError>(())
//! ```

mod arrow;
mod atomic;
mod budget;
mod choice;
mod classes;
mod columns;
#[cfg(any(feature = "images", feature = "parquet"))]
mod contained;
mod delimited;
mod described;
mod digits;
mod disk;
mod documents;
mod element;
mod error;
#[cfg(feature = "fetch")]
pub mod fetch;
mod folder;
mod foreign;
mod format;
mod idx;
mod images;
mod input;
pub mod known;
mod label_column;
mod lines;
mod mtx;
mod npy;
mod npz;
mod open;
pub mod reading;
mod remedy;
mod reuters;
mod similar;
mod sparse;
mod svmlight;
mod table;
pub mod text;
mod what;

pub use atomic::{atomic_replace, atomic_write};
pub use choice::{ColumnChoices, KindOf, WeightOf};
pub use digits::digits;
pub use documents::EmptyText;
pub use error::{ColumnRole, DataError, Place};
pub use format::Format;
pub use images::{ImageColor, ImageFit, ImageSize, OnError};
pub use lpvdn_core::table::ColumnType;
pub use npy::{write_npy, write_npy_header, write_npy_values};
pub use open::{BUILT_IN, Filled, Header, OpenOptions, Opened, open, read, read_known};
pub use reading::{Decimal, Missing, Reading};
pub use remedy::{Note, Remedy};
pub use what::{is_stream, what};

//! Which format a file has.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::{DataError, arrow, delimited, documents, foreign, idx, images, mtx, npy, npz, svmlight};

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Text with commas, semicolons, tabs or bars between the cells.
    Csv,
    /// Text with tabs between the cells.
    Tsv,
    /// A document a line.
    Txt,
    /// A JSON object a line, with a text or a vector.
    Jsonl,
    /// An array saved by NumPy.
    Npy,
    /// Arrays saved by NumPy, or a sparse matrix by SciPy, in a ZIP archive.
    Npz,
    /// The text format of LibSVM: `label index:value …`.
    Svmlight,
    /// Matrix Market.
    Mtx,
    /// The format of MNIST.
    Idx,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, as a file (Feather) or a stream.
    Arrow,
    /// A single picture: PNG, JPEG, WebP or BMP.
    Image,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 12] = [
        Format::Csv,
        Format::Tsv,
        Format::Txt,
        Format::Jsonl,
        Format::Npy,
        Format::Npz,
        Format::Svmlight,
        Format::Mtx,
        Format::Idx,
        Format::Parquet,
        Format::Arrow,
        Format::Image,
    ];
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Txt => "txt",
            Format::Jsonl => "jsonl",
            Format::Npy => "npy",
            Format::Npz => "npz",
            Format::Svmlight => "svmlight",
            Format::Mtx => "mtx",
            Format::Idx => "idx",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::Image => "image",
        })
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        Format::ALL.into_iter().find(|f| f.to_string() == name).ok_or_else(|| {
            let [all @ .., last] = Format::ALL.map(|format| format.to_string());
            format!("there is no reader for {name:?}; accepted are {} and {last}", all.join(", "))
        })
    }
}

/// The format of a file with this name and beginning: by content first, which cannot be misnamed.
pub(crate) fn recognise(path: &Path, sample: &[u8]) -> Result<Format, DataError> {
    if npy::recognises(sample) {
        return Ok(Format::Npy);
    }
    if idx::recognises(sample) {
        return Ok(Format::Idx);
    }
    if npz::recognises(sample) {
        return Ok(Format::Npz);
    }
    if mtx::recognises(sample) {
        return Ok(Format::Mtx);
    }
    if arrow::recognises_parquet(sample) {
        return Ok(Format::Parquet);
    }
    if arrow::recognises_ipc(sample) {
        return Ok(Format::Arrow);
    }
    if images::recognises(sample) {
        return Ok(Format::Image);
    }
    let name = path.file_name().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name = unpacked(&name);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    // A ZIP archive may be anything, but who calls it so means this.
    if extension == "npz" && npz::is_zip(sample) {
        return Ok(Format::Npz);
    }
    if matches!(extension, "jsonl" | "ndjson") || documents::recognises_jsonl(sample, extension) {
        return Ok(Format::Jsonl);
    }
    if let Some(foreign) = foreign::by_content(sample, extension) {
        return Err(foreign.error(path));
    }
    match extension {
        // Without the magic bytes the reader says what is missing.
        "npy" => return Ok(Format::Npy),
        "npz" => return Ok(Format::Npz),
        "mtx" => return Ok(Format::Mtx),
        "parquet" | "pq" => return Ok(Format::Parquet),
        "arrow" | "arrows" | "feather" | "ipc" => return Ok(Format::Arrow),
        _ if images::has_extension(extension) => return Ok(Format::Image),
        "svm" | "svmlight" | "libsvm" => return Ok(Format::Svmlight),
        "csv" => return Ok(Format::Csv),
        "tsv" | "tab" => return Ok(Format::Tsv),
        "txt" if !svmlight::recognises(sample) && !delimited::holds_numbers(sample) => {
            return Ok(Format::Txt);
        }
        _ if name.contains("-idx") || name.contains(".idx") => return Ok(Format::Idx),
        _ => {}
    }
    match foreign::by_extension(extension) {
        Some(foreign) => Err(foreign.error(path)),
        None if svmlight::recognises(sample) => Ok(Format::Svmlight),
        None if looks_like_text(sample) => Ok(Format::Csv),
        None => Err(DataError::UnknownFormat { path: path.to_owned() }),
    }
}

/// The name of a file without the ending of its compression.
pub(crate) fn unpacked(name: &str) -> &str {
    [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// Whether the bytes could be a table in UTF-8 or Latin-1: no control characters but white space.
pub(crate) fn looks_like_text(sample: &[u8]) -> bool {
    !sample.iter().any(|&b| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c) || b == 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_goes_before_the_extension_and_text_without_one_is_csv() {
        let format =
            |name: &str, sample: &[u8]| recognise(Path::new(name), sample).map_err(|e| e.to_string());
        assert_eq!(format("a.csv", b"\x93NUMPY\x01\x00"), Ok(Format::Npy));
        assert_eq!(format("a.csv", &[0, 0, 8, 2, 0, 0, 0, 1]), Ok(Format::Idx));
        assert_eq!(format("a.npy", b"1,2"), Ok(Format::Npy));
        assert_eq!(format("A.TSV.gz", b"1\t2"), Ok(Format::Tsv));
        assert_eq!(format("a.npy.zst", b"1,2"), Ok(Format::Npy));
        assert_eq!(format("train-images-idx3-ubyte", b"oops"), Ok(Format::Idx));
        assert_eq!(format("iris.data", b"1,2"), Ok(Format::Csv));
        let unknown = format("a.bin", b"\x01\x02\x03").expect_err("not text");
        assert!(
            unknown
                .contains("CSV, TSV, TXT, JSONL, NPY, NPZ, svmlight, Matrix Market, IDX, Parquet and Arrow"),
            "{unknown}"
        );
        let mut archive = b"PK\x03\x04".to_vec();
        assert_eq!(format("a.npz", &archive), Ok(Format::Npz));
        assert!(format("a.bin", &archive).expect_err("any archive").contains("ZIP"));
        archive.extend_from_slice(&[0; 22]);
        archive.extend_from_slice(b"\x05\x00\x00\x00x.npy");
        assert_eq!(format("a.bin", &archive), Ok(Format::Npz));
        assert_eq!(format("a.txt", b"%%matrixmarket matrix"), Ok(Format::Mtx));
        assert_eq!(format("a.mtx.gz", b"1,2"), Ok(Format::Mtx));
        for name in ["a.svm", "a.libsvm", "a.svmlight", "a.dat", "a.t", "a9a", "-"] {
            assert_eq!(format(name, b"+1 3:1 11:1\n-1 5:1\n"), Ok(Format::Svmlight), "{name}");
        }
        assert_eq!(format("a.csv", b"1 3:1\n"), Ok(Format::Csv));
        assert_eq!(format("a.csv", b"PAR1\x15"), Ok(Format::Parquet));
        assert_eq!(format("a.bin", b"ARROW1\0\0"), Ok(Format::Arrow));
        assert_eq!(format("-", b"\xff\xff\xff\xff\x08\0\0\0\x10\0\0\0\0\0\x0a\0"), Ok(Format::Arrow));
        assert_eq!(format("a.feather", b"oops"), Ok(Format::Arrow));
        assert_eq!(format("a.parquet.gz", b"oops"), Ok(Format::Parquet));
        for start in [
            &b"\x89PNG\r\n\x1a\n"[..],
            b"\xff\xd8\xff\xe0",
            b"RIFF\x10\0\0\0WEBPVP8 ",
            b"BM\x46\0\0\0\0\0\0\0",
        ] {
            assert_eq!(format("a.bin", start), Ok(Format::Image));
        }
        assert_eq!(format("a.csv", b"BMI,AGE\n1,2\n"), Ok(Format::Csv), "two letters make no bitmap");
        assert_eq!(format("a.dat", b"1 3 1\n"), Ok(Format::Csv));
        for name in ["-", "a.dat", "a.json"] {
            assert_eq!(format(name, b"{\"x\": [1]}\n{\"x\": [2]}\n"), Ok(Format::Jsonl), "{name}");
        }
        for text in [&b"{\n  \"x\": 1\n}\n"[..], b"[{\"x\": 1}]\n", b"{\"x\": 1}"] {
            assert!(format("a.json", text).expect_err("one value").contains("JSON"));
        }
    }

    #[test]
    fn a_format_is_named_as_it_is_shown() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!(
            "hdf5"
                .parse::<Format>()
                .expect_err("no reader")
                .contains("csv, tsv, txt, jsonl, npy, npz, svmlight, mtx, idx, parquet, arrow and image")
        );
    }
}

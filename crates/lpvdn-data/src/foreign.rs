//! Formats that are known but not yet readable, and how to convert them.

use std::path::Path;

use crate::DataError;

/// A format without a reader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foreign {
    name: &'static str,
    /// What a file may begin with.
    magics: &'static [&'static [u8]],
    extensions: &'static [&'static str],
    remedy: &'static str,
}

impl Foreign {
    pub(crate) fn error(self, path: &Path) -> DataError {
        DataError::Unsupported { path: path.to_owned(), format: self.name, remedy: self.remedy }
    }
}

/// Several formats are ZIP archives inside; their extension tells them apart.
const ZIP: &[u8] = b"PK\x03\x04";

const FORMATS: &[Foreign] = &[
    Foreign {
        name: "HDF5",
        magics: &[b"\x89HDF\r\n\x1a\n"],
        extensions: &["h5", "hdf5", "hdf", "h5ad"],
        remedy: "save the array as .npy, in Python: numpy.save('data.npy', h5py.File('in.h5')['name'][:])",
    },
    Foreign {
        name: "a spreadsheet",
        magics: &[b"\xd0\xcf\x11\xe0"],
        extensions: &["xlsx", "xls", "ods"],
        remedy: "save the sheet as CSV",
    },
    Foreign {
        name: "a PyTorch file",
        magics: &[],
        extensions: &["pt", "pth"],
        remedy: "save the tensor as .npy, in Python: numpy.save('data.npy', torch.load('in.pt').numpy())",
    },
    Foreign {
        name: "a ZIP archive",
        magics: &[ZIP],
        extensions: &["zip"],
        remedy: "unpack it, and give the file inside",
    },
    Foreign {
        name: "a Python pickle",
        magics: &[b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"],
        extensions: &["pkl", "pickle", "joblib"],
        remedy: "save the array as .npy, in Python: numpy.save('data.npy', numpy.asarray(pickle.load(open('in.pkl', 'rb'))))",
    },
    Foreign {
        name: "version 1 of Feather",
        magics: &[b"FEA1"],
        extensions: &[],
        remedy: "save it as version 2, in Python: pandas.read_feather('in.feather').to_feather('data.feather')",
    },
    Foreign {
        name: "a MATLAB file",
        magics: &[b"MATLAB 5.0"],
        extensions: &["mat"],
        remedy: "save the array as .npy, in Python: numpy.save('data.npy', scipy.io.loadmat('in.mat')['name'])",
    },
    Foreign {
        name: "safetensors",
        magics: &[],
        extensions: &["safetensors"],
        remedy: "save the tensor as .npy, in Python: \
                 numpy.save('data.npy', safetensors.numpy.load_file('in.safetensors')['name'])",
    },
    Foreign {
        name: "an R file",
        magics: &[b"RDX2", b"RDX3", b"X\n\0\0\0"],
        extensions: &["rds", "rdata", "rda"],
        remedy: "save the table as CSV, in R: write.csv(readRDS('in.rds'), 'data.csv', row.names = FALSE)",
    },
    Foreign {
        name: "JSON",
        magics: &[b"{", b"["],
        extensions: &["json"],
        remedy: "save it as CSV, in Python: pandas.read_json('in.json').to_csv('data.csv', index=False)",
    },
    Foreign {
        name: "ARFF",
        magics: &[b"@relation", b"@RELATION", b"@Relation"],
        extensions: &["arff"],
        remedy: "save it as CSV: remove the lines up to @data and put the names of the attributes there",
    },
    Foreign {
        name: "XML or HTML",
        magics: &[b"<"],
        extensions: &["xml", "html", "htm"],
        remedy: "save the table as CSV (a download that gives HTML is often an error page)",
    },
    Foreign {
        name: "a GIF or TIFF picture",
        magics: &[b"GIF8", b"II*\0", b"MM\0*"],
        extensions: &["gif", "tif", "tiff"],
        remedy: "save the pictures as PNG, and give the folder of them",
    },
    Foreign {
        name: "SQLite",
        magics: &[b"SQLite format 3\0"],
        extensions: &["sqlite", "db"],
        remedy: "save the table as CSV: sqlite3 -header -csv in.db 'select * from name' > data.csv",
    },
    Foreign {
        name: "UTF-16 text",
        magics: &[b"\xff\xfe", b"\xfe\xff"],
        extensions: &[],
        remedy: "save it as UTF-8: iconv -f UTF-16 -t UTF-8 in.csv > data.csv",
    },
    Foreign {
        name: "compression other than gzip and zstd",
        magics: &[b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf", b"\x04\x22\x4d\x18"],
        extensions: &["bz2", "xz", "7z", "lz4"],
        remedy: "unpack it, or compress it with gzip or zstd",
    },
    Foreign {
        name: "a tar archive",
        magics: &[],
        extensions: &["tar", "tgz"],
        remedy: "unpack it, and give the file or the folder inside",
    },
];

/// The format that begins so. Where the beginning fits several, the extension decides.
pub(crate) fn by_content(sample: &[u8], extension: &str) -> Option<Foreign> {
    let found = *FORMATS.iter().find(|f| f.magics.iter().any(|magic| sample.starts_with(magic)))?;
    let zip_inside = found.magics.contains(&ZIP);
    Some(if zip_inside { by_extension(extension).unwrap_or(found) } else { found })
}

/// The format whose files are called so.
pub(crate) fn by_extension(extension: &str) -> Option<Foreign> {
    FORMATS.iter().copied().find(|f| f.extensions.contains(&extension))
}

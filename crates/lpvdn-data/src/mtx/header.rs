//! The first lines of a Matrix Market file: what it holds, and how much of it.

use crate::error::quoted;
use crate::lines::{number, words};

pub(super) const MAGIC: &[u8] = b"%%MatrixMarket";

/// How cells are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Those that are not zero, each with its place.
    Coordinate,
    /// All of them, column by column.
    Array,
}

/// Which cells follow from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symmetry {
    /// None.
    General,
    /// The upper triangle is that below.
    Symmetric,
    /// The upper triangle is the negative of that below; the diagonal is zero.
    Skew,
}

/// The first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Banner {
    pub(super) layout: Layout,
    /// Whether entries have no values, and all stand for 1.
    pub(super) pattern: bool,
    pub(super) symmetry: Symmetry,
}

impl Banner {
    /// Reads `%%MatrixMarket matrix coordinate real general`, or says what is wrong.
    pub(super) fn parse(line: &[u8]) -> Result<Banner, String> {
        let line = String::from_utf8_lossy(line).to_lowercase();
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[_, object, layout, field, symmetry] = &words[..] else {
            let found = words.len().saturating_sub(1);
            return Err(format!(
                "{found} words follow %%MatrixMarket; 4 are needed, such as: matrix coordinate real general"
            ));
        };
        if object != "matrix" {
            return Err(unknown("object", object, "matrix"));
        }
        let layout = match layout {
            "coordinate" => Layout::Coordinate,
            "array" => Layout::Array,
            _ => return Err(unknown("layout", layout, "coordinate and array")),
        };
        let pattern = field_is_pattern(field)?;
        if pattern && layout == Layout::Array {
            return Err("an array has values, so that its type cannot be pattern; accepted are real and \
                        integer"
                .into());
        }
        Ok(Banner { layout, pattern, symmetry: parse_symmetry(symmetry)? })
    }
}

fn field_is_pattern(field: &str) -> Result<bool, String> {
    match field {
        "real" | "double" | "integer" | "unsigned-integer" => Ok(false),
        "pattern" => Ok(true),
        "complex" => Err("its numbers are complex; save their real parts or magnitudes, in Python: \
                          scipy.io.mmwrite('data.mtx', abs(scipy.io.mmread('in.mtx')))"
            .into()),
        _ => Err(unknown("type", field, "real, integer and pattern")),
    }
}

fn parse_symmetry(symmetry: &str) -> Result<Symmetry, String> {
    match symmetry {
        "general" => Ok(Symmetry::General),
        "symmetric" => Ok(Symmetry::Symmetric),
        "skew-symmetric" => Ok(Symmetry::Skew),
        "hermitian" => Err("it is Hermitian, thus complex; save real parts or magnitudes, in Python: \
                            scipy.io.mmwrite('data.mtx', abs(scipy.io.mmread('in.mtx')))"
            .into()),
        _ => Err(unknown("symmetry", symmetry, "general, symmetric and skew-symmetric")),
    }
}

fn unknown(what: &str, found: &str, accepted: &str) -> String {
    format!("its {what} is {}; accepted: {accepted}", quoted(found.as_bytes()))
}

/// The numbers of the line after the comments: rows, columns and, for a coordinate file, entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) rows: u64,
    pub(super) cols: u64,
    /// 0 for an array.
    pub(super) entries: u64,
}

impl Size {
    pub(super) fn parse(line: &[u8], banner: Banner) -> Result<Size, String> {
        let numbers: Option<Vec<u64>> = words(line).map(number).collect();
        let size = match (banner.layout, numbers.as_deref()) {
            (Layout::Coordinate, Some(&[rows, cols, entries])) => Size { rows, cols, entries },
            (Layout::Array, Some(&[rows, cols])) => Size { rows, cols, entries: 0 },
            (layout, _) => {
                let wanted = match layout {
                    Layout::Coordinate => "three whole numbers, of rows, columns and entries",
                    Layout::Array => "two whole numbers, of rows and columns",
                };
                return Err(format!("{} is not the size; needed are {wanted}", quoted(line)));
            }
        };
        if banner.symmetry != Symmetry::General && size.rows != size.cols {
            return Err(format!(
                "{} rows and {} columns cannot be symmetric; a general matrix may have this size",
                size.rows, size.cols
            ));
        }
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_banner_is_read_in_any_case_and_its_faults_are_named() {
        let banner = Banner::parse(b"%%MatrixMarket MATRIX Coordinate pattern symmetric");
        let wanted = Banner { layout: Layout::Coordinate, pattern: true, symmetry: Symmetry::Symmetric };
        assert_eq!(banner, Ok(wanted));
        for (words, part) in [
            ("matrix coordinate real", "3 words"),
            ("vector coordinate real general", "vector"),
            ("matrix list real general", "coordinate and array"),
            ("matrix coordinate quaternion general", "real, integer and pattern"),
            ("matrix coordinate complex general", "abs(scipy.io.mmread"),
            ("matrix coordinate real hermitian", "abs(scipy.io.mmread"),
            ("matrix coordinate real odd", "skew-symmetric"),
            ("matrix array pattern general", "cannot be pattern"),
        ] {
            let problem = Banner::parse(format!("%%MatrixMarket {words}").as_bytes()).expect_err(words);
            assert!(problem.contains(part), "{problem}");
        }
    }

    #[test]
    fn a_size_has_as_many_numbers_as_the_layout_needs() {
        let general = Banner { layout: Layout::Coordinate, pattern: false, symmetry: Symmetry::General };
        assert_eq!(Size::parse(b"3 4 5", general), Ok(Size { rows: 3, cols: 4, entries: 5 }));
        for wrong in ["3 4", "3 4 5 6", "3 4 -1", "3 4 x", "3 4 99999999999999999999"] {
            assert!(Size::parse(wrong.as_bytes(), general).is_err(), "{wrong}");
        }
        let skew = Banner { symmetry: Symmetry::Skew, ..general };
        assert!(Size::parse(b"3 4 5", skew).expect_err("not square").contains("symmetric"));
    }
}

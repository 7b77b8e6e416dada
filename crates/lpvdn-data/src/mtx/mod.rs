//! Matrix Market, the exchange format of sparse matrices.
//!
//! A line that begins with `%%MatrixMarket` says what follows; lines that begin with `%` are comments;
//! then comes the size, and then a line for each entry (`coordinate`) or for each cell (`array`).

mod array;
mod coordinate;
mod header;

use self::header::{Banner, Layout, MAGIC, Size};
use crate::input::Input;
use crate::lines::Lines;
use crate::sparse::{check_columns, check_rows};
use crate::table::Table;
use crate::{DataError, OpenOptions, label_column};

/// Whether a file that begins so is Matrix Market.
pub(crate) fn recognises(sample: &[u8]) -> bool {
    sample.get(..MAGIC.len()).is_some_and(|start| start.eq_ignore_ascii_case(MAGIC))
}

/// Reads a matrix: sparse if its entries have places, else dense.
pub(crate) fn read(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    let mut lines = Lines::new(input);
    lines.advance()?;
    if !recognises(lines.line()) {
        let problem = "it does not begin with %%MatrixMarket".to_owned();
        return Err(DataError::Malformed { path: lines.path().to_owned(), format: "Matrix Market", problem });
    }
    let banner = Banner::parse(lines.line()).map_err(|problem| lines.wrong(problem))?;
    if !next_content(&mut lines)? {
        return Err(lines.wrong("the file ends before the line with its size; copy or download it again"));
    }
    let size = Size::parse(lines.line(), banner).map_err(|problem| lines.wrong(problem))?;
    let checked = check_columns(size.cols).and(check_rows(size.rows, usize::MAX));
    checked.map_err(|problem| lines.wrong(problem))?;
    let label = label_column::chosen(lines.path(), options, size.cols as usize)?;
    let values = match banner.layout {
        Layout::Coordinate => coordinate::read(&mut lines, banner, size)?,
        Layout::Array => array::read(&mut lines, banner.symmetry, size)?,
    };
    label_column::split_off(values, label, lines.path(), options)
}

/// Goes to the next line that is neither blank nor a comment; false at the end of the file.
fn next_content(lines: &mut Lines) -> Result<bool, DataError> {
    while lines.advance()? {
        if !matches!(lines.line(), [] | [b'%', ..]) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The sentence about a file that holds fewer things than it announces.
fn too_few(lines: &Lines, what: &str, announced: u64, found: usize) -> DataError {
    lines.wrong(format!(
        "the file ends after {found} {what}, but {announced} are announced; copy or download it again"
    ))
}

/// The sentence about a file that goes on after the last thing it announces.
fn too_many(lines: &Lines, what: &str, announced: u64) -> DataError {
    lines.wrong(format!(
        "more than the {announced} {what} that are announced; either the size is wrong, or what follows \
         does not belong to the matrix"
    ))
}

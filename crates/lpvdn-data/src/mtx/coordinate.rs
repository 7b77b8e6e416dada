//! Entries with their places: `row column value`, counted from 1.

use super::header::{Banner, Size, Symmetry};
use super::{next_content, too_few, too_many};
use crate::DataError;
use crate::error::quoted;
use crate::lines::{Lines, number, words};
use crate::sparse::{Entries, check_rows};
use crate::table::Values;

/// Reads the entries, in any order, and adds those of the same cell. The size has been checked, but
/// nothing is believed about the number of entries until they are there.
pub(super) fn read(lines: &mut Lines, banner: Banner, size: Size) -> Result<Values, DataError> {
    let mut entries = Entries::default();
    let mut account = lines.budget().account(lines.path());
    let mut found = 0_usize;
    while next_content(lines)? {
        if found as u64 == size.entries {
            return Err(too_many(lines, "entries", size.entries));
        }
        found += 1;
        // An entry may have an image in the other triangle.
        entries.make_room(&mut account, 2)?;
        let entry = parse(lines.line(), banner.pattern, size);
        let kept = entry.and_then(|entry| push(&mut entries, entry, banner.symmetry));
        kept.map_err(|problem| lines.wrong(problem))?;
    }
    if (found as u64) < size.entries {
        return Err(too_few(lines, "entries", size.entries, found));
    }
    let malformed =
        |problem| DataError::Malformed { path: lines.path().to_owned(), format: "Matrix Market", problem };
    check_rows(size.rows, entries.values.len()).map_err(malformed)?;
    account.add(entries.matrix_bytes(size.rows), "the rows of the matrix")?;
    let matrix = entries.into_matrix(size.rows as usize, size.cols as usize);
    account.keep();
    Ok(Values::Sparse(matrix.map_err(malformed)?))
}

/// The row and the column, from 0, and the value.
fn parse(line: &[u8], pattern: bool, size: Size) -> Result<(u32, u32, f32), String> {
    let wanted = if pattern { "row column" } else { "row column value" };
    let unusable = || format!("{} is not an entry; needed is: {wanted}", quoted(line));
    let mut rest = words(line);
    let mut next = || rest.next().ok_or_else(unusable);
    let row = place(next()?, "row", size.rows)?;
    let column = place(next()?, "column", size.cols)?;
    let value = match pattern {
        true => 1.0,
        false => {
            let word = next()?;
            number(word).ok_or_else(|| format!("{} is not a number; {ACCEPTED}", quoted(word)))?
        }
    };
    if next().is_ok() {
        return Err(unusable());
    }
    Ok((row, column, value))
}

pub(super) const ACCEPTED: &str = "accepted are such as -1.5 or 2e-3";

/// An index from 1 to `most` as one from 0.
fn place(word: &[u8], what: &str, most: u64) -> Result<u32, String> {
    let index = number(word).filter(|index| (1..=most).contains(index));
    // The size fits into u32, which has been checked.
    index.map(|index: u64| (index - 1) as u32).ok_or_else(|| {
        format!("{} is not a {what}; accepted are whole numbers from 1 to {most}", quoted(word))
    })
}

/// Keeps an entry and, if the matrix is symmetric, its image in the other triangle.
fn push(entries: &mut Entries, entry: (u32, u32, f32), symmetry: Symmetry) -> Result<(), String> {
    let (row, column, value) = entry;
    entries.push(row, column, value);
    match symmetry {
        Symmetry::Symmetric if row != column => entries.push(column, row, value),
        Symmetry::Skew if row != column => entries.push(column, row, -value),
        Symmetry::Skew if value != 0.0 => {
            return Err(format!("the diagonal of a skew-symmetric matrix is zero, but here it is {value}"));
        }
        Symmetry::General | Symmetry::Symmetric | Symmetry::Skew => {}
    }
    Ok(())
}

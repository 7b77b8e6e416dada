//! All cells of a matrix, column by column.

use lpvdn_core::Matrix;

use super::coordinate::ACCEPTED;
use super::header::{Size, Symmetry};
use super::{next_content, too_few, too_many};
use crate::DataError;
use crate::error::quoted;
use crate::lines::{Lines, number, words};
use crate::table::{Values, shape_of};

/// Reads the cells; of a symmetric matrix only those of the lower triangle are listed.
pub(super) fn read(lines: &mut Lines, symmetry: Symmetry, size: Size) -> Result<Values, DataError> {
    let (rows, cols) = shape_of(lines.path(), &[size.rows, size.cols])?;
    let n = size.rows;
    let listed = match symmetry {
        Symmetry::General => size.rows * size.cols,
        Symmetry::Symmetric => n * (n + 1) / 2,
        Symmetry::Skew => n * (n - 1) / 2,
    };
    let cells = read_cells(lines, listed)?;
    let what = format_args!("{rows} rows of {cols} values");
    let bytes = (rows as u64 * cols as u64).saturating_mul(size_of::<f32>() as u64);
    lines.budget().charge(lines.path(), bytes, what)?;
    let at = |row: usize, column: usize| cells[column * rows + row];
    // Column j of a triangle begins after j columns, each shorter by one than the one before.
    let below = |row: usize, column: usize| cells[column * (2 * rows - column + 1) / 2 + row - column];
    let strictly = |row: usize, column: usize| cells[column * (2 * rows - column - 1) / 2 + row - column - 1];
    let cell = |i: usize, j: usize| match symmetry {
        Symmetry::General => at(i, j),
        Symmetry::Symmetric => below(i.max(j), i.min(j)),
        Symmetry::Skew if i == j => 0.0,
        Symmetry::Skew if i > j => strictly(i, j),
        Symmetry::Skew => -strictly(j, i),
    };
    Ok(Values::Floats(Matrix::from_fn(rows, cols, cell)))
}

/// Reads as many numbers as are announced; memory grows with what arrives.
fn read_cells(lines: &mut Lines, listed: u64) -> Result<Vec<f32>, DataError> {
    let mut cells = Vec::new();
    let mut account = lines.budget().account(lines.path());
    let most = usize::try_from(listed).unwrap_or(usize::MAX);
    while next_content(lines)? {
        for word in words(lines.line()) {
            if cells.len() as u64 == listed {
                return Err(too_many(lines, "cells", listed));
            }
            let Some(value) = number(word) else {
                return Err(lines.wrong(format!("{} is not a number; {ACCEPTED}", quoted(word))));
            };
            account.reserve(&mut cells, 1, most, format_args!("an array of {listed} values"))?;
            cells.push(value);
        }
    }
    if (cells.len() as u64) < listed {
        return Err(too_few(lines, "cells", listed, cells.len()));
    }
    account.keep();
    Ok(cells)
}

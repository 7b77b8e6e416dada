//! The layouts of SciPy that hold zeros too: dense blocks, and diagonals.

use super::scipy::{check_lengths, check_offsets};
use crate::sparse::Entries;

/// The entries of dense blocks, which lie row by row: `data` has a block, its rows and its columns as dimensions.
pub(super) fn from_blocks(
    (rows, _): (u64, u64),
    offsets: &[usize],
    block_columns: &[usize],
    (sizes, data): ([usize; 3], Vec<f32>),
) -> Result<Entries, String> {
    let [count, height, width] = sizes;
    check_lengths(block_columns.len(), count)?;
    if height == 0 || width == 0 || rows % height as u64 != 0 {
        return Err(format!("blocks of {height} × {width} do not divide its {rows} rows"));
    }
    check_offsets(offsets, "rows of blocks", rows / height as u64, count)?;
    let mut entries = Entries::default();
    for (block_row, two) in offsets.windows(2).enumerate() {
        for block in two[0]..two[1] {
            let (top, left) = (block_row * height, block_columns[block].saturating_mul(width));
            let cells = &data[block * height * width..(block + 1) * height * width];
            for (at, &value) in cells.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                let column = left.saturating_add(at % width);
                entries.push(place(top + at / width), place(column), value);
            }
        }
    }
    Ok(entries)
}

/// The entries of diagonals: number `j` of one with offset `k` stands in column `j` and row `j - k`. Where that is
/// outside of the matrix, SciPy leaves the number alone.
pub(super) fn from_diagonals(
    (rows, cols): (u64, u64),
    offsets: &[i128],
    ([count, length], data): ([usize; 2], Vec<f32>),
) -> Result<Entries, String> {
    check_lengths(offsets.len(), count)?;
    let mut entries = Entries::default();
    for (&offset, diagonal) in offsets.iter().zip(data.chunks_exact(length.max(1))) {
        for (column, &value) in diagonal.iter().enumerate().take_while(|(column, _)| (*column as u64) < cols)
        {
            let row = (column as i128).saturating_sub(offset);
            if value != 0.0 && (0..i128::from(rows)).contains(&row) {
                entries.push(place(row as usize), place(column), value);
            }
        }
    }
    Ok(entries)
}

/// What does not fit becomes the largest number, which is outside every shape.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

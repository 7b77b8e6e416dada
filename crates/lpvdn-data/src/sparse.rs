//! Sparse rows from entries that come in any order.

use std::collections::TryReserveError;

use lpvdn_core::CsrMatrix;
use lpvdn_core::csr::CsrError;

use crate::DataError;
use crate::budget::Account;

/// No sparse table is wider. A single entry can claim any width, but a model keeps numbers for every
/// column, and no network has room for more.
pub(crate) const MOST_COLUMNS: u32 = 10_000_000;

/// How many rows may be announced for every entry that is there, beyond the first few: memory is
/// needed for a row even if it is empty, and a number in a header is no reason to take it.
const ROWS_PER_ENTRY: usize = 16;
const FEW_ROWS: usize = 10_000_000;

/// A problem, in words that follow the name of the file.
type Problem = String;

/// Cells that are not zero, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    pub(crate) rows: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f32>,
}

impl Entries {
    pub(crate) fn push(&mut self, row: u32, column: u32, value: f32) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }

    /// Room for `more` entries, entered into an account that is theirs alone.
    pub(crate) fn make_room(&mut self, account: &mut Account, more: usize) -> Result<(), DataError> {
        let (length, capacity) = (self.values.len(), self.values.capacity());
        if length + more <= capacity {
            return Ok(());
        }
        let bytes = |entries: usize| (entries as u64).saturating_mul(3 * size_of::<u32>() as u64);
        let mut target = (2 * capacity).max(length + more);
        // Where there is no room for twice as many there may be for those that are needed, and an eighth more.
        if account.set(bytes(target), "").is_err() {
            target = length + more.max(length / 8);
            account.set(bytes(target), format_args!("{target} entries"))?;
        }
        let more = target - length;
        self.rows.reserve_exact(more);
        self.columns.reserve_exact(more);
        self.values.reserve_exact(more);
        Ok(())
    }

    /// What the matrix of as many rows takes, while it is made.
    pub(crate) fn matrix_bytes(&self, rows: u64) -> u64 {
        let entries = 2 * size_of::<u32>() as u64 * self.values.len() as u64;
        rows.saturating_mul(2 * size_of::<usize>() as u64).saturating_add(entries)
    }

    /// The matrix. Entries of the same cell are added, as SciPy does. All rows and columns must be
    /// inside the shape, which [`check_rows`] and [`check_columns`] have approved.
    pub(crate) fn into_matrix(self, rows: usize, cols: usize) -> Result<CsrMatrix<f32>, Problem> {
        let count = self.values.len();
        let mut offsets = filled(rows + 1, 0_usize).map_err(|e| self.too_many(&e))?;
        self.rows.iter().for_each(|&row| offsets[row as usize + 1] += 1);
        (0..rows).for_each(|row| offsets[row + 1] += offsets[row]);
        let mut next = offsets.clone();
        let mut columns = filled(count, 0_u32).map_err(|e| self.too_many(&e))?;
        let mut values = filled(count, 0.0_f32).map_err(|e| self.too_many(&e))?;
        for (at, &row) in self.rows.iter().enumerate() {
            let place = &mut next[row as usize];
            columns[*place] = self.columns[at];
            values[*place] = self.values[at];
            *place += 1;
        }
        drop(self);
        tidied(cols, offsets, columns, values).map_err(|e| e.to_string())
    }

    fn too_many(&self, error: &TryReserveError) -> Problem {
        format!("there is no memory for its {} entries ({error})", self.values.len())
    }
}

fn filled<T: Clone>(count: usize, value: T) -> Result<Vec<T>, TryReserveError> {
    let mut all = Vec::new();
    all.try_reserve_exact(count)?;
    all.resize(count, value);
    Ok(all)
}

/// The matrix of these rows, whose columns need not rise and may repeat: repeated ones are added in
/// their order, and zeros are left out. The offsets must never fall nor go beyond the entries.
pub(crate) fn tidied(
    cols: usize,
    mut offsets: Vec<usize>,
    mut columns: Vec<u32>,
    mut values: Vec<f32>,
) -> Result<CsrMatrix<f32>, CsrError> {
    let (mut kept, mut start) = (0, 0);
    let mut row: Vec<(u32, f32)> = Vec::new();
    for end in offsets.iter_mut().skip(1) {
        row.clear();
        row.extend(columns[start..*end].iter().copied().zip(values[start..*end].iter().copied()));
        tidy(&mut row);
        for &(column, value) in &row {
            (columns[kept], values[kept]) = (column, value);
            kept += 1;
        }
        start = std::mem::replace(end, kept);
    }
    columns.truncate(kept);
    values.truncate(kept);
    CsrMatrix::from_parts(cols, offsets, columns, values)
}

/// Puts the entries of a row in order, adds those of the same column, and leaves zeros out.
pub(crate) fn tidy(row: &mut Vec<(u32, f32)>) {
    // Stable, so that the sum does not depend on the sort.
    row.sort_by_key(|entry| entry.0);
    let mut kept = 0;
    let mut at = 0;
    while at < row.len() {
        let column = row[at].0;
        let same = row[at..].iter().take_while(|entry| entry.0 == column);
        let (count, sum) = same.fold((0, 0.0), |(count, sum), entry| (count + 1, sum + f64::from(entry.1)));
        if sum as f32 != 0.0 {
            row[kept] = (column, sum as f32);
            kept += 1;
        }
        at += count;
    }
    row.truncate(kept);
}

/// Checks the number of columns that a file announces.
pub(crate) fn check_columns(cols: u64) -> Result<(), Problem> {
    match cols {
        0 => Err("it announces 0 columns; at least one is needed".into()),
        _ if cols > u64::from(MOST_COLUMNS) => {
            Err(format!("it announces {cols} columns; at most {MOST_COLUMNS} are accepted"))
        }
        _ => Ok(()),
    }
}

/// The most rows that are believed where there are as many entries.
pub(crate) fn most_rows(entries: usize) -> u64 {
    entries.saturating_mul(ROWS_PER_ENTRY).max(FEW_ROWS) as u64
}

/// Checks the number of rows that a file announces against the entries that it really has.
pub(crate) fn check_rows(rows: u64, entries: usize) -> Result<(), Problem> {
    let most = most_rows(entries);
    match rows {
        0 => Err("it announces 0 rows; at least one is needed".into()),
        _ if rows > u64::from(u32::MAX) => {
            Err(format!("it announces {rows} rows; at most {} are accepted", u32::MAX))
        }
        _ if rows > most => Err(format!(
            "it announces {rows} rows, but has only {entries} entries, so that nearly all rows would be empty; \
             leave the empty ones out (at most {most} are accepted here)"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_in_any_order_become_rising_rows_and_repeats_are_added() {
        let mut entries = Entries::default();
        for (row, column, value) in
            [(2, 1, 4.0), (0, 2, 1.0), (0, 0, 2.0), (0, 2, 0.5), (2, 0, 1.0), (2, 0, -1.0)]
        {
            entries.push(row, column, value);
        }
        let matrix = entries.into_matrix(4, 3).expect("a matrix");
        assert_eq!((matrix.rows(), matrix.cols(), matrix.entries()), (4, 3, 3));
        assert_eq!(matrix.row(0), (&[0, 2][..], &[2.0, 1.5][..]));
        assert_eq!(matrix.row(1), (&[][..], &[][..]));
        assert_eq!(matrix.row(2), (&[1][..], &[4.0][..]), "a sum of zero is no entry");
    }

    #[test]
    fn rows_are_believed_only_as_far_as_entries_are_there() {
        assert!(check_rows(10_000_000, 0).is_ok());
        assert!(check_rows(10_000_001, 0).is_err());
        assert!(check_rows(16_000_000, 1_000_000).is_ok());
        assert!(check_rows(u64::from(u32::MAX) + 1, usize::MAX).is_err());
        assert!(check_rows(0, 5).is_err() && check_columns(0).is_err());
        assert!(check_columns(10_000_000).is_ok() && check_columns(10_000_001).is_err());
    }
}

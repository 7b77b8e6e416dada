//! A sparse matrix by rows that is more than may be held: its entries go by, one row after the other.
//!
//! Columns and values are members of their own, and only one of them can be read at a time. So the columns
//! are unpacked into a file first, and stand beside the values when these are read.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::archive::Archive;
use super::scipy::{check_lengths, check_offsets, index, outside, place, size, whole};
use crate::budget::Account;
use crate::described::ChargedLabels;
use crate::disk::{GrowingSparse, Limit, TempFile, cannot_keep};
use crate::sparse::{check_rows, tidy};
use crate::table::{Table, split_entry};
use crate::{DataError, OpenOptions, npy};

pub(super) fn read(
    archive: &mut Archive,
    (rows, cols): (u64, u64),
    entries: usize,
    label: Option<usize>,
    options: &OpenOptions,
) -> Result<Table, DataError> {
    let path = archive.path().to_owned();
    let offsets = whole(archive, "indptr", size)?;
    let used = check_offsets(&offsets, "rows", rows, entries).and_then(|used| {
        check_rows(rows, usize::MAX)?;
        Ok(used)
    });
    let used = used.map_err(|problem| archive.malformed(problem))?;
    let columns = unpacked_columns(archive, used, entries, cols)?;
    let mut reader = Reader {
        columns: BufReader::new(columns),
        path: &path,
        offsets: &offsets,
        label: label.map(|column| column as u32),
        rows: GrowingSparse::new(Limit::of(&path, options)),
        row: Vec::new(),
        labels: ChargedLabels::new(&path, &options.budget),
        account: options.budget.account(&path),
        at: 0,
    };
    reader.finish_rows()?;
    let data = place(archive, "data")?;
    npy::for_each_float(archive.member(data)?, |value| reader.push(value))?;
    let labels = label.map(|_| reader.labels.finish());
    let rows = reader.rows.finish(cols as usize - usize::from(label.is_some()), 0)?.into_rows();
    Ok(Table { labels, ..rows.into() })
}

/// The columns of the entries as a file of 32-bit numbers.
fn unpacked_columns(
    archive: &mut Archive,
    used: usize,
    entries: usize,
    cols: u64,
) -> Result<File, DataError> {
    let mut file = TempFile::create(archive.path(), archive.budget())?;
    let (mut count, mut wrong) = (0, None);
    let indices = place(archive, "indices")?;
    npy::for_each_whole(archive.member(indices)?, |number| {
        let column = index(number);
        // SciPy, too, leaves alone what stands after the last row.
        if count < used && u64::from(column) >= cols && wrong.is_none() {
            wrong = Some(count);
        }
        count += 1;
        file.write(&column.to_le_bytes())
    })?;
    check_lengths(count, entries).map_err(|problem| archive.malformed(problem))?;
    if let Some(at) = wrong {
        return Err(archive.malformed(outside(at, "column", cols)));
    }
    file.finish()
}

/// The rows read so far.
struct Reader<'a> {
    columns: BufReader<File>,
    path: &'a Path,
    offsets: &'a [usize],
    label: Option<u32>,
    rows: GrowingSparse,
    row: Vec<(u32, f32)>,
    labels: ChargedLabels,
    /// For the row.
    account: Account,
    /// How many entries were read.
    at: usize,
}

impl Reader<'_> {
    fn push(&mut self, value: f32) -> Result<(), DataError> {
        let mut column = [0; 4];
        self.columns.read_exact(&mut column).map_err(|cause| cannot_keep(self.path, cause))?;
        self.at += 1;
        if self.rows.rows() + 1 < self.offsets.len() {
            self.account.reserve(&mut self.row, 1, usize::MAX, "the entries of a row")?;
            self.row.push((u32::from_le_bytes(column), value));
        }
        self.finish_rows()
    }

    /// Stores the row that ends here, if one does, and the empty ones after it.
    fn finish_rows(&mut self) -> Result<(), DataError> {
        while self.offsets.get(self.rows.rows() + 1) == Some(&self.at) {
            tidy(&mut self.row);
            if let Some(column) = self.label {
                self.labels.push(&split_entry(&mut self.row, column).to_string())?;
            }
            self.rows.push(&self.row)?;
            self.row.clear();
        }
        Ok(())
    }
}

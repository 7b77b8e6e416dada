//! Rows that arrive one after the other: held in memory up to a limit, and on the disk beyond it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lpvdn_core::{CsrMatrix, Matrix};

use super::dense::{DenseRows, Layout};
use super::sparse::{ENTRY, Offsets, SparseRows, entry_bytes};
use super::temporary::TempFile;
use crate::budget::{Account, Budget};
use crate::element::{Element, Endian};
use crate::table::{Rows, Values};
use crate::{DataError, OpenOptions};

/// Bytes of rows that are collected before they go to the file.
const PIECE: u64 = 1 << 20;

/// What may be held in memory, and for whose rows.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    budget: Budget,
}

impl Limit {
    pub(crate) fn of(path: &Path, options: &OpenOptions) -> Limit {
        let (path, budget) = (path.to_owned(), options.budget.clone());
        Limit { path, bytes: options.held_bytes(), budget }
    }

    pub(crate) fn create(&self) -> Result<TempFile, DataError> {
        TempFile::create(&self.path, &self.budget)
    }

    pub(crate) fn account(&self) -> Account {
        self.budget.account(&self.path)
    }
}

/// Dense rows of one width.
pub(crate) struct GrowingRows {
    limit: Limit,
    width: usize,
    /// The last rows; the others are in the file.
    last: Vec<f32>,
    /// All rows: they cannot be counted by their values where they have none.
    count: usize,
    /// The rows in the file.
    before: usize,
    /// For the last rows.
    account: Account,
    file: Option<TempFile>,
}

/// Rows that are complete.
pub(crate) enum Grown<M, D> {
    Memory(M),
    Disk(D),
}

impl Grown<Matrix<f32>, DenseRows> {
    pub(crate) fn into_rows(self) -> Rows {
        match self {
            Grown::Memory(matrix) => Rows::Held(Values::Floats(matrix)),
            Grown::Disk(rows) => Rows::Elsewhere(Arc::new(rows)),
        }
    }
}

impl Grown<CsrMatrix<f32>, SparseRows> {
    pub(crate) fn into_rows(self) -> Rows {
        match self {
            Grown::Memory(matrix) => Rows::Held(Values::Sparse(matrix)),
            Grown::Disk(rows) => Rows::Elsewhere(Arc::new(rows)),
        }
    }
}

impl GrowingRows {
    pub(crate) fn new(limit: Limit, width: usize) -> GrowingRows {
        let account = limit.account();
        GrowingRows { limit, width, last: Vec::new(), count: 0, before: 0, account, file: None }
    }

    pub(crate) fn rows(&self) -> usize {
        self.count
    }

    /// Changes the width, before there are rows.
    pub(crate) fn set_width(&mut self, width: usize) {
        debug_assert_eq!(self.rows(), 0, "rows have their length from the first one on");
        self.width = width;
    }

    /// Appends `more` rows of `value`. Those that were there before are complete.
    pub(crate) fn add(&mut self, more: usize, value: f32) -> Result<(), DataError> {
        let rows = self.rows().checked_add(more).filter(|rows| u32::try_from(*rows).is_ok());
        let values = more.checked_mul(self.width).filter(|_| rows.is_some());
        self.make_room(values.unwrap_or(0))?;
        let Some(values) = values else {
            let what = format!("more than {} rows of {} values", self.rows(), self.width);
            return Err(DataError::TooLarge { path: self.limit.path.clone(), what });
        };
        let most = if self.file.is_some() { PIECE.min(self.limit.bytes) } else { self.limit.bytes };
        let (rows, width) = (self.rows(), self.width);
        let what = format_args!("{more} rows of {width} values after the first {rows}");
        self.account.reserve(&mut self.last, values, most as usize / size_of::<f32>(), what)?;
        self.last.resize(self.last.len() + values, value);
        self.count += more;
        Ok(())
    }

    /// Values of one of the rows that were added last.
    pub(crate) fn cells(&mut self, row: usize, cells: std::ops::Range<usize>) -> &mut [f32] {
        let start = (row - self.before) * self.width;
        &mut self.last[start + cells.start..start + cells.end]
    }

    /// Moves the rows to the file where more are too many to be held.
    fn make_room(&mut self, more: usize) -> Result<(), DataError> {
        let bytes = (self.last.len() + more) as u64 * size_of::<f32>() as u64;
        let limit = if self.file.is_some() { PIECE.min(self.limit.bytes) } else { self.limit.bytes };
        if bytes <= limit || self.last.is_empty() {
            return Ok(());
        }
        if self.file.is_none() {
            self.file = Some(self.limit.create()?);
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<(), DataError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        self.last.iter().try_for_each(|value| file.write(&value.to_le_bytes()))?;
        self.before = self.rows();
        // Not kept: it may have the size of the limit.
        self.last = Vec::new();
        self.account.set(0, "")
    }

    /// All rows, which become rows of `values` values each before they are asked for.
    pub(crate) fn finish(mut self, values: usize) -> Result<Grown<Matrix<f32>, DenseRows>, DataError> {
        self.make_room(0)?;
        self.flush()?;
        let rows = self.rows();
        let Some(file) = self.file.take() else {
            self.account.keep();
            return Ok(Grown::Memory(Matrix::from_vec(self.last, rows, self.width)));
        };
        let file = file.finish()?;
        let (element, endian) = (Element::F32, Endian::Little);
        let layout = Layout { start: 0, rows, width: self.width, element, endian };
        let kept = self.limit.bytes / 2;
        Ok(Grown::Disk(DenseRows::becoming(values, &self.limit.path, file, layout, kept)))
    }
}

/// Sparse rows.
pub(crate) struct GrowingSparse {
    limit: Limit,
    /// How many entries stand before each row, and at last how many there are.
    offsets: Vec<u64>,
    /// The entries, until they are too many.
    columns: Vec<u32>,
    values: Vec<f32>,
    /// For the offsets, the columns and the values.
    accounts: [Account; 3],
    file: Option<TempFile>,
}

impl GrowingSparse {
    pub(crate) fn new(limit: Limit) -> GrowingSparse {
        let accounts = [(); 3].map(|()| limit.account());
        let (offsets, columns, values) = (vec![0], Vec::new(), Vec::new());
        GrowingSparse { limit, offsets, columns, values, accounts, file: None }
    }

    pub(crate) fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Appends a row, whose columns rise. Zeros are left out.
    pub(crate) fn push(&mut self, row: &[(u32, f32)]) -> Result<(), DataError> {
        let rows = self.rows();
        if rows == u32::MAX as usize {
            let what = format!("more than {rows} rows");
            return Err(DataError::TooLarge { path: self.limit.path.clone(), what });
        }
        let what = format_args!("{} entries of row {}", row.len(), rows + 1);
        let [offsets, columns, values] = &mut self.accounts;
        offsets.reserve(&mut self.offsets, 1, usize::MAX, what)?;
        let before = self.offsets[rows];
        let kept = row.iter().filter(|entry| entry.1 != 0.0);
        self.offsets.push(before + kept.clone().count() as u64);
        let most = self.limit.bytes / ENTRY as u64;
        if self.file.is_none() && self.offsets[rows + 1] <= most {
            columns.reserve(&mut self.columns, row.len(), most as usize, what)?;
            values.reserve(&mut self.values, row.len(), most as usize, what)?;
            self.columns.extend(kept.clone().map(|entry| entry.0));
            self.values.extend(kept.map(|entry| entry.1));
            return Ok(());
        }
        self.move_to_file()?;
        match &mut self.file {
            Some(file) => kept.copied().try_for_each(|(c, v)| file.write(&entry_bytes(c, v))),
            None => Ok(()),
        }
    }

    /// Moves the entries to the file, if they are not there already.
    fn move_to_file(&mut self) -> Result<(), DataError> {
        if self.file.is_some() {
            return Ok(());
        }
        let mut file = self.limit.create()?;
        let (columns, values) = (std::mem::take(&mut self.columns), std::mem::take(&mut self.values));
        columns.iter().zip(&values).try_for_each(|(&c, &v)| file.write(&entry_bytes(c, v)))?;
        self.accounts[1..].iter_mut().try_for_each(|account| account.set(0, ""))?;
        self.file = Some(file);
        Ok(())
    }

    /// All rows, of `cols` columns, the first of which the rows call `base`.
    pub(crate) fn finish(
        mut self,
        cols: usize,
        base: u32,
    ) -> Result<Grown<CsrMatrix<f32>, SparseRows>, DataError> {
        self.accounts.into_iter().for_each(Account::keep);
        if let Some(file) = self.file {
            let file = file.finish()?;
            let (offsets, kept) = (Offsets(self.offsets), self.limit.bytes / 2);
            return Ok(Grown::Disk(SparseRows::new(&self.limit.path, file, offsets, (cols, base), kept)));
        }
        // In their place: there may be no memory for another copy.
        let offsets = self.offsets.into_iter().map(|offset| offset as usize).collect();
        self.columns.iter_mut().for_each(|column| *column -= base);
        let matrix = CsrMatrix::from_parts(cols, offsets, self.columns, self.values);
        let refused = |e: lpvdn_core::csr::CsrError| DataError::Malformed {
            path: self.limit.path.clone(),
            format: "sparse",
            problem: e.to_string(),
        };
        matrix.map(Grown::Memory).map_err(refused)
    }
}

//! One pass over the data: what it contains and whether a model can use it.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::preprocess::LEVELS;
use crate::source::{Batch, RowSource, SourceError, for_each_block};

/// Rows read at a time.
const BLOCK: usize = 1024;
/// A deviation this far below the column's own size is rounding, not variation: of numbers of 32 bits, and of
/// 64 that were computed.
const ROUNDING: f64 = 1e-7;
const FINE_ROUNDING: f64 = 1e-12;
/// Where it is this far below, 32 bits leave a value fewer than a few thousand steps within it, and digits
/// beyond them count.
const FINE: f64 = 1.0 / 4096.0;

/// What one pass over the rows found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The smallest value.
    pub min: f32,
    /// The largest value.
    pub max: f32,
    /// The share of cells that are exactly zero.
    pub zeros: f64,
    /// Whether every value is a whole number.
    pub whole_numbers: bool,
    /// Whether values are bytes that were divided by 255: all in [0, 1], all whole when they are multiplied by it, and
    /// some between 0 and 1.
    #[serde(default)]
    pub byte_levels: bool,
    /// Whether all rows are equal, as far as 32 bits tell.
    pub all_rows_equal: bool,
    /// The first cell, as (row, column, value), that is infinite or not a number.
    pub non_finite: Option<(usize, usize, String)>,
    /// The mean of each column.
    pub means: Vec<f64>,
    /// The standard deviation of each column; 0 where it is only that of rounding.
    pub deviations: Vec<f64>,
    /// The columns that 32 bits say too little about, and the source says more: points in time, for example.
    /// Their means and deviations know all digits.
    pub fine: Vec<usize>,
    /// The smallest value of each column.
    #[serde(default)]
    pub column_min: Vec<f32>,
    /// The largest value of each column.
    pub column_max: Vec<f32>,
    /// The mean of the squared length of a row.
    pub mean_squared_norm: f64,
    /// A hash of shape and values: two data sets with the same fingerprint are the same.
    pub fingerprint: u64,
}

/// Per-column running sums (Welford's update would be slower and is not needed: sums of squares are
/// taken around the first row, which removes the cancellation that matters).
struct Columns {
    shift: Vec<f64>,
    sum: Vec<f64>,
    squares: Vec<f64>,
    /// The same of what 32 bits leave out, too, where a source has it.
    fine_sum: Vec<f64>,
    fine_squares: Vec<f64>,
    stored: Vec<u64>,
    min: Vec<f32>,
    max: Vec<f32>,
}

impl Columns {
    fn new(cols: usize, rounds: bool) -> Columns {
        let fine = if rounds { cols } else { 0 };
        Columns {
            fine_sum: vec![0.0; fine],
            fine_squares: vec![0.0; fine],
            shift: vec![0.0; cols],
            sum: vec![0.0; cols],
            squares: vec![0.0; cols],
            stored: vec![0; cols],
            min: vec![f32::INFINITY; cols],
            max: vec![f32::NEG_INFINITY; cols],
        }
    }

    /// The means and the standard deviations of `n` rows, and the fine columns. They take the place of the sums:
    /// there may be millions of columns.
    fn moments(&mut self, n: f64) -> (Vec<f64>, Vec<f64>, Vec<usize>) {
        let (mut means, mut deviations, mut fine) =
            (std::mem::take(&mut self.shift), std::mem::take(&mut self.squares), Vec::new());
        let moments = |shift: f64, sum: f64, squares: f64| {
            (shift + sum / n, (squares / n - (sum / n).powi(2)).max(0.0).sqrt())
        };
        for (j, (mean, deviation)) in means.iter_mut().zip(&mut deviations).enumerate() {
            let shift = *mean;
            (*mean, *deviation) = moments(shift, self.sum[j], *deviation);
            if let (Some(&sum), Some(&squares)) = (self.fine_sum.get(j), self.fine_squares.get(j))
                && *deviation < FINE * mean.abs()
            {
                let (exact, finer) = moments(shift, sum, squares);
                if finer > FINE_ROUNDING * exact.abs() {
                    (*mean, *deviation) = (exact, finer);
                    fine.push(j);
                    continue;
                }
            }
            if *deviation <= ROUNDING * mean.abs() {
                *deviation = 0.0;
            }
        }
        (means, deviations, fine)
    }
}

/// A value of a row.
#[derive(Clone, Copy)]
struct Cell {
    column: usize,
    value: f32,
    /// How far it is from the first row, as that is in 32 bits, with the digits that a gather rounds away.
    distance: f32,
}

/// Whether a value is a whole number of 255ths, but for rounding.
fn is_level(value: f32) -> bool {
    let level = LEVELS * value;
    (level - level.round()).abs() < 1e-3
}

/// What has been found so far.
struct Pass {
    sparse: bool,
    columns: Columns,
    hash: Xxh3,
    /// Of the digits that 32 bits do not hold.
    fine_hash: Xxh3,
    min: f32,
    max: f32,
    zeros: u64,
    norm: f64,
    whole_numbers: bool,
    byte_levels: bool,
    non_finite: Option<(usize, usize, String)>,
    first_row: Vec<Cell>,
    all_rows_equal: bool,
}

impl Pass {
    fn new(source: &dyn RowSource) -> Pass {
        let mut hash = Xxh3::new();
        hash.update(&(source.rows() as u64).to_le_bytes());
        hash.update(&(source.cols() as u64).to_le_bytes());
        Pass {
            sparse: source.is_sparse(),
            columns: Columns::new(source.cols(), source.rounds()),
            hash,
            fine_hash: Xxh3::new(),
            min: f32::INFINITY,
            max: f32::NEG_INFINITY,
            zeros: 0,
            norm: 0.0,
            whole_numbers: true,
            byte_levels: true,
            non_finite: None,
            first_row: Vec::new(),
            all_rows_equal: true,
        }
    }

    /// Dense rows are looked at from the first one.
    fn begin(&mut self, batch: &Batch) {
        if !self.sparse {
            let shift = &mut self.columns.shift;
            batch.for_each_in_row(0, |j, v| shift[j] = if v.is_finite() { f64::from(v) } else { 0.0 });
        }
    }

    /// Row `i` of a batch, and of the same rows as seen from the first one, where a gather rounds.
    fn read(&self, batch: &Batch, fine: Option<&Batch>, i: usize, row: &mut Vec<Cell>) {
        row.clear();
        batch.for_each_in_row(i, |column, value| {
            row.push(Cell { column, value, distance: 0.0 });
        });
        if let Some(fine) = fine {
            fine.for_each_in_row(i, |column, distance| row[column].distance = distance);
        }
    }

    fn visit(&mut self, at: usize, row: &[Cell]) {
        if at == 0 {
            self.first_row = row.to_vec();
        }
        let same = |(a, b): (&Cell, &Cell)| a.column == b.column && a.value == b.value;
        self.all_rows_equal = self.all_rows_equal
            && row.len() == self.first_row.len()
            && row.iter().zip(&self.first_row).all(same);
        self.zeros += (self.columns.sum.len() - row.len()) as u64;
        for cell in row {
            let &Cell { column: j, value: v, distance } = cell;
            // Position and value: a sparse row's hash must know where its values stand.
            if self.sparse {
                self.hash.update(&(j as u32).to_le_bytes());
            }
            self.hash.update(&v.to_le_bytes());
            if !v.is_finite() {
                self.non_finite.get_or_insert((at, j, v.to_string()));
                continue;
            }
            self.min = self.min.min(v);
            self.max = self.max.max(v);
            self.zeros += u64::from(v == 0.0);
            self.whole_numbers &= v == v.trunc();
            self.byte_levels &= is_level(v);
            self.norm += f64::from(v) * f64::from(v);
            let columns = &mut self.columns;
            if let (Some(sum), Some(squares)) = (columns.fine_sum.get_mut(j), columns.fine_squares.get_mut(j))
            {
                let d = f64::from(distance);
                self.fine_hash.update(&distance.to_le_bytes());
                *sum += d;
                *squares += d * d;
            }
            let d = f64::from(v) - columns.shift[j];
            columns.sum[j] += d;
            columns.squares[j] += d * d;
            columns.stored[j] += 1;
            columns.min[j] = columns.min[j].min(v);
            columns.max[j] = columns.max[j].max(v);
        }
        if self.sparse {
            self.hash.update(&u32::MAX.to_le_bytes());
        }
    }
}

impl Summary {
    /// Reads all rows of `source` once; twice where a gather rounds values.
    pub fn of(source: &dyn RowSource) -> Result<Summary, SourceError> {
        let (rows, cols) = (source.rows(), source.cols());
        let mut pass = Pass::new(source);
        let mut fine = source.rounds().then(|| Batch::for_source(source));
        let mut row = Vec::new();
        for_each_block(source, BLOCK, |start, batch| {
            if start == 0 {
                pass.begin(batch);
            }
            if let Some(fine) = &mut fine {
                let indices: Vec<u32> = (start as u32..(start + batch.rows()) as u32).collect();
                source.gather_from(&pass.columns.shift, &indices, fine)?;
            }
            for i in 0..batch.rows() {
                pass.read(batch, fine.as_ref(), i, &mut row);
                pass.visit(start + i, &row);
            }
            Ok(())
        })?;
        let Pass { mut columns, mut min, mut max, .. } = pass;
        if pass.sparse && columns.stored.iter().any(|&s| s < rows as u64) {
            (min, max) = (min.min(0.0), max.max(0.0));
            columns.max.iter_mut().for_each(|m| *m = m.max(0.0));
            let unstored = columns.min.iter_mut().zip(&columns.stored).filter(|(_, s)| **s < rows as u64);
            unstored.for_each(|(m, _)| *m = m.min(0.0));
        }
        let n = rows.max(1) as f64;
        let (means, deviations, fine) = columns.moments(n);
        let mut hash = pass.hash;
        if !fine.is_empty() {
            hash.update(&pass.fine_hash.digest().to_le_bytes());
        }
        Ok(Summary {
            rows,
            cols,
            min,
            max,
            zeros: pass.zeros as f64 / (rows.max(1) * cols.max(1)) as f64,
            whole_numbers: pass.whole_numbers,
            byte_levels: pass.byte_levels && !pass.whole_numbers && min >= 0.0 && max <= 1.0,
            all_rows_equal: pass.all_rows_equal,
            non_finite: pass.non_finite,
            means,
            deviations,
            fine,
            column_min: columns.min,
            column_max: columns.max,
            mean_squared_norm: pass.norm / n,
            fingerprint: hash.digest(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsrMatrix, Matrix};

    #[test]
    fn dense_and_sparse_rows_are_summarised_alike() {
        let dense = Matrix::from_vec(vec![0.0, 2.0, 0.0, 4.0, 1.0, 0.0, 0.0, 6.0], 4, 2);
        let a = Summary::of(&dense).expect("a summary");
        let b = Summary::of(&CsrMatrix::from_dense(&dense)).expect("a summary");
        assert_eq!((a.min, a.max, a.zeros, a.whole_numbers), (0.0, 6.0, 0.5, true));
        assert_eq!(a.means, [0.25, 3.0]);
        assert!((a.deviations[1] - 5.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(Summary { fingerprint: 0, ..a }, Summary { fingerprint: 0, ..b });
    }

    #[test]
    fn numbers_that_32_bits_hold_are_summarised_alike_in_64() {
        let floats = Matrix::from_fn(3000, 3, |i, j| ((i * 37) % 101) as f32 * 0.1 - j as f32);
        let doubles = Matrix::from_fn(3000, 3, |i, j| f64::from(floats.row(i)[j]));
        let summary = |source: &dyn RowSource| Summary::of(source).expect("a summary");
        assert_eq!(summary(&floats), summary(&doubles));
        // Nor does it matter what 32 bits leave out where they say enough.
        let decimals = Matrix::from_fn(3000, 3, |i, j| f64::from(((i * 37) % 101) as u32) * 0.1 - j as f64);
        let rounded = Matrix::from_fn(3000, 3, |i, j| decimals.row(i)[j] as f32);
        assert_eq!(summary(&decimals), summary(&rounded));
    }

    #[test]
    fn the_rounding_of_computed_numbers_is_no_variation() {
        let computed = Matrix::from_fn(300, 1, |i, _| 100.0 * (1.0 + 1e-14 * ((i * 7) % 11) as f64));
        let summary = Summary::of(&computed).expect("a summary");
        assert_eq!((summary.deviations[0], summary.fine.len()), (0.0, 0));
    }

    #[test]
    fn what_32_bits_cannot_tell_apart_is_told_apart_in_64() {
        let seconds = |step: f64| Matrix::from_fn(1000, 1, |i, _| 1.7e9 + 0.25 + step * (i % 2) as f64);
        let summary = Summary::of(&seconds(1.0)).expect("a summary");
        assert_eq!((summary.all_rows_equal, summary.fine.as_slice()), (true, [0].as_slice()));
        assert!((summary.means[0] - (1.7e9 + 0.75)).abs() < 1e-6, "{}", summary.means[0]);
        assert!((summary.deviations[0] - 0.5).abs() < 1e-9, "{}", summary.deviations[0]);
        let finer = Summary::of(&seconds(0.5)).expect("a summary");
        assert_ne!(summary.fingerprint, finer.fingerprint);
        assert!(Summary::of(&seconds(0.0)).expect("a summary").fine.is_empty());
    }

    #[test]
    fn the_first_non_finite_cell_is_named() {
        let mut m = Matrix::<f32>::zeros(3000, 2);
        m.row_mut(2100)[1] = f32::NAN;
        m.row_mut(2200)[0] = f32::INFINITY;
        let s = Summary::of(&m).expect("a summary");
        assert_eq!(s.non_finite, Some((2100, 1, "NaN".into())));
    }

    #[test]
    fn the_fingerprint_follows_every_value_and_the_shape() {
        let of = |values: Vec<f32>, rows, cols| {
            Summary::of(&Matrix::from_vec(values, rows, cols)).expect("a summary").fingerprint
        };
        let base = of(vec![1.0, 2.0, 3.0, 4.0], 2, 2);
        assert_eq!(base, of(vec![1.0, 2.0, 3.0, 4.0], 2, 2));
        assert_ne!(base, of(vec![1.0, 2.0, 3.0, 4.5], 2, 2));
        assert_ne!(base, of(vec![1.0, 2.0, 3.0, 4.0], 4, 1));
    }

    #[test]
    fn equal_rows_are_noticed() {
        let same = Matrix::from_fn(5, 3, |_, j| j as f32);
        assert!(Summary::of(&same).expect("a summary").all_rows_equal);
        let other = Matrix::from_fn(5, 3, |i, j| if i == 4 { 9.0 } else { j as f32 });
        assert!(!Summary::of(&other).expect("a summary").all_rows_equal);
    }
}

//! Where rows come from: the one door between data and models.

use std::sync::Arc;

use rayon::prelude::*;

use crate::csr::CsrMatrix;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::view::ViewedRows;

/// Rows copied by one task.
const TASK_ROWS: usize = 64;

/// Rows that a model can ask for by number, in memory or elsewhere.
///
/// Values arrive as they are stored; a [`Preprocessor`](crate::Preprocessor) scales them as it gathers
/// them. A source of bytes stays bytes until then: MNIST takes 55 MB, not 220.
pub trait RowSource: Send + Sync {
    /// The number of rows.
    fn rows(&self) -> usize;
    /// The number of columns.
    fn cols(&self) -> usize;
    /// Whether [`gather`](RowSource::gather) fills sparse batches.
    fn is_sparse(&self) -> bool {
        false
    }
    /// How many values a row stores, on average: all of them, or those that are not zero.
    fn row_values(&self) -> usize {
        self.cols()
    }
    /// Whether the values are stored as bytes, as pixels are.
    fn is_bytes(&self) -> bool {
        false
    }
    /// Whether [`gather`](RowSource::gather) may round values: a number of 64 bits has digits that an `f32`
    /// has not.
    fn rounds(&self) -> bool {
        false
    }
    /// Replaces the rows of `batch` by rows `indices`, in that order. `batch` must come from
    /// [`Batch::for_source`] of this source; indices must be smaller than [`rows`](RowSource::rows).
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError>;
    /// As [`gather`](RowSource::gather), but of x − `origin`, column by column, rounded once. A point in time
    /// is a number of ten digits, of which an `f32` keeps seven; seconds since another point are exact. Only
    /// dense rows have an origin.
    fn gather_from(&self, origin: &[f64], indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        self.gather(indices, batch)?;
        if let Batch::Dense(rows) = batch {
            rows.as_mut_slice().par_chunks_mut(TASK_ROWS * origin.len().max(1)).for_each(|rows| {
                rows.chunks_exact_mut(origin.len().max(1)).for_each(|row| subtract(row, origin));
            });
        }
        Ok(())
    }
    /// These rows, if they are those of another source through a view: messages speak of the other source.
    fn viewed(&self) -> Option<&ViewedRows> {
        None
    }
    /// Bytes this source holds in memory.
    fn memory(&self) -> usize;
}

/// row ← row − origin, rounded once.
fn subtract(row: &mut [f32], origin: &[f64]) {
    row.iter_mut().zip(origin).for_each(|(v, o)| *v = (f64::from(*v) - o) as f32);
}

/// Rows could not be read.
#[derive(Debug, thiserror::Error)]
#[error("rows could not be read: {message}")]
pub struct SourceError {
    /// What went wrong, naming the place.
    pub message: String,
    /// The error underneath.
    #[source]
    pub cause: Option<std::io::Error>,
}

/// Some rows, dense or sparse.
#[derive(Clone, Debug, PartialEq)]
pub enum Batch {
    /// Dense rows.
    Dense(Matrix<f32>),
    /// Sparse rows.
    Sparse(CsrMatrix<f32>),
}

impl Batch {
    /// An empty batch of the kind that `source` fills.
    pub fn for_source(source: &dyn RowSource) -> Batch {
        if source.is_sparse() {
            Batch::Sparse(CsrMatrix::new(source.cols()))
        } else {
            Batch::Dense(Matrix::zeros(0, source.cols()))
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Batch::Dense(m) => m.rows(),
            Batch::Sparse(m) => m.rows(),
        }
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Batch::Dense(m) => m.cols(),
            Batch::Sparse(m) => m.cols(),
        }
    }

    /// The first cell, as (row, column, value), that is infinite or not a number.
    pub fn non_finite(&self) -> Option<(usize, usize, f32)> {
        self.beyond(f32::MAX)
    }

    /// The first cell, as (row, column, value), that is larger than `most` in magnitude, or not a number.
    pub fn beyond(&self, most: f32) -> Option<(usize, usize, f32)> {
        // A comparison with NaN is false.
        let within = |v: f32| v.abs() <= most;
        let values = match self {
            Batch::Dense(m) => m.as_slice(),
            Batch::Sparse(m) => m.values(),
        };
        if values.iter().all(|&v| within(v)) {
            return None;
        }
        let mut first = None;
        for i in 0..self.rows() {
            self.for_each_in_row(i, |j, v| {
                if !within(v) && first.is_none() {
                    first = Some((i, j, v));
                }
            });
        }
        first
    }

    /// Calls `each` with (column, value) for every stored value of row `i`; dense rows store all.
    pub fn for_each_in_row(&self, i: usize, mut each: impl FnMut(usize, f32)) {
        match self {
            Batch::Dense(m) => m.row(i).iter().enumerate().for_each(|(j, &v)| each(j, v)),
            Batch::Sparse(m) => {
                let (indices, values) = m.row(i);
                indices.iter().zip(values).for_each(|(&j, &v)| each(j as usize, v));
            }
        }
    }
}

/// Values of a block, as near as whole rows allow: a quarter of a megabyte, which a disk reads in one go.
const BLOCK_VALUES: usize = 1 << 16;
/// Rows of a block, at most.
const BLOCK_ROWS: usize = 1024;

/// How many successive rows of so many [values](RowSource::row_values) are read together, and stay together
/// when rows are divided among shuffles. It follows from the data alone, so that rows on a disk and rows in
/// memory come in the same order.
pub fn block_rows(values: usize) -> usize {
    (BLOCK_VALUES / values.max(1)).clamp(1, BLOCK_ROWS)
}

/// Calls `visit(first_row, batch)` for all rows of `source` in order, `block` rows at a time.
pub fn for_each_block(
    source: &dyn RowSource,
    block: usize,
    mut visit: impl FnMut(usize, &mut Batch) -> Result<(), SourceError>,
) -> Result<(), SourceError> {
    let mut batch = Batch::for_source(source);
    let mut indices = Vec::with_capacity(block);
    let mut start = 0;
    while start < source.rows() {
        let end = (start + block).min(source.rows());
        indices.clear();
        indices.extend(start as u32..end as u32);
        source.gather(&indices, &mut batch)?;
        visit(start, &mut batch)?;
        start = end;
    }
    Ok(())
}

/// A value a dense source can hold.
pub trait Stored: Copy + Default + Send + Sync + 'static {
    /// Whether this is the byte type.
    const BYTES: bool = false;
    /// Whether [`to_f32`](Stored::to_f32) may round.
    const ROUNDS: bool = false;
    /// The value as it enters a batch.
    fn to_f32(self) -> f32;
    /// x − `origin`, rounded once.
    fn minus(self, origin: f64) -> f32;
}

impl Stored for f32 {
    fn to_f32(self) -> f32 {
        self
    }
    fn minus(self, origin: f64) -> f32 {
        (f64::from(self) - origin) as f32
    }
}
impl Stored for f64 {
    const ROUNDS: bool = true;
    fn to_f32(self) -> f32 {
        self as f32
    }
    fn minus(self, origin: f64) -> f32 {
        (self - origin) as f32
    }
}
impl Stored for u8 {
    const BYTES: bool = true;
    fn to_f32(self) -> f32 {
        f32::from(self)
    }
    fn minus(self, origin: f64) -> f32 {
        (f64::from(self) - origin) as f32
    }
}

/// Fills a dense batch by `copy(row, out)` for each of the rows `indices`, several at a time.
///
/// # Panics
/// If the batch is sparse.
pub fn fill_rows(batch: &mut Batch, indices: &[u32], copy: impl Fn(u32, &mut [f32]) + Sync) {
    let Batch::Dense(out) = batch else { unreachable!("a dense source got a sparse batch") };
    out.set_rows(indices.len());
    let width = out.cols().max(1);
    let tasks = out.as_mut_slice().par_chunks_mut(TASK_ROWS * width).zip(indices.par_chunks(TASK_ROWS));
    tasks.for_each(|(out, indices)| {
        out.chunks_exact_mut(width).zip(indices).for_each(|(out, &index)| copy(index, out));
    });
}

impl<S: Stored> RowSource for Matrix<S> {
    fn rows(&self) -> usize {
        Matrix::rows(self)
    }
    fn cols(&self) -> usize {
        Matrix::cols(self)
    }
    fn is_bytes(&self) -> bool {
        S::BYTES
    }
    fn rounds(&self) -> bool {
        S::ROUNDS
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        fill_rows(batch, indices, |row, out| {
            out.iter_mut().zip(self.row(row as usize)).for_each(|(o, s)| *o = s.to_f32());
        });
        Ok(())
    }
    fn gather_from(&self, origin: &[f64], indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        fill_rows(batch, indices, |row, out| {
            let cells = self.row(row as usize).iter().zip(origin);
            out.iter_mut().zip(cells).for_each(|(out, (s, o))| *out = s.minus(*o));
        });
        Ok(())
    }
    fn memory(&self) -> usize {
        std::mem::size_of_val(self.as_slice())
    }
}

impl RowSource for CsrMatrix<f32> {
    fn rows(&self) -> usize {
        CsrMatrix::rows(self)
    }
    fn cols(&self) -> usize {
        CsrMatrix::cols(self)
    }
    fn is_sparse(&self) -> bool {
        true
    }
    fn row_values(&self) -> usize {
        self.entries() / CsrMatrix::rows(self).max(1)
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let Batch::Sparse(out) = batch else { unreachable!("a sparse source got a dense batch") };
        out.clear();
        let entries = indices.iter().map(|&index| self.row(index as usize).0.len()).sum();
        out.reserve(indices.len(), entries);
        for &index in indices {
            let (columns, values) = self.row(index as usize);
            out.push_row(columns.iter().copied().zip(values.iter().copied()));
        }
        Ok(())
    }
    fn memory(&self) -> usize {
        self.entries() * (size_of::<f32>() + size_of::<u32>()) + (self.rows() + 1) * size_of::<usize>()
    }
}

/// Some rows of another source.
pub struct Subset {
    source: Arc<dyn RowSource>,
    rows: Vec<u32>,
}

impl Subset {
    /// Rows `rows` of `source`, in that order.
    ///
    /// # Panics
    /// If `source` has no such row.
    pub fn new(source: Arc<dyn RowSource>, rows: Vec<u32>) -> Subset {
        assert!(rows.iter().all(|&row| (row as usize) < source.rows()), "a row that is not there");
        Subset { source, rows }
    }

    /// What the source calls these rows.
    fn of(&self, indices: &[u32]) -> Vec<u32> {
        indices.iter().map(|&index| self.rows[index as usize]).collect()
    }
}

impl RowSource for Subset {
    fn rows(&self) -> usize {
        self.rows.len()
    }
    fn cols(&self) -> usize {
        self.source.cols()
    }
    fn is_sparse(&self) -> bool {
        self.source.is_sparse()
    }
    fn row_values(&self) -> usize {
        self.source.row_values()
    }
    fn is_bytes(&self) -> bool {
        self.source.is_bytes()
    }
    fn rounds(&self) -> bool {
        self.source.rounds()
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        self.source.gather(&self.of(indices), batch)
    }
    fn gather_from(&self, origin: &[f64], indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        self.source.gather_from(origin, &self.of(indices), batch)
    }
    fn memory(&self) -> usize {
        self.source.memory() + size_of_val(self.rows.as_slice())
    }
}

/// Rows as the networks take them, in the engine's precision.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a, T> {
    /// Dense rows.
    Dense(&'a Matrix<T>),
    /// Sparse rows.
    Sparse(&'a CsrMatrix<T>),
}

impl<T: Real> Input<'_, T> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Input::Dense(m) => m.rows(),
            Input::Sparse(m) => m.rows(),
        }
    }
    /// The number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Input::Dense(m) => m.cols(),
            Input::Sparse(m) => m.cols(),
        }
    }
}

impl Batch {
    /// The rows as a network's input.
    pub fn input(&self) -> Input<'_, f32> {
        match self {
            Batch::Dense(m) => Input::Dense(m),
            Batch::Sparse(m) => Input::Sparse(m),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gather_gives_the_rows_asked_for_in_their_order() {
        let bytes = Matrix::from_fn(4, 3, |i, j| (10 * i + j) as u8);
        let mut batch = Batch::for_source(&bytes);
        bytes.gather(&[3, 0, 3], &mut batch).expect("rows");
        let Batch::Dense(m) = &batch else { panic!("dense") };
        assert_eq!(m.as_slice(), [30.0, 31.0, 32.0, 0.0, 1.0, 2.0, 30.0, 31.0, 32.0]);

        let floats = Matrix::from_fn(4, 3, |i, j| if j == 1 { 0.0 } else { (10 * i + j) as f32 });
        let csr = CsrMatrix::from_dense(&floats);
        let mut sparse = Batch::for_source(&csr);
        csr.gather(&[2, 1], &mut sparse).expect("rows");
        let mut dense = Matrix::zeros(0, 3);
        let Batch::Sparse(m) = &sparse else { panic!("sparse") };
        m.to_dense_into(&mut dense);
        assert_eq!(dense.as_slice(), [20.0, 0.0, 22.0, 10.0, 0.0, 12.0]);
    }

    #[test]
    fn a_subset_gives_its_rows_by_their_new_numbers() {
        let all = Arc::new(Matrix::from_fn(5, 1, |i, _| i as u8));
        let some = Subset::new(all, vec![4, 1, 3]);
        let mut batch = Batch::for_source(&some);
        some.gather(&[2, 0], &mut batch).expect("rows");
        assert_eq!(
            (some.rows(), some.is_bytes(), batch),
            (3, true, Batch::Dense(Matrix::from_vec(vec![3.0, 4.0], 2, 1)))
        );
    }

    #[test]
    fn digits_that_a_gather_rounds_away_are_seen_from_an_origin() {
        let at = |i: usize, j: usize| 1.7e9 + (i + 10 * j) as f64;
        let origin = [1.7e9, 1.7e9 - 0.5];
        let exact = Matrix::from_fn(3, 2, at);
        let mut batch = Batch::for_source(&exact);
        exact.gather(&[1, 2], &mut batch).expect("rows");
        assert_eq!(batch, Batch::Dense(Matrix::from_vec(vec![1.7e9_f32; 4], 2, 2)), "rounded");
        let some = Subset::new(Arc::new(exact), vec![0, 2]);
        some.gather_from(&origin, &[1], &mut batch).expect("rows");
        assert_eq!(batch, Batch::Dense(Matrix::from_vec(vec![2.0, 12.5], 1, 2)));
        assert!(some.rounds());
    }

    #[test]
    fn an_origin_means_the_same_for_every_type_of_number() {
        let bytes = Matrix::from_fn(200, 3, |i, j| (10 * i + j) as u8);
        let floats = Matrix::from_fn(200, 3, |i, j| f32::from(bytes.row(i)[j]));
        let doubles = Matrix::from_fn(200, 3, |i, j| f64::from(bytes.row(i)[j]));
        let origin = [0.1, 100.0, 255.7];
        let of = |source: &dyn RowSource| {
            let mut batch = Batch::for_source(source);
            source.gather_from(&origin, &[199, 3, 70], &mut batch).expect("rows");
            batch
        };
        let mut expected = Batch::for_source(&floats);
        floats.gather(&[199, 3, 70], &mut expected).expect("rows");
        let Batch::Dense(rows) = &mut expected else { panic!("dense") };
        (0..3).for_each(|i| subtract(rows.row_mut(i), &origin));
        assert_eq!(of(&bytes), expected);
        assert_eq!(of(&floats), expected);
        assert_eq!(of(&doubles), expected);
    }

    #[test]
    fn blocks_cover_all_rows_once() {
        let source = Matrix::from_fn(10, 1, |i, _| i as f32);
        let mut seen = Vec::new();
        for_each_block(&source, 4, |start, batch| {
            assert_eq!(start, seen.len());
            let Batch::Dense(m) = batch else { panic!("dense") };
            seen.extend_from_slice(m.as_slice());
            Ok(())
        })
        .expect("rows");
        assert_eq!(seen, (0..10).map(|i| i as f32).collect::<Vec<_>>());
    }
}

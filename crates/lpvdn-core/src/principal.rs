//! The leading principal components of rows, found without having all rows in memory.
//!
//! Subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4) on blocks of rows: from
//! random directions on, $Z \leftarrow \mathrm{orth}(X_c^\top X_c Z)$ turns the columns of $Z$ towards the directions of
//! largest variance, where $X_c$ are the rows less their mean. Blocks have a fixed size and are added in their order: the bits do not
//! depend on the number of threads.

use rayon::prelude::*;

use crate::eigen::Eigen;
use crate::product::{Store, product};
use crate::subspace::{orthonormalise, rotated};
use crate::{Batch, Matrix, Preprocessor, RowSource, SourceError, StreamKey};

/// Directions beyond those that are wanted, which make the wanted ones converge faster.
const EXTRA: usize = 10;
const ITERATIONS: usize = 5;
/// Rows that are multiplied together.
const BLOCK: usize = 1024;

/// x ↦ Vᵀ (x − μ), where the columns of V are the directions of largest variance.
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipalComponents {
    /// V: columns of the rows × components.
    vectors: Matrix<f32>,
    /// Vᵀ μ
    offset: Vec<f32>,
}

/// Some rows of a source, scaled, block by block.
pub struct Blocks<'a> {
    /// Where the rows are.
    pub source: &'a dyn RowSource,
    /// How they are scaled.
    pub preprocessor: &'a Preprocessor,
    /// Which of them.
    pub rows: &'a [u32],
}

impl Blocks<'_> {
    /// Calls `visit(first, rows)` for each block in order; the first of the rows counts as 0.
    ///
    /// # Errors
    /// Rows that cannot be read.
    pub fn for_each(&self, mut visit: impl FnMut(usize, &Batch)) -> Result<(), SourceError> {
        let mut batch = Batch::for_source(self.source);
        for (block, rows) in self.rows.chunks(BLOCK).enumerate() {
            self.preprocessor.gather(self.source, rows, &mut batch)?;
            visit(block * BLOCK, &batch);
        }
        Ok(())
    }

    fn means(&self) -> Result<Vec<f32>, SourceError> {
        let mut sums = vec![0.0_f64; self.source.cols()];
        self.for_each(|_, batch| {
            (0..batch.rows()).for_each(|i| batch.for_each_in_row(i, |j, x| sums[j] += f64::from(x)));
        })?;
        Ok(sums.into_iter().map(|sum| (sum / self.rows.len() as f64) as f32).collect())
    }
}

impl PrincipalComponents {
    /// The leading `wanted` components of some rows, or as many as there can be. If `stopped` says to stop, it ends early, with
    /// components that are worth nothing.
    ///
    /// # Errors
    /// Rows that cannot be read.
    pub fn fit(
        blocks: &Blocks<'_>,
        wanted: usize,
        stopped: &dyn Fn() -> bool,
    ) -> Result<PrincipalComponents, SourceError> {
        let (rows, columns) = (blocks.rows.len(), blocks.source.cols());
        let most = rows.min(columns).max(1);
        let components = wanted.min(most);
        let width = (components + EXTRA).min(most);
        let means = blocks.means()?;
        let mut stream = StreamKey::new(0, "principal-components").open();
        let mut z = Matrix::from_fn(columns, width, |_, _| stream.normal() as f32);
        let mut gram = vec![0.0; width * width];
        for pass in 0..=ITERATIONS {
            // What is left where it is stopped is worth nothing.
            if stopped() || orthonormalise(z.as_mut_slice(), width, stopped).is_err() {
                break;
            }
            let offset = offset_of(&z, &means);
            let (mut turned, last) = (Matrix::<f32>::zeros(columns, width), pass == ITERATIONS);
            blocks.for_each(|_, batch| {
                let y = projected(batch, &z, &offset);
                match last {
                    true => add_gram(&y, &mut gram),
                    false => add_back(batch, &y, &mut turned),
                }
            })?;
            if !last {
                z = turned;
            }
        }
        let columns_of_gram = gram.chunks_exact(width).map(<[f64]>::to_vec).collect();
        let eigen = Eigen::of(columns_of_gram);
        let vectors = rotated(z.as_slice(), width, &eigen.vectors[..components]);
        let vectors = Matrix::from_vec(vectors, columns, components);
        let offset = offset_of(&vectors, &means);
        Ok(PrincipalComponents { vectors, offset })
    }

    /// The map with these directions, one in each column, and what is taken off afterwards.
    ///
    /// # Panics
    /// If there is not one number to take off for each direction.
    pub fn from_parts(vectors: Matrix<f32>, offset: Vec<f32>) -> PrincipalComponents {
        assert_eq!(vectors.cols(), offset.len(), "one number for each direction");
        PrincipalComponents { vectors, offset }
    }

    /// V: columns of the rows × components.
    pub fn vectors(&self) -> &Matrix<f32> {
        &self.vectors
    }

    /// Vᵀ μ
    pub fn offset(&self) -> &[f32] {
        &self.offset
    }

    /// The number of components.
    pub fn components(&self) -> usize {
        self.vectors.cols()
    }

    /// The components of each row. A row has the same bits whichever rows stand next to it.
    pub fn of(&self, batch: &Batch) -> Matrix<f32> {
        projected(batch, &self.vectors, &self.offset)
    }
}

/// X V − 1 oᵀ
fn projected(batch: &Batch, vectors: &Matrix<f32>, offset: &[f32]) -> Matrix<f32> {
    let width = vectors.cols();
    let mut y = Matrix::zeros(batch.rows(), width);
    match batch {
        Batch::Dense(rows) => product(y.view_mut(), rows.view(), vectors.view(), Store::Replace),
        Batch::Sparse(rows) => {
            y.as_mut_slice().par_chunks_mut(width).enumerate().for_each(|(i, y)| {
                let (columns, values) = rows.row(i);
                for (&j, &x) in columns.iter().zip(values) {
                    y.iter_mut().zip(vectors.row(j as usize)).for_each(|(y, v)| *y += x * v);
                }
            });
        }
    }
    y.as_mut_slice()
        .chunks_exact_mut(width)
        .for_each(|y| y.iter_mut().zip(offset).for_each(|(y, o)| *y -= o));
    y
}

/// Vᵀ μ
fn offset_of(vectors: &Matrix<f32>, means: &[f32]) -> Vec<f32> {
    let mut offset = vec![0.0_f64; vectors.cols()];
    for (row, &mean) in vectors.iter_rows().zip(means) {
        offset.iter_mut().zip(row).for_each(|(sum, &v)| *sum += f64::from(v) * f64::from(mean));
    }
    offset.into_iter().map(|sum| sum as f32).collect()
}

/// out ← out + Xᵀ Y. The columns of Y of all rows add up to zero, so that the mean of the rows need not be taken off here.
fn add_back(batch: &Batch, y: &Matrix<f32>, out: &mut Matrix<f32>) {
    match batch {
        Batch::Dense(rows) => product(out.view_mut(), rows.view().t(), y.view(), Store::Add),
        Batch::Sparse(rows) => {
            for (i, y) in y.iter_rows().enumerate() {
                let (columns, values) = rows.row(i);
                for (&j, &x) in columns.iter().zip(values) {
                    out.row_mut(j as usize).iter_mut().zip(y).for_each(|(out, y)| *out += x * y);
                }
            }
        }
    }
}

/// gram ← gram + Yᵀ Y
fn add_gram(y: &Matrix<f32>, gram: &mut [f64]) {
    for row in y.iter_rows() {
        for (a, sums) in row.iter().zip(gram.chunks_exact_mut(row.len())) {
            sums.iter_mut().zip(row).for_each(|(sum, b)| *sum += f64::from(*a) * f64::from(*b));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsrMatrix, Pool};

    /// Rows around a mean far from zero, with deviations 9, 3, 1 along three oblique directions and .1 elsewhere.
    fn rows(count: usize) -> Matrix<f32> {
        let mut stream = StreamKey::new(3, "test").open();
        let mut rows = Matrix::zeros(count, 80);
        for i in 0..count {
            let along: Vec<f64> = [9.0, 3.0, 1.0].iter().map(|d| d * stream.normal()).collect();
            for (j, x) in rows.row_mut(i).iter_mut().enumerate() {
                let sign = |c: usize| if (j >> c) & 1 == 0 { 1.0 } else { -1.0 };
                let signal: f64 = (0..3).map(|c| along[c] * sign(c) / 80_f64.sqrt()).sum();
                *x = (5.0 + signal + 0.1 * stream.normal()) as f32;
            }
        }
        rows
    }

    fn fitted(source: &dyn RowSource, wanted: usize) -> PrincipalComponents {
        let all: Vec<u32> = (0..source.rows() as u32).collect();
        let blocks = Blocks { source, preprocessor: &Preprocessor::None, rows: &all };
        PrincipalComponents::fit(&blocks, wanted, &|| false).expect("components")
    }

    #[test]
    fn the_directions_of_largest_variance_are_found_and_the_mean_is_taken_off() {
        let rows = rows(3_000);
        let found = fitted(&rows, 5);
        let places = found.of(&Batch::Dense(rows));
        let deviation = |c: usize| {
            let mean = places.iter_rows().map(|row| f64::from(row[c])).sum::<f64>() / 3_000.0;
            assert!(mean.abs() < 1e-3, "{mean}");
            (places.iter_rows().map(|row| f64::from(row[c]).powi(2)).sum::<f64>() / 3_000.0).sqrt()
        };
        for (c, wanted) in [9.0, 3.0, 1.0, 0.1, 0.1].into_iter().enumerate() {
            let found = deviation(c);
            assert!((found / wanted - 1.0).abs() < 0.2, "component {c}: {found}, not {wanted}");
        }
    }

    #[test]
    fn dense_and_sparse_rows_and_any_number_of_threads_give_one_result() {
        let rows = rows(2_100);
        let on = |threads: usize| Pool::new(threads).expect("a pool").run(|| fitted(&rows, 4));
        let one = on(1);
        assert_eq!(one, on(2));
        assert_eq!(one, on(3));
        let sparse = fitted(&CsrMatrix::from_dense(&rows), 4);
        let (a, b) = (one.of(&Batch::Dense(rows.clone())), sparse.of(&Batch::Dense(rows)));
        let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-2;
        assert!(a.iter_rows().zip(b.iter_rows()).all(|(a, b)| a[..3].iter().zip(&b[..3]).all(near)));
    }

    #[test]
    fn there_are_no_more_components_than_rows_or_columns() {
        let few = Matrix::from_fn(3, 90, |i, j| (i * j) as f32);
        assert_eq!(fitted(&few, 50).components(), 3);
        let narrow = Matrix::from_fn(90, 2, |i, j| (i * (j + 1)) as f32);
        let found = fitted(&narrow, 50);
        assert!(found.of(&Batch::Dense(narrow)).as_slice().iter().all(|x| x.is_finite()));
        assert_eq!(found.components(), 2);
    }
}

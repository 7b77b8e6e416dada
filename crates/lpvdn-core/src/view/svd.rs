//! The leading right singular vectors of sparse rows, by subspace iteration.
//!
//! Starting from random directions, Z ← orth(Xᵀ X Z) turns the columns of Z towards the space of the largest singular
//! values (Halko, Martinsson and Tropp 2011, algorithm 4.4); in the end the small matrix (X Z)ᵀ (X Z) is diagonalised.
//! Every element is one sum in a fixed order, so the result does not depend on the number of threads. Crates for it
//! (`faer`, `nalgebra-lapack`, `sprs`) either have no truncated form for sparse rows or divide sums by threads.

use rayon::prelude::*;

use super::watch::{Watch, go_on};
use crate::csr::CsrMatrix;
use crate::eigen::Eigen;
use crate::stream::StreamKey;
use crate::subspace::{Stopped, orthonormalise, rotated};

/// Directions beyond those that are wanted, which make the wanted ones converge faster.
const EXTRA: usize = 10;
/// Iterations. Those of texts converge slowly, but what is left after these hardly turns the space.
const ITERATIONS: usize = 7;
/// Rows of one sum of (X Z)ᵀ (X Z).
const CHUNK: usize = 1024;
/// More multiply-adds than this take more than a moment.
const MOMENT: f64 = 2e9;

pub(super) struct TruncatedSvd {
    /// Columns of X × components.
    pub(super) vectors: Vec<f32>,
    pub(super) components: usize,
    /// The share of ‖X‖² that they keep.
    pub(super) explained: f64,
}

/// The leading `wanted` right singular vectors, or as many as there are.
pub(super) fn truncated_svd(
    rows: &CsrMatrix<f32>,
    wanted: usize,
    watch: &mut dyn Watch,
) -> Result<TruncatedSvd, Stopped> {
    let most = rows.rows().min(rows.cols());
    let components = wanted.min(most).max(1);
    let width = (components + EXTRA).min(most).max(1);
    if work(rows, width) > MOMENT {
        watch.working(&format!(
            "computing {} components of {} terms",
            grouped(components),
            grouped(rows.cols())
        ));
    }
    let mut stream = StreamKey::new(0, "truncated-svd").open();
    let mut z: Vec<f32> = (0..rows.cols() * width).map(|_| stream.normal() as f32).collect();
    let columns = Columns::of(rows);
    orthonormalise(&mut z, width, &|| watch.stopped())?;
    for _ in 0..ITERATIONS {
        go_on(watch)?;
        let y = times(rows, &z, width);
        go_on(watch)?;
        z = columns.times(&y, width);
        orthonormalise(&mut z, width, &|| watch.stopped())?;
    }
    let y = times(rows, &z, width);
    go_on(watch)?;
    let Eigen { values, vectors } = Eigen::of(gram(&y, width));
    let total: f64 = rows.values().iter().map(|x| f64::from(*x).powi(2)).sum();
    let kept: f64 = values.iter().take(components).map(|value| value.max(0.0)).sum();
    Ok(TruncatedSvd {
        vectors: rotated(&z, width, &vectors[..components]),
        components,
        explained: if total > 0.0 { (kept / total).min(1.0) } else { 0.0 },
    })
}

/// Multiply-adds of all iterations, about.
fn work(rows: &CsrMatrix<f32>, width: usize) -> f64 {
    let products = 2.0 * rows.entries() as f64 * width as f64;
    let basis = 2.0 * rows.cols() as f64 * (width as f64).powi(2);
    (ITERATIONS + 1) as f64 * (products + basis)
}

/// 12345 as 12,345.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let separated = |i: usize| i > 0 && (digits.len() - i).is_multiple_of(3);
    digits.chars().enumerate().fold(String::new(), |mut text, (i, digit)| {
        if separated(i) {
            text.push(',');
        }
        text.push(digit);
        text
    })
}

/// X Z, row by row.
fn times(rows: &CsrMatrix<f32>, z: &[f32], width: usize) -> Vec<f32> {
    let mut y = vec![0.0; rows.rows() * width];
    y.par_chunks_mut(width).enumerate().for_each(|(i, y)| {
        let (columns, values) = rows.row(i);
        for (&j, &x) in columns.iter().zip(values) {
            let z = &z[j as usize * width..][..width];
            y.iter_mut().zip(z).for_each(|(y, z)| *y += x * z);
        }
    });
    y
}

/// The same matrix by columns: (row, value) of the entries of each.
struct Columns {
    starts: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl Columns {
    fn of(rows: &CsrMatrix<f32>) -> Columns {
        let mut starts = vec![0; rows.cols() + 1];
        for i in 0..rows.rows() {
            rows.row(i).0.iter().for_each(|&j| starts[j as usize + 1] += 1);
        }
        (0..rows.cols()).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); rows.entries()];
        for i in 0..rows.rows() {
            let (columns, values) = rows.row(i);
            for (&j, &x) in columns.iter().zip(values) {
                entries[next[j as usize]] = (i as u32, x);
                next[j as usize] += 1;
            }
        }
        Columns { starts, entries }
    }

    /// Xᵀ Y, column by column of X.
    fn times(&self, y: &[f32], width: usize) -> Vec<f32> {
        let mut z = vec![0.0; (self.starts.len() - 1) * width];
        z.par_chunks_mut(width).enumerate().for_each(|(j, z)| {
            for &(i, x) in &self.entries[self.starts[j]..self.starts[j + 1]] {
                let y = &y[i as usize * width..][..width];
                z.iter_mut().zip(y).for_each(|(z, y)| *z += x * y);
            }
        });
        z
    }
}

/// Yᵀ Y, by columns.
fn gram(y: &[f32], width: usize) -> Vec<Vec<f64>> {
    let parts: Vec<Vec<f64>> = y
        .par_chunks(CHUNK * width)
        .map(|rows| {
            let mut sums = vec![0.0; width * width];
            for row in rows.chunks_exact(width) {
                for (a, sums) in row.iter().zip(sums.chunks_exact_mut(width)) {
                    sums.iter_mut().zip(row).for_each(|(sum, b)| *sum += f64::from(*a) * f64::from(*b));
                }
            }
            sums
        })
        .collect();
    let mut all = vec![0.0; width * width];
    parts.iter().for_each(|part| all.iter_mut().zip(part).for_each(|(sum, x)| *sum += x));
    all.chunks_exact(width).map(<[f64]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Matrix, Pool};

    fn sparse(rows: usize, cols: usize) -> CsrMatrix<f32> {
        let mut stream = StreamKey::new(5, "svd").open();
        let dense = Matrix::from_fn(rows, cols, |i, j| {
            let topic = if i % 4 == j % 4 { 3.0 } else { 0.3 };
            if stream.uniform() < 0.2 { (topic * stream.uniform()) as f32 } else { 0.0 }
        });
        CsrMatrix::from_dense(&dense)
    }

    fn svd(rows: &CsrMatrix<f32>, wanted: usize) -> TruncatedSvd {
        truncated_svd(rows, wanted, &mut ()).expect("nobody stops it")
    }

    /// Stops the work when it is asked for the so many-th time.
    #[derive(Default)]
    struct Impatient {
        asked: std::cell::Cell<usize>,
        patience: usize,
        told: Vec<String>,
    }

    impl Watch for Impatient {
        fn working(&mut self, what: &str) {
            self.told.push(what.to_owned());
        }

        fn stopped(&self) -> bool {
            self.asked.set(self.asked.get() + 1);
            self.asked.get() > self.patience
        }
    }

    #[test]
    fn it_stops_within_an_iteration_when_it_is_not_wanted_any_more() {
        let rows = sparse(300, 60);
        for patience in [0, 5, 20, 30, 100] {
            let mut watch = Impatient { patience, ..Impatient::default() };
            assert_eq!(truncated_svd(&rows, 8, &mut watch).err(), Some(Stopped), "{patience}");
            assert_eq!(watch.asked.get(), patience + 1, "nothing is done after it");
        }
    }

    #[test]
    fn many_terms_are_told_of_and_few_are_not() {
        let mut wide = CsrMatrix::new(20_000);
        (0..200_u32).for_each(|i| wide.push_row((0..100).map(|j| (i * 97 + j * 5, 1.0))));
        for (rows, wanted, expected) in
            [(&wide, 100, &["computing 100 components of 20,000 terms"][..]), (&sparse(300, 60), 8, &[])]
        {
            let mut watch = Impatient::default();
            assert!(truncated_svd(rows, wanted, &mut watch).is_err());
            assert_eq!(watch.told, expected);
        }
    }

    /// All eigenvalues of Xᵀ X, from the dense matrix.
    fn eigenvalues(rows: &CsrMatrix<f32>) -> Vec<f64> {
        let mut dense = Matrix::zeros(0, rows.cols());
        rows.to_dense_into(&mut dense);
        Eigen::of(gram(dense.as_slice(), rows.cols())).values
    }

    #[test]
    fn the_vectors_are_orthonormal_and_keep_what_the_largest_singular_values_keep() {
        let rows = sparse(300, 60);
        let found = svd(&rows, 8);
        assert_eq!((found.components, found.vectors.len()), (8, 480));
        for a in 0..8 {
            for b in 0..8 {
                let column = |c: usize| found.vectors.iter().skip(c).step_by(8).map(|x| f64::from(*x));
                let product: f64 = column(a).zip(column(b)).map(|(x, y)| x * y).sum();
                assert!((product - f64::from(u8::from(a == b))).abs() < 1e-5, "{a} {b} {product}");
            }
        }
        let values = eigenvalues(&rows);
        let best = values[..8].iter().sum::<f64>() / values.iter().sum::<f64>();
        assert!(
            found.explained <= best + 1e-5 && found.explained > best - 2e-3,
            "{} of {best}",
            found.explained
        );
        // The four topics stand out, and are found to all digits.
        let kept = |c: usize| {
            let z: Vec<f32> = found.vectors.iter().skip(c).step_by(8).copied().collect();
            times(&rows, &z, 1).iter().map(|y| f64::from(*y).powi(2)).sum::<f64>()
        };
        (0..4).for_each(|c| assert!((kept(c) / values[c] - 1.0).abs() < 1e-4, "{} {}", kept(c), values[c]));
    }

    #[test]
    fn one_result_on_any_number_of_threads() {
        let rows = sparse(2500, 80);
        let on = |threads| Pool::new(threads).expect("a pool").run(|| svd(&rows, 12).vectors);
        let one = on(1);
        assert_eq!(one, on(2));
        assert_eq!(one, on(3));
    }

    #[test]
    fn rows_of_low_rank_have_few_components() {
        let mut rows = CsrMatrix::new(30);
        (0..20).for_each(|i| rows.push_row([(3, 1.0 + i as f32), (7, 2.0 + 2.0 * i as f32)]));
        let found = svd(&rows, 10);
        assert!((found.explained - 1.0).abs() < 1e-5 && found.vectors.iter().all(|x| x.is_finite()));
        let empty = svd(&CsrMatrix::from_dense(&Matrix::zeros(5, 4)), 2);
        assert_eq!(empty.explained, 0.0);
        assert!(empty.vectors.iter().all(|x| x.is_finite()));
    }
}

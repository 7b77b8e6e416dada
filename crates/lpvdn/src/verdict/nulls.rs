//! Data of the same shape without clusters: what a partition is compared with.
//!
//! 1. **Permuted columns**: each column keeps its values, and loses what it has to do with the others. (The categories of one
//!    column stay together.)
//!    A single column would stay what it is; there, numbers anywhere in its range take this place.
//! 2. **A Gaussian** with the mean and the covariance of the places: it keeps which columns go together, and has one heap.
//!
//! Neither alone would do. A long, narrow cloud is cut into the same pieces each time, which permuted columns do not show; and
//! columns of few values make clusters of their own, which a Gaussian does not show.

use lpvdn_core::eigen::Eigen;
use lpvdn_core::{Batch, CsrMatrix, Matrix, Stream, StreamKey};

use super::blocks::{Block, BlockKind};
use super::sample::Sample;
use crate::error::FitError;

/// Bytes of rows with permuted columns that are made at a time.
const BYTES: usize = 1 << 30;

/// Both nulls of a sample.
pub(super) struct Nulls<'a> {
    sample: &'a Sample,
    places: &'a Matrix<f32>,
    gaussian: Gaussian,
}

impl Nulls<'_> {
    /// Of the rows of a sample and their places.
    pub(super) fn of<'a>(sample: &'a Sample, places: &'a Matrix<f32>) -> Nulls<'a> {
        Nulls { sample, places, gaussian: Gaussian::of(places, sample.length_of(places)) }
    }

    /// The places of a data set without clusters: of the first kind (0), or of the second.
    pub(super) fn draw(
        &self,
        kind: u32,
        stream: StreamKey,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Matrix<f32>, FitError> {
        let Sample { rows, blocks, .. } = self.sample;
        match kind {
            0 if self.sample.is_one_column() => Ok(uniform(self.places, stream)),
            0 => self.sample.places(permuted(rows, blocks, stream), stopped),
            _ => Ok(self.gaussian.draw(self.places.rows(), stream)),
        }
    }

    /// How many of `count` data sets are made at a time, because each takes memory.
    pub(super) fn at_once(&self, count: u32) -> u32 {
        (BYTES / self.sample.bytes().max(1)).clamp(1, count as usize) as u32
    }
}

/// Rows of which every column, or block of columns, is permuted.
fn permuted(rows: &Batch, blocks: &[Block], stream: StreamKey) -> Batch {
    let mut stream = stream.open();
    match rows {
        Batch::Dense(rows) => Batch::Dense(permuted_dense(rows, blocks, &mut stream)),
        Batch::Sparse(rows) => Batch::Sparse(permuted_sparse(rows, blocks, &mut stream)),
    }
}

fn permuted_dense(rows: &Matrix<f32>, blocks: &[Block], stream: &mut Stream) -> Matrix<f32> {
    let mut out = rows.clone();
    let mut order: Vec<u32> = (0..rows.rows() as u32).collect();
    for Block { columns, kind } in blocks {
        if *kind == BlockKind::Together {
            stream.shuffle(&mut order);
            for (i, &from) in order.iter().enumerate() {
                out.row_mut(i)[columns.clone()].copy_from_slice(&rows.row(from as usize)[columns.clone()]);
            }
            continue;
        }
        for j in columns.clone() {
            stream.shuffle(&mut order);
            order.iter().enumerate().for_each(|(i, &from)| out.row_mut(i)[j] = rows.row(from as usize)[j]);
        }
        if *kind == BlockKind::OfLength {
            for i in 0..rows.rows() {
                to_length(&mut out.row_mut(i)[columns.clone()], length(&rows.row(i)[columns.clone()]));
            }
        }
    }
    out
}

fn permuted_sparse(rows: &CsrMatrix<f32>, blocks: &[Block], stream: &mut Stream) -> CsrMatrix<f32> {
    let mut columns: Vec<Vec<(u32, f32)>> = vec![Vec::new(); rows.cols()];
    for i in 0..rows.rows() {
        let (places, values) = rows.row(i);
        places.iter().zip(values).for_each(|(&j, &x)| columns[j as usize].push((i as u32, x)));
    }
    let mut made: Vec<Vec<(u32, f32)>> = vec![Vec::new(); rows.rows()];
    let mut order: Vec<u32> = (0..rows.rows() as u32).collect();
    for Block { columns: range, kind } in blocks {
        if *kind == BlockKind::Together {
            stream.shuffle(&mut order);
        }
        for j in range.clone() {
            let entries = &columns[j];
            if *kind != BlockKind::Together {
                begin_shuffle(&mut order, entries.len(), stream);
            }
            for (at, &(i, x)) in entries.iter().enumerate() {
                let to = if *kind == BlockKind::Together { order[i as usize] } else { order[at] };
                made[to as usize].push((j as u32, x));
            }
        }
    }
    let mut out = CsrMatrix::new(rows.cols());
    // Columns came in their order, so that those of every row rise.
    made.into_iter().for_each(|row| out.push_row(row));
    out
}

/// Draws the first `count` items without replacement: as many draws as a column has entries, not as it has rows.
fn begin_shuffle(items: &mut [u32], count: usize, stream: &mut Stream) {
    for i in 0..count.min(items.len()) {
        let j = i + stream.below((items.len() - i) as u64) as usize;
        items.swap(i, j);
    }
}

/// Places anywhere in the ranges of some places: in the stead of permuted columns where there is a single one.
fn uniform(places: &Matrix<f32>, stream: StreamKey) -> Matrix<f32> {
    let mut stream = stream.open();
    let (mut least, mut most) = (places.row(0).to_vec(), places.row(0).to_vec());
    for row in places.iter_rows() {
        least.iter_mut().zip(row).for_each(|(l, x)| *l = l.min(*x));
        most.iter_mut().zip(row).for_each(|(m, x)| *m = m.max(*x));
    }
    Matrix::from_fn(places.rows(), places.cols(), |_, j| {
        (f64::from(least[j]) + stream.uniform() * (f64::from(most[j]) - f64::from(least[j]))) as f32
    })
}

/// A Gaussian distribution.
struct Gaussian {
    mean: Vec<f64>,
    /// Directions, each as long as the deviation along it.
    axes: Vec<Vec<f64>>,
    /// That of all rows, where they are compared by their angle.
    length: Option<f64>,
}

impl Gaussian {
    /// With the mean and the covariance of some places.
    fn of(places: &Matrix<f32>, length: Option<f64>) -> Gaussian {
        let (n, d) = (places.rows().max(1) as f64, places.cols());
        let mut mean = vec![0.0; d];
        places.iter_rows().for_each(|row| mean.iter_mut().zip(row).for_each(|(m, x)| *m += f64::from(*x)));
        mean.iter_mut().for_each(|m| *m /= n);
        let mut covariance = vec![vec![0.0; d]; d];
        let mut centred = vec![0.0; d];
        for row in places.iter_rows() {
            centred.iter_mut().zip(row).zip(&mean).for_each(|((c, x), m)| *c = f64::from(*x) - m);
            for (column, &left) in covariance.iter_mut().zip(&centred) {
                column.iter_mut().zip(&centred).for_each(|(cell, right)| *cell += left * right / n);
            }
        }
        let Eigen { values, vectors } = Eigen::of(covariance);
        let axis = |(value, vector): (f64, Vec<f64>)| {
            let deviation = value.max(0.0).sqrt();
            vector.into_iter().map(|x| x * deviation).collect()
        };
        Gaussian { mean, axes: values.into_iter().zip(vectors).map(axis).collect(), length }
    }

    /// So many places.
    fn draw(&self, rows: usize, stream: StreamKey) -> Matrix<f32> {
        let mut stream = stream.open();
        let mut out = Matrix::zeros(rows, self.mean.len());
        let mut place = vec![0.0; self.mean.len()];
        for i in 0..rows {
            place.copy_from_slice(&self.mean);
            for axis in &self.axes {
                let draw = stream.normal();
                place.iter_mut().zip(axis).for_each(|(p, a)| *p += draw * a);
            }
            out.row_mut(i).iter_mut().zip(&place).for_each(|(o, p)| *o = *p as f32);
            if let Some(length) = self.length {
                to_length(out.row_mut(i), length);
            }
        }
        out
    }
}

fn length(row: &[f32]) -> f64 {
    row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt()
}

fn to_length(row: &mut [f32], wanted: f64) {
    let found = length(row);
    if found > 0.0 {
        row.iter_mut().for_each(|x| *x = (f64::from(*x) * wanted / found) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(step: u64) -> StreamKey {
        StreamKey::new(3, "tests of nulls").at(0, 0, step)
    }

    fn block(columns: std::ops::Range<usize>, kind: BlockKind) -> Block {
        Block { columns, kind }
    }

    fn sorted(rows: &Matrix<f32>, j: usize) -> Vec<f32> {
        let mut column: Vec<f32> = rows.iter_rows().map(|row| row[j]).collect();
        column.sort_by(f32::total_cmp);
        column
    }

    #[test]
    fn permuted_columns_keep_their_values_and_lose_each_other() {
        // The second column follows from the first, the last two are one column of categories.
        let rows = Matrix::from_fn(200, 4, |i, j| match j {
            0 => i as f32,
            1 => 2.0 * i as f32,
            2 => (i % 2) as f32,
            _ => 1.0 - (i % 2) as f32,
        });
        let blocks = [block(0..2, BlockKind::Each), block(2..4, BlockKind::Together)];
        let dense = permuted(&Batch::Dense(rows.clone()), &blocks, key(1));
        let sparse = permuted(&Batch::Sparse(CsrMatrix::from_dense(&rows)), &blocks, key(1));
        let mut of_sparse = Matrix::zeros(0, 4);
        let Batch::Sparse(sparse) = sparse else { panic!("sparse rows stay sparse") };
        sparse.to_dense_into(&mut of_sparse);
        let Batch::Dense(dense) = dense else { panic!("dense rows stay dense") };
        for out in [dense, of_sparse] {
            assert!((0..4).all(|j| sorted(&out, j) == sorted(&rows, j)));
            assert!(out.iter_rows().filter(|row| row[1] == 2.0 * row[0]).count() < 10);
            assert!(out.iter_rows().all(|row| row[2] + row[3] == 1.0), "categories stay together");
        }
    }

    #[test]
    fn vectors_keep_their_length() {
        let rows = Matrix::from_fn(50, 3, |i, j| ((i * 7 + j * 5) % 11) as f32 - 4.5);
        let blocks = [block(0..3, BlockKind::OfLength)];
        let Batch::Dense(out) = permuted(&Batch::Dense(rows.clone()), &blocks, key(2)) else { panic!() };
        for (row, before) in out.iter_rows().zip(rows.iter_rows()) {
            assert!((length(row) - length(before)).abs() < 1e-5);
        }
        assert_ne!(out, rows);
    }

    #[test]
    fn a_gaussian_has_the_mean_and_the_covariance_of_the_places() {
        let mut stream = key(3).open();
        let places = Matrix::from_fn(4_000, 2, |_, _| stream.normal() as f32);
        let places = Matrix::from_fn(4_000, 2, |i, j| match j {
            0 => 3.0 + 2.0 * places.row(i)[0],
            _ => places.row(i)[0] + 0.5 * places.row(i)[1],
        });
        let drawn = Gaussian::of(&places, None).draw(40_000, key(4));
        let moments = |rows: &Matrix<f32>| {
            let n = rows.rows() as f64;
            let mean = |j: usize| rows.iter_rows().map(|row| f64::from(row[j])).sum::<f64>() / n;
            let (a, b) = (mean(0), mean(1));
            let both = |row: &[f32]| (f64::from(row[0]) - a) * (f64::from(row[1]) - b);
            let first = |row: &[f32]| (f64::from(row[0]) - a).powi(2);
            [a, b, rows.iter_rows().map(both).sum::<f64>() / n, rows.iter_rows().map(first).sum::<f64>() / n]
        };
        for (found, wanted) in moments(&drawn).iter().zip(moments(&places)) {
            assert!((found - wanted).abs() < 0.1, "{found} for {wanted}");
        }
        let round = Gaussian::of(&places, Some(2.0)).draw(10, key(5));
        assert!(round.iter_rows().all(|row| (length(row) - 2.0).abs() < 1e-5));
    }
}

//! Lloyd's iterations, without the work that cannot change anything.
//!
//! Rows whose bounds ([`super::bounds`]) show that they keep their cluster are not read, and the sums
//! behind the means are kept up to date: only rows that change their cluster are subtracted and
//! added. Late iterations touch few rows. The labels are exactly those of the plain algorithm.

use lpvdn_core::Matrix;
use rayon::prelude::*;

use super::bounds::{Bounds, Move, NONE, WIDE};
use crate::input::CHUNK;
use crate::rows::PointRows;

/// What one iteration did.
pub(super) struct Step {
    /// How many rows changed their cluster.
    pub(super) moved_rows: usize,
    /// The sum over the centres of their squared moves.
    pub(super) squared_shift: f64,
}

/// The state between iterations.
pub(super) struct Lloyd<'a, R> {
    data: &'a R,
    centers: Matrix<f32>,
    labels: Vec<u32>,
    upper: Vec<f32>,
    lower: Vec<f32>,
    /// How far each centre moved in the last iteration.
    drift: Vec<f32>,
    sums: Matrix<f64>,
    counts: Vec<u64>,
}

impl<'a, R: PointRows> Lloyd<'a, R> {
    pub(super) fn new(data: &'a R, centers: Matrix<f32>) -> Lloyd<'a, R> {
        let (rows, k) = (data.rows(), centers.rows());
        Lloyd {
            data,
            labels: vec![NONE; rows],
            upper: vec![f32::INFINITY; rows],
            lower: vec![0.0; rows],
            drift: vec![0.0; k],
            sums: Matrix::zeros(k, data.cols()),
            counts: vec![0; k],
            centers,
        }
    }

    pub(super) fn into_centers(self) -> Matrix<f32> {
        self.centers
    }

    /// One iteration: assigns the rows, then moves the centres.
    pub(super) fn step(&mut self) -> Step {
        let moves = self.assign();
        self.apply(&moves);
        let relocated = self.fill_empty_clusters();
        Step { moved_rows: moves.len() + relocated, squared_shift: self.move_centers() }
    }

    fn assign(&mut self) -> Vec<Move> {
        let bounds = Bounds::new(self.data, &self.centers, &self.drift);
        let moves: Vec<Vec<Move>> = (self.labels.par_chunks_mut(CHUNK))
            .zip(self.upper.par_chunks_mut(CHUNK))
            .zip(self.lower.par_chunks_mut(CHUNK))
            .enumerate()
            .map(|(c, ((labels, upper), lower))| bounds.assign_chunk(c * CHUNK, labels, upper, lower))
            .collect();
        moves.into_iter().flatten().collect()
    }

    /// Takes moved rows out of the sums of their old clusters and adds them to those of the new
    /// ones. Each sum is built in the order of the rows.
    fn apply(&mut self, moves: &[Move]) {
        let mut terms = vec![Vec::new(); self.counts.len()];
        for m in moves {
            if m.from != NONE {
                terms[m.from as usize].push((m.row, -1.0));
                self.counts[m.from as usize] -= 1;
            }
            terms[m.to as usize].push((m.row, 1.0));
            self.counts[m.to as usize] += 1;
        }
        let (data, cols, stripe) = (self.data, self.data.cols(), self.data.stripe());
        self.sums.as_mut_slice().par_chunks_mut(cols).zip(terms).for_each(|(sums, terms)| {
            sums.par_chunks_mut(stripe).enumerate().for_each(|(s, sums)| {
                for &(row, sign) in &terms {
                    data.add_to(row as usize, sign, s * stripe..s * stripe + sums.len(), sums);
                }
            });
        });
    }

    /// Gives each empty cluster the row that is farthest from its centre, and returns how many rows
    /// that moved. A row that lies on its centre or is alone in its cluster stays.
    fn fill_empty_clusters(&mut self) -> usize {
        let empty: Vec<u32> = (0..).zip(&self.counts).filter(|(_, n)| **n == 0).map(|(k, _)| k).collect();
        if empty.is_empty() {
            return 0;
        }
        let mut far: Vec<(f64, u32)> = (0..self.data.rows())
            .into_par_iter()
            .map_init(
                || vec![0.0; self.data.cols()],
                |row, i| (self.squared_distance_to_own(row, i), i as u32),
            )
            .filter(|(d, _)| *d > 0.0)
            .collect();
        far.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut left = self.counts.clone();
        let mut moves = Vec::new();
        for (_, row) in far {
            let from = self.labels[row as usize];
            if moves.len() < empty.len() && left[from as usize] > 1 {
                left[from as usize] -= 1;
                moves.push(Move { row, from, to: empty[moves.len()] });
            }
        }
        for m in &moves {
            let i = m.row as usize;
            (self.labels[i], self.upper[i], self.lower[i]) = (m.to, f32::INFINITY, 0.0);
        }
        self.apply(&moves);
        moves.len()
    }

    fn squared_distance_to_own(&self, row: &mut [f32], i: usize) -> f64 {
        let center = self.centers.row(self.labels[i] as usize);
        self.data.copy_row(i, row);
        row.iter().zip(center).map(|(x, c)| f64::from(x - c).powi(2)).sum()
    }

    /// Moves each centre to the mean of its rows; that of an empty cluster stays.
    fn move_centers(&mut self) -> f64 {
        let mut squared_shift = 0.0;
        for (k, &count) in self.counts.iter().enumerate() {
            let mut squares = 0.0;
            if count > 0 {
                for (c, sum) in self.centers.row_mut(k).iter_mut().zip(self.sums.row(k)) {
                    let mean = (sum / count as f64) as f32;
                    squares += (f64::from(mean) - f64::from(*c)).powi(2);
                    *c = mean;
                }
            }
            self.drift[k] = squares.sqrt() as f32 * (1.0 + WIDE);
            squared_shift += squares;
        }
        squared_shift
    }
}

#[cfg(test)]
mod tests {
    use super::super::algorithm::assign;
    use super::*;
    use lpvdn_core::StreamKey;

    /// Blobs around `k` corners with one column that tells nothing.
    fn blobs(rows: usize, cols: usize, k: usize) -> Matrix<f32> {
        let mut s = StreamKey::new(3, "blobs").open();
        Matrix::from_fn(rows, cols, |i, j| ((i % k) * (j % 3)) as f32 * 0.7 + s.normal() as f32)
    }

    #[test]
    fn rows_that_are_skipped_would_have_kept_their_label() {
        let data = blobs(3000, 20, 12);
        let first = Matrix::from_fn(12, 20, |k, j| data.row(k * 7)[j]);
        let mut lloyd = Lloyd::new(&data, first);
        let mut skipped = 0;
        for _ in 0..25 {
            let before = lloyd.centers.clone();
            let bounds = lloyd.upper.clone();
            lloyd.step();
            assert_eq!(lloyd.labels, assign(&data, &before).labels);
            // A row that was read has fresh bounds; one that was not has the old ones, drifted.
            skipped += bounds.iter().zip(&lloyd.upper).filter(|(b, u)| *u >= *b).count();
        }
        assert!(skipped > 10_000, "only {skipped} rows were skipped: the bounds do nothing");
    }

    #[test]
    fn sums_kept_up_by_moves_equal_sums_over_the_labels() {
        let data = blobs(2000, 150, 5);
        let first = Matrix::from_fn(5, 150, |k, j| data.row(k)[j]);
        let mut lloyd = Lloyd::new(&data, first);
        for _ in 0..8 {
            lloyd.step();
        }
        for k in 0..5 {
            let mut sum = vec![0.0; 150];
            let own = (0..2000).filter(|&i| lloyd.labels[i] == k as u32);
            own.for_each(|i| sum.iter_mut().zip(data.row(i)).for_each(|(s, &x)| *s += f64::from(x)));
            assert!(sum.iter().zip(lloyd.sums.row(k)).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }

    #[test]
    fn an_empty_cluster_takes_the_row_farthest_from_its_centre() {
        let data = Matrix::from_vec(vec![0.0, 1.0, 2.0, 9.0], 4, 1);
        // The centre at −100 attracts nothing.
        let mut lloyd = Lloyd::new(&data, Matrix::from_vec(vec![1.0, -100.0], 2, 1));
        lloyd.step();
        assert_eq!(lloyd.labels, [0, 0, 0, 1]);
        assert_eq!(lloyd.centers.as_slice(), [1.0, 9.0]);
    }

    #[test]
    fn a_row_alone_in_its_cluster_is_not_taken_away_from_it() {
        let data = Matrix::from_vec(vec![0.0, 10.0, 11.0], 3, 1);
        let mut lloyd = Lloyd::new(&data, Matrix::from_vec(vec![-5.0, 10.4, 1000.0], 3, 1));
        lloyd.step();
        assert_eq!(lloyd.labels, [0, 1, 2]);
    }

    #[test]
    fn a_cluster_that_nothing_can_fill_stays_empty_and_its_centre_stays_put() {
        let data = Matrix::from_vec(vec![4.0; 3], 3, 1);
        let mut lloyd = Lloyd::new(&data, Matrix::from_vec(vec![4.0, 8.0], 2, 1));
        lloyd.step();
        assert_eq!(lloyd.step().moved_rows, 0);
        assert_eq!(lloyd.centers.as_slice(), [4.0, 8.0]);
    }
}

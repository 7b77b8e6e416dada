//! Greedy k-means++ (Arthur & Vassilvitskii 2007): each new centre is the best of a few rows drawn
//! with probability proportional to the squared distance to the centres already chosen.
//!
//! $$P(i) = \frac{D(x_i)^2}{\sum_l D(x_l)^2}, \qquad D(x) = \min_c \|x - c\|$$
//!
//! Best is the row that leaves the smallest $\sum_l D(x_l)^2$; of 2 + ln k rows, as in scikit-learn.

use lpvdn_core::{Matrix, Stream};
use rayon::prelude::*;

use crate::distance::Points;
use crate::input::CHUNK;
use crate::rows::PointRows;

/// The squared distance of each row to its nearest chosen centre.
struct Closest {
    distances: Vec<f32>,
    /// The sums of the chunks of [`CHUNK`] rows, and over all of them.
    chunk_sums: Vec<f64>,
    total: f64,
}

/// Chooses `k` rows of `data` as centres. When the rows have fewer than `k` distinct values, every
/// value is chosen and the centres left over repeat the first.
pub(super) fn plus_plus(data: &impl PointRows, k: usize, stream: &mut Stream) -> Matrix<f32> {
    let trials = 2 + (k as f64).ln() as usize;
    let first = stream.below(data.rows() as u64) as u32;
    let mut chosen = vec![first];
    let mut closest = Closest::everything_far(data.rows());
    closest.try_centers(data, &[first]);
    while chosen.len() < k {
        if closest.total <= 0.0 {
            chosen.push(first);
            continue;
        }
        let candidates: Vec<u32> = (0..trials).map(|_| closest.draw(stream.uniform())).collect();
        chosen.push(candidates[closest.try_centers(data, &candidates)]);
    }
    let mut centers = Matrix::zeros(k, data.cols());
    for (c, &i) in chosen.iter().enumerate() {
        data.copy_row(i as usize, centers.row_mut(c));
    }
    centers
}

impl Closest {
    fn everything_far(rows: usize) -> Closest {
        Closest { distances: vec![f32::INFINITY; rows], chunk_sums: Vec::new(), total: f64::INFINITY }
    }

    /// Adds the best of the candidate rows to the centres and returns its place among them.
    fn try_centers(&mut self, data: &impl PointRows, candidates: &[u32]) -> usize {
        let mut rows = Matrix::zeros(candidates.len(), data.cols());
        candidates.iter().enumerate().for_each(|(c, &i)| data.copy_row(i as usize, rows.row_mut(c)));
        let points = Points::of(&rows);
        // For each chunk, the distances with each candidate added, and their sums.
        let tried: Vec<(Vec<f32>, Vec<f64>)> = self
            .distances
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(c, closest)| try_chunk(data, c * CHUNK, closest, &points))
            .collect();
        let total = |t: usize| tried.iter().map(|(_, sums)| sums[t]).sum::<f64>();
        let totals: Vec<f64> = (0..candidates.len()).map(total).collect();
        let best = (1..totals.len()).fold(0, |best, t| if totals[t] < totals[best] { t } else { best });
        self.distances.par_chunks_mut(CHUNK).zip(&tried).for_each(|(closest, (distances, _))| {
            let rows = distances.chunks_exact(points.stride());
            closest.iter_mut().zip(rows).for_each(|(closest, row)| *closest = row[best]);
        });
        self.chunk_sums = tried.iter().map(|(_, sums)| sums[best]).collect();
        self.total = totals[best];
        best
    }

    /// The row where the running sum of the distances passes `uniform` · total. Rounding may leave
    /// that point behind the end: then the last row, but never one at distance 0.
    fn draw(&self, uniform: f64) -> u32 {
        let target = uniform * self.total;
        let (mut start, mut before, mut passed) = (0, 0.0, 0.0);
        for (c, &sum) in self.chunk_sums.iter().enumerate().filter(|(_, sum)| **sum > 0.0) {
            (start, before) = (c * CHUNK, passed);
            passed += sum;
            if passed > target {
                break;
            }
        }
        let (mut drawn, mut running) = (start, 0.0);
        for (i, &d) in self.distances[start..].iter().take(CHUNK).enumerate().filter(|(_, d)| **d > 0.0) {
            drawn = start + i;
            running += f64::from(d);
            if before + running > target {
                break;
            }
        }
        drawn as u32
    }
}

fn try_chunk(data: &impl PointRows, start: usize, closest: &[f32], points: &Points) -> (Vec<f32>, Vec<f64>) {
    let indices: Vec<u32> = (start as u32..(start + closest.len()) as u32).collect();
    let mut distances = Vec::new();
    data.distances_to(points, &indices, &mut distances);
    let mut sums = vec![0.0; points.len()];
    for (row, &closest) in distances.chunks_exact_mut(points.stride()).zip(closest) {
        for (d, sum) in row.iter_mut().zip(&mut sums) {
            *d = d.min(closest);
            *sum += f64::from(*d);
        }
    }
    (distances, sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lpvdn_core::StreamKey;

    #[test]
    fn every_distinct_row_is_chosen_before_any_is_repeated() {
        let data = Matrix::from_fn(3000, 2, |i, j| ((i % 5) * (j + 1)) as f32);
        for seed in 0..20 {
            let centers = plus_plus(&data, 7, &mut StreamKey::new(seed, "k-means++").open());
            let mut values: Vec<f32> = centers.iter_rows().map(|r| r[0]).collect();
            assert_eq!(values[5..], [values[0], values[0]], "seed {seed}");
            values.truncate(5);
            values.sort_by(f32::total_cmp);
            assert_eq!(values, [0.0, 1.0, 2.0, 3.0, 4.0], "seed {seed}");
        }
    }

    #[test]
    fn rows_are_drawn_in_proportion_to_their_squared_distance() {
        let distances: Vec<f32> =
            (0..3000).map(|i| if i % 1000 == 7 { (i / 1000) as f32 } else { 0.0 }).collect();
        let chunk_sums: Vec<f64> =
            distances.chunks(CHUNK).map(|c| c.iter().map(|&d| f64::from(d)).sum()).collect();
        let closest = Closest { total: chunk_sums.iter().sum(), distances, chunk_sums };
        let mut stream = StreamKey::new(1, "draw").open();
        let mut counts = [0; 3];
        for _ in 0..3000 {
            let row = closest.draw(stream.uniform());
            assert_eq!(row % 1000, 7);
            counts[row as usize / 1000] += 1;
        }
        assert!(counts[0] == 0 && (900..1100).contains(&counts[1]), "{counts:?}");
        assert_eq!(closest.draw(1.0), 2007);
    }
}

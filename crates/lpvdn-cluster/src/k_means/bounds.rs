//! Bounds that spare most distances.
//!
//! Each row keeps an upper bound $u$ of the distance to its own centre and a lower bound $l$ of the
//! distance to every other (Hamerly 2010). When centres move by $\delta_k$, then
//!
//! $$u \leftarrow u + \delta_{own}, \qquad l \leftarrow l - \max_{k \ne own} \delta_k,$$
//!
//! and a row with $u < \max(l, s)$, where $s$ is half the distance from its centre to the nearest
//! other one, keeps its label without being read. The bounds are held wider than any rounding error.

use lpvdn_core::Matrix;

use super::algorithm::{for_each_row, nearest_two};
use crate::distance::Points;
use crate::rows::PointRows;

/// How much wider than computed the bounds are held: the rounding error of a distance is below 5e-6,
/// and each of hundreds of updates adds 6e-8.
pub(super) const WIDE: f32 = 4e-5;
/// The cluster of a row before the first iteration.
pub(super) const NONE: u32 = u32::MAX;

/// A row that changes its cluster.
pub(super) struct Move {
    pub(super) row: u32,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// What moves the bounds of the rows, and the centres that rows beyond them are compared with.
pub(super) struct Bounds<'a, R> {
    data: &'a R,
    points: Points,
    half_gap: Vec<f32>,
    drift: &'a [f32],
    other_drift: Vec<f32>,
}

impl<'a, R: PointRows> Bounds<'a, R> {
    /// The bounds after each of `centers` has moved by `drift`.
    pub(super) fn new(data: &'a R, centers: &Matrix<f32>, drift: &'a [f32]) -> Bounds<'a, R> {
        let points = Points::of(centers);
        let half_gap = half_gaps(centers, &points);
        Bounds { data, points, half_gap, drift, other_drift: largest_of_others(drift) }
    }

    /// Gives the rows from `start` on their nearest centres and returns those that moved.
    pub(super) fn assign_chunk(
        &self,
        start: usize,
        labels: &mut [u32],
        upper: &mut [f32],
        lower: &mut [f32],
    ) -> Vec<Move> {
        let mut open = Vec::new();
        for (i, &label) in labels.iter().enumerate() {
            if label != NONE {
                let own = label as usize;
                upper[i] += self.drift[own];
                lower[i] -= self.other_drift[own];
                if upper[i] < lower[i].max(self.half_gap[own]) {
                    continue;
                }
            }
            open.push((start + i) as u32);
        }
        let mut moves = Vec::new();
        for_each_row(self.data, &open, &self.points, |place, distances| {
            let i = open[place] as usize - start;
            let (to, nearest, second) = nearest_two(distances);
            (upper[i], lower[i]) = (nearest.sqrt() * (1.0 + WIDE), second.sqrt() * (1.0 - WIDE));
            if labels[i] != to {
                moves.push(Move { row: open[place], from: labels[i], to });
                labels[i] = to;
            }
        });
        moves
    }
}

/// Half the distance from each centre to the nearest other one.
fn half_gaps(centers: &Matrix<f32>, points: &Points) -> Vec<f32> {
    let indices: Vec<u32> = (0..centers.rows() as u32).collect();
    let mut gaps = vec![f32::INFINITY; centers.rows()];
    for_each_row(centers, &indices, points, |k, distances| {
        let others = distances.iter().enumerate().filter(|(other, _)| *other != k);
        let nearest = others.fold(f32::INFINITY, |nearest, (_, &d)| nearest.min(d));
        gaps[k] = 0.5 * nearest.sqrt() * (1.0 - WIDE);
    });
    gaps
}

/// For each value the largest of all others; 0 when there are none.
fn largest_of_others(values: &[f32]) -> Vec<f32> {
    let (mut place, mut largest, mut second) = (0, 0.0_f32, 0.0_f32);
    for (i, &v) in values.iter().enumerate() {
        if v > largest {
            (place, largest, second) = (i, v, largest);
        } else {
            second = second.max(v);
        }
    }
    (0..values.len()).map(|i| if i == place { second } else { largest }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_the_others_leaves_out_one_value_only() {
        assert_eq!(largest_of_others(&[1.0, 3.0, 3.0, 2.0]), [3.0, 3.0, 3.0, 3.0]);
        assert_eq!(largest_of_others(&[1.0, 5.0, 2.0]), [5.0, 2.0, 5.0]);
        assert_eq!(largest_of_others(&[5.0]), [0.0]);
    }
}

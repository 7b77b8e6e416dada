//! What stands for a partition in the model.
//!
//! A landmark is the mean of at least two rows of one cluster that lie close together, so that no row of the training is stored
//! (but for that of a cluster of one row). Every cluster has
//! landmarks in proportion to its rows. A row belongs to the cluster that most of the landmarks next to it belong to, where a landmark at
//! distance d counts $e^{-d^2/2s^2}$: `predict_proba` is each cluster's share, `predict` its largest.

use lpvdn_cluster::Neighbors;
use lpvdn_cluster::k_means::nearest_centers;
use lpvdn_core::math::exp;
use lpvdn_core::{Matrix, StreamKey};

use super::partitions::clustering;
use crate::error::FitError;
use crate::model::centers::{means_of, scale_of};

/// Landmarks that a row looks at.
const NEAREST: usize = 10;
/// Rows of a landmark at least, in the mean.
const ROWS_EACH: usize = 4;
/// Times that rows are assigned to the landmarks of their cluster, and these moved to the mean of their rows.
const ROUNDS: usize = 4;

/// Places with the cluster of each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Landmarks {
    /// M × columns of the codes.
    pub(crate) places: Matrix<f32>,
    /// The cluster of each.
    pub(crate) clusters: Vec<u32>,
    /// s
    pub(crate) scale: f32,
}

impl Landmarks {
    /// For the clusters `labels` of `points`: `most` at most, and at least one for each cluster that has rows.
    pub(crate) fn of(
        points: &Matrix<f32>,
        labels: &[u32],
        (clusters, most, seed): (usize, usize, u64),
    ) -> Result<Landmarks, FitError> {
        let mut members = vec![Vec::new(); clusters];
        labels.iter().zip(0_u32..).for_each(|(&label, row)| members[label as usize].push(row));
        let wanted = most.min(points.rows() / ROWS_EACH);
        let mut found =
            Landmarks { places: Matrix::zeros(0, points.cols()), clusters: Vec::new(), scale: 0.0 };
        let (mut places, mut inertia) = (Vec::new(), 0.0);
        for (cluster, members) in members.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
            let share = (wanted * members.len()).div_ceil(points.rows()).clamp(1, members.len());
            let stream = StreamKey::new(seed, "landmarks").at(cluster as u32, 0, 0);
            let (centers, within) = cells(&gathered(points, members), share, stream)?;
            found.clusters.extend(std::iter::repeat_n(cluster as u32, centers.rows()));
            places.extend_from_slice(centers.as_slice());
            inertia += within;
        }
        found.places = Matrix::from_vec(places, found.clusters.len(), points.cols());
        found.scale = scale_of(inertia, points.rows(), points.cols());
        Ok(found)
    }

    /// One landmark for each cluster: its centre.
    pub(super) fn of_centers(centers: Matrix<f32>, inertia: f64, rows: usize) -> Landmarks {
        let scale = scale_of(inertia, rows, centers.cols());
        Landmarks { clusters: (0..centers.rows() as u32).collect(), scale, places: centers }
    }

    /// The cluster with the largest share for each point; the lowest of equals.
    pub(crate) fn labels(&self, points: &Matrix<f32>, clusters: usize) -> Vec<u32> {
        let largest =
            |row: &[f32]| (1..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best });
        self.shares(points, clusters).iter_rows().map(|row| largest(row) as u32).collect()
    }

    /// The share of each cluster in what the landmarks next to each point count.
    pub(crate) fn shares(&self, points: &Matrix<f32>, clusters: usize) -> Matrix<f32> {
        let mut all = Matrix::zeros(points.rows(), clusters);
        let nearest = NEAREST.min(self.clusters.len());
        // Codes of a model are numbers that can be compared; of others nothing is known.
        let Ok(found) = Neighbors::of(points, &self.places, nearest) else {
            all.fill(1.0 / clusters as f32);
            return all;
        };
        let factor = -0.5 / f64::from(self.scale).powi(2);
        let squares = |i: usize| found.distances.row(i).iter().map(|d| f64::from(*d).powi(2));
        for i in 0..points.rows() {
            let first = squares(i).next().unwrap_or(0.0);
            let mut sums = vec![0.0_f64; clusters];
            for (square, &landmark) in squares(i).zip(found.indices.row(i)) {
                sums[self.clusters[landmark as usize] as usize] += exp(factor * (square - first));
            }
            let total: f64 = sums.iter().sum();
            all.row_mut(i).iter_mut().zip(sums).for_each(|(out, sum)| *out = (sum / total) as f32);
        }
        all
    }
}

/// Some of the rows.
pub(crate) fn gathered(points: &Matrix<f32>, members: &[u32]) -> Matrix<f32> {
    let mut rows = Matrix::zeros(members.len(), points.cols());
    members
        .iter()
        .enumerate()
        .for_each(|(i, &row)| rows.row_mut(i).copy_from_slice(points.row(row as usize)));
    rows
}

/// The means of about `wanted` cells of rows that lie close together, and the sum of the squared distances of the rows to theirs.
fn cells(rows: &Matrix<f32>, wanted: usize, stream: StreamKey) -> Result<(Matrix<f32>, f64), FitError> {
    let mut order: Vec<u32> = (0..rows.rows() as u32).collect();
    stream.open().shuffle(&mut order);
    let mut centers = gathered(rows, &order[..wanted]);
    for _ in 0..ROUNDS {
        let found = nearest_centers(rows, &centers).map_err(clustering)?;
        let means = means_of(rows, &found.labels, centers.rows());
        let mut sizes = vec![0_usize; centers.rows()];
        found.labels.iter().for_each(|&cell| sizes[cell as usize] += 1);
        // The mean of a single row would be that row.
        let kept: Vec<u32> = (0..sizes.len() as u32).filter(|&cell| sizes[cell as usize] > 1).collect();
        centers = match kept.is_empty() {
            true => means_of(rows, &vec![0; rows.rows()], 1),
            false => gathered(&means, &kept),
        };
    }
    let inertia = nearest_centers(rows, &centers).map_err(clustering)?.inertia();
    Ok((centers, inertia))
}

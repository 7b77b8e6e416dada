//! Assignment to the nearest centre, and the choice between starts.

use lpvdn_core::{Matrix, StreamKey};
use rayon::prelude::*;

use super::errors::{KMeansError, KMeansParamsError};
use super::hyperparams::{KMeansValidParams, Start};
use super::lloyd::Lloyd;
use super::{KMeans, init};
use crate::InputError;
use crate::distance::Points;
use crate::input::{self, CHUNK};
use crate::rows::PointRows;

/// Rows whose distances are computed together: they stay in cache while they are read again.
pub(super) const BLOCK: usize = 64;

/// The nearest centre of each row.
///
/// ```
/// use lpvdn_cluster::k_means::nearest_centers;
/// use lpvdn_core::Matrix;
/// let rows = Matrix::from_vec(vec![0.0, 4.0, 2.0], 3, 1);
/// let centers = Matrix::from_vec(vec![1.0, 3.0], 2, 1);
/// let found = nearest_centers(&rows, &centers)?;
/// assert_eq!(found.labels, [0, 1, 0]);
/// assert_eq!(found.squared_distances, [1.0, 1.0, 1.0]);
/// assert_eq!(found.inertia(), 3.0);
/// # Ok::<(), lpvdn_cluster::k_means::KMeansError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The index of the centre; the lowest where several are equally near.
    pub labels: Vec<u32>,
    /// The squared distance to it.
    pub squared_distances: Vec<f32>,
}

impl Assignment {
    /// The sum of the squared distances.
    pub fn inertia(&self) -> f64 {
        self.squared_distances.iter().map(|&d| f64::from(d)).sum()
    }
}

/// Assigns each row to its nearest centre. The bits of a row's answer do not depend on the other
/// rows in the call.
pub fn nearest_centers(data: &impl PointRows, centers: &Matrix<f32>) -> Result<Assignment, KMeansError> {
    if centers.rows() == 0 {
        return Err(KMeansParamsError::NoClusters.into());
    }
    input::check_rows(centers).map_err(KMeansError::Start)?;
    input::check_columns(data, centers.cols())?;
    Ok(assign(data, centers))
}

/// [`nearest_centers`] of rows that have been checked.
pub(super) fn assign(data: &impl PointRows, centers: &Matrix<f32>) -> Assignment {
    let points = Points::of(centers);
    let mut labels = vec![0; data.rows()];
    let mut squared_distances = vec![0.0; data.rows()];
    let chunks = labels.par_chunks_mut(CHUNK).zip(squared_distances.par_chunks_mut(CHUNK));
    chunks.enumerate().for_each(|(c, (labels, squares))| {
        let indices: Vec<u32> = ((c * CHUNK) as u32..).take(labels.len()).collect();
        for_each_row(data, &indices, &points, |place, distances| {
            let (label, nearest, _) = nearest_two(distances);
            (labels[place], squares[place]) = (label, nearest);
        });
    });
    Assignment { labels, squared_distances }
}

/// Calls `visit(place, distances)` for rows `indices`, where `place` counts from 0.
pub(super) fn for_each_row(
    data: &impl PointRows,
    indices: &[u32],
    points: &Points,
    mut visit: impl FnMut(usize, &[f32]),
) {
    let mut distances = Vec::new();
    for (b, block) in indices.chunks(BLOCK).enumerate() {
        data.distances_to(points, block, &mut distances);
        for (i, row) in distances.chunks_exact(points.stride()).enumerate() {
            visit(b * BLOCK + i, &row[..points.len()]);
        }
    }
}

/// The index of the smallest value (the first of equals), that value, and the second smallest.
pub(super) fn nearest_two(distances: &[f32]) -> (u32, f32, f32) {
    let (mut label, mut nearest, mut second) = (0, f32::INFINITY, f32::INFINITY);
    for (k, &d) in distances.iter().enumerate() {
        if d < nearest {
            (label, nearest, second) = (k as u32, d, nearest);
        } else if d < second {
            second = d;
        }
    }
    (label, nearest, second)
}

pub(super) fn fit(params: &KMeansValidParams, data: &impl PointRows) -> Result<KMeans, KMeansError> {
    check(params, data)?;
    let shift = params.tol() * data.mean_variance();
    let starts = if matches!(params.start(), Start::PlusPlus) { params.n_init() } else { 1 };
    let mut best = run(params, data, 0, shift);
    for start in 1..starts {
        let other = run(params, data, start, shift);
        if other.inertia < best.inertia {
            best = other;
        }
    }
    Ok(best)
}

/// One start of a fit, by its number: for callers that choose between starts themselves.
pub(crate) fn one_start(
    params: &KMeansValidParams,
    data: &impl PointRows,
    start: u32,
) -> Result<KMeans, KMeansError> {
    check(params, data)?;
    Ok(run(params, data, start, params.tol() * data.mean_variance()))
}

fn check(params: &KMeansValidParams, data: &impl PointRows) -> Result<(), KMeansError> {
    input::check_rows(data)?;
    let (rows, clusters) = (data.rows(), params.n_clusters());
    if rows < clusters {
        return Err(KMeansError::TooFewRows { rows, clusters });
    }
    if let Start::Given(centers) = params.start() {
        input::check_rows(centers).map_err(KMeansError::Start)?;
        if centers.cols() != data.cols() {
            let columns = InputError::Columns { expected: data.cols(), found: centers.cols() };
            return Err(KMeansError::Start(columns));
        }
    }
    Ok(())
}

fn run(params: &KMeansValidParams, data: &impl PointRows, start: u32, shift: f64) -> KMeans {
    let centers = match params.start() {
        Start::Given(centers) => centers.clone(),
        Start::PlusPlus => {
            let key = StreamKey::new(params.seed(), "k-means++").at(params.phase(), start, 0);
            init::plus_plus(data, params.n_clusters(), &mut key.open())
        }
    };
    let mut lloyd = Lloyd::new(data, centers);
    let (mut iterations, mut converged) = (0, false);
    while iterations < params.max_iter() && !converged {
        let step = lloyd.step();
        iterations += 1;
        converged = step.moved_rows == 0 || step.squared_shift <= shift;
    }
    let centers = lloyd.into_centers();
    let found = assign(data, &centers);
    let inertia = found.inertia();
    KMeans { centers, labels: found.labels, inertia, iterations, converged }
}

//! The exact k nearest rows of each row, by blocks.
//!
//! A block of queries is multiplied with a block of rows, and
//!
//! $$\|q\|^2 - 2\,q\cdot r + \|r\|^2$$
//!
//! (of centred rows) less its rounding error says which rows might be among the k nearest. Only
//! those few are measured by differences, and only these distances decide. So the answer is exact
//! for `f32` distances, however the blocks fall, and rows at equal distances come in the order of
//! their indices.

use lpvdn_core::product::{Store, product};
use lpvdn_core::{Matrix, kernel};
use rayon::prelude::*;

use crate::InputError;
use crate::distance::squared_distance;
use crate::input;

/// Rows of a block: one tile of the product, which then stays on its thread.
const BLOCK: usize = 256;
/// Rows that are passed over together when none of them is near.
const GLANCE: usize = 32;

/// The nearest rows of each query.
///
/// ```
/// use lpvdn_cluster::Neighbors;
/// use lpvdn_core::Matrix;
/// let rows = Matrix::from_vec(vec![0.0, 1.0, 3.0, 7.0], 4, 1);
/// let found = Neighbors::among(&rows, 2)?;
/// assert_eq!(found.indices.row(0), [1, 2]);
/// assert_eq!(found.distances.row(3), [4.0, 6.0]);
/// # Ok::<(), lpvdn_cluster::neighbors::NeighborsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbors {
    /// For each query the indices of its neighbours, nearest first.
    pub indices: Matrix<u32>,
    /// The Euclidean distances to them.
    pub distances: Matrix<f32>,
}

/// Neighbours could not be searched.
///
/// ```
/// use lpvdn_cluster::{Neighbors, neighbors::NeighborsError};
/// use lpvdn_core::Matrix;
/// let error = Neighbors::among(&Matrix::zeros(3, 1), 3).unwrap_err();
/// assert_eq!(error, NeighborsError::TooFewRows { neighbors: 3, available: 2 });
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NeighborsError {
    /// The rows cannot be used.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The queries cannot be used.
    #[error("queries: {0}")]
    Queries(#[source] InputError),
    /// No neighbours were asked for.
    #[error("0 neighbours asked for, expected at least 1")]
    NoNeighbors,
    /// More neighbours asked for than there are rows.
    #[error("{neighbors} neighbours asked for, but there are only {available} rows to choose from")]
    TooFewRows {
        /// The neighbours asked for.
        neighbors: usize,
        /// The rows there are, without the query itself.
        available: usize,
    },
}

impl Neighbors {
    /// The `k` nearest rows of `data` for each row of `queries`.
    pub fn of(queries: &Matrix<f32>, data: &Matrix<f32>, k: usize) -> Result<Neighbors, NeighborsError> {
        input::check_rows(data)?;
        input::check_columns(queries, data.cols()).map_err(NeighborsError::Queries)?;
        search(queries, data, k, false)
    }

    /// The `k` nearest other rows for each row of `data`. A row is not its own neighbour; a row
    /// equal to it is.
    pub fn among(data: &Matrix<f32>, k: usize) -> Result<Neighbors, NeighborsError> {
        input::check_rows(data)?;
        search(data, data, k, true)
    }
}

fn search(
    queries: &Matrix<f32>,
    data: &Matrix<f32>,
    k: usize,
    without_self: bool,
) -> Result<Neighbors, NeighborsError> {
    let available = data.rows() - usize::from(without_self);
    if k == 0 {
        return Err(NeighborsError::NoNeighbors);
    }
    if k > available {
        return Err(NeighborsError::TooFewRows { neighbors: k, available });
    }
    let rows = Centered::new(data);
    let mut indices = Matrix::zeros(queries.rows(), k);
    let mut distances = Matrix::zeros(queries.rows(), k);
    let blocks = (indices.as_mut_slice().par_chunks_mut(BLOCK * k))
        .zip(distances.as_mut_slice().par_chunks_mut(BLOCK * k));
    blocks.enumerate().with_max_len(1).for_each(|(b, (indices, distances))| {
        let found = search_block(&rows, queries, b * BLOCK..b * BLOCK + indices.len() / k, k, without_self);
        let cells = indices.iter_mut().zip(distances);
        for ((index, distance), (square, found)) in cells.zip(found.into_iter().flatten()) {
            (*index, *distance) = (found, square.sqrt());
        }
    });
    Ok(Neighbors { indices, distances })
}

/// Rows with what the product form needs: their mean, and their squared norms around it. The mean
/// may be rounded, as long as all rows are shifted by the same.
struct Centered<'a> {
    data: &'a Matrix<f32>,
    center: Vec<f32>,
    norms: Vec<f32>,
}

impl Centered<'_> {
    fn new(data: &Matrix<f32>) -> Centered<'_> {
        let center: Vec<f32> = input::column_means(data).iter().map(|&m| m as f32).collect();
        let norms = (0..data.rows()).into_par_iter().map(|i| squared_norm(data.row(i), &center)).collect();
        Centered { data, center, norms }
    }

    /// How much of $\|q\|^2 + \|r\|^2$ the product form may be off by: the rounding of the centred
    /// values, of the product, and of the distance by differences.
    fn error(&self) -> f32 {
        (self.data.cols() + 16) as f32 * f32::EPSILON + 2e-5
    }
}

/// Writes rows `range` of `data` less `center`.
fn center_rows(data: &Matrix<f32>, range: std::ops::Range<usize>, center: &[f32], out: &mut Matrix<f32>) {
    out.set_rows(range.len());
    let values = &data.as_slice()[range.start * data.cols()..range.end * data.cols()];
    subtract(values, center, out.as_mut_slice());
}

fn squared_norm(row: &[f32], center: &[f32]) -> f32 {
    row.iter().zip(center).map(|(&x, &m)| f64::from(x - m).powi(2)).sum::<f64>() as f32
}

kernel! {
    /// out ← row − center, for each row.
    fn subtract<T>(rows: &[T], center: &[T], out: &mut [T]) {
        for (row, out) in rows.chunks_exact(center.len()).zip(out.chunks_exact_mut(center.len())) {
            for ((o, &x), &m) in out.iter_mut().zip(row).zip(center) {
                *o = x - m;
            }
        }
    }
}

kernel! {
    /// Whether any row may be within `limit`: keep·‖r‖² − 2 q·r ≤ limit.
    fn any_within<T>(dots: &[T], norms: &[T], keep: T, limit: T) -> bool {
        let mut any = false;
        for (&dot, &norm) in dots.iter().zip(norms) {
            any |= keep * norm - (dot + dot) <= limit;
        }
        any
    }
}

/// The nearest rows of the queries `range`, as (squared distance, index), nearest first.
fn search_block(
    rows: &Centered<'_>,
    queries: &Matrix<f32>,
    range: std::ops::Range<usize>,
    k: usize,
    without_self: bool,
) -> Vec<Vec<(f32, u32)>> {
    let cols = rows.data.cols();
    let keep = 1.0 - rows.error();
    let query_norms: Vec<f32> = range.clone().map(|q| squared_norm(queries.row(q), &rows.center)).collect();
    let mut left = Matrix::zeros(0, cols);
    center_rows(queries, range.clone(), &rows.center, &mut left);
    let mut nearest = vec![Vec::with_capacity(k + 1); range.len()];
    let mut right = Matrix::zeros(0, cols);
    let mut dots: Vec<f32> = Vec::new();
    for start in (0..rows.data.rows()).step_by(BLOCK) {
        let end = (start + BLOCK).min(rows.data.rows());
        center_rows(rows.data, start..end, &rows.center, &mut right);
        dots.resize(range.len() * (end - start), 0.0);
        let out = lpvdn_core::MatrixViewMut::new(&mut dots, range.len(), end - start);
        product(out, left.view(), right.view().t(), Store::Replace);
        for (q, (dots, nearest)) in dots.chunks_exact(end - start).zip(&mut nearest).enumerate() {
            let query = range.start + q;
            let glances = dots.chunks(GLANCE).zip(rows.norms[start..end].chunks(GLANCE));
            for (g, (dots, norms)) in glances.enumerate() {
                let bound = |nearest: &[(f32, u32)]| limit(nearest, k) - keep * query_norms[q];
                if !any_within(dots, norms, keep, bound(nearest)) {
                    continue;
                }
                for ((r, dot), norm) in (start + g * GLANCE..).zip(dots).zip(norms) {
                    if keep * norm - 2.0 * dot <= bound(nearest) && !(without_self && r == query) {
                        let square = squared_distance(queries.row(query), rows.data.row(r));
                        insert(nearest, k, (square, r as u32));
                    }
                }
            }
        }
    }
    nearest
}

/// The squared distance beyond which a row cannot be among the `k` nearest.
fn limit(nearest: &[(f32, u32)], k: usize) -> f32 {
    if nearest.len() < k { f32::INFINITY } else { nearest[k - 1].0 }
}

/// Adds a row whose index is larger than those before: of equals, the earlier stays ahead.
fn insert(nearest: &mut Vec<(f32, u32)>, k: usize, row: (f32, u32)) {
    let place = nearest.partition_point(|other| other.0 <= row.0);
    if place < k {
        nearest.insert(place, row);
        nearest.truncate(k);
    }
}

//! P of L_LP (Eqns. 9–11): which rows of a batch are neighbours in the latent space.
//!
//! p_{j|i} = exp(−‖μ̃_i − μ̃_j‖² β_i) / Σ_{k≠i} …, with β_i = 1/2η_i² such that the entropy of row i is
//! the logarithm of the perplexity; p_ij = (p_{j|i} + p_{i|j})/2n, so that all of P sums to 1.
//! No gradient flows through P.

use lpvdn_core::math::{exp, ln};
use lpvdn_core::product::{Store, product_then};
use lpvdn_core::{Matrix, Real, kernel};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::sums::{LANES, lane_sum};

/// How close the entropy of a row comes to its target, in nats: what the precision allows, with a
/// little room.
fn entropy_tolerance<T>() -> f64 {
    if size_of::<T>() == 4 { 1e-5 } else { 1e-12 }
}
/// The search ends after this many evaluations; bisection alone would need about 30.
const EVALUATIONS: usize = 64;
/// A Newton step on log β is at most this long: far from the solution the entropy is flat and its
/// slope says nothing about the distance.
const LONGEST_STEP: f64 = 2.0;
/// log β stays within this of its start. With more duplicates than the perplexity the entropy never
/// falls to its target, and β would grow without end.
const WIDEST_SEARCH: f64 = 40.0;
/// Rows whose search is one task; within it, a row starts from the solution of the row before. Fixed,
/// so that the result does not depend on the number of threads.
const SEARCH_ROWS: usize = 16;
/// log(β · mean distance) at the start of a task.
const FIRST_GUESS: f64 = 2.0;
/// e⁸⁰ is the largest β that single precision holds with room to spare.
const LARGEST_LOG_BETA: f64 = 80.0;
/// Values averaged by one task.
const CHUNK: usize = 1 << 15;
/// Rows, or columns, of one task elsewhere.
const BLOCK: usize = 32;

/// Between which points neighbourhoods are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AffinitySource {
    /// The latent means, as in the paper.
    Latent,
    /// The rows themselves, as the encoder sees them.
    Rows,
    /// The mean of both.
    Both,
    /// The latent means of all rows: a graph of nearest neighbours.
    LatentGraph,
    /// All rows themselves: a graph of nearest neighbours.
    RowGraph,
    /// Both: a graph in which every row has its nearest neighbours among the rows, and those among the latent means.
    BothGraphs,
}

impl AffinitySource {
    /// Whether P comes from a graph over all rows instead of the batch alone.
    pub fn is_graph(self) -> bool {
        self.is_row_graph() || self.is_latent_graph()
    }

    /// Whether neighbours among all latent means are in it.
    pub fn is_latent_graph(self) -> bool {
        matches!(self, AffinitySource::LatentGraph | AffinitySource::BothGraphs)
    }

    /// Whether neighbours among all rows are in it.
    pub fn is_row_graph(self) -> bool {
        matches!(self, AffinitySource::RowGraph | AffinitySource::BothGraphs)
    }
}

/// Memory for P.
#[derive(Clone, Debug)]
pub struct Affinities<T> {
    centred: Matrix<T>,
    norms: Vec<T>,
    distances: Matrix<T>,
    conditional: Matrix<T>,
    joint: Matrix<T>,
}

impl<T: Real> Affinities<T> {
    /// Memory for batches of up to `rows` rows.
    pub fn new(rows: usize, dimensions: usize) -> Affinities<T> {
        Affinities {
            centred: Matrix::zeros(rows, dimensions),
            norms: vec![T::ZERO; rows],
            distances: Matrix::zeros(rows, rows),
            conditional: Matrix::zeros(rows, rows),
            joint: Matrix::zeros(rows, rows),
        }
    }

    /// P of the last [`update`](Affinities::update).
    pub fn joint(&self) -> &Matrix<T> {
        &self.joint
    }

    /// P ← ½(P + other's P).
    pub fn average_with(&mut self, other: &Affinities<T>) {
        let half = T::of(0.5);
        let chunks =
            self.joint.as_mut_slice().par_chunks_mut(CHUNK).zip(other.joint.as_slice().par_chunks(CHUNK));
        chunks.for_each(|(p, o)| p.iter_mut().zip(o).for_each(|(p, &o)| *p = half * (*p + o)));
    }

    /// The conditional distributions p_{j|i} of the last update, one a row.
    pub fn conditional(&self) -> &Matrix<T> {
        &self.conditional
    }

    /// Computes P for the latent means of a batch.
    pub fn update(&mut self, means: &Matrix<T>, perplexity: f64) {
        let n = means.rows();
        squared_distances(means, &mut self.centred, &mut self.norms, &mut self.distances);
        set_square(&mut self.conditional, n);
        let target = T::of(ln(perplexity));
        self.distances
            .as_mut_slice()
            .par_chunks_mut(SEARCH_ROWS * n)
            .zip(self.conditional.as_mut_slice().par_chunks_mut(SEARCH_ROWS * n))
            .enumerate()
            .for_each(|(task, (distances, p))| {
                let mut guess = FIRST_GUESS;
                for (r, (distances, p)) in distances.chunks_mut(n).zip(p.chunks_mut(n)).enumerate() {
                    let i = task * SEARCH_ROWS + r;
                    // The others stand in front, so that i itself is left out by length, not by value.
                    distances.swap(i, n - 1);
                    guess = conditional_row(&mut distances[..n - 1], target, guess, &mut p[..n - 1]);
                    p[n - 1] = T::ZERO;
                    p.swap(i, n - 1);
                }
            });
        set_square(&mut self.joint, n);
        let conditional = &self.conditional;
        let scale = T::of(0.5 / n as f64);
        self.joint.as_mut_slice().par_chunks_mut(BLOCK * n).enumerate().for_each(|(block, rows)| {
            symmetric_block(conditional.as_slice(), n, block * BLOCK, scale, rows);
        });
    }
}

/// Makes `m` an n × n matrix without allocating below its largest size.
fn set_square<T: Real>(m: &mut Matrix<T>, n: usize) {
    if m.rows() != n || m.cols() != n {
        let mut data = std::mem::take(m).into_vec();
        data.resize(n * n, T::ZERO);
        *m = Matrix::from_vec(data, n, n);
    }
}

/// All squared distances between the rows of `points`, by ‖a‖² + ‖b‖² − 2a·b of the centred rows:
/// centring keeps the numbers small, and with them the cancellation.
pub(crate) fn squared_distances<T: Real>(
    points: &Matrix<T>,
    centred: &mut Matrix<T>,
    norms: &mut Vec<T>,
    distances: &mut Matrix<T>,
) {
    let n = points.rows();
    centre(points, centred);
    norms.clear();
    norms.extend(centred.iter_rows().map(|row| row.iter().map(|&x| x * x).sum::<T>()));
    set_square(distances, n);
    let norms = &*norms;
    product_then(distances.view_mut(), centred.view(), centred.view().t(), Store::Replace, |tile| {
        let across = &norms[tile.cols()];
        for i in tile.rows() {
            distances_from_products(tile.row_mut(i), norms[i], across);
        }
    });
}

/// centred ← points − their mean, which is summed row by row in double precision.
fn centre<T: Real>(points: &Matrix<T>, centred: &mut Matrix<T>) {
    let (n, dimensions) = (points.rows(), points.cols());
    centred.set_rows(n);
    let columns = centred.as_mut_slice();
    // The first row's place holds the means until it gets its own values, last of all.
    let (means, rest) = columns.split_at_mut(dimensions);
    means.par_chunks_mut(BLOCK).enumerate().for_each(|(block, means)| {
        let mut sums = [0.0; BLOCK];
        for i in 0..n {
            let row = &points.row(i)[block * BLOCK..];
            sums.iter_mut().zip(row).for_each(|(s, x)| *s += x.f64());
        }
        means.iter_mut().zip(sums).for_each(|(mean, s)| *mean = T::of(s / n as f64));
    });
    let means = &*means;
    rest.par_chunks_mut(BLOCK * dimensions).enumerate().for_each(|(block, rows)| {
        for (r, row) in rows.chunks_exact_mut(dimensions).enumerate() {
            let point = points.row(1 + block * BLOCK + r);
            row.iter_mut().zip(point.iter().zip(means)).for_each(|(c, (&p, &m))| *c = p - m);
        }
    });
    centred.row_mut(0).iter_mut().zip(points.row(0)).for_each(|(c, &p)| *c = p - *c);
}

kernel! {
    fn distances_from_products<T>(row: &mut [T], norm: T, across: &[T]) {
        let two = T::of(2.0);
        for (d, &other) in row.iter_mut().zip(across) {
            *d = (norm + other - two * *d).at_least(T::ZERO);
        }
    }
}

kernel! {
    fn symmetric_block<T>(p: &[T], n: usize, first: usize, scale: T, out: &mut [T]) {
        for columns in (0..n).step_by(BLOCK) {
            let end = (columns + BLOCK).min(n);
            for (i, row) in out.chunks_exact_mut(n).enumerate() {
                let i = first + i;
                for j in columns..end {
                    row[j] = scale * (p[i * n + j] + p[j * n + i]);
                }
            }
        }
    }
}

/// Finds β for one row and writes its distribution: a Newton step on log β, kept inside a bracket
/// that every evaluation narrows. Starts from, and returns, log(β · mean distance); nothing is
/// remembered from earlier batches.
pub(super) fn conditional_row<T: Real>(distances: &mut [T], target: T, guess: f64, p: &mut [T]) -> f64 {
    // Distances relative to the nearest: the same distribution, and no exponent underflows for all.
    let nearest = smallest(distances);
    let mean_distance = subtract(distances, nearest).f64() / distances.len() as f64;
    let unit = -ln(mean_distance.max(1e-30));
    let start = (unit + guess).min(LARGEST_LOG_BETA);
    let (mut low, mut high) = (start - WIDEST_SEARCH, (start + WIDEST_SEARCH).min(LARGEST_LOG_BETA));
    let mut log_beta = start;
    let tolerance = entropy_tolerance::<T>();
    let mut moments = Moments { sum: T::ONE, first: T::ZERO, second: T::ZERO };
    for _ in 0..EVALUATIONS {
        let beta = exp(log_beta);
        moments = boltzmann(distances, T::of(beta), p);
        let sum = moments.sum.f64();
        let mean = moments.first.f64() / sum;
        let variance = (moments.second.f64() / sum - mean * mean).max(0.0);
        let excess = ln(sum) + beta * mean - target.f64();
        // H falls as β grows. A NaN ends the search and shows in the loss.
        if excess.abs() <= tolerance || excess.is_nan() || high - low < 1e-13 {
            break;
        }
        if excess > 0.0 {
            low = log_beta;
        } else {
            high = log_beta;
        }
        // dH/d(log β) = −β² Var(d)
        let slope = beta * beta * variance;
        let newton = log_beta + (excess / slope).clamp(-LONGEST_STEP, LONGEST_STEP);
        log_beta = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
    scale_by(p, T::ONE / moments.sum);
    // A row of duplicates ends at the edge of the search: no guide for the next.
    let solution = log_beta - unit;
    if (solution - FIRST_GUESS).abs() < 8.0 { solution } else { FIRST_GUESS }
}

#[derive(Clone, Copy)]
struct Moments<T> {
    sum: T,
    first: T,
    second: T,
}

kernel! {
    fn smallest<T>(values: &[T]) -> T {
        let mut lanes = [T::of(f64::INFINITY); LANES];
        let mut take = |chunk: &[T]| {
            lanes.iter_mut().zip(chunk).for_each(|(l, &v)| *l = if v < *l { v } else { *l });
        };
        let chunks = values.chunks_exact(LANES);
        let tail = chunks.remainder();
        chunks.for_each(&mut take);
        take(tail);
        lanes.iter().fold(lanes[0], |m, &l| if l < m { l } else { m })
    }
}

kernel! {
    /// Subtracts `amount` from each value and returns the sum.
    fn subtract<T>(values: &mut [T], amount: T) -> T {
        values.iter_mut().for_each(|v| *v -= amount);
        lane_sum(values)
    }
}

kernel! {
    fn scale_by<T>(values: &mut [T], factor: T) {
        values.iter_mut().for_each(|v| *v *= factor);
    }
}

kernel! {
    /// e_j = exp(−β d_j), with Σ e, Σ d·e and Σ d²·e.
    fn boltzmann<T>(d: &[T], beta: T, e: &mut [T]) -> Moments<T> {
        e.iter_mut().zip(d).for_each(|(e, &d)| *e = (-(beta * d)).exp::<FMA>());
        let [mut sum, mut first, mut second] = [[T::ZERO; LANES]; 3];
        let mut take = |e: &[T], d: &[T]| {
            for l in 0..e.len().min(LANES) {
                let de = d[l] * e[l];
                sum[l] += e[l];
                first[l] += de;
                second[l] = d[l].fma::<FMA>(de, second[l]);
            }
        };
        let (whole_e, whole_d) = (e.chunks_exact(LANES), d.chunks_exact(LANES));
        let (tail_e, tail_d) = (whole_e.remainder(), whole_d.remainder());
        whole_e.zip(whole_d).for_each(|(e, d)| take(e, d));
        take(tail_e, tail_d);
        Moments { sum: lane_sum(&sum), first: lane_sum(&first), second: lane_sum(&second) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lpvdn_core::StreamKey;

    fn points(rows: usize, dimensions: usize, spread: f64) -> Matrix<f32> {
        let mut s = StreamKey::new(51, "affinities").open();
        Matrix::from_fn(rows, dimensions, |i, _| (spread * (s.normal() + 3.0 * (i % 5) as f64)) as f32)
    }

    fn entropy(p: &[f32]) -> f64 {
        p.iter().map(|&p| f64::from(p)).filter(|&p| p > 0.0).map(|p| -p * p.ln()).sum()
    }

    #[test]
    fn every_row_has_the_entropy_of_the_perplexity() {
        for (rows, perplexity) in [(800, 8.0), (200, 2.0), (100, 30.0), (17, 3.0)] {
            for spread in [1e-3, 1.0, 1e3] {
                let mut affinities = Affinities::new(rows, 10);
                affinities.update(&points(rows, 10, spread), perplexity);
                for row in affinities.conditional().iter_rows() {
                    let error = (entropy(row) - f64::ln(perplexity)).abs();
                    assert!(
                        error < 1e-4,
                        "{rows} rows, perplexity {perplexity}, spread {spread}: off by {error}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_joint_distribution_is_symmetric_sums_to_one_and_has_no_diagonal() {
        let mut affinities = Affinities::new(90, 4);
        affinities.update(&points(90, 4, 1.0), 5.0);
        let p = affinities.joint();
        let total: f64 = p.as_slice().iter().map(|&p| f64::from(p)).sum();
        assert!((total - 1.0).abs() < 1e-5);
        for i in 0..90 {
            assert_eq!(p.row(i)[i], 0.0);
            for j in 0..90 {
                assert_eq!(p.row(i)[j], p.row(j)[i]);
            }
        }
    }

    #[test]
    fn duplicates_beyond_the_perplexity_share_their_row() {
        // 40 equal points and 20 others: no β gives entropy log 5, and the nearest equal ones remain.
        let m = Matrix::from_fn(60, 3, |i, j| if i < 40 { 1.0_f32 } else { (i * (j + 1)) as f32 });
        let mut affinities = Affinities::new(60, 3);
        affinities.update(&m, 5.0);
        let row = affinities.conditional().row(0);
        assert!(row.iter().all(|p| p.is_finite()));
        assert!((f64::from(row[1]) - 1.0 / 39.0).abs() < 1e-4, "{}", row[1]);
        assert!(row[50] < 1e-6);
    }

    #[test]
    fn equal_points_are_equally_near() {
        let mut affinities = Affinities::new(20, 2);
        affinities.update(&Matrix::from_fn(20, 2, |_, _| 3.0_f32), 4.0);
        for (j, &p) in affinities.conditional().row(7).iter().enumerate() {
            let want = if j == 7 { 0.0 } else { 1.0 / 19.0 };
            assert!((p - want).abs() < 1e-6);
        }
    }

    #[test]
    fn a_smaller_batch_after_a_larger_one_gives_the_same_bits() {
        let (large, small) = (points(64, 3, 1.0), points(40, 3, 2.0));
        let mut used = Affinities::new(64, 3);
        used.update(&large, 5.0);
        used.update(&small, 5.0);
        let mut fresh = Affinities::new(40, 3);
        fresh.update(&small, 5.0);
        assert_eq!(used.joint(), fresh.joint());
    }
}

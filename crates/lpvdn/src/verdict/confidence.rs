//! How sure the cluster of a row is: the share of refits that would keep it there.
//!
//! The margin of a row is how much nearer it is to the middle of its own cluster than to that of the next one,
//!
//! $$m = \frac{d_\text{other} - d_\text{own}}{d_\text{other} + d_\text{own}}$$
//!
//! among the codes that the model assigns by. For each cluster a map from the margin to the share of refits, which nowhere falls, is
//! fitted to the rows that a verdict looked at (isotonic regression of groups of rows), and kept in the model. So training rows and
//! new ones get their confidence in the same way, and one of .9 means: nine of ten refits on parts of the rows would agree.

use lpvdn_core::Matrix;
use serde::Serialize;

use crate::model::centers::means_of;
use crate::tensors::{TensorFile, TensorFileError, TensorWriter};

/// Points of the map of a cluster.
const KNOTS: usize = 16;
/// Rows of a group, at least: the share of a few rows is chance.
const ROWS_EACH: usize = 10;
/// Where the middle of a cluster without rows is: no row is near it.
const NOWHERE: f32 = 1e18;

/// The maps of all clusters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Confidence {
    /// The middle of each cluster among the codes: K × columns of the codes.
    centers: Matrix<f32>,
    /// Margins at which a map is known, rising in each row: K × [`KNOTS`].
    margins: Matrix<f32>,
    /// The shares there, which do not fall: K × [`KNOTS`].
    shares: Matrix<f32>,
}

/// Rows whose refits are known: which, the share of the refits that keep each, and codes and labels of all rows.
pub(super) struct Known<'a> {
    pub(super) kept: &'a [(u32, f32)],
    pub(super) codes: &'a Matrix<f32>,
    pub(super) labels: &'a [u32],
}

impl Confidence {
    /// Of the clusters of a model. `distances` gives those of codes to the middle of each cluster.
    pub(super) fn fit(
        known: &Known<'_>,
        (clusters, center_size): (usize, usize),
        distances: impl Fn(&Matrix<f32>, &Matrix<f32>) -> Matrix<f32>,
    ) -> Confidence {
        let centers = match center_size {
            0 => Matrix::zeros(clusters, 0),
            _ => centers_of(known.codes, known.labels, clusters),
        };
        let mut sample = Matrix::zeros(known.kept.len(), known.codes.cols());
        for (i, (row, _)) in known.kept.iter().enumerate() {
            sample.row_mut(i).copy_from_slice(known.codes.row(*row as usize));
        }
        let distances = distances(&sample, &centers);
        let mut of_clusters: Vec<Vec<(f32, f32)>> = vec![Vec::new(); clusters];
        for (i, (row, share)) in known.kept.iter().enumerate() {
            let label = known.labels[*row as usize];
            of_clusters[label as usize].push((margin(distances.row(i), label), *share));
        }
        let (mut margins, mut shares) = (Matrix::zeros(clusters, KNOTS), Matrix::zeros(clusters, KNOTS));
        // Of a cluster of which too few rows were looked at, what holds for all rows.
        let all = isotonic(groups(of_clusters.concat()));
        for (cluster, rows) in of_clusters.into_iter().enumerate() {
            let knots = if rows.len() < 2 * ROWS_EACH { all.clone() } else { isotonic(groups(rows)) };
            for knot in 0..KNOTS {
                let (m, s) = knots.get(knot).or(knots.last()).copied().unwrap_or_default();
                margins.row_mut(cluster)[knot] = m as f32;
                shares.row_mut(cluster)[knot] = s.clamp(0.0, 1.0) as f32;
            }
        }
        Confidence { centers, margins, shares }
    }

    /// The middle of each cluster among the codes.
    pub(crate) fn centers(&self) -> &Matrix<f32> {
        &self.centers
    }

    /// That of a row with these distances to the middle of each cluster.
    pub(crate) fn of(&self, distances: &[f32], label: u32) -> f32 {
        let (margins, shares) = (self.margins.row(label as usize), self.shares.row(label as usize));
        let margin = margin(distances, label);
        let above = margins.partition_point(|m| *m <= margin);
        if above == 0 {
            return shares[0];
        }
        if above == KNOTS {
            return shares[KNOTS - 1];
        }
        let (low, high) = (margins[above - 1], margins[above]);
        let part = (margin - low) / (high - low);
        shares[above - 1] + part * (shares[above] - shares[above - 1])
    }

    pub(crate) fn write<H: Serialize>(&self, file: &mut TensorWriter<H>) {
        let mut add = |name: &str, m: &Matrix<f32>| file.add_f32(name, &[m.rows(), m.cols()], m.as_slice());
        add("confidence.centers", &self.centers);
        add("confidence.margins", &self.margins);
        add("confidence.shares", &self.shares);
    }

    /// That of a model file with so many clusters and columns of codes, where it has one.
    pub(crate) fn read(
        file: &TensorFile<'_>,
        (clusters, columns): (usize, usize),
    ) -> Result<Option<Confidence>, TensorFileError> {
        if !file.has("confidence.margins") {
            return Ok(None);
        }
        let matrix = |name: &str, cols: usize| {
            file.f32(name, &[clusters, cols]).map(|values| Matrix::from_vec(values, clusters, cols))
        };
        let found = Confidence {
            centers: matrix("confidence.centers", columns)?,
            margins: matrix("confidence.margins", KNOTS)?,
            shares: matrix("confidence.shares", KNOTS)?,
        };
        let rises = |m: &Matrix<f32>| m.iter_rows().all(|row| row.windows(2).all(|pair| pair[0] <= pair[1]));
        let are_shares = found.shares.as_slice().iter().all(|s| (0.0..=1.0).contains(s));
        match rises(&found.margins) && rises(&found.shares) && are_shares {
            true => Ok(Some(found)),
            false => Err(TensorFileError::Tensor {
                name: "confidence.shares".to_owned(),
                wanted: "shares from 0 to 1 that rise with the margin".to_owned(),
                found: "others".to_owned(),
            }),
        }
    }
}

/// The distances of codes to points among them.
pub(crate) fn euclidean(codes: &Matrix<f32>, centers: &Matrix<f32>) -> Matrix<f32> {
    Matrix::from_fn(codes.rows(), centers.rows(), |i, k| {
        let squares =
            codes.row(i).iter().zip(centers.row(k)).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
        squares.sum::<f64>().sqrt() as f32
    })
}

fn centers_of(codes: &Matrix<f32>, labels: &[u32], clusters: usize) -> Matrix<f32> {
    let mut centers = means_of(codes, labels, clusters);
    let mut is_empty = vec![true; clusters];
    labels.iter().for_each(|&label| is_empty[label as usize] = false);
    (0..clusters).filter(|&k| is_empty[k]).for_each(|k| centers.row_mut(k).fill(NOWHERE));
    centers
}

/// How much nearer a row is to its own cluster than to the next one, from −1 to 1; 1 where there is no other.
fn margin(distances: &[f32], label: u32) -> f32 {
    let own = distances[label as usize];
    let others = distances.iter().enumerate().filter(|(k, _)| *k != label as usize).map(|(_, d)| *d);
    let other = others.fold(f32::INFINITY, f32::min);
    match other {
        f32::INFINITY => 1.0,
        other if other + own > 0.0 => (other - own) / (other + own),
        _ => 0.0,
    }
}

/// (mean margin, mean share, rows) of groups of rows with like margins, by their margin.
fn groups(mut rows: Vec<(f32, f32)>) -> Vec<(f64, f64, f64)> {
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let count = (rows.len() / ROWS_EACH).clamp(1, KNOTS).min(rows.len().max(1));
    let group = |g: usize| {
        let part = &rows[g * rows.len() / count..(g + 1) * rows.len() / count];
        let n = part.len() as f64;
        let mean = |f: fn(&(f32, f32)) -> f32| part.iter().map(|row| f64::from(f(row))).sum::<f64>() / n;
        (mean(|row| row.0), mean(|row| row.1), n)
    };
    if rows.is_empty() { Vec::new() } else { (0..count).map(group).collect() }
}

/// Pool adjacent violators: neighbouring groups whose shares fall become one. Its ends keep their margins, so that the map is
/// level between them.
fn isotonic(groups: Vec<(f64, f64, f64)>) -> Vec<(f64, f64)> {
    /// Groups from the first to the last, with the mean of their shares.
    struct Pool {
        first: usize,
        last: usize,
        share: f64,
        rows: f64,
    }
    let mut pools: Vec<Pool> = Vec::new();
    for (at, &(_, share, rows)) in groups.iter().enumerate() {
        let mut pool = Pool { first: at, last: at, share, rows };
        while let Some(before) = pools.pop_if(|before| before.share > pool.share) {
            let rows = before.rows + pool.rows;
            let share = (before.share * before.rows + pool.share * pool.rows) / rows;
            pool = Pool { first: before.first, last: pool.last, share, rows };
        }
        pools.push(pool);
    }
    let of_pool = |pool: Pool| (pool.first..=pool.last).map(move |at| (at, pool.share));
    pools.into_iter().flat_map(of_pool).map(|(at, share)| (groups[at].0, share)).collect()
}

#[cfg(test)]
mod tests {
    use lpvdn_core::StreamKey;

    use super::*;

    /// Two clusters on a line, around 0 and 10; refits keep a row the oftener the nearer it is to its own.
    fn line() -> (Matrix<f32>, Vec<u32>, Vec<(u32, f32)>) {
        let mut stream = StreamKey::new(1, "line").open();
        let labels: Vec<u32> = (0..2_000).map(|i| i % 2).collect();
        let codes = Matrix::from_fn(2_000, 1, |i, _| {
            (10.0 * f64::from(labels[i]) + 10.0 * stream.uniform() - 5.0) as f32
        });
        let keeps = |x: f32, label: u32| 0.5 + 0.5 * margin(&[x.abs(), (x - 10.0).abs()], label);
        let kept = labels.iter().zip(codes.as_slice()).zip(0..).map(|((&l, &x), i)| (i, keeps(x, l)));
        let kept: Vec<(u32, f32)> = kept.collect();
        (codes, labels, kept)
    }

    #[test]
    fn the_map_finds_the_share_of_refits_and_does_not_fall() {
        let (codes, labels, kept) = line();
        let known = Known { kept: &kept, codes: &codes, labels: &labels };
        let found = Confidence::fit(&known, (2, 1), euclidean);
        let distances = euclidean(&codes, found.centers());
        for (i, (_, share)) in kept.iter().enumerate() {
            let confidence = found.of(distances.row(i), labels[i]);
            assert!((confidence - share).abs() < 0.1, "row {i}: {confidence} for {share}");
        }
        for row in found.shares.iter_rows() {
            assert!(row.windows(2).all(|pair| pair[0] <= pair[1]));
        }
    }

    #[test]
    fn shares_that_fall_are_pooled() {
        let pooled = isotonic(vec![(0.0, 0.5, 1.0), (0.1, 0.9, 1.0), (0.2, 0.3, 1.0), (0.3, 1.0, 2.0)]);
        let shares: Vec<f64> = pooled.iter().map(|knot| knot.1).collect();
        assert_eq!(shares.len(), 4);
        assert!((shares[0] - 0.5).abs() < 1e-9 && (shares[1] - 0.6).abs() < 1e-9);
        assert!((shares[2] - 0.6).abs() < 1e-9 && (shares[3] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn clusters_without_rows_disturb_nobody() {
        let (codes, labels, kept) = line();
        let known = Known { kept: &kept, codes: &codes, labels: &labels };
        let found = Confidence::fit(&known, (3, 1), euclidean);
        let with = euclidean(&codes, found.centers());
        let without = euclidean(&codes, Confidence::fit(&known, (2, 1), euclidean).centers());
        assert_eq!(margin(with.row(0), labels[0]), margin(without.row(0), labels[0]));
        let pooled = found.of(&[9.0, 9.0, 1.0], 2);
        assert!(pooled > 0.5, "what holds for all rows: {pooled}");
    }

    #[test]
    fn equal_rows_have_a_margin() {
        assert_eq!(margin(&[0.0, 0.0], 1), 0.0);
        assert_eq!(margin(&[0.5], 0), 1.0);
        assert_eq!(margin(&[3.0, 1.0], 1), 0.5);
    }
}

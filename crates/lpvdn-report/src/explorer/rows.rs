//! What is known of each row on a page.

use lpvdn::Model;
use lpvdn_cluster::Neighbors;
use lpvdn_core::{Dataset, Matrix, StreamKey};

use rayon::prelude::*;

use super::error::ExploreError;

/// Neighbours that tell how lonely a row is.
const NEIGHBORS: usize = 10;
/// Rows among which they are sought, at most: a row that is far from so many, drawn by chance, is far from all.
const REFERENCES: usize = 20_000;

/// Rows that are encoded at once.
const PART: usize = 64 * 1_024;

/// Of each row its code, its cluster, and how sure that is.
pub(super) struct Rows {
    pub(super) codes: Matrix<f32>,
    pub(super) clusters: Vec<u32>,
    /// The probability of its cluster.
    pub(super) confidence: Vec<f32>,
    /// How much nearer the middle of its own cluster is than that of the next, from −1 to 1: it tells rows apart where
    /// the model is sure of all of them.
    pub(super) margin: Vec<f32>,
    /// Its mean distance to its nearest others, as a multiple of the median of all rows.
    pub(super) outlier: Vec<f32>,
    /// Its place on the map.
    pub(super) places: Matrix<f32>,
}

impl Rows {
    /// Of a model that has a map.
    pub(super) fn of(model: &Model, data: &Dataset) -> Result<Rows, ExploreError> {
        let axes = model.map().ok_or(ExploreError::NoMap)?.axes();
        let (mut codes, mut places) = (Vec::new(), Vec::new());
        let (mut clusters, mut confidence) = (Vec::new(), Vec::new());
        for start in (0..data.rows()).step_by(PART) {
            let part = start..(start + PART).min(data.rows());
            let some = model.codes_of_rows(data, part.clone())?;
            let probabilities = model.probabilities_of(&some);
            let labels = model.labels_of(&some);
            confidence.extend(probabilities.iter_rows().zip(&labels).map(|(p, &k)| p[k as usize]));
            clusters.extend(labels);
            codes.extend_from_slice(some.as_slice());
            if let Some(some) = model.place(data, part)? {
                places.extend_from_slice(some.as_slice());
            }
        }
        let codes = Matrix::from_vec(codes, data.rows(), model.code_size());
        let outlier = outliers(&codes)?;
        let margin = margins(&codes, &clusters, model.clusters());
        let places = Matrix::from_vec(places, data.rows(), axes);
        Ok(Rows { codes, clusters, confidence, margin, outlier, places })
    }
}

/// (b − a) / max(a, b) of the distances to the middle of a row's own cluster and to the nearest other: a silhouette of
/// centres.
fn margins(codes: &Matrix<f32>, clusters: &[u32], count: usize) -> Vec<f32> {
    let mut middles = vec![vec![0.0_f64; codes.cols()]; count];
    let mut sizes = vec![0_usize; count];
    for (code, &k) in codes.iter_rows().zip(clusters) {
        sizes[k as usize] += 1;
        middles[k as usize].iter_mut().zip(code).for_each(|(m, &x)| *m += f64::from(x));
    }
    for (middle, &size) in middles.iter_mut().zip(&sizes) {
        middle.iter_mut().for_each(|m| *m /= size.max(1) as f64);
    }
    let distance = |code: &[f32], k: usize| {
        code.iter().zip(&middles[k]).map(|(&x, m)| (f64::from(x) - m).powi(2)).sum::<f64>().sqrt()
    };
    let margin = |(code, &own): (&[f32], &u32)| {
        let others = (0..count).filter(|&k| k != own as usize && sizes[k] > 0);
        let (a, b) =
            (distance(code, own as usize), others.map(|k| distance(code, k)).fold(f64::INFINITY, f64::min));
        match a.max(b) {
            // Alone, it is nowhere near another.
            most if most.is_infinite() => 1.0,
            most if most > 0.0 => ((b - a) / most) as f32,
            _ => 0.0,
        }
    };
    let width = codes.cols().max(1);
    codes.as_slice().par_chunks(width).zip(clusters).map(margin).collect()
}

fn outliers(codes: &Matrix<f32>) -> Result<Vec<f32>, ExploreError> {
    let n = codes.rows();
    let mut chosen: Vec<u32> = (0..n as u32).collect();
    StreamKey::new(0, "references").open().shuffle(&mut chosen);
    chosen.truncate(REFERENCES);
    chosen.sort_unstable();
    // One more than counts: a row may be among them itself.
    let k = (NEIGHBORS + 1).min(chosen.len());
    if k < 2 {
        return Ok(vec![0.0; n]);
    }
    let references = Matrix::from_fn(chosen.len(), codes.cols(), |i, j| codes.row(chosen[i] as usize)[j]);
    let found = Neighbors::of(codes, &references, k)?;
    let mean = |row: usize| {
        let pairs = found.indices.row(row).iter().zip(found.distances.row(row));
        let others = pairs.filter(|(j, _)| chosen[**j as usize] as usize != row).map(|(_, &d)| d);
        others.take(k - 1).sum::<f32>() / (k - 1) as f32
    };
    let distances: Vec<f32> = (0..n).map(mean).collect();
    // Rows that equal others are at no distance from them, and say nothing about what is usual.
    let mut apart: Vec<f32> = distances.iter().copied().filter(|d| *d > 0.0).collect();
    apart.sort_unstable_by(f32::total_cmp);
    let usual = apart.get(apart.len() / 2).copied().unwrap_or(1.0);
    Ok(distances.into_iter().map(|d| d / usual).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_is_small_between_two_clusters_and_one_where_there_is_no_other() {
        let codes = Matrix::from_vec(vec![0.0, 2.0, 4.9, 10.0, 10.0], 5, 1);
        let margins_of_two = margins(&codes, &[0, 0, 0, 1, 1], 3);
        let least = (0..5).min_by(|&a, &b| margins_of_two[a].total_cmp(&margins_of_two[b]));
        assert_eq!(least, Some(2));
        assert!(margins_of_two.iter().all(|m| (-1.0..=1.0).contains(m)) && margins_of_two[3] == 1.0);
        assert!(margins(&codes, &[0; 5], 1).iter().all(|&m| m == 1.0));
        assert_eq!(margins(&Matrix::zeros(2, 1), &[0, 1], 2), [0.0, 0.0]);
    }

    #[test]
    fn a_row_far_from_all_is_the_greatest_outlier_and_most_are_about_one() {
        let mut s = StreamKey::new(1, "lonely").open();
        let codes = Matrix::from_fn(500, 3, |i, _| if i == 77 { 40.0 } else { s.normal() as f32 });
        let outlier = outliers(&codes).expect("scores");
        let most = (0..500).max_by(|&a, &b| outlier[a].total_cmp(&outlier[b]));
        assert_eq!(most, Some(77));
        assert!(outlier[77] > 20.0);
        assert!(outlier.iter().filter(|&&o| o < 2.0).count() > 400);
        assert_eq!(outliers(&Matrix::zeros(1, 3)).expect("one row"), [0.0]);
        let mostly_equal = Matrix::from_fn(100, 1, |i, _| if i < 90 { 0.0 } else { i as f32 });
        assert!(outliers(&mostly_equal).expect("scores").iter().all(|&o| o < 100.0));
        assert!(outliers(&Matrix::zeros(5, 3)).expect("equal rows").iter().all(|&o| o == 0.0));
    }
}

//! What is known of each row on a page.

use lpvdn::Model;
use lpvdn_cluster::Neighbors;
use lpvdn_core::{Dataset, Matrix, StreamKey};

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
    /// By how much that is more than the second.
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
        let (mut clusters, mut confidence, mut margin) = (Vec::new(), Vec::new(), Vec::new());
        for start in (0..data.rows()).step_by(PART) {
            let part = start..(start + PART).min(data.rows());
            let some = model.codes_of_rows(data, part.clone())?;
            let probabilities = model.probabilities_of(&some);
            let labels = model.labels_of(&some);
            for (p, &k) in probabilities.iter_rows().zip(&labels) {
                let own = p[k as usize];
                let others = p.iter().enumerate().filter(|(j, _)| *j != k as usize);
                confidence.push(own);
                margin.push(own - others.map(|(_, &p)| p).fold(0.0, f32::max));
            }
            clusters.extend(labels);
            codes.extend_from_slice(some.as_slice());
            if let Some(some) = model.place(data, part)? {
                places.extend_from_slice(some.as_slice());
            }
        }
        let codes = Matrix::from_vec(codes, data.rows(), model.code_size());
        let outlier = outliers(&codes)?;
        let places = Matrix::from_vec(places, data.rows(), axes);
        Ok(Rows { codes, clusters, confidence, margin, outlier, places })
    }
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
    let mut sorted = distances.clone();
    sorted.sort_unstable_by(f32::total_cmp);
    let median = sorted[n / 2].max(f32::MIN_POSITIVE);
    Ok(distances.into_iter().map(|d| d / median).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(outliers(&Matrix::zeros(5, 3)).expect("equal rows").iter().all(|&o| o == 0.0));
    }
}

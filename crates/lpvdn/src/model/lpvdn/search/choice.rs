//! Candidates compared without labels.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use lpvdn_cluster::metrics::{accuracy, ari};
use lpvdn_core::{Matrix, StreamKey};
use serde::{Deserialize, Serialize};

use super::candidate::Scout;
use crate::error::FitError;
use crate::model::fitted::Fitted;
use crate::model::lpvdn::clustering::cluster_codes;
use crate::model::lpvdn::hyperparams::LpvdnParams;
use crate::model::lpvdn::quality::Quality;
use crate::model::lpvdn::trainer::effective_clusters;
use crate::train::events::Phase;

/// The most rows on which numbers of clusters are compared.
const CURVE_ROWS: usize = 20_000;

/// A short fit and how it did, without labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its seed.
    pub seed: u64,
    /// What it took.
    pub seconds: f64,
    /// The objective in its last epoch of training.
    pub loss: f64,
    /// L_LP in its last epoch.
    pub locality: Option<f64>,
    /// exp of the entropy of its cluster sizes.
    pub effective_clusters: f64,
    /// How well its clusters are apart.
    #[serde(flatten)]
    pub quality: Quality,
    /// The mean ARI with the other candidates.
    pub agreement: Option<f64>,
    /// The accuracy, where labels are known. It has no part in the choice.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub acc: Option<f64>,
}

impl Candidate {
    pub(super) fn of(fitted: &Fitted) -> Candidate {
        let trained = fitted.history.iter().rfind(|report| report.phase == Phase::Joint);
        Candidate {
            seed: fitted.params().seed,
            seconds: fitted.seconds,
            loss: trained.map_or(f64::NAN, |report| report.loss),
            locality: fitted.history.last().and_then(|report| report.locality),
            effective_clusters: fitted.effective_clusters,
            quality: fitted.quality,
            agreement: None,
            acc: None,
        }
    }

    /// By these the candidates are ranked, one after the other; higher is better. Two candidates agree
    /// with each other alike, and one with nobody: then the silhouette decides.
    fn scores(&self) -> [f64; 2] {
        [self.agreement, self.quality.silhouette].map(|score| score.unwrap_or(f64::NEG_INFINITY))
    }
}

/// How one number of clusters does: means over the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// K
    pub clusters: usize,
    /// How well the clusters are apart.
    #[serde(flatten)]
    pub quality: Quality,
    /// The mean ARI between candidates.
    pub agreement: Option<f64>,
}

/// The candidates and the one that was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The seed of the chosen one.
    pub seed: u64,
    /// The chosen number of clusters, or the one that was given.
    pub clusters: usize,
    /// The mean ARI between two candidates.
    pub agreement: Option<f64>,
    /// All candidates.
    pub candidates: Vec<Candidate>,
    /// What the number of clusters was chosen by; empty where it was given.
    pub curve: Vec<CurvePoint>,
}

impl Choice {
    /// `params` are those of the candidates, seeds aside; `truth` is only reported on. Given up as soon as
    /// it is `stopped`: the candidates themselves are in the store.
    pub(super) fn of(
        scouts: &[Scout],
        truth: Option<&[u32]>,
        range: Option<RangeInclusive<usize>>,
        params: &LpvdnParams,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Choice, FitError> {
        let curve = match range {
            Some(range) => {
                range.map(|k| curve_point(scouts, params, k, stopped)).collect::<Result<_, _>>()?
            }
            None => Vec::new(),
        };
        let clusters = best_clusters(&curve).unwrap_or(params.clusters);
        let labels = scouts.iter().map(|s| {
            go_on(stopped)?;
            labels_at(&s.codes, params, s.candidate.seed, clusters)
        });
        let labels = labels.collect::<Result<Vec<_>, _>>()?;
        let agreements = agreements(&labels);
        let mut candidates: Vec<Candidate> = Vec::new();
        for ((scout, labels), &agreement) in scouts.iter().zip(&labels).zip(&agreements) {
            go_on(stopped)?;
            candidates.push(Candidate {
                effective_clusters: effective_clusters(labels, clusters),
                quality: Quality::of(&scout.codes, labels),
                agreement,
                acc: truth.and_then(|truth| accuracy(truth, labels).ok()),
                ..scout.candidate.clone()
            });
        }
        let better =
            |a: &Candidate, b: &Candidate| a.scores().partial_cmp(&b.scores()) == Some(Ordering::Greater);
        let best = candidates.iter().fold(&candidates[0], |best, c| if better(c, best) { c } else { best });
        Ok(Choice { seed: best.seed, clusters, agreement: mean(agreements.into_iter()), candidates, curve })
    }
}

/// An error once it is stopped.
fn go_on(stopped: &(dyn Fn() -> bool + Sync)) -> Result<(), FitError> {
    if stopped() { Err(FitError::Interrupted { checkpoint: None }) } else { Ok(()) }
}

/// The labels of codes with so many clusters, by K-means.
fn labels_at(
    codes: &Matrix<f32>,
    params: &LpvdnParams,
    seed: u64,
    clusters: usize,
) -> Result<Vec<u32>, FitError> {
    cluster_codes(&LpvdnParams { seed, clusters, ..params.clone() }, codes)
}

/// At most [`CURVE_ROWS`] of the codes, the same rows for every candidate.
fn some_rows(codes: &Matrix<f32>) -> Matrix<f32> {
    if codes.rows() <= CURVE_ROWS {
        return codes.clone();
    }
    let mut rows: Vec<usize> = (0..codes.rows()).collect();
    StreamKey::new(0, "curve").open().shuffle(&mut rows);
    Matrix::from_fn(CURVE_ROWS, codes.cols(), |i, j| codes.row(rows[i])[j])
}

fn curve_point(
    scouts: &[Scout],
    params: &LpvdnParams,
    clusters: usize,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<CurvePoint, FitError> {
    let mut labels = Vec::new();
    let mut qualities = Vec::new();
    for scout in scouts {
        go_on(stopped)?;
        let codes = some_rows(&scout.codes);
        let found = labels_at(&codes, params, scout.candidate.seed, clusters)?;
        qualities.push(Quality::of(&codes, &found));
        labels.push(found);
    }
    let of = |score: fn(&Quality) -> Option<f64>| mean(qualities.iter().map(score));
    Ok(CurvePoint {
        clusters,
        quality: Quality {
            silhouette: of(|q| q.silhouette),
            calinski_harabasz: of(|q| q.calinski_harabasz),
            davies_bouldin: of(|q| q.davies_bouldin),
        },
        agreement: mean(agreements(&labels).into_iter()),
    })
}

/// The number of clusters that the three scores rank best together; of equals the lowest.
///
/// None of them will do alone (ARCHITECTURE.md, Searching): the silhouette and Davies–Bouldin fall for the
/// few large groups that a set may also have, Calinski–Harabasz for the parts of a long cluster.
fn best_clusters(curve: &[CurvePoint]) -> Option<usize> {
    let scores: [fn(&Quality) -> Option<f64>; 3] =
        [|q| q.silhouette, |q| q.calinski_harabasz, |q| q.davies_bouldin.map(|d| -d)];
    let value =
        |p: &CurvePoint, score: fn(&Quality) -> Option<f64>| score(&p.quality).unwrap_or(f64::NEG_INFINITY);
    let rank = |p: &CurvePoint| -> usize {
        let better = |score| curve.iter().filter(|other| value(other, score) > value(p, score)).count();
        scores.into_iter().map(better).sum()
    };
    curve.iter().min_by_key(|p| (rank(p), p.clusters)).map(|p| p.clusters)
}

/// Of each labelling, the mean ARI with the others.
fn agreements(labels: &[Vec<u32>]) -> Vec<Option<f64>> {
    let n = labels.len();
    let mut pairs = vec![vec![None; n]; n];
    for i in 0..n {
        for j in 0..i {
            let found = ari(&labels[i], &labels[j]).ok();
            (pairs[i][j], pairs[j][i]) = (found, found);
        }
    }
    pairs.into_iter().map(|row| mean(row.into_iter())).collect()
}

/// The mean of what is there.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (sum, n) = values.flatten().fold((0.0, 0), |(sum, n), v| (sum + v, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(scores: &[(usize, f64, f64, f64)]) -> Vec<CurvePoint> {
        let point = |&(clusters, silhouette, calinski_harabasz, davies_bouldin): &(usize, f64, f64, f64)| {
            let quality = Quality {
                silhouette: Some(silhouette),
                calinski_harabasz: Some(calinski_harabasz),
                davies_bouldin: Some(davies_bouldin),
            };
            CurvePoint { clusters, quality, agreement: None }
        };
        scores.iter().map(point).collect()
    }

    #[test]
    fn scores_vote_on_the_number_of_clusters() {
        assert_eq!(best_clusters(&[]), None);
        // Two of three, against the parts of a long cluster.
        let long =
            curve(&[(2, 0.5, 10.0, 0.9), (3, 0.8, 20.0, 0.2), (4, 0.6, 30.0, 0.5), (5, 0.4, 40.0, 0.8)]);
        assert_eq!(best_clusters(&long), Some(3));
        // Large groups that two of them fall for.
        let large =
            curve(&[(2, 0.8, 10.0, 0.2), (3, 0.6, 20.0, 0.4), (4, 0.7, 90.0, 0.3), (5, 0.3, 80.0, 0.9)]);
        assert_eq!(best_clusters(&large), Some(4));
        let equal = curve(&[(2, 0.8, 10.0, 0.2), (3, 0.8, 10.0, 0.2)]);
        assert_eq!(best_clusters(&equal), Some(2));
    }

    #[test]
    fn agreement_is_the_mean_with_the_others() {
        let (a, b) = (vec![0, 0, 1, 1], vec![1, 1, 0, 0]);
        assert_eq!(agreements(std::slice::from_ref(&a)), [None]);
        assert_eq!(agreements(&[a.clone(), b.clone()]), [Some(1.0), Some(1.0)]);
        let odd = vec![0, 1, 0, 1];
        let found = agreements(&[a, b, odd]);
        assert!(found[0] > found[2] && found[0] == found[1], "{found:?}");
    }
}

//! From codes to clusters.

use lpvdn_cluster::gaussian_mixture::{CovarianceType, GaussianMixture, GaussianMixtureParams};
use lpvdn_cluster::k_means::KMeans;
use lpvdn_cluster::metrics::modularity;
use lpvdn_cluster::{Neighbors, Spectral};
use lpvdn_core::Matrix;

use super::assignment::Assignment;
use super::candidates::by_leiden;
use super::hyperparams::{FinalClustering, LpvdnParams, PriorStart};
use crate::error::FitError;
use crate::train::districts::Districts;

/// Numbers for the random streams of the clusterings inside a fit.
const MIXTURE_PHASE: u32 = 10;
const FINAL_PHASE: u32 = 11;
const LATENT_PHASE: u32 = 12;
/// And the next numbers.
const CELL_PHASE: u32 = 13;

fn failed(error: impl std::fmt::Display) -> FitError {
    FitError::Clustering(error.to_string())
}

/// A mixture whose components have axes of their own.
fn diagonal_mixture(params: &LpvdnParams, starts: u32, phase: u32) -> GaussianMixtureParams {
    GaussianMixture::params(params.clusters)
        .covariance_type(CovarianceType::Diagonal)
        .n_init(starts)
        .seed(params.seed)
        .phase(phase)
}

/// The mixture that the prior starts as, from the pre-trained latent means, and the initial clusters of the same rows.
pub(super) fn starting_prior(
    params: &LpvdnParams,
    latent: &Matrix<f32>,
    initial: Option<&[u32]>,
) -> Result<GaussianMixture, FitError> {
    let mixture = diagonal_mixture(params, params.mixture_starts, MIXTURE_PHASE);
    if let (PriorStart::Rows, Some(labels)) = (params.prior_start, initial) {
        return mixture.of_clusters(latent, labels).map_err(failed);
    }
    if params.prior_start == PriorStart::Graph
        && let Some((found, _)) = divided(params, latent, latent)?
    {
        return mixture.of_clusters(latent, &found.labels()).map_err(failed);
    }
    mixture.fit(latent).map_err(failed)
}

fn k_means(params: &LpvdnParams, points: &Matrix<f32>, phase: u32) -> Result<KMeans, FitError> {
    KMeans::params(params.clusters)
        .n_init(params.starts)
        .seed(params.seed)
        .phase(phase)
        .fit(points)
        .map_err(failed)
}

/// The clusters that K-means, fitted to the rows that speak for all, makes of codes.
pub(super) fn k_means_labels(
    params: &LpvdnParams,
    codes: &Matrix<f32>,
    districts: &Districts,
) -> Result<Vec<u32>, FitError> {
    let fitted = k_means(params, &districts.sample(codes), LATENT_PHASE)?;
    match districts.count() {
        1 => Ok(fitted.labels),
        _ => fitted.predict(codes).map_err(failed),
    }
}

/// Turns o' into an assignment; `latent` are the means that the neighbours are measured between. Where the partition is to be
/// chosen, it is that of `Graph` here: the one that is chosen of the codes of most signals.
pub(super) fn cluster(
    params: &LpvdnParams,
    embedding: &Matrix<f32>,
    latent: &Matrix<f32>,
) -> Result<Assignment, FitError> {
    match params.clustering {
        FinalClustering::KMeans => {
            k_means(params, embedding, FINAL_PHASE).map(|found| centers(found, embedding))
        }
        FinalClustering::Graph | FinalClustering::Auto => by_graph(params, embedding, latent),
        FinalClustering::Leiden => by_leiden(params, embedding),
        FinalClustering::GaussianMixture => {
            let m = diagonal_mixture(params, params.starts, FINAL_PHASE).fit(embedding).map_err(failed)?;
            let variances = m.variances().cloned().unwrap_or_default();
            Ok(Assignment::Mixture {
                weights: m.weights().iter().map(|w| *w as f32).collect(),
                means: m.means().cast(),
                variances: variances.cast(),
            })
        }
    }
}

pub(super) fn centers(found: KMeans, embedding: &Matrix<f32>) -> Assignment {
    let scale = scale_of(found.inertia / embedding.rows() as f64, embedding.cols());
    Assignment::Centers { centers: found.centers, scale }
}

/// Spectral clustering of cells of o', or K-means: whichever keeps neighbours together better. Where
/// clusters are round, K-means is as good and places its borders more finely; where they are not, it
/// cuts through them. A graph needs rows enough to have cells.
fn by_graph(
    params: &LpvdnParams,
    embedding: &Matrix<f32>,
    latent: &Matrix<f32>,
) -> Result<Assignment, FitError> {
    let round = k_means(params, embedding, FINAL_PHASE)?;
    let Some((found, neighbors)) = divided(params, embedding, latent)? else {
        return Ok(centers(round, embedding));
    };
    if modularity(&neighbors, &round.labels).map_err(failed)? > found.modularity {
        return Ok(centers(round, embedding));
    }
    Ok(cells_of(&found, embedding))
}

/// The cells of spectral clustering.
pub(super) fn cells_of(found: &Spectral, embedding: &Matrix<f32>) -> Assignment {
    Assignment::Cells {
        scale: scale_of(found.spread, embedding.cols()),
        cells: found.cells.clone(),
        clusters: found.clusters.clone(),
    }
}

/// K-means of o'.
pub(super) fn final_k_means(params: &LpvdnParams, embedding: &Matrix<f32>) -> Result<KMeans, FitError> {
    k_means(params, embedding, FINAL_PHASE)
}

/// Cells of `points` divided into clusters that keep the nearest neighbours among `latent` together, and those
/// neighbours; `None` where the rows are too few for it, or the clusters too many.
pub(crate) fn divided(
    params: &LpvdnParams,
    points: &Matrix<f32>,
    latent: &Matrix<f32>,
) -> Result<Option<(Spectral, Matrix<u32>)>, FitError> {
    let spectral = Spectral::params(params.clusters);
    if spectral.cells_for(points.rows()).is_none() {
        return Ok(None);
    }
    let neighbors = Neighbors::among(latent, params.graph_neighbors(latent.rows())).map_err(failed)?.indices;
    let found = spectral
        .n_init(params.starts)
        .seed(params.seed)
        .phase(CELL_PHASE)
        .fit(points, &neighbors)
        .map_err(failed)?;
    Ok(found.map(|found| (found, neighbors)))
}

/// The standard deviation of a coordinate, from the mean squared distance. Rows that all lie on their
/// centres leave no spread to measure by.
fn scale_of(squared_distance: f64, coordinates: usize) -> f32 {
    ((squared_distance / coordinates as f64).sqrt() as f32).max(1e-6)
}

/// The clusters that K-means makes of codes.
pub(super) fn cluster_codes(params: &LpvdnParams, codes: &Matrix<f32>) -> Result<Vec<u32>, FitError> {
    k_means(params, codes, FINAL_PHASE).map(|fitted| fitted.labels)
}

#[cfg(test)]
mod tests {
    use lpvdn_core::StreamKey;

    use super::*;

    /// Points of two groups, `length` standard deviations long and 4 apart.
    fn groups(length: f64) -> (Matrix<f32>, Vec<u32>) {
        let mut stream = StreamKey::new(4, "groups").open();
        let labels: Vec<u32> = (0..1_200).map(|i| i % 2).collect();
        let points = Matrix::from_fn(1_200, 2, |i, j| {
            let place = [0.0, 4.0 * f64::from(labels[i])][j];
            (place + [length, 0.5][j] * stream.normal()) as f32
        });
        (points, labels)
    }

    #[test]
    fn a_prior_starts_from_clusters_of_neighbours_or_rows_or_from_expectation_and_maximisation() {
        let (points, truth) = groups(4.0);
        let vade = |recipe| LpvdnParams::vade(recipe, 2);
        let started = |prior_start, initial: Option<&[u32]>| {
            let params = LpvdnParams { prior_start, ..vade(crate::Recipe::Robust) };
            starting_prior(&params, &points, initial).expect("a mixture")
        };
        let by_graph = started(PriorStart::Graph, None);
        let mut known = GaussianMixture::params(2).of_clusters(&points, &truth).expect("a mixture");
        if (by_graph.means().row(0)[1] < 2.0) != (known.means().row(0)[1] < 2.0) {
            let other: Vec<u32> = truth.iter().map(|label| 1 - label).collect();
            known = GaussianMixture::params(2).of_clusters(&points, &other).expect("a mixture");
        }
        for (found, known) in by_graph.means().as_slice().iter().zip(known.means().as_slice()) {
            assert!((found - known).abs() < 0.05, "{found} for {known}");
        }
        let paper = vade(crate::Recipe::Paper);
        let fitted = diagonal_mixture(&paper, 1, MIXTURE_PHASE).fit(&points).expect("a mixture");
        assert_eq!(starting_prior(&paper, &points, None).expect("a mixture"), fitted);
        // The initial clustering counts where it is asked for, whatever it is.
        let halves: Vec<u32> = points.iter_rows().map(|row| u32::from(row[0] > 0.0)).collect();
        let of_halves = GaussianMixture::params(2).of_clusters(&points, &halves).expect("a mixture");
        assert_eq!(started(PriorStart::Rows, Some(&halves)).means(), of_halves.means());
        assert_eq!(started(PriorStart::Graph, Some(&halves)), by_graph);
        assert_eq!(started(PriorStart::Rows, None), started(PriorStart::Em, Some(&halves)));
    }

    #[test]
    fn the_graph_decides_where_clusters_are_long() {
        let usual = LpvdnParams::of_recipe(crate::Recipe::Robust, 2);
        let params = LpvdnParams { clustering: FinalClustering::Graph, ..usual };
        let ((points, truth), (latent, _)) = (groups(4.0), groups(0.5));
        let Assignment::Cells { cells, clusters, .. } = cluster(&params, &points, &latent).expect("clusters")
        else {
            panic!("K-means cuts across the groups");
        };
        let group = |cell: usize| u32::from(cells.row(cell)[1] > 2.0);
        assert!((0..cells.rows()).all(|c| (group(c) == group(0)) == (clusters[c] == clusters[0])));
        let round = LpvdnParams { clustering: FinalClustering::KMeans, ..params };
        let halves = cluster_codes(&round, &points).expect("labels");
        let agreement = halves.iter().zip(&truth).filter(|(a, b)| a == b).count();
        assert!((400..800).contains(&agreement), "{agreement}");
    }
}

//! Which partition becomes the clusters. No labels are seen.
//!
//! The rows were divided before the training ([`Initial`]), and one of their partitions was preferred. The codes o' are divided by
//! K-means, by Leiden, and by the largest modularity among their cells. The rules:
//!
//! 1. **Signals are divided by their codes, everything else by its rows.** Signals are pixels, and other columns that are all
//!    measured on one scale (`model/signals.rs`): the distance between two such rows says little about what they show, and there the codes are better.
//!    Where a column means something by itself, and of embeddings and texts in latent semantic analysis, they are not: the
//!    graph that L_LP keeps is that of the rows, and training can only lose some of it.
//! 2. **Among partitions of the codes** that of the largest modularity is taken, unless Leiden's is found again in halves of the
//!    codes much more alike ([`MORE_STABLE`]): the largest modularity prefers clusters of like size, and cuts a large one into
//!    pieces each time elsewhere. (K-means of codes says nothing here: what L_LP has drawn apart it always finds again.) Where there
//!    are too few rows for it, Leiden and K-means are compared as those of the rows are (`graph::choice`).
//!
//! ARCHITECTURE.md (From o' to clusters) has the figures, and those of the rules that chose worse.

use lpvdn_core::Matrix;

use super::assignment::{Assignment, RowAssignment};
use super::clustering::{self, centers, divided};
use super::hyperparams::LpvdnParams;
use crate::error::FitError;
use crate::model::graph::GraphParams;
use crate::model::graph::choice::{self, Stability, Verdict};
use crate::model::graph::initial::{Initial, Start};
use crate::model::graph::landmarks::{Landmarks, gathered};
use crate::model::graph::partitions::{
    self, Partition, PartitionOf, Partitions, Points, Search, Way, agreements,
};

/// Leiden's partition is taken in the place of that of the largest modularity if its stability is larger by this.
const MORE_STABLE: f64 = 0.05;
/// Cells that stand for communities of the codes, at most.
const CELLS: usize = 1_024;

/// The codes of the rows that speak for all.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    /// o'
    pub(super) embedding: &'a Matrix<f32>,
    /// μ̃
    pub(super) latent: &'a Matrix<f32>,
}

/// A training that is complete is not thrown away for the seconds that its clusters take.
fn to_the_end() -> bool {
    false
}

/// The parameters of the clusters of the rows, and of graphs among codes.
pub(crate) fn graph_params(params: &LpvdnParams) -> GraphParams {
    GraphParams {
        seed: params.seed,
        neighbors: params.neighbors,
        starts: params.starts,
        district: params.district,
        scale: params.scale,
        components: params.components,
        ..GraphParams::new(params.clusters)
    }
}

/// Leiden's communities of the neighbour graph of o'.
pub(super) fn by_leiden(params: &LpvdnParams, embedding: &Matrix<f32>) -> Result<Assignment, FitError> {
    let graph = graph_params(params);
    let points = Points::new(embedding.clone(), &graph)?;
    cells(params, embedding, &partitions::leiden(&points, &graph, Search::Whole, &to_the_end)?.labels)
}

/// Cells of o' in the place of a partition of it.
fn cells(params: &LpvdnParams, embedding: &Matrix<f32>, labels: &[u32]) -> Result<Assignment, FitError> {
    let found = Landmarks::of(embedding, labels, (params.clusters, CELLS, params.seed))?;
    Ok(Assignment::Cells { cells: found.places, clusters: found.clusters, scale: found.scale })
}

/// Divides the codes, and chooses among the partitions of rows and codes.
pub(super) fn chosen(
    params: &LpvdnParams,
    start: &Start,
    initial: &Initial,
    codes: Sample<'_>,
    signals: bool,
) -> Result<(Assignment, Partitions), FitError> {
    let graph = graph_params(params);
    let points = Points::new(codes.embedding.clone(), &graph)?;
    let leiden = partitions::leiden(&points, &graph, Search::Whole, &to_the_end)?;
    let mut ways = vec![(Way::Leiden, leiden.labels)];
    let k_means = clustering::final_k_means(params, codes.embedding)?;
    ways.push((Way::KMeans, k_means.labels.clone()));
    // Of what is divided by its rows, two partitions of the codes are enough to be compared with.
    let modular = match signals {
        true => divided(params, codes.embedding, codes.latent)?.map(|(found, _)| found),
        false => None,
    };
    ways.extend(modular.iter().map(|found| (Way::Modularity, found.labels())));
    let Verdict { preferred, stability } = match (signals, &modular) {
        (false, _) => Verdict { preferred: Way::KMeans, stability: None },
        (true, None) => choice::verdict(&points, &ways, (&graph, leiden.resolution), &to_the_end)?,
        (true, Some(_)) => more_stable(params, codes, &ways)?,
    };
    let assignment = match (signals, preferred, &modular) {
        (false, ..) => Assignment::Rows(Box::new(RowAssignment {
            projection: initial.projection(&start.neighborhood.projection),
            landmarks: initial.landmarks.clone(),
        })),
        (true, Way::Modularity, Some(found)) => clustering::cells_of(found, codes.embedding),
        (true, Way::Leiden, _) => cells(params, codes.embedding, &ways[0].1)?,
        (true, ..) => centers(k_means, codes.embedding),
    };
    let mut all = initial.partitions.all.clone();
    let of_rows = all.len();
    let kept = match signals {
        false => initial.partitions.kept,
        true => of_rows + ways.iter().position(|(way, _)| *way == preferred).unwrap_or(0),
    };
    all.extend(ways.into_iter().map(|(way, labels)| Partition {
        of: PartitionOf::Codes,
        modularity: choice::modularity(&points.graph, &labels),
        stability: stability.and_then(|stability| stability.of(way)),
        way,
        labels,
        agreement: 0.0,
    }));
    let labels: Vec<(Way, Vec<u32>)> = all.iter().map(|part| (part.way, part.labels.clone())).collect();
    all.iter_mut().zip(agreements(&labels)).for_each(|(part, agreement)| part.agreement = agreement);
    Ok((assignment, Partitions { rows: initial.partitions.rows.clone(), all, kept, reproduced: 0.0 }))
}

/// The largest modularity, or Leiden where halves of the codes are divided by it more alike. Where a half is too small for the
/// largest modularity, it is taken.
fn more_stable(
    params: &LpvdnParams,
    codes: Sample<'_>,
    ways: &[(Way, Vec<u32>)],
) -> Result<Verdict, FitError> {
    let graph = graph_params(params);
    let halves = choice::halves(codes.embedding.rows(), (params.seed, "halves of codes"));
    let share = (halves.len() as f64).recip();
    let mut found = Stability::default();
    for rows in &halves {
        let (embedding, latent) = (gathered(codes.embedding, rows), gathered(codes.latent, rows));
        let Some((modular, _)) = divided(params, &embedding, &latent)? else {
            return Ok(Verdict { preferred: Way::Modularity, stability: None });
        };
        let points = Points::new(embedding, &graph)?;
        let leiden = partitions::leiden(&points, &graph, Search::Whole, &to_the_end)?;
        let again = [(Way::Modularity, modular.labels()), (Way::Leiden, leiden.labels)];
        for (way, all) in ways {
            if let Some((_, labels)) = again.iter().find(|(known, _)| known == way) {
                found.add(*way, share * choice::ari(all, rows, labels));
            }
        }
    }
    let of = |way: Way| found.of(way).unwrap_or(0.0);
    let preferred = match of(Way::Leiden) > of(Way::Modularity) + MORE_STABLE {
        true => Way::Leiden,
        false => Way::Modularity,
    };
    Ok(Verdict { preferred, stability: Some(found) })
}

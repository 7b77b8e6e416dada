//! All of a verdict in its order.

use std::sync::atomic::Ordering;
use std::time::Instant;

use lpvdn_cluster::metrics;
use lpvdn_core::{Dataset, Matrix, Pool, StreamKey};
use rayon::prelude::*;

use super::confidence::{Confidence, Known};
use super::judgement::{NullStability, Verdict};
use super::nulls::Nulls;
use super::refits::{Refit, agreement};
use super::sample::{Sample, drawn};
use super::short::{Repeat, Short};
use super::stability::Stability;
use crate::error::FitError;
use crate::model::any::Model;
use crate::model::cluster_model::in_pool;
use crate::model::fitted::Fitted;
use crate::model::graph::{GraphParams, Partition, PartitionOf, Partitions, Way};
use crate::model::lpvdn::Quality;
use crate::train::control::FitControl;
use crate::train::events::Event;

/// Rows that are looked at, at most; and so many for each cluster where there are many clusters.
pub(super) const ROWS: usize = 2_000;
/// The same of methods without training, whose fits take a second.
const QUICK_ROWS: usize = 1_200;
const ROWS_EACH: usize = 40;
/// However many clusters there are.
const MOST_ROWS: usize = 10_000;
/// Rows of short trainings, likewise.
const TRAINED_ROWS: usize = 4_000;
/// Halvings of the rows.
const HALVINGS: u32 = 5;
/// Data sets of each null.
const REPLICATES: u32 = 10;
/// Refits on parts of the rows, without training, and how large these are.
const REFITS: u32 = 10;
const PART: f64 = 0.8;
/// Rows that these look at, as a multiple of those that are halved: the map from margins to shares wants many rows of each cluster.
const MORE: usize = 2;
/// Halves below this say nothing.
const SMALLEST_HALF: usize = 10;
/// Rows of a half for each cluster, at least.
const LEAST_EACH: usize = 3;

impl Fitted<Model> {
    /// Judges the clusters of the rows that the model was fitted to, and keeps the verdict, and in the model how sure its clusters are. See
    /// [`crate::verdict`].
    ///
    /// # Errors
    /// Rows that cannot be read, an interruption.
    pub fn judge(&mut self, data: &Dataset, control: &mut FitControl<'_>) -> Result<(), FitError> {
        let began = Instant::now();
        if (data.rows(), data.cols()) != (self.labels.len(), self.model.data().columns) {
            let other = "a verdict needs the rows that the model was fitted to".to_owned();
            return Err(FitError::Clustering(other));
        }
        let mut verdict = match judged(self, data, control) {
            Ok(verdict) => verdict,
            Err(
                error @ (FitError::Interrupted { .. }
                | FitError::Source(_)
                | FitError::Threads(_)
                | FitError::Checkpoint(_)),
            ) => return Err(error),
            // What cannot be divided, or trained, again is not judged; the clusters are what they are.
            Err(FitError::Clustering(reason)) => Verdict::not_judged(way_of(self), reason),
            Err(other) => Verdict::not_judged(way_of(self), other.to_string()),
        };
        if !verdict.kept_rows.is_empty() {
            let known = Known { kept: &verdict.kept_rows, codes: &self.embedding, labels: &self.labels };
            let distances =
                |codes: &Matrix<f32>, centers: &Matrix<f32>| self.model.distances_to(codes, centers);
            let sizes = (self.model.clusters(), self.model.center_size());
            let confidence = in_pool(control.threads, || Confidence::fit(&known, sizes, distances));
            self.model.origin_mut().confidence = Some(confidence);
        }
        verdict.seconds = began.elapsed().as_secs_f64();
        self.verdict = Some(verdict);
        Ok(())
    }
}

/// How the rows were divided before any training, or how a method without one divides them.
fn way_of(fitted: &Fitted<Model>) -> Way {
    let of_rows = |partitions: &Partitions| {
        let kept = partitions.kept();
        if kept.of == PartitionOf::Rows {
            return kept.way;
        }
        // Of the partitions of the rows, the one that is most like the clusters that were chosen.
        let like = |part: &&Partition| metrics::ari(&kept.labels, &part.labels).unwrap_or(0.0);
        let rows = partitions.all.iter().filter(|part| part.of == PartitionOf::Rows);
        rows.max_by(|a, b| like(a).total_cmp(&like(b))).map_or(Way::Leiden, |part| part.way)
    };
    match (&fitted.model, &fitted.partitions) {
        (Model::KMeans(_), _) => Way::KMeans,
        (_, Some(partitions)) => of_rows(partitions),
        (Model::Graph(model), None) => model.way(),
        _ => Way::Leiden,
    }
}

fn graph_params(model: &Model) -> GraphParams {
    let settings = model.settings();
    let components = settings.get("components").and_then(serde_json::Value::as_u64);
    let own = match model {
        Model::Graph(model) => model.params().clone(),
        _ => GraphParams::new(model.clusters()),
    };
    GraphParams {
        seed: model.seed(),
        components: components.and_then(|n| usize::try_from(n).ok()).or(own.components),
        ..own
    }
}

fn judged(fitted: &Fitted<Model>, data: &Dataset, control: &mut FitControl<'_>) -> Result<Verdict, FitError> {
    let (model, clusters, way) = (&fitted.model, fitted.model.clusters(), way_of(fitted));
    let most = if matches!(model, Model::KMeans(_) | Model::Graph(_)) { QUICK_ROWS } else { ROWS };
    let looked_at = data.rows().min(rows_for(most, clusters));
    let half = looked_at / 2;
    if clusters < 2 {
        return Ok(Verdict::not_judged(way, "there is a single cluster"));
    }
    if half < SMALLEST_HALF.max(LEAST_EACH * clusters) {
        let why =
            format!("{} rows are too few to divide halves of them into {clusters} clusters", data.rows());
        return Ok(Verdict::not_judged(way, why));
    }
    control.say(&Event::Working("comparing the clusters with those of data without any"));
    let params = graph_params(model);
    let rows = drawn(data.rows(), looked_at, params.seed);
    let stop = control.stop;
    let stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let pool = Pool::new(control.threads).map_err(FitError::Threads)?;
    let refit = Refit { way, params: &params, stopped: &stopped };
    let found = pool.run(|| structure((model, data), &rows, &refit))?;
    let labels = labels_of(fitted, &rows);
    let among_rows = pool.run(|| Quality::of(&found.places, &labels));
    let mut verdict = Verdict {
        stability: mean(&found.halvings),
        permuted: NullStability::of(&found.permuted),
        gaussian: NullStability::of(&found.gaussian),
        rows: rows.len(),
        among_rows: Some(among_rows),
        ..Verdict::not_judged(way, "")
    };
    let trained = data.rows().min(rows_for(TRAINED_ROWS, clusters));
    let (rows, refits) = match Short::of(model, data.rows(), trained) {
        Repeat::OfRows => {
            let rows = drawn(data.rows(), MORE * rows.len(), params.seed);
            let refits = pool.run(|| refits((model, data), &rows, &refit))?;
            (rows, refits)
        }
        Repeat::Training(short) => {
            verdict.trained = true;
            match short_trainings(&short, data, (trained, params.seed), control) {
                Ok(found) => found,
                Err(error @ FitError::Interrupted { .. }) => return Err(error),
                // What is known of the rows stays known.
                Err(_) => (Vec::new(), Vec::new()),
            }
        }
        Repeat::Nothing => (Vec::new(), Vec::new()),
    };
    if refits.is_empty() {
        verdict.decide(&[]);
        return Ok(verdict);
    }
    let labels = labels_of(fitted, &rows);
    let Stability { clusters, rows: kept } = Stability::of(&labels, clusters, &refits);
    let mut sizes = vec![0; clusters.len()];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    verdict.clusters = clusters;
    verdict.refits = refits.len();
    verdict.kept_rows = rows.into_iter().zip(kept).collect();
    verdict.decide(&sizes);
    Ok(verdict)
}

/// More rows for many clusters, but not for any number of them.
pub(super) fn rows_for(most: usize, clusters: usize) -> usize {
    most.max(ROWS_EACH.saturating_mul(clusters).min(MOST_ROWS))
}

fn labels_of(fitted: &Fitted<Model>, rows: &[u32]) -> Vec<u32> {
    rows.iter().map(|&row| fitted.labels[row as usize]).collect()
}

/// The rows that short trainings look at, and their clusters by each training.
fn short_trainings(
    short: &Short,
    data: &Dataset,
    (most, seed): (usize, u64),
    control: &mut FitControl<'_>,
) -> Result<(Vec<u32>, Vec<Vec<u32>>), FitError> {
    control.say(&Event::Working("short trainings on parts of the rows"));
    let rows = drawn(data.rows(), most, seed);
    let some = Dataset { labels: None, ids: None, lines: None, ..data.clone() }.of_rows(rows.clone());
    let parts = StreamKey::new(seed, "parts for short trainings");
    let (threads, stop) = (control.threads, control.stop);
    let one = |step: u32| short.subsample(&some, parts.at(0, 0, step.into()), (threads, stop));
    let refits = (0..short.trainings).map(one).collect::<Result<Vec<_>, FitError>>()?;
    Ok((rows, refits))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The clusters of rows by refits on parts of them, without training.
fn refits(
    (model, data): (&Model, &Dataset),
    rows: &[u32],
    refit: &Refit<'_>,
) -> Result<Vec<Vec<u32>>, FitError> {
    let GraphParams { seed, projection, components, .. } = *refit.params;
    let sample = Sample::of(model.origin(), data, rows, (projection, components))?;
    let places = sample.places(sample.rows.clone(), refit.stopped)?;
    let part = (PART * rows.len() as f64) as usize;
    let parts = StreamKey::new(seed, "parts of a verdict");
    together(REFITS, |step| refit.subsample(&places, part, parts.at(0, 0, step.into())))
}

/// The stability of the rows and of each null.
struct Found {
    places: Matrix<f32>,
    halvings: Vec<f64>,
    permuted: Vec<f64>,
    gaussian: Vec<f64>,
}

fn structure((model, data): (&Model, &Dataset), rows: &[u32], refit: &Refit<'_>) -> Result<Found, FitError> {
    let GraphParams { seed, projection, components, .. } = *refit.params;
    let sample = Sample::of(model.origin(), data, rows, (projection, components))?;
    let places = sample.places(sample.rows.clone(), refit.stopped)?;
    let nulls = Nulls::of(&sample, &places);
    let halved = StreamKey::new(seed, "halvings of a verdict");
    let stability = |places: &Matrix<f32>, (kind, set, halvings): (u32, u32, u32)| -> Result<f64, FitError> {
        let one = |step: u32| refit.halving(places, halved.at(kind, set, step.into())).map(|h| agreement(&h));
        Ok(mean(&(0..halvings).map(one).collect::<Result<Vec<f64>, FitError>>()?))
    };
    let null = |kind: u32, set: u32| -> Result<f64, FitError> {
        let stream = StreamKey::new(seed, "null of a verdict").at(kind, set, 0);
        let places = nulls.draw(kind, stream, refit.stopped)?;
        stability(&places, (1 + kind, set, halvings_of_nulls(refit.way)))
    };
    let both = |kind: u32| in_turns((REPLICATES, nulls.at_once(REPLICATES)), |set| null(kind, set));
    Ok(Found {
        halvings: together(HALVINGS, |step| stability(&places, (0, step, 1)))?,
        permuted: both(0)?,
        gaussian: both(1)?,
        places,
    })
}

/// Times that each data set of a null is halved. Where it costs little the null is known better, which tells elongated clusters from an
/// elongated Gaussian.
fn halvings_of_nulls(way: Way) -> u32 {
    match way {
        Way::KMeans => 3,
        _ => 1,
    }
}

/// `count` jobs on all threads, and what came of them in their order.
pub(super) fn together<T: Send>(
    count: u32,
    job: impl Fn(u32) -> Result<T, FitError> + Sync + Send,
) -> Result<Vec<T>, FitError> {
    // All of them first: which of several errors is the first does not depend on the threads.
    let all: Vec<Result<T, FitError>> = (0..count).into_par_iter().with_max_len(1).map(job).collect();
    all.into_iter().collect()
}

/// The same, `at_once` of them at a time, because each takes memory.
pub(super) fn in_turns<T: Send>(
    (count, at_once): (u32, u32),
    job: impl Fn(u32) -> Result<T, FitError> + Sync + Send,
) -> Result<Vec<T>, FitError> {
    let mut all = Vec::new();
    for first in (0..count).step_by(at_once.max(1) as usize) {
        all.extend(together(at_once.min(count - first), |i| job(first + i))?);
    }
    Ok(all)
}

//! Fitting.

use std::time::Instant;

use lpvdn_core::principal::{Blocks, PrincipalComponents};
use lpvdn_core::{Batch, Dataset, Matrix, Pool};

use super::choice;
use super::fitted::GraphModel;
use super::hyperparams::{GraphParams, GraphValidParams};
use super::landmarks::Landmarks;
use super::partitions::{self, Partition, Partitions, Points, Way, agreements};
use crate::error::FitError;
use crate::model::autoencoder::encoding::copy_rows;
use crate::model::centers::described;
use crate::model::cluster_model::ClusterModel;
use crate::model::collapse::Formed;
use crate::model::examine::{Ready, measure_gflops};
use crate::model::fitted::Fitted;
use crate::model::lpvdn::algorithm::as_fit_error;
use crate::model::lpvdn::hyperparams::Budget;
use crate::train::control::FitControl;
use crate::train::districts::Districts;
use crate::train::events::{Event, Plan};

/// Rows of at most as many values are compared as they are; wider ones by their principal components.
const NARROW: usize = 64;
/// Passes over the rows for the principal components.
const PASSES: f64 = 12.0;

impl GraphParams {
    /// Fits a model with all cores and no progress.
    ///
    /// # Errors
    /// Data that cannot be clustered.
    pub fn fit(self, data: &Dataset) -> Result<Fitted<GraphModel>, FitError> {
        self.check()?.fit(data, &mut FitControl::default())
    }
}

impl GraphValidParams {
    /// Fits a model. It is soon done: there are no checkpoints, and what was interrupted starts again.
    ///
    /// # Errors
    /// Data that cannot be clustered, an interruption.
    pub fn fit(&self, data: &Dataset, control: &mut FitControl<'_>) -> Result<Fitted<GraphModel>, FitError> {
        let pool = Pool::new(control.threads).map_err(FitError::Threads)?;
        pool.run(|| self.fit_in_pool(data, control, pool.threads()))
    }

    fn fit_in_pool(
        &self,
        data: &Dataset,
        control: &mut FitControl<'_>,
        threads: usize,
    ) -> Result<Fitted<GraphModel>, FitError> {
        let started = Instant::now();
        let params = self.get();
        let ready = Ready::of(data, params.wanted(), control)?;
        control.announce(&plan(params, &ready, threads), &ready)?;
        let data = ready.data.as_ref();
        let districts = Districts::new((data.rows(), data.source.row_values()), params.district, params.seed);
        let rows = districts.rows(0);
        let (projection, points) = places(params, &ready, rows, control)?;
        let (mut found, landmarks) = divided(params, points, rows, control)?;
        let origin = ready.origin(control.threads);
        let kept = found.kept().way;
        let model = GraphModel { params: params.clone(), projection, landmarks, kept, origin };
        control.say(&Event::Working("assigning the rows"));
        let codes = model.codes_seen(data, 0..data.rows()).map_err(as_fit_error)?;
        let labels = model.labels_of(&codes);
        found.reproduced = reproduced(&found, &labels);
        let mut fitted = described(model, labels, codes, (params.clusters, Formed::AtOnce));
        fitted.partitions = Some(found);
        fitted.seconds = started.elapsed().as_secs_f64();
        fitted.warnings.iter().for_each(|w| control.say(&Event::Warning(w)));
        Ok(fitted)
    }
}

/// The rows that are divided, as they are compared, and what makes others comparable.
fn places(
    params: &GraphParams,
    ready: &Ready<'_>,
    rows: &[u32],
    control: &mut FitControl<'_>,
) -> Result<(Option<PrincipalComponents>, Matrix<f32>), FitError> {
    let source = ready.data.source.as_ref();
    let blocks = Blocks { source, preprocessor: &ready.preprocessor, rows };
    let projection = match source.is_sparse() || source.cols() > NARROW.max(params.projection) {
        true => {
            control.say(&Event::Working("principal components of the rows"));
            Some(PrincipalComponents::fit(&blocks, params.projection, &|| control.stopped())?)
        }
        false => None,
    };
    ensure_wanted(control)?;
    let width = projection.as_ref().map_or(source.cols(), PrincipalComponents::components);
    let mut places = Matrix::zeros(rows.len(), width);
    blocks.for_each(|start, batch| copy_rows(&seen(projection.as_ref(), batch), &mut places, start))?;
    Ok((projection, places))
}

/// Rows as they are compared.
pub(super) fn seen(projection: Option<&PrincipalComponents>, batch: &Batch) -> Matrix<f32> {
    match (projection, batch) {
        (Some(projection), _) => projection.of(batch),
        (None, Batch::Dense(rows)) => rows.clone(),
        (None, Batch::Sparse(rows)) => {
            let mut dense = Matrix::zeros(0, rows.cols());
            rows.to_dense_into(&mut dense);
            dense
        }
    }
}

/// The partitions of the points, and what stands for the one that is kept.
fn divided(
    params: &GraphParams,
    points: Matrix<f32>,
    rows: &[u32],
    control: &mut FitControl<'_>,
) -> Result<(Partitions, Landmarks), FitError> {
    control.say(&Event::Working("neighbours of the rows"));
    let points = Points::new(points, params)?;
    ensure_wanted(control)?;
    control.say(&Event::Working("communities of the neighbour graph"));
    let stop = control.stop;
    let stopped = || stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed));
    let mut ways = vec![(Way::Leiden, partitions::leiden(&points, params, &stopped)?)];
    control.say(&Event::Working("K-means and a mixture of the rows"));
    let k_means = partitions::k_means(&points, params)?;
    ways.push((Way::KMeans, k_means.labels.clone()));
    ensure_wanted(control)?;
    ways.extend(partitions::mixture(&points, params, &k_means.labels)?.map(|labels| (Way::Mixture, labels)));
    ensure_wanted(control)?;
    let agreements = agreements(&ways);
    control.say(&Event::Working("choosing a partition"));
    let verdict = choice::verdict(&points, &ways, params, &stopped)?;
    let wanted = params.partition.forced().unwrap_or(verdict.preferred);
    let kept = ways.iter().position(|(way, _)| *way == wanted).unwrap_or(0);
    let landmarks = match ways[kept].0 {
        Way::KMeans => Landmarks::of_centers(k_means.centers.clone(), k_means.inertia, points.places.rows()),
        _ => {
            let settings = (params.clusters, params.landmarks, params.seed);
            Landmarks::of(&points.places, &ways[kept].1, settings)?
        }
    };
    let partition = |((way, labels), agreement): ((Way, Vec<u32>), f64)| Partition {
        modularity: choice::modularity(&points.graph, &labels),
        stability: verdict.stability.and_then(|stability| stability.of(way)),
        way,
        labels,
        agreement,
    };
    let all = ways.into_iter().zip(agreements).map(partition).collect();
    Ok((Partitions { rows: rows.to_vec(), all, kept, reproduced: 0.0 }, landmarks))
}

/// The share of the rows that were divided whose label is that of the partition.
fn reproduced(found: &Partitions, labels: &[u32]) -> f64 {
    let same =
        found.rows.iter().zip(&found.kept().labels).filter(|(row, label)| labels[**row as usize] == **label);
    same.count() as f64 / found.rows.len() as f64
}

fn ensure_wanted(control: &FitControl<'_>) -> Result<(), FitError> {
    if control.stopped() { Err(FitError::Interrupted { checkpoint: None }) } else { Ok(()) }
}

fn plan(params: &GraphParams, ready: &Ready<'_>, threads: usize) -> Plan {
    let data = ready.data.as_ref();
    let gflops = measure_gflops();
    let (rows, columns) = (data.rows(), data.cols());
    let together = rows.min(params.district);
    let width = if columns > NARROW { params.projection.min(columns) } else { columns };
    let projecting = PASSES * (together * data.source.row_values()) as f64 * (width + 10) as f64;
    // A pair that is compared costs as much as 60 operations beyond its product.
    let searching = (together as f64).powi(2) * (width + 60) as f64;
    let graph = together * params.neighbors * 48;
    let search_and_fit = 4 * together * width * 4;
    Plan {
        rows,
        columns,
        clusters: params.clusters,
        districts: rows.div_ceil(params.district),
        parameters: params.landmarks.min(together) * width,
        budget: Budget::NOTHING,
        threads,
        gflops,
        seconds: 2e-9 * (projecting + searching) / gflops,
        memory_bytes: ready.memory(search_and_fit + graph + 4 * rows * (width + 3 * params.clusters)),
    }
}

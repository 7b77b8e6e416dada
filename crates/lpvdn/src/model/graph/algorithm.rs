//! Fitting.

use std::time::Instant;

use lpvdn_core::{Dataset, Pool};

use super::fitted::GraphModel;
use super::hyperparams::{GraphParams, GraphValidParams};
use super::initial::{Initial, Neighborhood};
use super::places::NARROW;
use crate::error::FitError;
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
        let Neighborhood { projection, points } = Neighborhood::of(params, &ready, rows, control)?;
        let initial = Initial::of(params, &points, rows, control)?;
        let projection = initial.projection(&projection);
        let Initial { mut partitions, landmarks, .. } = initial;
        let origin = ready.origin(control.threads);
        let kept = partitions.kept().way;
        let model = GraphModel { params: params.clone(), projection, landmarks, kept, origin };
        control.say(&Event::Working("assigning the rows"));
        let codes = model.codes_seen(data, 0..data.rows()).map_err(as_fit_error)?;
        let labels = model.labels_of(&codes);
        partitions.compare(&labels);
        let mut fitted = described(model, labels, codes, (params.clusters, Formed::AtOnce));
        fitted.partitions = Some(partitions);
        fitted.seconds = started.elapsed().as_secs_f64();
        fitted.warnings.iter().for_each(|w| control.say(&Event::Warning(w)));
        Ok(fitted)
    }
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
    let graph = together * params.neighbors * 56;
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

//! `fit`: K-means of the rows that speak for all, and the nearest centre of every row.

use std::time::Instant;

use lpvdn_cluster::PointRows;
use lpvdn_cluster::k_means::KMeans;
use lpvdn_core::{Batch, Dataset, Pool};

use super::fitted::KMeansModel;
use super::hyperparams::{KMeansParams, KMeansValidParams};
use crate::error::FitError;
use crate::model::centers::{described, scale_of};
use crate::model::cluster_model::ClusterModel;
use crate::model::collapse::Formed;
use crate::model::examine::{Ready, measure_gflops};
use crate::model::fitted::Fitted;
use crate::model::lpvdn::algorithm::as_fit_error;
use crate::model::lpvdn::hyperparams::Budget;
use crate::train::control::FitControl;
use crate::train::districts::Districts;
use crate::train::events::{Event, Plan};

/// Iterations that a start takes, for the time expected.
const USUAL_ITERATIONS: f64 = 40.0;

impl KMeansParams {
    /// Fits a model with all cores and no progress.
    ///
    /// # Errors
    /// Data that cannot be clustered.
    pub fn fit(self, data: &Dataset) -> Result<Fitted<KMeansModel>, FitError> {
        self.check()?.fit(data, &mut FitControl::default())
    }
}

impl KMeansValidParams {
    /// Fits a model. It is soon done: there are no checkpoints.
    ///
    /// # Errors
    /// Data that cannot be clustered.
    pub fn fit(&self, data: &Dataset, control: &mut FitControl<'_>) -> Result<Fitted<KMeansModel>, FitError> {
        let pool = Pool::new(control.threads).map_err(FitError::Threads)?;
        pool.run(|| self.fit_in_pool(data, control, pool.threads()))
    }

    fn fit_in_pool(
        &self,
        data: &Dataset,
        control: &mut FitControl<'_>,
        threads: usize,
    ) -> Result<Fitted<KMeansModel>, FitError> {
        let started = Instant::now();
        let params = self.get();
        let ready = Ready::of(data, params.wanted(), control)?;
        let data = ready.data.as_ref();
        let source = data.source.as_ref();
        let plan = plan(params, &ready, threads);
        control.announce(&plan, &ready)?;
        control.say(&Event::Working("clustering the rows"));
        let districts = Districts::new((data.rows(), source.row_values()), params.district, params.seed);
        let mut sample = Batch::for_source(source);
        ready.preprocessor.gather(source, districts.rows(0), &mut sample)?;
        let found = match &sample {
            Batch::Dense(rows) => cluster(params, rows),
            Batch::Sparse(rows) => cluster(params, rows),
        }?;
        let scale = scale_of(found.inertia, sample.rows(), sample.cols());
        drop(sample);
        let model = KMeansModel {
            origin: ready.origin(control.threads),
            params: params.clone(),
            centers: found.centers,
            scale,
        };
        let codes = model.distances_of(data, 0..data.rows()).map_err(as_fit_error)?;
        let labels = model.labels_of(&codes);
        let mut fitted = described(model, labels, codes, (params.clusters, Formed::AtOnce));
        fitted.seconds = started.elapsed().as_secs_f64();
        fitted.warnings.iter().for_each(|w| control.say(&Event::Warning(w)));
        Ok(fitted)
    }
}

fn cluster(params: &KMeansParams, rows: &impl PointRows) -> Result<KMeans, FitError> {
    let k_means = KMeans::params(params.clusters).n_init(params.starts).seed(params.seed);
    k_means.fit(rows).map_err(|e| FitError::Clustering(e.to_string()))
}

fn plan(params: &KMeansParams, ready: &Ready<'_>, threads: usize) -> Plan {
    let data = ready.data.as_ref();
    let gflops = measure_gflops();
    let (rows, columns) = (data.rows(), data.cols());
    let together = rows.min(params.district);
    let values = together * data.source.row_values();
    // Most rows keep their cluster without being read; a distance costs three times a product.
    let work =
        3.0 * USUAL_ITERATIONS / 4.0 * values as f64 * params.clusters as f64 * f64::from(params.starts);
    Plan {
        rows,
        columns,
        clusters: params.clusters,
        districts: rows.div_ceil(params.district),
        parameters: params.clusters * columns,
        budget: Budget::NOTHING,
        threads,
        gflops,
        seconds: 2e-9 * work / gflops,
        memory_bytes: ready.memory(8 * values + 4 * rows * 3 * params.clusters),
    }
}

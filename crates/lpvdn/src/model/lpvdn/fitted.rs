//! A trained model and what it can do.

use std::ops::Range;

use lpvdn_core::summary::Summary;
use lpvdn_core::{Dataset, Matrix, Preprocessor, StreamKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::assignment::{Assignment, Space, labels, probabilities};
use super::hyperparams::{Budget, LpvdnParams, Recipe};
use super::inference::Inference;
use super::network::Network;
use crate::error::ModelError;
use crate::loss::mixture::{Code, mixture_divergences};
use crate::loss::reconstruction::Likelihood;
use crate::model::autoencoder::encoding::Encoding;
use crate::model::autoencoder::evidence::Evidence;
use crate::model::cluster_model::{ClusterModel, Origin, in_pool};
use crate::model::graph::places::Projection;
use crate::model::method::Method;

/// A trained model.
///
/// Labels and probabilities live in one space, that of its [assignment](LpvdnModel::assignment): o', or the rows as they are
/// where these are divided. The most probable cluster of
/// [`predict_proba`](LpvdnModel::predict_proba) is the one of [`predict`](LpvdnModel::predict).
/// Decoding starts from the latent space.
#[derive(Clone, Debug, PartialEq)]
pub struct LpvdnModel {
    pub(crate) params: LpvdnParams,
    pub(crate) budget: Budget,
    pub(crate) likelihood: Likelihood,
    pub(crate) network: Network,
    pub(crate) weights: Vec<f32>,
    pub(crate) assignment: Assignment,
    /// Mean (K × J) and variance (K × J) of the latent means of the rows labelled k.
    pub(crate) latent_clusters: (Matrix<f32>, Matrix<f32>),
    pub(crate) origin: Origin,
}

/// What the model remembers of its training data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DataFacts {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// A hash of all values.
    pub fingerprint: String,
}

impl DataFacts {
    pub(crate) fn of(summary: &Summary) -> DataFacts {
        DataFacts {
            rows: summary.rows,
            columns: summary.cols,
            fingerprint: format!("{:016x}", summary.fingerprint),
        }
    }
}

impl LpvdnModel {
    /// The parameters it was fitted with.
    pub fn params(&self) -> &LpvdnParams {
        &self.params
    }
    /// Batch, steps and epochs of its training.
    pub fn budget(&self) -> Budget {
        self.budget
    }
    /// What it remembers of its training data.
    pub fn data(&self) -> &DataFacts {
        &self.origin.data
    }
    /// What the decoder's output means.
    pub fn likelihood(&self) -> Likelihood {
        self.likelihood
    }
    /// How values are scaled.
    pub fn preprocessor(&self) -> &Preprocessor {
        &self.origin.preprocessor
    }
    /// The shape of its network.
    pub fn network(&self) -> &Network {
        &self.network
    }
    /// How codes become clusters.
    pub fn assignment(&self) -> &Assignment {
        &self.assignment
    }
    /// The version of lpvdn that fitted it.
    pub fn fitted_by(&self) -> &str {
        &self.origin.written_by
    }
    /// What [`set_reading`](LpvdnModel::set_reading) was given.
    pub fn reading(&self) -> Option<&Value> {
        self.origin.reading.as_ref()
    }
    /// Keeps in the model how its rows were made from files, so that other files can be read alike. It
    /// means nothing to the model itself.
    pub fn set_reading(&mut self, reading: Value) {
        self.origin.reading = Some(reading);
    }
    /// K
    pub fn clusters(&self) -> usize {
        self.params.clusters
    }

    /// Sets the threads that the methods below use; 0, the start, means one for each core. The
    /// results do not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> LpvdnModel {
        self.origin.threads = threads;
        self
    }

    pub(super) fn run<R: Send>(&self, job: impl FnOnce(Inference<'_>) -> R + Send) -> R {
        let inference = self.inference();
        in_pool(self.origin.threads, || job(inference))
    }

    pub(crate) fn inference(&self) -> Inference<'_> {
        Inference { network: &self.network, params: &self.weights, preprocessor: &self.origin.preprocessor }
    }

    /// The codes of rows: o', μ̃, or what they are compared by without any training.
    pub fn transform(&self, data: &Dataset, space: Space) -> Result<Matrix<f32>, ModelError> {
        self.transform_rows(data, 0..data.rows(), space)
    }

    /// The codes of some of the rows, so that those of all need not be in memory at once. They have the
    /// same bits as in [`transform`](LpvdnModel::transform).
    ///
    /// # Panics
    /// If `data` has no such rows.
    pub fn transform_rows(
        &self,
        data: &Dataset,
        rows: Range<usize>,
        space: Space,
    ) -> Result<Matrix<f32>, ModelError> {
        assert!(rows.end <= data.rows(), "rows {rows:?} of {}", data.rows());
        let seen = self.origin.seen(data)?;
        self.run(|inference| match space {
            Space::Embedding => inference.embedding_of(&seen, rows),
            Space::Latent => inference.latent_means_of(&seen, rows),
            Space::Rows => self.places(&seen, rows),
        })
    }

    /// Rows as they are compared without any training. Where nothing is assigned by them, they are the rows of the view.
    pub(super) fn places(&self, seen: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        let (width, preprocessor) = (self.origin.width(), &self.origin.preprocessor);
        match &self.assignment {
            Assignment::Rows(by_rows) => by_rows.projection.places_seen(seen, (width, preprocessor), rows),
            _ => Projection::default().places_seen(seen, (width, preprocessor), rows),
        }
    }

    /// The codes that decide the cluster of each row.
    pub fn codes(&self, data: &Dataset) -> Result<Matrix<f32>, ModelError> {
        self.transform(data, self.assignment.space())
    }

    /// The cluster of each row.
    pub fn predict(&self, data: &Dataset) -> Result<Vec<u32>, ModelError> {
        let codes = self.codes(data)?;
        Ok(in_pool(self.origin.threads, || self.labels_of(&codes)))
    }

    /// The probability of each cluster for each row.
    pub fn predict_proba(&self, data: &Dataset) -> Result<Matrix<f32>, ModelError> {
        let codes = self.codes(data)?;
        Ok(in_pool(self.origin.threads, || self.probabilities_of(&codes)))
    }

    /// The cluster of each of these [codes](LpvdnModel::codes).
    pub fn labels_of(&self, codes: &Matrix<f32>) -> Vec<u32> {
        labels(&self.assignment, self.network.mixture(&self.weights), codes)
    }

    /// The probability of each cluster for each of these [codes](LpvdnModel::codes).
    pub fn probabilities_of(&self, codes: &Matrix<f32>) -> Matrix<f32> {
        probabilities(&self.assignment, self.network.mixture(&self.weights), codes)
    }

    /// γ at μ̃: the responsibilities of the mixture prior for each row.
    pub fn responsibilities(&self, data: &Dataset) -> Result<Matrix<f32>, ModelError> {
        let points = self.transform(data, Space::Latent)?;
        Ok(self.run(|inference| {
            probabilities(&Assignment::Prior, inference.network.mixture(inference.params), &points)
        }))
    }

    /// Rows through encoder and decoder, on their own scale.
    pub fn reconstruct(&self, data: &Dataset) -> Result<Matrix<f32>, ModelError> {
        let latent = self.transform(data, Space::Latent)?;
        self.decode(&latent)
    }

    /// Latent vectors through the decoder, on the data's own scale.
    pub fn decode(&self, latent: &Matrix<f32>) -> Result<Matrix<f32>, ModelError> {
        let wanted = self.network.shape().latent;
        if latent.cols() != wanted {
            return Err(ModelError::LatentSize { found: latent.cols(), wanted });
        }
        Ok(self.origin.restored(self.run(|inference| inference.decode(latent, self.likelihood))))
    }

    /// The evidence lower bound E[log p(x|z)] − KL of each row under the mixture prior (Eqn. 4), of the
    /// values as they are scaled: how well the model knows such rows. A row's bound does not depend on the
    /// rows beside it.
    pub fn evidence(&self, data: &Dataset) -> Result<Vec<f64>, ModelError> {
        let seen = self.origin.seen(data)?;
        self.run(|inference| {
            let autoencoder = inference.network.autoencoder();
            let (params, preprocessor) = (inference.params, inference.preprocessor);
            let prior = inference.network.mixture(params);
            Evidence {
                encoding: Encoding { autoencoder, params, preprocessor },
                likelihood: self.likelihood,
                bound: self.params.log_variance_bound,
                divergence: |code: Code<'_, f32>| mixture_divergences(prior, code),
            }
            .of(&seen)
        })
    }

    /// The middle of each cluster in the space in which rows are assigned to it, K × its size. Of a cluster
    /// of cells it is their mean, which need not be the cluster's own.
    pub fn centers(&self) -> Matrix<f32> {
        let prior = self.network.mixture(&self.weights);
        match &self.assignment {
            Assignment::Centers { centers, .. } => centers.clone(),
            Assignment::Mixture { means, .. } => means.clone(),
            Assignment::Prior => {
                Matrix::from_vec(prior.means.to_vec(), self.clusters(), self.network.shape().latent)
            }
            Assignment::Rows(rows) => rows.centers(self.clusters()),
            Assignment::Cells { cells, clusters, .. } => {
                cluster_gaussians(cells, clusters, self.clusters()).0
            }
        }
    }

    /// The mean of each cluster's latent means, K × the latent size: what [`decode`](LpvdnModel::decode) takes.
    pub fn latent_middles(&self) -> &Matrix<f32> {
        &self.latent_clusters.0
    }

    /// New rows of one cluster: latent vectors from a diagonal Gaussian fitted to the latent means of
    /// its rows, decoded.
    pub fn sample(&self, cluster: usize, rows: usize, seed: u64) -> Result<Matrix<f32>, ModelError> {
        if cluster >= self.clusters() {
            return Err(ModelError::NoSuchCluster { cluster, clusters: self.clusters() });
        }
        let mut stream = StreamKey::new(seed, "sample").at(0, cluster as u32, 0).open();
        let (mean, variance) = (self.latent_clusters.0.row(cluster), self.latent_clusters.1.row(cluster));
        let latent =
            Matrix::from_fn(rows, mean.len(), |_, j| mean[j] + variance[j].sqrt() * stream.normal() as f32);
        self.decode(&latent)
    }
}

impl ClusterModel for LpvdnModel {
    fn method(&self) -> Method {
        if self.params.is_vade() { Method::Vade } else { Method::Lpvdn }
    }
    fn clusters(&self) -> usize {
        self.params.clusters
    }
    fn seed(&self) -> u64 {
        self.params.seed
    }
    fn recipe(&self) -> Recipe {
        self.params.recipe
    }
    fn budget(&self) -> Budget {
        self.budget
    }
    fn parameters(&self) -> usize {
        self.network.layout().len()
    }
    fn code_size(&self) -> usize {
        match &self.assignment {
            Assignment::Rows(rows) => rows.projection.width(self.origin.width()),
            Assignment::Prior => self.network.shape().latent,
            _ => self.network.shape().output,
        }
    }
    fn origin(&self) -> &Origin {
        &self.origin
    }
    fn origin_mut(&mut self) -> &mut Origin {
        &mut self.origin
    }
    fn settings(&self) -> Value {
        let mut settings = serde_json::to_value(&self.params).unwrap_or_default();
        // Left out of files where it is what it was before there was a choice.
        settings["prior-start"] = serde_json::to_value(self.params.prior_start).unwrap_or_default();
        settings
    }
    fn encode(&self, data: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        let seen = self.origin.seen(data)?;
        match self.assignment.space() {
            Space::Embedding => self.inference().embedding_of(&seen, rows),
            Space::Latent => self.inference().latent_means_of(&seen, rows),
            Space::Rows => self.places(&seen, rows),
        }
    }
    fn labels_of(&self, codes: &Matrix<f32>) -> Vec<u32> {
        LpvdnModel::labels_of(self, codes)
    }
    fn probabilities_of(&self, codes: &Matrix<f32>) -> Matrix<f32> {
        LpvdnModel::probabilities_of(self, codes)
    }
    // What is near on a map is near where clusters are found.
    fn point_size(&self) -> usize {
        match self.assignment.space() {
            Space::Rows => self.code_size(),
            Space::Embedding | Space::Latent => self.network.shape().latent,
        }
    }
    fn points(&self, data: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        if self.assignment.space() == Space::Rows {
            return self.encode(data, rows);
        }
        self.inference().latent_means_of(self.origin.seen(data)?.as_ref(), rows)
    }
    fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        LpvdnModel::to_bytes(self)
    }
}

/// Mean and variance of the rows of each label. An empty cluster gets those of all rows.
pub(crate) fn cluster_gaussians(
    points: &Matrix<f32>,
    labels: &[u32],
    clusters: usize,
) -> (Matrix<f32>, Matrix<f32>) {
    let size = points.cols();
    let gaussian = |keep: &dyn Fn(u32) -> bool| {
        let (mut n, mut sum, mut squares) = (0_usize, vec![0.0_f64; size], vec![0.0_f64; size]);
        for (point, _) in points.iter_rows().zip(labels).filter(|(_, l)| keep(**l)) {
            n += 1;
            for (j, x) in point.iter().enumerate() {
                sum[j] += f64::from(*x);
                squares[j] += f64::from(*x).powi(2);
            }
        }
        let mean: Vec<f64> = sum.iter().map(|s| s / n.max(1) as f64).collect();
        let variance = squares.iter().zip(&mean).map(|(s, m)| (s / n.max(1) as f64 - m * m).max(0.0));
        (n, mean.clone(), variance.collect::<Vec<f64>>())
    };
    let (mut means, mut variances) = (Matrix::zeros(clusters, size), Matrix::zeros(clusters, size));
    for k in 0..clusters {
        let (n, mut mean, mut variance) = gaussian(&|l| l as usize == k);
        if n == 0 {
            (_, mean, variance) = gaussian(&|_| true);
        }
        for j in 0..size {
            means.row_mut(k)[j] = mean[j] as f32;
            variances.row_mut(k)[j] = variance[j] as f32;
        }
    }
    (means, variances)
}

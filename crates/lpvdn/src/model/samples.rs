//! Rows that a model makes itself, whatever its method: samples, reconstructions, and what lies between two clusters.

use lpvdn_core::{Dataset, Matrix};

use super::any::Model;
use super::cluster_model::ClusterModel;
use crate::error::ModelError;

impl Model {
    /// New rows of every cluster, `rows` each, one cluster after the other, on the data's own scale; `None` where the
    /// method cannot make any, as K-means.
    ///
    /// # Errors
    /// Generated rows that cannot be encoded.
    pub fn samples(&self, rows: usize, seed: u64) -> Result<Option<Matrix<f32>>, ModelError> {
        let of: Box<dyn Fn(usize) -> Result<Matrix<f32>, ModelError>> = match self {
            Model::KMeans(_) | Model::Graph(_) => return Ok(None),
            Model::Encoder(model) => Box::new(move |k| model.sample(k, rows, seed)),
            Model::Lpvdn(model) => Box::new(move |k| model.sample(k, rows, seed)),
            Model::ClusterGan(model) => Box::new(move |k| model.sample(k, rows, seed)),
        };
        let mut all = Vec::new();
        for k in 0..self.clusters() {
            all.extend_from_slice(of(k)?.as_slice());
        }
        Ok(Some(Matrix::from_vec(all, rows * self.clusters(), self.data().columns)))
    }

    /// Rows through encoder and decoder, on the data's own scale; `None` where the method has no decoder.
    ///
    /// # Errors
    /// As for [`codes`](ClusterModel::codes).
    pub fn reconstruct(&self, data: &Dataset) -> Result<Option<Matrix<f32>>, ModelError> {
        match self {
            Model::KMeans(_) | Model::Graph(_) => Ok(None),
            Model::Encoder(model) => model.decode(&model.codes(data)?).map(Some),
            Model::ClusterGan(model) => model.decode(&model.codes(data)?).map(Some),
            Model::Lpvdn(model) => model.reconstruct(data).map(Some),
        }
    }

    /// Rows on the straight line in the latent space from the middle of one cluster to that of another, `steps` of them,
    /// on the data's own scale; `None` where the method has no decoder.
    ///
    /// # Errors
    /// No such cluster.
    pub fn between(&self, from: usize, to: usize, steps: usize) -> Result<Option<Matrix<f32>>, ModelError> {
        let clusters = self.clusters();
        if let Some(&cluster) = [from, to].iter().find(|&&k| k >= clusters) {
            return Err(ModelError::NoSuchCluster { cluster, clusters });
        }
        let on_line = |middles: &Matrix<f32>| {
            let share = |i: usize| i as f32 / steps.saturating_sub(1).max(1) as f32;
            let (a, b) = (middles.row(from), middles.row(to));
            Matrix::from_fn(steps, middles.cols(), |i, j| a[j] + share(i) * (b[j] - a[j]))
        };
        match self {
            Model::KMeans(_) | Model::Graph(_) => Ok(None),
            Model::Encoder(model) => model.decode(&on_line(&model.centers())).map(Some),
            Model::ClusterGan(model) => model.decode(&on_line(model.centers())).map(Some),
            Model::Lpvdn(model) => model.decode(&on_line(model.latent_middles())).map(Some),
        }
    }
}

//! A trained model and what it can do.

use std::ops::Range;

use lpvdn_core::{Batch, Dataset, Matrix, Preprocessor, StreamKey};
use serde_json::Value;

use super::hyperparams::ClusterGanParams;
use super::network::{Form, Network, Shape};
use crate::error::ModelError;
use crate::model::autoencoder::encoding::{copy_rows, for_each_scaled_block};
use crate::model::centers::Centers;
use crate::model::cluster_model::{ClusterModel, Origin};
use crate::model::lpvdn::Recipe;
use crate::model::lpvdn::hyperparams::Budget;
use crate::model::method::Method;

/// Images that pass a convolutional network together: their patches take much memory.
pub(super) const IMAGES_AT_ONCE: usize = 64;

/// A model of ClusterGAN: a row's code is what the encoder makes of it, [ẑ_n, softmax ẑ_c], and its cluster
/// that of the nearest centre.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterGanModel {
    pub(super) params: ClusterGanParams,
    pub(super) network: Network,
    pub(super) weights: Vec<f32>,
    /// What normalises the layers of a convolutional generator.
    pub(super) statistics: Vec<f32>,
    /// K × (d_n + K)
    pub(super) centers: Matrix<f32>,
    /// s
    pub(super) scale: f32,
    pub(super) origin: Origin,
}

impl ClusterGanModel {
    /// The parameters it was fitted with.
    pub fn params(&self) -> &ClusterGanParams {
        &self.params
    }
    /// The centres, K × (d_n + K).
    pub fn centers(&self) -> &Matrix<f32> {
        &self.centers
    }
    /// Its networks.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// New rows of a cluster from the generator, on the data's own scale. Clusters are numbered by K-means, not as the
    /// generator's classes are: that value of z_c is 1 which is largest in the cluster's centre.
    ///
    /// # Errors
    /// No such cluster.
    pub fn sample(&self, cluster: usize, rows: usize, seed: u64) -> Result<Matrix<f32>, ModelError> {
        let clusters = self.params.clusters;
        if cluster >= clusters {
            return Err(ModelError::NoSuchCluster { cluster, clusters });
        }
        let center = &self.centers.row(cluster)[self.params.noise_dim..];
        let class = (1..clusters).fold(0, |best, k| if center[k] > center[best] { k } else { best });
        let mut z = Matrix::zeros(rows, self.network.shape().code());
        self.network.latent(StreamKey::new(seed, "sample"), &mut z);
        for i in 0..rows {
            let classes = &mut z.row_mut(i)[self.params.noise_dim..];
            classes.fill(0.0);
            classes[class] = 1.0;
        }
        self.decode(&z)
    }

    /// Latent vectors [z_n, z_c] through the generator, on the data's own scale.
    ///
    /// # Errors
    /// Vectors of another width.
    pub fn decode(&self, latent: &Matrix<f32>) -> Result<Matrix<f32>, ModelError> {
        let (found, wanted) = (latent.cols(), self.network.shape().code());
        if found != wanted {
            return Err(ModelError::LatentSize { found, wanted });
        }
        let mut ws = self.network.workspace();
        let mut made = Matrix::zeros(latent.rows(), self.origin.width());
        in_pieces(&self.network, latent, |start, z| {
            copy_rows(self.network.generate(&self.weights, &self.statistics, z, &mut ws), &mut made, start);
        });
        (0..made.rows()).for_each(|i| self.origin.preprocessor.invert(made.row_mut(i)));
        Ok(self.origin.restored(made))
    }

    pub(super) fn encoding(&self) -> Encoding<'_> {
        let Origin { preprocessor, .. } = &self.origin;
        Encoding { network: &self.network, weights: &self.weights, preprocessor }
    }
}

/// Calls `visit` with the first row and the rows of each piece that passes the network together.
fn in_pieces(network: &Network, rows: &Matrix<f32>, mut visit: impl FnMut(usize, &Matrix<f32>)) {
    if matches!(network.shape().form, Form::Dense { .. }) {
        return visit(0, rows);
    }
    let mut piece = Matrix::zeros(0, rows.cols());
    for start in (0..rows.rows()).step_by(IMAGES_AT_ONCE) {
        piece.set_rows(IMAGES_AT_ONCE.min(rows.rows() - start));
        (0..piece.rows()).for_each(|i| piece.row_mut(i).copy_from_slice(rows.row(start + i)));
        visit(start, &piece);
    }
}

/// An encoder as it is, in training or after it.
pub(super) struct Encoding<'a> {
    pub(super) network: &'a Network,
    pub(super) weights: &'a [f32],
    pub(super) preprocessor: &'a Preprocessor,
}

impl Encoding<'_> {
    /// [ẑ_n, softmax ẑ_c] of some rows.
    pub(super) fn codes(&self, data: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        let Shape { columns, .. } = *self.network.shape();
        let mut all = Matrix::zeros(rows.len(), self.network.shape().code());
        let (mut ws, mut dense) = (self.network.workspace(), Matrix::zeros(0, columns));
        for_each_scaled_block(data, columns, self.preprocessor, rows, |start, batch| {
            let rows = match batch {
                Batch::Dense(rows) => rows,
                Batch::Sparse(rows) => {
                    rows.to_dense_into(&mut dense);
                    &dense
                }
            };
            in_pieces(self.network, rows, |first, piece| {
                copy_rows(self.network.encode(self.weights, piece, &mut ws), &mut all, start + first);
            });
        })?;
        Ok(all)
    }
}

impl ClusterModel for ClusterGanModel {
    fn method(&self) -> Method {
        Method::ClusterGan
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
        let pretrain_epochs = self.params.pretrain_epochs.filter(|_| self.params.guided() > 0);
        Budget { pretrain_epochs: pretrain_epochs.unwrap_or(0), ..self.params.budget() }
    }
    fn parameters(&self) -> usize {
        self.network.layout().len()
    }
    fn code_size(&self) -> usize {
        self.network.shape().code()
    }
    fn origin(&self) -> &Origin {
        &self.origin
    }
    fn origin_mut(&mut self) -> &mut Origin {
        &mut self.origin
    }
    fn settings(&self) -> Value {
        serde_json::to_value(&self.params).unwrap_or_default()
    }

    fn encode(&self, data: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        self.encoding().codes(self.origin.seen(data)?.as_ref(), rows)
    }

    fn labels_of(&self, codes: &Matrix<f32>) -> Vec<u32> {
        Centers::new(self.centers.clone(), self.scale).labels(codes)
    }

    fn probabilities_of(&self, codes: &Matrix<f32>) -> Matrix<f32> {
        Centers::new(self.centers.clone(), self.scale).probabilities(codes)
    }

    fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        super::file::to_bytes(self)
    }
}

//! A trained model and what it can do.

use std::ops::Range;

use lpvdn_core::{Dataset, Matrix, StreamKey};
use rayon::prelude::*;
use serde_json::Value;

use super::encoding::{Encoding, decode};
use super::evidence::Evidence;
use super::hyperparams::{AutoencoderParams, Refinement};
use super::network::EncoderNetwork;
use super::trainer::largest;
use crate::error::ModelError;
use crate::loss::reconstruction::Likelihood;
use crate::loss::self_training::soft_assignment;
use crate::loss::standard_normal::standard_normal_divergences;
use crate::model::centers::Centers;
use crate::model::cluster_model::{ClusterModel, Origin, in_pool};
use crate::model::lpvdn::Recipe;
use crate::model::lpvdn::hyperparams::Budget;
use crate::model::method::Method;

/// A model of AE + K-means, VAE + K-means or DEC: a row's code is its latent mean, its cluster that of the
/// nearest centre.
///
/// Probabilities are a softmax of −‖z − μ_k‖²/2s² with one shared s, of DEC its own soft assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct EncoderModel {
    pub(super) params: AutoencoderParams,
    pub(super) budget: Budget,
    pub(super) likelihood: Likelihood,
    pub(super) network: EncoderNetwork,
    pub(super) weights: Vec<f32>,
    /// s
    pub(super) scale: f32,
    pub(super) origin: Origin,
}

impl EncoderModel {
    /// The parameters it was fitted with.
    pub fn params(&self) -> &AutoencoderParams {
        &self.params
    }
    /// Batch, steps and epochs of its training.
    pub fn budget(&self) -> Budget {
        self.budget
    }
    /// What the decoder's output means.
    pub fn likelihood(&self) -> Likelihood {
        self.likelihood
    }
    /// Its network.
    pub fn network(&self) -> &EncoderNetwork {
        &self.network
    }

    /// The centres, K × J.
    pub fn centers(&self) -> Matrix<f32> {
        let (clusters, latent) = (self.params.clusters, self.params.latent_dim);
        Matrix::from_vec(self.network.centers(&self.weights).to_vec(), clusters, latent)
    }

    /// The evidence lower bound E[log p(x|z)] − KL of each row under the standard normal prior, of the values
    /// as they are scaled; none of a model that is not variational.
    ///
    /// # Errors
    /// Rows of another width, cells that are not numbers, rows that cannot be read.
    pub fn evidence(&self, data: &Dataset) -> Option<Result<Vec<f64>, ModelError>> {
        let Refinement::Variational { log_variance_bound, .. } = self.params.refinement else { return None };
        let (autoencoder, preprocessor) = (self.network.autoencoder(), &self.origin.preprocessor);
        let evidence = Evidence {
            encoding: Encoding { autoencoder, params: &self.weights, preprocessor },
            likelihood: self.likelihood,
            bound: log_variance_bound,
            divergence: standard_normal_divergences,
        };
        Some(in_pool(self.threads(), || evidence.of(self.origin.seen(data)?.as_ref())))
    }

    /// New rows of one cluster: latent vectors from the blob around its centre by which probabilities are
    /// measured, decoded.
    ///
    /// # Errors
    /// No such cluster.
    pub fn sample(&self, cluster: usize, rows: usize, seed: u64) -> Result<Matrix<f32>, ModelError> {
        let clusters = self.params.clusters;
        if cluster >= clusters {
            return Err(ModelError::NoSuchCluster { cluster, clusters });
        }
        let mut stream = StreamKey::new(seed, "sample").at(0, cluster as u32, 0).open();
        let centers = self.centers();
        let center = centers.row(cluster);
        let latent =
            Matrix::from_fn(rows, center.len(), |_, j| center[j] + self.scale * stream.normal() as f32);
        self.decode(&latent)
    }

    /// Latent vectors through the decoder, on the data's own scale. The encoder of DEC has left its decoder
    /// behind: what it decodes is only like its rows.
    ///
    /// # Errors
    /// Vectors of another width.
    pub fn decode(&self, latent: &Matrix<f32>) -> Result<Matrix<f32>, ModelError> {
        let wanted = self.params.latent_dim;
        if latent.cols() != wanted {
            return Err(ModelError::LatentSize { found: latent.cols(), wanted });
        }
        let decoder = self.network.autoencoder().decoder();
        let rows = decode(decoder, &self.weights, latent, self.likelihood, &self.origin.preprocessor);
        Ok(self.origin.restored(rows))
    }
}

impl ClusterModel for EncoderModel {
    fn method(&self) -> Method {
        self.params.method()
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
        self.params.latent_dim
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
        let (autoencoder, preprocessor) = (self.network.autoencoder(), &self.origin.preprocessor);
        let seen = self.origin.seen(data)?;
        Encoding { autoencoder, params: &self.weights, preprocessor }.latent_means(&seen, rows)
    }

    fn labels_of(&self, codes: &Matrix<f32>) -> Vec<u32> {
        if self.method() == Method::Dec {
            // From the same numbers, so that the most probable cluster is the label whatever the rounding.
            return self.probabilities_of(codes).iter_rows().map(|row| largest(row) as u32).collect();
        }
        Centers::new(self.centers(), self.scale).labels(codes)
    }

    fn probabilities_of(&self, codes: &Matrix<f32>) -> Matrix<f32> {
        if self.method() != Method::Dec {
            return Centers::new(self.centers(), self.scale).probabilities(codes);
        }
        let (clusters, centers) = (self.params.clusters, self.network.centers(&self.weights));
        let mut all = Matrix::zeros(codes.rows(), clusters);
        let rows = all.as_mut_slice().par_chunks_mut(clusters).enumerate();
        rows.for_each_init(
            || vec![0.0; clusters],
            |q, (i, row)| {
                soft_assignment(codes.row(i), centers, q);
                row.iter_mut().zip(q).for_each(|(p, q)| *p = *q as f32);
            },
        );
        all
    }

    fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        super::file::to_bytes(self)
    }
}

//! What a fit gives.

use std::ops::Deref;

use lpvdn_core::Matrix;

use super::graph::Partitions;
use super::lpvdn::{LpvdnModel, Quality};
use crate::train::events::{EpochReport, Evaluation};
use crate::verdict::Verdict;

/// What a fit gives: the model, and what is known about its training rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted<M = LpvdnModel> {
    /// The model. `Fitted` can be used as one.
    pub model: M,
    /// The cluster of each training row: what [`ClusterModel::predict`](super::ClusterModel::predict) gives for them.
    pub labels: Vec<u32>,
    /// o' of the training rows, or μ̃ without L_LP.
    pub embedding: Matrix<f32>,
    /// K-means on μ̃, reported beside the labels where L_LP is off.
    pub latent_k_means: Option<Vec<u32>>,
    /// The partitions of the rows that one was chosen of, by the method that makes several.
    pub partitions: Option<Partitions>,
    /// What the fit took in seconds: with what earlier processes spent on it where it was resumed, and
    /// with the pre-training where that came from a store.
    pub seconds: f64,
    /// Every epoch, of a resumed fit too.
    pub history: Vec<EpochReport>,
    /// Scores in the middle of training, where they were asked for.
    pub evaluations: Vec<Evaluation>,
    /// What the user should know: a collapse, for example.
    pub warnings: Vec<String>,
    /// exp of the entropy of the cluster sizes: how many clusters are really in use.
    pub effective_clusters: f64,
    /// How well the clusters are apart, in the space of `embedding`.
    pub quality: Quality,
    /// Whether the clusters are more than what data of this shape would always give, where [`judge`](Fitted::judge) was called.
    pub verdict: Option<Verdict>,
}

impl<M> Deref for Fitted<M> {
    type Target = M;
    fn deref(&self) -> &M {
        &self.model
    }
}

impl<M> Fitted<M> {
    /// The same with the model as another type.
    pub fn map<N>(self, convert: impl FnOnce(M) -> N) -> Fitted<N> {
        Fitted {
            model: convert(self.model),
            labels: self.labels,
            embedding: self.embedding,
            latent_k_means: self.latent_k_means,
            partitions: self.partitions,
            seconds: self.seconds,
            history: self.history,
            evaluations: self.evaluations,
            warnings: self.warnings,
            effective_clusters: self.effective_clusters,
            quality: self.quality,
            verdict: self.verdict,
        }
    }
}

//! A fitted model and what it can do.

use std::ops::Range;

use lpvdn_core::{Dataset, Matrix};
use serde_json::Value;

use super::hyperparams::GraphParams;
use super::landmarks::Landmarks;
use super::partitions::Way;
use super::places::Projection;
use crate::error::ModelError;
use crate::model::centers::means_of;
use crate::model::cluster_model::{ClusterModel, Origin};
use crate::model::lpvdn::Recipe;
use crate::model::lpvdn::hyperparams::Budget;
use crate::model::method::Method;

/// A model of the clusters of the neighbour graph. A row's code is what it is compared by: its values in the view, or their principal
/// components. Its cluster is that of the landmarks next to it.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphModel {
    pub(super) params: GraphParams,
    pub(super) projection: Projection,
    pub(super) landmarks: Landmarks,
    /// The partition that the landmarks stand for.
    pub(super) kept: Way,
    pub(super) origin: Origin,
}

impl GraphModel {
    /// The parameters it was fitted with.
    pub fn params(&self) -> &GraphParams {
        &self.params
    }

    /// How the training rows were divided.
    pub fn way(&self) -> Way {
        self.kept
    }

    /// The means of rows that stand for the clusters, and the cluster of each.
    pub fn landmarks(&self) -> (&Matrix<f32>, &[u32]) {
        (&self.landmarks.places, &self.landmarks.clusters)
    }

    /// The middle of each cluster among the codes: the mean of its landmarks.
    pub fn centers(&self) -> Matrix<f32> {
        means_of(&self.landmarks.places, &self.landmarks.clusters, self.params.clusters)
    }

    /// The codes of some rows of the view.
    pub(super) fn codes_seen(&self, data: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        self.projection.places_seen(data, (self.origin.width(), &self.origin.preprocessor), rows)
    }
}

impl ClusterModel for GraphModel {
    fn method(&self) -> Method {
        Method::Graph
    }
    fn clusters(&self) -> usize {
        self.params.clusters
    }
    fn seed(&self) -> u64 {
        self.params.seed
    }
    fn recipe(&self) -> Recipe {
        Recipe::default()
    }
    fn budget(&self) -> Budget {
        Budget::NOTHING
    }
    fn parameters(&self) -> usize {
        let projection = self.projection.0.as_ref().map_or(0, |p| p.vectors().as_slice().len());
        projection + self.landmarks.places.as_slice().len()
    }
    fn code_size(&self) -> usize {
        self.landmarks.places.cols()
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
        self.codes_seen(self.origin.seen(data)?.as_ref(), rows)
    }

    fn labels_of(&self, codes: &Matrix<f32>) -> Vec<u32> {
        self.landmarks.labels(codes, self.params.clusters)
    }

    fn probabilities_of(&self, codes: &Matrix<f32>) -> Matrix<f32> {
        self.landmarks.shares(codes, self.params.clusters)
    }

    fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        super::file::to_bytes(self)
    }
}

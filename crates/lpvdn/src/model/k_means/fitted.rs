//! A fitted model and what it can do.

use std::ops::Range;

use lpvdn_core::{Batch, Dataset, Matrix};
use rayon::prelude::*;
use serde_json::Value;

use super::hyperparams::KMeansParams;
use crate::error::ModelError;
use crate::loss::mixture::softmax;
use crate::model::autoencoder::encoding::{copy_rows, for_each_scaled_block};
use crate::model::cluster_model::{ClusterModel, Origin};
use crate::model::lpvdn::Recipe;
use crate::model::lpvdn::hyperparams::Budget;
use crate::model::method::Method;

/// The relative rounding of a sum of squares in double precision.
const ROUNDING: f64 = 1e-12;

/// A model of K-means. A row's code is its distance to each centre, so that rows of many columns have short
/// codes; its cluster is that of the nearest one.
#[derive(Clone, Debug, PartialEq)]
pub struct KMeansModel {
    pub(super) params: KMeansParams,
    /// K × D, in scaled values.
    pub(super) centers: Matrix<f32>,
    /// s
    pub(super) scale: f32,
    pub(super) origin: Origin,
}

impl KMeansModel {
    /// The parameters it was fitted with.
    pub fn params(&self) -> &KMeansParams {
        &self.params
    }

    /// The centres, K × D, on the data's own scale.
    pub fn centers(&self) -> Matrix<f64> {
        let scaled = &self.centers;
        if let Some(view) = &self.origin.view {
            let rows: Vec<f64> = scaled.iter_rows().flat_map(|center| view.inverted(center)).collect();
            return Matrix::from_vec(rows, scaled.rows(), view.columns());
        }
        Matrix::from_fn(scaled.rows(), scaled.cols(), |k, j| {
            self.origin.preprocessor.inverted(j, scaled.row(k)[j])
        })
    }

    /// The codes of some rows of the view.
    pub(super) fn distances_of(&self, seen: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        let mut all = Matrix::zeros(rows.len(), self.params.clusters);
        let (width, preprocessor) = (self.origin.width(), &self.origin.preprocessor);
        for_each_scaled_block(seen, width, preprocessor, rows, |start, batch| {
            copy_rows(&self.distances(batch), &mut all, start);
        })?;
        Ok(all)
    }

    /// Distances to all centres. Plain sums in double precision: the bits do not depend on the other rows.
    fn distances(&self, batch: &Batch) -> Matrix<f32> {
        let clusters = self.params.clusters;
        let squares: Vec<f64> =
            self.centers.iter_rows().map(|c| c.iter().map(|&v| f64::from(v).powi(2)).sum()).collect();
        let mut codes = Matrix::zeros(batch.rows(), clusters);
        codes.as_mut_slice().par_chunks_mut(clusters).enumerate().for_each(|(i, out)| {
            for (k, (out, center)) in out.iter_mut().zip(self.centers.iter_rows()).enumerate() {
                // What the centre has where the row stores nothing, beside the squares of what it stores.
                let (mut there, mut covered) = (0.0_f64, 0.0_f64);
                batch.for_each_in_row(i, |j, x| {
                    let (x, c) = (f64::from(x), f64::from(center[j]));
                    there += (x - c) * (x - c);
                    covered += c * c;
                });
                let rest = squares[k] - covered;
                let rest = if rest > ROUNDING * squares[k] { rest } else { 0.0 };
                *out = (there + rest).sqrt() as f32;
            }
        });
        codes
    }
}

impl ClusterModel for KMeansModel {
    fn method(&self) -> Method {
        Method::KMeans
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
        self.params.clusters * self.origin.width()
    }
    fn code_size(&self) -> usize {
        self.params.clusters
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
        self.distances_of(self.origin.seen(data)?.as_ref(), rows)
    }

    fn labels_of(&self, codes: &Matrix<f32>) -> Vec<u32> {
        let nearest =
            |row: &[f32]| (1..row.len()).fold(0, |best, k| if row[k] < row[best] { k } else { best });
        codes.iter_rows().map(|row| nearest(row) as u32).collect()
    }

    fn probabilities_of(&self, codes: &Matrix<f32>) -> Matrix<f32> {
        let factor = -0.5 / f64::from(self.scale).powi(2);
        let mut all = Matrix::zeros(codes.rows(), codes.cols());
        for i in 0..codes.rows() {
            let scores: Vec<f64> = codes.row(i).iter().map(|d| factor * f64::from(*d).powi(2)).collect();
            softmax(&scores, all.row_mut(i));
        }
        all
    }

    fn center_size(&self) -> usize {
        0
    }

    /// Codes are distances already.
    fn distances_to(&self, codes: &Matrix<f32>, _: &Matrix<f32>) -> Matrix<f32> {
        codes.clone()
    }

    fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        super::file::to_bytes(self)
    }
}

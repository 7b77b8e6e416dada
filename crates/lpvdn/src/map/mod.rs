//! A map of the rows: two or three numbers for each, so that clusters can be seen.
//!
//! The map is a second locality net (Eqns. 12–14) of few outputs, trained on the finished codes of a model, which stay
//! as they are: nothing about the clusters depends on it. It is a net and not a list of places, so that rows that come
//! later get their place on the same map.

mod algorithm;
mod file;

use lpvdn_core::Matrix;
use lpvdn_nn::{Activation, Layout, Mlp};
use serde::{Deserialize, Serialize};

pub use algorithm::{MapError, MapParams};

use crate::model::autoencoder::encoding::by_blocks;

/// The sizes of a map's net.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MapShape {
    /// The numbers of a code.
    pub inputs: usize,
    /// The widths of its hidden layers.
    pub layers: Vec<usize>,
    /// The numbers of a place: 2 or 3.
    pub axes: usize,
}

/// A trained map.
#[derive(Clone, Debug, PartialEq)]
pub struct RowMap {
    shape: MapShape,
    layout: Layout,
    net: Mlp,
    weights: Vec<f32>,
    /// Codes less this, times `factor`, are what the net sees.
    center: Vec<f32>,
    factor: f32,
}

impl RowMap {
    /// Without any weights yet: their number may be a claim.
    fn of_shape(shape: MapShape) -> RowMap {
        let mut layout = Layout::default();
        let widths = [&[shape.inputs], shape.layers.as_slice(), &[shape.axes]].concat();
        let net = Mlp::new(&mut layout, "map", &widths, Activation::Relu, Activation::Identity);
        RowMap { shape, layout, net, weights: Vec::new(), center: Vec::new(), factor: 1.0 }
    }

    /// The numbers of a place.
    pub fn axes(&self) -> usize {
        self.shape.axes
    }

    /// The sizes of its net.
    pub fn shape(&self) -> &MapShape {
        &self.shape
    }

    /// The places of codes. That of a code does not depend on those beside it.
    ///
    /// # Panics
    /// If codes are of another size than those that it was trained on.
    pub fn place(&self, codes: &Matrix<f32>) -> Matrix<f32> {
        assert_eq!(codes.cols(), self.shape.inputs, "numbers of a code");
        by_blocks(&self.net, &self.weights, &self.seen(codes), self.shape.axes)
    }

    /// What the net sees of codes.
    fn seen(&self, codes: &Matrix<f32>) -> Matrix<f32> {
        Matrix::from_fn(codes.rows(), codes.cols(), |i, j| (codes.row(i)[j] - self.center[j]) * self.factor)
    }
}

//! The methods, one folder each.

pub mod any;
pub mod autoencoder;
pub(crate) mod centers;
pub mod cluster_model;
pub mod clustergan;
pub(crate) mod collapse;
pub(crate) mod examine;
pub mod fitted;
mod format;
pub mod graph;
pub mod k_means;
pub mod lpvdn;
pub mod method;
mod samples;
pub(crate) mod seen;
mod signals;
pub(crate) mod start;

pub use any::{Estimator, Model, ValidEstimator};
pub use cluster_model::ClusterModel;
pub use fitted::Fitted;
pub use method::Method;

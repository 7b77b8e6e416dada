//! Deep clustering with the Locality Preserving Variational Discriminative Network.
//!
//! ```
//! use lpvdn::Lpvdn;
//! use lpvdn_core::{Dataset, Matrix};
//!
//! // Two groups of rows, 40 each, told apart by which half of their columns is bright.
//! let rows = Matrix::from_fn(80, 16, |i, j| {
//!     let bright = (i < 40) == (j < 8);
//!     (if bright { 0.8 } else { 0.1 }) + 0.02 * ((i * 7 + j * 3) % 5) as f32
//! });
//! let data = Dataset::from(rows);
//! let fitted = Lpvdn::params(2).seed(7).layers(vec![16]).pretrain_epochs(20).epochs(20).fit(&data)?;
//! assert_eq!(fitted.labels, fitted.predict(&data)?);
//! assert_ne!(fitted.labels[0], fitted.labels[79]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`loss`] has the terms, [`model`] the methods, [`map`] a picture of the rows, [`train`] the loop and what surrounds it.

pub mod error;
pub mod loss;
pub mod map;
pub mod model;
mod tensors;
pub mod train;
pub mod verdict;

pub use error::{DataProblem, FitError, ModelError};
pub use model::any::{Estimator, Model, ValidEstimator};
pub use model::cluster_model::ClusterModel;
pub use model::fitted::Fitted;
pub use model::lpvdn::{Lpvdn, LpvdnModel, LpvdnParams, Recipe, Space};
pub use model::method::Method;
pub use tensors::TensorFileError;
pub use train::{EpochReport, Evaluation, Event, FitControl, Phase, Plan, RunStore};

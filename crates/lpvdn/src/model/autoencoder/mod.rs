//! Encoder and decoder, and the methods that cluster what such an encoder makes of rows: AE + K-means,
//! VAE + K-means and DEC.
//!
//! | file | what it holds |
//! |---|---|
//! | `hyperparams` | the parameters |
//! | `network` | encoder and decoder, and where their parameters lie |
//! | `codes` | latent mean, variance and sample of a batch |
//! | `pretrain` | one step as a plain autoencoder |
//! | `trainer` | the steps of the phases |
//! | `algorithm` | `fit` |
//! | `guide` | the clusters of a plain autoencoder, for a method that has none |
//! | `encoding` | rows through a trained encoder |
//! | `evidence` | how probable rows are |
//! | `fitted`, `file` | the model, in memory and on disk |

mod algorithm;
pub(crate) mod codes;
pub(crate) mod encoding;
pub(crate) mod evidence;
pub(crate) mod file;
pub mod fitted;
pub(crate) mod guide;
pub mod hyperparams;
pub mod network;
pub(crate) mod pretrain;
mod trainer;

pub use fitted::EncoderModel;
pub use hyperparams::{AutoencoderParams, AutoencoderValidParams, CenterStart, Refinement};

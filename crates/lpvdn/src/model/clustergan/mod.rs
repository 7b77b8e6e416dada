//! ClusterGAN (Mukherjee, Asnani, Lin and Kannan, AAAI 2019).
//!
//! A generator G makes rows from codes z = (z_n, z_c): noise z_n ~ 0.1·N(0, I) beside a cluster z_c, one
//! of K, as a one-hot vector. A critic D tells made rows from true ones, and an encoder E leads a row back
//! to its code. What is clustered in the end is E(x).
//!
//! Which rows a class of z_c stands for is decided by chance in the first steps and hardly changes later. So the robust
//! recipe first divides the rows by the neighbours among the codes of a plain autoencoder, and for the first steps the
//! encoder also learns these clusters from the true rows.
//!
//! ```text
//! z_n, z_c ─ G ─┬─ E ─ ẑ_n, ẑ_c     compared with z_n, z_c
//!               └─ D ─┐
//!            x ─── D ─┴─ how far the rows G makes are from the data (Wasserstein distance)
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `hyperparams` | the parameters |
//! | `network` | the parts, and where their parameters lie |
//! | `latent` | random codes, and the shares of a mixed row |
//! | `critic` | one step of the critic |
//! | `penalty` | the gradient penalty of the critic's loss, with its derivation |
//! | `generator` | one step of generator and encoder, and what both do after training |
//! | `cycle` | ẑ against z: the encoder's two terms |
//! | `guidance` | what the encoder learns of the clusters that training starts from |
//! | `stack`, `layer` | layers in a row: forward, backward, and along a tangent |
//! | `map`, `patches` | what is linear in a layer: dense, a convolution, or a transposed one |
//! | `batch_norm`, `sums` | normalisation over a batch |
//! | `trainer` | the steps in their order |
//! | `algorithm` | `fit` |
//! | `fitted`, `file` | the model, in memory and on disk |

mod algorithm;
mod batch_norm;
mod critic;
mod cycle;
pub(crate) mod file;
pub mod fitted;
mod generator;
mod guidance;
pub mod hyperparams;
mod latent;
mod layer;
mod map;
pub mod network;
mod patches;
mod penalty;
mod stack;
mod sums;
mod trainer;

pub use critic::CriticValues;
pub use fitted::ClusterGanModel;
pub use generator::{CycleWeights, GeneratorValues};
pub use hyperparams::{ClassStart, ClusterGanParams, ClusterGanValidParams};
pub use network::{Form, Network, Output, Shape, ShapeError, Workspace};
pub use penalty::PENALTY;

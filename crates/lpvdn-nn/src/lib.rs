//! Fully connected networks with their gradients written out.
//!
//! There is no graph and no tape. All parameters of a model lie side by side in one slice, described
//! by a [`Layout`]; gradients and the optimiser's moments are slices of the same shape. A layer
//! knows only where its parameters lie: `forward` reads a slice, `backward` writes one. So Adam is
//! one pass over memory, and a checkpoint is a handful of flat arrays.

pub mod activation;
pub mod init;
pub mod layout;
pub mod linear;
pub mod mlp;
pub mod optimizer;
pub mod schedule;
mod sparse;
pub mod units;

pub use activation::Activation;
pub use init::Init;
pub use layout::{Layout, Span};
pub use linear::{LayerInput, Linear};
pub use mlp::{Mlp, MlpWorkspace};
pub use optimizer::{Adam, Sgd};
pub use schedule::Schedule;
pub use sparse::SparseScratch;
pub use units::{Columns, Units};

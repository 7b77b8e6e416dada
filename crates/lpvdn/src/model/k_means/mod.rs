//! K-means of the scaled rows: what everything else is compared with.
//!
//! | file | what it holds |
//! |---|---|
//! | `hyperparams` | the parameters |
//! | `algorithm` | `fit` |
//! | `fitted`, `file` | the model, in memory and on disk |

mod algorithm;
pub(crate) mod file;
pub mod fitted;
pub mod hyperparams;

pub use fitted::KMeansModel;
pub use hyperparams::{KMeansParams, KMeansValidParams};

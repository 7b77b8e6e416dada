//! Clusters of the neighbour graph of the rows, without any training: a result within seconds.
//!
//! The rows of the view, projected where they are wide, are joined to their nearest neighbours. Leiden divides that graph into K
//! communities; K-means and a Gaussian mixture divide the same rows. One of the three partitions is kept
//! (`choice`), and landmarks, which are means of rows, stand for it in the model: the cluster of a row is that of the landmarks
//! next to it, for rows of the training and for new ones alike.
//!
//! | file | what it holds |
//! |---|---|
//! | `hyperparams` | the parameters |
//! | `partitions`, `choice` | the three partitions, and which of them is kept |
//! | `landmarks` | what stands for a partition in the model |
//! | `algorithm` | `fit` |
//! | `fitted`, `file` | the model, in memory and on disk |

mod algorithm;
mod choice;
pub(crate) mod file;
pub mod fitted;
pub mod hyperparams;
mod landmarks;
mod partitions;

pub use fitted::GraphModel;
pub use hyperparams::{GraphParams, GraphValidParams, PartitionChoice};
pub use partitions::{Partition, Partitions, Way};

//! Clusters of the neighbour graph of the rows, without any training: a result within seconds.
//!
//! The rows of the view, projected where they are wide, are joined to their nearest neighbours. Leiden divides that graph into K
//! communities; K-means and a Gaussian mixture divide the same rows. Where Leiden is preferred, it divides them once more in a space in which
//! its clusters are round. One of the partitions is kept (`choice`), and landmarks, which are means of rows, stand for it in the model: the cluster of a row is that of the landmarks
//! next to it, for rows of the training and for new ones alike.
//!
//! | file | what it holds |
//! |---|---|
//! | `hyperparams` | the parameters |
//! | `places` | rows as they are compared |
//! | `initial` | their neighbours, and the partitions of them: also where LPVDN begins |
//! | `partitions`, `choice` | the partitions, and which of them is kept |
//! | `whitening` | the space in which clusters are round |
//! | `landmarks` | what stands for a partition in the model |
//! | `algorithm` | `fit` |
//! | `fitted`, `file` | the model, in memory and on disk |

mod algorithm;
pub(crate) mod choice;
pub(crate) mod file;
pub mod fitted;
pub mod hyperparams;
pub(crate) mod initial;
pub(crate) mod landmarks;
pub(crate) mod partitions;
pub(crate) mod places;
pub(crate) mod whitening;

pub use fitted::GraphModel;
pub use hyperparams::{GraphParams, GraphValidParams, PartitionChoice};
pub use partitions::{Partition, PartitionOf, Partitions, Way};

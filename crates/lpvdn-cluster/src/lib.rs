//! Classical clustering under lpvdn: K-means, Gaussian mixtures, Leiden, nearest neighbours, metrics.
//!
//! | module | what it holds |
//! |---|---|
//! | [`k_means`] | Lloyd's algorithm from greedy k-means++ starts |
//! | [`gaussian_mixture`] | expectation–maximisation with diagonal or full covariances |
//! | [`graph`] | the graph of nearest neighbours, with weights |
//! | [`leiden`] | Leiden: connected communities of a graph, at a resolution or of a given number |
//! | [`spectral`] | spectral clustering of cells that a graph of neighbours joins |
//! | [`neighbors`] | the exact k nearest rows of each row |
//! | [`hnsw`] | an index that finds nearly all of them in a fraction of the time |
//! | [`metrics`] | accuracy, purity, NMI, ARI, AMI; silhouette, Calinski–Harabasz, Davies–Bouldin |
//!
//! All of them run on the threads of whatever rayon pool is installed
//! ([`Pool::run`](lpvdn_core::Pool::run)), and give the same bits on any number of threads: chunks
//! follow from the shape alone, and floating-point sums are taken in double precision in a fixed
//! order.

mod distance;
pub mod gaussian_mixture;
pub mod graph;
pub mod hnsw;
mod input;
pub mod k_means;
pub mod leiden;
pub mod metrics;
pub mod neighbors;
mod rows;
pub mod spectral;

pub use gaussian_mixture::GaussianMixture;
pub use graph::{GraphParams, NeighborGraph};
pub use hnsw::{Hnsw, HnswParams};
pub use input::{InputError, LARGEST};
pub use k_means::KMeans;
pub use leiden::{Leiden, LeidenK};
pub use metrics::ExternalScores;
pub use neighbors::Neighbors;
pub use rows::PointRows;
pub use spectral::Spectral;

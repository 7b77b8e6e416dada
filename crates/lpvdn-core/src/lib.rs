//! The ground floor of lpvdn: what the networks, the clustering algorithms and the readers share.
//!
//! | module | what it holds |
//! |---|---|
//! | [`real`] | the sealed trait [`Real`]: `f32` for training, `f64` for checking gradients |
//! | [`matrix`], [`csr`] | dense row-major and compressed sparse row matrices |
//! | [`product`] | matrix products on a fixed grid of tiles: one result on any number of threads |
//! | [`simd`], [`math`] | the instruction-set level, and `exp`/`ln` that vectorise |
//! | [`source`], [`dataset`], [`columns`], [`labels`], [`lines`], [`summary`], [`preprocess`] | rows on their way into a model |
//! | [`view`] | rows by the type of their columns, as numbers that can be compared |
//! | [`eigen`] | all eigenvalues of a small symmetric matrix |
//! | [`principal`] | the leading principal components of rows |
//! | [`table`] | from the cells of tables to values |
//! | [`stream`] | random numbers keyed by what they are for |
//! | [`pool`] | the threads of one fit |
//! | [`mod@file`] | files that are either whole or not there |

pub mod columns;
pub mod csr;
pub mod dataset;
pub mod eigen;
pub mod file;
pub mod labels;
pub mod lines;
pub mod math;
pub mod matrix;
mod picture;
pub mod pool;
pub mod preprocess;
pub mod principal;
pub mod product;
pub mod real;
pub mod select;
pub mod simd;
pub mod source;
pub mod stream;
mod subspace;
pub mod summary;
pub mod table;
pub mod view;

pub use columns::{ColumnGroup, ColumnKind, Transform};
pub use csr::CsrMatrix;
pub use dataset::Dataset;
pub use labels::{GrowingLabels, Labels, RowNames};
pub use lines::RowLines;
pub use matrix::{Matrix, MatrixView, MatrixViewMut};
pub use picture::PictureShape;
pub use pool::Pool;
pub use preprocess::Preprocessor;
pub use principal::PrincipalComponents;
pub use real::Real;
pub use select::{Select, Selected};
pub use simd::Level;
pub use source::{Batch, RowSource, SourceError, Subset};
pub use stream::{Stream, StreamKey};
pub use summary::Summary;
pub use view::View;

//! How good a clustering is.
//!
//! *External* metrics compare clusters with known classes; all of them follow from one
//! [`Contingency`] table, and none depends on how clusters or classes are numbered. *Internal*
//! metrics look at the rows alone.
//!
//! | metric | compares | range | best |
//! |---|---|---|---|
//! | [`accuracy`] | one-to-one matching | 0 … 1 | 1 |
//! | [`purity`] | each cluster with its largest class: grows with the number of clusters | 0 … 1 | 1 |
//! | [`nmi`] | information over mean entropy | 0 … 1 | 1 |
//! | [`ari`] | pairs of rows, adjusted for chance | −½ … 1 | 1 |
//! | [`ami`] | information, adjusted for chance | … 1 | 1 |
//! | [`silhouette`], [`silhouette_sampled`] | own and next cluster | −1 … 1 | 1 |
//! | [`calinski_harabasz`] | dispersion between and within | 0 … ∞ | ∞ |
//! | [`davies_bouldin`] | spread and separation | 0 … ∞ | 0 |
//! | [`modularity`] | edges between neighbours inside and across clusters | −½ … 1 | 1 |
//!
//! Limits (one cluster, one class, a cluster for every row) are those of scikit-learn.

mod contingency;
mod dispersion;
mod errors;
mod external;
mod groups;
mod information;
mod matching;
mod modularity;
mod silhouette;

pub use contingency::Contingency;
pub use dispersion::{calinski_harabasz, davies_bouldin};
pub use errors::MetricsError;
pub use external::{ExternalScores, accuracy, ami, ari, nmi, purity};
pub use modularity::modularity;
pub use silhouette::{silhouette, silhouette_sampled, silhouettes};

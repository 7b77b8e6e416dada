//! Where the clusters of VaDE, DEC and ClusterGAN start if that is left to the data, as the robust recipe does for VaDE and DEC.
//!
//! The neighbours among the codes of a plain autoencoder show clusters of signals better than the rows do (`model/signals.rs`), if there
//! are rows enough for the graph of cells that shows them. Of everything else the initial clustering of the rows is the better
//! start of VaDE and DEC. ARCHITECTURE.md (Several methods) has the figures.

use lpvdn_cluster::Spectral;

use super::examine::Ready;
use crate::train::districts::districts_of;

/// Whether clusters start from the codes of these rows, rather than from their initial clustering.
pub(crate) fn by_codes(ready: &Ready<'_>, (clusters, district): (usize, usize)) -> bool {
    let rows = ready.data.rows();
    let together = rows / districts_of(rows, district);
    ready.signals && Spectral::params(clusters).cells_for(together).is_some()
}

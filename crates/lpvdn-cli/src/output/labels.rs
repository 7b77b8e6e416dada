//! The table of clusters that `fit` and `predict` write.

use std::io::Write;

use lpvdn_core::{Labels, Matrix, RowNames};
use lpvdn_report::csv_cell;

/// Clusters as CSV: row from 0, what it is called, cluster, how sure that is, all probabilities and the
/// true class if asked for.
pub(crate) struct LabelColumns<'a> {
    pub(crate) clusters: usize,
    pub(crate) all: bool,
    pub(crate) ids: Option<&'a RowNames>,
    pub(crate) truth: Option<&'a Labels>,
}

impl LabelColumns<'_> {
    pub(crate) fn write_header(&self, out: &mut (impl Write + ?Sized)) -> std::io::Result<()> {
        write!(out, "row{},cluster,confidence", if self.ids.is_some() { ",id" } else { "" })?;
        if self.all {
            (0..self.clusters).try_for_each(|k| write!(out, ",p{k}"))?;
        }
        writeln!(out, "{}", if self.truth.is_some() { ",label" } else { "" })
    }
}

/// The clusters of successive rows.
pub(crate) struct LabelRows<'a> {
    /// The number of the first of them.
    pub(crate) first: usize,
    pub(crate) labels: &'a [u32],
    pub(crate) confidences: &'a [f32],
    /// Where all probabilities are asked for.
    pub(crate) probabilities: Option<&'a Matrix<f32>>,
}

impl LabelRows<'_> {
    pub(crate) fn write(
        &self,
        columns: &LabelColumns<'_>,
        out: &mut (impl Write + ?Sized),
    ) -> std::io::Result<()> {
        for (at, (label, confidence)) in self.labels.iter().zip(self.confidences).enumerate() {
            let i = self.first + at;
            write!(out, "{i}")?;
            if let Some(ids) = columns.ids {
                write!(out, ",{}", csv_cell(ids.get(i).unwrap_or_default()))?;
            }
            write!(out, ",{label},{confidence:.6}")?;
            if let Some(probabilities) = self.probabilities {
                probabilities.row(at).iter().try_for_each(|p| write!(out, ",{p:.6}"))?;
            }
            if let Some(truth) = columns.truth {
                write!(out, ",{}", csv_cell(&truth.names[truth.codes[i] as usize]))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

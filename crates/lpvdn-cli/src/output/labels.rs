//! The table of clusters that `fit` and `predict` write.

use std::io::Write;

use lpvdn_core::{Labels, Matrix, RowNames};
use lpvdn_report::csv_cell;

/// Clusters as CSV: row from 0, what it is called, cluster, its probability, all probabilities and the
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
    pub(crate) probabilities: &'a Matrix<f32>,
}

impl LabelRows<'_> {
    pub(crate) fn write(
        &self,
        columns: &LabelColumns<'_>,
        out: &mut (impl Write + ?Sized),
    ) -> std::io::Result<()> {
        for (at, (label, row)) in self.labels.iter().zip(self.probabilities.iter_rows()).enumerate() {
            let i = self.first + at;
            write!(out, "{i}")?;
            if let Some(ids) = columns.ids {
                write!(out, ",{}", csv_cell(ids.get(i).unwrap_or_default()))?;
            }
            write!(out, ",{label},{:.6}", row[*label as usize])?;
            if columns.all {
                row.iter().try_for_each(|p| write!(out, ",{p:.6}"))?;
            }
            if let Some(truth) = columns.truth {
                write!(out, ",{}", csv_cell(&truth.names[truth.codes[i] as usize]))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

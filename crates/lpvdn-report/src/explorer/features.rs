//! What tells a cluster from the others: columns, or words, whose mean is another in it.

use lpvdn_core::{Batch, Dataset};

use super::error::ExploreError;
use super::manifest::Feature;

/// Features of a cluster that are shown.
const SHOWN: usize = 12;
/// Rows that are read at once.
const BLOCK: usize = 1_024;

/// Means of columns by cluster.
pub(super) struct ColumnMeans {
    /// Rows of each cluster, and of all.
    sizes: Vec<usize>,
    rows: usize,
    /// What is taken off values before they are added, so that a small spread about a large mean is not lost: the first
    /// row, or nothing where rows are sparse.
    shift: Vec<f64>,
    /// Σ of each column, cluster after cluster.
    sums: Vec<f64>,
    /// Σ and Σ of squares over all rows.
    totals: Vec<f64>,
    squares: Vec<f64>,
}

impl ColumnMeans {
    pub(super) fn of(data: &Dataset, clusters: &[u32], count: usize) -> Result<ColumnMeans, ExploreError> {
        let columns = data.cols();
        let mut means = ColumnMeans {
            sizes: vec![0; count],
            rows: data.rows(),
            shift: vec![0.0; columns],
            sums: vec![0.0; count * columns],
            totals: vec![0.0; columns],
            squares: vec![0.0; columns],
        };
        let mut batch = Batch::for_source(data.source.as_ref());
        for start in (0..data.rows()).step_by(BLOCK) {
            let rows: Vec<u32> = (start as u32..(start + BLOCK).min(data.rows()) as u32).collect();
            data.source.gather(&rows, &mut batch)?;
            if start == 0 && matches!(batch, Batch::Dense(_)) {
                batch.for_each_in_row(0, |j, value| means.shift[j] = f64::from(value));
            }
            for i in 0..batch.rows() {
                let cluster = clusters[start + i] as usize;
                means.sizes[cluster] += 1;
                let sums = &mut means.sums[cluster * columns..][..columns];
                batch.for_each_in_row(i, |j, value| {
                    let value = f64::from(value) - means.shift[j];
                    sums[j] += value;
                    means.totals[j] += value;
                    means.squares[j] += value * value;
                });
            }
        }
        Ok(means)
    }

    fn columns(&self) -> usize {
        self.totals.len()
    }

    /// The mean of a column here and elsewhere, and the difference in standard deviations.
    fn contrast(&self, cluster: usize, column: usize) -> (f64, f64, f64) {
        let rows = self.rows;
        let (n, here) = (self.sizes[cluster], self.sums[cluster * self.columns() + column]);
        let others = (rows - n).max(1) as f64;
        let mean = self.totals[column] / rows.max(1) as f64;
        let variance = self.squares[column] / rows.max(1) as f64 - mean * mean;
        let (here, elsewhere) = (here / n.max(1) as f64, (self.totals[column] - here) / others);
        // What rounding leaves of a column of equal values is no spread.
        let spread = variance > 1e-12 * mean * mean && variance > 0.0;
        let score = if spread && n > 0 { (here - elsewhere) / variance.sqrt() } else { 0.0 };
        (here + self.shift[column], elsewhere + self.shift[column], score)
    }

    /// The most telling columns of a cluster; only those with more in it, where less of a thing says little, as of words.
    pub(super) fn features(
        &self,
        cluster: usize,
        only_more: bool,
        name: &dyn Fn(usize) -> String,
    ) -> Vec<Feature> {
        if self.sizes.iter().filter(|&&n| n > 0).count() < 2 {
            return Vec::new();
        }
        let mut all: Vec<(usize, f64)> =
            (0..self.columns()).map(|j| (j, self.contrast(cluster, j).2)).collect();
        all.retain(|(_, score)| if only_more { *score > 0.0 } else { *score != 0.0 });
        all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        let feature = |(j, score): (usize, f64)| {
            let (here, elsewhere, _) = self.contrast(cluster, j);
            Feature { name: name(j), here, elsewhere, score }
        };
        all.into_iter().take(SHOWN).map(feature).collect()
    }

    /// The columns that tell clusters apart the most, in their own order.
    pub(super) fn telling(&self, most: usize) -> Vec<usize> {
        let mut columns: Vec<usize> = (0..self.columns()).collect();
        if columns.len() > most {
            let clusters = 0..self.sizes.len();
            let score = |j: usize| clusters.clone().map(|k| self.contrast(k, j).2.abs()).fold(0.0, f64::max);
            let scores: Vec<f64> = columns.iter().map(|&j| score(j)).collect();
            columns.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
            columns.truncate(most);
            columns.sort_unstable();
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use lpvdn_core::Matrix;

    use super::*;

    #[test]
    fn the_column_that_differs_comes_first_and_equal_ones_not_at_all() {
        let rows = Matrix::from_fn(40, 3, |i, j| match j {
            0 => 5.0,
            1 => (i % 2) as f32,
            _ => {
                if i < 20 {
                    1.0
                } else {
                    9.0 + (i % 2) as f32
                }
            }
        });
        let clusters: Vec<u32> = (0..40).map(|i| u32::from(i >= 20)).collect();
        let means = ColumnMeans::of(&Dataset::from(rows), &clusters, 3).expect("means");
        let features = means.features(1, false, &|j| format!("column {j}"));
        assert_eq!(features[0].name, "column 2");
        assert_eq!((features[0].here, features[0].elsewhere), (9.5, 1.0));
        assert!(features.iter().all(|f| f.name != "column 0"));
        assert!(means.features(0, true, &|j| j.to_string()).iter().all(|f| f.score > 0.0));
        assert!(means.features(2, false, &|j| j.to_string()).is_empty(), "an empty cluster");
        assert_eq!(means.telling(1), [2]);
        // A little that differs on top of much that does not.
        let late = Matrix::from_fn(40, 1, |i, _| 1.7e9 + if i < 20 { 0.0 } else { 2e4 });
        let means = ColumnMeans::of(&Dataset::from(late), &clusters, 2).expect("means");
        assert!(means.features(1, false, &|j| j.to_string())[0].score > 1.9);
    }
}

//! Rows with Gaussian noise.

use std::sync::Arc;

use lpvdn_core::source::SourceError;
use lpvdn_core::{Batch, Dataset, RowSource, StreamKey};

/// Adds noise of standard deviation σ to every value, on the scale that the network sees, of which `units` says what 1 is
/// in each column: pixels from 0 to 1.
/// Nothing is clipped. The noise of a row depends on the seed and the row alone, so that a larger σ is more
/// of the same noise.
pub(super) fn noisy(data: &Dataset, units: &[f64], sigma: f64, seed: u64) -> Dataset {
    let deviations = units.iter().map(|unit| (sigma * unit) as f32).collect();
    let source = Noisy { rows: data.source.clone(), deviations, seed };
    Dataset { source: Arc::new(source), ..data.clone() }
}

struct Noisy {
    rows: Arc<dyn RowSource>,
    deviations: Vec<f32>,
    seed: u64,
}

impl RowSource for Noisy {
    fn rows(&self) -> usize {
        self.rows.rows()
    }
    fn cols(&self) -> usize {
        self.rows.cols()
    }
    fn gather(&self, indices: &[u32], batch: &mut Batch) -> Result<(), SourceError> {
        let Batch::Dense(out) = batch else { unreachable!("a dense source got a sparse batch") };
        // With noise, no value is zero: sparse rows are dense from here on.
        let mut inner = Batch::for_source(self.rows.as_ref());
        self.rows.gather(indices, &mut inner)?;
        match inner {
            Batch::Dense(rows) => *out = rows,
            Batch::Sparse(rows) => rows.to_dense_into(out),
        }
        for (i, &row) in indices.iter().enumerate() {
            let mut stream = StreamKey::new(self.seed, "noise").at(0, 0, u64::from(row)).open();
            for (value, deviation) in out.row_mut(i).iter_mut().zip(&self.deviations) {
                *value += deviation * stream.normal() as f32;
            }
        }
        Ok(())
    }
    fn memory(&self) -> usize {
        self.rows.memory()
    }
}

#[cfg(test)]
mod tests {
    use lpvdn_core::{CsrMatrix, Matrix};

    use super::*;

    fn gathered(data: &Dataset, rows: &[u32]) -> Matrix<f32> {
        let mut batch = Batch::for_source(data.source.as_ref());
        data.source.gather(rows, &mut batch).expect("rows");
        let Batch::Dense(rows) = batch else { panic!("sparse") };
        rows
    }

    #[test]
    fn noise_is_of_its_size_on_the_networks_scale_and_the_same_wherever_a_row_is_asked_for() {
        let data = Dataset::from(Matrix::<f32>::from_fn(40, 500, |_, _| 100.0));
        let noise = noisy(&data, &[100.0; 500], 0.3, 7);
        let rows = gathered(&noise, &(0..40).collect::<Vec<_>>());
        let differences: Vec<f64> = rows.as_slice().iter().map(|v| f64::from(*v) - 100.0).collect();
        let n = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let deviation = (differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / n).sqrt();
        assert!(mean.abs() < 1.0 && (deviation - 30.0).abs() < 1.0, "{mean} {deviation}");
        assert_eq!(gathered(&noise, &[17]).row(0), rows.row(17));
        let twice = gathered(&noisy(&data, &[100.0; 500], 0.6, 7), &[3]);
        let ratio = (twice.row(0)[0] - 100.0) / (rows.row(3)[0] - 100.0);
        assert!((ratio - 2.0).abs() < 1e-3, "{ratio}");
    }

    #[test]
    fn sparse_rows_become_dense_ones() {
        let mut sparse = CsrMatrix::new(3);
        sparse.push_row([(1, 2.0)]);
        let rows = gathered(&noisy(&Dataset::new("a", sparse), &[1.0; 3], 0.0, 1), &[0]);
        assert_eq!(rows.row(0), [0.0, 2.0, 0.0]);
    }
}

//! Scaling: what happens to a value between the file and the network.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::matrix::Matrix;
use crate::source::{Batch, RowSource, SourceError};
use crate::summary::Summary;

/// Values scaled by one task.
const CHUNK: usize = 1 << 15;
/// The largest byte.
pub(crate) const LEVELS: f32 = 255.0;

/// How to scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// Whatever fits the values as a whole: see [`Preprocessor::fit`].
    #[default]
    Auto,
    /// By the type of the columns: a [`View`](crate::View), or pixels as they are.
    ByType,
    /// Leave the values as they are.
    None,
    /// Divide everything by the largest value, for values that share one scale from 0 upward.
    Max,
    /// Give every column mean 0 and standard deviation 1.
    Standard,
    /// Multiply everything so that the mean squared row length is the number of columns. For rows
    /// of unit length, such as tf-idf, this is × √D.
    Norm,
}

/// A fitted scaling. It lives in the model file and is applied again in `predict`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preprocessor {
    /// Values pass unchanged.
    None,
    /// Every value is multiplied by one factor.
    Scale {
        /// The factor.
        factor: f32,
    },
    /// x ↦ round(255 x) · factor: pixels that were divided by 255, so that they are to the bit what the bytes would be.
    Bytes {
        /// The factor.
        factor: f32,
    },
    /// x ↦ (x − mean) · factor, column by column.
    Standard {
        /// The mean of each column.
        mean: Vec<f64>,
        /// 1 / standard deviation of each column; 0 for a constant one.
        factor: Vec<f32>,
        /// The columns that an `f32` says too little about (points in time, for example): their mean is taken off
        /// before they are rounded.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fine: Vec<usize>,
    },
}

impl Preprocessor {
    /// How values are scaled, for people.
    pub fn in_words(&self) -> String {
        match self {
            Preprocessor::None => "as they are".to_owned(),
            Preprocessor::Scale { factor } => format!("multiplied by {factor}"),
            Preprocessor::Bytes { .. } => "pixels, as they are".to_owned(),
            Preprocessor::Standard { .. } => "every column with mean 0 and standard deviation 1".to_owned(),
        }
    }

    /// Fits a scaling.
    ///
    /// [`Scaling::Auto`] leaves values in [0, 1] as they are, divides pixel-like values (bytes, or
    /// whole numbers in 0..=255 on one common scale) by the largest, scales sparse rows by their
    /// norm, and standardises everything else. [`Scaling::ByType`] means pixels here: all else has a
    /// [`View`](crate::View).
    pub fn fit(scaling: Scaling, data: &Summary, bytes: bool, sparse: bool) -> Preprocessor {
        let scale = |factor: f64| Preprocessor::Scale { factor: factor as f32 };
        match scaling {
            Scaling::None => Preprocessor::None,
            Scaling::ByType if data.byte_levels => scale_bytes(data.max),
            Scaling::ByType if data.max <= 1.0 => Preprocessor::None,
            Scaling::ByType => Preprocessor::fit(Scaling::Max, data, bytes, sparse),
            Scaling::Max if data.max > 0.0 => scale(1.0 / f64::from(data.max)),
            Scaling::Max => Preprocessor::None,
            Scaling::Norm if data.mean_squared_norm > 0.0 => {
                scale((data.cols as f64 / data.mean_squared_norm).sqrt())
            }
            Scaling::Norm => Preprocessor::None,
            Scaling::Standard => Preprocessor::standard(data, sparse),
            Scaling::Auto if !data.fine.is_empty() => Preprocessor::standard(data, sparse),
            Scaling::Auto if sparse => Preprocessor::fit(Scaling::Norm, data, bytes, sparse),
            Scaling::Auto if data.min >= 0.0 && data.max <= 1.0 => Preprocessor::None,
            Scaling::Auto if bytes || pixel_like(data) => {
                Preprocessor::fit(Scaling::Max, data, bytes, sparse)
            }
            Scaling::Auto => Preprocessor::standard(data, sparse),
        }
    }

    /// Sparse rows are scaled but not shifted, so that zeros stay zeros.
    fn standard(data: &Summary, sparse: bool) -> Preprocessor {
        // What is too small for its inverse to be a number is as good as constant.
        let factor =
            |&deviation: &f64| Some((1.0 / deviation) as f32).filter(|f| f.is_finite()).unwrap_or(0.0);
        Preprocessor::Standard {
            mean: if sparse { vec![0.0; data.cols] } else { data.means.clone() },
            factor: data.deviations.iter().map(factor).collect(),
            fine: data.fine.clone(),
        }
    }

    /// Whether a zero becomes another number. A scaling that was fitted to sparse rows leaves them.
    fn moves_zeros(&self) -> bool {
        matches!(self, Preprocessor::Standard { mean, .. } if mean.iter().any(|m| *m != 0.0))
    }

    /// Replaces the rows of `batch` by rows `indices` of `source`, scaled. Sparse ones become dense where a
    /// scaling that was fitted to dense rows makes other numbers of their zeros; else they stay what they are.
    ///
    /// # Errors
    /// Rows that cannot be read.
    pub fn gather(
        &self,
        source: &dyn RowSource,
        indices: &[u32],
        batch: &mut Batch,
    ) -> Result<(), SourceError> {
        // The last ones may have become dense, and a source fills only batches of its own kind.
        if source.is_sparse() != matches!(batch, Batch::Sparse(_)) {
            *batch = Batch::for_source(source);
        }
        source.gather(indices, batch)?;
        self.apply(batch);
        if let (Preprocessor::Standard { mean, factor, fine }, Batch::Dense(rows)) = (self, batch)
            && !fine.is_empty()
        {
            let mut seen = Batch::Dense(Matrix::zeros(0, rows.cols()));
            source.gather_from(mean, indices, &mut seen)?;
            if let Batch::Dense(seen) = seen {
                for i in 0..rows.rows() {
                    fine.iter().for_each(|&j| rows.row_mut(i)[j] = seen.row(i)[j] * factor[j]);
                }
            }
        }
        Ok(())
    }

    /// The first column of which rows must have digits that 32 bits do not hold.
    pub fn first_fine(&self) -> Option<usize> {
        match self {
            Preprocessor::Standard { fine, .. } => fine.first().copied(),
            Preprocessor::None | Preprocessor::Scale { .. } | Preprocessor::Bytes { .. } => None,
        }
    }

    /// Scales rows that are gathered already, as far as 32 bits allow.
    pub fn apply(&self, batch: &mut Batch) {
        if let Batch::Sparse(rows) = batch
            && self.moves_zeros()
        {
            let mut dense = Matrix::zeros(0, rows.cols());
            rows.to_dense_into(&mut dense);
            *batch = Batch::Dense(dense);
        }
        match (self, batch) {
            (Preprocessor::None, _) => {}
            (Preprocessor::Scale { factor }, Batch::Dense(m)) => {
                let chunks = m.as_mut_slice().par_chunks_mut(CHUNK);
                chunks.for_each(|chunk| chunk.iter_mut().for_each(|v| *v *= factor));
            }
            (Preprocessor::Bytes { factor }, Batch::Dense(m)) => {
                let chunks = m.as_mut_slice().par_chunks_mut(CHUNK);
                chunks.for_each(|chunk| chunk.iter_mut().for_each(|v| *v = (LEVELS * *v).round() * factor));
            }
            (Preprocessor::Bytes { factor }, Batch::Sparse(m)) => {
                m.values_mut().iter_mut().for_each(|v| *v = (LEVELS * *v).round() * factor);
            }
            (Preprocessor::Scale { factor }, Batch::Sparse(m)) => {
                m.values_mut().iter_mut().for_each(|v| *v *= factor);
            }
            (Preprocessor::Standard { mean, factor, .. }, Batch::Dense(m)) => {
                for i in 0..m.rows() {
                    let row = m.row_mut(i).iter_mut();
                    row.zip(mean.iter().zip(factor)).for_each(|(v, (m, f))| *v = (*v - *m as f32) * f);
                }
            }
            // All means are 0.
            (Preprocessor::Standard { factor, .. }, Batch::Sparse(m)) => m.scale_columns(factor),
        }
    }

    /// Takes a row from the network's scale back to the data's.
    pub fn invert(&self, row: &mut [f32]) {
        for (column, v) in row.iter_mut().enumerate() {
            *v = self.inverted(column, *v) as f32;
        }
    }

    /// What a scaled value of a column is on the data's own scale, where 32 bits may be too few for it.
    pub fn inverted(&self, column: usize, value: f32) -> f64 {
        match self {
            Preprocessor::None => f64::from(value),
            Preprocessor::Scale { factor } => f64::from(value / factor),
            Preprocessor::Bytes { factor } => f64::from(value / (LEVELS * factor)),
            Preprocessor::Standard { mean, factor, .. } if factor[column] == 0.0 => mean[column],
            Preprocessor::Standard { mean, factor, .. } => f64::from(value / factor[column]) + mean[column],
        }
    }

    /// The smallest and largest value after scaling.
    pub fn range(&self, data: &Summary) -> (f32, f32) {
        match self {
            Preprocessor::None => (data.min, data.max),
            Preprocessor::Scale { factor } => (data.min * factor, data.max * factor),
            Preprocessor::Bytes { factor } => (data.min * LEVELS * factor, data.max * LEVELS * factor),
            Preprocessor::Standard { .. } => (f32::NEG_INFINITY, f32::INFINITY),
        }
    }
}

/// Pixels that were divided by 255, of which the largest is `max`.
fn scale_bytes(max: f32) -> Preprocessor {
    Preprocessor::Bytes { factor: (1.0 / f64::from((LEVELS * max).round())) as f32 }
}

/// Whole numbers in 0..=255 of which most columns reach at least half of the largest: a picture's
/// pixels do, a table with an age beside a flag does not.
pub(crate) fn pixel_like(data: &Summary) -> bool {
    let used = data.column_max.iter().filter(|&&m| m > 0.0).count();
    let high = data.column_max.iter().filter(|&&m| m >= 0.5 * data.max).count();
    data.whole_numbers && data.min == 0.0 && data.max <= 255.0 && data.cols >= 16 && 2 * high >= used
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsrMatrix, Matrix};

    fn auto(m: &Matrix<f32>) -> Preprocessor {
        Preprocessor::fit(Scaling::Auto, &Summary::of(m).expect("a summary"), false, false)
    }

    #[test]
    fn the_data_decides_how_it_is_scaled() {
        let unit = Matrix::from_fn(10, 4, |i, j| (i + j) as f32 / 20.0);
        assert_eq!(auto(&unit), Preprocessor::None);
        let pixels = Matrix::from_fn(50, 16, |i, j| ((i * j) % 17) as f32);
        assert_eq!(auto(&pixels), Preprocessor::Scale { factor: 1.0 / 16.0 });
        let table = Matrix::from_fn(50, 3, |i, j| ((i * 31) % (3 + 90 * j)) as f32);
        assert!(matches!(auto(&table), Preprocessor::Standard { .. }));
        let mut rows = CsrMatrix::new(4);
        rows.push_row([(0, 1.0)]);
        rows.push_row([(1, 0.6), (3, 0.8)]);
        let summary = Summary::of(&rows).expect("a summary");
        let Preprocessor::Scale { factor } = Preprocessor::fit(Scaling::Auto, &summary, false, true) else {
            panic!("scale")
        };
        assert!((factor - 2.0).abs() < 1e-6);
    }

    #[test]
    fn sparse_rows_are_scaled_but_not_shifted_and_come_back() {
        let dense =
            Matrix::from_fn(9, 3, |i, j| if (i + j) % 2 == 0 { (i + 4 * j) as f32 + 1.0 } else { 0.0 });
        let csr = CsrMatrix::from_dense(&dense);
        let summary = Summary::of(&csr).expect("a summary");
        let fitted = Preprocessor::fit(Scaling::Standard, &summary, false, true);
        let mut batch = Batch::Sparse(csr);
        fitted.apply(&mut batch);
        let Batch::Sparse(scaled) = batch else { panic!("sparse") };
        let mut back = Matrix::zeros(0, 3);
        scaled.to_dense_into(&mut back);
        for i in 0..9 {
            fitted.invert(back.row_mut(i));
            for (a, b) in back.row(i).iter().zip(dense.row(i)) {
                assert!((a - b).abs() < 1e-5, "row {i}: {a} against {b}");
            }
        }
    }

    #[test]
    fn sparse_rows_are_centred_as_dense_ones_by_a_scaling_that_was_fitted_to_these() {
        let dense =
            Matrix::from_fn(9, 3, |i, j| if (i + j) % 2 == 0 { (i + 4 * j) as f32 - 2.0 } else { 0.0 });
        let fitted = auto(&dense);
        let mut rows = Batch::Dense(dense.clone());
        let mut sparse = Batch::Sparse(CsrMatrix::from_dense(&dense));
        fitted.apply(&mut rows);
        fitted.apply(&mut sparse);
        assert_eq!(rows, sparse);
        assert!(matches!(fitted, Preprocessor::Standard { .. }));
    }

    #[test]
    fn points_in_time_are_scaled_by_their_distance_from_the_mean() {
        let days = |i: usize| 1.7e9 + 86_400.0 * (i % 7) as f64;
        let times = Matrix::from_fn(70, 2, |i, j| if j == 0 { days(i) } else { 1e15 + days(i) });
        let summary = Summary::of(&times).expect("a summary");
        let fitted = Preprocessor::fit(Scaling::Auto, &summary, false, false);
        let mut scaled = Batch::for_source(&times);
        fitted.gather(&times, &[0, 1, 6], &mut scaled).expect("rows");
        let Batch::Dense(rows) = scaled else { panic!("dense") };
        for j in 0..2 {
            // A week of equal days: the fourth is in the middle, and a day is half a standard deviation.
            let expected = [-1.5, -1.0, 1.5];
            (0..3).for_each(|i| assert!((rows.row(i)[j] - expected[i]).abs() < 1e-6, "{:?}", rows.row(i)));
        }
    }

    #[test]
    fn scaling_means_the_same_while_and_after_rows_are_gathered() {
        let floats = Matrix::from_fn(20, 3, |i, j| (i * i + 7 * j) as f32 * 0.37 - 30.0);
        let doubles = Matrix::from_fn(20, 3, |i, j| f64::from(floats.row(i)[j]));
        let fitted = auto(&floats);
        let of_doubles = Summary::of(&doubles).expect("a summary");
        assert_eq!(Preprocessor::fit(Scaling::Auto, &of_doubles, false, false), fitted);
        let all: Vec<u32> = (0..20).collect();
        let gathered = |source: &dyn RowSource| {
            let mut batch = Batch::for_source(source);
            fitted.gather(source, &all, &mut batch).expect("rows");
            batch
        };
        let mut applied = Batch::Dense(floats.clone());
        fitted.apply(&mut applied);
        assert_eq!(gathered(&floats), applied);
        assert_eq!(gathered(&doubles), applied);
        assert_eq!(gathered(&CsrMatrix::from_dense(&floats)), applied, "made dense");
    }

    #[test]
    fn invert_undoes_apply_and_constant_columns_stay_finite() {
        let m = Matrix::from_fn(9, 3, |i, j| if j == 2 { 7.0 } else { (i * (j + 2)) as f32 - 3.0 });
        let fitted = auto(&m);
        let mut batch = Batch::Dense(m.clone());
        fitted.apply(&mut batch);
        let Batch::Dense(mut scaled) = batch else { panic!("dense") };
        let column: Vec<f32> = scaled.iter_rows().map(|r| r[0]).collect();
        let mean = column.iter().sum::<f32>() / 9.0;
        let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 9.0;
        assert!(mean.abs() < 1e-6 && (variance - 1.0).abs() < 1e-5);
        for i in 0..9 {
            fitted.invert(scaled.row_mut(i));
            for (a, b) in scaled.row(i).iter().zip(m.row(i)) {
                assert!((a - b).abs() < 1e-5);
            }
        }
    }
}

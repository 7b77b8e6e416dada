//! Whether the columns of a data set are samples of one signal: pixels, spectra, rows of like sensors.
//!
//! Between such rows distances say little about what they show, and a learnt code says more (ARCHITECTURE.md, From o' to clusters).

use lpvdn_core::preprocess::Scaling;
use lpvdn_core::view::Part;
use lpvdn_core::{ColumnKind, Dataset, Summary, View};

/// Means and deviations of columns that somebody has standardised are alike up to this share of the deviation.
const STANDARDISED: f64 = 0.05;
/// The smallest and largest values of columns that somebody has scaled to one range are alike up to this share of it.
const ONE_RANGE: f32 = 1e-3;

/// Pictures, bytes, and columns that are all measured on one scale. Not embeddings, which are columns of vectors or are compared by
/// angle, and not columns that somebody has brought to one scale one by one.
pub(crate) fn are_signals(data: &Dataset, summary: &Summary, view: Option<&View>, scale: Scaling) -> bool {
    if data.picture.is_some() {
        return true;
    }
    let of_numbers = |kind: &ColumnKind| matches!(kind, ColumnKind::Number);
    if data.groups.iter().flatten().any(|group| !of_numbers(&group.kind)) {
        return false;
    }
    let on_one_scale = |part: &Part| matches!(part, Part::Numbers(numbers) if numbers.are_on_one_scale());
    let alike = match view {
        Some(view) => view.parts().iter().all(on_one_scale),
        // By their type they would have a view if they were no pixels.
        None => scale == Scaling::ByType || data.source.is_bytes(),
    };
    alike && !were_scaled_one_by_one(summary)
}

/// Whether all columns have the same mean and deviation, or the same range, as only a preprocessor gives them. Whole numbers and
/// bytes divided by 255 have not been through one.
fn were_scaled_one_by_one(summary: &Summary) -> bool {
    if summary.whole_numbers || summary.byte_levels {
        return false;
    }
    let used: Vec<usize> = (0..summary.cols).filter(|&j| summary.deviations[j] > 0.0).collect();
    let Some(&first) = used.first() else { return false };
    let deviation = summary.deviations[first];
    let standardised = used.iter().all(|&j| {
        summary.means[j].abs() <= STANDARDISED * deviation
            && (summary.deviations[j] - deviation).abs() <= STANDARDISED * deviation
    });
    let (least, most) = (summary.column_min[first], summary.column_max[first]);
    let near = |a: f32, b: f32| (a - b).abs() <= ONE_RANGE * (most - least);
    let of_one_range =
        used.iter().all(|&j| near(summary.column_min[j], least) && near(summary.column_max[j], most));
    standardised || of_one_range
}

#[cfg(test)]
mod tests {
    use lpvdn_core::{ColumnGroup, Matrix, StreamKey};

    use super::*;
    use crate::model::examine::{Ready, Wanted};
    use crate::train::control::FitControl;

    fn signals(data: &Dataset, scale: Scaling) -> bool {
        let wanted = Wanted { clusters: 2, scale, components: None };
        Ready::of(data, wanted, &mut FitControl::default()).expect("good rows").signals
    }

    /// Twenty columns of 200 rows around a mean, with deviations between 1 and `widest`.
    fn rows(mean: f64, widest: f64) -> Matrix<f32> {
        let mut stream = StreamKey::new(9, "rows").open();
        Matrix::from_fn(200, 20, |_, j| {
            (mean + (1.0 + (widest - 1.0) * j as f64 / 19.0) * stream.normal()) as f32
        })
    }

    /// Each column by a map of its smallest, largest and mean value and its deviation.
    fn by_column(rows: &Matrix<f32>, map: impl Fn(f32, [f32; 4]) -> f32) -> Dataset {
        let n = rows.rows() as f32;
        let facts = (0..rows.cols()).map(|j| {
            let column: Vec<f32> = rows.iter_rows().map(|row| row[j]).collect();
            let mean = column.iter().sum::<f32>() / n;
            let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / n;
            let [least, most] = [f32::min, f32::max].map(|f| column.iter().copied().reduce(f).unwrap_or(0.0));
            [least, most, mean, variance.sqrt()]
        });
        let facts: Vec<[f32; 4]> = facts.collect();
        Dataset::from(Matrix::from_fn(rows.rows(), rows.cols(), |i, j| map(rows.row(i)[j], facts[j])))
    }

    #[test]
    fn columns_of_one_scale_are_signals_unless_somebody_has_scaled_them_one_by_one() {
        let spectra = rows(30.0, 1.8);
        assert!(signals(&Dataset::from(spectra.clone()), Scaling::ByType));
        let table = rows(30.0, 90.0);
        assert!(!signals(&Dataset::from(table.clone()), Scaling::ByType));
        for rows in [&spectra, &table] {
            let standardised = by_column(rows, |x, [_, _, mean, deviation]| (x - mean) / deviation);
            assert!(!signals(&standardised, Scaling::ByType));
            let of_one_range = by_column(rows, |x, [least, most, ..]| (x - least) / (most - least));
            assert!(!signals(&of_one_range, Scaling::ByType));
        }
    }

    #[test]
    fn bytes_are_signals_however_they_are_scaled_and_vectors_are_not() {
        let bytes: Vec<u8> = (0..200 * 20).map(|i| (i * i % 251) as u8).collect();
        let pictures = Dataset::new("bytes", Matrix::from_vec(bytes, 200, 20));
        for scale in [Scaling::ByType, Scaling::Max, Scaling::None] {
            assert!(signals(&pictures, scale), "{scale:?}");
        }
        let group = ColumnGroup::new("code", ColumnKind::Vector, 20);
        let vectors = Dataset { groups: Some(vec![group]), ..Dataset::from(rows(30.0, 1.8)) };
        assert!(!signals(&vectors, Scaling::ByType));
        assert!(!signals(&Dataset::from(rows(30.0, 1.8)), Scaling::Standard));
    }
}

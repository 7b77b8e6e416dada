//! Vectors of nearly equal length, such as embeddings: scaled to the same length, so that the distance between them
//! follows from their angle.

use serde::{Deserialize, Serialize};

use super::asked::Asked;

/// Vectors that are compared by angle: z = x / ‖x‖ · length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Directions {
    pub(super) width: usize,
    /// Of every row of the view.
    pub(super) length: f64,
    /// Of the rows of the data, on average.
    pub(super) mean_length: f64,
    /// What was asked for.
    #[serde(skip_serializing_if = "Asked::is_nothing", default)]
    pub(super) asked: Asked,
}

impl Directions {
    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn is_finite(&self) -> bool {
        self.length.is_finite() && self.mean_length.is_finite() && self.asked.is_finite()
    }

    pub(super) fn apply(&self, row: &[f32], out: &mut [f32]) {
        out.copy_from_slice(row);
        to_length(out, self.length);
    }

    pub(super) fn invert(&self, seen: &[f32], out: &mut [f64]) {
        let mut row = seen.to_vec();
        to_length(&mut row, self.mean_length);
        out.iter_mut().zip(row).for_each(|(out, x)| *out = f64::from(x));
    }
}

/// Scales a vector to a length. One of zeros stays what it is.
pub(super) fn to_length(vector: &mut [f32], length: f64) {
    let squares: f64 = vector.iter().map(|x| f64::from(*x).powi(2)).sum();
    if squares > 0.0 {
        let factor = length / squares.sqrt();
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) * factor) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_has_one_length_and_zeros_stay() {
        let directions = Directions { width: 2, length: 2.0, mean_length: 10.0, asked: Asked::default() };
        let mut out = [0.0; 2];
        directions.apply(&[30.0, 40.0], &mut out);
        assert!((out[0] - 1.2).abs() < 1e-6 && (out[1] - 1.6).abs() < 1e-6);
        directions.apply(&[0.0, 0.0], &mut out);
        assert_eq!(out, [0.0, 0.0]);
    }
}

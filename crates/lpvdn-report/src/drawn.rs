//! Rows as pictures, where they can be.

use lpvdn_core::source::SourceError;
use lpvdn_core::{Batch, Dataset, Matrix, PictureShape, Preprocessor};

use crate::Picture;

/// So many columns a picture has at least, where a shape is only guessed: fewer are hardly one.
const LEAST_PIXELS: usize = 64;

/// Rows as dense values.
///
/// # Errors
/// Rows that cannot be read.
pub fn dense_rows(data: &Dataset, rows: &[u32]) -> Result<Matrix<f32>, SourceError> {
    let mut batch = Batch::for_source(data.source.as_ref());
    data.source.gather(rows, &mut batch)?;
    Ok(match batch {
        Batch::Dense(rows) => rows,
        Batch::Sparse(rows) => {
            let mut dense = Matrix::zeros(0, rows.cols());
            rows.to_dense_into(&mut dense);
            dense
        }
    })
}

/// How rows are drawn as pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// How their values lie.
    pub shape: PictureShape,
    /// The values that are black and white.
    black: f32,
    white: f32,
}

impl Drawn {
    /// `None` where rows are no images: neither is a shape known, nor are they bytes, or values from 0 to 1, as many as
    /// a square has.
    ///
    /// `scaling` is that of a model without a view: rows that are seen by the type of their columns are a table.
    pub fn of(data: &Dataset, scaling: Option<&Preprocessor>) -> Option<Drawn> {
        let guessed = || {
            let likely = !data.source.is_sparse()
                && data.cols() >= LEAST_PIXELS
                && !matches!(scaling, None | Some(Preprocessor::Standard { .. }));
            likely.then(|| PictureShape::square(data.cols())).flatten()
        };
        let shape = data.picture.or_else(guessed)?;
        if shape.values() != Some(data.cols()) {
            return None;
        }
        let (black, white) = match scaling {
            Some(Preprocessor::Scale { factor }) => (0.0, 1.0 / factor),
            Some(Preprocessor::None | Preprocessor::Bytes { .. }) => (0.0, 1.0),
            None | Some(Preprocessor::Standard { .. }) if data.source.is_bytes() => (0.0, 255.0),
            None | Some(Preprocessor::Standard { .. }) => range(data)?,
        };
        Some(Drawn { shape, black, white })
    }

    /// Rows of the data.
    ///
    /// # Errors
    /// Rows that cannot be read.
    pub fn pictures(&self, data: &Dataset, rows: &[u32]) -> Result<Vec<Picture>, SourceError> {
        Ok(self.pictures_of(&dense_rows(data, rows)?))
    }

    /// Values on the data's own scale.
    pub fn pictures_of(&self, values: &Matrix<f32>) -> Vec<Picture> {
        let shifted = |row: &[f32]| row.iter().map(|v| v - self.black).collect::<Vec<_>>();
        let white = self.white - self.black;
        values.iter_rows().filter_map(|row| Picture::of_row(&shifted(row), self.shape, white)).collect()
    }

    /// A byte for each value, as it is drawn.
    pub fn bytes_of<'a>(&'a self, values: &'a Matrix<f32>) -> impl Iterator<Item = u8> + 'a {
        let range = self.white - self.black;
        values
            .as_slice()
            .iter()
            .map(move |v| (255.0 * ((v - self.black) / range).clamp(0.0, 1.0)).round() as u8)
    }
}

/// Rows by which the range of values is guessed.
const LOOKED_AT: usize = 256;

/// Black and white of pictures whose values are of no usual kind: from 0 to the largest number of the fewest bits that
/// hold them, or else from the smallest value to the largest, by some of the rows.
fn range(data: &Dataset) -> Option<(f32, f32)> {
    let step = data.rows().div_ceil(LOOKED_AT).max(1);
    let rows: Vec<u32> = (0..data.rows() as u32).step_by(step).collect();
    let values = dense_rows(data, &rows).ok()?;
    let (low, high) = values.as_slice().iter().fold((f32::MAX, f32::MIN), |(a, b), &v| (a.min(v), b.max(v)));
    let usual = [1.0, 255.0, 65_535.0].into_iter().find(|white| low >= 0.0 && high <= *white);
    match usual {
        Some(white) => Some((0.0, white)),
        None => (high > low).then_some((low, high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_unusual_values_have_black_and_white_too() {
        let of = |factor: f32, shift: f32| {
            let rows = Matrix::from_fn(10, 64, |i, j| shift + factor * ((i + j) % 11) as f32);
            let data = Dataset { picture: PictureShape::square(64), ..Dataset::from(rows) };
            let scaling =
                Preprocessor::Standard { mean: vec![0.0; 64], factor: vec![1.0; 64], fine: Vec::new() };
            let drawn = Drawn::of(&data, Some(&scaling)).expect("pictures");
            let bytes: Vec<u8> = drawn.bytes_of(&dense_rows(&data, &[0]).expect("rows")).collect();
            (bytes[0], bytes[10], drawn.pictures(&data, &[0]).expect("pictures")[0].pixels()[30])
        };
        assert_eq!(of(25.5, 0.0), (0, 255, 255));
        assert_eq!(of(6_000.0, 0.0), (0, 233, 233));
        assert_eq!(of(1.0, -5.0), (0, 255, 255));
    }
}

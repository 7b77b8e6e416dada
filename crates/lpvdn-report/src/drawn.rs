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
    /// The value that is white.
    white: f32,
}

impl Drawn {
    /// `None` where rows are no images: neither is a shape known, nor are they bytes, or values from 0 to 1, as many as
    /// a square has.
    pub fn of(data: &Dataset, scaling: &Preprocessor) -> Option<Drawn> {
        let guessed = || {
            let likely = !data.source.is_sparse()
                && data.cols() >= LEAST_PIXELS
                && !matches!(scaling, Preprocessor::Standard { .. });
            likely.then(|| PictureShape::square(data.cols())).flatten()
        };
        let shape = data.picture.or_else(guessed)?;
        let white = match scaling {
            Preprocessor::Scale { factor } => 1.0 / factor,
            Preprocessor::Standard { .. } if data.source.is_bytes() => 255.0,
            Preprocessor::None | Preprocessor::Standard { .. } => 1.0,
        };
        (shape.values() == Some(data.cols())).then_some(Drawn { shape, white })
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
        values.iter_rows().filter_map(|row| Picture::of_row(row, self.shape, self.white)).collect()
    }

    /// A byte for each value, as it is drawn.
    pub fn bytes_of<'a>(&'a self, values: &'a Matrix<f32>) -> impl Iterator<Item = u8> + 'a {
        values.as_slice().iter().map(|v| (255.0 * (v / self.white).clamp(0.0, 1.0)).round() as u8)
    }
}

//! Rows as pictures, where they can be.

use lpvdn_core::{Batch, Dataset, Preprocessor};
use lpvdn_report::Picture;

use super::Failure;

/// Rows as dense values.
pub(super) fn dense_rows(data: &Dataset, rows: &[u32]) -> Result<lpvdn_core::Matrix<f32>, Failure> {
    let mut batch = Batch::for_source(data.source.as_ref());
    data.source.gather(rows, &mut batch).map_err(|e| Failure::Failed(e.to_string()))?;
    Ok(match batch {
        Batch::Dense(rows) => rows,
        Batch::Sparse(rows) => {
            let mut dense = lpvdn_core::Matrix::zeros(0, rows.cols());
            rows.to_dense_into(&mut dense);
            dense
        }
    })
}

/// So many columns a picture has at least: fewer are hardly one.
const LEAST_PIXELS: usize = 64;

/// Rows as pictures; `None` where they are not images: bytes, or values from 0 to 1, as many as a square has.
pub(super) fn pictures(
    data: &Dataset,
    scaling: &Preprocessor,
    rows: &[u32],
) -> Result<Option<Vec<Picture>>, Failure> {
    let white = match scaling {
        Preprocessor::None => 1.0,
        Preprocessor::Scale { factor } => 1.0 / factor,
        Preprocessor::Standard { .. } => return Ok(None),
    };
    let image = !data.source.is_sparse() && data.cols() >= LEAST_PIXELS;
    let Some(shape) = Picture::shape_of(data.cols()).filter(|_| image) else {
        return Ok(None);
    };
    let values = dense_rows(data, rows)?;
    Ok(values.iter_rows().map(|row| Picture::of_row(row, shape, white)).collect())
}

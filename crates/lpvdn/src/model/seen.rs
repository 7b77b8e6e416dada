//! The rows as a model sees them: through its view, where it has one.

use std::borrow::Cow;
use std::sync::Arc;

use lpvdn_core::view::{Part, TermArrays, ViewedRows};
use lpvdn_core::{Dataset, Labels, Matrix, RowSource, View};

use crate::error::ModelError;
use crate::model::cluster_model::Origin;
use crate::model::examine::column_name;
use crate::tensors::{TensorFile, TensorFileError, TensorWriter};

/// The same data set with other rows. Classes are asked for in a training alone, and only then copied.
pub(crate) fn with_rows(data: &Dataset, source: Arc<dyn RowSource>, labels: Option<Labels>) -> Dataset {
    Dataset {
        name: data.name.clone(),
        source,
        labels,
        columns: data.columns.clone(),
        groups: None,
        ids: None,
        lines: data.lines.clone(),
        picture: data.picture,
    }
}

impl Origin {
    /// The columns of the rows that the method works on.
    pub(crate) fn width(&self) -> usize {
        self.view.as_ref().map_or(self.data.columns, |view| view.width())
    }

    /// The rows as the method works on them.
    pub(crate) fn seen<'a>(&self, data: &'a Dataset) -> Result<Cow<'a, Dataset>, ModelError> {
        let Some(view) = &self.view else { return Ok(Cow::Borrowed(data)) };
        let (name, found, wanted) = (data.name.clone(), data.cols(), view.columns());
        if found != wanted {
            return Err(ModelError::Columns { name, found, wanted });
        }
        if let Some(column) = view.first_fine().filter(|_| !data.source.rounds()) {
            return Err(ModelError::TooCoarse { name, column: column_name(data, column) });
        }
        let rows = ViewedRows::new(data.source.clone(), view.clone());
        Ok(Cow::Owned(with_rows(data, Arc::new(rows), None)))
    }

    /// Rows that the method made, on the data's own columns and scale.
    pub(crate) fn restored(&self, made: Matrix<f32>) -> Matrix<f32> {
        let Some(view) = &self.view else { return made };
        let mut rows = Matrix::zeros(made.rows(), view.columns());
        for (i, seen) in made.iter_rows().enumerate() {
            let row = view.inverted(seen);
            rows.row_mut(i).iter_mut().zip(row).for_each(|(out, x)| *out = x as f32);
        }
        rows
    }
}

/// Whether the view in the header of a file fits the columns of the model. Its arrays are not read yet.
pub(crate) fn check_view(view: Option<&View>, columns: usize) -> Result<(), String> {
    let Some(view) = view else { return Ok(()) };
    if view.parts().iter().any(|part| part.columns() == 0 || part.width() == 0) {
        return Err("a part of the view has no columns".to_owned());
    }
    // A saturated sum is no number of columns either.
    if view.columns() != columns || u32::try_from(columns).is_err() {
        return Err(format!("the view is for {} columns, the model for {columns}", view.columns()));
    }
    Ok(())
}

/// The columns that the method works on: those of the view, or those of the data.
pub(crate) fn width_of(view: Option<&View>, columns: usize) -> usize {
    view.map_or(columns, View::width)
}

/// Adds the arrays of a view to a file.
pub(crate) fn write_view<H: serde::Serialize>(view: Option<&View>, file: &mut TensorWriter<H>) {
    for (i, part) in view.map_or(&[][..], View::parts).iter().enumerate() {
        if let Part::Terms(terms) = part {
            let TermArrays { places, weights, vectors } = terms.arrays();
            file.add_f32(&array_name(i, "components"), &[terms.known(), terms.components()], vectors);
            if terms.has_unknown() {
                let places = places.iter().flat_map(|place| place.to_le_bytes());
                file.add_bytes(&array_name(i, "terms"), places.collect());
            }
            if !weights.is_empty() {
                file.add_f32(&array_name(i, "weights"), &[weights.len()], weights);
            }
        }
    }
}

/// The view of a header, with its arrays.
pub(crate) fn read_view(
    view: Option<View>,
    file: &TensorFile<'_>,
) -> Result<Option<Arc<View>>, TensorFileError> {
    let Some(mut view) = view else { return Ok(None) };
    for (i, part) in view.parts_mut().iter_mut().enumerate() {
        if let Part::Terms(terms) = part {
            let vectors = file.f32(&array_name(i, "components"), &[terms.known(), terms.components()])?;
            let weights = match terms.known() {
                known if terms.of_counts() && known > 0 => file.f32(&array_name(i, "weights"), &[known])?,
                _ => Vec::new(),
            };
            let places = match terms.has_unknown() {
                true => file.bytes(&array_name(i, "terms"))?,
                false => &[],
            };
            let four = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            terms.set_arrays(places.chunks_exact(4).map(four).collect(), weights, vectors);
        }
    }
    view.check().map_err(|found| TensorFileError::Tensor {
        name: "view".to_owned(),
        wanted: "a view of finite numbers".to_owned(),
        found,
    })?;
    Ok(Some(Arc::new(view)))
}

fn array_name(part: usize, array: &str) -> String {
    format!("view.{part}.{array}")
}

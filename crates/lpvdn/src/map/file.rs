//! A map in a model file.

use serde::{Deserialize, Serialize};

use super::{MapShape, RowMap};
use crate::tensors::{TensorFile, TensorFileError, TensorWriter};

/// Nets of more layers, or of wider ones, are not ours.
const MOST_LAYERS: usize = 16;
const WIDEST: usize = 1 << 16;

/// The part of a header that tells of a map.
#[derive(Deserialize)]
struct Header {
    #[serde(default)]
    map: Option<MapShape>,
}

impl RowMap {
    pub(crate) fn write<H: Serialize>(&self, file: &mut TensorWriter<H>) {
        for entry in self.layout.entries() {
            file.add_f32(&entry.name, &entry.shape, entry.span.of(&self.weights));
        }
        file.add_f32("map.center", &[self.center.len()], &self.center);
        file.add_f32("map.factor", &[1], &[self.factor]);
    }

    /// The map of a model file whose codes have so many numbers, where it has one.
    pub(crate) fn read(file: &TensorFile<'_>, inputs: usize) -> Result<Option<RowMap>, TensorFileError> {
        let Some(shape) = file.header::<Header>()?.map else { return Ok(None) };
        let widths = || shape.layers.iter().chain([&shape.inputs]);
        let ours = shape.inputs == inputs
            && (2..=3).contains(&shape.axes)
            && shape.layers.len() <= MOST_LAYERS
            && widths().all(|width| (1..=WIDEST).contains(width));
        if !ours {
            return Err(TensorFileError::Tensor {
                name: "map".to_owned(),
                wanted: format!("a net from {inputs} numbers to 2 or 3"),
                found: format!("{shape:?}"),
            });
        }
        let mut map = RowMap::of_shape(shape);
        for entry in map.layout.entries() {
            map.weights.extend(file.f32(&entry.name, &entry.shape)?);
        }
        map.center = file.f32("map.center", &[inputs])?;
        map.factor = file.f32("map.factor", &[1])?[0];
        Ok(Some(map))
    }
}

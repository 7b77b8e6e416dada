//! The model file.

use lpvdn_core::{Matrix, Preprocessor, PrincipalComponents, View};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fitted::GraphModel;
use super::hyperparams::GraphParams;
use super::landmarks::Landmarks;
use super::partitions::Way;
use super::places::Projection;
use crate::map::MapShape;
use crate::model::cluster_model::{Origin, check_scaling};
use crate::model::format::FORMAT_VERSION;
use crate::model::lpvdn::fitted::DataFacts;
use crate::model::method::Method;
use crate::model::seen::{check_view, read_view, width_of};
use crate::tensors::{TensorFile, TensorFileError, TensorWriter};

/// The header, in this order of fields: the same fit writes the same bytes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Header {
    method: Method,
    format_version: u32,
    lpvdn_version: String,
    params: GraphParams,
    kept: Way,
    landmarks: usize,
    /// Principal components; none where rows are compared as they are.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    components: Option<usize>,
    data: DataFacts,
    preprocessor: Preprocessor,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    view: Option<View>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    reading: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    map: Option<MapShape>,
}

pub(super) fn to_bytes(model: &GraphModel) -> std::io::Result<Vec<u8>> {
    let mut file = TensorWriter::new(Header {
        method: Method::Graph,
        format_version: FORMAT_VERSION,
        lpvdn_version: model.origin.written_by.clone(),
        params: model.params.clone(),
        kept: model.kept,
        landmarks: model.landmarks.clusters.len(),
        components: model.projection.components(),
        data: model.origin.data.clone(),
        preprocessor: model.origin.preprocessor.clone(),
        view: model.origin.view.as_deref().cloned(),
        reading: model.origin.reading.clone(),
        map: model.origin.map.as_ref().map(|map| map.shape().clone()),
    });
    write_landmarks(&model.projection, &model.landmarks, &mut file);
    model.origin.write_arrays(&mut file);
    file.finish()
}

/// Adds landmarks, and what projects rows to their space.
pub(crate) fn write_landmarks<H: Serialize>(
    projection: &Projection,
    landmarks: &Landmarks,
    file: &mut TensorWriter<H>,
) {
    let Landmarks { places, clusters, scale } = landmarks;
    file.add_f32("landmarks.places", &[places.rows(), places.cols()], places.as_slice());
    file.add_bytes("landmarks.clusters", clusters.iter().flat_map(|k| k.to_le_bytes()).collect());
    file.add_f32("landmarks.scale", &[1], &[*scale]);
    if let Some(projection) = &projection.0 {
        let vectors = projection.vectors();
        file.add_f32("projection.vectors", &[vectors.rows(), vectors.cols()], vectors.as_slice());
        file.add_f32("projection.offset", &[vectors.cols()], projection.offset());
    }
}

/// What projects rows of `columns` values to `components` dimensions; nothing without components.
pub(crate) fn read_projection(
    file: &TensorFile<'_>,
    columns: usize,
    components: Option<usize>,
) -> Result<Projection, TensorFileError> {
    let Some(components) = components else { return Ok(Projection(None)) };
    if components == 0 {
        return Err(TensorFileError::Tensor {
            name: "projection.vectors".to_owned(),
            wanted: "a component at least".to_owned(),
            found: "none".to_owned(),
        });
    }
    let vectors = finite(file, "projection.vectors", &[columns, components])?;
    let offset = finite(file, "projection.offset", &[components])?;
    let vectors = Matrix::from_vec(vectors, columns, components);
    Ok(Projection(Some(PrincipalComponents::from_parts(vectors, offset))))
}

/// Whether the parts of the header fit together.
pub(crate) fn check(header: &Header) -> Result<(), String> {
    header.params.clone().check().map_err(|e| e.to_string())?;
    let columns = header.data.columns;
    if columns == 0 {
        return Err("it has no columns".to_owned());
    }
    if header.landmarks == 0 || header.components == Some(0) {
        return Err("it has no landmarks or no components".to_owned());
    }
    check_view(header.view.as_ref(), columns)?;
    check_scaling(&header.preprocessor, width_of(header.view.as_ref(), columns))
}

pub(crate) fn read(file: &TensorFile<'_>, header: Header) -> Result<GraphModel, TensorFileError> {
    let columns = width_of(header.view.as_ref(), header.data.columns);
    let width = header.components.unwrap_or(columns);
    let landmarks = read_landmarks(file, (header.landmarks, width), header.params.clusters)?;
    let projection = read_projection(file, columns, header.components)?;
    let origin = Origin {
        data: header.data,
        preprocessor: header.preprocessor,
        view: read_view(header.view, file)?,
        written_by: header.lpvdn_version,
        format: header.format_version,
        reading: header.reading,
        map: None,
        confidence: None,
        threads: 0,
    };
    Ok(GraphModel { params: header.params, projection, landmarks, kept: header.kept, origin })
}

/// As many landmarks of such a width, of clusters below `known`.
pub(crate) fn read_landmarks(
    file: &TensorFile<'_>,
    (count, width): (usize, usize),
    known: usize,
) -> Result<Landmarks, TensorFileError> {
    if count == 0 {
        return Err(TensorFileError::Tensor {
            name: "landmarks.places".to_owned(),
            wanted: "a landmark at least".to_owned(),
            found: "none".to_owned(),
        });
    }
    let places = Matrix::from_vec(finite(file, "landmarks.places", &[count, width])?, count, width);
    let bytes = file.bytes("landmarks.clusters")?;
    let four = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let clusters: Vec<u32> = bytes.chunks_exact(4).map(four).collect();
    if clusters.len() != count || clusters.iter().any(|&k| k as usize >= known) {
        return Err(TensorFileError::Tensor {
            name: "landmarks.clusters".to_owned(),
            wanted: format!("{count} numbers below {known}"),
            found: "others".to_owned(),
        });
    }
    let scale = finite(file, "landmarks.scale", &[1])?[0];
    Ok(Landmarks { places, clusters, scale: scale.max(f32::MIN_POSITIVE) })
}

/// A tensor of numbers that can be compared.
fn finite(file: &TensorFile<'_>, name: &str, shape: &[usize]) -> Result<Vec<f32>, TensorFileError> {
    let values = file.f32(name, shape)?;
    match values.iter().find(|x| x.is_nan() || x.abs() > lpvdn_cluster::LARGEST) {
        None => Ok(values),
        Some(x) => Err(TensorFileError::Tensor {
            name: name.to_owned(),
            wanted: "finite numbers".to_owned(),
            found: x.to_string(),
        }),
    }
}

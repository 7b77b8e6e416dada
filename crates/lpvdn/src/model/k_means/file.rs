//! The model file.

use lpvdn_core::{Matrix, Preprocessor, View};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fitted::KMeansModel;
use super::hyperparams::KMeansParams;
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
    params: KMeansParams,
    data: DataFacts,
    preprocessor: Preprocessor,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    view: Option<View>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    reading: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    map: Option<MapShape>,
}

pub(super) fn to_bytes(model: &KMeansModel) -> std::io::Result<Vec<u8>> {
    let mut file = TensorWriter::new(Header {
        method: Method::KMeans,
        format_version: FORMAT_VERSION,
        lpvdn_version: model.origin.written_by.clone(),
        params: model.params.clone(),
        data: model.origin.data.clone(),
        preprocessor: model.origin.preprocessor.clone(),
        view: model.origin.view.as_deref().cloned(),
        reading: model.origin.reading.clone(),
        map: model.origin.map.as_ref().map(|map| map.shape().clone()),
    });
    let centers = &model.centers;
    file.add_f32("clusters.centers", &[centers.rows(), centers.cols()], centers.as_slice());
    file.add_f32("clusters.scale", &[1], &[model.scale]);
    model.origin.write_arrays(&mut file);
    file.finish()
}

/// Whether the parts of the header fit together.
pub(crate) fn check(header: &Header) -> Result<(), String> {
    header.params.clone().check().map_err(|e| e.to_string())?;
    let columns = header.data.columns;
    if columns == 0 {
        return Err("it has no columns".to_owned());
    }
    check_view(header.view.as_ref(), columns)?;
    check_scaling(&header.preprocessor, width_of(header.view.as_ref(), columns))
}

pub(crate) fn read(file: &TensorFile<'_>, header: Header) -> Result<KMeansModel, TensorFileError> {
    let columns = width_of(header.view.as_ref(), header.data.columns);
    let clusters = header.params.clusters;
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
    Ok(KMeansModel {
        origin,
        centers: Matrix::from_vec(file.f32("clusters.centers", &[clusters, columns])?, clusters, columns),
        scale: file.f32("clusters.scale", &[1])?[0],
        params: header.params,
    })
}

//! The model file.

use lpvdn_core::{Matrix, Preprocessor, View};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fitted::ClusterGanModel;
use super::hyperparams::ClusterGanParams;
use super::network::{Network, Output};
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
    params: ClusterGanParams,
    output: Output,
    data: DataFacts,
    preprocessor: Preprocessor,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    view: Option<View>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    reading: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    map: Option<MapShape>,
}

pub(super) fn to_bytes(model: &ClusterGanModel) -> std::io::Result<Vec<u8>> {
    let mut file = TensorWriter::new(Header {
        method: Method::ClusterGan,
        format_version: FORMAT_VERSION,
        lpvdn_version: model.origin.written_by.clone(),
        params: model.params.clone(),
        output: model.network.output(),
        data: model.origin.data.clone(),
        preprocessor: model.origin.preprocessor.clone(),
        view: model.origin.view.as_deref().cloned(),
        reading: model.origin.reading.clone(),
        map: model.origin.map.as_ref().map(|map| map.shape().clone()),
    });
    for entry in model.network.layout().entries() {
        file.add_f32(&entry.name, &entry.shape, entry.span.of(&model.weights));
    }
    for entry in model.network.statistics().entries() {
        file.add_f32(&format!("statistics.{}", entry.name), &entry.shape, entry.span.of(&model.statistics));
    }
    let centers = &model.centers;
    file.add_f32("clusters.centers", &[centers.rows(), centers.cols()], centers.as_slice());
    file.add_f32("clusters.scale", &[1], &[model.scale]);
    model.origin.write_arrays(&mut file);
    file.finish()
}

/// Whether the header's sizes can be those of this file, before anything is allocated for them; gives its
/// networks.
pub(crate) fn check(header: &Header, file_bytes: usize) -> Result<Network, String> {
    let params = header.params.clone().check().map_err(|e| e.to_string())?;
    check_view(header.view.as_ref(), header.data.columns)?;
    let (params, columns) = (params.get(), width_of(header.view.as_ref(), header.data.columns));
    check_scaling(&header.preprocessor, columns)?;
    let sizes = [columns, params.noise_dim, params.clusters];
    if sizes.iter().chain(&params.layers).any(|&size| 4 * size as u128 > file_bytes as u128) {
        return Err("a layer is larger than the file".to_owned());
    }
    params.network(columns, header.output).map_err(|e| e.to_string())
}

pub(crate) fn read(
    file: &TensorFile<'_>,
    header: Header,
    network: Network,
) -> Result<ClusterGanModel, TensorFileError> {
    let (mut weights, mut statistics) = (Vec::new(), Vec::new());
    for entry in network.layout().entries() {
        weights.extend(file.f32(&entry.name, &entry.shape)?);
    }
    for entry in network.statistics().entries() {
        statistics.extend(file.f32(&format!("statistics.{}", entry.name), &entry.shape)?);
    }
    let (clusters, code) = (header.params.clusters, network.shape().code());
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
    Ok(ClusterGanModel {
        origin,
        centers: Matrix::from_vec(file.f32("clusters.centers", &[clusters, code])?, clusters, code),
        scale: file.f32("clusters.scale", &[1])?[0],
        params: header.params,
        network,
        weights,
        statistics,
    })
}

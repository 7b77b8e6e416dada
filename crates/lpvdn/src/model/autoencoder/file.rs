//! The model file.

use lpvdn_core::{Preprocessor, View};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fitted::EncoderModel;
use super::hyperparams::AutoencoderParams;
use super::network::EncoderNetwork;
use crate::loss::reconstruction::Likelihood;
use crate::map::MapShape;
use crate::model::cluster_model::{Origin, check_scaling};
use crate::model::format::FORMAT_VERSION;
use crate::model::lpvdn::fitted::DataFacts;
use crate::model::lpvdn::hyperparams::Budget;
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
    params: AutoencoderParams,
    budget: Budget,
    data: DataFacts,
    likelihood: Likelihood,
    preprocessor: Preprocessor,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    view: Option<View>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    reading: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    map: Option<MapShape>,
}

pub(super) fn to_bytes(model: &EncoderModel) -> std::io::Result<Vec<u8>> {
    let header = Header {
        method: model.params.method(),
        format_version: FORMAT_VERSION,
        lpvdn_version: model.origin.written_by.clone(),
        params: model.params.clone(),
        budget: model.budget,
        data: model.origin.data.clone(),
        likelihood: model.likelihood,
        preprocessor: model.origin.preprocessor.clone(),
        view: model.origin.view.as_deref().cloned(),
        reading: model.origin.reading.clone(),
        map: model.origin.map.as_ref().map(|map| map.shape().clone()),
    };
    let mut file = TensorWriter::new(header);
    for entry in model.network.layout().entries() {
        file.add_f32(&entry.name, &entry.shape, entry.span.of(&model.weights));
    }
    file.add_f32("clusters.scale", &[1], &[model.scale]);
    model.origin.write_arrays(&mut file);
    file.finish()
}

/// Whether the header's sizes can be those of this file, before anything is allocated for them.
pub(crate) fn check(header: &Header, file_bytes: usize) -> Result<(), String> {
    let params = header.params.clone().check().map_err(|e| e.to_string())?;
    let (params, columns) = (params.get(), header.data.columns);
    if params.method() != header.method {
        return Err(format!("its parameters are those of {}", params.method()));
    }
    check_view(header.view.as_ref(), columns)?;
    let columns = width_of(header.view.as_ref(), columns);
    check_scaling(&header.preprocessor, columns)?;
    let layers = params.layers_for(header.data.rows);
    let first = layers.first().copied().unwrap_or(0) as u128;
    let least = (columns as u128 * first).max(params.clusters as u128 * params.latent_dim as u128);
    if columns == 0
        || 4 * least > file_bytes as u128
        || layers.iter().any(|&width| 4 * width as u128 > file_bytes as u128)
    {
        return Err(format!("{columns} columns and layers {layers:?} do not fit into the file"));
    }
    Ok(())
}

pub(crate) fn read(file: &TensorFile<'_>, header: Header) -> Result<EncoderModel, TensorFileError> {
    let params = header.params;
    let layers = params.layers_for(header.data.rows);
    let columns = width_of(header.view.as_ref(), header.data.columns);
    let network = EncoderNetwork::new(columns, &layers, params.latent_dim, params.clusters);
    let mut weights = Vec::new();
    for entry in network.layout().entries() {
        weights.extend(file.f32(&entry.name, &entry.shape)?);
    }
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
    Ok(EncoderModel {
        origin,
        scale: file.f32("clusters.scale", &[1])?[0],
        budget: header.budget,
        likelihood: header.likelihood,
        params,
        network,
        weights,
    })
}

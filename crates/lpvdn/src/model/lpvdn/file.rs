//! The model file.

use std::io::Write;
use std::path::Path;

use lpvdn_core::file::atomic_write;
use lpvdn_core::{Matrix, Preprocessor, View};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::assignment::{Assignment, RowAssignment};
use super::fitted::{DataFacts, LpvdnModel};
use super::hyperparams::{Budget, LpvdnParams};
use super::network::Network;
use crate::error::ModelError;
use crate::loss::reconstruction::Likelihood;
use crate::map::MapShape;
use crate::model::cluster_model::{Origin, check_scaling, read_extras};
use crate::model::format::{self, FORMAT_VERSION};
use crate::model::graph::file::{read_landmarks, read_projection, write_landmarks};
use crate::model::seen::{check_view, read_view, width_of};
use crate::tensors::{TensorFile, TensorFileError, TensorWriter, read_file};

const METHOD: &str = "lpvdn";

/// The header, in this order of fields. No time, duration, thread count, path or host: the same fit
/// writes the same bytes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Header {
    method: String,
    format_version: u32,
    lpvdn_version: String,
    params: LpvdnParams,
    budget: Budget,
    data: DataFacts,
    likelihood: Likelihood,
    preprocessor: Preprocessor,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    view: Option<View>,
    assignment: AssignmentKind,
    /// Principal components of the rows that are assigned by their places.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    components: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    reading: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    map: Option<MapShape>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AssignmentKind {
    Centers,
    Cells,
    Mixture,
    Rows,
    Prior,
}

impl LpvdnModel {
    /// The bytes of the model file.
    pub fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        let header = Header {
            method: METHOD.to_owned(),
            format_version: FORMAT_VERSION,
            lpvdn_version: self.origin.written_by.clone(),
            params: self.params.clone(),
            budget: self.budget,
            data: self.origin.data.clone(),
            likelihood: self.likelihood,
            preprocessor: self.origin.preprocessor.clone(),
            view: self.origin.view.as_deref().cloned(),
            assignment: match self.assignment {
                Assignment::Centers { .. } => AssignmentKind::Centers,
                Assignment::Cells { .. } => AssignmentKind::Cells,
                Assignment::Mixture { .. } => AssignmentKind::Mixture,
                Assignment::Rows(_) => AssignmentKind::Rows,
                Assignment::Prior => AssignmentKind::Prior,
            },
            components: match &self.assignment {
                Assignment::Rows(rows) => rows.projection.components(),
                _ => None,
            },
            reading: self.origin.reading.clone(),
            map: self.origin.map.as_ref().map(|map| map.shape().clone()),
        };
        let mut file = TensorWriter::new(header);
        for entry in self.network.layout().entries() {
            file.add_f32(&entry.name, &entry.shape, entry.span.of(&self.weights));
        }
        let mut add = |name: &str, m: &Matrix<f32>| file.add_f32(name, &[m.rows(), m.cols()], m.as_slice());
        add("clusters.latent_means", &self.latent_clusters.0);
        add("clusters.latent_variances", &self.latent_clusters.1);
        match &self.assignment {
            Assignment::Centers { centers, scale } => {
                add("clusters.centers", centers);
                file.add_f32("clusters.scale", &[1], &[*scale]);
            }
            Assignment::Cells { cells, clusters, scale } => {
                add("clusters.cells", cells);
                let numbers: Vec<f32> = clusters.iter().map(|&k| k as f32).collect();
                file.add_f32("clusters.of_cells", &[numbers.len()], &numbers);
                file.add_f32("clusters.scale", &[1], &[*scale]);
            }
            Assignment::Mixture { weights, means, variances } => {
                add("clusters.means", means);
                add("clusters.variances", variances);
                file.add_f32("clusters.weights", &[weights.len()], weights);
            }
            Assignment::Rows(rows) => write_landmarks(&rows.projection, &rows.landmarks, &mut file),
            Assignment::Prior => {}
        }
        self.origin.write_arrays(&mut file);
        file.finish()
    }

    /// Writes the model file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelError> {
        let path = path.as_ref();
        let write = || atomic_write(path, |w| w.write_all(&self.to_bytes()?));
        write().map_err(|cause| ModelError::Write { path: path.display().to_string(), cause })
    }

    /// Reads a model file. A damaged or hostile one gives an error.
    pub fn load(path: impl AsRef<Path>) -> Result<LpvdnModel, ModelError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let bytes = read_file(path).map_err(|cause| ModelError::File { path: name.clone(), cause })?;
        LpvdnModel::from_bytes(&bytes, &name)
    }

    /// Reads the bytes of a model file; `path` names it in errors.
    pub fn from_bytes(bytes: &[u8], path: &str) -> Result<LpvdnModel, ModelError> {
        let file_error = |cause: TensorFileError| ModelError::File { path: path.to_owned(), cause };
        let (file, method) = format::open(bytes, path)?;
        if method != METHOD {
            return Err(ModelError::Method { path: path.to_owned(), found: method });
        }
        let header: Header = file.header().map_err(file_error)?;
        check(&header, bytes.len())
            .map_err(|reason| ModelError::Inconsistent { path: path.to_owned(), reason })?;
        let mut model = read_tensors(&file, header).map_err(file_error)?;
        read_extras(&mut model, &file).map_err(file_error)?;
        Ok(model)
    }
}

/// Whether the header's sizes can be those of this file, before anything is allocated for them.
fn check(header: &Header, file_bytes: usize) -> Result<(), String> {
    let params = header.params.clone().check().map_err(|e| e.to_string())?;
    check_view(header.view.as_ref(), header.data.columns)?;
    let columns = width_of(header.view.as_ref(), header.data.columns);
    check_scaling(&header.preprocessor, columns)?;
    let params = params.get();
    // Each of these is the size of a tensor that must be in the file.
    let shape = params.shape(header.data.rows, columns);
    let first = shape.layers[0] as u128;
    let least = (columns as u128 * first).max(params.clusters as u128 * params.latent_dim as u128);
    if 4 * least > file_bytes as u128 || columns == 0 {
        return Err(format!("{columns} columns and layers {:?} do not fit into the file", shape.layers));
    }
    let widths = shape.layers.iter().chain(&shape.discriminator).chain(&shape.locality);
    if widths.clone().any(|&w| 4 * w > file_bytes) || 4 * params.output_dim > file_bytes {
        return Err("a layer is larger than the file".to_owned());
    }
    Ok(())
}

fn read_tensors(file: &TensorFile<'_>, header: Header) -> Result<LpvdnModel, TensorFileError> {
    let params = header.params;
    let columns = width_of(header.view.as_ref(), header.data.columns);
    let network = Network::new(params.shape(header.data.rows, columns));
    let mut weights = Vec::new();
    for entry in network.layout().entries() {
        weights.extend(file.f32(&entry.name, &entry.shape)?);
    }
    let (k, o, j) = (params.clusters, params.output_dim, params.latent_dim);
    let matrix = |name: &str, rows: usize, cols: usize| {
        file.f32(name, &[rows, cols]).map(|values| Matrix::from_vec(values, rows, cols))
    };
    let assignment = match header.assignment {
        AssignmentKind::Centers => Assignment::Centers {
            centers: matrix("clusters.centers", k, o)?,
            scale: file.f32("clusters.scale", &[1])?[0],
        },
        AssignmentKind::Cells => read_cells(file, k, o)?,
        AssignmentKind::Mixture => Assignment::Mixture {
            weights: file.f32("clusters.weights", &[k])?,
            means: matrix("clusters.means", k, o)?,
            variances: matrix("clusters.variances", k, o)?,
        },
        AssignmentKind::Rows => {
            let size = (file.rows("landmarks.places")?, header.components.unwrap_or(columns));
            Assignment::Rows(Box::new(RowAssignment {
                projection: read_projection(file, columns, header.components)?,
                landmarks: read_landmarks(file, size, k)?,
            }))
        }
        AssignmentKind::Prior => Assignment::Prior,
    };
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
    Ok(LpvdnModel {
        origin,
        latent_clusters: (matrix("clusters.latent_means", k, j)?, matrix("clusters.latent_variances", k, j)?),
        budget: header.budget,
        likelihood: header.likelihood,
        network,
        weights,
        assignment,
        params,
    })
}

fn read_cells(file: &TensorFile<'_>, clusters: usize, output: usize) -> Result<Assignment, TensorFileError> {
    let count = file.rows("clusters.cells")?;
    let numbers = file.f32("clusters.of_cells", &[count])?;
    let good = |k: f32| k >= 0.0 && k.fract() == 0.0 && (k as usize) < clusters;
    if !numbers.iter().all(|&k| good(k)) {
        return Err(TensorFileError::Tensor {
            name: "clusters.of_cells".to_owned(),
            wanted: format!("whole numbers below {clusters}"),
            found: "others".to_owned(),
        });
    }
    Ok(Assignment::Cells {
        cells: Matrix::from_vec(file.f32("clusters.cells", &[count, output])?, count, output),
        clusters: numbers.iter().map(|&k| k as u32).collect(),
        scale: file.f32("clusters.scale", &[1])?[0],
    })
}

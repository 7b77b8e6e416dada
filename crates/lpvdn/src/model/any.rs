//! Models and parameters of whatever method.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use lpvdn_core::Dataset;

use super::autoencoder::{self, AutoencoderParams, AutoencoderValidParams, EncoderModel};
use super::cluster_model::{ClusterModel, read_extras};
use super::clustergan::{self, ClusterGanModel, ClusterGanParams, ClusterGanValidParams};
use super::fitted::Fitted;
use super::format;
use super::graph::{self, GraphModel, GraphParams, GraphValidParams};
use super::k_means::{self, KMeansModel, KMeansParams, KMeansValidParams};
use super::lpvdn::{LpvdnModel, LpvdnParams, LpvdnValidParams, ParamsError, Recipe};
use super::method::Method;
use crate::error::{FitError, ModelError};
use crate::tensors::{TensorFileError, read_file};
use crate::train::control::FitControl;

/// A model of any method. What all models can do, it can do: see [`ClusterModel`].
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// K-means.
    KMeans(Box<KMeansModel>),
    /// The neighbour graph.
    Graph(Box<GraphModel>),
    /// AE + K-means, VAE + K-means or DEC.
    Encoder(Box<EncoderModel>),
    /// ClusterGAN.
    ClusterGan(Box<ClusterGanModel>),
    /// LPVDN or VaDE.
    Lpvdn(Box<LpvdnModel>),
}

impl Deref for Model {
    type Target = dyn ClusterModel;
    fn deref(&self) -> &(dyn ClusterModel + 'static) {
        match self {
            Model::KMeans(model) => model.as_ref(),
            Model::Graph(model) => model.as_ref(),
            Model::Encoder(model) => model.as_ref(),
            Model::ClusterGan(model) => model.as_ref(),
            Model::Lpvdn(model) => model.as_ref(),
        }
    }
}

impl DerefMut for Model {
    fn deref_mut(&mut self) -> &mut (dyn ClusterModel + 'static) {
        match self {
            Model::KMeans(model) => model.as_mut(),
            Model::Graph(model) => model.as_mut(),
            Model::Encoder(model) => model.as_mut(),
            Model::ClusterGan(model) => model.as_mut(),
            Model::Lpvdn(model) => model.as_mut(),
        }
    }
}

impl Model {
    /// Reads a model file. A damaged or hostile one gives an error.
    ///
    /// # Errors
    /// Naming the file and what is wrong with it.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, ModelError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let bytes = read_file(path).map_err(|cause| ModelError::File { path: name.clone(), cause })?;
        Model::from_bytes(&bytes, &name)
    }

    /// Reads the bytes of a model file; `path` names it in errors.
    ///
    /// # Errors
    /// As for [`load`](Model::load).
    pub fn from_bytes(bytes: &[u8], path: &str) -> Result<Model, ModelError> {
        let wrong = |cause: TensorFileError| ModelError::File { path: path.to_owned(), cause };
        let inconsistent = |reason| ModelError::Inconsistent { path: path.to_owned(), reason };
        let (file, method) = format::open(bytes, path)?;
        let mut model = match method.parse() {
            Ok(Method::KMeans) => {
                let header = file.header().map_err(wrong)?;
                k_means::file::check(&header).map_err(inconsistent)?;
                let model = k_means::file::read(&file, header).map_err(wrong)?;
                Model::KMeans(Box::new(model))
            }
            Ok(Method::Graph) => {
                let header = file.header().map_err(wrong)?;
                graph::file::check(&header).map_err(inconsistent)?;
                let model = graph::file::read(&file, header).map_err(wrong)?;
                Model::Graph(Box::new(model))
            }
            Ok(Method::AutoencoderKMeans | Method::VariationalKMeans | Method::Dec) => {
                let header = file.header().map_err(wrong)?;
                autoencoder::file::check(&header, bytes.len()).map_err(inconsistent)?;
                let model = autoencoder::file::read(&file, header).map_err(wrong)?;
                Model::Encoder(Box::new(model))
            }
            Ok(Method::ClusterGan) => {
                let header = file.header().map_err(wrong)?;
                let network = clustergan::file::check(&header, bytes.len()).map_err(inconsistent)?;
                let model = clustergan::file::read(&file, header, network).map_err(wrong)?;
                Model::ClusterGan(Box::new(model))
            }
            Ok(Method::Lpvdn) => {
                return LpvdnModel::from_bytes(bytes, path).map(|model| Model::Lpvdn(Box::new(model)));
            }
            // VaDE is written as what it is, LPVDN without two terms.
            Ok(Method::Vade) | Err(_) => {
                return Err(ModelError::Method { path: path.to_owned(), found: method });
            }
        };
        read_extras(&mut *model, &file).map_err(wrong)?;
        Ok(model)
    }
}

/// The parameters of any method.
#[derive(Clone, Debug, PartialEq)]
pub enum Estimator {
    /// Of K-means.
    KMeans(KMeansParams),
    /// Of the neighbour graph.
    Graph(GraphParams),
    /// Of AE + K-means, VAE + K-means or DEC.
    Encoder(AutoencoderParams),
    /// Of ClusterGAN.
    ClusterGan(ClusterGanParams),
    /// Of LPVDN or VaDE.
    Lpvdn(Box<LpvdnParams>),
}

impl Estimator {
    /// The values of a recipe.
    pub fn of(method: Method, recipe: Recipe, clusters: usize) -> Estimator {
        match method {
            Method::KMeans => Estimator::KMeans(KMeansParams::of_recipe(recipe, clusters)),
            Method::Graph => Estimator::Graph(GraphParams::of_recipe(recipe, clusters)),
            Method::AutoencoderKMeans => Estimator::Encoder(AutoencoderParams::plain(recipe, clusters)),
            Method::VariationalKMeans => Estimator::Encoder(AutoencoderParams::variational(recipe, clusters)),
            Method::Dec => Estimator::Encoder(AutoencoderParams::self_training(recipe, clusters)),
            Method::ClusterGan => Estimator::ClusterGan(ClusterGanParams::of_recipe(recipe, clusters)),
            Method::Vade => Estimator::Lpvdn(Box::new(LpvdnParams::vade(recipe, clusters))),
            Method::Lpvdn => Estimator::Lpvdn(Box::new(LpvdnParams::of_recipe(recipe, clusters))),
        }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is outside its range.
    pub fn check(self) -> Result<ValidEstimator, ParamsError> {
        Ok(match self {
            Estimator::KMeans(params) => ValidEstimator::KMeans(params.check()?),
            Estimator::Graph(params) => ValidEstimator::Graph(params.check()?),
            Estimator::Encoder(params) => ValidEstimator::Encoder(params.check()?),
            Estimator::ClusterGan(params) => ValidEstimator::ClusterGan(params.check()?),
            Estimator::Lpvdn(params) => ValidEstimator::Lpvdn(Box::new(params.check()?)),
        })
    }
}

/// Parameters that have been checked.
#[derive(Clone, Debug, PartialEq)]
pub enum ValidEstimator {
    /// Of K-means.
    KMeans(KMeansValidParams),
    /// Of the neighbour graph.
    Graph(GraphValidParams),
    /// Of AE + K-means, VAE + K-means or DEC.
    Encoder(AutoencoderValidParams),
    /// Of ClusterGAN.
    ClusterGan(ClusterGanValidParams),
    /// Of LPVDN or VaDE.
    Lpvdn(Box<LpvdnValidParams>),
}

impl ValidEstimator {
    /// The parameters, by their names in a model file.
    pub fn settings(&self) -> serde_json::Value {
        match self {
            ValidEstimator::KMeans(params) => serde_json::to_value(params.get()),
            ValidEstimator::Graph(params) => serde_json::to_value(params.get()),
            ValidEstimator::Encoder(params) => serde_json::to_value(params.get()),
            ValidEstimator::ClusterGan(params) => serde_json::to_value(params.get()),
            ValidEstimator::Lpvdn(params) => serde_json::to_value(params.get()),
        }
        .unwrap_or_default()
    }

    /// Fits a model.
    ///
    /// # Errors
    /// Data that cannot be clustered, a loss that is no longer a number, an interruption.
    pub fn fit(&self, data: &Dataset, control: &mut FitControl<'_>) -> Result<Fitted<Model>, FitError> {
        match self {
            ValidEstimator::KMeans(params) => {
                params.fit(data, control).map(|fitted| fitted.map(|model| Model::KMeans(Box::new(model))))
            }
            ValidEstimator::Graph(params) => {
                params.fit(data, control).map(|fitted| fitted.map(|model| Model::Graph(Box::new(model))))
            }
            ValidEstimator::Encoder(params) => {
                params.fit(data, control).map(|fitted| fitted.map(|model| Model::Encoder(Box::new(model))))
            }
            ValidEstimator::ClusterGan(params) => {
                params.fit(data, control).map(|fitted| fitted.map(|model| Model::ClusterGan(Box::new(model))))
            }
            ValidEstimator::Lpvdn(params) => params.fit(data, control).map(Fitted::into_any),
        }
    }
}

impl Fitted<LpvdnModel> {
    /// The same as a model of any method.
    pub fn into_any(self) -> Fitted<Model> {
        self.map(|model| Model::Lpvdn(Box::new(model)))
    }
}

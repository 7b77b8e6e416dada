//! From settings to the parameters of a method: the recipe's, with what is given laid over them.

use lpvdn::model::lpvdn::Search;
use lpvdn::{Estimator, Method, Recipe, ValidEstimator};
use pyo3::PyResult;
use serde_json::{Map, Value};

use crate::errors::value_error;

/// What a fit is asked to do.
pub(crate) struct Task {
    pub(crate) estimator: ValidEstimator,
    /// Where the number of clusters, or the seed, is chosen.
    pub(crate) search: Option<Search>,
}

impl Task {
    /// `settings` is a JSON object with the library's names; `method`, `recipe`, `clusters` and `restarts` are among
    /// them, and `clusters` may be a range `[from, to]`.
    pub(crate) fn parse(settings: &str) -> PyResult<Task> {
        let mut settings: Map<String, Value> = serde_json::from_str(settings).map_err(value_error)?;
        let mut take = |name: &str| settings.remove(name).filter(|value| !value.is_null());
        let method: Method = parsed(take("method").unwrap_or_default())?;
        let recipe: Recipe = take("recipe").map(parsed).transpose()?.unwrap_or_default();
        let restarts = take("restarts").map(parsed).transpose()?.unwrap_or(1);
        let clusters = take("clusters").unwrap_or_default();
        let (clusters, range) = match &clusters {
            Value::Array(_) => {
                let [from, to]: [usize; 2] = parsed(clusters)?;
                (to, Some(from..=to))
            }
            _ => (parsed(clusters)?, None),
        };
        let estimator = laid_over(Estimator::of(method, recipe, clusters), settings)?;
        let search = Search { restarts, clusters: range };
        search.check().map_err(value_error)?;
        let search = (search.restarts != 1 || search.clusters.is_some()).then_some(search);
        Ok(Task { estimator: estimator.check().map_err(value_error)?, search })
    }
}

fn parsed<T: serde::de::DeserializeOwned>(value: Value) -> PyResult<T> {
    serde_json::from_value(value).map_err(value_error)
}

fn laid_over(estimator: Estimator, settings: Map<String, Value>) -> PyResult<Estimator> {
    Ok(match estimator {
        Estimator::Graph(params) => Estimator::Graph(merged(&params, settings)?),
        Estimator::KMeans(params) => Estimator::KMeans(merged(&params, settings)?),
        Estimator::Encoder(params) => Estimator::Encoder(merged(&params, settings)?),
        Estimator::ClusterGan(mut params) => {
            if let Some(image) = settings.get("image") {
                params = params.for_images(parsed(image.clone())?);
            }
            Estimator::ClusterGan(merged(&params, settings)?)
        }
        Estimator::Lpvdn(params) => Estimator::Lpvdn(merged(&params, settings)?),
    })
}

/// What follows an autoencoder has parameters of its own, one level deeper; where both levels have a name,
/// `refinement.name` is the deeper one.
fn merged<T: serde::Serialize + serde::de::DeserializeOwned>(
    params: &T,
    settings: Map<String, Value>,
) -> PyResult<T> {
    let mut table = serde_json::to_value(params).map_err(value_error)?;
    for (name, value) in settings {
        let (name, deeper) = match name.strip_prefix("refinement.") {
            Some(name) => (name, true),
            None => (name.as_str(), table.get(&name).is_none() && table["refinement"].get(&name).is_some()),
        };
        if deeper {
            table["refinement"][name] = value;
        } else {
            table[name] = value;
        }
    }
    parsed(table)
}

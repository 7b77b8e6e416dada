//! From settings to the parameters of the methods that LPVDN is compared with.

use lpvdn::model::autoencoder::{AutoencoderParams, Refinement};
use lpvdn::model::clustergan::{ClassStart, ClusterGanParams};
use lpvdn::model::graph::GraphParams;
use lpvdn::model::k_means::KMeansParams;
use lpvdn::{Estimator, Method, Recipe, ValidEstimator};

use crate::failure::Failure;
use crate::settings::Settings;

/// Settings of K-means.
const K_MEANS: [&str; 5] = ["seed", "starts", "district", "scale", "components"];
/// What the neighbour graph alone has.
pub(crate) const OF_GRAPH_ALONE: [&str; 3] = ["partition", "landmarks", "projection"];
/// Settings of every method with an autoencoder.
const AUTOENCODER: [&str; 9] = [
    "recipe",
    "layers",
    "latent-dim",
    "pretrain-epochs",
    "pretrain-lr",
    "latent-penalty",
    "batch",
    "init",
    "likelihood",
];
const VARIATIONAL: [&str; 5] = ["epochs", "lr", "schedule", "divergence", "log-variance-bound"];
const SELF_TRAINING: [&str; 1] = ["lr"];
/// What LPVDN does not have.
pub(crate) const OF_DEC_ALONE: [&str; 2] = ["center-start", "interval"];
/// Of the clusters that ClusterGAN alone starts from.
pub(crate) const OF_CLUSTERGAN_ALONE: [&str; 2] = ["class-start", "guided-steps"];
/// What only a start from clusters has.
pub(crate) const OF_GUIDANCE: [&str; 3] = ["guided-steps", "pretrain-epochs", "pretrain-lr"];
/// Those of them that are the autoencoder's.
pub(crate) const OF_GUIDE: [&str; 2] = ["pretrain-epochs", "pretrain-lr"];
const ADVERSARIAL: [&str; 7] =
    ["recipe", "pretrain-epochs", "pretrain-lr", "layers", "lr", "schedule", "batch"];

/// Whether a setting that is a parameter of LPVDN is one of this method too.
pub(crate) fn has(method: Method, setting: &str) -> bool {
    if OF_DEC_ALONE.contains(&setting) {
        return method == Method::Dec;
    }
    if OF_CLUSTERGAN_ALONE.contains(&setting) {
        return method == Method::ClusterGan;
    }
    if OF_GRAPH_ALONE.contains(&setting) {
        return method == Method::Graph;
    }
    let own: &[&str] = match method {
        Method::Graph => return K_MEANS.contains(&setting) || setting == "neighbors",
        Method::KMeans => return K_MEANS.contains(&setting),
        Method::VariationalKMeans => &VARIATIONAL,
        Method::Dec => &SELF_TRAINING,
        Method::ClusterGan => return K_MEANS.contains(&setting) || ADVERSARIAL.contains(&setting),
        Method::AutoencoderKMeans => &[],
        // Those of LPVDN are checked as what they are.
        Method::Vade | Method::Lpvdn => return true,
    };
    [&K_MEANS[..], &AUTOENCODER, own].iter().any(|names| names.contains(&setting))
}

/// Whether chance decides what the classes of ClusterGAN stand for.
pub(crate) fn starts_by_chance(settings: &Settings) -> bool {
    let recipe = ClusterGanParams::of_recipe(settings.recipe.unwrap_or_default(), 1).class_start;
    settings.class_start.unwrap_or(recipe) == ClassStart::Random
}

/// Whether the initial clustering of the rows decides what the classes of ClusterGAN stand for, whatever the data.
pub(crate) fn starts_from_rows(settings: &Settings) -> bool {
    settings.class_start == Some(ClassStart::Rows)
}

/// Parameters of L_MI and L_LP, which VaDE does not have.
const OF_OTHER_TERMS: [&str; 14] = [
    "alpha0",
    "alpha1",
    "perplexity",
    "affinities",
    "neighbors",
    "company",
    "refresh",
    "negatives",
    "scale-locality-net",
    "discriminator-layers",
    "locality-layers",
    "output-dim",
    "settle-epochs",
    "clustering",
];

/// Whether a setting that is given for several methods at once is meant for this one.
pub(crate) fn takes(method: Method, setting: &str) -> bool {
    has(method, setting) && !(method == Method::Vade && OF_OTHER_TERMS.contains(&setting))
}

/// The parameters of a method that is not LPVDN, with what the settings say laid over them.
pub(crate) fn estimator(
    method: Method,
    settings: &Settings,
    clusters: usize,
) -> Result<ValidEstimator, Failure> {
    let recipe = settings.recipe.unwrap_or(Recipe::Robust);
    let mut estimator = Estimator::of(method, recipe, clusters);
    match &mut estimator {
        Estimator::KMeans(params) => k_means(params, settings),
        Estimator::Graph(params) => graph(params, settings),
        Estimator::Encoder(params) => autoencoder(params, settings),
        Estimator::ClusterGan(params) => clustergan(params, settings),
        Estimator::Lpvdn(_) => {}
    }
    estimator.check().map_err(|e| Failure::Usage(e.to_string()))
}

fn set<T: Clone>(value: &mut T, given: Option<&T>) {
    if let Some(given) = given {
        value.clone_from(given);
    }
}

fn k_means(params: &mut KMeansParams, settings: &Settings) {
    set(&mut params.seed, settings.seed.as_ref());
    set(&mut params.starts, settings.starts.as_ref());
    set(&mut params.district, settings.district.as_ref());
    set(&mut params.scale, settings.scale.as_ref());
    params.components = settings.components.or(params.components);
}

fn graph(params: &mut GraphParams, settings: &Settings) {
    set(&mut params.seed, settings.seed.as_ref());
    set(&mut params.starts, settings.starts.as_ref());
    set(&mut params.district, settings.district.as_ref());
    set(&mut params.scale, settings.scale.as_ref());
    set(&mut params.neighbors, settings.neighbors.as_ref());
    set(&mut params.partition, settings.partition.as_ref());
    set(&mut params.landmarks, settings.landmarks.as_ref());
    set(&mut params.projection, settings.projection.as_ref());
    params.components = settings.components.or(params.components);
}

fn clustergan(params: &mut ClusterGanParams, settings: &Settings) {
    if let Some(shape) = settings.convolutional {
        *params = params.clone().for_images(shape.0);
    }
    set(&mut params.seed, settings.seed.as_ref());
    set(&mut params.starts, settings.starts.as_ref());
    set(&mut params.district, settings.district.as_ref());
    set(&mut params.scale, settings.scale.as_ref());
    params.components = settings.components.or(params.components);
    set(&mut params.lr, settings.lr.as_ref());
    set(&mut params.schedule, settings.schedule.as_ref());
    set(&mut params.batch, settings.batch.as_ref());
    set(&mut params.steps, settings.steps.as_ref());
    set(&mut params.layers, settings.layers.as_ref().map(|sizes| &sizes.0));
    set(&mut params.class_start, settings.class_start.as_ref());
    set(&mut params.pretrain_lr, settings.pretrain_lr.as_ref());
    params.guided_steps = settings.guided_steps.or(params.guided_steps);
    params.pretrain_epochs = settings.pretrain_epochs.or(params.pretrain_epochs);
}

fn autoencoder(params: &mut AutoencoderParams, settings: &Settings) {
    set(&mut params.seed, settings.seed.as_ref());
    set(&mut params.starts, settings.starts.as_ref());
    set(&mut params.district, settings.district.as_ref());
    set(&mut params.scale, settings.scale.as_ref());
    params.components = settings.components.or(params.components);
    set(&mut params.latent_dim, settings.latent_dim.as_ref());
    set(&mut params.pretrain_lr, settings.pretrain_lr.as_ref());
    set(&mut params.latent_penalty, settings.latent_penalty.as_ref());
    set(&mut params.init, settings.init.as_ref());
    params.layers = settings.layers.clone().map(|sizes| sizes.0).or(params.layers.take());
    params.pretrain_epochs = settings.pretrain_epochs.or(params.pretrain_epochs);
    params.batch = settings.batch.or(params.batch);
    params.likelihood = settings.likelihood.or(params.likelihood);
    match &mut params.refinement {
        Refinement::None => {}
        Refinement::Variational { epochs, lr, schedule, divergence, log_variance_bound } => {
            *epochs = settings.epochs.or(*epochs);
            set(lr, settings.lr.as_ref());
            set(schedule, settings.schedule.as_ref());
            set(divergence, settings.divergence.as_ref());
            set(log_variance_bound, settings.log_variance_bound.as_ref());
        }
        Refinement::SelfTraining { lr, center_start, interval, .. } => {
            set(lr, settings.lr.as_ref());
            *interval = settings.interval.or(*interval);
            set(center_start, settings.center_start.as_ref());
        }
    }
}

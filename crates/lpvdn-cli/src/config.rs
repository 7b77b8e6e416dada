//! Settings from flags, TOML file and recipe, laid over each other as tables.

mod complaint;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lpvdn::model::clustergan::Output;
use lpvdn::model::lpvdn::PriorStart;
use lpvdn::model::lpvdn::hyperparams::LpvdnValidParams;
use lpvdn::model::lpvdn::network::Network;
use lpvdn::{LpvdnParams, Method, Model, Recipe, ValidEstimator};
use lpvdn_core::{Dataset, Transform};
use lpvdn_data::reading::{Content, Decimal, TableColumn};
use lpvdn_data::{ColumnType, KindOf, Reading, WeightOf};
use toml::Table;

use crate::clusters::Clusters;
use crate::console::{self, shell};
use crate::failure::Failure;
use crate::methods;
use crate::settings::{Effort, ImageShape, MOST_EPOCHS, Settings};

/// What may differ between a run and its resumption: none of it changes the model.
const FREE: [&str; 11] = [
    "memory",
    "temp-limit",
    "threads",
    "evaluate-every",
    "checkpoint-every",
    "store",
    "out",
    "force",
    "resume",
    "quiet",
    "json",
];

/// More parameters than a 32-bit index could count are a slip of the hand.
const MOST_PARAMETERS: usize = 2_000_000_000;

/// Reads a TOML file.
pub(crate) fn read(path: &Path) -> Result<Settings, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| Failure::reading(path, e))?;
    parse(&text, path)
}

/// Reads the text of a TOML file; `path` names it in messages.
pub(crate) fn parse(text: &str, path: &Path) -> Result<Settings, Failure> {
    toml::from_str(text).map_err(|e| Failure::Usage(complaint::complaint(path, text, &e)))
}

/// `over` where it says something, `under` elsewhere.
pub(crate) fn overlay(under: &Settings, over: &Settings) -> Result<Settings, Failure> {
    let mut table = table_of(under)?;
    table.extend(table_of(over)?);
    table.try_into().map_err(unexpected)
}

/// The first setting that both of them say something about.
pub(crate) fn contested(a: &Settings, b: &Settings) -> Result<Option<String>, Failure> {
    let b = table_of(b)?;
    Ok(table_of(a)?.keys().find(|key| b.contains_key(*key)).cloned())
}

fn table_of<T: serde::Serialize>(value: &T) -> Result<Table, Failure> {
    Table::try_from(value).map_err(unexpected)
}

/// Only a path that is not text gets here.
fn unexpected(error: impl std::fmt::Display) -> Failure {
    Failure::Failed(format!("the settings cannot be written as TOML: {error}"))
}

/// The same settings with the method that the effort stands for.
///
/// # Errors
/// Where another method is asked for, too.
pub(crate) fn with_effort(mut settings: Settings) -> Result<Settings, Failure> {
    match (settings.effort.take(), settings.method) {
        (Some(Effort::Quick), Some(method)) if method != Method::Graph => Err(Failure::Usage(format!(
            "--effort quick is --method graph, not {method}; leave one of them out"
        ))),
        (Some(Effort::Quick), _) => Ok(Settings { method: Some(Method::Graph), ..settings }),
        _ => Ok(settings),
    }
}

/// The parameters of the method that the settings ask for.
pub(crate) fn estimator(settings: &Settings, clusters: usize) -> Result<ValidEstimator, Failure> {
    let method = settings.method.unwrap_or_default();
    check_length(settings)?;
    let known = parameter_names()?;
    let given = table_of(settings)?;
    let foreign = given.keys().find(|key| known.contains(*key) && !methods::has(method, key));
    if let Some(key) = foreign {
        return Err(Failure::Usage(format!(
            "{method} has no {key}; leave it out, or choose another --method"
        )));
    }
    let only = [("--steps", settings.steps.is_some()), ("--convolutional", settings.convolutional.is_some())];
    if let Some((option, _)) = only.iter().find(|(_, given)| *given && method != Method::ClusterGan) {
        return Err(Failure::Usage(format!("{option} is for clustergan, not for {method}; leave it out")));
    }
    if settings.convolutional.is_some() && settings.layers.is_some() {
        return Err(Failure::Usage("--convolutional decides the layers; leave --layers out".to_owned()));
    }
    if method == Method::ClusterGan
        && methods::starts_by_chance(settings)
        && let Some(key) = given.keys().find(|key| methods::OF_GUIDANCE.contains(&key.as_str()))
    {
        return Err(Failure::Usage(format!(
            "{key} has no effect where the classes of clustergan start by chance; leave it out, or set \
             class-start = \"graph\" in a --config file"
        )));
    }
    if method == Method::ClusterGan
        && methods::starts_from_rows(settings)
        && let Some(key) = given.keys().find(|key| methods::OF_GUIDE.contains(&key.as_str()))
    {
        return Err(Failure::Usage(format!(
            "{key} has no effect where the classes of clustergan start from the rows; leave it out, or set \
             class-start = \"graph\" in a --config file"
        )));
    }
    match method {
        Method::Lpvdn | Method::Vade => {
            params(settings, clusters).map(|params| ValidEstimator::Lpvdn(Box::new(params)))
        }
        _ => {
            searchless(method, settings)?;
            scored_on_its_way(method, settings)?;
            methods::estimator(method, settings, clusters)
        }
    }
}

/// More threads than any machine has are a slip of the hand.
const MOST_THREADS: u16 = 1024;

/// Refuses counts that a flag would not have taken: more epochs than anyone waits for, and the like.
fn check_length(settings: &Settings) -> Result<(), Failure> {
    let counts = [
        ("epochs", settings.epochs),
        ("pretrain-epochs", settings.pretrain_epochs),
        ("settle-epochs", settings.settle_epochs),
        ("steps", settings.steps),
        ("guided-steps", settings.guided_steps),
        ("interval", settings.interval),
    ];
    if settings.threads.is_some_and(|threads| threads > MOST_THREADS) {
        return Err(Failure::Usage(format!(
            "threads must be at most {}",
            console::grouped(MOST_THREADS.into())
        )));
    }
    if settings.checkpoint_every == Some(0) {
        return Err(Failure::Usage("checkpoint-every must be at least 1".to_owned()));
    }
    match counts.iter().find(|(_, count)| count.is_some_and(|n| n > MOST_EPOCHS as usize)) {
        None => Ok(()),
        Some((key, _)) => {
            Err(Failure::Usage(format!("{key} must be at most {}", console::grouped(MOST_EPOCHS as usize))))
        }
    }
}

/// The names of all parameters that a method may have or not.
fn parameter_names() -> Result<BTreeSet<String>, Failure> {
    let names = table_of(&every_parameter())?.into_iter().map(|(name, _)| name);
    let not_of_lpvdn =
        methods::OF_DEC_ALONE.into_iter().chain(methods::OF_CLUSTERGAN_ALONE).chain(methods::OF_GRAPH_ALONE);
    Ok(names.filter(|name| name != "clusters").chain(not_of_lpvdn.map(str::to_owned)).collect())
}

/// Refuses a parameter that no method takes.
pub(crate) fn check_taken(settings: &Settings, taken: impl Fn(&str) -> bool) -> Result<(), Failure> {
    let known = parameter_names()?;
    let given = table_of(settings)?;
    match given.keys().find(|key| known.contains(*key) && !taken(key)) {
        None => Ok(()),
        Some(key) => Err(Failure::Usage(format!("none of the methods has {key}; leave it out"))),
    }
}

/// The settings without those parameters that `keep` refuses.
pub(crate) fn without_foreign(settings: &Settings, keep: impl Fn(&str) -> bool) -> Result<Settings, Failure> {
    let known = parameter_names()?;
    let mut given = table_of(settings)?;
    given.retain(|key, _| !known.contains(key) || keep(key));
    FREE.iter().for_each(|key| drop(given.remove(*key)));
    given.try_into().map_err(unexpected)
}

/// Refuses what only LPVDN and VaDE have.
fn searchless(method: Method, settings: &Settings) -> Result<(), Failure> {
    match settings.restarts {
        Some(restarts) if restarts != 1 => {
            Err(Failure::Usage(format!("--restarts is for lpvdn and vade, not for {method}; leave it out")))
        }
        _ => Ok(()),
    }
}

/// Refuses scores on a way that a method does not have.
fn scored_on_its_way(method: Method, settings: &Settings) -> Result<(), Failure> {
    let scored = settings.evaluate_every.is_some_and(|every| every > 0);
    if scored && matches!(method, Method::KMeans | Method::Graph | Method::AutoencoderKMeans) {
        let problem = "--evaluate-every scores the clusters while they are trained, and those of";
        return Err(Failure::Usage(format!("{problem} {method} are made once, at the end; leave it out")));
    }
    Ok(())
}

/// All parameters of LPVDN: the recipe's, with what the settings say laid over them.
pub(crate) fn params(settings: &Settings, clusters: usize) -> Result<LpvdnValidParams, Failure> {
    let recipe = settings.recipe.unwrap_or(Recipe::Robust);
    let mut table = table_of(&match settings.method {
        Some(Method::Vade) => LpvdnParams::vade(recipe, clusters),
        _ => LpvdnParams::of_recipe(recipe, clusters),
    })?;
    let mut known = table_of(&every_parameter())?;
    // Settings may leave it to be chosen.
    known.remove("clusters");
    table.extend(table_of(settings)?.into_iter().filter(|(key, _)| known.contains_key(key)));
    let params: LpvdnParams = table.try_into().map_err(unexpected)?;
    if settings.method == Some(Method::Vade) {
        check_vade(settings, recipe, clusters)?;
    }
    if settings.method == Some(Method::Vade) && !params.is_vade() {
        let problem = "vade is lpvdn with alpha0 and alpha1 0; leave them out, or choose --method lpvdn";
        return Err(Failure::Usage(problem.to_owned()));
    }
    params.check().map_err(|e| Failure::Usage(e.to_string()))
}

/// Refuses a setting of another term than L_G, unless it says what is so anyway, as a run that goes on does.
fn check_vade(settings: &Settings, recipe: Recipe, clusters: usize) -> Result<(), Failure> {
    let own = table_of(&LpvdnParams::vade(recipe, clusters))?;
    let given = table_of(settings)?;
    let foreign = |key: &str, value| {
        let weight = key == "alpha0" || key == "alpha1";
        !weight && !settings.resume && !methods::takes(Method::Vade, key) && own.get(key) != Some(value)
    };
    match given.iter().find(|(key, value)| foreign(key.as_str(), value)) {
        None => Ok(()),
        Some((key, _)) => {
            Err(Failure::Usage(format!("vade has no {key}; leave it out, or choose --method lpvdn")))
        }
    }
}

/// Parameters of which none is absent.
fn every_parameter() -> LpvdnParams {
    LpvdnParams {
        likelihood: Some(lpvdn::loss::reconstruction::Likelihood::Gaussian),
        // What has its default value is not written.
        district: 1_000,
        prior_start: PriorStart::Graph,
        components: Some(1),
        ..LpvdnParams::of_recipe(Recipe::Paper, 1)
    }
}

/// Refuses a network that no machine can hold, before anything tries to.
pub(crate) fn check_size(params: &ValidEstimator, data: &Dataset) -> Result<(), Failure> {
    let (rows, columns) = (data.rows(), data.cols());
    let count = match params {
        ValidEstimator::KMeans(params) => params.get().clusters.saturating_mul(columns),
        ValidEstimator::Graph(params) => params.get().landmarks.saturating_add(columns),
        ValidEstimator::Encoder(params) => params.network(rows, columns).layout().len(),
        ValidEstimator::ClusterGan(params) => {
            let widths = params.get().layers.iter().copied().max().unwrap_or(1).max(columns);
            // No network has more layers of the widest kind; one that fits is counted as it is.
            let rough = widths.saturating_mul(widths).saturating_mul(3);
            let network = params.get().network(columns, Output::Sigmoid);
            if rough > MOST_PARAMETERS { rough } else { network.map_or(0, |network| network.layout().len()) }
        }
        ValidEstimator::Lpvdn(params) => Network::new(params.get().shape(rows, columns)).layout().len(),
    };
    match count {
        count if count <= MOST_PARAMETERS => Ok(()),
        count => Err(Failure::Usage(format!(
            "these layers have {} parameters for {columns} columns, and at most {} are accepted; use smaller --layers",
            console::grouped(count),
            console::grouped(MOST_PARAMETERS)
        ))),
    }
}

/// The settings that give these parameters again.
pub(crate) fn settings_of(params: &LpvdnParams) -> Result<Settings, Failure> {
    let mut settings: Settings = table_of(params)?.try_into().map_err(unexpected)?;
    // Parameters leave out what LPVDN starts from, and VaDE starts from something else.
    if params.is_vade() && params.prior_start != LpvdnParams::vade(params.recipe, 1).prior_start {
        settings.prior_start = Some(params.prior_start);
    }
    Ok(settings)
}

/// What was said about the columns of a table, as far as a model remembers it: a fit of that table needs it again.
pub(crate) fn add_columns(settings: &mut Settings, reading: Option<&Reading>) {
    let Some(Reading::Table(table)) = reading else { return };
    settings.missing = Some(table.missing).filter(|missing| missing.fills());
    settings.decimal = Some(table.decimal).filter(|decimal| *decimal != Decimal::default());
    for column in &table.columns {
        let name = column.name.clone().unwrap_or_else(|| column.place.to_string());
        if let Some(kind) = kind_said(column) {
            settings.kind.push(KindOf { column: name.clone(), kind });
        }
        if let Some(weight) = column.weight {
            settings.weight.push(WeightOf { column: name, weight });
        }
    }
}

/// What a column was said to be. Numbers are no words unless somebody says so.
fn kind_said(column: &TableColumn) -> Option<ColumnType> {
    let is_number = |word: &String| word.parse::<f64>().is_ok();
    match (&column.content, column.transform) {
        (Content::Words { words, .. }, _) if !words.is_empty() && words.iter().all(is_number) => {
            Some(ColumnType::Category)
        }
        (_, Some(Transform::Identity)) => Some(ColumnType::Linear),
        (_, Some(Transform::Log)) => Some(ColumnType::Log),
        _ => None,
    }
}

/// The settings that give the parameters of a model of any other method again, and the names of those that cannot be
/// given here, if they are not the ones of the recipe.
pub(crate) fn settings_of_other(model: &Model) -> Result<(Settings, Vec<String>), Failure> {
    let method = model.method();
    let own = flat(model.settings())?;
    let known = parameter_names()?;
    let without_effect: &[&str] = match own.get("class-start").and_then(toml::Value::as_str) {
        Some("random") => &methods::OF_GUIDANCE,
        Some("rows") => &methods::OF_GUIDE,
        _ => &[],
    };
    let settable = |key: &str| {
        (known.contains(key) && methods::has(method, key) && !without_effect.contains(&key))
            || key == "clusters"
            || (key == "steps" && method == Method::ClusterGan)
    };
    let mut given: Table =
        own.iter().filter(|(key, _)| settable(key)).map(|(k, v)| (k.clone(), v.clone())).collect();
    given.insert("method".to_owned(), method.name().into());
    let mut settings: Settings = given.try_into().map_err(unexpected)?;
    if let Some(image) = own.get("image") {
        let image: [usize; 3] = image.clone().try_into().map_err(unexpected)?;
        // It decides the layers.
        (settings.convolutional, settings.layers) = (Some(ImageShape(image)), None);
    }
    let again = flat(estimator(&settings, model.clusters())?.settings())?;
    let lost = own.iter().filter(|(key, value)| again.get(*key) != Some(value));
    Ok((settings, lost.map(|(key, _)| key.clone()).collect()))
}

/// Parameters as a table; those of what follows an autoencoder stand beside its own.
fn flat(parameters: serde_json::Value) -> Result<Table, Failure> {
    let mut all = table_of(&without_null(parameters))?;
    if let Some(toml::Value::Table(deeper)) = all.remove("refinement") {
        for (key, value) in deeper.into_iter().filter(|(key, _)| key != "kind") {
            let taken = all.contains_key(&key);
            all.insert(if taken { format!("refinement.{key}") } else { key }, value);
        }
    }
    Ok(all)
}

/// TOML has no word for nothing.
fn without_null(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(fields) => {
            fields.into_iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k, without_null(v))).collect()
        }
        other => other,
    }
}

/// Settings as the text of a TOML file.
pub(crate) fn to_toml(settings: &Settings) -> Result<String, Failure> {
    toml::to_string(settings).map_err(unexpected)
}

/// The settings to store beside a run, from which it can be resumed anywhere.
pub(crate) fn to_store(settings: &Settings, params: &ValidEstimator) -> Result<Settings, Failure> {
    let run = Settings {
        method: settings.method,
        data: Some(absolute(settings.data.as_deref())),
        label_column: settings.label_column.clone(),
        id_column: settings.id_column.clone(),
        ignore: settings.ignore.clone(),
        classes: settings.classes.clone(),
        memory: settings.memory,
        temp_limit: settings.temp_limit,
        missing: settings.missing,
        kind: settings.kind.clone(),
        weight: settings.weight.clone(),
        decimal: settings.decimal,
        text_field: settings.text_field.clone(),
        text_column: settings.text_column.clone(),
        keep_columns: settings.keep_columns,
        empty_text: settings.empty_text,
        vocabulary: settings.vocabulary,
        stop_words: settings.stop_words.clone(),
        stemming: settings.stemming,
        ngrams: settings.ngrams,
        image_size: settings.image_size,
        image_color: settings.image_color,
        image_fit: settings.image_fit,
        on_error: settings.on_error,
        format: settings.format,
        header: settings.header,
        threads: settings.threads,
        evaluate_every: settings.evaluate_every,
        store: settings.store.as_deref().map(|s| std::path::absolute(s).unwrap_or_else(|_| s.to_owned())),
        checkpoint_every: settings.checkpoint_every,
        restarts: settings.restarts,
        clusters: settings.clusters,
        ..Settings::default()
    };
    match params {
        ValidEstimator::Lpvdn(params) => overlay(&settings_of(params.get())?, &run),
        ValidEstimator::KMeans(params) => others_of(settings, params.get().clusters, params.get().seed, &run),
        ValidEstimator::Graph(params) => others_of(settings, params.get().clusters, params.get().seed, &run),
        ValidEstimator::Encoder(params) => {
            others_of(settings, params.get().clusters, params.get().seed, &run)
        }
        ValidEstimator::ClusterGan(params) => {
            others_of(settings, params.get().clusters, params.get().seed, &run)
        }
    }
}

/// The settings of other methods are stored as they were given.
fn others_of(settings: &Settings, clusters: usize, seed: u64, run: &Settings) -> Result<Settings, Failure> {
    let mut given = table_of(settings)?;
    FREE.iter().for_each(|key| drop(given.remove(*key)));
    let given: Settings = given.try_into().map_err(unexpected)?;
    let given = Settings { clusters: Some(Clusters::Number(clusters)), seed: Some(seed), ..given };
    overlay(&given, run)
}

/// The data as it is called from any folder.
fn absolute(data: Option<&Path>) -> PathBuf {
    let data = data.unwrap_or(Path::new("digits"));
    let name_only = lpvdn_data::BUILT_IN.iter().chain(&["-"]).any(|name| data.as_os_str() == *name);
    let name_only = name_only || lpvdn_data::known::meant(data).is_some();
    if name_only { data.to_owned() } else { std::path::absolute(data).unwrap_or_else(|_| data.to_owned()) }
}

/// The settings with which to resume: those that were stored, and what is free to change from those
/// that are given. Anything else that differs is refused.
pub(crate) fn resumed(stored: &Settings, given: &Settings, out: &Path) -> Result<Settings, Failure> {
    let old = table_of(stored)?;
    let mut new = given.clone();
    new.data = given.data.as_deref().map(|data| absolute(Some(data)));
    for (key, value) in table_of(&new)? {
        if FREE.contains(&key.as_str()) || old.get(&key) == Some(&value) {
            continue;
        }
        let was = old.get(&key).map_or("not set".to_owned(), ToString::to_string);
        return Err(Failure::Usage(format!(
            "the run in {} has {key} {was}, not {value}; leave the option out to resume it, or start anew with --force",
            shell(out)
        )));
    }
    let mut settings = overlay(stored, given)?;
    settings.data.clone_from(&stored.data);
    Ok(settings)
}

/// Whether two stored runs are the same: in all that they depend on, not in how they were run.
pub(crate) fn is_same_run(one: &Settings, other: &Settings) -> bool {
    let essential = |settings: &Settings| -> Option<Table> {
        let all = table_of(settings).ok()?;
        Some(all.into_iter().filter(|(key, _)| !FREE.contains(&key.as_str())).collect())
    };
    essential(one).is_some() && essential(one) == essential(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_of_the_library_is_a_setting_and_comes_back_the_same() {
        for recipe in [Recipe::Robust, Recipe::Paper] {
            let mut params = LpvdnParams::of_recipe(recipe, 7).seed(3).alpha1(0.1);
            params.likelihood = every_parameter().likelihood;
            let text = to_toml(&settings_of(&params).expect("settings")).expect("text");
            let settings = parse(&text, Path::new("a.toml")).expect("the same settings");
            assert_eq!(super::params(&settings, 7).expect("parameters").get(), &params, "{text}");
        }
    }

    #[test]
    fn every_start_of_the_prior_can_be_given_and_comes_back_the_same() {
        let (em, graph) = (("em", PriorStart::Em), ("graph", PriorStart::Graph));
        for (name, start) in [em, graph, ("rows", PriorStart::Rows), ("auto", PriorStart::Auto)] {
            let text = format!("method = \"vade\"\nprior-start = \"{name}\"\n");
            let given = parse(&text, Path::new("a.toml")).expect("settings");
            let params = super::params(&given, 3).expect("parameters");
            assert_eq!(params.get().prior_start, start, "{text}");
            let written = settings_of(params.get()).expect("settings");
            let again = Settings { method: Some(Method::Vade), ..written };
            assert_eq!(super::params(&again, 3).expect("parameters").get(), params.get(), "{text}");
        }
    }

    #[test]
    fn a_flag_goes_before_the_file_and_the_file_before_the_recipe() {
        let file = parse("recipe = \"paper\"\nlr = 1\nepochs = 4\n", Path::new("a.toml")).expect("a file");
        let flags = Settings { epochs: Some(5), ..Settings::default() };
        let params = params(&overlay(&file, &flags).expect("settings"), 2).expect("parameters");
        let params = params.get();
        assert_eq!((params.epochs, params.lr, params.pretrain_epochs), (Some(5), 1.0, Some(50)));
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_those_that_would_be_accepted() {
        let Err(Failure::Usage(message)) = parse("seed = 1\nlern-rate = 2\n", Path::new("a.toml")) else {
            panic!("accepted");
        };
        assert!(message.starts_with("a.toml, line 2: there is no setting `lern-rate`"), "{message}");
        assert!(message.contains("`pretrain-lr`"), "{message}");
    }

    #[test]
    fn a_file_may_ask_for_as_many_epochs_as_a_flag() {
        let asked = |epochs| Settings { epochs: Some(epochs), ..Settings::default() };
        assert!(estimator(&asked(10_000_000), 2).is_ok());
        assert!(
            matches!(estimator(&asked(10_000_001), 2), Err(Failure::Usage(m)) if m.contains("10,000,000"))
        );
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_named_with_its_key_and_what_would_be_accepted() {
        let whole = "a whole number, not below 0; write it as";
        for (text, wanted) in [
            ("\nepochs = \"ten\"", format!("line 2: epochs is the string \"ten\", but must be {whole} epochs = 10")),
            ("epochs = 1.5", format!("line 1: epochs is the number `1.5`, but must be {whole} epochs = 10")),
            ("epochs = -1", format!("line 1: epochs is the integer `-1`, but must be {whole} epochs = 10")),
            ("lr = true", "line 1: lr is the boolean `true`, but must be a number; write it as lr = 0.5".into()),
            ("quiet = 1", "line 1: quiet is the integer `1`, but must be true or false".into()),
            ("layers = 500", "line 1: layers is the integer `500`, but must be a list".into()),
            ("layers = [\n500,\n\"x\"]", format!("line 3: layers is the string \"x\", but must be {whole}")),
            ("recipe = \"best\"", "line 1: recipe cannot be `best`; accepted are `robust` or `paper`".into()),
            ("recipe = 1", "line 1: recipe must be a text in quotes".into()),
            ("memory = 5", "line 1: memory is the integer `5`, but must be a text in quotes; write it as memory = \"2GB\"".into()),
            ("memory = \"5\"", "line 1: memory: \"5\" is no amount of memory; write it as 2GB".into()),
            ("data = 5", "line 1: data is the integer `5`, but must be a text in quotes".into()),
            ("seed = = 1", "line 1: it is no TOML (".into()),
            ("seed = 1\nseed = 2", "line 2: it is no TOML (duplicate key".into()),
            ("[training]\nseed = 2", "line 1: there is no setting `training`; accepted are".into()),
        ] {
            let Err(Failure::Usage(message)) = parse(text, Path::new("a.toml")) else { panic!("accepted: {text}") };
            assert!(message.starts_with(&format!("a.toml, {wanted}")), "{message}");
        }
    }
}

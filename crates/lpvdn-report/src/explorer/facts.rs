//! What a model is, in words.

use lpvdn::model::lpvdn::hyperparams::Budget;
use lpvdn::{Model, Space};
use serde_json::Value;

/// The largest setting that is shown, in characters.
const LONGEST: usize = 200;

pub(super) fn code_name(model: &Model) -> &'static str {
    match model {
        Model::KMeans(_) => "distances to the centres",
        Model::Graph(_) => "values in the view",
        Model::Lpvdn(model) if model.assignment().space() == Space::Embedding => "o′",
        Model::Encoder(_) | Model::Lpvdn(_) => "latent means",
        Model::ClusterGan(_) => "encoded z",
    }
}

pub(super) fn about_map(model: &Model) -> String {
    let by = match model {
        Model::Lpvdn(_) => "latent means",
        Model::KMeans(_) | Model::Graph(_) | Model::Encoder(_) | Model::ClusterGan(_) => code_name(model),
    };
    format!(
        "A small net places each row so that neighbours by their {by} stay neighbours. Who is beside whom means \
         something; how far groups are apart, and how large they look, means little."
    )
}

/// Pairs of a name and a value.
pub(super) fn facts(model: &Model) -> Vec<(String, String)> {
    let data = model.data();
    let mut facts = vec![
        ("method", model.method().to_string()),
        ("fitted by", format!("lpvdn {}", model.fitted_by())),
        ("fitted to", format!("{} rows × {} columns", data.rows, data.columns)),
        ("data fingerprint", data.fingerprint.clone()),
        ("seed", model.seed().to_string()),
        ("clusters", model.clusters().to_string()),
        ("parameters", model.parameters().to_string()),
        ("values", model.scaling_in_words()),
    ];
    let Budget { pretrain_epochs, epochs, settle_epochs, batch, .. } = model.budget();
    if pretrain_epochs + epochs + settle_epochs > 0 {
        let phases =
            format!("{pretrain_epochs} of pre-training, {epochs} of training, {settle_epochs} of settling");
        facts.push(("epochs", phases));
        facts.push(("batch", format!("at most {batch} rows")));
    }
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The parameters, as they are written to files.
pub(super) fn settings(model: &Model) -> Vec<(String, String)> {
    let Value::Object(settings) = model.settings() else { return Vec::new() };
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let short = |text: String| match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    settings.into_iter().map(|(name, value)| (name, short(text(value)))).collect()
}

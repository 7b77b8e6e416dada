//! Scores over a grid of α0 and α1.

use lpvdn::{LpvdnParams, Method, Recipe};
use lpvdn_core::Dataset;
use lpvdn_report::figure::Heat;
use lpvdn_report::{Cell, Figure, Spread, Table};

use super::laboratory::{Laboratory, Variant, records};
use super::terms::SCORES;
use super::{Failure, Outcome};
use crate::runs::spread;
use crate::settings::Settings;

/// Around the weights of each recipe: those of L_MI, and those of L_LP.
fn grid(recipe: Recipe, quick: bool) -> (Vec<f64>, Vec<f64>) {
    let locality = match recipe {
        Recipe::Paper => [1e-5, 1e-4, 1e-3, 1e-2],
        Recipe::Robust => [1.0, 10.0, 100.0, 1000.0],
    };
    let information = [0.1, 1.0, 10.0, 100.0];
    let kept = if quick { 2 } else { 4 };
    (information[..kept].to_vec(), locality[..kept].to_vec())
}

pub(super) fn run(laboratory: &Laboratory<'_>, data: &Dataset) -> Result<Outcome, Failure> {
    let recipe = laboratory.args.settings.recipe.unwrap_or(Recipe::Robust);
    let (information, locality) = grid(recipe, laboratory.args.quick);
    let pairs: Vec<(f64, f64)> =
        information.iter().flat_map(|&a0| locality.iter().map(move |&a1| (a0, a1))).collect();
    let variant = |&(alpha0, alpha1): &(f64, f64)| {
        let settings = Settings { alpha0: Some(alpha0), alpha1: Some(alpha1), ..Settings::default() };
        Variant::new(format!("α0 {alpha0}, α1 {alpha1}"), Method::Lpvdn, settings)
    };
    let variants: Vec<Variant> = pairs.iter().map(variant).collect();
    let runs = laboratory.fit(data, &variants, &laboratory.seeds(1))?;
    let mut table = Table::new(["alpha0", "alpha1", "runs", "ACC", "NMI", "ARI"]);
    let scores: Vec<[Option<Spread>; 3]> =
        runs.iter().map(|runs| SCORES.map(|(_, pick)| spread(records(runs), pick))).collect();
    for ((pair, runs), scores) in pairs.iter().zip(&runs).zip(&scores) {
        let weights = [Cell::Text(pair.0.to_string()), Cell::Text(pair.1.to_string())];
        let scores = scores.map(|score| Cell::spread(score, 4));
        table.row(weights.into_iter().chain([Cell::Count(runs.len())]).chain(scores));
    }
    let mut figure = Figure::new(format!("Weights of the terms: {}", data.name))
        .note("The frame is the recipe's own choice.");
    let own = LpvdnParams::of_recipe(recipe, 2);
    let own = (own.alpha0, own.alpha1);
    let own = pairs.iter().position(|pair| *pair == own);
    for (i, (name, _)) in SCORES.iter().enumerate() {
        let values = scores.iter().map(|scores| scores[i].map(|s| s.mean)).collect();
        let names = |values: &[f64]| values.iter().map(f64::to_string).collect();
        let mut heat = Heat::new(*name, ("α1", names(&locality)), ("α0", names(&information)), values);
        if let Some(own) = own {
            heat = heat.framed(own / locality.len(), own % locality.len());
        }
        figure = figure.panel(heat);
    }
    Ok(Outcome {
        title: format!("Scores over the weights of the terms: {}", data.name),
        about: "α0 weighs L_MI, α1 weighs L_LP. The paper's figure says that the result is stable; it does not \
                give numbers. The weights of the two recipes are not on one scale: the paper's recipe computes \
                L_LP within a batch, the robust one over a graph of neighbours."
            .to_owned(),
        table,
        figure,
    })
}

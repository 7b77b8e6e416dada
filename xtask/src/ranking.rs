//! Measures how well scores that need no labels rank the candidates of a search by their true accuracy.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::accuracy::{Place, commit};
use crate::chores::{Chore, Smoke};
use crate::process::{run as command, text};
use crate::results::{SEARCHES, spread};

pub(crate) const CHORE: Chore = Chore {
    name: "ranking",
    about: "how well the scores without labels rank the candidates of a search",
    help: "\
Usage: cargo xtask ranking [NAME DATA FLAG_OF_FIT ...]

A search over 20 seeds (of digits, if no data is named), recorded in results/search.jsonl, with a table in RESULTS.md.
",
    run,
    smoke: Smoke::Form(smoke),
};

const CANDIDATES: &str = "20";

/// The scores, and whether more of them is better.
const SCORES: [(&str, f64); 6] = [
    ("agreement", 1.0),
    ("silhouette", 1.0),
    ("calinski_harabasz", 1.0),
    ("davies_bouldin", -1.0),
    ("loss", -1.0),
    ("locality", -1.0),
];

fn run(arguments: &[String]) -> Result<()> {
    let (name, fit) = match arguments {
        [] => ("digits", vec!["digits"]),
        [name, fit @ ..] if !fit.is_empty() => (name.as_str(), fit.iter().map(String::as_str).collect()),
        _ => bail!("which data? cargo xtask ranking NAME DATA"),
    };
    let commit = commit()?;
    search(name, &fit, CANDIDATES, &Place::real()?, &commit)
}

/// Three candidates with small networks.
fn smoke() -> Result<()> {
    let place = Place::smoke("ranking")?;
    search("digits", &["digits"], "3", &place, &commit()?)?;
    let searches = place.results.read(SEARCHES)?;
    match searches.first().and_then(|line| line["search"]["candidates"].as_array()) {
        Some(candidates) if candidates.len() == 3 => Ok(()),
        _ => bail!("three candidates are not recorded: {searches:?}"),
    }
}

fn search(name: &str, fit: &[&str], candidates: &str, place: &Place, commit: &str) -> Result<()> {
    let folder = place.runs.join(format!("search-{name}"));
    let out = text(&folder);
    let mut flags = vec!["fit"];
    flags.extend(fit);
    flags.extend(["--restarts", candidates, "--seed", "1", "--out", &out]);
    flags.extend(&place.flags);
    flags.push(if folder.join("run.toml").exists() { "--resume" } else { "--force" });
    command(&place.program, &flags)?;
    let metrics: Value = serde_json::from_str(&fs::read_to_string(folder.join("metrics.json"))?)?;
    let line = json!({
        "data": name,
        "rows": metrics["rows"],
        "columns": metrics["columns"],
        "recipe": metrics["recipe"],
        "threads": metrics["threads"],
        "acc": metrics["acc"],
        "seconds": metrics["seconds"],
        "search": metrics["search"],
        "commit": commit,
    });
    place.results.append(SEARCHES, &line)?;
    fs::remove_dir_all(&folder)?;
    place.results.render()
}

/// The table of all searches.
pub(crate) fn section(text: &mut String, searches: &[Value]) -> Result<()> {
    if searches.is_empty() {
        return Ok(());
    }
    text.push_str(HEAD);
    for search in searches {
        let candidates = search["search"]["candidates"].as_array().context("candidates")?;
        let all = |name: &str| candidates.iter().filter_map(|c| c[name].as_f64()).collect::<Vec<f64>>();
        let accuracies = all("acc");
        let chosen = candidates.iter().find(|c| c["seed"] == search["search"]["seed"]);
        write!(
            text,
            "| {}, {} rows | {} | {} | {} |",
            search["data"].as_str().unwrap_or("?"),
            search["rows"],
            candidates.len(),
            spread(&accuracies),
            chosen.and_then(|c| c["acc"].as_f64()).map_or("–".to_owned(), |a| format!("{a:.4}")),
        )?;
        for (name, sign) in SCORES {
            let scores: Vec<f64> = all(name).iter().map(|s| sign * s).collect();
            let found = (scores.len() == accuracies.len()).then(|| spearman(&scores, &accuracies));
            write!(text, " {} |", found.map_or("–".to_owned(), |r| format!("{r:+.2}")))?;
        }
        text.push('\n');
    }
    Ok(())
}

const HEAD: &str = "
## Choosing between runs without labels

`--restarts` ranks short fits (a fifth of the epochs) by their agreement: the mean ARI with the other
candidates. This is how well that and other scores rank 20 candidates by their true ACC (Spearman's
correlation; 1 is perfect, 0 is chance, and with 20 candidates anything below about 0.45 may be chance).
`cargo xtask ranking` repeats it.

| data | candidates | their ACC | ACC of the chosen | agreement | silhouette | Calinski–Harabasz | −Davies–Bouldin | −loss | −L_LP |
|---|---|---|---|---|---|---|---|---|---|
";

/// Spearman's correlation: Pearson's, of ranks.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>();
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

/// Ranks from 0; equal values share theirs.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |v: &f64| {
        let below = values.iter().filter(|other| *other < v).count() as f64;
        let equal = values.iter().filter(|other| *other == v).count() as f64;
        below + (equal - 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spearman_knows_order_and_ties() {
        assert!((spearman(&[1.0, 2.0, 3.0], &[2.0, 30.0, 400.0]) - 1.0).abs() < 1e-12);
        assert!((spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
        // SciPy: spearmanr([1, 2, 2, 4], [1, 3, 2, 4]) = 0.9486832980505138
        let tied = spearman(&[1.0, 2.0, 2.0, 4.0], &[1.0, 3.0, 2.0, 4.0]);
        assert!((tied - 0.948_683_298_050_513_8).abs() < 1e-12, "{tied}");
    }
}

//! How often the verdict of a fit is right, and how well its confidence tells right clusters from wrong ones.

mod noise;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::accuracy::{Place, commit};
use crate::chores::{Chore, Smoke};
use crate::process::{output, text};
use crate::results::VERDICTS as FILE;
use crate::rivals;

pub(crate) const CHORE: Chore = Chore {
    name: "verdict",
    about: "how often the verdict is right on data with and without clusters, and what the confidence is worth",
    help: "\
Usage: cargo xtask verdict [--data FOLDER] [--seed N] [FLAG_OF_FIT ...]

Fits twenty generated data sets without clusters (K = 4), the digits and, with --data, the sets of `cargo xtask rivals`, each with
--effort quick if no other flags of fit are given. Prints the verdict of each, how many are right, and for sets with classes the area
under the ROC curve of the confidence against \"in the right cluster\". Records all of it in results/verdict.jsonl.
",
    run,
    smoke: Smoke::Form(smoke),
};

/// Clusters that are asked for where there are none.
const CLUSTERS: &str = "4";

/// What is fitted, and how.
struct Options {
    data: Option<PathBuf>,
    seed: String,
    flags: Vec<String>,
}

fn run(arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    let place = Place::real()?;
    let noise = noise::write(&place.runs.join("verdict-noise"), usize::MAX)?;
    let labelled = rivals::labelled(options.data.as_deref());
    measure(&options, &place, (&noise, &labelled), &commit()?).map(drop)
}

/// Two sets without clusters, and the digits.
fn smoke() -> Result<()> {
    let place = Place::smoke("verdict")?;
    let options = Options { data: None, seed: "1".to_owned(), flags: quick() };
    let noise = noise::write(&place.runs.join("noise"), 2)?;
    let digits = ("optdigits", vec!["digits".to_owned()], 10);
    let place = Place { flags: Vec::new(), ..place };
    let Right { noise, structure } = measure(&options, &place, (&noise, &[digits]), &commit()?)?;
    match (noise, structure, place.results.read(FILE)?.len()) {
        (2, 1, 3) => Ok(()),
        other => bail!("two sets of noise, the digits and three records were expected: {other:?}"),
    }
}

fn quick() -> Vec<String> {
    ["--effort", "quick"].map(str::to_owned).to_vec()
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options { data: None, seed: "1".to_owned(), flags: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().cloned().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--data" => options.data = Some(value()?.into()),
            "--seed" => options.seed = value()?,
            _ => options.flags.push(argument.clone()),
        }
    }
    if let Some(folder) = options.data.as_deref().filter(|folder| !folder.is_dir()) {
        bail!("{} is no folder", folder.display());
    }
    if options.flags.is_empty() {
        options.flags = quick();
    }
    Ok(options)
}

/// How many verdicts were right.
struct Right {
    noise: usize,
    structure: usize,
}

/// Sets with classes: a name, the arguments of a fit, and the number of clusters.
pub(crate) type Labelled = (&'static str, Vec<String>, usize);

fn measure(
    options: &Options,
    place: &Place,
    (noise, labelled): (&[(&'static str, PathBuf)], &[Labelled]),
    commit: &str,
) -> Result<Right> {
    let bench = Bench { options, place, commit };
    let mut right = Right { noise: 0, structure: 0 };
    for (name, path) in noise {
        let found = bench.fit(name, &[text(path), "-k".to_owned(), CLUSTERS.to_owned()])?;
        right.noise += usize::from(found == "none");
    }
    for (name, arguments, clusters) in labelled {
        let clusters = ["-k".to_owned(), clusters.to_string()];
        let found = bench.fit(name, &[arguments.as_slice(), clusters.as_slice()].concat())?;
        right.structure += usize::from(["clear", "partial", "weak"].contains(&found.as_str()));
    }
    println!("no structure in {} of {} sets without clusters", right.noise, noise.len());
    println!("structure in {} of {} sets with classes", right.structure, labelled.len());
    Ok(right)
}

struct Bench<'a> {
    options: &'a Options,
    place: &'a Place,
    commit: &'a str,
}

impl Bench<'_> {
    /// Fits, prints and records; gives the word of the verdict.
    fn fit(&self, name: &str, arguments: &[String]) -> Result<String> {
        let out = self.place.runs.join(format!("verdict-{name}"));
        let out_text = text(&out);
        let mut all = vec!["fit"];
        all.extend(arguments.iter().map(String::as_str));
        all.extend(self.options.flags.iter().map(String::as_str));
        all.extend(["--seed", &self.options.seed, "--quiet", "--force", "--json", "--out", &out_text]);
        let printed = output(&self.place.program, &all)?;
        let metrics: Value = serde_json::from_str(printed.lines().last().unwrap_or_default())?;
        let verdict = &metrics["verdict"];
        let word = verdict["structure"].as_str().context("the fit has no verdict")?.to_owned();
        let auc = auc_of(&fs::read_to_string(out.join("labels.csv"))?);
        let seconds = (metrics["seconds"].as_f64(), verdict["seconds"].as_f64());
        let score = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
        println!(
            "{name}: {word}, stability {}, confidence: AUC {}, ACC {}; {} s, verdict {} s",
            score(verdict["stability"].as_f64()),
            score(auc),
            score(metrics["acc"].as_f64()),
            score(seconds.0),
            score(seconds.1)
        );
        let line = json!({
            "set": name, "flags": self.options.flags, "seed": self.options.seed, "commit": self.commit,
            "verdict": word, "stability": verdict["stability"], "permuted": verdict["permuted"]["mean"],
            "gaussian": verdict["gaussian"]["mean"], "clusters": metrics["clusters"], "rows": metrics["rows"],
            "acc": metrics["acc"], "ari": metrics["ari"], "auc": auc, "seconds": seconds.0, "verdict_seconds": seconds.1,
        });
        self.place.results.append(FILE, &line)?;
        fs::remove_dir_all(&out)?;
        Ok(word)
    }
}

/// The area under the ROC curve of the confidence against "in the right cluster", where clusters are named after classes one to one. None
/// without classes, or where all rows are right.
fn auc_of(labels: &str) -> Option<f64> {
    let mut lines = labels.lines();
    let header: Vec<&str> = lines.next()?.split(',').collect();
    let place = |name: &str| header.iter().position(|column| *column == name);
    let (cluster, confidence, class) = (place("cluster")?, place("confidence")?, place("label")?);
    let rows: Vec<(String, String, f64)> = lines
        .filter_map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let sure = cells.get(confidence)?.parse().ok()?;
            Some(((*cells.get(cluster)?).to_owned(), (*cells.get(class)?).to_owned(), sure))
        })
        .collect();
    let named = greedily_matched(&rows);
    let mut scored: Vec<(f64, bool)> =
        rows.iter().map(|(cluster, class, sure)| (*sure, named.get(cluster) == Some(class))).collect();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    area(&scored)
}

/// Clusters and classes, the pair with the most rows first. (The best assignment differs from this one rarely, and by few rows.)
fn greedily_matched(rows: &[(String, String, f64)]) -> BTreeMap<String, String> {
    let mut counts = BTreeMap::<(&str, &str), usize>::new();
    rows.iter().for_each(|(cluster, class, _)| *counts.entry((cluster, class)).or_default() += 1);
    let mut pairs: Vec<((&str, &str), usize)> = counts.into_iter().collect();
    pairs.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut named = BTreeMap::<String, String>::new();
    for ((cluster, class), _) in pairs {
        if !named.contains_key(cluster) && !named.values().any(|taken| taken == class) {
            named.insert(cluster.to_owned(), class.to_owned());
        }
    }
    named
}

/// By ranks; equal scores count half.
fn area(scored: &[(f64, bool)]) -> Option<f64> {
    let right = scored.iter().filter(|(_, right)| *right).count() as f64;
    let wrong = scored.len() as f64 - right;
    let (mut below, mut won) = (0.0, 0.0);
    for group in scored.chunk_by(|a, b| a.0 == b.0) {
        let right = group.iter().filter(|(_, right)| *right).count() as f64;
        let wrong = group.len() as f64 - right;
        won += right * (below + 0.5 * wrong);
        below += wrong;
    }
    (right > 0.0 && wrong > 0.0).then(|| won / (right * wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_that_of_the_pairs_that_are_in_order() {
        assert_eq!(area(&[(0.1, false), (0.2, true), (0.3, false), (0.4, true)]), Some(0.75));
        assert_eq!(area(&[(0.5, false), (0.5, true)]), Some(0.5));
        assert_eq!(area(&[(0.5, true)]), None);
    }

    #[test]
    fn clusters_are_named_after_classes_before_they_are_scored() {
        let labels = "row,cluster,confidence,label\n0,1,0.9,a\n1,1,0.8,a\n2,0,0.7,b\n3,0,0.2,a\n4,0,0.9,b\n";
        assert_eq!(auc_of(labels), Some(1.0));
        assert_eq!(auc_of("row,cluster,confidence\n0,1,0.9\n"), None);
    }
}

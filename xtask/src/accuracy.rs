//! Fits a set of (data, recipe, seed) and records each finished run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::{output, results, run as command};

/// Where the sets other than the built-in one are looked for, from the workspace's root.
const DATA: &str = "../shared/data";
/// Where runs and their pre-trainings are kept until they are recorded.
pub(crate) const RUNS: &str = "target/runs";
pub(crate) const PROGRAM: &str = "target/release/lpvdn";

struct Options {
    sets: Vec<String>,
    data: PathBuf,
    recipes: Vec<String>,
    seeds: Vec<u64>,
    ablation: bool,
    /// Methods that are fitted in the place of LPVDN.
    methods: Vec<String>,
    render: bool,
}

/// Terms that are left out: the ablation of the paper.
const VARIANTS: [(&str, &[&str]); 4] = [
    ("all", &[]),
    ("G+LP", &["--alpha0", "0"]),
    ("G+MI", &["--alpha1", "0"]),
    ("G", &["--alpha0", "0", "--alpha1", "0"]),
];

/// Methods that have no recipe.
const WITHOUT_RECIPE: [&str; 1] = ["kmeans"];

/// One fit.
struct Run<'a> {
    set: &'a str,
    recipe: &'a str,
    /// The terms of LPVDN, or the name of another method.
    terms: &'a str,
    flags: Vec<&'a str>,
    seed: u64,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    if !options.render {
        let commit = commit()?;
        command("cargo", &["build", "--release", "--package", "lpvdn-cli"])?;
        for run in runs(&options) {
            fit(&run, &options.data, &commit)?;
        }
    }
    results::render()
}

fn parse(arguments: &[String]) -> Result<Options> {
    let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<String>>();
    let mut options = Options {
        sets: list("digits,mnist,fashion-mnist"),
        data: DATA.into(),
        recipes: list("robust"),
        seeds: (1..=5).collect(),
        ablation: false,
        methods: Vec::new(),
        render: false,
    };
    let mut arguments = arguments.iter();
    while let Some(name) = arguments.next() {
        match name.as_str() {
            "--ablation" => options.ablation = true,
            "--render" => options.render = true,
            _ => {
                let value = arguments.next().with_context(|| format!("{name} needs a value"))?;
                match name.as_str() {
                    "--sets" => options.sets = list(value),
                    "--data" => options.data = value.into(),
                    "--recipes" => options.recipes = list(value),
                    "--methods" => options.methods = list(value),
                    "--seeds" => {
                        let seeds = value.split(',').map(str::parse).collect::<Result<_, _>>();
                        options.seeds = seeds.context("--seeds needs whole numbers, as 1,2,3")?;
                    }
                    other => bail!("unknown option {other}"),
                }
            }
        }
    }
    Ok(options)
}

/// What is fitted to each set: a name, and the flags that make it.
fn variants(options: &Options) -> Vec<(&str, Vec<&str>)> {
    if !options.methods.is_empty() {
        return options.methods.iter().map(|method| (method.as_str(), vec!["--method", method])).collect();
    }
    let terms = if options.ablation { &VARIANTS[..] } else { &VARIANTS[..1] };
    terms.iter().map(|(terms, flags)| (*terms, flags.to_vec())).collect()
}

fn runs(options: &Options) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    for &seed in &options.seeds {
        for set in &options.sets {
            for recipe in &options.recipes {
                for (terms, flags) in variants(options) {
                    runs.push(Run { set, recipe, terms, flags, seed });
                }
            }
        }
    }
    runs
}

/// Fits, unless the run is recorded; goes on where an earlier attempt was stopped.
fn fit(run: &Run<'_>, data: &Path, commit: &str) -> Result<()> {
    let Run { set, recipe, terms, flags, seed } = run;
    let same = |line: &Value| {
        line["recipe"] == **recipe
            && line["terms"] == **terms
            && line["seed"] == *seed
            && line["data"] == **set
    };
    if let Some(line) = results::read(set)?.iter().find(|line| same(line)) {
        println!("{set}, {recipe}, {terms}, seed {seed}: recorded at {}", line["commit"]);
        return Ok(());
    }
    // Of a run that another build began, nothing is taken.
    let folder = Path::new(RUNS).join(format!("{set}-{recipe}-{terms}-{seed}-{}", commit.replace(", ", "-")));
    let metrics = folder.join("metrics.json");
    if !metrics.exists() {
        let source = if *set == "digits" { (*set).to_owned() } else { data.join(set).display().to_string() };
        let (out, store) =
            (folder.display().to_string(), Path::new(RUNS).join("store").display().to_string());
        let seed = seed.to_string();
        let mut arguments = vec!["fit", &source, "--seed", &seed, "--store", &store, "--out", &out];
        if !WITHOUT_RECIPE.contains(terms) {
            arguments.extend(["--recipe", recipe]);
        }
        arguments.extend_from_slice(flags);
        // Whatever else the folder holds is left of an attempt that did not get as far.
        arguments.push(if folder.join("checkpoint.safetensors").exists() { "--resume" } else { "--force" });
        command(PROGRAM, &arguments)?;
    }
    record(run, &folder, &metrics, commit)?;
    fs::remove_dir_all(&folder).with_context(|| format!("{} could not be removed", folder.display()))
}

/// What is about to be built.
pub(crate) fn commit() -> Result<String> {
    let commit = output("git", &["rev-parse", "--short=12", "HEAD"])?.trim().to_owned();
    let changes =
        output("git", &["status", "--porcelain", "--untracked-files=no", "--", "crates", "Cargo.lock"])?;
    Ok(if changes.trim().is_empty() { commit } else { format!("{commit}, changed") })
}

/// Appends the finished run to its file.
fn record(run: &Run<'_>, folder: &Path, metrics: &Path, commit: &str) -> Result<()> {
    let mut line: Value = serde_json::from_str(&fs::read_to_string(metrics)?)?;
    let settings = output(PROGRAM, &["info", &folder.display().to_string(), "--json"])?;
    let settings: Value = serde_json::from_str(settings.trim())?;
    let object = line.as_object_mut().context("metrics.json holds no object")?;
    object.remove("out");
    object.insert("data".into(), json!(run.set));
    object.insert("terms".into(), json!(run.terms));
    object.insert("settings".into(), settings["settings"].clone());
    object.insert("commit".into(), json!(commit));
    results::append(run.set, &line)
}

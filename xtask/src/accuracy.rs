//! Fits a set of (data, recipe, seed) and records each finished run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::chores::{Chore, Smoke};
use crate::process::{QUICK, output, program, run as command, scratch, text};
use crate::results::Results;

pub(crate) const CHORE: Chore = Chore {
    name: "accuracy",
    about: "fits sets, recipes and seeds, records each run in results/ and writes RESULTS.md",
    help: "\
Usage: cargo xtask accuracy [--sets digits,mnist,fashion-mnist] [--data FOLDER_OF_SETS] [--recipes robust,paper]
         [--seeds 1,2,3,4,5] [--ablation | --methods kmeans,vade] [--render]

  --sets     the sets (default: digits, and with --data mnist and fashion-mnist too)
  --data     the folder that has a folder or file of each set's name; digits are built in
  --render   only writes RESULTS.md

Skips what is recorded, and resumes what was stopped. After a change of a recipe, remove its lines from
results/*.jsonl to run it again.
",
    run,
    smoke: Smoke::Form(smoke),
};

/// Where runs happen, and where they are recorded.
pub(crate) struct Place {
    pub(crate) program: String,
    /// The folder of runs and their pre-trainings until they are recorded.
    pub(crate) runs: PathBuf,
    pub(crate) results: Results,
    /// Flags of every fit.
    pub(crate) flags: Vec<&'static str>,
}

impl Place {
    /// The released program, and the results of this repository.
    pub(crate) fn real() -> Result<Place> {
        command("cargo", &["build", "--locked", "--release", "--package", "lpvdn-cli"])?;
        let target = crate::process::target()?;
        let program = text(&target.join("release/lpvdn"));
        Ok(Place { program, runs: target.join("runs"), results: Results::real(), flags: Vec::new() })
    }

    /// The program of the tests with small networks, and a folder that nobody keeps.
    pub(crate) fn smoke(name: &str) -> Result<Place> {
        let folder = scratch(name)?;
        let (program, results) = (text(&program()?), Results::at(&folder));
        Ok(Place { program, runs: folder.join("runs"), results, flags: QUICK.to_vec() })
    }
}

struct Options {
    sets: Vec<String>,
    data: Option<PathBuf>,
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

fn run(arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    if options.render {
        return Results::real().render();
    }
    let commit = commit()?;
    fit_all(&options, &Place::real()?, &commit)
}

fn fit_all(options: &Options, place: &Place, commit: &str) -> Result<()> {
    for run in runs(options) {
        fit(&run, options.data.as_deref(), place, commit)?;
    }
    place.results.render()
}

/// Two runs of digits; asked again, they are found and not repeated.
fn smoke() -> Result<()> {
    let (place, commit) = (Place::smoke("accuracy")?, commit()?);
    let options = parse(&["--seeds", "1,2"].map(str::to_owned))?;
    for _ in 0..2 {
        fit_all(&options, &place, &commit)?;
        let recorded = place.results.read("digits")?.len();
        if recorded != 2 {
            bail!("{recorded} runs are recorded, and not 2");
        }
    }
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Options> {
    let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<String>>();
    let mut options = Options {
        sets: Vec::new(),
        data: None,
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
                    "--data" => options.data = Some(value.into()),
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
    if options.sets.is_empty() {
        options.sets = list(if options.data.is_some() { "digits,mnist,fashion-mnist" } else { BUILT_IN });
    }
    if let Some(set) = options.sets.iter().find(|set| *set != BUILT_IN && options.data.is_none()) {
        bail!("where is {set}? --data FOLDER names the folder that has it");
    }
    Ok(options)
}

/// The set that needs no folder.
const BUILT_IN: &str = "digits";

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

/// Fits, unless the run is recorded; resumes where an earlier attempt was stopped.
fn fit(run: &Run<'_>, data: Option<&Path>, place: &Place, commit: &str) -> Result<()> {
    let Run { set, recipe, terms, flags, seed } = run;
    let same = |line: &Value| {
        line["recipe"] == **recipe
            && line["terms"] == **terms
            && line["seed"] == *seed
            && line["data"] == **set
    };
    if let Some(line) = place.results.read(set)?.iter().find(|line| same(line)) {
        println!("{set}, {recipe}, {terms}, seed {seed}: recorded at {}", line["commit"]);
        return Ok(());
    }
    // Of a run that another build began, nothing is taken.
    let folder = place.runs.join(format!("{set}-{recipe}-{terms}-{seed}-{}", commit.replace(", ", "-")));
    let metrics = folder.join("metrics.json");
    if !metrics.exists() {
        let source =
            data.filter(|_| *set != BUILT_IN).map_or((*set).to_owned(), |data| text(&data.join(set)));
        let (out, store, seed) = (text(&folder), text(&place.runs.join("store")), seed.to_string());
        let mut arguments = vec!["fit", &source, "--seed", &seed, "--store", &store, "--out", &out];
        if !WITHOUT_RECIPE.contains(terms) {
            arguments.extend(["--recipe", recipe]);
        }
        arguments.extend_from_slice(flags);
        arguments.extend_from_slice(&place.flags);
        // Whatever else the folder holds is left of an attempt that did not get as far.
        arguments.push(if folder.join("checkpoint.safetensors").exists() { "--resume" } else { "--force" });
        command(&place.program, &arguments)?;
    }
    record(run, &folder, place, commit)?;
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
fn record(run: &Run<'_>, folder: &Path, place: &Place, commit: &str) -> Result<()> {
    let mut line: Value = serde_json::from_str(&fs::read_to_string(folder.join("metrics.json"))?)?;
    let settings = output(&place.program, &["info", &text(folder), "--json"])?;
    let settings: Value = serde_json::from_str(settings.trim())?;
    let object = line.as_object_mut().context("metrics.json holds no object")?;
    object.remove("out");
    object.insert("data".into(), json!(run.set));
    object.insert("terms".into(), json!(run.terms));
    object.insert("settings".into(), settings["settings"].clone());
    object.insert("commit".into(), json!(commit));
    place.results.append(run.set, &line)
}

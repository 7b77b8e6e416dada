//! `lpvdn experiment`: the paper's tables and figures, from recorded runs.
//!
//! | file | what it shows |
//! |---|---|
//! | `tables` | every method on the paper's four data sets |
//! | `terms` | the four combinations of terms: the ablation |
//! | `hyperparameters` | scores over a grid of α0 and α1 |
//! | `noise` | accuracy on rows with noise |
//! | `imbalance` | accuracy where one class is rare |
//! | `margin` | what the discriminator says of rows, codes and perturbations |
//! | `retrieval` | nearest neighbours in the codes and among the rows |
//! | `dimensions` | accuracy against the size of the code |
//! | `visualize` | codes of two numbers as points |

mod dimensions;
mod hyperparameters;
mod imbalance;
mod laboratory;
mod margin;
mod noise;
mod noisy;
mod paper;
mod pictures;
mod retrieval;
mod tables;
mod terms;
mod visualize;

use std::io::Write;
use std::path::PathBuf;

use lpvdn_core::Dataset;
use lpvdn_data::Opened;
use lpvdn_report::{Figure, Table};

use self::laboratory::Laboratory;
use crate::args::{ExperimentArgs, ExperimentName};
use crate::commands::compare::{all_made, checked};
use crate::console::{self, shell, stderr_line};
use crate::failure::Failure;
use crate::interrupt;

/// What an experiment came to.
struct Outcome {
    title: String,
    /// What was done and how to read it, in sentences.
    about: String,
    table: Table,
    figure: Figure,
}

pub(crate) fn run(args: &ExperimentArgs) -> Result<(), Failure> {
    let settings = checked(&args.settings, "an experiment has methods of its own")?;
    let elsewhere = match args.name {
        name if args.query.is_some() && name != ExperimentName::Retrieval => Some("--query is for retrieval"),
        name if args.rcv1.is_some() && name != ExperimentName::Tables => Some("--rcv1 is for tables"),
        _ => None,
    };
    if let Some(sentence) = elsewhere {
        return Err(Failure::Usage(format!("{sentence}, not for {}; leave it out", args.name.as_str())));
    }
    let out = settings.out.clone().unwrap_or_else(|| PathBuf::from("lpvdn-experiments"));
    let laboratory = Laboratory::open(args, &out)?;
    interrupt::listen(settings.quiet)?;
    let (outcome, name) = match args.name {
        ExperimentName::Tables => (tables::run(&laboratory)?, "tables".to_owned()),
        name => {
            let data = laboratory.data()?;
            (of_data(name, &laboratory, &data)?, format!("{}-{}", name.as_str(), file_name(&data.name)))
        }
    };
    save(&outcome, &laboratory, &name)?;
    if settings.json {
        console::stdout(|w| writeln!(w, "{}", outcome.table.json()))?;
    } else {
        console::stdout(|w| write!(w, "{}", outcome.table.markdown()))?;
    }
    if !settings.quiet {
        let files = ["md", "csv", "json", "svg", "png"].map(|extension| format!("{name}.{extension}"));
        stderr_line(&format!("table and figure are in {}: {}", shell(&out), files.join(", ")));
    }
    all_made(&laboratory.failed())
}

fn of_data(name: ExperimentName, laboratory: &Laboratory<'_>, data: &Dataset) -> Result<Outcome, Failure> {
    match name {
        ExperimentName::Tables => tables::run(laboratory),
        ExperimentName::Ablation => terms::run(laboratory, data),
        ExperimentName::Hyperparameters => hyperparameters::run(laboratory, data),
        ExperimentName::Noise => noise::run(laboratory, data),
        ExperimentName::Imbalance => imbalance::run(laboratory, data),
        ExperimentName::Margin => margin::run(laboratory, data),
        ExperimentName::Retrieval => retrieval::run(laboratory, data),
        ExperimentName::Dimensions => dimensions::run(laboratory, data),
        ExperimentName::Visualize => visualize::run(laboratory, data),
    }
}

impl Laboratory<'_> {
    /// The rows: those that are named, else MNIST, or the built-in digits where it has to be quick.
    fn data(&self) -> Result<Dataset, Failure> {
        let named = self.args.settings.data.clone();
        let path = named.unwrap_or_else(|| if self.args.quick { "digits" } else { "mnist" }.into());
        let Opened { data, notes, .. } = lpvdn_data::read(&path, &self.args.settings.open_options())?;
        if !self.args.settings.quiet {
            notes.iter().for_each(|note| stderr_line(&format!("note      {note}")));
        }
        if data.labels.is_none() {
            let problem =
                "an experiment needs the classes of the rows; name their column with --label-column";
            return Err(Failure::Usage(format!("{}: {problem}", path.display())));
        }
        Ok(data)
    }
}

/// A name that every file system takes.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    name.chars().map(plain).take(60).collect()
}

fn save(outcome: &Outcome, laboratory: &Laboratory<'_>, name: &str) -> Result<(), Failure> {
    let Outcome { title, about, table, figure } = outcome;
    let command = laboratory.command();
    let head = format!("# {title}\n\n{about}\n\n`{command}`\n\n![{title}]({name}.svg)\n\n");
    let facts = serde_json::json!({ "title": title, "about": about, "command": command });
    let facts = facts.as_object().cloned().unwrap_or_default();
    let written = table.save(laboratory.out(), name, &head, facts);
    written
        .and_then(|()| figure.save(laboratory.out(), name))
        .map_err(|e| Failure::writing(laboratory.out().join(name).display(), e))
}

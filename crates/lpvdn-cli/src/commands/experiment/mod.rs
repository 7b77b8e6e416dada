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
mod retrieval;
mod tables;
mod terms;
mod visualize;

use std::path::PathBuf;

use lpvdn::Method;
use lpvdn_core::Dataset;
use lpvdn_data::Opened;
use lpvdn_report::{Figure, Table, in_markdown};

use self::laboratory::Laboratory;
use crate::advice;
use crate::args::{ExperimentArgs, ExperimentName};
use crate::commands::compare::{all_made, checked};
use crate::console::{self, Words, shell, stderr_line};
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

/// Those that compare methods.
const COMPARING: [ExperimentName; 3] =
    [ExperimentName::Tables, ExperimentName::Noise, ExperimentName::Imbalance];

pub(crate) fn run(args: &ExperimentArgs) -> Result<(), Failure> {
    let settings = checked(&args.settings, "an experiment has methods of its own")?;
    let elsewhere = match args.name {
        name if args.query.is_some() && name != ExperimentName::Retrieval => Some("--query is for retrieval"),
        name if args.rcv1.is_some() && name != ExperimentName::Tables => Some("--rcv1 is for tables"),
        name if !args.methods.is_empty() && !COMPARING.contains(&name) => {
            Some("--methods is for tables, noise and imbalance")
        }
        name if !args.sizes.is_empty() && name != ExperimentName::Dimensions => {
            Some("--sizes is for dimensions")
        }
        _ if args.sizes.contains(&0) => Some("--sizes are at least 1, and 0 is none"),
        _ if args.rcv1.is_some() && (args.quick || settings.data.is_some()) => {
            Some("--rcv1 is for the paper's sets, which --quick and DATA leave out")
        }
        _ => None,
    };
    if let Some(sentence) = elsewhere {
        return Err(Failure::Usage(format!("{sentence}; leave it out")));
    }
    let out = settings.out.clone().unwrap_or_else(|| PathBuf::from("lpvdn-experiments"));
    let laboratory = Laboratory::open(args, &out)?;
    interrupt::listen(settings.quiet)?;
    let (outcome, name) = match args.name {
        ExperimentName::Tables if settings.data.is_none() && !args.quick => {
            (tables::run(&laboratory)?, "tables".to_owned())
        }
        ExperimentName::Tables => {
            (tables::run(&laboratory)?, format!("tables-{}", file_name(&laboratory.data_name())))
        }
        name => {
            let data = laboratory.data()?;
            (of_data(name, &laboratory, &data)?, format!("{}-{}", name.as_str(), file_name(&data.name)))
        }
    };
    let name = format!("{name}{}", part_of(args));
    let name = if args.quick { format!("{name}-quick") } else { name };
    save(&outcome, &laboratory, &name)?;
    if settings.json {
        console::stdout(|w| writeln!(w, "{}", outcome.table.json()))?;
    } else {
        console::stdout_words(&Words::of(&outcome.table.markdown()))?;
    }
    if !settings.quiet {
        let files = ["md", "csv", "json", "svg", "png"].map(|extension| format!("{name}.{extension}"));
        stderr_line(&format!("table and figure are in {}: {}", shell(&out), files.join(", ")));
    }
    all_made(&laboratory.failed())
}

/// A part of an experiment has files of its own: it does not replace the whole.
fn part_of(args: &ExperimentArgs) -> String {
    let methods = args.methods.iter().map(Method::to_string);
    methods.chain(args.sizes.iter().map(usize::to_string)).map(|part| format!("-{part}")).collect()
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
    fn data_path(&self) -> PathBuf {
        let named = self.args.settings.data.clone();
        named.unwrap_or_else(|| if self.args.quick { "digits" } else { "mnist" }.into())
    }

    /// What the rows are called in titles.
    fn data_name(&self) -> String {
        let path = self.data_path();
        path.file_stem().map_or_else(|| "data".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// The rows of what was opened, after a word about it.
    fn opened(&self, opened: Opened) -> Dataset {
        if !self.args.settings.quiet {
            let notes = advice::notes(&opened.notes);
            notes.iter().for_each(|note| stderr_line(&format!("note      {note}")));
        }
        opened.data
    }

    fn data(&self) -> Result<Dataset, Failure> {
        let path = self.data_path();
        let data = self.opened(lpvdn_data::read(&path, &self.args.settings.open_options())?);
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
    let quick = if laboratory.args.quick { " A quick look: a third of the usual training." } else { "" };
    let (title_text, about) = (in_markdown(title), format!("{about}{quick}"));
    let head = format!(
        "# {title_text}\n\n{}\n\n```console\n$ {command}\n```\n\n![{title_text}]({name}.svg)\n\n",
        in_markdown(&about)
    );
    let figure = if quick.is_empty() { figure.clone() } else { figure.clone().note(quick.trim()) };
    let facts = serde_json::json!({ "title": title, "about": about, "command": command });
    let facts = facts.as_object().cloned().unwrap_or_default();
    let written = table.save(laboratory.out(), name, &head, facts);
    written
        .and_then(|()| figure.save(laboratory.out(), name))
        .map_err(|e| Failure::writing(laboratory.out().join(name).display(), e))
}

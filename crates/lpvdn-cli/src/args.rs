//! Arguments as they are typed. What they come to is checked in `config` and in the commands.

use std::path::PathBuf;

use clap::{Arg, Args, Parser, Subcommand, ValueEnum};
use lpvdn::Method;
use serde::{Deserialize, Serialize};

use crate::data_args::{DATA_EXAMPLES, DataArgs};
use crate::model_args::{
    EVALUATE_EXAMPLES, EXPLORE_EXAMPLES, EvaluateArgs, ExploreArgs, INFO_EXAMPLES, InfoArgs,
    NEIGHBORS_EXAMPLES, NeighborsArgs, PLOT_EXAMPLES, PREDICT_EXAMPLES, PlotArgs, PredictArgs,
    TRANSFORM_EXAMPLES, TransformArgs,
};
use crate::settings::{METHODS, Settings, named, size};

const EXAMPLES: &str = "\
Examples:
  lpvdn fit                        # cluster the built-in digits into lpvdn-out
  lpvdn predict lpvdn-out digits   # the cluster of each row, as CSV
  lpvdn compare digits             # every method, three seeds each, as a table
  lpvdn experiment ablation --quick  # a table and a figure of the paper
  lpvdn evaluate lpvdn-out digits  # scores against the known classes
  lpvdn transform lpvdn-out digits -o codes.npy  # each row as ten numbers
  lpvdn info lpvdn-out             # what the model is and how it was made
  lpvdn data fetch mnist           # a known set; then: lpvdn fit mnist
  lpvdn data inspect flowers.csv   # what is in it, what fit would do with it

LPVDN_SIMD=scalar (or avx2) in the environment pins the instruction set. With one set, one seed gives \
the same result to the bit on any number of threads.";

const FIT_EXAMPLES: &str = "\
Examples:
  lpvdn fit                                  # cluster the built-in digits
  lpvdn fit digits -k 12 --seed 7 -o run7    # more clusters, another seed
  lpvdn fit digits -k auto                   # choose K from 2 to 20
  lpvdn fit digits --restarts 5              # the best of five seeds
  lpvdn fit --resume                         # go on after Ctrl-C or a crash
  lpvdn info lpvdn-out --toml > again.toml   # its settings, not its data ...
  lpvdn fit digits --config again.toml -o b  # ... and the same model again

Your own data: `lpvdn fit flowers.csv --label-column species`, `lpvdn fit codes.npy -k 10`, \
`lpvdn fit reviews.csv --text-column body -k 10`. Labels are never used for training, only for scores, and for \
the number of clusters if -k is absent.

A flag goes before the --config file, which goes before the recipe. The file has the names of the flags \
as keys (`pretrain-epochs = 20`). A few more settings can be given only there: `lpvdn info MODEL --toml` \
shows all of a model.

The output folder gets model.safetensors, labels.csv, embedding.npy, metrics.json and log.jsonl, and \
run.toml with the settings. Resumed or not, a run ends in the same model. While the folder holds another run, which \
--force is to replace, the new one is made in .lpvdn-new in it. The same command again resumes a run that was \
stopped; one that was to replace another is resumed by --resume alone.";

const COMPARE_EXAMPLES: &str = "\
Examples:
  lpvdn compare digits                              # every method, 3 seeds
  lpvdn compare digits --methods kmeans,lpvdn --seeds 1-5
  lpvdn compare flowers.csv --label-column species  # your own data

A setting goes to the methods that have it. Without classes, methods are compared by how well \
clusters are apart among the rows. The columns structure and stability are the verdict: whether clusters \
are more than those of data without any, and the ARI between partitions of halves of the rows. The folder (--out, lpvdn-compare) gets runs.jsonl with a line for each finished run and the table as \
compare.md, compare.csv and compare.json. The same command goes on where it was stopped.";

const EXPERIMENT_EXAMPLES: &str = "\
Examples:
  lpvdn experiment ablation --quick     # on the built-in digits, in minutes
  lpvdn experiment tables               # after lpvdn data fetch mnist ...
  lpvdn experiment noise mnist --seeds 1-3
  lpvdn experiment noise mnist --methods lpvdn,vade --seeds 1
  lpvdn experiment dimensions mnist --sizes 2,10
  lpvdn experiment retrieval digits --query 17

Without DATA, an experiment uses mnist, and tables those of the paper's four sets that have been fetched. \
The folder (--out, lpvdn-experiments) gets a table as .md, .csv and .json and a figure as .svg and .png, with \
the paper's values beside them; it keeps the runs, which all experiments share, and the same command goes on where it was \
stopped. Full experiments on mnist take hours.";

/// Deep clustering of images, tables and embeddings with the Locality Preserving Variational
/// Discriminative Network.
#[derive(Debug, Parser)]
#[command(name = "lpvdn", bin_name = "lpvdn", version, after_help = EXAMPLES, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of a single fit, which a command that makes several refuses.
pub(crate) const OF_ONE_FIT: [&str; 7] =
    ["method", "effort", "seed", "evaluate_every", "restarts", "force", "resume"];

/// Hides them.
fn of_several(arg: Arg) -> Arg {
    let hidden = OF_ONE_FIT.contains(&arg.get_id().as_str());
    if hidden { arg.hide(true) } else { arg }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Train a model on a data set and cluster its rows
    #[command(after_help = FIT_EXAMPLES)]
    Fit(Box<FitArgs>),
    /// Fit several methods with several seeds, and compare them
    #[command(
        after_help = COMPARE_EXAMPLES,
        mut_args(of_several),
        mut_arg("out", |arg| arg.help("The folder of the table and its runs [default: lpvdn-compare]"))
    )]
    Compare(Box<CompareArgs>),
    /// Repeat a table or a figure of the paper, on its data or on yours
    #[command(
        after_help = EXPERIMENT_EXAMPLES,
        mut_args(of_several),
        mut_arg("out", |arg| arg.help("The folder of tables, figures and runs [default: lpvdn-experiments]")),
        mut_arg("data", |arg| arg.help(
            "A file, a folder or a known set, as for lpvdn fit [default: mnist; with --quick digits; tables: the paper's four sets]"
        ))
    )]
    Experiment(Box<ExperimentArgs>),
    /// The cluster of each row of a data set
    #[command(after_help = PREDICT_EXAMPLES)]
    Predict(PredictArgs),
    /// The code of each row: a few numbers in which clusters are apart
    #[command(after_help = TRANSFORM_EXAMPLES)]
    Transform(TransformArgs),
    /// Scores of a model on a data set whose classes are known
    #[command(after_help = EVALUATE_EXAMPLES)]
    Evaluate(EvaluateArgs),
    /// Show the clusters on a page: a map, the rows, what tells clusters apart, how sure the model is
    #[command(after_help = EXPLORE_EXAMPLES)]
    Explore(ExploreArgs),
    /// The rows whose codes are nearest to those of some rows
    #[command(after_help = NEIGHBORS_EXAMPLES)]
    Neighbors(NeighborsArgs),
    /// Draw a figure of a model: map, training, confusion, samples, reconstructions, between
    #[command(after_help = PLOT_EXAMPLES)]
    Plot(PlotArgs),
    /// What a model is and how it was made
    #[command(after_help = INFO_EXAMPLES)]
    Info(InfoArgs),
    /// Known sets, and a look at any data
    #[command(after_help = DATA_EXAMPLES)]
    Data(DataArgs),
}

#[derive(Args, Debug)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Read settings from a TOML file
    #[arg(long, value_name = "FILE.toml", help_heading = "Output")]
    pub(crate) config: Option<PathBuf>,
    /// Write a page that shows the clusters, explore.html, as lpvdn explore does
    #[arg(long, help_heading = "Output")]
    pub(crate) explore: bool,
    /// Draw a map of the rows with so many axes, which becomes a part of the model [default: when it is first wanted]
    #[arg(long, value_name = "AXES", value_parser = clap::value_parser!(u8).range(2..=3), help_heading = "Output")]
    pub(crate) map: Option<u8>,
}

#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// The methods, separated by commas [default: all]
    #[arg(long, value_delimiter = ',', value_parser = named::<Method>(METHODS), help_heading = "Comparison")]
    pub(crate) methods: Vec<Method>,
    /// The seeds, as 1,2,3 or 1-5 [default: 1-3]
    #[arg(long, value_name = "SEEDS", value_parser = seeds, help_heading = "Comparison")]
    pub(crate) seeds: Option<Seeds>,
    /// Fits at once [default: one a core below 20,000 rows, else 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Comparison")]
    pub(crate) jobs: Option<u16>,
}

#[derive(Args, Debug)]
pub(crate) struct ExperimentArgs {
    /// Which
    #[arg(value_enum)]
    pub(crate) name: ExperimentName,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// A smaller version that takes minutes: the built-in digits, one seed
    #[arg(long, help_heading = "Experiment")]
    pub(crate) quick: bool,
    /// The seeds, as 1,2,3 or 1-5 [default: 1-3, or 1 where many settings are tried]
    #[arg(long, value_name = "SEEDS", value_parser = seeds, help_heading = "Experiment")]
    pub(crate) seeds: Option<Seeds>,
    /// Fits at once [default: one a core below 20,000 rows, else 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Experiment")]
    pub(crate) jobs: Option<u16>,
    /// tables, noise, imbalance: only these methods, separated by commas [default: all, in noise also the ablations of LPVDN]
    #[arg(long, value_delimiter = ',', value_parser = named::<Method>(METHODS), help_heading = "Experiment")]
    pub(crate) methods: Vec<Method>,
    /// dimensions: the sizes of o′, separated by commas [default: 2,3,5,10, quick 2,10]
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = size, help_heading = "Experiment")]
    pub(crate) sizes: Vec<usize>,
    /// tables: the folder of RCV1's token files, for REUTERS
    #[arg(long, value_name = "DIR", help_heading = "Experiment")]
    pub(crate) rcv1: Option<PathBuf>,
    /// retrieval: the row whose neighbours are shown, counted from 0 [default: one at a border between classes]
    #[arg(long, value_name = "ROW", help_heading = "Experiment")]
    pub(crate) query: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExperimentName {
    /// Every method on MNIST, Fashion-MNIST, REUTERS-10k and REUTERS
    Tables,
    /// The four combinations of terms
    Ablation,
    /// Scores over a grid of α0 and α1
    Hyperparameters,
    /// Accuracy on rows with noise
    Noise,
    /// Accuracy where one class is rare
    Imbalance,
    /// What the discriminator says of rows, codes and perturbations
    Margin,
    /// Nearest neighbours in the codes and among the rows
    Retrieval,
    /// Accuracy against the size of the code
    Dimensions,
    /// Codes of two numbers as points
    Visualize,
}

impl ExperimentName {
    /// As it is typed.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            ExperimentName::Tables => "tables",
            ExperimentName::Ablation => "ablation",
            ExperimentName::Hyperparameters => "hyperparameters",
            ExperimentName::Noise => "noise",
            ExperimentName::Imbalance => "imbalance",
            ExperimentName::Margin => "margin",
            ExperimentName::Retrieval => "retrieval",
            ExperimentName::Dimensions => "dimensions",
            ExperimentName::Visualize => "visualize",
        }
    }
}

/// Seeds in their order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seeds(pub(crate) Vec<u64>);

fn seeds(text: &str) -> Result<Seeds, String> {
    let wrong = || format!("{text:?} are no seeds; write them as 1,2,3 or 1-5");
    let number = |text: &str| match text.trim().parse::<u64>() {
        Ok(seed) if seed <= i64::MAX as u64 => Ok(seed),
        _ => Err(wrong()),
    };
    let mut all = Vec::new();
    for part in text.split(',') {
        match part.split_once('-') {
            None => all.push(number(part)?),
            Some((from, to)) => {
                let (from, to) = (number(from)?, number(to)?);
                if from > to || to - from >= 10_000 {
                    return Err(wrong());
                }
                all.extend(from..=to);
            }
        }
    }
    Ok(Seeds(all))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FormatName {
    Csv,
    Tsv,
    Txt,
    Jsonl,
    Npy,
    Npz,
    Svmlight,
    Mtx,
    Idx,
    Parquet,
    Arrow,
    Image,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HeaderLine {
    Auto,
    Yes,
    No,
}

impl From<FormatName> for lpvdn_data::Format {
    fn from(name: FormatName) -> lpvdn_data::Format {
        match name {
            FormatName::Csv => lpvdn_data::Format::Csv,
            FormatName::Tsv => lpvdn_data::Format::Tsv,
            FormatName::Txt => lpvdn_data::Format::Txt,
            FormatName::Jsonl => lpvdn_data::Format::Jsonl,
            FormatName::Npy => lpvdn_data::Format::Npy,
            FormatName::Npz => lpvdn_data::Format::Npz,
            FormatName::Svmlight => lpvdn_data::Format::Svmlight,
            FormatName::Mtx => lpvdn_data::Format::Mtx,
            FormatName::Idx => lpvdn_data::Format::Idx,
            FormatName::Parquet => lpvdn_data::Format::Parquet,
            FormatName::Arrow => lpvdn_data::Format::Arrow,
            FormatName::Image => lpvdn_data::Format::Image,
        }
    }
}

impl From<HeaderLine> for lpvdn_data::Header {
    fn from(line: HeaderLine) -> lpvdn_data::Header {
        match line {
            HeaderLine::Auto => lpvdn_data::Header::Auto,
            HeaderLine::Yes => lpvdn_data::Header::Yes,
            HeaderLine::No => lpvdn_data::Header::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_example_in_the_help_is_a_command_that_parses() {
        let all = [
            EXAMPLES,
            FIT_EXAMPLES,
            COMPARE_EXAMPLES,
            EXPERIMENT_EXAMPLES,
            PREDICT_EXAMPLES,
            TRANSFORM_EXAMPLES,
            EVALUATE_EXAMPLES,
            EXPLORE_EXAMPLES,
            NEIGHBORS_EXAMPLES,
            PLOT_EXAMPLES,
            INFO_EXAMPLES,
            DATA_EXAMPLES,
        ];
        let lines = all.iter().flat_map(|text| text.lines());
        let examples: Vec<&str> = lines.filter(|line| line.starts_with("  lpvdn ")).collect();
        assert!(examples.len() > 12, "{examples:?}");
        for example in examples {
            let command = example.split(['#', '>']).next().unwrap_or("");
            assert!(example.chars().count() <= 79, "{example} is too long for a terminal");
            let words = command.split_whitespace();
            Cli::try_parse_from(words).unwrap_or_else(|e| panic!("{example}: {e}"));
        }
    }

    #[test]
    fn a_command_does_not_show_options_that_it_refuses() {
        let whole = Cli::command();
        for name in ["compare", "experiment"] {
            let command = whole.find_subcommand(name).expect("a command");
            for option in OF_ONE_FIT {
                let arg = command.get_arguments().find(|arg| arg.get_id() == option).expect(option);
                assert!(arg.is_hide_set(), "{name} {option}");
            }
            let help = command.clone().render_long_help().to_string();
            assert!(!help.contains("lpvdn-out"), "{help}");
            assert!(help.contains(&format!("[default: lpvdn-{name}")), "{help}");
        }
    }

    #[test]
    fn defaults_in_the_help_are_those_of_every_method() {
        use lpvdn::{Estimator, LpvdnParams, Recipe};
        let whole = Cli::command();
        let fit = whole.find_subcommand("fit").expect("a command");
        let help_of = |option: &str| {
            let arg = fit.get_arguments().find(|arg| arg.get_long() == Some(option)).expect(option);
            arg.get_help().map(ToString::to_string).unwrap_or_default()
        };
        let setting = |method: Method, key: &str| {
            let estimator = Estimator::of(method, Recipe::Robust, 3).check().expect("parameters");
            let all = estimator.settings();
            let deeper = all.get("refinement").and_then(|inner| inner.get(key)).cloned();
            all.get(key).cloned().or(deeper).and_then(|value| value.as_f64())
        };
        let number = |text: &str| text.parse::<f64>().expect("a number");
        assert_eq!(LpvdnParams::of_recipe(Recipe::Robust, 3).lr, number("2e-3"));
        assert_eq!(LpvdnParams::vade(Recipe::Robust, 3).lr, number("5e-4"));
        let (lr, starts, batch) = (help_of("lr"), help_of("starts"), help_of("batch"));
        for (help, method, key, word) in [
            (&lr, Method::VariationalKMeans, "lr", "vae-kmeans 1e-3"),
            (&lr, Method::Dec, "lr", "dec 0.01"),
            (&lr, Method::ClusterGan, "lr", "clustergan 5e-4"),
            (&starts, Method::KMeans, "starts", "default: 10"),
            (&starts, Method::Dec, "starts", "dec 20"),
            (&batch, Method::ClusterGan, "batch", "clustergan 128"),
        ] {
            let value = word.rsplit(' ').next().map(number);
            assert!(help.contains(word), "{help} does not say {word}");
            assert_eq!(setting(method, key), value, "{method} {key}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}

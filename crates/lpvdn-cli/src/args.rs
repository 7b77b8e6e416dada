//! Arguments as they are typed. What they come to is checked in `config` and in the commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lpvdn::Method;
use lpvdn_data::{ImageColor, ImageSize, OpenOptions, Reading};
use serde::{Deserialize, Serialize};

use crate::data_args::{DATA_EXAMPLES, DataArgs};
use crate::memory::Memory;
use crate::settings::{METHODS, Settings, named};

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

Your own data: `lpvdn fit flowers.csv --label-column species`, `lpvdn fit codes.npy -k 10`. Labels are \
never used for training, only for scores, and for the number of clusters if -k is absent.

A flag goes before the --config file, which goes before the recipe. The file has the names of the flags \
as keys (`pretrain-epochs = 20`). A few more settings can be given only there: `lpvdn info MODEL --toml` \
shows all.

The output folder gets model.safetensors, labels.csv, embedding.npy, metrics.json and log.jsonl, and \
run.toml with the settings. Resumed or not, a run ends in the same model.";

const COMPARE_EXAMPLES: &str = "\
Examples:
  lpvdn compare digits                              # every method, 3 seeds
  lpvdn compare digits --methods kmeans,lpvdn --seeds 1-5
  lpvdn compare flowers.csv --label-column species  # your own data

A setting goes to the methods that have it. Without classes, methods are compared by how well \
clusters are apart among the rows. The folder (--out, lpvdn-compare) gets runs.jsonl with a line for each finished run and the table as \
compare.md, compare.csv and compare.json. The same command goes on where it was stopped.";

const EXPERIMENT_EXAMPLES: &str = "\
Examples:
  lpvdn experiment ablation --quick     # on the built-in digits, in minutes
  lpvdn experiment tables               # after lpvdn data fetch mnist ...
  lpvdn experiment noise mnist --seeds 1-3
  lpvdn experiment retrieval digits --query 17

Without DATA, an experiment uses mnist, and tables all four sets of the paper as far as they are at hand. \
The folder (--out, lpvdn-experiments) gets a table as .md, .csv and .json and a figure as .svg and .png, with \
the paper's values beside them; it keeps the runs, which all experiments share, and the same command goes on where it was \
stopped. Full experiments on mnist take hours.";

const PREDICT_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn predict lpvdn-out digits                   # row,cluster,confidence
  lpvdn predict lpvdn-out digits --proba -o p.csv  # and all probabilities";

const TRANSFORM_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn transform lpvdn-out digits -o codes.npy    # for numpy.load
  lpvdn transform lpvdn-out digits --space latent  # CSV on standard output";

const EVALUATE_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn evaluate lpvdn-out digits
  lpvdn evaluate lpvdn-out digits --json";

const EXPLORE_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn explore lpvdn-out                     # writes lpvdn-out/explore.html
  lpvdn explore lpvdn-out new.csv -o new.html # other rows on the same map
  lpvdn explore lpvdn-out --serve             # from 127.0.0.1, for many rows

The file needs no network and nothing beside it: open it, send it, keep it. It holds the rows that it shows.";

const NEIGHBORS_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn neighbors lpvdn-out --query 17     # row 17, as labels.csv counts
  lpvdn neighbors lpvdn-out digits --query 17 --query 4 -k 5 --json
  lpvdn neighbors lpvdn-out --query 17 --sheet near.png";

const PLOT_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn plot map lpvdn-out                 # lpvdn-out/map.svg and map.png
  lpvdn plot samples lpvdn-out -o samples.png
  lpvdn plot between lpvdn-out --clusters 0,3";

const INFO_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn info lpvdn-out
  lpvdn info lpvdn-out --toml > again.toml  # for `lpvdn fit --config`";

/// Deep clustering of images, tables and embeddings with the Locality Preserving Variational
/// Discriminative Network.
#[derive(Debug, Parser)]
#[command(name = "lpvdn", version, after_help = EXAMPLES, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Train a model on a data set and cluster its rows
    #[command(after_help = FIT_EXAMPLES)]
    Fit(Box<FitArgs>),
    /// Fit several methods with several seeds, and compare them
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(Box<CompareArgs>),
    /// Repeat a table or a figure of the paper, on its data or on yours
    #[command(after_help = EXPERIMENT_EXAMPLES)]
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

/// Two clusters.
fn pair(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once(',').map(|(a, b)| (a.trim().parse(), b.trim().parse()));
    match numbers {
        Some((Ok(a), Ok(b))) => Ok((a, b)),
        _ => Err(format!("{text:?} are not two clusters; write them as 0,3")),
    }
}

/// A model and the rows it is applied to.
#[derive(Args, Debug)]
pub(crate) struct ModelAndData {
    /// The output folder of `lpvdn fit`, or a model.safetensors
    pub(crate) model: PathBuf,
    /// A .csv, .tsv, .txt, .jsonl, .npy, .npz, .svm, .mtx, .parquet, .arrow or IDX file (plain, .gz, .zst), a folder of IDX files, pictures or texts, - for standard input, digits, or a known set (lpvdn data list)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) how: HowRead,
}

/// A model, and the rows it is shown with.
#[derive(Args, Debug)]
pub(crate) struct ModelWithData {
    /// The output folder of `lpvdn fit`, or a model.safetensors
    pub(crate) model: PathBuf,
    /// The rows, as for `lpvdn predict` [default: those that the model in the folder was fitted to]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: HowRead,
}

/// How rows are read.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct HowRead {
    /// The column of a table or an array, or the field of a .jsonl, that holds the classes: its name, or its index from 0 (-1 is the last)
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub(crate) label_column: Option<String>,
    /// The column of a table that holds what the rows are called
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub(crate) id_column: Option<String>,
    /// Read only the rows of these classes, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) classes: Vec<String>,
    /// The field of a .jsonl that holds the text, or a vector
    #[arg(long, value_name = "FIELD")]
    pub(crate) text_field: Option<String>,
    /// Pictures: bring them to this size, as 28x28 or 28, where the model was not fitted to pictures
    #[arg(long, value_name = "SIZE")]
    pub(crate) image_size: Option<ImageSize>,
    /// Pictures: read them in grey or in colour, where the model was not fitted to pictures
    #[arg(long, value_parser = named::<ImageColor>(&["grey", "rgb"]))]
    pub(crate) image_color: Option<ImageColor>,
    /// The format, if it is not recognised
    #[arg(long)]
    pub(crate) format: Option<FormatName>,
    /// Whether the first line of a CSV names the columns
    #[arg(long)]
    pub(crate) header: Option<HeaderLine>,
    /// Memory for the data, as 2GB: rows of more than half of it stay on the disk. The result does not depend on it [default: 2GB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Memory>,
    /// Threads; 0 for one a core. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub(crate) threads: u16,
}

#[derive(Args, Debug)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub(crate) on: ModelAndData,
    /// Write to a file instead of standard output
    #[arg(long, short, value_name = "FILE.csv")]
    pub(crate) out: Option<PathBuf>,
    /// Add the probability of every cluster: columns p0, p1, …
    #[arg(long)]
    pub(crate) proba: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TransformArgs {
    #[command(flatten)]
    pub(crate) on: ModelAndData,
    /// Write to a .npy or .csv file instead of CSV to standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Which code: the one that is clustered (default), or the mean in the latent space
    #[arg(long)]
    pub(crate) space: Option<SpaceName>,
}

#[derive(Args, Debug)]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    pub(crate) on: ModelAndData,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub(crate) on: ModelWithData,
    /// The page [default: explore.html in the folder of the model]
    #[arg(long, short, value_name = "FILE.html", conflicts_with = "serve")]
    pub(crate) out: Option<PathBuf>,
    /// Rows on the page: of more, so many are drawn by chance [default: 100000, or 1000000 with --serve]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rows: Option<u32>,
    /// The axes of the map: 2, or 3 to turn [default: as many as the model's map has, else 2]
    #[arg(long, value_name = "AXES", value_parser = clap::value_parser!(u8).range(2..=3))]
    pub(crate) map: Option<u8>,
    /// Serve the page at this address instead of writing a file, until Ctrl-C
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:8765")]
    pub(crate) serve: Option<String>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct NeighborsArgs {
    #[command(flatten)]
    pub(crate) on: ModelWithData,
    /// The row to find neighbours of: its number, counted from 0 as in labels.csv, or its id, or a file of rows; may be given again
    #[arg(long, value_name = "ROW|FILE", required = true)]
    pub(crate) query: Vec<String>,
    /// Neighbours of each [default: 10, or as many as there are]
    #[arg(short = 'k', long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) count: Option<u32>,
    /// Compare with every row, or find nearly all neighbours by an index [default: an index for more than 1,000 queries among more than 1,000,000 rows]
    #[arg(long, value_enum)]
    pub(crate) search: Option<SearchKind>,
    /// Draw queries and neighbours, which must be pictures, side by side
    #[arg(long, value_name = "FILE.png|FILE.svg")]
    pub(crate) sheet: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchKind {
    /// All rows are compared
    Exact,
    /// An HNSW index; how many of the neighbours it finds is measured and told
    Hnsw,
}

#[derive(Args, Debug)]
pub(crate) struct PlotArgs {
    /// Which
    #[arg(value_enum)]
    pub(crate) what: PlotKind,
    #[command(flatten)]
    pub(crate) on: ModelWithData,
    /// The figure; without an ending both .svg and .png are written [default: its name, in the folder of the model]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// between: the two clusters, as 0,3 [default: the two largest]
    #[arg(long, value_name = "A,B", value_parser = pair)]
    pub(crate) clusters: Option<(usize, usize)>,
    /// map: what decides the colour [default: label, where labels are known]
    #[arg(long, value_enum)]
    pub(crate) by: Option<ColorBy>,
    /// samples, reconstructions, between: so many pictures in a line
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(2..=50))]
    pub(crate) pictures: u16,
    /// What samples follow from, and which rows are drawn
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotKind {
    /// The rows on the model's map
    Map,
    /// Losses and scores over the epochs
    Training,
    /// Clusters against true classes
    Confusion,
    /// Rows that the model generates, cluster by cluster
    Samples,
    /// Rows beside what the decoder makes of their codes
    Reconstructions,
    /// What lies between two clusters in the latent space
    Between,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorBy {
    /// The model's clusters
    Cluster,
    /// The true classes
    Label,
}

#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    /// The output folder of `lpvdn fit`, or a model.safetensors
    pub(crate) model: PathBuf,
    /// Print one JSON object
    #[arg(long, conflicts_with = "toml")]
    pub(crate) json: bool,
    /// Print the settings alone, as `lpvdn fit --config` reads them
    #[arg(long)]
    pub(crate) toml: bool,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpaceName {
    /// o′, of lpvdn
    Embedding,
    /// The latent means
    Latent,
    /// The places on the map, where the model has one
    Map,
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

impl HowRead {
    /// How to read the rows: as those were read that the model was fitted to, where it knows.
    pub(crate) fn open_options(&self, reading: Option<Reading>) -> OpenOptions {
        let mut options = OpenOptions::default();
        options.label_column.clone_from(&self.label_column);
        options.id_column.clone_from(&self.id_column);
        options.classes.clone_from(&self.classes);
        options.text_field.clone_from(&self.text_field);
        options.image_size = self.image_size;
        options.image_color = self.image_color;
        options.format = self.format.map(Into::into);
        options.header = self.header.map(Into::into).unwrap_or_default();
        options.memory = self.memory.map(Memory::bytes);
        options.reading = reading;
        options
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
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}

//! Arguments of the commands that take a model, as they are typed.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lpvdn_data::{ImageColor, ImageFit, ImageSize, OnError, OpenOptions, Reading};

use crate::args::{FormatName, HeaderLine};
use crate::memory::Memory;
use crate::settings::named;

pub(crate) const PREDICT_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn predict lpvdn-out digits                   # row,cluster,confidence
  lpvdn predict lpvdn-out digits --proba -o p.csv  # and all probabilities";

pub(crate) const TRANSFORM_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn transform lpvdn-out digits -o codes.npy    # for numpy.load
  lpvdn transform lpvdn-out digits --space latent  # CSV on standard output";

pub(crate) const EVALUATE_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn evaluate lpvdn-out digits
  lpvdn evaluate lpvdn-out digits --json";

pub(crate) const EXPLORE_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn explore lpvdn-out                     # writes lpvdn-out/explore.html
  lpvdn explore lpvdn-out new.csv -o new.html # other rows on the same map
  lpvdn explore lpvdn-out --serve             # from 127.0.0.1, for many rows

The file needs no network and nothing beside it: open it, send it, keep it. It holds the rows that it shows.";

pub(crate) const NEIGHBORS_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn neighbors lpvdn-out --query 17     # row 17, as labels.csv counts
  lpvdn neighbors lpvdn-out digits --query 17 --query 4 -k 5 --json
  lpvdn neighbors lpvdn-out --query 17 --sheet near.png";

pub(crate) const PLOT_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn plot map lpvdn-out                 # lpvdn-out/map.svg and map.png
  lpvdn plot samples lpvdn-out -o samples.png
  lpvdn plot between lpvdn-out --clusters 0,3";

pub(crate) const INFO_EXAMPLES: &str = "\
Examples (after `lpvdn fit`):
  lpvdn info lpvdn-out
  lpvdn info lpvdn-out --toml > again.toml  # for `lpvdn fit --config`";

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
    /// The column of a table that holds texts, where the model was fitted to texts from elsewhere or the column is called otherwise. Rows without a text are kept, as rows without words
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub(crate) text_column: Option<String>,
    /// Pictures: bring them to this size, as 28x28 or 28, where the model was not fitted to pictures
    #[arg(long, value_name = "SIZE")]
    pub(crate) image_size: Option<ImageSize>,
    /// Pictures: read them in grey or in colour, where the model was not fitted to pictures
    #[arg(long, value_parser = named::<ImageColor>(&["grey", "rgb"]))]
    pub(crate) image_color: Option<ImageColor>,
    /// Pictures: how those of other proportions are brought to the size, where the model was not fitted to pictures
    #[arg(long, value_parser = named::<ImageFit>(&["pad", "crop", "stretch"]))]
    pub(crate) image_fit: Option<ImageFit>,
    /// Pictures: what to do about files that cannot be read: refuse them, or leave them out and name them [default: refuse]
    #[arg(long, value_parser = named::<OnError>(&["refuse", "skip"]))]
    pub(crate) on_error: Option<OnError>,
    /// The format, if it is not recognised
    #[arg(long)]
    pub(crate) format: Option<FormatName>,
    /// Whether the first line of a CSV names the columns
    #[arg(long)]
    pub(crate) header: Option<HeaderLine>,
    /// Memory for the data, as 2GB: rows of more than half of it stay on the disk, and what can neither be held nor stay there is refused. The result does not depend on it [default: 2GiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Memory>,
    /// Room for temporary files, as 100GB: data that would take more on the disk is refused [default: 32GiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) temp_limit: Option<Memory>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpaceName {
    /// o′, of lpvdn
    Embedding,
    /// The latent means
    Latent,
    /// The places on the map, where the model has one
    Map,
}

impl HowRead {
    /// How to read the rows: as those were read that the model was fitted to, where it knows.
    pub(crate) fn open_options(&self, reading: Option<Reading>) -> OpenOptions {
        let mut options = OpenOptions::default();
        options.label_column.clone_from(&self.label_column);
        options.id_column.clone_from(&self.id_column);
        options.classes.clone_from(&self.classes);
        options.text_field.clone_from(&self.text_field);
        options.text_column.clone_from(&self.text_column);
        options.image_size = self.image_size;
        options.image_color = self.image_color;
        options.image_fit = self.image_fit;
        options.on_error = self.on_error.unwrap_or_default();
        options.format = self.format.map(Into::into);
        options.header = self.header.map(Into::into).unwrap_or_default();
        options.memory = self.memory.map(Memory::bytes);
        options.temp_limit = self.temp_limit.map(Memory::bytes);
        options.reading = reading;
        options
    }
}

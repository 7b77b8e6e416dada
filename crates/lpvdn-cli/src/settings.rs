//! The settings of a fit as flags give them and as TOML files hold them: every one may be absent.

mod shapes;

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command};
use lpvdn::loss::affinities::AffinitySource;
use lpvdn::loss::reconstruction::Likelihood;
use lpvdn::model::autoencoder::CenterStart;
use lpvdn::model::clustergan::ClassStart;
use lpvdn::model::graph::PartitionChoice;
use lpvdn::model::lpvdn::{FinalClustering, NegativeRows, PriorStart};
use lpvdn::{Method, Recipe};
use lpvdn_core::Dataset;
use lpvdn_core::preprocess::Scaling;
use lpvdn_data::text::{Language, StopWords};
use lpvdn_data::{
    Decimal, EmptyText, ImageColor, ImageFit, ImageSize, KindOf, Missing, OnError, OpenOptions, WeightOf,
};
use lpvdn_nn::{Init, Schedule};
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::{Deserialize, Serialize};

pub(crate) use self::shapes::{ImageShape, Sizes, size};
use crate::args::{FormatName, HeaderLine};
use crate::clusters::Clusters;
use crate::memory::Memory;

/// The names of the methods, in the order of tables.
pub(crate) const METHODS: &[&str] =
    &["kmeans", "graph", "ae-kmeans", "vae-kmeans", "dec", "clustergan", "vade", "lpvdn"];

/// The languages whose words can be cut to stems.
const LANGUAGES: [&str; 18] = [
    "arabic",
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "greek",
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "romanian",
    "russian",
    "spanish",
    "swedish",
    "tamil",
    "turkish",
];

/// What `fit` can be told. The names of the model's parameters are those of
/// [`LpvdnParams`](lpvdn::LpvdnParams), so that `config` can lay one over the other.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// A .csv, .tsv, .txt, .jsonl, .npy, .npz, .svm, .mtx, .parquet, .arrow or IDX file (plain, .gz, .zst), a folder of IDX files, pictures or texts, - for standard input, digits, or a known set (lpvdn data list) [default: digits]
    pub(crate) data: Option<PathBuf>,
    /// The column of a table or an array, or the field of a .jsonl, that holds the classes: its name, or its index from 0 (-1 is the last)
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, help_heading = "Data")]
    pub(crate) label_column: Option<String>,
    /// The column of a table that holds what the rows are called, given as the label column is
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, help_heading = "Data")]
    pub(crate) id_column: Option<String>,
    /// Columns of a table to leave out, separated by commas, given as the label column is
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Data"
    )]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ignore: Vec<String>,
    /// What to do about missing values in a table: refuse them, or put there the mean, the median or the most frequent value of the column. Missing words stay without a category, but for most-frequent, and for category, which makes one of them (and takes the mean for numbers) [default: error]
    #[arg(long, value_parser = named::<Missing>(&["error", "mean", "median", "most-frequent", "category"]), help_heading = "Data")]
    pub(crate) missing: Option<Missing>,
    /// What columns of a table hold, separated by commas, if it is not recognised: number, linear (a number that is not transformed), log (an amount or a count: ln(1 + x / median) of it, refused where a value is below 0), category, date, boolean, ignore
    #[arg(
        long,
        value_name = "COLUMN=KIND",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Data"
    )]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) kind: Vec<KindOf>,
    /// How much columns of a table count next to others, which count 1, separated by commas
    #[arg(
        long,
        value_name = "COLUMN=WEIGHT",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Data"
    )]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) weight: Vec<WeightOf>,
    /// What separates the fraction of a number in a CSV: a comma or a point [default: recognised]
    #[arg(long, value_name = "SIGN", value_parser = named::<Decimal>(&[",", "."]), help_heading = "Data")]
    pub(crate) decimal: Option<Decimal>,
    /// Read only the rows of these classes, separated by commas [default: all]
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Data"
    )]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) classes: Vec<String>,
    /// The field of a .jsonl that holds the text, or a vector [default: one that is usually called so]
    #[arg(long, value_name = "FIELD", help_heading = "Data")]
    pub(crate) text_field: Option<String>,
    /// The column of a table that holds texts, given as the label column is: rows are made of their words, and other columns are left out (a .jsonl: its field)
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, help_heading = "Data")]
    pub(crate) text_column: Option<String>,
    /// With --text-column: let the other columns take part, too, but for labels, ids and what --ignore names
    #[arg(long, help_heading = "Data")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) keep_columns: bool,
    /// Texts: what to do about rows without a text: refuse them, leave them out (ids then tell which rows stayed), or take them for rows without words [default: error]
    #[arg(long, value_parser = named::<EmptyText>(&["error", "skip", "keep"]), help_heading = "Data")]
    pub(crate) empty_text: Option<EmptyText>,
    /// Texts: how many words make the columns, the most frequent ones [default: 2000]
    #[arg(long, value_name = "N", help_heading = "Data")]
    pub(crate) vocabulary: Option<usize>,
    /// Texts: leave out the most common words of a language [default: those of the language that the texts are in, where it is recognised; none in the paper recipe]
    #[arg(long, value_parser = named::<StopWords>(&["none", "english", "german", "french", "spanish"]), help_heading = "Data")]
    pub(crate) stop_words: Option<StopWords>,
    /// Texts: cut words to their stems in this language [default: not at all]
    #[arg(long, value_parser = named::<Language>(&LANGUAGES), help_heading = "Data")]
    pub(crate) stemming: Option<Language>,
    /// Texts: so many words in a row make a term at most [default: 1]
    #[arg(long, value_name = "N", help_heading = "Data")]
    pub(crate) ngrams: Option<usize>,
    /// Pictures: bring them to this size, as 28x28 or 28 [default: theirs, if all have the same up to 64x64, else 32x32]
    #[arg(long, value_name = "SIZE", help_heading = "Data")]
    pub(crate) image_size: Option<ImageSize>,
    /// Pictures: read them in grey or in colour [default: grey if all of them are]
    #[arg(long, value_parser = named::<ImageColor>(&["grey", "rgb"]), help_heading = "Data")]
    pub(crate) image_color: Option<ImageColor>,
    /// Pictures: how those of other proportions are brought to the size: in their own proportions and filled up with the mean colour of their border, cut to their centre, or stretched [default: pad]
    #[arg(long, value_parser = named::<ImageFit>(&["pad", "crop", "stretch"]), help_heading = "Data")]
    pub(crate) image_fit: Option<ImageFit>,
    /// Pictures: what to do about files that cannot be read: refuse them, or leave them out and name them [default: refuse]
    #[arg(long, value_parser = named::<OnError>(&["refuse", "skip"]), help_heading = "Data")]
    pub(crate) on_error: Option<OnError>,
    /// The format, if it is not recognised
    #[arg(long, help_heading = "Data")]
    pub(crate) format: Option<FormatName>,
    /// Whether the first line of a CSV names the columns
    #[arg(long, help_heading = "Data")]
    pub(crate) header: Option<HeaderLine>,
    /// Memory for reading and fitting, as 2GB: rows of more than half of it stay on the disk, and what can neither be held nor stay there is refused. The result does not depend on it [default: 2GiB for reading, 8GiB beside the data for the fit]
    #[arg(long, value_name = "SIZE", help_heading = "Data")]
    pub(crate) memory: Option<Memory>,
    /// Room for temporary files, as 100GB: data that would take more on the disk is refused. They are gone when the program ends [default: 32GiB]
    #[arg(long, value_name = "SIZE", help_heading = "Data")]
    pub(crate) temp_limit: Option<Memory>,
    /// How much time a result is worth: quick gives clusters within seconds, without training (as --method graph); normal trains lpvdn [default: normal]
    #[arg(long, value_parser = named::<Effort>(&["quick", "normal"]), help_heading = "Method")]
    pub(crate) effort: Option<Effort>,
    /// The method: lpvdn, one of those it is compared with, or graph, which needs no training [default: lpvdn]
    #[arg(long, value_name = "METHOD", value_parser = named::<Method>(METHODS), help_heading = "Method")]
    pub(crate) method: Option<Method>,
    /// How values are scaled: by-type treats each column by what it holds (numbers are standardised, skewed amounts go through a logarithm, categories weigh as one column, sparse rows through a truncated SVD, pixels stay); the others treat all columns alike [default: by-type; auto in the paper recipe]
    #[arg(long, value_parser = named::<Scaling>(&["by-type", "auto", "none", "max", "standard", "norm"]), help_heading = "Data")]
    pub(crate) scale: Option<Scaling>,
    /// Texts and sparse counts, scaled by type: so many components of their truncated SVD, at most as many as there are rows and terms [default: a row in eight, 20 to 100]
    #[arg(long, value_name = "N", help_heading = "Data")]
    pub(crate) components: Option<usize>,

    /// How many clusters; auto, or a range as 2-20, to choose without labels [default: the number of classes, where labels are known]
    #[arg(long, short = 'k', value_name = "K", allow_hyphen_values = true, help_heading = "Method")]
    pub(crate) clusters: Option<Clusters>,
    /// Train N candidates with the seeds from --seed on, each with a fifth of the epochs, and fit in full the one that does best without labels [default: 1]
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) restarts: Option<usize>,
    /// Decides every random draw [default: 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64), help_heading = "Method")]
    pub(crate) seed: Option<u64>,
    /// The set of values for everything not given [default: robust]
    #[arg(long, value_parser = named::<Recipe>(&["robust", "paper"]), help_heading = "Method")]
    pub(crate) recipe: Option<Recipe>,
    /// lpvdn: what becomes the clusters: auto chooses, without labels, a partition of the codes or of the rows as they are; leiden, graph (the largest modularity), k-means and gaussian-mixture divide the codes [default: auto, paper k-means]
    #[arg(long, value_parser = named::<FinalClustering>(&["auto", "leiden", "graph", "k-means", "gaussian-mixture"]), help_heading = "Method")]
    pub(crate) clustering: Option<FinalClustering>,
    /// graph: which partition of the rows becomes the result: that of Leiden on the neighbour graph, of K-means, of a Gaussian mixture, or the one that is chosen without labels [default: auto]
    #[arg(long, value_parser = named::<PartitionChoice>(&["auto", "leiden", "kmeans", "mixture"]), help_heading = "Method")]
    pub(crate) partition: Option<PartitionChoice>,
    /// Starts of that clustering; the best counts [default: 10; dec 20]
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) starts: Option<u32>,
    /// How reconstructions are compared with rows [default: bernoulli for values in 0 … 1, else gaussian]
    #[arg(long, value_parser = named::<Likelihood>(&["bernoulli", "gaussian"]), help_heading = "Method")]
    pub(crate) likelihood: Option<Likelihood>,
    /// lpvdn: weight of the mutual information loss L_MI; 0 leaves it out [default: 1]
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true, help_heading = "Method")]
    pub(crate) alpha0: Option<f64>,
    /// lpvdn: weight of the locality loss L_LP; 0 leaves it out [default: 10, paper 1e-4]
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true, help_heading = "Method")]
    pub(crate) alpha1: Option<f64>,
    /// lpvdn: perplexity of L_LP as a share of the batch; the default recipe looks at all rows instead [default: 0.03, paper 0.01]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, help_heading = "Method")]
    pub(crate) perplexity: Option<f64>,

    /// Epochs of training [default: by the number of rows, paper 300]
    #[arg(long, value_name = "N", value_parser = epochs(), help_heading = "Training")]
    pub(crate) epochs: Option<usize>,
    /// Epochs of pre-training; for clustergan, of the autoencoder that it starts from [default: by the number of rows,
    /// paper 50, clustergan in the paper's recipe none]
    #[arg(long, value_name = "N", value_parser = epochs(), help_heading = "Training")]
    pub(crate) pretrain_epochs: Option<usize>,
    /// lpvdn: epochs of the locality net alone, on the codes that training ends in [default: twice --epochs, paper 0]
    #[arg(long, value_name = "N", value_parser = epochs(), help_heading = "Training")]
    pub(crate) settle_epochs: Option<usize>,
    /// Rows of a step [default: by the number of rows, at most 800, paper 800; clustergan 128, convolutional 64]
    #[arg(long, value_name = "ROWS", help_heading = "Training")]
    pub(crate) batch: Option<usize>,
    /// Learning rate of training and settling [default: 2e-3; vade 5e-4, paper 2e-3; vae-kmeans 1e-3; dec 0.01; clustergan 5e-4, convolutional 1e-4]
    #[arg(long, value_name = "RATE", allow_negative_numbers = true, help_heading = "Training")]
    pub(crate) lr: Option<f64>,
    /// Learning rate of pre-training [default: 1e-3]
    #[arg(long, value_name = "RATE", allow_negative_numbers = true, help_heading = "Training")]
    pub(crate) pretrain_lr: Option<f64>,
    /// Threads; 0 for one a core. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..=1024), help_heading = "Training")]
    pub(crate) threads: Option<u16>,

    /// clustergan: steps of the generator [default: 40000]
    #[arg(long, value_name = "N", value_parser = epochs(), help_heading = "Training")]
    pub(crate) steps: Option<usize>,
    /// clustergan: rows are images of this height, width and number of channels, as 28x28x1, and the networks convolutional
    #[arg(long, value_name = "SHAPE", help_heading = "Network")]
    pub(crate) convolutional: Option<ImageShape>,
    /// Hidden layers of the encoder; the decoder mirrors them [default: by the number of rows, paper 500,500,2000,
    /// clustergan 256,256 in each of its networks]
    #[arg(long, value_name = "SIZES", help_heading = "Network")]
    pub(crate) layers: Option<Sizes>,
    /// Size of the latent space [default: 10]
    #[arg(long, value_name = "N", help_heading = "Network")]
    pub(crate) latent_dim: Option<usize>,
    /// lpvdn: size of the code that is clustered [default: 10]
    #[arg(long, value_name = "N", help_heading = "Network")]
    pub(crate) output_dim: Option<usize>,
    /// lpvdn: hidden layers of the discriminator of L_MI [default: 256]
    #[arg(long, value_name = "SIZES", help_heading = "Network")]
    pub(crate) discriminator_layers: Option<Sizes>,
    /// lpvdn: hidden layers of the network of L_LP [default: by the number of rows, paper 256,256,256]
    #[arg(long, value_name = "SIZES", help_heading = "Network")]
    pub(crate) locality_layers: Option<Sizes>,

    /// The output folder [default: lpvdn-out]
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the run that the output folder holds; it stays, and can be used, until the new one is complete
    #[arg(long, conflicts_with = "resume", help_heading = "Output")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) force: bool,
    /// Go on with the run that was begun last in the output folder; its settings need not be repeated
    #[arg(long, help_heading = "Output")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) resume: bool,
    /// Score the clusters after the first and every N-th epoch of training, before settling; needs labels. An epoch of
    /// clustergan is 500 steps, one of dec what lies between two looks at all rows
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(crate) evaluate_every: Option<usize>,
    /// Write a checkpoint every N epochs [default: when ten seconds have passed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Output")]
    pub(crate) checkpoint_every: Option<u32>,
    /// Keep the pre-training in this folder, and take it from there if it is the same
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) store: Option<PathBuf>,
    /// Print nothing but errors and what --json asks for
    #[arg(long, short, help_heading = "Output")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) quiet: bool,
    /// Print one JSON object as the last line of standard output
    #[arg(long, help_heading = "Output")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) json: bool,

    #[arg(skip)]
    pub(crate) affinities: Option<AffinitySource>,
    #[arg(skip)]
    pub(crate) neighbors: Option<usize>,
    #[arg(skip)]
    pub(crate) landmarks: Option<usize>,
    #[arg(skip)]
    pub(crate) projection: Option<usize>,
    #[arg(skip)]
    pub(crate) company: Option<usize>,
    #[arg(skip)]
    pub(crate) district: Option<usize>,
    #[arg(skip)]
    pub(crate) refresh: Option<usize>,
    #[arg(skip)]
    pub(crate) divergence: Option<f64>,
    #[arg(skip)]
    pub(crate) latent_penalty: Option<f64>,
    #[arg(skip)]
    pub(crate) negatives: Option<NegativeRows>,
    #[arg(skip)]
    pub(crate) scale_locality_net: Option<bool>,
    #[arg(skip)]
    pub(crate) log_variance_bound: Option<f64>,
    #[arg(skip)]
    pub(crate) init: Option<Init>,
    #[arg(skip)]
    pub(crate) prior_start: Option<PriorStart>,
    #[arg(skip)]
    pub(crate) center_start: Option<CenterStart>,
    #[arg(skip)]
    pub(crate) interval: Option<usize>,
    #[arg(skip)]
    pub(crate) class_start: Option<ClassStart>,
    #[arg(skip)]
    pub(crate) guided_steps: Option<usize>,
    #[arg(skip)]
    pub(crate) mixture_starts: Option<u32>,
    #[arg(skip)]
    pub(crate) schedule: Option<Schedule>,
}

/// How much time a result is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Effort {
    /// Clusters of the rows as they are.
    Quick,
    /// A training.
    Normal,
}

/// What a fit may take beside the data, where nobody says.
const FIT_MEMORY: u64 = 8 << 30;

impl Settings {
    /// What a fit to `data` may take of memory, in bytes.
    pub(crate) fn fit_memory(&self, data: &Dataset) -> u64 {
        self.memory.map_or_else(|| FIT_MEMORY.saturating_add(data.memory() as u64), Memory::bytes)
    }

    /// How to read the data.
    pub(crate) fn open_options(&self) -> OpenOptions {
        let mut options = OpenOptions::default();
        options.label_column.clone_from(&self.label_column);
        options.id_column.clone_from(&self.id_column);
        options.ignore.clone_from(&self.ignore);
        options.missing = self.missing.unwrap_or_default();
        options.columns.kinds.clone_from(&self.kind);
        options.columns.weights.clone_from(&self.weight);
        options.columns.decimal = self.decimal;
        options.memory = self.memory.map(Memory::bytes);
        options.temp_limit = self.temp_limit.map(Memory::bytes);
        options.classes.clone_from(&self.classes);
        options.text_field.clone_from(&self.text_field);
        options.text_column.clone_from(&self.text_column);
        options.keep_columns = self.keep_columns;
        options.empty_text = self.empty_text;
        if let Some(words) = self.vocabulary {
            options.text.max_features = Some(words);
        }
        options.text.stop_words = self.stop_words.clone().unwrap_or_default();
        options.recognise_stop_words = self.stop_words.is_none() && self.recipe != Some(Recipe::Paper);
        options.text.stemming = self.stemming;
        options.text.ngrams.max = self.ngrams.unwrap_or(1);
        options.image_size = self.image_size;
        options.image_color = self.image_color;
        options.image_fit = self.image_fit;
        options.on_error = self.on_error.unwrap_or_default();
        options.format = self.format.map(Into::into);
        options.header = self.header.map(Into::into).unwrap_or_default();
        options
    }
}

/// A parser for an enum of the library, which knows its names but not clap.
pub(crate) fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: for<'de> Deserialize<'de> + Clone + Send + Sync + 'static,
{
    Trimmed(PossibleValuesParser::new(names).try_map(|name| {
        let deserializer: StrDeserializer<'_, ValueError> = name.as_str().into_deserializer();
        T::deserialize(deserializer)
    }))
}

/// A parser for an entry of a list, which may have blanks around it.
#[derive(Clone)]
struct Trimmed<P>(P);

impl<P: TypedValueParser> TypedValueParser for Trimmed<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        self.0.parse_ref(command, arg, value.to_str().map_or(value, |text| OsStr::new(text.trim())))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// More epochs than anyone waits for would overflow the count of steps.
pub(crate) const MOST_EPOCHS: u32 = 10_000_000;

fn epochs() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u32).range(..=i64::from(MOST_EPOCHS)).map(|n| n as usize)
}

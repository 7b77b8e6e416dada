//! The one entry to all readers.

use std::path::Path;

use lpvdn_core::Dataset;

use crate::budget::Budget;
use crate::format::{self, Format};
use crate::input::{Input, STANDARD_INPUT};
use crate::reading::{Missing, Reading};
use crate::table::Table;
use crate::text::TextOptions;
use crate::{
    ColumnChoices, ColumnRole, DataError, EmptyText, ImageColor, ImageFit, ImageSize, Note, OnError, arrow,
    classes, delimited, documents, idx, images, known, mtx, npy, npz, reuters, svmlight,
};

/// Bytes that are kept of each column, from the first look at the rows to the scaling.
const PER_COLUMN: u64 = 96;

/// What an option is called that names the field of texts.
const TEXT_FIELD: &str = "a text field";

/// The names that mean a built-in set instead of a path.
pub const BUILT_IN: &[&str] = &["digits"];

/// Whether the first line of a text file names the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// Look at the first two lines: names stand where numbers follow.
    #[default]
    Auto,
    /// The first line holds names, even if they are numbers.
    Yes,
    /// The first line holds values.
    No,
}

/// How to read a file. The default recognises everything by itself and looks for no labels.
///
/// | option | default | purpose |
/// |---|---|---|
/// | `format` | recognised | the format, whatever content and extension say |
/// | `label_column` | none | the column of a table that holds the true classes |
/// | `header` | [`Header::Auto`] | whether the first line of a CSV names the columns |
/// | `id_column` | none | the column of a table that holds what the rows are called |
/// | `ignore` | none | columns of a table that are left out |
/// | `missing` | [`Missing::Error`] | what is done about missing values in a table |
/// | `columns` | recognised | what columns hold and how much they count, and how fractions are written |
/// | `memory` | 2 GiB | what reading may take: rows of more than half of it stay on the disk, where the format allows it; what cannot stay there is refused above it |
/// | `temp_limit` | 32 GiB | what temporary files may take on the disk |
/// | `classes` | all | the classes whose rows are read |
/// | `text`, `text_field` | tf-idf, recognised | how documents become rows, and which field of JSON has them |
/// | `text_column` | none | the column of a table whose texts become rows |
/// | `keep_columns` | false | whether its other columns take part, too |
/// | `recognise_stop_words` | no | whether the language of texts decides which common words are left out |
/// | `empty_text` | [`EmptyText::Error`], with `reading` [`EmptyText::Keep`] | what is done about rows without a text |
/// | `image_size` | theirs up to 64, else 32x32 | to how many points pictures are brought |
/// | `image_color` | grey if all are | whether pictures are read in grey or in colour |
/// | `image_fit` | [`ImageFit::Pad`] | how pictures of other proportions are brought to that size |
/// | `on_error` | [`OnError::Refuse`] | what is done about files that cannot be read as pictures |
/// | `reading` | none | how the data of a model was read: this is read alike |
/// | `snippets` | none | of so many characters of each document a copy is kept |
///
/// ```
/// use lpvdn_data::{Header, OpenOptions};
/// let options = OpenOptions::default().label_column("-1").header(Header::No);
/// assert_eq!(options.label_column.as_deref(), Some("-1"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The format; recognised by content and extension if not given.
    pub format: Option<Format>,
    /// The column with the true classes: its name, or its index, from 0, or from -1 backwards.
    pub label_column: Option<String>,
    /// Whether the first line names the columns.
    pub header: Header,
    /// The column with what the rows are called, given as the label column is.
    pub id_column: Option<String>,
    /// Columns that are left out, given as the label column is.
    pub ignore: Vec<String>,
    /// What is done about missing values.
    pub missing: Missing,
    /// What columns of a table hold, how much they count, and how fractions are written.
    pub columns: ColumnChoices,
    /// What may be taken of memory, in bytes. It decides where rows are kept, not what they are.
    pub memory: Option<u64>,
    /// What temporary files may take on the disk, in bytes.
    pub temp_limit: Option<u64>,
    /// The classes whose rows are read; all if empty.
    pub classes: Vec<String>,
    /// How documents become rows.
    pub text: TextOptions,
    /// The field of a JSON object that holds the text, or a vector.
    pub text_field: Option<String>,
    /// The column with texts, given as the label column is: rows are made of their words. Other columns are left out,
    /// unless they are to be kept. In JSON lines it is the field.
    pub text_column: Option<String>,
    /// Whether the other columns of a table, but labels, ids and what is ignored, take part, too. They
    /// stand before the terms in a row.
    pub keep_columns: bool,
    /// What is done about rows without a text. Where nobody says, those of a table or a null in JSON are an error; with
    /// a [`reading`](OpenOptions::reading), every row stays, if without words.
    pub empty_text: Option<EmptyText>,
    /// Whether the common words of the language of texts are left out, where `text.stop_words` names none and the
    /// language is recognised.
    pub recognise_stop_words: bool,
    /// To how many points pictures are brought.
    pub image_size: Option<ImageSize>,
    /// Whether pictures are read in grey or in colour.
    pub image_color: Option<ImageColor>,
    /// How pictures of other proportions are brought to their size.
    pub image_fit: Option<ImageFit>,
    /// What is done about files that cannot be read as pictures.
    pub on_error: OnError,
    /// How the data of a model was read.
    pub reading: Option<Reading>,
    /// Of so many characters of each document a copy is kept, to be shown.
    pub snippets: Option<usize>,
    /// What this reading may take of memory and disk, and has taken.
    pub(crate) budget: Budget,
}

/// A data set, and how its rows were made.
#[derive(Debug)]
pub struct Opened {
    /// The rows.
    pub data: Dataset,
    /// The format of the file, where they come from a single one.
    pub format: Option<Format>,
    /// What must be remembered to read other data alike; `None` where nothing must.
    pub reading: Option<Reading>,
    /// The beginning of each document, where [`OpenOptions::snippets`] asks for them.
    pub texts: Option<Vec<String>>,
    /// What the user should know about it, a sentence each.
    pub notes: Vec<Note>,
    /// The values that were missing and are filled in, of the columns that have such.
    pub missing: Vec<Filled>,
}

/// Missing values of a column that are filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The column, as messages name it: its place, counted from 0, and its name if it has one.
    pub column: String,
    /// How many values.
    pub count: usize,
}

impl Filled {
    /// A line about all of them, if there are any.
    pub fn line(all: &[Filled]) -> Option<String> {
        /// More columns are not named.
        const NAMED: usize = 6;
        let count: usize = all.iter().map(|filled| filled.count).sum();
        if count == 0 {
            return None;
        }
        let named =
            all.iter().take(NAMED).map(|filled| format!("{} in column {}", filled.count, filled.column));
        let mut columns: Vec<String> = named.collect();
        if all.len() > NAMED {
            columns.push(format!("and {} more", all.len() - NAMED));
        }
        let values =
            if count == 1 { "1 missing value is".to_owned() } else { format!("{count} missing values are") };
        Some(format!("{values} filled in: {}", columns.join(", ")))
    }
}

impl From<Dataset> for Opened {
    fn from(data: Dataset) -> Opened {
        Opened { data, format: None, reading: None, texts: None, notes: Vec::new(), missing: Vec::new() }
    }
}

impl OpenOptions {
    /// Data of so many bytes is held in memory.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.budget.held_rows()
    }

    /// The same, for a reading that has taken nothing yet.
    fn with_budget(&self) -> OpenOptions {
        OpenOptions { budget: Budget::new(self.memory, self.temp_limit), ..self.clone() }
    }

    /// Reads the file as `format`, whatever it looks like.
    #[must_use]
    pub fn format(mut self, format: Format) -> OpenOptions {
        self.format = Some(format);
        self
    }

    /// Takes the true classes from a column, given by name or by index (negative from the end).
    #[must_use]
    pub fn label_column(mut self, column: impl Into<String>) -> OpenOptions {
        self.label_column = Some(column.into());
        self
    }

    /// Says whether the first line names the columns.
    #[must_use]
    pub fn header(mut self, header: Header) -> OpenOptions {
        self.header = header;
        self
    }
}

/// Reads a data set from a file, a folder of IDX files, pictures or texts, or by the name of a built-in set.
///
/// **Names and paths.** A bare name in [`BUILT_IN`] always means the built-in set, whether or not a
/// file or folder of that name exists; with anything around it (`./digits`, `digits/`,
/// `digits.csv`) it is a path. So what a command means does not depend on the folder it runs in.
///
/// The name of a [known set](crate::known), such as `mnist`, means its files in the cache, or in the
/// folder that `LPVDN_DATA` names, unless there is a path of that name.
///
/// **Rows and columns.** The first dimension counts rows; images and other higher dimensions are
/// flattened. Values that are infinite or not numbers are kept: who fits a model reports them.
///
/// ```
/// use lpvdn_data::{OpenOptions, open};
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("flowers.csv");
/// std::fs::write(&path, "length,width,species\n5.1,3.5,setosa\n6.2,2.9,virginica\n")?;
/// let flowers = open(&path, &OpenOptions::default().label_column("species"))?;
/// assert_eq!((flowers.rows(), flowers.cols()), (2, 2));
/// assert_eq!(flowers.labels.unwrap().names, ["setosa", "virginica"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A [`DataError`] that names the file, the place in it and what would be accepted.
pub fn open(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Dataset, DataError> {
    read(path, options).map(|opened| opened.data)
}

/// The same as [`open()`], with how the rows were made.
///
/// # Errors
/// As for [`open()`].
pub fn read(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Opened, DataError> {
    let (path, options) = (path.as_ref(), &options.with_budget());
    let opened = read_all(path, options)?;
    charge_columns(path, &opened, options)?;
    classes::keep(path, opened, &options.classes)
}

/// What is known of a column (range, moments, scaling) takes memory too, which matters where columns are millions.
fn charge_columns(path: &Path, opened: &Opened, options: &OpenOptions) -> Result<(), DataError> {
    let columns = opened.data.cols() as u64;
    options.budget.charge(path, columns.saturating_mul(PER_COLUMN), format_args!("{columns} columns"))
}

/// Reads a [known set](crate::known) from a folder of its files, wherever that is.
///
/// # Errors
/// As for [`open()`]; and where a file of the set is not in the folder.
pub fn read_known(
    set: &'static known::KnownSet,
    folder: &Path,
    options: &OpenOptions,
) -> Result<Opened, DataError> {
    let options = &options.with_budget();
    let opened = known::read_in(set, folder, options).map(|table| table.into_opened(set.name.to_owned()))?;
    classes::keep(folder, opened, &options.classes)
}

/// The rows of every class.
fn read_all(path: &Path, options: &OpenOptions) -> Result<Opened, DataError> {
    // Not a comparison of paths, for which `digits/` equals `digits`.
    if path.as_os_str() == "digits" {
        return built_in("digits", options).map(|()| crate::digits().into());
    }
    if let Some(set) = known::meant(path) {
        return known::read(set, options).map(|table| table.into_opened(set.name.to_owned()));
    }
    let name = name_of(path);
    if path.is_dir() {
        return read_folder(path, options).map(|table| table.into_opened(name));
    }
    read_file(path, name, options)
}

fn read_folder(path: &Path, options: &OpenOptions) -> Result<Table, DataError> {
    no_table_options(path, options)?;
    no_header(path, options)?;
    let idx_files = idx::has_files(path);
    // Pictures go before texts: a text beside pictures is a word about them.
    if !idx_files && images::has_pictures(path)? {
        no_label_column(path, options, "a folder of pictures has its classes in the names of sub-folders")?;
        no_text_options(path, options)?;
        return images::read_folder(path, options);
    }
    no_picture_options(path, options)?;
    if reuters::has_files(path) {
        no_label_column(path, options, "the classes of RCV1 are its root topics")?;
        return reuters::read_folder(path, options);
    }
    if !idx_files && documents::has_texts(path)? {
        no_label_column(path, options, "a folder of texts has its classes in the names of sub-folders")?;
        return documents::read_folder(path, options);
    }
    no_label_column(path, options, "a folder of IDX files has its labels in files of their own")?;
    idx::read_folder(path, options)
}

fn read_file(path: &Path, name: String, options: &OpenOptions) -> Result<Opened, DataError> {
    let input = Input::open(path, &options.budget)?;
    let format = match options.format {
        _ if input.sample().is_empty() => return Err(DataError::Empty { path: path.to_owned() }),
        Some(format) => format,
        None => format::recognise(path, input.sample())?,
    };
    match format {
        Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow => {
            check_texts_of_table(path, options)?;
            if let Some(Reading::Images(_) | Reading::Selected(_)) = options.reading {
                return Err(DataError::OtherKind { path: path.to_owned(), found: "rows of a table" });
            }
        }
        // A field may name the rows, and hold the texts.
        Format::Jsonl => {
            let fields = OpenOptions { id_column: None, text_column: None, ..options.clone() };
            no_table_options(path, &fields)?;
        }
        Format::Txt => no_table_options(path, options)?,
        _ => {
            no_table_options(path, options)?;
            no_text_options(path, options)?;
        }
    }
    if !matches!(format, Format::Csv | Format::Tsv) {
        no_header(path, options)?;
    }
    if format != Format::Image {
        no_picture_options(path, options)?;
    }
    let table = match format {
        Format::Csv => delimited::read(input, None, options),
        Format::Tsv => delimited::read(input, Some(b'\t'), options),
        Format::Txt => {
            no_label_column(path, options, "a file of documents has none; put them into a .jsonl or a .csv")?;
            documents::read_lines(input, options)
        }
        Format::Jsonl => documents::read_jsonl(input, options),
        Format::Npy => npy::read(input, options),
        Format::Npz => npz::read(input, options),
        Format::Mtx => mtx::read(input, options),
        Format::Svmlight => {
            no_label_column(path, options, "svmlight has its labels in the first field of each line")?;
            svmlight::read(input, options)
        }
        Format::Idx => {
            no_label_column(path, options, "an IDX file has none; open the folder with its labels file")?;
            idx::read(input, options)
        }
        Format::Parquet => arrow::read_parquet(input, options),
        Format::Arrow => arrow::read_ipc(input, options),
        Format::Image => {
            no_label_column(path, options, "a picture has none")?;
            images::read_one(input, options)
        }
    }?;
    Ok(Opened { format: Some(format), ..table.into_opened(name) })
}

/// Options that cannot apply are refused rather than ignored.
fn built_in(name: &'static str, options: &OpenOptions) -> Result<(), DataError> {
    reading_option(options).map_or(Ok(()), |option| Err(DataError::BuiltIn { name, option }))
}

/// The first option that says how something is read, for sets of which that is known.
pub(crate) fn reading_option(options: &OpenOptions) -> Option<&'static str> {
    match options {
        OpenOptions { format: Some(_), .. } => Some("a format"),
        OpenOptions { label_column: Some(_), .. } => Some("a label column (its labels are known)"),
        OpenOptions { header: Header::Yes | Header::No, .. } => Some("a header"),
        _ => table_option(options).or_else(|| text_option(options)).or_else(|| picture_option(options)),
    }
}

fn table_option(options: &OpenOptions) -> Option<&'static str> {
    match options {
        OpenOptions { id_column: Some(_), .. } => Some("an id column"),
        OpenOptions { ignore, .. } if !ignore.is_empty() => Some("a column to ignore"),
        OpenOptions { missing, .. } if missing.fills() => Some("filling in missing values"),
        OpenOptions { columns, .. } if !columns.kinds.is_empty() => Some("the kind of a column"),
        OpenOptions { columns, .. } if !columns.weights.is_empty() => Some("the weight of a column"),
        OpenOptions { columns: ColumnChoices { decimal: Some(_), .. }, .. } => {
            Some("how fractions are written")
        }
        OpenOptions { text_column: Some(_), .. } => Some("a text column"),
        OpenOptions { keep_columns: true, .. } => Some("keeping the other columns of a table"),
        _ => None,
    }
}

fn text_option(options: &OpenOptions) -> Option<&'static str> {
    match options {
        OpenOptions { text_field: Some(_), .. } => Some(TEXT_FIELD),
        OpenOptions { empty_text: Some(_), .. } => Some("what is done about rows without a text"),
        OpenOptions { text, .. } if *text != TextOptions::default() => Some("how words are counted"),
        _ => None,
    }
}

fn picture_option(options: &OpenOptions) -> Option<&'static str> {
    match options {
        OpenOptions { image_size: Some(_), .. } => Some("the size of pictures"),
        OpenOptions { image_color: Some(_), .. } => Some("the colour of pictures"),
        OpenOptions { image_fit: Some(_), .. } => Some("how pictures are brought to one size"),
        OpenOptions { on_error: OnError::Skip, .. } => Some("leaving broken pictures out"),
        _ => None,
    }
}

fn no_table_options(path: &Path, options: &OpenOptions) -> Result<(), DataError> {
    let refused = |option| Err(DataError::NotText { path: path.to_owned(), option });
    table_option(options).map_or(Ok(()), refused)
}

/// Options for texts mean something in a table only where one of its columns holds texts.
fn check_texts_of_table(path: &Path, options: &OpenOptions) -> Result<(), DataError> {
    let refused = |option| Err(DataError::NoDocuments { path: path.to_owned(), option });
    let fitted_to_texts = matches!(options.reading, Some(Reading::Text(_)));
    match options {
        OpenOptions { text_field: Some(_), .. } => refused(TEXT_FIELD),
        OpenOptions { text_column: Some(_), reading: Some(_), .. } if !fitted_to_texts => {
            Err(DataError::OtherKind { path: path.to_owned(), found: "texts" })
        }
        OpenOptions { text_column: Some(_), .. } => Ok(()),
        OpenOptions { keep_columns: true, .. } => refused("keeping the other columns of a table"),
        _ if fitted_to_texts => Ok(()),
        _ => no_text_options(path, options),
    }
}

fn no_header(path: &Path, options: &OpenOptions) -> Result<(), DataError> {
    match options.header {
        Header::Auto => Ok(()),
        Header::Yes | Header::No => Err(DataError::NoHeader { path: path.to_owned() }),
    }
}

pub(crate) fn no_text_options(path: &Path, options: &OpenOptions) -> Result<(), DataError> {
    let refused = |option| Err(DataError::NoDocuments { path: path.to_owned(), option });
    text_option(options).map_or(Ok(()), refused)
}

fn no_picture_options(path: &Path, options: &OpenOptions) -> Result<(), DataError> {
    let refused = |option| Err(DataError::NoPictures { path: path.to_owned(), option });
    picture_option(options).map_or(Ok(()), refused)
}

fn no_label_column(path: &Path, options: &OpenOptions, why: &str) -> Result<(), DataError> {
    match &options.label_column {
        None => Ok(()),
        Some(asked) => Err(DataError::ChosenColumn {
            path: path.to_owned(),
            role: ColumnRole::Labels,
            asked: asked.clone(),
            problem: why.to_owned(),
        }),
    }
}

/// `iris` for `data/iris.csv.gz`, `mnist` for a folder `data/mnist`.
fn name_of(path: &Path) -> String {
    if path.as_os_str() == STANDARD_INPUT {
        return "standard input".to_owned();
    }
    let Some(name) = path.file_name() else { return path.display().to_string() };
    let name = name.to_string_lossy();
    let name = format::unpacked(&name);
    let known = [
        ".csv",
        ".tsv",
        ".tab",
        ".txt",
        ".data",
        ".dat",
        ".npy",
        ".npz",
        ".svm",
        ".svmlight",
        ".libsvm",
        ".mtx",
        ".idx",
        ".jsonl",
        ".ndjson",
        ".parquet",
        ".pq",
        ".arrow",
        ".arrows",
        ".feather",
        ".ipc",
    ];
    let stem = known.iter().find_map(|ending| name.strip_suffix(ending)).filter(|stem| !stem.is_empty());
    stem.unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_called_by_its_file_without_the_endings() {
        for (path, name) in [
            ("data/iris.csv.gz", "iris"),
            ("a.b.npy", "a.b"),
            ("rcv1.svm.zst", "rcv1"),
            ("news20.mtx", "news20"),
            ("counts.npz", "counts"),
            ("data/mnist/", "mnist"),
            ("train-images-idx3-ubyte.gz", "train-images-idx3-ubyte"),
            (".csv", ".csv"),
            ("..", ".."),
        ] {
            assert_eq!(name_of(Path::new(path)), name);
        }
    }
}

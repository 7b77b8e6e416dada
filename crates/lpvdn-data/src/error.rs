//! What can go wrong with a file, in sentences that name the place and the remedy.

use std::fmt;
use std::io;
use std::path::PathBuf;

pub(crate) use lpvdn_core::table::cells::quoted;

use crate::remedy::Remedy;
use crate::text::TextError;

/// What is wrong with text in another encoding.
pub(crate) const NOT_UTF8: &str = "the text is not in UTF-8; convert the file, from Latin-1 for example with: \
                                   iconv -f LATIN1 -t UTF-8 old > new";

/// Why data could not be read or written.
///
/// Each message names the file, the place in it and what would be accepted. The error of the
/// operating system, where there is one, is part of the sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// There is no such file.
    #[error(
        "{}: no such file or folder; give the path of a .csv, .tsv, .txt, .jsonl, .npy, .npz, .svm, .mtx, .parquet, .arrow or IDX file \
         (.gz, .zst or plain), of a folder of IDX files, pictures or texts, or the name of a built-in set: {}", path.display(), crate::BUILT_IN.join(", ")
    )]
    NotFound {
        /// The path asked for.
        path: PathBuf,
    },
    /// The operating system refused, or compressed data is damaged.
    #[error("{}: cannot be read: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system or the decompressor said.
        cause: io::Error,
    },
    /// A file could not be written.
    #[error("{}: cannot be written: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The file holds nothing.
    #[error("{}: the file is empty; at least one row of numbers is needed", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// There are no rows, or no columns besides the labels.
    #[error("{}: there are no {what} in it; at least one is needed{hint}", path.display())]
    Nothing {
        /// The file.
        path: PathBuf,
        /// `rows` or `columns of values`.
        what: &'static str,
        /// What may be the matter, or nothing.
        hint: &'static str,
    },
    /// Binary data that no reader knows.
    #[error(
        "{}: the format is not known; readable are CSV, TSV, TXT, JSONL, NPY, NPZ, svmlight, Matrix Market, IDX, Parquet and Arrow, \
         plain or compressed with gzip or zstd", path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A known format without a reader.
    #[error("{}: {format} is not readable yet; {remedy}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What the format is called.
        format: &'static str,
        /// How to convert it.
        remedy: &'static str,
    },
    /// The content breaks the rules of its format.
    #[error("{}: not a usable {format} file: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The format it was read as.
        format: &'static str,
        /// What is wrong and what would be accepted.
        problem: String,
    },
    /// The file ends too early.
    #[error(
        "{}: the file is cut short: {expected} bytes are announced, but no more than {found} are there; \
         copy or download it again", path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// How many bytes, after decompression, there should be at least.
        expected: u64,
        /// How many there are at most.
        found: u64,
    },
    /// The file goes on after its announced end.
    #[error(
        "{}: the header announces {expected} bytes, but the file goes on after them; it must hold one \
         array and nothing else", path.display()
    )]
    TrailingBytes {
        /// The file.
        path: PathBuf,
        /// How many bytes there should be.
        expected: u64,
    },
    /// The size overflows, or does not fit into memory.
    #[error("{}: {what} cannot be held in memory; at most {} rows and columns are accepted, and what the \
             machine has room for", path.display(), u32::MAX)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What is too large.
        what: String,
    },
    /// Reading would take more memory than it may.
    #[error(
        "{}: {what}: reading this takes {} MB of memory or more, and {} MB are allowed",
        path.display(), needed.div_ceil(1_000_000), allowed / 1_000_000
    )]
    Memory {
        /// The file.
        path: PathBuf,
        /// What the memory is for, and where in the file that is.
        what: String,
        /// Bytes that would have been taken in all.
        needed: u64,
        /// Bytes that may be taken.
        allowed: u64,
    },
    /// The temporary files of a reading would take more room than they may.
    #[error(
        "{}: {what}: the temporary files take {} MB or more, and {} MB are allowed",
        path.display(), needed.div_ceil(1_000_000), allowed / 1_000_000
    )]
    TempLimit {
        /// The file whose data they hold.
        path: PathBuf,
        /// What the room is for.
        what: String,
        /// Bytes that would have been taken in all.
        needed: u64,
        /// Bytes that may be taken.
        allowed: u64,
    },
    /// Rows that are too many for memory could not be put onto the disk.
    #[error(
        "{}: a part of it is unpacked or kept in a temporary file, which cannot be used in {}: {cause}; make room there, \
         or name another folder with the environment variable TMPDIR",
        path.display(),
        folder.display()
    )]
    Temporary {
        /// The file whose rows they are.
        path: PathBuf,
        /// The folder for temporary files.
        folder: PathBuf,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// Rows on the disk could not be read.
    #[error("{}: {cause}", path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: lpvdn_core::SourceError,
    },
    /// Rows of some classes are asked for, and there are none.
    #[error("{}: {problem}", path.display())]
    Classes {
        /// The file.
        path: PathBuf,
        /// What is wrong and what would be accepted.
        problem: String,
        /// What else may help.
        remedies: &'static [Remedy],
    },
    /// A line breaks the rules of its format.
    #[error("{}, line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong and what would be accepted.
        problem: String,
    },
    /// None of the fields of documents is known to hold the text.
    #[error("{}, line {line}: which field holds the text or the vector is not known: it has {found}", path.display())]
    NoTextField {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The fields.
        found: String,
    },
    /// A line has more or fewer cells than the first one.
    #[error(
        "{}, line {line}: {found} columns, but line {first_line} has {expected}; every line needs as many \
         (a cell that contains the delimiter must stand in double quotes)", path.display()
    )]
    ColumnCount {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// How many cells it has.
        found: usize,
        /// The first line that is not blank.
        first_line: u64,
        /// How many cells that one has.
        expected: usize,
    },
    /// The file ends inside a cell in double quotes.
    #[error(
        "{}, line {line}, column {column} (counted from 0): a double quote opens the cell and is not closed before the file \
         ends; close it, or, where it is part of the text, put the cell into quotes and double it (\"5\"\" pipe\")", path.display()
    )]
    Quote {
        /// The file.
        path: PathBuf,
        /// The line of the quote, counted from 1.
        line: u64,
        /// The column, counted from 0.
        column: usize,
    },
    /// Text in another encoding, of which different words would become one.
    #[error("{}{at}: {NOT_UTF8}", path.display())]
    Encoding {
        /// The file.
        path: PathBuf,
        /// Where in the file, after a comma; nothing for all of it.
        at: String,
    },
    /// A cell is not a number.
    #[error("{}, {at}, column {column}: {found} is not a number; {remedy}", path.display())]
    Cell {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        at: Place,
        /// The column, counted from 0 as for the label column, and its name if it has one.
        column: String,
        /// The beginning of the cell, quoted.
        found: String,
        /// What would be accepted.
        remedy: Box<str>,
        /// What else may help.
        remedies: &'static [Remedy],
    },
    /// A cell is not a date.
    #[error(
        "{}, {at}, column {column}: {found} is not a date; accepted are dates such as 2024-03-31 or \
         2024-03-31T12:30:00Z, and 31/03/2024 where the first rows show whether the day or the month is the first; \
         correct the cell", path.display()
    )]
    NotADate {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        at: Place,
        /// The column, counted from 0 as for the label column, and its name if it has one.
        column: String,
        /// The beginning of the cell, quoted.
        found: String,
    },
    /// A value is missing.
    #[error(
        "{}, {at}, column {column}: a value is missing ({found}); fill it in, or remove the row", path.display()
    )]
    MissingValue {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        at: Place,
        /// The column, counted from 0 as for the label column, and its name if it has one.
        column: String,
        /// What stands there.
        found: String,
        /// Whether the line may hold the names of the columns.
        may_be_names: bool,
    },
    /// Every column is left out.
    #[error("{}: no column says anything about the rows: {columns}", path.display())]
    NothingLeft {
        /// The file.
        path: PathBuf,
        /// The columns, each with why it is left out.
        columns: String,
    },
    /// A column that is no numbers, no words and no vectors of one length, or not what the model knows.
    #[error("{}: column {column}: {problem}", path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What is wrong and what would be accepted.
        problem: String,
        /// What else may help.
        remedies: &'static [Remedy],
    },
    /// A picture that cannot be read.
    #[error("{}: not a usable picture: {problem}", path.display())]
    Picture {
        /// The file.
        path: PathBuf,
        /// What is wrong and what would be accepted.
        problem: String,
    },
    /// A format whose reader is not part of this program.
    #[error(
        "{}: this build has no reader for {format}; build the program with the feature {feature} (cargo build \
         --release --features {feature})", path.display()
    )]
    NotBuilt {
        /// The file or folder.
        path: PathBuf,
        /// What the format is called.
        format: &'static str,
        /// The feature of the crate that has it.
        feature: &'static str,
    },
    /// An option for pictures where there are none.
    #[error("{}: {option} is for pictures, and this has none; leave it out", path.display())]
    NoPictures {
        /// The file or folder.
        path: PathBuf,
        /// The option.
        option: &'static str,
    },
    /// A column of words that are no categories.
    #[error(
        "{}: column {column} has more than {most} different words, too many for categories", path.display()
    )]
    TooManyWords {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// How many words are accepted.
        most: usize,
    },
    /// A column that the model needs is not there.
    #[error("{}: there is no column {name:?}, which the model was fitted to", path.display())]
    MissingColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        name: String,
    },
    /// A table of another width than the model's.
    #[error(
        "{}: {found} columns, but the model was fitted to a table of {whole}, of which it uses {values}; give \
         the same columns in the same order, or name them in a header line", path.display()
    )]
    Width {
        /// The file.
        path: PathBuf,
        /// Its columns.
        found: usize,
        /// Those of the table that the model was fitted to.
        whole: usize,
        /// Those that the model uses.
        values: usize,
    },
    /// Documents that make no rows.
    #[error("{}: {cause}", path.display())]
    Text {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        cause: TextError,
    },
    /// A row without a text.
    #[error("{}, {place}: there is no text; fill it in, or remove the row", path.display())]
    EmptyText {
        /// The file or folder.
        path: PathBuf,
        /// Where in it.
        place: String,
    },
    /// A table for a model of texts, none of whose columns is known to hold them.
    #[error(
        "{}: the model was fitted to texts{}, and which column of this table holds texts is not known",
        path.display(),
        field.as_ref().map_or(String::new(), |field| format!(" called {}", quoted(field.as_bytes())))
    )]
    NoTextColumn {
        /// The file.
        path: PathBuf,
        /// What the texts were called, where they had a name.
        field: Option<String>,
    },
    /// An option for documents where there are none.
    #[error(
        "{}: {option} is for documents (TXT, JSONL, a folder of texts, a text column of a table), and this has none; leave it out",
        path.display()
    )]
    NoDocuments {
        /// The file.
        path: PathBuf,
        /// The option.
        option: &'static str,
    },
    /// Data of another kind than the model's.
    #[error("{}: these are {found}, but the model was fitted to rows of another kind", path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// What it holds.
        found: &'static str,
    },
    /// An option for tables where there is none.
    #[error("{}: {option} is for tables (CSV, TSV, Parquet, Arrow), and this is none; leave it out", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// The option.
        option: &'static str,
    },
    /// A header line is asked for where there are no lines of cells.
    #[error("{}: a header line (--header) is for CSV and TSV, and this is neither; leave it out", path.display())]
    NoHeader {
        /// The file or folder.
        path: PathBuf,
    },
    /// A column that was asked for does not exist, or cannot exist.
    #[error("{}: {role} {asked:?}: {problem}", path.display())]
    ChosenColumn {
        /// The file.
        path: PathBuf,
        /// What it was asked for as.
        role: ColumnRole,
        /// What was asked for.
        asked: String,
        /// Why there is none, and what would be accepted.
        problem: String,
    },
    /// The files of a folder do not belong together.
    #[error("{}: {problem}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What does not fit and what would be accepted.
        problem: String,
    },
    /// A known set whose files are not here.
    #[error(
        "{name}: {missing} are not in {}; fetch them with: lpvdn data fetch {name}, or name a folder that has them \
         in LPVDN_DATA", folder.display()
    )]
    NotFetched {
        /// The set.
        name: &'static str,
        /// How many files.
        missing: String,
        /// Where they would be.
        folder: PathBuf,
    },
    /// A known set cannot be read differently.
    #[error(
        "{name} is a known set, to which {option} does not apply; leave it out, or give the path of a file"
    )]
    KnownSet {
        /// The set.
        name: &'static str,
        /// The option that was given.
        option: &'static str,
    },
    /// The system has no place for caches.
    #[error(
        "there is no folder for known sets, because the home folder is not known; name one in LPVDN_CACHE"
    )]
    NoCache,
    /// A built-in set cannot be read differently.
    #[error("{name} is the built-in set, to which {option} does not apply; a file of that name is ./{name}")]
    BuiltIn {
        /// The set.
        name: &'static str,
        /// The option that was given.
        option: &'static str,
    },
}

impl DataError {
    /// What may help, besides what the message says.
    pub fn remedies(&self) -> &'static [Remedy] {
        match self {
            DataError::UnknownFormat { .. } => &[Remedy::NameFormat],
            DataError::MissingValue { may_be_names: true, .. } => {
                &[Remedy::FirstLineIsNames, Remedy::FillIn, Remedy::LeaveColumnOut]
            }
            DataError::MissingValue { .. } => &[Remedy::FillIn, Remedy::LeaveColumnOut],
            DataError::NothingLeft { .. } => &[Remedy::NameTextColumn, Remedy::SayKind],
            DataError::NotADate { .. } => &[Remedy::LeaveColumnOut, Remedy::SayKind],
            DataError::TooManyWords { .. } => {
                &[Remedy::NameTextColumn, Remedy::LeaveColumnOut, Remedy::NameIds, Remedy::NameLabels]
            }
            DataError::EmptyText { .. } => &[Remedy::SkipEmptyTexts],
            DataError::NoTextColumn { .. } => &[Remedy::NameTextColumn],
            DataError::Width { .. } => &[Remedy::NameLabels],
            DataError::NoTextField { .. } => &[Remedy::NameTextField],
            DataError::Picture { .. } => &[Remedy::SkipBroken],
            DataError::Memory { .. } => &[Remedy::AllowMemory],
            DataError::TempLimit { .. } => &[Remedy::AllowTemporary, Remedy::AllowMemory],
            DataError::Cell { remedies, .. }
            | DataError::Column { remedies, .. }
            | DataError::Classes { remedies, .. } => remedies,
            _ => &[],
        }
    }
}

/// What a column is chosen as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnRole {
    /// The classes of the rows.
    Labels,
    /// What the rows are called.
    Ids,
    /// The texts whose words are values.
    Texts,
    /// Nothing: it is left out.
    Ignored,
    /// What the user says that it holds.
    Kind,
    /// A column of another weight.
    Weight,
}

impl fmt::Display for ColumnRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ColumnRole::Labels => "label column",
            ColumnRole::Ids => "id column",
            ColumnRole::Texts => "text column",
            ColumnRole::Ignored => "column to leave out",
            ColumnRole::Kind => "column whose kind is given",
            ColumnRole::Weight => "column whose weight is given",
        })
    }
}

/// Where in a table a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of text, counted from 1.
    Line(u64),
    /// A row of a file that has no lines, counted from 0; shown from 1, as all rows are.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Row(row) => write!(f, "row {} (counted from 1)", row + 1),
        }
    }
}

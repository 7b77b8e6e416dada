//! A known set as rows.

use std::path::Path;

use lpvdn_core::{GrowingLabels, Labels};

use super::{Kind, KnownSet, Place};
use crate::input::Input;
use crate::open::reading_option;
use crate::reuters::{self, Choice};
use crate::table::{Rows, Table, Values};
use crate::text::TextOptions;
use crate::{DataError, Header, OpenOptions, delimited, idx};

/// Reads a set from where its files are.
pub(crate) fn read(set: &'static KnownSet, options: &OpenOptions) -> Result<Table, DataError> {
    check(set, options)?;
    let folder = match set.place()? {
        Place::Here(folder) => folder,
        Place::Missing { folder, files } => {
            let missing = format!("{} of its {} files", files.len(), set.files.len());
            return Err(DataError::NotFetched { name: set.name, missing, folder });
        }
    };
    read_in(set, &folder, options)
}

/// Reads a set from a folder of its files.
pub(crate) fn read_in(
    set: &'static KnownSet,
    folder: &Path,
    options: &OpenOptions,
) -> Result<Table, DataError> {
    check(set, options)?;
    let missing = set.missing(folder);
    if !missing.is_empty() {
        let missing = format!("{} of its {} files", missing.len(), set.files.len());
        return Err(DataError::NotFetched { name: set.name, missing, folder: folder.to_owned() });
    }
    match set.kind {
        Kind::Idx => idx::read_folder(folder, options),
        Kind::Tables => read_tables(set, folder, options),
        Kind::Tokens => reuters::read_tokens(folder, options, Choice::All),
        Kind::TenThousandTokens => reuters::read_tokens(folder, options, Choice::TenThousand),
        Kind::Vectors => reuters::read_vectors(folder, options),
    }
}

/// Options that cannot apply are refused rather than ignored.
fn check(set: &'static KnownSet, options: &OpenOptions) -> Result<(), DataError> {
    let mut options = options.clone();
    if set.counts_words(&options.text) {
        options.text = TextOptions::default();
    }
    match reading_option(&options) {
        None => Ok(()),
        Some(option) => Err(DataError::KnownSet { name: set.name, option }),
    }
}

impl KnownSet {
    /// Whether the words of the set can be counted in this way: tokens are stems already, so that only
    /// their number is open.
    fn counts_words(&self, text: &TextOptions) -> bool {
        let number = TextOptions { max_features: text.max_features, ..TextOptions::default() };
        let open = matches!(self.kind, Kind::Tokens | Kind::TenThousandTokens | Kind::Vectors);
        open && *text == number
    }
}

/// Tables without a header, one below the other, the classes in their last column.
fn read_tables(set: &KnownSet, folder: &Path, asked: &OpenOptions) -> Result<Table, DataError> {
    let options = OpenOptions { budget: asked.budget.clone(), ..OpenOptions::default() };
    let options = options.label_column("-1").header(Header::No);
    let mut joined: Option<Values> = None;
    let mut labels = GrowingLabels::default();
    let mut joining = options.budget.account(folder);
    for file in set.files {
        let path = folder.join(file.name);
        let table = delimited::read(Input::open(&path, &options.budget)?, None, &options)?;
        let Rows::Held(values) = table.rows else {
            return Err(DataError::TooLarge { path, what: "a file of a known set".to_owned() });
        };
        table.labels.iter().flat_map(Labels::iter).for_each(|name| labels.push(name));
        joined = Some(match joined {
            None => values,
            Some(before) if before.cols() == values.cols() => {
                joining
                    .set(before.bytes() + values.bytes(), "the rows of several files, one after the other")?;
                before.followed_by(values)
            }
            Some(before) => {
                let problem = format!("{} columns, but the file before has {}", values.cols(), before.cols());
                return Err(DataError::Folder { path, problem });
            }
        });
    }
    let values = joined.ok_or(DataError::Nothing { path: folder.to_owned(), what: "rows", hint: "" })?;
    Ok(Table { labels: Some(labels.finish()), ..values.into() })
}

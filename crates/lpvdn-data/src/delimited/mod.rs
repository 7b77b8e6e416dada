//! CSV and its kin: text with one row a line.
//!
//! Blank lines are skipped. Cells may stand in double quotes. A header is recognised by names above
//! numbers: see [`Header::Auto`](crate::Header::Auto) and `sniff`.

mod cells;
mod records;
mod sniff;

use self::cells::Cells;
use self::records::{Record, Records};
use crate::input::Input;
use crate::table::Table;
use crate::{DataError, Header, OpenOptions, format, label_column};

/// Reads a table. Without a delimiter, it is recognised.
pub(crate) fn read(
    input: Input<'static>,
    delimiter: Option<u8>,
    options: &OpenOptions,
) -> Result<Table, DataError> {
    if !format::looks_like_text(input.sample()) {
        return Err(DataError::Malformed {
            path: input.path().to_owned(),
            format: "CSV",
            problem: "it contains control characters, so that it is not text; accepted is text in UTF-8"
                .into(),
        });
    }
    let delimiter = delimiter.unwrap_or_else(|| sniff::delimiter(input.sample()));
    let mut records = Records::new(input, delimiter);
    let Some(first) = records.next()? else {
        return Err(DataError::Empty { path: records.path().to_owned() });
    };
    let second = records.next()?;
    let has_header = match options.header {
        Header::Yes => true,
        Header::No => false,
        // A name can only stand in a header.
        Header::Auto if asks_for_a_name(options) => true,
        Header::Auto => sniff::is_header(&first, second.as_ref()),
    };
    let mut cells = start(&records, &first, has_header, options)?;
    if !has_header {
        cells.push(&first)?;
    }
    if let Some(second) = second {
        cells.push(&second)?;
    }
    while let Some(record) = records.next()? {
        cells.push(&record)?;
    }
    cells.finish()
}

fn asks_for_a_name(options: &OpenOptions) -> bool {
    options.label_column.as_ref().is_some_and(|asked| asked.parse::<i64>().is_err())
}

fn start(
    records: &Records,
    first: &Record,
    has_header: bool,
    options: &OpenOptions,
) -> Result<Cells, DataError> {
    let path = records.path();
    let width = first.cells.len();
    let names: Option<Vec<String>> = has_header
        .then(|| first.cells.iter().map(|c| String::from_utf8_lossy(c.trim_ascii()).into_owned()).collect());
    let label = match &options.label_column {
        Some(asked) => Some(label_column::resolve(path, asked, names.as_deref(), width)?),
        None => None,
    };
    if width == usize::from(label.is_some()) {
        let hint = " besides the labels";
        return Err(DataError::Nothing { path: path.to_owned(), what: "columns of values", hint });
    }
    Ok(Cells::new(path.to_owned(), names, width, first.line, label))
}

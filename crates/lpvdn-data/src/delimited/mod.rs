//! CSV and its kin: text with one row a line.
//!
//! A column of words becomes a value for each category. Blank lines are skipped, but between the rows of a single
//! column, where they are missing values. Cells may stand in double quotes. A header is recognised by names above
//! numbers: see [`Header::Auto`](crate::Header::Auto) and `sniff`.

mod lines;
mod records;
mod sniff;

use std::collections::HashSet;

use self::lines::Lines;
use self::records::Records;
use crate::budget::PER_STRING;
use crate::columns::Layout;
use crate::input::Input;
use crate::reading::Reading;
use crate::table::Table;
use crate::{DataError, Header, Note, OpenOptions, Remedy, format};

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
    let Some(mut first) = records.next()? else {
        return Err(DataError::Empty { path: records.path().to_owned() });
    };
    // What is blank before all rows is none of them.
    first.blank_before = 0;
    let second = records.next()?;
    let has_header = match options.header {
        Header::Yes => true,
        Header::No => false,
        // A name can only stand in a header.
        Header::Auto if asks_for_a_name(options) => true,
        Header::Auto if known_names(options).is_some() => begins_with_names(&first, options),
        Header::Auto => sniff::is_header(&first, second.as_ref()),
    };
    let doubtful = has_header && sniffs_header(options) && second.as_ref().is_some_and(sniff::is_all_words);
    options.budget.charge(records.path(), columns_bytes(&first.cells, has_header), "its columns")?;
    let name = |cell: &[u8]| String::from_utf8_lossy(cell.trim_ascii()).into_owned();
    let names = has_header.then(|| first.cells.iter().map(name).collect());
    let layout = Layout::new(records.path(), first.cells.len(), names, |_| false, options)?;
    let mut lines = Lines::new(records.path().to_owned(), first.line, layout, options)?;
    if !has_header {
        lines.push(&first)?;
    }
    if let Some(second) = second {
        lines.push(&second)?;
    }
    while let Some(record) = records.next()? {
        lines.push(&record)?;
    }
    let mut table = lines.finish(options)?;
    if doubtful {
        let note = "the first line is taken for the names of the columns";
        table.notes.insert(0, Note::new(note, &[Remedy::FirstLineIsRow]));
    }
    Ok(table)
}

/// What a table keeps for each of its columns: what it is, its name, and what is noted about it, several times.
fn columns_bytes(first: &csv::ByteRecord, has_header: bool) -> u64 {
    const PER_COLUMN: u64 = 768;
    let names = if has_header { 6 * first.as_slice().len() as u64 } else { 0 };
    (first.len() as u64).saturating_mul(PER_COLUMN + if has_header { 6 * PER_STRING } else { 0 }) + names
}

/// Whether nothing but the lines themselves tells if the first one holds names.
fn sniffs_header(options: &OpenOptions) -> bool {
    options.header == Header::Auto && !asks_for_a_name(options) && known_names(options).is_none()
}

/// Whether text that begins so is a table: its second line, or the only one, is all numbers.
pub(crate) fn holds_numbers(sample: &[u8]) -> bool {
    let delimiter = sniff::delimiter(sample);
    let lines = sample.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let line = lines.take(2).last().unwrap_or_default();
    !line.is_empty() && line.split(|&b| b == delimiter).all(sniff::is_number)
}

/// The names of a model's columns; none of them where its table had no header.
fn known_names(options: &OpenOptions) -> Option<Vec<&str>> {
    let field = match &options.reading {
        Some(Reading::Text(text)) => text.field.as_deref(),
        _ => None,
    };
    let table = options.reading.as_ref().and_then(Reading::table);
    let columns = table.iter().flat_map(|table| &table.columns).filter_map(|c| c.name.as_deref());
    // Texts from elsewhere say nothing about the names of a table.
    (table.is_some() || field.is_some()).then(|| columns.chain(field).collect())
}

/// Whether the first line has one of the names that the model knows. A table that was read without names
/// has none.
fn begins_with_names(first: &records::Record, options: &OpenOptions) -> bool {
    let names: HashSet<&[u8]> =
        known_names(options).unwrap_or_default().into_iter().map(str::as_bytes).collect();
    first.cells.iter().any(|cell| names.contains(cell.trim_ascii()))
}

fn asks_for_a_name(options: &OpenOptions) -> bool {
    let single = options.label_column.iter().chain(&options.id_column).chain(&options.text_column);
    single.chain(&options.ignore).chain(options.columns.names()).any(|asked| asked.parse::<i64>().is_err())
}

//! The rows of a table, one of whose columns may hold texts.

use std::path::{Path, PathBuf};

use lpvdn_core::RowLines;
use lpvdn_core::table::cells::Given;

use super::advice::TextTable;
use super::cells::Cells;
use super::layout::{Layout, Role};
use crate::documents::{self, EmptyTexts, Texts};
use crate::error::{Place, quoted};
use crate::reading::{Decimal, Reading, TableReading};
use crate::table::Table;
use crate::{DataError, Note, OpenOptions, Remedy};

/// How many columns that are not used a note names.
const NAMED: usize = 8;

/// The rows read so far.
pub(crate) struct Sheet {
    path: PathBuf,
    cells: Cells,
    texts: Option<TextCells>,
}

/// The column of texts.
struct TextCells {
    place: usize,
    texts: Texts,
    empty: EmptyTexts,
}

impl Sheet {
    pub(crate) fn new(
        path: &Path,
        layout: Layout,
        options: &OpenOptions,
        text: Option<TextTable>,
    ) -> Result<Sheet, DataError> {
        let place = layout.roles.iter().position(|role| *role == Role::Text);
        let texts = place.map(|place| TextCells {
            place,
            texts: Texts::new(path, options),
            empty: EmptyTexts::new(path, options),
        });
        let width = layout.roles.len();
        let cells = match &options.reading {
            Some(Reading::Text(_)) => {
                let options = OpenOptions { reading: Some(others(options, width)), ..options.clone() };
                Cells::new(path.to_owned(), layout, &options, text)?
            }
            _ => Cells::new(path.to_owned(), layout, options, text)?,
        };
        Ok(Sheet { path: path.to_owned(), cells, texts })
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.cells.layout()
    }

    /// The columns that are no texts.
    #[cfg(feature = "parquet")]
    pub(crate) fn cells(&self) -> &Cells {
        &self.cells
    }

    #[cfg(feature = "parquet")]
    pub(crate) fn cells_mut(&mut self) -> &mut Cells {
        &mut self.cells
    }

    /// Which column holds texts.
    pub(crate) fn text_place(&self) -> Option<usize> {
        self.texts.as_ref().map(|texts| texts.place)
    }

    /// Whether the next row is to be read, by the cell that has its text. Must be asked for every row, in their order,
    /// where there is a column of texts.
    pub(crate) fn admits(&mut self, text: &Given<'_>, at: Place) -> Result<bool, DataError> {
        let Some(texts) = &mut self.texts else { return Ok(true) };
        let (layout, place) = (self.cells.layout(), texts.place);
        // What is no text at all is refused when it is taken.
        let is_empty = text.text().is_ok_and(|text| text.trim().is_empty());
        texts.empty.admit(is_empty, || format!("{at}, column {}", layout.show(place)))
    }

    /// Room for `more` rows, which are to be filled with [`Sheet::set`]. Gives the number of the first one.
    pub(crate) fn add_rows(&mut self, more: usize) -> Result<usize, DataError> {
        self.cells.add_rows(more)
    }

    /// Puts a cell to where its column belongs. Messages name it by `at`. Texts must come in the order of the rows.
    pub(crate) fn set(
        &mut self,
        row: usize,
        place: usize,
        given: &Given<'_>,
        at: Place,
    ) -> Result<(), DataError> {
        match &mut self.texts {
            Some(texts) if texts.place == place => {
                let layout = self.cells.layout();
                let text = given.text().map_err(|_| DataError::Encoding {
                    path: self.path.clone(),
                    at: format!(", {at}, column {}", layout.show(place)),
                })?;
                texts.texts.push(&text)
            }
            _ => self.cells.set(row, place, given, at),
        }
    }

    /// The whole table, whose rows stand on these lines. Where it has names but no rows, `after_names` says so.
    pub(crate) fn finish(
        self,
        after_names: &'static str,
        lines: Option<RowLines>,
        options: &OpenOptions,
    ) -> Result<Table, DataError> {
        let Some(TextCells { place, texts, empty }) = self.texts else {
            return Ok(Table { lines, ..self.cells.finish(after_names)? });
        };
        let name = self.cells.layout().name(place);
        let unused = unused(self.cells.layout()).filter(|_| options.reading.is_none());
        let mut table = self.cells.finish(after_names)?;
        table.ids = empty.names(table.ids)?;
        table.lines = lines;
        table.notes.extend(unused.into_iter().chain(empty.note()));
        documents::read_column(texts, (place, name), table, &self.path, options)
    }
}

/// How a model of texts read the other columns.
fn others(options: &OpenOptions, width: usize) -> Reading {
    let known = options.reading.as_ref().and_then(Reading::table).cloned();
    Reading::Table(known.unwrap_or_else(|| TableReading {
        width,
        columns: Vec::new(),
        label: None,
        label_place: None,
        missing: options.missing,
        decimal: Decimal::default(),
    }))
}

/// Which columns nobody asked for.
fn unused(layout: &Layout) -> Option<Note> {
    let count = layout.unused.len();
    let named: Vec<String> = layout.unused.iter().take(NAMED).map(|&place| shown(layout, place)).collect();
    let more = if count > NAMED { ", …" } else { "" };
    let (columns, are) = if count == 1 { ("column", "is") } else { ("columns", "are") };
    let text = || format!("{count} other {columns} of the table {are} not used: {}{more}", named.join(", "));
    (count > 0).then(|| Note::new(text(), &[Remedy::KeepColumns]))
}

fn shown(layout: &Layout, place: usize) -> String {
    layout.name(place).map_or_else(|| place.to_string(), |name| quoted(name.as_bytes()))
}

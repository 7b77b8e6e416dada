//! From record batches to the rows of a table.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};

use super::array::{self, Kind};
use crate::budget::Account;
use crate::columns::{Cells, Given, Layout, Role, Sheet, Wanted};
use crate::error::Place;
use crate::table::Table;
use crate::{DataError, OpenOptions, Remedy};

/// What pandas calls an index that has no name: it says nothing about a row.
const INDEX: &str = "__index_level_";
/// Rows that are taken over together, if they have no more numbers than that.
const TOGETHER: usize = 1024;
const TOGETHER_NUMBERS: usize = 1 << 20;
/// What a number of a vector takes while it is converted.
const CONVERTED: u64 = 12;

/// The rows read so far.
pub(super) struct Rows {
    path: PathBuf,
    sheet: Sheet,
    /// The rows that have arrived, those included that are left out.
    arrived: u64,
    /// The columns that are not left out, each with what it holds.
    columns: Vec<(usize, Kind)>,
    /// Columns of vectors whose length no row has told yet.
    unsettled: Vec<usize>,
    /// Batches from before that: every vector in them is missing.
    held: Vec<RecordBatch>,
    /// What these take.
    account: Account,
    /// What vectors take while they are converted.
    converting: Account,
    /// Numbers of a row in vectors.
    width: usize,
}

impl Rows {
    pub(super) fn new(path: &Path, schema: &Schema, options: &OpenOptions) -> Result<Rows, DataError> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let idle = |name: &str| name.starts_with(INDEX);
        let layout = Layout::new(path, names.len(), Some(names), idle, options)?;
        let sheet = Sheet::new(path, layout, options, None)?;
        let cells = sheet.cells();
        let mut columns = Vec::new();
        let mut unsettled = Vec::new();
        for (place, field) in schema.fields().iter().enumerate() {
            if cells.layout().roles[place] == Role::Ignored {
                continue;
            }
            let kind = check(path, cells, place, field.data_type())?;
            columns.push((place, kind));
            if kind == Kind::Vectors && cells.wanted(place) == Some(Wanted::Anything) {
                unsettled.push(place);
            }
        }
        let (account, converting) = (options.budget.account(path), options.budget.account(path));
        let (path, held) = (path.to_owned(), Vec::new());
        Ok(Rows { path, sheet, arrived: 0, columns, unsettled, held, account, converting, width: 0 })
    }

    /// The columns that are needed, in the order of the file.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().map(|(place, _)| *place)
    }

    /// Appends a batch of the columns that are needed.
    pub(super) fn push(&mut self, batch: RecordBatch) -> Result<(), DataError> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        self.settle(&batch)?;
        if !self.unsettled.is_empty() {
            self.account.add(batch.get_array_memory_size() as u64, "rows before the first vector")?;
            self.held.push(batch);
            return Ok(());
        }
        for held in std::mem::take(&mut self.held) {
            self.add(&held)?;
        }
        self.account.set(0, "")?;
        self.add(&batch)
    }

    pub(super) fn finish(mut self, options: &OpenOptions) -> Result<Table, DataError> {
        for place in std::mem::take(&mut self.unsettled) {
            self.sheet.cells_mut().expect_vectors(place, None);
        }
        for held in std::mem::take(&mut self.held) {
            self.add(&held)?;
        }
        self.sheet.finish("", None, options)
    }

    /// Learns the length of vectors from the first one.
    fn settle(&mut self, batch: &RecordBatch) -> Result<(), DataError> {
        for place in std::mem::take(&mut self.unsettled) {
            let at = self.columns.iter().position(|(other, _)| *other == place).unwrap_or_default();
            match array::Cells::new(batch.column(at)).width() {
                Some(0) => {
                    let problem = "its vectors are empty".to_owned();
                    return Err(refused(&self.path, self.sheet.cells(), place, problem));
                }
                Some(width) => {
                    self.width = self.width.saturating_add(width);
                    self.sheet.cells_mut().expect_vectors(place, Some(width));
                }
                None => self.unsettled.push(place),
            }
        }
        Ok(())
    }

    /// A few rows at a time, so that a batch of many can go to the disk as it is taken apart.
    fn add(&mut self, batch: &RecordBatch) -> Result<(), DataError> {
        let together = (TOGETHER_NUMBERS / self.width.max(1)).clamp(1, TOGETHER);
        for start in (0..batch.num_rows()).step_by(together) {
            let some = batch.slice(start, together.min(batch.num_rows() - start));
            let admitted = self.admitted(&some)?;
            let left_out = admitted.iter().flatten().filter(|admitted| !**admitted).count();
            let first = self.sheet.add_rows(some.num_rows() - left_out)?;
            let to = Target { first, arrived: self.arrived, admitted: admitted.as_deref() };
            for (&(place, kind), array) in self.columns.iter().zip(some.columns()) {
                if kind == Kind::Vectors {
                    let numbers = array::Cells::new(array).numbers_of_vectors() as u64;
                    self.converting.set(numbers.saturating_mul(CONVERTED), "the numbers of its vectors")?;
                }
                add_column(&mut self.sheet, &to, place, kind, array)?;
            }
            self.arrived += some.num_rows() as u64;
        }
        Ok(())
    }

    /// Which rows are to be read, by their texts; all of them where there are none.
    fn admitted(&mut self, batch: &RecordBatch) -> Result<Option<Vec<bool>>, DataError> {
        let Some(place) = self.sheet.text_place() else { return Ok(None) };
        let Some(at) = self.columns.iter().position(|(other, _)| *other == place) else { return Ok(None) };
        let column = array::Cells::new(batch.column(at));
        let admits = |(row, text): (u64, Option<Cow<'_, str>>)| {
            self.sheet.admits(&word(text.as_deref()), Place::Row(self.arrived + row))
        };
        (0..).zip(column.texts()).map(admits).collect::<Result<_, _>>().map(Some)
    }
}

/// Where the rows of a batch go.
struct Target<'a> {
    /// The first of them that is read.
    first: usize,
    /// How many rows came before the batch.
    arrived: u64,
    /// Which of them are read; all where nothing is said.
    admitted: Option<&'a [bool]>,
}

fn add_column(
    sheet: &mut Sheet,
    to: &Target<'_>,
    place: usize,
    kind: Kind,
    array: &ArrayRef,
) -> Result<(), DataError> {
    let column = array::Cells::new(array);
    let mut next = to.first;
    // Called for every row, in their order.
    let mut set = |row: usize, given: Given<'_>| {
        if to.admitted.is_some_and(|admitted| !admitted[row]) {
            return Ok(());
        }
        next += 1;
        sheet.set(next - 1, place, &given, Place::Row(to.arrived + row as u64))
    };
    match kind {
        Kind::Vectors => {
            let vectors = column.vectors();
            for row in 0..array.len() {
                let vector = vectors.get(row).map(|(numbers, gaps)| Given::Vector { numbers, gaps });
                set(row, vector.unwrap_or(Given::Nothing))?;
            }
        }
        Kind::Numbers => {
            for (row, number) in column.numbers().enumerate() {
                set(row, number.map_or(Given::Nothing, Given::Number))?;
            }
        }
        Kind::Dates => {
            for (row, days) in column.numbers().enumerate() {
                set(row, days.map_or(Given::Nothing, Given::Date))?;
            }
        }
        Kind::Truths => {
            for (row, truth) in column.numbers().enumerate() {
                set(row, truth.map_or(Given::Nothing, |truth| Given::Truth(truth != 0.0)))?;
            }
        }
        Kind::Words | Kind::Nothing => {
            for (row, text) in column.texts().enumerate() {
                set(row, word(text.as_deref()))?;
            }
        }
    }
    Ok(())
}

/// A text without the blanks around it, or nothing.
fn word(text: Option<&str>) -> Given<'_> {
    text.map_or(Given::Nothing, |text| Given::Word(text.trim_ascii()))
}

/// What a column holds, if it is what its role needs.
fn check(path: &Path, cells: &Cells, place: usize, of: &DataType) -> Result<Kind, DataError> {
    let refuse = |problem| Err(refused(path, cells, place, problem));
    let wanted = cells.wanted(place);
    if cells.layout().roles[place] == Role::Text {
        return match array::kind(of) {
            Some(kind @ (Kind::Words | Kind::Nothing)) => Ok(kind),
            _ => refuse("it holds no text; name another column".to_owned()),
        };
    }
    match (array::kind(of), wanted) {
        (None, _) => refuse(format!(
            "{} can become no values; accepted are numbers, text, and lists of numbers: convert it",
            described(of)
        )),
        (Some(Kind::Vectors), None) => {
            refuse("it holds vectors, which name neither a row nor a class; name another".to_owned())
        }
        (Some(Kind::Vectors), Some(Wanted::Numbers | Wanted::Words)) => {
            refuse("it holds vectors, but the model was fitted to single values there".to_owned())
        }
        (Some(Kind::Numbers | Kind::Words | Kind::Dates | Kind::Truths), Some(Wanted::Vectors(width))) => {
            refuse(format!("the model was fitted to vectors of {width} numbers there, and these are none"))
        }
        // Exact, where a number is a name, a class, or was a word to the model.
        (Some(Kind::Numbers | Kind::Dates | Kind::Truths), None | Some(Wanted::Words)) => Ok(Kind::Words),
        (Some(kind), _) => Ok(kind),
    }
}

fn refused(path: &Path, cells: &Cells, place: usize, problem: String) -> DataError {
    let (path, column) = (path.to_owned(), cells.layout().show(place));
    // A column that is asked for as something is not meant to be left out.
    let is_value = cells.wanted(place).is_some();
    DataError::Column {
        path,
        column,
        problem,
        remedies: if is_value { &[Remedy::LeaveColumnOut] } else { &[] },
    }
}

fn described(of: &DataType) -> String {
    match of {
        DataType::Time32(_) | DataType::Time64(_) => "a time of day".to_owned(),
        DataType::Duration(_) | DataType::Interval(_) => "a span of time".to_owned(),
        DataType::Struct(_) => "a structure of several fields".to_owned(),
        DataType::Map(..) => "a map".to_owned(),
        DataType::Union(..) => "a union of types".to_owned(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "binary data".to_owned()
        }
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
            "a list of something else than numbers".to_owned()
        }
        // The name of a nested type can be as long as its file.
        other => format!("the type {}", crate::error::quoted(other.to_string().as_bytes())),
    }
}

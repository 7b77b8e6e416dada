//! Data frames: tables whose columns are in memory, each of one type.
//!
//! The cells go through the same [`Column`](super::cells::Column)s as those of a file, so a frame gives the values, and
//! the model, of the Parquet file that it would be saved as.

mod errors;
mod read;
#[cfg(test)]
mod tests;

use crate::matrix::Matrix;

use super::cells::Given;

pub use errors::FrameError;
pub use read::{FrameTable, Wanted};

/// The cells of a column, as data frames hold them.
#[derive(Clone, Debug)]
pub enum FrameCells {
    /// Numbers; what is no number is missing.
    Numbers(Vec<f64>),
    /// Points in time, in days since 1970-01-01; what is no number is missing.
    Dates(Vec<f64>),
    /// One of several values: of each row the place of its value, which is missing where there is none at that place.
    Values {
        /// Of each row.
        places: Vec<i32>,
        /// The different values.
        values: Vec<FrameValue>,
    },
    /// A vector for each row; what is no number among them is missing.
    Vectors(Matrix<f32>),
}

/// A value of a column that may hold anything.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameValue {
    /// A word, even if it looks like a number.
    Word(String),
    /// A number.
    Number(f64),
    /// A point in time, in days since 1970-01-01.
    Date(f64),
    /// True or false.
    Truth(bool),
}

impl FrameCells {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            FrameCells::Numbers(numbers) | FrameCells::Dates(numbers) => numbers.len(),
            FrameCells::Values { places, .. } => places.len(),
            FrameCells::Vectors(rows) => rows.rows(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn get(&self, row: usize) -> Given<'_> {
        let known = |number: f64| Some(number).filter(|number| !number.is_nan());
        match self {
            FrameCells::Numbers(numbers) => known(numbers[row]).map_or(Given::Nothing, Given::Number),
            FrameCells::Dates(days) => known(days[row]).map_or(Given::Nothing, Given::Date),
            FrameCells::Values { places, values } => {
                let value = usize::try_from(places[row]).ok().and_then(|place| values.get(place));
                value.map_or(Given::Nothing, FrameValue::given)
            }
            FrameCells::Vectors(rows) => {
                let numbers = rows.row(row);
                match numbers.iter().filter(|number| number.is_nan()).count() {
                    gaps if gaps == numbers.len() => Given::Nothing,
                    gaps => Given::Vector { numbers, gaps: gaps > 0 },
                }
            }
        }
    }
}

impl FrameValue {
    fn given(&self) -> Given<'_> {
        match self {
            FrameValue::Word(word) => Given::Word(word),
            FrameValue::Number(number) => Given::Number(*number),
            FrameValue::Date(days) => Given::Date(*days),
            FrameValue::Truth(truth) => Given::Truth(*truth),
        }
    }
}

/// A column of a frame.
#[derive(Clone, Debug)]
pub struct FrameColumn {
    /// What it is called, if it has a name.
    pub name: Option<String>,
    /// What it holds.
    pub cells: FrameCells,
}

/// A data frame.
///
/// ```
/// use lpvdn_core::table::{Frame, FrameCells, FrameColumn, FrameValue, Wanted};
/// use lpvdn_core::RowSource;
/// let values = ["free", "plus"].map(|word| FrameValue::Word(word.into())).to_vec();
/// let frame = Frame::new(vec![
///     FrameColumn { name: Some("age".into()), cells: FrameCells::Numbers(vec![52.0, 31.0]) },
///     FrameColumn { name: Some("plan".into()), cells: FrameCells::Values { places: vec![0, 1], values } },
/// ])?;
/// let table = frame.read(&Wanted::default())?;
/// assert_eq!(table.names(), ["age", "plan=free", "plan=plus"]);
/// assert_eq!(table.rows.cols(), 3);
/// # Ok::<(), lpvdn_core::table::FrameError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Frame {
    columns: Vec<FrameColumn>,
    rows: usize,
}

impl Frame {
    /// Of columns that all have the same number of cells.
    pub fn new(columns: Vec<FrameColumn>) -> Result<Frame, FrameError> {
        let rows = columns.first().map_or(0, |column| column.cells.len());
        let frame = Frame { columns, rows };
        let other = (0..frame.columns.len()).find(|&place| frame.columns[place].cells.len() != rows);
        match other {
            Some(place) => {
                let cells = frame.columns[place].cells.len();
                Err(FrameError::Lengths { column: frame.show(place), cells, rows })
            }
            None => Ok(frame),
        }
    }

    /// The name of a column, or its place from 0 where it has none.
    fn name(&self, place: usize) -> String {
        self.columns[place].name.clone().unwrap_or_else(|| place.to_string())
    }

    /// How a column is called in messages.
    fn show(&self, place: usize) -> String {
        match &self.columns[place].name {
            Some(name) => super::cells::quoted(name.as_bytes()),
            None => place.to_string(),
        }
    }
}

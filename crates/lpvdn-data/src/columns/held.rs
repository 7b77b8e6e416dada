//! The first rows of a table, which wait until it is known what their columns hold.

use lpvdn_core::table::cells::{DECIDING, Given};

use crate::error::Place;

/// Fewer than [`DECIDING`] rows decide what a column holds, if they take more bytes. That does not depend on how much
/// memory there is, nor does what they decide.
const MOST_BYTES: usize = 8 << 20;

/// The first rows.
pub(super) struct Held {
    columns: Vec<HeldColumn>,
    /// Where each row stands.
    at: Vec<Place>,
    bytes: usize,
}

#[derive(Default)]
struct HeldColumn {
    cells: Vec<Kept>,
    text: Vec<u8>,
    numbers: Vec<f32>,
}

/// A cell; what is long stands elsewhere.
#[derive(Clone, Copy)]
enum Kept {
    Text { start: usize, length: u32 },
    Word { start: usize, length: u32 },
    Number(f64),
    Date(f64),
    Truth(bool),
    Vector { start: usize, length: u32, gaps: bool },
    Nothing,
}

impl Held {
    pub(super) fn new(columns: usize) -> Held {
        let columns = (0..columns).map(|_| HeldColumn::default()).collect();
        Held { columns, at: Vec::new(), bytes: 0 }
    }

    pub(super) fn rows(&self) -> usize {
        self.at.len()
    }

    /// What it takes of memory; vectors double as they grow.
    pub(super) fn bytes(&self) -> usize {
        2 * self.bytes
    }

    /// Whether no more rows are needed.
    pub(super) fn is_full(&self) -> bool {
        self.rows() >= DECIDING || self.bytes >= MOST_BYTES
    }

    /// The cell of a column in the next of its rows, which stands at `at`.
    pub(super) fn push(&mut self, column: usize, given: &Given<'_>, at: Place) {
        let column = &mut self.columns[column];
        if column.cells.len() == self.at.len() {
            self.at.push(at);
        }
        let (cell, bytes) = column.keep(given);
        column.cells.push(cell);
        self.bytes += size_of::<Kept>() + bytes;
    }

    /// Where a row stands.
    pub(super) fn at(&self, row: usize) -> Place {
        self.at[row]
    }

    /// The cell of a column.
    pub(super) fn get(&self, row: usize, column: usize) -> Given<'_> {
        let column = &self.columns[column];
        let text = |start: usize, length: u32| &column.text[start..start + length as usize];
        match column.cells[row] {
            Kept::Text { start, length } => Given::Text(text(start, length)),
            // It was UTF-8 when it came.
            Kept::Word { start, length } => {
                Given::Word(std::str::from_utf8(text(start, length)).unwrap_or_default())
            }
            Kept::Number(number) => Given::Number(number),
            Kept::Date(days) => Given::Date(days),
            Kept::Truth(truth) => Given::Truth(truth),
            Kept::Vector { start, length, gaps } => {
                let numbers = &column.numbers[start..start + length as usize];
                Given::Vector { numbers, gaps }
            }
            Kept::Nothing => Given::Nothing,
        }
    }

    /// The cells of a column.
    pub(super) fn column(&self, column: usize) -> impl Iterator<Item = Given<'_>> {
        (0..self.columns[column].cells.len()).map(move |row| self.get(row, column))
    }
}

impl HeldColumn {
    /// The cell, and the bytes that stand elsewhere.
    fn keep(&mut self, given: &Given<'_>) -> (Kept, usize) {
        let text = |text: &[u8], to: &mut Vec<u8>| {
            let start = to.len();
            to.extend_from_slice(text);
            (start, text.len() as u32, text.len())
        };
        match given {
            Given::Text(cell) => {
                let (start, length, bytes) = text(cell, &mut self.text);
                (Kept::Text { start, length }, bytes)
            }
            Given::Word(word) => {
                let (start, length, bytes) = text(word.as_bytes(), &mut self.text);
                (Kept::Word { start, length }, bytes)
            }
            Given::Number(number) => (Kept::Number(*number), 0),
            Given::Date(days) => (Kept::Date(*days), 0),
            Given::Truth(truth) => (Kept::Truth(*truth), 0),
            Given::Vector { numbers, gaps } => {
                let (start, length) = (self.numbers.len(), numbers.len() as u32);
                self.numbers.extend_from_slice(numbers);
                (Kept::Vector { start, length, gaps: *gaps }, size_of_val(*numbers))
            }
            Given::Nothing => (Kept::Nothing, 0),
        }
    }
}

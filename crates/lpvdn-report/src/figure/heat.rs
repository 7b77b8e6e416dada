//! A value for each pair, as a field of colours with their numbers.

use super::axes::{Frame, LABEL, TICK};
use crate::drawing::{Anchor, Area, Drawing};
use crate::font;
use crate::palette::{FAINT, INK, heat, ink_on};

const CELL: (f64, f64) = (58.0, 40.0);
/// The room for the names of rows, at least and at most.
const NAMES: (f64, f64) = (38.0, 130.0);
/// Of the values that the colours stretch over: scores that differ by chance alone should not look different.
const LEAST_RANGE: f64 = 0.05;

/// A field of values.
#[derive(Clone, Debug)]
pub struct Heat {
    title: String,
    x: String,
    y: String,
    columns: Vec<String>,
    rows: Vec<String>,
    values: Vec<Option<f64>>,
    framed: Option<(usize, usize)>,
    digits: usize,
}

impl Heat {
    /// `values` row by row; the names of the axes, of each column and each row.
    pub fn new(
        title: impl Into<String>,
        (x, columns): (&str, Vec<String>),
        (y, rows): (&str, Vec<String>),
        values: Vec<Option<f64>>,
    ) -> Heat {
        let (x, y) = (x.to_owned(), y.to_owned());
        Heat { title: title.into(), x, y, columns, rows, values, framed: None, digits: 3 }
    }

    /// Draws a frame around a row's column.
    #[must_use]
    pub fn framed(mut self, row: usize, column: usize) -> Heat {
        self.framed = Some((row, column));
        self
    }

    /// How many decimals are shown.
    #[must_use]
    pub fn digits(mut self, digits: usize) -> Heat {
        self.digits = digits;
        self
    }

    /// The room that the names of rows need.
    fn names(&self) -> f64 {
        let widest = self.rows.iter().map(|name| font::width(name, TICK)).fold(0.0, f64::max);
        widest.clamp(NAMES.0, NAMES.1)
    }

    pub(super) fn size(&self) -> (f64, f64) {
        let (columns, rows) = (self.columns.len().max(1) as f64, self.rows.len().max(1) as f64);
        (self.names() + 36.0 + CELL.0 * columns, 72.0 + CELL.1 * rows)
    }

    pub(super) fn draw(&self, area: Area, drawing: &mut Drawing) {
        let wider = self.names() - NAMES.0;
        let frame = Frame::within(Area { x: area.x + wider, width: area.width - wider, ..area }, 0.0);
        let plot = frame.plot;
        frame.heading(&self.title, drawing);
        let known = || self.values.iter().flatten().copied().filter(|v| v.is_finite());
        let low = known().fold(f64::INFINITY, f64::min);
        let high = known().fold(f64::NEG_INFINITY, f64::max);
        // What differs by less than this looks alike.
        let range = (high - low).max(LEAST_RANGE);
        let place = |row: usize, column: usize| Area {
            x: plot.x + CELL.0 * column as f64,
            y: plot.y + CELL.1 * row as f64,
            width: CELL.0,
            height: CELL.1,
        };
        for (i, value) in self.values.iter().enumerate() {
            let cell = place(i / self.columns.len().max(1), i % self.columns.len().max(1));
            let middle = (cell.x + CELL.0 / 2.0, cell.y + CELL.1 / 2.0 + 0.35 * TICK);
            match value {
                Some(value) => {
                    let ground = heat((value - low) / range);
                    drawing.fill(Area { width: CELL.0 - 1.0, height: CELL.1 - 1.0, ..cell }, ground);
                    let text = format!("{value:.*}", self.digits);
                    drawing.words(middle, &text, TICK, Anchor::Middle, ink_on(ground));
                }
                None => drawing.words(middle, "–", TICK, Anchor::Middle, FAINT),
            }
        }
        for (row, name) in self.rows.iter().enumerate() {
            let cell = place(row, 0);
            let at = (plot.x - 6.0, cell.y + CELL.1 / 2.0 + 0.35 * TICK);
            drawing.words_within(at, name, self.names(), TICK, Anchor::End, FAINT);
        }
        for (column, name) in self.columns.iter().enumerate() {
            let at = (place(0, column).x + CELL.0 / 2.0, plot.bottom() + 17.0);
            drawing.words_within(at, name, CELL.0 - 4.0, TICK, Anchor::Middle, FAINT);
        }
        if let Some((row, column)) = self.framed {
            let Area { x, y, width, height } = place(row, column);
            let around = [
                (x, y),
                (x + width - 1.0, y),
                (x + width - 1.0, y + height - 1.0),
                (x, y + height - 1.0),
                (x, y),
            ];
            drawing.line(&around, [213, 94, 0], 2.5);
        }
        drawing.words_upward((plot.x - 10.0 - self.names(), plot.y + plot.height / 2.0), &self.y, LABEL, INK);
        frame.x_name(&self.x, drawing);
    }
}

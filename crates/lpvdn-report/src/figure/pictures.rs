//! Rows that are images, in lines with names.

use super::axes::{HEADING, LABEL, TICK};
use crate::drawing::{Anchor, Area, Drawing};
use crate::font;
use crate::palette::{Color, FAINT, INK};
use crate::picture::Picture;

const SIDE: f64 = 48.0;
const STEP: f64 = 58.0;

/// What a picture is, for its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Without a frame.
    Plain,
    /// Of the class that was asked for.
    Right,
    /// Of another.
    Wrong,
}

impl Shown {
    /// Orange and dashed for wrong ones, so that they are seen without colours too.
    fn frame(self) -> Option<(Color, bool)> {
        match self {
            Shown::Plain => None,
            Shown::Right => Some(([0, 114, 178], false)),
            Shown::Wrong => Some(([213, 94, 0], true)),
        }
    }
}

/// A line of pictures.
#[derive(Clone, Debug)]
pub struct PictureRow {
    /// What stands before it.
    pub name: String,
    /// From left to right.
    pub pictures: Vec<(Picture, Shown)>,
}

/// Lines of pictures.
#[derive(Clone, Debug)]
pub struct Pictures {
    title: String,
    columns: Vec<String>,
    rows: Vec<PictureRow>,
}

impl Pictures {
    /// With what stands above the columns, which may be nothing.
    pub fn new(title: impl Into<String>, columns: Vec<String>, rows: Vec<PictureRow>) -> Pictures {
        Pictures { title: title.into(), columns, rows }
    }

    fn names(&self) -> f64 {
        let widest = self.rows.iter().map(|row| font::width(&row.name, LABEL)).fold(0.0, f64::max);
        widest.min(220.0) + 14.0
    }

    fn head(&self) -> f64 {
        28.0 + if self.columns.is_empty() { 0.0 } else { TICK + 6.0 }
    }

    pub(super) fn size(&self) -> (f64, f64) {
        let widest = self.rows.iter().map(|row| row.pictures.len()).max().unwrap_or(0);
        let title = font::width(&self.title, HEADING);
        let width = (self.names() + STEP * widest as f64).max(title).max(200.0);
        (width, self.head() + STEP * self.rows.len() as f64)
    }

    pub(super) fn draw(&self, area: Area, drawing: &mut Drawing) {
        let (names, top) = (self.names(), area.y + self.head());
        drawing.words_within((area.x, area.y + 18.0), &self.title, area.width, HEADING, Anchor::Start, INK);
        for (i, name) in self.columns.iter().enumerate() {
            let at = (area.x + names + STEP * i as f64 + SIDE / 2.0, top - 8.0);
            drawing.words_within(at, name, STEP, TICK, Anchor::Middle, FAINT);
        }
        for (r, row) in self.rows.iter().enumerate() {
            let y = top + STEP * r as f64;
            let at = (area.x, y + SIDE / 2.0 + 0.35 * LABEL);
            drawing.words_within(at, &row.name, names - 8.0, LABEL, Anchor::Start, INK);
            for (c, (picture, shown)) in row.pictures.iter().enumerate() {
                let x = area.x + names + STEP * c as f64;
                self.picture((x, y), picture, *shown, drawing);
            }
        }
    }

    fn picture(&self, (x, y): (f64, f64), picture: &Picture, shown: Shown, drawing: &mut Drawing) {
        let larger = picture.width().max(picture.height()) as f64;
        let (width, height) =
            (SIDE * picture.width() as f64 / larger, SIDE * picture.height() as f64 / larger);
        let area = Area { x, y, width, height };
        drawing.marks.push(crate::drawing::Mark::Picture { area, picture: picture.clone() });
        let Some((color, dashed)) = shown.frame() else { return };
        let (left, right, above, below) = (x - 2.0, x + width + 2.0, y - 2.0, y + height + 2.0);
        let around = [(left, above), (right, above), (right, below), (left, below), (left, above)];
        if dashed {
            drawing.dashed(&around, color, 3.0);
        } else {
            drawing.line(&around, color, 2.0);
        }
    }
}

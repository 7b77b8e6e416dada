//! Figures: panels side by side under a title.

mod axes;
mod bars;
mod heat;
mod histogram;
mod lines;
mod pictures;
mod scatter;

use std::io::{self, Write};
use std::path::Path;

use lpvdn_core::file::atomic_replace;

pub use bars::{BarSeries, Bars};
pub use heat::Heat;
pub use histogram::Histogram;
pub use lines::{LineSeries, Lines};
pub use pictures::{PictureRow, Pictures, Shown};
pub use scatter::Scatter;

use crate::drawing::{Anchor, Area, Drawing};
use crate::palette::{BACKGROUND, FAINT, INK};
use crate::{png, svg};

const MARGIN: f64 = 16.0;
const TITLE: f64 = 18.0;
const NOTE: f64 = 12.0;

/// A part of a figure with a title of its own.
#[derive(Clone, Debug)]
pub enum Panel {
    /// Values against a number.
    Lines(Lines),
    /// Values of named things.
    Bars(Bars),
    /// A value for each pair.
    Heat(Heat),
    /// Rows as points of a plane.
    Scatter(Scatter),
    /// How often values are where.
    Histogram(Histogram),
    /// Rows that are images.
    Pictures(Pictures),
}

impl Panel {
    fn size(&self) -> (f64, f64) {
        match self {
            Panel::Lines(panel) => panel.size(),
            Panel::Bars(panel) => panel.size(),
            Panel::Heat(panel) => panel.size(),
            Panel::Scatter(panel) => panel.size(),
            Panel::Histogram(panel) => panel.size(),
            Panel::Pictures(panel) => panel.size(),
        }
    }

    fn draw(&self, area: Area, drawing: &mut Drawing) {
        match self {
            Panel::Lines(panel) => panel.draw(area, drawing),
            Panel::Bars(panel) => panel.draw(area, drawing),
            Panel::Heat(panel) => panel.draw(area, drawing),
            Panel::Scatter(panel) => panel.draw(area, drawing),
            Panel::Histogram(panel) => panel.draw(area, drawing),
            Panel::Pictures(panel) => panel.draw(area, drawing),
        }
    }
}

macro_rules! from_panel {
    ($($kind:ident),*) => {
        $(impl From<$kind> for Panel {
            fn from(panel: $kind) -> Panel {
                Panel::$kind(panel)
            }
        })*
    };
}
from_panel!(Lines, Bars, Heat, Scatter, Histogram, Pictures);

/// Panels under a title.
///
/// ```
/// use lpvdn_report::Figure;
/// use lpvdn_report::figure::{LineSeries, Lines};
/// let curve = LineSeries::new("LPVDN", vec![(0.0, 0.97, 0.0), (0.5, 0.9, 0.01), (1.0, 0.6, 0.02)]);
/// let lines = Lines::new("MNIST", "σ", "ACC").series(curve);
/// let figure = Figure::new("Accuracy under noise").panel(lines);
/// assert!(figure.svg().contains("Accuracy under noise"));
/// assert!(figure.png()?.starts_with(b"\x89PNG"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Figure {
    title: String,
    note: Option<String>,
    panels: Vec<Panel>,
    columns: usize,
}

impl Figure {
    /// Without panels yet.
    pub fn new(title: impl Into<String>) -> Figure {
        Figure { title: title.into(), note: None, panels: Vec::new(), columns: 3 }
    }

    /// A line below the title; a second note stands behind the first.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Figure {
        let note = note.into();
        self.note = Some(self.note.map_or_else(|| note.clone(), |first| format!("{first} {note}")));
        self
    }

    /// One panel more, beside the last, or below where there are enough side by side.
    #[must_use]
    pub fn panel(mut self, panel: impl Into<Panel>) -> Figure {
        self.panels.push(panel.into());
        self
    }

    /// How many panels stand side by side.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Figure {
        self.columns = columns.max(1);
        self
    }

    fn draw(&self) -> Drawing {
        let lines: Vec<&[Panel]> = self.panels.chunks(self.columns).collect();
        let width = |line: &&[Panel]| line.iter().map(|p| p.size().0 + MARGIN).sum::<f64>();
        let height = |line: &[Panel]| line.iter().map(|p| p.size().1).fold(0.0, f64::max);
        let head = MARGIN + TITLE + if self.note.is_some() { NOTE + 6.0 } else { 0.0 } + MARGIN / 2.0;
        let whole = lines.iter().map(width).fold(320.0, f64::max) + MARGIN;
        let below: f64 = lines.iter().map(|line| height(line) + MARGIN).sum();
        let (width, height_of_all) = (whole.ceil(), (head + below).ceil());
        let mut drawing =
            Drawing { width, height: height_of_all, title: self.title.clone(), marks: Vec::new() };
        drawing.fill(Area { x: 0.0, y: 0.0, width, height: height_of_all }, BACKGROUND);
        let room = width - 2.0 * MARGIN;
        drawing.words_within((MARGIN, MARGIN + TITLE * 0.8), &self.title, room, TITLE, Anchor::Start, INK);
        if let Some(note) = &self.note {
            let at = (MARGIN, MARGIN + TITLE + NOTE + 2.0);
            drawing.words_within(at, note, room, NOTE, Anchor::Start, FAINT);
        }
        let mut y = head;
        for line in lines {
            let mut x = MARGIN;
            for panel in line {
                let (width, height) = panel.size();
                panel.draw(Area { x, y, width, height }, &mut drawing);
                x += width + MARGIN;
            }
            y += height(line) + MARGIN;
        }
        drawing
    }

    /// As the text of an SVG file.
    pub fn svg(&self) -> String {
        svg::svg(&self.draw())
    }

    /// As the bytes of a PNG file.
    ///
    /// # Errors
    /// A picture that is too large.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        png::png(&self.draw())
    }

    /// Writes `NAME.svg` and `NAME.png` in a folder.
    ///
    /// # Errors
    /// What writing files brings.
    pub fn save(&self, folder: &Path, name: &str) -> io::Result<()> {
        let drawing = self.draw();
        atomic_replace(&folder.join(format!("{name}.svg")), |w| w.write_all(svg::svg(&drawing).as_bytes()))?;
        atomic_replace(&folder.join(format!("{name}.png")), |w| w.write_all(&png::png(&drawing)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_without_panels_or_values_is_still_a_picture() {
        for figure in [
            Figure::new("empty"),
            Figure::new("no series").panel(Lines::new("", "x", "y")),
            Figure::new("one point")
                .panel(Lines::new("", "x", "y").series(LineSeries::new("a", vec![(1.0, 2.0, 0.0)]))),
            Figure::new("no bars").panel(Bars::new("", "y", Vec::<String>::new())),
            Figure::new("no points").panel(Scatter::new("", Vec::new(), Vec::new(), Vec::new())),
            Figure::new("no values").panel(Histogram::new("", "x", 10)),
        ] {
            let svg = figure.svg();
            assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!(figure.png().expect("a picture").starts_with(b"\x89PNG"));
        }
    }
}

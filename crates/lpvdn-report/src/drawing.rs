//! What a figure is made of, before it is SVG or PNG.

use crate::font;
use crate::palette::Color;
use crate::picture::Picture;

/// A point of the drawing, from its upper left corner.
pub(crate) type Point = (f64, f64);

/// Where a text lies relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The form of a dot: series are told apart without colours too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Circle,
    Square,
    Diamond,
    Triangle,
    Cross,
}

impl Shape {
    const ALL: [Shape; 5] = [Shape::Circle, Shape::Square, Shape::Diamond, Shape::Triangle, Shape::Cross];

    /// That of the i-th series.
    pub(crate) fn of(i: usize) -> Shape {
        Shape::ALL[i % Shape::ALL.len()]
    }

    /// The corners around (0, 0) of a dot of radius 1; none for a circle.
    pub(crate) fn corners(self) -> &'static [Point] {
        match self {
            Shape::Circle => &[],
            Shape::Square => &[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
            Shape::Diamond => &[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)],
            Shape::Triangle => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            Shape::Cross => &[
                (-1.1, -0.5),
                (-0.5, -1.1),
                (0.0, -0.6),
                (0.5, -1.1),
                (1.1, -0.5),
                (0.6, 0.0),
                (1.1, 0.5),
                (0.5, 1.1),
                (0.0, 0.6),
                (-0.5, 1.1),
                (-1.1, 0.5),
                (-0.6, 0.0),
            ],
        }
    }
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }
    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Mark {
    Box { area: Area, fill: Color, opacity: f64 },
    Line { points: Vec<Point>, color: Color, width: f64, dashed: bool },
    Surface { points: Vec<Point>, fill: Color, opacity: f64 },
    Dot { at: Point, radius: f64, shape: Shape, fill: Color, opacity: f64 },
    Words { at: Point, text: String, size: f64, anchor: Anchor, upward: bool, color: Color },
    Picture { area: Area, picture: Picture },
}

/// Marks, the later above the earlier.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// What it shows, for those who cannot see it.
    pub(crate) title: String,
    pub(crate) marks: Vec<Mark>,
}

impl Drawing {
    pub(crate) fn fill(&mut self, area: Area, fill: Color) {
        self.marks.push(Mark::Box { area, fill, opacity: 1.0 });
    }

    pub(crate) fn line(&mut self, points: &[Point], color: Color, width: f64) {
        self.marks.push(Mark::Line { points: points.to_vec(), color, width, dashed: false });
    }

    pub(crate) fn dashed(&mut self, points: &[Point], color: Color, width: f64) {
        self.marks.push(Mark::Line { points: points.to_vec(), color, width, dashed: true });
    }

    pub(crate) fn dot(&mut self, at: Point, radius: f64, shape: Shape, fill: Color) {
        self.marks.push(Mark::Dot { at, radius, shape, fill, opacity: 1.0 });
    }

    pub(crate) fn words(&mut self, at: Point, text: &str, size: f64, anchor: Anchor, color: Color) {
        self.marks.push(Mark::Words { at, text: text.to_owned(), size, anchor, upward: false, color });
    }

    /// Text that is read from below.
    pub(crate) fn words_upward(&mut self, at: Point, text: &str, size: f64, color: Color) {
        let text = text.to_owned();
        self.marks.push(Mark::Words { at, text, size, anchor: Anchor::Middle, upward: true, color });
    }

    /// Text, cut with … where it is wider than there is room.
    pub(crate) fn words_within(
        &mut self,
        at: Point,
        text: &str,
        room: f64,
        size: f64,
        anchor: Anchor,
        color: Color,
    ) {
        self.words(at, &font::fitted(text, size, room), size, anchor, color);
    }
}

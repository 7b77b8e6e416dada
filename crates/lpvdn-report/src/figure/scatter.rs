//! Rows as points of a plane, coloured by class.

use super::axes::{Frame, Legend, Scale, Sign, TICK};
use crate::drawing::{Anchor, Area, Drawing, Mark, Shape};
use crate::font;
use crate::palette::{BACKGROUND, COLORS, INK, class};

/// Points with classes.
#[derive(Clone, Debug)]
pub struct Scatter {
    title: String,
    points: Vec<[f32; 2]>,
    classes: Vec<u32>,
    names: Vec<String>,
}

impl Scatter {
    /// Points, the class of each, and the names of the classes.
    pub fn new(
        title: impl Into<String>,
        points: Vec<[f32; 2]>,
        classes: Vec<u32>,
        names: Vec<String>,
    ) -> Scatter {
        Scatter { title: title.into(), points, classes, names }
    }

    fn legend(&self) -> Legend {
        let entry = |(i, name): (usize, &String)| (name.clone(), Sign::Dot(class(i), Shape::of(i / COLORS)));
        Legend::new(self.names.iter().enumerate().map(entry).collect(), 526.0)
    }

    pub(super) fn size(&self) -> (f64, f64) {
        (600.0, 600.0 + self.legend().height())
    }

    pub(super) fn draw(&self, area: Area, drawing: &mut Drawing) {
        let legend = self.legend();
        let frame = Frame::within(area, legend.height());
        let axis = |i: usize| Scale::around(self.points.iter().map(|p| f64::from(p[i])));
        let (x, y) = (axis(0), axis(1));
        frame.heading(&self.title, drawing);
        frame.y_axis(y, "second coordinate", drawing);
        frame.x_axis(x, "first coordinate", drawing);
        frame.edges(drawing);
        let place = |p: &[f32; 2]| frame.point(x.share(f64::from(p[0])), y.share(f64::from(p[1])));
        let radius = if self.points.len() > 3_000 { 1.5 } else { 2.4 };
        for (point, &of) in self.points.iter().zip(&self.classes) {
            drawing.marks.push(Mark::Dot {
                at: place(point),
                radius,
                shape: Shape::of(of as usize / COLORS),
                fill: class(of as usize),
                opacity: 0.8,
            });
        }
        // The name of a class stands at its middle: colours alone are not enough for everyone.
        for (i, name) in self.names.iter().enumerate() {
            if let Some(middle) = self.middle(i) {
                let (x, y) = place(&middle);
                let (name, half) =
                    (font::fitted(name, TICK, 90.0), 0.5 * font::width(name, TICK).min(90.0) + 3.0);
                let ground = Area { x: x - half, y: y - 8.0, width: 2.0 * half, height: 15.0 };
                drawing.marks.push(Mark::Box { area: ground, fill: BACKGROUND, opacity: 0.8 });
                drawing.words((x, y + 0.35 * TICK), &name, TICK, Anchor::Middle, INK);
            }
        }
        legend.draw((area.x + 62.0, frame.plot.bottom() + 44.0), drawing);
    }

    /// The median in each direction of a class's points.
    fn middle(&self, class: usize) -> Option<[f32; 2]> {
        let median = |i: usize| {
            let own = self.points.iter().zip(&self.classes).filter(|(_, c)| **c as usize == class);
            let mut values: Vec<f32> = own.map(|(p, _)| p[i]).collect();
            values.sort_by(f32::total_cmp);
            values.get(values.len() / 2).copied()
        };
        Some([median(0)?, median(1)?])
    }
}

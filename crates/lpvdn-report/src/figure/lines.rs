//! Curves.

use super::axes::{Frame, Legend, Scale, Sign};
use crate::drawing::{Area, Drawing, Mark, Shape};
use crate::palette::{INK, series};

/// Points of a curve that are marked one by one, at most.
const MOST_DOTS: usize = 60;

/// A curve: its name, and x, mean and standard deviation of its points.
#[derive(Clone, Debug, PartialEq)]
pub struct LineSeries {
    name: String,
    points: Vec<(f64, f64, f64)>,
    /// Drawn dashed, in the colour of the series before it.
    second: bool,
}

impl LineSeries {
    /// Points in the order in which they are joined.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64, f64)>) -> LineSeries {
        LineSeries { name: name.into(), points, second: false }
    }

    /// Another curve of the thing before: dashed, in its colour.
    #[must_use]
    pub fn second(mut self) -> LineSeries {
        self.second = true;
        self
    }
}

/// Curves in one plot.
#[derive(Clone, Debug)]
pub struct Lines {
    title: String,
    x: String,
    y: String,
    series: Vec<LineSeries>,
    levels: Vec<(String, f64)>,
}

impl Lines {
    /// With the names of the axes.
    pub fn new(title: impl Into<String>, x: impl Into<String>, y: impl Into<String>) -> Lines {
        Lines { title: title.into(), x: x.into(), y: y.into(), series: Vec::new(), levels: Vec::new() }
    }

    /// One curve more.
    #[must_use]
    pub fn series(mut self, series: LineSeries) -> Lines {
        self.series.push(series);
        self
    }

    /// A value to compare with, across the plot.
    #[must_use]
    pub fn level(mut self, name: impl Into<String>, value: f64) -> Lines {
        self.levels.push((name.into(), value));
        self
    }

    pub(super) fn size(&self) -> (f64, f64) {
        (460.0, 330.0 + self.legend().height())
    }

    /// The colour and form of each curve.
    fn looks(&self) -> Vec<usize> {
        let mut next = 0;
        let look = |series: &LineSeries| {
            if !series.second {
                next += 1;
            }
            next.max(1) - 1
        };
        self.series.iter().map(look).collect()
    }

    fn legend(&self) -> Legend {
        let sign = |(series_of, look): (&LineSeries, usize)| {
            let color = series(look);
            let sign =
                if series_of.second { Sign::Dashed(color) } else { Sign::Line(color, Shape::of(look)) };
            (series_of.name.clone(), sign)
        };
        let mut entries: Vec<(String, Sign)> = self.series.iter().zip(self.looks()).map(sign).collect();
        entries.extend(self.levels.iter().map(|(name, _)| (name.clone(), Sign::Dashed(INK))));
        Legend::new(entries, 380.0)
    }

    pub(super) fn draw(&self, area: Area, drawing: &mut Drawing) {
        let legend = self.legend();
        let frame = Frame::within(area, legend.height());
        let points = || self.series.iter().flat_map(|s| &s.points);
        let x = Scale::around(points().map(|p| p.0));
        let ends = points().flat_map(|p| [p.1 - p.2, p.1 + p.2]);
        let y = Scale::around(ends.chain(self.levels.iter().map(|l| l.1)));
        frame.heading(&self.title, drawing);
        frame.y_axis(y, &self.y, drawing);
        frame.x_axis(x, &self.x, drawing);
        frame.edges(drawing);
        for (_, value) in &self.levels {
            let across = [frame.point(0.0, y.share(*value)), frame.point(1.0, y.share(*value))];
            drawing.dashed(&across, INK, 1.2);
        }
        let place = |x_of: f64, y_of: f64| frame.point(x.share(x_of), y.share(y_of));
        for (curve, look) in self.series.iter().zip(self.looks()) {
            let color = series(look);
            if curve.points.iter().any(|p| p.2 > 0.0) {
                let above = curve.points.iter().map(|p| place(p.0, p.1 + p.2));
                let below = curve.points.iter().rev().map(|p| place(p.0, p.1 - p.2));
                drawing.marks.push(Mark::Surface {
                    points: above.chain(below).collect(),
                    fill: color,
                    opacity: 0.15,
                });
            }
            let line: Vec<_> = curve.points.iter().map(|p| place(p.0, p.1)).collect();
            if curve.second {
                drawing.dashed(&line, color, 1.8);
            } else {
                drawing.line(&line, color, 2.0);
                // Of many points dots would hide the line.
                let dots = if line.len() <= MOST_DOTS { line.as_slice() } else { &[] };
                dots.iter().for_each(|at| drawing.dot(*at, 3.5, Shape::of(look), color));
            }
        }
        legend.draw((area.x + 62.0, frame.plot.bottom() + 44.0), drawing);
    }
}

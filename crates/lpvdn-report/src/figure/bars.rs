//! Bars, side by side in groups.

use super::axes::{Frame, Legend, Scale, Sign, TICK};
use crate::Spread;
use crate::drawing::{Anchor, Area, Drawing};
use crate::palette::{FAINT, INK, series};

/// The bars of one thing, one in each group.
#[derive(Clone, Debug)]
pub struct BarSeries {
    name: String,
    values: Vec<Option<Spread>>,
    /// What others reached.
    marks: Vec<Option<f64>>,
}

impl BarSeries {
    /// A value for each group; `None` leaves its place empty.
    pub fn new(name: impl Into<String>, values: Vec<Option<Spread>>) -> BarSeries {
        BarSeries { name: name.into(), values, marks: Vec::new() }
    }

    /// A value to compare with for each group.
    #[must_use]
    pub fn marks(mut self, marks: Vec<Option<f64>>) -> BarSeries {
        self.marks = marks;
        self
    }
}

/// Bars in one plot.
#[derive(Clone, Debug)]
pub struct Bars {
    title: String,
    y: String,
    groups: Vec<String>,
    series: Vec<BarSeries>,
    mark: String,
}

impl Bars {
    /// With the name of the axis and of each group.
    pub fn new<S: Into<String>>(
        title: impl Into<String>,
        y: impl Into<String>,
        groups: impl IntoIterator<Item = S>,
    ) -> Bars {
        let groups = groups.into_iter().map(Into::into).collect();
        Bars { title: title.into(), y: y.into(), groups, series: Vec::new(), mark: "the paper".to_owned() }
    }

    /// One bar more in each group.
    #[must_use]
    pub fn series(mut self, series: BarSeries) -> Bars {
        self.series.push(series);
        self
    }

    fn width(&self) -> f64 {
        let bars = (self.groups.len() * (self.series.len() + 1)) as f64;
        (74.0 + 20.0 * bars).max(360.0)
    }

    fn legend(&self) -> Legend {
        let mut entries: Vec<(String, Sign)> =
            self.series.iter().enumerate().map(|(i, s)| (s.name.clone(), Sign::Fill(series(i)))).collect();
        if self.series.iter().any(|s| s.marks.iter().any(Option::is_some)) {
            entries.push((self.mark.clone(), Sign::Dashed(INK)));
        }
        Legend::new(entries, self.width() - 74.0)
    }

    pub(super) fn size(&self) -> (f64, f64) {
        (self.width(), 330.0 + self.legend().height())
    }

    pub(super) fn draw(&self, area: Area, drawing: &mut Drawing) {
        let legend = self.legend();
        let frame = Frame::within(area, legend.height());
        // A bar that does not start at 0 lies about its value.
        let values = self.series.iter().flat_map(|s| s.values.iter().flatten());
        let tops = values.flat_map(|v| [v.mean - v.sd.unwrap_or(0.0), v.mean + v.sd.unwrap_or(0.0)]);
        let marks = self.series.iter().flat_map(|s| s.marks.iter().flatten().copied());
        let y = Scale::around(tops.chain(marks).chain([0.0]));
        frame.heading(&self.title, drawing);
        frame.y_axis(y, &self.y, drawing);
        let group = frame.plot.width / self.groups.len().max(1) as f64;
        let bar = group / (self.series.len() as f64 + 1.0);
        for (g, name) in self.groups.iter().enumerate() {
            let left = frame.plot.x + g as f64 * group;
            let at = (left + group / 2.0, frame.plot.bottom() + 17.0);
            drawing.words_within(at, name, group - 4.0, TICK, Anchor::Middle, FAINT);
            for (s, of) in self.series.iter().enumerate() {
                let x = left + (s as f64 + 0.5) * bar;
                self.bar(of, g, s, (x, bar), &frame, y, drawing);
            }
        }
        frame.edges(drawing);
        legend.draw((area.x + 62.0, frame.plot.bottom() + 30.0), drawing);
    }

    #[allow(clippy::too_many_arguments)]
    fn bar(
        &self,
        of: &BarSeries,
        group: usize,
        look: usize,
        (x, width): (f64, f64),
        frame: &Frame,
        y: Scale,
        drawing: &mut Drawing,
    ) {
        let height = |value: f64| frame.plot.bottom() - y.share(value) * frame.plot.height;
        if let Some(Some(Spread { mean, sd })) = of.values.get(group) {
            // Below 0 a bar hangs.
            let (end, zero) = (height(*mean), height(0.0));
            let area = Area { x: x + 1.0, y: end.min(zero), width: width - 2.0, height: (zero - end).abs() };
            drawing.fill(area, series(look));
            if let Some(sd) = sd.filter(|sd| *sd > 0.0) {
                let middle = x + width / 2.0;
                drawing.line(&[(middle, height(mean - sd)), (middle, height(mean + sd))], INK, 1.4);
            }
        } else {
            let at = (x + width / 2.0, height(0.0) - 4.0);
            drawing.words(at, "–", TICK, Anchor::Middle, FAINT);
        }
        if let Some(Some(mark)) = of.marks.get(group) {
            let level = height(*mark);
            drawing.dashed(&[(x - 1.0, level), (x + width + 1.0, level)], INK, 1.6);
        }
    }
}

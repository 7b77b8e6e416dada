//! How often values are where.

use super::axes::{Frame, Legend, Scale, Sign};
use crate::drawing::{Area, Drawing, Mark};
use crate::palette::{INK, series};

/// Histograms over each other.
#[derive(Clone, Debug)]
pub struct Histogram {
    title: String,
    x: String,
    bins: usize,
    series: Vec<(String, Vec<f64>)>,
}

impl Histogram {
    /// With the name of what is counted, and into how many bins it goes.
    pub fn new(title: impl Into<String>, x: impl Into<String>, bins: usize) -> Histogram {
        Histogram { title: title.into(), x: x.into(), bins: bins.max(1), series: Vec::new() }
    }

    /// The values of one thing more.
    #[must_use]
    pub fn series(mut self, name: impl Into<String>, values: Vec<f64>) -> Histogram {
        self.series.push((name.into(), values));
        self
    }

    fn legend(&self) -> Legend {
        let entry = |(i, (name, _)): (usize, &(String, _))| (name.clone(), Sign::Fill(series(i)));
        Legend::new(self.series.iter().enumerate().map(entry).collect(), 380.0)
    }

    pub(super) fn size(&self) -> (f64, f64) {
        (460.0, 330.0 + self.legend().height())
    }

    /// The share of the values in each bin.
    fn shares(&self, values: &[f64], x: Scale) -> Vec<f64> {
        let mut counts = vec![0.0; self.bins];
        for value in values.iter().filter(|v| v.is_finite()) {
            let bin = (x.share(*value) * self.bins as f64) as usize;
            counts[bin.min(self.bins - 1)] += 1.0 / values.len() as f64;
        }
        counts
    }

    pub(super) fn draw(&self, area: Area, drawing: &mut Drawing) {
        let legend = self.legend();
        let frame = Frame::within(area, legend.height());
        let x = Scale::around(self.series.iter().flat_map(|(_, values)| values).copied());
        let shares: Vec<Vec<f64>> = self.series.iter().map(|(_, values)| self.shares(values, x)).collect();
        let y = Scale::around(shares.iter().flatten().copied().chain([0.0]));
        frame.heading(&self.title, drawing);
        frame.y_axis(y, "share of the pairs", drawing);
        frame.x_axis(x, &self.x, drawing);
        for (i, shares) in shares.iter().enumerate() {
            let mut outline = vec![frame.point(0.0, 0.0)];
            for (bin, share) in shares.iter().enumerate() {
                let (left, right) = (bin as f64 / self.bins as f64, (bin + 1) as f64 / self.bins as f64);
                outline.extend([frame.point(left, y.share(*share)), frame.point(right, y.share(*share))]);
            }
            outline.push(frame.point(1.0, 0.0));
            drawing.marks.push(Mark::Surface { points: outline.clone(), fill: series(i), opacity: 0.3 });
            drawing.line(&outline, series(i), 1.5);
        }
        if x.low < 0.0 && x.high > 0.0 {
            drawing.dashed(&[frame.point(x.share(0.0), 0.0), frame.point(x.share(0.0), 1.0)], INK, 1.2);
        }
        frame.edges(drawing);
        legend.draw((area.x + 62.0, frame.plot.bottom() + 44.0), drawing);
    }
}

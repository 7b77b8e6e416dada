//! The frame of a plot: ticks, their numbers, names of the axes, legend.

use crate::drawing::{Anchor, Area, Drawing, Point, Shape};
use crate::font;
use crate::palette::{Color, FAINT, GRID, INK};

pub(crate) const HEADING: f64 = 14.0;
pub(crate) const LABEL: f64 = 12.0;
pub(crate) const TICK: f64 = 11.0;
/// About so many ticks an axis has.
const TICKS: f64 = 6.0;

/// Numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    step: f64,
}

impl Scale {
    /// Around all of `values`, from tick to tick.
    pub(crate) fn around(values: impl IntoIterator<Item = f64>) -> Scale {
        let finite = values.into_iter().filter(|v| v.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = match (low, high) {
            (low, high) if low > high => (0.0, 1.0),
            // A single value: on the scale of shares where it may be one.
            (low, high) if high - low < 1e-12 * low.abs().max(1e-12) => match low {
                0.0..=1.0 => (0.0, 1.0),
                _ => (low - 0.5, high + 0.5),
            },
            other => other,
        };
        let step = nice((high - low) / TICKS);
        Scale { low: (low / step + 1e-9).floor() * step, high: (high / step - 1e-9).ceil() * step, step }
    }

    pub(crate) fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Where ticks are, and what is written there.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        let digits = (-self.step.log10().floor()).clamp(0.0, 12.0) as usize;
        let first = (self.low / self.step - 1e-9).ceil() as i64;
        let last = (self.high / self.step + 1e-9).floor() as i64;
        let tick = |i: i64| {
            let value = i as f64 * self.step;
            let shown = format!("{:.digits$}", value.abs());
            (value, if i < 0 { format!("−{shown}") } else { shown })
        };
        (first..=last).map(tick).collect()
    }
}

/// 1, 2 or 5 times a power of ten, near `step`.
fn nice(step: f64) -> f64 {
    if !step.is_finite() || step <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(step.log10().floor());
    let factor = match step / power {
        f if f < 1.5 => 1.0,
        f if f < 3.5 => 2.0,
        f if f < 7.5 => 5.0,
        _ => 10.0,
    };
    factor * power
}

/// The place for a plot inside a panel, with what stands around it.
pub(crate) struct Frame {
    pub(crate) plot: Area,
}

impl Frame {
    /// Room for title, names and ticks; `legend` is the height of the legend below.
    pub(crate) fn within(area: Area, legend: f64) -> Frame {
        let (left, top, right, bottom) = (62.0, 28.0, 12.0, 44.0 + legend);
        let plot = Area {
            x: area.x + left,
            y: area.y + top,
            width: area.width - left - right,
            height: area.height - top - bottom,
        };
        Frame { plot }
    }

    pub(crate) fn heading(&self, title: &str, drawing: &mut Drawing) {
        let at = (self.plot.x, self.plot.y - 10.0);
        drawing.words_within(at, title, self.plot.width, HEADING, Anchor::Start, INK);
    }

    pub(crate) fn y_axis(&self, scale: Scale, name: &str, drawing: &mut Drawing) {
        let plot = self.plot;
        for (value, text) in scale.ticks() {
            let y = plot.bottom() - scale.share(value) * plot.height;
            drawing.line(&[(plot.x, y), (plot.right(), y)], GRID, 1.0);
            drawing.words((plot.x - 6.0, y + 0.35 * TICK), &text, TICK, Anchor::End, FAINT);
        }
        let name = font::fitted(name, LABEL, plot.height + 20.0);
        drawing.words_upward((plot.x - 46.0, plot.y + plot.height / 2.0), &name, LABEL, INK);
    }

    pub(crate) fn x_axis(&self, scale: Scale, name: &str, drawing: &mut Drawing) {
        let plot = self.plot;
        for (value, text) in scale.ticks() {
            let x = plot.x + scale.share(value) * plot.width;
            drawing.line(&[(x, plot.bottom()), (x, plot.bottom() + 4.0)], FAINT, 1.0);
            drawing.words((x, plot.bottom() + 17.0), &text, TICK, Anchor::Middle, FAINT);
        }
        self.x_name(name, drawing);
    }

    pub(crate) fn x_name(&self, name: &str, drawing: &mut Drawing) {
        let at = (self.plot.x + self.plot.width / 2.0, self.plot.bottom() + 36.0);
        drawing.words_within(at, name, self.plot.width, LABEL, Anchor::Middle, INK);
    }

    /// Lines at the left and below.
    pub(crate) fn edges(&self, drawing: &mut Drawing) {
        let plot = self.plot;
        let corner = [(plot.x, plot.y), (plot.x, plot.bottom()), (plot.right(), plot.bottom())];
        drawing.line(&corner, FAINT, 1.0);
    }

    pub(crate) fn point(&self, x: f64, y: f64) -> Point {
        (self.plot.x + x * self.plot.width, self.plot.bottom() - y * self.plot.height)
    }
}

/// How a name in the legend looks in the plot.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sign {
    Line(Color, Shape),
    Dashed(Color),
    Fill(Color),
    Dot(Color, Shape),
}

/// Names below a plot, in as many lines as they need.
pub(crate) struct Legend {
    lines: Vec<Vec<(String, Sign)>>,
}

const SIGN: f64 = 26.0;
const GAP: f64 = 14.0;
const LINE: f64 = 18.0;

impl Legend {
    pub(crate) fn new(entries: Vec<(String, Sign)>, room: f64) -> Legend {
        let mut lines: Vec<Vec<(String, Sign)>> = Vec::new();
        let mut used = f64::INFINITY;
        for (name, sign) in entries {
            let name = font::fitted(&name, TICK, room - SIGN);
            let width = SIGN + font::width(&name, TICK) + GAP;
            if used + width - GAP > room {
                lines.push(Vec::new());
                used = 0.0;
            }
            used += width;
            if let Some(line) = lines.last_mut() {
                line.push((name, sign));
            }
        }
        Legend { lines }
    }

    pub(crate) fn height(&self) -> f64 {
        LINE * self.lines.len() as f64
    }

    /// Its upper left corner is `(x, y)`.
    pub(crate) fn draw(&self, (left, top): Point, drawing: &mut Drawing) {
        for (i, line) in self.lines.iter().enumerate() {
            let (mut x, y) = (left, top + LINE * (i as f64 + 0.5));
            for (name, sign) in line {
                match *sign {
                    Sign::Line(color, shape) => {
                        drawing.line(&[(x, y), (x + SIGN - 6.0, y)], color, 2.0);
                        drawing.dot((x + (SIGN - 6.0) / 2.0, y), 3.5, shape, color);
                    }
                    Sign::Dashed(color) => drawing.dashed(&[(x, y), (x + SIGN - 6.0, y)], color, 1.5),
                    Sign::Dot(color, shape) => drawing.dot((x + 12.0, y), 5.0, shape, color),
                    Sign::Fill(color) => {
                        drawing.fill(Area { x: x + 6.0, y: y - 5.0, width: 12.0, height: 10.0 }, color);
                    }
                }
                drawing.words((x + SIGN, y + 0.35 * TICK), name, TICK, Anchor::Start, INK);
                x += SIGN + font::width(name, TICK) + GAP;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_around_the_values() {
        let scale = Scale::around([0.613, 0.977]);
        let ticks: Vec<String> = scale.ticks().into_iter().map(|t| t.1).collect();
        assert_eq!(ticks, ["0.60", "0.65", "0.70", "0.75", "0.80", "0.85", "0.90", "0.95", "1.00"]);
        let negative = Scale::around([-2.0, 2.0]);
        assert_eq!(negative.ticks().first().map(|t| t.1.clone()), Some("−2.0".to_owned()));
    }

    #[test]
    fn constant_and_absent_values_have_a_scale_too() {
        for scale in [Scale::around([3.0, 3.0]), Scale::around([]), Scale::around([f64::NAN])] {
            assert!(scale.high > scale.low && scale.ticks().len() > 1, "{scale:?}");
        }
    }
}

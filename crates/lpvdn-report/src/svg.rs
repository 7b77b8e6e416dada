//! A drawing as SVG.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::drawing::{Anchor, Area, Drawing, Mark, Point, Shape};
use crate::font::FAMILY;
use crate::palette::Color;

/// The text of an SVG file.
pub(crate) fn svg(drawing: &Drawing) -> String {
    let Drawing { width, height, title, marks } = drawing;
    let title = escaped(title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FAMILY}\">\n<title>{title}</title>\n"
    );
    for mark in marks {
        one(mark, &mut out);
        out.push('\n');
    }
    out.push_str("</svg>\n");
    out
}

fn one(mark: &Mark, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match mark {
        Mark::Box { area: Area { x, y, width, height }, fill, opacity } => write!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"{}/>",
            short(*x),
            short(*y),
            short(*width),
            short(*height),
            hex(*fill),
            faded(*opacity)
        ),
        Mark::Line { points, color, width, dashed } => {
            let dash = if *dashed { " stroke-dasharray=\"6 4\"" } else { "" };
            write!(
                out,
                "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{dash}/>",
                path(points, false),
                hex(*color),
                short(*width)
            )
        }
        Mark::Surface { points, fill, opacity } => {
            write!(out, "<path d=\"{}\" fill=\"{}\"{}/>", path(points, true), hex(*fill), faded(*opacity))
        }
        Mark::Dot { at, radius, shape: Shape::Circle, fill, opacity } => write!(
            out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"{}/>",
            short(at.0),
            short(at.1),
            short(*radius),
            hex(*fill),
            faded(*opacity)
        ),
        Mark::Dot { at, radius, shape, fill, opacity } => {
            let corners: Vec<Point> =
                shape.corners().iter().map(|c| (at.0 + radius * c.0, at.1 + radius * c.1)).collect();
            write!(out, "<path d=\"{}\" fill=\"{}\"{}/>", path(&corners, true), hex(*fill), faded(*opacity))
        }
        Mark::Words { at, text, size, anchor, upward, color } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let (x, y) = (short(at.0), short(at.1));
            let turn = if *upward { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
            write!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" text-anchor=\"{anchor}\" fill=\"{}\"{turn}>{}</text>",
                short(*size),
                hex(*color),
                escaped(text)
            )
        }
        Mark::Picture { area: Area { x, y, width, height }, picture } => write!(
            out,
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" image-rendering=\"pixelated\" \
             href=\"data:image/png;base64,{}\"/>",
            short(*x),
            short(*y),
            short(*width),
            short(*height),
            // A picture that cannot be written is left empty.
            STANDARD.encode(picture.to_png().unwrap_or_default())
        ),
    };
}

fn path(points: &[Point], closed: bool) -> String {
    let mut out = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(out, "{}{} {}", if i == 0 { "M" } else { "L" }, short(*x), short(*y));
    }
    if closed {
        out.push('Z');
    }
    out
}

/// Two decimals are finer than any screen.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn hex([r, g, b]: Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn faded(opacity: f64) -> String {
    if opacity >= 1.0 { String::new() } else { format!(" fill-opacity=\"{}\"", short(opacity)) }
}

/// As text or as the value of an attribute. Names of classes and columns come from the data: nothing in them is markup.
/// Signs that XML does not allow are left out.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_is_markup() {
        assert_eq!(escaped("<b>\"a\" & b\u{0}\n"), "&lt;b&gt;&quot;a&quot; &amp; b ");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!((short(3.0), short(0.126), short(-0.5)), ("3".into(), "0.13".into(), "-0.5".into()));
    }
}

//! The font of figures: its widths, and its outlines for PNG.

use std::sync::OnceLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// DejaVu Sans, cut to Latin, Greek, Cyrillic and a few signs. Its licence lies beside it.
static FONT: &[u8] = include_bytes!("../font/DejaVuSans.ttf");

/// What SVG asks for: ours first, then what is about as wide.
pub(crate) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// Read once.
fn face() -> Option<&'static Face<'static>> {
    static FACE: OnceLock<Option<Face<'static>>> = OnceLock::new();
    FACE.get_or_init(|| Face::parse(FONT, 0).ok()).as_ref()
}

/// The glyph of a character, or that of one which is not there.
fn glyph(face: &Face<'_>, character: char) -> GlyphId {
    face.glyph_index(character).unwrap_or(GlyphId(0))
}

/// How wide a character is at size 1.
fn advance(character: char) -> f64 {
    // Without a font, about as wide as letters are.
    let Some(face) = face() else { return 0.6 };
    f64::from(face.glyph_hor_advance(glyph(face, character)).unwrap_or(0)) / f64::from(face.units_per_em())
}

/// How wide a text is at `size`.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    size * text.chars().map(advance).sum::<f64>()
}

/// The text, or as much of its start as fits into `room`, with … behind it.
pub(crate) fn fitted(text: &str, size: f64, room: f64) -> String {
    let (mut used, mut kept) = (0.0, None);
    for (at, character) in text.char_indices() {
        // Up to here there is room for what shows that more follows.
        if used + size * advance('…') <= room {
            kept = Some(at);
        }
        used += size * advance(character);
        if used > room {
            return kept.map_or_else(String::new, |end| format!("{}…", text[..end].trim_end()));
        }
    }
    text.to_owned()
}

/// A part of an outline, in units of the size, y upward, from the start of the text.
pub(crate) trait Outline {
    fn move_to(&mut self, x: f64, y: f64);
    fn line_to(&mut self, x: f64, y: f64);
    fn quad_to(&mut self, x1: f64, y1: f64, x: f64, y: f64);
    fn close(&mut self);
}

/// Draws the text from (0, 0) to the right.
pub(crate) fn outline(text: &str, size: f64, to: &mut dyn Outline) {
    let Some(face) = face() else { return };
    let scale = size / f64::from(face.units_per_em());
    let mut x = 0.0;
    for character in text.chars() {
        let id = glyph(face, character);
        face.outline_glyph(id, &mut Shifted { x, scale, to });
        x += scale * f64::from(face.glyph_hor_advance(id).unwrap_or(0));
    }
}

/// Glyphs lie side by side.
struct Shifted<'a> {
    x: f64,
    scale: f64,
    to: &'a mut dyn Outline,
}

impl Shifted<'_> {
    fn at(&self, x: f32, y: f32) -> (f64, f64) {
        (self.x + self.scale * f64::from(x), self.scale * f64::from(y))
    }
}

impl OutlineBuilder for Shifted<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.to.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.to.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.to.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        // TrueType has none; a font that had would lose a little roundness.
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.to.quad_to((x1 + x2) / 2.0, (y1 + y2) / 2.0, x, y);
    }
    fn close(&mut self) {
        self.to.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_signs_that_figures_use() {
        let face = face().expect("a font");
        for character in "AZaz09 .,:%()±−×σαμ₀₁′’–—…→≥≤".chars() {
            assert!(face.glyph_index(character).is_some(), "{character} has no glyph");
        }
    }

    #[test]
    fn a_text_too_long_is_cut_to_its_room() {
        let text = "a title that is far too long for the place it has";
        let cut = fitted(text, 10.0, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 10.0) <= 100.0 && width(&cut, 10.0) > 80.0, "{cut}");
        assert_eq!(fitted("short", 10.0, 100.0), "short");
        assert_eq!(fitted("short", 10.0, 1.0), "");
    }
}

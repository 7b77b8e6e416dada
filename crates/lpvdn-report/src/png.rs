//! A drawing as PNG.

use std::io;

use tiny_skia::{
    FillRule, Paint, Path, PathBuilder, Pixmap, PixmapPaint, Rect, Stroke, StrokeDash, Transform,
};

use crate::drawing::{Anchor, Area, Drawing, Mark, Point, Shape};
use crate::font::{self, Outline};
use crate::palette::Color;
use crate::picture::Picture;

/// Pixels for a unit of the drawing: enough for a screen of fine pixels and for print in a column.
const SCALE: f32 = 2.0;

/// The bytes of a PNG file.
pub(crate) fn png(drawing: &Drawing) -> io::Result<Vec<u8>> {
    let (width, height) = ((drawing.width as f32 * SCALE) as u32, (drawing.height as f32 * SCALE) as u32);
    let too_large = || io::Error::other(format!("a picture of {width} × {height} pixels is too large"));
    let mut pixels = Pixmap::new(width.max(1), height.max(1)).ok_or_else(too_large)?;
    pixels.fill(tiny_skia::Color::WHITE);
    for mark in &drawing.marks {
        one(mark, &mut pixels);
    }
    // All is painted on white, so nothing is transparent.
    encode(pixels.width() as usize, pixels.height() as usize, ::png::ColorType::Rgba, pixels.data())
}

/// The bytes of a PNG file of these pixels.
pub(crate) fn encode(
    width: usize,
    height: usize,
    color: ::png::ColorType,
    pixels: &[u8],
) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut out, width as u32, height as u32);
    encoder.set_color(color);
    encoder.set_depth(::png::BitDepth::Eight);
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(pixels))
        .map_err(io::Error::other)?;
    Ok(out)
}

fn one(mark: &Mark, pixels: &mut Pixmap) {
    match mark {
        Mark::Box { area, fill, opacity } => {
            if let Some(rect) = rect(area) {
                pixels.fill_rect(rect, &paint(*fill, *opacity), scale(), None);
            }
        }
        Mark::Line { points, color, width, dashed } => {
            let dash = if *dashed { StrokeDash::new(vec![6.0, 4.0], 0.0) } else { None };
            let stroke = Stroke { width: *width as f32, dash, ..Stroke::default() };
            if let Some(path) = polygon(points, false) {
                pixels.stroke_path(&path, &paint(*color, 1.0), &stroke, scale(), None);
            }
        }
        Mark::Surface { points, fill, opacity } => fill_path(polygon(points, true), *fill, *opacity, pixels),
        Mark::Dot { at, radius, shape: Shape::Circle, fill, opacity } => {
            let circle = PathBuilder::from_circle(at.0 as f32, at.1 as f32, *radius as f32);
            fill_path(circle, *fill, *opacity, pixels);
        }
        Mark::Dot { at, radius, shape, fill, opacity } => {
            let corners: Vec<Point> =
                shape.corners().iter().map(|c| (at.0 + radius * c.0, at.1 + radius * c.1)).collect();
            fill_path(polygon(&corners, true), *fill, *opacity, pixels);
        }
        Mark::Words { at, text, size, anchor, upward, color } => {
            let back = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => font::width(text, *size) / 2.0,
                Anchor::End => font::width(text, *size),
            };
            let mut to = Written { at: *at, back, upward: *upward, path: PathBuilder::new() };
            font::outline(text, *size, &mut to);
            fill_path(to.path.finish(), *color, 1.0, pixels);
        }
        Mark::Picture { area, picture } => place(area, picture, pixels),
    }
}

fn scale() -> Transform {
    Transform::from_scale(SCALE, SCALE)
}

fn paint([r, g, b]: Color, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, (255.0 * opacity).round() as u8);
    paint
}

fn rect(area: &Area) -> Option<Rect> {
    Rect::from_xywh(area.x as f32, area.y as f32, area.width as f32, area.height as f32)
}

fn polygon(points: &[Point], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, (x, y)) in points.iter().enumerate() {
        match i {
            0 => path.move_to(*x as f32, *y as f32),
            _ => path.line_to(*x as f32, *y as f32),
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

fn fill_path(path: Option<Path>, color: Color, opacity: f64, pixels: &mut Pixmap) {
    if let Some(path) = path {
        pixels.fill_path(&path, &paint(color, opacity), FillRule::Winding, scale(), None);
    }
}

/// Pictures keep their pixels, however large they are shown.
fn place(area: &Area, picture: &Picture, pixels: &mut Pixmap) {
    let Some(mut small) = Pixmap::new(picture.width() as u32, picture.height() as u32) else { return };
    for (to, from) in small.data_mut().chunks_exact_mut(4).zip(picture.pixels().chunks_exact(3)) {
        to[..3].copy_from_slice(from);
        to[3] = 255;
    }
    let (x, y) = (area.width as f32 / picture.width() as f32, area.height as f32 / picture.height() as f32);
    let transform = Transform::from_row(x, 0.0, 0.0, y, area.x as f32, area.y as f32);
    let paint = PixmapPaint::default();
    pixels.draw_pixmap(0, 0, small.as_ref(), &paint, transform.post_concat(scale()), None);
}

/// Outlines of letters where they belong on the page.
struct Written {
    at: Point,
    /// How far the text starts before its point.
    back: f64,
    upward: bool,
    path: PathBuilder,
}

impl Written {
    fn to(&self, x: f64, y: f64) -> (f32, f32) {
        let along = x - self.back;
        let (x, y) = match self.upward {
            false => (self.at.0 + along, self.at.1 - y),
            true => (self.at.0 - y, self.at.1 - along),
        };
        (x as f32, y as f32)
    }
}

impl Outline for Written {
    fn move_to(&mut self, x: f64, y: f64) {
        let (x, y) = self.to(x, y);
        self.path.move_to(x, y);
    }
    fn line_to(&mut self, x: f64, y: f64) {
        let (x, y) = self.to(x, y);
        self.path.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f64, y1: f64, x: f64, y: f64) {
        let ((x1, y1), (x, y)) = (self.to(x1, y1), self.to(x, y));
        self.path.quad_to(x1, y1, x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}

//! A row that is an image.

use lpvdn_core::PictureShape;

/// A picture of some pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    /// Red, green and blue of each pixel, row by row.
    pixels: Vec<u8>,
}

impl Picture {
    /// A row of values, of which `white` is white; values outside 0 … `white` are drawn as the nearest that can be.
    ///
    /// `None` where the values are not so many.
    ///
    /// ```
    /// use lpvdn_core::PictureShape;
    /// use lpvdn_report::Picture;
    /// let shape = PictureShape { height: 2, width: 2, channels: 1 };
    /// assert!(Picture::of_row(&[0.0, 0.5, 1.0, 2.0], shape, 1.0).is_some());
    /// assert!(Picture::of_row(&[0.0, 0.5, 1.0], shape, 1.0).is_none());
    /// ```
    pub fn of_row(row: &[f32], shape: PictureShape, white: f32) -> Option<Picture> {
        let PictureShape { height, width, channels } = shape;
        shape.values().filter(|&values| values == row.len())?;
        let byte = |v: f32| (255.0 * (v / white).clamp(0.0, 1.0)).round() as u8;
        let pixels = row.chunks_exact(channels).flat_map(|pixel| match pixel {
            [r, g, b] => [byte(*r), byte(*g), byte(*b)],
            _ => [byte(pixel[0]); 3],
        });
        Some(Picture { width, height, pixels: pixels.collect() })
    }

    /// Pixels from left to right.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pixels from top to bottom.
    pub fn height(&self) -> usize {
        self.height
    }

    pub(crate) fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// As a PNG file.
    pub(crate) fn to_png(&self) -> std::io::Result<Vec<u8>> {
        crate::png::encode(self.width, self.height, ::png::ColorType::Rgb, &self.pixels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_the_range_are_drawn_as_its_ends() {
        let shape = PictureShape { height: 1, width: 4, channels: 1 };
        let picture = Picture::of_row(&[-1.0, 127.5, 255.0, 400.0], shape, 255.0).expect("a picture");
        assert_eq!(picture.pixels(), [0, 0, 0, 128, 128, 128, 255, 255, 255, 255, 255, 255]);
    }
}

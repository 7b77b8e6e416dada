//! A row that is an image.

/// A picture of some pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    /// Red, green and blue of each pixel, row by row.
    pixels: Vec<u8>,
}

impl Picture {
    /// A row of `height × width × channels` values, of which `white` is white; values outside 0 … `white`
    /// are drawn as the nearest that can be. Channels are 1 (grey) or 3 (red, green, blue), side by side.
    ///
    /// `None` where the values are not so many.
    ///
    /// ```
    /// use lpvdn_report::Picture;
    /// assert!(Picture::of_row(&[0.0, 0.5, 1.0, 2.0], [2, 2, 1], 1.0).is_some());
    /// assert!(Picture::of_row(&[0.0, 0.5, 1.0], [2, 2, 1], 1.0).is_none());
    /// ```
    pub fn of_row(row: &[f32], [height, width, channels]: [usize; 3], white: f32) -> Option<Picture> {
        let size = height.checked_mul(width)?;
        if !matches!(channels, 1 | 3) || row.len() != size.checked_mul(channels)? || size == 0 {
            return None;
        }
        let byte = |v: f32| (255.0 * (v / white).clamp(0.0, 1.0)).round() as u8;
        let pixels = row.chunks_exact(channels).flat_map(|pixel| match pixel {
            [r, g, b] => [byte(*r), byte(*g), byte(*b)],
            _ => [byte(pixel[0]); 3],
        });
        Some(Picture { width, height, pixels: pixels.collect() })
    }

    /// The height, width and channels of rows of so many columns, where they can be square images.
    pub fn shape_of(columns: usize) -> Option<[usize; 3]> {
        let square = |size: usize| {
            let side = (size as f64).sqrt().round() as usize;
            (side * side == size && side > 1).then_some(side)
        };
        match (square(columns), columns.is_multiple_of(3).then(|| square(columns / 3)).flatten()) {
            (Some(side), _) => Some([side, side, 1]),
            (None, Some(side)) => Some([side, side, 3]),
            (None, None) => None,
        }
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
        let picture = Picture::of_row(&[-1.0, 127.5, 255.0, 400.0], [1, 4, 1], 255.0).expect("a picture");
        assert_eq!(picture.pixels(), [0, 0, 0, 128, 128, 128, 255, 255, 255, 255, 255, 255]);
    }

    #[test]
    fn square_rows_are_images() {
        assert_eq!(Picture::shape_of(784), Some([28, 28, 1]));
        assert_eq!(Picture::shape_of(3072), Some([32, 32, 3]));
        assert_eq!(Picture::shape_of(2000), None);
        assert_eq!(Picture::shape_of(1), None);
    }
}

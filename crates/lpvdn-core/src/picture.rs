//! Rows that are images.

/// How the values of a row lie in an image: line by line, the colours of a point side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PictureShape {
    /// The lines.
    pub height: usize,
    /// The points of a line.
    pub width: usize,
    /// The values of a point: 1 for grey, 3 for red, green and blue.
    pub channels: usize,
}

impl PictureShape {
    /// How many values a row has; `None` where it is no image, or larger than can be.
    pub fn values(self) -> Option<usize> {
        let points = self.height.checked_mul(self.width)?.checked_mul(self.channels)?;
        (points > 0 && matches!(self.channels, 1 | 3)).then_some(points)
    }

    /// Of the dimensions of an array whose first counts the rows: rows × height × width, perhaps × colours.
    ///
    /// ```
    /// use lpvdn_core::PictureShape;
    /// let grey = PictureShape { height: 28, width: 20, channels: 1 };
    /// assert_eq!(PictureShape::of_dimensions(&[70_000, 28, 20]), Some(grey));
    /// assert_eq!(PictureShape::of_dimensions(&[70_000, 28, 20, 3]), Some(PictureShape { channels: 3, ..grey }));
    /// assert_eq!(PictureShape::of_dimensions(&[70_000, 3, 28, 20]), Some(PictureShape { height: 84, ..grey }));
    /// assert_eq!(PictureShape::of_dimensions(&[70_000, 784]), None);
    /// ```
    pub fn of_dimensions(dimensions: &[u64]) -> Option<PictureShape> {
        let size = |n: u64| usize::try_from(n).ok();
        let shape = match *dimensions {
            [_, height, width] => PictureShape { height: size(height)?, width: size(width)?, channels: 1 },
            // The colours as planes, one after the other: each is shown as a picture of its own.
            [_, planes @ (1 | 3), height, width] if !matches!(width, 1 | 3) => PictureShape {
                height: size(planes)?.checked_mul(size(height)?)?,
                width: size(width)?,
                channels: 1,
            },
            [_, height, width, channels] => {
                PictureShape { height: size(height)?, width: size(width)?, channels: size(channels)? }
            }
            _ => return None,
        };
        // A line of points is a series of numbers, not a picture.
        shape.values().filter(|_| shape.height > 1 && shape.width > 1).map(|_| shape)
    }

    /// A guess by the number of columns: those of a square, in grey or in colour.
    ///
    /// ```
    /// use lpvdn_core::PictureShape;
    /// assert_eq!(PictureShape::square(784), Some(PictureShape { height: 28, width: 28, channels: 1 }));
    /// assert_eq!(PictureShape::square(3_072), Some(PictureShape { height: 32, width: 32, channels: 3 }));
    /// assert_eq!(PictureShape::square(2_000), None);
    /// ```
    pub fn square(columns: usize) -> Option<PictureShape> {
        let of = |channels: usize| {
            let side = (columns / channels).isqrt();
            let shape = PictureShape { height: side, width: side, channels };
            (side > 1 && shape.values() == Some(columns)).then_some(shape)
        };
        of(1).or_else(|| of(3))
    }
}

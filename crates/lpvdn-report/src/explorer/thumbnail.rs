//! Pictures made smaller, so that a page with many of them stays small.

use lpvdn_core::PictureShape;

/// A side has at least so many points left.
const LEAST_SIDE: usize = 16;

/// Every so many points of a line, and so many lines, become one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Thumbnail {
    whole: PictureShape,
    factor: usize,
}

impl Thumbnail {
    /// Whole, or as small as `rows` of them need to be to take no more than `most` bytes.
    pub(super) fn within(whole: PictureShape, rows: usize, most: usize) -> Thumbnail {
        let shorter = whole.height.min(whole.width);
        let factors = (1..).take_while(|factor| *factor == 1 || shorter / factor >= LEAST_SIDE);
        let all = factors.map(|factor| Thumbnail { whole, factor });
        let fits = |small: &Thumbnail| small.bytes().saturating_mul(rows) <= most;
        let mut last = Thumbnail { whole, factor: 1 };
        for small in all {
            last = small;
            if fits(&small) {
                break;
            }
        }
        last
    }

    pub(super) fn shape(self) -> PictureShape {
        let side = |points: usize| (points / self.factor).max(1);
        PictureShape { height: side(self.whole.height), width: side(self.whole.width), ..self.whole }
    }

    /// Of one picture.
    pub(super) fn bytes(self) -> usize {
        self.shape().values().unwrap_or(0)
    }

    /// The means of the points of each square.
    pub(super) fn of(self, picture: &[u8]) -> Vec<u8> {
        if self.factor == 1 {
            return picture.to_vec();
        }
        let (shape, f, channels) = (self.shape(), self.factor, self.whole.channels);
        let mean = |y: usize, x: usize, c: usize| {
            let line = |dy: usize| (y * f + dy) * self.whole.width + x * f;
            let points = (0..f).flat_map(|dy| (0..f).map(move |dx| line(dy) + dx));
            let sum: usize = points.map(|point| usize::from(picture[point * channels + c])).sum();
            ((sum + f * f / 2) / (f * f)) as u8
        };
        let places = (0..shape.height).flat_map(|y| (0..shape.width).map(move |x| (y, x)));
        places
            .flat_map(|(y, x)| (0..channels).map(move |c| (y, x, c)))
            .map(|(y, x, c)| mean(y, x, c))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_whole_where_there_is_room_and_else_means_of_squares() {
        let shape = PictureShape { height: 32, width: 48, channels: 3 };
        assert_eq!(Thumbnail::within(shape, 10, 10 * 32 * 48 * 3).shape(), shape);
        let half = Thumbnail::within(shape, 10, 10 * 32 * 48 * 3 - 1);
        assert_eq!(half.shape(), PictureShape { height: 16, width: 24, channels: 3 });
        let picture: Vec<u8> = (0..32 * 48).flat_map(|i| [(i % 2) as u8 * 100, 7, (i / 48) as u8]).collect();
        let small = half.of(&picture);
        assert_eq!(small.len(), half.bytes());
        assert_eq!(small[..3], [50, 7, 1]);
        assert_eq!(small[small.len() - 3..], [50, 7, 31]);
        // Not smaller than can be seen.
        assert_eq!(Thumbnail::within(shape, 1 << 40, 1), half);
    }
}

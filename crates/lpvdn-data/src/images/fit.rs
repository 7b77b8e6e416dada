//! From a picture of any size to one of a given shape.

use image::imageops::{self, FilterType};
use image::{ImageBuffer, Pixel};

use super::options::{ImageFit, ImageSize};

type Picture<P> = ImageBuffer<P, Vec<u8>>;

/// The points of a picture, brought to a size. One that has it stays as it is.
///
/// The filter is linear and covers all points where there are too many: what it gives depends on the picture alone.
pub(super) fn fitted<P>(picture: Picture<P>, size: ImageSize, fit: ImageFit) -> Vec<u8>
where
    P: Pixel<Subpixel = u8> + 'static,
{
    let found = ImageSize { width: picture.width(), height: picture.height() };
    if found == size {
        return picture.into_raw();
    }
    match fit {
        ImageFit::Stretch => imageops::resize(&picture, size.width, size.height, FilterType::Triangle),
        ImageFit::Crop => {
            let (part, (x, y)) = centred(inside(size, found), found);
            let centre = imageops::crop_imm(&picture, x, y, part.width, part.height);
            imageops::resize(&*centre, size.width, size.height, FilterType::Triangle)
        }
        ImageFit::Pad => {
            let (part, (x, y)) = centred(inside(found, size), size);
            let inner = imageops::resize(&picture, part.width, part.height, FilterType::Triangle);
            padded(&inner, size, (x, y))
        }
    }
    .into_raw()
}

/// The largest size inside `within` that has the proportions of `of`; no side is shorter than a point.
fn inside(of: ImageSize, within: ImageSize) -> ImageSize {
    // To the nearest point; half a point counts as one.
    let scaled = |side: u32, by: u32, over: u32| {
        let (side, by, over) = (u64::from(side), u64::from(by), u64::from(over).max(1));
        ((2 * side * by + over) / (2 * over)).max(1) as u32
    };
    let wider =
        u64::from(of.width) * u64::from(within.height) >= u64::from(of.height) * u64::from(within.width);
    match wider {
        true => ImageSize { width: within.width, height: scaled(of.height, within.width, of.width) },
        false => ImageSize { width: scaled(of.width, within.height, of.height), height: within.height },
    }
}

/// A part, and where it begins in the middle of `whole`.
fn centred(part: ImageSize, whole: ImageSize) -> (ImageSize, (u32, u32)) {
    let part = ImageSize { width: part.width.min(whole.width), height: part.height.min(whole.height) };
    (part, ((whole.width - part.width) / 2, (whole.height - part.height) / 2))
}

/// The picture at a place of a ground that has the mean colour of its border.
fn padded<P>(inner: &Picture<P>, size: ImageSize, (x, y): (u32, u32)) -> Picture<P>
where
    P: Pixel<Subpixel = u8> + 'static,
{
    let mut ground = Picture::from_pixel(size.width, size.height, border(inner));
    imageops::replace(&mut ground, inner, x.into(), y.into());
    ground
}

/// The mean colour of the outermost points.
fn border<P: Pixel<Subpixel = u8>>(picture: &Picture<P>) -> P {
    let (width, height) = picture.dimensions();
    let outermost = |x: u32, y: u32| x == 0 || y == 0 || x + 1 == width || y + 1 == height;
    let (mut sums, mut count) = ([0_u64; 4], 0_u64);
    for (_, _, point) in picture.enumerate_pixels().filter(|(x, y, _)| outermost(*x, *y)) {
        sums.iter_mut().zip(point.channels()).for_each(|(sum, value)| *sum += u64::from(*value));
        count += 1;
    }
    let means = sums.map(|sum| ((2 * sum + count) / (2 * count.max(1))) as u8);
    *P::from_slice(&means[..usize::from(P::CHANNEL_COUNT)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GrayImage, Luma, Rgb, RgbImage};

    fn size(width: u32, height: u32) -> ImageSize {
        ImageSize { width, height }
    }

    #[test]
    fn the_largest_size_of_given_proportions_touches_two_sides() {
        for (of, within, found) in [
            (size(40, 20), size(8, 8), size(8, 4)),
            (size(20, 40), size(8, 8), size(4, 8)),
            (size(3, 3), size(8, 4), size(4, 4)),
            (size(1000, 1), size(8, 8), size(8, 1)),
            (size(32_768, 32_767), size(4096, 4096), size(4096, 4096)),
            (size(1, 1), size(1, 1), size(1, 1)),
        ] {
            assert_eq!(inside(of, within), found, "{of} in {within}");
        }
    }

    #[test]
    fn padding_keeps_proportions_and_takes_the_colour_of_the_border() {
        // A white cross on red is in the middle; all of the border is red.
        let red = Rgb([200, 10, 20]);
        let picture = RgbImage::from_fn(12, 6, |x, y| if x == 6 && y == 3 { Rgb([255; 3]) } else { red });
        let bytes = fitted(picture, size(12, 12), ImageFit::Pad);
        for line in [0, 1, 2, 9, 10, 11] {
            assert!(bytes[36 * line..36 * (line + 1)].chunks(3).all(|p| p == red.0), "line {line}");
        }
        assert_eq!(bytes[36 * 6 + 18..36 * 6 + 21], [255; 3]);
    }

    #[test]
    fn cropping_takes_the_centre() {
        let picture = GrayImage::from_fn(9, 3, |x, _| Luma([if (3..6).contains(&x) { 80 } else { 255 }]));
        assert_eq!(fitted(picture.clone(), size(3, 3), ImageFit::Crop), [80; 9]);
        let tall = GrayImage::from_fn(3, 9, |_, y| Luma([if (3..6).contains(&y) { 80 } else { 255 }]));
        assert_eq!(fitted(tall, size(3, 3), ImageFit::Crop), [80; 9]);
        assert_ne!(fitted(picture, size(3, 3), ImageFit::Stretch), [80; 9]);
    }

    #[test]
    fn a_picture_of_the_same_proportions_is_the_same_in_every_way() {
        let picture = GrayImage::from_fn(10, 20, |x, y| Luma([(x * 10 + y) as u8]));
        let ways = [ImageFit::Pad, ImageFit::Crop, ImageFit::Stretch];
        let [pad, crop, stretch] = ways.map(|fit| fitted(picture.clone(), size(5, 10), fit));
        assert!(pad == crop && crop == stretch);
        let [pad, crop, stretch] = ways.map(|fit| fitted(picture.clone(), size(10, 20), fit));
        assert!(pad == crop && crop == stretch && pad == picture.into_raw());
    }

    #[test]
    fn a_line_of_points_fits_into_any_shape() {
        for (width, height) in [(500, 1), (1, 500), (1, 1)] {
            for fit in [ImageFit::Pad, ImageFit::Crop, ImageFit::Stretch] {
                let picture = GrayImage::from_pixel(width, height, Luma([7]));
                assert_eq!(fitted(picture, size(4, 3), fit), [7; 12], "{width}x{height}, {fit:?}");
            }
        }
    }
}

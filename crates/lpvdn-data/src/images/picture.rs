//! One picture: from a file to points.

use std::io::{BufRead, Seek};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use image::error::LimitErrorKind;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageReader, Limits, RgbImage};

use super::fit::fitted;
use super::options::{ImageColor, ImageFit, ImageSize};
use crate::DataError;
use crate::budget::Budget;
use crate::contained::contained;

/// The longest side that is decoded.
const LONGEST: u32 = 1 << 15;
/// What a decoder may take, whatever the picture says about itself.
const MEMORY: u64 = 256 << 20;
/// A picture is held as it is decoded, with a white ground, in another colour, and in its new size.
const COPIES: u64 = 4;

/// What decoding may take. Pictures that take much of it are decoded one at a time, so that whether one is refused
/// does not depend on which others are being decoded.
pub(super) struct Room {
    memory: u64,
    large: Mutex<()>,
}

impl Room {
    pub(super) fn new(budget: &Budget) -> Room {
        Room { memory: budget.memory(), large: Mutex::new(()) }
    }

    /// Waits until a picture of so many bytes may be decoded.
    fn enter(&self, path: &Path, bytes: u64) -> Result<Option<MutexGuard<'_, ()>>, DataError> {
        let (needed, share) = (bytes.saturating_mul(COPIES), self.memory / 4);
        if needed > share {
            let what = "a picture, which may take a quarter of the memory,".to_owned();
            let (needed, allowed) = (needed.saturating_mul(4), self.memory);
            return Err(DataError::Memory { path: path.to_owned(), what, needed, allowed });
        }
        let large = needed > self.memory / 64;
        Ok(large.then(|| self.large.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Whether a decoder failed for want of memory, and only because there is less of it than usual: the picture is
    /// not broken then.
    fn is_to_blame(&self, error: &ImageError) -> bool {
        let kind = LimitErrorKind::InsufficientMemory;
        self.memory / 4 < MEMORY && matches!(error, ImageError::Limits(limit) if limit.kind() == kind)
    }

    fn too_small(&self, path: &Path) -> DataError {
        let what = "decoding a picture, which may take a quarter of the memory,".to_owned();
        DataError::Memory { path: path.to_owned(), what, needed: 4 * MEMORY, allowed: self.memory }
    }
}

/// The points of a picture in its shape, grey or not.
pub(super) struct Points {
    pub(super) color: ImageColor,
    pub(super) bytes: Vec<u8>,
    /// Whether the picture had another size.
    pub(super) resized: bool,
}

/// The shape that pictures are brought to.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) size: ImageSize,
    pub(super) fit: ImageFit,
}

/// How many points the picture says that it has.
pub(super) fn size(path: &Path, from: impl BufRead + Seek) -> Result<ImageSize, DataError> {
    let (width, height) = decoded(path, || {
        let mut decoder = reader(from)?.into_decoder().map_err(|e| e.to_string())?;
        let (width, height) = decoder.dimensions();
        Ok::<_, String>(if lies_on_its_side(turn(&mut decoder)) { (height, width) } else { (width, height) })
    })?;
    Ok(ImageSize { width, height })
}

/// Decodes a picture and brings it to a size. Without a colour, it is grey if it has none.
pub(super) fn points(
    path: &Path,
    from: impl BufRead + Seek,
    Shape { size, fit }: Shape,
    color: Option<ImageColor>,
    room: &Room,
) -> Result<Points, DataError> {
    let decoder = decoded(path, || reader(from)?.into_decoder().map_err(|e| e.to_string()))?;
    let _alone = room.enter(path, decoder.total_bytes())?;
    let picture = decoded(path, || upright(decoder, room))?.ok_or_else(|| room.too_small(path))?;
    if picture.width() == 0 || picture.height() == 0 {
        return Err(unusable(path, "it has no points".to_owned()));
    }
    let grey = match color {
        Some(color) => color == ImageColor::Grey,
        None => is_grey(&picture),
    };
    let resized = (picture.width(), picture.height()) != (size.width, size.height);
    Ok(if grey {
        let bytes = fitted(on_white(picture).into_luma8(), size, fit);
        Points { color: ImageColor::Grey, bytes, resized }
    } else {
        let bytes = fitted(on_white(picture).into_rgb8(), size, fit);
        Points { color: ImageColor::Rgb, bytes, resized }
    })
}

/// The picture as it is meant to be seen: a camera that was held on its side says so instead of turning the points.
/// None where the decoder needs more memory than there is.
fn upright(mut decoder: impl ImageDecoder, room: &Room) -> Result<Option<DynamicImage>, String> {
    // What the picture itself takes is not left for the decoder.
    let mut limits = limits();
    limits.max_alloc = Some(MEMORY.min(room.memory / 4));
    limits.reserve(decoder.total_bytes()).map_err(|e| e.to_string())?;
    decoder.set_limits(limits).map_err(|e| e.to_string())?;
    let turn = turn(&mut decoder);
    let mut picture = match DynamicImage::from_decoder(decoder) {
        Ok(picture) => picture,
        Err(error) if room.is_to_blame(&error) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    picture.apply_orientation(turn);
    Ok(Some(picture))
}

/// How the picture must be turned to stand upright. One that says nothing intelligible stands as it is.
fn turn(decoder: &mut impl ImageDecoder) -> Orientation {
    decoder.orientation().unwrap_or(Orientation::NoTransforms)
}

fn lies_on_its_side(turn: Orientation) -> bool {
    use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    matches!(turn, Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH)
}

fn reader<R: BufRead + Seek>(from: R) -> Result<ImageReader<R>, String> {
    let mut reader = ImageReader::new(from).with_guessed_format().map_err(|e| e.to_string())?;
    if reader.format().is_none() {
        return Err("it is no PNG, JPEG, WebP or BMP".to_owned());
    }
    reader.limits(limits());
    Ok(reader)
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST);
    limits.max_image_height = Some(LONGEST);
    limits.max_alloc = Some(MEMORY);
    limits
}

fn decoded<T>(path: &Path, decode: impl FnOnce() -> Result<T, String>) -> Result<T, DataError> {
    contained(decode).map_err(|problem| unusable(path, problem))
}

fn unusable(path: &Path, problem: String) -> DataError {
    let problem =
        format!("{problem}; copy or save it again, or remove it (sides up to {LONGEST} points can be read)");
    DataError::Picture { path: path.to_owned(), problem }
}

/// Whether no point has a colour.
fn is_grey(picture: &DynamicImage) -> bool {
    let plain = |p: &[u8]| p[0] == p[1] && p[1] == p[2];
    match picture {
        DynamicImage::ImageRgb8(points) => points.pixels().all(|p| plain(&p.0)),
        DynamicImage::ImageRgba8(points) => points.pixels().all(|p| plain(&p.0) || p.0[3] == 0),
        other if other.color().has_color() => other.to_rgb8().pixels().all(|p| plain(&p.0)),
        _ => true,
    }
}

/// As it is seen on white paper: what a transparent point would show is nothing anybody has seen.
fn on_white(picture: DynamicImage) -> DynamicImage {
    if !picture.color().has_alpha() {
        return picture;
    }
    let points = picture.into_rgba8();
    let mix = |color: u8, alpha: u8| {
        let (color, alpha) = (u32::from(color), u32::from(alpha));
        ((color * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    let seen = RgbImage::from_fn(points.width(), points.height(), |x, y| {
        let [r, g, b, a] = points.get_pixel(x, y).0;
        image::Rgb([mix(r, a), mix(g, a), mix(b, a)])
    });
    DynamicImage::ImageRgb8(seen)
}

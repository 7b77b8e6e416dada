//! From pictures to rows.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use lpvdn_core::{Matrix, PictureShape};

use super::is_picture;
use super::options::{ImageColor, ImageFit, ImageSize};
use super::picture::{self, Points, Room, Shape};
use super::sieve::Sieve;
use crate::budget::PER_STRING;
use crate::folder::{self, Found, Listing};
use crate::input::{Input, read_error};
use crate::reading::{ImagesReading, Reading};
use crate::table::{Table, Values};
use crate::{DataError, OpenOptions};

/// Pictures that all have the same sides keep them up to this length.
const LONGEST_KEPT: u32 = 64;
/// The size of others.
const USUAL: ImageSize = ImageSize { width: 32, height: 32 };

/// What is known before the pictures are decoded.
struct Asked {
    size: Option<ImageSize>,
    color: Option<ImageColor>,
    fit: ImageFit,
}

/// Reads every picture of a folder, in the order of their names. Where all of them are in sub-folders,
/// these are the classes.
pub(crate) fn read_folder(folder: &Path, options: &OpenOptions) -> Result<Table, DataError> {
    let asked = Asked::new(folder, options)?;
    let Listing { files, labels, mut notes } = folder::list(folder, is_picture)?;
    let mut sieve = Sieve::new(folder, &files, options.on_error);
    let (shape, all) = decoded(&mut sieve, &asked, options)?;
    let rows = sieve.rows();
    let labels = labels.map(|labels| if rows.len() < files.len() { labels.of_rows(rows) } else { labels });
    let ids = Some(rows.iter().map(|&row| &files[row as usize].id).collect());
    notes.extend(sieve.note());
    Ok(Table { labels, ids, notes, ..table(folder, all, shape)? })
}

/// The points of all pictures, in one shape.
fn decoded(
    sieve: &mut Sieve<'_>,
    asked: &Asked,
    options: &OpenOptions,
) -> Result<(Shape, Vec<Points>), DataError> {
    let room = Room::new(&options.budget);
    let mut size = size_of_all(sieve, asked)?;
    loop {
        let shape = Shape { size, fit: asked.fit };
        let count = sieve.rows().len();
        // Given back where the pictures must be decoded once more.
        let held = Mutex::new(options.budget.account(sieve.folder()));
        let all = sieve.sift(|file| {
            let points = picture::points(&file.path, opened(&file.path)?, shape, asked.color, &room)?;
            // Once as they are here, and once in the table.
            let bytes = 2 * (points.bytes.len() as u64 + PER_STRING);
            held.lock().unwrap_or_else(PoisonError::into_inner).add(bytes, "the points of all pictures")?;
            Ok(points)
        })?;
        // The size must not depend on pictures that turned out to be broken only when they were decoded.
        if sieve.rows().len() < count {
            size = size_of_all(sieve, asked)?;
        }
        if size == shape.size {
            held.into_inner().unwrap_or_else(PoisonError::into_inner).keep();
            return Ok((shape, all));
        }
    }
}

/// The size that is asked for, or what their own sizes suggest.
fn size_of_all(sieve: &mut Sieve<'_>, asked: &Asked) -> Result<ImageSize, DataError> {
    let of_one = |file: &Found| picture::size(&file.path, opened(&file.path)?);
    asked.size.map_or_else(|| Ok(chosen(&sieve.sift(of_one)?)), Ok)
}

fn opened(path: &Path) -> Result<BufReader<File>, DataError> {
    File::open(path).map(BufReader::new).map_err(|cause| read_error(path, cause))
}

/// Reads a single picture as the model's were read.
pub(crate) fn read_one(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    let asked = Asked::new(input.path(), options)?;
    let (Some(size), Some(Reading::Images(_))) = (asked.size, &options.reading) else {
        return Err(DataError::Folder {
            path: input.path().to_owned(),
            problem: "this is a single picture; give a folder of them (sub-folders are taken for classes)"
                .into(),
        });
    };
    let (path, stream, _) = input.into_seekable()?;
    let (shape, room) = (Shape { size, fit: asked.fit }, Room::new(&options.budget));
    let points = picture::points(&path, BufReader::new(stream), shape, asked.color, &room)?;
    let id = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Table { ids: Some([id].iter().collect()), ..table(&path, vec![points], shape)? })
}

impl Asked {
    /// What a model knows, or what is asked for; not one against the other.
    fn new(path: &Path, options: &OpenOptions) -> Result<Asked, DataError> {
        let known = match options.reading {
            Some(Reading::Images(known)) => known,
            Some(_) => return Err(DataError::OtherKind { path: path.to_owned(), found: "pictures" }),
            None => {
                let (size, color) = (options.image_size, options.image_color);
                return Ok(Asked { size, color, fit: options.image_fit.unwrap_or_default() });
            }
        };
        let size = ImageSize { width: known.width, height: known.height };
        // A model may say anything. A picture of its size is there several times while it is scaled.
        let needed = 8 * u64::from(size.width).saturating_mul(u64::from(size.height)).min(u64::MAX / 8);
        let allowed = options.budget.memory();
        if needed > allowed {
            let what = format!("a picture of {size}, as the model says");
            return Err(DataError::Memory { path: path.to_owned(), what, needed, allowed });
        }
        let color = if known.channels == 1 { ImageColor::Grey } else { ImageColor::Rgb };
        let differs = options.image_size.is_some_and(|asked| asked != size)
            || options.image_color.is_some_and(|asked| asked != color)
            || options.image_fit.is_some_and(|asked| asked != known.fit);
        if differs {
            let kind = if color == ImageColor::Grey { "grey" } else { "rgb" };
            let problem = format!(
                "the model was fitted to pictures of {size} in {kind}, others being brought to it {}; leave size, colour \
                 and fit out",
                known.fit.in_words()
            );
            return Err(DataError::Folder { path: path.to_owned(), problem });
        }
        Ok(Asked { size: Some(size), color: Some(color), fit: known.fit })
    }
}

fn chosen(sizes: &[ImageSize]) -> ImageSize {
    let same = sizes.windows(2).all(|two| two[0] == two[1]);
    let small = |size: &&ImageSize| size.width.max(size.height) <= LONGEST_KEPT;
    sizes.first().filter(small).filter(|_| same).copied().unwrap_or(USUAL)
}

/// All in grey, or all in colour.
fn table(path: &Path, all: Vec<Points>, Shape { size, fit }: Shape) -> Result<Table, DataError> {
    let color =
        if all.iter().all(|p| p.color == ImageColor::Grey) { ImageColor::Grey } else { ImageColor::Rgb };
    let (rows, channels) = (all.len(), color.channels());
    let cols = size.width as usize * size.height as usize * usize::from(channels);
    let resized = Some(all.iter().filter(|points| points.resized).count());
    let mut bytes: Vec<u8> = Vec::new();
    let count = rows.checked_mul(cols).filter(|_| u32::try_from(rows).is_ok());
    if count.is_none_or(|count| bytes.try_reserve_exact(count).is_err()) {
        let what = format!("{rows} pictures of {size}");
        return Err(DataError::TooLarge { path: path.to_owned(), what });
    }
    for points in all {
        match (points.color, color) {
            (ImageColor::Grey, ImageColor::Rgb) => bytes.extend(points.bytes.iter().flat_map(|&p| [p; 3])),
            _ => bytes.extend_from_slice(&points.bytes),
        }
    }
    let reading = ImagesReading { width: size.width, height: size.height, channels, fit, resized };
    let values = Values::Bytes(Matrix::from_vec(bytes, rows, cols));
    let (height, width) = (size.height as usize, size.width as usize);
    let picture = Some(PictureShape { height, width, channels: channels.into() });
    Ok(Table { reading: Some(Reading::Images(reading)), picture, ..values.into() })
}

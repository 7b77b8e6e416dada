//! From pictures to rows.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use lpvdn_core::{Matrix, PictureShape};
use rayon::prelude::*;

use super::is_picture;
use super::options::{ImageColor, ImageSize};
use super::picture::{self, Points, Room};
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
}

/// Reads every picture of a folder, in the order of their names. Where all of them are in sub-folders,
/// these are the classes.
pub(crate) fn read_folder(folder: &Path, options: &OpenOptions) -> Result<Table, DataError> {
    let asked = Asked::new(folder, options)?;
    let Listing { files, labels, notes } = folder::list(folder, is_picture)?;
    let open = |path: &Path| File::open(path).map(BufReader::new).map_err(|cause| read_error(path, cause));
    let size = match asked.size {
        Some(size) => size,
        None => {
            let size = |file: &Found| picture::size(&file.path, open(&file.path)?);
            chosen(&files.par_iter().map(size).collect::<Result<Vec<ImageSize>, _>>()?)
        }
    };
    let room = Room::new(&options.budget);
    let points = |file: &Found| {
        let points = picture::points(&file.path, open(&file.path)?, size, asked.color, &room)?;
        // Once as they are here, and once in the table.
        let bytes = 2 * (points.bytes.len() as u64 + PER_STRING);
        options.budget.charge(&file.path, bytes, "the points of all pictures")?;
        Ok(points)
    };
    // In the order of the files, whichever is done first; of several that fail, the first is named.
    let all: Vec<Result<Points, DataError>> = files.par_iter().map(points).collect();
    let all = all.into_iter().collect::<Result<Vec<Points>, _>>()?;
    let ids = Some(files.into_iter().map(|file| file.id).collect());
    Ok(Table { labels, ids, notes, ..table(folder, all, size)? })
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
    let points =
        picture::points(&path, BufReader::new(stream), size, asked.color, &Room::new(&options.budget))?;
    let id = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Table { ids: Some([id].iter().collect()), ..table(&path, vec![points], size)? })
}

impl Asked {
    /// What a model knows, or what is asked for; not one against the other.
    fn new(path: &Path, options: &OpenOptions) -> Result<Asked, DataError> {
        let known = match options.reading {
            Some(Reading::Images(known)) => known,
            Some(_) => return Err(DataError::OtherKind { path: path.to_owned(), found: "pictures" }),
            None => return Ok(Asked { size: options.image_size, color: options.image_color }),
        };
        let size = ImageSize { width: known.width, height: known.height };
        let color = if known.channels == 1 { ImageColor::Grey } else { ImageColor::Rgb };
        let differs = options.image_size.is_some_and(|asked| asked != size)
            || options.image_color.is_some_and(|asked| asked != color);
        if differs {
            let kind = if color == ImageColor::Grey { "grey" } else { "rgb" };
            let problem = format!(
                "the model was fitted to pictures of {size} in {kind}; leave the size and colour out"
            );
            return Err(DataError::Folder { path: path.to_owned(), problem });
        }
        Ok(Asked { size: Some(size), color: Some(color) })
    }
}

fn chosen(sizes: &[ImageSize]) -> ImageSize {
    let same = sizes.windows(2).all(|two| two[0] == two[1]);
    let small = |size: &&ImageSize| size.width.max(size.height) <= LONGEST_KEPT;
    sizes.first().filter(small).filter(|_| same).copied().unwrap_or(USUAL)
}

/// All in grey, or all in colour.
fn table(path: &Path, all: Vec<Points>, size: ImageSize) -> Result<Table, DataError> {
    let color =
        if all.iter().all(|p| p.color == ImageColor::Grey) { ImageColor::Grey } else { ImageColor::Rgb };
    let (rows, channels) = (all.len(), color.channels());
    let cols = size.width as usize * size.height as usize * usize::from(channels);
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
    let reading = ImagesReading { width: size.width, height: size.height, channels };
    let values = Values::Bytes(Matrix::from_vec(bytes, rows, cols));
    let (height, width) = (size.height as usize, size.width as usize);
    let picture = Some(PictureShape { height, width, channels: channels.into() });
    Ok(Table { reading: Some(Reading::Images(reading)), picture, ..values.into() })
}

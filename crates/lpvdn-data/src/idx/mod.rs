//! IDX, the format of MNIST.
//!
//! Two zero bytes, one byte for the type, one for the number of dimensions; each dimension as a
//! big-endian `u32`; then the values, row-major and big-endian.

mod folder;

use lpvdn_core::{Labels, PictureShape};

use crate::disk::{self, Layout};
use crate::element::{Element, Endian};
use crate::input::Input;
use crate::table::{self, Table, Values, shape_of};
use crate::{DataError, OpenOptions};

pub(crate) use folder::{has_files, read_folder};

fn element(code: u8) -> Option<Element> {
    Some(match code {
        0x08 => Element::U8,
        0x09 => Element::I8,
        0x0b => Element::I16,
        0x0c => Element::I32,
        0x0d => Element::F32,
        0x0e => Element::F64,
        _ => return None,
    })
}

/// Whether a file that begins so can be IDX.
pub(crate) fn recognises(sample: &[u8]) -> bool {
    matches!(sample, [0, 0, code, dims, ..] if element(*code).is_some() && *dims > 0)
}

/// Reads rows: at least two dimensions, the first of which counts them.
pub(crate) fn read(mut input: Input, options: &OpenOptions) -> Result<Table, DataError> {
    let (layout, picture) = announced(&mut input)?;
    if layout.held_bytes() > options.held_bytes() {
        return Ok(Table { picture, ..disk::left_there(input, layout, options)?.into() });
    }
    let values = Values::read(&mut input, (layout.rows, layout.width), layout.element, layout.endian)?;
    Ok(Table { picture, ..values.into() })
}

fn read_values(mut input: Input) -> Result<(Values, Option<PictureShape>), DataError> {
    let (layout, picture) = announced(&mut input)?;
    let values = Values::read(&mut input, (layout.rows, layout.width), layout.element, layout.endian)?;
    Ok((values, picture))
}

/// Where the rows are, and whether they are pictures.
fn announced(input: &mut Input) -> Result<(Layout, Option<PictureShape>), DataError> {
    let (element, dims) = read_header(input)?;
    if dims.len() < 2 {
        let problem = format!(
            "it has 1 dimension of {} values, as a labels file has; rows need at least 2: give the images file, \
             or the folder of both",
            dims[0]
        );
        return Err(malformed(input, problem));
    }
    let (rows, width) = shape_of(input.path(), &dims)?;
    let layout = Layout { start: input.consumed(), rows, width, element, endian: Endian::Big };
    Ok((layout, PictureShape::of_dimensions(&dims)))
}

/// Reads classes: one dimension.
pub(crate) fn read_labels(mut input: Input) -> Result<Labels, DataError> {
    let (element, dims) = read_header(&mut input)?;
    if dims.len() != 1 {
        let problem = format!("labels have 1 dimension, but it has {}", dims.len());
        return Err(malformed(&input, problem));
    }
    let (count, _) = shape_of(input.path(), &dims)?;
    table::labels_of(&mut input, count, element, Endian::Big)
}

fn read_header(input: &mut Input) -> Result<(Element, Vec<u64>), DataError> {
    let [zero, nil, code, count] = input.take::<4>()?;
    if (zero, nil) != (0, 0) {
        let problem = format!("it begins with bytes {zero:#04x} {nil:#04x}, not with two zero bytes");
        return Err(malformed(input, problem));
    }
    let Some(element) = element(code) else {
        let problem = format!(
            "its type is {code:#04x}; accepted are 0x08 (u8), 0x09 (i8), 0x0b (i16), 0x0c (i32), 0x0d (f32) and \
             0x0e (f64)"
        );
        return Err(malformed(input, problem));
    };
    if count == 0 {
        return Err(malformed(input, "it has no dimensions; rows need at least 2".into()));
    }
    let dims = (0..count).map(|_| Ok(u64::from(u32::from_be_bytes(input.take()?))));
    Ok((element, dims.collect::<Result<_, DataError>>()?))
}

fn malformed(input: &Input, problem: String) -> DataError {
    DataError::Malformed { path: input.path().to_owned(), format: "IDX", problem }
}

/// Classes of several files, one after the other.
fn joined(parts: &[Labels]) -> Labels {
    parts.iter().flat_map(Labels::iter).collect()
}

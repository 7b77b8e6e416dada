//! NPY, the format of `numpy.save`.

mod header;
mod vector;
mod write;

use std::sync::Arc;

use lpvdn_core::{Matrix, PictureShape};

use self::header::Header;
use crate::disk::{self, DenseRows, Layout};
use crate::input::Input;
use crate::table::{Rows, Table, Values, shape_of};
use crate::{DataError, OpenOptions, label_column};

pub(crate) use vector::{
    for_each_float, for_each_whole, length, read_array, read_floats, read_labels, read_whole, read_word,
};
pub use write::{write_npy, write_npy_header, write_npy_values};

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// NumPy itself refuses headers above 10,000 bytes; none that is readable here needs so many.
const LONGEST_HEADER: u32 = 1 << 20;

/// Whether a file that begins so is NPY.
pub(crate) fn recognises(sample: &[u8]) -> bool {
    sample.starts_with(MAGIC)
}

/// An array whose header has been read.
struct Announced {
    header: Header,
    layout: Layout,
    label: Option<usize>,
}

/// Reads an array of two or more dimensions, or leaves it on the disk if it is large and lies there row
/// after row.
pub(crate) fn read(mut input: Input, options: &OpenOptions) -> Result<Table, DataError> {
    let array = announced(&mut input, options)?;
    if array.header.fortran || array.layout.held_bytes() <= options.held_bytes() {
        return values_of(input, array);
    }
    on_disk(input, options, array)
}

fn announced(input: &mut Input, options: &OpenOptions) -> Result<Announced, DataError> {
    let header = read_header(input)?;
    if header.shape.len() < 2 {
        return Err(malformed(input, too_flat(&header.shape)));
    }
    let (rows, width) = shape_of(input.path(), &header.shape)?;
    let label = label_column::chosen(input.path(), options, width)?;
    let (element, endian) = (header.element, header.endian());
    let bytes = (rows as u64).checked_mul(width as u64).and_then(|n| n.checked_mul(element.size() as u64));
    if bytes.is_none_or(|bytes| bytes > i64::MAX as u64) {
        let what = format!("an array of shape {:?}", header.shape);
        return Err(DataError::TooLarge { path: input.path().to_owned(), what });
    }
    Ok(Announced { layout: Layout { start: input.consumed(), rows, width, element, endian }, header, label })
}

/// The rows where they lie in a plain file; else unpacked into a file of their own.
fn on_disk(input: Input, options: &OpenOptions, array: Announced) -> Result<Table, DataError> {
    let (path, bytes) = (input.path().to_owned(), array.layout.bytes());
    let (file, layout) = match input.is_plain() {
        true => (input.into_plain_file(bytes)?, array.layout),
        false => (disk::spool(input, bytes)?, Layout { start: 0, ..array.layout }),
    };
    let source = DenseRows::new(&path, file, layout, array.label, options.held_bytes() / 2);
    let labels = array.label.map(|column| source.labels(column, &path, &options.budget)).transpose()?;
    let picture = picture(&array.header, array.label);
    Ok(Table { labels, picture, ..Rows::Elsewhere(Arc::new(source)).into() })
}

fn values_of(mut input: Input, array: Announced) -> Result<Table, DataError> {
    let Announced { header, layout, label } = array;
    let Layout { rows, width, element, endian, .. } = layout;
    let by_rows = |values| if header.fortran { from_fortran(values, &header.shape) } else { values };
    if header.fortran {
        let what = "an array in the order of its columns, which is turned into rows";
        input.budget().charge(input.path(), layout.held_bytes(), what)?;
    }
    if label.is_some() {
        input.budget().charge(input.path(), layout.held_bytes(), "the values without the classes")?;
    }
    let Some(column) = label else {
        let values = by_rows(Values::read(&mut input, (rows, width), element, endian)?);
        return Ok(Table { picture: picture(&header, label), ..values.into() });
    };
    let stored = if header.fortran { fortran_column(column, &header.shape[1..]) } else { column };
    let is_label = |at: usize| stored == if header.fortran { at / rows } else { at % width };
    let read = Values::read_labelled(&mut input, (rows, width), (element, endian), is_label)?;
    let (values, labels) = (by_rows(read.0).without_column(column), Some(read.1));
    Ok(Table { picture: picture(&header, label), labels, ..values.into() })
}

/// Three or four dimensions are images, unless a value of each row is its class.
fn picture(header: &Header, label: Option<usize>) -> Option<PictureShape> {
    PictureShape::of_dimensions(&header.shape).filter(|_| label.is_none())
}

/// The shape alone, or nothing if the elements are not numbers.
pub(crate) fn shape(mut input: Input) -> Result<Option<Vec<u64>>, DataError> {
    let text = read_header_text(&mut input)?;
    Ok(Header::parse(&text).ok().map(|header| header.shape))
}

fn read_header(input: &mut Input) -> Result<Header, DataError> {
    let text = read_header_text(input)?;
    Header::parse(&text).map_err(|problem| malformed(input, problem))
}

fn read_header_text(input: &mut Input) -> Result<String, DataError> {
    let magic = input.take::<6>()?;
    if &magic != MAGIC {
        let problem = "it does not begin as NumPy's save writes it (\\x93NUMPY)".to_owned();
        return Err(malformed(input, problem));
    }
    let [major, minor] = input.take::<2>()?;
    let length = match major {
        1 => u32::from(u16::from_le_bytes(input.take()?)),
        2 | 3 => u32::from_le_bytes(input.take()?),
        _ => {
            let problem = format!("it has version {major}.{minor}; accepted are 1 to 3");
            return Err(malformed(input, problem));
        }
    };
    if length > LONGEST_HEADER {
        return Err(malformed(input, format!("a header of {length} bytes is not plausible")));
    }
    let text = input.take_vec(length as usize)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn too_flat(shape: &[u64]) -> String {
    match shape {
        [n] => format!(
            "it is 1-dimensional, with {n} values, which may be {n} rows or {n} columns; save it as \
             array.reshape(-1, 1) if every value is a row, as array.reshape(1, -1) if all are one row"
        ),
        _ => "it holds a single number; an array of rows × columns is needed".to_owned(),
    }
}

/// Puts values that were read column by column into rows.
fn from_fortran(values: Values, shape: &[u64]) -> Values {
    match values {
        Values::Bytes(m) => Values::Bytes(reordered(&m, shape)),
        sparse @ Values::Sparse(_) => sparse,
        Values::Doubles(m) => Values::Doubles(reordered(&m, shape)),
        Values::Floats(m) => Values::Floats(reordered(&m, shape)),
    }
}

fn reordered<T: Copy + Default>(read: &Matrix<T>, shape: &[u64]) -> Matrix<T> {
    let (rows, cols) = (read.rows(), read.cols());
    let columns: Vec<usize> = (0..cols).map(|column| fortran_column(column, &shape[1..])).collect();
    Matrix::from_fn(rows, cols, |i, j| read.as_slice()[columns[j] * rows + i])
}

/// Where column `column`, counted with the last dimension fastest, stands when the first is fastest.
fn fortran_column(column: usize, dims: &[u64]) -> usize {
    let mut rest = column;
    let mut place = 0;
    // From the last dimension to the first: each digit is taken off `rest`, and enters `place`
    // under those that come before it.
    let mut below: usize = dims.iter().product::<u64>() as usize;
    for &dim in dims.iter().rev() {
        let dim = dim as usize;
        below /= dim;
        place += (rest % dim) * below;
        rest /= dim;
    }
    place
}

fn malformed(input: &Input, problem: String) -> DataError {
    DataError::Malformed { path: input.path().to_owned(), format: "NPY", problem }
}

#[cfg(test)]
mod tests {
    use super::fortran_column;

    #[test]
    fn columns_of_higher_dimensions_are_found_in_fortran_order() {
        assert_eq!((0..5).map(|c| fortran_column(c, &[5])).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        // (a, b) in C order is a·3 + b; in Fortran order a + 2·b.
        let places: Vec<usize> = (0..6).map(|c| fortran_column(c, &[2, 3])).collect();
        assert_eq!(places, [0, 2, 4, 1, 3, 5]);
    }
}

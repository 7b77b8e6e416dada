//! Arrays of one dimension, as the members of an archive are: columns of indices, values, labels.

use lpvdn_core::Labels;

use super::header::Header;
use super::{malformed, read_header, read_header_text};
use crate::DataError;
use crate::input::Input;
use crate::table::labels_of;

/// The longest word that is read: names of layouts have three letters.
const LONGEST_WORD: usize = 64;
/// Numbers that are taken at a time.
const PIECE: usize = 1 << 13;

/// Reads a vector of any numbers.
pub(crate) fn read_floats(mut input: Input) -> Result<Vec<f32>, DataError> {
    let (header, count) = start(&mut input)?;
    input.take_values(count, header.element.size(), header.element.decoder(header.endian()))
}

/// Reads an array of any numbers with `N` dimensions, and gives its shape and its values, the last dimension fastest.
pub(crate) fn read_array<const N: usize>(mut input: Input) -> Result<([usize; N], Vec<f32>), DataError> {
    let header = read_header(&mut input)?;
    let shape = header.shape.iter().map(|&size| usize::try_from(size).ok());
    let shape: Option<[usize; N]> =
        shape.collect::<Option<Vec<usize>>>().and_then(|shape| shape.try_into().ok());
    let count =
        shape.and_then(|shape| shape.iter().try_fold(1, |count: usize, &size| count.checked_mul(size)));
    let (Some(shape), Some(count)) = (shape, count) else {
        let problem = format!("it has shape {:?}; {N} dimensions are needed here", header.shape);
        return Err(malformed(&input, problem));
    };
    let decode = header.element.decoder(header.endian());
    let values = input.take_values(count, header.element.size(), decode)?;
    Ok((shape, if header.fortran { last_fastest(&shape, &values) } else { values }))
}

/// Values whose first dimension is the fastest, in the other order.
fn last_fastest(shape: &[usize], values: &[f32]) -> Vec<f32> {
    let place = |mut at: usize| {
        let mut below = values.len();
        shape.iter().rev().fold(0, |place, &size| {
            below /= size;
            let digit = at % size;
            at /= size;
            place + digit * below
        })
    };
    (0..values.len()).map(|at| values[place(at)]).collect()
}

/// Reads a vector of whole numbers, each of which goes through `convert`.
pub(crate) fn read_whole<T>(mut input: Input, convert: impl Fn(i128) -> T) -> Result<Vec<T>, DataError> {
    let (header, count) = start(&mut input)?;
    let decode = whole(&input, &header)?;
    input.take_values(count, header.element.size(), |bytes| convert(decode(bytes)))
}

/// How many numbers a vector has.
pub(crate) fn length(mut input: Input) -> Result<usize, DataError> {
    start(&mut input).map(|(_, count)| count)
}

/// Calls `visit` with every number of a vector.
pub(crate) fn for_each_float(
    mut input: Input,
    visit: impl FnMut(f32) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let (header, count) = start(&mut input)?;
    for_each(&mut input, (count, header.element.size()), header.element.decoder(header.endian()), visit)
}

/// Calls `visit` with every number of a vector of whole numbers.
pub(crate) fn for_each_whole(
    mut input: Input,
    visit: impl FnMut(i128) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let (header, count) = start(&mut input)?;
    let decode = whole(&input, &header)?;
    for_each(&mut input, (count, header.element.size()), decode, visit)
}

fn for_each<T>(
    input: &mut Input,
    (count, size): (usize, usize),
    decode: fn(&[u8]) -> T,
    mut visit: impl FnMut(T) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let bytes = (count as u64).saturating_mul(size as u64);
    input
        .take_pieces(bytes, PIECE * size, |piece| piece.chunks_exact(size).try_for_each(|v| visit(decode(v))))
}

fn whole(input: &Input, header: &Header) -> Result<fn(&[u8]) -> i128, DataError> {
    let fractions = || malformed(input, "it holds fractions; whole numbers are needed here".into());
    header.element.whole(header.endian()).ok_or_else(fractions)
}

/// Reads a vector of classes: numbers, as they are written out.
pub(crate) fn read_labels(mut input: Input) -> Result<Labels, DataError> {
    let (header, count) = start(&mut input)?;
    labels_of(&mut input, count, header.element, header.endian())
}

/// Reads a single word, stored as bytes or as UTF-32, of which the letters are what is not zero.
pub(crate) fn read_word(mut input: Input) -> Result<String, DataError> {
    read_header_text(&mut input)?;
    let mut letters = input.take_rest(LONGEST_WORD)?;
    letters.retain(|&byte| byte != 0);
    Ok(String::from_utf8_lossy(&letters).into_owned())
}

/// The header and the number of values of a vector, or of a single column.
fn start(input: &mut Input) -> Result<(Header, usize), DataError> {
    let header = read_header(input)?;
    let count = match header.shape[..] {
        [count] | [count, 1] => usize::try_from(count).ok(),
        _ => None,
    };
    match count {
        Some(count) => Ok((header, count)),
        None => {
            Err(malformed(input, format!("it has shape {:?}; one dimension is needed here", header.shape)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::last_fastest;

    #[test]
    fn three_dimensions_are_put_into_the_usual_order() {
        // Value 100·a + 10·b + c stands at (a, b, c), of shape (2, 3, 4), the first dimension fastest.
        let stored: Vec<f32> =
            (0..24).map(|at| (100 * (at % 2) + 10 * (at / 2 % 3) + at / 6) as f32).collect();
        let usual: Vec<f32> =
            (0..24).map(|at| (100 * (at / 12) + 10 * (at / 4 % 3) + at % 4) as f32).collect();
        assert_eq!(last_fastest(&[2, 3, 4], &stored), usual);
    }
}

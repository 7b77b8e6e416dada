//! The built-in set of handwritten digits.

use std::io::Read;

use flate2::read::GzDecoder;
use lpvdn_core::{Dataset, Labels, Matrix, PictureShape};

const PACKED: &[u8] = include_bytes!("../data/optdigits.csv.gz");
const ROWS: usize = 5620;
const COLS: usize = 64;

/// 5,620 handwritten digits as 8×8 images with values from 0 to 16, and their classes.
///
/// *Optical Recognition of Handwritten Digits*, E. Alpaydin and C. Kaynak, UCI Machine Learning
/// Repository, CC BY 4.0. The rows are in the order of the original file.
///
/// ```
/// let digits = lpvdn_data::digits();
/// assert_eq!((digits.rows(), digits.cols()), (5620, 64));
/// assert_eq!(digits.labels.map(|l| l.names.len()), Some(10));
/// ```
pub fn digits() -> Dataset {
    let mut text = String::new();
    // These bytes are part of the program, not input: a test reads them.
    GzDecoder::new(PACKED).read_to_string(&mut text).expect("the built-in data is intact");
    let mut values = Vec::with_capacity(ROWS * COLS);
    let mut labels = Vec::with_capacity(ROWS);
    for line in text.lines() {
        let (pixels, label) = line.rsplit_once(',').expect("the label is the last cell");
        values.extend(pixels.split(',').map(|v| v.parse::<u8>().expect("a byte")));
        labels.push(label);
    }
    let picture = Some(PictureShape { height: 8, width: 8, channels: 1 });
    let rows = Dataset::new("digits", Matrix::from_vec(values, ROWS, COLS));
    Dataset { picture, ..rows.with_labels(Labels::from_names(&labels)) }
}

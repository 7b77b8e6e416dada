//! What every reader returns: values, and perhaps labels and column names.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::sync::Arc;

use lpvdn_core::table::cells::written_number as written;
use lpvdn_core::{
    ColumnGroup, CsrMatrix, Dataset, Labels, Matrix, PictureShape, RowLines, RowNames, RowSource,
};

use crate::budget::Budget;
use crate::described::ChargedLabels;
use crate::element::{Element, Endian};
use crate::input::Input;
use crate::reading::Reading;
use crate::{DataError, Filled, Note, Opened};

/// Classes that are taken at a time.
const LABELS: usize = 1 << 13;

/// Values as they are stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    /// Pixels and other bytes stay bytes.
    Bytes(Matrix<u8>),
    /// Numbers of which an `f32` may lose digits.
    Doubles(Matrix<f64>),
    /// Everything else that is dense.
    Floats(Matrix<f32>),
    /// Mostly zeros.
    Sparse(CsrMatrix<f32>),
}

/// Rows, in memory or elsewhere.
pub(crate) enum Rows {
    Held(Values),
    Elsewhere(Arc<dyn RowSource>),
}

impl Rows {
    pub(crate) fn count(&self) -> usize {
        match self {
            Rows::Held(values) => values.rows(),
            Rows::Elsewhere(source) => source.rows(),
        }
    }

    pub(crate) fn into_source(self) -> Arc<dyn RowSource> {
        match self {
            Rows::Held(Values::Bytes(m)) => Arc::new(m),
            Rows::Held(Values::Doubles(m)) => Arc::new(m),
            Rows::Held(Values::Floats(m)) => Arc::new(m),
            Rows::Held(Values::Sparse(m)) => Arc::new(m),
            Rows::Elsewhere(source) => source,
        }
    }
}

/// The content of a file.
pub(crate) struct Table {
    pub(crate) rows: Rows,
    pub(crate) labels: Option<Labels>,
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) groups: Option<Vec<ColumnGroup>>,
    pub(crate) ids: Option<RowNames>,
    pub(crate) lines: Option<RowLines>,
    pub(crate) reading: Option<Reading>,
    pub(crate) picture: Option<PictureShape>,
    /// The beginnings of texts, where they are asked for.
    pub(crate) texts: Option<Vec<String>>,
    /// What the user should know about the reading.
    pub(crate) notes: Vec<Note>,
    /// The values that were missing and are filled in.
    pub(crate) missing: Vec<Filled>,
}

impl Table {
    pub(crate) fn into_opened(self, name: String) -> Opened {
        let Table { rows, labels, columns, groups, ids, lines, reading, picture, texts, notes, missing } =
            self;
        let data = Dataset { name, source: rows.into_source(), labels, columns, groups, ids, lines, picture };
        Opened { data, format: None, reading, texts, notes, missing }
    }
}

impl From<Values> for Table {
    fn from(values: Values) -> Table {
        Rows::Held(values).into()
    }
}

impl From<Rows> for Table {
    fn from(rows: Rows) -> Table {
        Table {
            rows,
            labels: None,
            columns: None,
            groups: None,
            ids: None,
            lines: None,
            reading: None,
            picture: None,
            texts: None,
            notes: Vec::new(),
            missing: Vec::new(),
        }
    }
}

impl Values {
    /// Reads the rest of `input` as a row-major array.
    pub(crate) fn read(
        input: &mut Input,
        shape: (usize, usize),
        element: Element,
        endian: Endian,
    ) -> Result<Values, DataError> {
        Values::read_seeing(input, shape, (element, endian), |_| ())
    }

    /// The same, and the classes at those places, counted from 0, that `is_label` knows.
    ///
    /// They are made of the bytes, because a value may be rounded.
    pub(crate) fn read_labelled(
        input: &mut Input,
        shape: (usize, usize),
        (element, endian): (Element, Endian),
        is_label: impl Fn(usize) -> bool,
    ) -> Result<(Values, Labels), DataError> {
        let labels = RefCell::new(ChargedLabels::new(input.path(), input.budget()));
        let (at, refused) = (Cell::new(0), RefCell::new(Ok(())));
        let values = Values::read_seeing(input, shape, (element, endian), |bytes| {
            if is_label(at.replace(at.get() + 1)) && refused.borrow().is_ok() {
                *refused.borrow_mut() = labels.borrow_mut().push(&element.written(endian, bytes));
            }
        })?;
        refused.into_inner()?;
        Ok((values, labels.into_inner().finish()))
    }

    fn read_seeing(
        input: &mut Input,
        (rows, cols): (usize, usize),
        (element, endian): (Element, Endian),
        see: impl Fn(&[u8]),
    ) -> Result<Values, DataError> {
        let (count, size) = (rows * cols, element.size());
        Ok(match (element, element.double(endian)) {
            (Element::U8, _) => {
                let bytes = input.take_values(count, size, |b| seen(b, &see, |b| b[0]))?;
                Values::Bytes(Matrix::from_vec(bytes, rows, cols))
            }
            (Element::Bool, _) => {
                let truth = input.take_values(count, size, |b| seen(b, &see, |b| u8::from(b[0] != 0)))?;
                Values::Bytes(Matrix::from_vec(truth, rows, cols))
            }
            (_, Some(double)) => {
                let numbers = input.take_values(count, size, |b| seen(b, &see, double))?;
                Values::Doubles(Matrix::from_vec(numbers, rows, cols))
            }
            (_, None) => {
                let decode = element.decoder(endian);
                let numbers = input.take_values(count, size, |b| seen(b, &see, decode))?;
                Values::Floats(Matrix::from_vec(numbers, rows, cols))
            }
        })
    }

    pub(crate) fn rows(&self) -> usize {
        match self {
            Values::Bytes(m) => m.rows(),
            Values::Doubles(m) => m.rows(),
            Values::Floats(m) => m.rows(),
            Values::Sparse(m) => m.rows(),
        }
    }

    pub(crate) fn cols(&self) -> usize {
        match self {
            Values::Bytes(m) => m.cols(),
            Values::Doubles(m) => m.cols(),
            Values::Floats(m) => m.cols(),
            Values::Sparse(m) => m.cols(),
        }
    }

    /// The rows of `self`, then those of `more`, which have as many columns.
    pub(crate) fn followed_by(self, more: Values) -> Values {
        match (self, more) {
            (Values::Bytes(a), Values::Bytes(b)) => Values::Bytes(stacked(a, &b)),
            (Values::Doubles(a), Values::Doubles(b)) => Values::Doubles(stacked(a, &b)),
            (Values::Doubles(a), b) => Values::Doubles(stacked(a, &b.into_floats().cast())),
            (a, Values::Doubles(b)) => Values::Doubles(stacked(a.into_floats().cast(), &b)),
            (Values::Sparse(mut a), Values::Sparse(b)) => {
                (0..b.rows()).for_each(|i| push(&mut a, b.row(i)));
                Values::Sparse(a)
            }
            (a, b) => Values::Floats(stacked(a.into_floats(), &b.into_floats())),
        }
    }

    fn into_floats(self) -> Matrix<f32> {
        match self {
            Values::Floats(m) => m,
            Values::Bytes(m) => Matrix::from_fn(m.rows(), m.cols(), |i, j| f32::from(m.row(i)[j])),
            Values::Doubles(m) => m.cast(),
            Values::Sparse(m) => {
                let mut dense = Matrix::zeros(0, m.cols());
                m.to_dense_into(&mut dense);
                dense
            }
        }
    }

    /// The values without column `column`.
    pub(crate) fn without_column(self, column: usize) -> Values {
        match self {
            Values::Bytes(m) => Values::Bytes(without(&m, column)),
            Values::Doubles(m) => Values::Doubles(without(&m, column)),
            Values::Floats(m) => Values::Floats(without(&m, column)),
            Values::Sparse(m) => {
                let dropped = |_: f32| Ok::<(), std::convert::Infallible>(());
                let Ok(rest) = split_sparse(&m, column as u32, dropped);
                Values::Sparse(rest)
            }
        }
    }

    /// The values without column `column`, and that column as classes.
    pub(crate) fn split_column(
        self,
        column: usize,
        path: &Path,
        budget: &Budget,
    ) -> Result<(Values, Labels), DataError> {
        budget.charge(path, self.bytes(), "the values without the classes")?;
        let mut labels = ChargedLabels::new(path, budget);
        match &self {
            Values::Bytes(m) => m.iter_rows().try_for_each(|row| labels.push(&row[column].to_string()))?,
            Values::Doubles(m) => m.iter_rows().try_for_each(|row| labels.push(&written(row[column])))?,
            Values::Floats(m) => m.iter_rows().try_for_each(|row| labels.push(&row[column].to_string()))?,
            Values::Sparse(m) => {
                let rest = split_sparse(m, column as u32, |label| labels.push(&label.to_string()))?;
                return Ok((Values::Sparse(rest), labels.finish()));
            }
        }
        Ok((self.without_column(column), labels.finish()))
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        let dense = |rows: usize, cols: usize, size: usize| rows as u64 * cols as u64 * size as u64;
        match self {
            Values::Bytes(m) => dense(m.rows(), m.cols(), 1),
            Values::Doubles(m) => dense(m.rows(), m.cols(), 8),
            Values::Floats(m) => dense(m.rows(), m.cols(), 4),
            Values::Sparse(m) => 8 * (m.rows() as u64 + m.entries() as u64),
        }
    }
}

/// Shows the bytes of a value to `see`, and gives the value.
fn seen<T>(bytes: &[u8], see: impl Fn(&[u8]), value: impl Fn(&[u8]) -> T) -> T {
    see(bytes);
    value(bytes)
}

fn stacked<T: Copy + Default>(above: Matrix<T>, below: &Matrix<T>) -> Matrix<T> {
    let (rows, cols) = (above.rows() + below.rows(), above.cols());
    let mut values = above.into_vec();
    values.extend_from_slice(below.as_slice());
    Matrix::from_vec(values, rows, cols)
}

fn without<T: Copy + Default>(values: &Matrix<T>, column: usize) -> Matrix<T> {
    Matrix::from_fn(values.rows(), values.cols() - 1, |i, j| {
        values.row(i)[if j < column { j } else { j + 1 }]
    })
}

fn push(to: &mut CsrMatrix<f32>, (columns, values): (&[u32], &[f32])) {
    to.push_row(columns.iter().copied().zip(values.iter().copied()));
}

/// The matrix without a column, whose values go to `take`.
fn split_sparse<E>(
    values: &CsrMatrix<f32>,
    column: u32,
    mut take: impl FnMut(f32) -> Result<(), E>,
) -> Result<CsrMatrix<f32>, E> {
    let mut rest = CsrMatrix::new(values.cols() - 1);
    for i in 0..values.rows() {
        let (columns, row) = values.row(i);
        let mut row = columns.iter().copied().zip(row.iter().copied()).collect();
        take(split_entry(&mut row, column))?;
        rest.push_row(row);
    }
    Ok(rest)
}

/// Takes the entry of a column out of a row, and the column out of the matrix.
pub(crate) fn split_entry(row: &mut Vec<(u32, f32)>, column: u32) -> f32 {
    let entry = row.iter().find(|(j, _)| *j == column).map_or(0.0, |(_, v)| *v);
    row.retain(|(j, _)| *j != column);
    row.iter_mut().filter(|(j, _)| *j > column).for_each(|(j, _)| *j -= 1);
    entry
}

/// Reads the rest of `input` as classes: numbers, as they are written out.
pub(crate) fn labels_of(
    input: &mut Input,
    count: usize,
    element: Element,
    endian: Endian,
) -> Result<Labels, DataError> {
    let (size, mut labels) = (element.size(), ChargedLabels::new(input.path(), input.budget()));
    let bytes = (count as u64).saturating_mul(size as u64);
    input.take_pieces(bytes, LABELS * size, |piece| {
        piece.chunks_exact(size).try_for_each(|label| labels.push(&element.written(endian, label)))
    })?;
    Ok(labels.finish())
}

/// Rows and columns of an array whose first dimension counts rows, the others flattened.
///
/// The product of the two is known not to overflow.
pub(crate) fn shape_of(path: &Path, dims: &[u64]) -> Result<(usize, usize), DataError> {
    let nothing = |what| DataError::Nothing { path: path.to_owned(), what, hint: "" };
    let too_large =
        || DataError::TooLarge { path: path.to_owned(), what: format!("an array of shape {dims:?}") };
    let (rows, rest) = dims.split_first().ok_or_else(|| nothing("rows"))?;
    if *rows == 0 {
        return Err(nothing("rows"));
    }
    // Before multiplying: a zero hides any overflow around it.
    if rest.contains(&0) {
        return Err(nothing("columns of values"));
    }
    let cols = rest.iter().try_fold(1_u64, |product, &d| product.checked_mul(d)).ok_or_else(too_large)?;
    // Rows and columns are numbered with u32 from here on.
    let (rows, cols) =
        (u32::try_from(*rows).map_err(|_| too_large())?, u32::try_from(cols).map_err(|_| too_large())?);
    let (rows, cols) = (rows as usize, cols as usize);
    rows.checked_mul(cols).filter(|&n| isize::try_from(n).is_ok()).ok_or_else(too_large)?;
    Ok((rows, cols))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(values: Values, column: usize) -> (Values, Labels) {
        values.split_column(column, Path::new("t"), &Budget::default()).expect("little memory")
    }

    #[test]
    fn a_sparse_column_is_split_off_as_a_dense_one() {
        let dense = Matrix::from_vec(vec![0.0, 2.0, 0.0, 1.0, 0.0, 3.0], 2, 3);
        for column in 0..3 {
            let (rest, names) = split(Values::Sparse(CsrMatrix::from_dense(&dense)), column);
            let (wanted, wanted_names) = split(Values::Floats(dense.clone()), column);
            assert_eq!((rest.into_floats(), names), (wanted.into_floats(), wanted_names));
        }
    }

    #[test]
    fn sparse_rows_follow_each_other() {
        let dense = Matrix::from_vec(vec![0.0, 2.0, 1.0, 0.0], 2, 2);
        let sparse = || Values::Sparse(CsrMatrix::from_dense(&dense));
        assert_eq!(
            sparse().followed_by(sparse()).into_floats(),
            Values::Floats(dense.clone()).followed_by(Values::Floats(dense.clone())).into_floats()
        );
    }
}

//! The cells of an array: as numbers, as text, as vectors.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

use crate::columns::written_date;

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Numbers,
    /// In days since 1970-01-01.
    Dates,
    Truths,
    Words,
    Vectors,
    /// Every cell is missing.
    Nothing,
}

/// What a column of this type holds, if it is something that can become values.
pub(super) fn kind(of: &DataType) -> Option<Kind> {
    match of {
        DataType::Dictionary(_, of) if !matches!(**of, DataType::Dictionary(..)) => kind(of),
        DataType::List(of) | DataType::LargeList(of) | DataType::FixedSizeList(of, _) => {
            is_number(of.data_type()).then_some(Kind::Vectors)
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(Kind::Words),
        DataType::Null => Some(Kind::Nothing),
        DataType::Boolean => Some(Kind::Truths),
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Some(Kind::Dates),
        other => is_number(other).then_some(Kind::Numbers),
    }
}

fn is_number(of: &DataType) -> bool {
    of.is_integer() || of.is_floating() || of.is_decimal() || matches!(of, DataType::Boolean)
}

/// An array whose cells may be looked up in another one, as those of a dictionary are.
pub(super) struct Cells<'a> {
    array: &'a dyn Array,
    /// Where the cells stand.
    values: &'a ArrayRef,
    /// The place of each cell among the values, if it is another than its own.
    keys: Option<Vec<usize>>,
}

impl<'a> Cells<'a> {
    pub(super) fn new(array: &'a ArrayRef) -> Cells<'a> {
        if !matches!(array.data_type(), DataType::Dictionary(..)) {
            return Cells { array, values: array, keys: None };
        }
        let dictionary = array.as_any_dictionary();
        // A dictionary without words has no keys that could be looked up.
        let keys = if dictionary.values().is_empty() { Vec::new() } else { dictionary.normalized_keys() };
        Cells { array, values: dictionary.values(), keys: Some(keys) }
    }

    /// Where the cell of a row stands; nowhere if it is missing.
    fn find(&self, row: usize) -> Option<usize> {
        if self.array.is_null(row) {
            return None;
        }
        let at = self.keys.as_ref().map_or(Some(row), |keys| keys.get(row).copied())?;
        (!self.values.is_null(at)).then_some(at)
    }

    /// Each cell as a number; a point in time as days since 1970-01-01.
    pub(super) fn numbers(&self) -> impl Iterator<Item = Option<f64>> {
        let numbers = numbers(self.values);
        (0..self.array.len()).map(move |row| self.find(row).map(|at| numbers[at]))
    }

    /// Each cell as text, exactly: a long number that names a row must not be rounded.
    pub(super) fn texts(&self) -> impl Iterator<Item = Option<Cow<'_, str>>> {
        (0..self.array.len()).map(|row| self.find(row).map(|at| text(self.values, at)))
    }

    /// Each cell as several numbers, and whether one of them is missing. Those are no numbers.
    pub(super) fn vectors(&self) -> Vectors<'_> {
        let inner = match self.values.data_type() {
            DataType::List(_) => self.values.as_list::<i32>().values(),
            DataType::LargeList(_) => self.values.as_list::<i64>().values(),
            _ => self.values.as_fixed_size_list().values(),
        };
        let part = self.part();
        let inner = inner.slice(part.start, part.len());
        let mut numbers: Vec<f32> = numbers(&inner).into_iter().map(|number| number as f32).collect();
        if inner.null_count() > 0 {
            (0..numbers.len()).filter(|&i| inner.is_null(i)).for_each(|i| numbers[i] = f32::NAN);
        }
        Vectors { cells: self, inner, numbers, first: part.start }
    }

    /// How many numbers all vectors have.
    pub(super) fn numbers_of_vectors(&self) -> usize {
        self.part().len()
    }

    /// Which of the inner values belong to vectors: an array may be a part of a larger one, and shares its values.
    fn part(&self) -> Range<usize> {
        match self.values.len() {
            0 => 0..0,
            rows => self.range(0).start..self.range(rows - 1).end,
        }
    }

    /// How many numbers the first vector has, if there is one.
    pub(super) fn width(&self) -> Option<usize> {
        let range = |at| self.range(at).len();
        match self.values.data_type() {
            DataType::FixedSizeList(_, width) if !self.array.is_empty() => usize::try_from(*width).ok(),
            _ => (0..self.array.len()).find_map(|row| self.find(row)).map(range),
        }
    }

    /// Which of the inner values make the vector that stands at `at`.
    fn range(&self, at: usize) -> Range<usize> {
        match self.values.data_type() {
            DataType::List(_) => {
                let offsets = self.values.as_list::<i32>().value_offsets();
                offsets[at] as usize..offsets[at + 1] as usize
            }
            DataType::LargeList(_) => {
                let offsets = self.values.as_list::<i64>().value_offsets();
                offsets[at] as usize..offsets[at + 1] as usize
            }
            _ => {
                let list = self.values.as_fixed_size_list();
                let (start, width) = (list.value_offset_at(at), list.value_length() as usize);
                start..start + width
            }
        }
    }
}

/// The vectors of a column.
pub(super) struct Vectors<'a> {
    cells: &'a Cells<'a>,
    inner: ArrayRef,
    numbers: Vec<f32>,
    /// Which of the column's values is the first number.
    first: usize,
}

impl Vectors<'_> {
    /// The numbers of a row, and whether one of them is missing.
    pub(super) fn get(&self, row: usize) -> Option<(&[f32], bool)> {
        let range = self.cells.range(self.cells.find(row)?);
        let range = range.start - self.first..range.end - self.first;
        let gaps = self.inner.null_count() > 0 && range.clone().any(|i| self.inner.is_null(i));
        Some((&self.numbers[range], gaps))
    }
}

fn numbers(array: &ArrayRef) -> Vec<f64> {
    fn each<T: ArrowPrimitiveType>(array: &ArrayRef, to: impl Fn(T::Native) -> f64) -> Vec<f64> {
        array.as_primitive::<T>().values().iter().map(|&value| to(value)).collect()
    }
    match array.data_type() {
        DataType::Int8 => each::<Int8Type>(array, f64::from),
        DataType::Int16 => each::<Int16Type>(array, f64::from),
        DataType::Int32 => each::<Int32Type>(array, f64::from),
        DataType::Int64 => each::<Int64Type>(array, |v| v as f64),
        DataType::UInt8 => each::<UInt8Type>(array, f64::from),
        DataType::UInt16 => each::<UInt16Type>(array, f64::from),
        DataType::UInt32 => each::<UInt32Type>(array, f64::from),
        DataType::UInt64 => each::<UInt64Type>(array, |v| v as f64),
        DataType::Float16 => each::<Float16Type>(array, |v| v.to_f64()),
        DataType::Float32 => each::<Float32Type>(array, f64::from),
        DataType::Float64 => each::<Float64Type>(array, |v| v),
        DataType::Decimal32(..) => decimals::<Decimal32Type>(array),
        DataType::Decimal64(..) => decimals::<Decimal64Type>(array),
        DataType::Decimal128(..) => decimals::<Decimal128Type>(array),
        DataType::Decimal256(..) => decimals::<Decimal256Type>(array),
        DataType::Date32 => each::<Date32Type>(array, f64::from),
        DataType::Date64 => each::<Date64Type>(array, |v| days(v, 1_000)),
        DataType::Timestamp(TimeUnit::Second, _) => each::<TimestampSecondType>(array, |v| days(v, 1)),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            each::<TimestampMillisecondType>(array, |v| days(v, 1_000))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            each::<TimestampMicrosecondType>(array, |v| days(v, 1_000_000))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            each::<TimestampNanosecondType>(array, |v| days(v, 1_000_000_000))
        }
        DataType::Boolean => array.as_boolean().values().iter().map(|v| f64::from(u8::from(v))).collect(),
        // `kind` lets nothing else pass.
        _ => vec![f64::NAN; array.len()],
    }
}

/// Days of which a second has `units`, divided so that whole days are exact.
fn days(time: i64, units: i64) -> f64 {
    let day = 86_400 * units;
    time.div_euclid(day) as f64 + time.rem_euclid(day) as f64 / day as f64
}

/// Decimal numbers, each rounded once: a product of the digits and a power of ten would be rounded twice.
fn decimals<T: DecimalType>(array: &ArrayRef) -> Vec<f64> {
    let array = array.as_primitive::<T>();
    (0..array.len()).map(|at| array.value_as_string(at).parse().unwrap_or(f64::NAN)).collect()
}

fn text(array: &ArrayRef, at: usize) -> Cow<'_, str> {
    fn shown<T: ArrowPrimitiveType<Native: Display>>(array: &ArrayRef, at: usize) -> Cow<'_, str> {
        array.as_primitive::<T>().value(at).to_string().into()
    }
    fn decimal<T: DecimalType>(array: &ArrayRef, at: usize) -> Cow<'_, str> {
        array.as_primitive::<T>().value_as_string(at).into()
    }
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(at).into(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(at).into(),
        DataType::Utf8View => array.as_string_view().value(at).into(),
        DataType::Int8 => shown::<Int8Type>(array, at),
        DataType::Int16 => shown::<Int16Type>(array, at),
        DataType::Int32 => shown::<Int32Type>(array, at),
        DataType::Int64 => shown::<Int64Type>(array, at),
        DataType::UInt8 => shown::<UInt8Type>(array, at),
        DataType::UInt16 => shown::<UInt16Type>(array, at),
        DataType::UInt32 => shown::<UInt32Type>(array, at),
        DataType::UInt64 => shown::<UInt64Type>(array, at),
        DataType::Float16 => shown::<Float16Type>(array, at),
        DataType::Float32 => shown::<Float32Type>(array, at),
        DataType::Float64 => shown::<Float64Type>(array, at),
        DataType::Decimal32(..) => decimal::<Decimal32Type>(array, at),
        DataType::Decimal64(..) => decimal::<Decimal64Type>(array, at),
        DataType::Decimal128(..) => decimal::<Decimal128Type>(array, at),
        DataType::Decimal256(..) => decimal::<Decimal256Type>(array, at),
        DataType::Boolean => array.as_boolean().value(at).to_string().into(),
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            written_date(numbers(&array.slice(at, 1))[0]).into()
        }
        // `kind` lets nothing else pass.
        _ => Cow::Borrowed(""),
    }
}

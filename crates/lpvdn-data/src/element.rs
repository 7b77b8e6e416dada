//! The number types of binary formats.

use lpvdn_core::table::cells::written_number as written;

/// A type of numbers in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

/// A closure-free decoder of one type in the byte order asked for.
macro_rules! decoder {
    ($number:ty, $endian:expr) => {
        match $endian {
            Endian::Little => |bytes| <$number>::from_le_bytes(array(bytes)) as f32,
            Endian::Big => |bytes| <$number>::from_be_bytes(array(bytes)) as f32,
        }
    };
}

/// The same through double precision, in which rows in memory hold such numbers: rounded twice, as those are.
macro_rules! decoder_through_double {
    ($number:ty, $endian:expr) => {
        match $endian {
            Endian::Little => |bytes| <$number>::from_le_bytes(array(bytes)) as f64 as f32,
            Endian::Big => |bytes| <$number>::from_be_bytes(array(bytes)) as f64 as f32,
        }
    };
}

/// The same for whole numbers, exactly.
macro_rules! whole {
    ($number:ty, $endian:expr) => {
        match $endian {
            Endian::Little => |bytes| i128::from(<$number>::from_le_bytes(array(bytes))),
            Endian::Big => |bytes| i128::from(<$number>::from_be_bytes(array(bytes))),
        }
    };
}

impl Element {
    /// Bytes a value takes.
    pub(crate) fn size(self) -> usize {
        match self {
            Element::Bool | Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 | Element::F16 => 2,
            Element::U32 | Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    /// The function from a value's bytes to the value. Integers beyond 2²⁴ and doubles are rounded.
    pub(crate) fn decoder(self, endian: Endian) -> fn(&[u8]) -> f32 {
        match self {
            Element::Bool => |bytes| f32::from(u8::from(bytes[0] != 0)),
            Element::U8 => |bytes| f32::from(bytes[0]),
            Element::I8 => |bytes| f32::from(bytes[0] as i8),
            Element::U16 => decoder!(u16, endian),
            Element::I16 => decoder!(i16, endian),
            Element::U32 => decoder!(u32, endian),
            Element::I32 => decoder!(i32, endian),
            Element::U64 => decoder_through_double!(u64, endian),
            Element::I64 => decoder_through_double!(i64, endian),
            Element::F32 => decoder!(f32, endian),
            Element::F64 => decoder!(f64, endian),
            Element::F16 => match endian {
                Endian::Little => |bytes| half(u16::from_le_bytes(array(bytes))),
                Endian::Big => |bytes| half(u16::from_be_bytes(array(bytes))),
            },
        }
    }
}

/// The same in double precision.
macro_rules! double {
    ($number:ty, $endian:expr) => {
        match $endian {
            Endian::Little => |bytes| <$number>::from_le_bytes(array(bytes)) as f64,
            Endian::Big => |bytes| <$number>::from_be_bytes(array(bytes)) as f64,
        }
    };
}

impl Element {
    /// The function from a value's bytes to the value in double precision, for types of which an `f32` may
    /// lose digits.
    pub(crate) fn double(self, endian: Endian) -> Option<fn(&[u8]) -> f64> {
        Some(match self {
            Element::U32 => double!(u32, endian),
            Element::I32 => double!(i32, endian),
            Element::U64 => double!(u64, endian),
            Element::I64 => double!(i64, endian),
            Element::F64 => double!(f64, endian),
            Element::Bool | Element::U8 | Element::I8 | Element::U16 | Element::I16 => return None,
            Element::F16 | Element::F32 => return None,
        })
    }

    /// Bytes a value takes in memory.
    pub(crate) fn held_size(self) -> usize {
        match self {
            Element::Bool | Element::U8 => 1,
            Element::I8 | Element::U16 | Element::I16 | Element::F16 | Element::F32 => 4,
            Element::U32 | Element::I32 | Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    /// The function from a value's bytes to the exact value, for whole numbers only.
    pub(crate) fn whole(self, endian: Endian) -> Option<fn(&[u8]) -> i128> {
        Some(match self {
            Element::Bool => |bytes| i128::from(bytes[0] != 0),
            Element::U8 => |bytes| i128::from(bytes[0]),
            Element::I8 => |bytes| i128::from(bytes[0] as i8),
            Element::U16 => whole!(u16, endian),
            Element::I16 => whole!(i16, endian),
            Element::U32 => whole!(u32, endian),
            Element::I32 => whole!(i32, endian),
            Element::U64 => whole!(u64, endian),
            Element::I64 => whole!(i64, endian),
            Element::F16 | Element::F32 | Element::F64 => return None,
        })
    }
}

impl Element {
    /// A value as the name of a class: two numbers that `f32` would round to one are two classes.
    pub(crate) fn written(self, endian: Endian, bytes: &[u8]) -> String {
        if let Some(whole) = self.whole(endian) {
            return whole(bytes).to_string();
        }
        let number = self.decoder(endian)(bytes);
        self.double(endian).map_or_else(|| number.to_string(), |decode| written(decode(bytes)))
    }
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}

/// IEEE 754 binary16: 1 bit sign, 5 bits exponent (bias 15), 10 bits fraction.
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exponent = u32::from(bits >> 10) & 0x1f;
    let fraction = u32::from(bits & 0x3ff);
    let magnitude = match exponent {
        // Subnormal: the fraction counts units of 2⁻²⁴, which f32 holds as normal numbers.
        0 => (fraction as f32 * f32::from_bits((127 - 24) << 23)).to_bits(),
        31 => 0x7f80_0000 | (fraction << 13),
        _ => ((exponent + 127 - 15) << 23) | (fraction << 13),
    };
    f32::from_bits(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_floats_of_every_kind_are_decoded() {
        let cases = [
            (0x0000, 0.0),
            (0x0001, 2.0_f32.powi(-24)),
            (0x03ff, 1023.0 * 2.0_f32.powi(-24)),
            (0x0400, 2.0_f32.powi(-14)),
            (0x3555, 0.333_251_95),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x7c00, f32::INFINITY),
            (0xfc00, f32::NEG_INFINITY),
        ];
        for (bits, value) in cases {
            assert_eq!(half(bits), value, "{bits:#06x}");
        }
        assert!(half(0x7e00).is_nan());
        assert!(half(0x8000).is_sign_negative());
    }

    #[test]
    fn numbers_that_a_float_would_merge_are_written_apart() {
        let written = |number: i32| Element::I32.written(Endian::Little, &number.to_le_bytes());
        assert_eq!([16_777_216, 16_777_217].map(written), ["16777216", "16777217"]);
        let written = |number: f64| Element::F64.written(Endian::Big, &number.to_be_bytes());
        assert_eq!(
            [16_777_217.0, 0.1, f64::from(0.1_f32), 3.0].map(written),
            ["16777217", "0.1", "0.1", "3"]
        );
        assert_eq!(Element::F32.written(Endian::Big, &0.5_f32.to_be_bytes()), "0.5");
    }

    #[test]
    fn types_that_lose_digits_are_read_in_double_precision() {
        let time: i32 = 1_700_000_001;
        for (element, bytes) in [
            (Element::I32, time.to_be_bytes().to_vec()),
            (Element::U64, (time as u64).to_be_bytes().to_vec()),
            (Element::F64, f64::from(time).to_be_bytes().to_vec()),
        ] {
            assert_eq!(element.double(Endian::Big).expect("a wide type")(&bytes), f64::from(time));
            assert_eq!(element.held_size(), 8);
        }
        assert!(Element::F32.double(Endian::Little).is_none() && Element::I16.double(Endian::Big).is_none());
    }

    #[test]
    fn whole_numbers_of_64_bits_are_rounded_alike_in_memory_and_on_the_disk() {
        // Rounded once it would be the next number up.
        let number = (1_u64 << 60) + (1 << 36) + 1;
        for element in [Element::U64, Element::I64] {
            let bytes = number.to_le_bytes();
            let held = element.double(Endian::Little).expect("a wide type")(&bytes) as f32;
            assert_eq!(element.decoder(Endian::Little)(&bytes).to_bits(), held.to_bits());
        }
    }

    #[test]
    fn both_byte_orders_give_the_same_value() {
        assert_eq!(Element::I16.decoder(Endian::Little)(&[0xfe, 0xff]), -2.0);
        assert_eq!(Element::I16.decoder(Endian::Big)(&[0xff, 0xfe]), -2.0);
        assert_eq!(Element::F64.decoder(Endian::Big)(&1.5_f64.to_be_bytes()), 1.5);
        let whole = |endian| Element::I64.whole(endian).expect("a whole number");
        let number = -9_007_199_254_740_993_i64;
        assert_eq!(whole(Endian::Little)(&number.to_le_bytes()), i128::from(number));
        assert_eq!(whole(Endian::Big)(&number.to_be_bytes()), i128::from(number));
        assert!(Element::F16.whole(Endian::Big).is_none());
    }
}

//! Numbers as text has them.
//!
//! Plain ones (`-1.5`, `2e-3`) are read as they are. Others are first brought into that form: amounts of money (`$5`,
//! `5 €`), parts of a hundred (`12%` is 12), thousands (`1,234.5`), a decimal comma (`1.234,5`), and negative numbers in
//! parentheses, as accountants write them.

use crate::table::{Decimal, Number, is_truth};

/// What may stand around an amount of money.
const CURRENCIES: [char; 7] = ['$', '€', '£', '¥', '₹', '₽', '₩'];
/// Blanks that separate thousands. The usual one is not among them: it separates numbers.
const THIN: [char; 3] = ['\u{a0}', '\u{2009}', '\u{202f}'];
/// Longer texts are no numbers in another form.
const LONGEST: usize = 64;

/// The number that a text is, if it is one.
pub fn parse(text: &str, decimal: Decimal) -> Option<Number> {
    match decimal {
        Decimal::Point => plain(text).or_else(|| plain(&unified(text, decimal)?)),
        // A point may separate thousands, and `1.234` must not be read for itself.
        Decimal::Comma if text.contains(['.', ',']) => plain(&unified(text, decimal)?),
        Decimal::Comma => plain(text).or_else(|| plain(&unified(text, decimal)?)),
    }
}

/// The number in the form in which programs write it.
fn plain(text: &str) -> Option<Number> {
    let exact: f64 = text.parse().ok()?;
    // Rounding twice may go wrong where the first rounding ends halfway between two 32-bit numbers, or
    // where these have fewer digits.
    let halfway = exact.to_bits() & 0x1fff_ffff == 0x1000_0000;
    let tiny = exact != 0.0 && exact.abs() < f64::from(f32::MIN_POSITIVE);
    let kept = if halfway || tiny { text.parse().ok()? } else { exact as f32 };
    // Infinity has no digits: this is only a very large number.
    let large = exact.is_infinite() && text.bytes().any(|byte| byte.is_ascii_digit());
    Some(Number { exact: if large { f64::MAX.copysign(exact) } else { exact }, kept })
}

/// The shorter of the two ways to write a number, in 32 bits and in 64, where both mean the same.
pub fn written(exact: f64) -> String {
    let rounded = exact as f32;
    if exact.is_nan() || f64::from(rounded) == exact { rounded.to_string() } else { exact.to_string() }
}

/// `true` as 1 and `false` as 0, however they are written.
pub(super) fn of_truth(text: &str) -> Option<Number> {
    let kept = if text.eq_ignore_ascii_case("true") { 1.0 } else { 0.0 };
    is_truth(text).then_some(Number::from(kept))
}

/// The text in the form that programs write, if it is a number in another one.
fn unified(text: &str, decimal: Decimal) -> Option<String> {
    let text = text.trim();
    if text.len() > LONGEST || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let inside = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let (negative, bare) = match inside {
        Some(inside) => (true, unsigned(inside.trim())?),
        None => signed(text)?,
    };
    let number = without_thousands(bare, decimal)?;
    Some(if negative { format!("-{number}") } else { number })
}

/// Whether a number has a minus, and what is left of it without sign and currency: `-$5`, `$-5`, `5 €`, `5%`.
fn signed(text: &str) -> Option<(bool, &str)> {
    let (outer, rest) = sign(text);
    let rest = without_unit(rest)?;
    let (inner, rest) = sign(rest);
    match (outer, inner) {
        (Some(_), Some(_)) => None,
        (sign, None) | (None, sign) => Some((sign == Some('-'), rest)),
    }
}

/// The same of a number that may have no sign.
fn unsigned(text: &str) -> Option<&str> {
    let rest = without_unit(text)?;
    sign(rest).0.is_none().then_some(rest)
}

fn sign(text: &str) -> (Option<char>, &str) {
    let minus = text.strip_prefix(['-', '\u{2212}']).map(|rest| (Some('-'), rest));
    let plus = || text.strip_prefix('+').map(|rest| (Some('+'), rest));
    let (sign, rest) = minus.or_else(plus).unwrap_or((None, text));
    (sign, rest.trim_start())
}

/// Without a currency at one end, or a percent sign after it.
fn without_unit(text: &str) -> Option<&str> {
    let before = text.strip_prefix(CURRENCIES);
    let after = text.strip_suffix(CURRENCIES).or_else(|| text.strip_suffix('%'));
    match (before, after) {
        (Some(_), Some(_)) => None,
        (Some(rest), None) | (None, Some(rest)) => Some(rest.trim()),
        (None, None) => Some(text),
    }
}

/// Digits with a point, of digits that may be divided into thousands and have another sign for it.
fn without_thousands(text: &str, decimal: Decimal) -> Option<String> {
    let (mark, separator) = match decimal {
        Decimal::Point => ('.', ','),
        Decimal::Comma => (',', '.'),
    };
    let (whole, fraction) = text.split_once(mark).map_or((text, None), |(w, f)| (w, Some(f)));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let separates = |c: char| c == separator || c == '\'' || THIN.contains(&c);
    let used = whole.chars().find(|c| separates(*c));
    let digits = match used {
        None => whole.to_owned(),
        Some(used) => {
            let mut groups = whole.split(used);
            let first = groups.next()?;
            let is_group = |group: &str| group.len() == 3 && is_digits(group);
            // 0,123 is no number of thousands.
            let begins = (1..=3).contains(&first.len()) && !first.starts_with('0');
            if !begins || !groups.all(is_group) {
                return None;
            }
            whole.split(used).collect()
        }
    };
    let (fraction, exponent) =
        fraction.map_or(("", ""), |f| f.split_at(f.find(['e', 'E']).unwrap_or(f.len())));
    let is_number = is_digits(&digits) && is_digits(fraction) && !(digits.is_empty() && fraction.is_empty());
    // What follows an exponent is looked at when it is read.
    is_number.then(|| format!("{digits}.{fraction}{exponent}"))
}

/// A text, read as a number in either way to write fractions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Both {
    /// Whether it is a number with a decimal point.
    pub point: bool,
    /// And with a decimal comma.
    pub comma: bool,
    /// Of a number with either sign that can be read in one way only, which.
    pub says: Option<Decimal>,
    /// Whether a comma in it may separate thousands or a fraction: `1,234`.
    pub ambiguous: bool,
    /// Whether a point in it may: `1.234`.
    pub points: bool,
}

impl Both {
    pub(super) fn of(text: &str) -> Both {
        if !text.contains(['.', ',']) {
            let number = parse(text, Decimal::Point).is_some();
            return Both { point: number, comma: number, ..Both::default() };
        }
        let of = |decimal| parse(text, decimal).map(|number| number.exact);
        let (point, comma) = (of(Decimal::Point), of(Decimal::Comma));
        let says = match (point, comma) {
            (Some(_), None) => Some(Decimal::Point),
            (None, Some(_)) => Some(Decimal::Comma),
            _ => None,
        };
        // Most numbers with a point and three digits after it are what they look like.
        let either = point.is_some() && comma.is_some() && point != comma;
        let (ambiguous, points) = (either && text.contains(','), either && !text.contains(','));
        Both { point: point.is_some(), comma: comma.is_some(), says, ambiguous, points }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<f32> {
        parse(text, Decimal::Point).map(|number| number.kept)
    }

    fn with_comma(text: &str) -> Option<f32> {
        parse(text, Decimal::Comma).map(|number| number.kept)
    }

    #[test]
    fn a_number_is_rounded_once() {
        // The first is just above the middle between two 32-bit numbers, but no 64-bit number is.
        for text in
            ["1.00000005960464477540000001", "1e-45", "7.0e-46", "3.4028235677973366e38", "-0", "1e999"]
        {
            let kept = read(text).expect("a number");
            assert_eq!(kept.to_bits(), text.parse::<f32>().expect("a number").to_bits(), "{text}");
        }
        assert_eq!(read("x"), None);
    }

    #[test]
    fn only_what_has_digits_is_beyond_32_bits() {
        for (text, beyond) in
            [("1e39", true), ("-1e999", true), ("inf", false), ("-Infinity", false), ("1e38", false)]
        {
            assert_eq!(parse(text, Decimal::Point).map(Number::is_beyond), Some(beyond), "{text}");
        }
    }

    #[test]
    fn money_percent_and_thousands_are_numbers() {
        for (text, number) in [
            ("$28,184", 28_184.0),
            ("1,234.50", 1234.5),
            ("€5", 5.0),
            ("5 €", 5.0),
            ("12%", 12.0),
            ("12.5 %", 12.5),
            ("(1,200)", -1200.0),
            ("($1,200.25)", -1200.25),
            ("-$5", -5.0),
            ("$-5", -5.0),
            ("$ 1,000,000", 1e6),
            ("\u{2212}3.5", -3.5),
            ("1'234'567.8", 1_234_567.8),
            ("1\u{202f}234", 1234.0),
            (" 7 ", 7.0),
            ("+£.5", 0.5),
        ] {
            assert_eq!(read(text), Some(number), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_number_is_none() {
        for text in [
            "",
            "$",
            "--",
            "%",
            "()",
            "(-5)",
            "1,2,3,4",
            "12/31",
            "1,23",
            "12,34,567",
            "1,234,5",
            "0,123",
            "1.2.3",
            "3 rooms",
            "1 234",
            "5$5",
            "--5",
            "-(5)",
            "$5%",
            "1,2345",
            ",5",
            ".",
            "-",
            "1,234e5x",
            "0x10",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
        assert_eq!(read(&format!("${}", "1".repeat(100))), None, "too long");
    }

    #[test]
    fn a_decimal_comma_is_read_where_it_is_meant() {
        for (text, number) in [
            ("1.234,56", 1234.56),
            ("0,123", 0.123),
            ("-3,5", -3.5),
            ("1.234", 1234.0),
            ("12", 12.0),
            ("1e3", 1e3),
            ("1,5e3", 1.5e3),
            ("5,00 €", 5.0),
            ("(1.200,5)", -1200.5),
        ] {
            assert_eq!(with_comma(text), Some(number), "{text}");
        }
        for text in ["1.5", "1,234.5", "0.123", "1,2,3", "1.23,4"] {
            assert_eq!(with_comma(text), None, "{text}");
        }
    }

    #[test]
    fn a_fraction_tells_which_sign_it_has() {
        for (text, sign) in [
            ("1,5", Some(Decimal::Comma)),
            ("0,123", Some(Decimal::Comma)),
            ("1.234,5", Some(Decimal::Comma)),
            ("1.5", Some(Decimal::Point)),
            ("1,234.5", Some(Decimal::Point)),
            ("1,234", None),
            ("1.234", None),
            ("12", None),
            ("a,b", None),
        ] {
            assert_eq!(Both::of(text).says, sign, "{text}");
        }
        for (text, ambiguous) in [("1,234", true), ("1.234", false), ("12", false), ("1,5", false)] {
            assert_eq!(Both::of(text).ambiguous, ambiguous, "{text}");
        }
    }
}

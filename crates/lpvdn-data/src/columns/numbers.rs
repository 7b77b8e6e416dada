//! Numbers as text has them, and what 32 bits leave of them.

/// Of fewer steps than this, a column of 32-bit numbers has lost what it says.
const FEWEST_STEPS: f64 = 64.0;

/// A number, read and kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    /// As exactly as can be.
    pub(crate) exact: f64,
    /// In 32 bits.
    pub(crate) kept: f32,
}

impl Number {
    /// The number that a text is, if it is one.
    pub(crate) fn parse(text: &str) -> Option<Number> {
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

    /// `true` as 1 and `false` as 0, however they are written.
    pub(crate) fn of_truth(text: &str) -> Option<Number> {
        let kept = if text.eq_ignore_ascii_case("true") { 1.0 } else { 0.0 };
        is_truth(text).then_some(Number::from(kept))
    }

    /// Whether it is larger than 32 bits can say.
    pub(crate) fn is_beyond(self) -> bool {
        self.kept.is_infinite() && self.exact.is_finite()
    }
}

impl From<f32> for Number {
    fn from(kept: f32) -> Number {
        Number { exact: f64::from(kept), kept }
    }
}

impl From<f64> for Number {
    fn from(exact: f64) -> Number {
        Number { exact, kept: exact as f32 }
    }
}

/// Programs differ in how they write a truth: `true`, `True`, `TRUE`.
pub(crate) fn is_truth(text: &str) -> bool {
    text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")
}

/// What is known of the numbers of a column so far. Those that are not finite are left out, so that one of
/// them does not become the mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    sum: f64,
    count: usize,
    least: f64,
    greatest: f64,
    /// Whether a number lost digits.
    rounded: bool,
}

impl Tally {
    pub(crate) fn add(&mut self, Number { exact, kept }: Number) {
        if !kept.is_finite() {
            return;
        }
        let first = self.count == 0;
        self.least = if first { exact } else { self.least.min(exact) };
        self.greatest = if first { exact } else { self.greatest.max(exact) };
        self.rounded |= f64::from(kept) != exact;
        self.sum += f64::from(kept);
        self.count += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// 0 where there are no numbers.
    pub(crate) fn mean(&self) -> f32 {
        if self.is_empty() { 0.0 } else { (self.sum / self.count as f64) as f32 }
    }

    /// What is wrong where the numbers lie too close together for 32 bits, as points in time do.
    pub(crate) fn doubt(&self) -> Option<String> {
        let largest = self.least.abs().max(self.greatest.abs()) as f32;
        let step = f64::from(largest) - f64::from(largest.next_down());
        let range = self.greatest - self.least;
        let coarse = self.rounded && range > 0.0 && range < FEWEST_STEPS * step;
        coarse.then(|| {
            format!(
                "its values, from {} to {}, differ by less than 32-bit numbers tell apart; subtract {} from each",
                self.least, self.greatest, self.least
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_rounded_once() {
        // The first is just above the middle between two 32-bit numbers, but no 64-bit number is.
        for text in
            ["1.00000005960464477540000001", "1e-45", "7.0e-46", "3.4028235677973366e38", "-0", "1e999"]
        {
            let kept = Number::parse(text).expect("a number").kept;
            assert_eq!(kept.to_bits(), text.parse::<f32>().expect("a number").to_bits(), "{text}");
        }
        assert_eq!(Number::parse("x"), None);
    }

    #[test]
    fn only_what_has_digits_is_beyond_32_bits() {
        for (text, beyond) in
            [("1e39", true), ("-1e999", true), ("inf", false), ("-Infinity", false), ("1e38", false)]
        {
            assert_eq!(Number::parse(text).map(Number::is_beyond), Some(beyond), "{text}");
        }
    }

    fn doubt(numbers: &[f64]) -> Option<String> {
        let mut tally = Tally::default();
        numbers.iter().for_each(|number| tally.add(Number::from(*number)));
        tally.doubt()
    }

    #[test]
    fn numbers_are_too_close_together_only_where_digits_are_lost() {
        assert!(doubt(&[1.7e9, 1.7e9 + 1.0]).is_some_and(|doubt| doubt.contains("subtract 1700000000 ")));
        assert_eq!(doubt(&[1.7e9 + 1.0, 1.7e9 + 1.0]), None, "nothing to tell apart");
        assert_eq!(doubt(&[1.7e9, 1.7e9 + 128.0]), None, "nothing lost");
        assert_eq!(doubt(&[0.1, 0.2, 0.3]), None);
        assert_eq!(doubt(&[0.1, f64::INFINITY, f64::NAN]), None);
        assert_eq!(doubt(&[]), None);
    }

    #[test]
    fn the_mean_is_that_of_finite_numbers() {
        let mut tally = Tally::default();
        [1.0, f32::INFINITY, 2.0, f32::NAN, 6.0].into_iter().for_each(|n| tally.add(Number::from(n)));
        assert_eq!(tally.mean(), 3.0);
    }
}

//! Columns of numbers, and what 32 bits leave of them.

use std::collections::HashSet;

use super::content::Content;
use super::verdict::{FEWEST_ROWS, Verdict};

/// Of fewer steps than this, a column of 32-bit numbers has lost what it says.
const FEWEST_STEPS: f64 = 64.0;
/// Of more steps than this, rounding changes nothing that a cluster could show.
const FINE_STEPS: f64 = 8192.0;
/// Of how many whole numbers it is remembered whether they differ: enough to know an id by, and little memory.
const REMEMBERED: usize = 4096;

/// A number, read and kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// As exactly as can be.
    pub exact: f64,
    /// In 32 bits.
    pub kept: f32,
}

impl Number {
    /// Whether it is larger than 32 bits can say.
    #[inline]
    pub fn is_beyond(self) -> bool {
        self.kept.is_infinite() && self.exact.is_finite()
    }
}

impl From<f32> for Number {
    #[inline]
    fn from(kept: f32) -> Number {
        Number { exact: f64::from(kept), kept }
    }
}

impl From<f64> for Number {
    #[inline]
    fn from(exact: f64) -> Number {
        Number { exact, kept: exact as f32 }
    }
}

/// What is known of the numbers of a column so far. Those that are not finite are left out, so that one of
/// them does not become the mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    sum: f64,
    exact_sum: f64,
    count: usize,
    /// How many are not finite.
    odd: usize,
    least: f64,
    greatest: f64,
    /// Whether a number lost digits.
    rounded: bool,
}

impl Tally {
    /// Takes another number into account.
    #[inline]
    pub fn add(&mut self, Number { exact, kept }: Number) {
        if !kept.is_finite() {
            self.odd += 1;
            return;
        }
        let first = self.count == 0;
        self.least = if first { exact } else { self.least.min(exact) };
        self.greatest = if first { exact } else { self.greatest.max(exact) };
        self.rounded |= f64::from(kept) != exact;
        self.sum += f64::from(kept);
        self.exact_sum += exact;
        self.count += 1;
    }

    /// Whether no number was finite.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// 0 where there are no numbers.
    pub fn mean(&self) -> f32 {
        if self.is_empty() { 0.0 } else { (self.sum / self.count as f64) as f32 }
    }

    /// Whether all numbers are the same, and which.
    fn constant(&self) -> Option<f64> {
        (self.count > 0 && self.odd == 0 && self.least == self.greatest).then_some(self.least)
    }

    /// Whether 32 bits take so many digits of the numbers that distances between them change: they lost some, and span
    /// few of the steps between neighbouring 32-bit numbers.
    pub fn needs_digits(&self) -> bool {
        let largest = self.least.abs().max(self.greatest.abs()) as f32;
        let step = f64::from(largest) - f64::from(largest.next_down());
        self.rounded && self.greatest - self.least < FINE_STEPS * step
    }

    /// The mean of the numbers as they were before they were rounded. 0 where there are none.
    pub fn exact_mean(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.exact_sum / self.count as f64 }
    }

    /// What is wrong where the numbers lie too close together for 32 bits, as points in time do.
    pub fn doubt(&self) -> Option<String> {
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

/// A column of numbers, as its cells arrive.
#[derive(Clone, Debug, Default)]
pub struct NumberColumn {
    tally: Tally,
    cells: usize,
    missing: usize,
    /// The last number, as long as each is larger by one than the one before.
    counter: Option<Counter>,
    fails_to_count: bool,
    /// The whole numbers that came first, as long as all are whole and different; for a column that is called an id.
    ids: Option<HashSet<u64>>,
}

#[derive(Clone, Copy, Debug)]
struct Counter {
    first: f64,
    last: f64,
}

impl NumberColumn {
    /// A column without cells, which may hold `ids` by its name ([`is_id_name`](super::is_id_name)).
    pub fn new(ids: bool) -> NumberColumn {
        NumberColumn { ids: ids.then(HashSet::new), ..NumberColumn::default() }
    }

    /// The next cell.
    #[inline]
    pub fn push(&mut self, number: Number) {
        self.cells += 1;
        self.tally.add(number);
        if !self.fails_to_count {
            self.count(number.exact);
        }
        if self.ids.is_some() {
            self.remember(number.exact);
        }
    }

    /// The next cell, which is missing.
    pub fn push_missing(&mut self) {
        self.cells += 1;
        self.missing += 1;
        self.fails_to_count = true;
    }

    fn count(&mut self, number: f64) {
        let follows = match self.counter {
            None => number.fract() == 0.0,
            Some(Counter { last, .. }) => number == last + 1.0,
        };
        let first = self.counter.map_or(number, |counter| counter.first);
        self.counter = Some(Counter { first, last: number });
        self.fails_to_count = !follows;
    }

    fn remember(&mut self, number: f64) {
        let Some(ids) = &mut self.ids else { return };
        let differs = number.fract() == 0.0 && (ids.len() == REMEMBERED || ids.insert(number.to_bits()));
        if !differs {
            self.ids = None;
        }
    }

    /// What is known of the numbers.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Whether the numbers count the rows from 0 or 1, as pandas and R write a column without a name.
    pub fn counts_rows(&self) -> bool {
        let start = self.counter.map(|counter| counter.first);
        !self.fails_to_count && start.is_some_and(|first| first == 0.0 || first == 1.0)
    }

    /// Why the column says nothing about its rows, if it does not.
    pub fn verdict(&self) -> Option<Verdict> {
        if self.cells == self.missing {
            return Some(Verdict::Empty);
        }
        if self.cells < FEWEST_ROWS {
            return None;
        }
        let present = self.cells - self.missing;
        match self.tally.constant() {
            Some(value) if present > 0 => Some(Verdict::Constant(value.to_string())),
            _ if !self.fails_to_count => Some(Verdict::Counter),
            _ if self.ids.is_some() && present >= FEWEST_ROWS => Some(Verdict::Ids),
            _ => None,
        }
    }

    /// What the column holds.
    pub fn content(&self) -> Content {
        Content::numbers(self.tally.mean())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_digits_is_beyond_32_bits() {
        assert!(Number::from(1e39).is_beyond() && Number::from(-1e300).is_beyond());
        assert!(!Number::from(f64::INFINITY).is_beyond() && !Number::from(1e38).is_beyond());
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

    fn column(ids: bool, numbers: impl IntoIterator<Item = f64>) -> NumberColumn {
        let mut column = NumberColumn::new(ids);
        numbers.into_iter().for_each(|number| column.push(Number::from(number)));
        column
    }

    fn verdict(ids: bool, numbers: impl IntoIterator<Item = f64>) -> Option<Verdict> {
        column(ids, numbers).verdict()
    }

    #[test]
    fn whole_numbers_that_rise_by_one_count_and_others_do_not() {
        let rows = || (0..30).map(f64::from);
        assert_eq!(verdict(false, rows().map(|n| n + 1000.0)), Some(Verdict::Counter));
        assert_eq!(verdict(false, rows().map(|n| 2.0 * n)), None);
        assert_eq!(verdict(false, rows().map(|n| n + 0.5)), None, "no whole numbers");
        assert_eq!(verdict(false, rows().take(19)), None, "too few to know");
        assert_eq!(verdict(false, rows().map(|n| 16_777_210.0 + n)), Some(Verdict::Counter), "beyond 2²⁴");
        assert!(column(false, rows()).counts_rows() && column(false, [1.0, 2.0]).counts_rows());
        assert!(!column(false, [2.0, 3.0]).counts_rows() && !column(false, [1.0, 3.0]).counts_rows());
    }

    #[test]
    fn different_whole_numbers_are_ids_only_under_such_a_name() {
        let numbers = || (0..5000).map(|i| f64::from(i * 7919 % 5003));
        assert_eq!(verdict(true, numbers()), Some(Verdict::Ids));
        assert_eq!(verdict(false, numbers()), None);
        assert_eq!(verdict(true, numbers().take(100).chain([0.0])), None, "one stands twice");
        assert_eq!(verdict(true, numbers().map(|n| n + 0.25)), None, "no whole numbers");
    }

    #[test]
    fn what_never_changes_is_constant_and_nothing_is_empty() {
        assert_eq!(verdict(false, [7.5; 20]), Some(Verdict::Constant("7.5".to_owned())));
        assert_eq!(verdict(false, [7.5; 19]), None, "too few to know");
        let mut odd = column(false, [7.5; 20]);
        odd.push(Number::from(f64::INFINITY));
        assert_eq!(odd.verdict(), None, "infinity is for the fit to report");
        let mut empty = NumberColumn::new(false);
        empty.push_missing();
        assert_eq!(empty.verdict(), Some(Verdict::Empty));
    }
}

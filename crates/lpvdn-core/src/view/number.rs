//! A column of numbers: z = (t(x) − mean) · factor.
//!
//! t is the identity, or ln(1 + x / s) for amounts and counts. A value that is absurdly far from all others, such as an
//! income in cents among incomes in euros, says nothing about its row: it counts as unknown, and z is 0. Bounds for
//! that are wide, because a small cluster far away is no mistake: thirty times the robust spread.

use serde::{Deserialize, Serialize};

use super::asked::Asked;
use crate::columns::Transform;
use crate::math;

/// How far a value may be from the median, in robust spreads, before it is taken for a mistake.
const FARTHEST: f64 = 30.0;
/// The same of logarithms, whose tails are short: a factor of e¹² at a spread of 1.
const FARTHEST_LOG: f64 = 12.0;
/// Above this skewness a transform is looked at.
const SKEWED: f64 = 1.0;
/// No more values than this, and no larger share of them, can be mistakes.
const MOST_MISTAKES: usize = 5;
const MISTAKES: f64 = 0.01;
/// Fewer values than this say nothing about a spread.
const FEWEST: usize = 10;

/// Neighbouring columns of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Numbers {
    /// Each of them.
    pub(super) columns: Vec<Number>,
    /// Whether all have the same factor, because they are measured on one scale: standardised one by one, those that
    /// hardly vary would be blown up.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) one_scale: bool,
    /// What was asked for about all of them together.
    #[serde(skip_serializing_if = "Asked::is_nothing", default)]
    pub(super) asked: Asked,
}

impl Numbers {
    /// Columns with a scale of their own.
    pub(super) fn new(columns: Vec<Number>) -> Numbers {
        Numbers { columns, one_scale: false, asked: Asked::default() }
    }

    /// Columns that together weigh as much as `weight` columns of numbers, each by its share of the variance.
    pub(super) fn on_one_scale(mut columns: Vec<Number>, weight: f64) -> Numbers {
        let variance: f64 = columns.iter().map(|column| column.deviation().powi(2)).sum();
        let factor = reciprocal(variance.sqrt()) * weight.sqrt();
        columns.iter_mut().for_each(|column| column.factor = factor);
        Numbers { columns, one_scale: true, asked: Asked::default() }
    }

    /// Whether all columns are measured on one scale.
    pub fn are_on_one_scale(&self) -> bool {
        self.one_scale
    }

    pub(super) fn is_finite(&self) -> bool {
        self.asked.is_finite() && self.columns.iter().all(Number::is_finite)
    }

    pub(super) fn apply(&self, row: &[f32], out: &mut [f32]) {
        self.columns.iter().zip(row).zip(out).for_each(|((column, x), out)| *out = column.value(*x));
    }

    pub(super) fn invert(&self, seen: &[f32], out: &mut [f64]) {
        self.columns.iter().zip(seen).zip(out).for_each(|((column, z), out)| *out = column.inverted(*z));
    }
}

/// A column of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Number {
    /// Its name, where it has one.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) name: String,
    /// s of ln(1 + x / s), where that is the transform.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) log: Option<f64>,
    /// Of t(x).
    pub(super) mean: f64,
    /// 0 where the column is constant.
    pub(super) factor: f64,
    /// Values outside of these bounds count as unknown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) bounds: Option<[f64; 2]>,
    /// Whether an `f32` says too little about its values, so that the mean is taken off before they are rounded.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) fine: bool,
    /// What was asked for.
    #[serde(skip_serializing_if = "Asked::is_nothing", default)]
    pub(super) asked: Asked,
}

impl Number {
    /// Fits a column to some of its values; `asked` is a transform that the user wants.
    pub(super) fn fit(name: &str, values: &[f32], asked: Option<Transform>, weight: f32) -> Number {
        let mut sorted: Vec<f64> = values.iter().map(|&x| f64::from(x)).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let plain = Fit::of(&sorted, FARTHEST);
        let logs = || {
            let scale = log_scale(&sorted)?;
            let logs: Vec<f64> = sorted.iter().map(|x| math::ln(1.0 + x / scale)).collect();
            Some((scale, Fit::of(&logs, FARTHEST_LOG)))
        };
        let chosen = match asked {
            Some(Transform::Identity) => None,
            Some(Transform::Log) => logs(),
            None if plain.skewness > SKEWED => {
                logs().filter(|(_, fit)| fit.skewness.abs() < 0.5 * plain.skewness)
            }
            None => None,
        };
        let (log, fit) = chosen.map_or((None, plain), |(scale, fit)| (Some(scale), fit));
        let back = |t: f64| log.map_or(t, |scale| scale * (math::exp(t) - 1.0));
        Number {
            name: name.to_owned(),
            log,
            mean: fit.mean,
            factor: reciprocal(fit.deviation) * f64::from(weight).sqrt(),
            bounds: fit
                .bounds
                .map(|bounds| bounds.map(back))
                .filter(|bounds| bounds.iter().all(|b| b.is_finite())),
            fine: false,
            asked: Asked::default(),
        }
    }

    /// A column that is standardised by moments that are known, of digits that 32 bits do not hold.
    pub(super) fn fine(name: &str, mean: f64, deviation: f64, weight: f32) -> Number {
        let factor = reciprocal(deviation) * f64::from(weight).sqrt();
        let (name, asked) = (name.to_owned(), Asked::default());
        Number { name, log: None, mean, factor, bounds: None, fine: true, asked }
    }

    /// Of t(x), where it weighs as much as one column.
    fn deviation(&self) -> f64 {
        reciprocal(self.factor)
    }

    pub(super) fn is_fine(&self) -> bool {
        self.fine
    }

    /// What one unit of z is in x, near the middle.
    pub(super) fn unit(&self) -> f64 {
        let slope = self.log.map_or(1.0, |scale| scale * math::exp(self.mean.max(0.0)));
        slope * self.deviation()
    }

    /// What is taken off before rounding.
    pub(super) fn origin(&self) -> f64 {
        if self.fine { self.mean } else { 0.0 }
    }

    pub(super) fn is_finite(&self) -> bool {
        let log = self.log.is_none_or(|scale| scale.is_finite() && scale > 0.0);
        let bounds = self.bounds.is_none_or(|[low, high]| low.is_finite() && high.is_finite());
        log && bounds && self.asked.is_finite() && self.mean.is_finite() && self.factor.is_finite()
    }

    /// z of a value; of a fine column, of its distance from the mean.
    pub(super) fn value(&self, x: f32) -> f32 {
        // What is no number is reported, and never taken for unknown.
        if !x.is_finite() {
            return x;
        }
        let x = f64::from(x);
        if self.fine {
            return (x * self.factor) as f32;
        }
        if self.bounds.is_some_and(|[low, high]| x < low || x > high) {
            return 0.0;
        }
        self.standardised(x) as f32
    }

    /// z of the value that is nearest to this one and not taken for unknown.
    pub(super) fn known(&self, x: f32) -> f64 {
        let [low, high] = self.bounds.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        self.standardised(f64::from(x).max(low).min(high))
    }

    fn standardised(&self, x: f64) -> f64 {
        // Below zero, where no training row was, the line continues as it is at zero.
        let t = match self.log {
            Some(scale) if x > 0.0 => math::ln(1.0 + x / scale),
            Some(scale) => x / scale,
            None => x,
        };
        (t - self.mean) * self.factor
    }

    /// x of a z.
    pub(super) fn inverted(&self, z: f32) -> f64 {
        let t = if self.factor == 0.0 { self.mean } else { f64::from(z) / self.factor + self.mean };
        match self.log {
            Some(scale) if t > 0.0 => scale * (math::exp(t) - 1.0),
            Some(scale) => scale * t,
            None => t,
        }
    }
}

/// 1 / deviation; 0 where that is no number.
fn reciprocal(deviation: f64) -> f64 {
    Some(1.0 / deviation).filter(|f| f.is_finite() && *f < 1e30).unwrap_or(0.0)
}

/// s of ln(1 + x / s): the median of the positive values. None where values are negative, or all are zero.
fn log_scale(sorted: &[f64]) -> Option<f64> {
    if sorted.first().is_none_or(|&least| least < 0.0) {
        return None;
    }
    let positive = &sorted[sorted.partition_point(|&x| x <= 0.0)..];
    positive.get(positive.len() / 2).copied().filter(|scale| *scale > 1e-30)
}

/// What is known of values that are in order, without those that are mistakes.
struct Fit {
    mean: f64,
    deviation: f64,
    skewness: f64,
    bounds: Option<[f64; 2]>,
}

impl Fit {
    fn of(sorted: &[f64], farthest: f64) -> Fit {
        let bounds = bounds(sorted, farthest);
        let inner = bounds.map_or(sorted, |[low, high]| {
            &sorted[sorted.partition_point(|&x| x < low)..sorted.partition_point(|&x| x <= high)]
        });
        let n = inner.len().max(1) as f64;
        // Around the median: the first moments of values far from zero keep their digits.
        let origin = quantile(inner, 0.5);
        let mean = inner.iter().map(|x| x - origin).sum::<f64>() / n;
        let moment = |power: i32| inner.iter().map(|x| (x - origin - mean).powi(power)).sum::<f64>() / n;
        let deviation = moment(2).sqrt();
        let constant = deviation <= 1e-7 * (origin + mean).abs();
        let skewness = if constant { 0.0 } else { moment(3) / deviation.powi(3) };
        Fit { mean: origin + mean, deviation: if constant { 0.0 } else { deviation }, skewness, bounds }
    }
}

/// The bounds beyond which values are mistakes, where there are such, and they are few.
fn bounds(sorted: &[f64], farthest: f64) -> Option<[f64; 2]> {
    let (middle, spread) = (quantile(sorted, 0.5), spread(sorted)?);
    let [low, high] = [middle - farthest * spread, middle + farthest * spread];
    let outside = sorted.iter().filter(|&&x| x < low || x > high).count();
    let few = MOST_MISTAKES.max((MISTAKES * sorted.len() as f64) as usize);
    // With more of them, what is far away is a group of rows, and with too few rows nothing is known.
    (outside <= few && sorted.len() >= FEWEST.max(4 * outside)).then_some([low, high])
}

/// A robust standard deviation of values in order: the larger of what the middle half and the middle nine tenths say.
/// Where these are constant, as of counts that are mostly zero, what the other values say.
fn spread(sorted: &[f64]) -> Option<f64> {
    let between = |low: f64, high: f64| quantile(sorted, high) - quantile(sorted, low);
    let spread = (between(0.25, 0.75) / 1.349).max(between(0.05, 0.95) / 3.29);
    if spread > 0.0 {
        return Some(spread);
    }
    let middle = quantile(sorted, 0.5);
    let mut others: Vec<f64> = sorted.iter().map(|x| (x - middle).abs()).filter(|d| *d > 0.0).collect();
    others.sort_unstable_by(f64::total_cmp);
    (others.len() >= 2 * FEWEST).then(|| quantile(&others, 0.5)).filter(|spread| *spread > 0.0)
}

/// A quantile of values in order; 0 where there are none.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StreamKey;

    fn normal(n: usize, name: &'static str) -> Vec<f32> {
        let mut stream = StreamKey::new(3, name).open();
        (0..n).map(|_| stream.normal() as f32).collect()
    }

    #[test]
    fn a_column_is_standardised() {
        let values: Vec<f32> = normal(2000, "a").iter().map(|x| 100.0 + 7.0 * x).collect();
        let column = Number::fit("a", &values, None, 1.0);
        assert_eq!((column.log, column.bounds.is_some()), (None, true));
        let seen: Vec<f64> = values.iter().map(|x| f64::from(column.value(*x))).collect();
        let mean = seen.iter().sum::<f64>() / 2000.0;
        let variance = seen.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / 2000.0;
        assert!(mean.abs() < 1e-6 && (variance - 1.0).abs() < 1e-5, "{mean} {variance}");
    }

    #[test]
    fn amounts_go_through_a_logarithm_and_come_back() {
        let values: Vec<f32> =
            normal(2000, "b").iter().map(|x| (30_000.0 * math::exp(f64::from(*x))) as f32).collect();
        let column = Number::fit("income", &values, None, 1.0);
        assert!(column.log.is_some_and(|scale| (scale / 30_000.0 - 1.0).abs() < 0.1), "{column:?}");
        for x in [0.0, 500.0, 30_000.0, 1e6] {
            let back = column.inverted(column.value(x));
            assert!((back - f64::from(x)).abs() < 1e-3 * f64::from(x).max(30.0), "{x}: {back}");
        }
        let plain = Number::fit("income", &values, Some(Transform::Identity), 1.0);
        assert_eq!(plain.log, None, "the user decides");
    }

    #[test]
    fn a_skewed_column_with_negative_values_stays_as_it_is() {
        let values: Vec<f32> = normal(500, "c").iter().map(|x| x * x * x * x - 1.0).collect();
        assert_eq!(Number::fit("", &values, None, 1.0).log, None);
    }

    #[test]
    fn absurd_values_count_as_unknown_and_leave_the_others_where_they_are() {
        let clean = normal(300, "d");
        let mut broken = clean.clone();
        [1e6, -4e7, 3e38, 1e9, 1e12].iter().enumerate().for_each(|(i, x)| broken[60 * i] = *x);
        let (a, b) = (Number::fit("", &clean, None, 1.0), Number::fit("", &broken, None, 1.0));
        assert_eq!(b.value(1e6), 0.0);
        for x in [-2.0, 0.3, 2.0] {
            assert!((a.value(x) - b.value(x)).abs() < 0.05, "{} {}", a.value(x), b.value(x));
        }
    }

    #[test]
    fn absurd_amounts_count_as_unknown_too() {
        let mut values: Vec<f32> =
            normal(1000, "e").iter().map(|x| (50.0 * math::exp(f64::from(*x))) as f32).collect();
        (0..5).for_each(|i| values[100 * i] = 1e20);
        let column = Number::fit("", &values, None, 1.0);
        assert!(column.log.is_some());
        assert_eq!(column.value(1e20), 0.0);
        assert!(column.value(5e3) > 3.0, "a rich customer is no mistake");
    }

    #[test]
    fn a_small_group_far_away_is_no_mistake() {
        let mut values = normal(1000, "f");
        values.iter_mut().take(30).for_each(|x| *x += 20.0);
        let column = Number::fit("", &values, None, 1.0);
        assert!(column.value(20.0) > 3.0, "{}", column.value(20.0));
        let mut values = normal(1000, "g");
        values.iter_mut().take(60).for_each(|x| *x += 2000.0);
        assert!(Number::fit("", &values, None, 1.0).value(2000.0) > 3.0, "nor are many, however far");
    }

    #[test]
    fn counts_that_are_mostly_zero_keep_their_large_values() {
        let values: Vec<f32> =
            (0..1000).map(|i| if i % 20 == 0 { (i % 7) as f32 + 1.0 } else { 0.0 }).collect();
        let column = Number::fit("", &values, None, 1.0);
        assert!(column.value(7.0) > column.value(0.0) + 1.0, "{column:?}");
    }

    #[test]
    fn a_constant_column_says_nothing() {
        let column = Number::fit("", &[4.5; 40], None, 1.0);
        assert_eq!((column.value(4.5), column.value(9.0), column.inverted(0.0)), (0.0, 0.0, 4.5));
    }

    #[test]
    fn a_weight_counts_in_squares() {
        let values = normal(500, "h");
        let (one, four) = (Number::fit("", &values, None, 1.0), Number::fit("", &values, None, 4.0));
        assert!((four.value(1.5) - 2.0 * one.value(1.5)).abs() < 1e-5);
    }
}

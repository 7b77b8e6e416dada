//! How many clusters there are: the number at which halves of the rows agree most beyond what they would without clusters.
//!
//! Stability alone prefers few clusters: any cloud is cut into two halves in much the same way. So for each number, and for K-means and
//! Leiden, the stability s of the rows is compared with that of the more stable null at the same number, s₀ (`nulls`). The excess
//!
//! $$e = \frac{s - s_0}{1 - s_0}$$
//!
//! is the share of what the null leaves to perfect agreement. It has a peak where the clusters are (less its standard error: two halves of few clusters may agree by chance). Of the ways with the highest peaks, the
//! largest number within one standard error of its peak is chosen, or within [`AS_GOOD`]: a division into parts of clusters loses its excess, while one that joins clusters may keep it.

use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;

use lpvdn_core::{Dataset, Matrix, Pool, StreamKey};
use serde::{Deserialize, Serialize};

use super::algorithm::{ROWS, in_turns, rows_for, together};
use super::judgement::NullStability;
use super::nulls::Nulls;
use super::refits::{Halves, Refit, agreement};
use super::sample::{Sample, drawn};
use crate::error::{DataProblem, FitError};
use crate::model::examine::Ready;
use crate::model::graph::{GraphParams, Way};
use crate::train::control::FitControl;
use crate::train::events::Event;

/// Halvings of the rows.
const HALVINGS: u32 = 6;
/// Data sets of each null, each halved once.
const REPLICATES: u32 = 5;
/// Numbers of clusters that are compared, at most.
const MOST_NUMBERS: usize = 30;
/// A smaller difference of two excesses is none.
const AS_GOOD: f64 = 0.03;
/// Where the null agrees perfectly, nothing is left: the excess is a share of this at least.
const LEAST_ROOM: f64 = 0.1;
/// What is compared.
const WAYS: [Way; 2] = [Way::KMeans, Way::Leiden];

/// How stable a number of clusters is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumberPoint {
    /// K
    pub clusters: usize,
    /// The mean ARI between partitions of disjoint halves of the rows.
    pub stability: f64,
    /// The same of the more stable null.
    pub null: f64,
    /// (stability − null) / (1 − null)
    pub excess: f64,
    /// The standard error of that.
    pub error: f64,
    /// Whether it is more than chance.
    pub supported: bool,
}

impl NumberPoint {
    /// The excess that is nearly certain. A number whose halves agree now and then is none to rely on.
    fn least(&self) -> f64 {
        self.excess - self.error
    }
}

/// The points of one way to divide rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumberCurve {
    /// How the rows were divided.
    pub way: Way,
    /// By the number of clusters.
    pub points: Vec<NumberPoint>,
}

impl NumberCurve {
    /// The number whose excess is the highest for certain: less its standard error.
    fn peak(&self) -> Option<&NumberPoint> {
        let any = self.points.iter().any(|point| point.supported);
        let points = self.points.iter().filter(|point| point.supported || !any);
        points.max_by(|a, b| a.least().total_cmp(&b.least()).then(b.clusters.cmp(&a.clusters)))
    }

    /// The largest number that is as good as the peak.
    fn chosen(&self) -> Option<&NumberPoint> {
        let peak = self.peak()?;
        let bar = (peak.excess - AS_GOOD).min(peak.least());
        self.points.iter().rfind(|point| {
            let as_good = point.excess >= bar && point.least() >= bar - AS_GOOD;
            as_good && (point.supported || !peak.supported) || point.clusters == peak.clusters
        })
    }
}

/// The number that was chosen, and what it was chosen from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumberChoice {
    /// K
    pub clusters: usize,
    /// The way whose curve decided.
    pub way: Way,
    /// Whether any number is more stable than in data without clusters. If not, the number that was chosen means nothing.
    pub supported: bool,
    /// The curves of all ways.
    pub curves: Vec<NumberCurve>,
    /// The rows that were looked at: all, or a sample.
    pub rows: usize,
}

impl NumberChoice {
    fn of(curves: Vec<NumberCurve>, rows: usize) -> Option<NumberChoice> {
        let any = curves.iter().any(|curve| curve.peak().is_some_and(|peak| peak.supported));
        let height = |curve: &NumberCurve| match curve.peak() {
            Some(peak) if peak.supported || !any => peak.least(),
            _ => f64::NEG_INFINITY,
        };
        let highest = curves.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
        let as_good =
            curves.iter().filter(|curve| height(curve).is_finite() && height(curve) >= highest - AS_GOOD);
        let chosen = as_good.filter_map(|curve| curve.chosen().map(|point| (point.clusters, curve)));
        let by_height = |a: &NumberCurve, b: &NumberCurve| height(a).total_cmp(&height(b));
        let (clusters, best) = chosen.max_by(|a, b| a.0.cmp(&b.0).then(by_height(a.1, b.1)))?;
        let way = best.way;
        // Where no number means anything, the fewest clusters promise least.
        let clusters = if any { clusters } else { best.points.first()?.clusters };
        Some(NumberChoice { clusters, way, supported: any, curves, rows })
    }

    /// Chooses among the numbers of a range. `params` say how rows are seen and divided; their number of clusters does not count.
    ///
    /// # Errors
    /// Data that cannot be clustered, an interruption.
    pub fn choose(
        data: &Dataset,
        range: RangeInclusive<usize>,
        params: &GraphParams,
        control: &mut FitControl<'_>,
    ) -> Result<NumberChoice, FitError> {
        let pool = Pool::new(control.threads).map_err(FitError::Threads)?;
        let choice = pool.run(|| chosen_in_pool(data, range, params, control))?;
        control.say(&Event::NumberChosen(&choice));
        Ok(choice)
    }
}

fn chosen_in_pool(
    data: &Dataset,
    range: RangeInclusive<usize>,
    params: &GraphParams,
    control: &mut FitControl<'_>,
) -> Result<NumberChoice, FitError> {
    let params = GraphParams { clusters: *range.end(), ..params.clone() };
    let origin = Ready::of(data, params.wanted(), control)?.origin(control.threads);
    control.say(&Event::Working("comparing numbers of clusters with those of data without any"));
    let rows = drawn(data.rows(), rows_for(ROWS, params.clusters), params.seed);
    let sample = Sample::of(&origin, data, &rows, (params.projection, params.components))?;
    let stop = control.stop;
    let stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let places = sample.places(sample.rows.clone(), &stopped)?;
    let nulls = Nulls::of(&sample, &places);
    let fewest = *range.start();
    let numbers = numbers(range, rows.len() / 2);
    if numbers.is_empty() {
        let (name, rows) = (data.name.clone(), data.rows());
        return Err(DataProblem::TooFewRows { name, rows, clusters: fewest }.into());
    }
    let halved = StreamKey::new(params.seed, "halvings for a number");
    // The stability of every way and number, in this order, by one halving.
    let one = |places: &Matrix<f32>, (kind, set): (u32, u32)| -> Result<Vec<f64>, FitError> {
        let halves = Halves::of(places, &params, halved.at(kind, set, 0))?;
        let mut found = Vec::new();
        for way in WAYS {
            for &clusters in &numbers {
                let params = GraphParams { clusters, ..params.clone() };
                let halving = halves.divided(&Refit { way, params: &params, stopped: &stopped });
                found.push(halving.map(|halving| agreement(&halving))?);
            }
        }
        Ok(found)
    };
    let null = |kind: u32, set: u32| {
        let stream = StreamKey::new(params.seed, "null for a number").at(kind, set, 0);
        let places = nulls.draw(kind, stream, &stopped)?;
        one(&places, (1 + kind, set))
    };
    let real = together(HALVINGS, |set| one(&places, (0, set)))?;
    let turns = (REPLICATES, nulls.at_once(REPLICATES));
    let nulls = [in_turns(turns, |set| null(0, set))?, in_turns(turns, |set| null(1, set))?];
    let curve = |(place, way): (usize, Way)| NumberCurve {
        way,
        points: numbers
            .iter()
            .enumerate()
            .map(|(i, &clusters)| point(clusters, place * numbers.len() + i, &real, &nulls))
            .collect(),
    };
    let curves = WAYS.into_iter().enumerate().map(curve).collect();
    let (name, of_data) = (data.name.clone(), data.rows());
    NumberChoice::of(curves, rows.len())
        .ok_or_else(|| DataProblem::TooFewRows { name, rows: of_data, clusters: fewest }.into())
}

/// The numbers that are compared: those of the range that halves of so many rows can be divided into, but no more than [`MOST_NUMBERS`], in equal
/// ratios.
fn numbers(range: RangeInclusive<usize>, half: usize) -> Vec<usize> {
    let all: Vec<usize> = range.filter(|k| 2 * k <= half).collect();
    if all.len() <= MOST_NUMBERS {
        return all;
    }
    let (from, to) = (all[0] as f64, all[all.len() - 1] as f64);
    let at = |i: usize| from * (to / from).powf(i as f64 / (MOST_NUMBERS - 1) as f64);
    let mut some: Vec<usize> = (0..MOST_NUMBERS).map(|i| at(i).round() as usize).collect();
    some.dedup();
    some
}

/// What the halvings say of one number in one way, which stand at `at`.
fn point(clusters: usize, at: usize, real: &[Vec<f64>], nulls: &[Vec<Vec<f64>>; 2]) -> NumberPoint {
    let of = |sets: &[Vec<f64>]| NullStability::of(&sets.iter().map(|set| set[at]).collect::<Vec<f64>>());
    let (own, [permuted, gaussian]) = (of(real), [of(&nulls[0]), of(&nulls[1])]);
    let null = if gaussian.mean > permuted.mean { gaussian } else { permuted };
    let variance = |stability: NullStability| stability.deviation.powi(2) / stability.replicates as f64;
    let room = (1.0 - null.mean).max(LEAST_ROOM);
    // How much the excess follows the null: not at all where the halves agree perfectly.
    let slope = (1.0 - own.mean) / room;
    NumberPoint {
        clusters,
        stability: own.mean,
        null: null.mean,
        excess: (own.mean - null.mean) / room,
        error: (variance(own) + variance(null) * slope.powi(2)).sqrt() / room,
        supported: permuted.is_exceeded_by(own.mean) && gaussian.is_exceeded_by(own.mean),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(way: Way, points: &[(usize, f64, f64)]) -> NumberCurve {
        let point = |&(clusters, excess, error): &(usize, f64, f64)| NumberPoint {
            clusters,
            stability: excess,
            null: 0.0,
            excess,
            error,
            supported: excess > 0.1,
        };
        NumberCurve { way, points: points.iter().map(point).collect() }
    }

    #[test]
    fn the_largest_number_within_an_error_of_the_higher_peak_is_chosen() {
        let k_means = curve(Way::KMeans, &[(2, 0.3, 0.05), (3, 0.5, 0.05), (4, 0.1, 0.05)]);
        let leiden = curve(Way::Leiden, &[(2, 0.2, 0.05), (3, 0.6, 0.05), (4, 0.57, 0.05), (5, 0.5, 0.05)]);
        let found = NumberChoice::of(vec![k_means, leiden], 100).expect("a choice");
        assert_eq!((found.clusters, found.way, found.supported), (4, Way::Leiden, true));
    }

    #[test]
    fn a_peak_that_is_a_matter_of_chance_does_not_count() {
        let leiden =
            curve(Way::Leiden, &[(5, 0.78, 0.1), (11, 0.77, 0.01), (12, 0.765, 0.01), (15, 0.69, 0.02)]);
        assert_eq!(NumberChoice::of(vec![leiden], 100).expect("a choice").clusters, 12);
    }

    #[test]
    fn wide_ranges_are_looked_at_in_equal_ratios() {
        assert_eq!(numbers(2..=9, 1_000), [2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(numbers(2..=9, 8), [2, 3, 4]);
        let wide = numbers(2..=1_000, 5_000);
        assert!(wide.len() <= MOST_NUMBERS && wide[0] == 2 && wide.last() == Some(&1_000), "{wide:?}");
        assert!(numbers(5..=9, 8).is_empty());
    }

    #[test]
    fn where_no_number_is_more_than_chance_none_is_supported() {
        let flat = curve(Way::KMeans, &[(2, 0.01, 0.05), (3, 0.02, 0.05), (4, -0.3, 0.05)]);
        let found = NumberChoice::of(vec![flat], 100).expect("a choice");
        assert_eq!((found.supported, found.clusters), (false, 2));
        assert!(NumberChoice::of(vec![curve(Way::KMeans, &[])], 3).is_none());
    }
}

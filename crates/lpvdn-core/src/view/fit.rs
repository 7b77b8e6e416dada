//! Which view fits the data.

use rayon::prelude::*;

use super::asked::Asked;
use super::number::{Numbers, quantile};
use super::sample::Sample;
use super::terms::Terms;
use super::vector::Directions;
use super::{Categories, Metric, Number, Part, View, ViewError, Watch};
use crate::columns::{ColumnGroup, ColumnKind, Transform};
use crate::dataset::Dataset;
use crate::preprocess::pixel_like;
use crate::summary::Summary;

/// Fewer columns than this are a table: nobody compares them by angle, and each has its own scale.
const FEWEST_TOGETHER: usize = 16;
/// Columns share a scale where the range of one in ten is at most this many times that of another one in ten.
const SAME_RANGE: f64 = 2.5;
/// Lengths are nearly equal where their deviation is at most this share of their mean.
const SAME_LENGTH: f64 = 0.05;
/// Sparse rows with a larger share of stored values than this are a table that was written as pairs.
const DENSE: f64 = 0.25;
/// Sparse rows with fewer columns than this are a table, too.
const FEWEST_TERMS: usize = 64;
/// Sparse pixels have at least this many levels.
const LEAST_LEVELS: f32 = 15.0;
/// A column with a larger share of the squared length of rows is no number of an embedding.
const LARGEST_SHARE: f64 = 0.2;
/// Numbers of the components of all terms, at most.
const MOST_COMPONENT_NUMBERS: usize = 1 << 26;
/// Components of terms: a row in eight, from the least to the most. Among texts of four kinds 20 to 100 were equally
/// good, 200 and 300 worse.
const ROWS_PER_COMPONENT: usize = 8;
const LEAST_COMPONENTS: usize = 20;
const MOST_COMPONENTS: usize = 100;

impl View {
    /// The view that fits the data; none where its rows are pixels, which stay what they are.
    ///
    /// Terms get as many components as are asked for; without a number, as many as suit the rows.
    ///
    /// # Errors
    /// Rows that cannot be read, a number of components that is not possible, work that is not wanted any more.
    pub fn fit(
        data: &Dataset,
        summary: &Summary,
        components: Option<usize>,
        watch: &mut dyn Watch,
    ) -> Result<Option<View>, ViewError> {
        if are_pixels(data, summary) {
            return if components.is_some() { Err(ViewError::NoTerms) } else { Ok(None) };
        }
        let fit = Fit { summary, sample: Sample::of(data.source.as_ref())?, components };
        let names = data.columns.as_deref();
        let parts = match &data.groups {
            Some(groups) if !all_numbers(groups) => fit.typed(groups, watch)?,
            groups => {
                let asked = groups.as_deref().is_some_and(|groups| groups.iter().any(is_asked));
                if data.source.is_sparse() && fit.are_terms(data.source.row_values()) {
                    vec![Part::Terms(fit.terms(0, summary.cols, 1.0, watch)?)]
                } else if asked {
                    fit.typed(groups.as_deref().unwrap_or_default(), watch)?
                } else {
                    vec![fit.untyped(names)]
                }
            }
        };
        if components.is_some() && !parts.iter().any(|part| matches!(part, Part::Terms(_))) {
            return Err(ViewError::NoTerms);
        }
        let by_angle = matches!(parts.as_slice(), [Part::Terms(_) | Part::Directions(_)]);
        Ok(Some(View { metric: if by_angle { Metric::Cosine } else { Metric::Euclidean }, parts }))
    }
}

impl View {
    /// Bytes that [`View::fit`] takes while it works, about.
    pub fn fitting_memory(data: &Dataset, components: Option<usize>) -> usize {
        let source = data.source.as_ref();
        let (rows, values) = (Sample::size(source), Sample::size(source).saturating_mul(source.row_values()));
        let has_texts = data.groups.iter().flatten().any(|group| group.kind == ColumnKind::Text);
        if !source.is_sparse() && !has_texts {
            // The sample, and for each thread a column in order and its logarithms.
            let columns = 24 * rows * rayon::current_num_threads();
            return values.saturating_mul(size_of::<f32>()).saturating_add(columns);
        }
        // The sample, its rows with their weights, and the same by columns; for each row and each term that occurs the
        // numbers of the truncated SVD, which are those of both ends of an iteration and of their orthogonal basis.
        let entries = size_of::<u32>() + size_of::<f32>();
        let a_component = rows * size_of::<f32>() + source.cols().min(values) * 16;
        let numbers = components.unwrap_or(MOST_COMPONENTS).saturating_mul(a_component);
        values.saturating_mul(3 * entries).saturating_add(numbers)
    }
}

/// Whether the user has asked for something.
fn is_asked(group: &ColumnGroup) -> bool {
    group.transform.is_some() || group.weight != 1.0
}

fn all_numbers(groups: &[ColumnGroup]) -> bool {
    groups.iter().all(|group| group.kind == ColumnKind::Number)
}

/// Pictures, and what is like them: many columns that share one scale from zero upward.
fn are_pixels(data: &Dataset, summary: &Summary) -> bool {
    let source = data.source.as_ref();
    let plain =
        data.groups.as_deref().is_none_or(|groups| all_numbers(groups) && !groups.iter().any(is_asked));
    if !plain || !summary.fine.is_empty() {
        return false;
    }
    if source.is_sparse() {
        // Pictures that were written as pairs; a matrix of zeros and ones says which words a text has.
        return pixel_like(summary) && summary.max >= LEAST_LEVELS;
    }
    let bytes = source.is_bytes() && summary.cols >= FEWEST_TOGETHER;
    let shares = summary.min >= 0.0 && summary.max <= 1.0;
    data.picture.is_some_and(|_| bytes || summary.min >= 0.0)
        || bytes
        || pixel_like(summary)
        || shares && shares_one_maximum(summary)
}

/// Whether nearly all columns that are used reach half of the largest value: a picture's pixels do, rates of one in a
/// hundred next to shares do not.
fn shares_one_maximum(summary: &Summary) -> bool {
    let used = summary.column_max.iter().filter(|&&m| m > 0.0).count();
    let high = summary.column_max.iter().filter(|&&m| m >= 0.5 * summary.max).count();
    summary.cols >= FEWEST_TOGETHER && summary.min == 0.0 && 10 * high >= 8 * used
}

struct Fit<'a> {
    summary: &'a Summary,
    sample: Sample,
    /// How many components of terms were asked for.
    components: Option<usize>,
}

impl Fit<'_> {
    /// Columns about which nothing is known but that they are numbers.
    fn untyped(&self, names: Option<&[String]>) -> Part {
        let columns = self.summary.cols;
        if let Some(directions) = self.directions(0, columns, columns as f64) {
            return Part::Directions(directions);
        }
        let name = |j: usize| names.and_then(|names| names.get(j)).map_or("", String::as_str);
        let fitted = |transform: Option<Transform>| -> Vec<Number> {
            (0..columns).into_par_iter().map(|j| self.number(name(j), j, transform, 1.0)).collect()
        };
        if self.share_one_scale() {
            return Part::Numbers(Numbers::on_one_scale(fitted(Some(Transform::Identity)), columns as f64));
        }
        Part::Numbers(Numbers::new(fitted(None)))
    }

    /// Columns of a table, group by group.
    fn typed(&self, groups: &[ColumnGroup], watch: &mut dyn Watch) -> Result<Vec<Part>, ViewError> {
        let is_wide = |group: &&ColumnGroup| matches!(group.kind, ColumnKind::Vector | ColumnKind::Text);
        let (wide, single) =
            (groups.iter().filter(is_wide).count(), groups.iter().filter(|g| !is_wide(g)).count());
        let mut parts: Vec<Part> = Vec::new();
        let mut start = 0;
        for group in groups {
            let end = start + group.width;
            // Texts and vectors together count as much as all other columns together.
            let among = match (single, wide) {
                (0, 1) => group.width as f64,
                (0, _) => 1.0,
                _ => single as f64 / wide.max(1) as f64,
            };
            let part = match group.kind {
                ColumnKind::Number => self.numbers(group, start, group.transform),
                ColumnKind::Date | ColumnKind::Boolean => {
                    self.numbers(group, start, Some(Transform::Identity))
                }
                ColumnKind::Category => {
                    let shares = &self.summary.means[start..end];
                    let block = Categories::fit(&group.name, shares, group.weight);
                    Part::Categories(Categories { asked: Asked::of(group), ..block })
                }
                ColumnKind::Vector => self.vectors(group, start, end, among),
                ColumnKind::Text => {
                    let terms = self.terms(start, end, among * f64::from(group.weight), watch)?;
                    Part::Terms(terms.asked_for(Asked::of(group)))
                }
            };
            start = end;
            match (parts.last_mut(), part) {
                (Some(Part::Numbers(before)), Part::Numbers(more))
                    if !before.one_scale && !more.one_scale =>
                {
                    before.columns.extend(more.columns);
                }
                (_, part) => parts.push(part),
            }
        }
        Ok(parts)
    }

    fn numbers(&self, group: &ColumnGroup, start: usize, transform: Option<Transform>) -> Part {
        let asked = Asked::of(group);
        let columns = (start..start + group.width)
            .map(|j| Number { asked, ..self.number(&group.name, j, transform, group.weight) });
        Part::Numbers(Numbers::new(columns.collect()))
    }

    fn number(&self, name: &str, j: usize, transform: Option<Transform>, weight: f32) -> Number {
        if self.summary.fine.binary_search(&j).is_ok() {
            return Number::fine(name, self.summary.means[j], self.summary.deviations[j], weight);
        }
        Number::fit(name, &self.sample.column(j), transform, weight)
    }

    fn vectors(&self, group: &ColumnGroup, start: usize, end: usize, among: f64) -> Part {
        let (asked, weight) = (Asked::of(group), among * f64::from(group.weight));
        if let Some(directions) = self.directions(start, end, weight) {
            return Part::Directions(Directions { asked, ..directions });
        }
        let columns = (start..end).into_par_iter();
        let columns = columns.map(|j| self.number("", j, Some(Transform::Identity), 1.0)).collect();
        Part::Numbers(Numbers { asked, ..Numbers::on_one_scale(columns, weight) })
    }

    /// Vectors of nearly equal length, whose squared length becomes `squared`.
    fn directions(&self, start: usize, end: usize, squared: f64) -> Option<Directions> {
        let fine = self.summary.fine.iter().any(|j| (start..end).contains(j));
        if end - start < FEWEST_TOGETHER || fine || !self.sample.has_negatives(start, end) {
            return None;
        }
        let lengths = self.sample.lengths(start, end);
        let n = lengths.len().max(1) as f64;
        let mean = lengths.iter().sum::<f64>() / n;
        let variance = lengths.iter().map(|length| (length - mean).powi(2)).sum::<f64>() / n;
        // The air pressure in a table of the weather is the length of its rows, and no embedding.
        let moments = self.summary.means[start..end].iter().zip(&self.summary.deviations[start..end]);
        let largest =
            moments.map(|(mean, deviation)| mean * mean + deviation * deviation).fold(0.0, f64::max);
        let even = largest <= LARGEST_SHARE * (mean * mean + variance);
        let equal = mean > 0.0 && variance.sqrt() <= SAME_LENGTH * mean && even;
        equal.then(|| Directions {
            width: end - start,
            length: squared.sqrt(),
            mean_length: mean,
            asked: Asked::default(),
        })
    }

    /// Whether many columns are measured on one scale. Ranges are those of the middle 98 %.
    fn share_one_scale(&self) -> bool {
        if self.summary.cols < FEWEST_TOGETHER {
            return false;
        }
        let range = |j: usize| {
            let mut column: Vec<f64> = self.sample.column(j).into_iter().map(f64::from).collect();
            column.sort_unstable_by(f64::total_cmp);
            quantile(&column, 0.99) - quantile(&column, 0.01)
        };
        let mut ranges: Vec<f64> = (0..self.summary.cols).into_par_iter().map(range).collect();
        ranges.retain(|range| *range > 0.0);
        ranges.sort_unstable_by(f64::total_cmp);
        // A single column on another scale would decide everything, and one on a smaller scale nothing: the first must
        // not be there at all.
        let largest = ranges.last().copied().unwrap_or(0.0);
        quantile(&ranges, 0.9) <= SAME_RANGE * quantile(&ranges, 0.1)
            && largest <= SAME_RANGE * quantile(&ranges, 0.5)
    }

    /// Whether sparse rows are weights of terms, and no table.
    fn are_terms(&self, row_values: usize) -> bool {
        let columns = self.summary.cols;
        columns >= FEWEST_TERMS && row_values as f64 <= DENSE * columns as f64
    }

    /// Terms, of which a row has the squared length `weight`.
    fn terms(
        &self,
        start: usize,
        end: usize,
        weight: f64,
        watch: &mut dyn Watch,
    ) -> Result<Terms, ViewError> {
        let entries = self.sample.entries(start, end);
        let components = self.component_count(entries.rows.rows(), entries.places.len())?;
        let whole = entries.rows.values().iter().all(|x| *x >= 0.0 && x.fract() == 0.0);
        let terms = Terms::fit(entries, components, whole, watch)?;
        let length =
            if end - start == self.summary.cols { (terms.components() as f64).sqrt() } else { weight.sqrt() };
        Ok(terms.of_length(length))
    }

    /// How many components are computed for terms that occur in some rows.
    fn component_count(&self, rows: usize, terms: usize) -> Result<usize, ViewError> {
        let most = rows.min(terms);
        match self.components {
            Some(asked) if asked > most => Err(ViewError::TooManyComponents { asked, most, rows, terms }),
            Some(asked) => Ok(asked),
            None => {
                let by_rows = self.summary.rows / ROWS_PER_COMPONENT;
                let components = by_rows.clamp(LEAST_COMPONENTS, MOST_COMPONENTS);
                // Fewer where millions of terms occur, so that the memory is bounded.
                Ok(components.min(MOST_COMPONENT_NUMBERS / terms.max(1)).max(2))
            }
        }
    }
}

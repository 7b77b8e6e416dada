//! A look at the data before a fit, whatever the method.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use lpvdn_cluster::LARGEST;
use lpvdn_core::preprocess::Scaling;
use lpvdn_core::product::{Store, product};
use lpvdn_core::view::{Part, TermArrays, Unknown, ViewError, ViewedRows};
use lpvdn_core::{Dataset, Matrix, Preprocessor, Summary, Transform, View};
use xxhash_rust::xxh3::Xxh3;

use crate::error::{DataProblem, FitError, ModelError};
use crate::loss::reconstruction::Likelihood;
use crate::model::autoencoder::encoding::{for_each_scaled_block, non_finite};
use crate::model::cluster_model::Origin;
use crate::model::lpvdn::fitted::DataFacts;
use crate::model::seen::with_rows;
use crate::model::signals::are_signals;
use crate::train::control::FitControl;
use crate::train::store::numerics;

pub(crate) use crate::model::autoencoder::encoding::column_name;

/// Bytes of the process itself and of what nobody counts.
const SPARE: usize = 16 << 20;

/// The speed of matrix products on the threads of this pool, in 10⁹ operations a second. It is measured once in a
/// process: a fit of few rows takes less time than the measurement.
pub(crate) fn measure_gflops() -> f64 {
    static KNOWN: Mutex<BTreeMap<usize, f64>> = Mutex::new(BTreeMap::new());
    let threads = rayon::current_num_threads();
    if let Some(known) = KNOWN.lock().ok().and_then(|known| known.get(&threads).copied()) {
        return known;
    }
    let gflops = measured_gflops();
    if let Ok(mut known) = KNOWN.lock() {
        known.insert(threads, gflops);
    }
    gflops
}

fn measured_gflops() -> f64 {
    const SIZE: usize = 256;
    let a = Matrix::<f32>::from_fn(SIZE, SIZE, |i, j| ((i + j) % 7) as f32);
    let mut out = Matrix::zeros(SIZE, SIZE);
    let mut best = f64::INFINITY;
    for _ in 0..4 {
        let start = Instant::now();
        product(out.view_mut(), a.view(), a.view(), Store::Replace);
        best = best.min(start.elapsed().as_secs_f64());
    }
    2e-9 * (SIZE * SIZE * SIZE) as f64 / best
}

/// Data that can be clustered, as a training sees it.
pub(crate) struct Ready<'a> {
    /// What a model remembers of it.
    pub(crate) facts: DataFacts,
    /// Of the values and of how they are seen.
    pub(crate) fingerprint: u64,
    /// How rows are seen; none where values are only scaled.
    pub(crate) view: Option<Arc<View>>,
    /// The rows of the view, or those of the data.
    pub(crate) data: Cow<'a, Dataset>,
    /// How these are scaled.
    pub(crate) preprocessor: Preprocessor,
    /// The smallest and largest value after scaling.
    pub(crate) range: (f32, f32),
    /// Whether the columns are samples of one signal.
    pub(crate) signals: bool,
    /// The values that the view takes for unknown.
    pub(crate) unknown: Vec<Unknown>,
    /// Bytes of the data as it was given, of the view, and of its rows where they are kept.
    pub(crate) held: usize,
    /// Bytes that finding the view took.
    pub(crate) preparing: usize,
}

/// What a method asks of the data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) clusters: usize,
    pub(crate) scale: Scaling,
    /// Components of terms, where somebody says how many.
    pub(crate) components: Option<usize>,
}

impl<'a> Ready<'a> {
    /// Reads the data and refuses what cannot be clustered when it is scaled so.
    pub(crate) fn of(
        data: &'a Dataset,
        wanted: Wanted,
        control: &mut FitControl<'_>,
    ) -> Result<Ready<'a>, FitError> {
        let Wanted { clusters, scale, components } = wanted;
        let summary = examine(data, clusters, scale)?;
        let facts = DataFacts::of(&summary);
        if scale == Scaling::ByType {
            check_logarithms(data, &summary)?;
            let preparing = data.memory().saturating_add(View::fitting_memory(data, components));
            control.check_memory(preparing as u64)?;
            let view = View::fit(data, &summary, components, control);
            if let Some(view) = view.map_err(|error| no_view(error, data, components))? {
                let signals = are_signals(data, &summary, Some(&view), scale);
                let ready = Ready::through(Arc::new(view), data, facts, &summary)?;
                return Ok(Ready { preparing, signals, ..ready });
            }
        }
        let source = data.source.as_ref();
        let preprocessor = Preprocessor::fit(scale, &summary, source.is_bytes(), source.is_sparse());
        check_size(data, &summary, &preprocessor)?;
        let range = preprocessor.range(&summary);
        let (fingerprint, held) = (summary.fingerprint, data.memory());
        let signals = are_signals(data, &summary, None, scale);
        let (data, unknown) = (Cow::Borrowed(data), Vec::new());
        let (view, preparing) = (None, 0);
        Ok(Ready { facts, fingerprint, view, data, preprocessor, range, signals, unknown, held, preparing })
    }

    fn through(
        view: Arc<View>,
        data: &'a Dataset,
        facts: DataFacts,
        summary: &Summary,
    ) -> Result<Ready<'a>, FitError> {
        let viewed = ViewedRows::new(data.source.clone(), view.clone());
        let seen = with_rows(data, Arc::new(viewed), None);
        check_seen_size(&seen, summary, &view)?;
        let unknown = view.unknown_of(data.source.as_ref(), summary)?;
        let source = ViewedRows::new(data.source.clone(), view.clone()).for_training()?;
        let seen = with_rows(data, source, data.labels.clone());
        // Rows that are not kept are those of the data, which are counted already.
        let shared = seen.source.viewed().map_or(0, |viewed| viewed.source().memory());
        let held = data.memory() + seen.memory() - shared + view.memory();
        let mut hash = Xxh3::new();
        hash.write_u64(summary.fingerprint);
        write_view(&mut hash, &view);
        Ok(Ready {
            facts,
            fingerprint: hash.digest(),
            view: Some(view),
            data: Cow::Owned(seen),
            preprocessor: Preprocessor::None,
            range: (f32::NEG_INFINITY, f32::INFINITY),
            signals: false,
            unknown,
            held,
            preparing: 0,
        })
    }

    /// The peak of memory of a fit that takes `training` bytes, but for the data.
    pub(crate) fn memory(&self, training: usize) -> u64 {
        self.held.saturating_add(training).max(self.preparing).saturating_add(SPARE) as u64
    }

    /// Where a model of these rows comes from.
    pub(crate) fn origin(&self, threads: usize) -> Origin {
        Origin {
            view: self.view.clone(),
            ..Origin::of(self.facts.clone(), self.preprocessor.clone(), threads)
        }
    }
}

/// Why a fit ends before it has seen a row.
fn no_view(error: ViewError, data: &Dataset, components: Option<usize>) -> FitError {
    let name = data.name.clone();
    match error {
        ViewError::Source(error) => error.into(),
        ViewError::Stopped => FitError::Interrupted { checkpoint: None },
        ViewError::NoTerms => {
            DataProblem::NoTerms { name, components: components.unwrap_or_default() }.into()
        }
        ViewError::TooManyComponents { asked, most, rows, terms } => {
            DataProblem::TooManyComponents { name, asked, most, rows, terms }.into()
        }
    }
}

/// Adds all that a view is to a hash.
fn write_view(hash: &mut Xxh3, view: &View) {
    hash.write(serde_json::to_string(view).unwrap_or_default().as_bytes());
    for part in view.parts() {
        if let Part::Terms(terms) = part {
            let TermArrays { places, weights, vectors } = terms.arrays();
            weights.iter().chain(vectors).for_each(|x| hash.write(&x.to_le_bytes()));
            places.iter().for_each(|place| hash.write(&place.to_le_bytes()));
        }
    }
}

/// Reads the data once and refuses what cannot be clustered when it is scaled so.
fn examine(data: &Dataset, clusters: usize, scale: Scaling) -> Result<Summary, FitError> {
    let (name, rows) = (data.name.clone(), data.rows());
    if rows == 0 {
        return Err(DataProblem::NoRows { name }.into());
    }
    if data.cols() == 0 {
        return Err(DataProblem::NoColumns { name }.into());
    }
    if rows < 2 || rows < clusters {
        return Err(DataProblem::TooFewRows { name, rows, clusters }.into());
    }
    if u32::try_from(rows).is_err() {
        return Err(DataProblem::TooManyRows { name, rows }.into());
    }
    let summary = Summary::of(data.source.as_ref())?;
    if let Some((row, column, value)) = &summary.non_finite {
        return Err(non_finite(data, *row, *column, value).into());
    }
    // Digits beyond 32 bits tell rows apart only where means are taken off before they are rounded.
    let takes_means_off = matches!(scale, Scaling::Auto | Scaling::ByType | Scaling::Standard);
    if summary.all_rows_equal && (summary.fine.is_empty() || !takes_means_off) {
        return Err(DataProblem::AllEqual { name, rows }.into());
    }
    Ok(summary)
}

/// Refuses a logarithm of values below zero that was asked for.
fn check_logarithms(data: &Dataset, summary: &Summary) -> Result<(), FitError> {
    let mut start = 0;
    for group in data.groups.iter().flatten() {
        let columns = start..start + group.width;
        start = columns.end;
        if group.transform != Some(Transform::Log) {
            continue;
        }
        let least = summary.column_min[columns.clone()].iter().copied().fold(f32::INFINITY, f32::min);
        if least < 0.0 {
            let column = match group.name.as_str() {
                "" => column_name(data, columns.start),
                name => format!("{name:?}"),
            };
            return Err(DataProblem::NegativeLogarithm { name: data.name.clone(), column, least }.into());
        }
    }
    Ok(())
}

/// Refuses finite values that would overflow in the first sum of squares.
fn check_size(data: &Dataset, summary: &Summary, preprocessor: &Preprocessor) -> Result<(), FitError> {
    // Deviation and length are those of all rows, so that by these no value becomes large that was not. Divided by the
    // largest, the smallest may.
    let (min, max) = preprocessor.range(summary);
    let scaled =
        if matches!(preprocessor, Preprocessor::Standard { .. }) { 0.0 } else { min.abs().max(max.abs()) };
    if scaled.max(summary.min.abs()).max(summary.max.abs()) <= LARGEST {
        return Ok(());
    }
    check_every_row(data, preprocessor)
}

/// The same of rows that are seen through a view. Its scales were found in some of the rows, so that the others may
/// become larger than they are.
fn check_seen_size(seen: &Dataset, summary: &Summary, view: &View) -> Result<(), FitError> {
    let raw = f64::from(summary.min.abs().max(summary.max.abs()));
    if raw.max(view.largest(summary)) <= f64::from(LARGEST) {
        return Ok(());
    }
    check_every_row(seen, &Preprocessor::None)
}

fn check_every_row(data: &Dataset, preprocessor: &Preprocessor) -> Result<(), FitError> {
    match for_each_scaled_block(data, data.cols(), preprocessor, 0..data.rows(), |_, _| {}) {
        Err(ModelError::Data(problem)) => Err(problem.into()),
        Err(ModelError::Source(error)) => Err(error.into()),
        _ => Ok(()),
    }
}

/// The likelihood that is asked for, or that fits values in this range.
pub(crate) fn likelihood_for(
    asked: Option<Likelihood>,
    (min, max): (f32, f32),
) -> Result<Likelihood, FitError> {
    let probabilities = min >= 0.0 && max <= 1.0 + 1e-6;
    match asked {
        Some(Likelihood::Bernoulli) if !probabilities => {
            Err(DataProblem::NotProbabilities { min, max }.into())
        }
        Some(likelihood) => Ok(likelihood),
        None if probabilities => Ok(Likelihood::Bernoulli),
        None => Ok(Likelihood::Gaussian),
    }
}

/// A hash of data and settings: what a checkpoint must share with the run that resumes it.
///
/// The version and the instruction-set level are in it because with another one the rest of the run
/// would not be what the whole run would have been.
///
/// The parameters are resolved, so that they hold the epochs and sizes that the rows decided.
pub(crate) fn run_fingerprint(
    params: &impl std::fmt::Debug,
    data: u64,
    preprocessor: &Preprocessor,
    likelihood: Likelihood,
) -> u64 {
    let mut hash = Xxh3::new();
    hash.write_u64(data);
    hash.write(format!("{params:?} {preprocessor:?} {likelihood:?}").as_bytes());
    hash.write(numerics().as_bytes());
    hash.digest()
}

//! A look at the data before a fit, whatever the method.

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::Mutex;
use std::time::Instant;

use lpvdn_cluster::LARGEST;
use lpvdn_core::preprocess::Scaling;
use lpvdn_core::product::{Store, product};
use lpvdn_core::{Dataset, Matrix, Preprocessor, Summary};
use xxhash_rust::xxh3::Xxh3;

use crate::error::{DataProblem, FitError, ModelError};
use crate::loss::reconstruction::Likelihood;
use crate::model::autoencoder::encoding::{for_each_scaled_block, non_finite};

use crate::train::store::numerics;

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

/// Reads the data once and refuses what cannot be clustered when it is scaled so.
pub(crate) fn examine(data: &Dataset, clusters: usize, scale: Scaling) -> Result<Summary, FitError> {
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
    let told_apart = !summary.fine.is_empty() && matches!(scale, Scaling::Auto | Scaling::Standard);
    if summary.all_rows_equal && !told_apart {
        return Err(DataProblem::AllEqual { name, rows }.into());
    }
    check_size(data, &summary, scale)?;
    Ok(summary)
}

/// Refuses finite values that would overflow in the first sum of squares.
fn check_size(data: &Dataset, summary: &Summary, scale: Scaling) -> Result<(), FitError> {
    // No scaling makes values larger that are not tiny.
    if summary.min.abs().max(summary.max.abs()) <= LARGEST {
        return Ok(());
    }
    let source = data.source.as_ref();
    let preprocessor = Preprocessor::fit(scale, summary, source.is_bytes(), source.is_sparse());
    match for_each_scaled_block(data, data.cols(), &preprocessor, 0..data.rows(), |_, _| {}) {
        Err(ModelError::Data(problem)) => Err(problem.into()),
        Err(ModelError::Source(error)) => Err(error.into()),
        _ => Ok(()),
    }
}

/// The likelihood that is asked for, or that fits the data.
pub(crate) fn likelihood_for(
    asked: Option<Likelihood>,
    preprocessor: &Preprocessor,
    summary: &Summary,
) -> Result<Likelihood, FitError> {
    let (min, max) = preprocessor.range(summary);
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
    summary: &Summary,
    preprocessor: &Preprocessor,
    likelihood: Likelihood,
) -> u64 {
    let mut hash = Xxh3::new();
    hash.write_u64(summary.fingerprint);
    hash.write(format!("{params:?} {preprocessor:?} {likelihood:?}").as_bytes());
    hash.write(numerics().as_bytes());
    hash.digest()
}

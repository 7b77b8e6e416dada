//! Fits that are resumed from mutated checkpoints.

use std::fs;
use std::path::Path;
use std::time::Duration;

use lpvdn::model::autoencoder::Refinement;
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::{Estimator, Event, FitControl, Method, Recipe};
use lpvdn_core::{Dataset, Matrix};

use crate::repair::repaired;
use crate::{contain, file, readable};

/// The methods whose checkpoints differ in what they hold.
const METHODS: [Method; 4] = [Method::VariationalKMeans, Method::Dec, Method::ClusterGan, Method::Lpvdn];
const ROWS: usize = 12;

fn rows() -> Dataset {
    Dataset::from(Matrix::from_fn(ROWS, 3, |i, j| (if i % 2 == j % 2 { 0.9 } else { 0.1 }) + 0.01 * i as f32))
}

/// Networks and trainings so small that thousands can be resumed.
fn small(method: Method) -> Estimator {
    let mut estimator = Estimator::of(method, Recipe::Robust, 2);
    match &mut estimator {
        Estimator::KMeans(_) => {}
        Estimator::Encoder(params) => {
            (params.layers, params.latent_dim, params.batch) = (Some(vec![3]), 2, Some(6));
            params.starts = 1;
            match &mut params.refinement {
                Refinement::None => {}
                Refinement::Variational { epochs, .. } => *epochs = Some(2),
                Refinement::SelfTraining { interval, steps, batch, .. } => {
                    params.pretrain_epochs = Some(1);
                    (*interval, *steps, *batch) = (Some(1), 2, 6);
                }
            }
        }
        Estimator::ClusterGan(params) => {
            (params.layers, params.noise_dim, params.batch) = (vec![3], 2, 6);
            (params.steps, params.starts, params.pretrain_epochs) = (2, 1, Some(1));
        }
        Estimator::Lpvdn(params) => {
            (params.layers, params.latent_dim, params.output_dim) = (Some(vec![3]), 2, 2);
            (params.discriminator_layers, params.locality_layers) = (vec![2], Some(vec![2]));
            (params.batch, params.pretrain_epochs, params.epochs) = (Some(6), Some(1), Some(2));
            (params.settle_epochs, params.starts, params.mixture_starts) = (Some(1), 1, 1);
        }
    }
    estimator
}

fn policy(path: &Path) -> CheckpointPolicy {
    CheckpointPolicy { at_least_apart: Duration::ZERO, ..CheckpointPolicy::new(path) }
}

/// Puts checkpoints of every phase of every method where the fuzzer looks for its first files: they depend on the
/// program that wrote them, so they cannot be stored.
pub fn prepare() {
    contain();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/checkpoint");
    fs::create_dir_all(&corpus).expect("the corpus");
    let path = file(&[]);
    fs::remove_file(&path).expect("removed");
    for method in METHODS {
        let mut number = 0;
        let mut observer = |_: &Event<'_>| {
            if path.exists() {
                fs::copy(&path, corpus.join(format!("{method}-{number}"))).expect("copied");
                number += 1;
            }
        };
        let mut control = FitControl {
            threads: 1,
            checkpoint: Some(policy(&path)),
            observer: Some(&mut observer),
            ..FitControl::default()
        };
        small(method).check().expect("good").fit(&rows(), &mut control).expect("a fit");
        let _ = fs::remove_file(&path);
    }
}

/// Resumes a fit of every method: that whose checkpoint it is goes on, if it can, and the others refuse.
pub fn resume(bytes: &[u8]) {
    attempt(bytes);
    if let Some(repaired) = repaired(bytes) {
        attempt(&repaired);
    }
}

fn attempt(bytes: &[u8]) {
    for method in METHODS {
        let path = file(bytes);
        let every = usize::MAX;
        let mut control = FitControl {
            threads: 1,
            checkpoint: Some(CheckpointPolicy { resume: true, every, ..policy(&path) }),
            ..FitControl::default()
        };
        match small(method).check().expect("good").fit(&rows(), &mut control) {
            Ok(fitted) => assert_eq!(fitted.labels.len(), ROWS),
            Err(error) => readable(&error),
        }
    }
}

//! No bit of a model file or of a checkpoint can change without being noticed.

use std::path::Path;
use std::time::Duration;

use lpvdn::model::autoencoder::Refinement;
use lpvdn::train::control::CheckpointPolicy;
use lpvdn::{Estimator, FitControl, FitError, Method, Model, Recipe};
use lpvdn_core::{Dataset, Matrix};

#[path = "common/golden.rs"]
mod golden;

use golden::{small, whole_model};

/// One bit of every so many bytes of `good`, flipped. The tests of the file format flip all bits of a smaller file.
fn every_flip(good: &[u8], step: usize, mut refused: impl FnMut(&[u8]) -> bool) {
    let mut bytes = good.to_vec();
    for at in (0..good.len()).step_by(step) {
        let flip = 1 << (at * 5 % 8);
        bytes[at] ^= flip;
        assert!(refused(&bytes), "byte {at} of {} ^ {flip:#04x} is accepted", good.len());
        bytes[at] ^= flip;
    }
}

#[test]
fn a_model_file_of_each_method_with_a_flipped_bit_is_refused() {
    for method in Method::ALL {
        let model = whole_model(method);
        let good = model.to_bytes().expect("bytes");
        assert_eq!(Model::from_bytes(&good, "good").expect("a model").to_bytes().expect("bytes"), good);
        every_flip(&good, 1, |bytes| Model::from_bytes(bytes, "model").is_err());
    }
}

/// A fit that is resumed if there is a checkpoint.
fn fit(method: Method, path: &Path, resume: bool) -> Result<Vec<u8>, FitError> {
    let rows = Dataset::from(Matrix::from_fn(12, 3, |i, j| {
        (if i % 2 == j % 2 { 0.9 } else { 0.1 }) + 0.005 * (i * 3 % 7) as f32
    }));
    let mut estimator = small(method, Recipe::Robust);
    match &mut estimator {
        Estimator::KMeans(_) | Estimator::Graph(_) | Estimator::ClusterGan(_) => {}
        Estimator::Encoder(params) => {
            (params.clusters, params.layers, params.batch) = (2, Some(vec![3]), Some(6));
            if let Refinement::SelfTraining { batch, interval, steps, .. } = &mut params.refinement {
                (*batch, *interval, *steps) = (6, Some(2), 6);
            }
        }
        Estimator::Lpvdn(params) => {
            (params.clusters, params.layers, params.batch) = (2, Some(vec![3]), Some(6));
            (params.pretrain_epochs, params.epochs, params.settle_epochs) = (Some(2), Some(2), Some(1));
            (params.locality_layers, params.discriminator_layers) = (Some(vec![2]), vec![2]);
        }
    }
    let policy = CheckpointPolicy { at_least_apart: Duration::ZERO, resume, ..CheckpointPolicy::new(path) };
    let mut control = FitControl { threads: 1, checkpoint: Some(policy), ..FitControl::default() };
    let fitted = estimator.check().expect("good parameters").fit(&rows, &mut control)?;
    Ok(fitted.to_bytes().expect("bytes"))
}

#[test]
fn a_fit_is_not_resumed_from_a_checkpoint_with_a_flipped_bit() {
    let folder = tempfile::tempdir().expect("a folder");
    for method in [Method::Dec, Method::Lpvdn] {
        let path = folder.path().join(format!("{method}.safetensors"));
        let whole = fit(method, &path, false).expect("a fit");
        let good = std::fs::read(&path).expect("a checkpoint");
        assert!(fit(method, &path, true).expect("resumed") == whole, "{method}: another model");
        every_flip(&good, 101, |bytes| {
            std::fs::write(&path, bytes).expect("written");
            matches!(fit(method, &path, true), Err(FitError::Checkpoint(_)))
        });
    }
}

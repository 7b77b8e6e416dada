//! One short fit.

use std::path::Path;

use lpvdn_core::{Dataset, Matrix};
use serde::{Deserialize, Serialize};

use super::choice::Candidate;
use crate::error::FitError;
use crate::model::lpvdn::hyperparams::LpvdnParams;
use crate::model::lpvdn::prepare::Prepared;
use crate::train::control::{CheckpointPolicy, FitControl};
use crate::train::events::Event;
use crate::train::store::{Kind, StoreKey};

/// What is kept of a candidate: its scores, and the codes of all rows.
#[derive(Debug)]
pub(crate) struct Scout {
    pub(crate) candidate: Candidate,
    pub(crate) codes: Matrix<f32>,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    candidate: Candidate,
    columns: usize,
}

impl Scout {
    /// Takes the candidate from the store, or trains it and keeps it there.
    pub(crate) fn find_or_train(
        params: LpvdnParams,
        data: &Dataset,
        place: (usize, usize),
        control: &mut FitControl<'_>,
    ) -> Result<Scout, FitError> {
        let valid = params.check()?;
        let prepared = Prepared::of(&valid, data, control)?;
        let key = StoreKey::new(&format!("{:016x}", prepared.fingerprint));
        let columns = code_size(&prepared.params);
        // The fit has a view of its own.
        drop(prepared);
        let store = control.store.clone();
        let found =
            store.as_ref().and_then(|store| store.find::<Kept>(Kind::Candidate, key, data.rows() * columns));
        if let Some((kept, numbers)) = found.filter(|(kept, _)| kept.columns == columns) {
            control.say(&Event::Tried(&kept.candidate));
            let codes = Matrix::from_vec(numbers, data.rows(), columns);
            return Ok(Scout { candidate: kept.candidate, codes });
        }
        let checkpoint = control.checkpoint.as_ref().map(|policy| candidate_policy(policy, place.0));
        let fitted = {
            let observer = &mut control.observer;
            let mut nested = |event: &Event<'_>| {
                if let Some(observer) = observer {
                    observer(&Event::Trying { number: place.0, of: place.1, event });
                }
            };
            let mut inner = FitControl {
                threads: control.threads,
                observer: Some(&mut nested),
                stop: control.stop,
                memory: control.memory,
                checkpoint: checkpoint.clone(),
                // A short pre-training serves nobody else.
                store: None,
                evaluate_every: 0,
            };
            valid.fit(data, &mut inner)?
        };
        let scout = Scout { candidate: Candidate::of(&fitted), codes: fitted.embedding };
        if let Some(store) = store {
            let kept = Kept { candidate: scout.candidate.clone(), columns };
            match store.keep(Kind::Candidate, key, kept, scout.codes.as_slice()) {
                Ok(()) => forget(checkpoint.as_ref().map(|policy| policy.path.as_path())),
                Err(e) => {
                    let place = store.folder().display();
                    control.say(&Event::Warning(&format!("{place}: the candidate could not be kept: {e}")));
                }
            }
        }
        control.say(&Event::Tried(&scout.candidate));
        Ok(scout)
    }
}

/// The columns of the codes that are clustered.
fn code_size(params: &LpvdnParams) -> usize {
    if params.alpha1 > 0.0 { params.output_dim } else { params.latent_dim }
}

/// A file of its own beside the checkpoint of the full fit, so that neither is taken for the other.
fn candidate_policy(policy: &CheckpointPolicy, number: usize) -> CheckpointPolicy {
    let name = policy.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    CheckpointPolicy {
        path: policy.path.with_file_name(format!("candidate-{number}-{name}")),
        ..policy.clone()
    }
}

fn forget(checkpoint: Option<&Path>) {
    if let Some(path) = checkpoint {
        let _ = std::fs::remove_file(path);
    }
}

//! The state of a fit on disk.

use std::io::Write;
use std::path::Path;

use lpvdn_core::Matrix;
use lpvdn_core::file::atomic_replace;
use lpvdn_nn::Adam;
use lpvdn_nn::optimizer::AdamSettings;
use serde::{Deserialize, Serialize};

use super::events::{EpochReport, Evaluation, Phase};
use crate::tensors::{Coverage, TensorFile, TensorFileError, TensorWriter, read_file};

/// The version of the checkpoint format.
const VERSION: u32 = 5;

/// Sums over the steps of an epoch so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct EpochSums {
    pub(crate) rows: usize,
    /// Rows of batches that were large enough for L_MI, and for L_LP.
    pub(crate) paired_rows: usize,
    pub(crate) local_rows: usize,
    pub(crate) reconstruction: f64,
    pub(crate) divergence: f64,
    pub(crate) mutual_information: f64,
    pub(crate) locality: f64,
    pub(crate) occupancy: Vec<f64>,
    /// Of ClusterGAN.
    pub(crate) distance: f64,
    pub(crate) penalty: f64,
    pub(crate) noise: f64,
    pub(crate) class: f64,
    pub(crate) guidance: f64,
}

/// All that a fit needs to go on as if it had never stopped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) phase: Phase,
    /// Whole epochs done in this phase.
    pub(crate) epoch: usize,
    /// Steps done in the epoch after them.
    pub(crate) step: usize,
    pub(crate) params: Vec<f32>,
    pub(crate) adam: Adam<f32>,
    pub(crate) sums: EpochSums,
    pub(crate) record: Record,
    /// What training goes by beside its parameters: for L_LP the latent means between which the graph was
    /// measured, for DEC the assignment that its targets come from, for ClusterGAN what normalises its generator and
    /// the clusters that guide its encoder.
    pub(crate) kept: Option<Matrix<f32>>,
}

/// What has been reported so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Seconds that earlier processes spent on what is kept of their work.
    pub(crate) seconds_before: f64,
    pub(crate) history: Vec<EpochReport>,
    pub(crate) evaluations: Vec<Evaluation>,
}

impl State {
    pub(crate) fn new(params: Vec<f32>) -> State {
        let adam = Adam::new(AdamSettings::default(), params.len());
        State {
            phase: Phase::Pretrain,
            epoch: 0,
            step: 0,
            params,
            adam,
            sums: EpochSums::default(),
            record: Record::default(),
            kept: None,
        }
    }

    /// The next phase, with an optimiser that has seen nothing.
    pub(crate) fn enter(&mut self, phase: Phase) {
        let record = std::mem::take(&mut self.record);
        *self = State { phase, record, ..State::new(std::mem::take(&mut self.params)) };
    }
}

#[derive(Serialize, Deserialize)]
struct Header {
    checkpoint_version: u32,
    lpvdn_version: String,
    /// Of data and settings: resuming refuses another.
    fingerprint: String,
    phase: Phase,
    epoch: usize,
    step: usize,
    adam_steps: u64,
    sums: EpochSums,
}

/// The part of the header that every version has.
#[derive(Deserialize)]
struct Preamble {
    checkpoint_version: u32,
}

/// What the checkpoint of a run must look like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub(crate) fingerprint: u64,
    /// Of each phase: what starts a training may have a network of its own.
    pub(crate) parameters: [usize; 3],
    /// Of an epoch of each phase.
    pub(crate) steps: [usize; 3],
    /// Of each phase, in their order.
    pub(crate) epochs: [usize; 3],
    /// The shape of what training goes by, where there is such a thing.
    pub(crate) kept: Option<[usize; 2]>,
}

/// A checkpoint could not be read or belongs to another run.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file is damaged or not a checkpoint.
    #[error("{path}: {cause}")]
    Unreadable {
        /// The file.
        path: String,
        /// What is wrong with it.
        cause: TensorFileError,
    },
    /// The file is of another version.
    #[error("{path}: checkpoint version {found}, this program reads version {VERSION}")]
    Version {
        /// The file.
        path: String,
        /// Its version.
        found: u32,
    },
    /// The file belongs to other data or settings.
    #[error("{path} belongs to a run with other data or settings")]
    OtherRun {
        /// The file.
        path: String,
    },
}

/// `seconds` is the time spent on the fit so far, by all processes.
pub(crate) fn save(path: &Path, state: &State, seconds: f64, fingerprint: u64) -> std::io::Result<()> {
    let header = Header {
        checkpoint_version: VERSION,
        lpvdn_version: env!("CARGO_PKG_VERSION").to_owned(),
        fingerprint: format!("{fingerprint:016x}"),
        phase: state.phase,
        epoch: state.epoch,
        step: state.step,
        adam_steps: state.adam.steps,
        sums: state.sums.clone(),
    };
    let mut file = TensorWriter::new(header);
    let n = [state.params.len()];
    file.add_f32("params", &n, &state.params);
    file.add_f32("adam.first", &n, &state.adam.first);
    file.add_f32("adam.second", &n, &state.adam.second);
    // Not in the header, whose size the format limits: it grows with every epoch.
    let record = Record { seconds_before: seconds, ..state.record.clone() };
    file.add_bytes("record", serde_json::to_vec(&record)?);
    if let Some(points) = &state.kept {
        file.add_f32("kept", &[points.rows(), points.cols()], points.as_slice());
    }
    let bytes = file.finish()?;
    atomic_replace(path, |w| w.write_all(&bytes))
}

/// Reads the checkpoint at `path`; `None` where there is none.
pub(crate) fn load(path: &Path, wanted: &Expected) -> Result<Option<State>, CheckpointError> {
    match read_file(path) {
        Ok(bytes) => from_bytes(&bytes, path, wanted).map(Some),
        Err(TensorFileError::Io(e)) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(CheckpointError::Unreadable { path: path.display().to_string(), cause }),
    }
}

fn from_bytes(bytes: &[u8], path: &Path, wanted: &Expected) -> Result<State, CheckpointError> {
    let name = || path.display().to_string();
    let unreadable = |cause| CheckpointError::Unreadable { path: name(), cause };
    let file = TensorFile::parse(bytes).map_err(unreadable)?;
    let Preamble { checkpoint_version: found } = file.header().map_err(unreadable)?;
    if found != VERSION {
        return Err(CheckpointError::Version { path: name(), found });
    }
    file.verify(Coverage::File).map_err(unreadable)?;
    let header: Header = file.header().map_err(unreadable)?;
    let phase = header.phase.number() as usize;
    let epochs = wanted.epochs[phase];
    let position_exists =
        wanted.parameters[phase] > 0 && header.epoch <= epochs && header.step <= wanted.steps[phase];
    if header.fingerprint != format!("{:016x}", wanted.fingerprint) || !position_exists {
        return Err(CheckpointError::OtherRun { path: name() });
    }
    state_of(&file, header, wanted).map_err(unreadable)
}

fn state_of(file: &TensorFile<'_>, header: Header, wanted: &Expected) -> Result<State, TensorFileError> {
    let parameters = wanted.parameters[header.phase.number() as usize];
    let tensor = |name: &str| file.f32(name, &[parameters]);
    let mut adam = Adam::new(AdamSettings::default(), 0);
    adam.steps = header.adam_steps;
    adam.first = tensor("adam.first")?;
    adam.second = tensor("adam.second")?;
    let kept = match (header.phase, wanted.kept) {
        (Phase::Joint, Some([rows, cols])) => {
            Some(Matrix::from_vec(file.f32("kept", &[rows, cols])?, rows, cols))
        }
        _ => None,
    };
    Ok(State {
        phase: header.phase,
        epoch: header.epoch,
        step: header.step,
        params: tensor("params")?,
        adam,
        sums: header.sums,
        record: serde_json::from_slice(file.bytes("record")?)?,
        kept,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_with_any_bit_flipped_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("checkpoint");
        let mut state = State::new(vec![0.5, -1.0, 3.0]);
        state.enter(Phase::Joint);
        (state.epoch, state.step, state.adam.steps) = (2, 1, 5);
        state.kept = Some(Matrix::from_vec(vec![1.0, 2.0], 2, 1));
        save(&path, &state, 1.5, 77).expect("written");
        let wanted = Expected {
            fingerprint: 77,
            parameters: [3; 3],
            steps: [2; 3],
            epochs: [4; 3],
            kept: Some([2, 1]),
        };
        let found = load(&path, &wanted).expect("a good file").expect("a state");
        assert_eq!((found.epoch, found.step, &found.params), (2, 1, &state.params));
        let good = std::fs::read(&path).expect("read");
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bytes = good.clone();
                bytes[at] ^= 1 << bit;
                assert!(from_bytes(&bytes, &path, &wanted).is_err(), "bit {bit} of byte {at}");
            }
        }
    }
}

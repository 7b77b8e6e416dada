//! A folder in which runs share what is the same for several of them: pre-trainings.
//!
//! A pre-training depends on the data, on the shape of encoder and decoder, on a few settings and on
//! the seed, but not on the number of clusters or the terms of the joint loss. So ablations and other
//! settings of the joint training can share it, and a fit that finds its pre-training here ends in the same model.

use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};

use lpvdn_core::Level;
use lpvdn_core::file::atomic_write;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::events::EpochReport;
use crate::tensors::{TensorFile, TensorWriter};

/// The version of the files.
const VERSION: u32 = 1;

/// Raised with every change that alters the bits of a training run: what an older program began,
/// this one cannot end in the same model. A golden test notices.
pub const NUMERICS: u32 = 1;

/// The program's part in a result: its arithmetic and the instruction-set level.
pub(crate) fn numerics() -> String {
    format!("{} {NUMERICS} {}", env!("CARGO_PKG_VERSION"), Level::current().name())
}

/// The folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStore {
    folder: PathBuf,
}

/// What decides a pre-training, as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PretrainingKey(u64);

impl PretrainingKey {
    /// From a description of everything that the result depends on beside the program itself.
    pub(crate) fn new(description: &str) -> PretrainingKey {
        let mut hash = Xxh3::new();
        for part in [description, &numerics()] {
            hash.write(part.as_bytes());
            hash.write_u8(0);
        }
        PretrainingKey(hash.digest())
    }
}

/// A pre-training.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pretraining {
    /// The parameters of encoder and decoder.
    pub(crate) params: Vec<f32>,
    pub(crate) history: Vec<EpochReport>,
    pub(crate) seconds: f64,
}

#[derive(Serialize, Deserialize)]
struct Header {
    pretraining_version: u32,
    key: String,
    seconds: f64,
    history: Vec<EpochReport>,
}

impl RunStore {
    /// A store in `folder`, which is created when something is kept.
    pub fn at(folder: impl Into<PathBuf>) -> RunStore {
        RunStore { folder: folder.into() }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self, key: PretrainingKey) -> PathBuf {
        self.folder.join(format!("pretraining-{:016x}.safetensors", key.0))
    }

    /// The pre-training of this key. A file that is missing, damaged or of another size is no
    /// pre-training: it will be made again.
    pub(crate) fn find(&self, key: PretrainingKey, size: usize) -> Option<Pretraining> {
        let bytes = std::fs::read(self.file(key)).ok()?;
        let file = TensorFile::parse(&bytes).ok()?;
        let header: Header = file.header().ok()?;
        if header.pretraining_version != VERSION || header.key != format!("{:016x}", key.0) {
            return None;
        }
        let params = file.f32("params", &[size]).ok()?;
        Some(Pretraining { params, history: header.history, seconds: header.seconds })
    }

    /// Keeps a pre-training.
    pub(crate) fn keep(
        &self,
        key: PretrainingKey,
        params: &[f32],
        history: &[EpochReport],
        seconds: f64,
    ) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let mut file = TensorWriter::new(Header {
            pretraining_version: VERSION,
            key: format!("{:016x}", key.0),
            seconds,
            history: history.to_vec(),
        });
        file.add_f32("params", &[params.len()], params);
        let bytes = file.finish()?;
        atomic_write(&self.file(key), |w| w.write_all(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_found_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = RunStore::at(folder.path().join("store"));
        let (key, other) = (PretrainingKey::new("a"), PretrainingKey::new("b"));
        assert_eq!(store.find(key, 3), None);
        store.keep(key, &[1.0, -2.5, 0.1], &[], 7.5).expect("kept");
        let found = store.find(key, 3).expect("found");
        assert_eq!((found.params, found.seconds), (vec![1.0, -2.5, 0.1], 7.5));
        assert_eq!(store.find(key, 4), None);
        assert_eq!(store.find(other, 3), None);
        // A file under another's name is not taken for it.
        std::fs::copy(store.file(key), store.file(other)).expect("copied");
        assert_eq!(store.find(other, 3), None);
        let mut bytes = std::fs::read(store.file(key)).expect("read");
        *bytes.last_mut().expect("bytes") ^= 1;
        std::fs::write(store.file(key), bytes).expect("written");
        assert_eq!(store.find(key, 3), None);
    }
}

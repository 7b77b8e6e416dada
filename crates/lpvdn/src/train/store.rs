//! A folder in which runs share what is the same for several of them: pre-trainings, whole trainings, and
//! the candidates of a search.
//!
//! A pre-training depends on the data, on the shape of encoder and decoder, on a few settings and on
//! the seed, but not on the number of clusters or the terms of the joint loss. So ablations and other
//! settings of the joint training can share it, and a fit that finds its pre-training here ends in the same model.
//! A training depends on everything but how its codes are clustered.

use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};

use lpvdn_core::Level;
use lpvdn_core::file::atomic_replace;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::events::EpochReport;
use crate::tensors::{Coverage, TensorFile, TensorWriter, read_file};

/// The version of the files.
const VERSION: u32 = 2;

/// Raised with every change that alters the bits of a training run: what an older program began,
/// this one cannot end in the same model. A golden test notices.
pub const NUMERICS: u32 = 3;

/// Raised with every change of how codes become clusters. Trainings, which end before that, can still be used.
pub const CLUSTERING: u32 = 4;

/// The program's part in a training: its arithmetic and the instruction-set level.
pub(crate) fn numerics() -> String {
    format!("{} {NUMERICS} {}", env!("CARGO_PKG_VERSION"), Level::current().name())
}

/// The folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStore {
    folder: PathBuf,
}

/// What decides an item of the store, as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoreKey(u64);

impl StoreKey {
    /// From a description of everything that the item depends on beside the program itself.
    pub(crate) fn new(description: &str) -> StoreKey {
        let mut hash = Xxh3::new();
        for part in [description, &numerics()] {
            hash.write(part.as_bytes());
            hash.write_u8(0);
        }
        StoreKey(hash.digest())
    }
}

/// What is worth keeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The parameters of encoder and decoder after pre-training, with [`Made`].
    Pretraining,
    /// All parameters after the last phase, with [`Made`]: another clustering of the codes starts here.
    Training,
    /// A candidate of a search.
    Candidate,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Pretraining => "pretraining",
            Kind::Training => "training",
            Kind::Candidate => "candidate",
        }
    }
}

/// How parameters came about.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Made {
    pub(crate) seconds: f64,
    pub(crate) history: Vec<EpochReport>,
}

#[derive(Serialize, Deserialize)]
struct Header<T> {
    version: u32,
    key: String,
    #[serde(flatten)]
    item: T,
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

    fn file(&self, kind: Kind, key: StoreKey) -> PathBuf {
        self.folder.join(format!("{}-{:016x}.safetensors", kind.name(), key.0))
    }

    /// The item of this key, with its `size` numbers. A file that is missing, damaged or of another size
    /// holds no item: it will be made again.
    pub(crate) fn find<T: DeserializeOwned>(
        &self,
        kind: Kind,
        key: StoreKey,
        size: usize,
    ) -> Option<(T, Vec<f32>)> {
        let bytes = read_file(&self.file(kind, key)).ok()?;
        let file = TensorFile::parse(&bytes).ok()?;
        file.verify(Coverage::File).ok()?;
        let header: Header<T> = file.header().ok()?;
        if header.version != VERSION || header.key != format!("{:016x}", key.0) {
            return None;
        }
        let numbers = file.f32("params", &[size]).ok()?;
        Some((header.item, numbers))
    }

    /// Keeps an item.
    pub(crate) fn keep<T: Serialize>(
        &self,
        kind: Kind,
        key: StoreKey,
        item: T,
        numbers: &[f32],
    ) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let path = self.file(kind, key);
        let mut file = TensorWriter::new(Header { version: VERSION, key: format!("{:016x}", key.0), item });
        file.add_f32("params", &[numbers.len()], numbers);
        let bytes = file.finish()?;
        atomic_replace(&path, |w| w.write_all(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_found_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = RunStore::at(folder.path().join("store"));
        let (key, other) = (StoreKey::new("a"), StoreKey::new("b"));
        let find = |key, size| {
            store.find::<Made>(Kind::Training, key, size).map(|(item, numbers)| (item.seconds, numbers))
        };
        assert_eq!(find(key, 3), None);
        let item = Made { seconds: 7.5, history: Vec::new() };
        store.keep(Kind::Training, key, item, &[1.0, -2.5, 0.1]).expect("kept");
        assert_eq!(find(key, 3), Some((7.5, vec![1.0, -2.5, 0.1])));
        assert_eq!(find(key, 4), None);
        assert_eq!(find(other, 3), None);
        // A file under another's name is not taken for it.
        let file = |key| store.file(Kind::Training, key);
        std::fs::copy(file(key), file(other)).expect("copied");
        assert_eq!(find(other, 3), None);
        let good = std::fs::read(file(key)).expect("read");
        for at in 0..good.len() {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            std::fs::write(file(key), bytes).expect("written");
            assert_eq!(find(key, 3), None, "byte {at}");
        }
    }
}

//! The files of RCV1 in a folder.

use std::path::{Path, PathBuf};

use crate::budget::Budget;
use crate::{DataError, OpenOptions, format};

/// Which files hold the documents.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    Tokens,
    Vectors,
}

impl Content {
    fn beginning(self) -> &'static str {
        match self {
            Content::Tokens => "lyrl2004_tokens_",
            Content::Vectors => "lyrl2004_vectors_",
        }
    }
}

/// As Lewis et al. and as scikit-learn call it.
const TOPICS: [&str; 2] = ["rcv1-v2.topics.qrels", "rcv1v2.topics.qrels"];

/// What is needed.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) folder: PathBuf,
    pub(super) topics: PathBuf,
    /// The training part first, then the parts for testing.
    pub(super) documents: Vec<PathBuf>,
    /// What reading them may take.
    pub(super) budget: Budget,
}

/// Whether the folder holds documents of RCV1.
pub(crate) fn has_files(folder: &Path) -> bool {
    has_tokens(folder) || !documents(folder, Content::Vectors).unwrap_or_default().is_empty()
}

pub(super) fn has_tokens(folder: &Path) -> bool {
    !documents(folder, Content::Tokens).unwrap_or_default().is_empty()
}

impl Files {
    pub(super) fn find(folder: &Path, content: Content, options: &OpenOptions) -> Result<Files, DataError> {
        let fault = |problem: String| DataError::Folder { path: folder.to_owned(), problem };
        let documents = documents(folder, content)?;
        if documents.is_empty() {
            return Err(fault(format!("there is no {}*.dat or .dat.gz in it", content.beginning())));
        }
        let topics = TOPICS.iter().flat_map(|name| ["", ".gz", ".zst"].map(|end| format!("{name}{end}")));
        let topics = topics.map(|name| folder.join(name)).find(|path| path.is_file()).ok_or_else(|| {
            fault(format!(
                "the topics of the documents are missing: {0} or {0}.gz; lpvdn data fetch reuters gets it",
                TOPICS[0]
            ))
        })?;
        Ok(Files { folder: folder.to_owned(), topics, documents, budget: options.budget.clone() })
    }
}

pub(super) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The files of documents in their order; of a file and its compressed twin only the first.
fn documents(folder: &Path, content: Content) -> Result<Vec<PathBuf>, DataError> {
    let failed = |cause| DataError::Read { path: folder.to_owned(), cause };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = name_of(&path);
        let plain = format::unpacked(&name);
        if plain.starts_with(content.beginning()) && plain.ends_with(".dat") && path.is_file() {
            found.push((!plain.contains("_train"), plain.to_owned(), name.len(), path));
        }
    }
    found.sort();
    found.dedup_by(|b, a| a.1 == b.1);
    Ok(found.into_iter().map(|(_, _, _, path)| path).collect())
}

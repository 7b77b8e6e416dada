//! A folder of IDX files, as MNIST and its kin are distributed.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use super::{joined, read_labels, read_values, recognises};
use crate::budget::Budget;
use crate::input::Input;
use crate::table::{Table, Values};
use crate::{DataError, OpenOptions, images};

/// Which part of a data set a file holds, in the order in which the parts are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Train,
    Test,
    /// The only one.
    Whole,
}

/// The files of one part.
struct Pair {
    part: Part,
    images: PathBuf,
    labels: Option<PathBuf>,
}

/// Reads the training rows, then the test rows, with their labels if there are any.
pub(crate) fn read_folder(folder: &Path, options: &OpenOptions) -> Result<Table, DataError> {
    let pairs = pairs(folder)?;
    let mut rows: Option<Values> = None;
    let mut labels = Vec::new();
    let mut pictures = Vec::new();
    let mut joining = options.budget.account(folder);
    for pair in &pairs {
        let (values, picture) = read_values(Input::open(&pair.images, &options.budget)?)?;
        pictures.push(picture);
        if let Some(path) = &pair.labels {
            let found = read_labels(Input::open(path, &options.budget)?)?;
            check(folder, values.rows() == found.codes.len(), || {
                let (labels, images) = (file_name(path), file_name(&pair.images));
                format!("{labels} has {} labels, but {images} has {} rows", found.codes.len(), values.rows())
            })?;
            labels.push(found);
        }
        rows = Some(match rows {
            None => values,
            Some(before) => {
                check(folder, before.cols() == values.cols(), || {
                    let (first, this) = (file_name(&pairs[0].images), file_name(&pair.images));
                    format!(
                        "{first} has rows of {} values, {this} of {}; give one file, or a folder for each",
                        before.cols(),
                        values.cols()
                    )
                })?;
                joining
                    .set(before.bytes() + values.bytes(), "the rows of several files, one after the other")?;
                before.followed_by(values)
            }
        });
    }
    let values = rows.ok_or_else(|| no_files(folder))?;
    let labels = (!labels.is_empty()).then(|| joined(&labels));
    // Of as many values, but another shape, there is none for all.
    let picture = pictures[0].filter(|first| pictures.iter().all(|other| *other == Some(*first)));
    Ok(Table { labels, picture, ..values.into() })
}

/// Whether there is an IDX file in the folder.
pub(crate) fn has_files(folder: &Path) -> bool {
    list(folder).is_ok_and(|all| all.iter().any(|path| is_idx(path)))
}

/// Whether a file is called as IDX files are (`train-images-idx3-ubyte`, `train-images.idx3-ubyte`), or hints at
/// it in its name and begins so.
fn is_idx(path: &Path) -> bool {
    let name = plain_name(path);
    let named = name.match_indices("idx").any(|(at, idx)| {
        let (before, after) = (&name[..at], &name[at + idx.len()..]);
        before.ends_with(['-', '.', '_']) && after.starts_with(|c: char| c.is_ascii_digit())
    });
    let begins_so = || Input::open(path, &Budget::default()).is_ok_and(|input| recognises(input.sample()));
    !images::is_called_so(Path::new(&name)) && (named || name.contains("idx") && begins_so())
}

/// The parts in their order, each with its labels.
fn pairs(folder: &Path) -> Result<Vec<Pair>, DataError> {
    let all = list(folder)?;
    let (mut labels, images): (Vec<PathBuf>, Vec<PathBuf>) =
        all.iter().filter(|path| is_idx(path)).cloned().partition(|p| plain_name(p).contains("label"));
    if images.is_empty() {
        return Err(no_files(folder));
    }
    let mut pairs: Vec<Pair> = Vec::new();
    for images in images {
        let mate = labels.iter().position(|l| stem(l) == stem(&images)).map(|at| labels.remove(at));
        pairs.push(Pair { part: part(&images), images, labels: mate });
    }
    pairs.sort_by_key(|p| p.part);
    check_parts(folder, &pairs)?;
    check(folder, labels.is_empty(), || {
        let names: Vec<String> = labels.iter().map(|l| file_name(l)).collect();
        format!("there is no images file for {}", names.join(", "))
    })?;
    let unlabelled = pairs.iter().find(|p| p.labels.is_none());
    if let Some(missing) = unlabelled.filter(|_| pairs.iter().any(|p| p.labels.is_some())) {
        let name = file_name(&missing.images);
        return Err(fault(folder, format!("{name} has no labels file, though the others have")));
    }
    Ok(pairs)
}

/// One file for training and one for testing, or one file: anything else is several data sets.
fn check_parts(folder: &Path, pairs: &[Pair]) -> Result<(), DataError> {
    let doubled = pairs.windows(2).any(|two| two[0].part == two[1].part);
    let mixed = pairs.len() > 1 && pairs.iter().any(|p| p.part == Part::Whole);
    check(folder, !doubled && !mixed, || {
        let names: Vec<String> = pairs.iter().map(|p| file_name(&p.images)).collect();
        format!(
            "it holds more than one data set: {}; a folder may have one images file for training (train) and one \
             for testing (t10k or test), or a single one: give the file, or a folder for each set",
            names.join(", ")
        )
    })
}

/// The files of a folder in a fixed order; of a file and its compressed twin only the first.
fn list(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let failed = |cause| DataError::Read { path: folder.to_owned(), cause };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if path.is_file() && !hidden {
            files.push(path);
        }
    }
    files.sort_by_key(|p| (plain_name(p), Reverse(plain_name(p).len() == file_name(p).len())));
    files.dedup_by_key(|p| plain_name(p));
    Ok(files)
}

fn part(images: &Path) -> Part {
    let name = plain_name(images);
    match () {
        () if name.contains("train") => Part::Train,
        () if name.contains("t10k") || name.contains("test") => Part::Test,
        () => Part::Whole,
    }
}

/// What an images file and its labels file have in common: `train-images-idx3-ubyte` → `train`.
fn stem(path: &Path) -> String {
    let name = plain_name(path);
    let start = name.split("idx").next().unwrap_or_default();
    let words = start.split(['-', '.', '_']).filter(|word| !word.is_empty());
    let own = words.filter(|word| !matches!(*word, "images" | "image" | "labels" | "label" | "data"));
    own.collect::<Vec<_>>().join("-")
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The name in lower case without `.gz`.
fn plain_name(path: &Path) -> String {
    let name = file_name(path).to_lowercase();
    name.strip_suffix(".gz").unwrap_or(&name).to_owned()
}

fn no_files(folder: &Path) -> DataError {
    let problem = "there are no IDX files of rows in this folder (such as train-images-idx3-ubyte or \
                   train-images-idx3-ubyte.gz), and no pictures or texts in it or in the folders in it; to read \
                   another file, give its own path";
    fault(folder, problem.to_owned())
}

fn check(folder: &Path, holds: bool, problem: impl FnOnce() -> String) -> Result<(), DataError> {
    if holds { Ok(()) } else { Err(fault(folder, problem())) }
}

fn fault(folder: &Path, problem: String) -> DataError {
    DataError::Folder { path: folder.to_owned(), problem }
}

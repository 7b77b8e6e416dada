//! The sets, where their files are, and what both sides must know of their columns.

use std::path::{Path, PathBuf};

use crate::process::text;

/// What the rows of a set are, which decides how the rivals encode them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Table,
    Pixels,
    Vectors,
    /// Texts that came as tf-idf.
    TfIdf,
    Texts,
}

impl Kind {
    /// As `rivals.py` calls it.
    fn name(self) -> &'static str {
        match self {
            Kind::Table => "table",
            Kind::Pixels => "pixels",
            Kind::Vectors => "vectors",
            Kind::TfIdf => "tfidf",
            Kind::Texts => "texts",
        }
    }
}

/// Where the file of a set is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Written by `make_sets.py`.
    Made(&'static str),
    /// In the folder that `--data` names.
    Folder(&'static str),
    /// In this repository, and built into the program under a name.
    BuiltIn { file: &'static str, name: &'static str },
}

/// One set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Set {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) clusters: usize,
    place: Place,
    label: &'static str,
    /// The column of what the rows are called.
    id: Option<&'static str>,
    /// Columns of money, whose logarithm a careful user takes.
    money: &'static [&'static str],
    classes: &'static [&'static str],
    /// Whether values are missing.
    gaps: bool,
    /// Whether the set counts for the means. Those that are left out repeat others, or are generated to be easy.
    pub(super) counts: bool,
}

impl Set {
    const fn new(name: &'static str, kind: Kind, clusters: usize, place: Place) -> Set {
        Set {
            name,
            kind,
            clusters,
            place,
            label: "label",
            id: None,
            money: &[],
            classes: &[],
            gaps: false,
            counts: true,
        }
    }

    const fn suite(name: &'static str, kind: Kind, clusters: usize, file: &'static str) -> Set {
        Set::new(name, kind, clusters, Place::Folder(file))
    }

    const fn made(name: &'static str, kind: Kind, clusters: usize, file: &'static str) -> Set {
        Set { counts: false, ..Set::new(name, kind, clusters, Place::Made(file)) }
    }

    /// Whether the rows are texts: a rival is for them alone.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::TfIdf | Kind::Texts)
    }

    /// The file, if it is there. Nothing is known of `folder` where no data are given.
    pub(super) fn path(&self, made: &Path, folder: Option<&Path>) -> Option<PathBuf> {
        let path = match self.place {
            Place::Made(file) => made.join(file),
            Place::Folder(file) => folder?.join(file),
            Place::BuiltIn { file, .. } => file.into(),
        };
        path.exists().then_some(path)
    }

    /// What `rivals.py` must know.
    pub(super) fn rival_flags(&self) -> Vec<String> {
        let mut flags = vec![
            format!("--kind={}", self.kind.name()),
            format!("--clusters={}", self.clusters),
            format!("--label={}", self.label),
        ];
        flags.extend(self.id.map(|id| format!("--ignored={id}")));
        let lists = [("money", self.money), ("classes", self.classes)];
        let given = lists.iter().filter(|(_, values)| !values.is_empty());
        flags.extend(given.map(|(name, values)| format!("--{name}={}", values.join(","))));
        flags
    }

    /// What `lpvdn fit` must be given: the data, and what it cannot know of them.
    pub(super) fn fit_arguments(&self, path: &Path) -> Vec<String> {
        if let Place::BuiltIn { name, .. } = self.place {
            return vec![name.to_owned()];
        }
        let mut arguments = vec![text(path)];
        // A file in svmlight's format and a folder of IDX files have a place for the classes.
        if self.kind != Kind::TfIdf && !path.is_dir() {
            arguments.push(format!("--label-column={}", self.label));
        }
        arguments.extend(self.id.map(|id| format!("--id-column={id}")));
        if !self.classes.is_empty() {
            arguments.push(format!("--classes={}", self.classes.join(",")));
        }
        if self.gaps {
            arguments.push("--missing=mean".to_owned());
        }
        arguments
    }
}

/// All of them, in the order of the page.
pub(super) const SETS: &[Set] = &[
    Set::suite("wine", Kind::Table, 3, "suite/wine.csv.gz"),
    Set::suite("wdbc", Kind::Table, 2, "suite/wdbc.csv.gz"),
    Set::suite("vowel", Kind::Table, 11, "suite/vowel.csv.gz"),
    Set::suite("segment", Kind::Table, 7, "suite/segment.csv.gz"),
    Set::suite("satimage", Kind::Table, 6, "suite/satimage.csv.gz"),
    Set::suite("housevotes", Kind::Table, 2, "suite/housevotes.csv.gz"),
    Set::suite("mushroom", Kind::Table, 2, "suite/mushroom.csv.gz"),
    Set {
        label: "segment",
        id: Some("customer_id"),
        money: &["income", "yearly_spend"],
        gaps: true,
        ..Set::suite("customers", Kind::Table, 5, "suite/customers.csv.gz")
    },
    Set::suite("isolet", Kind::Table, 26, "suite/isolet.csv.gz"),
    Set::suite("umist", Kind::Pixels, 20, "suite/umist.csv.gz"),
    Set::suite("classic3", Kind::TfIdf, 3, "suite/classic3.svm.gz"),
    Set::suite("webace", Kind::TfIdf, 20, "suite/webace.svm.gz"),
    Set::suite("cstr", Kind::TfIdf, 4, "suite/cstr.svm.gz"),
    Set {
        classes: &["earn", "acq", "crude", "trade"],
        ..Set::suite("reuters-21578", Kind::Texts, 4, "reuters-21578/single-topic.jsonl.gz")
    },
    Set {
        label: "-1",
        ..Set::new(
            "optdigits",
            Kind::Pixels,
            10,
            Place::BuiltIn { file: "crates/lpvdn-data/data/optdigits.csv.gz", name: "digits" },
        )
    },
    Set::suite("mnist", Kind::Pixels, 10, "mnist"),
    Set::suite("fashion-mnist", Kind::Pixels, 10, "fashion-mnist"),
    Set { counts: true, ..Set::made("blobs", Kind::Table, 6, "blobs.csv.gz") },
    Set::made("iris", Kind::Table, 3, "iris.csv.gz"),
    Set::made("sklearn-wine", Kind::Table, 3, "sklearn-wine.csv.gz"),
    Set::made("sklearn-cancer", Kind::Table, 2, "sklearn-cancer.csv.gz"),
    Set::made("topics", Kind::Vectors, 15, "topics.csv.gz"),
    Set::made("outliers", Kind::Table, 5, "outliers.csv.gz"),
];

/// What the smoke form runs on: two classes that are far apart.
pub(super) const SMOKE: Set = Set { counts: true, ..Set::made("smoke", Kind::Table, 2, "smoke.csv") };

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str) -> &'static Set {
        SETS.iter().find(|set| set.name == name).expect("a known set")
    }

    #[test]
    fn eighteen_sets_count_for_the_means_and_no_name_is_there_twice() {
        assert_eq!(SETS.iter().filter(|set| set.counts).count(), 18);
        for one in SETS {
            assert_eq!(SETS.iter().filter(|other| other.name == one.name).count(), 1, "{}", one.name);
        }
    }

    #[test]
    fn a_set_of_the_folder_is_missing_where_no_folder_is_given() {
        let nowhere = Path::new("no/such/folder");
        assert_eq!(set("wine").path(nowhere, None), None);
        assert_eq!(set("iris").path(nowhere, Some(nowhere)), None);
    }

    #[test]
    fn both_sides_are_told_the_same_of_the_customers() {
        let file = Path::new("customers.csv.gz");
        let ours = set("customers").fit_arguments(file);
        let expected =
            ["customers.csv.gz", "--label-column=segment", "--id-column=customer_id", "--missing=mean"];
        assert_eq!(ours, expected);
        let theirs = set("customers").rival_flags();
        for flag in ["--label=segment", "--ignored=customer_id", "--money=income,yearly_spend"] {
            assert!(theirs.iter().any(|given| given == flag), "{flag}: {theirs:?}");
        }
    }

    #[test]
    fn the_built_in_digits_are_fitted_by_their_name() {
        assert_eq!(set("optdigits").fit_arguments(Path::new("any.csv.gz")), ["digits"]);
    }

    #[test]
    fn a_matrix_of_words_has_no_column_of_classes() {
        assert_eq!(set("cstr").fit_arguments(Path::new("cstr.svm.gz")), ["cstr.svm.gz"]);
    }
}

//! Folders of files that are a row each: what is left out is told.
#![allow(missing_docs)]

mod common;

use std::path::Path;

use common::{Folder, says};
use lpvdn_data::{OpenOptions, Opened, open, read};

/// Two classes of two texts each.
fn texts() -> Folder {
    let folder = Folder::new();
    for class in ["one", "two"] {
        std::fs::create_dir(folder.path().join(class)).expect("a folder");
        folder.file(&format!("{class}/a.txt"), "common words here");
        folder.file(&format!("{class}/b.txt"), "common words there");
    }
    folder
}

fn opened(path: &Path) -> Opened {
    read(path, &OpenOptions::default()).expect("texts")
}

fn refusal(path: &Path) -> String {
    open(path, &OpenOptions::default()).expect_err("must be refused").to_string()
}

#[test]
fn files_of_another_kind_and_deeper_folders_are_counted() {
    let folder = texts();
    assert!(opened(folder.path()).notes.is_empty());
    folder.file(".hidden", "the system's");
    folder.file("one/c.md", "another kind");
    assert_eq!(opened(folder.path()).notes.len(), 1);
    folder.file("two/d.pdf", "another kind");
    std::fs::create_dir_all(folder.path().join("two/deep")).expect("a folder");
    folder.file("two/deep/e.txt", "too deep");
    let Opened { data, notes, .. } = opened(folder.path());
    assert_eq!((data.rows(), data.labels.expect("classes").names.len()), (4, 2));
    let id = |path: &str| path.replace('/', std::path::MAIN_SEPARATOR_STR);
    assert_eq!(notes.len(), 2, "{notes:?}");
    says(&notes[0].text, &["2 files of another kind are left out", &id("one/c.md")]);
    says(&notes[1].text, &["1 folder inside a sub-folder is left out", &id("two/deep")]);
}

#[test]
fn files_beside_the_folders_of_classes_are_told_because_there_are_no_classes_then() {
    let folder = texts();
    folder.file("z.txt", "common words beside");
    let Opened { data, notes, .. } = opened(folder.path());
    assert_eq!((data.rows(), data.labels), (5, None));
    says(&notes[0].text, &["1 of 5 files", "not taken for classes"]);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_back_is_not_followed_and_one_that_leads_nowhere_is_refused() {
    use std::os::unix::fs::symlink;
    let above = Folder::new();
    above.file("picture.png", "nothing that is asked for");
    let folder = above.path().join("texts");
    std::fs::rename(texts().path(), &folder).expect("moved");
    symlink(".", folder.join("loop")).expect("a link");
    symlink(folder.join(".."), folder.join("up")).expect("a link");
    symlink("one", folder.join("three")).expect("a link");
    let Opened { data, notes, .. } = opened(&folder);
    assert_eq!((data.rows(), data.labels.expect("classes").names.join(" ")), (6, "one three two".into()));
    says(&notes[0].text, &["2 links that lead back", "loop"]);
    symlink("nowhere.txt", folder.join("two/c.txt")).expect("a link");
    says(&refusal(&folder), &["two/c.txt", "leads to nothing"]);
}

#[cfg(unix)]
#[allow(clippy::print_stderr)]
#[test]
fn a_folder_that_may_not_be_read_is_that_error() {
    use std::fs::{Permissions, read_dir, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).expect("a folder");
    set_permissions(&closed, Permissions::from_mode(0o000)).expect("permissions");
    if read_dir(&closed).is_ok() {
        eprintln!("SKIPPED: who runs this may read everything");
        return;
    }
    says(&refusal(folder.path()), &["closed", "cannot be read", "denied"]);
    set_permissions(&closed, Permissions::from_mode(0o700)).expect("permissions");
}

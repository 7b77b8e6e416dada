use std::time::Duration;

use super::*;

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder").flatten();
    let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_failed_write_leaves_the_old_file_and_no_litter() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("data");
    atomic_write(&path, |w| w.write_all(b"old")).expect("written");
    let failed = atomic_write(&path, |w| {
        w.write_all(b"half of the new")?;
        Err(io::Error::other("the disk is full"))
    });
    assert!(failed.is_err());
    assert_eq!(fs::read(&path).expect("the file"), b"old");
    atomic_write(&path, |w| w.write_all(b"new")).expect("written");
    assert_eq!(fs::read(&path).expect("the file"), b"new");
    assert_eq!(names_in(folder.path()), ["data"]);
}

#[test]
fn what_a_killed_process_left_is_removed_and_what_is_being_written_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for name in [".lpvdn-4000000-0.tmp", ".lpvdn-mine.tmp", ".lpvdn-1-2", "notes.tmp"] {
        fs::write(at(name), "half").expect("written");
    }
    fs::create_dir(at(".lpvdn-1-3.tmp")).expect("a folder of such a name");
    let writing = File::create(at(".lpvdn-1-4.tmp")).expect("a file");
    writing.lock().expect("locked");
    atomic_write(&at("data"), |w| {
        // Its own is there while it writes.
        remove_abandoned(folder.path());
        w.write_all(b"new")
    })
    .expect("written");
    let left = [".lpvdn-1-2", ".lpvdn-1-3.tmp", ".lpvdn-1-4.tmp", ".lpvdn-mine.tmp", "data", "notes.tmp"];
    assert_eq!(names_in(folder.path()), left);
    drop(writing);
    // A process that another test starts at this moment has the lock, too, until it runs its own program.
    let removed = || {
        remove_abandoned(folder.path());
        !at(".lpvdn-1-4.tmp").exists()
    };
    assert!((0..500).any(|_| removed() || {
        std::thread::sleep(Duration::from_millis(10));
        false
    }));
}

#[cfg(unix)]
#[test]
fn a_link_that_the_user_names_is_followed_and_one_at_a_chosen_name_is_replaced() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("victim"), "precious").expect("written");
    symlink("victim", at("planted")).expect("a link");
    atomic_replace(&at("planted"), |w| w.write_all(b"results")).expect("written");
    assert_eq!(fs::read(at("victim")).expect("the file"), b"precious");
    assert_eq!(fs::read(at("planted")).expect("the file"), b"results");
    assert!(!at("planted").is_symlink());
    // Through a link to a link, whether the file at the end is there or not.
    symlink("second", at("first")).expect("a link");
    symlink("end", at("second")).expect("a link");
    for text in ["one", "two"] {
        atomic_write(&at("first"), |w| w.write_all(text.as_bytes())).expect("written");
        assert!(at("first").is_symlink() && at("second").is_symlink());
        assert_eq!(fs::read_to_string(at("end")).expect("the file"), text);
    }
    symlink("round", at("round")).expect("a link");
    atomic_write(&at("round"), |w| w.write_all(b"nowhere")).expect_err("a link to itself");
    // Nor is a pipe at a chosen name written to, which would wait for a reader.
    let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    atomic_replace(&at("pipe"), |w| w.write_all(b"a file")).expect("written");
    assert!(at("pipe").is_file());
}

#[cfg(unix)]
#[test]
fn a_file_that_replaces_a_private_one_is_private_from_the_start() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    for private in [0o600, 0o640, 0o400, 0o444] {
        let path = folder.path().join(format!("{private:o}"));
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(private)).expect("set");
        atomic_write(&path, |w| {
            let entries = fs::read_dir(folder.path())?.flatten();
            let temporary =
                entries.map(|e| e.path()).find(|p| is_temporary(p.file_name().unwrap_or_default()));
            let while_written = mode(&temporary.expect("a temporary file"));
            assert_eq!(while_written & !private, 0, "{while_written:o} is wider than {private:o}");
            assert_eq!(while_written & 0o077, 0, "{while_written:o} is not for the owner alone");
            w.write_all(b"new")
        })
        .expect("written");
        assert_eq!((mode(&path), fs::read(&path).expect("the file").as_slice()), (private, &b"new"[..]));
    }
}

//! Fetching from servers that behave badly.
#![cfg(feature = "fetch")]

mod server;

use std::path::Path;
use std::time::{Duration, Instant};

use lpvdn_data::fetch::{FetchError, FetchEvent, FetchOptions, Origin, Wanted, fetch_file};
use lpvdn_data::known::{Check, Size};
use sha2::{Digest, Sha256};

use server::{Answer, Server};

/// Bytes of a file, different everywhere.
fn content() -> Vec<u8> {
    (0..200_000_u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()).collect()
}

/// How these bytes are known.
fn known(bytes: &[u8]) -> Check {
    let sha256: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
    Check::Served { bytes: Size::Exactly(bytes.len() as u64), sha256: sha256.leak() }
}

fn options() -> FetchOptions {
    let mut options = FetchOptions::default();
    options.connect = Duration::from_secs(5);
    options.stall = Duration::from_millis(400);
    options.pause = Duration::ZERO;
    options.patience = Duration::from_secs(20);
    options
}

struct Run {
    folder: tempfile::TempDir,
    result: Result<(), FetchError>,
    asked: Vec<u64>,
    failures: Vec<String>,
}

impl Run {
    fn of(check: Check, servers: &[&Server]) -> Run {
        Run::into(tempfile::tempdir().expect("a folder"), check, servers)
    }

    fn into(folder: tempfile::TempDir, check: Check, servers: &[&Server]) -> Run {
        let origins = servers.iter().map(|s| Origin::Url(s.url("file.bin"))).collect();
        let wanted = Wanted { name: "file.bin".into(), origins, check };
        let (mut asked, mut failures) = (Vec::new(), Vec::new());
        let result = fetch_file(&wanted, folder.path(), &options(), &mut |event| match event {
            FetchEvent::Asking { done, .. } => asked.push(*done),
            FetchEvent::Failed { problem } => failures.push((*problem).to_owned()),
            _ => {}
        });
        Run { folder, result, asked, failures }
    }

    fn names(&self) -> Vec<String> {
        names(self.folder.path())
    }

    /// The file is there, alone and as it should be.
    #[track_caller]
    fn succeeded(&self) -> &Run {
        if let Err(e) = &self.result {
            panic!("{e}");
        }
        assert_eq!(self.names(), ["file.bin"]);
        assert_eq!(std::fs::read(self.folder.path().join("file.bin")).expect("a file"), content());
        self
    }

    /// It failed with a sentence that has these words, and no file is there.
    #[track_caller]
    fn failed(&self, words: &[&str]) -> &Run {
        let message = self.result.as_ref().expect_err("must fail").to_string();
        for word in words {
            assert!(message.contains(word), "{message} does not say {word}");
        }
        assert!(!self.names().contains(&"file.bin".to_owned()));
        self
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_good_server_is_asked_once_and_what_is_there_is_not_fetched_again() {
    let server = Server::start(content(), vec![Answer::Good]);
    let run = Run::of(known(&content()), &[&server]);
    run.succeeded();
    assert_eq!((run.asked.clone(), server.requests()), (vec![0], 1));
    let again = Run::into(run.folder, known(&content()), &[&server]);
    again.succeeded();
    assert_eq!((again.asked.len(), server.requests()), (0, 1));
}

#[test]
fn a_file_that_has_been_damaged_is_fetched_again() {
    let server = Server::start(content(), vec![Answer::Good]);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("file.bin"), b"rubbish").expect("a file");
    Run::into(folder, known(&content()), &[&server]).succeeded();
}

#[test]
fn a_slow_server_is_waited_for_as_long_as_something_comes() {
    let server = Server::start(content(), vec![Answer::Dribble]);
    assert_eq!(Run::of(known(&content()), &[&server]).succeeded().asked, [0]);
}

#[test]
fn what_breaks_off_is_continued_where_it_stopped() {
    let server = Server::start(
        content(),
        vec![Answer::BreakAfter(300_000), Answer::BreakAfter(100_000), Answer::Good],
    );
    let run = Run::of(known(&content()), &[&server]);
    run.succeeded();
    assert_eq!(run.asked, [0, 300_000, 400_000]);
    assert_eq!(server.ranges(), [None, Some(300_000), Some(400_000)]);
    assert!(run.failures[0].contains("broken off"), "{:?}", run.failures);
}

#[test]
fn a_server_that_ignores_ranges_starts_anew() {
    let server = Server::start(content(), vec![Answer::BreakAfter(300_000), Answer::NoRanges]);
    assert_eq!(Run::of(known(&content()), &[&server]).succeeded().asked, [0, 300_000]);
}

#[test]
fn a_server_that_continues_at_another_place_is_not_believed() {
    let server =
        Server::start(content(), vec![Answer::BreakAfter(300_000), Answer::OtherRange, Answer::Good]);
    assert_eq!(Run::of(known(&content()), &[&server]).succeeded().asked, [0, 300_000, 0]);
    let server =
        Server::start(content(), vec![Answer::BreakAfter(300_000), Answer::NotSatisfiable, Answer::Good]);
    assert_eq!(Run::of(known(&content()), &[&server]).succeeded().asked, [0, 300_000, 0]);
}

#[test]
fn a_part_that_belongs_to_another_file_is_thrown_away_once() {
    let server = Server::start(content(), vec![Answer::BreakAfterOther(300_000), Answer::Good]);
    let run = Run::of(known(&content()), &[&server]);
    run.succeeded();
    assert_eq!(run.asked, [0, 300_000, 0]);
    assert!(run.failures[1].contains("wrong bytes"), "{:?}", run.failures);
}

#[test]
fn sizes_that_are_lies_are_not_written() {
    for (lie, words) in [
        (Answer::Announce(800_001), "announces 800001 bytes, but the file has 800000"),
        (Answer::Announce(799_999), "announces 799999"),
        (Answer::Announce(u64::MAX / 2), "announces"),
    ] {
        let server = Server::start(content(), vec![lie]);
        let run = Run::of(known(&content()), &[&server]);
        run.failed(&[words]);
        assert_eq!(run.names(), Vec::<String>::new());
    }
}

#[test]
fn a_server_without_a_size_is_cut_off_at_the_size_that_is_known() {
    let mut longer = content();
    longer.extend_from_slice(&[0; 100]);
    let server = Server::start(longer, vec![Answer::NoSize]);
    Run::of(known(&content()), &[&server]).failed(&["more than the 800000 bytes"]);
    let server = Server::start(content(), vec![Answer::NoSize]);
    Run::of(known(&content()), &[&server]).succeeded();
}

#[test]
fn without_a_known_size_a_short_answer_is_continued_and_the_hash_decides() {
    let Check::Served { sha256, .. } = known(&content()) else { unreachable!() };
    let check = Check::Served { bytes: Size::AtMost(2_000_000), sha256 };
    // It announces more than there is: every try breaks off at the end.
    let server = Server::start(content(), vec![Answer::Announce(900_000)]);
    Run::of(check, &[&server]).failed(&["broken off after 800000"]);
    // It announces less: what came is not the file.
    let server = Server::start(content(), vec![Answer::Announce(700_000)]);
    let run = Run::of(check, &[&server]);
    run.failed(&["wrong bytes", "expected is SHA-256", sha256]);
    assert_eq!(run.names(), Vec::<String>::new());
}

#[test]
fn wrong_bytes_are_not_kept_and_the_next_home_is_asked() {
    let mut other = content();
    other[5] ^= 1;
    let bad = Server::start(other, vec![Answer::Good]);
    let good = Server::start(content(), vec![Answer::Good]);
    let run = Run::of(known(&content()), &[&bad, &good]);
    run.succeeded();
    assert!(run.failures[0].contains("wrong bytes"), "{:?}", run.failures);
    let run = Run::of(known(&content()), &[&bad, &bad]);
    let Check::Served { sha256, .. } = known(&content()) else { unreachable!() };
    run.failed(&["expected", sha256, "found"]);
    assert_eq!(run.names(), Vec::<String>::new());
}

#[test]
fn refusals_lead_to_the_next_home() {
    let good = Server::start(content(), vec![Answer::Good]);
    for (answer, times, words) in [
        (Answer::Status(404), 1, "404"),
        (Answer::Status(403), 1, "403"),
        (Answer::Status(500), 3, "500"),
        (Answer::RedirectLoop, 6, "redirect"),
        (Answer::Hang, 3, "timeout"),
        (Answer::HangUp, 3, ""),
        (Answer::Rubbish, 1, ""),
    ] {
        let bad = Server::start(content(), vec![answer.clone()]);
        let run = Run::of(known(&content()), &[&bad, &good]);
        run.succeeded();
        assert!(bad.requests() >= times, "{answer:?}: {}", bad.requests());
        assert!(run.failures.iter().any(|f| f.contains(words)), "{answer:?}: {:?}", run.failures);
        Run::of(known(&content()), &[&bad]).failed(&["file.bin could not be fetched", words]);
    }
}

#[test]
fn a_server_that_falls_silent_is_left_and_continued_elsewhere() {
    let silent = Server::start(content(), vec![Answer::HangAfter(200_000)]);
    let good = Server::start(content(), vec![Answer::Good]);
    let run = Run::of(known(&content()), &[&silent, &good]);
    run.succeeded();
    assert_eq!(run.asked[..2], [0, 200_000]);
}

#[test]
fn a_redirect_is_followed() {
    let good = Server::start(content(), vec![Answer::Good]);
    let pointing = Server::start(content(), vec![Answer::RedirectTo(good.url("file.bin"))]);
    Run::of(known(&content()), &[&pointing]).succeeded();
}

#[test]
fn an_interrupted_fetch_is_continued_by_the_next_call() {
    let server = Server::start(
        content(),
        vec![Answer::BreakAfter(100_000), Answer::HangUp, Answer::HangUp, Answer::HangUp, Answer::Good],
    );
    let run = Run::of(known(&content()), &[&server]);
    run.failed(&[]);
    let names = run.names();
    assert!(
        names.len() == 1 && names[0].starts_with("file.bin.") && names[0].ends_with(".part"),
        "{names:?}"
    );
    let again = Run::into(run.folder, known(&content()), &[&server]);
    assert_eq!(again.succeeded().asked, [100_000]);
}

#[cfg(unix)]
#[test]
fn a_planted_link_in_the_cache_is_not_written_through() {
    use std::os::unix::fs::symlink;
    let silent = || {
        Server::start(content(), vec![Answer::BreakAfter(9), Answer::HangUp, Answer::HangUp, Answer::HangUp])
    };
    let server = silent();
    let run = Run::of(known(&content()), &[&server]);
    run.failed(&[]);
    let part = run.folder.path().join(&run.names()[0]);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let victim = elsewhere.path().join("victim");
    for (text, there) in [("precious", true), ("", false)] {
        std::fs::remove_file(&part).expect("removed");
        if there {
            std::fs::write(&victim, text).expect("written");
        } else {
            std::fs::remove_file(&victim).expect("removed");
        }
        symlink(&victim, &part).expect("a link");
        let wanted = Wanted {
            name: "file.bin".into(),
            origins: vec![Origin::Url(server.url("file.bin"))],
            check: known(&content()),
        };
        fetch_file(&wanted, run.folder.path(), &options(), &mut |_| {}).expect_err("a server that hangs up");
        assert_eq!(std::fs::read_to_string(&victim).ok().as_deref(), there.then_some(text));
        std::fs::write(&part, "").expect("written");
    }
    // Nor is the folder of a set, which is complete or not written.
    let (cache, empty) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let set = lpvdn_data::known::find("mnist").expect("a known set");
    symlink(elsewhere.path(), cache.path().join(set.folder)).expect("a link");
    let mut options = options();
    options.only = Some(lpvdn_data::known::Source::Folder(empty.path().to_owned()));
    let error = lpvdn_data::fetch::fetch(set, cache.path(), &options, &mut |_| {}).expect_err("a link");
    assert!(error.to_string().contains("symbolic link"), "{error}");
    assert_eq!(names(elsewhere.path()), Vec::<String>::new());
}

#[test]
fn two_at_a_time_do_not_mix_their_bytes() {
    let server = Server::start(content(), vec![Answer::Dribble]);
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = Wanted {
        name: "file.bin".into(),
        origins: vec![Origin::Url(server.url("file.bin"))],
        check: known(&content()),
    };
    let mut second = None;
    let first = fetch_file(&wanted, folder.path(), &options(), &mut |event| {
        if matches!(event, FetchEvent::Progress { done: 1.., .. }) && second.is_none() {
            second = Some(fetch_file(&wanted, folder.path(), &options(), &mut |_| {}));
        }
    });
    assert!(first.is_ok());
    assert!(matches!(second, Some(Err(FetchError::Busy { .. }))), "{second:?}");
}

#[test]
fn a_server_that_drips_is_left_when_the_time_is_over() {
    for answer in [Answer::Drip, Answer::DripHead] {
        let server = Server::start(content(), vec![answer.clone()]);
        let folder = tempfile::tempdir().expect("a folder");
        let origins = vec![Origin::Url(server.url("file.bin"))];
        let wanted = Wanted { name: "file.bin".into(), origins, check: known(&content()) };
        let mut options = options();
        options.patience = Duration::from_secs(1);
        options.slowest = u64::MAX;
        let start = Instant::now();
        let error = fetch_file(&wanted, folder.path(), &options, &mut |_| {}).expect_err("too slow");
        assert!(start.elapsed() < Duration::from_secs(5), "{answer:?}: {:?}", start.elapsed());
        let message = error.to_string();
        assert!(message.contains("have come within 1s") || message.contains("timeout"), "{message}");
        assert!(!folder.path().join("file.bin").exists());
    }
}

#[test]
fn the_time_for_a_file_follows_from_its_size() {
    // 800,000 bytes at 400,000 a second: two seconds.
    let server = Server::start(content(), vec![Answer::Drip]);
    let good = Server::start(content(), vec![Answer::Good]);
    let folder = tempfile::tempdir().expect("a folder");
    let origins = [&server, &good].map(|s| Origin::Url(s.url("file.bin"))).to_vec();
    let wanted = Wanted { name: "file.bin".into(), origins, check: known(&content()) };
    let mut options = options();
    (options.patience, options.slowest) = (Duration::ZERO, 400_000);
    let start = Instant::now();
    fetch_file(&wanted, folder.path(), &options, &mut |_| {}).expect("the other home has it");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn a_redirect_to_anything_but_http_is_refused() {
    let secret = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(secret.path(), content()).expect("written");
    let file = format!("file://{}", secret.path().display());
    for place in
        [file.as_str(), "file:///etc/passwd", "file://localhost/etc/passwd", "ftp://127.0.0.1/a", "data:,a"]
    {
        let pointing = Server::start(content(), vec![Answer::RedirectTo(place.to_owned())]);
        let run = Run::of(known(&content()), &[&pointing]);
        run.failed(&["could not be fetched"]);
        assert_eq!(run.names(), Vec::<String>::new(), "{place}");
    }
}

#[test]
fn whatever_is_known_of_a_file_bounds_what_is_written() {
    let Check::Served { sha256, .. } = known(&content()) else { unreachable!() };
    let mut endless = content();
    endless.extend_from_slice(&vec![0; 400_000]);
    for (check, most) in [
        (Check::Served { bytes: Size::AtMost(900_000), sha256 }, "900000"),
        (Check::Sized { bytes: 800_000 }, "800000"),
        (Check::Unpacked { bytes: 800_000, sha256 }, "804877"),
    ] {
        let server = Server::start(endless.clone(), vec![Answer::NoSize]);
        let run = Run::of(check, &[&server]);
        run.failed(&["more than the", most]);
        assert_eq!(run.names(), Vec::<String>::new());
        let server = Server::start(endless.clone(), vec![Answer::Good]);
        Run::of(check, &[&server]).failed(&["announces 1200000 bytes", most]);
    }
    // A file of the right name in a folder is not copied without an end either.
    let folder = tempfile::tempdir().expect("a folder");
    let large = folder.path().join("large");
    std::fs::write(&large, endless).expect("written");
    let wanted = Wanted {
        name: "file.bin".into(),
        origins: vec![Origin::File(large)],
        check: Check::Sized { bytes: 800_000 },
    };
    let error = fetch_file(&wanted, folder.path(), &options(), &mut |_| {}).expect_err("too large");
    assert!(error.to_string().contains("it has 1200000 bytes"), "{error}");
}

#[test]
fn files_without_a_checksum_are_told_with_their_hash_and_must_have_their_size_and_unpack() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&content()).expect("memory");
    let packed = encoder.finish().expect("memory");
    let sized = |bytes: &[u8]| Check::Sized { bytes: bytes.len() as u64 };
    let cut = &packed[..packed.len() - 9];
    for (bytes, check, good) in
        [(&packed[..], sized(&packed), true), (cut, sized(cut), false), (cut, sized(&packed), false)]
    {
        let bytes = bytes.to_vec();
        let server = Server::start(bytes, vec![Answer::Good]);
        let folder = tempfile::tempdir().expect("a folder");
        let origins = vec![Origin::Url(server.url("a.gz"))];
        let wanted = Wanted { name: "a.gz".into(), origins, check };
        let mut told = None;
        let result = fetch_file(&wanted, folder.path(), &options(), &mut |event| {
            if let FetchEvent::Done { unchecked, .. } = event {
                told = unchecked.map(str::to_owned);
            }
        });
        assert_eq!((result.is_ok(), told.is_some()), (good, good), "{result:?}");
    }
    let sha256: String = Sha256::digest(content()).iter().map(|b| format!("{b:02x}")).collect();
    let unpacked = Check::Unpacked { bytes: 800_000, sha256: sha256.leak() };
    let server = Server::start(packed.clone(), vec![Answer::Good]);
    let wanted =
        Wanted { name: "a.gz".into(), origins: vec![Origin::Url(server.url("a.gz"))], check: unpacked };
    let folder = tempfile::tempdir().expect("a folder");
    fetch_file(&wanted, folder.path(), &options(), &mut |_| {}).expect("the bytes inside are right");
    // A bomb is not unpacked beyond what is expected.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![0; 1_000_000]).expect("memory");
    let zeros = encoder.finish().expect("memory");
    let server = Server::start(zeros.clone(), vec![Answer::Good]);
    let (origins, bomb) =
        (vec![Origin::Url(server.url("b.gz"))], Check::Unpacked { bytes: 10, sha256: "00" });
    let wanted = Wanted { check: sized(&zeros), name: "b.gz".into(), origins };
    let error = fetch_file(&wanted, folder.path(), &options(), &mut |_| {}).expect_err("too long");
    assert!(error.to_string().contains("it unpacks to more than"), "{error}");
    let wanted = Wanted { check: bomb, ..wanted };
    let error = fetch_file(&wanted, folder.path(), &options(), &mut |_| {}).expect_err("too long");
    assert!(error.to_string().contains("expected are 10 with SHA-256 00, found 11"), "{error}");
}

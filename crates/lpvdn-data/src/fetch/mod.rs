//! Known sets from their public homes into the cache.
//!
//! A file is written beside its place as `NAME.XXXXXXXX.part`, where the letters stand for the address
//! it comes from, so that what is continued is the same file. It gets its name when its bytes are
//! checked. What breaks off is continued where it stopped, now or in the next call; a server that
//! cannot continue starts anew. A home that fails, is too slow, sends more than the file has, or has other bytes, is
//! passed over for the next.

mod check;
mod download;
mod error;
mod part;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use error::FetchError;

use self::check::Verdict;
use self::download::{Client, Deadline, Problem};
use self::part::Part;
use crate::known::{Check, KnownSet, Source, cache};

/// How to fetch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FetchOptions {
    /// A place to be asked before the public homes.
    pub first: Option<Source>,
    /// A place to be asked instead of all others.
    pub only: Option<Source>,
    /// How long a connection may take to come about.
    pub connect: Duration,
    /// How long a server may send nothing.
    pub stall: Duration,
    /// How often a request may be sent elsewhere.
    pub redirects: u32,
    /// How often in a row an address may break off without having sent anything new.
    pub attempts: u32,
    /// How long to wait before it is asked again.
    pub pause: Duration,
    /// How long a file may take to come from one address, in addition to what `slowest` gives it.
    pub patience: Duration,
    /// The bytes that must come in a second, on average.
    pub slowest: u64,
}

impl FetchOptions {
    /// How long one address may take for a file that is known like this.
    fn time_for(&self, check: Check) -> Duration {
        self.patience.saturating_add(Duration::from_secs(check.most() / self.slowest.max(1)))
    }
}

impl Default for FetchOptions {
    fn default() -> FetchOptions {
        FetchOptions {
            first: None,
            only: None,
            connect: Duration::from_secs(20),
            stall: Duration::from_secs(30),
            redirects: 5,
            attempts: 3,
            pause: Duration::from_secs(1),
            patience: Duration::from_secs(120),
            slowest: 20_000,
        }
    }
}

/// What happens while a file is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchEvent<'a> {
    /// It is there already.
    Present {
        /// The file.
        file: &'a str,
    },
    /// It is there, but its bytes are not the right ones: it is fetched again.
    Damaged {
        /// The file.
        file: &'a str,
    },
    /// An address is asked.
    Asking {
        /// The file.
        file: &'a str,
        /// The address.
        from: &'a str,
        /// How many bytes are there already.
        done: u64,
    },
    /// Bytes have come.
    Progress {
        /// How many there are.
        done: u64,
        /// How many there will be, where the server says so.
        total: Option<u64>,
    },
    /// An address failed; it is asked again, or the next one is.
    Failed {
        /// What happened.
        problem: &'a str,
    },
    /// The file is there.
    Done {
        /// The file.
        file: &'a str,
        /// Its size.
        bytes: u64,
        /// The SHA-256 of the file, where no checksum is known to compare it with.
        unchecked: Option<&'a str>,
    },
}

/// A file, the addresses that may have it, and how its bytes are known.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The name that it gets.
    pub name: String,
    /// Where to ask, in this order.
    pub origins: Vec<Origin>,
    /// How its bytes are known.
    pub check: Check,
}

/// A place that may have a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An address.
    Url(String),
    /// A file.
    File(PathBuf),
}

/// Fetches the files of a set that are not there into its folder, `cache` + `set.folder`, and returns that.
///
/// # Errors
/// Where no address has a file as it should be, or it cannot be written. What is there of it stays, so
/// that another call goes on from it.
pub fn fetch(
    set: &KnownSet,
    cache: &Path,
    options: &FetchOptions,
    observe: &mut dyn FnMut(&FetchEvent<'_>),
) -> Result<PathBuf, FetchError> {
    let folder = cache.join(set.folder);
    for file in set.files {
        let mut origins = Vec::new();
        if let Some(source) = options.only.as_ref().or(options.first.as_ref()) {
            origins.extend(places_in(source, set.folder, file.name));
        }
        if options.only.is_none() {
            origins.extend(file.urls.iter().map(|url| Origin::Url((*url).to_owned())));
        }
        let wanted = Wanted { name: file.name.to_owned(), origins, check: file.check };
        if folder.is_symlink() && !is_there(&wanted, &folder) {
            return Err(FetchError::writing(&folder, cache::link()));
        }
        fetch_file(&wanted, &folder, options, observe)?;
    }
    Ok(folder)
}

/// In the folder of the set, or, because checksums tell, in the source itself.
fn places_in(source: &Source, folder: &str, name: &str) -> [Origin; 2] {
    match source {
        Source::Folder(path) => [path.join(folder).join(name), path.join(name)].map(Origin::File),
        Source::Url(url) => [format!("{url}/{folder}/{name}"), format!("{url}/{name}")].map(Origin::Url),
    }
}

/// Fetches a file into a folder, unless it is there.
///
/// # Errors
/// As [`fetch`].
pub fn fetch_file(
    wanted: &Wanted,
    folder: &Path,
    options: &FetchOptions,
    observe: &mut dyn FnMut(&FetchEvent<'_>),
) -> Result<(), FetchError> {
    let file = wanted.name.as_str();
    fs::create_dir_all(folder).map_err(|cause| FetchError::writing(folder, cause))?;
    let target = folder.join(file);
    if is_there(wanted, folder) {
        observe(&FetchEvent::Present { file });
        return Ok(());
    }
    if target.is_file() {
        // Kept until there is a better one.
        observe(&FetchEvent::Damaged { file });
    }
    let client = Client::new(options);
    let mut problems = Vec::new();
    for origin in &wanted.origins {
        match from_origin(wanted, origin, &client, &target, options, observe) {
            Ok(()) => {
                part::remove_all(&target);
                return Ok(());
            }
            Err(Problem::Fatal(error)) => return Err(error),
            Err(Problem::Here(problem) | Problem::Again(problem)) => {
                observe(&FetchEvent::Failed { problem: &problem });
                problems.push(problem);
            }
        }
    }
    Err(FetchError::Nowhere { file: file.to_owned(), problems: problems.join("; ") })
}

/// Whether a file is in a folder with the right bytes, as far as they are known.
fn is_there(wanted: &Wanted, folder: &Path) -> bool {
    let path = folder.join(&wanted.name);
    let right = || matches!(check::file(&path, wanted.check), Ok(Verdict::Right | Verdict::Unchecked(_)));
    path.is_file() && right()
}

/// Tries one place until it has given the file, or nothing new several times.
fn from_origin(
    wanted: &Wanted,
    origin: &Origin,
    client: &Client,
    target: &Path,
    options: &FetchOptions,
    observe: &mut dyn FnMut(&FetchEvent<'_>),
) -> Result<(), Problem> {
    let from = origin.to_string();
    let mut part = Part::open(target, &from)?;
    let end = Deadline::after(options.time_for(wanted.check));
    let mut fruitless = 0;
    loop {
        let before = part.len();
        observe(&FetchEvent::Asking { file: &wanted.name, from: &from, done: before });
        let continued = before > 0;
        let came = match origin {
            Origin::Url(url) => client.download(url, wanted.check, end, &mut part, observe),
            Origin::File(path) => download::copy(path, wanted.check, end, &mut part, observe),
        };
        match came {
            Ok(()) => match verify(wanted, &from, &mut part, target, observe) {
                // Perhaps what was there before was of another file.
                Err(Problem::Here(problem)) if continued => {
                    observe(&FetchEvent::Failed { problem: &problem });
                }
                verdict => {
                    part.remove_if_empty();
                    return verdict;
                }
            },
            Err(Problem::Again(problem)) => {
                fruitless = if part.len() > before { 0 } else { fruitless + 1 };
                if fruitless >= options.attempts {
                    return Err(Problem::Here(problem));
                }
                observe(&FetchEvent::Failed { problem: &problem });
                std::thread::sleep(options.pause);
            }
            Err(other) => {
                part.remove_if_empty();
                return Err(other);
            }
        }
    }
}

/// Gives the file its name if its bytes are right; else nothing is kept of it.
fn verify(
    wanted: &Wanted,
    from: &str,
    part: &mut Part,
    target: &Path,
    observe: &mut dyn FnMut(&FetchEvent<'_>),
) -> Result<(), Problem> {
    let verdict = check::file(part.path(), wanted.check);
    let verdict = verdict.map_err(|cause| Problem::Fatal(FetchError::reading(part.path(), cause)))?;
    if let Verdict::Wrong(problem) = verdict {
        part.clear()?;
        return Err(Problem::Here(format!("{from}: {problem}")));
    }
    let bytes = part.len();
    part.finish(target)?;
    let unchecked = match &verdict {
        Verdict::Unchecked(sha256) => Some(sha256.as_str()),
        _ => None,
    };
    observe(&FetchEvent::Done { file: &wanted.name, bytes, unchecked });
    Ok(())
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::Url(url) => f.write_str(url),
            Origin::File(path) => path.display().fmt(f),
        }
    }
}

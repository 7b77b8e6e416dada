//! Where known sets are kept, and where else they may be.

use std::env;
#[cfg(feature = "fetch")]
use std::io;
use std::path::PathBuf;

use crate::DataError;

/// The variable that names another folder for the cache.
pub const CACHE_VARIABLE: &str = "LPVDN_CACHE";
/// The variable that names a folder, or the address of one, that has known sets.
pub const DATA_VARIABLE: &str = "LPVDN_DATA";

/// A place that has known sets, other than their public homes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A folder, with a folder for each set in it.
    Folder(PathBuf),
    /// The same behind an address.
    Url(String),
}

impl Source {
    /// What is meant by an argument: an address where it begins like one.
    pub fn new(text: impl Into<PathBuf>) -> Source {
        let path: PathBuf = text.into();
        let address = |text: &&str| text.starts_with("http://") || text.starts_with("https://");
        match path.to_str().filter(address) {
            Some(url) => Source::Url(url.trim_end_matches('/').to_owned()),
            None => Source::Folder(path),
        }
    }
}

/// The source that `LPVDN_DATA` names, if it is set.
pub fn data_source() -> Option<Source> {
    set(DATA_VARIABLE).map(Source::new)
}

/// The folder of the cache: `LPVDN_CACHE`, or `lpvdn` where the system keeps what can be fetched again.
///
/// # Errors
/// Where the system has no such folder, which the message says how to name.
pub fn cache_folder() -> Result<PathBuf, DataError> {
    set(CACHE_VARIABLE)
        .or_else(|| system_folder().map(|folder| folder.join("lpvdn")))
        .ok_or(DataError::NoCache)
}

/// Why something in the cache is not written: its name is known to everybody, and somebody else may have planted the link.
/// The folder of the cache itself may be a link, for the user named it. Links are followed to read.
#[cfg(feature = "fetch")]
pub(crate) fn link() -> io::Error {
    io::Error::other(format!(
        "it is a symbolic link, which is not followed to write; remove it, or name the place itself with {CACHE_VARIABLE}"
    ))
}

#[cfg(target_os = "macos")]
fn system_folder() -> Option<PathBuf> {
    set("HOME").map(|home| home.join("Library/Caches"))
}

#[cfg(windows)]
fn system_folder() -> Option<PathBuf> {
    set("LOCALAPPDATA")
}

#[cfg(not(any(target_os = "macos", windows)))]
fn system_folder() -> Option<PathBuf> {
    // The specification has relative paths ignored.
    let named = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    named.or_else(|| set("HOME").map(|home| home.join(".cache")))
}

/// A variable that is there and not empty.
fn set(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_from_a_folder() {
        assert_eq!(Source::new("https://a.b/c/"), Source::Url("https://a.b/c".into()));
        assert_eq!(Source::new("data/sets"), Source::Folder("data/sets".into()));
        assert_eq!(Source::new("http"), Source::Folder("http".into()));
    }
}

//! Sets that are known by name: `mnist` means a folder in the cache, or one that `LPVDN_DATA` names.
//!
//! `lpvdn data fetch` puts them there ([`fetch`](crate::fetch), a feature of this crate). Reading them
//! needs no feature.

pub(crate) mod cache;
mod read;
mod table;

use std::path::{Path, PathBuf};

pub use cache::{CACHE_VARIABLE, DATA_VARIABLE, Source, cache_folder, data_source};
pub(crate) use read::{read, read_in};

use crate::DataError;

/// A set whose files have a public home.
#[derive(Debug)]
#[non_exhaustive]
pub struct KnownSet {
    /// What it is called on the command line.
    pub name: &'static str,
    /// The folder of its files, in the cache and wherever else they are kept. Sets may share one.
    pub folder: &'static str,
    /// What it holds, in a few words.
    pub about: &'static str,
    /// On which terms it is given.
    pub licence: &'static str,
    /// Its files, all of which are needed.
    pub files: &'static [KnownFile],
    pub(crate) kind: Kind,
}

/// A file of a known set.
#[derive(Clone, Copy, Debug)]
pub struct KnownFile {
    /// Its name in every folder.
    pub name: &'static str,
    /// Where it can be fetched, the best place first.
    pub urls: &'static [&'static str],
    /// How its bytes are known.
    pub check: Check,
}

/// How the bytes of a file are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// By the file as it is served.
    Served {
        /// Its size.
        bytes: Size,
        /// Its SHA-256, in hexadecimal digits.
        sha256: &'static str,
    },
    /// By what it unpacks to: around that, gzip may write different things.
    Unpacked {
        /// The unpacked size.
        bytes: u64,
        /// The SHA-256 of the unpacked bytes.
        sha256: &'static str,
    },
    /// By the size of the file as it is served: nobody publishes a checksum.
    Sized {
        /// The size.
        bytes: u64,
    },
}

/// What is known of the size of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// It has so many bytes.
    Exactly(u64),
    /// It has no more, and a checksum decides.
    AtMost(u64),
}

impl Check {
    /// The most bytes that a server may send.
    pub fn most(self) -> u64 {
        match self {
            Check::Served { bytes: Size::Exactly(bytes) | Size::AtMost(bytes), .. } => bytes,
            Check::Sized { bytes } => bytes,
            // What gzip adds to bytes that it cannot compress: 5 for each block of 32 kB, and its header.
            Check::Unpacked { bytes, .. } => bytes.saturating_add(bytes / 1_024).saturating_add(4_096),
        }
    }

    /// The bytes that a server sends, where they are known.
    pub fn exactly(self) -> Option<u64> {
        match self {
            Check::Served { bytes: Size::Exactly(bytes), .. } | Check::Sized { bytes } => Some(bytes),
            _ => None,
        }
    }
}

/// How the files of a set become rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A folder of IDX files.
    Idx,
    /// Tables, one below the other, whose last column holds the classes.
    Tables,
    /// Token files of RCV1.
    Tokens,
    /// Some of their documents.
    TenThousandTokens,
    /// Vector files of RCV1.
    Vectors,
}

/// All known sets.
pub fn all() -> &'static [KnownSet] {
    table::SETS
}

/// The set of this name.
///
/// ```
/// let mnist = lpvdn_data::known::find("mnist").expect("known");
/// assert_eq!(mnist.files.len(), 4);
/// assert_eq!(lpvdn_data::known::find("rcv1").expect("another name").name, "reuters");
/// ```
pub fn find(name: &str) -> Option<&'static KnownSet> {
    let name = table::ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    all().iter().find(|set| set.name == name)
}

/// The set that is meant where a path is expected: a path that exists goes before a name, unless there is nothing to be
/// read, as in the output folder of `lpvdn fit mnist --out mnist`.
///
/// Not a comparison of paths, for which `mnist/` equals `mnist`: with anything around it, it is a path.
pub fn meant(path: &Path) -> Option<&'static KnownSet> {
    let set = path.as_os_str().to_str().and_then(find)?;
    (!path.exists() || holds_no_data(path)).then_some(set)
}

/// A folder that is empty, or that a fit has written its settings to.
fn holds_no_data(path: &Path) -> bool {
    let Ok(mut entries) = std::fs::read_dir(path) else { return false };
    path.join("run.toml").is_file() || entries.next().is_none()
}

/// Where the files of a set are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// All of them are in this folder.
    Here(PathBuf),
    /// Some are missing in the cache.
    Missing {
        /// The folder in the cache.
        folder: PathBuf,
        /// The names of those that are not there.
        files: Vec<&'static str>,
    },
}

impl KnownSet {
    /// Looks for the files: in the folder that `LPVDN_DATA` names, then in the cache.
    ///
    /// # Errors
    /// Where the system has no folder for caches.
    pub fn place(&self) -> Result<Place, DataError> {
        if let Some(Source::Folder(data)) = data_source() {
            // Only in a folder of its own: the files of another set may have the same names.
            let folder = data.join(self.folder);
            if self.missing(&folder).is_empty() {
                return Ok(Place::Here(folder));
            }
        }
        let folder = cache_folder()?.join(self.folder);
        let files = self.missing(&folder);
        Ok(if files.is_empty() { Place::Here(folder) } else { Place::Missing { folder, files } })
    }

    /// The files that a folder lacks. An unpacked one is as good.
    fn missing(&self, folder: &Path) -> Vec<&'static str> {
        let there = |name: &str| folder.join(name).is_file();
        let lacks = |name: &&'static str| !there(name) && !there(crate::format::unpacked(name));
        self.files.iter().map(|file| file.name).filter(lacks).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_of_the_table_is_well_formed() {
        let hex = |text: &str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
        for set in all() {
            assert!(!set.files.is_empty() && find(set.name).is_some_and(|found| found.name == set.name));
            for file in set.files {
                assert!(!file.urls.is_empty(), "{}", file.name);
                for url in file.urls {
                    assert!(url.starts_with("http"), "{url}");
                }
                match file.check {
                    Check::Served { sha256, .. } | Check::Unpacked { sha256, .. } => assert!(hex(sha256)),
                    Check::Sized { .. } => assert!(file.name.contains("tokens"), "{}", file.name),
                }
                assert!((4_000..300_000_000).contains(&file.check.most()), "{}", file.name);
            }
        }
        for (alias, name) in table::ALIASES {
            assert!(all().iter().all(|set| set.name != *alias), "{alias}");
            assert!(find(name).is_some());
        }
    }

    #[test]
    fn a_name_with_anything_around_it_is_a_path() {
        for (text, known) in [("mnist", true), ("./mnist", false), ("mnist/", false), ("mnist.csv", false)] {
            assert_eq!(meant(Path::new(text)).is_some(), known, "{text}");
        }
        assert!(meant(Path::new("rcv1")).is_some() && meant(Path::new("digits")).is_none());
    }
}

//! The ZIP archive that an NPZ file is: just as much of the format as NumPy writes.
//!
//! Only the directory at the end is believed, and that only after its places and sizes have been
//! compared with the length of the file. A member is unpacked while it is read, so that what it
//! claims to be unpacked costs nothing. The sizes that stand before the members are not needed.

use std::io::{self, Read, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::directory::{self, Member};
use crate::DataError;
use crate::budget::Budget;
use crate::input::{Input, Length, Seekable, read_error};

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// An archive of arrays.
pub(super) struct Archive {
    path: PathBuf,
    file: Box<dyn Seekable>,
    length: u64,
    members: Vec<Member>,
    budget: Budget,
}

impl Archive {
    pub(super) fn open(input: Input<'static>) -> Result<Archive, DataError> {
        let budget = input.budget().clone();
        let (path, mut file, length) = input.into_seekable()?;
        let mut account = budget.account(&path);
        let members = match directory::read(&mut *file, length, &mut account) {
            Ok(Ok(members)) => members,
            Ok(Err(problem)) => return Err(malformed(&path, problem)),
            Err(cause) => return Err(read_error(&path, cause)),
        };
        account.keep();
        Ok(Archive { path, file, length, members, budget })
    }

    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the arrays, each with its place among the members.
    pub(super) fn arrays(&self) -> impl Iterator<Item = (usize, &str)> {
        let members = self.members.iter().enumerate();
        members.filter_map(|(at, member)| Some((at, member.name.strip_suffix(".npy")?)))
    }

    /// The place of the array of this name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.arrays().find(|(_, found)| *found == name).map(|(at, _)| at)
    }

    /// The member at a place that [`arrays`](Archive::arrays) or [`find`](Archive::find) gave.
    pub(super) fn member(&mut self, at: usize) -> Result<Input<'_>, DataError> {
        let member = &self.members[at];
        let path = inside(&self.path, &member.name);
        if member.encrypted {
            return Err(malformed(&path, "it is encrypted; save it without a password".into()));
        }
        let start = match directory::start_of(&mut *self.file, member) {
            Ok(start) => start.filter(|start| start.saturating_add(member.packed) <= self.length),
            Err(cause) => return Err(read_error(&path, cause)),
        };
        let Some(start) = start else {
            return Err(malformed(&path, "the directory points to a place where it is not".into()));
        };
        self.file.seek(SeekFrom::Start(start)).map_err(|cause| read_error(&path, cause))?;
        let packed = (&mut self.file).take(member.packed);
        match member.method {
            STORED => {
                let length = Length::Exactly(member.packed);
                Ok(Input::of_member(path, Checked::new(packed, member.crc), length, self.budget.clone()))
            }
            DEFLATED => {
                let unpacked = Checked::new(DeflateDecoder::new(packed), member.crc);
                Ok(Input::of_member(path, unpacked, Length::deflated(member.packed), self.budget.clone()))
            }
            other => Err(malformed(
                &path,
                format!(
                    "it is compressed by method {other}; accepted is what numpy.savez and savez_compressed write"
                ),
            )),
        }
    }

    pub(super) fn malformed(&self, problem: String) -> DataError {
        malformed(&self.path, problem)
    }
}

fn malformed(path: &Path, problem: String) -> DataError {
    DataError::Malformed { path: path.to_owned(), format: "NPZ", problem }
}

/// What a member is called in messages: a path that goes on inside the archive.
fn inside(archive: &Path, member: &str) -> PathBuf {
    // Not `join`, for which an absolute name would replace the archive's.
    let mut path = archive.as_os_str().to_owned();
    path.push("/");
    path.push(member.escape_debug().to_string());
    path.into()
}

/// Bytes whose checksum is compared when the last one has been read.
struct Checked<R> {
    inner: R,
    crc: Crc,
    wanted: u32,
}

impl<R> Checked<R> {
    fn new(inner: R, wanted: u32) -> Checked<R> {
        Checked { inner, crc: Crc::new(), wanted }
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.crc.update(&buffer[..read]);
        if read == 0 && !buffer.is_empty() && self.crc.sum() != self.wanted {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the checksum does not fit"));
        }
        Ok(read)
    }
}

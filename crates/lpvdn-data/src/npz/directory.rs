//! The directory at the end of a ZIP archive.

use std::io::{self, Read, SeekFrom};

use crate::budget::{Account, PER_STRING};
use crate::input::Seekable;

/// The record that ends an archive, with the longest comment that may follow it.
const END: &[u8; 4] = b"PK\x05\x06";
const END_SIZE: usize = 22;
const LONGEST_COMMENT: usize = u16::MAX as usize;
/// The record of large archives, and the one that says where it is.
const LARGE_END: &[u8; 4] = b"PK\x06\x06";
const LARGE_END_SIZE: usize = 56;
const LOCATOR: &[u8; 4] = b"PK\x06\x07";
const LOCATOR_SIZE: usize = 20;
/// An entry of the directory, and what stands before a member.
const ENTRY: &[u8; 4] = b"PK\x01\x02";
const ENTRY_SIZE: usize = 46;
pub(super) const LOCAL: &[u8; 4] = b"PK\x03\x04";
pub(super) const LOCAL_SIZE: usize = 30;
/// A number that does not fit into 32 bits stands among the extra fields, under this mark.
const ELSEWHERE: u64 = u32::MAX as u64;
const LARGE_NUMBERS: u16 = 1;

const DAMAGED: &str = "its directory is damaged or cut short; copy or download it again";

/// A file in the archive, as the directory describes it.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) method: u16,
    pub(super) encrypted: bool,
    pub(super) crc: u32,
    /// How many bytes it takes in the archive.
    pub(super) packed: u64,
    /// Where its local header begins.
    at: u64,
}

/// All members, or what is wrong with the directory.
type Directory = Result<Vec<Member>, String>;

/// Reads the directory of a file of `length` bytes.
pub(super) fn read(file: &mut dyn Seekable, length: u64, account: &mut Account) -> io::Result<Directory> {
    let Some((start, end)) = bounds(file, length)? else {
        return Ok(Err(
            "it has no directory at its end, as a ZIP archive has; it is cut short, or no NPZ file: \
                       copy or download it again"
                .into(),
        ));
    };
    if start > end || end > length {
        return Ok(Err(DAMAGED.into()));
    }
    file.seek(SeekFrom::Start(start))?;
    let mut left = file.take(end - start);
    let mut members = Vec::new();
    // The directory ends where its bytes end, whatever number of members is claimed.
    while left.limit() > 0 {
        match entry(&mut left) {
            Ok(Some(member)) => {
                // Here, and where arrays are chosen.
                let bytes = 2 * (size_of::<Member>() as u64 + PER_STRING + member.name.len() as u64);
                account.add_io(bytes, "the directory of the archive")?;
                members.push(member);
            }
            Ok(None) => return Ok(Err(DAMAGED.into())),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(Err(DAMAGED.into())),
            Err(e) => return Err(e),
        }
    }
    Ok(Ok(members))
}

/// Where the bytes of a member begin, if there is a member at its place.
pub(super) fn start_of(file: &mut dyn Seekable, member: &Member) -> io::Result<Option<u64>> {
    let Some(header) = record_at::<LOCAL_SIZE>(file, member.at, LOCAL)? else { return Ok(None) };
    let header = Record(&header);
    let before = LOCAL_SIZE as u64 + u64::from(header.short(26)) + u64::from(header.short(28));
    Ok(Some(member.at.saturating_add(before)))
}

/// The record at this place, if it is there and begins as it should.
fn record_at<const N: usize>(
    file: &mut dyn Seekable,
    at: u64,
    magic: &[u8; 4],
) -> io::Result<Option<[u8; N]>> {
    // No system has files so long that it could go there.
    if i64::try_from(at).is_err() {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = [0; N];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Record(&bytes).is(magic).then_some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(e) => Err(e),
    }
}

/// Where the directory begins and ends.
fn bounds(file: &mut dyn Seekable, length: u64) -> io::Result<Option<(u64, u64)>> {
    let tail_size = length.min((END_SIZE + LONGEST_COMMENT) as u64);
    let tail_start = length - tail_size;
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(tail_start))?;
    file.take(tail_size).read_to_end(&mut tail)?;
    let ends = (0..=tail.len().saturating_sub(END_SIZE)).rev();
    let mut ends = ends.filter(|&at| is_end(&tail[at..]));
    let Some(at) = ends.next() else { return Ok(None) };
    let end = Record(&tail[at..]);
    let (size, start) = (end.long(12), end.long(16));
    if u64::from(size).max(u64::from(start)) < ELSEWHERE && end.short(10) < u16::MAX {
        return Ok(Some((start.into(), u64::from(start) + u64::from(size))));
    }
    let Some(locator) = (tail_start + at as u64).checked_sub(LOCATOR_SIZE as u64) else { return Ok(None) };
    large_bounds(file, locator)
}

/// Whether the record that ends an archive begins here, and its comment ends with the file.
fn is_end(bytes: &[u8]) -> bool {
    bytes.len() >= END_SIZE
        && Record(bytes).is(END)
        && END_SIZE + usize::from(Record(bytes).short(20)) == bytes.len()
}

/// The same for an archive of more than 4 GiB or 65,535 members.
fn large_bounds(file: &mut dyn Seekable, locator: u64) -> io::Result<Option<(u64, u64)>> {
    let Some(found) = record_at::<LOCATOR_SIZE>(file, locator, LOCATOR)? else { return Ok(None) };
    let at = Record(&found).huge(8);
    let Some(end) = record_at::<LARGE_END_SIZE>(file, at, LARGE_END)? else { return Ok(None) };
    let (size, start) = (Record(&end).huge(40), Record(&end).huge(48));
    Ok(start.checked_add(size).map(|end| (start, end)))
}

/// The next member, or nothing if something else stands in its place.
fn entry(directory: &mut impl Read) -> io::Result<Option<Member>> {
    let mut bytes = [0; ENTRY_SIZE];
    directory.read_exact(&mut bytes)?;
    let record = Record(&bytes);
    if !record.is(ENTRY) {
        return Ok(None);
    }
    // Each is of at most 65,535 bytes.
    let mut next = |size: u16| {
        let mut part = vec![0; usize::from(size)];
        directory.read_exact(&mut part).map(|()| part)
    };
    let (name, extra) = (next(record.short(28))?, next(record.short(30))?);
    next(record.short(32))?;
    let mut large = large_numbers(&extra).chunks_exact(8).map(|number| Record(number).huge(0));
    // Those that are missing stand among the large ones, in this order.
    let mut number = |at| match u64::from(record.long(at)) {
        ELSEWHERE => large.next(),
        number => Some(number),
    };
    let (Some(_), Some(packed), Some(at)) = (number(24), number(20), number(42)) else { return Ok(None) };
    Ok(Some(Member {
        name: String::from_utf8_lossy(&name).into_owned(),
        method: record.short(10),
        encrypted: record.short(8) & 1 != 0,
        crc: record.long(16),
        packed,
        at,
    }))
}

/// The extra field of numbers above 32 bits, which may be empty.
fn large_numbers(mut extra: &[u8]) -> &[u8] {
    while extra.len() >= 4 {
        let (mark, size) = (Record(extra).short(0), usize::from(Record(extra).short(2)));
        let Some(field) = extra.get(4..4 + size) else { break };
        if mark == LARGE_NUMBERS {
            return field;
        }
        extra = &extra[4 + size..];
    }
    &[]
}

/// Bytes with numbers in them; all places asked for are inside.
pub(super) struct Record<'a>(pub(super) &'a [u8]);

impl Record<'_> {
    fn is(&self, magic: &[u8; 4]) -> bool {
        self.0.starts_with(magic)
    }

    pub(super) fn short(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.bytes(at))
    }

    fn long(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    fn huge(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }

    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.0[at..at + N]);
        bytes
    }
}

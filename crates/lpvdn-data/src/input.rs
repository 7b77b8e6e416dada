//! A file being read: decompressed if need be, its length known as well as can be.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;

use crate::budget::{Account, Budget, OverBudget};
use crate::{DataError, disk};

/// How much of a file is looked at to recognise its format.
const SAMPLE: u64 = 64 * 1024;
/// Deflate cannot compress better than this, so that a header's claim can be doubted early.
const BEST_COMPRESSION: u64 = 1032;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The path that means standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Bytes that can be read from any place on.
pub(crate) trait Seekable: Read + Seek + Send {}

impl<T: Read + Seek + Send> Seekable for T {}

/// What is known about the number of bytes before reading them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    /// A plain file.
    Exactly(u64),
    /// A compressed file.
    AtMost(u64),
    /// A pipe.
    Unknown,
}

impl Length {
    /// What `packed` bytes of deflate can unpack to.
    pub(crate) fn deflated(packed: u64) -> Length {
        Length::AtMost(packed.saturating_mul(BEST_COMPRESSION))
    }
}

/// A file opened for reading, or a member of an archive.
pub(crate) struct Input<'a> {
    path: PathBuf,
    length: Length,
    /// Whether the bytes are those of a file as they lie there.
    plain: bool,
    sample: Vec<u8>,
    /// The sample once more, then the rest.
    reader: Box<dyn Read + 'a>,
    consumed: u64,
    /// What the reading of it may take.
    budget: Budget,
}

impl Input<'static> {
    /// Opens `path`, or standard input for `-`, looks through gzip and zstd, and reads the sample.
    pub(crate) fn open(path: &Path, budget: &Budget) -> Result<Input<'static>, DataError> {
        let failed = |cause| read_error(path, cause);
        if path.as_os_str() == STANDARD_INPUT {
            return Input::of_stream(path, Box::new(io::stdin()), Length::Unknown, budget);
        }
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        let length = if metadata.is_file() { Length::Exactly(metadata.len()) } else { Length::Unknown };
        Input::of_stream(path, Box::new(file), length, budget)
    }

    fn of_stream(
        path: &Path,
        mut stream: Box<dyn Read>,
        length: Length,
        budget: &Budget,
    ) -> Result<Input<'static>, DataError> {
        let failed = |cause| read_error(path, cause);
        let start = read_up_to(&mut stream, 4).map_err(failed)?;
        let gzip = start.starts_with(&GZIP_MAGIC);
        let zstd = start == ZSTD_MAGIC || is_skippable(&start);
        let whole = BufReader::with_capacity(SAMPLE as usize, Cursor::new(start).chain(stream));
        let (mut rest, length): (Box<dyn Read>, Length) = match length {
            Length::Exactly(bytes) if gzip => (Box::new(Gzip::new(whole)), Length::deflated(bytes)),
            _ if gzip => (Box::new(Gzip::new(whole)), Length::Unknown),
            // A few bytes of zstd may stand for any number of equal ones.
            _ if zstd => (Box::new(Zstd::new(path, whole, budget)?), Length::Unknown),
            plain => (Box::new(whole), plain),
        };
        let sample = read_up_to(&mut rest, SAMPLE).map_err(failed)?;
        let reader = Box::new(Cursor::new(sample.clone()).chain(rest));
        let plain = matches!(length, Length::Exactly(_));
        Ok(Input {
            path: path.to_owned(),
            length,
            plain,
            sample,
            reader,
            consumed: 0,
            budget: budget.clone(),
        })
    }

    /// All bytes, to be read in any order, and how many there are: the file itself if it is a plain
    /// one; else a copy, which grows with what arrives.
    pub(crate) fn into_seekable(self) -> Result<(PathBuf, Box<dyn Seekable>, u64), DataError> {
        if let (Length::Exactly(length), true) = (self.length, self.plain) {
            let file = File::open(&self.path).map_err(|cause| read_error(&self.path, cause))?;
            return Ok((self.path, Box::new(BufReader::new(file)), length));
        }
        let (copy, length) = disk::spooled(&self.path, self.reader, &self.budget)?;
        Ok((self.path, Box::new(BufReader::new(copy)), length))
    }
}

impl<'a> Input<'a> {
    /// A member of an archive, as it is after unpacking. `path` is what messages call it.
    pub(crate) fn of_member(
        path: PathBuf,
        reader: impl Read + 'a,
        length: Length,
        budget: Budget,
    ) -> Input<'a> {
        let (sample, reader) = (Vec::new(), Box::new(reader));
        Input { path, length, plain: false, sample, reader, consumed: 0, budget }
    }

    /// What the reading of it may take.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The file's path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How many bytes have been taken.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Whether the bytes are those of a file, which can be read at any place.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// The file, if exactly `more` bytes are left in it.
    pub(crate) fn into_plain_file(self, more: u64) -> Result<File, DataError> {
        self.expect(more)?;
        let expected = self.consumed + more;
        if matches!(self.length, Length::Exactly(found) if found > expected) {
            return Err(DataError::TrailingBytes { path: self.path, expected });
        }
        File::open(&self.path).map_err(|cause| read_error(&self.path, cause))
    }

    /// The first bytes, decompressed: all of them if the file is short.
    pub(crate) fn sample(&self) -> &[u8] {
        &self.sample
    }

    /// How the file is compressed, in words that follow its format.
    pub(crate) fn compression(&self) -> &'static str {
        match self.length {
            Length::Exactly(_) => "",
            Length::AtMost(_) | Length::Unknown => ", compressed",
        }
    }

    /// All bytes as a stream, for formats whose size is not announced.
    pub(crate) fn into_stream(self) -> (PathBuf, Box<dyn Read + 'a>) {
        (self.path, self.reader)
    }

    /// The next `N` bytes of a header.
    pub(crate) fn take<const N: usize>(&mut self) -> Result<[u8; N], DataError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// The next `count` bytes of a header. The caller bounds `count`.
    pub(crate) fn take_vec(&mut self, count: usize) -> Result<Vec<u8>, DataError> {
        self.expect(count as u64)?;
        let mut bytes = vec![0; count];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// All bytes that are left, if they are not more than `most`.
    pub(crate) fn take_rest(&mut self, most: usize) -> Result<Vec<u8>, DataError> {
        let bytes = read_up_to(&mut self.reader, most as u64).map_err(|e| read_error(&self.path, e))?;
        self.consumed += bytes.len() as u64;
        self.expect_end()?;
        Ok(bytes)
    }

    /// Reads `count` values of `width` bytes, which must be all that is left.
    ///
    /// A plain file's length is checked first. A compressed one may lie until its last byte, so that
    /// memory grows with what really arrives.
    pub(crate) fn take_values<T>(
        &mut self,
        count: usize,
        width: usize,
        decode: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>, DataError> {
        let (path, exact) = (self.path.clone(), matches!(self.length, Length::Exactly(_)));
        let too_large =
            || DataError::TooLarge { path: path.clone(), what: format!("an array of {count} values") };
        let bytes = (count as u64).checked_mul(width as u64).ok_or_else(too_large)?;
        let mut values = Vec::new();
        let mut account = self.budget.account(&path);
        let what = format!("an array of {count} values");
        self.take_pieces(bytes, SAMPLE as usize / width * width, |piece| {
            let more = if exact { count - values.len() } else { piece.len() / width };
            account.reserve(&mut values, more, count, &what)?;
            values.extend(piece.chunks_exact(width).map(&decode));
            Ok(())
        })?;
        account.keep();
        Ok(values)
    }

    /// Calls `visit` with `bytes` bytes, `piece` at a time, which must be all that is left.
    pub(crate) fn take_pieces(
        &mut self,
        bytes: u64,
        piece: usize,
        mut visit: impl FnMut(&[u8]) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        self.expect(bytes)?;
        let mut buffer = vec![0; bytes.min(piece as u64) as usize];
        let mut left = bytes;
        while left > 0 {
            let now = left.min(piece as u64);
            let chunk = &mut buffer[..now as usize];
            self.fill(chunk)?;
            visit(chunk)?;
            left -= now;
        }
        self.expect_end()
    }

    /// Checks that `more` bytes can be there, as far as the length is known.
    fn expect(&self, more: u64) -> Result<(), DataError> {
        let expected = self.consumed.saturating_add(more);
        match self.length {
            Length::Exactly(found) | Length::AtMost(found) if found < expected => {
                Err(self.truncated(expected, found))
            }
            Length::Exactly(_) | Length::AtMost(_) | Length::Unknown => Ok(()),
        }
    }

    /// Checks that nothing follows. In a compressed file this also verifies the checksum.
    fn expect_end(&mut self) -> Result<(), DataError> {
        match read_up_to(&mut self.reader, 1) {
            Ok(more) if more.is_empty() => Ok(()),
            Ok(_) => Err(DataError::TrailingBytes { path: self.path.clone(), expected: self.consumed }),
            Err(cause) => Err(read_error(&self.path, cause)),
        }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), DataError> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.reader.read(&mut bytes[filled..]) {
                Ok(0) => {
                    let found = self.consumed + filled as u64;
                    return Err(self.truncated(self.consumed + bytes.len() as u64, found));
                }
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(read_error(&self.path, cause)),
            }
        }
        self.consumed += filled as u64;
        Ok(())
    }

    fn truncated(&self, expected: u64, found: u64) -> DataError {
        DataError::Truncated { path: self.path.clone(), expected, found }
    }
}

/// What zstd has packed. A frame claims how far back it refers; as much is allocated before the first byte comes out.
struct Zstd<R: BufRead> {
    decoder: ZstdDecoder<'static, R>,
    budget: Budget,
    /// The longest window that is accepted, as a power of two.
    longest: u32,
    _window: Account,
}

/// The shortest longest window of a decoder by its specification, and the longest that there is, as powers of two.
const SHORTEST_WINDOW: u32 = 23;
const LONGEST_WINDOW: u32 = 31;
/// The window may be this part of the memory.
const SHARE: u64 = 16;

impl<R: BufRead> Zstd<R> {
    fn new(path: &Path, packed: R, budget: &Budget) -> Result<Zstd<R>, DataError> {
        let failed = |cause| read_error(path, cause);
        let longest = (budget.memory() / SHARE).ilog2().clamp(SHORTEST_WINDOW, LONGEST_WINDOW);
        let mut window = budget.account(path);
        window.add(1 << longest, "what zstd refers back to")?;
        let mut decoder = ZstdDecoder::with_buffer(packed).map_err(failed)?;
        decoder.window_log_max(longest).map_err(failed)?;
        Ok(Zstd { decoder, budget: budget.clone(), longest, _window: window })
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let allowed = self.budget.memory();
        let over = |needed| OverBudget { what: "zstd refers far back".to_owned(), needed, allowed };
        self.decoder.read(bytes).map_err(|cause| match cause.to_string() {
            words if words.contains("too much memory") => over(SHARE << (self.longest + 1)).into(),
            _ => cause,
        })
    }
}

/// What gzip has packed: one member after the other. Zeros between and behind them are padding, as on a tape, for
/// `gzip -d` too.
struct Gzip<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Gzip<R> {
    fn new(packed: R) -> Gzip<R> {
        Gzip(Some(GzDecoder::new(packed)))
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let read = member.read(bytes)?;
            if read > 0 || bytes.is_empty() {
                return Ok(read);
            }
            let more = skip_zeros(member.get_mut())?;
            self.0 = self.0.take().filter(|_| more).map(|member| GzDecoder::new(member.into_inner()));
        }
        Ok(0)
    }
}

/// Goes to the next byte that is not zero; false if there is none.
fn skip_zeros(from: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = from.fill_buf()?;
        match bytes.iter().position(|&byte| byte != 0) {
            _ if bytes.is_empty() => return Ok(false),
            Some(zeros) => {
                from.consume(zeros);
                return Ok(true);
            }
            None => {
                let zeros = bytes.len();
                from.consume(zeros);
            }
        }
    }
}

/// Whether a frame begins so that zstd passes over: some writers put what they know about the file into one.
fn is_skippable(start: &[u8]) -> bool {
    matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18])
}

/// What a failed read means.
pub(crate) fn read_error(path: &Path, cause: io::Error) -> DataError {
    use io::ErrorKind::{InvalidData, InvalidInput, NotFound, Other, UnexpectedEof};
    let cause = match OverBudget::of(cause) {
        Ok(over) => return over.at(path),
        Err(cause) => cause,
    };
    let path = path.to_owned();
    match cause.kind() {
        NotFound => DataError::NotFound { path },
        // Only a decompressor says so: a plain file simply ends.
        InvalidData | InvalidInput | UnexpectedEof | Other => DataError::Malformed {
            path,
            format: "compressed",
            problem: format!(
                "the compressed data is damaged or cut short ({cause}); copy or download it again"
            ),
        },
        _ => DataError::Read { path, cause },
    }
}

fn read_up_to(reader: &mut impl Read, count: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

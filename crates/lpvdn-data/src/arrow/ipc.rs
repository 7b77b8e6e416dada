//! Arrow IPC: the stream of messages, and the file, which is a stream between two marks with a directory
//! behind it. Both are read from the front, so that they may come from a pipe or be compressed.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::{Buffer as IpcBuffer, CompressionType, Endianness, root_as_message};

use super::rows::Rows;
use super::{CONTINUES, MAGIC, decoded};
use crate::input::{Input, read_error};
use crate::table::Table;
use crate::{DataError, OpenOptions};

const FORMAT: &str = "Arrow";
/// The last message.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
/// More zeros than this do not follow the mark of a file.
const LONGEST_PADDING: usize = 64;
/// No buffer of LZ4 unpacks to more than this many times its length.
const BEST_LZ4: u64 = 256;
/// Nor one of zstd: four bytes are a block of 128 KiB.
const BEST_ZSTD: u64 = 32 * 1024;

/// Reads a table.
pub(crate) fn read(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    let is_file = input.sample().starts_with(MAGIC);
    let (path, stream) = input.into_stream();
    let mut messages = Messages { path, stream, begun: Vec::new() };
    if is_file {
        messages.skip_mark()?;
    }
    let mut decoder = StreamDecoder::new();
    let mut rows: Option<Rows> = None;
    loop {
        let message = messages.next()?;
        let ended = message.is_none();
        for bytes in message.unwrap_or_else(|| [END.to_vec(), Vec::new(), Vec::new()]) {
            let mut bytes = Buffer::from_vec(bytes);
            while !bytes.is_empty() {
                let Some(batch) = decoded(&messages.path, FORMAT, || decoder.decode(&mut bytes))? else {
                    continue;
                };
                let rows = match &mut rows {
                    Some(rows) => rows,
                    none => none.insert(Rows::new(&messages.path, &batch.schema(), options)?),
                };
                let places: Vec<usize> = rows.places().collect();
                rows.push(decoded(&messages.path, FORMAT, || batch.project(&places))?)?;
            }
        }
        if ended {
            break;
        }
    }
    messages.check_end(is_file)?;
    match rows {
        Some(rows) => rows.finish(),
        None => Err(DataError::Nothing { path: messages.path, what: "rows", hint: "" }),
    }
}

/// The messages of a stream. Memory grows with what arrives, whatever a length says.
struct Messages {
    path: PathBuf,
    stream: Box<dyn Read>,
    /// The first bytes of the next message, where they have been read already.
    begun: Vec<u8>,
}

impl Messages {
    /// The next message: its length, its description and its body. `None` at the end, which must be there:
    /// a stream that was cut between two messages would else pass for a whole one.
    fn next(&mut self) -> Result<Option<[Vec<u8>; 3]>, DataError> {
        let mut start = if self.begun.is_empty() { self.take(4)? } else { std::mem::take(&mut self.begun) };
        // Streams from before 2020 have nothing before the length.
        if start == CONTINUES {
            start.extend(self.take(4)?);
        }
        let length = start.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        if length == 0 {
            return Ok(None);
        }
        let description = self.take(u64::from(length))?;
        let body_length = decoded(&self.path, FORMAT, || body_length(&description))?;
        let body = self.take(body_length)?;
        decoded(&self.path, FORMAT, || check_buffers(&description, &body))?;
        Ok(Some([start, description, body]))
    }

    /// Goes past the mark of a file and the zeros behind it: two by the rules, but writers that lay
    /// everything out by 64 bytes put more there.
    fn skip_mark(&mut self) -> Result<(), DataError> {
        self.take(8)?;
        for _ in 0..LONGEST_PADDING / 4 {
            self.begun = self.take(4)?;
            if self.begun != [0; 4] {
                break;
            }
        }
        Ok(())
    }

    fn take(&mut self, count: u64) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        let failed = |cause| read_error(&self.path, cause);
        self.stream.by_ref().take(count).read_to_end(&mut bytes).map_err(failed)?;
        if (bytes.len() as u64) < count {
            return Err(cut_short(&self.path));
        }
        Ok(bytes)
    }

    /// Behind a stream there is nothing, behind that of a file its directory and the mark.
    fn check_end(&mut self, is_file: bool) -> Result<(), DataError> {
        let mut last = Vec::new();
        let mut chunk = [0; 4096];
        loop {
            let read = match self.stream.read(&mut chunk) {
                Ok(read) => read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(cause) => return Err(read_error(&self.path, cause)),
            };
            if read == 0 {
                break;
            }
            last.extend_from_slice(&chunk[..read]);
            last.drain(..last.len().saturating_sub(MAGIC.len()));
        }
        match is_file {
            true if last != MAGIC => Err(cut_short(&self.path)),
            false if !last.is_empty() => Err(DataError::Malformed {
                path: self.path.clone(),
                format: FORMAT,
                problem: "it goes on after the end of the stream; give one stream a file".to_owned(),
            }),
            _ => Ok(()),
        }
    }
}

fn cut_short(path: &Path) -> DataError {
    let problem = "it is cut short, or its writer was not closed; write or copy it again".to_owned();
    DataError::Malformed { path: path.to_owned(), format: FORMAT, problem }
}

fn body_length(description: &[u8]) -> Result<u64, String> {
    let message = root_as_message(description).map_err(|e| e.to_string())?;
    if message.header_as_schema().is_some_and(|schema| schema.endianness() == Endianness::Big) {
        return Err("its numbers begin with their highest byte, which is not supported".to_owned());
    }
    u64::try_from(message.bodyLength()).map_err(|_| "a message has a negative length".to_owned())
}

/// Doubts where buffers lie and how long compressed ones say that they are, before the decoder takes memory
/// for it.
fn check_buffers(description: &[u8], body: &[u8]) -> Result<(), String> {
    let message = root_as_message(description).map_err(|e| e.to_string())?;
    let of_dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    let Some(batch) = message.header_as_record_batch().or(of_dictionary) else { return Ok(()) };
    let Some(compression) = batch.compression() else {
        return batch.buffers().into_iter().flatten().try_for_each(|buffer| part(buffer, body).map(drop));
    };
    let may_be_zstd = compression.codec() != CompressionType::LZ4_FRAME;
    let mut sum = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        sum = sum.saturating_add(claim(part(buffer, body)?, may_be_zstd)?);
    }
    let room = usize::try_from(sum).is_ok_and(|sum| Vec::<u8>::new().try_reserve_exact(sum).is_ok());
    let most = (body.len() as u64).saturating_mul(BEST_ZSTD);
    if room && sum <= most { Ok(()) } else { Err(format!("{} bytes claim to unpack to {sum}", body.len())) }
}

/// The bytes of a buffer.
fn part<'a>(buffer: &IpcBuffer, body: &'a [u8]) -> Result<&'a [u8], String> {
    let (start, length) = (usize::try_from(buffer.offset()).ok(), usize::try_from(buffer.length()).ok());
    let range = start.zip(length).and_then(|(start, length)| Some(start..start.checked_add(length)?));
    let bytes = range.and_then(|range| body.get(range));
    bytes.ok_or_else(|| "a buffer lies outside of its message".to_owned())
}

/// How many bytes a buffer says that it unpacks to, as far as that can be. What is not there, such as the
/// places of nulls where there are none, claims nothing.
fn claim(bytes: &[u8], may_be_zstd: bool) -> Result<u64, String> {
    let length = bytes.len();
    // What is damaged beyond that, the decoder says.
    let Some((claim, packed)) = bytes.split_first_chunk() else { return Ok(0) };
    // Below zero it is not compressed.
    let claim = u64::try_from(i64::from_le_bytes(*claim)).unwrap_or(0);
    let usual = claim <= length as u64 * BEST_LZ4;
    let possible = may_be_zstd && claim <= length as u64 * BEST_ZSTD;
    if usual || possible && unpacks_to(packed, claim) {
        return Ok(claim);
    }
    Err(format!("{length} bytes claim to unpack to {claim}"))
}

/// Whether zstd makes so many bytes of these. It may make very many, so that they are counted.
fn unpacks_to(packed: &[u8], claim: u64) -> bool {
    let unpacked = zstd::stream::read::Decoder::with_buffer(packed);
    let count =
        unpacked.and_then(|bytes| io::copy(&mut bytes.take(claim.saturating_add(1)), &mut io::sink()));
    count.is_ok_and(|count| count == claim)
}

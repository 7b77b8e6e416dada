//! Arrow IPC as a stream of messages. It is read from the front.

use std::io::Read;
use std::path::{Path, PathBuf};

use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::{Endianness, root_as_message};

use super::buffers::{Decoding, check_buffers};
use super::rows::Rows;
use super::{CONTINUES, MAGIC, decoded, ipc_file};
use crate::budget::Account;
use crate::input::{Input, read_error};
use crate::table::Table;
use crate::{DataError, OpenOptions};

pub(super) const FORMAT: &str = "Arrow";
/// The last message.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
/// Bytes at a time.
const PIECE: usize = 1 << 20;

/// Reads a table.
pub(crate) fn read(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    if input.sample().starts_with(MAGIC) {
        return ipc_file::read(input, options);
    }
    let (path, stream) = input.into_stream();
    let (bytes, decoding) = (options.budget.account(&path), Decoding::new(options.budget.account(&path)));
    let mut messages = Messages { path, stream, bytes, decoding };
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
    messages.check_end()?;
    match rows {
        Some(rows) => rows.finish(options),
        None => Err(DataError::Nothing { path: messages.path, what: "rows", hint: "" }),
    }
}

/// The messages of a stream. Memory grows with what arrives, whatever a length says.
struct Messages {
    path: PathBuf,
    stream: Box<dyn Read>,
    /// What this message takes as it lies in the file.
    bytes: Account,
    decoding: Decoding,
}

impl Messages {
    /// The next message: its length, its description and its body. `None` at the end, which must be there:
    /// a stream that was cut between two messages would else pass for a whole one.
    fn next(&mut self) -> Result<Option<[Vec<u8>; 3]>, DataError> {
        let mut start = self.take(4)?;
        // Streams from before 2020 have nothing before the length.
        if start == CONTINUES {
            start.extend(self.take(4)?);
        }
        let length = start.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        if length == 0 {
            return Ok(None);
        }
        self.bytes.set(0, "")?;
        let description = self.take(u64::from(length))?;
        let body_length = decoded(&self.path, FORMAT, || body_length(&description))?;
        let body = self.take(body_length)?;
        let unpacked = decoded(&self.path, FORMAT, || check_buffers(&description, &body))?;
        self.decoding.charge(&description, body_length, unpacked)?;
        Ok(Some([start, description, body]))
    }

    fn take(&mut self, count: u64) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        let mut account = self.bytes.budget().account(&self.path);
        let most = usize::try_from(count).unwrap_or(usize::MAX);
        while bytes.len() < most {
            let piece = PIECE.min(most - bytes.len());
            account.reserve(&mut bytes, piece, most, "a message")?;
            let failed = |cause| read_error(&self.path, cause);
            let read = self.stream.by_ref().take(piece as u64).read_to_end(&mut bytes).map_err(failed)?;
            if read < piece {
                return Err(cut_short(&self.path));
            }
        }
        drop(account);
        self.bytes.add(bytes.capacity() as u64, "a message")?;
        Ok(bytes)
    }

    /// Behind a stream there is nothing.
    fn check_end(&mut self) -> Result<(), DataError> {
        let failed = |cause| read_error(&self.path, cause);
        let more = self.stream.by_ref().take(1).read_to_end(&mut Vec::new()).map_err(failed)?;
        if more == 0 {
            return Ok(());
        }
        let problem = "it goes on after the end of the stream; give one stream a file".to_owned();
        Err(DataError::Malformed { path: self.path.clone(), format: FORMAT, problem })
    }
}

pub(super) fn cut_short(path: &Path) -> DataError {
    let problem = "it is cut short, or its writer was not closed; write or copy it again".to_owned();
    DataError::Malformed { path: path.to_owned(), format: FORMAT, problem }
}

fn body_length(description: &[u8]) -> Result<u64, String> {
    let message = root_as_message(description).map_err(|e| e.to_string())?;
    if let Some(schema) = message.header_as_schema() {
        check_order(schema.endianness())?;
    }
    u64::try_from(message.bodyLength()).map_err(|_| "a message has a negative length".to_owned())
}

pub(super) fn check_order(of_bytes: Endianness) -> Result<(), String> {
    match of_bytes {
        Endianness::Big => {
            Err("its numbers begin with their highest byte, which is not supported".to_owned())
        }
        _ => Ok(()),
    }
}

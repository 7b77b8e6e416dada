//! Arrow IPC as a file: messages between two marks, with a footer that says where they are.
//!
//! The messages are taken from where the footer says. What lies before the first one is not looked at: Polars puts the
//! schema there without its length, so that the file cannot be read from the front.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, MetadataVersion, root_as_footer};
use arrow_schema::Schema;

use super::buffers::{Decoding, check_buffers};
use super::ipc::{FORMAT, check_order, cut_short};
use super::rows::Rows;
use super::{CONTINUES, MAGIC, decoded};
use crate::input::{Input, Seekable, read_error};
use crate::table::Table;
use crate::{DataError, OpenOptions};

/// What a file ends with: the length of the footer, and the mark.
const END: u64 = 10;
/// What a byte of the footer takes at most when it is decoded.
const DECODED_FOOTER: u64 = 8;

/// Reads a table.
pub(super) fn read(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    let (path, stream, length) = input.into_seekable()?;
    let mut file = ArrowFile { path, stream, end: length };
    let footer = file.footer(options)?;
    let path = file.path.clone();
    let (schema, decoder, blocks) = decoded(&path, FORMAT, || parse(&footer, file.end))?;
    let mut rows = Rows::new(&path, &schema, options)?;
    let mut decoder = decoder.with_projection(rows.places().collect());
    let mut decoding = Decoding::new(options.budget.account(&path));
    let mut account = options.budget.account(&path);
    for (block, is_dictionary) in blocks {
        account.set(0, "")?;
        account.add(block.metaDataLength() as u64 + block.bodyLength() as u64, "a message")?;
        let message = file.message(&block)?;
        let (description, body) = decoded(&path, FORMAT, || parts(&message, &block))?;
        let unpacked = decoded(&path, FORMAT, || check_buffers(description, body))?;
        decoding.charge(description, body.len() as u64, unpacked)?;
        let message = Buffer::from_vec(message);
        if is_dictionary {
            decoded(&path, FORMAT, || decoder.read_dictionary(&block, &message))?;
        } else if let Some(batch) = decoded(&path, FORMAT, || decoder.read_record_batch(&block, &message))? {
            rows.push(batch)?;
        }
    }
    rows.finish(options)
}

struct ArrowFile {
    path: PathBuf,
    stream: Box<dyn Seekable>,
    /// Where messages end: the footer lies behind it.
    end: u64,
}

impl ArrowFile {
    /// The bytes of the footer.
    fn footer(&mut self, options: &OpenOptions) -> Result<Vec<u8>, DataError> {
        let end = self.end.checked_sub(END).ok_or_else(|| cut_short(&self.path))?;
        let last = self.take(end, END)?;
        let length = last.strip_suffix(MAGIC).and_then(|length| length.try_into().ok());
        let length = length.map(u32::from_le_bytes).ok_or_else(|| cut_short(&self.path))?;
        self.end = end.checked_sub(length.into()).ok_or_else(|| cut_short(&self.path))?;
        options.budget.charge(&self.path, u64::from(length) * DECODED_FOOTER, "its footer")?;
        self.take(self.end, length.into())
    }

    fn message(&mut self, block: &Block) -> Result<Vec<u8>, DataError> {
        self.take(block.offset() as u64, block.metaDataLength() as u64 + block.bodyLength() as u64)
    }

    fn take(&mut self, start: u64, length: u64) -> Result<Vec<u8>, DataError> {
        let mut bytes = vec![0; length as usize];
        let read = self.stream.seek(SeekFrom::Start(start)).and_then(|_| self.stream.read_exact(&mut bytes));
        read.map_err(|cause| read_error(&self.path, cause))?;
        Ok(bytes)
    }
}

type Parsed = (Arc<Schema>, FileDecoder, Vec<(Block, bool)>);

/// The schema, its decoder, and where the dictionaries are, then the batches.
fn parse(footer: &[u8], end: u64) -> Result<Parsed, String> {
    let footer = root_as_footer(footer).map_err(|e| e.to_string())?;
    let schema = footer.schema().ok_or("its footer has no schema")?;
    check_order(schema.endianness())?;
    let schema = Arc::new(try_fb_to_schema(schema).map_err(|e| e.to_string())?);
    let dictionaries = footer.dictionaries().into_iter().flatten().map(|block| (*block, true));
    let batches = footer.recordBatches().into_iter().flatten().map(|block| (*block, false));
    let blocks: Vec<(Block, bool)> = dictionaries.chain(batches).collect();
    check_blocks(blocks.iter().map(|(block, _)| block), end)?;
    // Some writers put another version into the footer than into the messages, and the decoder goes by these. With the
    // first version it does not compare them.
    Ok((Arc::clone(&schema), FileDecoder::new(schema, MetadataVersion::V1), blocks))
}

/// Refuses messages outside of the file, and more of them than fit into it.
fn check_blocks<'a>(blocks: impl Iterator<Item = &'a Block>, end: u64) -> Result<(), String> {
    let mut left = end;
    for block in blocks {
        let length = u64::try_from(block.metaDataLength()).ok();
        let length = length.and_then(|n| n.checked_add(u64::try_from(block.bodyLength()).ok()?));
        let inside = length
            .filter(|length| u64::try_from(block.offset()).is_ok_and(|at| at.saturating_add(*length) <= end));
        left =
            inside.and_then(|length| left.checked_sub(length)).ok_or("a message lies outside of the file")?;
    }
    Ok(())
}

/// The description of a message, behind its length, and its body.
fn parts<'a>(message: &'a [u8], block: &Block) -> Result<(&'a [u8], &'a [u8]), &'static str> {
    let (start, body) = message.split_at(block.metaDataLength() as usize);
    // Files from before 2020 have nothing before the length.
    let before = if start.starts_with(&CONTINUES) { 8 } else { 4 };
    Ok((start.get(before..).ok_or("a message is too short")?, body))
}

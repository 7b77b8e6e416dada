//! Texts as they arrive: in memory as long as they may be held, and in a temporary file beyond that.
//!
//! They are read twice, for their words and for their rows, so that they must stay somewhere in between.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

use crate::budget::{Account, PER_STRING};
use crate::disk::{Limit, TempFile, cannot_keep};
use crate::text::NGrams;
use crate::{DataError, OpenOptions};

/// Texts of a file that are held together: as many as the analysis takes at a time, with no more bytes.
const BLOCK: usize = 8192;
const BLOCK_BYTES: u64 = 4 << 20;

/// Texts that are still arriving.
pub(crate) struct Texts {
    limit: Limit,
    /// Those that are held; none where there is a file, which has all of them.
    held: Vec<String>,
    /// For those.
    account: Account,
    file: Option<TempFile>,
    sizes: Sizes,
}

/// What is known about the texts.
#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    count: usize,
    bytes: u64,
    longest: u64,
}

impl Texts {
    pub(crate) fn new(path: &Path, options: &OpenOptions) -> Texts {
        let (limit, account) = (Limit::of(path, options), options.budget.account(path));
        Texts { limit, held: Vec::new(), account, file: None, sizes: Sizes::default() }
    }

    /// Keeps a copy of a text.
    pub(crate) fn push(&mut self, text: &str) -> Result<(), DataError> {
        match self.enter(text)? {
            true => self.held.push(text.to_owned()),
            false => self.write(text)?,
        }
        Ok(())
    }

    /// Keeps a text.
    pub(super) fn keep(&mut self, text: String) -> Result<(), DataError> {
        match self.enter(&text)? {
            true => self.held.push(text),
            false => self.write(&text)?,
        }
        Ok(())
    }

    /// Whether there is room for another one in memory.
    fn enter(&mut self, text: &str) -> Result<bool, DataError> {
        let length = text.len() as u64;
        let Sizes { count, bytes, longest } = self.sizes;
        self.sizes = Sizes { count: count + 1, bytes: bytes + length, longest: longest.max(length) };
        let taken = self.sizes.bytes.saturating_add(PER_STRING.saturating_mul(count as u64 + 1));
        if self.file.is_some() || taken > self.limit.bytes {
            return Ok(false);
        }
        self.account.add(length + PER_STRING, format_args!("the texts of {} documents", count + 1))?;
        Ok(true)
    }

    fn write(&mut self, text: &str) -> Result<(), DataError> {
        if self.file.is_none() {
            let mut file = self.limit.create()?;
            std::mem::take(&mut self.held).iter().try_for_each(|text| write(&mut file, text))?;
            self.account.set(0, "")?;
            self.file = Some(file);
        }
        self.file.as_mut().map_or(Ok(()), |file| write(file, text))
    }

    pub(super) fn finish(self) -> Result<AllTexts, DataError> {
        let file = self.file.map(TempFile::finish).transpose()?;
        let Texts { limit, held, account, sizes, .. } = self;
        let kept = file.map_or(Kept::Memory(held), Kept::Disk);
        Ok(AllTexts { limit, kept, account, sizes, chosen: None })
    }
}

fn write(file: &mut TempFile, text: &str) -> Result<(), DataError> {
    file.write(&(text.len() as u64).to_le_bytes())?;
    file.write(text.as_bytes())
}

/// Texts that are complete, or some of them.
pub(super) struct AllTexts {
    limit: Limit,
    kept: Kept,
    /// For those in memory.
    account: Account,
    sizes: Sizes,
    /// Those of the file that are wanted, rising; all where there are none.
    chosen: Option<Vec<u32>>,
}

enum Kept {
    Memory(Vec<String>),
    Disk(File),
}

impl AllTexts {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.chosen.as_ref().map_or(self.sizes.count, Vec::len)
    }

    /// Only these, whose numbers rise.
    pub(super) fn only(mut self, rows: &[u32]) -> Result<AllTexts, DataError> {
        match &mut self.kept {
            Kept::Memory(texts) => {
                // Every row is wanted once, so that its text can be moved.
                let some = rows.iter().filter_map(|&row| texts.get_mut(row as usize).map(std::mem::take));
                *texts = some.collect();
                let bytes = texts.iter().map(|text| text.len() as u64 + PER_STRING).sum();
                self.account.set(bytes, "the texts of some classes")?;
                self.sizes.count = texts.len();
            }
            Kept::Disk(_) => self.chosen = Some(rows.to_vec()),
        }
        Ok(self)
    }

    /// What analysing takes in addition to what it counts: a few documents are in pieces at a time.
    pub(super) fn analysing(&self, ngrams: NGrams) -> u64 {
        let together = self.sizes.longest.saturating_mul(rayon::current_num_threads() as u64);
        // A copy in small letters and the numbers of the terms; for n-grams the pieces, too.
        let per_byte =
            if ngrams == NGrams::default() { 6 } else { 24 + 4 * (ngrams.max - ngrams.min) as u64 };
        together.min(self.sizes.bytes).saturating_mul(per_byte)
    }

    /// Calls `visit` with all of them in their order, some at a time.
    pub(super) fn for_each_block(
        &mut self,
        mut visit: impl FnMut(&[String]) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let file = match &mut self.kept {
            Kept::Memory(texts) => return visit(texts),
            Kept::Disk(file) => file,
        };
        let failed = |cause| cannot_keep(&self.limit.path, cause);
        file.rewind().map_err(failed)?;
        let mut reader = BufReader::with_capacity(1 << 16, &*file);
        let mut account = self.limit.account();
        let mut block = Vec::new();
        let mut bytes = 0;
        let mut wanted = self.chosen.as_deref();
        for row in 0..self.sizes.count as u32 {
            let length = length(&mut reader).map_err(failed)?;
            if let Some(rest) = &mut wanted {
                match rest.split_first() {
                    Some((&next, after)) if next == row => *rest = after,
                    _ => {
                        reader.seek_relative(length as i64).map_err(failed)?;
                        continue;
                    }
                }
            }
            bytes += length + PER_STRING;
            account.set(bytes, "some of the texts")?;
            block.push(text(&mut reader, length).map_err(failed)?);
            if block.len() == BLOCK || bytes >= BLOCK_BYTES {
                visit(&block)?;
                block.clear();
                bytes = 0;
            }
        }
        if block.is_empty() { Ok(()) } else { visit(&block) }
    }
}

fn length(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn text(from: &mut impl Read, length: u64) -> io::Result<String> {
    let mut text = String::with_capacity(length as usize);
    let read = from.take(length).read_to_string(&mut text)?;
    if read as u64 == length { Ok(text) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of any length, of which some are empty.
    fn texts(memory: u64, count: usize) -> AllTexts {
        let options =
            OpenOptions { budget: crate::budget::Budget::new(Some(memory), None), ..OpenOptions::default() };
        let mut texts = Texts::new(Path::new("t"), &options);
        (0..count).try_for_each(|i| texts.push(&"é".repeat(i % 7))).expect("room");
        texts.finish().expect("texts")
    }

    fn all(mut texts: AllTexts) -> Vec<String> {
        let mut all = Vec::new();
        let seen = texts.for_each_block(|block| {
            assert!(!block.is_empty() && block.len() <= 20_000);
            all.extend_from_slice(block);
            Ok(())
        });
        seen.expect("texts");
        all
    }

    #[test]
    fn texts_on_the_disk_are_those_in_memory() {
        let (held, there) = (texts(1 << 30, 20_000), texts(0, 20_000));
        assert!(matches!((&held.kept, &there.kept), (Kept::Memory(_), Kept::Disk(_))));
        let rows: Vec<u32> = (0..20_000).filter(|row| row % 3 == 1).collect();
        assert_eq!(all(texts(1 << 30, 20_000)), all(texts(0, 20_000)));
        let some = [held, there].map(|texts| texts.only(&rows).expect("room"));
        assert!(some.iter().all(|texts| texts.count() == rows.len()));
        let [held, there] = some.map(all);
        assert_eq!(held, there);
        assert_eq!((held.len(), held[1].as_str()), (rows.len(), "éééé"));
    }
}

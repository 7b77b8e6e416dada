//! What of a page grows with its rows.

use std::io;

use lpvdn_core::{Batch, Dataset, Pool};
use serde_json::json;

use super::Blobs;
use super::cards::heaviest;
use super::thumbnail::Thumbnail;
use crate::drawn::{Drawn, dense_rows};

/// Bytes of a blob of pictures, about.
const PICTURE_BYTES: usize = 256 * 1_024;
/// Rows of a blob of texts.
pub(super) const TEXTS: usize = 200;
/// Rows of a blob of names.
pub(super) const IDS: usize = 5_000;
/// The heaviest words of a document that are shown.
const WORDS: usize = 12;

/// How many pictures of so many bytes are in a blob.
pub(super) fn pictures_at_once(bytes: usize) -> usize {
    (PICTURE_BYTES / bytes.max(1)).clamp(1, 1_024)
}

/// Rows as bytes.
pub(super) struct RowBlobs {
    pub(super) data: Dataset,
    /// Those that are held, by name, in the order in which they are first wanted.
    pub(super) held: Vec<(String, Vec<u8>)>,
    pub(super) pictures: Option<(Drawn, Thumbnail)>,
    pub(super) texts: Option<Vec<String>>,
    pub(super) pool: Pool,
}

impl RowBlobs {
    fn chunked(&self) -> [(&'static str, Option<usize>); 3] {
        let pictures = self.pictures.map(|(_, small)| pictures_at_once(small.bytes()));
        [
            ("pictures", pictures),
            ("texts", self.texts.as_ref().map(|_| TEXTS)),
            ("ids", self.data.ids.as_ref().map(|_| IDS)),
        ]
    }

    /// The rows of a chunk, or `None` if there is no such chunk.
    fn rows_of(&self, number: usize, chunk: usize) -> Option<Vec<u32>> {
        let start = number.checked_mul(chunk).filter(|&start| start < self.data.rows())?;
        Some((start as u32..(start + chunk).min(self.data.rows()) as u32).collect())
    }

    fn pictures_of(&self, rows: &[u32]) -> io::Result<Vec<u8>> {
        let Some((drawn, small)) = self.pictures else { return Ok(Vec::new()) };
        let values = dense_rows(&self.data, rows).map_err(io::Error::other)?;
        let whole: Vec<u8> = drawn.bytes_of(&values).collect();
        Ok(whole.chunks_exact(values.cols().max(1)).flat_map(|row| small.of(row)).collect())
    }

    /// Documents with their heaviest words.
    fn texts_of(&self, rows: &[u32]) -> io::Result<Vec<u8>> {
        let mut batch = Batch::for_source(self.data.source.as_ref());
        self.data.source.gather(rows, &mut batch).map_err(io::Error::other)?;
        let entry = |(i, &row): (usize, &u32)| {
            let mut values = Vec::new();
            batch.for_each_in_row(i, |j, value| values.push((j, value)));
            let words = heaviest(values.into_iter(), WORDS);
            let words: Vec<_> = words.iter().map(|&(j, value)| (column_name(&self.data, j), value)).collect();
            let text = self.texts.as_ref().and_then(|texts| texts.get(row as usize));
            json!({ "text": text.map_or("", String::as_str), "terms": words })
        };
        let all: Vec<_> = rows.iter().enumerate().map(entry).collect();
        Ok(serde_json::to_vec(&all)?)
    }

    fn ids_of(&self, rows: &[u32]) -> io::Result<Vec<u8>> {
        let name =
            |&row: &u32| self.data.ids.as_ref().and_then(|ids| ids.get(row as usize)).unwrap_or_default();
        Ok(serde_json::to_vec(&rows.iter().map(name).collect::<Vec<_>>())?)
    }
}

impl Blobs for RowBlobs {
    fn names(&self) -> Vec<String> {
        let held = self.held.iter().map(|(name, _)| name.clone());
        let chunks = self.chunked().into_iter().flat_map(|(name, chunk)| {
            let count = chunk.map_or(0, |chunk| self.data.rows().div_ceil(chunk));
            (0..count).map(move |number| format!("{name}/{number}"))
        });
        held.chain(chunks).collect()
    }

    fn get(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        if let Some((_, bytes)) = self.held.iter().find(|(held, _)| held == name) {
            return Ok(Some(bytes.clone()));
        }
        let Some((kind, number)) = name.split_once('/') else { return Ok(None) };
        let chunk = self.chunked().into_iter().find(|(known, _)| *known == kind).and_then(|(_, chunk)| chunk);
        // As it is written in a name: no sign, no zeros before it.
        let number = number.parse::<usize>().ok().filter(|n| n.to_string() == number);
        let Some(rows) = number.zip(chunk).and_then(|(number, chunk)| self.rows_of(number, chunk)) else {
            return Ok(None);
        };
        let bytes = self.pool.run(|| match kind {
            "pictures" => self.pictures_of(&rows),
            "texts" => self.texts_of(&rows),
            _ => self.ids_of(&rows),
        });
        bytes.map(Some)
    }
}

/// What a column is called.
pub(super) fn column_name(data: &Dataset, column: usize) -> String {
    match data.columns.as_ref().and_then(|names| names.get(column)) {
        Some(name) => name.clone(),
        None => format!("column {column}"),
    }
}

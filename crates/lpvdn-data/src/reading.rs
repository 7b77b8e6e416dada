//! How the content of a file became numbers: what a model must remember to read other files alike.

pub use lpvdn_core::table::{Content, DateOrder, Decimal, Missing, TableColumn, TableReading};
use serde::{Deserialize, Serialize};

use crate::images::ImageFit;
use crate::text::Vectorizer;

/// How rows were made. A model keeps it, and other files are read by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reading {
    /// From the cells of a table.
    Table(TableReading),
    /// From pairs of an index and a value.
    Pairs(PairsReading),
    /// From the words of documents.
    Text(Box<TextReading>),
    /// From some columns of sparse rows.
    Selected(SelectedReading),
    /// From the points of pictures.
    Images(ImagesReading),
}

impl Reading {
    /// How the cells of a table became values, where rows were made of any.
    pub fn table(&self) -> Option<&TableReading> {
        match self {
            Reading::Table(table) => Some(table),
            Reading::Text(text) => text.table.as_ref().map(|table| &table.others),
            Reading::Pairs(_) | Reading::Selected(_) | Reading::Images(_) => None,
        }
    }
}

/// How pictures became rows: line by line, the colours of a point side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ImagesReading {
    /// The points of a line.
    pub width: u32,
    /// The lines.
    pub height: u32,
    /// The values of a point: 1 for grey, 3 for red, green and blue.
    pub channels: u8,
    /// How pictures of other proportions are brought to this shape. Models that do not say stretch them.
    #[serde(default = "ImageFit::of_old_models", skip_serializing_if = "ImageFit::is_of_old_models")]
    pub fit: ImageFit,
    /// How many of the pictures had another size, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resized: Option<usize>,
}

/// How documents became rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TextReading {
    /// The field that held the text, where documents were JSON objects.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub field: Option<String>,
    /// The vocabulary and its weights.
    pub vectorizer: Vectorizer,
    /// The table of which the texts were a column. The name of that column is the field.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub table: Option<TextTable>,
}

/// A table with a column of texts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TextTable {
    /// The place of the texts in the file, from 0.
    pub place: usize,
    /// The other columns that became values, which stand before the terms in a row; none where the texts alone did.
    pub others: TableReading,
}

/// Which columns of sparse rows were taken, each row being made of length 1 after that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SelectedReading {
    /// Their indices in the file, rising.
    pub columns: Vec<u32>,
}

/// How pairs of an index and a value became rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PairsReading {
    /// How many columns there are: a file may not name the last ones.
    pub columns: u32,
    /// The index of the first column: 0 or 1.
    pub base: u32,
}

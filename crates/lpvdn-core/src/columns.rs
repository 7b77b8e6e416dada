//! What the columns of a data set stand for.
//!
//! Who reads a table knows more about its columns than their numbers show: that forty columns of zeros and ones
//! are one column of words, or that a column counts days. It says so in [`Dataset::groups`](crate::Dataset), and
//! the scaling by type decides from it.

use serde::{Deserialize, Serialize};

/// What a group of columns came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnKind {
    /// One column of numbers.
    Number,
    /// One column of points in time, as a number.
    Date,
    /// One column of zeros and ones.
    Boolean,
    /// One column of categories, one-hot encoded: as many columns as there are categories.
    Category,
    /// A vector for each row, such as an embedding.
    Vector,
    /// Weights of terms, of which a row has few.
    Text,
}

/// A monotone transform of a column of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transform {
    /// x
    Identity,
    /// ln(1 + x / s), for amounts and counts, whose ratios matter more than their differences.
    Log,
}

/// Neighbouring columns that came from one column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnGroup {
    /// What the table calls it; empty where it has no name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// How many columns it became.
    pub width: usize,
    /// The transform that the user asked for; else the data decides.
    pub transform: Option<Transform>,
    /// How much it counts, next to a column of numbers.
    pub weight: f32,
}

impl ColumnGroup {
    /// A group about which nothing was asked for.
    pub fn new(name: impl Into<String>, kind: ColumnKind, width: usize) -> ColumnGroup {
        ColumnGroup { name: name.into(), kind, width, transform: None, weight: 1.0 }
    }
}

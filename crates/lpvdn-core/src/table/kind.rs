//! What a user says about a column.

use serde::{Deserialize, Serialize};

use crate::columns::Transform;

/// What a column is to be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnType {
    /// Numbers.
    Number,
    /// Numbers, which are not transformed.
    Linear,
    /// Amounts or counts: numbers of which the logarithm is taken.
    Log,
    /// Categories, even if they are numbers.
    Category,
    /// Points in time.
    Date,
    /// One of two words, as 0 and 1.
    Boolean,
    /// Nothing: it is left out.
    Ignore,
}

impl ColumnType {
    /// All of them, with their names.
    pub const NAMES: [(&'static str, ColumnType); 7] = [
        ("number", ColumnType::Number),
        ("linear", ColumnType::Linear),
        ("log", ColumnType::Log),
        ("category", ColumnType::Category),
        ("date", ColumnType::Date),
        ("boolean", ColumnType::Boolean),
        ("ignore", ColumnType::Ignore),
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        ColumnType::NAMES.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// The transform that is asked for with it.
    pub fn transform(self) -> Option<Transform> {
        match self {
            ColumnType::Linear => Some(Transform::Identity),
            ColumnType::Log => Some(Transform::Log),
            _ => None,
        }
    }
}

/// What a user says about a column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Choice {
    /// What it is to be read as.
    pub kind: Option<ColumnType>,
    /// How much it counts, next to a column of which nothing is said.
    pub weight: Option<f32>,
}

impl Choice {
    /// Whether the user speaks of the column, so that it is not left out for what it holds.
    pub fn speaks(self) -> bool {
        self.kind.is_some() || self.weight.is_some()
    }
}

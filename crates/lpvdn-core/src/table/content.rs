//! What the cells of a column are.

use serde::{Deserialize, Serialize};

use crate::columns::ColumnKind;

/// What the cells of a column are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// Numbers: one value for a cell.
    Numbers {
        /// Their mean, which stands for missing ones unless `fill` does.
        mean: f32,
        /// What stands for missing ones, if that is not the mean.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<f32>,
        /// What stands for missing ones, where 32 bits do not tell the numbers of the column apart.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exact: Option<f64>,
    },
    /// One of several words: a value for each word, 1 where it stands and 0 elsewhere. A word that was
    /// not seen in training is 0 everywhere, or counts as one of the rare ones where these share a value.
    Words {
        /// The words, in the order of their values.
        words: Vec<String>,
        /// The name of the value after those of the words that all rare ones share, if they do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        other: Option<String>,
        /// The name of the last value, which stands for missing words, if they are a category.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missing: Option<String>,
        /// Which value stands for a missing word, if one does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<usize>,
    },
    /// Vectors of one length: a value for each of their numbers.
    Vectors {
        /// The mean of each number, which stands for missing ones.
        means: Vec<f32>,
    },
    /// Points in time: one value, the days since a day.
    Dates {
        /// The day 0, in days since 1970-01-01: another one where there are times of the day, of which 32 bits keep
        /// more digits the smaller the numbers are.
        #[serde(default, skip_serializing_if = "is_zero")]
        from: i32,
        /// In which order day, month and year are written, where the year is not the first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        order: Option<DateOrder>,
        /// The mean of the values, which stands for missing ones unless `fill` does.
        mean: f32,
        /// What stands for missing ones, if that is not the mean.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<f32>,
    },
    /// One of two words that deny each other: one value, 0 or 1.
    Booleans {
        /// The word for 0.
        no: String,
        /// The word for 1.
        yes: String,
        /// The mean of the values, which stands for missing ones unless `fill` does.
        mean: f32,
        /// What stands for missing ones, if that is not the mean.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<f32>,
    },
}

/// In which order a date is written that does not begin with the year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateOrder {
    /// 31/12/2024
    DayFirst,
    /// 12/31/2024
    MonthFirst,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}

impl Content {
    /// Numbers with this mean, of which nothing else is known.
    pub fn numbers(mean: f32) -> Content {
        Content::Numbers { mean, fill: None, exact: None }
    }

    /// These words, none of them shared, and nothing that stands for missing ones.
    pub fn words(words: Vec<String>) -> Content {
        Content::Words { words, other: None, missing: None, fill: None }
    }

    /// How many values a cell becomes.
    pub fn width(&self) -> usize {
        match self {
            Content::Numbers { .. } | Content::Dates { .. } | Content::Booleans { .. } => 1,
            Content::Words { words, other, missing, .. } => {
                words.len() + usize::from(other.is_some()) + usize::from(missing.is_some())
            }
            Content::Vectors { means } => means.len(),
        }
    }

    /// How many numbers stand for a cell before it is expanded: a word is a single code.
    pub fn raw_width(&self) -> usize {
        match self {
            Content::Vectors { means } => means.len(),
            _ => 1,
        }
    }

    /// What the columns are that it becomes.
    pub fn kind(&self) -> ColumnKind {
        match self {
            Content::Numbers { .. } => ColumnKind::Number,
            Content::Words { .. } => ColumnKind::Category,
            Content::Vectors { .. } => ColumnKind::Vector,
            Content::Dates { .. } => ColumnKind::Date,
            Content::Booleans { .. } => ColumnKind::Boolean,
        }
    }

    /// What stands for a missing number, where it is a single one.
    pub(super) fn fill_number(&self) -> Option<f64> {
        match self {
            Content::Numbers { exact: Some(exact), .. } => Some(*exact),
            Content::Numbers { mean, fill, .. }
            | Content::Dates { mean, fill, .. }
            | Content::Booleans { mean, fill, .. } => Some(f64::from(fill.unwrap_or(*mean))),
            Content::Words { .. } | Content::Vectors { .. } => None,
        }
    }

    /// Sets what stands for a missing number, to the last digit.
    pub(super) fn set_exact(&mut self, number: f64) {
        if let Content::Numbers { exact, .. } = self {
            *exact = Some(number);
        }
    }

    /// Sets what stands for a missing number.
    pub(super) fn set_fill(&mut self, number: f32) {
        match self {
            Content::Numbers { fill, .. } | Content::Dates { fill, .. } | Content::Booleans { fill, .. } => {
                *fill = Some(number);
            }
            Content::Words { .. } | Content::Vectors { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_words_are_those_of_the_words_and_of_what_they_share() {
        let words = || ["a", "b"].map(str::to_owned).to_vec();
        assert_eq!(Content::words(words()).width(), 2);
        let (other, missing) = (Some("other".to_owned()), Some("missing".to_owned()));
        assert_eq!(Content::Words { words: words(), other, missing, fill: Some(3) }.width(), 4);
        assert_eq!(Content::numbers(1.0).width(), 1);
        assert_eq!(Content::Vectors { means: vec![0.0; 7] }.raw_width(), 7);
    }
}

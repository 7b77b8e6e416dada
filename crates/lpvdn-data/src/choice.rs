//! What a user says about single columns of a table.

use std::fmt;
use std::str::FromStr;

use lpvdn_core::table::{ColumnType, Decimal};
use serde::{Deserialize, Serialize};

/// A column, and what it is to be read as. As text, `COLUMN=KIND`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KindOf {
    /// The column, given as the label column is.
    pub column: String,
    /// What it is to be read as.
    pub kind: ColumnType,
}

/// A column, and how much it counts. As text, `COLUMN=WEIGHT`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WeightOf {
    /// The column, given as the label column is.
    pub column: String,
    /// Next to a column of which nothing is said, which has 1. It is above 0.
    pub weight: f32,
}

/// Column and value, which the last sign of equality separates.
fn split(text: &str) -> Option<(&str, &str)> {
    let (column, value) = text.rsplit_once('=')?;
    (!column.trim().is_empty()).then_some((column.trim(), value.trim()))
}

impl FromStr for KindOf {
    type Err = String;

    fn from_str(text: &str) -> Result<KindOf, String> {
        let names = || ColumnType::NAMES.map(|(name, _)| name).join(", ");
        let (column, kind) = split(text)
            .ok_or_else(|| format!("{text:?} names no column and kind; write it as age=number"))?;
        let found = ColumnType::NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(kind));
        let (_, kind) =
            found.ok_or_else(|| format!("{kind:?} is no kind of column; accepted are {}", names()))?;
        Ok(KindOf { column: column.to_owned(), kind: *kind })
    }
}

impl FromStr for WeightOf {
    type Err = String;

    fn from_str(text: &str) -> Result<WeightOf, String> {
        let (column, weight) =
            split(text).ok_or_else(|| format!("{text:?} names no column and weight; write it as age=2"))?;
        let number = weight.parse::<f32>().ok().filter(|weight| weight.is_finite() && *weight > 0.0);
        let weight = number
            .ok_or_else(|| format!("{weight:?} is no weight; accepted are numbers above 0, as 0.5 or 2"))?;
        Ok(WeightOf { column: column.to_owned(), weight })
    }
}

impl fmt::Display for KindOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.column, self.kind.name())
    }
}

impl fmt::Display for WeightOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.column, self.weight)
    }
}

impl TryFrom<String> for KindOf {
    type Error = String;
    fn try_from(text: String) -> Result<KindOf, String> {
        text.parse()
    }
}

impl TryFrom<String> for WeightOf {
    type Error = String;
    fn try_from(text: String) -> Result<WeightOf, String> {
        text.parse()
    }
}

impl From<KindOf> for String {
    fn from(kind: KindOf) -> String {
        kind.to_string()
    }
}

impl From<WeightOf> for String {
    fn from(weight: WeightOf) -> String {
        weight.to_string()
    }
}

/// All that a user says about the columns of a table, but for which are labels, ids, or left out.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ColumnChoices {
    /// What columns are to be read as.
    pub kinds: Vec<KindOf>,
    /// How much columns count.
    pub weights: Vec<WeightOf>,
    /// How fractions are written; recognised if not given.
    pub decimal: Option<Decimal>,
}

impl ColumnChoices {
    /// The columns that are named.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.kinds.iter().map(|kind| &kind.column).chain(self.weights.iter().map(|weight| &weight.column))
    }

    /// The columns that are left out.
    pub(crate) fn ignored(&self) -> impl Iterator<Item = &String> {
        self.kinds.iter().filter(|kind| kind.kind == ColumnType::Ignore).map(|kind| &kind.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_with_their_kind_or_weight() {
        let kind = |text: &str| text.parse::<KindOf>();
        assert_eq!(kind("a=b=Log").map(|k| (k.column, k.kind)), Ok(("a=b".to_owned(), ColumnType::Log)));
        assert_eq!(kind(" x = date ").map(|k| k.to_string()), Ok("x=date".to_owned()));
        for wrong in ["age", "=number", "age=", "age=numbers"] {
            assert!(kind(wrong).is_err(), "{wrong}");
        }
        let weight = |text: &str| text.parse::<WeightOf>();
        assert_eq!(weight("-1=0.5").map(|w| (w.column, w.weight)), Ok(("-1".to_owned(), 0.5)));
        for wrong in ["age=0", "age=-1", "age=inf", "age=nan", "age", "age=1e999"] {
            assert!(weight(wrong).is_err(), "{wrong}");
        }
    }
}

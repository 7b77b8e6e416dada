//! How the cells of a table became values: what a model must remember to read another table alike.

use serde::{Deserialize, Serialize};

use super::content::Content;
use crate::columns::{ColumnGroup, Transform};

/// How the cells of a table became values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableReading {
    /// How many columns the file had, those included that were left out.
    pub width: usize,
    /// The columns that became values.
    pub columns: Vec<TableColumn>,
    /// The name of the column of classes, where it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub label: Option<String>,
    /// Its place in the file, from 0, where other columns have the same name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub label_place: Option<usize>,
    /// What was done about missing values.
    #[serde(default)]
    pub missing: Missing,
    /// How fractions are written in text.
    #[serde(skip_serializing_if = "Decimal::is_point", default)]
    pub decimal: Decimal,
}

/// One column of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableColumn {
    /// Its place in the file, from 0.
    pub place: usize,
    /// Its name, where the file has a header.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// What its cells are.
    #[serde(flatten)]
    pub content: Content,
    /// The transform that the user asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub transform: Option<Transform>,
    /// How much it counts, if the user said so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weight: Option<f32>,
}

impl TableColumn {
    /// A column about which nothing was asked for.
    pub fn new(place: usize, name: Option<String>, content: Content) -> TableColumn {
        TableColumn { place, name, content, transform: None, weight: None }
    }

    /// What the columns stand for that it becomes.
    pub fn group(&self) -> ColumnGroup {
        let name = self.name.clone().unwrap_or_default();
        let group = ColumnGroup::new(name, self.content.kind(), self.content.width());
        ColumnGroup { transform: self.transform, weight: self.weight.unwrap_or(1.0), ..group }
    }
}

/// What the values of these columns stand for, in their order.
pub fn groups(columns: &[TableColumn]) -> Vec<ColumnGroup> {
    columns.iter().map(TableColumn::group).collect()
}

/// The names of the values: those of the columns (their places where they have none), `column=word` for words, `column_0` … for vectors.
pub fn value_names(columns: &[TableColumn]) -> Vec<String> {
    let mut names = Vec::new();
    for column in columns {
        let name = column.name.clone().unwrap_or_else(|| column.place.to_string());
        match &column.content {
            Content::Words { words, other, missing, .. } => {
                let all = words.iter().chain(other).chain(missing);
                names.extend(all.map(|word| format!("{name}={word}")));
            }
            Content::Vectors { means } => names.extend((0..means.len()).map(|i| format!("{name}_{i}"))),
            Content::Numbers { .. } | Content::Dates { .. } | Content::Booleans { .. } => names.push(name),
        }
    }
    names
}

/// What is done about a missing value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// It is an error, which names the cell.
    #[default]
    Error,
    /// The mean of the column stands for it; where words are expected, none of them.
    Mean,
    /// The median of the column stands for it; where words are expected, none of them.
    Median,
    /// What the column holds most often stands for it, be it a number or a word.
    MostFrequent,
    /// Among words, to be missing is a category of its own. Among numbers, the mean stands for it.
    Category,
}

impl Missing {
    /// Whether something stands for a missing value.
    #[inline]
    pub fn fills(self) -> bool {
        self != Missing::Error
    }
}

/// How fractions are written in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decimal {
    /// 1,234.5
    #[default]
    #[serde(rename = ".")]
    Point,
    /// 1.234,5
    #[serde(rename = ",")]
    Comma,
}

impl Decimal {
    fn is_point(&self) -> bool {
        *self == Decimal::Point
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::ColumnKind;

    #[test]
    fn columns_become_groups_and_named_values() {
        let words = ["blue", "red"].map(str::to_owned).to_vec();
        let colour = Content::Words { words, other: Some("other".into()), missing: None, fill: None };
        let mut size = TableColumn::new(0, Some("size".into()), Content::numbers(1.0));
        size.transform = Some(Transform::Log);
        size.weight = Some(2.0);
        let columns = [
            size,
            TableColumn::new(2, Some("colour".into()), colour),
            TableColumn::new(3, Some("v".into()), Content::Vectors { means: vec![0.0; 2] }),
        ];
        let expected = ["size", "colour=blue", "colour=red", "colour=other", "v_0", "v_1"];
        assert_eq!(value_names(&columns), expected);
        let groups = groups(&columns);
        let widths: Vec<(ColumnKind, usize)> = groups.iter().map(|g| (g.kind, g.width)).collect();
        let wanted = [(ColumnKind::Number, 1), (ColumnKind::Category, 3), (ColumnKind::Vector, 2)];
        assert_eq!(widths, wanted);
        assert_eq!((groups[0].transform, groups[0].weight), (Some(Transform::Log), 2.0));
        assert_eq!((groups[1].transform, groups[1].weight), (None, 1.0));
    }
}

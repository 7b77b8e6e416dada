//! What the columns of a table hold, in words.

use lpvdn_core::{ColumnGroup, ColumnKind, Transform};
use serde_json::{Value, json};

use crate::console::quoted;

/// More columns of one kind are counted, not named.
const SHOWN: usize = 12;

/// What a kind is called, for one column and for several.
const KINDS: [(ColumnKind, &str, &str); 6] = [
    (ColumnKind::Number, "number", "numbers"),
    (ColumnKind::Date, "date", "dates"),
    (ColumnKind::Boolean, "boolean", "booleans"),
    (ColumnKind::Category, "category", "categories"),
    (ColumnKind::Vector, "vector", "vectors"),
    (ColumnKind::Text, "text", "texts"),
];

/// `2 numbers (age, income), 1 date (since)`
pub(super) fn described(groups: &[ColumnGroup]) -> String {
    let of_kind = |(kind, one, several): &(ColumnKind, &str, &str)| {
        let all: Vec<&ColumnGroup> = groups.iter().filter(|group| group.kind == *kind).collect();
        let name = if all.len() == 1 { one } else { several };
        match all.is_empty() {
            true => None,
            false => Some(format!("{} {name}{}", crate::console::grouped(all.len()), names(&all))),
        }
    };
    KINDS.iter().filter_map(of_kind).collect::<Vec<_>>().join(", ")
}

/// The names of columns, where they have any, in parentheses.
fn names(groups: &[&ColumnGroup]) -> String {
    if groups.iter().all(|group| group.name.is_empty()) {
        return String::new();
    }
    let shown: Vec<String> = groups.iter().take(SHOWN).map(|group| name(group)).collect();
    let more = if groups.len() > SHOWN { ", …" } else { "" };
    format!(" ({}{more})", shown.join(", "))
}

/// A column, with how many categories it has and what was asked for.
fn name(group: &ColumnGroup) -> String {
    let mut text = quoted(&group.name);
    if matches!(group.kind, ColumnKind::Category | ColumnKind::Vector) {
        text.push_str(&format!(" of {}", group.width));
    }
    match group.transform {
        Some(Transform::Log) => text.push_str(" as log"),
        Some(Transform::Identity) => text.push_str(" linear"),
        None => {}
    }
    if group.weight != 1.0 {
        text.push_str(&format!(" × {}", group.weight));
    }
    text
}

pub(super) fn facts(groups: &[ColumnGroup]) -> Vec<Value> {
    let facts = |group: &ColumnGroup| {
        json!({
            "name": group.name,
            "kind": group.kind,
            "columns": group.width,
            "transform": group.transform,
            "weight": group.weight,
        })
    };
    groups.iter().map(facts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_and_named_by_kind() {
        let mut income = ColumnGroup::new("income", ColumnKind::Number, 1);
        (income.transform, income.weight) = (Some(Transform::Log), 2.0);
        let groups = [
            ColumnGroup::new("age", ColumnKind::Number, 1),
            ColumnGroup::new("plan", ColumnKind::Category, 3),
            income,
        ];
        assert_eq!(described(&groups), "2 numbers (age, income as log × 2), 1 category (plan of 3)");
        let unnamed = [ColumnGroup::new("", ColumnKind::Number, 1)];
        assert_eq!(described(&unnamed), "1 number");
        assert_eq!(facts(&groups)[2]["transform"], "log");
    }
}

//! Columns that say nothing about their rows.

use std::fmt;

/// In a table of fewer rows, cells may all be different, or all the same, by chance.
pub const FEWEST_ROWS: usize = 20;
/// Of as many columns, all of numbers, a table is an array of one kind of numbers, such as pixels, whose places mean
/// something: the constant ones among them are not left out.
pub const GRID: usize = 64;

/// More columns of one kind are not named.
const NAMED: usize = 8;
/// Messages show no more letters of a value.
const SHOWN: usize = 40;

/// Why a column is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every cell is missing.
    Empty,
    /// Every cell that is not missing holds this.
    Constant(String),
    /// Whole numbers, each larger by one than the one before.
    Counter,
    /// Another value in every row, which names the row.
    Ids,
    /// Sentences, which hardly stand twice.
    Text,
    /// Too many different words for categories.
    ManyWords,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Empty => f.write_str("has no values at all"),
            Verdict::Constant(value) => {
                let beginning: String = value.chars().take(SHOWN).collect();
                let more = if beginning.len() < value.len() { "…" } else { "" };
                write!(f, "holds {:?} in every row", beginning + more)
            }
            Verdict::Counter => f.write_str("counts the rows"),
            Verdict::Ids => f.write_str("has another value in every row, as ids do"),
            Verdict::Text => f.write_str("holds text, not categories"),
            Verdict::ManyWords => {
                write!(f, "has more than {} different words, too many for categories", super::MOST_WORDS)
            }
        }
    }
}

impl Verdict {
    /// Columns of these names are left out, all for this reason; their values may differ.
    pub fn left_out(&self, columns: &[String]) -> String {
        if let [column] = columns {
            return format!("column {column} {self}, and is left out");
        }
        let reason = match self {
            Verdict::Constant(_) => "holds one value in every row".to_owned(),
            other => other.to_string(),
        };
        let more = if columns.len() > NAMED { ", …" } else { "" };
        let names = columns[..columns.len().min(NAMED)].join(", ");
        format!("{} columns are left out, each of which {reason}: {names}{more}", columns.len())
    }

    /// Columns that are left out, those together that are for the same reason, in the order of the first of each.
    pub fn together<T>(left_out: Vec<(T, Verdict)>) -> Vec<(Verdict, Vec<T>)> {
        let mut reasons: Vec<(Verdict, Vec<T>)> = Vec::new();
        for (column, verdict) in left_out {
            let same = |other: &Verdict| std::mem::discriminant(other) == std::mem::discriminant(&verdict);
            match reasons.iter_mut().find(|(other, _)| same(other)) {
                Some((_, columns)) => columns.push(column),
                None => reasons.push((verdict, vec![column])),
            }
        }
        reasons
    }
}

/// Whether a column is called an id, a key, a UUID or an index.
pub fn is_id_name(name: &str) -> bool {
    let name = name.trim();
    let lower = name.to_ascii_lowercase();
    ["id", "key", "uuid", "index"].iter().any(|word| {
        let Some(before) = lower.strip_suffix(word) else { return false };
        let own = &name[before.len()..];
        // customer_id, customer id, customerId, customerID; not paid, monkey.
        let begins = own.starts_with(|c: char| c.is_ascii_uppercase())
            && before
                .chars()
                .last()
                .is_some_and(|_| name[..before.len()].ends_with(|c: char| c.is_ascii_lowercase()));
        before.is_empty() || before.ends_with(|c: char| !c.is_alphanumeric()) || begins
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_not_shown_to_its_end() {
        let verdict = Verdict::Constant("é".repeat(10_000));
        assert!(verdict.to_string().len() < 150 && verdict.to_string().contains('…'));
        assert_eq!(Verdict::Constant("5".into()).to_string(), "holds \"5\" in every row");
    }

    #[test]
    fn a_name_ends_in_id_as_a_word_of_its_own() {
        for name in [
            "id",
            "ID",
            "customer_id",
            "Customer ID",
            "customerId",
            "CustomerID",
            "row.index",
            "api-key",
            "UUID",
        ] {
            assert!(is_id_name(name), "{name}");
        }
        for name in ["paid", "grid", "monkey", "MONKEY", "PAID", "humid", "indexed", "idle", ""] {
            assert!(!is_id_name(name), "{name}");
        }
    }
}

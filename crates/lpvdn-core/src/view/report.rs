//! What a view does with the columns, for people: a line for each kind of them.

use super::{Asked, Categories, Metric, Number, Numbers, Part, View};
use crate::columns::Transform;

/// Names that a line shows, at most.
const NAMES: usize = 6;

impl View {
    /// What becomes of the columns and why, a line for each kind.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.number_lines();
        let categories: Vec<&Categories> = self
            .parts()
            .iter()
            .filter_map(|part| if let Part::Categories(block) = part { Some(block) } else { None })
            .collect();
        if !categories.is_empty() {
            let names = categories.iter().map(|block| match block.asked.in_words() {
                Some(asked) => format!("{} ({}, {asked})", block.name, block.width()),
                None => format!("{} ({})", block.name, block.width()),
            });
            let weights = if categories.iter().any(|block| !block.asked.is_nothing()) {
                "each weighs as much as one column of numbers, or as was asked for"
            } else {
                "each weighs as much as one column of numbers"
            };
            lines.push(format!(
                "{}: one-hot encoded, {weights}: {}",
                counted(categories.len(), "column of categories", "columns of categories"),
                listed(names.collect())
            ));
        }
        self.parts().iter().for_each(|part| lines.extend(wide_line(part)));
        lines
    }

    fn number_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let numbers = |one_scale: bool| {
            self.parts().iter().filter_map(move |part| match part {
                Part::Numbers(numbers) if numbers.one_scale == one_scale => Some(numbers),
                _ => None,
            })
        };
        for Numbers { columns, asked, .. } in numbers(true) {
            lines.push(format!(
                "{} columns of numbers on one scale: centred, and divided by one number{}",
                columns.len(),
                asked.after_comma()
            ));
        }
        let each: Vec<&Number> = numbers(false).flat_map(|numbers| &numbers.columns).collect();
        for (kind, what) in [
            (Kind::Standardised, "standardised"),
            (Kind::Skewed, "skewed, so ln(1 + x / median) first, then standardised"),
            (Kind::Log, "ln(1 + x / median) by request, then standardised"),
            (Kind::Constant, "constant, so without effect"),
        ] {
            let columns: Vec<&Number> =
                each.iter().copied().filter(|column| kind_of(column) == kind).collect();
            if !columns.is_empty() {
                let names: Vec<String> = columns.iter().filter_map(|column| shown(column, kind)).collect();
                let names = if names.is_empty() { String::new() } else { format!(": {}", listed(names)) };
                lines.push(format!(
                    "{}: {what}{names}",
                    counted(columns.len(), "column of numbers", "columns of numbers")
                ));
            }
        }
        lines
    }

    /// In one line.
    pub fn in_words(&self) -> String {
        let metric = match self.metric() {
            Metric::Euclidean => "by type",
            Metric::Cosine => "by type, compared by angle",
        };
        format!("{metric} ({} columns become {})", self.columns(), self.width())
    }
}

/// What becomes of a column of numbers.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Standardised,
    /// Its logarithm is taken because the data says so.
    Skewed,
    /// Its logarithm is taken because the user says so.
    Log,
    Constant,
}

fn kind_of(column: &Number) -> Kind {
    match column.log {
        _ if column.factor == 0.0 => Kind::Constant,
        None => Kind::Standardised,
        Some(_) if column.asked.transform == Some(Transform::Log) => Kind::Log,
        Some(_) => Kind::Skewed,
    }
}

/// A column by its name, with what was asked for about it; nothing where there is nothing to say.
fn shown(column: &Number, kind: Kind) -> Option<String> {
    // The line itself speaks of the logarithm.
    let said = kind == Kind::Log;
    let asked = Asked { transform: column.asked.transform.filter(|_| !said), ..column.asked };
    let far = kind == Kind::Standardised && column.is_fine() && asked.transform == Some(Transform::Log);
    let far = if far { ", which has no effect so far from zero" } else { "" };
    match (column.name.as_str(), asked.in_words()) {
        ("", None) => None,
        (name, None) => Some(name.to_owned()),
        ("", Some(asked)) => Some(format!("one with {asked}{far}")),
        (name, Some(asked)) => Some(format!("{name} ({asked}{far})")),
    }
}

/// A line about vectors or terms.
fn wide_line(part: &Part) -> Option<String> {
    match part {
        Part::Directions(vectors) => Some(format!(
            "{} columns: vectors of nearly equal length, compared by angle{}",
            vectors.width(),
            vectors.asked.after_comma()
        )),
        Part::Terms(terms) => Some(format!(
            "{} sparse columns: {}{}truncated SVD to {} dimensions with {:.0} % of the squared length of the rows, compared by angle{}",
            terms.columns(),
            if terms.has_unknown() { format!("{} occur, ", terms.known()) } else { String::new() },
            if terms.of_counts() { "counts, weighed by tf-idf, " } else { "" },
            terms.components(),
            100.0 * terms.explained(),
            terms.asked().after_comma()
        )),
        _ => None,
    }
}

fn counted(count: usize, one: &str, several: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {several}") }
}

pub(super) fn listed(names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMES);
    let mut text = names[..names.len() - more].join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::{ColumnGroup, ColumnKind, Dataset, Matrix, StreamKey, Summary, Transform, View};

    /// A normal number, an amount, and a category of two.
    fn data() -> Dataset {
        let mut stream = StreamKey::new(4, "report").open();
        let cell = |i: usize, j: usize, x: f64| match j {
            0 => x,
            1 => 100.0 * x.exp(),
            _ => f64::from(u8::from(i % 2 == j - 2)),
        };
        let mut data = Dataset::from(Matrix::from_fn(200, 4, |i, j| cell(i, j, stream.normal()) as f32));
        data.groups = Some(vec![
            ColumnGroup::new("age", ColumnKind::Number, 1),
            ColumnGroup::new("income", ColumnKind::Number, 1),
            ColumnGroup::new("plan", ColumnKind::Category, 2),
        ]);
        data
    }

    fn lines(change: impl FnOnce(&mut [ColumnGroup])) -> String {
        let mut data = data();
        data.groups.as_deref_mut().map(change).expect("groups");
        let summary = Summary::of(data.source.as_ref()).expect("a summary");
        let view = View::fit(&data, &summary, None, &mut ()).expect("rows").expect("a view");
        view.lines().join("\n")
    }

    #[test]
    fn what_the_data_decides_is_not_said_to_be_asked_for() {
        let lines = lines(|_| ());
        assert!(lines.contains("standardised: age\n") && lines.contains("standardised: income\n"), "{lines}");
        assert!(lines.contains("as much as one column of numbers: plan (2)"), "{lines}");
        assert!(!lines.contains("request"), "{lines}");
    }

    #[test]
    fn weights_and_transforms_that_were_asked_for_are_in_the_lines() {
        let lines = lines(|groups| {
            groups[0].weight = 3.0;
            groups[1].transform = Some(Transform::Identity);
            groups[2].weight = 0.5;
        });
        assert!(lines.contains("age (weight 3 by request), income (linear by request)"), "{lines}");
        assert!(lines.contains("or as was asked for: plan (2, weight 0.5 by request)"), "{lines}");
    }

    #[test]
    fn a_logarithm_that_was_asked_for_is_not_said_to_follow_from_the_data() {
        let lines = lines(|groups| {
            (groups[1].transform, groups[1].weight) = (Some(Transform::Log), 2.0);
        });
        let expected = "1 column of numbers: ln(1 + x / median) by request, then standardised: income (weight 2 by request)";
        assert!(lines.contains(expected) && !lines.contains("skewed"), "{lines}");
    }
}

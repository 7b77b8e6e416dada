//! What a view does with the columns, for people: a line for each kind of them.

use super::{Metric, Number, Part, View};

/// Names that a line shows, at most.
const NAMES: usize = 6;

impl View {
    /// What becomes of the columns and why, a line for each kind.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.number_lines();
        let categories: Vec<(&str, usize)> = self
            .parts()
            .iter()
            .filter_map(|part| match part {
                Part::Categories(block) => Some((block.name.as_str(), block.width())),
                _ => None,
            })
            .collect();
        if !categories.is_empty() {
            let names = categories.iter().map(|(name, width)| format!("{name} ({width})"));
            lines.push(format!(
                "{}: one-hot encoded, each weighs as much as one column of numbers: {}",
                counted(categories.len(), "column of categories", "columns of categories"),
                listed(names.collect())
            ));
        }
        for part in self.parts() {
            match part {
                Part::Directions(vectors) => lines.push(format!(
                    "{} columns: vectors of nearly equal length, compared by angle",
                    vectors.width()
                )),
                Part::Terms(terms) => lines.push(format!(
                    "{} sparse columns: {}truncated SVD to {} dimensions with {:.0} % of the squared length of the rows, compared by angle",
                    terms.columns(),
                    if terms.of_counts() { "counts, weighed by tf-idf, " } else { "" },
                    terms.components(),
                    100.0 * terms.explained()
                )),
                _ => {}
            }
        }
        lines
    }

    fn number_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let numbers = |one_scale: bool| {
            self.parts().iter().filter_map(move |part| match part {
                Part::Numbers(numbers) if numbers.one_scale == one_scale => Some(&numbers.columns),
                _ => None,
            })
        };
        for columns in numbers(true) {
            lines.push(format!(
                "{} columns of numbers on one scale: centred, and divided by one number",
                columns.len()
            ));
        }
        let each: Vec<&Number> = numbers(false).flatten().collect();
        let constant: Vec<&Number> = each.iter().copied().filter(|column| column.factor == 0.0).collect();
        let varied = |log: bool| {
            let wanted = move |column: &&Number| column.factor != 0.0 && column.log.is_some() == log;
            each.iter().copied().filter(wanted).collect::<Vec<_>>()
        };
        for (columns, what) in [
            (varied(false), "standardised"),
            (varied(true), "skewed, so ln(1 + x / median) first, then standardised"),
            (constant, "constant, so without effect"),
        ] {
            if !columns.is_empty() {
                let names: Vec<String> = columns
                    .iter()
                    .map(|column| column.name.clone())
                    .filter(|name| !name.is_empty())
                    .collect();
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

fn counted(count: usize, one: &str, several: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {several}") }
}

fn listed(names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMES);
    let mut text = names[..names.len() - more].join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

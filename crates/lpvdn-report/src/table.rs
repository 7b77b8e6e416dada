//! A table of results: Markdown for eyes, CSV for spreadsheets, JSON for programs.

use std::io::{self, Write};
use std::path::Path;

use lpvdn_core::file::atomic_replace;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::csv::csv_cell;

/// Mean and standard deviation over runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// Of the runs themselves; one has none.
    pub sd: Option<f64>,
}

impl Spread {
    /// `None` where there is no run, or one has no such value.
    ///
    /// ```
    /// use lpvdn_report::Spread;
    /// let spread = Spread::of([1.0, 2.0, 3.0].map(Some)).expect("values");
    /// assert_eq!((spread.mean, spread.sd), (2.0, Some(1.0)));
    /// assert!(Spread::of([Some(1.0), None]).is_none());
    /// ```
    pub fn of(values: impl IntoIterator<Item = Option<f64>>) -> Option<Spread> {
        let values: Vec<f64> = values.into_iter().collect::<Option<_>>()?;
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        Some(Spread { mean, sd: (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt()) })
    }
}

/// What stands in a place of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A name.
    Text(String),
    /// A whole number.
    Count(usize),
    /// A number, shown with so many decimals.
    Number(f64, usize),
    /// A mean and its deviation, shown with so many decimals.
    Spread(Spread, usize),
    /// Nothing, and why in a word or two.
    None(&'static str),
}

impl Cell {
    /// A spread, or nothing.
    pub fn spread(spread: Option<Spread>, digits: usize) -> Cell {
        spread.map_or(Cell::None("–"), |spread| Cell::Spread(spread, digits))
    }

    /// A number, or nothing.
    pub fn number(value: Option<f64>, digits: usize) -> Cell {
        value.map_or(Cell::None("–"), |value| Cell::Number(value, digits))
    }

    fn shown(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => count.to_string(),
            Cell::Number(value, digits) => format!("{value:.digits$}"),
            Cell::Spread(Spread { mean, sd: None }, digits) => format!("{mean:.digits$}"),
            Cell::Spread(Spread { mean, sd: Some(sd) }, digits) => format!("{mean:.digits$} ± {sd:.digits$}"),
            Cell::None(why) => (*why).to_owned(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Cell::Text(text) => json!(text),
            Cell::Count(count) => json!(count),
            Cell::Number(value, _) => json!(value),
            Cell::Spread(spread, _) => json!(spread),
            Cell::None(_) => Value::Null,
        }
    }

    /// The fields of a CSV line: two in a column of spreads.
    fn csv(&self, spreads: bool) -> String {
        let rest = if spreads { "," } else { "" };
        match self {
            Cell::Text(text) => format!("{}{rest}", csv_cell(text)),
            Cell::Count(count) => format!("{count}{rest}"),
            Cell::Number(value, _) => format!("{value}{rest}"),
            Cell::Spread(Spread { mean, sd }, _) => {
                format!("{mean},{}", sd.map_or_else(String::new, |sd| sd.to_string()))
            }
            Cell::None(_) => rest.to_owned(),
        }
    }
}

/// Text from the data as text: nothing in it is markup, nor ends a cell of a table.
pub fn in_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '|' => out.push_str("\\|"),
            '[' => out.push_str("\\["),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Rows of cells under named columns.
///
/// ```
/// use lpvdn_report::{Cell, Table};
/// let mut table = Table::new(["method", "ACC"]);
/// table.row([Cell::Text("K-means".into()), Cell::Number(0.534, 4)]);
/// assert_eq!(table.markdown(), "| method  | ACC    |\n|---------|--------|\n| K-means | 0.5340 |\n");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Without rows yet.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Table {
        Table { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row; what it lacks stays empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut row: Vec<Cell> = cells.into_iter().take(self.columns.len()).collect();
        row.resize(self.columns.len(), Cell::None(""));
        self.rows.push(row);
    }

    /// Aligned, so that it reads well as it is too.
    pub fn markdown(&self) -> String {
        let safe = |text: String| in_markdown(&text);
        let mut lines: Vec<Vec<String>> = vec![self.columns.iter().cloned().map(safe).collect()];
        lines.extend(self.rows.iter().map(|row| row.iter().map(|cell| safe(cell.shown())).collect()));
        let width = |c: usize| lines.iter().map(|line| line[c].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut out = String::new();
        for (i, line) in lines.iter().enumerate() {
            let cells = line.iter().zip(&widths).map(|(cell, &width)| format!(" {cell:<width$} "));
            out.push_str(&format!("|{}|\n", cells.collect::<Vec<_>>().join("|")));
            if i == 0 {
                let rules = widths.iter().map(|width| "-".repeat(width + 2));
                out.push_str(&format!("|{}|\n", rules.collect::<Vec<_>>().join("|")));
            }
        }
        out
    }

    /// Means and deviations get columns of their own, numbers all their digits.
    pub fn csv(&self) -> String {
        let spread = |c: usize| self.rows.iter().any(|row| matches!(row[c], Cell::Spread(..)));
        let spreads: Vec<bool> = (0..self.columns.len()).map(spread).collect();
        let plain = |name: &str| csv_cell(&name.to_lowercase().replace('–', "-"));
        let names = self.columns.iter().zip(&spreads).map(|(name, &spreads)| match spreads {
            true => format!("{0},{0} sd", plain(name)),
            false => plain(name),
        });
        let mut out = names.collect::<Vec<_>>().join(",") + "\n";
        for row in &self.rows {
            let cells = row.iter().zip(&spreads).map(|(cell, &spreads)| cell.csv(spreads));
            out.push_str(&(cells.collect::<Vec<_>>().join(",") + "\n"));
        }
        out
    }

    /// A list of objects with the columns as keys.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let fields = self.columns.iter().cloned().zip(row.iter().map(Cell::json));
            Value::Object(fields.collect::<Map<String, Value>>())
        };
        Value::Array(self.rows.iter().map(object).collect())
    }

    /// Writes `NAME.md`, `NAME.csv` and `NAME.json` in a folder. `head` stands before the Markdown, and
    /// `facts` become an object around the rows of the JSON.
    ///
    /// # Errors
    /// What writing files brings.
    pub fn save(
        &self,
        folder: &Path,
        name: &str,
        head: &str,
        mut facts: Map<String, Value>,
    ) -> io::Result<()> {
        facts.insert("rows".to_owned(), self.json());
        let text = |extension: &str, text: &str| {
            atomic_replace(&folder.join(format!("{name}.{extension}")), |w| w.write_all(text.as_bytes()))
        };
        text("md", &format!("{head}{}", self.markdown()))?;
        text("csv", &self.csv())?;
        text("json", &format!("{:#}\n", Value::Object(facts)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["method", "ACC", "a, \"b\""]);
        table.row([
            Cell::Text("x|y".into()),
            Cell::Spread(Spread { mean: 0.5, sd: Some(0.125) }, 2),
            Cell::Count(3),
        ]);
        table.row([Cell::Text("z,z".into()), Cell::None("no data")]);
        table
    }

    #[test]
    fn every_form_has_every_cell() {
        assert_eq!(table().csv(), "method,acc,acc sd,\"a, \"\"b\"\"\"\nx|y,0.5,0.125,3\n\"z,z\",,,\n");
        let text = table().markdown();
        assert!(text.contains("| x\\|y   | 0.50 ± 0.12 | 3"), "{text}");
        assert!(text.contains("| z,z    | no data"), "{text}");
        let json = table().json();
        assert_eq!(json[0]["ACC"]["sd"], 0.125);
        assert_eq!(json[1]["ACC"], Value::Null);
    }

    #[test]
    fn a_spread_is_that_of_a_sample_and_needs_every_value() {
        let spread = Spread::of([1.0, 2.0, 4.0].map(Some)).expect("values");
        assert!(
            (spread.mean - 7.0 / 3.0).abs() < 1e-12
                && spread.sd.is_some_and(|sd| (sd - 1.527_525_231_651_946_6).abs() < 1e-12)
        );
        assert!(Spread::of([Some(1.0), None]).is_none());
        assert!(Spread::of([]).is_none());
        assert!(Spread::of([Some(3.0)]).expect("a value").sd.is_none());
    }
}

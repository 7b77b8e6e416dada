//! True classes of rows, and what rows are called: a few bytes a row, however many there are.

use std::collections::HashMap;

/// True classes of the rows: used for evaluation only, never for training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The class of each row, an index into `names`.
    pub codes: Vec<u32>,
    /// The name of each class.
    pub names: Vec<String>,
}

impl Labels {
    /// Numbers the distinct names: as numbers where all of them are, else alphabetically.
    pub fn from_names<S: AsRef<str>>(rows: &[S]) -> Labels {
        rows.iter().collect()
    }

    /// The name of each row's class.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.codes.iter().map(|&code| self.names[code as usize].as_str())
    }

    /// The labels of rows `rows`; classes without any are gone.
    #[must_use]
    pub fn of_rows(&self, rows: &[u32]) -> Labels {
        rows.iter().map(|&row| &self.names[self.codes[row as usize] as usize]).collect()
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let names: usize = self.names.iter().map(|name| size_of::<String>() + name.len()).sum();
        size_of_val(self.codes.as_slice()) + names
    }
}

impl<S: AsRef<str>> FromIterator<S> for Labels {
    fn from_iter<I: IntoIterator<Item = S>>(rows: I) -> Labels {
        let mut labels = GrowingLabels::default();
        rows.into_iter().for_each(|name| labels.push(name.as_ref()));
        labels.finish()
    }
}

/// Labels of rows that arrive one after the other. A name is kept once, however many rows have it.
#[derive(Debug, Default)]
pub struct GrowingLabels {
    codes: Vec<u32>,
    /// Numbered as they came.
    known: HashMap<String, u32>,
}

impl GrowingLabels {
    /// The class of the next row.
    pub fn push(&mut self, name: &str) {
        let next = self.known.len() as u32;
        let code = match self.known.get(name) {
            Some(&code) => code,
            None => {
                self.known.insert(name.to_owned(), next);
                next
            }
        };
        self.codes.push(code);
    }

    /// Whether there are none yet.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Whether a row of this class has come already.
    pub fn knows(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// The names so far, each once and in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    /// All of them: classes are ordered as numbers where all of them are, else alphabetically.
    pub fn finish(self) -> Labels {
        let mut named: Vec<(String, u32)> = self.known.into_iter().collect();
        named.sort_unstable();
        let numbers: Result<Vec<f64>, _> = named.iter().map(|(name, _)| name.parse()).collect();
        if let Ok(numbers) = numbers {
            let mut both: Vec<(f64, (String, u32))> = numbers.into_iter().zip(named).collect();
            both.sort_by(|a, b| a.0.total_cmp(&b.0));
            named = both.into_iter().map(|(_, named)| named).collect();
        }
        let mut place = vec![0; named.len()];
        (0_u32..).zip(&named).for_each(|(at, (_, code))| place[*code as usize] = at);
        let mut codes = self.codes;
        codes.iter_mut().for_each(|code| *code = place[*code as usize]);
        Labels { codes, names: named.into_iter().map(|(name, _)| name).collect() }
    }
}

/// What each row is called, one name behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowNames {
    text: String,
    /// Where each name ends.
    ends: Vec<usize>,
}

impl RowNames {
    /// The name of the next row.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name of a row, if there is one.
    pub fn get(&self, row: usize) -> Option<&str> {
        let start = if row == 0 { 0 } else { *self.ends.get(row - 1)? };
        self.text.get(start..*self.ends.get(row)?)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|row| self.get(row))
    }

    /// The names of rows `rows`.
    #[must_use]
    pub fn of_rows(&self, rows: &[u32]) -> RowNames {
        rows.iter().filter_map(|&row| self.get(row as usize)).collect()
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.text.len() + size_of_val(self.ends.as_slice())
    }
}

impl<S: AsRef<str>> FromIterator<S> for RowNames {
    fn from_iter<I: IntoIterator<Item = S>>(rows: I) -> RowNames {
        let mut names = RowNames::default();
        rows.into_iter().for_each(|name| names.push(name.as_ref()));
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_labels_are_ordered_as_numbers_and_others_by_name() {
        let numbers = Labels::from_names(&["10", "9", "2", "9"]);
        assert_eq!(numbers.names, ["2", "9", "10"]);
        assert_eq!(numbers.codes, [2, 1, 0, 1]);
        let words = Labels::from_names(&["b", "a", "10"]);
        assert_eq!(words.names, ["10", "a", "b"]);
        assert_eq!(words.iter().collect::<Vec<_>>(), ["b", "a", "10"]);
    }

    #[test]
    fn classes_without_rows_are_gone_from_a_part() {
        let all = Labels::from_names(&["c", "a", "b", "a"]);
        let part = all.of_rows(&[3, 0]);
        assert_eq!((&part.names[..], &part.codes[..]), (&["a".to_owned(), "c".to_owned()][..], &[0, 1][..]));
    }

    #[test]
    fn a_class_takes_four_bytes_a_row_and_its_name_once() {
        let rows = || (0..10_000).map(|i| if i % 2 == 0 { "a rather long name" } else { "another" });
        let labels: Labels = rows().collect();
        assert!(labels.memory() < 4 * 10_000 + 200, "{}", labels.memory());
        assert!(labels.iter().eq(rows()));
    }

    #[test]
    fn names_of_rows_come_back_whatever_they_hold() {
        let all = ["x7", "", "ü", "", "x9"];
        let names: RowNames = all.iter().collect();
        assert!(names.iter().eq(all), "{names:?}");
        assert_eq!((names.len(), names.get(2), names.get(5)), (5, Some("ü"), None));
        assert!(names.of_rows(&[4, 1]).iter().eq(["x9", ""]));
        assert_eq!(names.memory(), 6 + 5 * size_of::<usize>());
    }
}

//! On which line of its file each row begins.

/// The line of each row. Rows on successive lines are kept as one run, so that a file without blank lines
/// takes a single one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowLines {
    /// The first row of each run, and its line.
    runs: Vec<(u32, u64)>,
    rows: u32,
}

impl RowLines {
    /// The line of the next row, counted from 1.
    pub fn push(&mut self, line: u64) {
        if self.line_after(self.rows) != Some(line) {
            self.runs.push((self.rows, line));
        }
        self.rows += 1;
    }

    /// The line of a row, if there is such a row.
    pub fn get(&self, row: usize) -> Option<u64> {
        let row = u32::try_from(row).ok().filter(|row| *row < self.rows)?;
        self.line_after(row)
    }

    /// The lines of rows `rows`.
    #[must_use]
    pub fn of_rows(&self, rows: &[u32]) -> RowLines {
        let mut some = RowLines::default();
        rows.iter().filter_map(|&row| self.get(row as usize)).for_each(|line| some.push(line));
        some
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        size_of_val(self.runs.as_slice())
    }

    /// Where a row lies if its run reaches so far.
    fn line_after(&self, row: u32) -> Option<u64> {
        let runs = self.runs.partition_point(|(first, _)| *first <= row);
        let (first, line) = self.runs.get(runs.checked_sub(1)?)?;
        Some(line + u64::from(row - first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_and_successive_ones_take_one_run() {
        let lines = [2, 3, 4, 7, 8, 20, 22];
        let mut found = RowLines::default();
        lines.iter().for_each(|&line| found.push(line));
        assert_eq!((0..8).map_while(|row| found.get(row)).collect::<Vec<_>>(), lines);
        assert_eq!(found.runs.len(), 4);
        let some = found.of_rows(&[1, 4, 6]);
        assert_eq!([some.get(0), some.get(1), some.get(2), some.get(3)], [Some(3), Some(8), Some(22), None]);
        assert_eq!(RowLines::default().get(0), None);
    }
}

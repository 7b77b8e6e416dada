//! What a row is about.

/// Names the terms of rows by the names of their columns.
#[derive(Clone, Copy, Debug)]
pub struct TermWeights<'a> {
    terms: &'a [String],
}

impl<'a> TermWeights<'a> {
    /// The names of the columns: [`Vectorizer::terms`](super::Vectorizer::terms), or those that a
    /// data set kept.
    pub fn new(terms: &'a [String]) -> TermWeights<'a> {
        TermWeights { terms }
    }

    /// The `count` heaviest terms of a row, the heaviest first, equals in the order of the columns.
    ///
    /// Columns without a name are left out.
    ///
    /// ```
    /// use lpvdn_data::text::TermWeights;
    /// let terms = ["ant", "bee", "cat"].map(str::to_owned);
    /// let heaviest = TermWeights::new(&terms).heaviest((&[0, 1, 2], &[0.5, 0.1, 0.7]), 2);
    /// assert_eq!(heaviest, [("cat", 0.7), ("ant", 0.5)]);
    /// ```
    pub fn heaviest(&self, (columns, weights): (&[u32], &[f32]), count: usize) -> Vec<(&'a str, f32)> {
        let name = |column: u32| self.terms.get(column as usize).map(String::as_str);
        let entries = columns.iter().zip(weights);
        let mut named: Vec<_> = entries.filter_map(|(&j, &weight)| Some((name(j)?, weight))).collect();
        // A stable sort leaves equals in the order of the columns.
        named.sort_by(|a, b| b.1.total_cmp(&a.1));
        named.truncate(count);
        named
    }
}

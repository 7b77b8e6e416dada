//! Why a data frame does not become rows.

/// Why a data frame does not become rows. Rows are counted from 0, as frames do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// A column has another number of cells than the first one.
    #[error("column {column} has {cells} cells, and the first column has {rows}")]
    Lengths {
        /// The column.
        column: String,
        /// How many it has.
        cells: usize,
        /// How many the first one has.
        rows: usize,
    },
    /// A missing value, about which nothing was decided.
    #[error("column {column} has a missing value in row {row}")]
    Missing {
        /// The column.
        column: String,
        /// The row.
        row: usize,
    },
    /// Something else in a column of numbers, dates or vectors.
    #[error("column {column}, row {row}: {found} is no {wanted}")]
    Cell {
        /// The column.
        column: String,
        /// The row.
        row: usize,
        /// What is there.
        found: String,
        /// What should be.
        wanted: String,
    },
    /// More different words than a column of categories may have.
    #[error(
        "column {column} has more than {} different words, too many for categories",
        super::super::MOST_WORDS
    )]
    TooManyWords {
        /// The column.
        column: String,
    },
    /// A truth was asked for, and there are not two words.
    #[error("column {column} is to be read as one of two words, and has not two different ones")]
    NoTruth {
        /// The column.
        column: String,
    },
    /// Something was said about a column that is not there.
    #[error("there is no column {column}; the columns are {known}")]
    NoColumn {
        /// What was asked for.
        column: String,
        /// The columns there are.
        known: String,
    },
    /// Something was said about a column of vectors that holds for single values.
    #[error("column {column} holds vectors, which cannot be read as {kind}")]
    Vectors {
        /// The column.
        column: String,
        /// What it was to be read as.
        kind: &'static str,
    },
    /// No column says anything about its rows.
    #[error("no column is left: {columns}")]
    NothingLeft {
        /// The columns, and why each is left out.
        columns: String,
    },
    /// A column that the model was fitted to is not there.
    #[error("the model was fitted to a column {column}, which is not there")]
    Absent {
        /// The column.
        column: String,
    },
}

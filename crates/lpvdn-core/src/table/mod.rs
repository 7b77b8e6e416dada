//! Tables: from the cells of columns to values.
//!
//! Whoever has a table, from a file or from a data frame, gives its cells as numbers: a number as it is, a date as days,
//! a word as the code that [`WordColumn`] gives it, and no number (NaN) for a missing cell. What a column holds is a
//! [`Content`]; [`Expanded`] makes values of the numbers: one for a number, a date or a truth, one for each category of
//! a column of words. A model keeps the [`TableReading`], so that another table becomes the same values.
//!
//! | content | what becomes of a cell | kind of the group |
//! |---|---|---|
//! | [`Content::Numbers`] | the number | [`Number`](crate::ColumnKind::Number) |
//! | [`Content::Dates`] | days since a day | [`Date`](crate::ColumnKind::Date) |
//! | [`Content::Booleans`] | 0 or 1 | [`Boolean`](crate::ColumnKind::Boolean) |
//! | [`Content::Words`] | one-hot: a column for each category | [`Category`](crate::ColumnKind::Category) |
//! | [`Content::Vectors`] | its numbers | [`Vector`](crate::ColumnKind::Vector) |

pub mod cells;
mod content;
mod expand;
mod fill;
mod frame;
mod kind;
mod number;
mod reading;
mod truth;
mod verdict;
mod words;

pub use content::{Content, DateOrder};
pub use expand::{Expanded, Expansion};
pub use fill::{Fillable, SAMPLED, fill_in};
pub use frame::{Frame, FrameCells, FrameColumn, FrameError, FrameTable, FrameValue, Wanted};
pub use kind::{Choice, ColumnType};
pub use number::{Number, NumberColumn, Tally};
pub use reading::{Decimal, Missing, TableColumn, TableReading, groups, value_names};
pub use truth::{is_truth, truth_of};
pub use verdict::{FEWEST_ROWS, GRID, Verdict, is_id_name};
pub use words::{MOST_FREQUENT, MOST_WORDS, WordColumn, WordKind};

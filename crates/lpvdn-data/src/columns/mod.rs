//! Tables of columns: what CSV, Parquet and Arrow share, once they have cells.
//!
//! The first rows decide what a column holds (`decide`): numbers, dates, words or vectors. A column of numbers is a
//! value, one of words a value for each category, one of vectors a value for each of their numbers; one of texts may
//! make rows of its words ([`Sheet`]). Which columns there are is remembered
//! ([`TableReading`](lpvdn_core::table::TableReading)), so that another table is read alike, whatever its format.

mod advice;
mod cells;
mod choices;
mod finish;
mod held;
mod layout;
mod notes;
mod refusals;
mod sheet;

pub(crate) use self::advice::TextTable;
#[cfg(feature = "parquet")]
pub(crate) use self::cells::{Cells, Wanted};
pub(crate) use self::layout::Layout;
#[cfg(feature = "parquet")]
pub(crate) use self::layout::Role;
pub(crate) use self::sheet::Sheet;
pub(crate) use lpvdn_core::table::cells::Given;
pub(crate) use lpvdn_core::table::cells::parse_number;
#[cfg(feature = "parquet")]
pub(crate) use lpvdn_core::table::cells::written_date;

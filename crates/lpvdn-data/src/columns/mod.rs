//! Tables of columns: what CSV, Parquet and Arrow share, once cells are at hand.
//!
//! A column of numbers is a value, one of words a value for each word, one of vectors a value for each
//! of their numbers; one of texts may make rows of its words ([`Sheet`]). Which columns there are is remembered ([`TableReading`](crate::reading::TableReading)),
//! so that another table is read alike, whatever its format.

mod cells;
mod column;
mod expand;
mod layout;
mod numbers;
mod sheet;

#[cfg(feature = "parquet")]
pub(crate) use self::cells::{Cells, Wanted};
pub(crate) use self::column::Given;
pub(crate) use self::layout::Layout;
#[cfg(feature = "parquet")]
pub(crate) use self::layout::Role;
pub(crate) use self::numbers::{Number, Tally};
pub(crate) use self::sheet::Sheet;
